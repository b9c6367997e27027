"""The chance level: the mean average precision of random rankings of the same rows."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from .._core.reading.options import read_zero_division
from .._core.reading.per_ranking import queries_of
from .._core.reading.read import read
from .._core.reading.values import on_host
from .._core.typing import IntArray, Label, PassedRows
from .sample import members_of


# The return type of a call with queries is Any, not a dictionary. So a type checker
# lets most callers, who have a single ranking, use the float without a test.
def chance_level(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    zero_division: float | None = None,
) -> float | Any:
    r"""Return the exact mean average precision of random rankings.

    With n rows, P of them positive, and N_g rows at or above tied group g, which has
    n_g rows, the mean of step average precision is

    .. math::
        E[AP] = \frac{1}{n} \left[ D + \frac{P - 1}{n - 1} (n - D) \right],
        \qquad D = \sum_g \frac{n_g}{N_g}

    Without ties, D is the harmonic number :math:`1 + 1/2 + \dots + 1/n` [1]_. For many
    rows, the mean approaches the share of positives P/n; for few rows, it is higher.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,), default=None
        Scores, which are used only for their ties: random rankings have tied groups of
        the same sizes in the same places. By default, no two rows are tied.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, which must be equal. Rows of weight 0 are dropped.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, in any row order.

    zero_division : {0.0, 1.0, np.nan}, default=None
        The chance level of a ranking without positives, as the same argument of scores.
        By default, such a ranking is an error.

    Returns
    -------
    chance : float or dict
        In (0, 1]. With `query_id`, ``{query: chance}`` in the order of
        :func:`score_by_query`; NaN for a query whose rows all have weight 0.

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
    >>> from sklearn_ap import chance_level
    >>> y_true = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> round(chance_level(y_true), 3)
    0.45

    Tied scores have another chance level:

    >>> round(chance_level(y_true, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]), 3)
    0.339

    Each query has its own chance level:

    >>> chance_level([1, 0, 0, 1], query_id=["cats", "cats", "dogs", "dogs"])
    {'cats': 0.75, 'dogs': 0.75}

    With queries without positives, the mean excludes them or takes them as 0:

    >>> labels, query = [1, 0, 0, 0], ["cats", "cats", "dogs", "dogs"]
    >>> chance_level(labels, query_id=query, zero_division=0.0)
    {'cats': 0.75, 'dogs': 0.0}
    """
    undefined = nan if zero_division is None else read_zero_division(zero_division)
    if undefined == "warn":
        raise ValueError(
            f"zero_division must be None, 0.0, 1.0 or nan; got {zero_division!r}."
        )
    labels = on_host("y_true", y_true)
    # `type_of_target` casts NaN to int, with a warning, before it raises its error.
    with np.errstate(invalid="ignore"):
        kind = type_of_target(labels, input_name="y_true")
    if kind != "binary":
        raise ValueError(
            "y_true must be binary, because each ranking has a chance level of its "
            f"own; got {kind} labels. Pass one column or one class at a time, such as "
            "np.asarray(y_true) == label."
        )
    # By default, no two rows are tied.
    scores = np.arange(np.size(labels)) if y_score is None else y_score
    inputs = PassedRows(labels, scores, None, pos_label, sample_weight, query_id)
    checked = read(inputs, caller="chance_level")
    weight = checked.weight
    if weight is not None and weight.min() < weight.max():
        raise ValueError(
            "sample_weight must be equal in all rows of weight above 0, because the "
            "chance level of unequal weights has no closed form; got weights from "
            f"{weight.min()} to {weight.max()}. Score shuffled rows instead: "
            "average_precision_score(y_true, rng.permutation(y_score), "
            "sample_weight=sample_weight)."
        )
    place = checked.numbers_of_queries()
    n_positives = np.bincount(place, checked.positive)
    n_empty = np.count_nonzero(n_positives == 0)
    if n_empty and zero_division is None:
        raise ValueError(
            f"y_true must contain a positive, the label {pos_label!r}, in each "
            f"ranking; got {n_empty} of {n_positives.size} without one. Pass "
            "zero_division=nan for the chance level NaN."
        )
    # Weights are equal, so rows are counted.
    levels = [undefined] * n_positives.size
    for query, rows in enumerate(members_of(place)):
        if n_positives[query]:
            _, n_tied = np.unique(checked.score[rows], return_counts=True)
            levels[query] = _mean_of_orders(n_tied, n_positives.item(query))
    if checked.query is None:
        return levels[0]
    queries = queries_of(checked.query, checked.passed_query)
    chances = np.full(queries.has_rows.size, nan)
    chances[queries.has_rows] = levels
    return dict(zip(queries.names, chances.tolist(), strict=True))


def _mean_of_orders(n_tied: IntArray, n_positives: float) -> float:
    """Return the mean average precision over all orders of rows, whose tied groups have
    these numbers of rows, lowest score first. There is at least one positive.
    """
    n = int(n_tied.sum())
    n_tied = n_tied[::-1]
    # If all rows are positive or tied, all orders have the same average precision. The
    # formula would round it.
    if n_positives == n or n_tied.size == 1:
        return n_positives / n
    d = float((n_tied * (1 / n_tied.cumsum())).sum())
    return (d + (n_positives - 1) / (n - 1) * (n - d)) / n
