"""Displays with scikit-learn's API; matplotlib is imported when one is drawn.

Each display has a file: `_average_precision` (with `_bands`), `_hit_curve` (with its numbers in `_hits`),
`_queries` and `_estimates`. They share `_input` (labels, scores and estimators) and `_figure` (axes, styles,
legends).
"""
