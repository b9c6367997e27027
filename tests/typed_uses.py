"""Uses that a type checker must accept; mypy reads this file, nothing runs it."""

from typing import Literal, assert_type

import numpy as np
import numpy.typing as npt

import sklearn_ap

Array = npt.NDArray[np.float64]

# A mean is a float; without one there may be several values.
assert_type(sklearn_ap.average_precision_score([0, 1], [0.1, 0.9]), float)
assert_type(sklearn_ap.average_precision_score([0, 1], [0.1, 0.9], average="micro", n_positives=3), float)
assert_type(sklearn_ap.average_precision_score([0, 1], [0.1, 0.9], average=None), float | Array)
assert_type(sklearn_ap.interpolated_average_precision_score([0, 1], [0.1, 0.9], recall_levels=11), float)
assert_type(sklearn_ap.eleven_point_average_precision_score([0, 1], [1, 2], average=None), float | Array)
assert_type(sklearn_ap.pr_auc_score([0, 1], np.array([1, 2]), interpolation="davis-goadrich"), float)
assert_type(sklearn_ap.precision_at_k_score([0, 1], [1, 2], k=1, ties="stable"), float)
assert_type(sklearn_ap.recall_at_k_score([0, 1], [1, 2], k=1, average=None), float | Array)


def mean_or_not(average: Literal["macro"] | None) -> float | Array:
    """Hand a choice on that is only known at run time."""
    return sklearn_ap.r_precision_score([0, 1], [1, 2], average=average)


sklearn_ap.average_precision_at_k_score(["a", "b"], (1, 2), k=0.5, pos_label="b", ties="expected")
sklearn_ap.recall_at_k_score([0, 1], [1, 2], query_id=["a", "b"], n_positives={"a": 1, "b": 2})
sklearn_ap.r_precision_score([0, 1], [1, 2], zero_division=float("nan"), average=None)
precision, recall, thresholds = sklearn_ap.interpolated_precision_recall_curve([0, 1], [1, 2])
detected, hits, _ = sklearn_ap.hit_curve([0, 1], [1, 2])
assert_type(hits, Array)
