"""The public scores: for each a signature, a docstring, and the definition that it
computes.

- `average_precision`: areas of whole rankings
- `at_k`: the first k rows, and the first positive
- `at_level`: one threshold: precision at a recall, recall at a precision, or where both
  are equal
"""
