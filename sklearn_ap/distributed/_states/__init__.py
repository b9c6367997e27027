"""What rows become: states that are merged in any order, and scored when all rows are in.

`_rows` holds all scores, class by class, `_best` the first rows, and `_binned` counts; `_sums` adds up
counts and weights for all of them. `_columns` reads labels, scores and weights in types that round none, and
`_bytes` writes states down.
"""
