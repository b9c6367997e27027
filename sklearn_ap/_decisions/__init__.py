"""Thresholds and queries: `_operating_points` finds a threshold.

`_by_query` contains the scores of queries, and `_budgets` what a budget of rows per
query finds.
"""
