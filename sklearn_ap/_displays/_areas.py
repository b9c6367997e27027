"""The definitions that are drawn, and what a display needs of one ranking."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._areas._area import CurvePoints, Path
from .._areas._davis_goadrich import DAVIS_GOADRICH
from .._definition import Definition
from .._entrance import curve_in
from .._family import FAMILY
from .._public import NO_POSITIVES, warn_user
from .._reading._options import check_option
from .._typing import DrawnArea, Features, Label, ResponseMethod, Totals
from ._input import GivenRows, responses_of_folds

# What is drawn, by the spelling of the argument `area`: whole rankings, and the eleven points.
AREAS: dict[str, Definition] = {
    number.definition.name: number.definition
    for number in FAMILY
    if number.definition.area.path is not None
    and number.definition.cut is None
    and number.definition.grid in (None, 11)
}


class DrawnRanking(NamedTuple):
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
    accepted = areas_of(n_positives)
    if area not in accepted:
        raise ValueError(
            f"n_positives goes with the areas {', '.join(map(repr, accepted))}; got area={area!r}, which "
            "would join points to positives that were missed."
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


def drawn_ranking(rows: GivenRows, *, caller: str, areas: Sequence[str]) -> DrawnRanking:
    """Return the operating points of one ranking, and its areas."""
    ranking, (_, tp, retrieved) = curve_in(rows.read(caller), rows.n_positives, has_area=True)
    of, n_samples = ranking.n_positives[0], ranking.n_samples[0]
    if of == 0:
        warn_user(NO_POSITIVES)
    # As in scikit-learn's curves, recall is 1 without positives, and a closing point (0, 1) is added.
    recall = tp / of if of else np.ones(tp.size)
    return DrawnRanking(
        CurvePoints(
            np.append(tp / retrieved, 1.0), np.append(recall, 0.0), np.append(retrieved / n_samples, 0.0)
        ),
        {area: float(AREAS[area].of(ranking)[0]) for area in areas},
        float(tp[0] / n_samples),
    )


def ranked_folds(
    cv_results: Mapping[str, Any],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    *,
    area: DrawnArea,
    sample_weight: ArrayLike | None,
    n_positives: ArrayLike | None,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> tuple[list[DrawnRanking], Label]:
    """Return one ranking per fold, of its test rows, and the positive label for the axes."""
    folds = responses_of_folds(
        cv_results,
        X,
        y,
        sample_weight=sample_weight,
        n_positives=n_positives,
        response_method=response_method,
        pos_label=pos_label,
    )
    rankings = [drawn_ranking(fold.rows, caller="from_cv_results", areas=[area]) for fold in folds]
    return rankings, folds[-1].response.positive
