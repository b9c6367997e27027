"""The files of a command line, whose rows are read into memory or refused."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from .._rows.batches import Batch, Roles
from .._rows.local import LocalSource, Version, open_paths
from .._shown.sources import SourceError, format_value

# Where the system does not report its memory, so many bytes are assumed.
_UNKNOWN_MEMORY = 4 * 2**30


@dataclass(frozen=True)
class NamedFiles:
    """Files of a command line, and the option that names each column."""

    paths: Sequence[str]
    options: Mapping[str, str]
    drops_missing: bool = False
    advice: str = "--drop-missing"
    # Version of each file at the first pass. Each further pass reads other columns of the
    # same rows, so it raises an error if a file has changed.
    opened: dict[str, Version] = field(default_factory=dict)

    def open(self, roles: Roles) -> LocalSource:
        """Return some columns of the rows, which may take half of the memory."""
        roles = roles._replace(options=self.options, drops_missing=self.drops_missing)
        limit = available_memory() // 2
        return open_paths(self.paths, roles, limit, self.advice, self.opened)

    def gather(self, roles: Roles) -> Batch:
        """Return some columns of all rows of weight above 0."""
        return gathered(self.open(roles)).counted()


def gathered(source: LocalSource) -> Batch:
    """Return all rows, or refuse those that take too much memory."""
    batch = source.gather()
    if batch is None:
        raise SourceError(
            f"{source.name}: the rows take more than half of the available memory, "
            f"{source.limit:,} bytes; sklearn_ap.distributed.score in Python takes them"
        )
    return batch


@contextmanager
def spooled(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths, where a temporary file replaces each stream; an error names the
    stream.
    """
    # Rows are read more than once (labels, then columns), and a stream gives them once.
    copies = dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="sklearn_ap-") as folder:
        for path in {*paths}:
            if path == "-" or Path(path).is_fifo():
                copies[path] = os.path.join(folder, f"stream-{len(copies)}")
                opened = 0 if path == "-" else path  # the descriptor of standard input
                with (
                    open(opened, "rb", closefd=path != "-") as stream,
                    open(copies[path], "wb") as copy,
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
    """Return a path as answers name it."""
    return "standard input" if path == "-" else path


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the bytes that can be used without swapping."""
    with suppress(OSError):
        # Linux, where caches count as available
        found = re.search(r"(?m)^MemAvailable:\s+(\d+) kB", meminfo.read_text())
        if found:
            return int(found[1]) * 1024
    return _UNKNOWN_MEMORY
