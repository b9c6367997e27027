"""The files of a command line. It is an error if their rows take more than half of the
available memory.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .._rows.batches import Batch
from .._rows.bytes import available_memory
from .._rows.local import LocalSource, Version, open_paths
from .._rows.roles import Roles
from .._shown.sources import SourceError, format_value
from .._shown.temporary import temporary_folder

# Options that name a column of ids. In such a column, NA is an id, not a missing value.
_ID_OPTIONS = ("--query-id", "--per", "--unit-id")


@dataclass(frozen=True)
class NamedFiles:
    """Files of a command line, with the option that names each column."""

    paths: Sequence[str]
    options: Mapping[str, str]
    drops_missing: bool = False
    advice: str = "--drop-missing"
    # The version of each file at the first pass over it. Later passes read other
    # columns of the same rows, so they raise an error if the file has changed.
    opened: dict[str, Version] = field(default_factory=dict)

    def open(self, roles: Roles) -> LocalSource:
        """Return a source of the columns that `roles` names. Its rows may take half of
        the available memory.
        """
        roles = roles._replace(
            options=self.options,
            other_ids=frozenset(
                name for name, option in self.options.items() if option in _ID_OPTIONS
            ),
            drops_missing=self.drops_missing,
        )
        limit = available_memory() // 2
        return open_paths(self.paths, roles, limit, self.advice, self.opened)

    def gather(self, roles: Roles) -> Batch:
        """Return the columns that `roles` names, of all rows whose weight is above 0."""
        return gathered(self.open(roles)).counted()


def gathered(source: LocalSource) -> Batch:
    """Return all rows of a source; raise SourceError if they exceed its limit."""
    batch = source.gather()
    if batch is None:
        raise SourceError(
            f"{source.name}: the rows take more than half of the available memory, "
            f"{source.limit:,} bytes; in Python, sklearn_ap.distributed.score reads them "
            "in batches"
        )
    return batch


@contextmanager
def spooled(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths, with each stream replaced by a temporary copy.

    Errors of the block name the stream in place of its copy.
    """
    # Rows are read more than once (labels, then columns), but a stream can be read only
    # once.
    streams = [path for path in {*paths} if path == "-" or Path(path).is_fifo()]
    if not streams:
        yield [*paths]
        return
    with temporary_folder() as folder:
        copies = {
            path: os.path.join(folder, f"stream-{number}")
            for number, path in enumerate(streams)
        }
        for path, name in copies.items():
            # 0 is the descriptor of standard input.
            opened = 0 if path == "-" else path
            with (
                open(opened, "rb", closefd=path != "-") as stream,
                open(name, "wb") as copy,
            ):
                shutil.copyfileobj(stream, copy)
        try:
            yield [copies.get(path, path) for path in paths]
        except SourceError as error:
            text = str(error)
            for path, name in copies.items():
                text = text.replace(format_value(name), shown_path(path))
            raise type(error)(text) from None


def shown_path(path: str) -> str:
    """Return the name of a path in answers and errors."""
    return "standard input" if path == "-" else path
