"""The texts of numbers, names and tables, for the subpackages above the core.

- `numbers`: the digits of numbers, intervals and p-values
- `texts`: names and values as texts that are safe in errors, terminals and pages; and
  the check of the name of a page
- `tables`: results as data frames, and values of JSON
"""
