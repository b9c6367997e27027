"""Uncertainty of scores: standard errors, intervals and tests.

A call of `estimate_score` enters these files in this order, down to `results`:

- `standard_errors`: `estimate_score` and warnings about samples
- `score_call`: a call of a score, with its rows, which are read once
- `sample`: the rankings and the units of the rows of a call
- `evidence`: the contribution of each unit to a score, and what one more event changes
- `contributions`: a score as a sum over tied groups, and its derivatives
- `inference`: the interval of a score, and the test and the interval of a difference
- `places`: the interval of a score whose threshold moves: at a recall, or at a cut
- `results`: `ScoreEstimate` and `ScoreComparison`
- `base_of_results`: the base classes of all results, with intervals and texts
- `comparisons`: two models on the same rows
- `many`: more than two models
- `bands`: the band of a precision-recall curve, an interval at each recall
- `chance`: the mean average precision of random rankings
"""
