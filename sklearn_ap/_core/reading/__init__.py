"""Readers of arguments: each argument is read once, and refused where it is wrong.

- `read`: labels, scores and weights of a call
- `names`: columns in the order of their names, and indexes in two orders
- `notes`: why rows are wrong, and what to pass instead, looked at if an error is raised
- `labels`: how labels of more than two values become two
- `fields`: why a value is not a number, and what to write
- `ids`: ids of queries, grouped and matched with names
- `per_ranking`: positives of each ranking
- `options`: words and numbers, with what they may be
- `values`: arrays of other libraries, brought to the host
"""
