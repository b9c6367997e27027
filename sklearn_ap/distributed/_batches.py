"""Rows beyond memory: where they come from, and the best of them."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Literal, Protocol, TypeVar

import numpy as np

from .._core.typing import BoolArray
from .._rows.batches import Batch, Roles, concatenate

Item = TypeVar("Item")
PartFunction = Callable[..., Iterable[Item]]  # of the batches of a part
Order = Literal["score", "query"]  # of rows, worst score first

_PENDING_ROWS = 2**19  # are looked at together for the best of them


def rows_of_one_ranking(batches: Iterable[Batch]) -> Generator[Batch]:
    """Yield the rows of weight above 0, without ids, of each batch that has some."""
    for batch in batches:
        rows = batch.counted().ranked()
        if rows.score.size:
            yield rows


def chunks(batches: Iterable[Batch], n_rows: int) -> Iterator[Batch]:
    """Yield so many rows together, or more."""
    pending = list[Batch]()
    for batch in batches:
        pending.append(batch)
        if sum(part.score.size for part in pending) >= n_rows:
            yield concatenate(pending)
            pending = []
    if pending:
        yield concatenate(pending)


def best_rows(batches: Iterable[Batch], n_rows: int) -> Iterator[Batch]:
    """Yield the first `n_rows` rows of all batches, if there are some; at most four
    rows stand for others, whose weights are not kept.
    """
    best = list[Batch]()
    for rows in chunks(rows_of_one_ranking(batches), _PENDING_ROWS):
        best = [concatenate([*best, rows])]
        if best[0].score.size > n_rows:
            cut = np.partition(best[0].score, -n_rows)[-n_rows]
            best = [merged_below(best[0], cut)]
    yield from best


def merged_below(batch: Batch, cut: np.generic) -> Batch:
    """Return the rows of higher scores, one row per class for this score, and one
    for lower scores.
    """
    parts = [batch.take(batch.score > cut)]
    for is_tied_or_below in (batch.score == cut, batch.score < cut):
        for of_class in (batch.positive, ~batch.positive):
            parts.append(merged(batch, is_tied_or_below & of_class))
    return concatenate(parts)


def merged(batch: Batch, is_merged: BoolArray) -> Batch:
    """Return one row, the first with the mean weight, that stands for some rows."""
    # By place, since a copy of all these rows would take half of the time.
    rows = np.flatnonzero(is_merged)
    row = batch.take(rows[:1])
    if not rows.size:
        return row
    if batch.weight is not None:
        row = row._replace(weight=batch.weight[rows].mean(keepdims=True))
    n_rows = np.array([rows.size])
    if batch.n_rows is not None:
        n_rows = batch.n_rows[rows].sum(keepdims=True)
    return row._replace(n_rows=n_rows)


class Source(Protocol):
    """The rows of a file, a table or a cluster.

    Call `gather` first: it reads and checks the rows. Call `map_parts` and `n_bytes`
    only if it returned None, and `close` in the end.
    """

    name: str
    roles: Roles
    limit: int
    is_repeatable: bool  # whether every pass has the same rows

    def close(self) -> None:
        """Let the engine drop the rows."""

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory; a query may have rows
        of weight 0, which keep its id.
        """

    def n_bytes(self) -> int:
        """Return the least limit within which all rows fit."""

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the batches of each part, where the part is; yield its
        results here.

        In an order of scores, parts come worst first, without ids and rows of weight 0,
        and the best score of one may go on in the next. In an order
        of queries, no query is in two parts; a source need not sort rows if it passes
        the function a `chunk_rows` that no part reaches.
        """
