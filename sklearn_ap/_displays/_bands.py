"""Bands around a precision-recall curve, pointwise or of the whole curve, from curves of bootstrap samples.

The weights of the cells of a ranking determine its curve. So each bootstrap sample draws the counts of cells,
and the scores are not sorted again.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.utils import column_or_1d

from .._api import curve_in
from .._ranking._cells import Cells, cells_of
from .._reading._queries import distinct_queries, read_numbered
from .._reading._read import Checked
from .._reading._values import on_host
from .._rounding import EQUAL
from .._typing import DrawnArea, FloatArray, IntArray
from .._uncertainty._results import check_resamples, read_confidence_level
from .._uncertainty._sample import counts_of_cells, generator_of, read_n_resamples
from .._uncertainty._sampled_score import FEW_DRAWN, warn_of_few
from ._figure import Style, resolve_style
from ._input import RankedRows

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


_N_LEVELS = 101  # of recall
_AVOIDS_ZERO = 1e-300  # a divisor in place of 0, where the quotient is not used

# Recalls, lower and upper end of precision at each of them, and the confidence level.
Pair = tuple[FloatArray, FloatArray]
Band = tuple[FloatArray, FloatArray, FloatArray, float]
BandArgument = tuple[ArrayLike, ArrayLike, ArrayLike, float]


class Resampling(NamedTuple):
    """The options of the bootstrap."""

    confidence_level: float
    n_resamples: int
    random_state: int | RandomState | Generator | None
    unit_id: ArrayLike | None = None
    simultaneous: bool = False  # whether the band contains the whole curve with the confidence level


PlotBand = bool | Literal["simultaneous"]


def resampling_of(
    plot_band: object,
    confidence_level: float,
    n_resamples: int,
    random_state: int | RandomState | Generator | None,
    unit_id: ArrayLike | None,
) -> Resampling | None:
    """Return the options of the bootstrap; None without a band."""
    if not (isinstance(plot_band, bool) or plot_band == "simultaneous"):
        raise ValueError(f"plot_band must be True, False or 'simultaneous'; got {plot_band!r}.")
    is_simultaneous = plot_band == "simultaneous"
    options = Resampling(confidence_level, n_resamples, random_state, unit_id, is_simultaneous)
    return options if plot_band else None


def precision_band(rows: RankedRows, area: DrawnArea, resampling: Resampling) -> Band:
    """Return the band of precision at fixed recalls; the area defines the curve between thresholds."""
    sample, level = _read_sample(rows, resampling), resampling.confidence_level
    recall = np.linspace(0, 1, _N_LEVELS)
    curves = np.array([precision_at(recall, weight, area) for weight in sample.resamples(resampling)])
    tail = _tail_of_curves(curves, level) if resampling.simultaneous else 0.5 - level / 2
    low, high = np.quantile(curves, (tail, 1 - tail), axis=0)
    weight, precision = sample.cell_weights, precision_at(recall, sample.cell_weights, area)
    share = float(weight[2::3].sum() / weight.sum())
    widest = ends_beyond_rows(precision, sample.n_positives, sample.weight_ratio, share, tail)
    return recall, np.minimum(low, widest[0]), np.maximum(high, widest[1]), level


def _tail_of_curves(curves: FloatArray, level: float) -> float:
    """Return the tail at each recall for which this share of whole curves stays inside at all recalls."""
    in_order, depth = np.sort(curves, axis=0), np.full(len(curves), np.inf)
    for values, column in zip(curves.T, in_order.T, strict=True):
        below, above = np.searchsorted(column, values, "right"), np.searchsorted(column, values, "left")
        depth = np.minimum(depth, np.minimum(below, values.size - above))
    return min(float(np.quantile(depth, 1 - level)) / len(curves), 0.5 - level / 2)


def precision_at(recall: FloatArray, cell_weights: FloatArray, area: str) -> FloatArray:
    """Return the precision of the curve of an area at each recall."""
    # Per step, the best first: the tied negatives, the positives, and the negatives above the step.
    tied, gained, gap = cell_weights[1:].reshape(-1, 3)[::-1].T
    # One running sum over both, so that the weight above a step is exactly 0 if no row is above it.
    sums = np.cumsum(np.column_stack((gap, tied + gained)))
    above, retrieved, tp = sums[::2], sums[1::2], np.cumsum(gained)
    # The first threshold of this recall; at recall 0, the first one with a positive.
    step = np.searchsorted(tp, np.maximum(recall, EQUAL) * tp[-1] * (1 - EQUAL))
    if area in ("linear", "davis-goadrich"):
        tp_above = np.append(0.0, tp[:-1])
        ends = (above[step], retrieved[step]), (tp_above[step], tp[step])
        return _joined(area, recall * tp[-1], *ends)
    precision = np.divide(tp, retrieved, out=np.zeros(tp.size), where=retrieved > 0)
    if area in ("interpolated", "eleven-point"):
        precision = np.maximum.accumulate(precision[::-1])[::-1]
    at_levels: FloatArray = precision[step]
    return at_levels


def _joined(area: str, hits: FloatArray, rows: Pair, tps: Pair) -> FloatArray:
    """Return the precision at these hits, on the line or curve from the step above to this step."""
    (above, retrieved), (tp_above, tp) = rows, tps
    share = np.clip((hits - tp_above) / (tp - tp_above), 0.0, 1.0)
    if area == "linear":
        before = np.divide(tp_above, above, out=np.ones(above.size), where=above > 0)
        return before + share * (tp / retrieved - before)
    # Davis-Goadrich: hits and rows grow in proportion; before the first step, precision is constant.
    share = np.where(above > 0, share, 1.0)
    return (tp_above + share * (tp - tp_above)) / (above + share * (retrieved - above))


class _Sample(NamedTuple):
    """The rows in cells, with the numbers that a bootstrap needs."""

    cells: Cells
    weight: FloatArray | None  # of each row; None if they have equal weights
    unit: IntArray | None  # of each row; the bootstrap draws whole units. None if each row is a unit
    n_positives: float  # effective number: of units with equal weights that have the same variance
    weight_ratio: float  # mean weight of a negative, divided by that of a positive

    @property
    def cell_weights(self) -> FloatArray:
        """Weight of the rows of each cell."""
        return self.cells.sums(self.weight)

    def resamples(self, resampling: Resampling) -> Iterator[FloatArray]:
        """Yield the weight of each cell in each bootstrap sample that has a positive."""
        rows, n_cells = self.cells.cell, self.cells.n_cells
        # Without weights and units, the counts of cells are multinomial, and no row need be drawn.
        by_cell = self.weight is None and self.unit is None
        size = np.bincount(rows, minlength=n_cells)
        if not by_cell:
            n_units = rows.size if self.unit is None else int(self.unit.max()) + 1
            size = np.ones(n_units, dtype=np.int64)
        rng = generator_of(resampling.random_state)
        for counts in counts_of_cells(size, resampling.n_resamples, rng):
            for count in counts.astype(np.float64):
                weight = count if by_cell else self._weigh_cells(count)
                if weight[2::3].any():  # the cells of positives
                    yield weight

    def _weigh_cells(self, count: FloatArray) -> FloatArray:
        row_counts = count if self.unit is None else count.take(self.unit)
        return self.cells.sums(row_counts if self.weight is None else row_counts * self.weight)


def ends_beyond_rows(
    precision: FloatArray, n_positives: float, odds: float, prevalence: float, tail: float
) -> Pair:
    """Return the ends of precision that the sample does not exclude, since a bootstrap draws no other rows.

    A precision is a share of the retrieved rows, so it has the ends of Clopper and Pearson: without a
    negative among 15 positives, the share of negatives may still be a fifth. With probability (1 - r)^P, none
    of P positives is above the recall r, and the precision there may be 1. With probability r^P, all of them
    are above it, and the precision may be that of all rows. `odds` are
    the mean weight of a negative divided by that of a positive.
    """
    recall = np.linspace(0, 1, precision.size)
    tp = np.append(np.maximum(recall * n_positives, 1.0), n_positives)
    fp = tp * (1 / np.maximum(np.append(precision, prevalence), _AVOIDS_ZERO) - 1) / odds
    highest = np.where(fp > 0, betaincinv(tp + 1, np.maximum(fp, _AVOIDS_ZERO), 1 - tail), 1)
    low, high = (end / (end + odds * (1 - end)) for end in (betaincinv(tp, fp + 1, tail), highest))
    is_last = recall**n_positives >= tail
    low[:-1][is_last] = np.minimum(low[:-1][is_last], low[-1])
    high[:-1][(1 - recall) ** n_positives >= tail] = 1.0
    return np.where(precision > 0, low[:-1], 0.0), np.where(precision > 0, high[:-1], 0.0)


def _read_sample(rows: RankedRows, resampling: Resampling) -> _Sample:
    """Read the rows and put them into cells; refuse samples that a bootstrap cannot draw."""
    n_resamples = read_n_resamples(resampling.n_resamples)
    check_resamples(read_confidence_level(resampling.confidence_level), n_resamples)
    if rows.n_positives is not None:
        raise ValueError(
            "plot_band=True requires all positives among the rows, since a bootstrap draws rows; got "
            f"n_positives={rows.n_positives!r}."
        )
    checked = rows.read()
    positive, unit = checked.positive, _read_units(rows, checked, resampling)
    n_units = np.count_nonzero(positive) if unit is None else np.unique(unit[positive]).size
    if n_units < 2:
        noun = "positives" if unit is None else "units with a positive"
        raise ValueError(
            f"plot_band=True requires at least two {noun}, since a single one has no spread; got {n_units}."
        )
    is_weighted = curve_in(checked).ranking.weighted
    weights = checked.weight if is_weighted and checked.weight is not None else np.ones(positive.size)
    positive_weights, negative_weights = weights[positive], weights[~positive]
    unit_weights = positive_weights if unit is None else np.bincount(unit[positive], positive_weights)
    n_effective = float(unit_weights.sum() ** 2 / (unit_weights**2).sum())
    warn_of_few(n_effective, "positives" if unit is None else "units that contain a positive", FEW_DRAWN)
    ratio = float(negative_weights.mean() / positive_weights.mean()) if negative_weights.size else 1.0
    cells = cells_of(positive, checked.score)
    return _Sample(cells, weights if is_weighted else None, unit, n_effective, ratio)


def _read_units(rows: RankedRows, checked: Checked, resampling: Resampling) -> IntArray | None:
    """Return the unit of each row that has weight."""
    if resampling.unit_id is None:
        return None
    has_weight = np.ones(checked.score.size, dtype=bool)
    if rows.sample_weight is not None:
        has_weight = column_or_1d(on_host("sample_weight", rows.sample_weight)) != 0
    _, unit = distinct_queries(read_numbered(resampling.unit_id, has_weight.size, name="unit_id"))
    return np.unique(unit[has_weight], return_inverse=True)[1]


def read_band(band: object, n_curves: int) -> Band:
    """Check the argument `band` of a display."""
    if n_curves > 1:
        raise ValueError(
            f"plot_band=True requires a single curve; got {n_curves}. The folds of a cross-validation share "
            "training rows, so their spread is not an interval: pool them by from_predictions(y, "
            "cross_val_predict(..., method='predict_proba')[:, 1], plot_band=True)."
        )
    if not (isinstance(band, tuple) and len(band) == 4):
        raise ValueError(
            "band must be a tuple (recall, low, high, confidence_level), as from_predictions and "
            f"from_estimator compute it with plot_band=True; got {band!r}."
        )
    recall, low, high = (np.asarray(values, dtype=np.float64) for values in band[:3])
    return recall, low, high, read_confidence_level(band[3])


def draw_band(ax: "Axes", line: "Line2D", band: Band, band_kwargs: Style | None) -> "PolyCollection":
    """Draw a band in the colour of its line; bands of the same level share one legend entry."""
    x, low, high, level = band
    defaults = {"facecolor": line.get_color(), "alpha": 0.2, "linewidth": 0, "zorder": 1.2}
    label = f"{round(100 * level, 6):g} % pointwise band"
    style = resolve_style("patch", band_kwargs, **defaults, label=label)
    if style["label"] in ax.get_legend_handles_labels()[1]:
        style["label"] = "_nolegend_"
    return ax.fill_between(x, low, high, **style)
