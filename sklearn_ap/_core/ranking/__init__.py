"""The only subpackage that sorts rows by their scores.

- `rank`: begin here: `Rows` go into the sort, and `Rankings`, which have `Steps`, come
  out; `rank` chooses the kernel by weights, rows and positives
- `rankings`: these types, and sums over steps
- `kernels`: `PlainKernel` sorts the classes of a single ranking apart, and searches;
  `KeyedKernel` sorts integers of score and label, of any rankings; `SummedKernel` sorts
  rows in any order of equal scores, and adds up weights
- `keys`: integers in the order of scores, and orders of rows by them
- `runs`: the rows of each ranking in tables, which numpy sorts and adds up at once
- `merged`: one row per score and label, where few distinct scores have weights
- `cut`: the rows that can be among the first k, which a kernel then sorts
- `prevalence`: weights of rows before and after the sort; `ClassWeightKernel`
  multiplies the counts of another kernel
- `levels`: when a recall or a precision reaches a level

`areas.step` says what equal scores at a cut contribute.
"""
