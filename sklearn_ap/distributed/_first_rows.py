"""Totals that the first rows of each query find, for rows that do not fit into memory.

Whole queries are ranked in chunks, where the rows are.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.queries import distinct_queries, read_totals
from .._core.reading.read import CheckedRows
from .._core.typing import ArrayLikeOrMapping, FloatArray, QueryId
from .._decisions.budgets import (
    SUMS,
    BudgetTotals,
    best_left_out,
    no_threshold_within,
    share_within,
    sums_of,
    totals_of_queries,
)
from ._batches import Batch, Source
from ._streams import (
    chunk_rows_of,
    ids_of,
    numbered_ids,
    weightless_queries,
    whole_queries,
)


class QuerySums(NamedTuple):
    """Rows that the budgets of some queries find and leave out."""

    ids: list[QueryId]
    sums: FloatArray  # a row per number of `sums_of`, a column per query
    left_out: Any  # the best score that a budget leaves out, or minus infinity
    query: QueryId | None  # of this score
    weightless: list[QueryId]  # other queries, whose rows all weigh 0

    def totals(
        self, k: int | float, n_positives: ArrayLikeOrMapping | None, *, weighted: bool
    ) -> BudgetTotals:
        """Return the totals of all queries."""
        weightless = None
        if self.weightless:
            weightless = numbered_ids(self.weightless)
        return totals_of_queries(
            k,
            self.ids,
            dict(zip(SUMS, self.sums, strict=False)),
            read_totals(n_positives, numbered_ids(self.ids)),
            weighted=weighted,
            weightless=weightless,
        )


def budgets_of(source: Source, k: int | float) -> QuerySums:
    """Return what the first `k` rows of each query find."""
    run = partial(budgets_of_queries, k, chunk_rows=chunk_rows_of(source))
    parts = list(source.map_parts(run, "query"))
    best = max(parts, key=lambda part: part.left_out)
    return best._replace(
        ids=[name for part in parts for name in part.ids],
        sums=np.concatenate([part.sums for part in parts if part.ids], axis=1),
        weightless=[name for part in parts for name in part.weightless],
    )


def budgets_of_queries(
    k: int | float, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QuerySums]:
    """Yield what the budgets of queries find, of rows sorted by query.

    It runs where the rows are.
    """
    for chunk in whole_queries(batches, chunk_rows):
        weightless = weightless_queries(chunk)
        rows = chunk.counted()
        if not rows.score.size:
            yield QuerySums([], np.empty(0), -np.inf, None, weightless)
            continue
        queries, place = distinct_queries(ids_of(rows))
        share = share_within(rows.score, place, k)
        checked = CheckedRows(rows.positive, rows.score, (0, 0), rows.weight)
        sums = sums_of(place, share, checked, rows.weighted_amount)
        best = best_left_out(rows.score, queries, place, share)
        yield QuerySums(queries, np.array(list(sums.values())), *best, weightless)


def threshold_beyond_memory(
    source: Source, k: int | float, n_positives: ArrayLikeOrMapping | None
) -> tuple[Any, FloatArray | None]:
    """Return the lowest threshold that exceeds no budget, and the positives of all
    queries if they were stated, as in memory.
    """
    queries, total = budgets_of(source, k), None
    if n_positives is not None:
        weighted = source.roles.sample_weight is not None
        totals = queries.totals(k, n_positives, weighted=weighted)
        total = np.array(totals.positive_weight)
    lowest = list(source.map_parts(partial(_lowest_above, queries.left_out), None))
    if not lowest:
        raise no_threshold_within(k, queries.query)
    return min(lowest), total


def _lowest_above(left_out: Any, batches: Iterable[Batch]) -> Iterator[Any]:
    """Yield the lowest score of each batch above the one that a budget leaves out; it
    runs where the rows are.
    """
    for batch in batches:
        above = batch.score[batch.score > left_out]
        if above.size:
            yield above.min()
