"""Displays with scikit-learn's API; matplotlib is imported when one is drawn.

- `average_precision`: the precision-recall curve
- `hit_curve`: the hit curve
- `rows`: the rows that both draw, from labels and scores, or an estimator
- `band`: the band of a precision-recall curve
- `figure`: axes, styles and legends
"""
