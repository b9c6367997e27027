"""A hit curve as axes show it: rows or their share, against hits in one of four units, up to a largest k."""

from typing import NamedTuple, get_args

import numpy as np

from .._ranking import cut_depth
from .._reading import check_option, read_k
from .._typing import FloatArray, HitsX, HitsY
from ._figure import rounded
from ._given import Hits

__all__ = ["Budget", "HitView", "check_view", "labels_of_axes", "units_of", "with_points_between"]

_RATIO = 0.02  # a path in lift has a point at each 2 % of the rows, so that it is off by 5e-5 at most
# Without weights, with weights, and where both kinds of display share the axes.
_Y_LABELS: dict[HitsY, tuple[str, str, str]] = {
    "hits": ("Hits per sample, h(t)", "Share of weight hit, h(t)", "Share of samples or weight hit, h(t)"),
    "recall": ("Recall", "Recall in weight", "Recall of samples or in weight"),
    "weight": ("Number of hits", "Weight of hits", "Number or weight of hits"),
    "lift": ("Lift: precision / prevalence", "Lift: recall in weight / share of rows", "Lift"),
}
_X_LABELS: dict[HitsX, str] = {
    "share": "Fraction of {} detected, t",
    "rows": "Number of {} detected, k",
}
_SAMPLES, _ROWS, _MISSED = "samples", "rows", "rows and missed positives"


def check_view(x_axis: str, y_axis: str, max_k: object) -> None:
    """Refuse unknown units, and a largest k that is neither a number nor a share of rows."""
    check_option("x_axis", x_axis, get_args(HitsX))
    check_option("y_axis", y_axis, get_args(HitsY))
    read_k(max_k, "max_k")


class Budget(NamedTuple):
    """The point of the curve where the first `k` rows end, and what they catch."""

    rows: float
    x: float
    y: float
    caught: str  # for the legend
    ratio: float  # the lift, or the recall: what folds are averaged by


class HitView(NamedTuple):
    """One hit curve in the units of its axes."""

    curve: Hits
    x_axis: HitsX
    y_axis: HitsY
    max_k: int | float | None

    @property
    def depth(self) -> float:
        """Number of rows up to which the picture shows, missed positives included."""
        if self.max_k is None:
            return self.curve.n_samples
        return min(self.rows_of(self.max_k), float(self.curve.n_rows[-1]))

    @property
    def width(self) -> float:
        """Where the horizontal axis ends."""
        return float(self.x_of(np.array(self.depth)))

    @property
    def in_weight(self) -> bool:
        """Whether hits are counted in weight; equal weights other than 1 change nothing else."""
        total = self.curve.total_weight
        # Not exactly equal: with missed positives, both are quotients.
        other = total is not None and not np.isclose(total, self.curve.n_samples, rtol=1e-9, atol=0)
        return self.curve.weighted or (self.y_axis == "weight" and bool(other))

    def rows_of(self, k: int | float) -> float:
        """Return how many rows `k` asks for, which may be more than there are."""
        return float(cut_depth(self.curve.n_rows[-1:], k)[0])

    def x_of(self, rows: FloatArray) -> FloatArray:
        """Return numbers of rows in the unit of the horizontal axis."""
        return rows / self.curve.n_samples if self.x_axis == "share" else rows

    def y_of(self, rows: FloatArray, h: FloatArray) -> FloatArray:
        """Return hits among so many rows in the unit of the vertical axis."""
        curve = self.curve
        if self.y_axis == "hits":
            return h
        if self.y_axis == "weight":
            return h * (curve.total_weight or 0.0)
        recall = h / curve.prevalence if curve.prevalence else np.zeros_like(h)
        return recall if self.y_axis == "recall" else recall / (rows / curve.n_samples)

    def line(self) -> tuple[FloatArray, FloatArray]:
        """Return the hit curve."""
        return self._path(self.curve.n_rows, self.curve.h)

    def perfect(self) -> tuple[FloatArray, FloatArray] | None:
        """Return the curve of the perfect ranking, if it is known."""
        return None if self.curve.perfect is None else self._path(*self.curve.perfect)

    def random(self) -> tuple[FloatArray, FloatArray]:
        """Return the curve of the same rows in random order: a share of them has its share of the hits."""
        return self._path(self.curve.n_rows[[0, -1]], self.curve.h[[0, -1]])

    def share_found(self) -> float:
        """Return the share of positives among the rows, in weight: the hits of each row in random order."""
        return float(self.curve.h[-1] / (self.curve.n_rows[-1] / self.curve.n_samples))

    def budget(self, k: int | float) -> Budget:
        """Return the point where the first `k` rows end."""
        asked = self.rows_of(k)
        rows = min(asked, float(self.curve.n_rows[-1]))
        if rows > self.depth:
            raise ValueError(
                f"k must be at most max_k={self.max_k!r}, {self.depth:.0f} rows, so that the picture shows "
                f"it; got {k!r}, {asked:.0f} rows."
            )
        x, y, h = self._point(rows)
        budget = f"k = {k}"
        if isinstance(k, float):
            budget += f", {asked:.0f} row" if asked == 1 else f", {asked:.0f} rows"
        ratio = self._replace(y_axis="lift" if self.y_axis == "lift" else "recall")._point(rows)[1]
        # Rounded to 12 digits first, so that 1/8 is shown alike however the division rounded it.
        shown = f"{'lift' if self.y_axis == 'lift' else 'recall'} {rounded(round(ratio, 12))}"
        parts = [*self._count(y, h), shown]
        return Budget(rows, x, y, f"{budget}: {', '.join(parts)}", ratio)

    def _point(self, rows: float) -> tuple[float, float, float]:
        """Return the point of the curve after so many rows, and its hits per sample."""
        at = np.array(rows)
        h: FloatArray = np.asarray(np.interp(at, self.curve.n_rows, self.curve.h))
        return float(self.x_of(at)), float(self.y_of(at, h)), float(h)

    def _count(self, y: float, h: float) -> list[str]:
        """Return what a budget catches in words, if the axis has a count or a weight."""
        if self.y_axis == "weight" and self.in_weight:
            return [f"weight {y:,.0f}" if y >= 1000 else f"weight {y:.3g}"]
        if not self.curve.weighted:
            found = np.format_float_positional(round(h * self.curve.n_samples, 1), trim="-")
            return [f"{found} hit" if found == "1" else f"{found} hits"]
        # A sum of weights is not a number of hits, so the share is shown.
        return [f"h = {h:.3g}"] if self.y_axis == "hits" else []

    def _path(self, rows: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
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


def labels_of_axes(view: HitView, before_x: str, before_y: str, missed: bool | np.bool_) -> tuple[str, str]:
    """Return what the axes are called for all displays on them: earlier ones may have other kinds of hits.

    Weights, missed positives and both may be compared; shares and rows may not (`units_of`).
    """
    plain, weighted, both = _Y_LABELS[view.y_axis]
    here = weighted if view.in_weight else plain
    y = both if before_y in {plain, weighted, both} - {here} else here
    counted = _SAMPLES if y == plain and view.x_axis == "share" else _ROWS
    if missed or _MISSED in before_x:
        counted = _MISSED
    return _X_LABELS[view.x_axis].format(counted), y


def units_of(before_x: str, before_y: str) -> tuple[HitsX | None, HitsY | None]:
    """Return the units that labels of axes tell, None for a label that no hit curve has."""
    counted = (_SAMPLES, _ROWS, _MISSED)
    x = next((unit for unit, text in _X_LABELS.items() if before_x in map(text.format, counted)), None)
    return x, next((unit for unit, texts in _Y_LABELS.items() if before_y in texts), None)
