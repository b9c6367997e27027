r"""The permutation test of two independent samples (Fisher 1935; Pitman 1937).

If both samples are of one population, any choice of their units could have been the
first sample. So the p-value is the share of random choices whose two scores differ by
at least as much as those of the samples. Units are chosen with all of their rows,
weights and missed positives. `scipy.stats.permutation_test` chooses and counts.

*Two scales.* A score depends only on the order of the rows within its sample, so the
p-value must not depend on the scale of one of them. Therefore rows of both samples are
compared by the share of their own sample that is above them, with half of the rows that
tie with them.

*Units.* If only one of the samples has each row of a unit twice, its units are other
units, so the p-value changes, although no score does.

*Order.* The units are listed in an order that depends on nothing but their rows, and
the choices have a fixed seed. So the p-value does not depend on the order of the rows,
on names of units, or on which sample is first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import hypot, nan
from typing import Any, NamedTuple

import numpy as np

from ..._core.reading.ids import Ids, as_list
from ..._core.reading.per_ranking import PassedTotals, read_totals
from ..._core.reading.read import CheckedRows
from ..._core.rounding import EQUAL
from ..._core.typing import BoolArray, FloatArray, IntArray
from .. import rules
from ..sampling.by_unit import norm_of, sums_of
from ..sampling.ranking import rankings_of
from ..sampling.sample import Sample
from ..sampling.score_call import ScoreCall
from ..sampling.units import Units

# Seed of the random choices, and of the order of the units.
_SEED = 0
# Decimals of shares of a sample and of differences of scores: two of them may be equal,
# but for the rounding of sums.
_DECIMALS = 12
# The score of missed positives in a pool. It is below all places, which begin at 0.
_MISSED = -1
# Number of choices that scipy makes at a time, so that they do not fill the memory.
_BATCH = 64


def can_be_permuted(first: Sample, second: Sample) -> bool:
    """Return whether two samples have a permutation test: one of them is small, both
    together are not too large, and they may be of one population.

    Units of pairs, and missed positives whose units are unknown, cannot be chosen.
    Means over drawn queries have the test of Welch that other packages have.
    """
    both = first, second
    n_rows = sum(each.n_rows for each in both)
    return (
        min(each.least_n_effective for each in both) < rules.FEW_TO_PERMUTE
        and n_rows * rules.N_CHOICES <= rules.MOST_ROWS_CHOSEN
        and all(map(_has_choices, both))
        and _shares_agree(*both)
    )


def _has_choices(sample: Sample) -> bool:
    """Return whether the units of a sample can be chosen."""
    call, units = sample.call, sample.units
    return isinstance(units, Units) and not (
        sample.contributions.is_read_as_mean
        or (call.rows.totals is not None and units.totals is None)
    )


def _shares_agree(first: Sample, second: Sample) -> bool:
    """Return whether the shares of positives differ by no more than chance. Otherwise,
    the samples are not of one population, although their scores may be equal.
    """
    both = [_rows_of(each, 0) for each in (first, second)]
    every = _joined(both)
    share = np.average(every.positive, weights=every.weight)
    (above_a, error_a), (above_b, error_b) = (_above(share, each) for each in both)
    most = rules.MOST_BETWEEN_SHARES * hypot(error_a, error_b)
    return abs(above_a - above_b) <= most + EQUAL


def _above(share: float, rows: _Rows) -> tuple[float, float]:
    """Return how much the positives' share of the weight is above the share of both
    samples, and the standard error of this number: of a quotient of two sums of units.
    """
    above, weight = rows.weight * (rows.positive - share), float(rows.weight.sum())
    return float(above.sum()) / weight, norm_of(sums_of(above, rows.unit)) / weight


def permutation_pvalue(first: Sample, second: Sample) -> float:
    """Return the share of random choices of the units of two samples whose scores
    differ by at least as much.
    """
    pool = _pooled(first, second)
    pvalue = pool.pvalue(rules.N_CHOICES)
    more, n_rows = rules.N_CHOICES_IF_RARE, pool.unit.size
    if pvalue <= rules.RARE and more * n_rows <= rules.MOST_ROWS_CHOSEN:
        return pool.pvalue(more)
    return pvalue


class _Rows(NamedTuple):
    """The rows of a ranking of a sample. Missed positives are rows, too."""

    # Number of the ranking.
    ranking: IntArray
    unit: IntArray
    positive: BoolArray
    # The number of missed positives is their weight.
    weight: FloatArray
    # The share of its ranking that is above the row; 2, behind all, if it has no place.
    share_above: FloatArray
    # Whether the row stands for missed positives, which have no place.
    is_missed: BoolArray


class _Pool(NamedTuple):
    """The rows of both samples. The units of the second sample are numbered behind
    those of the first one.
    """

    # A call whose rows they are. Missed positives are rows of the score `_MISSED`.
    call: ScoreCall
    unit: IntArray
    # The units of each sample, those of the smaller one first.
    sides: list[IntArray]

    def pvalue(self, n_choices: int) -> float:
        """Return the share of this number of choices that differ by at least as much.
        Choices without a positive on one side do not count.
        """
        # It takes as long to import as this package.
        from scipy.stats import permutation_test  # noqa: PLC0415

        every = np.concatenate(self.sides)
        power: float = max(rules.LEAST_POWER, self.score_of(every))

        def distance_of(chosen: IntArray, others: IntArray) -> float:
            distance = self.score_of(chosen) ** power - self.score_of(others) ** power
            return round(abs(float(distance)), _DECIMALS)

        found = permutation_test(
            self.sides,
            distance_of,
            vectorized=False,
            n_resamples=n_choices,
            batch=_BATCH,
            alternative="greater",
            random_state=np.random.default_rng(_SEED),
        )
        share_that_counts = 1 - float(np.isnan(found.null_distribution).mean())
        return min(float(found.pvalue) / share_that_counts, 1.0)

    def score_of(self, units: IntArray) -> float:
        """Return the score of these units; NaN if they have no positive."""
        is_chosen = np.zeros(sum(side.size for side in self.sides), dtype=bool)
        is_chosen[units] = True
        rows = self.call.rows.take(is_chosen[self.unit])
        if not rows.positive.any():
            return nan
        is_found = rows.score != _MISSED
        if not is_found.any():
            return 0.0
        if not is_found.all():
            # Only equal weights have totals.
            rows = rows.take(is_found)._replace(weight=None, totals=_totals_of(rows))
        score: float = replace(self.call, rows=rows).score
        return score


def _totals_of(rows: CheckedRows) -> PassedTotals | None:
    """Return the total of each ranking, from rows of found and of missed positives."""
    weight: Any = rows.weight
    totals = sums_of(weight * rows.positive, rows.numbers_of_queries()).tolist()
    if rows.query is None:
        return read_totals(totals[0])
    by_query = zip(as_list(rows.query.distinct), totals, strict=True)
    return read_totals(dict(by_query), rows.query)


def _pooled(first: Sample, second: Sample) -> _Pool:
    """Return the rows of both samples."""
    of_first = _rows_of(first, 0)
    n_before = 1 + int(of_first.unit.max())
    rows = _joined([of_first, _rows_of(second, n_before)])
    ids, unit = np.unique(rows.unit, return_inverse=True)
    _, place = np.unique(-rows.share_above.round(_DECIMALS), return_inverse=True)
    place[rows.is_missed] = _MISSED
    checked = CheckedRows(rows.positive, place, (_MISSED, place.size))
    if rows.is_missed.any() or (rows.weight != 1).any():
        checked = checked._replace(weight=rows.weight)
    if rows.ranking.any():
        queries = Ids(np.arange(rows.ranking.max() + 1), rows.ranking)
        checked = checked._replace(query=queries)
    # Units are sorted by a sum of random numbers, one for each kind of row.
    rng = np.random.default_rng(_SEED)
    of_rankings = rng.random(rows.ranking.max() + 1)[rows.ranking]
    kinds = place + 1, rows.positive.astype(np.int64)
    of_kinds = rng.random((place.size + 1, 2))[kinds]
    keys = sums_of(rows.weight * of_rankings * of_kinds, unit)
    by_key, n_of_first = keys.argsort(), int(ids.searchsorted(n_before))
    sides = [by_key[by_key < n_of_first], by_key[by_key >= n_of_first]]
    call = first.call
    return _Pool(
        call=replace(call, rows=checked, zero_division=call.undefined, order=None),
        unit=unit,
        sides=sorted(sides, key=lambda units: (units.size, keys[units].sum())),
    )


def _joined(parts: Iterable[_Rows]) -> _Rows:
    """Return the rows of all parts."""
    return _Rows(*map(np.concatenate, zip(*parts, strict=True)))


def _rows_of(sample: Sample, n_before: int) -> _Rows:
    """Return the rows of a sample, and its missed positives. The units are numbered
    behind this number of units.
    """
    return _joined(_rows_of_rankings(sample, n_before))


def _rows_of_rankings(sample: Sample, n_before: int) -> Iterator[_Rows]:
    """Yield the rows of each ranking of a sample, and its missed positives
    (`_rows_of`).
    """
    # A prevalence sets the weights of the negatives of a choice, not of the sample.
    definition = replace(sample.call.definition, prevalence=None)
    call = replace(sample.call, definition=definition)
    names = [part.ranking.name for part in sample.rankings_mean.parts]
    weight = call.scaled_rows.weight
    # Two samples may have two scales of weights.
    scale = 1.0 if weight is None else float(weight.mean())
    units: Any = sample.units
    for ranking in rankings_of(call, units):
        # A ranking without positives may have no part in the score.
        if ranking.name not in names:
            continue
        number, numbers = names.index(ranking.name), n_before + ranking.unit_numbers
        of_groups = ranking.groups.weights
        above = of_groups.cumsum() - of_groups / 2
        yield _Rows(
            np.full(ranking.positive.size, number),
            numbers[ranking.unit_of_row],
            ranking.positive,
            ranking.weight / scale,
            ranking.to_rows(above / of_groups.sum()),
            np.zeros(ranking.positive.size, dtype=bool),
        )
        if ranking.missed_by_unit is not None:
            # A unit that has neither rows nor missed positives is not chosen.
            has_missed = ranking.missed_by_unit > 0
            missed = ranking.missed_by_unit[has_missed]
            yield _Rows(
                np.full(missed.size, number),
                numbers[has_missed],
                missed > 0,
                missed,
                np.full(missed.size, 2.0),
                missed > 0,
            )
