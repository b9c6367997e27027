"""The score of a state, computed from its counts: rows with equal scores are one step,
whatever their number, and a cut takes a share of the rows that it divides.

The kernel adds up entries as if each was one row that has the weight of all rows of the
entry. So each sum of weights is that of the rows. Only what counts rows, such as a cut,
needs the counts of the entries: `_CountedKernel` and `_CountedRankings` replace these
methods.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from .._core.areas.hits import HITS
from .._core.areas.step import STEP, gain_within
from .._core.definition import Definition
from .._core.evaluate import rankings_in
from .._core.ranking.cut import cut_depth
from .._core.ranking.keys import RowOrder
from .._core.ranking.rankings import Rankings
from .._core.ranking.rows import Rows
from .._core.ranking.sum_kernels import SumKernel
from .._core.reading.per_ranking import read_totals
from .._core.reading.read import CheckedRows
from .._core.typing import AnyArray, FloatArray, IntArray
from ._arguments import BoundScore
from ._entries import Entries

# Step average precision, with a term for each row of an entry. The rule of ties is
# "expected", whatever that of the score is: if equal scores have an order, each entry
# is a tied group, and all of its rows have the same label. So all orders of these rows
# have the same sum, which is also the expected sum.
_STEP_OF_ENTRIES = replace(
    STEP,
    score_full=None,
    gain_to_cut=lambda cut, _, steps: gain_within(cut, "expected", steps),
)


def score_entries(entries: Entries, spec: BoundScore) -> float:
    """Return the score of all rows of the entries, which must be sorted by score and,
    among equal scores, with positives first (`count_equal_rows`).
    """
    definition = spec.definition
    if definition.tie_order == "optimistic":
        # The last entry ranks first, so positives are the last of equal scores.
        entries = entries.take(np.lexsort((entries.positive, entries.score)))
    if definition.tie_order is not None:
        # Entries that have an order are not tied.
        entries = entries._replace(score=np.arange(entries.score.size))
    checked = CheckedRows(
        positive=entries.positive,
        score=entries.score,
        bounds=(entries.score[0], entries.score[-1]),
        weight=None if (entries.weight == 1).all() else entries.weight,
        totals=read_totals(spec.n_positives),
    )
    rankings, averaging = rankings_in(
        checked,
        average="micro",
        definition=definition,
        ranker=partial(_rank, entries.counts),
    )
    # These scores have a term for each row above the cut: equal scores are in an order,
    # or in all orders.
    if definition.ties != "proportional" and definition.area is not HITS:
        _check_n_terms(definition, rankings.n_rows)
        if definition.area is STEP:
            definition = replace(definition, area=_STEP_OF_ENTRIES)
    score = averaging.average(
        definition.compute(rankings),
        zero_division=spec.zero_division,
        caller=spec.caller,
    )
    return float(score)


def _check_n_terms(definition: Definition, n_rows: FloatArray) -> None:
    """Raise ValueError if a term per row above the cut does not fit into memory."""
    [n_terms] = np.minimum(cut_depth(n_rows, definition.k), n_rows)
    if n_terms > 2**28:
        raise ValueError(
            f"ties={definition.ties!r} requires each row above the cut, so k must be "
            f"at most 2**28 rows here; got {n_terms:,.0f} rows."
        )


def _rank(counts: IntArray, entries: Rows, **_: object) -> Rankings:
    """Return the ranking of sorted entries, each of which stands for this number of
    rows and has the weight of one of them. Other arguments of `rank` have no effect.
    """
    kernel = _CountedKernel(counts, entries)
    return _CountedRankings(
        kernel,
        offsets=entries.offsets,
        weighted_rows=None if entries.weight is None else entries,
        found_weight=kernel.found_weight,
        n_positives=kernel.found_weight,
    )


class _CountedRankings(Rankings):
    """The ranking of entries. In `weighted_rows`, an entry has the weight of one of its
    rows.
    """

    kernel: "_CountedKernel"

    @property
    def n_rows(self) -> FloatArray:
        """Number of rows, which a cut counts."""
        n_rows: FloatArray = self.kernel.counts.sum(keepdims=True).astype(np.float64)
        return n_rows

    @property
    def n_summands(self) -> FloatArray:
        """Number of entries, since a sum adds up the weights of entries."""
        return super().n_rows

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives."""
        entries = self.weighted_rows
        if entries is None or entries.weight is None:
            return super().heaviest_positives(depth)
        # Negatives add nothing.
        weight = entries.positive * entries.weight
        heaviest_last = weight.argsort()
        counts, weight = self.kernel.counts[heaviest_last], weight[heaviest_last]
        n_rows, sums = _sums_to_last(counts), _sums_to_last(counts * weight)
        # All rows of an entry have the same weight, so the sum grows evenly within it.
        # `np.interp` needs rising numbers of rows.
        return np.interp(depth, n_rows[::-1], sums[::-1])


class _CountedKernel(SumKernel):
    """The kernel of entries in the order of their scores, worst first. What is a row in
    `SumKernel` is an entry here, with the weight of all of its rows, so each sum of
    weights is right. The methods below count rows in place of entries.
    """

    def __init__(self, counts: IntArray, entries: Rows) -> None:
        weight = counts.astype(np.float64)
        if entries.weight is not None:
            weight *= entries.weight
        is_tied = entries.score[1:] == entries.score[:-1]
        order = RowOrder(np.arange(counts.size), is_tied)
        # The entries are sorted, so neither a rule for ties nor bounds are necessary.
        super().__init__(entries._replace(weight=weight), None, (0, 0), order)
        self.counts = counts
        self._rows_from_entry = _sums_to_last(counts)

    def _rows_from(self, row: IntArray) -> FloatArray:
        """Return the number of rows from each of these entries to the best entry."""
        return self._rows_from_entry[row]

    def weight_of_first(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows. If the cut divides a tied group,
        the weight of the group is multiplied by its share above the cut.
        """
        # The first entry of each tied group, and the closing row.
        first = self._first_rows(np.arange(self._kept_groups[-1] + 1))
        n_rows, sums = self._rows_from(first), self._weight_from(first)
        # Each row of a tied group counts by the mean weight of the group, so the sum
        # grows evenly within it. `np.interp` needs rising numbers of rows.
        return np.interp(depth, n_rows[::-1], sums[::-1])


def _sums_to_last(values: AnyArray) -> FloatArray:
    """Return the sum of the values from each entry to the last one, and then 0."""
    return np.append(values[::-1].cumsum()[::-1], 0.0)
