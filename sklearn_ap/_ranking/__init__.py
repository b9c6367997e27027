"""The only package that sorts. Read `_rankings` (its input), `_steps` (its output) and `_rank` first.

`rank` chooses the kernel that sorts the rows; `short_ranking` is its short way for a block of rows.

_plain          a single ranking of at most a block of rows, or with rare positives, in straight lines
_packed         no weights: one sort of integers that contain score and label
_class_weights  one weight for all positives and one for all negatives: counts, multiplied
_merged         weights, more than a block of rows, at most 512 distinct scores: one row per score and label,
                which `_plain` then sorts
_weighted       weights or a stable order: one sort of (score, row), summed by `_summed`
_summed         everything else, by lexsort
_cut            selects the rows that can be among the first k, which one of the others then sorts

`_prevalence` sets the weights of rows before and after the sort. `_cells` gives the rows of a ranking new
weights without another sort. The kernels share `_blocks` (blocks of rows) and `_keys` (scores as integers).
`_areas/_step.py` defines the contribution of equal scores at a cut.
"""
