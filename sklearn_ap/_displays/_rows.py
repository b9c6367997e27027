"""The rows that curves are drawn of, from labels and scores, an estimator or folds; and
the band of a curve.

The weights of the cells of a ranking determine its curve. So each bootstrap sample of a
band draws the counts of cells, and the scores are not sorted again.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self, TypeVar, get_args

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from scipy.stats import rankdata
from sklearn.utils import column_or_1d

from .._curves import read_columns
from .._estimators import (
    is_multilabel,
    labelled,
    positive_class,
    response_of,
    rows_of,
    tested_folds,
)
from .._ranking._cells import Cells, cells_of
from .._reading._options import check_option
from .._reading._read import Checked
from .._reading._values import on_host
from .._rounding import EQUAL
from .._typing import (
    Estimator,
    Features,
    FloatArray,
    Input,
    IntArray,
    Label,
    ResponseMethod,
    Totals,
)
from .._uncertainty._estimates import FEW_DRAWN, warn_of_few
from .._uncertainty._results import check_resamples, read_confidence_level
from .._uncertainty._sample import (
    counts_of_cells,
    generator_of,
    read_n_resamples,
    unit_numbers,
)
from ._figure import Style, import_pyplot

RECALLS = np.linspace(0, 1, 101)  # of a band
_AVOIDS_ZERO = 1e-300  # a divisor in place of 0, where the quotient is not used

_Value = TypeVar("_Value")
Pair = tuple[FloatArray, FloatArray]
# recalls, ends of precision, and an entry of a legend
Band = tuple[FloatArray, FloatArray, FloatArray, str]


class DrawnRows(NamedTuple):
    """The rows of each curve, with its total of positives if that was stated."""

    curves: list[tuple[Checked, Totals | None]]
    # for the labels of axes; None if each curve has a class of its own
    pos_label: Label | None
    classes: list[Label] | None  # these classes, or the labels of a matrix

    @classmethod
    def from_predictions(
        cls,
        inputs: Input,
        *,
        positive: Label | None = None,
        classes: list[Label] | None = None,
    ) -> Self:
        """Read the rows of one ranking, or of each class against the rest.

        An estimator has a `positive` class, or the `classes` of columns; its labels may
        be booleans.
        """
        pos_label, y_true = inputs.pos_label, inputs.y_true
        if pos_label is not None and is_multilabel(inputs.y_score):
            raise ValueError(
                f"pos_label must be left out for several columns of y_score; got {pos_label!r}."
            )
        curves = read_columns(inputs, "from_predictions")
        if len(curves) > 1 and classes is None:
            labels: Any = (
                range(len(curves))
                if is_multilabel(y_true)
                else on_host("y_true", y_true)
            )
            classes = np.unique(labels).tolist()
        if classes is None and positive is None:
            positive = 1 if pos_label is None else pos_label
        return cls(curves, positive, classes)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        response_method: ResponseMethod,
        pos_label: Label | None,
        **options: Any,
    ) -> Self:
        """Score the rows by an estimator, with the rules of this package's scorers."""
        import_pyplot()  # raises before the estimator is called
        check_option("response_method", response_method, get_args(ResponseMethod))
        methods = (
            ("predict_proba", "decision_function")
            if response_method == "auto"
            else response_method
        )
        y = on_host("y", y)
        response = response_of(estimator, X, methods)
        labels, scores, named = labelled(estimator, response, y, pos_label)
        inputs = Input(labels, scores, pos_label=named, **options)
        classes: Any = on_host("classes_", getattr(estimator, "classes_", None))
        classes = np.asarray(classes) if isinstance(classes, list) else classes
        if is_multilabel(y) or classes is None:  # outlier detectors have no classes
            return cls.from_predictions(inputs)
        if len(classes) > 2:
            present = classes[np.isin(classes, y)].tolist()  # as `labelled` keeps
            return cls.from_predictions(inputs, classes=present)
        return cls.from_predictions(
            inputs, positive=positive_class(np.ravel(classes), pos_label)
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Style,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        response_method: ResponseMethod,
        pos_label: Label | None,
        *,
        sample_weight: ArrayLike | None,
    ) -> Self:
        """Score the test rows of each fold by its estimator."""
        curves = []
        for estimator, rows in tested_folds(
            cv_results, X, y, sample_weight=sample_weight
        ):
            weight = None if sample_weight is None else rows_of(sample_weight, rows)
            tested = rows_of(X, rows), rows_of(y, rows)
            fold = cls.from_estimator(
                estimator, *tested, response_method, pos_label, sample_weight=weight
            )
            if fold.classes is not None:
                raise ValueError(
                    "y must be binary, since a curve per class and fold would hide each other; got "
                    f"{len(fold.classes)} classes or labels. Pool the folds: from_predictions(y, "
                    "cross_val_predict(estimator, X, y, method='predict_proba'))."
                )
            curves += fold.curves
        return fold._replace(curves=curves)


def unwrap_single(values: list[_Value]) -> _Value | list[_Value]:
    """Return the only value of a list of length 1, as scikit-learn's displays do for a
    single curve.
    """
    return values[0] if len(values) == 1 else values


def number_per_curve(
    name: str, values: ArrayLike | None, n_curves: int
) -> list[float] | None:
    """Return one number per curve, or None."""
    if values is None:
        return None
    numbers: list[float] = np.ravel(np.asarray(values, dtype=object)).tolist()
    if len(numbers) != n_curves:
        raise ValueError(
            f"{name} must contain a number for each of {n_curves} curves; got {values!r}."
        )
    return numbers


class Resampling(NamedTuple):
    """The options of a bootstrap of rows."""

    # "simultaneous" if the band contains the whole curve with the confidence level
    plot_band: bool | str
    confidence_level: float
    n_resamples: int
    random_state: int | RandomState | Generator | None
    unit_id: ArrayLike | None = None
    # of all rows; `Checked` has lost those of weight 0
    sample_weight: ArrayLike | None = None

    def precision_band(self, checked: Checked) -> Band:
        """Return the band of precision at fixed recalls."""
        if self.plot_band not in (True, "simultaneous"):
            raise ValueError(
                f"plot_band must be True, False or 'simultaneous'; got {self.plot_band!r}."
            )
        level, n_resamples = self.confidence_level, read_n_resamples(self.n_resamples)
        check_resamples(read_confidence_level(level), n_resamples)
        positive, unit = checked.positive, self._read_units(checked.score.size)
        n_units = (
            np.count_nonzero(positive)
            if unit is None
            else np.unique(unit[positive]).size
        )
        noun = "positives" if unit is None else "units that contain a positive"
        if n_units < 2:
            raise ValueError(
                f"plot_band=True requires at least two {noun}, since a single one has no spread; got "
                f"{n_units}."
            )
        weight = (
            checked.weight
            if checked.weight is not None and np.ptp(checked.weight)
            else None
        )
        weights = np.ones(positive.size) if weight is None else weight
        n_effective = effective_number(checked, weights, unit)
        warn_of_few(n_effective, noun, FEW_DRAWN)
        cells = cells_of(positive, checked.score)
        resamples = _resampled_weights(
            cells, weight, unit, n_resamples, generator_of(self.random_state)
        )
        curves = np.array(
            [precision_at(RECALLS, cell_weights) for cell_weights in resamples]
        )
        is_simultaneous = self.plot_band == "simultaneous"
        tail = _tail_of_curves(curves, level) if is_simultaneous else 0.5 - level / 2
        ends = np.quantile(curves, (tail, 1 - tail), axis=0)
        odds = (
            1.0
            if positive.all()
            else float(weights[~positive].mean() / weights[positive].mean())
        )
        share = float(weights[positive].sum() / weights.sum())
        precision = precision_at(RECALLS, cells.sums(weight))
        shares: Style = {"odds": odds, "prevalence": share, "tail": tail}
        kind = "simultaneous" if is_simultaneous else "pointwise"
        low, high = beyond_rows((ends[0], ends[1]), precision, n_effective, **shares)
        return RECALLS, low, high, f"{round(100 * level, 6):g} % {kind} band"

    def _read_units(self, n_rows: int) -> IntArray | None:
        """Return the unit of each row that has weight; None if the rows are units."""
        if self.unit_id is None:
            return None
        weight = self.sample_weight
        weight = (
            np.ones(n_rows)
            if weight is None
            else column_or_1d(on_host("sample_weight", weight))
        )
        unit = unit_numbers("unit_id", self.unit_id, weight.size)
        return np.unique(unit[weight != 0], return_inverse=True)[1]


def effective_number(
    checked: Checked, weight: FloatArray, unit: IntArray | None
) -> float:
    """Return how many positives of equal weight, or units that contain as many, have
    the same variance.
    """
    positive = checked.positive
    sizes = weight[positive] if unit is None else np.bincount(unit, weight * positive)
    return float(sizes.sum() ** 2 / np.square(sizes).sum())


def _resampled_weights(
    cells: Cells,
    weight: FloatArray | None,
    unit: IntArray | None,
    n_resamples: int,
    rng: Generator,
) -> Iterator[FloatArray]:
    """Yield the weight of each cell in each bootstrap sample that has a positive."""
    weights = np.ones(cells.cell.size) if weight is None else weight
    units = np.arange(cells.cell.size) if unit is None else unit
    # Without weights and units, the counts of cells are multinomial, and no row need be
    # drawn.
    by_cell = weight is None and unit is None
    size = np.bincount(cells.cell, minlength=cells.n_cells)
    if not by_cell:
        size = np.ones(int(units.max()) + 1, dtype=np.int64)
    for counts in counts_of_cells(size, n_resamples, rng):
        for count in counts.astype(np.float64):
            cell_weights = count if by_cell else cells.sums(count[units] * weights)
            if cell_weights[2::3].any():  # the cells of positives
                yield cell_weights


def precision_at(recall: FloatArray, cell_weights: FloatArray) -> FloatArray:
    """Return the precision at the first threshold that reaches each recall."""
    # Per step, the best first: the tied negatives, the positives, and the negatives
    # above the step.
    tied, gained, gap = cell_weights[1:].reshape(-1, 3)[::-1].T
    tp = np.cumsum(gained)
    retrieved = np.cumsum(tied + gained + gap)
    precision = np.divide(tp, retrieved, out=np.zeros(tp.size), where=retrieved > 0)
    # At recall 0, the first threshold with a positive.
    return np.asarray(
        precision[np.searchsorted(tp, np.maximum(recall, EQUAL) * tp[-1] * (1 - EQUAL))]
    )


def _tail_of_curves(curves: FloatArray, level: float) -> float:
    """Return the tail at each recall for which this share of whole curves stays inside
    at all recalls.
    """
    below = rankdata(curves, "max", axis=0)
    above = len(curves) + 1 - rankdata(curves, "min", axis=0)
    depth = np.minimum(below, above).min(axis=1)
    return min(float(np.quantile(depth, 1 - level)) / len(curves), 0.5 - level / 2)


def beyond_rows(
    ends: Pair,
    precision: FloatArray,
    n_positives: float,
    *,
    odds: float,
    prevalence: float,
    tail: float,
) -> Pair:
    """Widen a band to the precisions that the sample does not exclude, since a
    bootstrap draws no other rows.

    A precision is a share of the retrieved rows, so it has the ends of Clopper and
    Pearson: without a negative among 15 positives, the share of negatives may still be
    a fifth. With probability (1 - r)^P, none of P positives is above the recall r, and
    the precision there may be 1. With probability r^P, all of them are above it, and
    the precision may be that of all rows. `odds` are the mean weight of a negative
    divided by that of a positive.
    """
    recall = np.linspace(0, 1, precision.size)
    tp = np.append(np.maximum(recall * n_positives, 1.0), n_positives)
    fp = (
        tp * (1 / np.maximum(np.append(precision, prevalence), _AVOIDS_ZERO) - 1) / odds
    )
    best = np.where(
        fp > 0, betaincinv(tp + 1, np.maximum(fp, _AVOIDS_ZERO), 1 - tail), 1
    )
    lowest, highest = (
        end / (end + odds * (1 - end)) for end in (betaincinv(tp, fp + 1, tail), best)
    )
    lowest[:-1] = np.where(
        recall**n_positives >= tail, np.minimum(lowest[:-1], lowest[-1]), lowest[:-1]
    )
    highest[:-1][(1 - recall) ** n_positives >= tail] = 1.0
    lowest, highest = (
        np.where(precision > 0, widest[:-1], 0.0) for widest in (lowest, highest)
    )
    return np.minimum(ends[0], lowest), np.maximum(ends[1], highest)
