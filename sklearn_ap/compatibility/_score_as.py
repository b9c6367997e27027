"""`score_as`, and what a record answers: a number, or why it has none."""

from __future__ import annotations

from math import isnan, nan
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.definition import Definition, needs_equal_weights, order_of_ties
from .._core.ranking.cut import cut_depth
from .._core.reading.options import check_option
from .._core.rounding import ROUNDING_PER_ROW
from .._core.typing import ArrayLikeOrMapping, FloatArray, Label, PassedRows
from .._core.user_messages import warn_user
from ._input import BY_ITEM, ConventionInput
from ._package_areas import AREAS, find_area
from ._records import (
    Convention,
    RecordTies,
    find_convention,
    policy_of,
    refuse_wrong_fields,
)

ROUNDING = 1e-12  # sums that differ by less are taken as the same number


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
    """Average precision as another package computes it.

    The number is computed from the record of the convention alone, without the other
    package.

    .. versionadded:: 0.1

    Parameters
    ----------
    convention : str or Convention
        A name in `CONVENTIONS`, in any case; another name of a package that prints the
        same number, such as ``'pycocotools'``; or a record of your own. A record with
        thresholds takes any number of them from 2 on: ``'torchmetrics,
        thresholds=50'``.

    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first.

    k : int, float or None, default=None
        Where each ranking is cut, for conventions with a cut; a float in (0, 1] is a
        share.

    average : {'macro'} or None, default='macro'
        ``'macro'`` is what the package makes of its queries. None returns the number of
        each query, which :func:`sklearn_ap.score_by_query` puts under its id.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative; conventions without weights ignore them.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, or class of each detection. Packages of retrieval and of
        detection take the mean over queries; others take all rows as one ranking, or
        have no number.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed. With `query_id`, a mapping of
        totals, which are added up where all rows are one ranking. Conventions that do
        not count missed positives ignore it.

    item_id : array-like of shape (n_samples,), default=None
        Id of each item, which occurs once per ranking. trec_eval and similar packages
        order equal scores by it. Ids are compared as text.

    Returns
    -------
    value : float or ndarray of shape (n_queries,)
        What the package prints, except for its own rounding. If the package has no
        number, its answer, such as NaN or -1. With ``average=None`` an array in the
        order of the sorted ids; NaN for a query that the package leaves out of its
        mean.

    Warns
    -----
    UserWarning
        If the number is NaN.

    Raises
    ------
    NoNumberError
        A ValueError, if the convention has no number for this input: its text names the
        reason, and what to pass. If the number depends on an unknown order of equal
        scores, the error has the range over all orders.

    See Also
    --------
    compare_conventions, identify

    Examples
    --------
    >>> from sklearn_ap.compatibility import score_as
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> score_as("scikit-learn", y_true, y_score)
    0.8055555555555555
    >>> score_as("XGBoost aucpr", y_true, y_score)
    0.7689509398133515
    >>> score_as("trec_eval map_cut", y_true, y_score, k=2, item_id=["d1", "d2", "d3", "d4", "d5"])
    0.3333333333333333
    """
    inputs = PassedRows(
        y_true,
        y_score,
        average,
        pos_label,
        sample_weight,
        query_id,
        n_positives,
    )
    scores = ConventionInput("score_as", inputs, k, item_id)
    record = find_convention(convention)
    if average is None:
        if scores.n_queries is None or record.queries == "pooled":
            raise ValueError(
                "average must be 'macro' without query_id, and for packages that pool "
                f"the queries; got None for {record.name!r}."
            )
        _refuse_input(record, scores)
        values, weights = _answers(record, scores)
        return np.where(weights > 0, values, nan)
    check_option("average", average, ("macro",))
    answer = compute_answer(record, scores)
    if answer.error is not None:
        raise answer.error
    if isnan(answer.value):
        warn_user(
            f"The number of {record.name!r} is NaN, as in its package, because a ranking "
            "has no positives, or no negatives: drop such queries."
        )
    return answer.value


class NoNumberError(ValueError):
    """The convention has no number for these scores.

    The text names the reason, and what to pass.

    The functions of this module raise it. All parameters except `text` are attributes.

    Parameters
    ----------
    text : str
        Why there is no number, with the name of the convention, and what to pass.
    low, high : float or None, default=None
        The least and the greatest number over all orders of equal scores, if their
        order is open and this range is known.

    Examples
    --------
    >>> from sklearn_ap.compatibility import NoNumberError, score_as
    >>> try:
    ...     score_as("voc_ap", [1, 0, 1], [2, 2, 1])
    ... except NoNumberError as error:
    ...     print(error.low, error.high)
    0.6666666666666666 0.8333333333333333
    """

    def __init__(
        self, text: str, *, low: float | None = None, high: float | None = None
    ) -> None:
        super().__init__(text)
        self.low: float | None = low
        self.high: float | None = high


class Answer(NamedTuple):
    """Result of a record for the caller's scores: a number, also NaN or -1, or an
    error.
    """

    value: float  # NaN with an error
    error: NoNumberError | None = None

    @property
    def number(self) -> float | None:
        """The value, if it is a number of at least 0: COCO answers -1 where others
        answer NaN.
        """
        if self.value >= 0:
            return self.value
        return None

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number over all orders of equal scores; both NaN
        if they are unknown.
        """
        if self.error is None or self.error.low is None or self.error.high is None:
            return self.value, self.value
        return self.error.low, self.error.high


def compute_answer(convention: Convention, scores: ConventionInput) -> Answer:
    """Return what a record answers for these scores; records with the same choices are
    computed once.
    """
    try:
        _refuse_input(convention, scores)
        key = convention.choices
        if key not in scores.answers:
            scores.answers[key] = _mean_answer(*_answers(convention, scores))
        return Answer(scores.answers[key])
    except NoNumberError as error:
        return Answer(nan, error)


def _answers(
    convention: Convention, scores: ConventionInput
) -> tuple[FloatArray, FloatArray]:
    """Return the answer of each ranking, and its weight in the mean."""
    ties = convention.ties
    if ties == "unspecified" or (ties in BY_ITEM and scores.items is None):
        _refuse_open_order(convention, scores)
        ties = "stable"
    return _answers_in_order(convention, scores, ties=ties)


def _refuse_input(convention: Convention, scores: ConventionInput) -> None:
    """Refuse a missing cut, and queries, totals or weights that the convention does not
    take.
    """
    name = repr(convention.name)
    try:
        refuse_wrong_fields(convention)
        area = _definition(convention, scores).area
    except ValueError as error:
        raise NoNumberError(f"convention {name} has no number: {error}") from None
    states_totals = scores.counts_missed(convention)
    if convention.cut == "k" and scores.k is None:
        raise NoNumberError(
            f"k is required: {name} cuts each ranking; pass a number or a share of "
            "rows."
        )
    if convention.queries == "refused" and scores.n_queries is not None:
        text = f"query_id is not supported by {name}, which takes one ranking: pass one query at a time."
        raise NoNumberError(text)
    if convention.weights == "ignored" and scores.weighted and states_totals:
        text = f"n_positives is a total weight if sample_weight is passed, but {name} ignores sample_weight; "
        raise NoNumberError(
            text + "pass n_positives as a count, without sample_weight."
        )
    choices = (policy_of(convention.ties), convention.normalizer, convention.cut)
    needs = needs_equal_weights(area, *choices, states_totals=states_totals)
    # Only a ranking shows whether weights differ, so one is made only if the record
    # depends on it.
    if (
        needs is not None
        and scores.weighted
        and scores.ranked(convention, ties="proportional").weighted
    ):
        raise NoNumberError(
            f"sample_weight must be equal inside each ranking for {name}: {needs[0]}."
        )


def _refuse_open_order(convention: Convention, scores: ConventionInput) -> None:
    """Refuse equal scores whose order is open, if both classes have them and the order
    changes the answer.
    """
    tied = scores.ranked(convention, ties="proportional")
    is_over_hits = (convention.area, convention.normalizer) == ("step", "hits")
    # Below the cut, the order changes nothing.
    depth = cut_depth(
        tied.n_rows, scores.k if is_over_hits and convention.cut == "k" else None
    )
    if not any(
        (
            (steps.gained < steps.group_weight)
            & (steps.rows_above < steps.per_step(depth))
        ).any()
        for steps in tied.kernel.blocks()
    ):
        return
    # Nearly all areas grow when a positive moves up, so the orders with positives last
    # and first are the bounds. The range is unknown for precisions divided by the hits
    # in a cut, and for unequal weights, whose order matters, too.
    low = high = None
    if not (is_over_hits or tied.weighted):
        ends = (
            _answers_in_order(convention, scores, ties=ties)
            for ties in ("pessimistic", "optimistic")
        )
        low, high = (_mean_answer(*answers) for answers in ends)
        if not high - low > ROUNDING:  # nor if the answers are NaN
            return
    name = repr(convention.name)
    tied_scores = "y_score contains equal scores of positives and negatives,"
    text = (
        f"{tied_scores} and {name} leaves their order open; pass scores without such "
        "ties."
    )
    if convention.ties in BY_ITEM:
        text = f"item_id is required: {tied_scores} which {name} orders by the ids of the items; "
        text += "pass one id per row."
    if low is not None and high is not None:
        text += (
            f" The number is between {low:.6g} and {high:.6g}, depending on that order."
        )
    raise NoNumberError(text, low=low, high=high)


def _answers_in_order(
    convention: Convention, scores: ConventionInput, *, ties: RecordTies
) -> tuple[FloatArray, FloatArray]:
    """Return the answer of each ranking for one order of equal scores, and its weight
    in the mean.
    """
    rankings = scores.ranked(convention, ties=ties)
    values = _definition(convention, scores).compute(rankings)
    weights = np.ones(values.size)
    if convention.queries == "mean by rows":
        weights = rankings.n_rows
    perfect = (rankings.n_rows == 1) & (convention.one_row == "perfect")
    values[perfect] = 1.0
    empty = ~(rankings.n_positives > 0) & ~perfect
    if convention.without_hits is not None:
        empty |= values == 0
    answers = []
    if convention.without_positives is not None:
        answers.append(("positives", convention.without_positives, empty))
    if convention.without_negatives is not None:
        # All rows are positives if the weights of both are equal but for the rounding
        # of their sums.
        rounding = ROUNDING_PER_ROW * rankings.n_rows
        full = rankings.found_weight >= rankings.total_weight * (1 - rounding)
        answers.append(
            ("negatives", convention.without_negatives, full & ~empty & ~perfect)
        )
    for _, answer, where in answers:
        values[where] = np.nan if answer == "error" else answer
        weights = np.where(where & convention.left_out, 0.0, weights)
    # If all weights are 0 there is no mean, and a single ranking answers: one without
    # positives, if there is one.
    if not weights.any():
        weights[np.argmax(empty)] = 1.0
    for label, answer, where in answers:  # only rankings that count may raise an error
        if answer == "error" and weights[where].any():
            raise NoNumberError(
                f"y_true contains no {label}, which is an error for "
                f"{convention.name!r}."
            )
    return values, weights


def _mean_answer(values: FloatArray, weights: FloatArray) -> float:
    # Values of weight 0 may be NaN, and 0 times NaN is NaN.
    counts = weights > 0
    return float(np.average(values[counts], weights=weights[counts]))


def _definition(convention: Convention, scores: ConventionInput) -> Definition:
    """Return the definition of a record's number, for rows that are ranked already;
    refuse choices that exclude each other.
    """
    grid, levels = convention.grid, None
    at_levels = AREAS[convention.area].score_at_levels is not None
    if grid is not None and at_levels and convention.last_point == "none":
        levels = grid.levels_of_scores
        grid = grid if levels is None else None
    ties = policy_of(convention.ties)
    return Definition(
        find_area(convention.area, grid, convention.first_point, convention.last_point),
        levels,
        cut=scores.k if convention.cut == "k" else convention.cut,
        # The rankings have any order of equal scores already.
        ties="stable" if order_of_ties(ties) else ties,
        normalizer=convention.normalizer,
        prevalence=convention.prevalence,
    )
