"""How sure a number is. Read `_influence` (what a row does to a number), `_estimates` and `_results`.

`_sampled_score` reads a score and what was drawn, and makes the `_sample` that estimates and comparisons ask.
Its influences become standard errors in `_spread`, and `_warnings` says where they are too small; `_draws`
draws it again for the bootstrap. `_comparisons`
tests two models on the same rows, `_many` several at once, and `_folds` two on the same folds. `_sample_size`
says how many rows it takes to be surer. `_chance` says what a random ranking scores, by the exact moments of
`_random_rankings`.
"""
