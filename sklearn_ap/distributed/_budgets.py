"""Totals that the first rows of each query find, for rows that do not fit into memory.

Whole queries are ranked in chunks, where the rows are.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._points._budgets import share_within, sums_of
from .._reading._queries import distinct_queries
from .._reading._read import Checked
from .._typing import FloatArray, QueryId
from ._batches import Batch, Source
from ._scores import chunk_rows_of, ids_of, whole_queries


class QuerySums(NamedTuple):
    """Rows that the budgets of some queries find and leave out."""

    ids: list[QueryId]
    sums: FloatArray  # a row per number of `sums_of`, a column per query


def budgets_of(source: Source, k: int | float) -> QuerySums:
    """Return what the first `k` rows of each query find."""
    run = partial(budgets_of_queries, k, chunk_rows=chunk_rows_of(source))
    parts = list(source.map_parts(run, "query"))
    ids = [name for part in parts for name in part.ids]
    return QuerySums(ids, np.concatenate([part.sums for part in parts], axis=1))


def budgets_of_queries(
    k: int | float, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QuerySums]:
    """Yield what the budgets of queries find, of rows sorted by query.

    It runs where the rows are.
    """
    for rows in whole_queries(batches, chunk_rows):
        queries, place = distinct_queries(ids_of(rows))
        share = share_within(rows.score, place, k)
        checked = Checked(rows.positive, rows.score, (0, 0), rows.weight)
        sums = sums_of(place, len(queries), share, checked, rows.weighted_amount)
        yield QuerySums(queries, np.array(list(sums.values())))
