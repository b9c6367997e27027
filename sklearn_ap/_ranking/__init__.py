"""The one room that sorts. Read `_rankings` (what goes in), `_steps` (what comes out) and `_rank`.

`rank` chooses the kernel that sorts the rows. `_api` asks `_plain` itself for a short ranking whose score
is a plain sum.

_plain          a single ranking of 3,000 rows, or with rare positives: numpy's sort, as one would write it
_packed         no weights: one sort of integers that hold score and label
_class_weights  one weight for all positives and one for all negatives: counts, multiplied
_merged         weights, more than a block of rows, at most 512 distinct scores: one row per score and label,
                which `_plain` then sorts
_weighted       weights or a stable order: one sort of (score, row), summed by `_summed`
_summed         everything else, by lexsort
_cut            selects the rows that can be among the first k, which one of the others then sorts

`_rank` also says what rows weigh before and after the sort. `_cells` weighs the rows of a ranking again
without another sort. `_blocks` and `_keys` hold what the kernels share: blocks of rows, and scores as
integers. What equal scores at a cut contribute stands in `_areas/_step.py`.
"""
