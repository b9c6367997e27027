"""Thresholds and queries: what one threshold or a budget retrieves, and the score of each query.

`_operating_points` finds a threshold. `_by_query` returns what each query gives: its score, and what the first
rows of it contain.
"""
