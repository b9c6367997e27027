"""Displays in scikit-learn's manner; matplotlib is imported when one is drawn.

Each display has a file: `_average_precision`, `_comparison` (several areas), `_hit_curve` (its numbers are in
`_hits`), `_queries`, `_ties` and `_estimates`. They share `_input` (what a display was given), `_figure`
(axes, styles, legends) and `_bands`.
"""
