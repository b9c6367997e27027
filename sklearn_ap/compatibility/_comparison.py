"""`compare_conventions`: numbers next to scikit-learn's, and the exact reasons why they
differ.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .._core.typing import ArrayLikeOrMapping, Label, PassedRows
from .._shown.tables import data_frame
from ._input import ConventionInput
from ._package_areas import AREAS
from ._records import (
    CONVENTIONS,
    SKLEARN_AP_RECORDS,
    Convention,
    find_conventions,
    read_file,
)
from ._score_as import ROUNDING, NoNumberError, compute_answer

if TYPE_CHECKING:
    from pandas import DataFrame

# Of these, mostly the numbers of `AP@k over min(k, R)` and of the reciprocal rank, a call
# names those that it wants.
_ONLY_BY_NAME = (
    "AP@k over R",
    "AP@k over k",
    "AP@k over hits",
    "AP@k, ",
    "reciprocal rank@k",
)
# Columns of a row, besides its name.
COLUMNS = (
    "value",
    "low",
    "high",
    "scikit_learn",
    "difference",
    "why",
    "call",
)


@dataclass(frozen=True, kw_only=True)
class ChoiceChange:
    """A choice that was changed on the way from scikit-learn's convention to another
    one.

    Attributes
    ----------
    choice : str
        The choice that was changed; several if the conventions between them have no
        number.
    words : str
        The choice's new value, in words.
    convention : Convention
        All choices after the change.
    value : float
        The number of that convention.
    part : float
        By how much the choice changed the number.
    """

    choice: str
    words: str
    convention: Convention = field(repr=False)
    value: float
    part: float


def _changes(target: Convention, scores: ConventionInput) -> Iterator[ChoiceChange]:
    """Change scikit-learn's choices into the target's, one at a time and in the order
    of `records.toml`.

    If the convention after a change has no number, the choice is changed together with
    the next one. The target must have a number.
    """
    convention, words = CONVENTIONS["scikit-learn"], target.changes
    value = compute_answer(convention, scores).value
    changed = list[str]()
    for choice in words:
        fields = {
            name: getattr(target, name) for name in read_file()["choices"][choice]
        }
        convention = replace(
            convention, name=f"{target.name}, up to {choice}", **fields
        )
        changed.append(choice)
        number = compute_answer(convention, scores).number
        if number is None:  # the choice stays in `changed`, for the next one
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
    """Return a part of a difference as text: four decimals, or one digit if they would
    all be 0.
    """
    # "+0.0000" next to a choice would look as if the choice changed nothing.
    if abs(value) >= 0.00005:
        return f"{value:+.4f}"
    return f"{value:+.0e}"


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """One number next to scikit-learn's.

    Attributes
    ----------
    name : str
        Name of the convention, with the cut in place of k.
    convention : Convention
        How the number is computed.
    value : float or None
        The number; None if the convention has no number for these scores.
    scikit_learn : float
        ``sklearn.metrics.average_precision_score`` of the same scores.
    changes : tuple
        The way from scikit-learn's convention to this one: each choice that is changed
        has a `choice`, its new value in `words`, the `convention` with its `value`, and
        the `part` of the difference. Parts add up to the difference. A share, a rank or
        a point of a curve has none, since its difference would say nothing.
    note : str
        Why there is no number; empty if there is one.
    low, high : float or None
        The least and the greatest number over all orders of equal scores; None unless
        their order is unknown and changes the number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> (row,) = compare_conventions([0, 1, 0, 1, 1], [5, 4, 3, 2, 1], conventions="VOC 2010").rows
    >>> row.why
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
        """The number minus scikit-learn's; None if it is not an average precision."""
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
        """The changes of the number by more than the rounding of a sum."""
        return tuple(change for change in self.changes if abs(change.part) > ROUNDING)


def _is_average_precision(convention: Convention) -> bool:
    """Whether a number is an area of precisions, and not a share, a rank or a point."""
    # Precision at a recall is interpolated at a single level.
    levels = convention.grid and convention.grid.levels
    is_point = isinstance(levels, tuple) and len(levels) == 1
    return AREAS[convention.area].noun in ("AP", "PR AUC") and not is_point


def _table_lines(rows: Iterable[ComparisonRow]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line of the table: a row, and below it each change, or a
    note.
    """
    yield "score", "value", "difference"
    for row in rows:
        yield row.name, _four_decimals(row.value), _four_decimals(row.difference, "+")
        for change in row.reasons:
            value, part = _four_decimals(change.value), format_part(change.part)
            yield f"  {change.words}", value, part
        if row.note:
            yield (f"  {row.note}",)


def _four_decimals(value: float | None, sign: str = "") -> str:
    """Return four decimals, or a dash if there is no number; a rounding error below 0
    is not -0.0000.
    """
    if value is None:
        return "-"
    return f"{value:{sign}z.4f}"


@dataclass(frozen=True, repr=False, kw_only=True)
class ConventionComparison:
    """Numbers next to scikit-learn's, as `compare_conventions` returns them.

    It prints as a table, and becomes a pandas DataFrame.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        One per convention.
    means : str
        How many queries the numbers are means over; empty without queries.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> names = ["COCO", "XGBoost aucpr"]
    >>> comparison = compare_conventions([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], conventions=names)
    >>> [row.name for row in comparison.rows]
    ['COCO', 'XGBoost aucpr']
    """

    rows: tuple[ComparisonRow, ...]
    means: str = ""

    def __str__(self) -> str:
        """Return a table of at most 79 columns, and below it how many queries its
        numbers are means over.
        """
        width = max([42, *(len(row.name) + 2 for row in self.rows)])
        # All rows are compared with one number.
        lines = [
            f"scikit-learn's AP is {_four_decimals(row.scikit_learn)}."
            for row in self.rows[:1]
        ]
        for words, *numbers in _table_lines(self.rows):
            # Numbers stand on the last line of words; a note is as wide as the table.
            room = width if numbers else width + 20
            *above, last = textwrap.wrap(words, room, subsequent_indent="  ") or [""]
            cells = (
                f"{number:>{size}}"
                for number, size in zip(numbers, (8, 12), strict=False)
            )
            lines += [*above, f"{last:<{width if numbers else 0}}{''.join(cells)}"]
        return "\n".join([*lines, *textwrap.wrap(self.means, 79)])

    __repr__ = __str__

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
        rows = [
            (row.name, *(getattr(row, column) for column in COLUMNS))
            for row in self.rows
        ]
        # Numbers are float even if no row has one.
        frame = data_frame(rows, ["score", *COLUMNS]).set_index("score")
        return frame.astype(dict.fromkeys(COLUMNS[:-2], float))


def compare_conventions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = 10,
    conventions: str | Convention | Iterable[str | Convention] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    item_id: ArrayLike | None = None,
) -> ConventionComparison:
    """Average precision in several conventions, and why they differ.

    The way from scikit-learn's convention to another one changes one choice at a time,
    always in the order of :doc:`/compatibility`. The change of the number at
    each choice is its part of the difference, so the parts add up to the difference.
    Where two choices interact, another order would split their effect differently.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As for :func:`score_as`.

    k : int, float or None, default=10
        As for :func:`score_as`; the default is the usual first ten results.

    conventions : str or iterable of str, default=None
        Names in `CONVENTIONS`, in upper or lower case, or other names such as
        ``'pycocotools'``. The name of a package, such as ``'torchmetrics'``, stands for
        all of its records. Pass `CONVENTIONS` for all records. By default, the numbers
        of this package, with one AP@k: that over min(k, R).

    pos_label, sample_weight, query_id, n_positives, item_id : optional
        As for :func:`score_as`.

    Returns
    -------
    comparison : ConventionComparison
        One row per convention. It prints as a table, and has a ``to_frame()``.

    See Also
    --------
    score_as, identify

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    >>> y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> print(compare_conventions(y_true, y_score, conventions=["VOC 2007", "recommenders map"]))
    scikit-learn's AP is 0.6976.
    score                                        value  difference
    VOC 2007                                    0.7240     +0.0264
      best precision at each recall or beyond   0.7143     +0.0167
      11 levels, 0:0.1:1                        0.7240     +0.0097
    recommenders map                            0.6976     +0.0000
    """
    inputs = PassedRows(
        y_true,
        y_score,
        "macro",
        pos_label,
        sample_weight,
        query_id,
        n_positives,
    )
    scores = ConventionInput("compare_conventions", inputs, k, item_id)
    if conventions is None:
        conventions = [
            record
            for record in SKLEARN_AP_RECORDS
            if not record.name.startswith(_ONLY_BY_NAME)
        ]
    elif isinstance(conventions, str | Convention):
        conventions = [conventions]
    elif not isinstance(conventions, Iterable):
        # Unknown names are refused one by one, below.
        raise ValueError(
            f"conventions must be names in CONVENTIONS; got {conventions!r}."
        )
    rows = tuple(
        _row(record, scores)
        for convention in conventions
        for record in find_conventions(convention)
    )
    means = ""
    if scores.n_queries is not None:
        pooled = "scikit-learn's AP, and other conventions without queries, take all rows as one ranking."
        means = f"Means over {scores.n_queries} quer{'y' if scores.n_queries == 1 else 'ies'}. {pooled}"
    return ConventionComparison(rows=rows, means=means)


def _row(convention: Convention, scores: ConventionInput) -> ComparisonRow:
    """Return the row of a convention; a note stands in the place of a number that it
    does not have.
    """
    answer = compute_answer(convention, scores)
    error = answer.error or NoNumberError("")
    note = str(error)
    if answer.number is None and not note:
        note = f"{convention.name!r} answers {answer.value:g}, since a ranking lacks positives or negatives."
    name, changes = convention.name, list[ChoiceChange]()
    if scores.k is not None:
        name = name.replace("@k", f"@{scores.k}")
    if not note and _is_average_precision(convention):
        changes += _changes(convention, scores)
    return ComparisonRow(
        name=name,
        convention=convention,
        value=answer.number,
        scikit_learn=compute_answer(CONVENTIONS["scikit-learn"], scores).value,
        changes=tuple(changes),
        note=note,
        low=error.low,
        high=error.high,
    )
