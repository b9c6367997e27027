"""Displays with scikit-learn's API; matplotlib is imported when one is drawn.

`_average_precision` and `_hit_curve` draw the curves of rows, which `_rows` reads from
labels and scores, an estimator or folds; a band is computed there too. They share
`_figure` (axes, styles, legends).
"""
