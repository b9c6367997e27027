"""The rows of an engine that this process reads as a stream of Arrow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from .._core.typing import Average
from .._shown.sources import SourceError, format_value
from ._arguments import BoundScore
from ._batches import Columns, Pass, Rows, arrow_batches, joined
from ._few_rows import Reduce


class Stream:
    """The rows of a frame, a table, a relation or a reader.

    The batches that `gather` has read, and the rest of the same stream, are the first
    pass. Each other pass reads the data again.
    """

    def __init__(self, data: Any, columns: Columns, limit: int) -> None:
        self._data, self._columns, self.limit = data, columns, limit
        self._open()

    def _open(self) -> None:
        """Prepare the next pass. The data is not read yet."""
        self._pass = Pass(self._columns)
        self._stream = self._pass.read(arrow_batches(self._data, self._columns))
        self._batches: Iterator[Rows] = self._stream

    def gather(self) -> Rows | None:
        """Return all rows, or None if they exceed the limit."""
        parts, n_bytes = deque[Rows](), 0
        for rows in self._stream:
            parts.append(rows)
            n_bytes += rows.nbytes
            if n_bytes > self.limit:
                # Each batch is released once it was read again.
                read_again = (parts.popleft() for _ in range(len(parts)))
                self._batches = chain(read_again, self._stream)
                return None
        self._pass.check()
        return joined(parts)

    def run(self, reduce: Reduce, most_parts: int = 1) -> tuple[Pass, list[Any]]:
        """Return a pass over all rows, which the caller checks, and the result of the
        only part.
        """
        del most_parts
        result = reduce(self._batches)
        finished = self._pass
        self._open()
        return finished, [result]

    def score_queries(self, spec: BoundScore, average: Average) -> NoReturn:
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
