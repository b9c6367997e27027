"""The numbers of a hit curve, from labels and scores."""

from typing import Any, NamedTuple

import numpy as np

from .._averaging import curve_in
from .._curves import hits_in
from .._reading import Asked, Checked, refuse
from .._typing import FloatArray
from ._given import GivenRows
from ._predictions import Fold

__all__ = ["HitData", "hit_data", "hit_data_of_fold"]


class HitData(NamedTuple):
    """What the constructor takes of one ranking; or a list of each, for several."""

    detected: Any
    hits: Any
    prevalence: Any
    n_rows: Any
    perfect: Any
    total_weight: Any


def hit_data(rows: GivenRows, *, caller: str) -> HitData:
    """Rank the rows, with their weights and without."""
    checked = rows.read(caller)
    ranked = curve_in(checked, rows.n_positives)
    weighted = ranked.ranking.weighted
    refuse(Asked(weighted=weighted, totals_by_rows=rows.n_positives))
    curve = hits_in(ranked)
    # The same rows without their weights: a budget counts rows, so each threshold needs their number.
    counted = curve_in(checked._replace(weight=None, query=None))
    weight = checked.score.size if checked.weight is None else checked.weight.sum()
    return HitData(
        curve.detected,
        curve.hits,
        curve.prevalence,
        np.append(0.0, np.flip(counted.points.retrieved)),
        _perfect(checked) if weighted else None,
        float(weight / curve.detected[-1]),  # missed positives included
    )


def hit_data_of_fold(fold: Fold, *, caller: str) -> HitData:
    """Rank the test rows of a fold."""
    return hit_data(fold.rows, caller=caller)


def _perfect(checked: Checked) -> tuple[FloatArray, FloatArray]:
    """Return the hit curve of the perfect ranking: positives first, the heaviest of them at the top."""
    weight: FloatArray = np.ones(checked.positive.size) if checked.weight is None else checked.weight
    # One point per distinct weight is enough: between two, the curve is straight.
    heaviness, rows = np.unique(-weight[checked.positive], return_counts=True)
    shares = np.append(np.cumsum(np.append(0, rows)) / weight.size, 1.0)
    hits = np.cumsum(np.append(0.0, -heaviness * rows)) / weight.sum()
    return shares, np.append(hits, hits[-1])
