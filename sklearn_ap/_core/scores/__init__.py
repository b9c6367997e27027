"""The public scores, and above each the function of its options that returns its
definition, which intervals and states also call.

- `average_precision`: areas of whole rankings
- `at_k`: scores of the first k rows, and of the first positive
- `at_level`: scores at one threshold: precision at a recall, recall at a precision, and
  R-precision, where precision equals recall

Type checkers read `__init__.pyi`, which a script writes from the signatures, with
`__all__`.
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
