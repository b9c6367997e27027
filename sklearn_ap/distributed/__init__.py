"""Average precision of rows that do not fit into memory, come in parts, or live on several machines.

The functions have the names of those in memory: import this module by name. To read the code, start with
`_source` (what an engine is), `_plans` (which scans a score needs) and `_states` (what is gathered).

_scores         the scores of the package, applied to data in parts; `python docs/records.py` writes them
_about_scores   several scores, the score of each query, and estimates
_public_curves  both curves, and operating points
_open_rows      opens the data, checks the columns and reads the memory limit, then asks the plan
_engines        files, tables, Dask and Spark as a `Source`
_state          `RankingState`, for rows that a caller has in parts
_evaluator      the evaluator for pyspark.ml
_question       the definition of a score by its name
_numerals       text that is a number
"""

import typing as _t

from .._public import publish as _publish
from ._about_scores import estimate_score, score_by_query, scores
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
)
from ._source import SourceError
from ._state import RankingState

if _t.TYPE_CHECKING:
    from ._evaluator import AveragePrecisionEvaluator as AveragePrecisionEvaluator

__all__ = [
    "RankingState",
    "SourceError",
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

_publish(*map(globals().get, __all__))

if not _t.TYPE_CHECKING:  # else checkers would take every misspelt name for an object

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


def __dir__() -> list[str]:
    return [*__all__, "AveragePrecisionEvaluator"]
