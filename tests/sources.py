"""Rows in memory as a source of parts, so that plans are tested without an engine."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_ap.distributed._source import Part, Place, Source


class PartsSource(Source):
    """Columns that are cut into parts, which are scanned as an engine on other machines would.

    Functions and what they return are pickled, and results are combined in runs of up to three parts, as
    workers do. Arrays are read-only. After a scan, `scans` is their number and `largest_part` the most rows
    that a part had.

    Parameters
    ----------
    columns : dict of str to array
        All rows. For parts of other types, a list of arrays per column, one for each part.
    part_sizes : int or list of int
        Rows of every part, or of each; not looked at for lists of arrays.
    reads_again : bool
        Whether more than one scan is allowed.
    statistics : bool
        Whether the source tells the extremes of a column, and the number of rows, without a scan.
    exchanges : bool
        Whether it has workers that gather the rows of a range. `sent` is then the bytes of their results.
    """

    name, in_process = "'rows'", False

    def __init__(
        self,
        columns: Mapping[str, Any],
        part_sizes: int | Sequence[int] = 100,
        *,
        reads_again: bool = True,
        statistics: bool = True,
        exchanges: bool = False,
    ) -> None:
        self.parts = _cut(columns, part_sizes)
        self.reads_again, self.statistics, self.exchanges = reads_again, statistics, exchanges
        self.sent = 0
        self.scans, self.largest_part = 0, 0

    def columns(self) -> dict[str, np.dtype[Any] | None]:
        """Return the columns with the type that holds all parts, or None for a mix of kinds."""
        types: dict[str, np.dtype[Any] | None] = {}
        for name in self.parts[0]:
            found = {part[name].dtype for part in self.parts}
            mixed = len(found) > 1 and any(one.kind not in "biuf" for one in found)
            types[name] = None if mixed else np.result_type(*found)
        return types

    def n_rows(self) -> int | None:
        """Return the number of rows, if it is told."""
        return sum(_size(part) for part in self.parts) if self.statistics else None

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return the least and the greatest value, if they are told."""
        values = [part[column] for part in self.parts if _size(part)]
        if not self.statistics or any(one.dtype.kind not in "biuf" for one in values):
            return None
        return min(float(one.min()) for one in values), max(float(one.max()) for one in values)

    def scan(self, columns, step, combine, told) -> Any:
        """Call `step` on every part with rows, and `combine` what it returns."""
        assert self.reads_again or not self.scans, "a second scan"
        self.scans += 1
        step, combine = pickle.loads(pickle.dumps((step, combine)))
        found = [pickle.loads(pickle.dumps(step(part))) for part in self._read(columns, told)]
        while len(found) > 1:
            found = [combine(found[first : first + 3]) for first in range(0, len(found), 3)]
        return found[0] if found else None

    def room(self) -> float | None:
        """Return the bytes that workers exchange at once."""
        return np.inf if self.exchanges else None

    def exchange(self, columns, split, works, told) -> Any:
        """Call each work with its pieces of all parts, in their order, as workers would."""
        self.scans += 1
        split, pieces = pickle.loads(pickle.dumps(split)), [[] for _ in works]
        for part in self._read(columns, told):
            for number, piece in pickle.loads(pickle.dumps(split(part))).items():
                pieces[number].append(piece)
        works = pickle.loads(pickle.dumps(works))
        results = [pickle.dumps(work(of)) for work, of in zip(works, pieces, strict=True)]
        self.sent += sum(map(len, results))
        return list(map(pickle.loads, results))

    def _read(self, columns, told) -> Iterator[Part]:
        first_row = 0
        for done, part in enumerate(self.parts, 1):
            if _size(part):
                self.largest_part = max(self.largest_part, _size(part))
                yield Part({name: _read_only(part[name]) for name in columns}, Place("'rows'", first_row))
                first_row += _size(part)
            told(done, len(self.parts))


def _cut(columns: Mapping[str, Any], part_sizes: int | Sequence[int]) -> list[dict[str, Any]]:
    first = next(iter(columns.values()))
    if isinstance(first, list):
        return [dict(zip(columns, arrays, strict=True)) for arrays in zip(*columns.values(), strict=True)]
    n_rows = len(first)
    sizes = part_sizes
    if isinstance(sizes, int):
        sizes = [sizes] * (n_rows // sizes) + [n_rows % sizes]
    assert sum(sizes) == n_rows, (sizes, n_rows)
    stops = np.cumsum(sizes).tolist()
    return [
        {name: np.asarray(values)[stop - size : stop] for name, values in columns.items()}
        for stop, size in zip(stops, sizes, strict=True)
    ]


def _size(part: Mapping[str, Any]) -> int:
    return int(next(iter(part.values())).size)


def _read_only(values: Any) -> Any:
    values = values.copy()
    values.flags.writeable = False
    return values
