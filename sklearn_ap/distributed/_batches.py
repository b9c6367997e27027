"""Rows beyond memory: the interface of their source, and the best rows of all batches."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Literal, Protocol, TypeVar

import numpy as np

from .._core.typing import BoolArray
from .._rows.batches import Batch, concatenate
from .._rows.roles import Roles

Item = TypeVar("Item")
# A function that takes the batches of a part.
PartFunction = Callable[..., Iterable[Item]]
# The column by which rows are sorted. The worst score comes first.
Order = Literal["score", "query"]

# This many rows are collected before the best of them are selected.
_PENDING_ROWS = 2**19


def rows_of_one_ranking(batches: Iterable[Batch]) -> Generator[Batch]:
    """Yield the rows of each batch whose weight is not 0, without ids of queries and
    amounts. Batches without such rows are dropped.
    """
    for batch in batches:
        rows = batch.counted().ranked()
        if rows.score.size:
            yield rows


def chunks(batches: Iterable[Batch], n_rows: int) -> Iterator[Batch]:
    """Yield batches that are joined until they have at least `n_rows` rows; the last
    one may have fewer.
    """
    pending = list[Batch]()
    for batch in batches:
        pending.append(batch)
        if sum(part.score.size for part in pending) >= n_rows:
            yield concatenate(pending)
            pending = []
    if pending:
        yield concatenate(pending)


def best_rows(batches: Iterable[Batch], n_rows: int) -> Iterator[Batch]:
    """Yield one batch with the `n_rows` best rows of all batches, or nothing if there
    are no rows.

    All other rows are merged into at most four rows (`merged_below`), which do not keep
    the weight of each row.
    """
    best: Batch | None = None
    for rows in chunks(rows_of_one_ranking(batches), _PENDING_ROWS):
        best = rows if best is None else concatenate([best, rows])
        if best.score.size > n_rows:
            score_at_cut = np.partition(best.score, -n_rows)[-n_rows]
            best = merged_below(best, score_at_cut)
    if best is not None:
        yield best


def merged_below(batch: Batch, score_at_cut: np.generic) -> Batch:
    """Return the rows with scores above that at the cut, and at most four other rows:
    for each class, one row in place of those with this score, and one in place of those
    with lower scores.
    """
    parts = [batch.take(batch.score > score_at_cut)]
    for is_in_range in (batch.score == score_at_cut, batch.score < score_at_cut):
        for of_class in (batch.positive, ~batch.positive):
            parts.append(merged(batch, is_in_range & of_class))
    return concatenate(parts)


def merged(batch: Batch, is_merged: BoolArray) -> Batch:
    """Return one row in place of the rows to merge: with their number, their mean
    weight, and the score of the first of them. Without rows to merge, return no row.
    """
    # Take only the first of the rows, since a copy of all of them would double the
    # time.
    rows = np.flatnonzero(is_merged)
    row = batch.take(rows[:1])
    # Without rows to merge, `row` has no row, either.
    if not rows.size:
        return row
    if batch.weight is not None:
        row = row._replace(weight=batch.weight[rows].mean(keepdims=True))
    return row._replace(n_rows=batch.counts[rows].sum(keepdims=True))


class Source(Protocol):
    """The rows of a file, a table or a cluster.

    Call `gather` first, which reads and checks the rows. Call `map_parts` and `n_bytes`
    only if it returned None. Call `close` at the end.
    """

    name: str
    roles: Roles
    limit: int
    # Whether the rows can be read twice with the same result.
    is_repeatable: bool

    def close(self) -> None:
        """Release the rows in the engine."""

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory.

        If all rows of a query have weight 0, some of them are kept for its id.
        """

    def n_bytes(self) -> int:
        """Return the lowest limit at which all rows fit into memory."""

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the batches of each part, and yield its results. The
        function runs in the process that has the part.

        With ``order="score"``, rows are sorted by score, and the part with the worst
        scores comes first. Rows have no ids, and rows of weight 0 are dropped. The rows
        of one score may be in two neighbouring parts.

        With ``order="query"``, all rows of a query are in one part, next to each other.
        A source need not sort the rows of a part if it passes the function a
        `chunk_rows` that is greater than the number of rows of every part, so that a
        part is one chunk.
        """
