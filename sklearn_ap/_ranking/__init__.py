"""The one room that sorts. Read `_rankings` (what goes in), `_steps` (what comes out) and `_rank`.

`rank` chooses the kernel that sorts the rows; `_entrance` asks `_few` itself, before `rank` is called:

_few            a lone ranking of one block (32,768 rows) at most: what the others do, in straight lines
_packed         no weights: one sort of integers that hold score and label
_rare           no weights, and rare positives: a sort of the rows near one of them, or of all rows if their
                scores do not fit into an integer
_class_weights  one weight for all positives and one for all negatives: counts, multiplied
_few_distinct   weights, more than a block of rows, at most 512 distinct scores: sums by score, without a sort
_weighted       weights or a stable order: one sort of (score, row), summed by `_summed`
_summed         everything else, by lexsort; tests compare the others with it
_cut            selects the rows that can be among the first k, which one of the others then sorts

For rows that come in parts, `_table` holds steps and sums that were added up elsewhere (a count is a weight
of 1), `_by_class` ranks scores that are held class by class, and `_ranges` holds one range of scores at a
time. `_cells` weighs the rows of a ranking again without another sort. `_prevalence` says what rows weigh
before and after the sort. `_blocks`, `_keys` and `_sort` hold what the kernels share: blocks of rows, scores
as integers, and the sort of these.
"""
