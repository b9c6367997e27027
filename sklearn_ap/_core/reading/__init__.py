"""Readers of arguments. Each argument is read once, and an error is raised if it is
wrong.

- `read`: labels, scores and weights of a call
- `names`: columns matched by name, and the order of indexes
- `notes`: the cause of an error about rows, and what to pass instead
- `labels`: ways to make two labels of several
- `fields`: the reason why a value is not a number, and what to write
- `ids`: ids of queries, which are grouped and matched to names
- `per_ranking`: totals of positives of each ranking
- `options`: options that are words or single numbers
- `values`: arrays of other libraries, copied to the host, and missing values
"""
