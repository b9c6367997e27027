"""What rows become: states that are merged in any order, and scored when all rows are in.

`_rows` holds all scores, class by class, `_best` the first rows, and `_binned` counts.
`_labels` tells the two labels, `_exactly` finds a type that rounds no score, `_bytes` writes states down.
"""
