r"""The permutation test of two independent samples (Fisher 1935; Pitman 1937).

If both samples are of one population, any choice of their units could have been the
first sample. So the p-value is the share of random choices whose two scores differ by
at least as much as those of the samples. Units are chosen with all of their rows,
weights and missed positives. `scipy.stats.permutation_test` chooses and counts.

*Two scales.* A score depends only on the order of the rows within its sample, so the
p-value must not depend on the scale of one of them. Therefore rows of both samples are
compared by the share of their own sample that is above them, with half of the rows that
tie with them.

*Unlike shares of positives.* At a `prevalence`, equal models may have other shares of
positives. If these differ by more than chance, rows are compared by the share of the
negatives that is above them, and units with and without a positive are chosen apart.

*Order.* The units are listed in an order that depends on nothing but their rows, and
the choices have a fixed seed. So the p-value does not depend on the order of the rows,
on names of units, or on which sample is first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import comb, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..._core.reading.ids import Ids, as_list
from ..._core.reading.per_ranking import PassedTotals
from ..._core.reading.read import CheckedRows
from ..._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .. import rules
from ..sampling.by_unit import sums_of
from ..sampling.ranking import Ranking, rankings_of
from ..sampling.sample import Sample
from ..sampling.score_call import ScoreCall
from ..sampling.units import Units

# Seed of the random choices, and of the order of the units.
_SEED = 0
# Decimals of shares of a sample and of differences of scores: two of them may be equal,
# but for the rounding of sums.
_DECIMALS = 12
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
        and (first.call.definition.prevalence is not None or _shares_agree(*both))
    )


def _has_choices(sample: Sample) -> bool:
    """Return whether the units of a sample can be chosen."""
    call, units = sample.call, sample.units
    return isinstance(units, Units) and not (
        sample.contributions.is_mean_over_units
        or (call.rows.totals is not None and units.totals is None)
    )


def _shares_agree(first: Sample, second: Sample) -> bool:
    """Return whether the shares of units with a positive differ by no more than chance.
    Otherwise, the samples are not of one population, although their scores may be
    equal.
    """
    a, b = first.contributions, second.contributions
    share_a, share_b = a.n_with_positives / a.n_units, b.n_with_positives / b.n_units
    share = (a.n_with_positives + b.n_with_positives) / (a.n_units + b.n_units)
    error = sqrt(share * (1 - share) * (1 / a.n_units + 1 / b.n_units))
    return abs(share_a - share_b) <= rules.MOST_BETWEEN_SHARES * error


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
    # The shares of the negatives, and of all rows, that are above the row; 2 for missed
    # positives.
    share_of_negatives: FloatArray
    share_of_all: FloatArray


class _Pool(NamedTuple):
    """The rows of both samples. The units of the second sample are numbered behind
    those of the first one.
    """

    # A call whose rows they are. Missed positives have the score -1.
    call: ScoreCall
    unit: IntArray
    # The units of each sample, those of the smaller one first.
    sides: list[IntArray]
    # Whether each unit has a positive, found or missed.
    has_positive: BoolArray
    # Whether units with and without a positive are chosen apart.
    are_apart: bool

    def pvalue(self, n_choices: int) -> float:
        """Return the share of this number of choices that differ by at least as much.
        Choices without a positive on one side do not count.
        """
        # It takes as long to import as this package.
        from scipy.stats import permutation_test  # noqa: PLC0415

        n_chosen, n_units = self.sides[0].size, self.has_positive.size
        n_with = int(self.has_positive[self.sides[0]].sum())
        power: float = max(rules.LEAST_POWER, self.score_of(np.arange(n_units)))
        if self.are_apart:
            # If all choices are made, they have no random order.
            n_choices = min(n_choices, comb(n_units, n_chosen) - 1)

        def distance_of(chosen: IntArray, others: IntArray) -> float:
            if self.are_apart:
                # The first units of each kind are chosen, in the random order of all.
                units = np.append(chosen, others)
                has = self.has_positive[units]
                n_before = np.where(has, has.cumsum(), (~has).cumsum())
                is_chosen = n_before <= np.where(has, n_with, n_chosen - n_with)
                chosen, others = units[is_chosen], units[~is_chosen]
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
        is_chosen = np.zeros(self.has_positive.size, dtype=bool)
        is_chosen[units] = True
        rows = self.call.rows.take(is_chosen[self.unit])
        if not rows.positive.any():
            return nan
        if rows.weight is not None and rows.score.min() < 0:
            weight = rows.weight * rows.positive
            sums = sums_of(weight, rows.numbers_of_queries())
            totals = PassedTotals(None, sums[0], None)
            if rows.query is not None:
                totals = PassedTotals(None, sums, as_list(rows.query.distinct))
            # Only equal weights have totals.
            rows = rows.take(rows.score >= 0)._replace(weight=None, totals=totals)
            if not rows.positive.size:
                return 0.0
        score: float = replace(self.call, rows=rows).score
        return score


def _pooled(first: Sample, second: Sample) -> _Pool:
    """Return the rows of both samples."""
    parts = [*_rows_of(first, 0)]
    n_before = 1 + max(int(each.unit.max(initial=-1)) for each in parts)
    parts += _rows_of(second, n_before)
    rows = _Rows(*map(np.concatenate, zip(*parts, strict=True)))
    ids, unit = np.unique(rows.unit, return_inverse=True)
    are_apart = not _shares_agree(first, second)
    # Positives between the same negatives are compared by the share of all rows.
    among_negatives = rows.share_of_negatives * are_apart
    shares = np.round((among_negatives, rows.share_of_all), _DECIMALS)
    _, place = np.unique(-shares, axis=1, return_inverse=True)
    place = np.where(rows.share_of_all > 1, -1, place.ravel())
    checked = CheckedRows(rows.positive, place, (-1, place.size))
    if place.min() < 0 or (rows.weight != 1).any():
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
        has_positive=sums_of(rows.positive.astype(np.float64), unit) > 0,
        are_apart=are_apart,
    )


def _rows_of(sample: Sample, n_before: int) -> Iterator[_Rows]:
    """Yield the rows of each ranking of a sample, and its missed positives. The units
    are numbered behind this number of units.
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
        yield _Rows(
            np.full(ranking.positive.size, number),
            numbers[ranking.unit_of_row],
            ranking.positive,
            ranking.weight / scale,
            *_shares_above(ranking),
        )
        if ranking.missed_by_unit is not None:
            # A unit that has neither rows nor missed positives is not chosen.
            has_missed = ranking.missed_by_unit > 0
            missed = ranking.missed_by_unit[has_missed]
            behind = np.full(missed.size, 2.0)
            yield _Rows(
                np.full(missed.size, number),
                numbers[has_missed],
                missed > 0,
                missed,
                behind,
                behind,
            )


def _shares_above(ranking: Ranking) -> list[AnyArray]:
    """Return the share of the negatives, and of all rows, that is above each row."""
    shares = []
    for weight in ranking.weight - ranking.found, ranking.weight:
        of_groups = ranking.sums_of_groups(weight)
        above = of_groups.cumsum() - of_groups / 2
        # Without negatives, rows are only compared by the share of all rows.
        shares.append(ranking.to_rows(above / (of_groups.sum() or 1.0)))
    return shares
