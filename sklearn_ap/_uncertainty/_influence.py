"""What a row does to a number: its influence, the derivative of the number with respect to its weight.

The squared influences of the rows, weighted, add up to the squared standard error of the number. Steps are
enough for that (`moments_of`): rows between two steps have the same influence, and running sums from the
worst step on count them. Where each row is asked for (`influence_of_rows`), rows go through their cells.
"""

from typing import NamedTuple

import numpy as np

from .._areas._area import Area, Slopes
from .._definition import Definition
from .._ranking._cells import Cells, steps_of_cells, vertices_of
from .._ranking._rankings import Rankings
from .._ranking._steps import Steps, added
from .._typing import AnyArray, BoolArray, FloatArray, IntArray

_LIGHT = 2.0  # a negative that outweighs no more positives needs no care
_ROOT = 2 / 3  # of the power of a tail
_TINY = 5e-324
_LEAST_DF = 0.5  # below, a t distribution has no end worth the name
_AT = (np.arange(64) + 0.5) / 64  # the effect of an unseen negative is averaged over these shares


class Unseen(NamedTuple):
    """What negatives that the sample lacks would take from the score, where each counts for several.

    Of a mean over columns, the `mean` also has the bias that they share.
    """

    mean: float = 0.0
    square: float = 0.0  # mean of squares
    df: float = np.inf  # degrees of freedom that the negatives seen leave


class _HeavyNegatives(NamedTuple):
    """Negatives of a lone ranking that may each outweigh a positive, and what one more would do."""

    number: float
    weight: float  # of one
    outweighs: float  # its weight divided by that of a positive
    n_effective: float  # how many equal negatives would do as much to the score
    lost: float  # what one more above all takes from the steps below the best negative
    clear: float  # weight of the positives above all negatives

    def unseen(self, score: float, n_positives: float) -> Unseen:
        r"""Return what negatives above the best one of the sample would take from the score.

        The next of N negatives stands above all others with the probability 1 / (N + 1) (Good 1953), so a
        sample lacks about one of them, and no influence of its rows knows. Where a negative counts for c > 2
        positives, as thinned negatives do, a share 1 - 2/c of this one matters: up to c = 2, intervals from
        influences alone cover what they promise.

        Its place follows from tails :math:`S_+ = S_-^\gamma` (Lehmann 1953), the shares of both classes above
        a score. The best negative has :math:`S_- = 1 / N`, and the next one a uniform share u of that, so
        :math:`A u^\gamma` of the A clear positives stand above it. One gap says little about a tail, so the
        power is nearer to 1, where all places are alike: :math:`\gamma^{2/3}` covered best in simulations.
        The negative takes `lost` from the positives below the best one, and :math:`c / (i + c)` from the i-th
        positive if that is clear and below it.
        """
        if self.outweighs <= _LIGHT:
            return Unseen()
        power = 1.0
        if self.clear and self.number > 1:
            gamma = np.log(n_positives / self.clear) / np.log(self.number)
            power = min(max(gamma, 0.0), 1.0) ** _ROOT  # below 0 by the rounding of weights
        above, weight = self.clear * _AT**power, self.weight
        effect = self.lost + weight * np.log((self.clear + weight) / (above + weight))
        effect = np.minimum(effect / n_positives, score)
        share = 1 - _LIGHT / self.outweighs
        df = max(self.n_effective - 1, _LEAST_DF) / share
        return Unseen(float(share * effect.mean()), float(share * (effect**2).mean()), df)


class Moments(NamedTuple):
    """Sums over the influences of all rows, for a lone ranking of rows that weigh the same."""

    score: float
    second: float  # sum of squares: the squared standard error
    fourth: float  # sum of fourth powers
    bias: float  # NaN if the area has no curvature
    unseen: Unseen


class Lone(NamedTuple):
    """The rows of a lone ranking."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None  # None if all weigh the same
    n_missed: float = 0.0  # positives without a row


def has_slopes(definition: Definition) -> bool:
    """Whether the number adds up whole rankings by the formula of an area that has slopes.

    Where equal scores have an order, rows that change places make the number jump.
    """
    if definition.tie_order is not None:
        return False
    return definition.is_whole and definition.grid is None and definition.area.slopes is not None


def moments_of(definition: Definition, ranking: Rankings) -> Moments:
    """Walk over the steps of a lone ranking once; equal weights count rows.

    The ranking is at the prevalence of the definition already.
    """
    area, n_positives, found = definition.area, ranking.n_positives.item(), ranking.n_found.item()
    n_negatives, factor = ranking.offsets.item(-1) - found, None
    if definition.prevalence is not None and n_negatives:
        factor = (ranking.kernel.n_samples.item() - found) / n_negatives
    sums, curvature = _Sums(factor), 0.0
    # Asked for before the vertices, so that one walk finds both.
    score = definition.of(ranking).item() if area.vertices is not None else None
    for steps in ranking.blocks() if area.vertices is None else (area.vertices(ranking),):
        slopes = _slopes_of(area, steps)
        if area.curvature is not None:
            curvature += np.add.reduce(area.curvature(steps, slopes, steps)).item()
        sums.add(steps, slopes)
    score = min(sums.total / n_positives, 1.0) if score is None else score
    missed, center, unseen = n_positives - found, score, Unseen()
    if factor is not None:
        # Each row also moves the factor of all negatives, as in `_move_negatives`.
        n_effective, of_negatives = sums.move_negatives(n_negatives)
        center -= of_negatives / n_positives
        heavy = _HeavyNegatives(n_negatives, factor, factor, n_effective, sums.lost, sums.clear)
        unseen = heavy.unseen(score, n_positives)
    of_positives, second, fourth = sums.around(center)
    bias = np.nan
    if area.curvature is not None and definition.prevalence is None:
        bias = (curvature - (of_positives - missed * score) / n_positives) / n_positives
    return Moments(
        score,
        (second + missed * center**2) / n_positives**2,
        (fourth + missed * center**4) / n_positives**4,
        bias,
        unseen,
    )


class _Sums:
    """Sums over the rows of a lone ranking, block after block, not yet divided by the positives.

    Half a million steps take most of the time in running sums, so the rest works in place. At a prevalence,
    `factor` is the weight of a negative. Sums of odd powers are then kept, since negatives will be counted by
    their distance from their mean.
    """

    def __init__(self, factor: float | None) -> None:
        self.total, self.lost, self.clear, self._factor = 0.0, 0.0, 0.0, factor
        self._first, self._second, self._third, self._fourth = 0.0, 0.0, 0.0, 0.0  # of negatives
        self._to_positives, self._to_negatives = 0.0, 0.0  # what all steps so far do to rows above them
        self._positives: list[_Central] = []

    def add(self, steps: Steps, slopes: Slopes) -> None:
        """Add a block of steps."""
        self.total += added(slopes.gain, steps.start).item()
        if self._factor is not None:
            lost, clear = _lost_to_one(steps, self._factor)
            self.lost, self.clear = self.lost + lost, max(self.clear, clear)
        of_positives = _running_from(self._to_positives, slopes.positive_above)
        of_negatives = _running_from(self._to_negatives, slopes.negative_above)
        self._to_positives, self._to_negatives = of_positives.item(-1), of_negatives.item(-1)
        of_positives = of_positives[:-1]
        of_positives += slopes.positive
        is_single = steps.tp.item(0) - steps.tp_above.item(-1) == steps.tp.size  # one positive per step
        self._positives.append(_central_of(of_positives, None if is_single else steps.gained))
        # A negative takes part in all steps below it. So each step adds what it changes in the powers of all
        # negatives above it, and nobody needs to know how many stand between two steps.
        if slopes.tied is None:
            self._add_change(steps.retrieved - steps.tp, slopes.negative_above, of_negatives[1:])
        else:
            self._add_change(steps.above - steps.tp_above, slopes.negative_above, of_negatives[1:])
            of_tied = of_negatives[:-1] + slopes.tied
            self._add_change(steps.group_weight - steps.gained, slopes.tied, of_tied)

    def _add_change(self, count: FloatArray, change: FloatArray, after: FloatArray) -> None:
        """Add the powers after a change, less those before it; `count` is overwritten."""
        if self._factor is not None:
            before, changed = after - change, count * change
            self._first += np.add.reduce(changed).item()
            self._third += np.add.reduce(changed * (after * after + before * (after + before))).item()
        both = after + after
        both -= change  # before and after
        count *= change
        count *= both  # square after, less square before
        self._second += np.add.reduce(count).item()
        both *= both
        both += change * change  # twice the sum of both squares
        both *= count
        self._fourth += np.add.reduce(both).item() / 2

    def move_negatives(self, n_negatives: float) -> tuple[float, float]:
        """Count negatives by the distance from their mean, all times their weight.

        The sums so far count each negative by its weight, the same for all of them. Return how many equal
        negatives would do as much, and what all do.
        """
        factor, total = self._factor, self._first
        assert factor is not None, "at a prevalence"
        mean, second, third = total / n_negatives, factor * self._second, factor**2 * self._third
        n_effective = total**2 / second if second else 0.0
        fourth = factor**3 * self._fourth - 4 * mean * third + 6 * mean**2 * second
        self._fourth = max(fourth - 3 * n_negatives * mean**4, 0.0)
        self._second = max(second - mean * total, 0.0)
        return n_effective, total

    def around(self, score: float) -> tuple[float, float, float]:
        """Return the sum over the positives, and those of the squares and fourth powers of all rows.

        Positives count by their distance from the score.
        """
        first, second, fourth = 0.0, self._second, self._fourth
        for count, mean, square, cube, fourth_power in self._positives:
            away = mean - score
            first += count * away
            second += square + count * away**2
            fourth += fourth_power + away * (4 * cube + away * (6 * square + count * away**2))
        return first, second, fourth


class _Central(NamedTuple):
    """Sums of powers of the distances from the mean: the score is known only after the last block."""

    n_values: float
    mean: float
    second: float
    third: float
    fourth: float


def _central_of(values: FloatArray, count: FloatArray | None) -> _Central:
    """Sum up the powers of `values`, each counted as often as `count` says; `values` are overwritten."""
    n_values = values.size if count is None else np.add.reduce(count).item()
    mean = np.add.reduce(values if count is None else values * count).item() / n_values
    values -= mean
    square = values * values
    values *= square
    powers = [square, values, square * square]
    if count is not None:
        powers = [power * count for power in powers]
    return _Central(n_values, mean, *(np.add.reduce(power).item() for power in powers))


def _running_from(begin: float, values: FloatArray) -> FloatArray:
    """Return running sums that go on from the block before: one before each value, and one after all."""
    sums, first = np.empty(values.size + 1), values.item(0)
    sums[0] = begin
    values[0] = begin + first  # so that no copy is needed
    np.add.accumulate(values, out=sums[1:])
    values[0] = first
    return sums


class RowInfluences(NamedTuple):
    """The number of a lone ranking, and its derivatives with respect to weights."""

    score: float
    of_rows: FloatArray
    of_missed: float  # of each positive that has no row
    bias: float  # if each row was drawn by itself; NaN if the area has no curvature
    unseen: Unseen


def influence_of_rows(definition: Definition, lone: Lone, cells: Cells) -> RowInfluences:
    r"""Return what each row does to the number of a lone ranking, per weight.

    All sums are those of the rows' own weights: what a step gains would vanish in a difference of running
    sums if weights are further apart than the digits of a float.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so each row also moves
    the factor `c`, and with it all negatives.
    """
    area, weight = definition.area, cells.sums(lone.weight)
    negative = np.arange(weight.size) % 3 != 2
    n_positives, negatives = float(weight[~negative].sum()) + lone.n_missed, float(weight[negative].sum())
    factor = 1.0
    if definition.prevalence is not None and negatives:
        factor = n_positives * (1 - definition.prevalence) / definition.prevalence / negatives
    steps, step = _steps_of(area, np.where(negative, factor * weight, weight))
    slopes = _slopes_of(area, steps)
    score = min(float(added(slopes.gain, steps.start).item()) / n_positives, 1.0)
    of_cells = _influence_of_cells(slopes, step, score) / n_positives
    of_missed, bias, unseen = -score / n_positives, np.nan, Unseen()
    squares = weight if lone.weight is None else cells.sums(lone.weight**2)
    if negatives and (factor > 1 or lone.weight is not None):
        counts = weight if lone.weight is None else cells.sums()
        # Only ratios matter here, and squares of large influences would overflow.
        of_rows, n_negatives = of_cells[negative], float(counts[negative].sum())
        of_rows = of_rows / max(-of_rows.min(), _TINY)
        second, each = float((of_rows**2 * squares[negative]).sum()), factor * negatives / n_negatives
        heavy = _HeavyNegatives(
            n_negatives,
            each,
            each * float(counts[~negative].sum()) / float(weight[~negative].sum()),
            float((of_rows * weight[negative]).sum()) ** 2 / second if second else 0.0,
            *_lost_to_one(steps, each),
        )
        unseen = heavy.unseen(score, n_positives)
    if definition.prevalence is not None:
        of_missed += _move_negatives(of_cells, weight, negative, factor, n_positives)
    elif area.curvature is not None:
        of_positives = float((of_cells * squares)[2::3].sum()) + lone.n_missed * of_missed
        curved = float(area.curvature(steps, slopes, steps_of_cells(squares)).sum())
        bias = (curved - of_positives) / n_positives
    return RowInfluences(score, of_cells[cells.cell], of_missed, bias, unseen)


def _lost_to_one(steps: Steps, weight: float) -> tuple[float, float]:
    """Return what steps would lose to one more negative, and what weighs above the best negative.

    The loss is that of step average precision, from which the other areas differ little. It leaves out the
    positives above all negatives.
    """
    clear = steps.retrieved == steps.tp
    lost = steps.gained * (steps.tp / steps.retrieved) * (weight / (steps.retrieved + weight))
    return float(np.add.reduce(lost[~clear])), float(steps.tp[clear].max(initial=0.0))


def _move_negatives(
    of_cells: FloatArray, weight: FloatArray, negative: BoolArray, factor: float, n_positives: float
) -> float:
    """Add what each row does to the factor of all negatives; return what a positive does."""
    negatives = float(weight[negative].sum())
    if not negatives:
        return 0.0
    moved = float(factor * (of_cells * weight)[negative].sum())
    of_positive = moved / n_positives
    of_cells[~negative] += of_positive
    of_cells[negative] = factor * of_cells[negative] - moved / negatives
    return of_positive


def _steps_of(area: Area, weight: FloatArray) -> tuple[Steps, IntArray]:
    """Return the steps that the area adds up, and for each step of the cells its place among them."""
    fine = steps_of_cells(weight)
    if area.vertices is None:
        return fine, np.arange(fine.tp.size)
    return vertices_of(fine)


def _influence_of_cells(slopes: Slopes, step: IntArray, score: float) -> FloatArray:
    """Return the influence of the rows of each cell, times all positives."""
    of_positives = _running_from(0.0, slopes.positive_above)[:-1] + slopes.positive - score
    of_negatives = _running_from(0.0, slopes.negative_above)
    of_tied = of_negatives[1:] if slopes.tied is None else of_negatives[:-1] + slopes.tied
    of_negatives = of_negatives[1:]
    of_cells = np.zeros(3 * step.size + 1)  # the negatives below all steps do nothing
    of_cells[1::3], of_cells[2::3], of_cells[3::3] = of_tied[step], of_positives[step], of_negatives[step]
    return of_cells


def _slopes_of(area: Area, steps: Steps) -> Slopes:
    assert area.slopes is not None, area  # `has_slopes` was asked
    return area.slopes(steps)
