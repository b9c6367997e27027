"""`identify`: which conventions print a given number for given scores, and what was not searched."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from html import escape
from itertools import product
from math import inf, isfinite, isnan, nan
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from numpy.typing import ArrayLike

from .._public import Public
from .._reading._options import NORMALIZERS, TIES
from .._typing import Label, Totals
from ._comparison import Walker, frame
from ._convention import Convention
from ._engine import ITEMS_NEEDED, NoNumberError, range_words
from ._records._lookup import CONVENTIONS
from ._scores import Scores

if TYPE_CHECKING:
    from pandas import DataFrame


_SAME = 1e-9  # numbers of conventions that differ by less are one number
_EXACT = 1e-6  # tolerance for a number that was not given as text
_SLACK = 1 + 1e-9  # for rounding, if a number is off by exactly the tolerance

_WithoutNumber = tuple[Convention, NoNumberError]


@dataclass(frozen=True, repr=False, kw_only=True)
class Group(metaclass=Public):
    """Conventions that give the same number for the scores at hand.

    Attributes
    ----------
    value : float
        Their number.
    off : float
        By how much it exceeds the number that was asked for.
    conventions : tuple of Convention
        The conventions, in the order of `CONVENTIONS`.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> (group,) = identify("0.767", [1, 0, 1, 1], [4, 3, 2, 1], tol=0.003).groups
    >>> [convention.name for convention in group.conventions][:2]
    ['PR AUC, Davis-Goadrich', 'XGBoost aucpr']
    """

    value: float
    off: float
    conventions: tuple[Convention, ...]

    def __str__(self) -> str:
        """Return the number, by how much it is off, and the names."""
        return f"{self.value:.6f} ({self.off:+.6f})\n{_listing(self)}"

    __repr__ = __str__


@dataclass(frozen=True, repr=False, kw_only=True)
class OpenGroup(metaclass=Public):
    """Conventions whose number depends on the order of equal scores, which is unknown.

    Attributes
    ----------
    low, high : float
        Their least and their greatest number over all orders of equal scores.
    conventions : tuple of Convention
        The conventions, in the order of `CONVENTIONS`.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> (group,) = identify("0.83", [1, 0, 1], [2, 2, 1]).possible[:1]
    >>> print(group)
    may be: 0.6667 to 0.8333, by the order of equal scores
      voc_ap; mean-average-precision VOC
    """

    low: float
    high: float
    conventions: tuple[Convention, ...]

    def __str__(self) -> str:
        """Return the range, and the names."""
        return f"may be: {range_words(self.low, self.high)}, by the order of equal scores\n{_listing(self)}"

    __repr__ = __str__


@dataclass(frozen=True, repr=False, kw_only=True)
class Identification(metaclass=Public):
    """The conventions that print a number, as `identify` returns them.

    It prints as a list, shows as HTML in a notebook, and becomes a pandas DataFrame.

    Attributes
    ----------
    value, tol : float
        The number that was asked for, and the tolerance.
    groups : tuple of Group
        The conventions within `tol`, nearest first; empty if there are none.
    others : tuple of Group
        All other conventions with a number, nearest first.
    without_number : tuple of (str, str)
        Names of the conventions that have no number for these scores, and why.
    possible : tuple of OpenGroup
        The conventions without a number whose range over all orders of equal scores includes the value.
    notes : tuple of str
        What was not searched, and why; shorter if something was found.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> found = identify("0.81", [1, 0, 1, 1, 0], [5, 4, 3, 2, 1])
    >>> "scikit-learn" in found.to_frame().query("near").index
    True
    >>> print(*found.notes)
    Not searched: cuts at k (no k was given), missed positives (no total was given).
    """

    value: float
    tol: float
    groups: tuple[Group, ...]
    others: tuple[Group, ...]
    without_number: tuple[tuple[str, str], ...]
    possible: tuple[OpenGroup, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Name the groups, or say that nothing is near enough; then what was not searched."""
        lines: list[str] = []
        if not self.groups:
            unless = ", whatever the order of equal scores" if self.possible else ""
            lines = [f"No convention gives {self.value:.12g} within {self.tol:g}{unless}."]
            if self.value > 1:
                lines.append(f"Above 1 it may be a percentage: pass '{self.value:.12g}%'.")
        lines += map(str, (*self.groups, *self.possible))
        if not self.groups and self.others:
            lines.append(f"The nearest:\n{self.others[0]}")
        lines += (textwrap.fill(note, 80, break_on_hyphens=False) for note in self.notes)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return f"<pre>{escape(str(self))}</pre>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame of all conventions that have a number, nearest first.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by the names, with the columns value, off and near.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = [
            (convention.name, group.value, group.off, near)
            for groups, near in ((self.groups, True), (self.others, False))
            for group in groups
            for convention in group.conventions
        ]
        return frame(rows, ["convention", "value", "off", "near"])


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
    n_positives: Totals | None = None,
    item_id: ArrayLike | None = None,
) -> Identification:
    """Find the conventions that print a given number for these scores.

    .. versionadded:: 0.1

    Parameters
    ----------
    value : float, str or Decimal
        The number that was published or printed. Text such as ``'0.7955'`` or ``'79.55%'``, or a Decimal, is
        taken as rounded to its last digit. A float is taken as exact: 0.7955 does not find 0.795455.

    y_true, y_score : array-like of shape (n_samples,)
        As for :func:`score_as`.

    k : int, float or None, default=None
        Where each ranking is cut, for conventions with a cut: an int counts rows, a float in (0, 1] is a
        share of the rows. Conventions with a cut at k are searched only if `k` is given.

    tol : float, default=None
        Tolerance. By default half a unit of the last digit for text, and 1e-6 for a float.

    pos_label, sample_weight, query_id, n_positives, item_id : optional
        As for :func:`score_as`.

    Returns
    -------
    identification : Identification
        The conventions within `tol`, nearest first; those with the same number form a group. It prints as a
        list, or says that no convention is near enough, and then what was not searched.

    Raises
    ------
    ValueError
        If `value` is not a number, or `tol` is negative; and for input that
        :func:`sklearn_ap.average_precision_score` refuses.

    See Also
    --------
    compare_conventions : Several conventions beside scikit-learn's, with the reasons for the differences.
    score_as : The number of one convention.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> y_true = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> y_score = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> print(identify("0.7955", y_true, y_score))
    0.795455 (-0.000045)
      VOC 2007; voc_ap, use_07_metric; podm 11-point; mean-average-precision VOC
      2007
    Not searched: cuts at k (no k was given), missed positives (no total was given).
    """
    asked, half_a_unit = _read_value(value)
    scores = Scores("identify", y_true, y_score, k, pos_label, sample_weight, query_id, n_positives, item_id)
    near = half_a_unit if tol is None else _read_tol(tol)
    numbers, without = _numbers(scores)
    groups = _groups(numbers, asked)
    # Not `tol` itself, so that a number at exactly half a unit of the last digit is found.
    enough = near * _SLACK
    found = tuple(group for group in groups if abs(group.off) <= enough)
    possible = _possible(without, asked, enough)
    unsearched = Unsearched(scores.k, n_positives is not None, query_id is not None, without)
    notes = list(unsearched.in_short() if found else unsearched.in_full(possible))
    if not found and tol is None:
        notes = [*_how_near(value, groups), *notes]
    return Identification(
        value=asked,
        tol=near,
        groups=found,
        others=tuple(group for group in groups if not abs(group.off) <= enough),
        without_number=tuple((convention.name, str(error)) for convention, error in without),
        possible=possible,
        notes=tuple(notes),
    )


def _numbers(scores: Scores) -> tuple[list[tuple[float, Convention]], list[_WithoutNumber]]:
    """Return the number of each convention, or why it has none."""
    walker = Walker(scores)
    numbers, without = [], []
    for convention in _candidates(scores):
        try:
            numbers.append((walker.answer(convention), convention))
        except NoNumberError as error:
            without.append((convention, error))
    return numbers, without


def _candidates(scores: Scores) -> Iterator[Convention]:
    """Yield all records without a cut; if `k` was given, all records, and AP@k in every variant."""
    if scores.k is None:
        yield from (one for one in CONVENTIONS.values() if one.cut != "k")
        return
    yield from CONVENTIONS.values()
    # Variants that are records already are searched under the names of these.
    known = {one._choices for one in CONVENTIONS.values()}
    for ties, normalizer in product(TIES, NORMALIZERS):
        name = f"AP@k over {normalizer}, {ties} ties"
        variant = replace(CONVENTIONS["AP@k over R"], name=name, ties=ties, normalizer=normalizer)
        if variant._choices not in known:
            yield variant


def _groups(numbers: list[tuple[float, Convention]], asked: float) -> list[Group]:
    """Return one group per number, the nearest number first; conventions that answer NaN are left out."""
    by_value = sorted((pair for pair in numbers if not isnan(pair[0])), key=itemgetter(0))
    groups: list[list[tuple[float, Convention]]] = []
    for value, convention in by_value:
        # Compared with the first of its group, so that a chain of near numbers cannot grow without end.
        if not groups or value - groups[-1][0][0] > _SAME:
            groups.append([])
        groups[-1].append((value, convention))
    found = [
        Group(value=group[0][0], off=group[0][0] - asked, conventions=tuple(one for _, one in group))
        for group in groups
    ]
    return sorted(found, key=lambda group: abs(group.off))


def _possible(without: Sequence[_WithoutNumber], asked: float, enough: float) -> tuple[OpenGroup, ...]:
    """Return the conventions whose range includes the number, one group per range."""
    ranges: dict[tuple[float, float], list[Convention]] = {}
    for convention, error in without:
        low, high = error.low, error.high
        if low is not None and high is not None and low - enough <= asked <= high + enough:
            same = (pair for pair in ranges if abs(pair[0] - low) <= _SAME and abs(pair[1] - high) <= _SAME)
            ranges.setdefault(next(same, (low, high)), []).append(convention)
    return tuple(
        OpenGroup(low=low, high=high, conventions=tuple(conventions))
        for (low, high), conventions in ranges.items()
    )


def _listing(group: Group | OpenGroup) -> str:
    """Return the names of a group, indented and wrapped."""
    names = "; ".join(convention.name for convention in group.conventions)
    return textwrap.fill(names, 78, initial_indent="  ", subsequent_indent="  ")


def _how_near(value: object, groups: list[Group]) -> Iterator[str]:
    """Say what the tolerance is and, if a float looks rounded, what the same digits as text would find."""
    text = str(value).strip()
    if isinstance(value, str | Decimal):
        yield f"'{text}' means its digits: near enough is half a unit of the last one."
        return
    try:
        number, half_a_unit = _read_value(text)
    except ValueError:  # no digits, such as a fraction
        return
    if number > 1 or not _EXACT < half_a_unit < 0.5:  # a percentage, all digits of a float, or just 0 or 1
        return
    near = [group for group in groups if abs(group.off) <= half_a_unit * _SLACK]
    found = [one.name for group in near for one in group.conventions]
    named = f"{found[0]}{f' and {len(found) - 1} more' if found[1:] else ''}" if found else "nothing either"
    yield (
        f"The number {text} means itself, within {_EXACT:g}. If it was rounded, give it as text: '{text}' "
        f"means its digits, within {half_a_unit:g}, and finds {named}."
    )


def _read_value(value: object) -> tuple[float, float]:
    """Return the number that was asked for, and the tolerance that the way it was written implies."""
    try:
        if isinstance(value, str | Decimal):
            text, unit = str(value).strip(), Decimal(1)
            if text.endswith("%"):
                text, unit = text[:-1], Decimal("0.01")
            digits = Decimal(nan if "_" in text else text)  # Python reads 1_0 as 10, but it may be a typo
            last = Decimal(1).scaleb(int(digits.as_tuple().exponent))
            number, tol = float(digits * unit), float(last / 2 * unit)
        elif isinstance(value, Real) and not isinstance(value, bool):
            number, tol = float(value), _EXACT
        else:
            number = tol = nan
    except (ArithmeticError, ValueError):  # not digits, or too many of them for a float
        number = tol = nan
    if not isfinite(number):
        raise ValueError(f"value must be a number, or its digits as text such as '0.7955'; got {value!r}.")
    return number, tol


def _read_tol(tol: float) -> float:
    try:
        number = nan if isinstance(tol, bool | str) else float(tol)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not 0 <= number < inf:
        raise ValueError(f"tol must be None or a number >= 0; got {tol!r}.")
    return number


class Unsearched(NamedTuple):
    """The arguments that were not given, and the conventions without a number, each with its reason."""

    k: int | float | None
    total_given: bool
    queries_given: bool
    without: Sequence[_WithoutNumber]

    def in_short(self) -> Iterator[str]:
        """Yield a sentence about what was not searched, and one about conventions without a number."""
        missing = ["cuts at k (no k was given)"] * (self.k is None)
        missing += ["missed positives (no total was given)"] * (not self.total_given)
        said = [] if self.k is None else [f"Cuts are at k = {self.k}."]
        said += [f"Not searched: {', '.join(missing)}."] if missing else []
        if said:
            yield " ".join(said)
        reasons = [f"{len(names)} ({reason})" for reason, names in _by_reason(self.without).items()]
        if reasons:
            yield f"Without a number here: {', '.join(reasons)}."

    def in_full(self, possible: Sequence[OpenGroup]) -> Iterator[str]:
        """Yield what was not searched, and how to search it, except for conventions that are possible."""
        # First what the user can change by another argument, then what has no number at all.
        if self.k is None:
            cuts = [one.name for one in CONVENTIONS.values() if one.cut == "k"]
            yield (
                f"Not searched: {len(cuts)} conventions that cut a ranking, such as {cuts[0]} and "
                f"{cuts[-1]}, because no k was given. Give k, a number of rows or a share of them."
            )
        else:
            yield f"Cuts were searched at k = {self.k} alone. Give another k for another cut."
        if not self.total_given:
            yield (
                "Not searched: missed positives, such as objects that were never detected, because no total "
                "was given. Give n_positives, the number of all positives."
            )
        if not self.queries_given:
            yield (
                "All rows were taken for one ranking, because no queries were given. Give query_id for a "
                "mean over queries or classes."
            )
        # A range that was computed, but does not include the number: then no order of equal scores gives it.
        included = {one.name for group in possible for one in group.conventions}
        known = [one.name for one, error in self.without if error.low is not None]
        ruled_out = [name for name in known if name not in included]
        by_items = [one.name for one, error in self.without if error.reason == ITEMS_NEEDED]
        if set(by_items) - set(ruled_out):  # item ids could still find one of these
            yield (
                f"Not known: the order of equal scores in {len(by_items)} conventions such as {by_items[0]}, "
                "because no item ids were given. Give item_id."
            )
        if ruled_out:
            yield f"Ruled out in every order of equal scores: {'; '.join(ruled_out)}."
        for reason, names in _by_reason([pair for pair in self.without if pair[1].low is None]).items():
            yield f"Without a number here, because {reason}: {'; '.join(names)}."


def _by_reason(without: Sequence[_WithoutNumber]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for convention, error in without:
        reasons.setdefault(error.reason, []).append(convention.name)
    return reasons
