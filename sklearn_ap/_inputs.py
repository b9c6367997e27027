"""What the caller passed, read and checked once.

`read` (scores) and `read_curve` (curves) return a `Checked`: the type proves that the check happened, and
nothing downstream checks again. What is not plain to see, and what scikit-learn refuses, goes through its
public validators, so those errors are its own; what it accepts in silence and should not is refused here,
by name.
"""

from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from ._array_api import on_host
from ._gate import Checked, is_average, recognise
from ._missing import is_missing, refuse_mask
from ._queries import distinct_queries, id_like, read_ids
from ._typing import AnyArray, BoolArray, FloatArray, Label, Totals

_LARGEST = 2**53  # up to here float64 holds every integer


def read(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    average: str | None,
    pos_label: Label,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None,
) -> Checked:
    """Check what a score was given; `caller` is the public function, for scikit-learn's error texts."""
    options = {"average": average, "pos_label": pos_label}
    checked = recognise(y_true, y_score, sample_weight, **options)
    if checked is None:
        given = _on_host(y_true, y_score, sample_weight)
        checked = recognise(*given.values(), **options)
    if checked is None:
        _check_like(average_precision_score, caller, **given, **options)
        checked = _read_carefully(**given, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=_read_query(query_id, checked.positive, average))
    rows_are_rankings = average == "samples" and checked.positive.ndim == 2
    return checked if rows_are_rankings else _without_weightless_rows(checked)


def _on_host(y_true: Any, y_score: Any, sample_weight: Any) -> dict[str, Any]:
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    return {name: on_host(name, values) for name, values in given.items()}


def _read_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    if sample_weight is not None:
        sample_weight = column_or_1d(sample_weight)
    labels, kind = _read_labels(y_true)
    positive = _positive(labels, kind, pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    score = _read_vector(y_score) if positive.ndim == 1 else _read_matrix(y_score, positive, kind)
    weight = _read_weight(sample_weight, copies=positive[0].size)
    return Checked(positive, score, (score.min(), score.max()), weight)


def read_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None = None,
) -> Checked:
    """Check what a curve was given; `caller` is the public function, for scikit-learn's error texts."""
    given = _on_host(y_true, y_score, sample_weight)
    checked = recognise(*given.values(), average=None, pos_label=1 if pos_label is None else pos_label)
    if checked is None or not _is_curve(checked, given["y_true"], pos_label):
        _check_like(precision_recall_curve, caller, pos_label=pos_label, **given)
        checked = _read_curve_carefully(**given, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=read_ids(query_id, checked.positive.size))
    checked = _without_weightless_rows(checked)
    if checked.query is not None:
        _check_lone(checked.query)
    return checked


def _is_curve(checked: Checked, labels: Any, pos_label: Label | None) -> bool:
    """Whether there is a single ranking, and no doubt which label is positive."""
    if checked.positive.ndim != 1 or pos_label is not None:
        return checked.positive.ndim == 1
    labels = np.asarray(labels)
    return bool(labels.min() >= -1 and labels.max() <= 1)


def _read_curve_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label | None
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    labels, kind = _read_labels(y_true)
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{kind} format is not supported")
    labels = labels.ravel()
    positive = labels == (_inferred_pos_label(labels) if pos_label is None else pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    weight, score = _read_weight(sample_weight), _read_vector(y_score)
    return Checked(positive, score, (score.min(), score.max()), weight)


def _check_lone(query: AnyArray) -> None:
    several = len(distinct_queries(query)[0])
    if several > 1:
        raise ValueError(
            f"query_id holds {several} queries, but a curve is of one ranking; pass the rows of one query. "
            "The mean over queries is a score: average_precision_score(..., query_id=...)."
        )


def check_option(name: str, value: object, options: Collection[str]) -> None:
    """Refuse a value that is none of the options."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")


def _is_real(value: Any) -> bool:
    """Whether the value is a real number, bools and NaN not counted."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and value == value


def _is_integer(value: Any) -> bool:
    """Whether the value is an integer, bools not counted."""
    return isinstance(value, Integral) and _is_real(value)


def read_zero_division(zero_division: Any) -> float | str:
    """Check `zero_division`: "warn", 0, 1 or NaN."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return "warn"
    number = isinstance(zero_division, Real | np.bool_)
    if number and (zero_division in (0, 1) or zero_division != zero_division):
        return float(zero_division)
    raise ValueError(f"zero_division must be 'warn', 0.0, 1.0 or nan; got {zero_division!r}.")


def read_totals(n_positives: Totals | None, query: AnyArray | None) -> FloatArray | dict[Any, float] | None:
    """Check `n_positives`: a number, a number a ranking, or with query ids a mapping (or pandas Series)."""
    if n_positives is None:
        return None
    refuse_mask("n_positives", n_positives)
    n_positives = on_host("n_positives", n_positives)
    if isinstance(n_positives, Mapping) or (query is not None and hasattr(n_positives, "items")):
        if query is None:
            raise ValueError(
                f"n_positives maps query ids to totals, but query_id is None; got {n_positives!r}."
            )
        named = list(n_positives.items())
        if any(is_missing(name) for name, _ in named):
            raise ValueError(f"n_positives must name queries; got {n_positives!r}.")
        totals: Any = {id_like(query, name): total for name, total in named}
        if len(totals) < len(named):
            raise ValueError(f"n_positives must name each query once; got {n_positives!r}.")
        values = list(totals.values())
    else:
        totals = np.array(n_positives, dtype=object)
        values = totals.ravel().tolist()
        if totals.ndim > (1 if query is None else 0):
            wanted = "one number a ranking" if query is None else "a mapping {query: total}"
            raise ValueError(f"n_positives must be a number or {wanted}; got {n_positives!r}.")
    if not all(map(_is_total, values)) or not np.isfinite(sum(map(float, values))):
        raise ValueError(f"n_positives must be numbers, not negative, of a finite sum; got {n_positives!r}.")
    return totals if isinstance(totals, dict) else totals.astype(np.float64)


def _is_total(value: Any) -> bool:
    try:
        return _is_real(value) and 0 <= float(value) < np.inf
    except OverflowError:
        return False


def read_recall_levels(recall_levels: Any) -> int | FloatArray | None:
    """Check `recall_levels`: None, an integer of at least 2, or recall levels, which are returned sorted."""
    if recall_levels is None:
        return None
    refuse_mask("recall_levels", recall_levels)
    recall_levels = on_host("recall_levels", recall_levels)
    if _is_integer(recall_levels) and 2 <= recall_levels < _LARGEST:
        return int(recall_levels)
    wanted = "recall_levels must be None, an integer >= 2 (below 2**53) or a 1-D array of levels in [0, 1]"
    try:
        levels = np.sort(np.asarray(recall_levels, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{wanted}; got {recall_levels!r}.") from None
    if levels.ndim != 1 or not levels.size or not (levels[0] >= 0 and levels[-1] <= 1):
        raise ValueError(f"{wanted}; got {recall_levels!r}.")
    return levels


def read_k(k: Any) -> int | float | None:
    """Check `k`: None, an integer of at least 1, or a share in (0, 1]."""
    if k is None:
        return None
    if _is_integer(k) and 1 <= k < _LARGEST:
        return int(k)
    if _is_real(k) and not _is_integer(k) and 0 < k <= 1:
        return float(k)
    raise ValueError(
        "k must be None, an integer >= 1 (rows, below 2**53) or a float in (0, 1] (share of the rows); "
        f"got {k!r}."
    )


def _check_like(reference: Callable[..., Any], caller: str, **given: Any) -> None:
    """Where scikit-learn's decorator would refuse a parameter, raise its own error.

    The class of that error (ValueError and TypeError at once) is private, so the reference is made to raise
    it: every other argument of that call is valid.
    """
    for name, value in given.items():
        refuse_mask(name, value)
        if _well_typed(name, value, pos_label_optional=reference is precision_recall_curve):
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            raise type(error)(str(error).replace(reference.__name__, caller)) from None


def _well_typed(name: str, value: Any, *, pos_label_optional: bool) -> bool:
    match name:
        case "average":
            return is_average(value)
        case "pos_label":
            return isinstance(value, Real | str | np.bool_) or (value is None and pos_label_optional)
        case "sample_weight" if value is None:
            return True
        case "y_true" if issparse(value):
            return True
        case _:
            sized = any(hasattr(value, has) for has in ("__len__", "shape", "__array__"))
            return sized and not issparse(value) and not np.isscalar(value)


def _read_labels(y_true: Any) -> tuple[AnyArray, str]:
    """Return the labels as an array, and scikit-learn's name for their kind."""
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:  # ragged: scikit-learn says what it was taken for
        return np.empty(0), type_of_target(y_true, input_name="y_true")
    if labels.ndim and not labels.size:
        raise ValueError(f"y_true is empty: got shape {labels.shape}, at least one sample is needed.")
    if labels.dtype == object:
        labels = _unboxed(labels)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y_true")
    return labels, type_of_target(labels if labels.ndim else y_true, input_name="y_true")


def _unboxed(labels: AnyArray) -> AnyArray:
    """Return labels that were stored as objects as bools, integers or floats, where that is what they are."""
    if any(is_missing(label) for label in labels.flat):
        raise ValueError("Input y_true contains NaN.")
    unboxed = np.array(labels.tolist())
    return unboxed if unboxed.dtype.kind in "biuf" and unboxed.shape == labels.shape else labels


def _positive(labels: AnyArray, kind: str, pos_label: Label) -> BoolArray:
    """Return where the labels are positive: a vector, or a column for each label or class."""
    present = np.unique(labels)
    if kind == "binary":
        labels = labels.ravel()
        if present.size == 2 and pos_label not in present:
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")
        return np.asarray(labels == pos_label)
    if kind not in ("multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )
    return np.asarray(labels == 1 if kind == "multilabel-indicator" else labels.reshape(-1, 1) == present)


def _inferred_pos_label(labels: AnyArray) -> int:
    """Return 1 where the labels are in {0, 1} or {-1, 1}; scikit-learn's curves go by the same rule."""
    present = np.unique(labels)
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    if present.dtype.kind in "OUS" or not any(np.array_equal(present, labels) for labels in usual):
        values = ", ".join(map(repr, present.tolist()))
        raise ValueError(
            f"y_true takes value in {{{values}}} and pos_label is not specified: either make y_true take "
            "value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def _read_vector(y_score: Any) -> AnyArray:
    if isinstance(y_score, list | tuple) and any(isinstance(s, int) and abs(s) > _LARGEST for s in y_score):
        y_score = np.array(y_score, dtype=object)  # numpy would round integers of several types to float64
    score = column_or_1d(y_score)
    assert_all_finite(score)
    return _orderable(np.asarray(score))


def _read_matrix(y_score: Any, positive: BoolArray, kind: str) -> AnyArray:
    if kind == "multiclass" and np.shape(y_score) != positive.shape:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
            f"classes. Got `y_score.shape={np.shape(y_score)}`."
        )
    score = check_array(y_score)
    if score.shape != positive.shape:
        raise ValueError(
            f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; give one column of "
            "scores for each label."
        )
    return _orderable(np.asarray(score))


def _orderable(score: AnyArray) -> AnyArray:
    """Return numbers in native byte order; objects (fractions, huge integers) keep their own exact order."""
    if score.dtype == object:
        try:
            if any(isinstance(value, str | bytes) for value in score.flat):
                raise ValueError("strings were given")
            assert_all_finite(score.astype(np.float64))
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"y_score must hold real numbers; {str(error).rstrip('.')}.") from None
    elif score.dtype.kind not in "biuf":
        raise ValueError(f"y_score must hold real numbers; got dtype {score.dtype}.")
    return np.asarray(score, dtype=score.dtype.newbyteorder("="))


def _read_weight(sample_weight: ArrayLike | None, *, copies: int = 1) -> FloatArray | None:
    """Return weights as float64; `copies` is how often each enters a sum."""
    if sample_weight is None:
        return None
    weight: FloatArray = check_array(
        np.asarray(column_or_1d(sample_weight)),
        ensure_2d=False,
        dtype=[np.float64, np.float32],
        input_name="sample_weight",
    ).astype(np.float64)
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight must not be negative; got {weight[row]} in row {row}.")
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum() * copies):
            raise ValueError(
                f"sample_weight adds up to infinity, with weights up to {weight.max()}; divide it by a "
                "constant, which changes no score."
            )
    return weight


def _read_query(query_id: ArrayLike, positive: BoolArray, average: str | None) -> AnyArray:
    if positive.ndim == 2:
        raise ValueError(
            "query_id goes with binary y_true: multilabel and multiclass labels already are one ranking a "
            "column."
        )
    if average == "samples":
        raise ValueError(
            "average='samples' makes every row a ranking, but with query_id a ranking is a query; use "
            "'macro' (the mean over queries), 'weighted', 'micro' or None."
        )
    return read_ids(query_id, positive.size)


def _without_weightless_rows(checked: Checked) -> Checked:
    weight, query = checked.weight, checked.query
    if weight is None or weight.all():
        return checked
    rows = np.flatnonzero(weight)
    return checked._replace(
        positive=checked.positive[rows],
        score=checked.score[rows],
        weight=weight[rows],
        query=None if query is None else query[rows],
    )
