"""Which files are meant: paths, globs and directories, and the columns that directories are named after."""

import os
import re
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path
from urllib.parse import unquote

from ._column import FileError, shown

__all__ = ["found_paths", "partitions_of"]

_is_pattern = re.compile(r"[*?]|\[[^]]+\]").search  # glob itself takes a lone [ for one
_EMPTY = "__HIVE_DEFAULT_PARTITION__"  # what Hive writes for a missing value


def found_paths(given: Sequence[str]) -> list[str]:
    """Return the paths of all files, in the order of the arguments and of names; none is there twice."""
    if "-" in given and len(given) > 1:
        raise FileError("'-': standard input goes alone; leave out the other files")
    paths: list[str] = []
    seen: dict[object, str] = {}
    for one in given:
        for path in _files_of(one):
            key = _identity(path)
            if key in seen:
                same = seen[key]
                twice = "is there twice" if same == path else f"is the same file as {shown(same)}"
                raise FileError(f"{shown(path)}: {twice}; each file counts once, so pass it once")
            seen[key] = path
            paths.append(path)
    return paths


def _files_of(given: str) -> list[str]:
    """Return the files that an argument means."""
    if given == "-" or os.path.lexists(given) or not _is_pattern(given):
        return _in_directory(given) if os.path.isdir(given) else [given]
    matches = sorted(glob(given, recursive=True))
    paths = [path for match in matches for path in (_below(match) if os.path.isdir(match) else [match])]
    if not paths:
        raise FileError(f"{shown(given)}: no file matches")
    # A pattern such as ** matches a directory and the files in it.
    return list(dict.fromkeys(paths))


def _in_directory(given: str) -> list[str]:
    paths = list(_below(given))
    if not paths:
        raise FileError(f"{shown(given)}: is a directory that holds no files")
    return paths


def _below(directory: str) -> Iterator[str]:
    """Yield all files below a directory; programs that write them note things in names with . or _ first."""
    for entry in sorted(os.scandir(directory), key=lambda one: one.name):
        if entry.name.startswith((".", "_")) and "=" not in entry.name:
            continue
        if entry.is_dir():
            yield from _below(entry.path)
        else:
            yield entry.path


def _identity(path: str) -> object:
    """Return what two paths of one file have in common."""
    try:
        told = os.stat(path)
    except (OSError, ValueError):  # told by the reader
        return path
    return told.st_dev, told.st_ino


def partitions_of(path: str) -> dict[str, str]:
    """Return the columns that the directories of a path state, as in ``day=2026-11-20/part-0.parquet``."""
    pairs = [part.split("=", 1) for part in Path(path).parent.parts if "=" in part]
    values = {unquote(name): unquote(value) for name, value in pairs}
    return {name: "" if value == _EMPTY else value for name, value in values.items()}
