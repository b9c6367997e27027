"""Decisions: thresholds and budgets of rows.

- `operating_points`: begin here: `operating_point`, a threshold by one condition or
  fixed beforehand
- `conditions`: the conditions, and the thresholds that they choose from
- `cells_of_threshold`: the four cells of a threshold, whose shares have intervals
- `budgets`: what a budget of rows per query finds in all of them
"""
