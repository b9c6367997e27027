"""What rows in files cost beside rows in memory: `python -m benchmarks.scale --help`."""

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from . import machine
from .tables import show, table

GROUP = 1_000_000  # rows of a row group
ROWS = 10_000_000
SHARES = (0.001, 0.01, 0.1, 0.5)
BYTES = {"float32": 4, "float64": 8, "ties": 4, "weights": 4}  # of the score of a row
OURS, SCIKIT_LEARN = "in memory", "scikit-learn in memory"
ALL, FITS, RANGES = "files, no limit", "files, 1.75 of the scores", "files, 0.75 of the scores"
LIMITS = {FITS: 1.75, RANGES: 0.75}  # memory_limit, as a multiple of the bytes of all scores
READERS = (OURS, SCIKIT_LEARN, ALL, FITS, RANGES)
MOST_FOR_SCIKIT_LEARN = 10_000_000  # rows
FILE_ROWS = 1_000  # of each of many files
ARROW, SCAN, SCORE, COMMAND = "pyarrow.csv.read_csv", "our scan", "average_precision_score", "sklearn-ap"
TEXT_READERS = (ARROW, SCAN, SCORE, COMMAND)
TEXT_HEADERS = (
    "data",
    "reader",
    "CPU s",
    "CPU / first",
    "wall s",
    "wall / first",
    "peak MB",
    "CPU ms per file",
)
HEADERS = ("positive", "scores", "reader", "CPU s", "CPU / in memory", "wall s", "peak MB", "difference")
FOOTNOTE = """
Every line is a process of its own. CPU time is that of all threads in the call, without imports. The peak is
that of the whole process, of which {imports} MB are Python and its libraries. "In memory" reads the columns
with `pyarrow.parquet.read_table`, and passes them to `average_precision_score`. "Files" is the function of
that name in `sklearn_ap.distributed`, with `memory_limit` as a multiple of the bytes of all scores. The
difference is that of the number from the one in memory. Files have row groups of 1,000,000 rows, written as
pyarrow does by default. Ties are 1,001 distinct float32 scores; weights are float32, beside float32 scores.
"""
TEXT_FOOTNOTE = """
Two columns: a label, and a float64 score with all its digits. The scan makes checked arrays of them,
`average_precision_score` is that of `sklearn_ap.distributed`, and the command prints its table.
"""


class Case(NamedTuple):
    """A file of random rows."""

    rows: int
    positive: float
    scores: str

    @property
    def name(self) -> str:
        return f"rows-{self.rows}-{self.positive:g}-{self.scores}"

    @property
    def limits(self) -> dict[str, int | None]:
        """The `memory_limit` of each reader that needs one; rows with weights have to fit."""
        n_bytes = self.rows * BYTES[self.scores]
        limits = {} if self.scores == "weights" else {name: int(n * n_bytes) for name, n in LIMITS.items()}
        return {ALL: None, **limits}

    @property
    def readers(self) -> list[str]:
        known = {OURS, *self.limits, *([SCIKIT_LEARN] if self.rows <= MOST_FOR_SCIKIT_LEARN else [])}
        return [name for name in READERS if name in known]


class Measured(NamedTuple):
    """What a process found out about its call."""

    cpu: float
    wall: float
    peak: float  # bytes
    value: float


def row_group(rng: Generator, case: Case, size: int) -> dict[str, np.ndarray]:
    """Return the columns of some rows; positives have better scores."""
    label = (rng.random(size, dtype=np.float32) < case.positive).view(np.int8)
    dtype = np.float64 if case.scores == "float64" else np.float32
    score = rng.standard_normal(size, dtype=dtype)
    score += label * dtype(1.5)
    np.divide(1, 1 + np.exp(2 - score), out=score)
    if case.scores == "ties":
        score = score.round(3)
    columns = {"label": label, "score": score}
    if case.scores == "weights":
        columns["weight"] = rng.random(size, dtype=np.float32) + np.float32(0.1)
    return columns


def written(case: Case, folder: Path) -> Path:
    """Return the file of a case, which is written unless it is there."""
    import pyarrow
    from pyarrow import parquet

    path = folder / f"{case.name}.parquet"
    if path.exists():
        return path
    rng, part = np.random.default_rng(zlib.crc32(case.name.encode())), path.with_suffix(".part")
    writer = None
    for first in range(0, case.rows, GROUP):
        rows = pyarrow.table(row_group(rng, case, min(GROUP, case.rows - first)))
        writer = writer or parquet.ParquetWriter(part, rows.schema)
        writer.write_table(rows, row_group_size=GROUP)
    assert writer is not None, case
    writer.close()
    return part.rename(path)  # so that half a file is never taken for the whole


def written_as_text(rows: int, folder: Path) -> Path:
    """Return a text file, which is written unless it is there."""
    import pyarrow
    from pyarrow import csv

    path, writer = folder / f"rows-{rows}.csv", None
    if path.exists():
        return path
    case, part = Case(rows, 0.1, "float64"), path.with_suffix(".part")
    rng = np.random.default_rng(rows)
    for first in range(0, rows, GROUP):
        table_of_rows = pyarrow.table(row_group(rng, case, min(GROUP, rows - first)))
        writer = writer or csv.CSVWriter(part, table_of_rows.schema)
        writer.write(table_of_rows)
    assert writer is not None, rows
    writer.close()
    return part.rename(path)


def written_as_files(n: int, ending: str, folder: Path) -> Path:
    """Return a directory of small files."""
    import pyarrow
    from pyarrow import csv, parquet

    path = folder / f"{n}-files-{ending}"
    path.mkdir(exist_ok=True)
    write, rng = csv.write_csv if ending == "csv" else parquet.write_table, np.random.default_rng(n)
    for number in range(n):
        rows = row_group(rng, Case(FILE_ROWS, 0.1, "float64"), FILE_ROWS)
        write(pyarrow.table(rows), path / f"{number:06}.{ending}")
    return path


def of_text(path: str, reader: str) -> float:
    """Read a text file, and return the number if the reader gives one."""
    from pyarrow import csv

    from sklearn_ap import distributed
    from sklearn_ap.__main__ import main as command
    from sklearn_ap.distributed._open_rows import source_of

    columns = ["label", "score"]
    if reader == SCORE:
        return float(distributed.average_precision_score(path, memory_limit=2**62))
    if reader == ARROW:
        csv.read_csv(path)
    elif reader == SCAN:
        source_of(path, names=columns).scan(columns, lambda _: 0, max, lambda *_: None)
    else:
        with redirect_stdout(io.StringIO()):
            command([path, "--y-true", "label", "--y-score", "score", "--table", "--memory-limit", "1TB"])
    return np.nan


def in_memory(path: str, score: Callable[..., float], weight: str | None) -> float:
    from pyarrow import parquet

    names = ["label", "score", *([weight] if weight else [])]
    columns = parquet.read_table(path, columns=names)
    label, values, *weights = (columns[name].to_numpy() for name in names)
    del columns
    return score(label, values, sample_weight=weights[0] if weights else None)


def called(path: str, reader: str, weight: str | None, limit: int | None) -> Measured:
    """Call a reader in this process, which should have done nothing before."""
    import pyarrow.dataset
    import pyarrow.parquet
    from sklearn.metrics import average_precision_score as scikit_learn

    import sklearn_ap
    from sklearn_ap import distributed

    if reader in TEXT_READERS:
        import pyarrow.csv

        import sklearn_ap._command._run
    pyarrow.set_cpu_count(os.cpu_count() or 1)
    begin, busy = time.perf_counter(), cpu_seconds()
    if not path:
        value = np.nan
    elif reader in TEXT_READERS:
        value = of_text(path, reader)
    elif reader in (OURS, SCIKIT_LEARN):
        score = sklearn_ap.average_precision_score if reader == OURS else scikit_learn
        value = in_memory(path, score, weight)
    else:
        unlimited = 2**62 if limit is None else limit
        value = distributed.average_precision_score(path, sample_weight=weight, memory_limit=unlimited)
    return Measured(cpu_seconds() - busy, time.perf_counter() - begin, peak_bytes(), float(value))


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_bytes() -> float:
    """Return the most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, ru_maxrss is not below that of the process that started this one
        line = next(one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_a_process(*arguments: Any) -> Measured:
    command = [sys.executable, "-m", "benchmarks.scale", "--call", json.dumps(arguments)]
    return Measured(*json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def measured(case: Case, path: Path, repeats: int, readers: list[str]) -> dict[str, Measured]:
    """Return what each reader took: readers take turns, and the least CPU time of each counts."""
    weight = "weight" if case.scores == "weights" else None
    found: dict[str, list[Measured]] = {reader: [] for reader in case.readers if reader in readers}
    for _ in range(repeats):
        for reader, calls in found.items():
            calls.append(in_a_process(str(path), reader, weight, case.limits.get(reader)))
            print(case.name, reader, calls[-1], file=sys.stderr, flush=True)
    return {reader: min(calls) for reader, calls in found.items()}


def rows_of(case: Case, found: dict[str, Measured]) -> list[list[str]]:
    """Return a line of the table for each reader."""
    rows, reference = [], found.get(OURS)
    for reader, one in found.items():
        row = [f"{case.positive:.1%}", case.scores, reader, f"{one.cpu:.2f}"]
        row += [f"{one.cpu / reference.cpu:.2f}" if reference else ""]
        row += [f"{one.wall:.1f}", f"{one.peak / 1e6:,.0f}"]
        rows.append([*row, f"{abs(one.value - reference.value):.0e}" if reference else ""])
    return rows


def measured_text(path: Path, readers: Sequence[str], repeats: int) -> dict[str, Measured]:
    """Return what each reader of a text file or a folder took: the least CPU time counts."""
    turns = [[in_a_process(str(path), one, None, None) for one in readers] for _ in range(repeats)]
    return {reader: min(calls) for reader, *calls in zip(readers, *turns, strict=True)}


def rows_of_text(rows: int, n_files: int, given: Path | None, repeats: int) -> list[list[str]]:
    """Return a line of the table for each reader of a text file, and for small files of two formats."""
    lines = []
    with folder_of(given) as folder:
        cases = [(f"text, {rows:,} rows", written_as_text(rows, folder), TEXT_READERS, 1)]
        for ending in ("csv", "parquet"):
            path = written_as_files(n_files, ending, folder)
            cases.append((f"{n_files:,} files, {ending}", path, (SCORE,), n_files))
        for name, path, readers, n in cases:
            found = measured_text(path, readers, repeats)
            first = found[readers[0]]
            for reader, one in found.items():
                line = [name, reader, f"{one.cpu:.2f}", f"{one.cpu / first.cpu:.2f}", f"{one.wall:.2f}"]
                line += [f"{one.wall / first.wall:.2f}", f"{one.peak / 1e6:,.0f}"]
                lines.append([*line, f"{1e3 * one.cpu / n:.2f}" if n > 1 else ""])
    return lines


@contextmanager
def folder_of(given: Path | None) -> Iterator[Path]:
    """Yield a folder for files: the one given, which keeps them, or a temporary one."""
    if given is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
    else:
        given.mkdir(parents=True, exist_ok=True)
        yield given


def report(cases: list[Case], given: Path | None, repeats: int, readers: list[str]) -> list[list[str]]:
    rows = []
    with folder_of(given) as folder:
        for case in cases:
            path = written(case, folder)
            rows += rows_of(case, measured(case, path, repeats, readers))
            if given is None:
                path.unlink()
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"rows of each file (default: {ROWS:,})")
    parser.add_argument("--positive", type=float, nargs="+", default=SHARES, help="shares of positives")
    parser.add_argument(
        "--scores", nargs="+", default=list(BYTES), choices=list(BYTES), help="kinds of scores"
    )
    parser.add_argument(
        "--readers", nargs="+", default=READERS, choices=READERS, help="ways to read the rows"
    )
    parser.add_argument("--repeats", type=int, default=2, help="calls of each reader (default: 2)")
    parser.add_argument("--folder", type=Path, help="where files are kept (default: none is kept)")
    parser.add_argument(
        "--text", action="store_true", help="a text file beside the reader of pyarrow, and many files"
    )
    parser.add_argument("--files", type=int, default=1_000, help="with --text: small files (default: 1,000)")
    parser.add_argument("--call", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.call:
        print(json.dumps(called(*options.call)))
        return
    show("Measured on", "\n".join([*machine.lines(), f"* pyarrow {version('pyarrow')}"]))
    cases = [Case(options.rows, share, kind) for kind in options.scores for share in options.positive]
    if options.text:
        rows = rows_of_text(options.rows, options.files, options.folder, options.repeats)
        show("Text, and many files", table(TEXT_HEADERS, rows))
        print(TEXT_FOOTNOTE.strip())
        return
    rows = report(cases, options.folder, options.repeats, options.readers)
    show(f"Average precision of {options.rows:,} rows", table(HEADERS, rows))
    print(FOOTNOTE.strip().format(imports=round(in_a_process("", "", None, None).peak / 1e6)))


if __name__ == "__main__":
    main()
