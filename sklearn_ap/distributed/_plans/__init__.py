"""Which scans a number needs, and what they look for. Read `_part` (what is refused), `_job` and `_plan`.

`_job` holds what a caller asked for, and scans, sums and gathers rows; `_slices` cuts the scores into ranges
that fit. `_plan` scores a lone ranking, `_queries` the mean over queries, `_columns` multilabel and
multiclass rows. `_curves` finds operating points, `_estimated` standard errors.
"""
