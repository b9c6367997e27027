"""A user's own scores: columns of a CSV or Parquet file. Errors name the file, the column and the row."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ._typing import AnyArray, FloatArray, IntArray

csv.field_size_limit(2**31 - 1)  # a long text column is not ours to refuse


class FileError(ValueError):
    """The file cannot be read as asked; one line says why."""


def read_columns(path: str, names: list[str]) -> list[list[Any]]:
    """Return the columns of these names; `path` is a CSV file (``.gz`` too), a Parquet file or ``-``."""
    try:
        columns = _parquet_columns(path, names) if path.endswith(".parquet") else _csv_columns(path, names)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: not UTF-8 text, byte {error.object[error.start]:#x} at {error.start}"
        ) from None
    if not columns[0]:
        raise FileError(f"{path}: holds no rows")
    return columns


def numbers(path: str, name: str, column: list[Any]) -> FloatArray:
    """Return a column as finite numbers."""
    try:
        values = np.array(column, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([_number(value) for value in column])
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise FileError(f"{path}: column {name!r}, row {bad[0] + 1}: {column[bad[0]]!r} is no finite number")
    return values


def labels(path: str, name: str, column: list[Any], pos_label: str | None) -> tuple[AnyArray, Any]:
    """Return labels and the positive one: numbers where all of them are, else text."""
    _refuse_missing(path, name, column, also="nan")
    texts = [str(value) for value in column]
    found: list[Any] = sorted(set(texts))
    values: AnyArray = np.array([_number(value) for value in column])
    numeric = bool(np.isfinite(values).all())
    if numeric:
        found = np.unique(values).tolist()
        positive: Any = 1.0 if pos_label is None else _number(pos_label)
    else:
        values, positive = np.array(texts, dtype=object), pos_label
    shown = ", ".join(f"{label!s:.40}" for label in found[:5]) + (", ..." if len(found) > 5 else "")
    if len(found) > 2:
        raise FileError(f"{path}: column {name!r} holds {len(found)} labels ({shown}), but two are wanted")
    without_positives = numeric and positive == 1 and found in ([0.0], [-1.0])
    if positive not in found and not without_positives:
        raise FileError(
            f"{path}: column {name!r} holds the labels {shown}: name the positive one, --pos-label"
        )
    return values, positive


def ids(path: str, name: str, column: list[Any]) -> IntArray:
    """Return a number for each different id."""
    _refuse_missing(path, name, column)
    numbers_of: dict[Any, int] = {}
    return np.array([numbers_of.setdefault(value, len(numbers_of)) for value in column])


def _refuse_missing(path: str, name: str, column: list[Any], *, also: str = "") -> None:
    def is_missing(value: Any) -> bool:
        return value is None or value != value or str(value).strip().lower() in ("", also)

    missing = next((row for row, value in enumerate(column) if is_missing(value)), None)
    if missing is not None:
        raise FileError(f"{path}: column {name!r}, row {missing + 1}: no value")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _places(path: str, header: list[str], names: list[str]) -> list[int]:
    for name in names:
        if header.count(name) != 1:
            problem = "stands there more than once" if name in header else "is missing"
            raise FileError(
                f"{path}: column {name!r} {problem}; the columns are {', '.join(map(repr, header))}"
            )
    return [header.index(name) for name in names]


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    if path == "-":
        if sys.stdin is None:
            raise FileError("-: standard input is closed")
        yield io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    elif path.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    else:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            yield file


def _csv_columns(path: str, names: list[str]) -> list[list[Any]]:
    with _opened(path) as file:
        reader = csv.reader(file, strict=True)  # an open quote would swallow all that follows
        try:
            header = next(reader, None)
            if header is None:
                raise FileError(f"{path}: is empty")
            header = [name.strip() for name in header]
            places = _places(path, header, names)
            wanted, width, rows = itemgetter(*places), len(header), []
            for row in reader:
                if len(row) == width:
                    rows.append(wanted(row))
                elif row:  # a blank line is no row
                    raise FileError(
                        f"{path}: row {len(rows) + 1} has {len(row)} fields, but the header has {width}"
                    )
        except csv.Error as error:
            raise FileError(f"{path}: line {reader.line_num}: {error}") from None
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]


def _parquet_columns(path: str, names: list[str]) -> list[list[Any]]:
    try:
        from pyarrow import ArrowInvalid, parquet  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise FileError(f"{path}: Parquet files need pyarrow: pip install 'sklearn-ap[parquet]'") from None
    try:
        _places(path, parquet.read_schema(path).names, names)
        return [column.to_pylist() for column in parquet.read_table(path, columns=names).columns]
    except ArrowInvalid as error:
        raise FileError(f"{path}: {str(error).splitlines()[0]}") from None
