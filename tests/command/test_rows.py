"""Rows of the command: its answers are those of Python, its gates have the verdict of an
interval, and its files have these values.
"""

import contextlib
import gzip
import io
import json
import os
import re
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from few_positives import may_warn_of_few_positives
from report_rows import ROWS
from shell import error_of, run
from sklearn_ap import __version__, compare_many, estimate_score, report
from sklearn_ap._command.files import (
    Column,
    SourceError,
    distinct_files,
    read_columns,
    read_id,
)
from sklearn_ap._command.options import read_options
from sklearn_ap._command.rows import arguments_of
from sklearn_ap._command.run import main

Y, OLD, WEIGHT = (ROWS[name] for name in ("label", "old", "weight"))
DAY, CUSTOMER = (ROWS[name].astype(str) for name in ("day", "customer"))
MODELS = {"old": OLD, "weight": WEIGHT}
CHOSEN, FIXED = [("miss_cost", 3.0), ("threshold", 1)], [("k", 9), ("threshold", 1.0)]
NEGATED = {"y_score": -ROWS["score"], "compare": {"old": -OLD}}
# The options of a command line, and the arguments of `report` that say the same.
SAME = [
    ("", {}),
    ("--y-true day --pos-label 07.0 --y-score old", {"y_true": ROWS["day"] == 7, "y_score": OLD, "name": "old"}),
    ("--compare old --compare weight -k 5 -k 0.1 --conventions", {"compare": MODELS, "k": [5, 0.1], "conventions": []}),
    ("--query-id day --compare old --sample-weight weight -k 2", {"query_id": DAY, "compare": {"old": OLD}, "sample_weight": WEIGHT, "k": 2}),
    ("--unit-id customer --threshold-at miss-cost=3. --threshold-at threshold=1", {"unit_id": CUSTOMER, "threshold_at": CHOSEN}),
    ("--n-positives 90 -k 5% --conventions COCO BEIR", {"n_positives": 90, "k": 0.05, "conventions": ["COCO", "BEIR"]}),
    ("--amount weight --sample-weight weight -k 30 --identify .50", {"amount": WEIGHT, "sample_weight": WEIGHT, "k": 30, "identify": ".50"}),
    ("--lower-is-better --compare old --amount weight -k 9 --threshold-at k=9 --threshold-at threshold=-1", {**NEGATED, "amount": WEIGHT, "k": 9, "threshold_at": FIXED, "title": "{} (scores are negated)"}),
]  # fmt: skip


@may_warn_of_few_positives
@pytest.mark.parametrize(("options", "arguments"), SAME)
def test_an_answer_is_that_of_python(path, options, arguments):
    base = {"y_true": Y, "y_score": ROWS["score"], "name": "score", "title": "{}"}
    arguments = {**base, **arguments}
    made = report(**arguments | {"title": arguments["title"].format(path)})
    text, form = str(made), []
    if options:
        text, form = json.dumps(made.to_dict(), indent=2), ["--format", "json"]
    code, out, err = run(path, *options.split(), *form)
    assert (code, out) == (0, f"{text}\n")
    assert err.count("sklearn-ap: warning: ") == len(made.warnings)


ESTIMATE = estimate_score("average_precision", Y, ROWS["score"])
MANY = compare_many(
    "average_precision", Y, {"score": ROWS["score"], **MODELS}, reference="score"
)
AP = [ESTIMATE.score, *ESTIMATE.confidence_interval(0.9)]
# The differences of the other models from the first one.
FROM_OLD, FROM_WEIGHT = zip(
    MANY.difference, *MANY.confidence_interval(0.9), strict=True
)
PASSES, FAILS = (True, "Passes", "not significantly"), (False, "Fails", "significantly")
# The options of gates, and the verdict, the value and the limit of each gate.
GATES = [
    (f"--fail-below {AP[2]}", 0, [(PASSES, "AP", AP, AP[2])]),
    (f"--fail-below {AP[2] + 1e-9}", 3, [(FAILS, "AP", AP, AP[2] + 1e-9)]),
    ("--fail-below 90%", 3, [(FAILS, "AP", AP, 0.9)]),
    ("--fail-below 0 --fail-if-lower", 0, [(PASSES, "AP", AP, 0), (PASSES, "old", FROM_OLD, 0), (PASSES, "weight", FROM_WEIGHT, 0)]),
    (f"--fail-if-lower {FROM_OLD[1]}", 0, [(PASSES, "old", FROM_OLD, FROM_OLD[1]), (PASSES, "weight", FROM_WEIGHT, FROM_OLD[1])]),
    (f"--fail-if-lower {FROM_OLD[1] - 1e-9}", 3, [(FAILS, "old", FROM_OLD, FROM_OLD[1] - 1e-9), (PASSES, "weight", FROM_WEIGHT, FROM_OLD[1] - 1e-9)]),
    ("--fail-if-lower -0.4 --fail-below 0.1", 3, [(PASSES, "AP", AP, 0.1), (FAILS, "old", FROM_OLD, -0.4), (PASSES, "weight", FROM_WEIGHT, -0.4)]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "code", "gates"), GATES)
def test_a_gate_has_the_verdict_of_its_interval(path, options, code, gates):
    command = [path, "--compare", "old", "--compare", "weight", *options.split()]
    found, out, _ = run(*command, "--format", "json")
    assert found == code
    parts = [part for part in json.loads(out)["parts"] if part["name"] == "gate"]
    for part, (verdict, other, numbers, limit) in zip(parts, gates, strict=True):
        passes, word, relation = verdict
        models, title, side = ["score"], other, "below"
        if other != "AP":
            models, title, side = (
                [other, "score"],
                f"AP of {other} minus score",
                "above",
            )
        value, low, high = numbers
        assert part["result"] == {
            "gate": "fail_below" if other == "AP" else "fail_if_lower",
            "models": models,
            "passes": passes,
            "value": value,
            "low": low,
            "high": high,
            "limit": limit,
            "confidence_level": 0.9,
        }
        pattern = rf"(\S+), 90 % interval (\S+) to (\S+), (.*) {side} (\S+) \(one-"
        shown = re.match(rf"{word}: {title} is {pattern}", part["text"])
        first, *ends, found_relation, found_limit = shown.groups()
        assert (found_relation, found_limit) == (relation, f"{limit:.12g}")
        # All numbers of a gate have one number of decimals.
        decimals = len(first.partition(".")[2])
        assert [first, *ends] == [f"{x:.{decimals}f}" for x in numbers]


NONE = "No answer: without positives, AP has no interval.\n"
# The rows of a file, the options of a gate, and the first words of the answer.
UNANSWERED = [
    ("0,2,1 0,1,2", "--fail-below 0", NONE),
    ("0,2,1 0,1,2", "--compare old --fail-if-lower", NONE),
    ("1,3,1 0,2,2 0,1,3", "--fail-below 0.5", "No answer: AP has no interval.\n"),
]


@pytest.mark.parametrize(("rows", "options", "words"), UNANSWERED)
def test_without_an_interval_a_gate_has_no_answer(tmp_path, rows, options, words):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["label,score,old", *rows.split()]))
    code, out, _ = run(path, *options.split())
    assert (code, out[: len(words)]) == (4, words)


def test_a_failure_comes_before_a_gate_without_an_answer():
    with patch("sklearn_ap._command.run._answer", lambda _: ("", [None, False])):
        assert run("a.csv")[0] == 3


# What a command line without files prints: its first words, and some others.
PRINTED = [
    ("--version", __version__, []),
    (
        "--help",
        "usage: sklearn-ap [FILE ...] [options]",
        [
            "examples: sklearn-ap --",
            "COLUMN labels (default: l",
            "exit codes: 0 an answer;",
        ],
    ),
    (
        "--example --fail-if-lower",
        "This example ranks images of digits",
        [
            *(" Passes: AP of the default minus the tuned", " is 0.84, 95 % interval"),
            *(" positives are in the first 20 rows. ", " scikit-learn's AP is 0."),
        ],
    ),
    (
        "--example -k 5 --conventions COCO",
        "This example ranks images of digits",
        [" positives are in the first 5 rows. ", " COCO 0.83"],
    ),
]


@pytest.mark.parametrize(("options", "first", "others"), PRINTED)
def test_lines_have_at_most_79_characters(monkeypatch, options, first, others):
    monkeypatch.setenv("COLUMNS", "120")
    code, out, err = run(*options.split())
    assert (code, err) == (0, "")
    assert out.startswith(first)
    assert all(words in " ".join(out.split()) for words in others)
    assert max(map(len, out.splitlines())) <= 79


# Labels of a file, options, and the labels that are read.
LABELS = [
    ("1 0 -1 -0 1.0 1e0 +1 t F True FALSE yes No y n", "", "100011110101010"),
    ("2 2.0 002 +2e0 1.50 -0 x", "--pos-label 2", "2 2 2 2 1.5 0 x"),
    (f"{2**53 + 1} 1.", f"--pos-label {2**53 + 1}", f"{2**53 + 1} 1"),
]


@pytest.mark.parametrize(("labels", "options", "read"), LABELS)
def test_labels_of_one_number_are_one_label(tmp_path, labels, options, read):
    lines = [f"{label},1" for label in labels.split()]
    (tmp_path / "a.csv").write_text("\n".join(["label,score", *lines]))
    found = arguments_of(read_options([str(tmp_path / "a.csv"), *options.split()]))
    expected = read.split() if options else [label == "1" for label in read]
    assert found["y_true"].tolist() == expected


BOM = b"\xef\xbb\xbf"
# The name and the content of a file, and the ids that are read.
FILES = [
    ("a.json", BOM + b'[{"id": 1.0}, {"id": 2.5}, {"id": "x"}]', "1 2.5 x"),
    ("a.JSONL", BOM + b'{"id": true}\n\n{"id": [1, null]}\n', "true|[1, null]"),
    ("a.ndjson", b'{"id": 7}\r\n{"b": 1, "id": 1e5}', "7 100000"),
    ("a.json", b'[{"id": -0.0}]', "0"),
    ("a.csv", BOM + b"id\n1.0\n-2.0\n", "1 -2"),
    # A text without a point and without a sign in the exponent may be a hash.
    ("a.csv", b"id\n9007199254740991.0\n12e5\n1e+05\n70e-1\n+3", "9007199254740991 12e5 100000 7 +3"),
    ("a.json", b'[{"id": 9007199254740991.0}, {"id": "1e99"}]', "9007199254740991 1e99"),
    ("a.parquet", {"id": [2.0**53 - 1, -3]}, "9007199254740991 -3"),
    ("a.csv", b"id,b\r\n1.0,\r\n\r\n2.5,3\r\n", "1 2.5"),
    ("a.csv", b"id\n01\n1.0\n10.0\n1.10\n1.000000000000000000001\n1.0e-400\n", "01 1 10 1.10 1.000000000000000000001 1.0e-400"),
    ("a.tsv", b'"b,c,d"\tid\n1\t"x\ty"\n', "x\ty"),
    ("a.csv", b'"a\nb;c;d";id\n1;"x""y"\n', 'x"y'),
    ("a.parquet", {"^id$": [9.5, 8], "id": [1.0, 2.5]}, "1 2.5"),
    ("a.parquet", {"id": [True, False]}, "true false"),
    ("a.parquet", {"id": np.array(["2026-11-30"], "datetime64[D]")}, "2026-11-30"),
    # The csv module accepts 131,072 characters, unless it is told otherwise.
    ("a.csv", b"id,b\n1," + b"b" * 2**18, "1"),
    ("a[1].parquet", {"id": [-0.0, 2.0**52]}, f"0 {2**52}"),
    ("a.parquet", {"id": np.float32([3, -1])}, "3 -1"),
    ("a.parquet", {"id": [10**16 + 1, -5, 2**62]}, f"{10**16 + 1} -5 {2**62}"),
    ("a.json", f'[{{"id": {10**16}}}, {{"id": {10**16 + 1}}}]'.encode(), f"{10**16} {10**16 + 1}"),
    ("a.parquet", {"id": [{"a": 1.0}, {"a": None}]}, '{"a": 1.0}|{"a": null}'),
]  # fmt: skip


def written(path, content):
    """Write bytes, or columns in Parquet. Return the path."""
    if isinstance(content, dict):
        pl.DataFrame(content).write_parquet(path)
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize(("name", "content", "ids"), FILES)
def test_ids_of_files_are_texts(tmp_path, name, content, ids):
    # The name of a file is no pattern, which would match this other file.
    written(tmp_path / name.replace("[1]", "1"), b"PAR1")
    path = written(tmp_path / name, content)
    column = Column("id", "--query-id", read_id)
    [found] = read_columns(distinct_files([str(path)]), [column])
    expected = ids.split("|") if "|" in ids else ids.split(" ")
    # Versions of polars write an exponent in two ways.
    assert [text.replace("e+", "e") for text in found] == [
        text.replace("e+", "e") for text in expected
    ]


@pytest.mark.parametrize(
    "id_",
    ["9007199254740992.0", "1.2345678901234568e+16", "-1.5E16", "1e+16", "1e+400"],
)
def test_a_float_that_may_be_a_rounded_integer_is_no_id(tmp_path, id_):
    path = written(tmp_path / "a.csv", f"id\n7.0\n{id_}\n".encode())
    column = Column("id", "--query-id", read_id)
    with pytest.raises(SourceError, match=r"line 3, column 'id' .* may be rounded"):
        read_columns([str(path)], [column])


LATIN = b"label,score\n1,2\n0,2\n1,\xe9"
NO_TEXT = "must be text in UTF-8, or end in .parquet: 'utf-8' codec can't decode byte "
SCORE_OF_2 = "row 2, column 'score' (--y-score): must be a number; drop the rows that"
LABEL_OF_2 = "row 2, column 'label' (--y-true): must be a value; got ''"
# The name and the content of a file, and words of the error after the name.
UNREADABLE = [
    ("a.npy", b"\x93NUMPY", f"{NO_TEXT}0x93 in position 0"),
    ("a.csv", LATIN + b"a\n", f"{NO_TEXT}0xe9 in position {len(LATIN) - 1}"),
    ("a.csv.gz", gzip.compress(b"label,score\n1,.5\n", mtime=0)[:-9], "Compressed file ended"),
    ("a.csv.gz", b"label,score\n1,.5\n", "Not a gzipped file"),
    ("a.parquet", b"PAR1 and no more", ""),
    ("a.jsonl", b'{"label": 1, "score": ', "row 1: Expecting value"),
    # The row of an array is known once the array is read.
    ("a.json", b'[{"label": 1, "score": 1},\n{"label": 0, "score": }]', "Expecting value: line 2"),
    ("a.json", b'[{"label": 1, "score": 1}, {"label": 0, "label": 1}]', "row 2: must have one column 'label' (--y-true) and one column 'score'"),
    ("a.json", b'[{"label": 1, "score": 1}, 3]', "row 2: must be an object; got 3"),
    ("a.jsonl", b'{"label": 1, "score": {"a": 0.5}}', """row 1, column 'score' (--y-score): must be a number such as 1234.5, with a decimal point and without %; got '[["a", 0.5]]'"""),
    ("a.jsonl", b'{"label": 1, "score": 1}\n{"label": null, "score": 1}', LABEL_OF_2),
    ("a.parquet", {"label": ["1"], "score": [[0.25, 0.5]]}, "row 1, column 'score' (--y-score): must be a number such as 1234.5, with a decimal point and without %; got '[0.25, 0.5]'"),
    ("a.parquet", {"label": [1, 0], "score": [0.5, None]}, SCORE_OF_2),
    ("a.parquet", {"label": [1, 0], "score": [2**53, 2**53 + 1]}, "row 2, column 'score' (--y-score): must be a finite number that float64 has; got '9007199254740993'"),
    ("a.csv", b"label,score\n1,-9007199254740993\n", "line 2, column 'score' (--y-score): must be a finite number that float64 has; got '-9007199254740993'"),
    ("a.parquet", {"label": [1.0, np.nan], "score": [1, 2]}, LABEL_OF_2),
    ("a.parquet", {"label": [1]}, "must have one column 'score' (--y-score); got columns ['label']"),
    ("a.csv", b'"a\nb\nc",label,score\nx,1,2\n"y\nz",0,\n', "line 6, column 'score'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "words"), UNREADABLE)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path, monkeypatch, name, content, words
):
    # The rows of all slices have one numbering.
    monkeypatch.setattr("sklearn_ap._command.files._ROWS_OF_SLICE", 1)
    path = written(tmp_path / name, content)
    assert error_of(path).startswith(f"{path}: {words}")


def test_standard_input_has_a_name():
    assert error_of("-") == "-: for standard input, name the file /dev/stdin"


def test_a_file_with_the_name_of_an_option_is_a_file():
    assert error_of("k.csv") == "k.csv: No such file or directory"


def test_a_gate_fails_although_the_reader_has_ended(path):
    """As in `sklearn-ap scores.csv --fail-below 1 | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    with (
        os.fdopen(writer, "w") as out,
        contextlib.redirect_stdout(out),
        pytest.raises(SystemExit, match="3"),
    ):
        main([str(path), "--fail-below", "1"])


def test_an_output_without_the_letters_has_their_escapes(tmp_path):
    path = written(tmp_path / "新.csv", b"label,score\n0,1\n")
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(out):
        main([str(path)])
    assert b"\\u65b0.csv:" in out.buffer.getvalue()
