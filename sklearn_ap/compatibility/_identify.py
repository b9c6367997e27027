"""`identify`: which conventions print this number for these scores."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from html import escape
from itertools import product
from math import inf, isfinite, isnan, nan
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .._at_k import TIES
from .._average_precision_at_k import NORMALIZERS
from .._typing import Label, Totals
from ._convention import Convention
from ._engine import NoNumberError
from ._records import CONVENTIONS
from ._rendering import frame
from ._scores import Scores
from ._walk import Walker

if TYPE_CHECKING:
    from pandas import DataFrame

_SAME = 1e-9  # conventions whose numbers differ by less coincide


@dataclass(frozen=True)
class Group:
    """Conventions that coincide on the scores at hand.

    Attributes
    ----------
    value : float
        Their number.
    off : float
        By how much it exceeds the number that was asked for.
    conventions : tuple of Convention
        In the order of `CONVENTIONS`.

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
        """Tell the number, by how much it is off, and the names."""
        names = "; ".join(convention.name for convention in self.conventions)
        wrapped = textwrap.fill(names, 78, initial_indent="  ", subsequent_indent="  ")
        return f"{self.value:.6f} ({self.off:+.6f})\n{wrapped}"


@dataclass(frozen=True, repr=False)
class Identification:
    """The conventions that print a number, as `identify` returns them.

    It prints as a list, shows as HTML in a notebook, and becomes a pandas DataFrame.

    Attributes
    ----------
    value, tol : float
        The number that was asked for, and how near is near enough.
    groups : tuple of Group
        The conventions within `tol`, nearest first; empty where none is near enough.
    others : tuple of Group
        All others, nearest first.
    without_number : tuple of (str, str)
        Names of the conventions that have no number for these scores, and why.

    Examples
    --------
    >>> from sklearn_ap.compatibility import identify
    >>> found = identify("0.81", [1, 0, 1, 1, 0], [5, 4, 3, 2, 1])
    >>> "scikit-learn" in found.to_frame().query("near").index
    True
    """

    value: float
    tol: float
    groups: tuple[Group, ...]
    others: tuple[Group, ...]
    without_number: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Name the groups, or say that nothing is near enough."""
        lines = list(map(str, self.groups))
        if not lines:
            lines = [f"No convention gives {self.value:g} within {self.tol:g}."]
            if self.value > 1:
                lines[0] += f" Above 1 it may be a percentage: pass '{self.value:g}%'."
            lines += [f"The nearest:\n{self.others[0]}"] if self.others else []
        if self.without_number:
            lines.append(f"{len(self.without_number)} more have no number here: see without_number.")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return f"<pre>{escape(str(self))}</pre>"

    def to_frame(self) -> "DataFrame":
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
    """Which conventions print this number for these scores.

    .. versionadded:: 0.1

    Parameters
    ----------
    value : float, str or Decimal
        The number that was published or printed. Text such as ``'0.7955'`` or ``'79.55%'``, or a Decimal,
        allows for half a unit of its last digit.

    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,)
        Scores, highest for what is retrieved first.

    k : int, float or None, default=None
        Where conventions with a cut cut each ranking: an int counts rows, a float in (0, 1] is a share of the
        rows. Cuts at k, and what their sums are divided by, are searched only if it is given.

    tol : float, default=None
        How near is near enough. By default half a unit of the last digit of text, and 1e-6 for a float.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative; conventions without weights ignore them.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, in any row order. Conventions of retrieval take the mean over queries, all
        others take all rows for one ranking.

    n_positives : float or mapping, default=None
        Total number of positives, found or not, of each ranking; with `query_id` a mapping gives one a query.
        Conventions that cannot be told of missed positives ignore it.

    item_id : array-like of shape (n_samples,), default=None
        Id of each item, which trec_eval and its kin need: they order equal scores by it. Ids are compared as
        text.

    Returns
    -------
    identification : Identification
        The conventions within `tol`, nearest first and in groups that coincide on these scores. It prints as
        a list, or says that nothing is near enough.

    Raises
    ------
    ValueError
        If `value` is no number or `tol` is negative; and as :func:`sklearn_ap.average_precision_score` for
        wrong input.

    See Also
    --------
    compare : Several conventions beside scikit-learn's, with the reasons for the differences.
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
    """
    asked, half_a_unit = _read_value(value)
    scores = Scores(
        y_true,
        y_score,
        caller="identify",
        k=k,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
        n_positives=n_positives,
        item_id=item_id,
    )
    near = half_a_unit if tol is None else _read_tol(tol)
    numbers, without = [], []
    walker = Walker(scores)
    for convention in _candidates(cut=k is not None):
        try:
            numbers.append((walker.answer(convention), convention))
        except NoNumberError as error:
            without.append((convention.name, str(error)))
    groups = _groups(numbers, asked)
    enough = near * (1 + 1e-9)
    return Identification(
        asked,
        near,
        tuple(group for group in groups if abs(group.off) <= enough),
        tuple(group for group in groups if not abs(group.off) <= enough),
        tuple(without),
    )


def _candidates(*, cut: bool) -> Iterable[Convention]:
    """Return all records; without a cut, only those that need none."""
    if not cut:
        return [one for one in CONVENTIONS.values() if one.cut != "k"]
    known = {one.choices for one in CONVENTIONS.values()}
    return [*CONVENTIONS.values(), *(one for one in _cuts() if one.choices not in known)]


def _cuts() -> Iterator[Convention]:
    """Yield AP@k with all ties and normalizers."""
    for ties, normalizer in product(TIES, NORMALIZERS):
        name = f"AP@k over {normalizer}, {ties} ties"
        yield replace(CONVENTIONS["AP@k over R"], name=name, ties=ties, normalizer=normalizer)


def _groups(numbers: list[tuple[float, Convention]], asked: float) -> list[Group]:
    """Return conventions of one number together, the nearest number first; NaN is no number."""
    by_value = sorted((pair for pair in numbers if not isnan(pair[0])), key=itemgetter(0))
    groups: list[list[tuple[float, Convention]]] = []
    for value, convention in by_value:
        if not groups or value - groups[-1][0][0] > _SAME:
            groups.append([])
        groups[-1].append((value, convention))
    found = [Group(group[0][0], group[0][0] - asked, tuple(one for _, one in group)) for group in groups]
    return sorted(found, key=lambda group: abs(group.off))


def _read_value(value: Any) -> tuple[float, float]:
    """Return the number that was asked for, and how near is near enough by the way it was written."""
    try:
        if isinstance(value, str | Decimal):
            text, unit = str(value).strip(), Decimal(1)
            if text.endswith("%"):
                text, unit = text[:-1], Decimal("0.01")
            digits = Decimal(text)
            last = Decimal(1).scaleb(int(digits.as_tuple().exponent))
            number, tol = float(digits * unit), float(last / 2 * unit)
        elif isinstance(value, Real) and not isinstance(value, bool):
            number, tol = float(value), 1e-6
        else:
            number = tol = nan
    except (ArithmeticError, ValueError):  # no digits, or of no size that a float has
        number = tol = nan
    if not isfinite(number):
        raise ValueError(f"value must be a number, or its digits as text such as '0.7955'; got {value!r}.")
    return number, tol


def _read_tol(tol: Any) -> float:
    try:
        number = nan if isinstance(tol, bool | str) else float(tol)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not 0 <= number < inf:
        raise ValueError(f"tol must be None or a number >= 0; got {tol!r}.")
    return number
