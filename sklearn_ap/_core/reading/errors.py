"""Errors about rows: scikit-learn's if it raises one, with a note below it that names
the argument and shows the values.

scikit-learn itself raises its errors: what this package cannot read is passed to its
function. So classes and texts are those of the installed version.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import average_precision_score, precision_recall_curve

from ..typing import AnyArray, BoolArray, FloatArray, Label, PassedRows, QueryId
from .frames import column_names
from .options import short_repr
from .values import rows_in_words

# A text lists this number of labels.
_N_LABELS = 5
# What to pass in place of lists.
LISTS = (
    "Of lists of labels and scores, one per query, pass np.concatenate(y_true), "
    "np.concatenate(y_score) and query_id=np.repeat(range(len(y_true)), "
    "[*map(len, y_true)]); of lists of ids, **sklearn_ap.read_lists(y_true, y_score)."
)
# What to pass in place of a matrix with unknown labels, after the code of `keep`.
CELLS = (
    "pass y_true[keep], y_score[keep], query_id=np.nonzero(keep)[1] to rank the other "
    "cells of each column (page Missing labels)."
)
UNKNOWN = f"If -1 means unknown, with keep = np.asarray(y_true) != -1, {CELLS}"


class RefusedError(ValueError):
    """Rows that this package does not read. scikit-learn is asked to raise its error.

    The text is the error of this package, which is raised if scikit-learn has none, or
    one that names no argument. `note` is what to add below either error. `arguments`
    are those that were read already; scikit-learn receives them in place of the
    caller's.
    """

    def __init__(self, text: str, note: str = "", **arguments: Any) -> None:
        super().__init__(text)
        self.note = note
        self.arguments = arguments


def noted_error(text: str, note: str) -> ValueError:
    """Return an error with a note below its text."""
    error = ValueError(text)
    error.add_note(note)
    return error


def error_about(
    refused: RefusedError, inputs: PassedRows, caller: str, *, one_column: bool
) -> ValueError:
    """Return scikit-learn's error about rows that were refused. If scikit-learn raises
    none, return the error of this package.
    """
    error = _error_of_scikit_learn(
        inputs._replace(**refused.arguments), caller, one_column=one_column
    )
    if error is None:
        error = ValueError(str(refused))
    if refused.note:
        error.add_note(refused.note)
    return error


def _error_of_scikit_learn(
    inputs: PassedRows, caller: str, *, one_column: bool
) -> ValueError | None:
    """Return the ValueError that scikit-learn raises for these arguments. Return None
    for other errors, which numpy or Python raise and which name no argument.
    """
    reference = precision_recall_curve if one_column else average_precision_score
    arguments = {
        name: _array_of(getattr(inputs, name))
        for name in ("y_true", "y_score", "sample_weight")
    }
    arguments["pos_label"] = inputs.pos_label
    if not one_column:
        arguments["average"] = inputs.average
    try:
        reference(**arguments)
    except ValueError as error:
        error.args = (str(error).replace(reference.__name__, caller),)
        # The frames of a traceback would keep the arguments alive.
        return error.with_traceback(None)
    except Exception:
        pass
    return None


def _array_of(values: Any) -> Any:
    """Return values as an array if they have rows of equal lengths; otherwise return
    them unchanged. scikit-learn reads some lists and frames in another way than arrays.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        return values
    return array if array.ndim else values


# --- notes on labels ------------------------------------------------------------------


def note_on_kind(labels: AnyArray, kind: str, *, one_column: bool) -> str:
    """Return the labels of a kind that is not supported, and what they must be."""
    if kind == "multiclass":
        return note_on_classes(labels, one_column=one_column)
    if kind == "continuous":
        return f"{_counted(labels)}; it must contain labels, such as 0 and 1."
    note = "y_true must be a column of labels"
    if not one_column:
        note += ", or a matrix of 0 and 1 with a column per label"
    note += f"; got shape {labels.shape}."
    if labels.ndim == 2:
        note += f" {UNKNOWN if -1 in labels else LISTS}"
    return note


def note_on_classes(labels: AnyArray, *, one_column: bool = False) -> str:
    """Return the number of rows of each of three or more labels, and the ways to score
    them.
    """
    note = f"{_counted(labels)}."
    if -1 in labels:
        note += (
            " If -1 means unknown, with keep = np.asarray(y_true) != -1, pass "
            "y_true[keep], y_score[keep]."
        )
    elif labels.dtype.kind in "iuf":
        note += " For grades, pass np.asarray(y_true) > 0."
    if one_column:
        return f"{note} For one label against the others, pass pos_label."
    # The default of `pos_label` is 1, so passing 1 does not choose a label.
    return (
        f"{note} For one label against the others, pass np.asarray(y_true) == label, "
        "or pos_label=label unless it is 1; for a mean over the labels (average), pass "
        "one column of y_score per label."
    )


def _counted(labels: AnyArray) -> str:
    """Return a text with the number of rows of each label."""
    values, counts = np.unique(labels, return_counts=True)
    n_rows_of = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return (
        f"y_true has {values.size:,} labels, with these numbers of rows: "
        f"{short_repr(n_rows_of)}"
    )


def note_on_pos_label(labels: AnyArray) -> str:
    """Return the values to choose from."""
    classes = np.unique(labels).tolist()[:_N_LABELS]
    lines = " or ".join(map("pos_label={!r}".format, classes))
    return f"Pass {lines}, whichever is positive in y_true."


# --- notes on scores ------------------------------------------------------------------


def note_on_values(score: AnyArray) -> str:
    """Return the rows whose scores are missing or infinite, and what to pass."""
    is_affected = np.logical_or.reduce(
        ~np.isfinite(score).reshape(len(score), -1), axis=1
    )
    note = f"y_score is not finite in {rows_in_words(is_affected)}."
    if np.isnan(score).any():
        return (
            f"{note} Drop these rows from all arguments, so that their positives do "
            "not count, or count as missed by n_positives; or pass "
            "np.nan_to_num(y_score, nan=-3e38) to rank them last."
        )
    return f"{note} Pass np.clip(y_score, -3e38, 3e38) to rank them first or last."


def note_on_columns(
    y_score: ArrayLike, labels: AnyArray, pos_label: Label | None
) -> str:
    """Return the shape of the scores and, if labels of two values have two columns as
    `predict_proba` returns them, the column to pass.
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
    # Without probabilities, such as of logits, no column ranks as the two columns do.
    if not np.allclose(score.sum(axis=1), 1, atol=0.01):
        return f"{note}, with rows that do not sum to 1."
    array = "y_score" if isinstance(y_score, np.ndarray) else "np.asarray(y_score)"
    column = f"{array}[:, {classes.index(positive)}]"
    return f"{note}: pass {column}, the scores of class {positive!r}."


# --- queries and totals ---------------------------------------------------------------


def error_about_missing_ids(name: str, missing: BoolArray) -> ValueError:
    """Return the error that the ids of these rows are missing."""
    return ValueError(
        f"{name} is missing in {rows_in_words(missing)}; every sample needs one. "
        "Drop these rows from all arguments, such as by frame.dropna() of pandas."
    )


def error_about_totals(passed: object, n_rankings: int) -> ValueError:
    """Return the error that totals do not match the rankings, by number or by name."""
    if n_rankings == 1:
        return ValueError(
            "n_positives must be one number if all rows are one ranking; got "
            f"{short_repr(passed)}. Other totals require an id of each row: "
            "{query: total} the query_id of a score, and {unit: total} the unit_id of "
            "estimate_score or of operating_point(..., threshold=...)."
        )
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
        f"{totals[place]:.15g}{where}, where {found[place]:.15g} were found."
    )
