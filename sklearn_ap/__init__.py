"""Average precision in all its definitions, as scikit-learn would have built it."""

import typing as _t
from importlib import import_module as _import_module

if _t.TYPE_CHECKING:
    from . import compatibility as compatibility
    from . import distributed as distributed
    from ._by_query import score_by_query
    from ._curves import hit_curve, interpolated_precision_recall_curve
    from ._displays._average_precision import AveragePrecisionDisplay
    from ._displays._estimates import ScoreEstimateDisplay
    from ._displays._hit_curve import HitCurveDisplay
    from ._displays._queries import QueryDisplay
    from ._operating_points import OperatingPoint, operating_point
    from ._scorers import get_scorer, get_scorer_names, make_scorer
    from ._scores._at_k import (
        average_precision_at_k_score,
        precision_at_k_score,
        r_precision_score,
        recall_at_k_score,
    )
    from ._scores._at_level import precision_at_recall_score, recall_at_precision_score
    from ._scores._average_precision import (
        average_precision_score,
        eleven_point_average_precision_score,
        interpolated_average_precision_score,
        pr_auc_score,
    )
    from ._scores._reciprocal_rank import reciprocal_rank_score
    from ._uncertainty._chance import ChanceLevel, chance_level
    from ._uncertainty._comparisons import compare_by_query, compare_scores
    from ._uncertainty._estimates import estimate_score, influence_values
    from ._uncertainty._folds import compare_cv_results, estimate_cv_results
    from ._uncertainty._many import ManyComparisons, compare_many
    from ._uncertainty._results import ConfidenceInterval, ScoreComparison, ScoreEstimate
    from ._uncertainty._sample_size import SampleSize, sample_size
    from ._versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "AveragePrecisionDisplay",
    "ChanceLevel",
    "ConfidenceInterval",
    "HitCurveDisplay",
    "ManyComparisons",
    "OperatingPoint",
    "QueryDisplay",
    "SampleSize",
    "ScoreComparison",
    "ScoreEstimate",
    "ScoreEstimateDisplay",
    "average_precision_at_k_score",
    "average_precision_score",
    "chance_level",
    "compare_by_query",
    "compare_cv_results",
    "compare_many",
    "compare_scores",
    "eleven_point_average_precision_score",
    "estimate_cv_results",
    "estimate_score",
    "get_scorer",
    "get_scorer_names",
    "hit_curve",
    "influence_values",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "make_scorer",
    "operating_point",
    "pr_auc_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "sample_size",
    "score_by_query",
    "show_versions",
]

# The file of each name: a score alone does not pay for displays and estimates. Written by `docs/records.py`.
_FILES = {
    "AveragePrecisionDisplay": "._displays._average_precision",
    "ChanceLevel": "._uncertainty._chance",
    "ConfidenceInterval": "._uncertainty._results",
    "HitCurveDisplay": "._displays._hit_curve",
    "ManyComparisons": "._uncertainty._many",
    "OperatingPoint": "._operating_points",
    "QueryDisplay": "._displays._queries",
    "SampleSize": "._uncertainty._sample_size",
    "ScoreComparison": "._uncertainty._results",
    "ScoreEstimate": "._uncertainty._results",
    "ScoreEstimateDisplay": "._displays._estimates",
    "average_precision_at_k_score": "._scores._at_k",
    "average_precision_score": "._scores._average_precision",
    "chance_level": "._uncertainty._chance",
    "compare_by_query": "._uncertainty._comparisons",
    "compare_cv_results": "._uncertainty._folds",
    "compare_many": "._uncertainty._many",
    "compare_scores": "._uncertainty._comparisons",
    "eleven_point_average_precision_score": "._scores._average_precision",
    "estimate_cv_results": "._uncertainty._folds",
    "estimate_score": "._uncertainty._estimates",
    "get_scorer": "._scorers",
    "get_scorer_names": "._scorers",
    "hit_curve": "._curves",
    "influence_values": "._uncertainty._estimates",
    "interpolated_average_precision_score": "._scores._average_precision",
    "interpolated_precision_recall_curve": "._curves",
    "make_scorer": "._scorers",
    "operating_point": "._operating_points",
    "pr_auc_score": "._scores._average_precision",
    "precision_at_k_score": "._scores._at_k",
    "precision_at_recall_score": "._scores._at_level",
    "r_precision_score": "._scores._at_k",
    "recall_at_k_score": "._scores._at_k",
    "recall_at_precision_score": "._scores._at_level",
    "reciprocal_rank_score": "._scores._reciprocal_rank",
    "sample_size": "._uncertainty._sample_size",
    "score_by_query": "._by_query",
    "show_versions": "._versions",
}

if not _t.TYPE_CHECKING:  # else checkers would take every misspelt name for an object

    def __getattr__(name: str) -> object:
        """Import what is asked for, once; pickles ask for classes, such as "compatibility.Grid"."""
        folder, _, member = name.rpartition(".")
        if folder in ("compatibility", "distributed"):
            return getattr(_import_module(f"{__name__}.{folder}"), member)
        if name in ("compatibility", "distributed"):
            return _import_module(f"{__name__}.{name}")
        if name not in _FILES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(_import_module(_FILES[name], __name__), name)
        return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", "compatibility", "distributed"]
