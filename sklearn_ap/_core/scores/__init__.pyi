"""The types of the scores: an array with ``average=None``, and otherwise a float.

Written by `python docs/scripts/records.py` from the signatures of the scores.
"""

from typing import overload

from numpy.typing import ArrayLike

from ..typing import (
    ArrayLikeOrMapping,
    AveragedBy,
    FloatArray,
    Interpolation,
    Label,
    Normalizer,
    RankedTiePolicy,
    RecallNormalizer,
    TiePolicy,
    ZeroDivision,
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

@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: Normalizer = "min",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: Normalizer = "min",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = None,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = None,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Interpolation,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Interpolation,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = 0.0,
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = 0.0,
) -> FloatArray: ...
@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    ties: TiePolicy = "proportional",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    ties: TiePolicy = "proportional",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: RecallNormalizer = "n_positives",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: TiePolicy = "proportional",
    normalizer: RecallNormalizer = "n_positives",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    ties: RankedTiePolicy = "expected",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    ties: RankedTiePolicy = "expected",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
@overload
def success_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: RankedTiePolicy = "expected",
    average: AveragedBy = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def success_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None,
    ties: RankedTiePolicy = "expected",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
