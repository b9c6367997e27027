"""The numbers of a hit curve: from labels and scores, or from arrays, and in the units of its axes."""

from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._curves import hits_of_rows
from .._ranking._cut import cut_depth
from .._reading._options import check_option, read_k
from .._typing import FloatArray, HitsX, HitsY
from ._figure import rounded
from ._input import RankedRows

Perfect = tuple[ArrayLike, ArrayLike]  # shares of rows, and hits

_RATIO = 0.02  # a path in lift has a point at each 2 % of the rows, so that it is off by 5e-5 at most


class Budget(NamedTuple):
    """The point of the curve after the first `k` rows, and its text for the legend."""

    x: float
    y: float
    ratio: float  # recall, or lift where the axis has it
    text: str


class HitView(NamedTuple):
    """A hit curve as numbers of rows, with the units of its axes."""

    n_rows: FloatArray  # rows that each threshold detects
    h: FloatArray  # hits as a share of all samples or, with weights, of their weight
    n_samples: float  # rows and missed positives
    prevalence: float
    weighted: bool
    best: tuple[FloatArray, FloatArray]  # rows and h of the perfect ranking
    total_weight: float  # of all samples
    y_axis: HitsY
    x_axis: HitsX
    max_k: int | float | None

    @property
    def depth(self) -> float:
        """Largest number of rows in the picture, missed positives included."""
        if self.max_k is None:
            return self.n_samples
        return min(self.count_rows(self.max_k), float(self.n_rows[-1]))

    @property
    def ratio_unit(self) -> HitsY:
        """What the legend shows of a budget."""
        return "lift" if self.y_axis == "lift" else "recall"

    @property
    def in_weight(self) -> bool:
        """Whether hits are counted in weight; equal weights other than 1 change nothing else."""
        # Not exactly equal: with missed positives, both are quotients.
        differs = not np.isclose(self.total_weight, self.n_samples, rtol=1e-9, atol=0)
        return self.weighted or (self.y_axis == "weight" and differs)

    def count_rows(self, k: int | float) -> float:
        """Return the number of rows of a cut `k`, which may exceed the rows of the curve."""
        return float(cut_depth(self.n_rows[-1:], k)[0])

    def to_x(self, rows: FloatArray) -> FloatArray:
        """Return numbers of rows in the unit of the horizontal axis."""
        return rows / self.n_samples if self.x_axis == "share" else rows

    def to_y(self, rows: FloatArray, h: FloatArray) -> FloatArray:
        """Return hits among the first `rows` rows in the unit of the vertical axis."""
        if self.y_axis == "hits":
            return h
        if self.y_axis == "weight":
            return h * self.total_weight
        recall = h / self.prevalence if self.prevalence else np.zeros_like(h)
        return recall if self.y_axis == "recall" else recall / (rows / self.n_samples)

    def budget(self, k: int | float) -> Budget:
        """Return the point of the curve after the first `k` rows."""
        n_budget = self.count_rows(k)
        rows = np.array(min(n_budget, float(self.n_rows[-1])))
        if rows > self.depth:
            raise ValueError(
                f"k must be at most max_k={self.max_k!r}, {self.depth:.0f} rows; "
                f"got {k!r}, {n_budget:.0f} rows."
            )
        h: FloatArray = np.asarray(np.interp(rows, self.n_rows, self.h))
        x, y = float(self.to_x(rows)), float(self.to_y(rows, h))
        ratio = float(self._replace(y_axis=self.ratio_unit).to_y(rows, h))
        n_rows = f", {n_budget:.0f} row{'s' * (n_budget != 1)}" if isinstance(k, float) else ""
        # Rounded to 12 digits first, so that 1/8 is shown alike however the division rounded it.
        text = f"k = {k}{n_rows}: {self._count(y, float(h))}{self.ratio_unit} {rounded(round(ratio, 12))}"
        return Budget(x, y, ratio, text)

    def _count(self, y: float, h: float) -> str:
        """Return the hits of a budget as text, if they are a count or a weight."""
        if self.y_axis == "weight" and self.in_weight:
            return f"weight {y:,.0f}, " if y >= 1000 else f"weight {y:.3g}, "
        if not self.weighted:
            hits = np.format_float_positional(round(h * self.n_samples, 1), trim="-")
            return f"{hits} hit{'s' * (hits != '1')}, "
        # A sum of weights is not a number of hits, so the share is shown.
        return f"h = {h:.3g}, " if self.y_axis == "hits" else ""

    def path(self, rows: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a piecewise linear path in the units of the axes, up to `depth`."""
        if rows[-1] > self.depth:
            end = np.interp(self.depth, rows, h)
            is_inside = rows < self.depth
            rows, h = np.append(rows[is_inside], self.depth), np.append(h[is_inside], end)
        if self.y_axis != "lift":
            return self.to_x(rows), self.to_y(rows, h)
        # Hits per row bend between two thresholds, so the path needs points there.
        points = _with_points_between(rows)
        y = np.empty_like(points)
        y[1:] = self.to_y(points[1:], np.interp(points[1:], rows, h))
        y[0] = y[1]  # the first tied group has the same share of hits in each of its parts
        return self.to_x(points), y


def _with_points_between(rows: FloatArray) -> FloatArray:
    """Return numbers of rows from 0, with whole numbers between them, 2 % apart or next to each other."""
    a, b = rows[:-1], rows[1:]
    bends = (a > 0) & (b - a > 1)
    growth = np.log(np.divide(b, a, out=np.ones_like(b), where=bends))
    n_points = np.maximum(np.ceil(growth / _RATIO), 1).astype(np.int64)
    segment = np.repeat(np.arange(n_points.size), n_points)
    left = (np.cumsum(n_points)[segment] - 1 - np.arange(segment.size)) / n_points[segment]
    between = np.rint(b[segment] * np.exp(-left * growth[segment]))
    return np.unique(np.concatenate((rows, between[left > 0])))


def read_view(
    share_retrieved: ArrayLike,
    hits: ArrayLike,
    *,
    prevalence: float,
    n_rows: int,
    perfect: Perfect | None,
    total_weight: float | None,
    x_axis: HitsX,
    y_axis: HitsY,
    max_k: int | float | None,
) -> HitView:
    """Return a hit curve with the number of rows at each of its points; refuse unknown units."""
    check_option("x_axis", x_axis, get_args(HitsX))
    check_option("y_axis", y_axis, get_args(HitsY))
    samples, h = np.asarray(share_retrieved, dtype=np.float64), np.asarray(hits, dtype=np.float64)
    n_samples = float(_whole_where_near(n_rows / samples[-1]))
    shares, best = perfect or ((0.0, prevalence, 1.0), (0.0, prevalence, prevalence))
    return HitView(
        n_rows=np.rint(samples / samples[-1] * n_rows),
        h=h,
        n_samples=n_samples,
        prevalence=prevalence,
        weighted=perfect is not None,
        best=(_whole_where_near(np.multiply(shares, n_samples)), np.asarray(best, dtype=np.float64)),
        total_weight=n_samples if total_weight is None else total_weight,
        y_axis=y_axis,
        x_axis=x_axis,
        max_k=read_k(max_k, "max_k"),
    )


def _whole_where_near(counts: ArrayLike) -> FloatArray:
    """Round counts of rows that are whole but for rounding errors; stated totals may be fractions."""
    exact: FloatArray = np.asarray(counts, dtype=np.float64)
    whole = np.rint(exact)
    near: FloatArray = np.where(np.abs(exact - whole) <= 1e-9 * np.maximum(whole, 1), whole, exact)
    return near


def hit_data(rows: RankedRows) -> dict[str, Any]:
    """Rank the rows with their weights and without; return the arguments of the constructor."""
    checked = rows.read()
    curve = hits_of_rows(checked, rows.n_positives)
    n_rows = checked.score.size
    weight: FloatArray = np.ones(n_rows) if checked.weight is None else checked.weight
    return {
        "share_retrieved": curve.share_retrieved,
        "hits": curve.hits,
        "prevalence": curve.prevalence,
        "n_rows": n_rows,
        "perfect": _perfect_curve(weight, weight[checked.positive]) if curve.weighted else None,
        "total_weight": float(weight.sum() / curve.share_retrieved[-1]),  # missed positives included
    }


def _perfect_curve(weight: FloatArray, positive_weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the hit curve of the perfect ranking: positives first, the heaviest of them at the top."""
    # One point per distinct weight is enough: between two, the curve is straight.
    negated, rows = np.unique(-positive_weight, return_counts=True)
    shares = np.append(np.cumsum(np.append(0, rows)) / weight.size, 1.0)
    hits = np.cumsum(np.append(0.0, -negated * rows)) / weight.sum()
    return shares, np.append(hits, hits[-1])
