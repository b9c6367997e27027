"""The same rows in files of all kinds, and what tests of files ask of a source."""

import gzip
import os
import pathlib
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, ipc
from pyarrow import parquet as pq

from sklearn_ap.distributed._engines._files import of_paths
from sklearn_ap.distributed._engines._text import Pieces
from sklearn_ap.distributed._source import Part, Source, SourceError

N_ROWS = 1000
TABLE = pa.table(
    {
        "y": pa.array(np.arange(N_ROWS) % 7 == 0).cast(pa.int8()),
        "s": np.random.default_rng(0).random(N_ROWS, dtype=np.float32),
        "other": [f"row {row}" for row in range(N_ROWS)],
    }
)
TEXT = pa.table({"y": pa.array([1, 2], pa.int8()), "s": ["a", "b"]})


def rows_of(part: Part) -> list[Part]:
    return [part]


def one_by_one(folder: str) -> Source:
    """Files of a row each, each of which is a part."""
    return of_paths(folder, None, pieces=Pieces(1))


def joined(results):
    assert 2 <= len(results) <= 4, len(results)
    return [part for parts in results for part in parts]


def scanned(source: Source, columns=("y", "s"), told=lambda done, total: None) -> list[Part]:
    return source.scan(list(columns), rows_of, joined, told) or []


def values(source: Source, columns=("y", "s")) -> dict[str, np.ndarray]:
    parts = scanned(source, columns)
    return {name: np.concatenate([part.columns[name] for part in parts]) for name in columns}


def check_rows(source: Source, table=TABLE, columns=("y", "s")) -> None:
    found = values(source, columns)
    for name in columns:
        np.testing.assert_array_equal(found[name], table[name].to_numpy(), strict=True)


def refusal(run: Callable[[], object]) -> str:
    with pytest.raises(SourceError) as caught:
        run()
    (line,) = str(caught.value).splitlines()
    return line


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Files of the same rows in the current directory, so that errors show short names."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "a.parquet", row_group_size=100)
    with ipc.new_file("a.arrow", TABLE.schema) as file:
        file.write_table(TABLE, 300)
    csv.write_csv(TABLE, "a.csv")
    pathlib.Path("a.csv.gz").write_bytes(gzip.compress(pathlib.Path("a.csv").read_bytes()))
    for day in range(3):
        os.makedirs(f"days/day={day}")
        pq.write_table(TABLE.slice(400 * day, 400), f"days/day={day}/part-0.parquet", row_group_size=100)
    pathlib.Path("days/_SUCCESS").touch()


def written_ranges(path):
    """Write labels, scores and weights that take several ranges at a limit of 1 kB."""
    rng = np.random.default_rng(5)
    label, score = rng.integers(0, 2, 6_000), np.round(rng.random(6_000), 3)
    columns = {"label": label, "score": score, "weight": rng.random(6_000) + 0.1}
    pq.write_table(pa.table(columns), path, row_group_size=1_000)
    return path
