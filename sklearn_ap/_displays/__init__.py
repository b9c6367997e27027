"""Displays with the API of scikit-learn's. matplotlib is imported when a display is
drawn.

- `average_precision`: the precision-recall curve
- `hit_curve`: the hit curve
- `rows`: the rows of a curve, with the scores of an estimator
- `figure`: axes, styles and legends
"""
