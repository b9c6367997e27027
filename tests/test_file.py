"""The table for a user's own scores: every value, every way in and out."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score as theirs

from command import COLUMNS, rows_of, run, values_of
from metrics import calls, counts_weight
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    pr_auc_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_ap._registry import FAMILY as NUMBERS
from sklearn_ap.compatibility._records._lookup import FAMILY

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "label": RNG.integers(0, 2, 60),
        "score": RNG.integers(0, 30, 60) / 32,
        "amount": RNG.integers(1, 9, 60) / 4,
        "query": RNG.choice(["x", "y", "z"], 60),
        "text": ["a, b", 'say "so"', "two\nlines"] * 20,
    }
)


def start(*arguments, stdin=None, env=None):
    command = [sys.executable, "-W", "error", "-m", "sklearn_ap", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, env=env)


@pytest.fixture
def path(tmp_path):
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def test_table_of_a_file_whose_path_the_terminal_cannot_show(path, tmp_path):
    odd = tmp_path / "größe.csv"
    odd.write_bytes(path.read_bytes())
    ascii_only = {"PATH": "", "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    finished = start(odd, *COLUMNS, "--table", env=ascii_only)
    assert (finished.returncode, finished.stderr) == (0, b"")
    lines = finished.stdout.decode().splitlines()
    rows = f"60 rows, {FRAME.label.sum()} positive ({FRAME.label.mean():.1%})."
    assert lines[0].endswith(rf"gr\xf6\xdfe.csv': {rows}".replace("%", " %"))
    assert lines[1].startswith("Average precision (AP) is 0.")
    assert max(map(len, lines[1:])) <= 80
    value = theirs(FRAME.label, FRAME.score)
    assert f"{value:.4f}" in lines[5]


def test_values(path):
    values = values_of(path, *COLUMNS, "-k", "5")
    assert values["average precision"] == theirs(FRAME.label, FRAME.score)
    assert values["AP@5 over min(k, R)"] == average_precision_at_k_score(FRAME.label, FRAME.score, k=5)
    assert values["AP@5, stable ties"] == average_precision_at_k_score(
        FRAME.label, FRAME.score, k=5, ties="stable"
    )


def test_every_row_of_the_table(path):
    """Each is the function and the options that its name says, with weights too."""
    expected = {
        name.replace("@k", "@5"): call
        for name, call in calls(k=5).items()
        if call[1].get("ties", "stable") == "stable" and counts_weight(call[0])
    }
    weight = {"sample_weight": FRAME.amount}
    found = values_of(path, *COLUMNS, "-k", "5", "--sample-weight", "amount")
    unequal = {f"AP@5, {ties} ties": None for ties in ("expected", "optimistic", "pessimistic")}
    unequal |= {one.name.replace("@k", "@5"): None for one in NUMBERS if not counts_weight(one.score)}
    computed = {
        name: score(FRAME.label, FRAME.score, **options, **weight)
        for name, (score, options) in expected.items()
    }
    assert found == computed | unequal
    plain = values_of(path, *COLUMNS, "-k", "5")
    for ties in ("expected", "optimistic", "pessimistic"):
        value = average_precision_at_k_score(FRAME.label, FRAME.score, k=5, ties=ties)
        assert plain[f"AP@5, {ties} ties"] == value
    reference = theirs(FRAME.label, FRAME.score, sample_weight=FRAME.amount)
    weighted = rows_of(path, *COLUMNS, "--sample-weight", "amount")
    assert {row["scikit_learn"] for row in weighted} == {reference}


def test_weights_queries_totals_and_shares(path):
    weighted = values_of(path, *COLUMNS, "--sample-weight", "amount", "-k", "0.05")
    assert weighted["average precision"] == theirs(FRAME.label, FRAME.score, sample_weight=FRAME.amount)
    assert weighted["recall@0.05"] == recall_at_k_score(
        FRAME.label, FRAME.score, k=0.05, sample_weight=FRAME.amount
    )
    assert weighted["AP@0.05, expected ties"] is None
    queries = values_of(path, *COLUMNS, "--query-id", "query", "--n-positives", "40")
    assert queries["average precision"] == average_precision_score(
        FRAME.label, FRAME.score, query_id=FRAME["query"], n_positives=40
    )
    assert queries["PR AUC, linear"] == pr_auc_score(FRAME.label, FRAME.score, query_id=FRAME["query"])
    assert queries["precision@10"] == precision_at_k_score(FRAME.label, FRAME.score, query_id=FRAME["query"])
    heading = " ".join(run(path, *COLUMNS, "--query-id", "query", "--table").out.split())
    assert ": 60 rows in 3 queries, " in heading
    assert "scikit-learn's AP takes all rows as one ranking. score value" in heading


@pytest.mark.parametrize("form", ["markdown", "csv", "json", "table"])
def test_formats(path, form):
    text = run(path, *COLUMNS, "--format", form).out
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert float(rows[0]["value"]) == theirs(FRAME.label, FRAME.score)
        assert list(rows[0]) == ["score", "value", "low", "high", "scikit_learn", "difference", "why"]
    elif form == "markdown":
        assert {line.count("|") for line in text.splitlines()} == {6}
    elif form == "json":
        assert len(json.loads(text)) == len(FAMILY)
    else:
        assert "AP@10 over min(k, R)" in text


def test_compressed_and_windows_files(path, tmp_path):
    expected = values_of(path, *COLUMNS)
    FRAME.to_parquet(tmp_path / "scores.parquet")
    windows = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").replace(b",", b" ,", 1) + b"\r\n"
    files = {
        "packed.csv.gz": gzip.compress(path.read_bytes()),
        "PACKED.CSV.GZ": gzip.compress(path.read_bytes()),
        "packed without saying so.csv": gzip.compress(path.read_bytes()),
        "unpacked by the browser.csv.gz": path.read_bytes(),
        "loud.PARQUET": (tmp_path / "scores.parquet").read_bytes(),
        "parquet without saying so": (tmp_path / "scores.parquet").read_bytes(),
        "packed.parquet.gz": gzip.compress((tmp_path / "scores.parquet").read_bytes()),
        "windows.csv": windows,
        "blank lines.csv": b"\n\r\n" + path.read_bytes().replace(b"\n", b"\n\n", 1),
        "old Macintosh.csv": path.read_bytes().replace(b"two\nlines", b"one").replace(b"\n", b"\r"),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        assert values_of(tmp_path / name, *COLUMNS) == expected, name


def test_standard_input(path, tmp_path, monkeypatch):
    expected = rows_of(path, *COLUMNS)
    FRAME.to_parquet(tmp_path / "scores.parquet")
    plain = b"\xef\xbb\xbf" + path.read_bytes()
    (tmp_path / "scores.csv.gz").write_bytes(gzip.compress(plain))
    for name in ("scores.csv.gz", "scores.parquet"):
        with open(tmp_path / name) as stdin:  # its bytes are read, whatever they spell
            monkeypatch.setattr(sys, "stdin", stdin)
            assert rows_of("-", *COLUMNS) == expected
    assert start("-", *COLUMNS, stdin=plain).stdout.startswith(b"'-': 60 rows, ")


def test_pipes_and_closed_ends(path):
    reader, writer = os.pipe()
    os.write(writer, path.read_bytes())  # few bytes, for which a pipe has room
    os.close(writer)
    assert rows_of(f"/dev/fd/{reader}", *COLUMNS) == rows_of(path, *COLUMNS)
    os.close(reader)
    words = f"{sys.executable} -W error -m sklearn_ap"
    columns = " ".join(COLUMNS)
    for command, code, text in [
        (f"{words} - {columns} <&-", 2, "'-': standard input is closed"),
        (f"{words} {path} {columns} >&-", 0, ""),
    ]:
        finished = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert finished.returncode == code, command
        assert text in finished.stderr
        assert finished.stderr.count("\n") == bool(text)
        assert finished.stdout == ""  # also of a refusal


def test_output_that_cannot_be_written(path):
    command = f"{sys.executable} -m sklearn_ap {path} {' '.join(COLUMNS)} > /dev/full"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert finished.returncode != 0
    assert "sklearn_ap: error: [Errno 28] No space left on device\n" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_long_ids_need_no_room_for_all(tmp_path):
    long = "q" * 100_000
    lines = "".join(f"{i % 2},{i},{long if i == 0 else i // 4}\n" for i in range(50_000))
    (tmp_path / "long.csv").write_text("label,score,query\n" + lines)
    assert run(tmp_path / "long.csv", *COLUMNS, "--query-id", "query").code == 0


def test_many_rows_to_a_closed_reader(tmp_path):
    labels, scores = RNG.random(200_000) < 0.05, RNG.random(200_000).round(6)
    lines = [f"{int(label)},{score}\n" for label, score in zip(labels.tolist(), scores.tolist(), strict=True)]
    (tmp_path / "large.csv").write_text("label,score\n" + "".join(lines))
    values = values_of(tmp_path / "large.csv", *COLUMNS)
    assert values["average precision"] == pytest.approx(theirs(labels, scores), abs=1e-12)
    command = f"{sys.executable} -m sklearn_ap {tmp_path / 'large.csv'} {' '.join(COLUMNS)} | head -n 1"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "': 200000 rows, " in finished.stdout
    assert finished.stderr == ""
