"""Standard errors, intervals and tests, from what the units of samples contribute.

- `endpoints`: the endpoints of the interval of a score, and of a difference
- `places`: the interval of a score whose threshold moves: at a recall, or at a cut
- `results`: numbers with their intervals, as text, dictionary and data frame
- `cautions`: warnings about samples
- `estimates`: `estimate_score`, and the band of a precision-recall curve
- `differences`: two scores by the same units: their difference, and its test
- `comparisons`: `compare_scores` and `compare_many`, models on the same rows
- `chance`: the mean average precision of random rankings
"""
