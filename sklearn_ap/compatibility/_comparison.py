"""`compare`: every number beside scikit-learn's, and the exact reasons why they differ."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .._typing import Label, Totals
from . import _rendering
from ._convention import Convention
from ._engine import NoNumberError
from ._records._lookup import FAMILY, convention_of
from ._scores import Scores
from ._walk import SCIKIT_LEARN, ComparisonRow, Walker

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class Comparison:
    """Numbers beside scikit-learn's, as `compare` returns them.

    It prints as a table, shows as HTML in a notebook, and becomes a pandas DataFrame.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        One per convention.
    means : str
        How many queries the numbers are means over; empty without queries.

    Examples
    --------
    >>> from sklearn_ap.compatibility import compare
    >>> comparison = compare([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], conventions=["COCO", "XGBoost aucpr"])
    >>> [row.name for row in comparison.rows]
    ['COCO', 'XGBoost aucpr']
    """

    rows: tuple[ComparisonRow, ...]
    means: str = ""

    def __str__(self) -> str:
        """Return a table of at most 80 columns, and below it how many queries its numbers are means over."""
        return "\n".join([_rendering.text(self.rows), *textwrap.wrap(self.means, 80)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table that notebooks show."""
        return _rendering.html(self.rows) + (f"<p>{escape(self.means)}</p>" if self.means else "")

    def to_frame(self, *, stops: bool = False) -> "DataFrame":
        """Return a pandas DataFrame indexed by the names.

        Parameters
        ----------
        stops : bool, default=False
            Whether to return one row per stop of the walks instead, including stops that change nothing.

        Returns
        -------
        frame : pandas.DataFrame
            Its columns are value, low, high, scikit_learn, difference and why. If the order of equal scores
            is unknown and changes the number, `low` and `high` are the range over all orders. With
            ``stops=True`` the columns are choice, words, value and part.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        if stops:
            rows = [(row.name, s.choice, s.words, s.value, s.part) for row in self.rows for s in row.stops]
            return _rendering.frame(rows, ["score", "choice", "words", "value", "part"])
        return _rendering.frame(list(map(_rendering.text_cells, self.rows)), ["score", *_rendering.COLUMNS])


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = 10,
    conventions: str | Convention | Iterable[str | Convention] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    item_id: ArrayLike | None = None,
) -> Comparison:
    """Average precision in several conventions beside scikit-learn's, and why they differ.

    The walk from scikit-learn's convention to another one changes one choice at a time, always in the
    order of `CHOICES`: score precision, input transform, queries, ties, weights, area with its first and
    last point, grid, stated total, cut, normalizer, answer without positives. The change of the number at
    each choice is its part of the difference, so the parts add up to the difference. The parts depend on the
    order of the choices: where two choices interact, another order would split their effect differently.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first.

    k : int, float or None, default=10
        Where each ranking is cut, for conventions with a cut: an int counts rows, a float in (0, 1] is a
        share of the rows.

    conventions : str, Convention or iterable of them, default=None
        Names in `CONVENTIONS`, in upper or lower case; other names such as ``'pycocotools'``; or records of
        your own. Pass `CONVENTIONS` for all of them. By default, the numbers of this package.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative; conventions without weights ignore them.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, in any row order; the class of each detection for packages of object detection.
        Packages of retrieval and of detection take the mean over queries. Packages that take one ranking per
        call have no number. The others, such as scikit-learn, take all rows as one ranking.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed. With `query_id`, a number is the total of each query, and
        a mapping holds one total per query. Where all rows are one ranking, these totals are added up.
        Conventions that do not count missed positives ignore it.

    item_id : array-like of shape (n_samples,), default=None
        Id of each item. trec_eval and similar packages order equal scores by it. Ids are compared as text.

    Returns
    -------
    comparison : Comparison
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
    >>> from sklearn_ap.compatibility import compare
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    >>> y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> print(compare(y_true, y_score, conventions=["VOC 2007", "recommenders map"]))
    score                                         value  scikit-learn AP  difference
    VOC 2007                                     0.7240           0.6976     +0.0264
      best precision at each recall or beyond    0.7143                      +0.0167
      11 levels, 0:0.1:1                         0.7240                      +0.0097
    recommenders map                             0.6976           0.6976     +0.0000
    """
    scores = Scores("compare", y_true, y_score, k, pos_label, sample_weight, query_id, n_positives, item_id)
    if conventions is None:
        conventions = FAMILY
    elif isinstance(conventions, str | Convention):
        conventions = [conventions]
    elif not isinstance(conventions, Iterable):  # unknown names are refused one by one, below
        raise ValueError(f"conventions must be names in CONVENTIONS or records; got {conventions!r}.")
    walker = Walker(scores)  # one for all rows, since many walks share their first stops
    rows = tuple(_row(convention_of(convention), walker, scores.k) for convention in conventions)
    means = "" if scores.n_queries is None else _rendering.means_over(*scores.n_queries, rows)
    return Comparison(rows, means)


def _row(convention: Convention, walker: Walker, k: int | float | None) -> ComparisonRow:
    """Return the row of a convention; one without a number gets a note instead."""
    name = convention.name if k is None else convention.name.replace("@k", f"@{k}")
    reference = walker.number(SCIKIT_LEARN)
    try:
        stops = walker.walk(convention)
    except NoNumberError as error:
        return ComparisonRow(
            name, convention, None, reference, note=str(error), low=error.low, high=error.high
        )
    # Without a stop, no choice differs from scikit-learn's, so the number is the same.
    return ComparisonRow(name, convention, stops[-1].value if stops else reference, reference, tuple(stops))
