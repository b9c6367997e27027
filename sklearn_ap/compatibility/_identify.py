"""`identify`: the conventions that give a number for some scores, with notes on the
conventions that were not searched.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from math import nan, ulp
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import (
    jaccard_score,
    precision_recall_curve,
    precision_recall_fscore_support,
    roc_auc_score,
)

from .._core.reading.options import is_finite
from .._core.reading.read import CheckedRows, read
from .._core.scores import average_precision_score
from .._core.typing import AnyArray, ArrayLikeOrMapping, BoolArray, Label, PassedRows
from .._shown.tables import SCHEMA_VERSION, json_value
from ._input import ConventionInput
from ._records import CONVENTIONS, SKLEARN_AP_RECORDS, Convention, with_thresholds
from ._score_as import compute_outcome

# Conventions are in one group if their numbers differ by no more than this.
_SAME_NUMBER = 1e-9
# The tolerance for a number that is passed as a float.
_FLOAT_TOLERANCE = 1e-6
# Rounding may let a package print slightly more than 1. A greater number is a
# percentage, or no AP.
_MOST = 1.5
# Records with thresholds are also searched with these numbers of thresholds.
_SEARCHED_COUNTS = (20, 50, 100, 200, 500)
# Numbers as arrays print them: np.float64(0.48), tensor(0.48).
_PRINTED = re.compile(r"[a-z][\w.]*\(([^(),]+)(,[^()]*)?\)", re.IGNORECASE)
_HITS_OF_OGB = (
    "hits@k of OGB is not searched: it is "
    "operating_point(y_true, y_score, alarms=k - 1).recall."
)
_SEARCHED_COLUMNS = (
    "Columns were searched as their mean (macro) and as one ranking of all elements "
    "(micro), not as average='weighted' or 'samples'."
)

# The number of a matrix is the mean of the numbers of its columns (macro), or the
# number of all elements as one ranking (micro). With a single column, the average is
# None.
ColumnAverage = Literal["macro", "micro"] | None


class _Candidate(NamedTuple):
    """A convention, with its least and greatest number over orders of equal scores."""

    convention: Convention
    average: ColumnAverage
    low: float
    high: float

    @property
    def has_number(self) -> bool:
        """Whether there is a number, and the order of equal scores does not change it.

        If there is no number, conventions return NaN or, as COCO, -1.
        """
        return self.low == self.high and self.low >= 0

    def agrees_with(self, other: _Candidate) -> bool:
        """Whether another convention has the same number or range of numbers."""
        distance = max(abs(self.low - other.low), abs(self.high - other.high))
        return self.average == other.average and distance <= _SAME_NUMBER

    def is_near(self, target: float, tolerance: float, *, exact: bool) -> bool:
        """Whether the number is near the target, for at least one order of equal
        scores. With `exact`, the rounding of the package is not added to the tolerance.
        """
        # Packages add up numbers in another order than this package does, so that the
        # last bits of the sums differ.
        error = 0.0 if exact else max(4 * ulp(target), self.convention.error)
        # Add some slack, so that rounding cannot exclude a number whose distance is
        # exactly the tolerance.
        slack = tolerance * (1 + 1e-9) + error
        return self.low - slack <= target <= self.high + slack


@dataclass(frozen=True, repr=False, kw_only=True)
class Group:
    """Conventions that give the same number for the passed scores.

    Attributes
    ----------
    value : float
        The number of these conventions; NaN if it depends on the order of equal scores,
        which is unknown.
    off : float
        The number of these conventions minus the number that was searched for.
    conventions : tuple of Convention
        The conventions, in the order of `CONVENTIONS`.
    low, high : float or None
        The least and the greatest number of these conventions over all orders of equal
        scores. None unless the order is unknown and changes the number.
    average : {'macro', 'micro'} or None
        For a matrix: the mean over its columns, or all its elements as one ranking.
    """

    value: float
    off: float
    conventions: tuple[Convention, ...]
    low: float | None = None
    high: float | None = None
    average: ColumnAverage = None

    def __str__(self) -> str:
        """Return the number and its distance from the searched number, or the range of
        the number, followed by the names or calls of the conventions.
        """
        first = _value_and_offset(self)
        if self.low is not None and self.high is not None:
            range_over_orders = f"{self.low:.6g} to {self.high:.6g}"
            first = f"may be: {range_over_orders}, by the order of equal scores"
        if self.average is not None:
            first += f", {self.average} over columns"
        names = "; ".join(map(_name_or_call, self.conventions))
        names = textwrap.fill(names, 78, initial_indent="  ", subsequent_indent="  ")
        return f"{first}\n{names}"

    __repr__ = __str__


@dataclass(frozen=True, repr=False, kw_only=True)
class Identification:
    """The conventions that print a number; the result of `identify`.

    This object prints as a list.

    Attributes
    ----------
    value, tol : float
        The number that was searched for, and the tolerance.
    groups : tuple
        The conventions whose numbers are within `tol` (plus the rounding of each),
        nearest first; empty if there are none. Conventions with the same number form a
        group, with its `value`, its distance `off` from the searched number, and its
        `conventions`.
    possible : tuple
        The conventions whose number depends on the unknown order of equal scores, and
        may be the searched number: it is in their range. Conventions with the same
        range from `low` to `high` form a group.
    notes : tuple of str
        Sentences: if there are no groups, what the number is if it is no AP, such as
        ROC AUC or the best F1, and the two nearest numbers; then the conventions that
        were not searched, and the number of conventions that have no number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> identification = identify("0.81", [1, 0, 1, 1, 0], [5, 4, 3, 2, 1])
    >>> [convention.name for group in identification.groups for convention in group.conventions][:2]
    ['average precision', 'scikit-learn']
    """

    value: float
    tol: float
    groups: tuple[Group, ...]
    possible: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the groups, or a sentence that no convention gives the number,
        followed by the notes.
        """
        lines = list[str]()
        if not self.groups:
            unless = ", whatever the order of equal scores" if self.possible else ""
            lines.append(
                f"No convention gives {self.value:.12g} within {self.tol:g}{unless}."
            )
        lines += map(str, (*self.groups, *self.possible))
        lines += (
            textwrap.fill(note, 79, break_on_hyphens=False) for note in self.notes
        )
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dictionary that `json.dumps` can write.

        Returns
        -------
        numbers : dict
            The version of the keys (``"schema"``), the ``"kind"``, the searched
            ``"value"``, the ``"notes"``, and the ``"rows"``: a dictionary per
            convention, with its ``"name"``, ``"call"``, ``"value"``, ``"low"`` and
            ``"high"``.
        """
        rows = [
            {
                "name": convention.name,
                "call": convention.call,
                "value": group.value,
                "low": group.low,
                "high": group.high,
            }
            for group in (*self.groups, *self.possible)
            for convention in group.conventions
        ]
        return {
            "schema": SCHEMA_VERSION,
            "kind": "identification",
            "value": self.value,
            "notes": [*self.notes],
            "rows": json_value(rows),
        }


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
) -> Identification:
    """Find the conventions that print a given number for these scores.

    .. versionadded:: 0.1

    Parameters
    ----------
    value : float, str or Decimal
        The number that was published or printed. Text such as ``'0.7955'`` or
        ``'np.float64(0.48)'``, or a Decimal, is taken as rounded to its last digit; a
        float is taken as exact. For a percentage, such as 79.55, pass the share,
        ``'0.7955'``.

    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As for :func:`score_as`. Conventions with thresholds are searched with 20, 50,
        100, 200 and 500 of them, too. For a label matrix, or multiclass labels with one
        column of scores per class, each convention is searched as the mean over columns
        (macro) and with all elements as one ranking (micro).

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
    identification : Identification
        The conventions within `tol`, nearest first; those with the same number form a
        group. The result prints as a list, or as a sentence that no convention is near
        enough, followed by the conventions that were not searched.

    See Also
    --------
    compare_conventions, score_as

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> y_true = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> y_score = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> print(identify("0.7955", y_true, y_score))
    0.795455 (-0.000045)
      VOC 2007; voc_ap, use_07_metric; podm 11-point; mean-average-precision VOC
      2007
    Not searched: cuts at k (no k was given), missed positives (no total was
    given).
    """
    target, half_a_unit = _read_value(value)
    if tol is not None and not (is_finite(tol) and tol >= 0):
        raise ValueError(f"tol must be None or a number >= 0; got {tol!r}.")
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, query_id, n_positives
    )
    rows = read(inputs, caller="identify")
    by_average = _inputs_by_average(rows, inputs, k, item_id)
    candidates = [
        _candidate(convention, average, columns)
        for average, columns in by_average.items()
        for convention in _searched()
        if convention.cut != "k" or k is not None
    ]
    tolerance = half_a_unit if tol is None else float(tol)
    near = [
        candidate
        for candidate in candidates
        if candidate.is_near(target, tolerance, exact=tol is not None)
    ]
    groups = _by_value(near, target)
    found = tuple(group for group in groups if group.low is None)
    possible = tuple(group for group in groups if group.low is not None)
    notes = list[str]()
    if not found:
        notes += _mistakes(rows, target, tolerance)
        if target > _MOST and not notes:
            raise _error_about_value(value)
        notes += _nearest_note(candidates, target)
        if tol is None and not isinstance(value, str | Decimal):
            notes.append(
                f"The number {value!s} was searched for within {_FLOAT_TOLERANCE:g}. "
                f"If it is rounded, pass it as text: '{value!s}'."
            )
    if k is not None:
        notes.append(_HITS_OF_OGB)
    if rows.positive.ndim > 1:
        notes.append(_SEARCHED_COLUMNS)
    notes.append(_search_note(candidates, k, has_totals=n_positives is not None))
    return Identification(
        value=target,
        tol=tolerance,
        groups=found,
        possible=possible,
        notes=tuple(notes),
    )


def _searched() -> list[Convention]:
    """Return all records, and records with thresholds once more for each number of
    thresholds in `_SEARCHED_COUNTS`.
    """
    return [*CONVENTIONS.values()] + [
        with_thresholds(record, count)
        for record in CONVENTIONS.values()
        for count in _SEARCHED_COUNTS
        if record.thresholds is not None and record.thresholds.count != count
    ]


def _inputs_by_average(
    rows: CheckedRows,
    inputs: PassedRows,
    k: int | float | None,
    item_id: ArrayLike | None,
) -> dict[ColumnAverage, list[ConventionInput]]:
    """Return the caller's rows or, for a matrix, the rows of each column (macro) and
    all elements as one ranking (micro).
    """
    if rows.positive.ndim == 1:
        return {None: [ConventionInput("identify", inputs, k, item_id)]}
    for name, passed in (("n_positives", inputs.n_positives), ("item_id", item_id)):
        if passed is not None:
            raise ValueError(
                f"{name} requires one column of labels and scores; got shape "
                f"{rows.positive.shape}."
            )
    columns = [
        PassedRows(positive, score, sample_weight=rows.weight)
        for positive, score in zip(rows.positive.T, rows.score.T, strict=True)
    ]
    weight = rows.weight
    if weight is not None:
        weight = np.repeat(weight, len(columns))
    elements = PassedRows(
        rows.positive.ravel(), rows.score.ravel(), sample_weight=weight
    )
    return {
        "macro": [ConventionInput("identify", column, k, None) for column in columns],
        "micro": [ConventionInput("identify", elements, k, None)],
    }


def _candidate(
    convention: Convention, average: ColumnAverage, columns: list[ConventionInput]
) -> _Candidate:
    """Return a convention with its range of numbers, which are means over the columns.
    Columns without a number, such as -1 of COCO, are excluded.
    """
    outcomes = [compute_outcome(convention, column) for column in columns]
    counted = [
        outcome
        for outcome in outcomes
        if outcome.error is not None or outcome.value >= 0
    ]
    # If no column has a number, the value of the first column, such as NaN, is used.
    ranges = [outcome.range_over_orders for outcome in counted or outcomes[:1]]
    low, high = np.mean(ranges, axis=0)
    return _Candidate(convention, average, float(low), float(high))


def _by_value(candidates: Iterable[_Candidate], target: float) -> list[Group]:
    """Return a group for each number, or range of numbers, with the conventions that
    give it. The number nearest to the target comes first, and ranges come last.
    """
    groups: list[list[_Candidate]] = []
    for candidate in candidates:
        for group in groups:
            # Compare with the first member of each group, so that a chain of near
            # numbers does not form one group.
            if candidate.agrees_with(group[0]):
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    shown = [_group_of(members, target) for members in groups]
    return sorted(shown, key=lambda group: (group.low is not None, abs(group.off)))


def _group_of(members: list[_Candidate], target: float) -> Group:
    """Return a group with the number, or the range of numbers, of its first member."""
    first = members[0]
    conventions = [member.convention for member in members]
    # If a record in `CONVENTIONS` gives the number, omit records with other numbers of
    # thresholds.
    listed = [record for record in conventions if record.name in CONVENTIONS]
    has_range = first.low != first.high
    number = nan if has_range else first.low
    return Group(
        value=number,
        off=number - target,
        conventions=tuple(listed or conventions),
        low=first.low if has_range else None,
        high=first.high if has_range else None,
        average=first.average,
    )


def _nearest_note(candidates: list[_Candidate], target: float) -> list[str]:
    """Return the note on the two nearest numbers, if any convention has a number."""
    numbers = (candidate for candidate in candidates if candidate.has_number)
    nearest = [
        f"{_name_or_call(group.conventions[0])}, {_value_and_offset(group)}"
        for group in _by_value(numbers, target)[:2]
    ]
    return [f"The nearest: {'; '.join(nearest)}."] if nearest else []


def _name_or_call(convention: Convention) -> str:
    """Return the name of a package's convention, or the call of a number of this
    package.
    """
    if convention in SKLEARN_AP_RECORDS:
        return convention.call
    return convention.name


def _value_and_offset(group: Group) -> str:
    """Return a number and its distance from the searched number. The number has all
    digits if its distance is 0 in six decimals.
    """
    if 0 < abs(group.off) < 5e-7:
        return f"{group.value!r} ({group.off:+.1e})"
    return f"{group.value:.6f} ({group.off:+.6f})"


def _search_note(
    candidates: list[_Candidate], k: int | float | None, *, has_totals: bool
) -> str:
    """Return the note on the conventions that were not searched, and on the number of
    conventions that have no number.
    """
    sentences, not_searched = list[str](), list[str]()
    if k is None:
        not_searched.append("cuts at k (no k was given)")
    else:
        sentences.append(f"Cuts are at k = {k}.")
    if not has_totals:
        not_searched.append("missed positives (no total was given)")
    if not_searched:
        sentences.append(f"Not searched: {', '.join(not_searched)}.")
    n_without_number = sum(
        not candidate.has_number and candidate.convention.name in CONVENTIONS
        for candidate in candidates
    )
    if n_without_number:
        sentences.append(
            f"Without a number here: {n_without_number} (compare_conventions shows "
            "why)."
        )
    return " ".join(sentences)


def _read_value(value: object) -> tuple[float, float]:
    """Return the number to search for, and its tolerance: half a unit of the last digit
    of a text, or 1e-6 for a float.
    """
    if is_finite(value):
        return float(value), _FLOAT_TOLERANCE
    if isinstance(value, str | Decimal):
        text = str(value).strip()
        printed = _PRINTED.fullmatch(text)
        if printed:
            text = printed[1].strip()
        # The text may not be a number, or the number may be too large for a float.
        with suppress(ArithmeticError, ValueError):
            digits = Decimal(text)
            last_digit = Decimal(1).scaleb(int(digits.as_tuple().exponent))
            if is_finite(float(digits)):
                return float(digits), float(last_digit / 2)
    raise _error_about_value(value)


def _error_about_value(value: object) -> ValueError:
    """Return the error about a value that is no number, or a percentage."""
    return ValueError(
        "value must be a number, or its digits as text such as '0.7955', and not a "
        f"percentage such as 79.55; got {value!r}."
    )


def _mistakes(rows: CheckedRows, target: float, tolerance: float) -> list[str]:
    """Return notes on numbers that are taken for AP, if they are the target. Only a
    single ranking with positives and negatives is searched.
    """
    positive = rows.positive
    if positive.ndim > 1 or rows.query is not None or positive.all() == positive.any():
        return []
    numbers = _numbers_taken_for_ap(positive, rows.score, rows.weight)
    return [
        f"Not AP: this is {words}."
        for words, number in numbers.items()
        if abs(number - target) <= tolerance * (1 + 1e-9) + 4 * ulp(target)
    ]


def _numbers_taken_for_ap(
    positive: BoolArray, score: AnyArray, weight: AnyArray | None
) -> dict[str, float]:
    """Return numbers that are taken for average precision, by what they are."""
    area = average_precision_score(positive, score, sample_weight=weight)
    precision, recall, _ = precision_recall_curve(positive, score, sample_weight=weight)
    f1 = 2 * precision * recall / np.maximum(precision + recall, ulp(0))
    numbers = {
        "AP of the other class, with the negative label as the positive one": (
            average_precision_score(~positive, 0 - score, sample_weight=weight)
        ),
        "ROC AUC, roc_auc_score": roc_auc_score(positive, score, sample_weight=weight),
        "the best F1, operating_point(y_true, y_score, beta=1).f_score()": f1.max(),
        "AP over the share of positives": (
            area / float(np.average(positive, weights=weight))
        ),
    }
    if not 0 <= score.min() <= score.max() <= 1:
        return numbers
    # Predicted labels, as of a classifier's `predict`.
    labels = score > 0.5
    precision_at, recall_at, _, _ = precision_recall_fscore_support(
        positive, labels, average="binary", zero_division=0.0, sample_weight=weight
    )
    jaccard = jaccard_score(positive, labels, zero_division=0.0, sample_weight=weight)
    return numbers | {
        "AP of predicted labels, the scores above 0.5, not of the scores": (
            average_precision_score(
                positive, labels.astype(float), sample_weight=weight
            )
        ),
        "precision times recall of the scores above 0.5": precision_at * recall_at,
        "TP / (TP + FP + FN) of the scores above 0.5, the threat score": jaccard,
    }
