"""Uncertainty of scores: standard errors, intervals and tests.

To read the code, begin with `standard_errors`.

- `standard_errors`: `estimate_score` and its warnings
- `calls`: a call of a score, with its rows, which are read once
- `sample`: the units of a sample, and the influence of each unit on the score
- `ranked_rows`: rows that are sorted once for several numbers
- `cells`: the rows of a ranking that have the same influence
- `influence`: influence of each row on the area of a whole ranking
- `at_cut`: influence of each row on a score at a cut, or on a precision at a recall
- `at_levels`: influence of each row on the mean of the best precisions at recall levels
- `endpoints`: the endpoints of an interval, from the numbers that describe a sample
- `one_more_event`: the endpoints of a share of rows that are drawn in units
- `paired`: the rules of the interval and the test of a difference between two scores
- `results`: `ScoreEstimate` and `ScoreComparison`, and their common base classes
- `comparisons`: two models on the same rows
- `many`: more than two models
- `bands`: the band of a precision-recall curve, an interval at each recall
- `chance`: the mean average precision of random rankings
"""
