"""Thresholds and queries: what one threshold or a budget retrieves, and the score of each query.

`_operating_points` finds a threshold, `_budgets` adds up what the first rows of each query find, and
`_by_query` gives the score of each query its name.
"""
