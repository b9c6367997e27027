"""The rules of a difference between two scores of the same units.

They need the influence of each unit and a few facts of both scores, not the rows. Each
rule is a function that names its source, and has the figure that it is worth; the page
*Intervals* says how these were measured.
"""

from collections.abc import Sequence
from math import asin, cbrt, hypot, inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .._shown.numbers import NEXT_TO_0
from .ends import Ends, Negatives
from .influence import Influences, Spread

_LOW, _HIGH = 0.3, 0.75  # mean scores below and above have skewed errors
# Units are of equal size if the positives count for more than this share of the units
# that contain one.
_EQUAL_UNITS = 0.9
_LEAST = 1e-300  # so that nothing is divided by 0


class PairedScore(NamedTuple):
    """One of two scores of the same units: all that the rules of their difference
    need.
    """

    score: float
    influences: Influences  # of the same units in the same order as for the other score
    n_positives: float  # how many equal units would contain them
    is_area: bool = False  # the area of a single ranking, down to its last row
    # Share of all positives that each unit of an area contains, and each missed one is.
    share_of_positives: FloatArray | float = 0.0
    share_of_missed: float | FloatArray = 0.0
    lost_positive: float = 0.0  # what one more positive that is ranked last would cost

    @property
    def negatives(self) -> Negatives:
        """The effect of negatives on the score."""
        return self.influences.facts.negatives

    @property
    def n_with_positives(self) -> float:
        """Number of units that contain a positive, or are one that was missed."""
        n_missed = np.sum(self.influences.n_missed)
        return float(np.count_nonzero(self.share_of_positives) + n_missed)


class TTest(NamedTuple):
    """A test of the hypothesis that two models are equal."""

    statistic: float
    df: float

    @property
    def pvalue(self) -> float:
        """Probability of a statistic at least as far from 0; NaN if it is unknown."""
        return float(2 * stdtr(self.df, -abs(self.statistic)))


def has_heavy_negatives(pair: Sequence[PairedScore]) -> bool:
    """Whether negatives that stand for many others leave fewer degrees of freedom than
    the positives.
    """
    return _df_of_negatives(pair) <= pair[0].n_positives - 1


def _df_of_negatives(pair: Sequence[PairedScore]) -> float:
    """Return the fewest degrees of freedom that heavy negatives leave; a score of 0 does
    not depend on them.
    """
    return min((each.negatives.df for each in pair if each.score), default=inf)


def spread_of(pair: Sequence[PairedScore], rounding: float) -> Spread:
    """Return the standard error of the difference, and its degrees of freedom.

    If few heavy negatives decide, two samples are too alike to show what other heavy
    negatives would change: with the share L that one of them above all others would
    take from a score, the error is multiplied by 1 + L squared. Without this, equal
    models at a prevalence are rejected in up to .12 of samples.
    """
    first, second = pair
    of_units = first.influences.less(second.influences)
    spread = of_units.spread(first.n_positives, rounding)
    if not (spread.standard_error and has_heavy_negatives(pair)):
        return spread
    lost = max(each.negatives.loss / each.score for each in pair if each.score)
    df = min(spread.df, _df_of_negatives(pair))
    return Spread(spread.standard_error * (1 + lost**2), df)


def t_test_of(pair: Sequence[PairedScore], spread: Spread) -> TTest:
    """Return the t test of a difference that has a standard error."""
    first, second = pair
    difference = first.score - second.score
    mean = (first.score + second.score) / 2
    lower = min(first.score, second.score)
    if first.is_area and lower > 0 and not has_heavy_negatives(pair):
        if mean < _LOW:
            return of_cube_roots(first, second)
        has_equal_units = first.n_positives > _EQUAL_UNITS * first.n_with_positives
        if mean > _HIGH or not has_equal_units:
            return of_contributions(first, second)
    return TTest(difference / spread.standard_error, spread.df)


def of_cube_roots(first: PairedScore, second: PairedScore) -> TTest:
    """Return the t test of the cube roots of two low scores, whose errors are nearly
    symmetric there.

    The degrees of freedom are those of the units that contain a positive: few units
    that carry much take none away if models are equal, as each adds to the difference
    with either sign. The influences are distances from the score itself, so their
    variance is that of n equal units, times n / (n - 1). With units of unequal size,
    this finds 1.9 to 3.4 times as much as Satterthwaite's degrees of freedom do.
    """
    scores = first.score, second.score
    slopes = [score ** (-2 / 3) / 3 for score in scores]
    variance = first.influences.less(second.influences, *slopes).variance
    n = first.n_positives
    variance *= n / max(n - 1, _LEAST)
    return _t(cbrt(scores[0]) - cbrt(scores[1]), variance, first.n_with_positives)


def of_contributions(first: PairedScore, second: PairedScore) -> TTest:
    """Return the paired t test of what each unit contributes to a difference of areas;
    of high scores, to the difference of Anscombe's angles (1948), whose errors are
    nearly symmetric.

    An influence is a distance from the score, so a unit that carries most of a
    difference takes its own share of the positives away again. In equal models, there
    is nothing to take away: the contribution is the influence plus this share of the
    difference, and has either sign. A t test of such contributions stays conservative
    at .05, however unequal they are (Bakirov and Szekely 2005, as used by Ibragimov and
    Mueller 2010). Of 32 units of 1, 3 or 30 rows, it finds .33 of the differences in
    place of .15, where swaps of units find .36; of high scores of few positives, 1.5
    times as much as a t test of the scores.
    """
    values = scores = [first.score, second.score]
    slopes = [1.0, 1.0]
    if sum(scores) / 2 > _HIGH:
        # Half a positive more on either side, since a perfect score has no slope.
        n = first.n_positives
        shares = [(n * score + 0.5) / (n + 1) for score in scores]
        values = [asin(sqrt(share)) for share in shares]
        slopes = [0.5 / sqrt(share * (1 - share)) for share in shares]
    difference = values[0] - values[1]
    influences = first.influences.less(second.influences, *slopes)
    contributions = influences._replace(
        of_units=influences.of_units + difference * first.share_of_positives,
        of_missed=influences.of_missed + difference * first.share_of_missed,
    )
    n = first.n_with_positives
    of_mean = difference**2 / n
    variance = (contributions.variance - of_mean) * n / max(n - 1, _LEAST)
    return _t(difference, variance, n)


def _t(difference: float, variance: float, n_units: float) -> TTest:
    """Return the t test of a difference with one degree of freedom less than units."""
    return TTest(difference / max(sqrt(max(variance, 0.0)), _LEAST), n_units - 1)


def errors_with_lost_positives(
    standard_error: float, lost: tuple[float, float]
) -> tuple[float, float]:
    """Return the errors below and above a difference: one more positive that the first
    model ranks last would lower it, and one that the second ranks last would raise it.

    A sample in which the better model is perfect shows nothing of what it may lose. The
    loss squared is the variance of a share 1 / (n + 1) of positives that no sample has
    shown (Good 1953). Without it, true differences of high scores are covered in .78 to
    .95 of samples.
    """
    below, above = (hypot(standard_error, loss) for loss in lost)
    return below, above


def obeying_test(ends: Ends, difference: float, pvalue: float, risk: float) -> Ends:
    """Return the ends of an interval after the test at this risk has decided about 0,
    and nothing else.

    This inverts a family of tests of which 0 has its own, as Benjamini, Hochberg and
    Stark (1998) do: the test of equal models knows more than an interval for models of
    all kinds. An end at 0 does not exclude it.
    """
    low, high = ends
    if pvalue > risk * (1 + EQUAL):
        return min(low, 0.0), max(high, 0.0)
    nearest = NEXT_TO_0 * abs(difference)
    if difference > 0:
        return max(low, nearest), high
    return low, min(high, -nearest)
