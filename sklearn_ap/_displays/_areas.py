"""The areas: what each is called, its value, and the path along which it is drawn."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._average_precision import interpolated, interpolated_at_levels, step
from .._averaging import read_and_rank
from .._pr_auc import davis_goadrich, linear
from .._ranking import Rankings
from .._reading import check_option
from .._typing import FloatArray, Label, Totals

Area = Literal["step", "interpolated", "eleven-point", "linear", "davis-goadrich"]


class Points(NamedTuple):
    """Operating points of one ranking, as :func:`sklearn.metrics.precision_recall_curve` orders them."""

    precision: FloatArray
    recall: FloatArray
    detected: FloatArray | None = None  # share of all samples, in weight


class Path(NamedTuple):
    """What is drawn, recall falling, and the places of the points that get a dot."""

    recall: FloatArray
    precision: FloatArray
    dots: list[int]


def _step_path(points: Points) -> Path:
    return Path(points.recall, points.precision, [])


def _linear_path(points: Points) -> Path:
    if not points.precision[:-1].any():
        return _flat_path(points)
    return Path(points.recall, points.precision, [])


def _flat_path(points: Points) -> Path:
    """Return a line at 0: without positives there is no area, not even one up to the closing point."""
    return Path(points.recall, np.zeros_like(points.precision), [])


def _interpolated_path(points: Points) -> Path:
    """Return the envelope, without the closing point: it takes no part in the maximum."""
    best = np.maximum.accumulate(points.precision[:-1])
    return Path(points.recall, np.append(best, best[-1]), [])


def _eleven_point_path(points: Points) -> Path:
    """Return the envelope with the points where it is read off, in their places between its own."""
    best, recall = np.maximum.accumulate(points.precision[:-1]), points.recall[:-1]
    levels = np.arange(10, -1, -1) / 10
    # Weights were rounded before they were added up, and a level within that rounding counts as reached:
    # by the rule of the score, as far as points tell how many rows there are.
    rounding = np.clip(4 * recall.size * np.finfo(np.float64).eps, 1e-12, 1e-10)
    place = np.array([np.count_nonzero(recall >= level - rounding) for level in levels])
    height = np.append(0.0, best)[place]
    dots = place + np.arange(levels.size)
    return Path(np.insert(recall, place, levels), np.insert(best, place, height), dots.tolist())


def _davis_goadrich_path(points: Points) -> Path:
    """Return a curve along which, between two points, true positives are a fixed share of what is added.

    On it precision is linear in 1 / retrieved: points at equal ratios of that lie close where it bends, and
    all segments together need no more than a few hundred.
    """
    recall, precision = points.recall[-2::-1], points.precision[-2::-1]
    if not precision.any():
        return _flat_path(points)
    retrieved = np.append(0.0, _retrieved(recall, precision, points.detected))
    tp, a, b = np.append(0.0, recall), retrieved[:-1], retrieved[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(a > 0, np.log(b) - np.log(a), 0.0)
    growth[np.diff(tp) == 0] = 0.0
    n_points = np.maximum(np.ceil(growth / 0.02), 1).astype(np.int64)
    segment = np.repeat(np.arange(n_points.size), n_points)
    last = np.cumsum(n_points)
    left = (last[segment] - 1 - np.arange(segment.size)) / n_points[segment]  # share of the segment, to 0
    between = b[segment] * np.exp(-left * growth[segment])
    share = np.divide(b[segment] - between, (b - a)[segment], out=np.zeros(segment.size), where=left > 0)
    path = tp[1:][segment] - share * np.diff(tp)[segment]
    height = np.divide(path, between, out=np.zeros(path.size), where=between > 0)  # weights may underflow
    # The first segment is level: it has the precision of the first point.
    return Path(np.append(path[::-1], 0.0), np.append(height[::-1], height[0]), [])


def _retrieved(recall: FloatArray, precision: FloatArray, detected: FloatArray | None) -> FloatArray:
    """Return the weight at or above each threshold, highest first, over that of the positives."""
    retrieved = np.divide(recall, precision, out=np.zeros_like(recall), where=precision > 0)
    unknown = precision == 0
    if unknown.any():
        if detected is None:
            raise ValueError(
                "detected must be given for 'davis-goadrich' where the highest scores have no positive: a "
                "precision of 0 does not tell how many samples they have. It is "
                "hit_curve(y_true, y_score)[0][::-1]; or use from_predictions."
            )
        share = detected[-2::-1]
        retrieved[unknown] = share[unknown] * (retrieved[-1] / share[-1])
    return retrieved


class Kind(NamedTuple):
    """One area: what the legend calls it, the sum over steps that it is, and how its curve is drawn."""

    name: str
    value: Callable[[Rankings], FloatArray]
    path: Callable[[Points], Path]
    drawstyle: str


AREAS: dict[str, Kind] = {
    "step": Kind("step AP", step, _step_path, "steps-post"),
    "interpolated": Kind("interpolated AP", interpolated, _interpolated_path, "steps-post"),
    "eleven-point": Kind(
        "eleven-point AP",
        lambda ranking: interpolated_at_levels(ranking, 11),
        _eleven_point_path,
        "steps-post",
    ),
    "linear": Kind("linear PR AUC", linear, _linear_path, "default"),
    "davis-goadrich": Kind("Davis-Goadrich PR AUC", davis_goadrich, _davis_goadrich_path, "default"),
}
_JOINED = ("linear", "davis-goadrich")


class Ranked(NamedTuple):
    """What a display needs of one ranking."""

    points: Points
    values: dict[str, float]
    prevalence: float  # of the rows that were ranked: the precision of random scores


def areas_of(n_positives: Totals | None) -> list[str]:
    """Return the areas that are defined: points are not joined to positives that were missed."""
    return [area for area in AREAS if n_positives is None or area not in _JOINED]


def check_area(area: Any, n_positives: Totals | None) -> None:
    """Refuse an unknown area, and a total with areas whose score takes none."""
    check_option("area", area, AREAS)
    if area not in areas_of(n_positives):
        raise ValueError(
            f"n_positives goes with the areas {', '.join(map(repr, areas_of(n_positives)))}, since points "
            f"cannot be joined to positives that were missed; got area={area!r}."
        )


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
    stacklevel: int = 3,
) -> Ranked:
    """Return the operating points and the areas; `stacklevel` is that of the user's line, for the warning."""
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
        warnings.warn(
            "No positive class found in y_true, recall is set to one for all thresholds.",
            UserWarning,
            stacklevel=stacklevel,
        )
    recall = tp / of if of else np.ones(tp.size)
    return Ranked(
        Points(np.append(tp / retrieved, 1.0), np.append(recall, 0.0), np.append(retrieved / n_samples, 0.0)),
        {area: float(AREAS[area].value(ranking)[0]) for area in areas},
        float(tp[0] / n_samples),
    )
