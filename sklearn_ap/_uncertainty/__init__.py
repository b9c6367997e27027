"""Uncertainty of scores: standard errors, intervals and tests.

- `standard_errors`: begin here: `estimate_score`, by influences or a bootstrap, and its
  warnings
- `calls`: the call of a score, whose rows are read once
- `sample`: what was drawn: what each unit does to the score, and how to draw units
  again
- `cells`: rankings that get new weights without a new sort
- `influence`: what a row does to a number
- `ends`: the ends of an interval, from the facts of a sample
- `results`: `ScoreEstimate` and `ScoreComparison`, and what results share
- `comparisons`: two models on the same rows, on the same queries or of independent
  samples
- `many`: several models at once
- `chance`: the mean average precision of random rankings
"""
