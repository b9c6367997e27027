"""Standard errors, intervals and tests, from what the units of samples contribute.

- `endpoints`: the interval of a score, and the test and the interval of a difference
- `places`: the interval of a score whose threshold moves: at a recall, or at a cut
- `base_of_results`: the base classes of all results, with intervals and texts
- `results`: `ScoreEstimate` and `ScoreComparison`
- `estimates`: `estimate_score` and warnings about samples
- `comparisons`: two models on the same rows
- `many`: more than two models
- `bands`: the band of a precision-recall curve, an interval at each recall
- `chance`: the mean average precision of random rankings
"""
