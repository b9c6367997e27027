"""Average precision of rows that do not fit into memory, come in parts, or live on several machines.

The functions have the names of those in memory: import this module by name. To read the code, start with
`_source` (what an engine is), `_plan` (which scans a score needs) and `_rows` (what is gathered).

_scores     the public functions; each is the score in memory, of other rows
_asking     finds the rows and their columns, and asks the plan
_curves     curves and thresholds: `_points` reads the points of some bins of scores, or of all rows
_measured   how sure a score is, by the walk that scores
_plan       all rows, only the best ones, or range after range of scores
_spread     counts rows in bins of scores, and selects ranges of them
_scan       calls a function on every part, and combines what it returns in the order of the parts
_part       refuses rows: one line with the file, the column and the row
_state      `RankingState`, for rows that a caller has in parts; it holds `_rows`, `_best` or `_binned`
_exactly    finds a type that holds all scores without rounding
_asked      the definition of a score by its name
_bytes      writes a state down
"""

from .._public_paths import name_by_package as _name_by_package
from ._by_query import score_by_query
from ._estimates import estimate_score
from ._public_curves import hit_curve, interpolated_precision_recall_curve, operating_point
from ._scores import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_k_score,
    precision_at_recall_score,
    r_precision_score,
    recall_at_k_score,
    recall_at_precision_score,
    reciprocal_rank_score,
    scores,
)
from ._state import RankingState

__all__ = [
    "RankingState",
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "estimate_score",
    "hit_curve",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "operating_point",
    "pr_auc_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "score_by_query",
    "scores",
]

_name_by_package(globals())


def __getattr__(name: str) -> object:
    """Return the evaluator for Spark, which only exists where pyspark does."""
    if name != "AveragePrecisionEvaluator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from ._evaluator import AveragePrecisionEvaluator  # noqa: PLC0415  # needs pyspark
    except ImportError as error:
        text = f"{name} needs pyspark ({error}): pip install pyspark pyarrow"
        raise ImportError(text) from None

    return AveragePrecisionEvaluator
