"""The core: scores, curves and scorers.

The core imports no other subpackage of this package. (Only an error about the name of a
score looks for it in a table of `compatibility`, which the package's own `__init__`
names.)

A call goes through these types, from `scores` down to `areas`: `PassedRows` are the
arguments of the caller. `CheckedRows` are the same rows after all checks, so later code
trusts them. `Rows` are grouped by ranking. `Rankings` are sorted, and yield `Steps`. A
`Definition` determines the sum over steps.

Three words are used for the place where a ranking ends: `k` is the argument (a number
or a share of the rows), `depth` is the resulting number of rows of each ranking, and a
*cut* is the place itself. At the cut ``'n_positives'``, that of R-precision, `depth` is
a weight of rows (`Cuts.in_weight`).

- `scores`: the public scores, and above each the definition that it computes
- `curves`: the public curves over all thresholds
- `chance`: the mean average precision of random rankings
- `by_query`: `score_by_query`, the score of each query by its id
- `scorers`: `make_scorer` and `get_scorer`, for ``scoring=`` of scikit-learn
- `estimators`: the scores of an estimator for each class, for scorers and displays
- `scorer_names`: the names of scorers
- `registry`: all public scores with their definitions, and all numbers with the names
  of their conventions and scorers
- `advice`: notes on errors about keywords that other packages have
- `evaluate`: the four parts of each call: read, rank, add up, average
- `reading`: the readers of arguments, which raise the errors of bad input
- `ranking`: sorts rows, and yields the steps of the rankings
- `definition`: the definition of a score: an area, its levels or cut, and its rule for
  equal scores
- `areas`: the term of each step in the sum of a score
- `user_messages`: warnings with the line of the user's call
- `rounding`: tolerances for rounding
- `typing`: the types of arrays and of options
"""
