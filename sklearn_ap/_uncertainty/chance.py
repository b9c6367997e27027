r"""Scores of random rankings of the same rows: the exact mean of some scores, random
draws of average precision and, for that of whole rankings, the standard deviation.

Positives stand at random rows; tied groups keep their sizes. With :math:`N_i` rows at
or above the group of row i, :math:`P \cdot AP = \sum_i y_i / N_i + \sum_{i<j} y_i y_j
K_{ij}`, where :math:`K_{ij}` is :math:`1 / \max(N_i, N_j)`, and twice that for rows of
one group. That sum splits into its mean, a sum over rows and a sum over pairs, which
are uncorrelated (Hoeffding's decomposition for draws without replacement). So the
variance is a sum of two squares. The textbook difference of E[AP^2] and E[AP]^2 would
lose eight digits at a million rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, cycle
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import ArrayLike
from scipy.special import binom
from scipy.stats import hypergeom
from sklearn.utils.multiclass import type_of_target

from .._core.public import let_pickles_find, warn_user
from .._core.ranking.cut import cut_depth
from .._core.ranking.rankings import ratio
from .._core.reading.options import NORMALIZERS, check_option, read_k, read_max_recall
from .._core.reading.queries import distinct_queries, named_queries
from .._core.reading.read import read
from .._core.reading.values import on_host
from .._core.rounding import EQUAL
from .._core.typing import Depth, FloatArray, IntArray, Label, Normalizer, PassedRows
from .results import Result, ScoreEstimate
from .sample import SeedOrGenerator, batches, generator_of, members_of, read_n_resamples

# All orders are enumerated, not drawn, if they have no more ranks than this (8 MB).
_COUNTED = 2**20
# Of positives per tied group; from this many on it takes less time to draw counts than
# ranks (measured).
_MIN_COUNTED_POSITIVES = 5
_AP = "average_precision"
_AT_K = ("precision", "recall", "success")  # the scores of the first k rows
_AT_R = "r_precision"
_Level = tuple[float, float, float]  # mean, standard deviation and minimum
ScoresToRescale = ArrayLike | ScoreEstimate | Mapping[Any, float]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ChanceLevel(Result):
    """The score of a random ranking; see :func:`chance_level`.

    All numbers are arrays if there are several rankings, such as queries. Only step
    average precision has a deviation, a minimum and :meth:`normalize`. Average
    precision at k and R-precision also have :meth:`pvalue`; other scores have a mean.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean : float or ndarray of shape (n_rankings,)
        Mean over all orders of the rows.

    standard_deviation : float or ndarray of shape (n_rankings,)
        Standard deviation over all orders of the rows. The distribution is skewed: see
        :meth:`pvalue`. NaN for other scores than average precision.

    minimum : float or ndarray of shape (n_rankings,)
        Average precision of the worst order without ties, where all positives come
        last. NaN for other scores.

    n_positives : int or ndarray of shape (n_rankings,)
        Number of positives.

    n_samples : int or ndarray of shape (n_rankings,)
        Number of rows; those of weight 0 are not counted.

    score_name : str, default='average_precision'
        The score whose level this is, as scorers are named.

    Examples
    --------
    >>> from sklearn_ap import ChanceLevel, chance_level
    >>> chance = chance_level([1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    >>> print(chance)
    chance level 0.3715 +- 0.2015, minimum 0.1556 (2 positives of 10 rows)
    >>> round(chance.normalize(0.75), 3)
    0.704
    >>> round(chance.pvalue(0.75), 3)
    0.067

    Three queries, each with a p-value:

    >>> chance = chance_level([1, 0, 0, 1, 0, 1], query_id=[1, 1, 1, 2, 2, 2])
    >>> chance.pvalue([1.0, 0.5]).round(3)
    array([0.333, 1.   ])
    """

    mean: float | FloatArray
    standard_deviation: float | FloatArray
    minimum: float | FloatArray
    n_positives: int | IntArray
    n_samples: int | IntArray
    score_name: str = _AP
    _tied: Sequence[bytes] = (b"",)  # of `Orders`, by ranking
    _cut: CutScore | None = None
    _queries: Sequence[Hashable] = ()

    def normalize(self, score: ScoresToRescale) -> float | Any:
        """Return (score - minimum) / (1 - minimum): 0 is the worst order, 1 the best.

        The least possible average precision rises with the share of positives, so this
        makes data sets with different shares comparable (Boyd et al. 2012).
        :meth:`adjust` begins at the mean instead.

        Parameters
        ----------
        score : float, array-like or ScoreEstimate
            Step average precision, in [0, 1]; an array contains the scores of several
            models, or one score per ranking.

        Returns
        -------
        normalized : float or ndarray
            At most 1. Below 0 only if `score` is not the step average precision of
            these labels.

        Warns
        -----
        UserWarning
            If every order scores 1, as where all rows are positive; the answer is then
            NaN.

        Raises
        ------
        ValueError
            If `score` is not in [0, 1], not one score per ranking, or a mapping with
            other queries; if the level is that of another score.
        """
        self._refuse_other_scores("normalize")
        return self._rescaled(score, self.minimum, "normalized")

    def adjust(self, score: ScoresToRescale) -> float | Any:
        """Return (score - mean) / (1 - mean), adjusted for chance: 1 is the best.

        copairs calls it normalized average precision, and sets values below -1 to -1
        [1]_.

        Parameters
        ----------
        score : float, array-like or mapping
            The score whose level this is, otherwise as for :meth:`normalize`.

        Returns
        -------
        adjusted : float or ndarray
            At most 1, and below 0 if `score` is less than the mean of random rankings.
            Of a mapping, an array with the queries sorted.

        Warns
        -----
        UserWarning
            As for :meth:`normalize`.

        Raises
        ------
        ValueError
            As for :meth:`normalize`, but for the level of another score.

        References
        ----------
        .. [1] A. A. Kalinin and others, "A versatile information retrieval framework
           for evaluating profile strength and similarity", Nature Communications 16,
           2025. :doi:`10.1038/s41467-025-60306-2`

        Examples
        --------
        >>> from sklearn_ap import chance_level
        >>> round(chance_level([1, 0, 0, 0, 0, 1, 0, 0, 0, 0]).adjust(0.75), 3)
        0.602
        """
        return self._rescaled(score, self.mean, "adjusted")

    def _rescaled(
        self, score: ScoresToRescale, zero: float | FloatArray, name: str
    ) -> float | Any:
        """Return the score where `zero` is 0, and 1 stays 1."""
        scores = self._read_scores(score)
        width = np.where(np.equal(zero, 1), nan, 1 - zero)
        if np.equal(zero, 1).any():
            warn_user(
                f"Every order scores 1, as where all rows are positive, so the {name} score is NaN."
            )
        return _float_or_array((scores - zero) / width)

    def pvalue(
        self,
        score: ScoresToRescale,
        *,
        n_resamples: int = 9999,
        random_state: SeedOrGenerator = None,
    ) -> float | Any:
        """Return the probability that a random ranking scores at least as high.

        The rows of the positives are drawn `n_resamples` times. If b of these rankings
        score at least `score`, the p-value is (b + 1) / (n_resamples + 1), which is
        never 0. A ranking with no more orders than `n_resamples`, and at most a million
        ranks of positives in all of them, is not drawn: its p-value is the exact share
        of orders that score at least `score`.

        Parameters
        ----------
        score : float, array-like or ScoreEstimate
            The score whose level this is, in [0, 1]; an array contains the scores of
            several models, or one score per ranking.

        n_resamples : int, default=9999
            Number of random rankings.

        random_state : int, RandomState, Generator or None, default=None
            Source of random numbers; an integer makes the answer repeatable.

        Returns
        -------
        pvalue : float or ndarray
            One-sided: small if `score` is higher than chance explains. One p-value per
            score.

        Raises
        ------
        ValueError
            If `score` is not in [0, 1], not one score per ranking, or a mapping with
            other queries; if the level is that of another score; if `n_resamples` is
            not an integer of at least 1, or `random_state` is not a source of random
            numbers.

        Notes
        -----
        Rankings of the same size share their draws, so 10,000 queries of 300 sizes cost
        300 distributions. No p-value depends on the other scores or rankings of the
        call. `scipy.stats.false_discovery_control` adjusts many p-values.
        """
        cut = self._cut
        if cut is None:
            self._refuse_other_scores("pvalue")
            cut = WHOLE
        scores = self._read_scores(score)
        n_resamples = read_n_resamples(n_resamples)
        seed = generator_of(random_state).integers(2**32, size=4).tolist()
        alike = defaultdict[Orders, list[int]](list)
        # a single ranking may have the scores of several models
        sizes = (np.ravel(n).tolist() for n in (self.n_positives, self.n_samples))
        every = cycle(map(Orders, *sizes, cycle(self._tied)))
        for place, orders in zip(range(scores.size), every, strict=False):
            alike[orders].append(place)
        pvalues = np.empty(scores.size)
        for orders, places in alike.items():
            if not orders.n_samples:  # all of its rows weigh 0
                pvalues[places] = nan
                continue
            of_alike = scores.ravel()[places]
            pvalues[places] = orders.pvalues(of_alike, n_resamples, seed, cut)
        return _float_or_array(pvalues.reshape(scores.shape))

    def _refuse_other_scores(self, method: str) -> None:
        if self.score_name != _AP:
            raise ValueError(
                f"{method} is only available for the level of {_AP}; got that of {self.score_name}, "
                "which has adjust."
            )

    def _read_scores(self, score: ScoresToRescale) -> FloatArray:
        if isinstance(score, ScoreEstimate):
            score = score.score
        if isinstance(score, Mapping):
            if others := score.keys() ^ set(self._queries):
                raise ValueError(
                    f"score must have the queries of this level; only one of the two has {others.pop()!r}."
                )
            score = [score[query] for query in self._queries]
        try:
            scores = np.asarray(score, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            scores = np.array(np.nan)
        # scikit-learn's sum may exceed 1 by its last digit.
        # A query whose rows all weigh 0 has no level, and may have the score NaN.
        is_score = (scores >= 0) & (scores <= 1 + EQUAL) | np.isnan(self.mean)
        if not is_score.all():
            raise ValueError(
                f"score must be a value of {self.score_name}, in [0, 1]; got {score!r}."
            )
        if isinstance(self.mean, np.ndarray) and scores.shape != self.mean.shape:
            raise ValueError(
                f"score must be one score for each of {self.mean.size} rankings; got shape {scores.shape}."
            )
        return scores

    def __str__(self) -> str:
        """Return the level in one line."""
        is_ap = self.score_name == _AP
        name = "" if is_ap else f" of {self.score_name}"
        if isinstance(self.mean, np.ndarray):
            means = self.mean[~np.isnan(self.mean)]
            return (
                f"chance levels{name} {means.min():.4g} to {means.max():.4g}, "
                f"mean {means.mean():.4g} ({means.size:,} rankings)"
            )
        spread = f" +- {self.standard_deviation:.4g}, minimum {self.minimum:.4g}"
        return (
            f"chance level{name} {self.mean:.4g}{spread * is_ap} "
            f"({self.n_positives:,} positives of {self.n_samples:,} rows)"
        )


def chance_level(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    score_func: str = _AP,
    k: int | float | None = None,
    max_recall: float | None = None,
    normalizer: Normalizer = "min",
) -> ChanceLevel:
    r"""Return what a random ranking scores: the exact mean, and its spread.

    With n rows, P of them positive, and N_g rows at or above tied group g, which has
    n_g rows, the mean of step average precision is

    .. math::
        E[AP] = \frac{1}{n} \left[ D + \frac{P - 1}{n - 1} (n - D) \right],
        \qquad D = \sum_g \frac{n_g}{N_g}

    Without ties, D is the harmonic number :math:`1 + 1/2 + \dots + 1/n` [1]_. For many
    rows the mean is the share of positives P/n; for few rows it is higher. The minimum
    is :math:`\frac{1}{P} \sum_{i=1}^P \frac{i}{i + n - P}` [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,), default=None
        Scores whose ties are kept: random rankings have tied groups of the same sizes
        in the same places. By default, no two rows are tied.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, which must be equal; rows of weight 0 are dropped. A query whose
        rows all weigh 0 keeps its place, with NaN and no rows.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, in any row order. Each query is a ranking with a level of
        its own.

    score_func : str, default='average_precision'
        The score, as scorers are named: ``'average_precision'``, ``'precision'``,
        ``'recall'``, ``'success'`` or ``'r_precision'``.

    k : int or float, default=None
        Rows that the score looks at, as for :func:`precision_at_k_score`; required for
        precision, recall and success. Average precision with `k` is
        :func:`average_precision_at_k_score`, where equal scores are proportional.

    max_recall : float, default=None
        Recall at which average precision ends, as for :func:`average_precision_score`.

    normalizer : {'min', 'n_positives', 'k', 'hits'}, default='min'
        What average precision at `k` is divided by; other scores ignore it.

    Returns
    -------
    chance : ChanceLevel
        With :meth:`~ChanceLevel.normalize`, :meth:`~ChanceLevel.adjust` and
        :meth:`~ChanceLevel.pvalue` for the score of a model. With `query_id`, its
        fields are arrays of shape (n_queries,), with the queries sorted.

    Raises
    ------
    ValueError
        If there is no positive or, with `query_id`, a query without one; if labels are
        not binary, or weights above 0 differ. For what :func:`average_precision_score`
        refuses; if `k` is missing or not valid for `score_func`, or `max_recall` is not.

    See Also
    --------
    average_precision_score : The score whose level this is.
    estimate_score : The score of a model with its interval.
    compare_scores : Compares two models, instead of one model and chance.

    Notes
    -----
    The number of positives is fixed, and each set of rows is equally likely to be the
    positives. That is the distribution under the hypothesis that scores say nothing
    about labels. AP@k has another variance [3]_.

    *No normal p-value.* Average precision under chance is skewed to the right. With 15
    positives in 300 rows, 4 % of random rankings are more than 2.33 standard deviations
    above the mean, where a normal distribution has 1 %. :meth:`ChanceLevel.pvalue`
    draws rankings instead.

    *Average precision at k.* The sum of precisions is one over rows and pairs of rows,
    as above, of which the tied group at the cut has a part. Divided by the hits, it is
    averaged over their hypergeometric numbers. R-precision has the mean P/n.

    *Other scores* have a mean: m of n rows retrieved at random contain mP/n positives,
    and no positive with the probability :math:`\binom{n-P}{m} / \binom{n}{m}`. These
    are the means of every rule for ties. The mean of average precision up to a recall
    is a sum over rows of such probabilities.

    *Unequal weights* are refused, since the mean has no closed form. Shuffle the scores
    instead, which keeps each label with its weight: ``average_precision_score(y_true,
    rng.permutation(y_score), sample_weight=sample_weight)``.

    *Many rankings.* With `query_id`, :meth:`ChanceLevel.pvalue` takes one score per
    query, and tests each of them, as images of cells are profiled [4]_.
    :func:`scipy.stats.permutation_test` tests their mean (:doc:`/how_sure`).

    *Other libraries.* The chance level of
    :class:`sklearn.metrics.PrecisionRecallDisplay` is the share of positives, the limit
    of the mean for many rows.

    References
    ----------
    .. [1] Y. Bestgen, "Exact expected average precision of the random baseline for
       system evaluation", The Prague Bulletin of Mathematical Linguistics 103, 2015.
       :doi:`10.1515/pralin-2015-0007`
    .. [2] K. Boyd, V. Santos Costa, J. Davis, D. Page, "Unachievable region in
       precision-recall space and its effect on empirical evaluation", ICML 2012.
       :doi:`10.48550/arXiv.1206.4667`
    .. [3] T. Manzhos, T. Ianevych, O. Melnyk, "Average precision at cutoff k under
       random rankings: expectation and variance", Modern Stochastics: Theory and
       Applications, 2026. :doi:`10.15559/26-VMSTA298`
    .. [4] A. A. Kalinin et al., "A versatile information retrieval framework for
       evaluating profile strength and similarity", Nature Communications 16, 2025.
       :doi:`10.1038/s41467-025-60306-2`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, chance_level
    >>> y_true, y_score = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    >>> chance = chance_level(y_true)
    >>> print(chance)
    chance level 0.45 +- 0.1743, minimum 0.2157 (3 positives of 10 rows)
    >>> score = average_precision_score(y_true, y_score)
    >>> round(score, 3), round(chance.normalize(score), 3), round(chance.pvalue(score, random_state=0), 2)
    (0.806, 0.752, 0.05)

    Tied scores have a level of their own:

    >>> chance_level(y_true, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]).mean
    0.3388888888888889

    Two queries, each against chance:

    >>> query_id = ["a", "a", "a", "b", "b", "b", "b", "b", "b", "b"]
    >>> chance = chance_level(y_true, query_id=query_id)
    >>> score = average_precision_score(y_true, y_score, query_id=query_id, average=None)
    >>> chance.pvalue(score).round(3)
    array([0.667, 0.143])

    Success of the first three rows, by chance:

    >>> print(chance_level(y_true, score_func="success", k=3))
    chance level of success@3 0.7083 (3 positives of 10 rows)
    """
    check_option("normalizer", normalizer, NORMALIZERS)
    name, cut, level_of = _read_score(score_func, k, max_recall, normalizer)
    labels = on_host("y_true", y_true)
    # it casts NaN to int, and refuses it afterwards
    with np.errstate(invalid="ignore"):
        kind = type_of_target(labels, input_name="y_true")
    if kind != "binary":
        raise ValueError(
            f"y_true must be binary, because each ranking has a chance level of its own; got {kind} labels. "
            "Pass one column or one class at a time, such as y_true == label."
        )
    # Without scores, the order of the rows does not matter.
    scores = np.zeros(np.shape(labels)) if y_score is None else y_score
    inputs = PassedRows(labels, scores, None, pos_label, sample_weight, query_id)
    checked = read(inputs, caller="chance_level", order_only=True)
    weight = checked.weight
    if weight is not None and weight.min() < weight.max():
        raise ValueError(
            "sample_weight must be equal in all rows of weight above 0, because the chance level of unequal "
            f"weights has no closed form; got weights from {weight.min()} to {weight.max()}. Score shuffled "
            "y_score with this sample_weight instead."
        )
    queries, members = list[Any](), [np.arange(checked.score.size)]
    if checked.query is not None:
        queries, place = distinct_queries(checked.query)
        members = members_of(place)
    orders = []
    for rows in members:
        tied = b""
        if y_score is not None:
            size = np.unique(checked.score[rows], return_counts=True)[1]
            tied = b"" if size.size == rows.size else size[::-1].cumsum().tobytes()
        n_positives = int(np.count_nonzero(checked.positive[rows]))
        orders.append(Orders(n_positives, rows.size, tied))
    if n_empty := sum(not each.n_positives for each in orders):
        raise ValueError(
            f"y_true must contain a positive, the label {pos_label!r}, in each ranking; got {n_empty} of "
            f"{len(orders)} without one."
        )
    if checked.weightless is not None:
        known = dict(zip(queries, orders, strict=True))
        queries, _ = named_queries(queries, None, checked.weightless)
        orders = [known.get(query, Orders(0, 0)) for query in queries]
    # Many queries have the same size.
    level_of = cache(level_of)
    levels = [level_of(each) if each.n_samples else (nan,) * 3 for each in orders]
    fields = [*np.transpose(levels), *np.transpose([each[:2] for each in orders])]
    if checked.query is None:
        fields = [values.item() for values in fields]
    names = ("mean", "standard_deviation", "minimum", "n_positives", "n_samples")
    return ChanceLevel(
        **dict(zip(names, fields, strict=True)),
        score_name=name,
        _tied=[each.tied for each in orders],
        _cut=cut,
        _queries=queries,
    )


def _read_score(
    score_func: str,
    k: int | float | None,
    max_recall: float | None,
    normalizer: Normalizer,
) -> tuple[str, CutScore | None, Callable[[Orders], _Level]]:
    """Return the name of a score, its cut if it can be drawn, and what returns its
    level.
    """
    check_option("score_func", score_func, (_AP, *_AT_K, _AT_R))
    k, max_recall = read_k(k), read_max_recall(max_recall)
    misses_k = score_func in _AT_K and k is None
    is_whole = score_func == _AP and k is None
    takes_no_k = score_func == _AT_R and k is not None
    if misses_k or takes_no_k or not (is_whole or max_recall is None):
        raise ValueError(
            f"k is required for {', '.join(map(repr, _AT_K))}, and max_recall is only valid for {_AP!r} "
            f"without k, which {_AT_R!r} does not take; "
            f"got {score_func!r} with k={k!r} and max_recall={max_recall!r}."
        )
    if max_recall is not None:
        name = f"{_AP}@max_recall={max_recall}"
        return name, None, partial(_level_to_recall, max_recall)
    name = score_func if k is None else f"{score_func}@{k}"
    if is_whole:
        return name, WHOLE, level_of_ap
    if score_func in _AT_K:
        return name, None, partial(_level_at_k, score_func, k)
    cut = CutScore(k, normalizer)
    return name, cut, partial(_level_of_cut, cut)


def _float_or_array(values: FloatArray) -> float | FloatArray:
    return values if values.ndim else float(values)


def _level_at_k(score_func: str, k: Depth, orders: Orders) -> _Level:
    """Return the mean precision, recall or success of the first k rows."""
    p, n, _ = orders
    depth = cut_depth(np.array([n]), k)[0]
    rows = min(depth, n)
    # one row after the other is negative, until positives alone are left
    negative = np.maximum(1 - p / (n - np.arange(rows)), 0)
    means = p * rows / n / depth, rows / n, 1 - negative.prod()
    return float(means[_AT_K.index(score_func)]), nan, nan


def _level_of_cut(cut: CutScore, orders: Orders) -> _Level:
    """Return the mean of average precision at k, or of R-precision.

    The precisions of positives are sums over rows and over pairs of rows, each of which
    is as likely to be positive. Divided by the hits, they are averaged over the hits in
    groups above the cut, and in the one at the cut.
    """
    p, n, _ = orders
    if cut.k is None:
        return p / n, nan, nan
    depth, size, kept = orders.groups_to(cut)
    ends = kept.cumsum()
    # of each group: a row with itself, and with the others that it finds
    alone = kept * (kept / size) / ends
    pairs = kept * (ends - kept + kept / size * (size - 1)) / ends
    if cut.normalizer != "hits":
        two = (p - 1) / max(n - 1, 1)
        sums = p / n * (alone.sum() + two * pairs.sum())
        return float(cut.divided(sums, nan, p, depth)), nan, nan
    mean, above = 0.0, int(ends[-1] - kept[-1])
    for hits_above, chance in _likely_hits(n, p, above):
        two = (hits_above - 1) / max(above - 1, 1)
        sums = hits_above / max(above, 1) * (alone[:-1].sum() + two * pairs[:-1].sum())
        of_group = _likely_hits(n - above, p - int(hits_above), int(size[-1]))
        hits_in, chances = np.transpose(of_group)
        found = hits_in * (kept[-1] / size[-1])
        hits = hits_above + found
        mean += chance * float(chances @ ratio(sums + found * hits / ends[-1], hits))
    return mean, nan, nan


def _likely_hits(n: int, p: int, rows: int) -> list[tuple[float, float]]:
    """Return how many of p positives may be among some of n rows, and the chance of
    each number; numbers twelve deviations from the mean do not change a digit.
    """
    mean = rows * p / n
    reach = 12 * (sqrt(mean * (1 - p / n)) + 1)
    lowest = max(0, rows + p - n, int(mean - reach))
    hits = np.arange(lowest, min(p, rows, int(mean + reach)) + 1)
    chances = hypergeom.pmf(hits, n, p, rows)
    return [*zip(hits.tolist(), (chances / chances.sum()).tolist(), strict=True)]


def _level_to_recall(max_recall: float, orders: Orders) -> _Level:
    r"""Return the mean of average precision up to a recall that a positives meet; a may
    be a fraction.

    Of the groups of n' rows that end at row N, all but the first have N - n' > 0 rows
    above. If X of n - 2 rows' P - 1 positives are among N - n' - 1 of these rows, the
    mean is

    .. math::
        \frac{P}{n} + \frac{P (n - P)}{a n (n - 1)} \sum_{g > 1} \frac{n'}{N}
        E[\min(1, \max(a - X, 0))]

    With a = P, the expected value is 1, and this is the mean in `chance_level`. It falls
    from row to row where X is the last whole number below a, or the one before.
    """
    p, n, _ = orders
    if p == n:
        return 1.0, nan, nan
    met = max_recall * p
    row = np.arange(n - 2)
    hits = int(met) - np.array([[0], [1]])
    of_hits = hypergeom.pmf(hits, n - 2, p - 1, row) * (p - 1 - hits) / (n - 2 - row)
    falls = np.array([met % 1, 1 - met % 1]) @ of_hits
    counted = min(met, 1.0) - np.append(0.0, falls.cumsum())
    ends = orders.ends
    gained = np.diff(ends) / ends[1:] * counted[ends[:-1] - 1]
    return p / n * (1 + (n - p) / (met * (n - 1)) * float(gained.sum())), nan, nan


def level_of_ap(orders: Orders) -> _Level:
    """Return the exact mean and standard deviation of step average precision, and its
    minimum without ties, where all positives come last.
    """
    p, n, _ = orders
    ends = orders.ends
    rank = np.arange(1.0, p + 1)
    minimum = float((rank / (rank + (n - p))).sum()) / p
    if p == n or ends.size == 1:
        return p / n, 0.0, minimum  # in any order; rounding could leave a little
    d, dd, dz, zz, kk = _sums_of_rows(ends.astype(np.float64))
    share = (p - 1) / max(n - 2, 1)  # of two rows there is one positive, and no pair
    of_rows = dd + 2 * share * dz + share * share * zz
    # Rounding could leave a little below 0.
    of_pairs = max(kk - zz / max(n - 2, 1), 0.0)
    # Counts of rows are integers of Python, whose products never overflow.
    variance = p * (n - p) / (n * (n - 1)) * of_rows
    if 1 < p < n - 1:
        n_ways = p * (p - 1) * (n - p) * (n - p - 1)
        variance += n_ways / (n * (n - 1) * (n - 2) * (n - 3)) * of_pairs
    mean = (d + (p - 1) / (n - 1) * (n - d)) / n
    return mean, sqrt(max(variance, 0.0)) / p, minimum


def _sums_of_rows(ends: FloatArray) -> tuple[float, ...]:
    """Return the sum of d = 1 / N over all rows, and the sums of d d, d z, z z and K K
    around their means; z is the sum of K over all pairs of a row, minus 1.
    """
    n = float(ends[-1])
    size = np.diff(ends, prepend=0.0)
    z = np.zeros(ends.size)
    z[:-1] = np.cumsum((size / ends)[:0:-1])[::-1]  # from the smallest terms on
    z += (size - 2) / ends
    z -= (size * z).sum() / n
    d = 1 / ends
    sum_d = float((size * d).sum())
    d_centred = d - sum_d / n
    mean_k = 2 * (n - sum_d) / (n * (n - 1))

    # One product after the other, since each takes as much memory as the rows.
    def added(of_row: FloatArray) -> float:
        return float((size * of_row).sum())

    dd, dz, zz = added(d_centred**2), added(d_centred * z), added(z**2)
    del d_centred, z
    pairs = (size - 1) / 2 * (2 * d - mean_k) ** 2
    pairs += (ends - size) * (d - mean_k) ** 2
    return sum_d, dd, dz, zz, added(pairs)


class CutScore(NamedTuple):
    """Where average precision ends, and what it is divided by; without k, the
    R-precision.
    """

    k: Depth
    normalizer: Normalizer

    def divided(self, sums: Any, hits: Any, n_positives: int, depth: float) -> Any:
        """Return the scores of sums of precisions."""
        if self.k is None:
            return hits / n_positives
        if self.normalizer == "hits":
            return ratio(sums, hits)
        divisors = {"min": min(n_positives, depth), "k": depth}
        return sums / divisors.get(self.normalizer, n_positives)


let_pickles_find(ChanceLevel, CutScore)
# Average precision of all rows.
WHOLE = CutScore(1.0, "n_positives")


class Orders(NamedTuple):
    """The orders of some rows, which are equally likely in a random ranking."""

    n_positives: int
    n_samples: int
    # `ends` as bytes, which are equal if the orders are; empty without ties
    tied: bytes = b""

    @property
    def ends(self) -> IntArray:
        """The number of rows at or above each tied group, best first."""
        if not self.tied:
            return np.arange(1, self.n_samples + 1)
        return np.frombuffer(self.tied, dtype=np.int64)

    def groups_to(self, cut: CutScore) -> tuple[float, IntArray, FloatArray]:
        """Return the depth of a cut, the sizes of the tied groups down to it, and how
        many rows of each are above it.
        """
        depth = float(self.n_positives)
        if cut.k is not None:
            depth = cut_depth(np.array([self.n_samples]), cut.k).item()
        ends, rows = self.ends, min(depth, self.n_samples)
        ends = ends[: np.count_nonzero(ends < rows) + 1]
        bounds = np.minimum(ends, rows).astype(np.float64)
        return depth, np.diff(ends, prepend=0), np.diff(bounds, prepend=0.0)

    def pvalues(
        self,
        scores: FloatArray,
        n_draws: int,
        seed: Sequence[int],
        cut: CutScore,
    ) -> FloatArray:
        """Return the probabilities that a random order scores at least as high: of all
        orders, or from parts of 2**17 draws.
        """
        # Few rows have few orders, many of which score exactly what was seen. Rounding
        # must not hide that.
        least = scores * (1 - EQUAL)
        # A float, infinite if there are too many for it.
        n_orders = binom(self.n_samples, self.n_positives)
        if n_orders <= n_draws and n_orders * self.n_positives <= _COUNTED:
            ranks = combinations(range(1, self.n_samples + 1), self.n_positives)
            values = self._of_ranks(np.array([*ranks]), cut)
            return np.array([np.mean(values >= score) for score in least])
        # numpy's fastest generator; each size of rankings has draws of its own
        sizes = self.n_positives, self.n_samples
        rng = Generator(SFC64(SeedSequence([*seed, *sizes])))
        n_as_high = np.zeros(scores.size, dtype=np.int64)
        for n in batches(n_draws, 1):
            drawn = self.scores(n, rng, cut)
            n_as_high += [np.count_nonzero(drawn >= score) for score in least]
        return (n_as_high + 1) / (n_draws + 1)

    def scores(self, n_draws: int, rng: Generator, cut: CutScore = WHOLE) -> FloatArray:
        """Return the scores of random orders."""
        _, size, _ = self.groups_to(cut)
        if size.size * _MIN_COUNTED_POSITIVES > self.n_positives:
            parts = batches(n_draws, self.n_positives)
            ranks = (self._ranks(n, rng) for n in parts)
            return np.concatenate([self._of_ranks(each, cut) for each in ranks])
        sizes = [*size, self.n_samples - size.sum()]
        draw = partial(
            rng.multivariate_hypergeometric, sizes, self.n_positives, method="marginals"
        )
        drawn = (draw(n)[:, :-1] for n in batches(n_draws, size.size))
        return np.concatenate([self._of_groups(gained, cut) for gained in drawn])

    def _ranks(self, n_draws: int, rng: Generator) -> IntArray:
        """Draw the ranks of the positives, in order; a row per draw.

        A rank is the place among the positives plus the number of negatives above. Each
        multiset of such numbers has to be equally likely. So number k is a new one from
        0 to `n_negatives`, or with a chance of k / (n_negatives + 1 + k) one of the k
        before it (Polya's urn).
        """
        n_negatives = self.n_samples - self.n_positives
        drawn = rng.random((n_draws, self.n_positives))
        above = (drawn * np.arange(n_negatives + 1, self.n_samples + 1)).astype(
            np.int64
        )
        flat = above.reshape(-1)
        copies = np.flatnonzero(flat > n_negatives)
        while copies.size:  # a copy of a copy takes another round
            flat[copies] = flat[
                copies - copies % self.n_positives + (flat[copies] - n_negatives - 1)
            ]
            copies = copies[flat[copies] > n_negatives]
        return np.asarray(np.sort(above, axis=1) + np.arange(1, self.n_positives + 1))

    def _of_groups(self, gained: IntArray, cut: CutScore) -> FloatArray:
        """Return the scores of orders with these positives in the groups down to a cut,
        which keeps an equal part of each row of the last one.
        """
        depth, size, kept = self.groups_to(cut)
        found = gained * (kept / size)
        tp = found.cumsum(axis=1)
        sums = (found * tp / kept.cumsum()).sum(axis=1)
        return np.asarray(cut.divided(sums, tp[:, -1], self.n_positives, depth))

    def _of_ranks(self, rank: IntArray, cut: CutScore) -> FloatArray:
        """Return the scores of orders with positives at these ranks; a positive finds
        its whole tied group.
        """
        depth, size, kept = self.groups_to(cut)
        # rows below the cut count for nothing, and divide by 1
        found, ends = np.append(kept / size, 0.0), np.append(kept.cumsum(), 1.0)
        group = np.minimum(rank - 1, size.size)
        if self.tied:
            group = np.searchsorted(size.cumsum(), rank)
        found = found[group]
        tp = found.cumsum(axis=1)
        if self.tied:
            # The positives at or above a group are those of its last positive; of the
            # last group, they are all positives.
            tp = np.where(group != np.roll(group, -1), tp, tp[:, -1:])
            tp = np.minimum.accumulate(tp[:, ::-1], axis=1)[:, ::-1]
        sums = (found * tp / ends[group]).sum(axis=1)
        return np.asarray(cut.divided(sums, tp[:, -1], self.n_positives, depth))
