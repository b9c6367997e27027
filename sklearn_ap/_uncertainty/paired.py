"""The rules of a difference between two scores of the same units.

They need the influence of each unit and a few facts of both scores, not the rows. Each
rule is a function that names its source, and has the figure that it is worth; the page
*Intervals* says how these were measured.
"""

from collections.abc import Sequence
from math import asin, cbrt, hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .._shown.numbers import NEXT_TO_0
from .ends import Ends, Negatives
from .influence import Influences, Spread

_LOW, _HIGH = 0.3, 0.75  # mean scores below and above have skewed errors
# Units are of very unequal size if the positives count for less than this share of the
# units that contain one. Of weighted rows with high scores, contributions reject equal
# models in up to .093 where the share is .6.
_UNEQUAL, _UNEQUAL_OF_HIGH = 0.7, 0.5
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
    # Whether all rows of the area have the same weight, so that negatives are heavy by
    # their units alone.
    has_equal_rows: bool = False
    n_rows: int = 0  # that the score adds up, and rounds
    is_share: bool = False  # whether it lies between 0 and 1
    ids: Any = None  # of the units, if the caller passed ids
    # If totals were passed, that of each ranking, and the units of the positives of each
    # ranking that were found.
    totals: Any = None
    found: Any = None

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
    take from a score, the error is multiplied by 1 + L squared. Without this factor,
    equal models at a prevalence are rejected in up to .16 of samples, and without this
    rule in up to .40.
    """
    first, second = pair
    of_units = first.influences.less(second.influences)
    spread = of_units.spread(first.n_positives, rounding)
    if not (spread.standard_error and has_heavy_negatives(pair)):
        return spread
    lost = max(each.negatives.loss / each.score for each in pair if each.score)
    df = min(spread.df, _df_of_negatives(pair))
    return Spread(spread.standard_error * (1 + lost**2), df)


def t_test_of(pair: Sequence[PairedScore], spread: Spread, rounding: float) -> TTest:
    """Return the t test of a difference that has a standard error: of areas, on a scale
    where their errors are nearly symmetric.

    Negatives that are heavy by weights or a prevalence limit it. Those of large units
    do not, as each unit adds to the difference of equal models with either sign.
    """
    first, second = pair
    scores = first.score, second.score
    n, n_units = first.n_positives, first.n_with_positives
    is_area = first.is_area and min(scores) > 0 and n > 1
    is_heavy = has_heavy_negatives(pair) and not first.has_equal_rows
    if not is_area or is_heavy:
        return TTest((scores[0] - scores[1]) / spread.standard_error, spread.df)
    values, slopes = symmetric_scale(scores, n)
    difference = values[0] - values[1]
    influences = first.influences.less(second.influences, *slopes)
    if sum(scores) / 2 < _LOW:
        # Influences are distances from the score itself, so their variance is that of
        # n values around their mean.
        return t_of_units(difference, influences.variance * n / (n - 1), n_units)
    unequal = _UNEQUAL
    if sum(scores) / 2 > _HIGH and not first.has_equal_rows:
        unequal = _UNEQUAL_OF_HIGH
    if n < unequal * n_units:
        return of_contributions(difference, influences, first)
    error, df = influences.spread(n, rounding)
    return TTest(difference / error, df)


def symmetric_scale(
    scores: tuple[float, float], n_positives: float
) -> tuple[Sequence[float], Sequence[float]]:
    """Return two scores on a scale where their errors are nearly symmetric, and the
    slopes of the scale there.

    These are cube roots if their mean is below .3, and Anscombe's angles (1948) of
    shares of the positives if it is above .75, which find 1.4 to 2.7 times as many
    differences of few positives as the scores themselves.
    """
    mean = sum(scores) / 2
    if mean < _LOW:
        return [*map(cbrt, scores)], [score ** (-2 / 3) / 3 for score in scores]
    if mean <= _HIGH:
        return scores, (1.0, 1.0)
    # Half a positive more on either side, since a perfect score has no slope.
    shares = [(n_positives * score + 0.5) / (n_positives + 1) for score in scores]
    angles = [asin(sqrt(share)) for share in shares]
    return angles, [0.5 / sqrt(share * (1 - share)) for share in shares]


def t_of_units(difference: float, variance: float, n_units: float) -> TTest:
    """Return the t test with one degree of freedom less than units contain a positive.

    In equal models, each unit adds to the difference with either sign. A t test of such
    contributions stays conservative at .05, however unequal they are (Bakirov and
    Szekely 2005, as used by Ibragimov and Mueller 2010). Of low scores, this finds 1.9
    to 3.4 times as much as Satterthwaite's degrees of freedom if units are unequal, and
    as much if they are equal.
    """
    error = sqrt(max(variance, 0.0)) or _LEAST
    return TTest(difference / error, n_units - 1)


def of_contributions(
    difference: float, influences: Influences, of_positives: PairedScore
) -> TTest:
    """Return the paired t test of what units of very unequal size contribute to a
    difference.

    An influence is a distance from the score, so a unit that carries most of a
    difference takes its own share of the positives away again. In equal models, there
    is nothing to take away: a contribution is the influence plus this share of the
    difference. Of 32 units of 1, 3 or 30 rows, this finds .33 of the differences in
    place of .15, where swaps of units find .36.
    """
    contributions = influences._replace(
        of_units=influences.of_units + difference * of_positives.share_of_positives,
        of_missed=influences.of_missed + difference * of_positives.share_of_missed,
    )
    n = of_positives.n_with_positives
    variance = (contributions.variance - difference**2 / n) * n / (n - 1)
    return t_of_units(difference, variance, n)


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
