"""Readers of arguments: each argument is read once, and refused where it is wrong.

`_read` checks labels, scores and weights, `_queries` ids, totals and weights of
queries, `_options` words and numbers. `_values` brings arrays of other libraries to the
host.
"""
