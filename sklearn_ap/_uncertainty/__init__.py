"""Uncertainty of scores: standard errors, intervals and tests.

Other subpackages import its names from here, and from no file below.

- `rules`: the constants of intervals and tests, with what fails without each of them
- `sampling`: what was drawn, and what each unit contributes to a score
- `intervals`: standard errors, intervals and tests, from these contributions
"""

from .intervals.cautions import UncertaintyWarning
from .intervals.comparisons import (
    compare_many,
    compare_samples,
    compare_scores,
    read_models,
)
from .intervals.endpoints import ConfidenceInterval, endpoints_of
from .intervals.estimates import band_of_rows, estimate_of, estimate_score
from .intervals.results import (
    ManyComparisons,
    Result,
    ScoreComparison,
    ScoreEstimate,
    read_confidence_level,
)
from .sampling.by_unit import n_equal, sums_of
from .sampling.contributions import Contributions
from .sampling.one_more import Changes, Event, event_of, typical_of
from .sampling.units import error_about_units, units_of_ranking

__all__ = [
    "Changes",
    "ConfidenceInterval",
    "Contributions",
    "Event",
    "ManyComparisons",
    "Result",
    "ScoreComparison",
    "ScoreEstimate",
    "UncertaintyWarning",
    "band_of_rows",
    "compare_many",
    "compare_samples",
    "compare_scores",
    "endpoints_of",
    "error_about_units",
    "estimate_of",
    "estimate_score",
    "event_of",
    "n_equal",
    "read_confidence_level",
    "read_models",
    "sums_of",
    "typical_of",
    "units_of_ranking",
]
