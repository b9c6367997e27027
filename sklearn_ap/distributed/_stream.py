"""The rows of an engine that this process reads as a stream of Arrow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from .._core.typing import AnyArray, Average
from .._shown.sources import SourceError, format_value
from ._arguments import BoundScore
from ._batches import Columns, Found, Rows, arrow_batches, read_rows
from ._few_rows import Reduce
from ._passes import Totals, counted


class Stream:
    """The rows of a frame, a table, a relation or a reader.

    The batches that `gather` has read, and the rest of the same stream, are the first
    pass. Each other pass reads the data again.
    """

    def __init__(self, data: Any, columns: Columns, limit: int) -> None:
        self._data, self._columns, self.limit = data, columns, limit
        self._found = Found()
        self._open()

    def _open(self) -> None:
        """Prepare the next pass. The data is not read yet."""
        batches = arrow_batches(self._data, self._columns)
        self._stream = read_rows(batches, self._columns, self._found)
        self._batches: Iterator[Rows] = self._stream

    def gather(self) -> dict[str, Any] | None:
        """Return all rows as arguments of a function in memory, or None if they exceed
        the limit.
        """
        parts, n_bytes = deque[Rows](), 0
        for rows in self._stream:
            parts.append(rows)
            n_bytes += rows.nbytes
            if n_bytes > self.limit:
                # Each batch is released once it was read again.
                read_again = (parts.popleft() for _ in range(len(parts)))
                self._batches = chain(read_again, self._stream)
                return None
        self._found.check(self._columns)
        return arguments_of(parts)

    def run(
        self, reduce: Reduce, most_parts: int | None = None
    ) -> tuple[Totals, list[Any]]:
        """Return the totals of all rows, and the result of the only part."""
        del most_parts
        totals = Totals()
        result = reduce(counted(self._batches, totals))
        self._found.check(self._columns)
        self._open()
        return totals, [result]

    def score_queries(
        self, spec: BoundScore, average: Average
    ) -> tuple[list[Any], Any]:
        """Raise SourceError, since the rows of a query may be in any place."""
        del average
        query_id = format_value(self._columns.query_id)
        raise SourceError(
            f"{spec.name}: query_id={query_id} needs all rows in memory, but they exceed "
            f"memory_limit={self.limit:,}; pass a higher limit, or call score_by_query "
            "for parts of the queries, such as a range of ids, and join the results"
        )

    def close(self) -> None:
        """Release the rows in the engine, which waits until its stream is closed."""
        self._stream.close()


def arguments_of(parts: deque[Rows]) -> dict[str, Any]:
    """Return the rows of all parts as arguments of a function in memory. Each column of
    a part is released once it was copied, so that rows are not in memory twice.
    """
    columns = [deque(column) for column in zip(*parts, strict=True)]
    parts.clear()
    positive, score, weight, query = (
        None if column[0] is None else _joined(column) for column in columns
    )
    return {
        "y_true": positive,
        "y_score": score,
        "pos_label": True,
        "sample_weight": weight,
        "query_id": query,
    }


def _joined(parts: deque[AnyArray]) -> AnyArray:
    """Return one array with all parts, which are removed."""
    joined = np.empty(sum(part.size for part in parts), parts[0].dtype)
    start = 0
    while parts:
        part = parts.popleft()
        joined[start : start + part.size] = part
        start += part.size
    return joined
