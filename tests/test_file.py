"""The table for a user's own scores: real files and hostile ones, as a process."""

import csv
import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score as theirs

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from sklearn_ap.compatibility._records import FAMILY

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
COLUMNS = ["--y-true", "label", "--y-score", "score"]


def start(*arguments, stdin=None):
    command = [sys.executable, "-W", "error", "-m", "sklearn_ap", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def values_of(*arguments, stdin=None) -> dict[str, float | None]:
    finished = start(*arguments, "--format", "json", stdin=stdin)
    assert (finished.returncode, finished.stderr) == (0, b"")
    return {row["score"]: row["value"] for row in json.loads(finished.stdout)}


@pytest.fixture
def path(tmp_path):
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def test_table_of_a_file(path):
    finished = start(path, *COLUMNS)
    assert finished.returncode == 0
    lines = finished.stdout.decode().splitlines()
    assert lines[0].endswith(f"scores.csv: 60 rows, {FRAME.label.sum()} positive")
    assert max(map(len, lines[1:])) <= 80
    value = theirs(FRAME.label, FRAME.score)
    assert f"{value:.4f}" in lines[3]


def test_values(path):
    values = values_of(path, *COLUMNS, "-k", "5")
    assert values["average precision"] == theirs(FRAME.label, FRAME.score)
    assert values["AP@5 over min(k, R)"] == average_precision_at_k_score(FRAME.label, FRAME.score, k=5)
    assert values["AP@5, stable ties"] == average_precision_at_k_score(
        FRAME.label, FRAME.score, k=5, ties="stable"
    )


def test_every_row_of_the_table(path):
    """Each is the function and the options that its name says, with weights too."""
    weight = {"sample_weight": FRAME.amount}
    at_5 = {"k": 5, **weight}
    expected = {
        "average precision": (average_precision_score, weight),
        "interpolated, all recalls": (interpolated_average_precision_score, weight),
        "interpolated, 101 levels": (interpolated_average_precision_score, {"recall_levels": 101, **weight}),
        "eleven-point": (eleven_point_average_precision_score, weight),
        "PR AUC, linear": (pr_auc_score, weight),
        "PR AUC, Davis-Goadrich": (pr_auc_score, {"interpolation": "davis-goadrich", **weight}),
        "AP@5 over min(k, R)": (average_precision_at_k_score, at_5),
        "AP@5 over R": (average_precision_at_k_score, {"normalizer": "n_positives", **at_5}),
        "AP@5 over k": (average_precision_at_k_score, {"normalizer": "k", **at_5}),
        "AP@5 over hits": (average_precision_at_k_score, {"normalizer": "hits", **at_5}),
        "AP@5, stable ties": (average_precision_at_k_score, {"ties": "stable", **at_5}),
        "precision@5": (precision_at_k_score, at_5),
        "recall@5": (recall_at_k_score, at_5),
        "R-precision": (r_precision_score, weight),
    }
    found = values_of(path, *COLUMNS, "-k", "5", "--sample-weight", "amount")
    unequal = {f"AP@5, {ties} ties": None for ties in ("expected", "optimistic", "pessimistic")}
    computed = {name: f(FRAME.label, FRAME.score, **options) for name, (f, options) in expected.items()}
    assert found == computed | unequal
    plain = values_of(path, *COLUMNS, "-k", "5")
    for ties in ("expected", "optimistic", "pessimistic"):
        value = average_precision_at_k_score(FRAME.label, FRAME.score, k=5, ties=ties)
        assert plain[f"AP@5, {ties} ties"] == value
    text = start(path, *COLUMNS, "--sample-weight", "amount", "--format", "json").stdout
    reference = theirs(FRAME.label, FRAME.score, sample_weight=FRAME.amount)
    assert {row["scikit_learn"] for row in json.loads(text)} == {reference}


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
    heading = start(path, *COLUMNS, "--query-id", "query").stdout.decode().splitlines()[1]
    assert heading == "3 queries; scikit-learn's AP takes all rows for one ranking"


@pytest.mark.parametrize("form", ["markdown", "csv", "json", "table"])
def test_formats(path, form):
    text = start(path, *COLUMNS, "--format", form).stdout.decode()
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


def test_other_ways_in(path, tmp_path):
    expected = values_of(path, *COLUMNS)
    (tmp_path / "scores.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert values_of(tmp_path / "scores.csv.gz", *COLUMNS) == expected
    FRAME.to_parquet(tmp_path / "scores.parquet")
    assert values_of(tmp_path / "scores.parquet", *COLUMNS) == expected
    assert values_of("-", *COLUMNS, stdin=b"\xef\xbb\xbf" + path.read_bytes()) == expected
    assert b"not UTF-8 text" in start("-", *COLUMNS, stdin=b"label,score\n1,\xff\n").stderr
    windows = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").replace(b",", b" ,", 1) + b"\r\n"
    (tmp_path / "windows.csv").write_bytes(windows)
    assert values_of(tmp_path / "windows.csv", *COLUMNS) == expected


def test_text_labels(path, tmp_path):
    FRAME.assign(label=np.array(["no", "yes"])[FRAME.label]).to_csv(tmp_path / "text.csv", index=False)
    assert values_of(tmp_path / "text.csv", *COLUMNS, "--pos-label", "yes") == values_of(path, *COLUMNS)
    finished = start(tmp_path / "text.csv", *COLUMNS)
    assert b"column 'label' holds the labels no, yes: name the positive one, --pos-label" in finished.stderr


HEADER = "label,score\n"
HOSTILE = {
    "missing column": ("label,other\n1,0.5\n", "column 'score' is missing; the columns are 'label', 'other'"),
    "duplicate column": ("label,score,score\n1,0.5,1\n", "column 'score' stands there more than once"),
    "empty": ("", "is empty"),
    "header only": (HEADER, "holds no rows"),
    "no number": (HEADER + "1,0.5\n0,high\n", "column 'score', row 2: 'high' is no finite number"),
    "NaN": (HEADER + "1,nan\n0,1\n", "column 'score', row 1: 'nan' is no finite number"),
    "infinity": (HEADER + "1,1\n0,inf\n", "column 'score', row 2: 'inf' is no finite number"),
    "empty score": (HEADER + "1,\n0,1\n", "column 'score', row 1: '' is no finite number"),
    "empty label": (HEADER + "1,2\n,1\n", "column 'label', row 2: no value"),
    "ragged": (HEADER + "1,2\n1\n0,1\n", "row 2 has 1 fields, but the header has 2"),
    "too wide": (HEADER + "1,2,3\n", "row 1 has 3 fields, but the header has 2"),
    "three labels": (HEADER + "0,1\n1,2\n2,3\n", "column 'label' holds 3 labels (0.0, 1.0, 2.0)"),
    "open quote": (HEADER + '1,"2\n0,1\n', "unexpected end of data"),
    "open quote elsewhere": ('label,score,text\n0,0,a\n1,1,"b\n0,2,c\n', "unexpected end of data"),
    "NaN label": (HEADER + "1,2\nnan,1\n", "column 'label', row 2: no value"),
    "text of one kind": (HEADER + "yes,2\nyes,1\n", "name the positive one, --pos-label"),
    "another number": (HEADER + "2,2\n2,1\n", "name the positive one, --pos-label"),
    "semicolons": ("label;score\n1;2\n", "column 'label' is missing; the columns are 'label;score'"),
    "wrong encoding": (HEADER.encode() + b"1,2\n\xff\xfe,1\n", "not UTF-8 text, byte 0xff at"),
    "UTF-16": ((HEADER + "1,2\n").encode("utf-16"), "not UTF-8 text"),
    "binary": (bytes(range(256)), "not UTF-8 text"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files(case, tmp_path):
    content, text = HOSTILE[case]
    file = tmp_path / "hostile.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    finished = start(file, *COLUMNS)
    assert finished.returncode == 2
    assert finished.stdout == b""
    message = finished.stderr.decode()
    assert message.startswith("sklearn_ap: error: ")
    assert text in message
    assert message.count("\n") == 1


def test_files_that_cannot_be_opened(tmp_path):
    (tmp_path / "broken.csv.gz").write_bytes(gzip.compress(b"label,score\n" * 999)[:40])
    (tmp_path / "text.csv.gz").write_text("label,score\n")
    (tmp_path / "broken.parquet").write_text("label,score\n")
    names = ["none.csv", "none.parquet", "broken.csv.gz", "text.csv.gz", "broken.parquet", ""]
    for name in names:
        finished = start(tmp_path / name, *COLUMNS)
        assert finished.returncode == 2, name
        assert finished.stderr.startswith(b"sklearn_ap: error: "), name
        assert finished.stderr.count(b"\n") == 1, name


def test_nulls_in_parquet(tmp_path):
    FRAME.assign(score=FRAME.score.where(FRAME.index != 7)).to_parquet(tmp_path / "null.parquet")
    finished = start(tmp_path / "null.parquet", *COLUMNS)
    assert b"column 'score', row 8: " in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-k", "0"], "k must be None, an integer >= 1"),
        (["--n-positives", "1"], "n_positives must not be below"),
        (["--pos-label", "7"], "column 'label' holds the labels 0.0, 1.0: name the positive one"),
        (["--sample-weight", "text"], "column 'text', row 1: 'a, b' is no finite number"),
        (["--query-id", "nothing"], "column 'nothing' is missing"),
    ],
)
def test_wrong_arguments(path, arguments, text):
    finished = start(path, *COLUMNS, *arguments)
    assert finished.returncode == 2
    assert text in finished.stderr.decode()
    assert finished.stderr.count(b"\n") == 1


def test_a_file_needs_its_columns_and_columns_a_file(path):
    for arguments in ([path], [path, "--y-true", "label"], [path, "--y-score", "score"]):
        finished = start(*arguments)
        assert finished.returncode == 2
        assert b"a file needs --y-true and --y-score" in finished.stderr
    assert b"columns need a file" in start(*COLUMNS).stderr


def test_output_that_cannot_be_written(path):
    command = f"{sys.executable} -m sklearn_ap {path} {' '.join(COLUMNS)} > /dev/full"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert finished.returncode != 0
    assert "sklearn_ap: error: " in finished.stderr
    assert "Traceback" not in finished.stderr


def test_long_ids_need_no_room_for_all(tmp_path):
    long = "q" * 100_000
    lines = "".join(f"{i % 2},{i},{long if i == 0 else i // 4}\n" for i in range(50_000))
    (tmp_path / "long.csv").write_text("label,score,query\n" + lines)
    assert start(tmp_path / "long.csv", *COLUMNS, "--query-id", "query").returncode == 0


def test_no_positive_is_no_error(tmp_path):
    (tmp_path / "none.csv").write_text(HEADER + "0,1\n0,2\n")
    assert values_of(tmp_path / "none.csv", *COLUMNS)["average precision"] == 0.0


def test_a_million_rows_to_a_closed_reader(tmp_path):
    labels, scores = RNG.random(1_000_000) < 0.05, RNG.random(1_000_000).round(6)
    lines = [f"{int(label)},{score}\n" for label, score in zip(labels.tolist(), scores.tolist(), strict=True)]
    (tmp_path / "large.csv").write_text(HEADER + "".join(lines))
    values = values_of(tmp_path / "large.csv", *COLUMNS)
    assert values["average precision"] == pytest.approx(theirs(labels, scores), abs=1e-12)
    command = f"{sys.executable} -m sklearn_ap {tmp_path / 'large.csv'} {' '.join(COLUMNS)} | head -n 1"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "1000000 rows" in finished.stdout
    assert finished.stderr == ""
