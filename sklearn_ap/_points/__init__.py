"""Thresholds and queries: `_operating_points` finds a threshold.

`_by_query` contains the scores of queries, and what a budget of rows per query finds.
"""
