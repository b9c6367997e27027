"""Readers of arguments: each argument is read once, and refused where it is wrong.

- `read`: labels, scores and weights of a call
- `queries`: ids, totals and cuts of queries
- `options`: words and numbers, with what they may be
- `values`: arrays of other libraries, brought to the host
"""
