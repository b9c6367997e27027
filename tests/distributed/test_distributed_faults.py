"""Faults while rows are read and sorted: the result is the same number, or an error of one
line, and no temporary file remains.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sklearn_ap
from brief import not_in_brief
from rows_read import EXCEEDS, FITS
from sklearn_ap import distributed
from sklearn_ap._rows import errors, local
from sklearn_ap.distributed import SourceError, _sort

ROOT = Path(sklearn_ap.__file__).parents[1]
# These rows need more than two batches.
N_ROWS = 300_000

score = partial(distributed.score, "average_precision")
RNG = np.random.default_rng(4)
LARGE = pd.DataFrame(
    {"label": RNG.integers(0, 2, N_ROWS), "score": RNG.random(N_ROWS).round(7)}
)


@pytest.fixture
def spill(tmp_path, monkeypatch):
    """Return the folder for temporary files, which is empty."""
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def reader_of(frame, error=None):
    """Return a stream of some batches, which may then raise an error."""
    table = pa.Table.from_pandas(frame)

    def batches():
        yield from table.to_batches(50_000)
        if error is not None:
            raise error

    return pa.RecordBatchReader.from_batches(table.schema, batches())


def places_of(rows, folder):
    """Return the rows as a frame, a stream and files."""
    rows.to_csv(folder / "rows.csv", index=False)
    rows.to_parquet(folder / "rows.parquet")
    return rows, reader_of(rows), folder / "rows.csv", folder / "rows.parquet"


@not_in_brief
@pytest.mark.parametrize("limit", [EXCEEDS, FITS])
def test_a_sort_removes_its_temporary_files(limit, spill, tmp_path):
    expected = sklearn_ap.average_precision_score(LARGE["label"], LARGE["score"])
    for data in places_of(LARGE, tmp_path):
        value = score(data, memory_limit=limit)
        assert value == pytest.approx(expected, rel=1e-14)
        assert not list(spill.iterdir())
    third = pd.concat([LARGE, LARGE[-1:].assign(label=7)])
    for data in places_of(third, tmp_path):
        with pytest.raises(SourceError, match=r"'label': 7.* is a third label"):
            score(data, memory_limit=limit)
        assert not list(spill.iterdir())


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_an_error_of_the_stream_ends_the_call(limit, spill):
    with pytest.raises(KeyboardInterrupt):
        score(reader_of(LARGE, KeyboardInterrupt()), memory_limit=limit)
    stream = reader_of(LARGE, ZeroDivisionError("of\nthe caller"))
    with pytest.raises(SourceError) as error:
        score(stream, memory_limit=limit)
    assert re.fullmatch("data: cannot be read: .*of the caller.", str(error.value))
    assert not list(spill.iterdir())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_changes_raises_an_error(kind, tmp_path, monkeypatch):
    name = {"csv": "read_text", "parquet": "read_parquet"}[kind]
    read = getattr(local, name)

    def read_and_touch(path, names):
        yield from read(path, names)
        os.utime(path, ns=(1, 1))

    monkeypatch.setattr(local, name, read_and_touch)
    places_of(LARGE[:9], tmp_path)
    with pytest.raises(SourceError, match=rf"{kind}.*changed while it was read"):
        score(tmp_path / f"rows.{kind}")


# --- other processes ------------------------------------------------------------------

_ROWS = """
import numpy as np, pandas as pd, signal, sys
from sklearn_ap import distributed
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts jobs in the background without it
def rows(n_rows):
    rng = np.random.default_rng(0)
    columns = {"label": rng.integers(0, 2, n_rows), "score": rng.random(n_rows), "weight": rng.random(n_rows)}
    return pd.DataFrame(columns)
def score(n_rows):
    return distributed.score("average_precision", rows(n_rows), sample_weight="weight", memory_limit=10**6)
"""


def started(script, folder):
    """Start Python with a script, and with a folder for its temporary files."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        [sys.executable, "-c", _ROWS + script], env=environment, **pipes
    )


@pytest.mark.skipif(sys.platform == "win32", reason="its signals are others")
@not_in_brief
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_sort_at_once(number, spill):
    process = started("print(score(5_000_000))", spill)
    # Wait until DuckDB writes rows into the folder of the sort. Before that, Python may
    # still import DuckDB, and a signal during this import is ignored or aborts the process.
    while not list(spill.glob("*/*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    seconds = time.perf_counter()
    output, error = process.communicate(timeout=60)
    assert time.perf_counter() - seconds < 10
    assert output == ""
    # Python also ends by the signal after an interrupt that is not caught.
    assert process.returncode == -number
    assert not list(spill.iterdir())
    if number == signal.SIGINT:
        assert error.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no limits of processes")
@not_in_brief
def test_a_full_disk_is_one_line(spill):
    """The size of files is limited. DuckDB writes 5e6 rows to disk, and the tied groups
    of 4.5e5 positives take more than 16 MB.
    """
    script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
for n_rows in (5_000_000, 900_000):
    try:
        print(score(n_rows))
    except distributed.SourceError as error:
        print(error)
"""
    output, error = started(script, spill).communicate(timeout=120)
    assert error == ""
    of_sort, of_groups = output.splitlines()
    assert of_sort.startswith("data: cannot be sorted: ")
    assert of_groups == "data: cannot write temporary files: File too large"
    assert not list(spill.iterdir())


def test_a_full_folder_of_temporary_files_is_named(spill):
    """DuckDB reports a full disk as a lack of memory."""

    def sort():
        with (
            errors.engine_errors("data", "sorted", 1000),
            _sort.connect(1, str(spill)) as connection,
        ):
            connection.execute("SET max_temp_directory_size = '1MB'")
            rows = "SELECT * FROM (SELECT random() r, random() FROM range(3_000_000)) ORDER BY r"
            connection.sql(rows).to_arrow_reader(1000)

    words = r"^data: cannot be sorted: the temporary folder .* is full; set TMP"
    with pytest.raises(SourceError, match=words):
        sort()
