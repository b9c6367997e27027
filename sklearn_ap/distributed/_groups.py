"""The score of a state, computed from its counts: rows with equal scores are one step,
whatever their number, and a cut takes a share of the rows that it divides.

The kernel sorts and adds up entries as if each was one row that has the weight of all
rows of the entry. So each sum of weights is that of the rows. Only what counts rows,
such as a cut, needs the counts of the entries: `_CountedKernel` and `_CountedRankings`
replace these methods.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from .._core.areas.hits import HITS
from .._core.areas.step import STEP, gain_within
from .._core.definition import Definition
from .._core.evaluate import rankings_in
from .._core.ranking.cut import cut_depth
from .._core.ranking.rankings import Rankings
from .._core.ranking.rows import Rows
from .._core.ranking.runs import starts_of_runs
from .._core.ranking.sum_kernels import TiedSumKernel
from .._core.reading.read import CheckedRows
from .._core.typing import AnyArray, FloatArray, IntArray
from ._arguments import BoundScore
from ._entries import Entries

# Step average precision, with a term for each row of an entry. If entries have an
# order, all rows of an entry have the same label, so the expected sum over the orders
# of these rows is the sum of each order.
_STEP_OF_ENTRIES = replace(
    STEP,
    score_full=None,
    gain_to_cut=lambda cut, _, steps: gain_within(cut, "expected", steps),
)


def score_entries(entries: Entries, spec: BoundScore) -> float:
    """Return the score of all rows of the entries."""
    definition = spec.definition
    if definition.tie_order == "optimistic":
        # Positives are the last of the entries with the same score.
        entries = entries.take(np.lexsort((entries.positive, entries.score)))
    if definition.tie_order is not None:
        # Entries that have an order are not tied.
        entries = entries._replace(score=np.arange(entries.score.size))
    weight = None if (entries.weight == 1).all() else entries.weight
    rankings, averaging = rankings_in(
        # The ranking of entries needs no bounds of their scores.
        CheckedRows(entries.positive, entries.score, (0, 0), weight),
        spec.n_positives,
        average="micro",
        definition=definition,
        ranker=partial(_rank, entries.counts),
    )
    if definition.grid is None:
        # A cut counts rows. Levels compare sums, whose rounding depends on the number
        # of entries.
        offsets = np.array([0, entries.counts.sum()])
        rankings = rankings._replace(offsets=offsets)
    score = averaging.average(
        _with_term_per_row(definition, rankings.n_rows).compute(rankings),
        zero_division=spec.zero_division,
        caller=spec.caller,
    )
    return float(score)


def _with_term_per_row(definition: Definition, n_rows: FloatArray) -> Definition:
    """Return the definition that adds up a term for each row above the cut, if the sum
    over entries differs. Raise ValueError if these terms do not fit into memory.
    """
    if definition.ties == "proportional" or definition.area is HITS:
        return definition
    [n_terms] = np.minimum(cut_depth(n_rows, definition.k), n_rows)
    if n_terms > 2**28:
        raise ValueError(
            f"ties={definition.ties!r} requires each row above the cut, so k must be "
            f"at most 2**28 rows here; got {n_terms:,.0f} rows."
        )
    if definition.area is STEP:
        return replace(definition, area=_STEP_OF_ENTRIES)
    return definition


def _rank(counts: IntArray, rows: Rows, **_: object) -> Rankings:
    """Return the ranking of entries, sorted from worst to best. Each entry is one of
    `rows`, and the weight there is that of a single row of the entry.
    """
    kernel = _CountedKernel(counts, rows)
    weighted_rows = None if rows.weight is None else rows
    found = kernel.found_weight
    return _CountedRankings(kernel, rows.offsets, weighted_rows, found, found)


class _CountedRankings(Rankings):
    """The ranking of entries, each of which stands for several rows."""

    kernel: "_CountedKernel"

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives."""
        rows = self.weighted_rows
        if rows is None or rows.weight is None:
            return super().heaviest_positives(depth)
        of_positives = rows.positive * rows.weight
        order = of_positives.argsort()
        counts = self.kernel.counts[order]
        of_first = _sums_of_first(counts * of_positives[order])
        return np.interp(depth, _sums_of_first(counts), of_first)


class _CountedKernel(TiedSumKernel):
    """Entries in their order, each of which stands for several rows."""

    def __init__(self, counts: IntArray, rows: Rows) -> None:
        weight = np.append(counts, 0.0)
        if rows.weight is not None:
            weight[:-1] *= rows.weight
        # The closing row has the number of the entries.
        closing = counts.size
        kept = np.append(rows.positive.nonzero()[0], closing)
        starts = np.append(starts_of_runs(rows.score), [closing, closing + 1])
        super().__init__(weight, kept, np.array([0, closing + 1]), None, starts)
        self.counts = counts
        self._n_rows = _sums_of_first(counts)

    def _rows_from(self, row: IntArray) -> FloatArray:
        return self._n_rows[-1 - row]

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows. If the cut divides a tied group,
        the weight of the group is multiplied by its share above the cut.
        """
        # The tied groups, and the closing row; the best one first.
        start = self._starts[-2::-1]
        return np.interp(depth, self._rows_from(start), self._weight_from(start))


def _sums_of_first(values: AnyArray) -> FloatArray:
    """Return 0, the last value, the sum of the last two values, and so on: entries are
    sorted from worst to best.
    """
    return np.append(0.0, values[::-1].cumsum())
