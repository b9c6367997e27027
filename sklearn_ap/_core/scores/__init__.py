"""The public scores. Each has a signature, a docstring, and a function that returns its
definition.

- `average_precision`: areas of whole rankings
- `at_k`: scores of the first k rows, and of the first positive
- `at_level`: scores at one threshold: precision at a recall, recall at a precision, and
  R-precision, where precision equals recall
"""
