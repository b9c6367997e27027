"""Uncertainty of scores: standard errors, intervals and tests.

Read `_influence` (what a row does to a number), `_estimates` and `_results`.

`_sample` reads the call of a score, and what was drawn: it knows what each unit does to
the score, and draws units again for the bootstrap. `_estimates` makes standard errors
and intervals, and warns where a sample says too little. `_comparisons` tests two models
on the same rows, on the same queries or of independent samples, and `_many`
several models at once. `_folds` pools the folds of a cross-validation. `_sample_size`
plans how many rows a narrower interval needs, and `_chance` knows what a random
ranking scores.
"""
