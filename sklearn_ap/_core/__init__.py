"""The core: scores, curves and scorers, and what they need of scikit-learn and numpy.

It imports nothing of other subpackages. A call goes from `scores` down to `areas`, and
its number back: `PassedRows`, as the caller passed them, become `CheckedRows`, which
are trusted, then `Rows`, laid out by ranking, and `Rankings`, which yield `Steps`. A
`Definition` says what their sum is.

Three words name where a ranking ends: `k` is what was passed or asked (a number, a
share, a number of each), `depth` that number of rows of each ranking, and a cut the end
itself.

- `scores`: the public scores, and next to each the definition that it computes
- `curves`: the public curves over all thresholds
- `by_query`: `score_by_query`, the score of each query under its id
- `scorers`: `make_scorer` and `get_scorer`, for ``scoring=`` of scikit-learn
- `estimators`: the scores that an estimator gives to each class, for scorers and
  displays
- `registry`: every score with its definition, its scorer and its numbers, by name
- `evaluate`: the way of each call: read, rank, add up, average
- `reading`: readers of arguments, and their refusals
- `ranking`: the only sort: rows become rankings, which yield steps
- `definition`: what a score computes: an area, its levels or cut, and its rule for
  equal scores
- `areas`: what each step adds to a number
- `user_messages`: warnings at the user's line
- `words`: words of other packages for arguments, and what to write in their place
- `rounding`: tolerances of rounding
- `typing`: types of arrays and of options
"""
