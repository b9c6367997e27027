"""Errors about rows: scikit-learn's, with a note that names the argument and shows the
values.

scikit-learn itself raises its errors: what this package cannot read is passed to its
function. So classes and texts are those of the installed version.
"""

from math import inf
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import average_precision_score, precision_recall_curve

from ..typing import AnyArray, BoolArray, FloatArray, Label, PassedRows, QueryId
from .names import column_names
from .options import short_repr
from .values import is_missing, rows_in_words

# A text lists this number of labels.
_N_LABELS = 5
_LISTS_OF_IDS = (
    " Lists of ids, one per query, become rows by sklearn_ap.read_lists(relevant, "
    "retrieved)."
)


class Refused(ValueError):  # noqa: N818  # it becomes an error by `raise_refusal`
    """Rows that this package does not read. `text` is the error if scikit-learn raises
    none for them.
    """

    def __init__(
        self, text: str, note: str = "", labels: AnyArray | None = None
    ) -> None:
        super().__init__(text)
        self.text, self.note = text, note
        # The labels and the positive one to pass to scikit-learn in place of those of
        # the caller.
        self.labels = labels
        self.pos_label: Label | None = None


def raise_refusal(
    refused: Refused, inputs: PassedRows, caller: str, *, as_curve: bool
) -> NoReturn:
    """Raise the error of scikit-learn for these arguments; if there is none, the error
    of this package.
    """
    y_true, y_score, average, pos_label, sample_weight, *_ = inputs
    arguments: dict[str, Any] = {"pos_label": pos_label, "sample_weight": sample_weight}
    if refused.labels is not None:
        y_true = refused.labels
    if refused.pos_label is not None:
        arguments["pos_label"] = refused.pos_label
    if not as_curve:
        arguments["average"] = average
    reference = precision_recall_curve if as_curve else average_precision_score
    text, kind = refused.text, ValueError
    with np.errstate(all="ignore"):
        try:
            reference(y_true, y_score, **arguments)
        except ValueError as error:
            text, kind = str(error).replace(reference.__name__, caller), type(error)
        except Exception:  # errors of numpy, which name no argument
            pass
    raised = kind(text)
    note = refused.note or _note_on_query(inputs)
    if note:
        raised.add_note(note)
    raise raised from None


def _note_on_query(inputs: PassedRows) -> str:
    """Return what to pass in place of a query of polars or Spark, which has no rows
    before it is run; empty if there is none.
    """
    for name, values in inputs._asdict().items():
        if hasattr(values, "collect") and not hasattr(values, "__len__"):
            return f"{name} is a query that was not run: pass {name}.collect()."
    return ""


# --- notes on labels ------------------------------------------------------------------


def note_on_labels(
    labels: AnyArray | None, kind: str = "unknown", *, as_curve: bool = False
) -> str:
    """Return the labels of a kind that is not supported; None are lists of different
    lengths.
    """
    if kind in ("multiclass", "continuous") and labels is not None:
        if kind == "multiclass":
            return note_on_classes(labels, as_curve=as_curve)
        return f"{_counted(labels)}; it must contain labels, such as 0 and 1."
    note = "y_true must be a column of labels"
    if not as_curve:
        note += ", or a matrix of 0 and 1 with a column per label"
    if labels is None or labels.ndim == 2:
        note += "."
        return (
            note + _LISTS_OF_IDS
            if labels is None
            else (f"{note[:-1]}; got shape {labels.shape}.{_LISTS_OF_IDS}")
        )
    return f"{note}; got shape {labels.shape}."


def note_on_classes(labels: AnyArray, *, as_curve: bool = False) -> str:
    """Return the number of rows of each of three or more labels, and the ways to score
    them.
    """
    if as_curve:
        return f"{_counted(labels)}; pass pos_label for one label against the others."
    # The default of `pos_label` is 1, so passing 1 does not choose a label.
    return (
        f"{_counted(labels)}. For one label against the others, pass "
        "np.asarray(y_true) == label, or pos_label=label unless it is 1; for a mean "
        "over the labels (average), pass one column of y_score per label."
    )


def _counted(labels: AnyArray) -> str:
    """Return a text with the number of rows of each label."""
    values, counts = np.unique(labels, return_counts=True)
    pairs = list(zip(values.tolist(), counts.tolist(), strict=True))
    listed = [
        f"{short_repr(label)} ({n_rows:,} row{'' if n_rows == 1 else 's'})"
        for label, n_rows in pairs[:_N_LABELS]
    ]
    if len(pairs) > _N_LABELS:
        listed.append("...")
    return f"y_true has {len(pairs):,} labels: {', '.join(listed)}"


def note_on_pos_label(labels: AnyArray) -> str:
    """Return the values to choose from."""
    classes = np.unique(labels).tolist()[:_N_LABELS]
    lines = " or ".join(map("pos_label={!r}".format, classes))
    return f"Pass {lines}, whichever is positive in y_true."


# --- notes on scores ------------------------------------------------------------------


def note_on_values(score: AnyArray) -> str:
    """Return the rows whose scores are missing or infinite, and what to pass."""
    missing = [is_missing(value) for value in score.flat]
    affected = [
        lost or v in (-inf, inf) for lost, v in zip(missing, score.flat, strict=True)
    ]
    by_row: BoolArray = np.array(affected).reshape(len(score), -1)
    is_affected = np.logical_or.reduce(by_row, axis=1)
    note = f"y_score is not finite in {rows_in_words(is_affected)}."
    if any(missing):
        return f"{note} Drop these rows from all arguments."
    return f"{note} Pass np.clip(y_score, -3e38, 3e38) to rank them first or last."


def note_on_columns(
    y_score: ArrayLike, labels: AnyArray, pos_label: Label | None
) -> str:
    """Return the column to pass, if labels of two values have two columns of scores, as
    `predict_proba` returns them, or logits. Return the shape of other scores.
    """
    score = np.asarray(y_score)
    note = f"y_score must be one column of scores; got shape {score.shape}"
    classes = np.unique(labels).tolist()
    positive: Label = 1 if pos_label is None else pos_label
    is_pair = score.shape[1:] == (2,) and len(classes) == 2 and positive in classes
    names = column_names(y_score)
    # The order of named columns is that of the classes only if the names are.
    if not is_pair or score.dtype.kind not in "biuf" or names not in (None, classes):
        return f"{note}."
    place = classes.index(positive)
    columns = "np.asarray(y_score)[:, {}]"
    if isinstance(y_score, np.ndarray):
        columns = "y_score[:, {}]"
    column = columns.format(place)
    if np.allclose(score.sum(axis=1), 1, atol=0.01):
        return f"{note}: pass {column}, the scores of class {positive!r}."
    return (
        f"{note}, with rows that do not sum to 1. For logits, pass {column} - "
        f"{columns.format(1 - place)}, which ranks as their softmax does."
    )


# --- queries and totals ---------------------------------------------------------------


def error_about_missing_ids(name: str, missing: BoolArray) -> ValueError:
    """Return the error that the ids of these rows are missing."""
    return ValueError(
        f"{name} is missing in {rows_in_words(missing)}; every sample needs one. "
        "Drop these rows from all arguments, such as by frame.dropna() of pandas."
    )


def error_about_totals(passed: object, n_rankings: int) -> ValueError:
    """Return the error that totals do not match the rankings, by number or by name."""
    return ValueError(
        "n_positives must be one number if all rows are one ranking, and otherwise one "
        f"number per ranking in the order of average=None ({n_rankings} here), a "
        "mapping {query: total} with query_id (required unless ids first appear "
        f"sorted), or a mapping of all columns or classes; got {short_repr(passed)}."
    )


def error_about_low_total(
    is_low: BoolArray, totals: FloatArray, found: FloatArray, queries: list[QueryId]
) -> ValueError:
    """Return the error that totals are below the weights of the positives found, both
    in the caller's weights. Rankings that are not `queries` are numbered.
    """
    place = int(is_low.argmax())
    where = ""
    if queries:
        where = f" for {queries[place]!r}"
    elif totals.size > 1:
        where = f" for ranking {place}"
    total, positives = (
        repr(float(of_rankings[place])).removesuffix(".0")
        for of_rankings in (totals, found)
    )
    return ValueError(
        f"n_positives must not be below the positives in y_true; got {total}{where}, "
        f"where {positives} were found."
    )
