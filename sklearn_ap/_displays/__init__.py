"""Displays in scikit-learn's manner; matplotlib is imported when one is drawn.

Each display has a file: `_average_precision` (with `_bands`), `_hit_curve` (with its numbers in `_hits`),
`_queries` and `_estimates`. They share `_input` (what a display was given) and `_figure` (axes, styles,
legends).
"""
