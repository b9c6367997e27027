"""How much memory rows may take."""

import os
import re
from contextlib import suppress
from pathlib import Path

from .._reading import is_real

MemoryLimit = int | float | str

_SHARE = 4  # of the memory that is available, rows take one part by default
_UNKNOWN = 4 * 2**30  # bytes that are taken to be available where the system does not tell
_UNITS = {"": 1, "b": 1} | {
    f"{letter}{binary}{b}": (1024 if binary else 1000) ** power
    for power, letter in enumerate("kmgt", start=1)
    for binary in ("", "i")
    for b in ("b", "")
}


def read_memory_limit(memory_limit: object) -> int:
    """Return a limit in bytes: a number of them, text such as '500MB' or '2GiB', or 'auto'."""
    if memory_limit == "auto":
        return _available() // _SHARE
    if isinstance(memory_limit, str):
        said = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", memory_limit.lower())
        if said and said[2] in _UNITS and float(said[1]) > 0:
            return int(float(said[1]) * _UNITS[said[2]])
    elif is_real(memory_limit) and 1 <= memory_limit < 2**63:
        return int(memory_limit)
    raise ValueError(
        "memory_limit must be 'auto', a number of bytes or text such as '500MB' or '2GiB'; got "
        f"{memory_limit!r}."
    )


def _available() -> int:
    """Return the bytes that can be taken without swapping, as far as the system tells."""
    known = [_UNKNOWN]
    with suppress(OSError, ValueError, AttributeError):
        known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")]
    with suppress(OSError, AttributeError):  # Linux, where caches count as available
        said = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
        known = [int(said[1]) * 1024] if said else known
    with suppress(OSError, ValueError):  # the limit of a container, unless it is "max"
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
        known.append(max(limit - used, 0))
    return max(min(known), _SHARE)
