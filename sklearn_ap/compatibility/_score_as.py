"""`score_as`, and the outcome of a convention for some scores: a number, or an error
with the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.advice import advised
from .._core.areas.area import Cuts
from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.ranking.rankings import Rankings, ratio
from .._core.reading.options import check_option, short_repr
from .._core.rounding import EQUAL, ROUNDING_PER_ROW
from .._core.typing import (
    ArrayLikeOrMapping,
    BoolArray,
    FloatArray,
    Label,
    PassedRows,
)
from .._core.user_messages import warn_user
from ._input import ConventionInput
from ._package_areas import AREAS, USUAL_POINTS, find_area
from ._records import (
    CONVENTIONS,
    SIGN_OF_ITEM_ORDER,
    Convention,
    ConventionTies,
    find_convention,
    policy_of,
    unused_arguments,
)


@advised
def score_as(
    convention: str | Convention,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | float | None = None,
    average: Literal["macro"] | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    item_id: ArrayLike | None = None,
) -> float | Any:
    """Compute average precision as another package does.

    The number is computed without the other package.

    Parameters
    ----------
    convention : str or Convention
        A name in `CONVENTIONS`, in upper or lower case; another name of a package that
        prints the same number, such as ``'pycocotools'``; or a convention of your own.
        A convention with thresholds accepts any number of them that is at least 2:
        ``'torchmetrics, thresholds=50'``.

    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,)
        Scores. The row with the highest score ranks first.

    k : int, float or None, default=None
        Number of rows at which each ranking is cut; a float above 0 and below 1 is a
        share of the rows. Conventions with a cut require it.

    average : {'macro'} or None, default='macro'
        ``'macro'`` returns the number of the package for all queries. None returns the
        number of each query, in the order of the sorted ids.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, or class of each detection. Packages for retrieval and
        detection compute the mean over queries.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed. With `query_id`, a mapping of totals
        by query.

    item_id : array-like of shape (n_samples,), default=None
        Id of each item, which may occur once per ranking. trec_eval and similar
        packages order equal scores by these ids. Ids are compared as text.

    Returns
    -------
    value : float or ndarray of shape (n_queries,)
        The number that the package prints, except for its own rounding. If it prints
        NaN or -1 because there is no number, the same value. With ``average=None``, an
        array in the order of the sorted ids, with NaN for a query that the package
        excludes from its mean.

    Raises
    ------
    NoNumberError
        A ValueError, if the convention does not use an argument that is passed, such as
        `k` without a cut, or if it has no number for this input. The message contains
        the reason, and what to pass. If the number depends on an unknown order of equal
        scores, the error has the range over all orders.

    Warns
    -----
    UserWarning
        If the number is NaN.

    See Also
    --------
    compare_conventions : Numbers of several conventions, and why they differ.
    identify : Conventions that give a number.
    sklearn_ap.get_scorer : Scorer of a convention, for the searches of scikit-learn.

    Examples
    --------
    >>> from sklearn_ap.compatibility import score_as
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> score_as("scikit-learn", y_true, y_score)
    0.8055555555555555
    >>> score_as("XGBoost aucpr", y_true, y_score)
    0.7689509398133515
    >>> documents = ["d1", "d2", "d3", "d4", "d5"]
    >>> score_as("trec_eval map_cut", y_true, y_score, k=2, item_id=documents)
    0.3333333333333333
    """
    inputs = PassedRows(
        y_true, y_score, average, pos_label, sample_weight, query_id, n_positives
    )
    convention = find_convention(convention)
    text = text_of_unused(convention, {**inputs._asdict(), "k": k, "item_id": item_id})
    if text:
        raise NoNumberError(text)
    arguments = ConventionInput("score_as", inputs, k, item_id)
    if average is not None:
        check_option("average", average, ("macro",))
    elif arguments.n_queries is None or convention.queries == "pooled":
        raise ValueError(
            "average must be 'macro' without query_id, and for packages that pool the "
            f"queries; got None for {convention.name!r}."
        )
    numbers = _checked_numbers(convention, arguments)
    if average is None:
        return np.where(numbers.weights > 0, numbers.values, nan)
    value = numbers.mean()
    if isnan(value):
        warn_user(
            f"The number of {convention.name!r} is NaN, as in its package, because a "
            "ranking has no positives, or no negatives: drop such queries."
        )
    return value


def text_of_unused(convention: Convention, passed: Mapping[str, object]) -> str:
    """Return the text of the error about an argument that the convention does not use;
    empty if it uses all arguments that are not None.
    """
    for argument, reason in unused_arguments(convention).items():
        value = passed.get(argument)
        if value is not None:
            return (
                f"{argument} must be None for {convention.name!r}, {reason}; got "
                f"{short_repr(value)}."
            )
    return ""


def _for_scorer(
    arguments: Mapping[str, Any], query_id: str | None
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return `score_as` with its convention bound, for a scorer of this name, and its
    other arguments.

    Raise an error if the convention is missing, unknown or wrong, if its cut is
    missing, or if it does not use an argument.
    """
    options = dict(arguments)
    convention = options.pop("convention", None)
    known = find_convention(convention)
    if known.cut == "k" and options.get("k") is None:
        raise TypeError(str(missing_cut(known)))
    if text := text_of_unused(known, {**options, "query_id": query_id}):
        raise TypeError(text)
    # The scorer shows the name of a known convention in place of the object. With this
    # name, `make_scorer` makes the same scorer.
    if isinstance(convention, str) or CONVENTIONS.get(known.name) == known:
        convention = known.name
    bound: Any = partial(score_as, convention)
    bound.__name__ = known.name
    return bound, options


# `make_scorer` calls this function when a scorer of `score_as` is made.
_score_as: Any = score_as
_score_as.for_scorer = _for_scorer


class NoNumberError(ValueError):
    """The convention has no number for these scores.

    The message contains the reason, and what to pass.

    Functions of `sklearn_ap.compatibility` raise it. All parameters except `text` are
    attributes.

    Parameters
    ----------
    text : str
        The reason why there is no number, with the name of the convention, and what to
        pass.
    low, high : float or None, default=None
        The least and the greatest number over all orders of equal scores, if the
        convention leaves the order open and the range is known.

    Examples
    --------
    >>> from sklearn_ap.compatibility import NoNumberError, score_as
    >>> try:
    ...     score_as("voc_ap", [1, 0, 1], [2, 2, 1])
    ... except NoNumberError as error:
    ...     print(error.low, error.high)
    ...
    0.6666666666666666 0.8333333333333333
    """

    def __init__(
        self, text: str, *, low: float | None = None, high: float | None = None
    ) -> None:
        super().__init__(text)
        self.low = low
        self.high = high


class Outcome(NamedTuple):
    """The outcome of a convention for the caller's scores: a value or an error.

    The value may be NaN or -1, which packages return if there is no number.
    """

    # The value is NaN if there is an error.
    value: float
    # The text of the error, or nothing, and the range that it has.
    error: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def number(self) -> float | None:
        """The value; None if it is NaN, or -1 as for COCO without positives."""
        if self.value >= 0:
            return self.value
        return None

    @property
    def range_over_orders(self) -> tuple[float, float]:
        """The least and the greatest number over all orders of equal scores. Both are
        the value if the order has no effect, and NaN if the range is unknown.
        """
        if self.low is None or self.high is None:
            return self.value, self.value
        return self.low, self.high


class _PerRanking(NamedTuple):
    """The numbers of a convention for each ranking."""

    values: FloatArray
    # The weight of each ranking in the mean; 0 if the mean excludes the ranking.
    weights: FloatArray

    def mean(self) -> float:
        """Return the weighted mean of the values."""
        # Drop values of weight 0, since a value may be NaN, and 0 times NaN is NaN.
        counts = self.weights > 0
        return float(np.average(self.values[counts], weights=self.weights[counts]))


def compute_outcome(convention: Convention, arguments: ConventionInput) -> Outcome:
    """Return the outcome of a convention for these scores."""
    try:
        return Outcome(_checked_numbers(convention, arguments).mean())
    except NoNumberError as error:
        return Outcome(nan, str(error), error.low, error.high)


def _checked_numbers(convention: Convention, arguments: ConventionInput) -> _PerRanking:
    """Return the number of each ranking. Raise NoNumberError if the convention has no
    number for these scores.
    """
    _check_input(convention, arguments)
    ties = convention.ties
    if ties == "unspecified" or (
        ties in SIGN_OF_ITEM_ORDER and arguments.items is None
    ):
        _check_order(convention, arguments)
        ties = "stable"
    return _numbers_in_order(convention, arguments, ties=ties)


def _check_input(convention: Convention, arguments: ConventionInput) -> None:
    """Raise NoNumberError if the cut is missing, or if the convention cannot use the
    queries, totals or weights that were passed.
    """
    name = repr(convention.name)
    try:
        definition = _definition(convention, arguments)
    except ValueError as error:
        raise NoNumberError(f"convention {name} has no number: {error}") from None
    has_totals = arguments.uses_totals(convention)
    if convention.cut == "k" and arguments.k is None:
        raise missing_cut(convention)
    if convention.queries == "refused" and arguments.n_queries is not None:
        raise NoNumberError(
            f"query_id is not supported by {name}, which takes one ranking: pass one "
            "query at a time."
        )
    if convention.weights == "ignored" and arguments.weighted and has_totals:
        raise NoNumberError(
            "n_positives is a total weight if sample_weight is passed, but "
            f"{name} ignores sample_weight; pass n_positives as a count, without "
            "sample_weight."
        )
    definition = replace(definition, ties=policy_of(convention.ties))
    needs = definition.needs_equal_weights(has_totals=has_totals)
    # To compare weights within rankings, the rows must be ranked. That is done only if
    # the convention requires equal weights.
    if (
        needs is not None
        and arguments.weighted
        and arguments.ranked(convention, ties="proportional").weighted
    ):
        reason, _ = needs
        raise NoNumberError(
            f"sample_weight must be equal inside each ranking for {name}: {reason}."
        )


def missing_cut(convention: Convention) -> NoNumberError:
    """Return the error about a convention with a cut, if there is no `k`."""
    return NoNumberError(
        f"k is required: {convention.name!r} cuts each ranking; pass a number or a "
        "share of rows."
    )


def _check_order(convention: Convention, arguments: ConventionInput) -> None:
    """Raise NoNumberError if the order of equal scores is unknown and changes the
    number.
    """
    tied = arguments.ranked(convention, ties="proportional")
    # Without a cut, the hits are all positives, in any order of equal scores.
    choices = convention.area, convention.normalizer, convention.cut
    is_over_hits = choices == ("step", "hits", "k")
    # If equal scores are below the cut only, their order has no effect. For precisions
    # divided by the hits, ask for equal scores above the cut. For all other numbers,
    # ask for any equal scores: if their order has no effect, `low` and `high` are
    # equal.
    k = arguments.k if is_over_hits else None
    if not _has_open_order(tied, cut_depth(tied.n_rows, k)):
        return
    # Nearly all areas increase if a positive moves up, so the least and the greatest
    # number are those with all positives last and first among equal scores. Two cases
    # have other bounds, which are unknown: precisions divided by the hits above the
    # cut, and unequal weights, whose order changes the number, too.
    text = _text_of_open_order(convention)
    if is_over_hits or tied.weighted:
        raise NoNumberError(text)
    low, high = (
        _numbers_in_order(convention, arguments, ties=ties).mean()
        for ties in ("pessimistic", "optimistic")
    )
    # If both numbers are NaN, no order has a number, and nothing is raised.
    if high - low > EQUAL:
        text += (
            f" The number is between {low:.6g} and {high:.6g}, depending on that order."
        )
        raise NoNumberError(text, low=low, high=high)


def _text_of_open_order(convention: Convention) -> str:
    """Return the text of the error about an unknown order of equal scores."""
    name = repr(convention.name)
    tied_scores = "y_score contains equal scores of positives and negatives,"
    if convention.ties in SIGN_OF_ITEM_ORDER:
        return (
            f"item_id is required: {tied_scores} which {name} orders by the ids of the "
            "items; pass one id per row."
        )
    return (
        f"{tied_scores} and {name} leaves their order open; pass scores without such "
        "ties."
    )


def _has_open_order(rankings: Rankings, depth: FloatArray) -> bool:
    """Whether a positive and a negative have the same score, and the first of their
    rows is within the depth.
    """
    return any(
        (
            (steps.gained < steps.group_weight)
            & (steps.rows_above < steps.per_step(depth))
        ).any()
        for steps in rankings.kernel.blocks()
    )


def _numbers_in_order(
    convention: Convention, arguments: ConventionInput, *, ties: ConventionTies
) -> _PerRanking:
    """Return the number of each ranking for one order of equal scores. Raise
    NoNumberError if a ranking that counts in the mean is an error.
    """
    rankings = arguments.ranked(convention, ties=ties)
    values = _values(convention, arguments, rankings)
    is_perfect = (rankings.n_rows == 1) & (convention.one_row == "perfect")
    values[is_perfect] = 1.0
    lacking = _lacking(convention, rankings, values, is_perfect)
    # The value of a ranking without a class. None keeps the value that was computed.
    value_without = {
        "positives": convention.without_positives,
        "negatives": convention.without_negatives,
    }
    is_excluded = np.zeros(values.size, dtype=bool)
    for label, lacks in lacking.items():
        value = value_without[label]
        if value is not None:
            values[lacks] = nan if value == "error" else value
            is_excluded |= lacks & convention.left_out
    weight: FloatArray | float = 1.0
    if convention.queries == "mean by rows":
        weight = rankings.n_rows
    weights = np.where(is_excluded, 0.0, weight)
    # If the mean excludes all rankings, the value of a single ranking is returned: the
    # first one without positives, or else the first one.
    if not weights.any():
        weights[np.argmax(lacking["positives"])] = 1.0
    # A ranking that the mean excludes raises no error.
    for label, lacks in lacking.items():
        if value_without[label] == "error" and weights[lacks].any():
            raise NoNumberError(
                f"y_true contains no {label}, which is an error for "
                f"{convention.name!r}."
            )
    return _PerRanking(values, weights)


def _lacking(
    convention: Convention,
    rankings: Rankings,
    values: FloatArray,
    is_perfect: BoolArray,
) -> dict[str, BoolArray]:
    """Return which rankings lack a class, by the class. A ranking lacks at most one,
    and a perfect one lacks none.
    """
    lacks_positives = ~(rankings.n_positives > 0) & ~is_perfect
    if convention.without_hits is not None:
        lacks_positives |= values == 0
    # A ranking has no negatives if the weight of its positives equals the weight of all
    # its rows, up to the rounding of the two sums.
    rounding = ROUNDING_PER_ROW * rankings.n_rows
    lacks_negatives = rankings.found_weight >= rankings.total_weight * (1 - rounding)
    lacks_negatives &= ~(lacks_positives | is_perfect)
    return {"positives": lacks_positives, "negatives": lacks_negatives}


def _values(
    convention: Convention, arguments: ConventionInput, rankings: Rankings
) -> FloatArray:
    """Return the number of each ranking, as if all of them had positives."""
    definition = _definition(convention, arguments)
    if convention.capped and definition.area.gain_to_cut is not None:
        n_positives = rankings.n_positives
        depth = np.minimum(cut_depth(rankings.n_rows, arguments.k), n_positives)
        gain = partial(definition.area.gain_to_cut, Cuts(depth), definition.ties)
        return ratio(rankings.kernel.sum_over_steps(gain), n_positives)
    return definition.compute(rankings)


def _definition(convention: Convention, arguments: ConventionInput) -> Definition:
    """Return the definition of a convention's number, for rankings in its order. Raise
    ValueError if choices cannot be combined.
    """
    area, grid = AREAS[convention.area], convention.grid
    points = convention.first_point, convention.last_point
    levels = None
    # If a score of this package has the levels of the grid, compute it.
    if grid is not None and area.score_at_levels is not None and points == USUAL_POINTS:
        levels = grid.levels_of_scores
    if levels is None:
        area = find_area(area, grid, points)
    return Definition(
        area,
        levels,
        cut=arguments.k if convention.cut == "k" else convention.cut,
        # The rankings are already in the convention's order of equal scores.
        ties="expected" if convention.ties == "expected" else "proportional",
        normalizer=convention.normalizer,
        prevalence=convention.prevalence,
    )
