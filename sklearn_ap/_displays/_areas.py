"""The definitions that are drawn, and what a display needs of one ranking."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._areas._davis_goadrich import DAVIS_GOADRICH
from .._areas._interpolated import INTERPOLATED
from .._areas._linear import LINEAR
from .._areas._path import CurvePoints, Path
from .._areas._step import STEP
from .._averaging import read_and_rank
from .._definition import Definition
from .._reading import check_option
from .._typing import Label, Totals
from .._warning import warn_user

__all__ = ["AREAS", "Ranked", "areas_of", "check_area", "paths_of", "ranked"]

# The definitions that are drawn, by their spelling in the argument `area`.
AREAS: dict[str, Definition] = {
    one.name: one
    for one in (
        Definition(STEP),
        Definition(INTERPOLATED),
        Definition(INTERPOLATED, grid=11),
        Definition(LINEAR),
        Definition(DAVIS_GOADRICH),
    )
}


class Ranked(NamedTuple):
    """What a display needs of one ranking."""

    points: CurvePoints
    values: dict[str, float]
    prevalence: float  # share of positives among the ranked rows: the precision of random scores


def areas_of(n_positives: Totals | None) -> list[str]:
    """Return the areas that are defined; with missed positives, an area that joins points is not."""
    return [name for name, one in AREAS.items() if n_positives is None or one.area.counts_missed]


def check_area(area: str, n_positives: Totals | None) -> None:
    """Refuse an unknown area, and `n_positives` with an area whose score does not take it."""
    check_option("area", area, AREAS)
    if area not in areas_of(n_positives):
        raise ValueError(
            f"n_positives goes with the areas {', '.join(map(repr, areas_of(n_positives)))}; got "
            f"area={area!r}, which would join points to positives that were missed."
        )


def paths_of(name: str, curves: Sequence[CurvePoints]) -> list[Path]:
    """Return the path of each curve; refuse points that do not determine their path."""
    one = AREAS[name]
    for curve in curves:
        precision = curve.precision[:-1]  # without the closing point
        # Davis-Goadrich needs the number of samples at each point, and a precision of 0 does not give it.
        unknown = precision.any() and not precision.all()
        if one.area is DAVIS_GOADRICH and curve.detected is None and unknown:
            raise ValueError(
                f"detected must be given for {name!r} if the highest scores have no positive: a precision "
                "of 0 does not show how many samples they have. Pass hit_curve(y_true, y_score)[0][::-1], or "
                "use from_predictions."
            )
    return [one.path_of(curve) for curve in curves]


def ranked(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    areas: Sequence[str],
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
) -> Ranked:
    """Return the operating points of one ranking, and its areas."""
    ranking, (_, tp, retrieved) = read_and_rank(
        y_true,
        y_score,
        caller=caller,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        n_positives=n_positives,
    )
    of, n_samples = ranking.n_positives[0], ranking.n_samples[0]
    if of == 0:
        warn_user("No positive class found in y_true, recall is set to one for all thresholds.")
    # As in scikit-learn's curves, recall is 1 without positives, and a closing point (0, 1) is added.
    recall = tp / of if of else np.ones(tp.size)
    return Ranked(
        CurvePoints(
            np.append(tp / retrieved, 1.0), np.append(recall, 0.0), np.append(retrieved / n_samples, 0.0)
        ),
        {area: float(AREAS[area].of(ranking)[0]) for area in areas},
        float(tp[0] / n_samples),
    )
