"""The files of a command line, whose rows are read into memory or refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .._shown.sources import SourceError
from ..distributed._batches import Batch, Roles
from ..distributed._local import LocalSource, open_paths

# Where the system does not report its memory, so many bytes are assumed.
_UNKNOWN_MEMORY = 4 * 2**30


@dataclass(frozen=True)
class NamedFiles:
    """Files of a command line, and the option that names each column."""

    paths: Sequence[str]
    options: Mapping[str, str]
    drops_missing: bool = False
    advice: str = "--drop-missing"

    def open(self, roles: Roles) -> LocalSource:
        """Return some columns of the rows, which may take half of the memory."""
        roles = roles._replace(options=self.options, drops_missing=self.drops_missing)
        return open_paths(self.paths, roles, available_memory() // 2, self.advice)


def gathered(source: LocalSource, line: str = "") -> Batch:
    """Return all rows, or refuse those that take too much memory, with the line of
    Python that scores them.
    """
    batch = source.gather()
    if batch is not None:
        return batch
    n_rows = n_bytes = 0
    for part in source.map_parts(iter, None):
        n_rows += part.score.size
        n_bytes += part.nbytes
    advice = f"; in Python, write {line}" if line else ""
    raise SourceError(
        f"{source.name}: {n_rows:,} rows take {n_bytes:,} bytes, more than half of the "
        f"available memory, {source.limit:,} bytes{advice}"
    )


def available_memory(
    processes: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")
) -> int:
    """Return the bytes that can be used without swapping: of the system, of a job, and
    of its container.
    """
    # Linux, where caches count as available
    free = _matches(processes / "meminfo", r"^MemAvailable:\s+(\d+) kB")
    available = int(free[0]) * 1024 if free else _UNKNOWN_MEMORY
    # A line such as 0::/system.slice/job.scope is relative to the root.
    groups = _matches(processes / "self" / "cgroup", r"^0::/(.+)$")
    group = Path(*groups[:1])
    # The last of the parents is the root itself, and so is the path without a group.
    for folder in (root / path for path in (group, *group.parents)):
        for limit in _matches(folder / "memory.max", r"^\d+"):  # "max" without a limit
            used = _matches(folder / "memory.current", r"^\d+")
            # The system takes files that nobody uses out of its cache before memory
            # runs out.
            cached = _matches(folder / "memory.stat", r"^inactive_file (\d+)")
            free_bytes = int(limit) - sum(map(int, used)) + sum(map(int, cached))
            available = min(available, max(free_bytes, 0))
    return available


def _matches(file: Path, pattern: str) -> list[str]:
    """Return what a pattern finds in the lines of a file of the system."""
    with suppress(OSError):
        return re.findall(pattern, file.read_text(), re.MULTILINE)
    return []
