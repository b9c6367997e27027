"""Checked rows that are sorted once for all numbers that are computed from them."""

from functools import cached_property
from typing import Self

import numpy as np

from .._core.ranking.keys import RowOrder, rows_in_order
from .._core.ranking.rankings import Rows
from .._core.reading.read import CheckedRows
from .._core.typing import FloatArray, TieOrder


class RankedRows(CheckedRows):
    """Checked rows that are sorted once, when a number first needs their order."""

    @classmethod
    def of(cls, rows: CheckedRows) -> Self:
        """Return these rows; unchanged if they are `RankedRows`."""
        return rows if isinstance(rows, cls) else cls(*rows)

    @cached_property
    def order(self) -> RowOrder:
        """The rows, lowest score first, as a single ranking, and their ties."""
        return self.in_order(None)

    def in_order(self, tie_order: TieOrder | None) -> RowOrder:
        """Return the rows with an order of equal scores, and their ties."""
        rows = Rows(self.positive, self.score, None, np.array((0, self.score.size)))
        return rows_in_order(rows, tie_order, self.bounds)

    def with_weight(self, weight: FloatArray | None) -> Self:
        """Return the same rows with other weights, in the same order."""
        if weight is self.weight:
            return self
        rows = self._replace(weight=weight)
        rows.order = self.order
        return rows
