"""Standard errors, intervals and tests, from what the units of samples contribute.

- `endpoints`: the endpoints of the interval of a score, and of a difference
- `places`: the interval of a score whose threshold is at another place in each sample
- `recalls`: the places of a recall
- `first_rows`: the places of the first k rows
- `results`: numbers with their intervals, as text, dictionary and data frame
- `cautions`: warnings about samples
- `estimates`: `estimate_score`, and the band of a precision-recall curve
- `permutation`: the permutation test of two independent samples
- `differences`: two scores by the units of both: their difference, and its test
- `two_samples`: whether two samples can be compared, and the units of paired ones
- `comparisons`: models on the same rows, and two samples with rows of their own
"""
