"""The only subpackage that sorts rows by their scores.

- `rankings`: begin here: `Rows` go into the sort, and `Rankings`, which yield `Steps`,
  come out
- `rank`: `rank` chooses the kernel that sorts, by the size of a ranking, its positives
  and its weights
- `unweighted`: kernels without weights: `PlainKernel` sorts each class of a single
  ranking, and searches; `PackedKernel` sorts integers of score and label, of any
  rankings
- `weighted`: kernels with weights: `PlainWeightedKernel` for a single ranking of few
  rows or few distinct scores, `SummedKernel` for all others and a stable order
- `prevalence`: weights of rows before and after the sort; `ClassWeightKernel`
  multiplies the counts of another kernel
- `cut`: the rows that can be among the first k, which a kernel then sorts
- `cells`: rankings that get new weights without a new sort
- `levels`: when a recall or a precision reaches a level
- `blocks`: blocks of rows and runs of equal ones, which kernels share

`areas.step` says what equal scores at a cut contribute.
"""
