"""Read and check all input of a score or a curve, once.

`read` (scores) and `read_curve` (curves) return a `Checked`. Anything unusual goes through scikit-learn's
public validators, so users see its errors. Input that scikit-learn wrongly accepts is refused here.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.utils import check_consistent_length

from .._typing import Average, Label
from ._array_api import on_host
from ._as_scikit_learn import check_like
from ._checked import Checked, without_weightless_rows
from ._gathered import gathered
from ._labels import check_present, inferred_pos_label, positives_in, read_labels
from ._plain import recognise
from ._queries import check_lone, read_numbered, read_query
from ._scores import read_matrix, read_vector
from ._weights import one_per_row, read_weight


def read(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    average: Average,
    pos_label: Label,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None,
) -> Checked:
    """Check what a score was given; `caller` is the public function, for scikit-learn's error texts."""
    checked = recognise(y_true, y_score, sample_weight, average=average, pos_label=pos_label)
    is_plain = checked is not None  # then all weights are above 0
    if checked is None or query_id is not None:  # a plain call has nothing to gather
        held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight, query_id=query_id)
        query_id = held.pop("query_id")
        if checked is None:
            checked = _read_unusual(_on_host(**held), caller, average=average, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=read_query(query_id, checked.positive, average))
    # A row that is a ranking stays, whatever its weight: the weight counts in the mean over rankings.
    if is_plain or (average == "samples" and checked.positive.ndim == 2):
        return checked
    return without_weightless_rows(checked)


def _read_unusual(given: dict[str, Any], caller: str, *, average: Average, pos_label: Label) -> Checked:
    """Read what is not plain as given: as numpy's arrays or, last, through scikit-learn's validators."""
    checked = recognise(*given.values(), average=average, pos_label=pos_label)
    if checked is not None:
        return checked
    check_like(average_precision_score, caller, **given, average=average, pos_label=pos_label)
    return _read_carefully(**given, pos_label=pos_label)


def _on_host(y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None) -> dict[str, Any]:
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    return {name: on_host(name, values) for name, values in given.items()}


def _read_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    sample_weight = one_per_row(sample_weight)
    labels, kind = read_labels(y_true)
    positive = positives_in(labels, kind, pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    score = read_vector(y_score) if positive.ndim == 1 else read_matrix(y_score, positive, kind)
    weight = read_weight(sample_weight, copies=positive[0].size)  # one copy per column
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
    held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight, query_id=query_id)
    query_id = held.pop("query_id")
    given = _on_host(**held)
    # Labels are mostly in {0, 1} or {-1, 1}. So 1 is tried first, and `_is_curve` says whether it was right.
    checked = recognise(*given.values(), average=None, pos_label=1 if pos_label is None else pos_label)
    if checked is None or not _is_curve(checked, given["y_true"], pos_label):
        check_like(precision_recall_curve, caller, pos_label=pos_label, **given)
        checked = _read_curve_carefully(**given, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    # Rows go only after ids were read, one per row as given. A query whose rows all weigh 0 does not count.
    checked = without_weightless_rows(checked)
    if checked.query is not None:
        check_lone(checked.query)
    return checked


def _is_curve(checked: Checked, labels: ArrayLike, pos_label: Label | None) -> bool:
    """Whether the input is one ranking, and it is clear which label is positive."""
    if checked.positive.ndim != 1 or pos_label is not None:
        return checked.positive.ndim == 1
    # `recognise` found at most one label beside 1. As in scikit-learn's curves, it must be 0 or -1.
    labels = np.asarray(labels)
    return bool(labels.min() >= -1 and labels.max() <= 1)


def _read_curve_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label | None
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    sample_weight = one_per_row(sample_weight)
    labels, kind = read_labels(y_true)
    # With `pos_label`, all other labels are negative, however many there are.
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{kind} format is not supported")
    labels = labels.ravel()
    if pos_label is not None:
        check_present(pos_label, np.unique(labels))
    positive = labels == (inferred_pos_label(labels) if pos_label is None else pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    weight, score = read_weight(sample_weight), read_vector(y_score)
    return Checked(positive, score, (score.min(), score.max()), weight)
