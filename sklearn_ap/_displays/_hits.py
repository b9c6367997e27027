"""The numbers of a hit curve: from labels and scores or as given, and in the units of its axes."""

from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._curves import hits_of_rows
from .._operating_points import OperatingPoint
from .._ranking._cut import cut_depth
from .._reading._options import check_option, is_real, read_k
from .._reading._read import Checked
from .._typing import FloatArray, HitsX, HitsY
from ._figure import rounded
from ._input import ROUNDING, GivenRows, first_and_last, shares_of

_ON_CURVE = 1e-9  # how far an operating point may lie from the curve, in hits per sample


Perfect = tuple[ArrayLike, ArrayLike]  # shares of rows, and hits


_RATIO = 0.02  # a path in lift has a point at each 2 % of the rows, so that it is off by 5e-5 at most


def check_view(x_axis: str, y_axis: str, max_k: object) -> None:
    """Refuse unknown units, and a largest k that is neither a number nor a share of rows."""
    check_option("x_axis", x_axis, get_args(HitsX))
    check_option("y_axis", y_axis, get_args(HitsY))
    read_k(max_k, "max_k")


class Budget(NamedTuple):
    """The point of the curve where the first `k` rows end, and what they catch."""

    x: float
    y: float
    caught: str  # for the legend
    ratio: float  # the lift, or the recall: what folds are averaged by


class HitView(NamedTuple):
    """One hit curve over rows, and the units of its axes."""

    n_rows: FloatArray  # that each threshold detects
    h: FloatArray  # hits as a share of all samples or, with weights, of their weight
    n_samples: float  # rows and missed positives
    prevalence: float
    weighted: bool
    best: tuple[FloatArray, FloatArray] | None  # rows and h of the perfect ranking; None if it is not known
    total_weight: float | None  # of all samples; None if it is not known
    y_axis: HitsY
    x_axis: HitsX
    max_k: int | float | None

    @property
    def depth(self) -> float:
        """Number of rows up to which the picture shows, missed positives included."""
        if self.max_k is None:
            return self.n_samples
        return min(self.rows_of(self.max_k), float(self.n_rows[-1]))

    @property
    def in_weight(self) -> bool:
        """Whether hits are counted in weight; equal weights other than 1 change nothing else."""
        total = self.total_weight
        # Not exactly equal: with missed positives, both are quotients.
        other = total is not None and not np.isclose(total, self.n_samples, rtol=1e-9, atol=0)
        return self.weighted or (self.y_axis == "weight" and bool(other))

    def rows_of(self, k: int | float) -> float:
        """Return how many rows `k` asks for, which may be more than there are."""
        return float(cut_depth(self.n_rows[-1:], k)[0])

    def x_of(self, rows: FloatArray) -> FloatArray:
        """Return numbers of rows in the unit of the horizontal axis."""
        return rows / self.n_samples if self.x_axis == "share" else rows

    def y_of(self, rows: FloatArray, h: FloatArray) -> FloatArray:
        """Return hits among so many rows in the unit of the vertical axis."""
        if self.y_axis == "hits":
            return h
        if self.y_axis == "weight":
            return h * (self.total_weight or 0.0)
        recall = h / self.prevalence if self.prevalence else np.zeros_like(h)
        return recall if self.y_axis == "recall" else recall / (rows / self.n_samples)

    def budget(self, k: int | float) -> Budget:
        """Return the point where the first `k` rows end."""
        asked = self.rows_of(k)
        rows = min(asked, float(self.n_rows[-1]))
        if rows > self.depth:
            raise ValueError(
                f"k must be at most max_k={self.max_k!r}, {self.depth:.0f} rows, so that the picture shows "
                f"it; got {k!r}, {asked:.0f} rows."
            )
        x, y, h = self.point_at(rows)
        budget = f"k = {k}"
        if isinstance(k, float):
            budget += f", {asked:.0f} row" if asked == 1 else f", {asked:.0f} rows"
        unit: HitsY = "lift" if self.y_axis == "lift" else "recall"
        ratio = self._replace(y_axis=unit).point_at(rows)[1]
        # Rounded to 12 digits first, so that 1/8 is shown alike however the division rounded it.
        parts = [*self._count(y, h), f"{unit} {rounded(round(ratio, 12))}"]
        return Budget(x, y, f"{budget}: {', '.join(parts)}", ratio)

    def holds(self, point: OperatingPoint) -> bool:
        """Whether the curve passes through a point."""
        at = np.interp(point.n_retrieved, self.n_rows, self.h)
        within = 0 < point.n_retrieved <= self.n_rows[-1]
        return bool(within and abs(at - point.recall * self.prevalence) <= _ON_CURVE)

    def point_at(self, rows: float) -> tuple[float, float, float]:
        """Return the point of the curve after so many rows, and its hits per sample."""
        at = np.array(rows)
        h: FloatArray = np.asarray(np.interp(at, self.n_rows, self.h))
        return float(self.x_of(at)), float(self.y_of(at, h)), float(h)

    def _count(self, y: float, h: float) -> list[str]:
        """Return what a budget catches in words, if the axis has a count or a weight."""
        if self.y_axis == "weight" and self.in_weight:
            return [f"weight {y:,.0f}" if y >= 1000 else f"weight {y:.3g}"]
        if not self.weighted:
            found = np.format_float_positional(round(h * self.n_samples, 1), trim="-")
            return [f"{found} hit" if found == "1" else f"{found} hits"]
        # A sum of weights is not a number of hits, so the share is shown.
        return [f"h = {h:.3g}"] if self.y_axis == "hits" else []

    def path(self, rows: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a line of straight parts in the units of the axes, as far as the picture shows."""
        if rows[-1] > self.depth:
            end = np.interp(self.depth, rows, h)
            shown = rows < self.depth
            rows, h = np.append(rows[shown], self.depth), np.append(h[shown], end)
        if self.y_axis != "lift":
            return self.x_of(rows), self.y_of(rows, h)
        # Hits per row bend between two thresholds, so the path needs points there.
        points = with_points_between(rows)
        y = np.empty_like(points)
        y[1:] = self.y_of(points[1:], np.interp(points[1:], rows, h))
        y[0] = y[1]  # the first tied group has the same share of hits in each of its parts
        return self.x_of(points), y


def views_of(given: dict[str, Any], **units: Any) -> list[HitView]:
    """Check the constructor's arguments of one hit curve, or lists of them, one entry per curve."""
    check_view(**units)
    detected = given["detected"]
    if not (isinstance(detected, list | tuple) and detected and np.ndim(detected[0])):
        return [_view_of(**given, **units)]
    given = dict(given)
    n_curves = len(detected)
    for name, values in given.items():
        if values is None and name in ("perfect", "total_weight"):
            given[name] = [None] * n_curves
        elif not isinstance(values, Sequence | np.ndarray) or len(values) != n_curves:
            raise ValueError(f"{name} must hold one entry for each of {n_curves} curves; got {values!r}.")
    each = zip(*given.values(), strict=True)
    return [_view_of(**dict(zip(given, one, strict=True)), **units) for one in each]


def _view_of(
    detected: ArrayLike,
    hits: ArrayLike,
    *,
    prevalence: float,
    n_rows: int,
    perfect: Perfect | None,
    total_weight: float | None,
    y_axis: HitsY,
    **units: Any,
) -> HitView:
    """Check a hit curve, and return it with the number of rows at each of its points.

    Without weights, hits are whole numbers. A curve for which this is untrue has weights.
    """
    shape = (np.size(detected),)
    samples = _rising("detected", detected, shape)
    h = _rising("hits", hits, shape)
    rows = _rows_at(n_rows, samples)
    missed = 1 - samples[-1]
    if not abs(prevalence - h[-1] - missed) <= ROUNDING:
        raise ValueError(
            f"prevalence must be the share of positives among all samples, {h[-1] + missed:.6g} by detected "
            f"and hits; got {prevalence!r}."
        )
    n_samples = float(_whole_where_near(rows[-1] / samples[-1]))
    if total_weight is not None and not (is_real(total_weight) and 0 < total_weight < np.inf):
        raise ValueError(f"total_weight must be None or a number above 0; got {total_weight!r}.")
    weighted = perfect is not None or not _are_whole(h / samples[-1] * rows[-1])
    if not weighted:
        perfect = (0.0, prevalence, 1.0), (0.0, prevalence, prevalence)
        total_weight = n_samples if total_weight is None else total_weight
    elif y_axis == "weight" and total_weight is None:
        raise ValueError(
            "total_weight must be given for y_axis='weight' where rows have weights, since shares do not "
            "tell what they are shares of."
        )
    best = None
    if perfect is not None:
        best_t, best_h = _perfect(perfect, samples, h, prevalence)
        best = _whole_where_near(best_t * n_samples), best_h
    weight = None if total_weight is None else float(total_weight)
    return HitView(rows, h, n_samples, prevalence, weighted, best, weight, y_axis, **units)


def _whole_where_near(counts: ArrayLike) -> FloatArray:
    """Return counts of rows, whole where a product of a share was rounded; totals may be fractions."""
    given: FloatArray = np.asarray(counts, dtype=np.float64)
    whole = np.rint(given)
    near: FloatArray = np.where(np.abs(given - whole) <= ROUNDING * np.maximum(whole, 1), whole, given)
    return near


def _rising(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return shares that rise from 0."""
    array = shares_of(name, values, shape, f"a 1-D array of the size of detected, {shape[0]}")
    if array.size < 2 or array[0] != 0 or (np.diff(array) < -ROUNDING).any() or array[-1] > 1 + ROUNDING:
        raise ValueError(f"{name} must rise from 0, as hit_curve returns it; got {first_and_last(array)}.")
    return array


def _rows_at(n_rows: int, samples: FloatArray) -> FloatArray:
    """Return the number of rows at each threshold; `samples` are their shares."""
    known = np.ndim(n_rows) == 0 and is_real(n_rows) and 0 < n_rows < np.inf and samples[-1] > 0
    rows: FloatArray = samples / samples[-1] * n_rows if known else np.zeros(samples.size)
    if not (_are_whole(rows) and (np.diff(np.rint(rows)) > 0).all()):
        raise ValueError(
            f"n_rows must be the number of rows; got {n_rows!r}, which does not make the shares in detected "
            "whole and rising numbers of rows."
        )
    return np.rint(rows)


def _are_whole(counts: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which is not whole
        return bool((np.abs(counts - np.rint(counts)) <= 1e-4).all())


def _perfect(
    perfect: tuple[ArrayLike, ArrayLike], t: FloatArray, h: FloatArray, prevalence: float
) -> tuple[FloatArray, FloatArray]:
    """Check the perfect curve: it has to lie on or above the hit curve."""
    if len(perfect) != 2 or np.shape(perfect[0]) != np.shape(perfect[1]):
        raise ValueError(f"perfect must be two arrays of one size, shares of rows and hits; got {perfect!r}.")
    rows, best = (_rising("perfect", one, (np.size(one),)) for one in perfect)
    if abs(best[-1] - prevalence) > ROUNDING or (np.interp(t, rows, best) < h - ROUNDING).any():
        raise ValueError(
            f"perfect must lie on or above the hit curve and end at the prevalence, {prevalence:.6g}; got "
            f"hits {first_and_last(best)} at the shares {first_and_last(rows)}."
        )
    return rows, best


def with_points_between(rows: FloatArray) -> FloatArray:
    """Return numbers of rows from 0, with whole numbers between them, 2 % apart or next to each other."""
    a, b = rows[:-1], rows[1:]
    bends = (a > 0) & (b - a > 1)
    growth = np.log(np.divide(b, a, out=np.ones_like(b), where=bends))
    n_points = np.maximum(np.ceil(growth / _RATIO), 1).astype(np.int64)
    segment = np.repeat(np.arange(n_points.size), n_points)
    left = (np.cumsum(n_points)[segment] - 1 - np.arange(segment.size)) / n_points[segment]
    between = np.rint(b[segment] * np.exp(-left * growth[segment]))
    return np.unique(np.concatenate((rows, between[left > 0])))


def hit_data(rows: GivenRows) -> dict[str, Any]:
    """Rank the rows, with their weights and without; return what the constructor takes of one ranking."""
    checked = rows.read()
    curve = hits_of_rows(checked, rows.n_positives)
    weight = checked.score.size if checked.weight is None else checked.weight.sum()
    return {
        "detected": curve.detected,
        "hits": curve.hits,
        "prevalence": curve.prevalence,
        "n_rows": checked.score.size,
        "perfect": _perfect_of(checked) if curve.weighted else None,
        "total_weight": float(weight / curve.detected[-1]),  # missed positives included
    }


def _perfect_of(checked: Checked) -> tuple[FloatArray, FloatArray]:
    """Return the hit curve of the perfect ranking: positives first, the heaviest of them at the top."""
    weight: FloatArray = np.ones(checked.positive.size) if checked.weight is None else checked.weight
    # One point per distinct weight is enough: between two, the curve is straight.
    heaviness, rows = np.unique(-weight[checked.positive], return_counts=True)
    shares = np.append(np.cumsum(np.append(0, rows)) / weight.size, 1.0)
    hits = np.cumsum(np.append(0.0, -heaviness * rows)) / weight.sum()
    return shares, np.append(hits, hits[-1])
