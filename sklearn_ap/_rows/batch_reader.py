"""The reader of a source, which turns its columns into checked batches."""

import numpy as np

from .._shown.sources import SourceError
from .batches import Batch, concatenate
from .columns import Columns
from .ids import IdReader
from .labels import LabelReader
from .missing_values import MissingValues
from .numbers import finite_numbers, weights_of
from .roles import Roles, column_error


class BatchReader:
    """Reader of the batches of a source. All batches must have the same label of
    negatives, and ids of the same kind.

    Parameters
    ----------
    roles : Roles
        The columns to read.
    """

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        # Rows with a weight above 0, and rows with the weight 0.
        self.n_rows, self.n_weightless = 0, 0
        self.missing, self.labels = MissingValues(roles), LabelReader(roles)
        self.ids = IdReader(roles.option_of(str(roles.query_id)))

    def read(self, columns: Columns) -> Batch:
        """Return the checked rows of a batch that have no missing value. Raise
        SourceError for wrong values.
        """
        roles, columns = self.roles, self.missing.complete(columns)
        # An empty column may have no type, so it is not checked.
        if not len(columns[roles.y_score].values):
            return Batch(np.empty(0), np.empty(0, bool))
        batch = Batch(
            finite_numbers(columns[roles.y_score]),
            self.labels.read(columns[roles.y_true]),
            weights_of(columns.get(roles.sample_weight)),
            self.ids.read(columns.get(roles.query_id)),
            amount=weights_of(columns.get(roles.amount)),
        )
        rows = batch.counted()
        n_weightless = batch.score.size - rows.score.size
        self.n_rows += rows.score.size
        self.n_weightless += n_weightless
        if not n_weightless or batch.query is None:
            return rows
        # A query whose rows all have weight 0 must keep its id, so one such row stays.
        without = batch.take(np.flatnonzero(batch.weight == 0))
        _, first = np.unique(np.asarray(without.query), return_index=True)
        return concatenate([rows, without.take(first)])

    def join(self, other: "BatchReader", where: str) -> None:
        """Add the counts of another reader. Raise ThirdLabelError if its negatives have
        another label.
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
            problem += f": each of {self.missing.n_rows:,} lacks a value"
        raise SourceError(f"{where}: {problem}")

    def with_typed_ids(self, batch: Batch) -> Batch:
        """Return the rows with ids as integers, if all ids are integers or text that
        prints like an integer.
        """
        return batch._replace(query=self.ids.typed(batch.query))
