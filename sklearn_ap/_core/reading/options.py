"""Options that are words or single numbers: their valid values, and a reader for each.

The words are ``Literal`` types in `_core/typing`. The tuples here are made from these
types, so that editors and errors name the same words.
"""

import reprlib
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, TypeGuard, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..typing import (
    AveragedBy,
    Levels,
    Normalizer,
    RankedTiePolicy,
    RecallNormalizer,
    TiePolicy,
    ZeroDivision,
)
from .values import on_host

AVERAGES: tuple[AveragedBy, ...] = get_args(AveragedBy)
NORMALIZERS: tuple[Normalizer, ...] = get_args(Normalizer)
RECALL_NORMALIZERS: tuple[RecallNormalizer, ...] = get_args(RecallNormalizer)
TIES: tuple[TiePolicy, ...] = get_args(TiePolicy)
RANKED_TIES: tuple[RankedTiePolicy, ...] = get_args(RankedTiePolicy)
# The types of `Real` numbers that type checkers know.
_Real = float | np.integer | np.floating
# float64 represents every integer up to this number.
LARGEST = 2**53
# More levels are an error. An array of this number of levels takes 80 MB.
_MOST_LEVELS = 10**7


def check_option(name: str, value: object, options: Collection[str]) -> None:
    """Raise ValueError if a value is not one of the options."""
    if isinstance(value, str) and value in options:
        return
    similar = get_close_matches(value, options, 1) if isinstance(value, str) else []
    raise ValueError(
        f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}"
        f"{did_you_mean(similar)}"
    )


def did_you_mean(similar: Sequence[object]) -> str:
    """Return the end of an error about a word: a question with similar words or, if
    there are none, a full stop.
    """
    if similar:
        return f"; did you mean {' or '.join(map(repr, similar))}?"
    return "."


def is_real(value: object) -> TypeGuard[_Real]:
    """Return whether a value is a real number. Bools and NaN are not."""
    return (
        isinstance(value, Real)
        and not isinstance(value, bool | np.bool_)
        and value == value
    )


def is_finite(value: object) -> TypeGuard[_Real]:
    """Return whether a value is a real number within the range of float64."""
    try:
        return is_real(value) and isfinite(float(value))
    except OverflowError:
        return False


def short_repr(value: object) -> str:
    """Return a value as one short line for an error, whatever its size."""
    return " ".join(reprlib.repr(value).split())


def _is_integral(value: object) -> TypeGuard[int | np.integer]:
    """Return whether a value is an integer. Bools are not."""
    return isinstance(value, Integral) and is_real(value)


def read_recall_levels(recall_levels: int | ArrayLike | None) -> Levels | None:
    """Return checked `recall_levels`: None, an integer of at least 2, or recall levels,
    sorted.
    """
    if recall_levels is None:
        return None
    recall_levels = on_host("recall_levels", recall_levels)
    if _is_integral(recall_levels) and 2 <= recall_levels <= _MOST_LEVELS:
        return int(recall_levels)
    try:
        array = np.asarray(recall_levels)
        # Numpy would cast complex numbers, dates and text to floats.
        if array.dtype.kind not in "biufO":
            raise TypeError(array.dtype)
        # Levels are sorted, since the areas search among them. The check below uses the
        # first and the last level as bounds of all levels.
        levels = np.sort(array.astype(np.float64))
    except (TypeError, ValueError, OverflowError):
        # An empty array is not valid either, so the error below is raised.
        levels = np.empty(0)
    if levels.ndim != 1 or not levels.size or not (levels[0] >= 0 and levels[-1] <= 1):
        raise ValueError(
            "recall_levels must be None, an integer from 2 to 10**7 or a 1-D array "
            f"of levels in [0, 1]; got {short_repr(recall_levels)}."
        )
    return levels


def read_level(name: str, level: object) -> float:
    """Return a checked recall or precision: a number in [0, 1]."""
    if is_real(level) and 0 <= level <= 1:
        return float(level)
    raise ValueError(f"{name} must be a number in [0, 1]; got {level!r}.")


def read_beta(beta: object) -> float:
    """Return the checked weight of recall in F-beta: a number of at least 0, or
    infinity, as in scikit-learn.
    """
    if is_real(beta) and beta >= 0 and (is_finite(beta) or beta == inf):
        return float(beta)
    raise ValueError(f"beta must be a number >= 0; got {beta!r}.")


def read_prevalence(prevalence: object) -> float | None:
    """Return checked `prevalence`: None, or a share above 0 and below 1."""
    # The usual types come first, which saves time in a short call.
    if prevalence is None or (type(prevalence) is float and 0.0 < prevalence < 1.0):
        return prevalence
    # `float` may round a Fraction close to 0 or 1 to 0.0 or 1.0.
    if is_finite(prevalence) and 0 < float(prevalence) < 1:
        return float(prevalence)
    raise ValueError(
        "prevalence must be None or a share of positives above 0 and below 1, such as "
        f"0.01 for 1 %; got {short_repr(prevalence)}."
    )


def read_zero_division(zero_division: ZeroDivision) -> ZeroDivision:
    """Return checked `zero_division`: "warn", 0, 1 or NaN."""
    # The type is checked first, since comparing an array with "warn" returns an array.
    if isinstance(zero_division, str) and zero_division == "warn":
        return "warn"
    # Only NaN is not equal to itself.
    if isinstance(zero_division, Real | np.bool_) and (
        zero_division in (0, 1) or zero_division != zero_division
    ):
        return float(zero_division)
    raise ValueError(
        f"zero_division must be 'warn', 0.0, 1.0 or nan; got {zero_division!r}."
    )


def read_k(k: object, name: str = "k") -> int | float | None:
    """Return checked `k`: None, an integer of at least 1, or a share in (0, 1]."""
    if k is None:
        return None
    # The usual type comes first, which saves time in a short call.
    if type(k) is int and 1 <= k < LARGEST:
        return k
    # The type of `k` determines its meaning: 1 is one row, and 1.0 is all rows.
    if _is_integral(k) and 1 <= k < LARGEST:
        return int(k)
    if is_real(k) and not _is_integral(k) and 0 < k <= 1:
        return float(k)
    instead = "."
    if is_finite(k) and 1 < k < LARGEST and k == int(k):
        instead = f"; pass {int(k)}: a float is a share."
    elif hasattr(k, "items") or np.ndim(cast("Any", k)):
        instead = "; to use a different k for each query, score each query alone."
    raise ValueError(
        f"{name} must be None, an integer >= 1 (rows, below 2**53) or a float in (0, "
        f"1] (share of the rows); got {k!r}{instead}"
    )


def read_flag(name: str, value: object) -> bool:
    """Return a checked parameter that is True or False, as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; got {value!r}.")
    return bool(value)
