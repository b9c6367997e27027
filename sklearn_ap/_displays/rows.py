"""The rows that curves are drawn of, from labels and scores, or an estimator."""

from typing import Any, NamedTuple, Self, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import read_columns
from .._core.estimators import (
    is_multilabel,
    labelled,
    response_of,
)
from .._core.evaluate import points_in
from .._core.reading.names import column_names, warn_of_other_order
from .._core.reading.options import check_option
from .._core.reading.read import CheckedRows
from .._core.reading.values import on_host
from .._core.typing import (
    ArrayLikeOrMapping,
    Estimator,
    Features,
    Label,
    PassedRows,
    ResponseMethod,
)
from .._uncertainty.influence import n_equal, sums_of_units
from .._uncertainty.results import read_confidence_level
from .._uncertainty.sample import unit_numbers
from .._uncertainty.standard_errors import FEW_DRAWN, warn_of_few
from .band import Band, band_by_influence
from .figure import import_pyplot

_Value = TypeVar("_Value")


class DrawnRows(NamedTuple):
    """The rows of each curve, with its total of positives if that was stated."""

    curves: list[tuple[CheckedRows, ArrayLikeOrMapping | None]]
    # Positive class in the labels of axes; None if each curve has a class of its own.
    pos_label: Label | None
    classes: list[Label] | None  # classes of the curves, or the labels of a matrix

    @classmethod
    def from_predictions(
        cls,
        inputs: PassedRows,
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
                "pos_label must be left out for several columns of y_score; got "
                f"{pos_label!r}."
            )
        curves = read_columns(inputs, "from_predictions")
        if len(curves) > 1 and classes is None:
            classes = column_names(y_true) or []
            # Without names, with one twice, or with a missing one.
            if None in classes or len({*map(str, classes)}) < len(curves):
                classes = list(range(len(curves)))
            if not is_multilabel(y_true):
                classes = np.unique(on_host("y_true", y_true)).tolist()
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
        methods: Any = response_method
        if response_method == "auto":
            methods = "predict_proba", "decision_function"
        y = on_host("y", y)
        response = response_of(estimator, X, methods, pos_label)
        warn_of_other_order({"y": y, "response": response, **options})
        rows = labelled(estimator, response, y, pos_label)
        if rows.positive is not None:
            pos_label = None
        return cls.from_predictions(
            PassedRows(rows.labels, rows.scores, pos_label=pos_label, **options),
            positive=rows.positive,
            classes=rows.classes,
        )


def unwrap_single(values: list[_Value]) -> _Value | list[_Value]:
    """Return the only value of a list of length 1, as scikit-learn's displays do for a
    single curve.
    """
    if len(values) == 1:
        return values[0]
    return values


def number_per_curve(
    name: str, values: ArrayLike | None, n_curves: int
) -> list[float] | None:
    """Return one number per curve, or None."""
    if values is None:
        return None
    numbers: list[float] = np.ravel(values).tolist()
    if len(numbers) != n_curves:
        raise ValueError(
            f"{name} must contain a number for each of {n_curves} curves; got "
            f"{values!r}."
        )
    return numbers


class BandOptions(NamedTuple):
    """The options of a band: its level, and the units that were drawn."""

    plot_band: bool
    confidence_level: float
    unit_id: ArrayLike | None
    # Weights of all rows as passed: `CheckedRows` lacks the rows of weight 0.
    sample_weight: ArrayLike | None

    def band(
        self, checked: CheckedRows, n_positives: ArrayLikeOrMapping | None
    ) -> Band:
        """Return the band of precision of a curve."""
        level = read_confidence_level(self.confidence_level)
        positive, unit, noun = checked.positive, None, "positives"
        if self.unit_id is not None:
            n_rows = positive.size
            if self.sample_weight is not None:
                n_rows = np.size(on_host("sample_weight", self.sample_weight))
            unit = unit_numbers(self.unit_id, n_rows, self.sample_weight)
            noun = "units that contain a positive"
        weight = np.ones(positive.size) if checked.weight is None else checked.weight
        of_units = sums_of_units(weight * positive, unit)
        n_units = np.count_nonzero(of_units)
        if n_units < 2:
            raise ValueError(
                f"plot_band=True requires at least two {noun}, since a single one has "
                f"no spread; got {n_units}."
            )
        warn_of_few(n_equal(of_units), noun, FEW_DRAWN)
        ranking, points = points_in(checked, n_positives)
        total = ranking.n_positives.item()
        return band_by_influence(checked, points, total, unit, level=level)
