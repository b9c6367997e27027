"""Errors about rows. This module runs only if a call is wrong.

scikit-learn's texts are kept, as users search for them. They hardly ever name the
argument, so a note below the text (PEP 678) names it, and shows the rows or the values.
"""

from collections.abc import Mapping
from math import inf
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..typing import AnyArray, BoolArray, FloatArray, Label, QueryId
from .names import column_names
from .options import short_repr
from .values import is_missing, rows_in_words

# A text lists this number of labels.
_N_LABELS = 5
LISTS_OF_IDS = (
    "Lists of ids, one per query, become rows by sklearn_ap.read_lists(relevant, "
    "retrieved)."
)


def with_note(error: Exception, note: str) -> Exception:
    """Return the error with a note below its text."""
    error.add_note(note)
    return error


# --- labels ---------------------------------------------------------------------------


def error_about_missing_labels(missing: BoolArray) -> Exception:
    """Return scikit-learn's error about labels that are NaN, and the rows of them."""
    return with_note(
        ValueError("Input y_true contains NaN."),
        f"y_true is missing in {_rows_of(missing)}: drop these rows from all "
        "arguments.",
    )


def error_about_kind(labels: AnyArray, kind: str, *, as_curve: bool) -> Exception:
    """Return scikit-learn's error that this kind of labels is not supported."""
    if kind == "multiclass":
        note = note_on_labels(labels, as_curve=as_curve)
    elif kind == "continuous":
        note = f"{_counted(labels)}; it must contain labels, such as 0 and 1."
    elif labels.ndim == 1 and labels.size:
        note = f"y_true must be numbers or text; got {short_repr(labels.tolist())}."
    else:
        note = "y_true must be a column of labels"
        if not as_curve:
            note += ", or a matrix of 0 and 1 with a column per label"
        # Lists of different lengths have no array.
        note += f"; got shape {labels.shape}." if labels.size else "."
        if kind in ("unknown", "multiclass-multioutput") and labels.ndim < 3:
            note += f" {LISTS_OF_IDS}"
    return with_note(ValueError(f"{kind} format is not supported"), note)


def note_on_labels(labels: AnyArray, *, as_curve: bool = False) -> str:
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
    values, n_rows = np.unique(labels, return_counts=True)
    rows = dict(zip(values.tolist(), n_rows.tolist(), strict=True))
    return f"y_true has {len(rows):,} labels: {labels_in_words(rows)}"


def labels_in_words(rows: Mapping[Any, int]) -> str:
    """Return a text with the first labels and the number of rows of each of them."""
    listed = [
        f"{short_repr(label)} ({n_rows:,} row{'' if n_rows == 1 else 's'})"
        for label, n_rows in rows.items()
    ]
    if len(listed) > _N_LABELS:
        listed[_N_LABELS:] = ["..."]
    return ", ".join(listed)


def error_about_pos_label(labels: AnyArray, pos_label: Label | None) -> Exception:
    """Return scikit-learn's error that two labels do not show which one is positive."""
    present = np.unique(labels)
    classes = present.tolist()
    if pos_label is None:
        text = (
            f"y_true takes value in {{{', '.join(map(repr, classes))}}} and "
            "pos_label is not specified: either make y_true take value in {0, 1} or "
            "{-1, 1} or pass pos_label explicitly."
        )
    else:
        text = (
            f"pos_label={pos_label} is not a valid label. It should be one of {present}"
        )
    lines = " or ".join(map("pos_label={!r}".format, classes[:_N_LABELS]))
    return with_note(
        ValueError(text), f"Pass {lines}, whichever is positive in y_true."
    )


def error_about_fixed_label(labels: AnyArray, kind: str) -> Exception:
    """Return scikit-learn's error that `pos_label` has no effect on several columns."""
    error = ValueError(
        f"Parameter pos_label is fixed to 1 for {kind} y_true. "
        "Do not set pos_label or set pos_label to 1."
    )
    if kind == "multiclass":
        error.add_note(note_on_labels(labels))
    return error


def error_about_classes(labels: AnyArray, score: AnyArray) -> Exception:
    """Return scikit-learn's error that three or more labels have no score each."""
    return with_note(
        ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since "
            "`y_true` contains multiple classes. Got "
            f"`y_score.shape={score.shape}`."
        ),
        note_on_labels(labels),
    )


# --- scores and weights ---------------------------------------------------------------


def note_on_query(name: str, values: object) -> str:
    """Return what to pass in place of a query of polars or Spark, which has no rows
    before it is run; empty for other values.
    """
    if hasattr(values, "collect") and not hasattr(values, "__len__"):
        return f"{name} is a query that was not run: pass {name}.collect()."
    return ""


def note_on_scores(
    text: str,
    y_score: ArrayLike,
    positive: BoolArray,
    labels: AnyArray,
    pos_label: Label | None,
) -> str:
    """Return what scikit-learn's error with this text does not say about scores: the
    rows without a finite score, or the column to pass. The note may be empty.
    """
    score = np.asarray(y_score)
    if "Input contains" in text:
        return _note_on_values(score)
    if positive.ndim == 1 and score.ndim > 1:
        return _note_on_columns(y_score, score, labels, pos_label)
    return ""


def _note_on_values(score: AnyArray) -> str:
    """Return the rows whose scores are missing or infinite, and what to pass."""
    missing = [is_missing(value) for value in score.flat]
    is_affected = [
        is_lost or value in (-inf, inf)
        for is_lost, value in zip(missing, score.flat, strict=True)
    ]
    rows = _rows_of(np.array(is_affected).reshape(score.shape))
    note = f"y_score is not finite in {rows}."
    if any(missing):
        return f"{note} Drop these rows from all arguments."
    return f"{note} Pass np.clip(y_score, -3e38, 3e38) to rank them first or last."


def _note_on_columns(
    y_score: ArrayLike, score: AnyArray, labels: AnyArray, pos_label: Label | None
) -> str:
    """Return the column to pass, if labels of two values have two columns of scores, as
    `predict_proba` returns them, or logits. Return the shape of other scores.
    """
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


def raise_not_numbers(name: str, values: AnyArray) -> NoReturn:
    """Raise the error that scores, weights or amounts are text, dates or other objects.

    It shows the first value that is not a number, even if it was text.
    """
    # Show text of numpy as text of Python.
    if values.dtype.kind in "UST":
        values = values.astype(object)
    for row, fields in enumerate(values.reshape(len(values), -1)):
        for field in fields:
            if not _is_number_as_text(field):
                raise ValueError(
                    f"{name} must contain real numbers; got {short_repr(field)} in "
                    f"row {row}."
                )
    text = next(value for value in values.flat if isinstance(value, str | bytes))
    raise ValueError(
        f"{name} must contain real numbers; got text such as {short_repr(text)}: pass "
        f"np.asarray({name}, dtype=float)."
    )


def _is_number_as_text(value: Any) -> bool:
    """Return whether a value is a number, or text that `float` reads as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    # `float` counts the units of a duration.
    return not isinstance(value, np.datetime64 | np.timedelta64)


def error_about_weight(name: str, weight: float, row: int) -> ValueError:
    """Return the error about the first weight that is negative, or so small or large
    that sums would underflow or overflow.
    """
    if weight < 0:
        return ValueError(f"{name} must not be negative; got {weight} in row {row}.")
    return ValueError(
        f"{name} must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); got "
        f"{weight} in row {row}; multiply all of them by a constant, which does not "
        "change the score."
    )


def _rows_of(is_affected: BoolArray) -> str:
    """Return the affected rows in words. A row is affected if one of its values is."""
    rows = is_affected.reshape(len(is_affected), -1)
    return rows_in_words(np.logical_or.reduce(rows, axis=1))


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
    return ValueError(
        "n_positives must not be below the positives in y_true; got "
        f"{_all_digits(totals[place])}{where}, where {_all_digits(found[place])} were "
        "found."
    )


def _all_digits(count: float) -> str:
    """Return a count or a weight with all its digits, so that different numbers have
    different texts.
    """
    return repr(float(count)).removesuffix(".0")
