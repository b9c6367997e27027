"""What the first rows of each query find, of rows that do not fit into memory.

Whole queries are ranked in chunks, where the rows are; a query that exceeds a chunk is
a `SortedStream`, whose groups are walked once.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from .._points._budgets import best_beyond, share_within, sums_of
from .._ranking._cut import cut_depth
from .._reading._queries import distinct_queries
from .._reading._read import Checked
from .._typing import AnyArray, FloatArray, QueryId
from ._batches import Batch, Source
from ._groups import groups_of
from ._scores import (
    SortedStream,
    chunk_rows_of,
    ids_of,
    whole_queries,
)


class QuerySums(NamedTuple):
    """What the budgets of some queries find and leave out."""

    ids: list[QueryId]
    sums: FloatArray  # a row per number of `sums_of`, a column per query
    beyond: AnyArray  # the best score that a budget leaves out, or empty
    query: QueryId | None  # of this score


def budgets_of(source: Source, k: int | float) -> QuerySums:
    """Return what the first `k` rows of each query find."""
    run = partial(budgets_of_queries, k, chunk_rows=chunk_rows_of(source))
    parts = list(source.map_parts(run, "query, score"))
    best = max(parts, key=lambda part: (part.beyond.size, part.beyond.tolist()))
    return best._replace(
        ids=[name for part in parts for name in part.ids],
        sums=np.concatenate([part.sums for part in parts], axis=1),
    )


def budgets_of_queries(
    k: int | float, batches: Iterable[Batch], *, chunk_rows: int
) -> Iterator[QuerySums]:
    """Yield what the budgets of queries find, of rows sorted by query and score.

    It runs where the rows are.
    """
    for rows in whole_queries(iter(batches), chunk_rows):
        yield _of_batch(rows, k) if isinstance(rows, Batch) else _of_large(rows, k)


def _of_batch(rows: Batch, k: int | float) -> QuerySums:
    """Return the sums of whole queries, in any order of their rows."""
    queries, place = distinct_queries(ids_of(rows))
    share = share_within(rows.score, place, k)
    checked = Checked(rows.positive, rows.score, (0, 0), rows.weight)
    sums = sums_of(place, len(queries), share, checked, rows.weighted_amount)
    beyond = best_beyond(rows.score, queries, place, share)
    return QuerySums(queries, np.array(list(sums.values())), *beyond)


def _of_large(batches: Iterator[Batch], k: int | float) -> QuerySums:
    """Return the sums of one query, whose rows come worst score first."""
    first = next(batches)
    [query], _ = distinct_queries(ids_of(first.take(slice(0, 1))))
    stream = SortedStream(groups_of(chain([first], batches), keeps_negatives=True))
    depth = cut_depth(np.array([stream.n_rows], dtype=np.float64), k)
    sums = list[FloatArray]()
    beyond = first.score[:0]
    for groups, steps in stream.tied_groups():
        share = steps.share_within(depth)
        parts = np.stack([share, np.ones_like(share)], axis=1)  # found, and in all
        sums.append(groups.tied @ parts)
        beyond = np.append(beyond, groups.score[share < 1])[-1:]
    of_kinds = np.sum(sums, axis=0)  # kind, class, found or in all
    of_positives = [of_kinds[-1, 0], of_kinds[0 if first.weight is not None else -1, 0]]
    if first.amount is not None:
        of_positives.append(of_kinds[-2, 0])
    in_order = np.concatenate([of_kinds[-1].sum(axis=0), *of_positives])
    return QuerySums([query], in_order[:, np.newaxis], beyond, query)
