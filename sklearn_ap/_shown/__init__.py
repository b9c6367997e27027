"""Digits, tables and errors of files, as the subpackages above the core show them.

- `numbers`: digits of numbers, intervals and p-values
- `sources`: the error of files and other rows, and how it shows a value
- `tables`: results as data frames, and values as JSON has them
"""
