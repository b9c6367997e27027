"""Files that paths, directories and patterns stand for, and the columns that their directories name."""

import os
import re
from collections.abc import Iterator, Sequence
from errno import EACCES
from glob import glob
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from .._source import SourceError, shown

_is_pattern = re.compile(r"[*?]|\[[^]]+\]").search  # glob itself takes a lone [ for one
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def files_of(data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files of a path, a directory, a pattern or a list of these, in a fixed order.

    No file may be there twice, under whatever name: its rows would count twice.
    """
    given = [data] if isinstance(data, str | os.PathLike) else data
    if not given:
        raise SourceError("data must name at least one file; got an empty list")
    if "-" in given and len(given) > 1:
        raise SourceError("'-': standard input goes alone; leave out the other files")
    paths = [path for one in given for path in _files_of_one(os.fspath(one))]
    seen: dict[object, str] = {}
    for path in paths:
        key = _identity(path)
        if key in seen:
            same = seen[key]
            twice = "is there twice" if same == path else f"is the same file as {shown(same)}"
            raise SourceError(f"{shown(path)}: {twice}; each file counts once, so pass it once")
        seen[key] = path
    return paths


def _files_of_one(path: str) -> list[str]:
    if path == "-" or os.path.lexists(path) or not _is_pattern(path):
        if os.path.isdir(path):
            return list(_below(path)) or _refuse_path(path, "is a directory that holds no files")
        if "://" in path:
            _refuse_path(
                path, "URLs are not read; pass a file of this machine, or a pyarrow.dataset of the URL"
            )
        return [path]
    _refuse_unreadable(path)
    matches = [one for one in sorted(glob(path, recursive=True)) if not _is_hidden(Path(one).name)]
    found = [file for one in matches for file in (_below(one) if os.path.isdir(one) else [one])]
    # A pattern such as ** matches a directory and the files in it.
    return list(dict.fromkeys(str(Path(one)) for one in found)) or _refuse_path(path, "no file matches")


def _refuse_unreadable(pattern: str) -> None:
    """Refuse directories that `glob` skips without a word, since it cannot list them."""
    below = Path(pattern)
    for parent in below.parents:
        needed = os.R_OK | os.X_OK if _is_pattern(below.name) else os.X_OK
        for one in glob(str(parent), recursive=True):
            if os.path.isdir(one) and not os.access(one, needed):
                _refuse_path(one, os.strerror(EACCES))
        below = parent


def _refuse_path(path: str, problem: str) -> NoReturn:
    raise SourceError(f"{shown(path)}: {problem}")


def _below(directory: str) -> Iterator[str]:
    """Yield all files below a directory, without notes of writers such as `_SUCCESS`."""
    try:
        entries = [(one, one.is_dir()) for one in sorted(os.scandir(directory), key=lambda one: one.name)]
    except OSError as error:  # else the rows below would be missing without a word
        raise SourceError(f"{shown(directory)}: {error.strerror}") from None
    for entry, is_directory in entries:
        if _is_hidden(entry.name):
            continue
        if is_directory:
            yield from _below(entry.path)
        else:
            yield entry.path


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name


def _identity(path: str) -> object:
    """Return what two paths of one file have in common."""
    try:
        told = os.stat(path)
    except (OSError, ValueError):  # told by the reader
        return path
    return told.st_dev, told.st_ino


def named_by_directories(paths: Sequence[str]) -> list[dict[str, int | str | None]]:
    """Return the columns that each file has by directories named `column=value`, as Hive writes them.

    The values of a column are integers if all of them are written with digits, and text otherwise.
    """
    written = [dict(_names_of_directories(path)) for path in paths]
    is_integer = re.compile("-?[0-9]{1,18}").fullmatch
    texts = {(key, text) for one in written for key, text in one.items() if text is not None}
    as_text = {key for key, text in texts if not is_integer(text)}
    return [
        {key: text if text is None or key in as_text else int(text) for key, text in one.items()}
        for one in written
    ]


def _names_of_directories(path: str) -> Iterator[tuple[str, str | None]]:
    for part in Path(path).parent.parts:
        key, equals, text = part.partition("=")
        if key and equals:
            yield unquote(key), None if text == _NO_VALUE else unquote(text)
