"""The mean average precision of random rankings of the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from .advice import advised
from .evaluate import rankings_in
from .reading.options import read_zero_division
from .reading.read import read
from .reading.values import read_on_host
from .typing import (
    AnyArray,
    AveragedBy,
    FloatArray,
    Label,
    PassedRows,
    ZeroDivision,
)


# The return type is Any, not an array, with average=None. So a type checker lets most
# callers, who have one number, use the float without a test.
@advised
def expected_by_chance(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    average: AveragedBy | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Any:
    r"""Return the exact mean average precision of random rankings.

    With n rows, P of them positive, and N_g rows at or above tied group g, which has
    n_g rows, the mean of step average precision is

    .. math::
        E[AP] = \frac{1}{n} \left[ D + \frac{P - 1}{n - 1} (n - D) \right],
        \qquad D = \sum_g \frac{n_g}{N_g}

    Without ties, D is the harmonic number :math:`1 + 1/2 + \dots + 1/n` [1]_. For many
    rows, the mean approaches the share of positives P/n; for few rows, it is higher.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Scores, which are used only for their ties: random rankings have tied groups of
        the same sizes in the same places. By default, no two rows are tied.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        As for :func:`average_precision_score`; None returns one score per ranking.

    pos_label : int, float, bool or str, default=1
        Label of the positive class. If `y_score` has one column, any class can be
        positive, against all others. If it has one column per class or label,
        `pos_label` must be 1.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, which must be equal inside each ranking. Rows of weight 0 are
        dropped.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, in any row order.

    zero_division : {'warn', 0.0, 1.0, np.nan}, default='warn'
        Score of a ranking without positives, as for :func:`average_precision_score`.

    Returns
    -------
    chance : float or ndarray of shape (n_rankings,)
        In [0, 1], and 0 only without positives; an array if ``average=None``.

    See Also
    --------
    average_precision_score : Step average precision of whole rankings.
    estimate_score : Score with its standard error and interval.
    score_by_query : Score of each query.

    Notes
    -----
    Each set of P rows has the same probability to be the positives. This is the
    hypothesis that scores contain no information about labels. The page
    :doc:`/how_sure` tests it with shuffled scores, and adjusts scores for chance.

    The chance level of :class:`PrecisionRecallDisplay` is the share of positives, which
    is the precision of random scores at each recall.

    *Unequal weights* raise an error, since the mean has no closed form. Shuffle the
    scores instead: ``average_precision_score(y_true, rng.permutation(y_score),
    sample_weight=sample_weight)``.

    References
    ----------
    .. [1] Y. Bestgen, "Exact expected average precision of the random baseline for
       system evaluation", The Prague Bulletin of Mathematical Linguistics 103, 2015.
       :doi:`10.1515/pralin-2015-0007`

    Examples
    --------
    >>> from sklearn_ap import expected_by_chance
    >>> y_true = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> round(expected_by_chance(y_true), 3)
    0.45

    Tied scores have another mean:

    >>> round(expected_by_chance(y_true, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]), 3)
    0.339

    With queries, the result is the mean over queries. `score_by_query` returns that of
    each query:

    >>> from sklearn_ap import score_by_query
    >>> rows = {"y_true": [1, 0, 1, 1], "y_score": range(4), "query_id": [*"aabb"]}
    >>> expected_by_chance(**rows)
    0.875
    >>> score_by_query(expected_by_chance, **rows)
    {'a': 0.75, 'b': 1.0}
    """
    read_zero_division(zero_division)
    labels = read_on_host("y_true", y_true)
    scores = _without_ties(labels, pos_label) if y_score is None else y_score
    caller = "expected_by_chance"
    inputs = PassedRows(labels, scores, average, pos_label, sample_weight, query_id)
    checked = read(inputs, caller=caller)
    rankings, averaging = rankings_in(checked, average=average)
    weight = checked.weight
    if weight is not None and rankings.weighted:
        raise ValueError(
            "sample_weight must be equal inside each ranking, because the mean of "
            f"unequal weights has no closed form; got weights from {weight.min()} to "
            f"{weight.max()}. Score shuffled rows instead: average_precision_score("
            "y_true, rng.permutation(y_score), sample_weight=sample_weight)."
        )
    # If all rows are positive, each tied group is a step.
    all_positive = checked._replace(positive=np.ones_like(checked.positive))
    groups, _ = rankings_in(all_positive, average=average)
    # The size of each tied group, divided by the number of rows at or above its score.
    shares = groups.kernel.sum_over_steps(lambda steps: steps.gained / steps.retrieved)
    chances = _mean_of_orders(shares, rankings.n_rows, rankings.n_positives)
    return averaging.average(
        chances,
        zero_division=zero_division,
        caller=caller,
        y_score=scores,
    )


def _without_ties(labels: Any, pos_label: Label) -> AnyArray:
    """Return scores in the shape that the labels need, of which no two are equal."""
    shape = np.shape(labels)
    # `type_of_target` casts NaN to int, with a warning, before it raises its error.
    with np.errstate(invalid="ignore"):
        kind = type_of_target(labels, input_name="y_true")
    # As in scores, another `pos_label` than 1 is one class against all others.
    if kind == "multiclass" and pos_label == 1:
        shape = (shape[0], np.unique(labels).size)
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def _mean_of_orders(
    d: FloatArray, n: FloatArray, n_positives: FloatArray
) -> FloatArray:
    """Return the mean average precision over all orders of the n rows of each ranking,
    where d is the sum D of the formula; 0 without positives.
    """
    share = n_positives / n
    mean = (d + (n_positives - 1) / np.maximum(n - 1, 1.0) * (n - d)) / n
    # If all rows are positive or tied, all orders have the same average precision. The
    # formula would round it.
    is_share = (n_positives == n) | (d == 1.0) | (n_positives == 0)
    return np.where(is_share, share, mean)
