r"""What each unit contributes to a score.

- A unit contributes x, the derivative of the score by the weight of the unit, times
  this weight. The variance of the score is the sum of all :math:`x^2`.
- A positive counts itself in the precision at its place. Without its event of weight e,
  the precision there is that of the other rows, (A - e) / (B - e), which is unbiased,
  given the place. So the bias is the score minus the score with these precisions. All
  rankings of a mean have this bias, so it does not average out.

In the example of the module `sums`, each of the five rows is a unit of weight 1. So it
contributes the derivative, and the variance is the sum of the squares of x::

    row                 1        2         3         4        5
    label               1        0         1         0        1
    x                .505/3   -.245/3   .005/3   -.245/3   -.02/3   variance: .3755/9
    A / B               1                 2/4                3/5    score: 7/10
    of the others      1/1                1/3                2/4    bias: 7/10 - 11/18

If rows 1 and 2 are one unit, it contributes .26/3. A positive that is alone at its
place, such as row 1, keeps its precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ..._core.definition import Definition
from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray, IntArray
from .alike import join_groups
from .by_unit import Numbers, error_factor, n_equal, norm_of, sums_of
from .cuts import ahead_of_cut, inside_cut
from .one_more import NO_CHANGES, Changes, Event, changes_of, event_of, events_of
from .ranking import Ranking
from .score import score_of
from .sums import Sum

# The squares of contributions of more missed positives may be 0.
_MOST_MISSED = 1e60


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """A score, and what each unit contributes to it. Missed positives whose units are
    unknown are units of their own: the last value is the sum of them. Only a single
    ranking has such positives.
    """

    score: float
    of_units: FloatArray
    # What each unit adds to the divisor of the score, such as the weight of its
    # positives; in a mean over units, its share; in a sample of pairs, 1.
    divisor_weights: FloatArray
    # Number of units that each value is the sum of.
    copies: Numbers = 1.0
    # Effective number of units that contain a found positive or, if queries are drawn,
    # of all units. The number of missed positives does not raise it.
    n_effective: float
    n_units: int
    changes: Changes = NO_CHANGES
    # Whether units contribute distances from a mean, which lose one degree of freedom:
    # a mean over drawn queries has one value per unit; scores of pairs, and the ratio
    # of two sums over units, are read in the same way.
    is_read_as_mean: bool = False

    @cached_property
    def n_with_positives(self) -> float:
        """Number of units that contain a positive."""
        return float((self.copies * (self.divisor_weights > 0)).sum())

    def error_of(self, of_units: FloatArray, rounding: float) -> float:
        """Return the standard error of a number to which units contribute these values,
        such as a difference; 0 if `rounding` alone can make them.
        """
        norm = norm_of(of_units, self.copies)
        if norm <= rounding:
            return 0.0
        return error_factor(self.n_effective, df_lost=int(self.is_read_as_mean)) * norm


# --- one ranking ----------------------------------------------------------------------


class ScoredRanking(NamedTuple):
    """One ranking with its score, and what its rows contribute."""

    definition: Definition
    ranking: Ranking
    # Contribution of each unit.
    of_units: FloatArray
    # The score and its divisor as sums over groups; without groups, if the ranking has
    # no positives or no rows, so that its score is 0 in every sample.
    score_sum: Sum = Sum(np.zeros(0))
    divisor: Sum = Sum(np.zeros(0))
    # One more event of the positives, and of the negatives.
    positive_event: Event = Event(0.0, 1.0)
    negative_event: Event = Event(0.0, 1.0)

    @property
    def positives(self) -> FloatArray:
        """Weight of the positives of each unit."""
        return self.ranking.summed_by_unit(self.ranking.found, 1.0)

    @property
    def changes(self) -> Changes:
        """How one more event changes the score."""
        total = self.score_sum.total
        if not self.score_sum.gains.size:
            return NO_CHANGES
        lost, alarm = changes_of(
            self.definition,
            self.ranking.groups,
            self.score_sum,
            self.positive_event,
            self.negative_event,
        )
        n_events = self.divisor.total / self.positive_event.weight
        # A score of 1 that no event lowers is certain, such as recall of all rows.
        if total >= 1 - EQUAL and max(lost, alarm) <= EQUAL:
            n_events = inf
        return Changes(lost, alarm if self.excess else 0.0, n_events=n_events)

    @property
    def bias(self) -> float:
        """Expected score of a sample minus the score of the population."""
        if not self.score_sum.gains.size:
            return 0.0
        groups = replace(
            self.ranking.groups, weight_left_out=self.positive_event.weight
        )
        of_others, _ = score_of(self.definition, groups)
        return self.score_sum.total - of_others.total

    @property
    def excess(self) -> float:
        """Weight of a negative above that of a positive; 0 if it is not heavy.

        The weights of single rows are compared. Negatives that are heavy only because
        their units have many rows need no correction: tests exchange whole units.
        """
        positive, negative = self.positive_event, self.negative_event
        excess = negative.weight / negative.rows - positive.weight / positive.rows
        return excess if excess > EQUAL * positive.weight else 0.0


def score_ranking(definition: Definition, ranking: Ranking) -> ScoredRanking:
    """Return a ranking with its score, and what its rows contribute."""
    if ranking.n_missed > _MOST_MISSED:
        raise ValueError(
            f"n_positives must be at most {_MOST_MISSED:g} above the positives that "
            f"have rows, for an interval; got {ranking.n_positives:.10g}."
        )
    if not (ranking.n_positives and ranking.positive.size):
        of_units = ranking.summed_by_unit(np.zeros(ranking.positive.size), 0.0)
        return ScoredRanking(definition, ranking, of_units)
    if definition.prevalence is not None and ranking.positive.all():
        raise ValueError(
            f"y_true must contain negatives at prevalence={definition.prevalence}, "
            "because their ranks decide the score there; got positives only (in "
            f"ranking {ranking.name!r})."
        )
    ranking = join_groups(definition, ranking)
    # If k is a number of rows, events do not move the cut, and rows count singly.
    if not (ranking.by_rows or definition.cut is None or isinstance(definition.k, int)):
        # Rows of a unit are alike if the cut selects all of them, or none.
        inside = inside_cut(definition, ranking)
        event = event_of(inside, np.ones(inside.size), ranking.unit_of_row)
        ranking = replace(ranking, rows_together_at_cut=event.rows)
    score, divisor = score_of(definition, ranking.groups)
    of_rows, of_missed = contributions_of_rows(score, definition, ranking)
    positive, negative = events_of(ranking, of_rows, EQUAL * score.total)
    # If no positive was found, one more weighs 1, as a missed positive does.
    if not positive.weight:
        positive = Event(1.0, 1.0)
    return ScoredRanking(
        definition=definition,
        ranking=ranking,
        of_units=ranking.summed_by_unit(of_rows, of_missed),
        score_sum=score,
        divisor=divisor,
        positive_event=positive,
        negative_event=negative,
    )


def contributions_of_rows(
    sum_: Sum, definition: Definition, ranking: Ranking
) -> tuple[FloatArray, float]:
    """Return the contribution of each row to a sum over the groups of the ranking, and
    that of a missed positive: its derivative times its weight, and what it does by
    moving a cut or, with a prevalence, by changing the weights of the negatives.
    """
    positive, negative = (
        ranking.to_rows(slopes) if isinstance(slopes, np.ndarray) else slopes
        for slopes in (sum_.positive, sum_.negative)
    )
    of_rows, of_missed = np.where(ranking.positive, positive, negative), sum_.missed
    of_rows *= ranking.weight
    if sum_.at_cut:
        ahead, ahead_if_missed = ahead_of_cut(definition, ranking)
        of_rows -= sum_.at_cut * ahead
        of_missed -= sum_.at_cut * ahead_if_missed
    if definition.prevalence is not None:
        # A row also changes the factor of the weights of all negatives: the log of the
        # factor has the derivatives 1 / P and -1 / N.
        by_factor = float(of_rows[~ranking.positive].sum())
        negatives = (ranking.weight - ranking.found).sum()
        per_weight = np.where(ranking.positive, 1 / ranking.n_positives, -1 / negatives)
        of_rows += by_factor * ranking.weight * per_weight
        of_missed += by_factor / ranking.n_positives
    return of_rows, of_missed


def contributions_of_units(
    sum_: Sum, definition: Definition, ranking: Ranking
) -> FloatArray:
    """Return the contribution of each unit to a sum over the groups of the ranking."""
    of_rows, of_missed = contributions_of_rows(sum_, definition, ranking)
    return ranking.summed_by_unit(of_rows, of_missed)


# --- means of rankings ----------------------------------------------------------------


class RankingMean(NamedTuple):
    """A score as the mean of the scores of rankings. One ranking is a mean, too.
    It is not a mean over units, since a unit may have rows in several rankings.
    """

    parts: Sequence[ScoredRanking]
    # The share of each ranking in the mean.
    shares: FloatArray
    # Number of units of all rankings. A unit has rows or missed positives in some of
    # them.
    n_units: int = 0
    # Whether a share is that of the positives, so that each positive changes it, too.
    by_positives: bool = False

    @property
    def score(self) -> float:
        """The mean score."""
        return float(self.shares @ [part.score_sum.total for part in self.parts])

    def summed_by_unit(self, values: Sequence[FloatArray]) -> FloatArray:
        """Return the sums, over rankings, of the values that each unit has in them."""
        if len(self.parts) == 1:
            return values[0]
        sums = np.zeros(self.n_units)
        for part, own in zip(self.parts, values, strict=True):
            sums[part.ranking.unit_numbers] += own
        return sums

    @property
    def positives(self) -> FloatArray:
        """Weight of the positives of each unit."""
        return self.summed_by_unit([part.positives for part in self.parts])

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return sum(part.ranking.n_positives for part in self.parts)

    @property
    def n_effective_found(self) -> float:
        """Effective number of units that contain a found positive."""
        rankings = [part.ranking for part in self.parts]
        if len(rankings) == 1:
            return rankings[0].n_effective_found
        of_parts = [each.sums_of_units(each.found) for each in rankings]
        return n_equal(self.summed_by_unit(of_parts))

    def per_unit(self, of_parts: Sequence[FloatArray]) -> FloatArray:
        """Return the contribution of each unit to the mean, from its contributions to
        the score of each ranking.
        """
        shared = zip(self.shares, of_parts, strict=True)
        to_mean = [share * of_units for share, of_units in shared]
        if self.by_positives:
            total = self.n_positives
            for i, part in enumerate(self.parts):
                above_mean = part.score_sum.total - self.score
                to_mean[i] += above_mean * part.positives / total
        return self.summed_by_unit(to_mean)


def contributions_of_mean(mean: RankingMean, score: float) -> Contributions:
    """Return what the units of rankings contribute to their mean score."""
    of_units = mean.per_unit([part.of_units for part in mean.parts])
    # If there are several rankings, each value is that of one unit.
    return Contributions(
        score=score,
        of_units=of_units,
        divisor_weights=mean.positives,
        copies=mean.parts[0].ranking.copies_of_units,
        n_effective=mean.n_effective_found,
        n_units=mean.n_units,
        changes=_changes_of_rankings(mean, of_units),
    )


def _changes_of_rankings(mean: RankingMean, of_units: FloatArray) -> Changes:
    """Return how one more event changes the mean, to which units contribute these
    values.

    - `lost`: n times the root mean square of the changes by one ranking each, of
      those that can change. Here, n is the number of rankings that the positive is
      in: 1 or, if rankings vary together, more (`_n_with_event`).
    - `alarm`: of heavy negatives, each ranking has few, so all rankings may lack
      one, and their changes lower the mean by the sum of them. The changes are
      independent, so only the root of the sum of squares adds variance.
    - `bias`: the rest of this sum, and the bias of the mean.
    - `n_events`: the number of equal events whose mean would vary as much, if the
      events of each ranking are its own.

    For example, contributions to two columns have the norm .1, one more positive
    lowers the score of each by .06, and one more heavy negative lowers it by .04. The
    spread is the norm of the contributions to the mean::

        columns       spread   n_with_event   lost    alarm    bias
        independent   .0707         1          .03    .0283   .0117
        equal         .1            2          .06    .0283   .0117

    Both lack a heavy negative, which lowers the mean by .04 = .0283 + .0117.
    """
    if len(mean.parts) == 1:
        return mean.parts[0].changes
    of_parts = [part.changes for part in mean.parts]
    n_events = np.array([changes.n_events for changes in of_parts])
    lost = mean.shares * [changes.lost for changes in of_parts]
    alarm = mean.shares * [changes.alarm for changes in of_parts]
    n_varying = np.count_nonzero(np.isfinite(n_events)) or 1
    # Each change is n times a root mean square, which is a norm divided by the root
    # of the number of rankings that can change.
    n_per_root = _n_with_event(mean, of_units) / sqrt(n_varying)
    spread_of_alarm = norm_of(alarm)
    bias = float(mean.shares @ [part.bias for part in mean.parts])
    if mean.by_positives:
        bias += _bias_of_shares(mean)
    # It is 0 if no ranking varies.
    of_one_event = float((np.square(mean.shares) / n_events).sum())
    return Changes(
        lost=n_per_root * norm_of(lost),
        alarm=spread_of_alarm,
        bias=float(alarm.sum()) - spread_of_alarm + bias,
        n_events=1 / of_one_event if of_one_event else inf,
    )


def _n_with_event(mean: RankingMean, of_units: FloatArray) -> float:
    """Return the number of rankings that one more event is in: 1 or, if rankings
    vary together, the variance of the mean divided by that of a mean of independent
    rankings. If it were 1 for all, means of equal columns would cover .81
    (`test_shares_of_few_rows`).
    """
    spreads = [norm_of(part.of_units) for part in mean.parts]
    spread_if_independent = norm_of(mean.shares * spreads)
    # Rankings that vary by rounding alone do not vary together.
    if spread_if_independent > EQUAL * mean.score:
        return max(norm_of(of_units) / spread_if_independent, 1.0) ** 2
    return 1.0


def _bias_of_shares(mean: RankingMean) -> float:
    """Return the expected mean minus the mean with the shares of the population, if
    shares are those of the positives: the sum of the covariances of the share and the
    score of each ranking. More positives of a ranking raise both.

    A unit that contributes x to the score of a ranking changes its share s by
    (p - s q) / P, where p are its positives in the ranking, and q in all rankings.
    """
    px = [float((part.positives * part.of_units).sum()) for part in mean.parts]
    shared = zip(mean.shares, mean.parts, strict=True)
    sx = mean.summed_by_unit([share * part.of_units for share, part in shared])
    covariance = sum(px) - float((mean.positives * sx).sum())
    return max(covariance / mean.n_positives, 0.0)


# --- means of drawn units -------------------------------------------------------------


def contributions_of_drawn(
    score: float, values: FloatArray, weight: FloatArray, unit: IntArray
) -> Contributions:
    """Return the contributions of drawn units to a score that is the weighted mean of
    `values`; `unit` is the unit of each value.
    """
    shares = weight / weight.sum()
    of_shares = sums_of(shares, unit)
    n = n_equal(of_shares)
    of_units = sums_of(shares * (values - (shares * values).sum()), unit)
    return Contributions(
        score=score,
        of_units=of_units,
        divisor_weights=of_shares,
        n_effective=n,
        n_units=of_shares.size,
        changes=changes_of_mean(score, of_units, n),
        is_read_as_mean=True,
    )


def changes_of_mean(score: float, of_units: FloatArray, n: float) -> Changes:
    r"""Return how one more unit changes a mean over n units that contribute these
    values to it.

    One more unit that scores 1 raises the mean T by g = (1 - T) / (n + 1). The part of
    this unit in the mean is g / (g + T), once it is there. If nearly all units score 0,
    this part is large, since a sample may lack a unit that scores 1. So the variance of
    the mean is at least the square of g times this part, as that of

    .. math:: T (1 - T) \Big/ \frac{g^3}{g + T}

    events, but of no fewer than n. The same holds for a unit that scores 0, if T is
    above one half. If all units have the same score between 0 and 1, they show no
    variation, and nothing is known to be missing.
    """
    units_vary = np.abs(of_units).max() > EQUAL
    nearest = min(score, 1 - score)
    if nearest <= EQUAL:
        return Changes(lost=0.0 if units_vary else 1 / (n + 1), n_events=n)
    if units_vary:
        g = (1 - nearest) / (n + 1)
        least_variance = g**3 / (g + nearest)
        return Changes(n_events=max(nearest * (1 - nearest) / least_variance, n))
    return NO_CHANGES
