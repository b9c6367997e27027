"""Labels and scores that numpy does not read as numbers, such as decimals, fractions,
large integers, text, and columns of pandas with missing values.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import type_of_target

from ..typing import AnyArray, BoolArray, FloatArray, Targets
from .errors import LISTS_OF_IDS, error_about_missing_labels, raise_not_numbers
from .options import short_repr
from .values import is_missing, on_host, rows_in_words

_TEXT_OR_DATE = (str, bytes, date, timedelta, np.datetime64, np.timedelta64)
# float64 represents every integer below this number.
_LEAST_ROUNDED = 2.0**53


# --- labels ---------------------------------------------------------------------------


def kind_of_lists(y_true: Targets) -> str:
    """Return scikit-learn's name for labels that are lists of different lengths, or
    raise its error.
    """
    try:
        return str(type_of_target(y_true, input_name="y_true"))
    except ValueError as error:
        error.add_note(LISTS_OF_IDS)
        raise


def unusual_labels(labels: AnyArray, y_true: Targets) -> tuple[AnyArray, str]:
    """Return labels whose kind only scikit-learn can determine as an array, and its
    name for this kind. Raise ValueError if the values cannot be labels.
    """
    if labels.ndim and not labels.size:
        raise ValueError(
            f"y_true is empty: got shape {labels.shape}, but at least one sample is "
            "required."
        )
    labels = on_host("y_true", labels)
    # scikit-learn accepts objects only if they are strings.
    if labels.dtype == object:
        labels = unboxed(labels)
    # The letters are numpy's kinds of durations, dates and text of any length.
    if labels.dtype.kind in "mMT":
        cast = "; pass y_true.tolist()" if labels.dtype.kind == "T" else ""
        raise ValueError(
            f"y_true must contain numbers or text; got dtype {labels.dtype}{cast}."
        )
    if labels.dtype.kind == "f":
        if np.isnan(labels).any():
            raise error_about_missing_labels(np.isnan(labels))
        assert_all_finite(labels, input_name="y_true")
    # scikit-learn raises an error about a single label, but not about its array.
    target = labels if labels.ndim else y_true
    return labels, type_of_target(target, input_name="y_true")


def unboxed(labels: AnyArray) -> AnyArray:
    """Return labels that are objects, such as decimals, as an array of bools, integers
    or floats, if it represents each label exactly; otherwise unchanged.
    """
    missing = np.array([is_missing(label) for label in labels.flat])
    if missing.any():
        raise error_about_missing_labels(missing.reshape(labels.shape))
    # Mixed labels, such as 1 and "1", become strings here, so they are returned as
    # objects below.
    plain = np.array(labels.ravel().tolist())
    if all(isinstance(label, Decimal | Fraction) for label in labels.flat):
        plain = plain.astype(np.float64)
        if not (plain == labels.ravel()).all():
            plain = labels
    if plain.dtype.kind in "biuf" and plain.ndim == 1:
        return plain.reshape(labels.shape)
    return labels


def check_not_blank(labels: AnyArray) -> None:
    """Raise ValueError if one of three or more labels is an empty text, as files write
    a missing label. scikit-learn accepts it as one of two labels.
    """
    texts = labels.ravel().astype(str)
    is_blank = np.strings.isspace(texts) | (texts == "")
    if is_blank.any():
        raise ValueError(
            f"y_true must have a label in each row; got an empty text in "
            f"{rows_in_words(is_blank)}: drop these rows from all arguments."
        )


# --- scores and weights ---------------------------------------------------------------


def like_labels(positive: BoolArray, y_score: ArrayLike, score: AnyArray) -> AnyArray:
    """Return a column of scores as a vector, if the labels are a vector.

    Raise an error for every other shape, with scikit-learn's text if it has one.
    """
    if positive.ndim == 1:
        return np.asarray(column_or_1d(score))
    # scikit-learn raises errors for frames that are sparse or have two columns of one
    # name, and for pandas' NA in an array.
    is_frame = hasattr(y_score, "columns")
    if not (is_frame and score.dtype == object):
        check_array(on_host("y_score", score if is_frame else y_score), dtype=None)
    raise ValueError(
        f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; "
        "pass one column of scores per label."
    )


def scores_as_numbers(
    y_score: ArrayLike, score: AnyArray, *, as_curve: bool
) -> AnyArray:
    """Return scores that are not numbers of numpy as numbers, such as decimals,
    fractions and integers beyond 64 bits.

    Raise an error if there are text, dates or missing values.
    """
    # Numpy's kind V is bfloat16 of another library, or a record of named fields.
    if score.dtype.kind == "V":
        score = np.asarray(on_host("y_score", score))
    # scikit-learn raises its own errors about matrices of text, and about complex
    # numbers (c) and missing values among objects (O).
    if score.dtype.kind in "US" and score.ndim == 2:
        check_array(score)
    if score.dtype.kind in "Oc":
        # scikit-learn reads series and frames as they are, since they may have types of their
        # own.
        values = score if isinstance(y_score, list | tuple) else y_score
        checked = check_array(values, dtype=None, ensure_2d=False, allow_nd=True)
        score = checked.reshape(score.shape)
    if score.dtype == object:
        score = _integers_of(score)
    check_no_text("y_score", score)
    if score.dtype != object:
        return score
    try:
        return _floats_of(score, as_curve=as_curve)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"y_score must contain real numbers; {str(error).rstrip('.')}."
        ) from None


def check_no_text(name: str, values: AnyArray) -> None:
    """Raise ValueError if values are text or dates, which numpy would convert to
    numbers.
    """
    kind = values.dtype.kind
    if kind not in "biufO" or any(
        isinstance(value, _TEXT_OR_DATE) for value in values.flat if kind == "O"
    ):
        raise_not_numbers(name, values)


def unrounded(values: Sequence[Any], floats: FloatArray) -> AnyArray:
    """Return the numbers of a list as objects if numpy may have rounded an integer
    among them; otherwise return `floats`.

    Numpy converts integers to float64 if there are fractions in the list, or integers
    beyond 2**63.
    """
    is_large = np.abs(floats) >= _LEAST_ROUNDED
    # A check of each object takes long, so it is made only if a number is large.
    if np.count_nonzero(is_large):
        objects = np.array(values, dtype=object)
        if any(isinstance(value, Integral) for value in objects[is_large]):
            return objects
    return floats


def _integers_of(objects: AnyArray) -> AnyArray:
    """Return integers of Python or numpy in a type of 64 bits that represents all of
    them.

    If there is no such type, return the objects, with numbers of Python in place of
    numbers of numpy.
    """
    # Numpy would convert its own integers to float64 to compare them with floats.
    numbers = [
        value.item() if isinstance(value, np.generic) else value
        for value in objects.flat
    ]
    plain = np.fromiter(numbers, object, objects.size).reshape(objects.shape)
    if {*map(type, numbers)} == {int}:
        for dtype in (np.int64, np.uint64):
            with suppress(OverflowError):
                return plain.astype(dtype)
    return plain


def _floats_of(objects: AnyArray, *, as_curve: bool) -> AnyArray:
    """Return objects as float64. Raise ValueError if different objects become equal."""
    floats: AnyArray = objects.astype(np.float64)
    assert_all_finite(floats)
    if as_curve:
        # A threshold must not be above the score of its row, since `score >= threshold`
        # would then lose the row.
        lower = np.nextafter(floats, -np.inf)
        floats = np.where(floats > objects, lower, floats)
    if len(set(objects.flat)) == np.unique(floats).size:
        return floats
    raise ValueError(
        f"different scores among {short_repr(objects.tolist())} are equal as float64: "
        "to accept this, pass np.asarray(y_score, dtype=np.float64)"
    )
