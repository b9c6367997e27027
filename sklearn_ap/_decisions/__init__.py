"""Decisions: thresholds, and budgets of rows per query.

- `operating_points`: begin here: `operating_point` returns the numbers of a threshold,
  which one condition chooses, or which was fixed beforehand
- `point`: these numbers, with their texts and intervals
- `conditions`: the conditions, and the candidate thresholds
- `confusion_matrix`: the confusion matrix of a threshold, and the intervals of its
  rates
- `budgets`: the totals that a budget of rows per query finds
- `wording`: clauses of the sentences about thresholds and budgets
"""
