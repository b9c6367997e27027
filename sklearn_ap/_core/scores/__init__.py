"""The public scores. Each function in these files has the signature and the docstring
of a score. Its body returns the definition of the score, and the decorator `scored`
makes a function of it that reads the rows and returns the number.

- `average_precision`: areas of whole rankings
- `at_k`: scores of the first k rows, and of the first positive
- `at_level`: scores at one threshold: precision at a recall, recall at a precision, and
  R-precision, where precision equals recall

Type checkers read `__init__.pyi`, which a script writes from the signatures.
"""

from .at_k import (
    average_precision_at_k_score,
    precision_at_k_score,
    recall_at_k_score,
    reciprocal_rank_score,
    success_at_k_score,
)
from .at_level import (
    precision_at_recall_score,
    r_precision_score,
    recall_at_precision_score,
)
from .average_precision import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

__all__ = [
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "interpolated_average_precision_score",
    "pr_auc_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "success_at_k_score",
]
