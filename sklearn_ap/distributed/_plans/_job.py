"""The rows of a call, and how they are scanned and gathered."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._reading import Checked
from .._source import Source, SourceError, Told, shown
from .._states._rows import AllRows
from ._part import Roles
from ._scan import Mergeable, scanned
from ._spread import WithoutWeights

_WEIGHTED_BYTES = 48  # that a row with a weight takes while it is ranked, beside its score


class Job(NamedTuple):
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles
    memory_limit: int
    told: Told
    ignores_weights: bool = False  # drop rows of weight 0, then treat all rows alike

    def scan(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or raise SourceError if `into` made none of any part."""
        state = self.scan_for(into)
        # Rows of weight 0 are dropped where they are read, so a part of such rows has no state.
        if state is None and self.roles.sample_weight is not None:
            column = shown(self.roles.sample_weight)
            raise SourceError(f"{self.source.name}: column {column}: all rows weigh 0")
        if state is None:  # rows are looked for where there were some
            raise SourceError(f"{self.source.name}: changed between two scans: rows are gone")
        return state

    def scan_for(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or None if `into` made none of any part."""
        return scanned(
            self.source, self.roles, WithoutWeights(into) if self.ignores_weights else into, self.told
        )

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that count."""
        return self.roles.sample_weight is not None and not self.ignores_weights

    @property
    def row_bytes(self) -> int:
        """Bytes that a row takes in memory."""
        dtype = self.source.columns().get(self.roles.y_score)
        # A state holds scores in 4 or 8 bytes, whatever their type in the source.
        of_score = 8 if dtype is None or dtype.kind not in "biuf" else min(max(dtype.itemsize, 4), 8)
        return of_score + _WEIGHTED_BYTES if self.is_weighted else of_score


class Gathered(NamedTuple):
    """All rows, or only their number once they take more memory than they may."""

    rows: AllRows | None
    n_rows: int
    row_bytes: int
    limit: int

    @classmethod
    def of_rows(cls, checked: Checked, row_bytes: int, limit: int) -> "Gathered":
        """Return the rows of a part."""
        return cls(AllRows.of_rows(checked), checked.score.size, row_bytes, limit)

    def joined(self, other: "Gathered") -> "Gathered":
        """Return the rows of both."""
        n_rows, rows = self.n_rows + other.n_rows, None
        if self.rows is not None and other.rows is not None and n_rows * self.row_bytes <= self.limit:
            rows = self.rows.joined(other.rows)
        return self._replace(rows=rows, n_rows=n_rows)


def too_large(job: Job, n_rows: int | None, row_bytes: int | None = None) -> SourceError:
    """Return the error of data that can be read only once, and do not fit."""
    size = job.row_bytes if row_bytes is None else row_bytes
    least = f"be at least {n_rows * size} bytes" if n_rows else "hold all rows"
    rows = f"all {n_rows} rows" if n_rows else "they"
    return SourceError(
        f"{job.source.name}: memory_limit must {least} here: the data can be read only once, so {rows} must "
        f"fit; got {job.memory_limit} bytes"
    )
