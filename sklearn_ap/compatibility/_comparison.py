"""`compare_conventions`: every number next to scikit-learn's, and the exact reasons why they differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .._public import data_frame
from .._typing import Label, QueryWeight, Totals
from ._convention import CHOICES, Convention
from ._engine import ROUNDING, NoNumberError, compute_answer
from ._records import SKLEARN_AP_RECORDS, find_convention
from ._scores import Scores

if TYPE_CHECKING:
    from pandas import DataFrame

SCIKIT_LEARN = Convention(name="scikit-learn")
_NUMBER_COLUMNS = ("value", "low", "high", "scikit_learn", "difference")
COLUMNS = (*_NUMBER_COLUMNS, "why")  # of a row, besides its name
_HEADING = ("score", "value", "scikit-learn AP", "difference")


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One stop on the way from scikit-learn's convention to another one.

    Attributes
    ----------
    choice : str
        The choice that was changed last; several choices if a stop between them has no number.
    words : str
        The choice's new value, in words.
    convention : Convention
        All choices at this stop.
    value : float
        The number of that convention.
    part : float
        By how much the choice changed the number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> (row,) = compare_conventions([0, 1, 0, 1, 1], [5, 4, 3, 2, 1], conventions="VOC 2010").rows
    >>> [stop.choice for stop in row.stops]
    ['queries', 'ties', 'weights', 'area', 'stated total', 'without positives']
    """

    choice: str
    words: str
    convention: Convention = field(repr=False)
    value: float
    part: float


def _convention_number(convention: Convention, scores: Scores) -> float:
    """Return the convention's number, or raise if its answer is not a number of at least 0."""
    answer = compute_answer(convention, scores)
    if not answer >= 0:  # also true for NaN, unlike `answer < 0`; COCO answers -1
        text = f"{convention.name!r} answers {answer:g}, since a ranking lacks positives or negatives."
        raise NoNumberError(text)
    return answer


def _stops(target: Convention, scores: Scores) -> Iterator[Stop]:
    """Change scikit-learn's choices into the target's, one at a time and in the order of `CHOICES`.

    Choices that both conventions share have no stop. If a stop would have no number, its choice is changed
    together with the next one. The target must have a number.
    """
    if not scores.weighs_queries:  # words would say that weights are used
        target = replace(target, query_weights=None)
    convention, value = SCIKIT_LEARN, _convention_number(SCIKIT_LEARN, scores)
    changed: list[str] = []
    for choice in CHOICES:
        if target._agrees(convention, choice):
            continue
        changed.append(choice)
        following = convention._with_choices(target, changed, name=f"{target.name}, up to {choice}")
        try:
            following_value = _convention_number(following, scores)
        except NoNumberError:  # no stop here: the choice stays in `changed`, for the next one
            continue
        yield Stop(
            choice=" and ".join(changed),
            words=", ".join(map(target.words, changed)),
            convention=following,
            value=following_value,
            part=following_value - value,
        )
        convention, value, changed = following, following_value, []


def format_part(value: float) -> str:
    """Return a part of a difference as text: four decimals, or one digit if they would all be 0."""
    # "+0.0000" next to a choice would look as if the choice changed nothing.
    return f"{value:+.4f}" if abs(value) >= 0.00005 else f"{value:+.0e}"


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
    stops : tuple of Stop
        The way from scikit-learn's convention to this one. Their parts add up to the difference.
    note : str
        Why there is no number; empty if there is one.
    low, high : float or None
        The least and the greatest number over all orders of equal scores; None unless their order is unknown
        and changes the number.

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
    stops: tuple[Stop, ...] = field(default=(), repr=False)
    note: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float | None:
        """By how much the number exceeds scikit-learn's."""
        return None if self.value is None else self.value - self.scikit_learn

    @property
    def why(self) -> str:
        """The choices that make the difference, each with its part; or why there is no number."""
        return self.note or "; ".join(f"{stop.words} {format_part(stop.part)}" for stop in self.reasons)

    @property
    def reasons(self) -> tuple[Stop, ...]:
        """The stops that change the number by more than the rounding of a sum."""
        return tuple(stop for stop in self.stops if abs(stop.part) > ROUNDING)


def _table_lines(rows: Iterable[ComparisonRow], *, indent: str) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line of the table: a row, and below it each stop with its change, or a note."""
    yield _HEADING
    for row in rows:
        numbers = _four_decimals(row.value), _four_decimals(row.scikit_learn)
        yield row.name, *numbers, _four_decimals(row.difference, "+")
        for stop in row.reasons:
            yield indent + stop.words, _four_decimals(stop.value), "", format_part(stop.part)
        if row.note:
            yield (indent + row.note,)


def _four_decimals(value: float | None, sign: str = "") -> str:
    """Return four decimals, or a dash if there is no number."""
    text = "-" if value is None else f"{value:{sign}.4f}"
    # A rounding error below 0 must not be shown as -0.0000.
    return text.replace("-0.0000", f"{sign}0.0000")


@dataclass(frozen=True, repr=False, kw_only=True)
class ConventionComparison:
    """Numbers next to scikit-learn's, as `compare_conventions` returns them.

    It prints as a table, shows as HTML in a notebook, and becomes a pandas DataFrame.

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
        """Return a table of at most 80 columns, and below it how many queries its numbers are means over."""
        width = max([43, *(len(row.name) + 2 for row in self.rows)])
        lines: list[str] = []
        for words, *numbers in _table_lines(self.rows, indent="  "):
            # Numbers stand on the last line of words; a note is as wide as the table.
            room = width if numbers else width + 37
            *above, last = textwrap.wrap(words, room, subsequent_indent="  ") or [""]
            cells = (f"{number:>{size}}" for number, size in zip(numbers, (8, 17, 12), strict=False))
            lines += [*above, f"{last:<{width if numbers else 0}}{''.join(cells)}"]
        return "\n".join([*lines, *textwrap.wrap(self.means, 80)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table that notebooks show."""
        lines = []
        for number, cells in enumerate(_table_lines(self.rows, indent="\u2003")):  # HTML drops plain spaces
            tag = "td" if number else "th"
            start = f"<{tag}>" if len(cells) > 1 else f'<{tag} colspan="4">'
            lines.append(f"<tr>{''.join(f'{start}{escape(cell)}</{tag}>' for cell in cells)}</tr>")
        below = f"<p>{escape(self.means)}</p>" if self.means else ""
        return f"<table>{''.join(lines)}</table>{below}"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame indexed by the names.

        Returns
        -------
        frame : pandas.DataFrame
            Its columns are value, low, high, scikit_learn, difference and why. If the order of equal scores
            is unknown and changes the number, `low` and `high` are the range over all orders.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = [(row.name, *(getattr(row, column) for column in COLUMNS)) for row in self.rows]
        # Numbers are float even if no row has one.
        frame = data_frame(rows, ["score", *COLUMNS]).set_index("score")
        return frame.astype(dict.fromkeys(_NUMBER_COLUMNS, float))


def compare_conventions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = 10,
    conventions: str | Convention | Iterable[str | Convention] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    query_weight: QueryWeight | None = None,
    n_positives: Totals | None = None,
    item_id: ArrayLike | None = None,
) -> ConventionComparison:
    """Average precision in several conventions next to scikit-learn's, and why they differ.

    The way from scikit-learn's convention to another one changes one choice at a time, always in the
    order of `CHOICES`. The change of the number at each choice is its part of the difference, so the parts
    add up to the difference. Where two choices interact, another order would split their effect differently.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As for :func:`score_as`.

    k : int, float or None, default=10
        Where each ranking is cut, for conventions with a cut: an int counts rows, a float in (0, 1] is a
        share of the rows. The default is the usual first ten results.

    conventions : str, Convention or iterable of them, default=None
        Names in `CONVENTIONS`, in upper or lower case; other names such as ``'pycocotools'``; or records of
        your own. Pass `CONVENTIONS` for all of them. By default, the numbers of this package.

    pos_label, sample_weight, query_id, query_weight, n_positives, item_id : optional
        As for :func:`score_as`.

    Returns
    -------
    comparison : ConventionComparison
        One row per convention. It prints as a table, shows as HTML in a notebook, and has a ``to_frame()``.

    Raises
    ------
    ValueError
        For an unknown convention, and for input that :func:`sklearn_ap.average_precision_score` refuses. A
        convention without a number for the input raises no error: its row says why. If the order of equal
        scores is unknown, the row also has the range over all orders.

    See Also
    --------
    score_as : The number of one convention.
    identify : Which convention printed a number.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare_conventions
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    >>> y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> print(compare_conventions(y_true, y_score, conventions=["VOC 2007", "recommenders map"]))
    score                                         value  scikit-learn AP  difference
    VOC 2007                                     0.7240           0.6976     +0.0264
      best precision at each recall or beyond    0.7143                      +0.0167
      11 levels, 0:0.1:1                         0.7240                      +0.0097
    recommenders map                             0.6976           0.6976     +0.0000
    """
    data = y_true, y_score, k, pos_label, sample_weight, query_id, n_positives, item_id, query_weight
    scores = Scores("compare_conventions", *data)
    if conventions is None:
        conventions = SKLEARN_AP_RECORDS
    elif isinstance(conventions, str | Convention):
        conventions = [conventions]
    elif not isinstance(conventions, Iterable):  # unknown names are refused one by one, below
        raise ValueError(f"conventions must be names in CONVENTIONS or records; got {conventions!r}.")
    rows = tuple(_row(find_convention(convention), scores) for convention in conventions)
    means = ""
    if scores.n_queries is not None:
        pooled = "scikit-learn's AP, and other conventions without queries, take all rows as one ranking."
        means = f"Means over {scores.n_queries} quer{'y' if scores.n_queries == 1 else 'ies'}. {pooled}"
    return ConventionComparison(rows=rows, means=means)


def _row(convention: Convention, scores: Scores) -> ComparisonRow:
    """Return the row of a convention; a note stands in the place of a number that it does not have."""
    name = convention.name if scores.k is None else convention.name.replace("@k", f"@{scores.k}")
    reference = _convention_number(SCIKIT_LEARN, scores)
    row = ComparisonRow(name=name, convention=convention, value=None, scikit_learn=reference)
    try:
        value = _convention_number(convention, scores)
    except NoNumberError as error:
        return replace(row, note=str(error), low=error.low, high=error.high)
    return replace(row, value=value, stops=tuple(_stops(convention, scores)))
