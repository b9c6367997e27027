"""The level of chance: what step average precision a random ranking of the same rows has."""

from dataclasses import dataclass, field
from numbers import Integral
from typing import overload

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from .._entrance import curve_in
from .._public import warn_user
from .._reading._options import is_real
from .._reading._read import Checked, read
from .._reading._values import gathered, on_host
from .._rounding import EQUAL
from .._typing import FloatArray, IntArray, Label
from ._draws import generator_of
from ._random_rankings import lowest, moments_of_random, random_average_precision
from ._results import Result

_Random = int | RandomState | Generator


@dataclass(frozen=True, eq=False)
class ChanceLevel(Result):
    """The step average precision of a random ranking, as :func:`chance_level` returns it.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean : float
        Mean over all orders of the rows.

    standard_deviation : float
        Standard deviation over all orders of the rows. The distribution is skewed: see :meth:`pvalue`.

    minimum : float
        Average precision of the worst order without ties, where all positives come last.

    n_positives : int
        Number of positives.

    n_samples : int
        Number of rows; those of weight 0 are not counted.

    Examples
    --------
    >>> from sklearn_ap import chance_level
    >>> chance = chance_level([1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    >>> print(chance)
    chance level 0.3715 +- 0.2015, minimum 0.1556 (2 positives of 10 rows)
    >>> round(chance.normalize(0.75), 3)
    0.704
    >>> round(chance.pvalue(0.75, random_state=0), 2)
    0.06
    """

    mean: float
    standard_deviation: float
    minimum: float
    n_positives: int
    n_samples: int
    _group_ends: IntArray | None = field(default=None, repr=False, compare=False)  # None without ties

    @overload
    def normalize(self, score: float) -> float: ...

    @overload
    def normalize(self, score: ArrayLike) -> float | FloatArray: ...

    def normalize(self, score: ArrayLike) -> float | FloatArray:
        """Return (score - minimum) / (1 - minimum): 0 is the worst order, and 1 the best.

        The least possible average precision rises with the share of positives, so this makes data sets with
        different shares comparable (Boyd et al. 2012).

        Parameters
        ----------
        score : float or array-like
            Step average precision, in [0, 1]; of several models, if it is an array.

        Returns
        -------
        normalized : float or ndarray
            At most 1. Below 0 only if `score` is not the step average precision of these labels.

        Warns
        -----
        UserWarning
            If all rows are positive; then every order scores 1, and the answer is NaN.

        Raises
        ------
        ValueError
            If `score` is not in [0, 1].
        """
        scores = _read_score(score)
        if self.n_positives == self.n_samples:
            warn_user(
                "y_true holds positives only, so every order scores 1, and the normalized score is NaN."
            )
            return _float_or_array(np.full(scores.shape, np.nan))
        return _float_or_array((scores - self.minimum) / (1 - self.minimum))

    @overload
    def pvalue(self, score: float, n_resamples: int = 9999, random_state: _Random | None = None) -> float: ...

    @overload
    def pvalue(
        self, score: ArrayLike, n_resamples: int = 9999, random_state: _Random | None = None
    ) -> float | FloatArray: ...

    def pvalue(
        self,
        score: ArrayLike,
        n_resamples: int = 9999,
        random_state: _Random | None = None,
    ) -> float | FloatArray:
        """Return the probability that a random ranking scores at least as high.

        The rows of the positives are drawn `n_resamples` times. If b of these rankings score at least
        `score`, the p-value is (b + 1) / (n_resamples + 1), which is never 0.

        Parameters
        ----------
        score : float or array-like
            Step average precision, in [0, 1]; of several models, if it is an array.

        n_resamples : int, default=9999
            Number of random rankings.

        random_state : int, RandomState, Generator or None, default=None
            Source of random numbers; an integer makes the answer repeatable.

        Returns
        -------
        pvalue : float or ndarray
            One-sided: small if `score` is higher than chance explains.

        Raises
        ------
        ValueError
            If `score` is not in [0, 1], `n_resamples` is not an integer of at least 1, or `random_state` is
            not a source of random numbers.
        """
        scores = _read_score(score)
        is_count = isinstance(n_resamples, Integral) and is_real(n_resamples)
        if not is_count or n_resamples < 1:
            raise ValueError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")
        drawn = random_average_precision(
            self.n_positives, self.n_samples, self._group_ends, int(n_resamples), generator_of(random_state)
        )
        # Few rows have few orders, many of which score exactly what was seen. Rounding must not hide that.
        at_least = np.array([np.count_nonzero(drawn >= one) for one in scores.ravel() * (1 - EQUAL)])
        return _float_or_array((at_least.reshape(scores.shape) + 1) / (drawn.size + 1))

    def __str__(self) -> str:
        """Return the level in one line."""
        return (
            f"chance level {self.mean:.4g} +- {self.standard_deviation:.4g}, minimum {self.minimum:.4g} "
            f"({self.n_positives} positives of {self.n_samples} rows)"
        )


def chance_level(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = 1,
) -> ChanceLevel:
    r"""Step average precision of a random ranking: its mean, standard deviation and minimum, all exact.

    With n rows, P of them positive, and N_g rows at or above tied group g, which has n_g rows, the mean is

    .. math::
        E[AP] = \frac{1}{n} \left[ D + \frac{P - 1}{n - 1} (n - D) \right],
        \qquad D = \sum_g \frac{n_g}{N_g}

    Without ties, D is the harmonic number :math:`1 + 1/2 + \dots + 1/n` [1]_. For many rows the mean is the
    share of positives P/n; for few rows it is higher. The minimum is :math:`\frac{1}{P} \sum_{i=1}^P
    \frac{i}{i + n - P}` [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.

    y_score : array-like of shape (n_samples,), default=None
        Scores whose ties are kept: random rankings have tied groups of the same sizes in the same places. By
        default, no two rows are tied.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, which must be equal; rows of weight 0 are dropped.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    Returns
    -------
    chance : ChanceLevel
        With :meth:`~ChanceLevel.normalize` and :meth:`~ChanceLevel.pvalue` for the score of a model.

    Raises
    ------
    ValueError
        If there is no positive, labels are not binary, or weights above 0 differ. For what
        :func:`average_precision_score` refuses.

    See Also
    --------
    average_precision_score : The score whose level this is.
    estimate_score : How sure the score of a model is.
    compare_scores : Compares two models, instead of one model and chance.

    Notes
    -----
    The number of positives is held fixed, and each set of rows is equally likely to be the positives. That is
    the distribution under the hypothesis that scores say nothing about labels. AP@k has another
    variance [3]_.

    *Standard deviation.* Without ties it is a formula of n, P, and the harmonic numbers of order 1 and 2.
    With ties it is a sum over groups. The tests compare both with all orders of up to 8 rows and all tie
    patterns, in exact fractions.

    *No normal p-value.* Average precision under chance is skewed to the right. With 15 positives in 300 rows,
    4 % of random rankings are more than 2.33 standard deviations above the mean, where a normal distribution
    has 1 %. :meth:`ChanceLevel.pvalue` draws rankings instead.

    *Unequal weights* are refused. A random ranking then moves the weights with the rows, and the mean of such
    ratios of random sums has no closed form. Shuffle the scores instead, which keeps each label with its
    weight::

        rng = np.random.default_rng(0)
        drawn = [average_precision_score(y_true, rng.permutation(y_score), sample_weight=sample_weight)
                 for _ in range(999)]

    *Other libraries.* The chance level of :class:`sklearn.metrics.PrecisionRecallDisplay` is the share of
    positives, the limit of the mean for many rows.

    References
    ----------
    .. [1] Y. Bestgen, "Exact expected average precision of the random baseline for system evaluation", The
       Prague Bulletin of Mathematical Linguistics 103, 2015. :doi:`10.1515/pralin-2015-0007`
    .. [2] K. Boyd, V. Santos Costa, J. Davis, D. Page, "Unachievable region in precision-recall space and its
       effect on empirical evaluation", ICML 2012. :doi:`10.48550/arXiv.1206.4667`
    .. [3] T. Manzhos, T. Ianevych, O. Melnyk, "Average precision at cutoff k under random rankings:
       expectation and variance", Modern Stochastics: Theory and Applications, 2026.
       :doi:`10.15559/26-VMSTA298`

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
    """
    checked = _read_binary(y_true, y_score, sample_weight, pos_label)
    n_positives, n_samples = int(np.count_nonzero(checked.positive)), checked.positive.size
    if not n_positives:
        raise ValueError(f"y_true must hold a positive, the label {pos_label!r}; got {n_samples} negatives.")
    ends = None if y_score is None else _group_ends(checked)
    mean, deviation = moments_of_random(n_positives, n_samples, ends)
    return ChanceLevel(mean, deviation, lowest(n_positives, n_samples), n_positives, n_samples, ends)


def _read_binary(
    y_true: ArrayLike, y_score: ArrayLike | None, sample_weight: ArrayLike | None, pos_label: Label
) -> Checked:
    """Read one ranking of equal weights; without scores, all rows count as tied."""
    held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y_true, y_score, sample_weight = held.values()
    labels = on_host("y_true", y_true)
    try:
        scores = np.zeros(np.shape(labels)) if y_score is None else y_score
        checked = read(labels, scores, "macro", pos_label, sample_weight, caller="chance_level")
    except ValueError:
        _refuse_unless_binary(labels)  # before scikit-learn compares the columns of scores with the classes
        raise
    if checked.positive.ndim > 1:
        _refuse_unless_binary(labels)
    weight = checked.weight
    if weight is not None and weight.min() < weight.max():
        raise ValueError(
            "sample_weight must be equal in all rows of weight above 0, because the chance level of unequal "
            f"weights has no closed form; got weights from {weight.min()} to {weight.max()}. Score shuffled "
            "y_score with this sample_weight instead."
        )
    return checked._replace(weight=None)


def _refuse_unless_binary(labels: ArrayLike) -> None:
    with np.errstate(invalid="ignore"):  # it casts NaN to int, and refuses it afterwards
        kind = type_of_target(labels, input_name="y_true")
    if kind != "binary":
        raise ValueError(
            f"y_true must be binary, because each ranking has a chance level of its own; got {kind} labels. "
            "Pass one column or one class at a time, such as y_true == label."
        )


def _group_ends(checked: Checked) -> IntArray | None:
    """Return the number of rows at or above each distinct score, best score first; None without ties."""
    at_or_above = curve_in(checked).points.retrieved[::-1].astype(np.int64)
    return None if at_or_above.size == checked.positive.size else at_or_above


def _read_score(score: ArrayLike) -> FloatArray:
    try:
        scores = np.asarray(score, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.array(np.nan)
    # scikit-learn's sum may exceed 1 by its last digit.
    if not ((scores >= 0) & (scores <= 1 + EQUAL)).all():
        raise ValueError(f"score must be a step average precision, in [0, 1]; got {score!r}.")
    return scores


def _float_or_array(values: FloatArray) -> float | FloatArray:
    return values if values.ndim else float(values)
