"""Batches of checked rows in narrow columns, which every engine yields."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .exact_scores import InexactError, concatenate_scores
from .roles import Roles, column_error

# Readers yield at most this many rows at once.
BATCH_ROWS = 2**17
# Bytes of an id that is text: its Python object, and a pointer to it.
_ID_BYTES = 64


class Batch(NamedTuple):
    """Checked rows without those of weight 0.

    The reader of a source keeps one row of weight 0 per query, so that the id of a
    query without other rows is not lost.
    """

    # Finite numbers.
    score: AnyArray
    positive: BoolArray
    weight: FloatArray | None = None
    # Ids: numbers, dates, or text as objects.
    query: AnyArray | None = None
    # The number of equal rows that each row represents; None if each represents itself.
    n_rows: IntArray | None = None
    # The amount of each row, such as money.
    amount: FloatArray | None = None

    def counted(self) -> "Batch":
        """Return the rows whose weight is not 0."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def take(self, rows: slice | AnyArray) -> "Batch":
        """Return some of the rows."""
        return Batch(**{name: column[rows] for name, column in self.columns().items()})

    def ranked(self) -> "Batch":
        """Return the rows without the columns that a single ranking does not need."""
        return self._replace(query=None, amount=None)

    def columns(self) -> dict[str, AnyArray]:
        """Return the columns that are not None, by name."""
        return {
            name: column
            for name, column in self._asdict().items()
            if column is not None
        }

    @property
    def counts(self) -> IntArray:
        """Number of equal rows that each row represents."""
        if self.n_rows is None:
            return np.ones(self.score.size, dtype=np.int64)
        return self.n_rows

    @property
    def nbytes(self) -> int:
        """Memory of the rows in bytes. An id that is text is an object of Python."""
        columns = self.columns().values()
        return sum(
            column.nbytes + column.size * _ID_BYTES * (column.dtype == object)
            for column in columns
        )

    def distinct(self) -> "Batch":
        """Return each distinct combination of score, label and weight with its number
        of rows, sorted by score.
        """
        keys = [self.score, ~self.positive]
        if self.weight is not None:
            keys.append(self.weight)
        # This sort is fast for sorted runs, such as those of merged states.
        order = np.lexsort(keys[::-1])
        rows = self.ranked().take(order)
        # Equal rows are neighbours in this order, so a row is a new one if any key
        # differs from the row before.
        is_new = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        starts = np.flatnonzero(np.append(True, is_new)[: order.size])
        n_rows = np.add.reduceat(rows.counts, starts)
        rows = rows.take(starts)._replace(n_rows=None)
        if (n_rows > 1).any():
            rows = rows._replace(n_rows=n_rows)
        return rows


def concatenate(batches: Sequence[Batch]) -> Batch:
    """Return the rows of all batches. Raise InexactError if no type represents all
    scores exactly.
    """
    columns = {}
    for name in {name: None for batch in batches for name in batch.columns()}:
        parts = [
            # A batch without weights has the weight 1 in all rows, and the same holds
            # for numbers of rows.
            batch.columns().get(name, np.ones(batch.score.size, dtype=np.int64))
            for batch in batches
        ]
        # numpy would turn signed and unsigned integers into floats.
        if name == "query" and len({part.dtype.kind for part in parts}) > 1:
            parts = [part.astype(object) for part in parts]
        join = concatenate_scores if name == "score" else np.concatenate
        columns[name] = join(parts)
    return Batch(**columns)


def all_rows(batches: Sequence[Batch], roles: Roles, where: str) -> Batch:
    """Return the rows of all batches of a source. Raise SourceError if each single type
    would round a score.
    """
    try:
        return concatenate(batches)
    except InexactError as error:
        raise column_error(where, roles.y_score, f"contains {error}") from None
