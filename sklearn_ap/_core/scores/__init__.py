"""The public scores. Each function below has the signature and the docstring of a
score. Its body returns the definition of the score, and the decorator `scored` makes a
function of it that reads the rows and returns the number.

- `average_precision`: areas of whole rankings
- `at_k`: scores of the first k rows, and of the first positive
- `at_level`: scores at one threshold: precision at a recall, recall at a precision, and
  R-precision, where precision equals recall
"""
