"""Uncertainty of scores: standard errors, intervals and tests.

- `standard_errors`: begin here: `estimate_score` and its warnings
- `calls`: the call of a score, whose rows are read once
- `copies`: whether a sample contains the same rows several times
- `sample`: what was drawn, and what each unit does to the score
- `cells`: the rows of a ranking that count alike
- `influence`: what a row does to the area of a whole ranking
- `at_cut`: what a row does to a number at a cut, or at a recall
- `ends`: the ends of an interval, from the facts of a sample
- `one_more_event`: the ends of a share of rows that are drawn in units
- `paired`: the rules of a difference between two scores of the same units
- `shared_units`: units that occur in two samples, matched by their ids
- `results`: `ScoreEstimate` and `ScoreComparison`, and what results share
- `comparisons`: two models on the same rows, on the same queries or on two samples
- `many`: several models at once
- `bands`: the band of a precision-recall curve, an interval at each recall
- `chance`: the mean average precision of random rankings
"""
