"""The only subpackage that sorts rows by their scores.

- `rank`: begin here. `rank` sorts `Rows` and returns `Rankings`, which contain `Steps`.
  The function chooses the kernel by the weights and by the numbers of rows and
  positives
- `rankings`: the types `Rows`, `Rankings` and `Steps`, and sums over steps
- `kernels`: three ways to sort, and `OrderedKernel` for a single ranking that needs no
  sort. `PlainKernel` sorts the classes of a single ranking separately and counts rows
  by a search. `KeyedKernel` sorts integers of score and label, for any number of
  rankings. `SummedKernel` sorts rows in any order of equal scores
- `sums`: the sums of the weights of such rows, which `SummedKernel` contains
- `keys`: integers in the order of the scores, and the order of rows by them
- `runs`: the rows of each ranking in tables, which numpy sorts or accumulates in one
  call
- `cut`: the rows that can be among the first k, which a kernel then sorts
- `prevalence`: weights of rows before and after the sort. `ClassWeightKernel`
  multiplies the negatives that another kernel counted
- `levels`: the rule that decides whether a recall or a precision reaches a level

`areas.step` computes the contribution of equal scores at a cut.
"""
