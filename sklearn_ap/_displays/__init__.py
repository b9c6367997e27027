"""Displays with scikit-learn's API; matplotlib is imported when one is drawn.

- `average_precision`: the precision-recall curve
- `hit_curve`: the hit curve
- `rows`: the rows of an estimator
- `figure`: axes, styles and legends
"""
