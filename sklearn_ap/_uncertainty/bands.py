"""The band of a precision-recall curve: the interval of the best precision at each level
of recall or beyond, which is that of `precision_at_recall_score`.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .._core.areas.interpolated import INTERPOLATED
from .._core.definition import Definition
from .._core.evaluate import rankings_in
from .._core.reading.read import CheckedRows
from .._core.typing import ArrayLikeOrMapping, FloatArray
from .contributions import sums_of
from .evidence import Ranking, event_of, evidence_of
from .results import read_confidence_level
from .sample import order_of, ranking_of_rows, unit_numbers
from .standard_errors import FEW_DRAWN, estimate_of, warn_of_few

# Number of recall levels at which the band has endpoints.
_N_LEVELS = 101
# Numbers of tied groups that a band distinguishes: the best ones, and others that
# divide the remaining recall equally.
_N_BEST, _N_OTHERS = 200, 1800

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
    few = _with_few_groups(ranking)
    n_rows = checked.positive.size
    # An estimate does not keep the contributions of all units, as evidence does.
    estimates = [
        estimate_of(
            evidence_of(Definition(INTERPOLATED, np.array([recall])), few), n_rows
        )
        for recall in recalls
    ]
    low, high = np.transpose([each._interval(confidence_level) for each in estimates])
    # The text shows at most six digits.
    percent = round(100 * confidence_level, 6)
    return recalls, low, high, f"{percent:g} % band, pointwise"


def _ranking_of(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    unit_id: ArrayLike | None,
) -> Ranking:
    """Return the rows as one ranking. A missed positive has the weight of a typical one."""
    order = order_of(checked, None)
    rankings, _ = rankings_in(checked, n_positives, average="micro", order=order)
    positive, found = checked.positive, rankings.found_weight.item()
    weight = np.ones(positive.size)
    if checked.weight is not None:
        typical = event_of(checked.weight, checked.weight[positive], None).weight
        weight = checked.weight / (typical or 1.0)
    total = weight[positive].sum() * rankings.n_positives.item() / (found or 1.0)
    rows = checked.with_weight(weight)
    return ranking_of_rows(rows, order, unit_numbers(unit_id, checked), total)


def _with_few_groups(ranking: Ranking) -> Ranking:
    """Return the ranking with few tied groups: neighbours are joined that are closer
    than two levels of recall by far. If each row is a unit, the positives and the
    negatives of a group become one value each.
    """
    starts, groups = ranking.starts, ranking.groups
    if starts.size > _N_BEST + _N_OTHERS:
        tp = np.cumsum(groups.positives)
        others = tp.searchsorted(np.linspace(0, tp[-1], _N_OTHERS))
        starts = starts[np.union1d(np.arange(_N_BEST), others)]
    if not ranking.by_rows:
        return replace(ranking, starts=starts)
    group = np.repeat(np.arange(starts.size), np.diff(starts, append=ranking.unit.size))
    cell = 2 * group + ~ranking.positive
    # Values that stand for several rows: their number and weight have the same sum of
    # weights and of squared weights as the rows.
    sums, squares = (
        np.bincount(cell, ranking.weight**power, 2 * starts.size) for power in (1, 2)
    )
    kept = sums > 0
    n_values = int(np.count_nonzero(kept))
    return replace(
        ranking,
        positive=np.arange(sums.size)[kept] % 2 == 0,
        weight=squares[kept] / sums[kept],
        copies=np.square(sums[kept]) / squares[kept],
        # Number of values before each group.
        starts=np.append(0, np.cumsum(kept))[:-1:2],
        unit=np.arange(n_values),
        units=np.arange(n_values),
        n_units=n_values,
    )
