"""Files that paths, directories and patterns stand for, and the columns that their directories name."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._source import SourceError, shown

__all__ = ["FORMATS", "File", "files_of", "format_of", "named_by_directories"]

FORMATS = {  # endings of names, and what such a file is
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
    ".csv.gz": "csv",
}
_FIRST_BYTES = {b"PAR1": "parquet", b"ARROW1": "ipc"}
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class File(NamedTuple):
    """A file, and how many parts of its path the caller wrote or a fixed directory has."""

    path: str
    n_given: int


def files_of(data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[File]:
    """Return the files of a path, a directory, a pattern or a list of these, in a fixed order."""
    if isinstance(data, str | os.PathLike):
        return _files_of_one(os.fspath(data))
    if not data:
        raise SourceError("data must name at least one file; got an empty list")
    return [file for one in data for file in _files_of_one(os.fspath(one))]


def _files_of_one(path: str) -> list[File]:
    if "://" in path:
        raise SourceError(
            f"{shown(path)}: URLs are not read; pass a file of this machine, or a pyarrow.dataset of the URL"
        )
    parts = Path(path).parts
    if os.path.isfile(path):
        return [File(path, len(parts))]
    if os.path.isdir(path):
        files = list(_files_below(path))
        if not files:
            raise SourceError(f"{shown(path)}: the directory holds no file")
        return [File(file, len(parts)) for file in files]
    if os.path.exists(path):
        raise SourceError(f"{shown(path)}: is neither a file nor a directory")
    if not glob.has_magic(path):
        raise SourceError(f"{shown(path)}: no such file or directory")
    n_given = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    return [File(file, n_given) for file in _matching(path)]


def _matching(pattern: str) -> list[str]:
    matches = [one for one in sorted(glob.glob(pattern, recursive=True)) if not _is_hidden(Path(one).name)]
    files = [file for one in matches for file in (_files_below(one) if os.path.isdir(one) else [one])]
    if not files:
        raise SourceError(f"{shown(pattern)}: no file matches the pattern")
    return list(dict.fromkeys(str(Path(file)) for file in files))  # `**` matches a directory and its files


def _files_below(directory: str) -> Iterator[str]:
    """Yield the files of a directory and of those in it, without notes of writers such as `_SUCCESS`."""
    for where, directories, files in os.walk(directory, followlinks=True):
        directories[:] = sorted(one for one in directories if not _is_hidden(one))
        yield from (os.path.join(where, one) for one in sorted(files) if not _is_hidden(one))


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name


def format_of(path: str) -> str:
    """Return the format of a file by the end of its name, or else by its first bytes."""
    for ending, name in FORMATS.items():
        if path.lower().endswith(ending):
            return name
    try:
        with open(path, "rb") as file:
            head = file.read(8)
    except OSError as error:
        raise SourceError(f"{shown(path)}: {error.strerror}") from None
    for first, name in _FIRST_BYTES.items():
        if head.startswith(first):
            return name
    raise SourceError(
        f"{shown(path)}: is not a Parquet or Arrow file, and has no name of a CSV file; names may end with "
        f"{', '.join(FORMATS)}"
    )


def named_by_directories(files: Sequence[File]) -> list[dict[str, Any]]:
    """Return the columns that each file has by directories named `column=value`, as Hive writes them.

    Only directories below the one that the caller passed count. The values of a column are integers if all of
    them are written with digits, and text otherwise.
    """
    written = [dict(_named(file)) for file in files]
    keys = {key for one in written for key in one}
    whole = {key for key in keys if all(_is_whole(one.get(key)) for one in written)}
    return [{key: _value(text, key in whole) for key, text in one.items()} for one in written]


def _named(file: File) -> Iterator[tuple[str, str | None]]:
    for part in Path(file.path).parts[file.n_given : -1]:
        key, equals, text = part.partition("=")
        if key and equals:
            yield unquote(key), None if text == _NO_VALUE else unquote(text)


def _is_whole(text: str | None) -> bool:
    return text is None or re.fullmatch("-?[0-9]{1,18}", text) is not None


def _value(text: str | None, whole: bool) -> int | str | None:
    return int(text) if whole and text is not None else text
