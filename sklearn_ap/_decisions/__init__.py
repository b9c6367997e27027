"""Decisions: thresholds, budgets of rows, and the scores of queries.

- `operating_points`: begin here: `operating_point`, a threshold by one condition or
  fixed beforehand
- `conditions`: the conditions, and the thresholds that they choose from
- `cells_of_threshold`: the four cells of a threshold, whose shares have intervals
- `budgets`: what a budget of rows per query finds in all of them
- `by_query`: the score of each query under its id
"""
