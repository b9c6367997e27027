"""Readers of arguments. Each argument is read once, and an error is raised if it is
wrong.

- `read`: labels, scores and weights of a call
- `names`: columns matched by name, and the order of indexes
- `unusual`: labels and scores that numpy does not read as numbers
- `errors`: errors about rows, and the notes below scikit-learn's texts
- `ids`: ids of queries, which are grouped and matched to names
- `per_ranking`: totals of positives of each ranking
- `options`: options that are words or single numbers
- `values`: arrays of other libraries, copied to the host, and missing values
"""
