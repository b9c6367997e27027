"""The only package that sorts.

Read `_rankings` (its input and its output) and `_rank` first.

`rank` chooses the kernel that sorts the rows.

without weights, in `_unweighted`
    `PlainKernel`, a single ranking of few or of rare positives: a sort of each
    class, and a search; `PackedKernel`, any rankings: one sort of integers, of score
    and label
with weights, in `_weighted`
    `PlainWeightedKernel`, a single ranking of at most a block of rows, of few distinct
    scores, which `merged_rows` makes rows, or of rare positives, whose negatives
    `rows_near_positives` merges; `SummedKernel`, all others, and a stable order
one weight per class, in `_prevalence`
    `ClassWeightKernel` multiplies the counts of another kernel

`_cut` selects the rows that can be among the first k, which one of the kernels then
sorts. `_prevalence` sets the weights of rows before and after the sort. `_cells` gives
the rows of a ranking new weights without a new sort. The kernels share `_blocks`
(blocks of rows). `_core/areas/step.py` defines the contribution of equal scores at a cut.
"""
