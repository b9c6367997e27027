"""`identify`: the conventions that give a number for some scores."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from math import inf, ulp
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.advice import advised
from .._core.reading.frames import warn_of_other_order
from .._core.reading.ids import read_ids
from .._core.reading.options import is_finite, short_repr
from .._core.reading.per_ranking import totals_of_columns
from .._core.reading.read import CheckedRows, read
from .._core.typing import ArrayLikeOrMapping, Label, PassedRows
from ._comparison import ConventionComparison, NumberSearch, comparison_of
from ._input import ConventionInput
from ._records import CONVENTIONS, Convention, with_thresholds
from ._score_as import compute_outcome

# A number that is passed as a float is searched for to this many digits, and with this
# tolerance.
_FLOAT_DIGITS, _FLOAT_TOLERANCE = 6, 1e-6
# Rounding may let a package print slightly more than 1. If no convention gives a
# greater number, it is a percentage.
_MOST = 1.5
# Conventions with thresholds are also searched with these numbers of thresholds.
_SEARCHED_COUNTS = (20, 50, 100, 200, 500)
# If no convention gives the number, this many of the nearest are returned.
_N_NEAREST = 3
# Numbers as arrays print them: np.float64(0.48), tensor(0.48).
_PRINTED = re.compile(r"[a-z][\w.]*\(([^(),]+)(,[^()]*)?\)", re.IGNORECASE)


class _Candidate(NamedTuple):
    """A convention, with its least and greatest number over orders of equal scores."""

    convention: Convention
    low: float
    high: float

    @property
    def has_one_number(self) -> bool:
        """Whether the order of equal scores has no effect on the number."""
        return self.low == self.high

    def distance(self, number: float) -> float:
        """Return the distance to a number, which is 0 inside the range over orders."""
        # Conventions without a number return NaN or, as COCO, -1.
        if not self.low >= 0:
            return inf
        return max(self.low - number, number - self.high, 0.0)

    def is_near(self, search: NumberSearch) -> bool:
        """Return whether the distance to the number is within the tolerance and, if the
        caller passed no tolerance, the rounding of the package.
        """
        rounding = 0.0
        # `digits` is None if the caller passed a tolerance.
        if search.digits is not None:
            # Packages add up numbers in another order than this package does, so that
            # the last bits of the sums differ.
            rounding = max(4 * ulp(search.value), self.convention.rounding_error)
        # Add some slack, so that rounding cannot exclude a number whose distance is
        # exactly the tolerance.
        return self.distance(search.value) <= search.tol * (1 + 1e-9) + rounding


@advised
def identify(
    value: float | str | Decimal,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    tol: float | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    item_id: ArrayLike | None = None,
) -> ConventionComparison:
    """Find the conventions that print a given number for these scores.

    Parameters
    ----------
    value : float, str or Decimal
        The number that was published or printed. Text such as ``'0.7955'`` or
        ``'np.float64(0.48)'``, or a Decimal, is taken as rounded to its last digit, so
        that ``'0.80'`` has two digits; a float is taken as exact. For a percentage,
        such as ``'79.55%'``, pass the share, ``'0.7955'``.

    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As for :func:`score_as`. Conventions with thresholds are searched with 20, 50,
        100, 200 and 500 of them, too. For a label matrix, or multiclass labels with one
        column of scores per class, each column is a query, and each convention is
        searched as the mean over columns (macro) and with all elements as one ranking
        (micro).

    k : int, float or None, default=None
        As for :func:`score_as`; conventions with a cut are searched only if it is
        given.

    tol : float, default=None
        Tolerance. By default half a unit of the last digit for text, and 1e-6 for a
        float, beyond the rounding of each convention.

    pos_label, sample_weight, query_id, n_positives, item_id : optional
        As for :func:`score_as`.

    Returns
    -------
    comparison : ConventionComparison
        One row per convention that gives the number, with the reasons why it differs
        from scikit-learn's number. If their numbers round to the text, rows are in the
        order of `CONVENTIONS`; otherwise the nearest number comes first. Then come the
        conventions that leave the order of equal scores open, and give the number for
        some of these orders. If no convention gives the number, the first rows are the
        nearest ones.

    See Also
    --------
    compare_conventions : Numbers of several conventions, and why they differ.
    identify_function : Conventions that a function follows.
    score_as : The number of one convention.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> y_true = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> y_score = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> print(identify("0.7955", y_true, y_score))
    Conventions that give 0.7955 to 4 digits: 4.
    scikit-learn's AP is 0.7833.
                                                         difference of
    score                                        value  printed values
    VOC 2007                                    0.7955         +0.0122
      11 levels, 0:0.1:1                        0.7955         +0.0122
    voc_ap, use_07_metric; mean-average-
      precision VOC 2007                        0.7955         +0.0122
      11 levels, numpy.arange(0, 1.1, 0.1)      0.7955         +0.0122
    podm 11-point                               0.7955         +0.0122
      11 levels, numpy.linspace(0, 1, 11)       0.7955         +0.0122
    """
    search = _read_value(value)
    if tol is not None:
        if not (is_finite(tol) and 0 <= tol <= 1):
            raise ValueError(
                f"tol must be None or a number from 0 to 1; got {short_repr(tol)}."
            )
        search = search._replace(tol=float(tol), digits=None)
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, query_id, n_positives
    )
    conventions = [
        convention
        for convention in _searched()
        if convention.cut != "k" or k is not None
    ]
    rows = read(inputs, caller="identify")
    if rows.positive.ndim > 1:
        inputs = _columns_as_queries(rows)
        if item_id is not None:
            warn_of_other_order({"y_true": y_true, "item_id": item_id})
            ids = read_ids(item_id, rows.n_passed, name="item_id").of_rows
            # The elements of a row of the matrix are of one item.
            item_id = rows.of_kept(ids).repeat(rows.positive.shape[1])
        conventions = [
            replace(one, queries=queries, left_out=_leaves_out_columns(one))
            for queries in ("mean", "pooled")
            for one in conventions
        ]
    arguments = ConventionInput("identify", inputs, k, item_id)
    candidates = [
        _Candidate(
            convention, *compute_outcome(convention, arguments).range_over_orders
        )
        for convention in conventions
    ]
    # All numbers that round to a text are equally near, so they keep the order of the
    # records. Ranges over orders of equal scores come after numbers.
    is_rounded = tol is None and isinstance(value, str | Decimal)
    half_a_unit = search.tol if is_rounded else 0.0
    candidates.sort(
        key=lambda one: (
            not one.has_one_number,
            max(one.distance(search.value) - half_a_unit, 0.0),
        )
    )
    near = [one for one in candidates if one.is_near(search)]
    found = [one for one in near if one.has_one_number]
    if not found and search.value > _MOST:
        raise _error_about_percentage(value, Decimal(repr(search.value)))
    possible = [one for one in near if not one.has_one_number]
    shown = (found or candidates[:_N_NEAREST]) + possible
    search = search._replace(n_found=len(found), n_possible=len(possible))
    return comparison_of([one.convention for one in shown], arguments, search)


def _searched() -> list[Convention]:
    """Return all conventions, and conventions with thresholds once more for each number
    of thresholds in `_SEARCHED_COUNTS`.
    """
    return [*CONVENTIONS.values()] + [
        with_thresholds(convention, count)
        for convention in CONVENTIONS.values()
        for count in _SEARCHED_COUNTS
        if convention.thresholds is not None and convention.thresholds.count != count
    ]


def _leaves_out_columns(convention: Convention) -> bool:
    """Whether a mean over columns excludes those without positives: as the convention
    does for queries, and if it returns NaN or -1 for them.
    """
    value = convention.without_positives
    has_no_number = isinstance(value, float) and not value >= 0
    return convention.left_out or has_no_number


def _columns_as_queries(rows: CheckedRows) -> PassedRows:
    """Return the elements of a matrix as rows, whose query is their column."""
    n_rows, n_columns = rows.positive.shape
    weight, totals = rows.weight, rows.totals
    if weight is not None:
        weight = weight.repeat(n_columns)
    # The totals of columns by name, or in their order.
    n_positives = None
    if totals is not None:
        n_positives = totals_of_columns(totals, rows.columns or range(n_columns))
    return PassedRows(
        rows.positive.ravel(),
        rows.passed_score.ravel(),
        sample_weight=weight,
        query_id=np.tile(np.arange(n_columns), n_rows),
        n_positives=n_positives,
    )


def _read_value(value: object) -> NumberSearch:
    """Return the number to search for, with its digits and its tolerance: half a unit
    of the last digit of a text, or 1e-6 for a float.
    """
    if is_finite(value) and value >= 0:
        return NumberSearch(float(value), _FLOAT_TOLERANCE, _FLOAT_DIGITS)
    if isinstance(value, str | Decimal):
        text = str(value).strip()
        printed = _PRINTED.fullmatch(text)
        if printed:
            text = printed[1].strip()
        number = _decimal_in(text.removesuffix("%"))
        if number is not None and text.endswith("%"):
            raise _error_about_percentage(value, number)
        if number is not None:
            # A text such as '0e1' has no digits.
            digits = max(-int(number.as_tuple().exponent), 0)
            half_a_unit = Decimal(1).scaleb(-digits) / 2
            return NumberSearch(float(number), float(half_a_unit), digits)
    raise ValueError(
        "value must be a number >= 0, or its digits as text such as '0.7955', and not "
        f"a percentage; got {short_repr(value)}."
    )


def _decimal_in(text: str) -> Decimal | None:
    """Return the number that a text contains; None if it is negative, if a float cannot
    represent it, or if the text is not a number.
    """
    with suppress(ArithmeticError, ValueError):
        number = Decimal(text)
        if is_finite(float(number)) and number >= 0:
            return number
    return None


def _error_about_percentage(value: object, percentage: Decimal) -> ValueError:
    """Return the error about a percentage, with the share to pass in its place."""
    return ValueError(
        f"value must be a share of 1, such as '{percentage / 100}', and not a "
        f"percentage; got {value!r}."
    )
