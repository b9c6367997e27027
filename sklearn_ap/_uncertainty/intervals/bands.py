"""The band of a precision-recall curve: the interval of the best precision at each
level of recall or beyond, which is that of `precision_at_recall_score`.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..._core.reading.per_ranking import read_total, totals_as_counts
from ..._core.reading.read import CheckedRows
from ..._core.rounding import EQUAL
from ..._core.typing import ArrayLikeOrMapping, FloatArray
from ..sampling.contributions import Ranking, event_of
from ..sampling.sample import order_of, ranking_of_rows, unit_numbers
from ..sampling.sums import sums_of, vertices_of
from .base_of_results import read_confidence_level
from .estimates import FEW_DRAWN, warn_of_few
from .places import endpoints_of_places, places_of_recalls

# Number of recall levels at which the band has endpoints.
_N_LEVELS = 101

# Recalls, the lower and the upper endpoints of precision, and the entry of the legend.
Band = tuple[FloatArray, FloatArray, FloatArray, str]


def band_of_rows(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    *,
    confidence_level: float,
    unit_id: ArrayLike | None,
) -> Band:
    """Return the pointwise band of a curve, from the arguments of the caller; warn if
    there are few positives, or few units that contain a positive.
    """
    confidence_level = read_confidence_level(confidence_level)
    ranking = _ranking_of(checked, n_positives, unit_id)
    noun = "positives" if ranking.by_rows else "units that contain a positive"
    n_units = np.count_nonzero(sums_of(ranking.found, ranking.unit))
    if n_units < 2:
        raise ValueError(
            f"plot_band=True requires at least two {noun}, because a single one does "
            f"not show the variation between samples; got {n_units}. Add some, or omit "
            "plot_band."
        )
    warn_of_few(ranking.n_found, noun, FEW_DRAWN)
    n_found = float(ranking.found.sum())
    recalls = np.linspace(0, n_found / (n_found + ranking.n_missed), _N_LEVELS)
    tp, (best, _) = ranking.groups.positives.cumsum(), vertices_of(ranking.groups)
    reached = tp.searchsorted(recalls * ranking.n_positives * (1 - EQUAL))
    scores = best[reached.clip(max=tp.size - 1)].tolist()
    df = ranking.n_found - 1
    low, high = np.transpose(
        [
            endpoints_of_places(places, score, df, confidence_level)
            for places, score in zip(
                places_of_recalls(ranking, recalls), scores, strict=True
            )
        ]
    )
    # The text shows at most six digits.
    percent = round(100 * confidence_level, 6)
    return recalls, low, high, f"{percent:g} % band, pointwise"


def _ranking_of(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    unit_id: ArrayLike | None,
) -> Ranking:
    """Return the rows as one ranking. A missed positive has the weight of a typical
    one.
    """
    order, unit = order_of(checked, None), unit_numbers(unit_id, checked)
    weight = checked.weight
    if weight is None:
        weight = np.ones(checked.positive.size)
    of_positives = weight[checked.positive]
    total = 0.0
    passed = read_total(n_positives)
    if passed is not None:
        found = np.array([of_positives.sum()])
        total = totals_as_counts(passed, found, n_rows=np.array([weight.size])).item()
    typical = event_of(weight, of_positives, None).weight or 1.0
    rows = checked._replace(weight=weight / typical)
    return ranking_of_rows(rows, order, unit, total / typical)
