"""Readers of arguments: each argument is read once, and refused where it is wrong.

- `read`: labels, scores and weights of a call
- `ids`: ids of queries, grouped and matched with names
- `per_ranking`: positives and cuts of each ranking
- `options`: words and numbers, with what they may be
- `values`: arrays of other libraries, brought to the host
"""
