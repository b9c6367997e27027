"""The rows that curves are drawn of, from labels and scores, an estimator or folds."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._core.curves import read_columns
from .._core.estimators import (
    is_multilabel,
    labelled,
    response_of,
)
from .._core.evaluate import curve_in
from .._core.reading.names import column_names, warn_of_other_order
from .._core.reading.options import check_option
from .._core.reading.read import CheckedRows
from .._core.reading.values import on_host
from .._core.typing import (
    AnyArray,
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
from .figure import Style, import_pyplot

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
        for estimator, rows in _tested_folds(cv_results, X, y, sample_weight):
            weight = None if sample_weight is None else _rows_of(sample_weight, rows)
            tested = _rows_of(X, rows), _rows_of(y, rows)
            fold = cls.from_estimator(
                estimator, *tested, response_method, pos_label, sample_weight=weight
            )
            if fold.classes is not None:
                raise ValueError(
                    "y must be binary, since a curve per class and fold would hide "
                    f"each other; got {len(fold.classes)} classes or labels. Pool the "
                    "folds: from_predictions(y, cross_val_predict(estimator, X, y, "
                    "method='predict_proba'))."
                )
            curves += fold.curves
        return fold._replace(curves=curves)


def _tested_folds(
    cv_results: Mapping[str, Any],
    X: Features,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
) -> list[tuple[Estimator, AnyArray]]:
    """Pair the estimator of each fold with its test rows; refuse data and values of
    another size.
    """
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results must contain {key!r}, as cross_validate(..., "
                "return_estimator=True, return_indices=True) returns it; got the keys "
                f"{list(cv_results)}."
            )
    tests = map(np.asarray, cv_results["indices"]["test"])
    tested = [np.flatnonzero(rows) if rows.dtype == bool else rows for rows in tests]
    # The splits contain row numbers only, so other data of the same size cannot be
    # noticed.
    needed = 1 + max(int(np.max(rows)) for rows in tested)
    data = {"y": y, "X": X, "sample_weight": sample_weight}
    n_rows = {
        name: _n_rows(values) for name, values in data.items() if values is not None
    }
    for name, n_values in n_rows.items():
        if n_values < needed or n_values != n_rows["y"]:
            raise ValueError(
                f"{name} must contain the rows that cv_results was made with, at least "
                f"{needed} and as many as y; got {n_values}."
            )
    return list(zip(cv_results["estimator"], tested, strict=True))


def _n_rows(values: Features) -> int:  # a scalar has none
    if isinstance(values, list | tuple):
        return len(values)
    return int((*np.shape(values), 0)[0])


def _rows_of(values: Features, rows: AnyArray) -> Features:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(values, "iloc"):  # plain indexing of a data frame would select columns
        return values.iloc[rows]
    if issparse(values):  # not every sparse format can be indexed
        return values.tocsr()[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows]
    return values[rows]


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
        ranking, points = curve_in(checked, n_positives)
        total = ranking.n_positives.item()
        return band_by_influence(checked, points, total, unit, level=level)
