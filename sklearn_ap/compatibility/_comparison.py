"""`compare_conventions`: the numbers of conventions next to scikit-learn's, and the
choices that make the difference.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from .._core.advice import advised
from .._core.rounding import EQUAL
from .._core.typing import ArrayLikeOrMapping, Label, PassedRows
from .._shown.numbers import count_of
from .._shown.tables import SCHEMA_VERSION, ShownAsText, data_frame
from ._input import ConventionInput
from ._package_areas import AREAS
from ._records import (
    CONVENTIONS,
    SKLEARN_AP_CONVENTIONS,
    Convention,
    find_conventions,
    read_file,
)
from ._score_as import compute_outcome, missing_cut

if TYPE_CHECKING:
    from pandas import DataFrame

# Conventions whose names begin with one of these texts are compared only if the caller
# names them. Mostly, their numbers equal `AP@k over min(k, R)` or the reciprocal rank.
_ONLY_BY_NAME = (
    "AP@k over R",
    "AP@k over k",
    "AP@k over hits",
    "AP@k, ",
    "reciprocal rank@k",
)
# The columns of the data frame that contain numbers.
_NUMBER_COLUMNS = (
    "value",
    "low",
    "high",
    "scikit_learn",
    "difference",
)
# All columns of the data frame, which has the names of the conventions as its index.
COLUMNS = (*_NUMBER_COLUMNS, "why", "call")
# The least width of the first column of the table.
_LEAST_WIDTH = 42
_ADVICE = "Pass a rounded number as text, such as '0.80', and k if it has a cut."
# The table of `identify` has at most this number of rows.
_MOST_ROWS = 10


@dataclass(frozen=True, kw_only=True)
class ChoiceChange:
    """One step from scikit-learn's convention to another one: a choice that is changed.

    Parameters
    ----------
    choice : str
        The name of the choice, or the names of several choices that are changed
        together because the conventions between them have no number.
    words : str
        The new value of the choice, in words.
    convention : Convention
        The convention after the change.
    value : float
        The number of that convention.
    part : float
        The change of the number.
    """

    choice: str
    words: str
    convention: Convention = field(repr=False)
    value: float
    part: float


def _changes(
    target: Convention, arguments: ConventionInput, scikit_learn: float
) -> Iterator[ChoiceChange]:
    """Yield the changes from scikit-learn's choices to those of the target, one at a
    time and in the order of `records.toml`. `scikit_learn` is scikit-learn's number.

    If the convention after a change has no number, the choice is changed together with
    the next one. The target must have a number.
    """
    convention, value = CONVENTIONS["scikit-learn"], scikit_learn
    words, changed = target.changes, list[str]()
    for choice in words:
        fields = {
            name: getattr(target, name) for name in read_file()["choices"][choice]
        }
        convention = replace(
            convention, name=f"{target.name}, up to {choice}", **fields
        )
        changed.append(choice)
        number = compute_outcome(convention, arguments).number
        # If there is no number, the choice remains in `changed`, so that it is changed
        # together with the next one.
        if number is None:
            continue
        yield ChoiceChange(
            choice=" and ".join(changed),
            words=", ".join(words[choice] for choice in changed),
            convention=convention,
            value=number,
            part=number - value,
        )
        value, changed = number, []


def format_part(value: float) -> str:
    """Return a part of a difference with four decimals, or with one significant digit
    if all four decimals would be 0.
    """
    # If "+0.0000" was shown, the choice would seem to have no effect.
    if abs(value) >= 0.00005:
        return f"{value:+.4f}"
    return f"{value:+.0e}"


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """The number of one convention next to scikit-learn's.

    Parameters
    ----------
    name : str
        Name of the convention, with the cut in place of k.
    convention : Convention
        The convention by which the number is computed.
    value : float or None
        The number; None if the convention has no number for these scores.
    scikit_learn : float
        ``sklearn.metrics.average_precision_score`` of the same scores.
    changes : tuple
        The steps from scikit-learn's convention to this one. Each step has a `choice`,
        its new value in `words`, the `convention` after the change with its `value`,
        and the `part` of the difference. Parts add up to the difference. A share, a
        rank or a point of a curve has no steps, since its difference from an average
        precision has no meaning.
    note : str
        The reason why there is no number; empty if there is one.
    low, high : float or None
        The least and the greatest number over all orders of equal scores. None unless
        their order is unknown and changes the number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> y_true, y_score = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
    >>> comparison = compare_conventions(y_true, y_score, conventions="VOC 2010")
    >>> comparison.rows[0].why
    'best precision at each recall or beyond +0.0667'
    """

    name: str
    convention: Convention = field(repr=False)
    value: float | None
    scikit_learn: float
    changes: tuple[ChoiceChange, ...] = field(default=(), repr=False)
    note: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float | None:
        """The number minus scikit-learn's; None without an average precision."""
        if self.value is None or not _is_average_precision(self.convention):
            return None
        return self.value - self.scikit_learn

    @property
    def call(self) -> str:
        """The call that returns the number."""
        return self.convention.call

    @property
    def why(self) -> str:
        """The choices that make the difference, or why there is no number."""
        return self.note or "; ".join(
            f"{change.words} {format_part(change.part)}" for change in self.reasons
        )

    @property
    def reasons(self) -> tuple[ChoiceChange, ...]:
        """The steps that change the number by more than the rounding of a sum."""
        return tuple(change for change in self.changes if abs(change.part) > EQUAL)


def _is_average_precision(convention: Convention) -> bool:
    """Whether a number is an average precision, and not a share, a rank or a point of a
    curve.
    """
    # The conventions of precision at a recall have the area of AP, and a single level.
    is_point = convention.grid is not None and convention.grid.values.size == 1
    return AREAS[convention.area].noun in ("AP", "PR AUC") and not is_point


def sentences_of(comparison: ConventionComparison) -> tuple[str, str]:
    """Return the sentence before the table, which is empty without rows, and the
    sentence after the table, which is empty without queries.
    """
    before = after = ""
    if comparison.rows:
        # All rows contain the same number of scikit-learn.
        scikit_learn = _four_decimals(comparison.rows[0].scikit_learn)
        before = f"scikit-learn's AP is {scikit_learn}."
    if comparison.n_queries is not None:
        after = (
            f"Means over {count_of(comparison.n_queries, 'query', 'queries')}. "
            "scikit-learn's AP, and other conventions without queries, take all rows "
            "as one ranking."
        )
    return before, after


def table_of(
    rows: Iterable[ComparisonRow], *, has_reasons: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield the texts of each line of the table. With reasons, the line of a row is
    followed by a line for each change, and by the note if there is one.
    """
    yield "score", "value", "difference of printed values"
    for row in rows:
        difference, number_above = "-", row.scikit_learn
        if row.value is not None and row.difference is not None:
            difference = _printed_difference(row.value, number_above)
        yield row.name, _four_decimals(row.value), difference
        if not has_reasons:
            continue
        for change in row.reasons:
            difference = _printed_difference(change.value, number_above)
            yield f"  {change.words}", _four_decimals(change.value), difference
            number_above = change.value
        if row.note:
            yield f"  {row.note}", "", ""


def _printed_difference(value: float, number_above: float) -> str:
    """Return a number minus the one that is printed above it, both with four decimals,
    so that a reader who adds up the differences gets the printed numbers.
    """
    return _four_decimals(round(value, 4) - round(number_above, 4), "+")


def _with_shared_lines(rows: Iterable[ComparisonRow]) -> Iterator[ComparisonRow]:
    """Yield one row, with all names, for the rows that print the same but for their
    names.
    """
    alike: dict[object, list[ComparisonRow]] = {}
    for row in rows:
        # The note of a row without a number contains the name, too.
        note = row.note.replace(row.convention.name, "")
        without_name = replace(row, name="", note=note)
        lines = tuple(table_of([without_name], has_reasons=True))
        alike.setdefault(lines, []).append(row)
    for same in alike.values():
        yield replace(same[0], name="; ".join(row.name for row in same))


def _four_decimals(value: float | None, sign: str = "") -> str:
    """Return a number with four decimals, or a dash if there is no number."""
    if value is None:
        return "-"
    # With "z", a rounding error below 0 is written as 0.0000, not as -0.0000.
    return f"{value:{sign}z.4f}"


class NumberSearch(NamedTuple):
    """The number that `identify` searched for, and how many conventions give it."""

    value: float
    tol: float
    # The decimals that were searched; None if the caller passed a tolerance.
    digits: int | None
    # The conventions that give the number, and those that give it for some orders of
    # equal scores.
    n_found: int = 0
    n_possible: int = 0

    def __str__(self) -> str:
        """Return how many conventions give the number, and to how many digits."""
        number = f"{self.value:.12g} within {self.tol:g}"
        if self.digits is not None:
            digits = count_of(self.digits, "digit", "digits")
            number = f"{self.value:.{self.digits}f} to {digits}"
        text = f"Conventions that give {number}: {self.n_found}."
        if not self.n_found:
            text = f"No convention gives {number}; the nearest come first."
        if self.n_possible:
            text += f" By their order of equal scores, {self.n_possible} may give it."
        if self.digits == 0:
            text += " A number without decimals says little."
        return text


@dataclass(frozen=True, repr=False, kw_only=True)
class ConventionComparison(ShownAsText):
    """Numbers of conventions next to scikit-learn's.

    `compare_conventions` and `identify` return this object. It prints as a
    table, and `to_frame` returns a pandas DataFrame.

    Parameters
    ----------
    rows : tuple of ComparisonRow
        One row per convention.
    n_queries : int or None
        The number of queries over which the numbers are means; None without queries.
    search : tuple or None
        For `identify`: the `value` that was searched for, the tolerance `tol`, the
        `digits` if no tolerance was passed, `n_found`, the number of rows that give the
        value, and `n_possible`, the number of rows that may give it, by the order of
        equal scores. They are in this order; if `n_found` is 0, the nearest rows come
        first.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> names = ["COCO", "XGBoost aucpr"]
    >>> comparison = compare_conventions([1, 0, 1], [3, 2, 1], conventions=names)
    >>> [row.name for row in comparison.rows]
    ['COCO', 'XGBoost aucpr']
    """

    rows: tuple[ComparisonRow, ...]
    n_queries: int | None = None
    search: NumberSearch | None = None

    def __str__(self) -> str:
        """Return a table of at most 79 columns, between two sentences. For `identify`
        without a number, further lines say what the caller can pass.
        """
        text = self._without_advice()
        if self.search is not None and not self.search.n_found:
            text += f"\n{_ADVICE}"
        return text

    def _without_advice(self) -> str:
        """Return the table between two sentences. For `identify`, the names of equal
        rows share a line, and the table has at most ten rows.
        """
        before, after = sentences_of(self)
        width = max([_LEAST_WIDTH, *(len(row.name) + 2 for row in self.rows)])
        lines, rows = list[str](), [*self.rows]
        if self.search is not None:
            lines += textwrap.wrap(str(self.search), 79)
            rows = [*_with_shared_lines(self.rows[:_MOST_ROWS])]
            n_hidden = len(self.rows) - _MOST_ROWS
            if n_hidden > 0:
                after = f"And {n_hidden} more. {after}"
        lines += textwrap.wrap(before, 79)
        for words, value, difference in table_of(rows, has_reasons=True):
            # A note has no numbers, so it is as wide as a sentence.
            room = width if value else 79
            # If words are wrapped, their last line contains the numbers. An empty text
            # has no lines.
            *above, last = textwrap.wrap(words, room, subsequent_indent="  ") or [""]
            # The head of the differences has two lines.
            *head, number = textwrap.wrap(difference, 14) or [""]
            lines += [*above, *(f"{text:>{width + 24}}" for text in head)]
            lines.append(f"{last:<{width}}{value:>8}{number:>16}".rstrip())
        lines += textwrap.wrap(after, 79)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dictionary that `json.dumps` can write.

        Returns
        -------
        numbers : dict
            The version of the keys (``"schema"``), the ``"kind"``, and the ``"rows"``:
            a dictionary per convention, with its ``"name"`` and the columns of
            :meth:`to_frame`. For `identify`, also the fields of ``"search"``.
        """
        numbers = {
            "schema": SCHEMA_VERSION,
            "kind": "convention_comparison",
            "rows": self._rows_by_column(),
        }
        if self.search is not None:
            numbers["search"] = self.search._asdict()
        return numbers

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame indexed by the names.

        Returns
        -------
        frame : pandas.DataFrame
            Its columns are value, low, high, scikit_learn, difference, why and call. If
            the order of equal scores is unknown and changes the number, `low` and
            `high` are the range over all orders.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = data_frame(self._rows_by_column(), ["name", *COLUMNS])
        # If no row has a number, pandas would choose the type object.
        return frame.set_index("name").astype(dict.fromkeys(_NUMBER_COLUMNS, float))

    def _rows_by_column(self) -> list[dict[str, Any]]:
        """Return the name and the numbers of each row, by column."""
        return [
            {"name": row.name} | {column: getattr(row, column) for column in COLUMNS}
            for row in self.rows
        ]


@advised
def compare_conventions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    conventions: str | Convention | Iterable[str | Convention] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    item_id: ArrayLike | None = None,
) -> ConventionComparison:
    """Compute average precision in several conventions, and explain the differences.

    Starting from scikit-learn's convention, one choice at a time is changed to that of
    the other convention, in the order of :doc:`/compatibility`. The change of
    the number at each choice is its part of the difference, so the parts add up to the
    difference. If two choices interact, another order would divide their effect in
    another way.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As for :func:`score_as`.

    k : int, float or None, default=None
        As for :func:`score_as`. Without it, conventions with a cut are left out, unless
        `conventions` names them.

    conventions : str or iterable of str, default=None
        Names in `CONVENTIONS`, in upper or lower case, or other names such as
        ``'pycocotools'``. The name of a package, such as ``'torchmetrics'``, selects
        all of its conventions. Pass `CONVENTIONS` for all conventions. By default, and
        for an empty list, the numbers of this package are compared, except for AP@k
        with a divisor other than min(k, R).

    pos_label, sample_weight, query_id, n_positives, item_id : optional
        As for :func:`score_as`.

    Returns
    -------
    comparison : ConventionComparison
        One row per convention. It prints as a table, and has a ``to_frame()``.

    See Also
    --------
    score_as : The number of one convention.
    identify : Conventions that give a number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    >>> y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> names = ["VOC 2007", "recommenders map"]
    >>> print(compare_conventions(y_true, y_score, k=10, conventions=names))
    scikit-learn's AP is 0.6976.
                                                         difference of
    score                                        value  printed values
    VOC 2007                                    0.7240         +0.0264
      best precision at each recall or beyond   0.7143         +0.0167
      11 levels, 0:0.1:1                        0.7240         +0.0097
    recommenders map                            0.6976         +0.0000
    """
    inputs = PassedRows(
        y_true, y_score, "macro", pos_label, sample_weight, query_id, n_positives
    )
    arguments = ConventionInput("compare_conventions", inputs, k, item_id)
    if conventions is None:
        conventions = []
    elif isinstance(conventions, str) or not isinstance(conventions, Iterable):
        # `find_conventions` below raises the error if this is no name or convention.
        conventions = [conventions]
    asked = _asked(conventions, arguments) or [
        convention
        for convention in SKLEARN_AP_CONVENTIONS
        if not convention.name.startswith(_ONLY_BY_NAME)
    ]
    compared = [one for one in asked if one.cut != "k" or arguments.k is not None]
    return comparison_of(compared, arguments)


def _asked(
    conventions: Iterable[str | Convention], arguments: ConventionInput
) -> list[Convention]:
    """Return the conventions of these names. Raise NoNumberError if a name has only
    conventions with a cut, and there is no `k`.
    """
    asked = list[Convention]()
    for convention in conventions:
        named = find_conventions(convention)
        # A mapping of conventions, such as `CONVENTIONS`, names none of them.
        needs_cut = arguments.k is None and not isinstance(conventions, Mapping)
        if needs_cut and all(convention.cut == "k" for convention in named):
            raise missing_cut(named[0])
        asked += named
    return asked


def comparison_of(
    conventions: Iterable[Convention],
    arguments: ConventionInput,
    search: NumberSearch | None = None,
) -> ConventionComparison:
    """Return the numbers of conventions next to scikit-learn's."""
    scikit_learn = compute_outcome(CONVENTIONS["scikit-learn"], arguments).value
    rows = [_row_of(convention, arguments, scikit_learn) for convention in conventions]
    return ConventionComparison(
        rows=tuple(rows), n_queries=arguments.n_queries, search=search
    )


def _row_of(
    convention: Convention, arguments: ConventionInput, scikit_learn: float
) -> ComparisonRow:
    """Return the row of a convention. If it has no number, the row contains a note with
    the reason.
    """
    outcome = compute_outcome(convention, arguments)
    note = outcome.error
    if not note and outcome.number is None:
        note = (
            f"{convention.name!r} returns {outcome.value:g}, since a ranking has no "
            "positives or no negatives."
        )
    name = convention.name
    if arguments.k is not None:
        name = name.replace("@k", f"@{arguments.k}")
    changes = tuple[ChoiceChange, ...]()
    if not note and _is_average_precision(convention):
        changes = tuple(_changes(convention, arguments, scikit_learn))
    return ComparisonRow(
        name=name,
        convention=convention,
        value=outcome.number,
        scikit_learn=scikit_learn,
        changes=changes,
        note=note,
        low=outcome.low,
        high=outcome.high,
    )
