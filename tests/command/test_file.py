"""The table for a user's own scores: every value, every way in and out."""

import gzip
import os
import sys

import numpy as np
import pandas as pd
import pytest

from shell import run

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "label": RNG.integers(0, 2, 60),
        "score": RNG.integers(0, 30, 60) / 32,
        "amount": RNG.integers(1, 9, 60) / 4,
        "query": RNG.choice(["x", "y", "z"], 60),
        "item": RNG.permutation(60),
        "text": ["a, b", 'say "so"', "two\nlines"] * 20,
    }
)


@pytest.fixture
def path(tmp_path):
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "it's [1].json"])
def test_json_is_read_as_csv_is(path, tmp_path, name):
    FRAME.to_json(tmp_path / name, orient="records", lines=".jsonl" in name)
    options = ["--query-id", "query", "--sample-weight", "amount"]
    of_json, of_csv = (
        run(file, *options).words.partition(": ")[2] for file in (tmp_path / name, path)
    )
    assert of_json == of_csv
    assert of_csv.startswith("60 rows in 3 queries, ")


def test_several_files_are_one_data_set_with_a_name(tmp_path):
    for name, rows in FRAME.groupby("query"):
        (tmp_path / f"query={name}").mkdir()
        path = tmp_path / f"query={name}" / "part.csv"
        rows.drop(columns="query").to_csv(path, index=False)
    pattern, folders = tmp_path / "query=[xyz]" / "*.csv", sorted(tmp_path.iterdir())
    for paths, name in (([pattern], pattern), (folders, "3 files")):
        said = run(*paths, "--query-id", "query").words
        assert said.startswith(f"{name}: 60 rows in 3 queries, 34 positive")


def test_streams_are_read_once(path, tmp_path, monkeypatch):
    expected = run(path).out.partition("%).\n")[2]
    FRAME.to_parquet(tmp_path / "scores.parquet")
    (tmp_path / "packed").write_bytes(gzip.compress(path.read_bytes()))
    for name in ("packed", "scores.parquet"):
        # its bytes are read, whatever they spell
        with open(tmp_path / name) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            out = run("-").out
        first, _, others = out.partition("%).\n")
        assert first.startswith("standard input: 60 rows, 34 positive")
        assert others == expected
    reader, writer = os.pipe()
    os.write(writer, path.read_bytes())  # few bytes, for which a pipe has room
    os.close(writer)
    assert run(f"/dev/fd/{reader}").out.partition("%).\n")[2] == expected
    os.close(reader)
