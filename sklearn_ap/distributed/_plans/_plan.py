"""Which scans a score needs, by the memory that its rows would take.

Best rows
    Every score has a cut at a number of rows: one scan keeps counts of the best rows of each part.
All rows
    The scores of all rows fit into memory: one scan gathers them, class by class.
Ranges
    They do not fit. A scan counts rows in bins of scores. If positives are rare, negatives in bins without
    positives stay counts, and what is left often fits: a second scan gathers it. Otherwise the bins are cut
    into ranges that fit, and each range is gathered by a scan of its own, the worst one first. An engine with
    workers gathers all ranges there at once, and returns sums (`_exchange`).

Rows with weights go the same ways. The scan of bins adds up weights, too, and says whether they differ: one
weight of all positives and one of all negatives are counts, multiplied.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import compress
from operator import not_
from typing import NamedTuple

import numpy as np

from ..._api import Ranked
from ..._ranking._ranges import Asked, AskingKernel, Range, StepRange, Tied, in_common_walks, walked
from ..._ranking._ranges import Ranges as AllRanges
from ..._ranking._rank import RARE
from ..._ranking._table import (
    AboveRange,
    ClassRows,
    StepTable,
    Totals,
    from_each_on,
    steps_of_range,
    weight_of_best,
)
from ..._typing import AnyArray, BoolArray, FloatArray
from .._question import Question
from .._states._best import BestRows
from .._states._rows import AllRows
from .._states._sums import (
    AnyBins,
    OfBits,
    Sums,
    Weights,
    of_counts,
    of_weights,
    one_of_each,
    order_of,
    refuse_tiny,
)
from ._exchange import exchanged
from ._job import Job, Together, all_rows, heaviest_first, sums_in, without_weights
from ._slices import MOST_WEIGHED_BINS, LeftOut, Ranges, Slice, bins_for


def scores_of(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of all rows; without questions, nothing is scanned."""
    if not questions:
        return []
    cuts = [one.definition.cut for one in questions]
    # A cut at a share of the rows is not among these: how many rows it means is known after the scan.
    if all(type(cut) is int for cut in cuts):
        deepest = max(cut for cut in cuts if isinstance(cut, int))
        best: BestRows = job.scan(partial(BestRows.of_rows, k=deepest))
        return best.scores(questions)
    rows = all_rows(job)
    return _of_ranges(job, questions) if rows is None else _of_all(rows, questions, job)


def _of_all(rows: AllRows, questions: list[Question], job: Job) -> list[float]:
    """Return the scores of rows that are all in memory."""
    n_positives, n_rows = rows.counts[0], sum(rows.counts)
    if rows.is_weighted or 2 * rows.nbytes <= job.memory_limit or n_positives * RARE <= n_rows:
        # Nobody else holds these rows. With rare positives, no keys of all rows are made.
        rows.in_order(keeps=False)
        return rows.scores(questions)
    # One range, ranked piece by piece: its keys take the memory of a piece, not of all rows.
    whole = Range(rows.by_class(), 0, 0)
    return _scores_by_range(Walks(lambda: iter((whole,))), rows.counts, questions)


class Walks(NamedTuple):
    """How the ranges of rows that do not fit into memory are walked over."""

    ranges: AllRanges  # here
    # On the workers of an engine; None if there are none.
    elsewhere: Callable[[list[Asked]], list[FloatArray] | None] | None = None

    def answers(self, asked: list[Asked]) -> list[FloatArray]:
        """Answer all that is asked by one walk."""
        found = None if self.elsewhere is None else self.elsewhere(asked)
        return walked(self.ranges, asked) if found is None else found


def _scores_by_range(
    walks: Walks,
    counts: tuple[int, int],
    questions: list[Question],
    each: tuple[float, float] | None = None,
) -> list[float]:
    """Return the scores of rows that come in ranges; `each` holds the weight per row of each class."""
    totals = Totals(*counts, sum(counts))
    orders = [order_of(one.definition.tie_order, each) for one in questions]
    kernels = [AskingKernel(walks.ranges, totals, order) for order in orders]
    asked = [of_counts(one, of.ranking(), each) for one, of in zip(questions, kernels, strict=True)]
    return _scores_in_common_walks(walks, kernels, asked)


def _scores_in_common_walks(walks: Walks, kernels: list[AskingKernel], asked: list[Ranked]) -> list[float]:
    """Return scores whose rankings have these kernels; what they add up shares the ranges."""
    numbers = [(kernel, one.values) for kernel, one in zip(kernels, asked, strict=True)]
    values = in_common_walks(numbers, walks.answers)
    return [one.score(value) for one, value in zip(asked, values, strict=True)]


def _of_ranges(job: Job, questions: list[Question]) -> list[float]:
    """Return the scores of rows that do not fit into memory."""
    bins = bins_for(job)
    depths = [cut for one in questions if type(cut := one.definition.cut) is int]
    if not (job.is_weighted and depths):
        sums, best = sums_in(job, bins), None
    else:  # the weight of the first rows, or of the heaviest, would take scans of its own
        into = partial(BestRows.of_rows, k=max(depths)), partial(Sums.of_rows, bins=bins)
        best, sums = job.scan(partial(Together.of_rows, into=into)).states
    if sums.weights is None:
        return _of_counts(job, bins, sums, questions)
    # One weight for each class is exact as counts times a weight, with the bits that memory gives.
    each = one_of_each(sums.weights.extremes)
    if each is not None:
        return _of_counts(job.seen(without_weights), bins, Sums(sums.rows), questions, each)
    of_best = [best is not None and type(one.definition.cut) is int for one in questions]
    first, others = (list(compress(questions, chosen)) for chosen in (of_best, map(not_, of_best)))
    found = iter(_of_differing_weights(job, bins, sums, sums.weights, others))
    found_first = iter(best.scores(first) if best is not None else ())
    return [next(found_first if is_first else found) for is_first in of_best]


def _gathered_bins(sums: Sums) -> BoolArray | None:
    """Return the bins whose rows are gathered, or None for all.

    Negatives of a bin without positives need not be, which saves most rows where positives are rare.
    """
    positives, negatives = sums.rows
    if positives.sum() * RARE > sums.rows.sum():
        return None
    gathered: BoolArray = (positives > 0) | (negatives == 0)
    return gathered


def _of_counts(
    job: Job, bins: AnyBins, sums: Sums, questions: list[Question], each: tuple[float, float] | None = None
) -> list[float]:
    """Return the scores of rows without weights, or with one weight for each class."""
    n_positives, n_negatives = sums.rows.sum(axis=1).tolist()
    # An order of equal scores needs their negatives as rows, so none may stay counts.
    in_order = any(order_of(one.definition.tie_order, each) is not None for one in questions)
    ranges = Ranges(job, bins, sums, None if in_order else _gathered_bins(sums))
    walks = Walks(partial(ranges.each, _counted_range), partial(exchanged, ranges, _counted_range))
    return _scores_by_range(walks, (n_positives, n_negatives), questions, each)


def _counted_range(one: Slice, rows: AllRows | None, left_out: LeftOut | None) -> Range:
    """Return a slice of rows that weigh the same."""
    above = one.above[0], sum(one.above)
    if rows is None:
        return Range(Tied(one.tied, *one.counts), *above)
    return Range(rows.by_class(), *above, left_out and partial(_negatives_left_out, left_out))


def _negatives_left_out(left_out: LeftOut, score: AnyArray) -> AnyArray:
    return left_out(score)[1]


def _of_differing_weights(
    job: Job, bins: AnyBins, sums: Sums, weights: Weights, questions: list[Question]
) -> list[float]:
    """Return the scores of rows whose weights differ."""
    refuse_tiny(weights.extremes)
    slices = Ranges(job, bins, sums, _gathered_bins(sums))
    # Sums of sums are rounded: what is at or above a slice is never more than about the one below it.
    most = np.minimum.accumulate([one.weights[0] for one in slices.slices]).tolist()
    slices.slices = [
        one._replace(weights=(of_positives, one.weights[1]))
        for one, of_positives in zip(slices.slices, most, strict=True)
    ]
    totals = Totals(
        most[0] if most else 0.0,
        float(from_each_on(weights.exact()[1])[0]),
        int(sums.rows.sum()),
        # Each may take a scan, and scores with the same cut ask the same.
        cache(partial(_weight_of_first, job, bins, sums)),
        cache(partial(_heaviest_positives, job, sums, weights)),
    )
    walks = Walks(partial(slices.each, _weighed_range), partial(exchanged, slices, _weighed_range))
    kernels = [AskingKernel(walks.ranges, totals) for _ in questions]
    asked = [of_weights(one, kernel) for one, kernel in zip(questions, kernels, strict=True)]
    return _scores_in_common_walks(walks, kernels, asked)


def _weighed_range(one: Slice, rows: AllRows | None, left_out: LeftOut | None) -> StepRange:
    """Return a slice of rows whose weights differ."""
    above, most = AboveRange(*one.weights_above, sum(one.above)), one.weights[0]
    if rows is None:
        n_rows = above.n_rows + sum(one.counts)
        # A score with more rows than fit is one step; its sums are known from the bins.
        sums = most, min(above.positives, most), one.weights[1], above.negatives, n_rows, above.n_rows
        return StepRange(StepTable(*(np.array([value]) for value in sums)).gaining())
    return StepRange(steps_of_range(*_of_classes(rows), above, most, partial(_weights_left_out, left_out)))


def _weights_left_out(left_out: LeftOut | None, score: AnyArray) -> list[AnyArray]:
    # Numbers and weights of both classes; no positive was left out.
    return [] if left_out is None else left_out(score)[1::2]


def _of_classes(rows: AllRows) -> tuple[ClassRows, ClassRows]:
    """Take the rows of both classes out of `rows`, which is used up."""
    positive, negative = rows.in_order(keeps=False)
    return ClassRows(positive.score, positive.given), ClassRows(negative.score, negative.given)


def _heaviest_positives(job: Job, sums: Sums, weights: Weights, depth: int) -> float:
    """Return the weight of the heaviest positives: the first ones if weights are their scores."""
    least, most = weights.extremes[0].tolist()
    n_positives = int(sums.rows[0].sum())
    # Equal weights need no scan, and neither do all of the positives.
    if depth >= n_positives or least == most:
        total = float(from_each_on(weights.exact()[0])[0])
        return total if depth >= n_positives else depth * most
    # The same search as for the first rows, with weights in the place of scores.
    by_weight = job.seen(heaviest_first)
    bins = OfBits.between(least, most, np.dtype(np.float64), MOST_WEIGHED_BINS)
    return _weight_of_first(by_weight, bins, sums_in(by_weight, bins), depth)


def _weight_of_first(job: Job, bins: AnyBins, sums: Sums, depth: int) -> float:
    """Return the weight of the first rows; a tied group gives its share."""
    last = np.flatnonzero(from_each_on(sums.rows.sum(axis=0)) >= depth)[-1]
    # All bins above the one with the last of these rows are known, so only this one is gathered.
    ranges = Ranges(job, bins, sums, np.arange(bins.n_bins) == last, each_score=True)
    one = next(one for one in reversed(ranges.slices) if sum(one.above) + sum(one.counts) >= depth)
    inside, n_rows = depth - sum(one.above), sum(one.counts)
    above, total = sum(one.weights_above), sum(one.weights)
    if inside == n_rows:
        return float(total)
    if one.tied is not None:  # each row gives the same share of the weight
        return float(above + (total - above) * (inside / n_rows))
    return float(above + weight_of_best(*_of_classes(ranges.rows_of(one)), inside))
