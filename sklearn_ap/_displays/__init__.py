"""Displays in scikit-learn's manner; matplotlib is imported when one is drawn."""

from ._average_precision import AveragePrecisionDisplay
from ._comparison import AveragePrecisionComparisonDisplay
from ._estimates import ScoreEstimateDisplay
from ._hit_curve import HitCurveDisplay
from ._queries import QueryDisplay
from ._ties import TieDisplay

__all__ = [
    "AveragePrecisionComparisonDisplay",
    "AveragePrecisionDisplay",
    "HitCurveDisplay",
    "QueryDisplay",
    "ScoreEstimateDisplay",
    "TieDisplay",
]
