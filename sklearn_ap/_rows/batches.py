"""Batches of checked rows, and the reader that makes them from columns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .._shown.sources import SourceError
from .columns import Columns
from .exact_scores import InexactError, concatenate_scores
from .ids import IdReader
from .labels import LabelReader
from .missing_values import MissingValues
from .numbers import finite_numbers, weights_of
from .roles import Roles, column_error

# Readers yield at most this many rows at once.
BATCH_ROWS = 2**17
# An id that is text takes 8 bytes for a pointer, and about this many bytes for the
# object of Python.
ID_BYTES = 64


class Batch(NamedTuple):
    """Checked rows of weight above 0.

    If queries have rows of weight 0, one of these rows per query and batch is kept, so
    that the id of a query without other rows is not lost.
    """

    # Finite numbers.
    score: AnyArray
    positive: BoolArray
    weight: FloatArray | None = None
    # Ids: numbers, dates, or text as objects.
    query: AnyArray | None = None
    # The number of equal rows that each row represents; None if each row represents
    # only itself.
    n_rows: IntArray | None = None
    # The amount of each row, such as money.
    amount: FloatArray | None = None

    def counted(self) -> "Batch":
        """Return the rows whose weight is not 0."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def take(self, rows: slice | AnyArray) -> "Batch":
        """Return the rows at these places, or in this slice."""
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
        """Memory of the rows in bytes, with the objects of ids that are text."""
        columns = self.columns().values()
        n_texts = sum(column.size for column in columns if column.dtype == object)
        return sum(column.nbytes for column in columns) + n_texts * ID_BYTES

    def distinct(self) -> "Batch":
        """Return each distinct combination of score, label and weight with its number
        of rows, sorted by score.
        """
        keys = [self.score, ~self.positive]
        if self.weight is not None:
            keys.append(self.weight)
        # `lexsort` sorts by its last key first, so the keys are reversed. `lexsort` is
        # fast for rows that consist of a few sorted parts, such as the rows of merged
        # states.
        order = np.lexsort(keys[::-1])
        rows = self.ranked().take(order)
        # Equal rows are neighbours in this order, so a row differs from all rows before
        # it if one of its keys differs from that of the previous row.
        differs = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        # If there are rows, the first one differs from all rows before it.
        is_new = np.append(True, differs)[: order.size]
        starts = np.flatnonzero(is_new)
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
    names = dict.fromkeys(name for batch in batches for name in batch.columns())
    for name in names:
        parts = [
            # In a batch without weights, all rows have the weight 1. In a batch without
            # numbers of rows, each row represents itself.
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
    """Return the rows of all batches of a source. Raise SourceError if every type would
    round a score.
    """
    try:
        return concatenate(batches)
    except InexactError as error:
        raise column_error(where, roles.y_score, f"contains {error}") from None


class BatchReader:
    """Reader of the batches of a source. Ids must have one kind in all batches. So must
    the labels of negatives, unless `roles` allows several (`takes_others`, `of_class`).

    Parameters
    ----------
    roles : Roles
        The columns to read.
    """

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        # Rows with a weight above 0, and rows with the weight 0.
        self.n_rows, self.n_weightless = 0, 0
        self.missing = MissingValues(roles)
        self.labels = LabelReader(roles)
        # Without a column of ids, the reader of ids reads nothing, and its option has
        # no effect.
        self.ids = IdReader(roles.option_of(str(roles.query_id)))

    def read(self, columns: Columns) -> Batch:
        """Return the checked rows of a batch that have no missing value. Raise
        SourceError for wrong values.
        """
        roles, complete = self.roles, self.missing.complete(columns)
        # An empty column may have no type, so it is not checked.
        if not len(complete[roles.y_score].values):
            return Batch(np.empty(0), np.empty(0, bool))
        batch = Batch(
            score=finite_numbers(complete[roles.y_score]),
            positive=self.labels.read(complete[roles.y_true]),
            weight=weights_of(complete.get(roles.sample_weight)),
            query=self.ids.read(complete.get(roles.query_id)),
            amount=weights_of(complete.get(roles.amount)),
        )
        rows = batch.counted()
        n_weightless = batch.score.size - rows.score.size
        self.n_rows += rows.score.size
        self.n_weightless += n_weightless
        if not n_weightless or batch.query is None:
            return rows
        # A query whose rows all have weight 0 must keep its id, so one such row stays.
        weightless = batch.take(np.flatnonzero(batch.weight == 0))
        _, first = np.unique(np.asarray(weightless.query), return_index=True)
        return concatenate([rows, weightless.take(first)])

    def join(self, other: "BatchReader", where: str) -> None:
        """Add the counts and the negative labels of another reader. Raise
        ThirdLabelError if the two readers have different negative labels, unless
        `roles` allows several.
        """
        self.n_rows += other.n_rows
        self.n_weightless += other.n_weightless
        self.missing.join(other.missing)
        for label in other.labels.negatives:
            self.labels.add_negative(label, where)

    def check_has_rows(self, where: str) -> None:
        """Raise SourceError if there are no rows, or only rows of weight 0."""
        if self.n_rows:
            return
        if self.roles.sample_weight is not None and self.n_weightless:
            raise column_error(where, self.roles.sample_weight, "all weights are 0")
        problem = "contains no rows"
        if self.missing.n_rows:
            problem += f" without missing values (dropped: {self.missing.n_rows:,})"
        raise SourceError(f"{where}: {problem}")

    def with_typed_ids(self, batch: Batch) -> Batch:
        """Return the rows with ids as integers, if all ids are integers or text that
        prints like an integer.
        """
        return batch._replace(query=self.ids.typed(batch.query))
