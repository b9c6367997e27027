"""The texts of numbers, tables, and errors about files, for the subpackages above the
core.

- `numbers`: the digits of numbers, intervals and p-values
- `sources`: the error about files and other rows, and the text of a value in it
- `tables`: results as data frames, and values of JSON
"""
