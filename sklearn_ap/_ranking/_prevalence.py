r"""What rows weigh before and after the sort: `to_sort` sets weights, and
`at_prevalence` reweights counts.

If the positives of a ranking, found or missed, have the weight :math:`P` and its
negatives :math:`N`, each negative is multiplied by :math:`P (1 - \pi) / (\pi N)`. The
share of positives is then :math:`\pi`.

Counts are multiplied after the sort (`at_prevalence`), so rows without weights are
sorted as ever. Weights that differ are multiplied before the sort (`to_sort`):
afterwards the weight of negatives is a difference of sums, which loses the light ones.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ._blocks import blocks_of
from ._rankings import (
    SINGLE_RANKING,
    Kernel,
    OperatingPoints,
    Rankings,
    Reduction,
    Rows,
    Steps,
    ratio,
)

_MAX_WEIGHT = (
    2.0**1000
)  # of all negatives: precision below them is then 0 to all digits
# kernels need weights above 0, also of negatives whose products underflow
_MIN_WEIGHT = 5e-324


class ClassWeightKernel(Kernel):
    """Rankings that another kernel counts, with the weight of a positive, and of a
    negative of each.

    Balanced weights are such weights, and the weights that bring a ranking to another
    prevalence.
    """

    def __init__(
        self, counted: Kernel, of_positive: float, of_negatives: FloatArray
    ) -> None:
        self._counted, self._of_positive, self._of_negatives = (
            counted,
            of_positive,
            of_negatives,
        )
        self.found_weight = of_positive * counted.found_weight

    @cached_property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # late: few ask for it
        """Weight of all samples of each ranking."""
        return self._weigh(self._counted.found_weight, self._counted.total_weight)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        return map(self._reweighted, self._counted.blocks())

    def _reweighted(self, steps: Steps) -> Steps:
        """Return steps that count rows as steps of their weights."""
        tp, tp_above, of_negatives = steps.tp, steps.tp_above, self._of_negatives
        if self._of_positive != 1.0:
            tp, tp_above = self._of_positive * tp, self._of_positive * tp_above
        if of_negatives.size > 1:  # the value of a single ranking broadcasts
            of_negatives = steps.per_step(of_negatives)
        retrieved = steps.retrieved - steps.tp
        retrieved *= of_negatives
        retrieved += tp
        return Steps(
            tp,
            tp_above,
            retrieved,
            lambda: tp_above + of_negatives * (steps.above - steps.tp_above),
            steps.ranking,
            steps.start,
            (lambda: steps.rows_retrieved, lambda: steps.rows_above),
        )

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut gives
        its share.
        """
        within = Reduction(lambda steps: steps.share_within(depth) * steps.gained)
        return self._weigh(
            self._counted.reduce(within), self._counted.weight_of_best(depth)
        )

    def points(self) -> OperatingPoints:
        """Return the operating points, including scores that only negatives have."""
        threshold, tp, retrieved = self._counted.points()
        return OperatingPoints(
            threshold, self._of_positive * tp, self._weigh(tp, retrieved)
        )

    def _weigh(self, positives: FloatArray, rows: FloatArray) -> FloatArray:
        """Return the weight of `rows` rows of each ranking that contain `positives`
        positives.
        """
        return self._of_positive * positives + self._of_negatives * (rows - positives)


def class_weights(
    positive: BoolArray, weight: FloatArray
) -> tuple[float, FloatArray] | None:
    """Return the weight of every positive and of every negative, or None if either
    class has several.
    """
    if (
        len(set(weight[:3].tolist())) == 3
    ):  # two classes cannot have three weights: decides most calls
        return None
    # If a class is empty, this finds a row of the other class, whose weight is then
    # multiplied by 0 rows.
    of_positive, of_negative = (
        float(weight[positive.argmax()]),
        float(weight[positive.argmin()]),
    )
    for block in blocks_of(
        positive.size
    ):  # other weights nearly always fail in the first block
        if not np.array_equal(
            weight[block], np.where(positive[block], of_positive, of_negative)
        ):
            return None
    return of_positive, np.array((of_negative,))


class ToSort(NamedTuple):
    """Rows whose weights differ inside their rankings, or that have none."""

    rows: Rows
    # Of one row of each ranking of counts, else 1; None without weights.
    count_weight: FloatArray | None = None
    # rankings that `at_prevalence` has to reweight; None means all
    has_counts: BoolArray | None = None


def to_sort(
    rows: Rows, prevalence: float | None = None, totals: FloatArray | None = None
) -> ToSort:
    """Replace weights that are equal inside a ranking by counts, and bring all others
    to a prevalence.

    No score depends on the scale of the weights. Counts are exact, while sums of
    weights such as 0.1 are rounded and would miss recall levels. Each ranking is
    decided alone, so its value never depends on the others in the call. `totals` are
    the numbers of positives that the caller passed, in weight.
    """
    if rows.weight is None:
        return ToSort(rows)
    weight, n_rows = rows.weight.ravel(), np.diff(rows.offsets)
    if n_rows.size == 1 and prevalence is None and weight.min() < weight.max():
        return ToSort(rows, np.ones(1))  # nothing to do, in a sixth of the time
    filled = np.flatnonzero(
        n_rows
    )  # reduceat gives an empty ranking the first weight of the next one
    start = rows.offsets[filled]
    lightest, heaviest = (
        np.minimum.reduceat(weight, start),
        np.maximum.reduceat(weight, start),
    )
    equal = lightest == heaviest
    count_weight = np.ones(n_rows.size)
    count_weight[filled[equal]] = lightest[equal]
    if equal.all():
        return ToSort(rows._replace(weight=None), count_weight)
    if equal.any():
        weight = weight / np.repeat(count_weight, n_rows)
    has_counts = np.zeros(n_rows.size, dtype=bool)
    has_counts[filled] = equal
    if prevalence is not None:
        n_positives = None if totals is None else totals[filled]
        weight = reweighted(
            rows.positive.ravel(),
            weight,
            prevalence,
            start=start,
            changed=~equal,
            n_positives=n_positives,
        )
    return ToSort(
        rows._replace(weight=weight.reshape(rows.positive.shape)),
        count_weight,
        has_counts,
    )


def at_prevalence(
    rankings: Rankings, prevalence: float | None, has_counts: BoolArray | None = None
) -> Rankings:
    """Return the rankings with this share of positives; `has_counts` marks those of
    counts.
    """
    if prevalence is None or (has_counts is not None and not has_counts.any()):
        return rankings
    negatives = rankings.total_weight - rankings.found_weight
    factor = factor_of_negatives(rankings.n_positives, negatives, prevalence)
    if has_counts is not None:
        factor[~has_counts] = 1.0
    return Rankings(ClassWeightKernel(rankings.kernel, 1.0, factor), *rankings[1:])


def reweighted(
    positive: BoolArray,
    weight: FloatArray,
    prevalence: float,
    *,
    start: IntArray = SINGLE_RANKING,
    changed: BoolArray | bool = True,
    n_positives: FloatArray | None = None,
) -> FloatArray:
    """Return the weights with the negatives of rankings multiplied, so that positives
    are this share.

    `start` is where each ranking begins, and `n_positives` are totals that the caller
    passed, in weight.
    """
    of_positives = weight * positive  # np.where takes three times as long
    of_negatives = weight - of_positives
    positives, negatives = (
        np.add.reduceat(weights, start) for weights in (of_positives, of_negatives)
    )
    if n_positives is not None:
        positives = np.maximum(positives, n_positives)
    factor = factor_of_negatives(
        np.where(changed, positives, 0.0), negatives, prevalence
    )
    of_negatives *= (
        factor
        if factor.size == 1
        else np.repeat(factor, np.diff(start, append=weight.size))
    )
    of_negatives += of_positives  # one of them is 0
    return np.maximum(of_negatives, _MIN_WEIGHT, out=of_negatives)


def factor_of_negatives(
    positives: FloatArray, negatives: FloatArray, prevalence: float
) -> FloatArray:
    """Return the factor of the weights of the negatives of each ranking; 1 if it has
    one class only.
    """
    odds = min((1.0 - prevalence) / prevalence, _MAX_WEIGHT)
    most = _MAX_WEIGHT / odds
    if positives.size == 1:  # in a fourth of the time
        found, others = positives.item(), negatives.item()
        largest = min(found, most) * odds / others if found and others else 1.0
        factor = np.array((largest,))
    else:
        with np.errstate(over="ignore"):
            factor = ratio(np.minimum(positives, most) * odds, negatives, 1.0)
        factor[positives == 0] = 1.0
        largest = factor.max()
    if largest == np.inf:
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by more than 1e308 here; use "
            "weights of fewer magnitudes, or a higher prevalence."
        )
    return factor
