"""What a row does to a number: its influence, the derivative of the number with respect
to its weight.

The squared influences of the rows, weighted, add up to the squared standard error of
the number. Steps are enough for that (`moments_of`): rows between two steps have the
same influence, and running sums from the worst step on count them. Where each row is
asked for (`influence_of_rows`), rows go through their cells. `spread_of` makes a
standard error of either.
"""

from dataclasses import replace
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

from .._areas._area import Area, Slopes
from .._areas._step import STEP, step_slopes
from .._definition import Definition
from .._ranking._blocks import LONG_ROWS
from .._ranking._cells import Cells, order_of_weights, steps_of_cells, vertices_of
from .._ranking._prevalence import factor_of_negatives
from .._ranking._rankings import Rankings, Rows, Steps, added
from .._rounding import EQUAL, rounding_of_sums
from .._typing import FloatArray, IntArray
from ._results import LowerEnd

_LEAST_FLOAT = 5e-324  # the least float, so that nothing is divided by 0
_HEAVIEST = (
    2.0**230
)  # positives that negatives may outweigh on average; fourth powers must be numbers
_LEAST_DF = 0.5  # below, a t distribution has no end worth the name
# of the weight of a negative with the next score, below which positives were drawn
# apart
_SAME_DRAW = 0.5
_LEAST_T_DF = float(
    np.finfo(np.float64).tiny
)  # no t distribution has 0 degrees of freedom


class Unseen(NamedTuple):
    """How much less the score may be in the population than influences say."""

    # how much too high the score may be: by noise of its envelope, or bias of columns
    excess: float = 0.0
    loss: float = 0.0  # what half a negative above all others would take from the score
    # degrees of freedom that negatives leave, where each stands for several positives
    df: float = np.inf
    # half a heavy positive that the sample may lack, per weight of the positives
    missed: float = 0.0

    def lower_end(self, score: float, df: float, n_effective: float) -> LowerEnd:
        """Return how the lower end of the interval differs from the upper one.

        Where few rows carry the variance, so that it has fewer degrees of freedom than
        the positives leave, the sample may lack half a negative above all others: half
        a row is what Jeffreys adds to a count. The higher the score, the less it pays
        for the same few rows by its degrees of freedom too.
        """
        if not (score and self.loss and df > 0):
            return LowerEnd(self.excess if score else 0.0, None, self.missed)
        shift = self.excess + self.loss_of_few(df, n_effective) * (
            1 - self.excess / score
        )
        df = 1 / (score / max(min(n_effective - 1, self.df), df) + (1 - score) / df)
        return LowerEnd(shift, df, self.missed)

    def loss_of_few(self, df: float, n_effective: float) -> float:
        """Return what the negatives may take from the score that the sample lacks."""
        return (
            self.loss * (1 - sqrt(min(df / (n_effective - 1), 1.0)))
            if n_effective > 1
            else 0.0
        )


ALL_SEEN = Unseen()


class Moments(NamedTuple):
    """Sums over what all units do to a score."""

    second: float  # sum of squares: the squared standard error
    fourth: float  # sum of fourth powers
    n_units: float  # missed positives among them
    # how much higher the score is on average than in the population, if that is known
    bias: float = np.nan
    unseen: Unseen = ALL_SEEN
    of_mean: bool = False  # whether the score is a mean over the units


class Influences(NamedTuple):
    """What each unit does to a score: the influences of its rows, times their
    weights.
    """

    of_units: FloatArray
    # of each positive without a row, in each ranking that lacks some
    of_missed: float | FloatArray = 0.0
    n_missed: float | FloatArray = 0.0
    of_mean: bool = False
    bias: float = np.nan
    unseen: Unseen = ALL_SEEN

    def less(self, other: "Influences") -> "Influences":
        """Return what each unit does to the difference of two scores."""
        of_units, of_missed = (
            self.of_units - other.of_units,
            self.of_missed - other.of_missed,
        )
        unseen = Unseen(df=min(self.unseen.df, other.unseen.df))
        return self._replace(of_units=of_units, of_missed=of_missed, unseen=unseen)

    def moments(self) -> Moments:
        """Add up the squares and fourth powers."""
        squares, of_missed = np.square(self.of_units), np.square(self.of_missed)
        second = float(squares.sum() + np.sum(self.n_missed * of_missed))
        fourth = float(
            np.square(squares).sum() + np.sum(self.n_missed * np.square(of_missed))
        )
        n_units = self.of_units.size + float(np.sum(self.n_missed))
        return Moments(second, fourth, n_units, self.bias, self.unseen, self.of_mean)


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores
    of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made
    of a few of them. What is below this says nothing: neither a difference, nor a
    standard error, nor a distance from 1.
    """
    return 2 * float(rounding_of_sums(n_rows)) * max(map(abs, scores))


def without_rounding(value: float, rounding: float) -> float:
    """Return the value, or 0 if it is at most a rounding error."""
    return 0.0 if abs(value) <= rounding else value


def deviation_of(drawn: FloatArray, rounding: float) -> float:
    """Return the standard deviation of bootstrap samples; NaN of fewer
    than two.
    """
    return (
        without_rounding(float(drawn.std(ddof=1)), rounding)
        if drawn.size > 1
        else np.nan
    )


def spread_of(moments: Moments, n_effective: float, rounding: float) -> Spread:
    """Return the standard error of a number; `n_effective` equal units would contain
    its positives.

    The degrees of freedom are those that positives, heavy negatives or few decisive
    units leave (Satterthwaite 1946). As for any mean, the values of a mean spread
    around their own mean.
    """
    second, fourth, n_units, _, unseen, of_mean = moments
    if of_mean and n_effective <= 1:
        return Spread(np.nan, np.nan)
    if second <= rounding**2:
        second = fourth = 0.0
    n_decisive = min(n_effective, unseen.df + 1) if second else n_effective
    excess = fourth - second**2 / n_units
    of_variance = 2 * second**2 / excess if excess > 0 else np.inf
    df = (
        max(min(n_decisive - 1, of_variance), _LEAST_T_DF) if n_decisive > 1 else np.nan
    )
    if of_mean:
        return Spread(
            sqrt(second) * sqrt(n_effective / (n_effective - 1)), n_effective - 1
        )
    return Spread(sqrt(second), df)


def df_of_negatives(n_effective: float, weight_ratio: float) -> float:
    """Return the degrees of freedom that negatives leave, if each outweighs so many
    positives.

    Those that stand for many others count like positives, which are as many as they
    seem. Light ones add nothing to what the variance says.
    """
    return (
        max(n_effective - 1, _LEAST_DF) / (1 - 1 / weight_ratio)
        if weight_ratio > 1
        else np.inf
    )


def noise_of(rise: float, variance: float) -> float:
    """Return how much of a rise of the envelope above step AP may be noise, which has
    this variance.
    """
    return rise * variance / (variance + rise**2) if rise > 0 else 0.0


def has_slopes(definition: Definition) -> bool:
    """Whether an area with slopes makes the number; an order of equal scores makes it
    jump.
    """
    if definition.tie_order is not None:
        return False
    return (
        definition.is_whole
        and definition.reads_all_recalls
        and definition.area.slopes is not None
    )


def moments_of(definition: Definition, ranking: Rankings) -> tuple[float, Moments]:
    """Walk over the steps of a single ranking of counts once, and return its number and
    the moments.

    The ranking is at the prevalence of the definition already.
    """
    score, rise, blocks = None, 0.0, ranking.blocks()
    if definition.area.vertices is not None:
        score = definition.compute(
            ranking
        ).item()  # before the vertices, so that one walk finds both
        rise = score - STEP.score_full(ranking).item()
        blocks = iter((definition.area.vertices(ranking),))
    sums = _MomentSums(definition, ranking, score)
    for steps in blocks:
        sums.add(steps)
    return sums.result(rise)


class _Block(NamedTuple):
    """What steps do to the rows of a block, times all positives."""

    steps: Steps
    slopes: Slopes
    positive: FloatArray  # to the positives of each step, but for the score itself
    negative: FloatArray  # to the negatives above each step
    tied: FloatArray | None  # to those of each step, if that is not the same


class _WorseSteps:
    """What all steps so far do to the rows above them: running sums over blocks, worst
    score first.
    """

    def __init__(self, area: Area) -> None:
        assert area.slopes is not None, area  # `has_slopes` was asked
        self._slopes, self.to_positives, self._to_negatives = area.slopes, 0.0, 0.0

    def block(self, steps: Steps) -> _Block:
        """Return what the next steps, and all worse ones, do to their rows."""
        slopes, tied = self._slopes(steps), None
        worse = np.add.accumulate(slopes.positive_above)
        positive = _with_worse(slopes.positive, worse, self.to_positives)
        self.to_positives += worse.item(-1)
        negative = np.add.accumulate(slopes.negative_above)
        if slopes.tied is not None:
            tied = _with_worse(slopes.tied.copy(), negative, self._to_negatives)
        if self._to_negatives:
            negative += self._to_negatives
        self._to_negatives = negative.item(-1)
        return _Block(steps, slopes, positive, negative, tied)


def _with_worse(values: FloatArray, worse: FloatArray, before: float) -> FloatArray:
    """Add to each value, in place, the running sum up to the step below it."""
    values[1:] += worse[:-1]
    if before:
        values += before
    return values


class _PowerSums:
    """Sums of powers, from 0 to 4, of the values of rows."""

    def __init__(self, n_zeros: float = 0.0) -> None:
        self._sums = [n_zeros, 0.0, 0.0, 0.0, 0.0]

    def add(self, counts: FloatArray, values: FloatArray) -> None:
        """Add so many rows of each value."""
        squares = values * values
        powers = values, squares, squares * values, squares * squares
        self._sums[0] += float(np.add.reduce(counts))
        for exponent, power in enumerate(powers, 1):
            self._sums[exponent] += _dot(counts, power)

    def total(self, exponent: int, shift: float = 0.0) -> float:
        """Return the sum of this power of the values, all shifted."""
        if not shift:
            return self._sums[exponent]
        terms = range(exponent + 1)
        return float(
            sum(
                comb(exponent, k) * shift ** (exponent - k) * self._sums[k]
                for k in terms
            )
        )


class _MomentSums:
    """Sums over the rows of a single ranking, block after block, not yet divided by the
    positives.

    Positives weigh 1 each, and all negatives the same. Half a million steps take most
    of the time in running sums.
    """

    def __init__(
        self, definition: Definition, ranking: Rankings, score: float | None
    ) -> None:
        self._area, self._worse = definition.area, _WorseSteps(definition.area)
        self._moves = (
            definition.prevalence is not None
        )  # whether each row moves the weight of all negatives
        self._n_positives, self._n_found = (
            ranking.n_positives.item(),
            ranking.found_weight.item(),
        )
        self._n_rows = ranking.offsets.item(-1)
        self._n_negatives = self._n_rows - self._n_found
        self._of_negative = 1.0  # weight of each
        if self._n_negatives:
            self._of_negative = (
                ranking.kernel.total_weight.item() - self._n_found
            ) / self._n_negatives
        if self._of_negative > _HEAVIEST:
            raise ValueError(
                f"prevalence must not make a negative weigh {self._of_negative:.3g} positives: nothing would "
                "say how sure the score is."
            )
        # Negatives do nothing to the score until steps are added.
        self._positives, self._negatives = _PowerSums(), _PowerSums(self._n_negatives)
        self._score = self._center = score  # sums of positives are around the center
        self._total, self._loss = 0.0, 0.0
        self._below = np.zeros(1)  # what steps do to the next negatives

    def add(self, steps: Steps) -> None:
        """Add the next steps."""
        block = self._worse.block(steps)
        self._total += added(block.slopes.gain, steps.start).item()
        self._loss += _loss_to_half(self._of_negative, block)
        if self._center is None:
            self._center = _dot(block.positive, steps.gained) / float(
                np.add.reduce(steps.gained)
            )
        self._positives.add(steps.gained, block.positive - self._center)
        tied = () if block.tied is None else (block.tied,)
        of_negatives = np.concatenate((self._below, block.negative, *tied))
        weight = _negatives_between(block)
        self._negatives.add(
            weight / self._of_negative, of_negatives * self._of_negative
        )
        self._below = block.negative[-1:]

    def result(self, rise: float) -> tuple[float, Moments]:
        """Return the moments, once all steps were added; `rise` is how far the score is
        above step AP.
        """
        score = (
            min(self._total / self._n_positives, 1.0)
            if self._score is None
            else self._score
        )
        assert self._center is not None, "positives"
        center, df, missed = score, np.inf, self._n_positives - self._n_found
        first, second, fourth = map(self._negatives.total, (1, 2, 4))
        if self._of_negative > 1:
            df = df_of_negatives(
                first**2 / second if second else 0.0, self._of_negative
            )
        if self._moves and self._n_negatives:
            # Each row also moves the factor of all negatives: these count by the
            # distance from their mean.
            center -= first / self._n_positives
            squares, mean = second, first / self._n_negatives
            second, fourth = (self._negatives.total(power, -mean) for power in (2, 4))
            second = (
                second if second > EQUAL * squares else 0.0
            )  # of equal scores, rounding alone
        away = self._center - center
        of_positives = self._positives.total(2, away)
        if of_positives > EQUAL * self._positives.total(
            2
        ):  # else of equal influences, rounding alone
            second, fourth = (
                second + of_positives,
                fourth + self._positives.total(4, away),
            )
        bias = np.nan
        if (
            self._area.curvature is not None and not self._moves
        ):  # all but this cancels if rows weigh 1
            of_positives = self._positives.total(1, away) - missed * score
            bias = (
                self._worse.to_positives - of_positives / self._n_positives
            ) / self._n_positives
        second = (second + missed * center**2) / self._n_positives**2
        fourth = (max(fourth, 0.0) + missed * center**4) / self._n_positives**4
        unseen = Unseen(noise_of(rise, second), self._loss / self._n_positives, df)
        return score, Moments(second, fourth, self._n_rows + missed, bias, unseen)


def _negatives_between(block: _Block) -> FloatArray:
    """Return the weight of the negatives from each step to the next one and, of the
    last step, to the end.

    As many are taken away in front, from those that only steps before this block have
    touched. If negatives that are tied with a step have a slope of their own, they
    stand behind.
    """
    steps = block.steps
    above = np.zeros(steps.tp.size + 2)  # negatives at or above each step
    np.subtract(steps.retrieved, steps.tp, out=above[1:-1])
    weight = above[:-1] - above[1:]
    if block.tied is not None:
        tied = steps.group_weight - steps.gained
        weight[1:] -= tied
        weight = np.append(weight, tied)
    return weight


def _dot(values: FloatArray, others: FloatArray) -> float:
    """Add up products: in a short call by a function that starts threads where there
    are many values.
    """
    return (
        float(values.dot(others))
        if values.size < LONG_ROWS
        else np.add.reduce(values * others).item()
    )


class Ranking(NamedTuple):
    """A ranking of a sample: its rows, and what it is in a mean."""

    rows: Rows
    unit: IntArray | None  # of each row; None if rows are the units
    n_missed: float = 0.0  # positives without a row
    weight: float = 1.0  # in the mean, or of each positive there

    @property
    def weights_of_positives(self) -> FloatArray:
        """Weight of each positive, and 0 for negatives."""
        rows = self.rows
        return np.multiply(
            rows.positive, 1.0 if rows.weight is None else rows.weight, dtype=np.float64
        )

    @property
    def n_positives(self) -> float:
        """Weight of all positives, found or missed."""
        return float(self.weights_of_positives.sum()) + self.n_missed


def n_effective_of(rankings: list[Ranking], n_units: int) -> float:
    """Return how many equal units would contain the positives; those that contain more
    count for more.
    """
    if rankings[0].unit is None and rankings[0].rows.weight is None:
        return float(
            np.count_nonzero(
                np.logical_or.reduce([each.rows.positive for each in rankings])
            )
        )
    of_rankings = (
        sums_of_units(each.weights_of_positives, each.unit, n_units)
        for each in rankings
    )
    weight: FloatArray = np.asarray(sum(of_rankings))
    weight = np.ldexp(
        weight, -np.frexp(weight.max())[1]
    )  # squares of light weights would underflow
    return n_equal(weight)


def influence_of_rows(
    definition: Definition, ranking: Ranking, cells: Cells
) -> tuple[float, Influences]:
    r"""Return the number of a single ranking, and what each row does to it, per weight.

    All sums are those of the rows' own weights: what a step gains would vanish in a
    difference of running sums if weights are further apart than the digits of a float.

    At a prevalence, negatives weigh :math:`c = P (1 - \pi) / (\pi N)` times as much, so
    each row also moves the factor `c`, and with it all negatives.
    """
    rows, unit, missed, _ = ranking
    if (
        not cells.n_steps
    ):  # no weight moves a score of 0, or that of a ranking without positives
        return 0.0, Influences(
            np.zeros(rows.score.size), n_missed=missed, bias=0.0, unseen=Unseen(df=0.0)
        )
    area, weight = definition.area, cells.sums(rows.weight)
    negative = np.arange(weight.size) % 3 != 2
    found, negatives = float(weight[~negative].sum()), float(weight[negative].sum())
    n_positives, factor = found + missed, 1.0
    if definition.prevalence is not None and negatives:
        factor = (
            n_positives
            * (1 - definition.prevalence)
            / definition.prevalence
            / negatives
        )
    fine = steps_of_cells(np.where(negative, factor * weight, weight))
    # The steps that the area adds up, and for each step of the cells its place among
    # them.
    steps, step = (
        (fine, np.arange(fine.tp.size)) if area.vertices is None else vertices_of(fine)
    )
    block = _WorseSteps(area).block(steps)
    score = min(float(added(block.slopes.gain, steps.start).item()) / n_positives, 1.0)
    of_cells = np.zeros(weight.size)  # the negatives below all steps do nothing
    of_cells[1::3] = (block.negative if block.tied is None else block.tied)[step]
    of_cells[2::3], of_cells[3::3] = block.positive[step] - score, block.negative[step]
    of_cells /= n_positives
    of_rows = of_cells[cells.cell]
    of_missed, bias, unseen = -score / n_positives, np.nan, ALL_SEEN
    if negatives:
        n_found = np.count_nonzero(rows.positive)
        n_units, n_rows = _negatives_that_count(of_rows, rows, unit)
        each = factor * negatives / (rows.score.size - n_found) * (n_rows / n_units)
        rise = 0.0
        if area.vertices is not None:
            rise = (
                score
                - float(added(step_slopes(fine).gain, fine.start).item()) / n_positives
            )
        df = df_of_negatives(n_units, each * n_found / found)
        unseen = Unseen(rise, _loss_to_half(each, block) / n_positives, df)
    if (
        definition.prevalence is not None and negatives
    ):  # each row moves the factor of all negatives
        moved = float(factor * (of_cells * weight)[negative].sum())
        of_cells = np.where(
            negative,
            factor * of_cells - moved / negatives,
            of_cells + moved / n_positives,
        )
        of_rows, of_missed = of_cells[cells.cell], of_missed + moved / n_positives
    elif definition.prevalence is None and area.curvature is not None:
        squares = weight if rows.weight is None else cells.sums(rows.weight**2)
        of_positives = float((of_cells * squares)[2::3].sum()) + missed * of_missed
        of, squared = area.curvature(steps, block.slopes), steps_of_cells(squares)
        curved = of.gained * squared.gained + of.positive * squared.tp
        curved += of.negative * (squared.retrieved - squared.tp)
        bias = (float(curved.sum()) - of_positives) / n_positives
    return score, Influences(of_rows, of_missed, missed, bias=bias, unseen=unseen)


def bias_at_steps(definition: Definition, ranking: Ranking, cells: Cells) -> float:
    """Return the bias of an area or, where only this is known, of step AP, at the
    prevalence.
    """
    rows, prevalence = ranking.rows, definition.prevalence
    if prevalence is not None and rows.positive.any():
        weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
        negatives = weight[~rows.positive].sum()
        totals = np.array([[ranking.n_positives], [negatives]])
        factor = factor_of_negatives(totals[0], totals[1], prevalence)
        weight = np.where(rows.positive, weight, factor * weight)
        rows = rows._replace(weight=weight)
    area = STEP if definition.area.curvature is None else definition.area
    plain = replace(definition, area=area, prevalence=None)
    return influence_of_rows(plain, ranking._replace(rows=rows), cells)[1].bias


def _negatives_that_count(
    of_rows: FloatArray, rows: Rows, unit: IntArray | None
) -> tuple[float, float]:
    """Return how many equal units of negatives, and how many equal negatives, would do
    as much.
    """
    of_negatives = np.where(
        rows.positive, 0.0, of_rows if rows.weight is None else of_rows * rows.weight
    )
    of_negatives /= max(
        -of_negatives.min(), _LEAST_FLOAT
    )  # only ratios matter, and squares could overflow
    n_rows = n_equal(of_negatives)
    return (
        n_rows
        if unit is None
        else min(n_equal(sums_of_units(of_negatives, unit)), n_rows)
    ), n_rows


def n_equal(values: FloatArray) -> float:
    """Return how many equal values would have this sum and this sum of squares; at
    least 1.
    """
    squares = float(np.square(values).sum())
    return max(float(values.sum()) ** 2 / squares, 1.0) if squares else 1.0


def sums_of_units(
    values: FloatArray, unit: IntArray | None, n_units: int = 0
) -> FloatArray:
    """Add up the values of each unit; the last of `n_units` may have none."""
    return (
        values
        if unit is None
        else np.bincount(unit, values, n_units).astype(np.float64, copy=False)
    )


def _loss_to_half(weight: float, block: _Block) -> float:
    """Return what the steps would lose to half a negative of this weight above all of
    them.
    """
    half = weight / 2
    return _dot(block.slopes.gain, half / (block.steps.retrieved + half))


def missed_weight(rows: Rows, cells: Cells) -> float:
    """Return half the weight of a heavy positive that may be missed, per weight of the
    positives.

    Few of many rows were labelled, such as all first rows and a random part of the
    others, and each weighs one over the probability of that. Where negatives weigh more
    than positives, so do positives that such a sample lacks; unless positives weigh
    less than negatives of the same scores, which is thinning by class, or each class
    has one weight.
    """
    if rows.weight is None:
        return 0.0
    of_positives, of_negatives = rows.weight[rows.positive], rows.weight[~rows.positive]
    if not (of_positives.size and of_negatives.size) or not any(
        map(np.ptp, (of_positives, of_negatives))
    ):
        return 0.0
    total = of_positives.sum()
    heavier = (
        np.square(of_negatives).sum() / of_negatives.sum()
        - np.square(of_positives).sum() / total
    )
    if (
        not heavier > 0
    ):  # to bring many weights in order takes longer than all of the above
        return 0.0
    order = order_of_weights(rows, rows.weight, cells)
    is_positive, weight = rows.positive.take(order), rows.weight.take(order)
    positive, negative = is_positive.nonzero()[0], (~is_positive).nonzero()[0]
    below = positive[
        positive < negative[-1]
    ]  # positives that have a negative above them
    next_above = weight.take(negative).take(
        np.add.accumulate(~is_positive, dtype=np.int64).take(below)
    )
    is_thinned = below.size and np.median(weight.take(below) / next_above) < _SAME_DRAW
    return 0.0 if is_thinned else float(heavier / 2 / total)
