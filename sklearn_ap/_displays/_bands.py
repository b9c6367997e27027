"""Pointwise bands around a curve: percentiles of the curves of bootstrap samples.

A curve only needs the weight of the cells of its ranking, so each bootstrap sample draws cells, and nothing
is sorted again.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.utils import column_or_1d

from .._api import curve_in
from .._ranking._cells import Cells, cells_of
from .._ranking._rankings import Rankings
from .._reading._queries import distinct_queries, read_numbered
from .._reading._read import Checked
from .._reading._values import on_host
from .._rounding import EQUAL
from .._typing import DrawnArea, FloatArray, IntArray
from .._uncertainty._draws import counts_of_cells, generator_of
from .._uncertainty._estimates import read_n_resamples
from .._uncertainty._results import check_resamples, ends_of_share, read_confidence_level
from .._uncertainty._spread import warn_of_few
from ._figure import Style, style_of
from ._hits import HitView, with_points_between
from ._input import GivenRows

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


_N_LEVELS = 101  # of recall, from 0 to the end of the curve
_TINY = 1e-300
_BAND_STYLE: Style = {"alpha": 0.2, "linewidth": 0}


# Places of a curve, lower and upper end of an interval at each of them, and its confidence level.
Band = tuple[FloatArray, FloatArray, FloatArray, float]
GivenBand = tuple[ArrayLike, ArrayLike, ArrayLike, float]


class Resampling(NamedTuple):
    """What the caller asked of the bootstrap."""

    confidence_level: float
    n_resamples: int
    random_state: int | RandomState | Generator | None
    unit_id: ArrayLike | None = None

    def band(self, x: FloatArray, values: Iterator[FloatArray | None]) -> GivenBand:
        """Return the percentiles of the values, one array per bootstrap sample; None has no positive."""
        kept = np.array([one for one in values if one is not None])
        tails = 0.5 - self.confidence_level / 2, 0.5 + self.confidence_level / 2
        low, high = np.quantile(kept, tails, axis=0)
        return x, low, high, self.confidence_level  # a plain tuple, which pickles by itself


def precision_band(rows: GivenRows, area: DrawnArea, asked: Resampling) -> GivenBand:
    """Return the band of precision at fixed recall, where a curve is joined as its area says.

    A curve that ends before some recall has the precision 0 there, as in its area.
    """
    drawn = _drawn(rows, asked)
    recall = np.linspace(0, drawn.recall_of_all, _N_LEVELS)
    x, low, high, level = asked.band(
        recall, (one.precision_at(recall, area) for one in drawn.resampled(asked))
    )
    found = drawn.itself.precision_at(recall, area)
    assert found is not None, "positives"
    ends = _ends_beyond_rows(drawn, found, 0.5 - asked.confidence_level / 2)
    return x, np.minimum(low, ends[0]), np.maximum(high, ends[1]), level


def hit_band(rows: GivenRows, view: HitView, asked: Resampling) -> GivenBand:
    """Return the band of hits at fixed depth, in the units of the axes."""
    drawn = _drawn(rows, asked)
    deepest = min(view.depth, float(view.n_rows[-1]))
    depth = with_points_between(np.array([0.0, 1.0, deepest]) if deepest > 1 else np.array([0.0, deepest]))
    x, low, high, level = asked.band(
        view.x_of(depth), (one.hits_at(depth, view) for one in drawn.resampled(asked))
    )
    ends = _ends_of_hits(drawn, depth, view, 0.5 - asked.confidence_level / 2)
    return x, np.fmin(low, ends[0]), np.fmax(high, ends[1]), level


def _ends_of_hits(
    drawn: "_DrawnCells", depth: FloatArray, view: HitView, tail: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of hits that the rows of the sample do not exclude; NaN where percentiles do.

    Hits are a share of the positives and of the rows above the cut, and misses of the rows below it. Where
    either are few, a bootstrap says too little: without a miss, that no other sample has one.
    """
    recall = drawn.itself.hits_at(depth, view._replace(y_axis="recall"))
    assert recall is not None, "positives"
    n_positives, ends = drawn.n_positives + drawn.n_missed, np.full((2, depth.size), np.nan)
    if drawn.n_found == drawn.cells.cell.size:  # without negatives
        return ends[0], ends[1]
    per_row = drawn.n_positives / drawn.n_found  # less than 1 where rows of a unit resemble each other
    for place, (share, rows) in enumerate(zip(recall[1:].tolist(), depth[1:].tolist(), strict=True), start=1):
        above, of_all, hits = rows * per_row, view.n_samples * per_row, share * n_positives
        if view.y_axis in ("recall", "lift"):
            low, high = ends_of_share(share, n_positives, above, tail=tail)
            least, most = ends_of_share(1 - share, n_positives, of_all - above, tail=tail)
            ends[:, place] = max(low, 1 - most), min(high, 1 - least)
        else:
            above = max(above, hits)
            ends[:, place] = np.multiply(
                above / n_positives, ends_of_share(hits / above, above, of_all, tail=tail)
            )
    ends[:, 1:] *= view.y_of(depth[1:], np.full(depth.size - 1, view.prevalence))
    if view.y_axis == "lift":
        ends[:, 0] = ends[:, 1]
    return ends[0], ends[1]


def _ends_beyond_rows(drawn: "_DrawnCells", found: FloatArray, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of precision that the rows of the sample do not exclude; no bootstrap draws other rows.

    A precision is a share of the rows retrieved, so it has the ends of Clopper and Pearson: of no negatives
    among 15 positives, others may have a fifth. Of P positives, none is above the recall r with the
    probability (1 - r)^P: then the precision there may be 1. All of them are above it with the probability
    r^P: then it may be that of all rows.
    """
    n_positives, odds = drawn.n_positives, drawn.outweighs
    recall = np.linspace(0, 1, found.size)  # of the positives that have a row
    of_all = drawn.itself.weight
    share = of_all[2::3].sum() / of_all.sum()
    precision, is_last = np.maximum(np.append(found, share), _TINY), recall**n_positives >= tail
    tp = np.append(np.maximum(recall * n_positives, 1.0), n_positives)
    fp = tp * (1 / precision - 1) / odds
    highest = np.where(fp > 0, betaincinv(tp + 1, np.maximum(fp, _TINY), 1 - tail), 1)
    low, high = (end / (end + odds * (1 - end)) for end in (betaincinv(tp, fp + 1, tail), highest))
    low[:-1][is_last] = np.minimum(low[:-1][is_last], low[-1])
    high[:-1][(1 - recall) ** n_positives >= tail] = 1.0
    return np.where(found > 0, low[:-1], 0.0), np.where(found > 0, high[:-1], 0.0)


class _DrawnCells(NamedTuple):
    """The rows of the sample in cells, and the missed positives, each of which is drawn like a row."""

    cells: Cells
    weight: FloatArray | None  # of each row; None if they all weigh the same
    each: float  # what each row weighs then
    unit: IntArray | None  # of each row, which the bootstrap draws whole; None if each row is one
    n_found: int  # positives that have a row
    n_missed: int
    recall_of_all: float
    n_positives: float  # the same: in how many units of equal weight
    outweighs: float  # what a negative weighs, divided by what a positive does

    @property
    def itself(self) -> "_Resample":
        """The sample as it is."""
        weight = self.cells.sums(self.weight) * (self.each if self.weight is None else 1.0)
        return _Resample(self.cells.sums(), weight, self.n_missed * self.each)

    def resampled(self, asked: Resampling) -> "Iterator[_Resample]":
        """Yield bootstrap samples of as many rows and missed positives."""
        cell, n_cells = self.cells.cell, self.cells.n_cells
        n_resamples, rng = asked.n_resamples, generator_of(asked.random_state)
        if self.weight is not None or self.unit is not None:
            n_units = cell.size if self.unit is None else int(self.unit.max()) + 1
            size = np.ones(n_units + self.n_missed, dtype=np.int64)
            for counts in counts_of_cells(size, None, n_resamples, rng):
                for count in counts.astype(np.float64):
                    of_rows = count[:n_units] if self.unit is None else count.take(self.unit)
                    weight = of_rows * (self.each if self.weight is None else self.weight)
                    missed = self.each * float(count[n_units:].sum())
                    yield _Resample(self.cells.sums(of_rows), self.cells.sums(weight), missed)
            return
        size = np.append(np.bincount(cell, minlength=n_cells), self.n_missed)
        with_missed = np.append(cell, np.full(self.n_missed, n_cells))
        for counts in counts_of_cells(size, with_missed, n_resamples, rng):
            for count in counts.astype(np.float64):
                weight = count * self.each
                yield _Resample(count[:-1], weight[:-1], float(weight[-1]))


class _Resample(NamedTuple):
    """How many rows each cell of a bootstrap sample holds, and what they weigh."""

    rows: FloatArray
    weight: FloatArray
    missed: float  # weight of the missed positives

    def precision_at(self, recall: FloatArray, area: DrawnArea) -> FloatArray | None:
        """Return the precision at each recall, as the curve of an area has it; None without positives."""
        above, retrieved, tp_above, tp = _running(self.weight)
        of = tp[-1] + self.missed
        if not of:
            return None
        target = recall * of
        # The first threshold of this recall; at recall 0, the first one with a positive.
        step = np.searchsorted(tp, np.maximum(recall, EQUAL) * of * (1 - EQUAL))
        reached = step < tp.size
        at, found = step[reached], np.zeros(recall.size)
        if area in ("linear", "davis-goadrich"):
            ends = (tp_above[at], tp[at])
            found[reached] = _joined(area, target[reached], above[at], retrieved[at], ends)
            return found
        precision = np.divide(tp, retrieved, out=np.zeros(tp.size), where=retrieved > 0)
        if area in ("interpolated", "eleven-point"):
            precision = np.maximum.accumulate(precision[::-1])[::-1]
        found[reached] = precision[at]
        return found

    def hits_at(self, depth: FloatArray, view: HitView) -> FloatArray | None:
        """Return the hits of each depth in the unit of the vertical axis; None without positives."""
        above, retrieved, _, _ = _running(self.rows)
        _, _, tp_above, tp = _running(self.weight)
        of = tp[-1] + self.missed
        if not of:
            return None
        # A tied group is a straight line from the rows above it to the rows down to it.
        places, found = (np.column_stack(pair).ravel() for pair in ((above, retrieved), (tp_above, tp)))
        hits: FloatArray = np.interp(depth, np.append(0.0, places), np.append(0.0, found))
        if view.y_axis == "weight":
            return hits
        if view.y_axis == "hits":
            return np.asarray(hits / (self.weight.sum() + self.missed))
        recall: FloatArray = hits / of
        if view.y_axis == "lift":
            recall[1:] /= depth[1:] / view.n_samples
            recall[0] = recall[1]  # the first row has the same share of hits in each of its parts
        return recall


def _running(cells: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the rows above each step and down to it, and the positives among them, best step first."""
    tied, gained, gap = cells[1:].reshape(-1, 3)[::-1].T
    # One running sum over both, so that what is above a step is exactly 0 where no row is above it.
    rows = np.cumsum(np.column_stack((gap, tied + gained)))
    tp = np.cumsum(gained)
    return rows[::2], rows[1::2], np.append(0.0, tp[:-1]), tp


def _joined(
    area: str,
    target: FloatArray,
    above: FloatArray,
    retrieved: FloatArray,
    found: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Return the precision where a line or a curve has found so many positives.

    It runs from the step above to the step of the target; `found` are the positives of both.
    """
    tp_above, tp = found
    share = np.clip((target - tp_above) / (tp - tp_above), 0.0, 1.0)
    if area == "linear":
        before = np.divide(tp_above, above, out=np.ones(above.size), where=above > 0)
        return before + share * (tp / retrieved - before)
    # In proportion: from nothing, they keep the share of the first step.
    share = np.where(above > 0, share, 1.0)
    return (tp_above + share * (tp - tp_above)) / (above + share * (retrieved - above))


def _drawn(rows: GivenRows, asked: Resampling) -> _DrawnCells:
    """Read the rows, and put them into cells; refuse what a bootstrap cannot draw."""
    check_resamples(read_confidence_level(asked.confidence_level), read_n_resamples(asked.n_resamples))
    checked = rows.read()
    ranking = curve_in(checked, rows.n_positives).ranking
    positive, unit = checked.positive, _units_of(rows, checked, asked)
    n_found = int(np.count_nonzero(positive))
    missed = _missed_of(rows, ranking)
    n_held = n_found if unit is None else np.unique(unit[positive]).size
    if not n_found or n_held + missed < 2:
        within = "" if unit is None else f", in {n_held} unit{'s' * (n_held != 1)}"
        raise ValueError(
            "plot_band needs at least two positives, one of them among the rows, since one cannot say how "
            f"much positives differ; got {n_found} of {n_found + missed} among the rows{within}."
        )
    weight = checked.weight if ranking.weighted else None
    weights = np.ones(positive.size) if weight is None else weight
    of_positives, of_negatives = weights[positive], weights[~positive]
    held = of_positives if unit is None else np.bincount(unit[positive], of_positives)
    n_effective = float(held.sum() ** 2 / (held**2).sum())
    warn_of_few(n_effective + missed, "positives" if unit is None else "units that hold a positive")
    return _DrawnCells(
        cells_of(positive, checked.score),
        weight,
        1.0 if checked.weight is None else float(checked.weight[0]),
        unit,
        n_found,
        missed,
        float(ranking.n_found[0] / ranking.n_positives[0]),
        n_effective,
        float(of_negatives.mean() / of_positives.mean()) if of_negatives.size else 1.0,
    )


def _missed_of(rows: GivenRows, ranking: Rankings) -> int:
    """Return the number of missed positives, or refuse those that nobody can draw."""
    missed = float(ranking.n_positives[0] - ranking.n_found[0])
    problem = ""
    if rows.n_positives is not None and ranking.weighted:
        problem = "needs equal weights for a band, since the weights of missed positives are unknown"
    elif abs(missed - round(missed)) > 1e-9 * max(missed, 1):
        problem = "must state whole objects for a band, since a bootstrap draws each of them"
    if problem:
        raise ValueError(f"n_positives {problem}; got {rows.n_positives!r}.")
    return round(missed)


def _units_of(rows: GivenRows, checked: Checked, asked: Resampling) -> IntArray | None:
    """Return the unit of each row that has weight."""
    if asked.unit_id is None:
        return None
    weight = (
        None if rows.sample_weight is None else column_or_1d(on_host("sample_weight", rows.sample_weight))
    )
    n_rows = checked.score.size if weight is None else weight.size
    _, unit = distinct_queries(read_numbered(asked.unit_id, n_rows, name="unit_id"))
    return np.unique(unit if weight is None else unit[weight != 0], return_inverse=True)[1]


def read_band(band: object, n_curves: int) -> Band:
    """Check a band that a display was given."""
    if n_curves > 1:
        raise ValueError(
            f"plot_band goes with one curve; got {n_curves}. The folds of a cross-validation share training "
            "rows, so their spread is no interval: pool them by from_predictions(y, "
            "cross_val_predict(..., method='predict_proba')[:, 1], plot_band=True)."
        )
    if band is None:
        raise ValueError("band must be given to draw it; from_predictions and from_estimator compute it.")
    if not (isinstance(band, tuple) and len(band) == 4):
        raise ValueError(f"band must be a tuple (x, low, high, confidence_level); got {band!r}.")
    *ends, level = band
    arrays = [np.asarray(one, dtype=np.float64) for one in ends]
    sizes = {one.shape for one in arrays}
    if len(sizes) > 1 or arrays[0].ndim != 1 or arrays[0].size < 2:
        raise ValueError(f"band must hold three 1-D arrays of one size; got the shapes {sizes}.")
    x, low, high = arrays
    if (np.diff(x) < 0).any() or not (low <= high).all():
        raise ValueError("band must hold rising places, and ends with low <= high; got other numbers.")
    return x, low, high, read_confidence_level(level)


def draw_band(ax: "Axes", line: "Line2D", band: Band, given: Style | None) -> "PolyCollection":
    """Draw a band in the colour of its line; bands of the same level share one legend entry."""
    x, low, high, level = band
    label = f"{round(100 * level, 6):g} % pointwise band"
    style = {"facecolor": line.get_color(), "zorder": 1.2, "label": label, **_BAND_STYLE}
    style = style_of("patch", given, **style)
    if style["label"] in ax.get_legend_handles_labels()[1]:
        style["label"] = "_nolegend_"
    return ax.fill_between(x, low, high, **style)
