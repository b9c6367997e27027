"""Uncertainty of scores: standard errors, intervals and tests.

Other subpackages import its names from here, and from no file below.

- `sampling`: what was drawn, and what each unit contributes to a score
- `intervals`: standard errors, intervals and tests, from these contributions
"""

from .intervals.bands import band_of_rows
from .intervals.base_of_results import (
    PublicSignature,
    Result,
    read_confidence_level,
    with_interval,
)
from .intervals.chance import chance_average_precision
from .intervals.comparisons import compare_scores
from .intervals.endpoints import ConfidenceInterval, endpoints_of
from .intervals.estimates import UncertaintyWarning, estimate_of, estimate_score
from .intervals.many import ManyComparisons, compare_many, compare_pairs
from .intervals.results import ScoreComparison, ScoreEstimate
from .sampling.contributions import Changes, Evidence, event_of, n_equal
from .sampling.sample import unit_numbers
from .sampling.sums import sums_of

__all__ = [
    "Changes",
    "ConfidenceInterval",
    "Evidence",
    "ManyComparisons",
    "PublicSignature",
    "Result",
    "ScoreComparison",
    "ScoreEstimate",
    "UncertaintyWarning",
    "band_of_rows",
    "chance_average_precision",
    "compare_many",
    "compare_pairs",
    "compare_scores",
    "endpoints_of",
    "estimate_of",
    "estimate_score",
    "event_of",
    "n_equal",
    "read_confidence_level",
    "sums_of",
    "unit_numbers",
    "with_interval",
]
