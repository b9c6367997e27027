"""Inputs of users who come from other packages, spreadsheets and databases: inputs that
raise an error, each with its cause and a line that runs, and inputs that are read.
"""

# ruff: noqa: E501  # an input is a line, which a reader copies

import bz2
import gzip
import io
import json
import pickle
import sqlite3
from contextlib import closing
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather

import sklearn_ap as ap
from doors import text_of

N = 40
PLACE = np.arange(N)
RNG = np.random.default_rng(7)
y = (PLACE % 3 == 0).astype(int)
s = np.clip(RNG.normal(0.4 + 0.2 * y, 0.2), 0.01, 0.99).round(3)
p = np.column_stack([1 - s, s])
grades = PLACE % 4
three = np.array(["ant", "bee", "cat"])[PLACE % 3]
attack = np.where(
    y, np.array(["smurf.", "neptune.", "back."])[PLACE // 3 % 3], "normal."
)
unsure = np.where(PLACE % 5 == 0, -1, y)
raters = PLACE % 4 / 3
genres = np.array(["drama", "drama comedy", "comedy", "drama action"])[PLACE % 4]
matrix = np.column_stack([y, 1 - y, PLACE % 2])
scores3 = np.column_stack([s, 1 - s, s**2])
frame = pd.DataFrame({"label": y, "score": s})


def table(scores, sign=",", labels=(1, 0, 1, 0)):
    """Return the text of a file with a label and a quoted score per row."""
    rows = [
        f'{label}{sign}"{score}"' for label, score in zip(labels, scores, strict=True)
    ]
    return "\n".join([f"label{sign}score", *rows, ""])


def run(*arguments):
    """Run the command, which is imported now: other inputs do not need it."""
    return import_module("shell").run(*arguments)


def shell(content, *options, name="rows.csv"):
    """Return what the command prints for a file with this content."""
    if isinstance(content, pd.DataFrame):
        content.to_parquet(name)
    else:
        data = content if isinstance(content, bytes) else content.encode()
        with open(name, "wb") as file:
            file.write(data)
    finished = run(name, *options)
    if finished.code:
        raise ValueError(finished.err)
    return finished.words.partition(": ")[2]


def saved(write):
    """Return the bytes that a function writes into a file."""
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def database():
    with closing(sqlite3.connect("rows.db")) as connection, connection:
        frame.to_sql("rows", connection, if_exists="replace")
    with open("rows.db", "rb") as file:
        return file.read()


def stream():
    return saved(
        lambda file: pa.ipc.new_stream(file, pa.table(dict(frame)).schema).close()
    )


def two_files(*options):
    frame[["label"]].to_csv("truth.csv", index_label="id")
    frame[["score"]].to_csv("scores.csv", index_label="id")
    finished = run("truth.csv", "scores.csv", *options)
    if finished.code:
        raise ValueError(finished.err)
    return finished.words


wide = pd.DataFrame({f"{kind}_{c}": scores3[:, c] for kind in "tp" for c in range(3)})
lists = pd.DataFrame(
    {"query": ["a", "b"], "gold": [["d1"], ["d2"]], "found": [["d1", "d3"], ["d2"]]}
)
csv = frame.to_csv(index=False).encode()

# Each input, words of its error (the cause, and what to write), and a line that runs.
REFUSED = [
    # fields of files
    (
        "shell(table(['[0.3, 0.7]', .2, .6, .1]))",
        ["'[0.3, 0.7]'", "is a list", "one number per row"],
        "shell(table([.7, .2, .6, .1]))",
    ),
    (
        "shell(table(['np.float64(0.5)', .2, .6, .1]))",
        ["the text of an object", "float("],
        "shell(table([.5, .2, .6, .1]))",
    ),
    (
        "shell(table(['87%', '20%', '60%', '10%']))",
        ["a percentage", "without %"],
        "shell(table([.87, .2, .6, .1]))",
    ),
    (
        "shell(table(['1,234', '987', '56', '12'], '\\t'))",
        ["'1,234'", "thousands", "decimal"],
        "shell(table([1234, 987, 56, 12], '\\t'))",
    ),
    (
        "shell(table(['0,9', '0.2', '0,6', '0,1'], ';'))",
        ["comma", "point"],
        "shell(table(['0,9', '0,2', '0,6', '0,1'], ';'))",
    ),
    (
        "shell(table(['0,9', '0,2', '0,6', '0,1']))",
        ["decimal comma", "point"],
        "shell(table([.9, .2, .6, .1]))",
    ),
    (
        "shell(table(['True', 'False', 'True', 'False']))",
        ["yes or no", "1 and 0"],
        "shell(table([1, 0, 1, 0]))",
    ),
    (
        "shell(table(['<0.001', .2, .6, .1]))",
        ["a bound", "the number"],
        "shell(table([.001, .2, .6, .1]))",
    ),
    (
        "shell(table([\"{'yes': 0.4}\", .2, .6, .1]))",
        ["a mapping", "one number per row"],
        "shell(table([.4, .2, .6, .1]))",
    ),
    (
        "shell(table(['12 ms', '3 ms', '7 ms', '1 ms']))",
        ["a number with a unit", "the number"],
        "shell(table([12, 3, 7, 1]))",
    ),
    (
        "shell('label;score;euros\\n1;0,9;12,500\\n0;0,3;900\\n1;0,2;1,100\\n0;0,1;5\\n', '--amount', 'euros', '-k', '2')",
        ["euros", "'12,500'", "thousands", "decimal"],
        "shell('label;score;euros\\n1;0,9;12500\\n0;0,3;900\\n1;0,2;1100\\n0;0,1;5\\n', '--amount', 'euros', '-k', '2')",
    ),
    # files by their first bytes
    (
        "shell(saved(lambda file: np.save(file, s)), name='scores.npy')",
        ["numpy", "to_csv"],
        "shell(csv)",
    ),
    (
        "shell(pickle.dumps(frame), name='scores.pkl')",
        ["pickle", "CSV or Parquet"],
        "shell(csv)",
    ),
    (
        "shell(saved(lambda file: feather.write_feather(frame, file)), name='a.feather')",
        ["Feather", "Parquet"],
        "shell(frame)",
    ),
    ("shell(stream(), name='a.arrows')", ["Arrow", "Parquet"], "shell(frame)"),
    (
        "shell(bz2.compress(csv), name='a.csv.bz2')",
        ["bzip2", "unpack"],
        "shell(bz2.decompress(bz2.compress(csv)))",
    ),
    ("shell(database(), name='copy.db')", ["SQLite", "CSV or Parquet"], "shell(csv)"),
    (
        "shell(b'\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1' + bytes(90), name='a.xls')",
        ["Excel", "CSV or Parquet"],
        "shell(csv)",
    ),
    (
        "shell('<!DOCTYPE html>\\n<title>Sign in</title>', name='download.csv')",
        ["HTML", "download"],
        "shell(csv)",
    ),
    (
        "ap.read_trec(put('run.pkl', pickle.dumps({'q': {'d': 1}})), run={'q': {'d': 1}})",
        ["pickle", "CSV or Parquet"],
        "ap.read_trec({'q': {'d': 1}}, run={'q': {'d': 1}})",
    ),
    # columns that are missing
    ("shell(lists)", ["read_lists"], "ap.read_lists(lists.gold, lists.found)"),
    (
        "ap.distributed.score('average_precision', lists)",
        ["read_lists", "explode"],
        "lists.explode('found')",
    ),
    ("shell(wide)", ["melt", "report"], "ap.report(matrix, scores3)"),
    (
        "shell('label|score\\n1|0.9\\n0|0.2\\n')",
        ["'|'", "commas, semicolons or tabs"],
        "shell(table([.9, .2, .6, .1]))",
    ),
    (
        "two_files()",
        ["one below the other", "join", "merge"],
        "pd.read_csv('truth.csv').merge(pd.read_csv('scores.csv'), on='id')",
    ),
    # labels of several values
    (
        "ap.average_precision_score(grades, s)",
        ["0 (10 rows)", ">= 2"],
        "ap.average_precision_score(np.asarray(grades) >= 2, s)",
    ),
    (
        "shell(pd.DataFrame({'label': grades, 'score': s}))",
        ["4 labels", "0 (10 rows)", "write a column", ">= 2"],
        "shell(pd.DataFrame({'label': (grades >= 2).astype(int), 'score': s}))",
    ),
    (
        "ap.precision_at_k_score(unsure, s, k=5)",
        ["-1 (8 rows)", "!= -1"],
        "ap.precision_at_k_score(unsure[unsure != -1], s[unsure != -1], k=5)",
    ),
    (
        "ap.estimate_score('average_precision', attack, s)",
        ["'normal.'", "np.asarray(y_true) != 'normal.'"],
        "ap.estimate_score('average_precision', np.asarray(attack) != 'normal.', s)",
    ),
    (
        "shell(pd.DataFrame({'label': attack, 'score': s}))",
        ["'normal.'", "!= 'normal.'", "--pos-label"],
        "shell(pd.DataFrame({'label': attack, 'score': s}), '--pos-label', 'smurf.')",
    ),
    (
        "ap.r_precision_score(raters, s)",
        ["shares", ">= 0.5"],
        "ap.r_precision_score(np.asarray(raters) >= 0.5, s)",
    ),
    (
        "ap.average_precision_score(genres, s)",
        ["lists of labels", "MultiLabelBinarizer"],
        "ap.average_precision_score(matrix, scores3)",
    ),
    ("ap.pr_auc_score(s, y)", ["swap"], "ap.pr_auc_score(y, s)"),
    (
        "ap.report(three, s)",
        ["y_true has 3 values", "pos_label='ant'"],
        "ap.report(three, s, pos_label='ant')",
    ),
    # words of other packages
    (
        "ap.compare_scores('average_precision', y, s, s**2 - y, n_resamples=999)",
        ["compare_scores takes no argument 'n_resamples'", "draw no samples"],
        "ap.compare_scores('average_precision', y, s, s**2 - y)",
    ),
    (
        "ap.average_precision_score(y, s, k=10)",
        [
            "average_precision_score takes no argument 'k'",
            "average_precision_at_k_score(k=...)",
        ],
        "ap.average_precision_at_k_score(y, s, k=10)",
    ),
    (
        "ap.precision_at_k_score(y, s, top_k=10)",
        ["precision_at_k_score takes no argument 'top_k'", "k=top_k"],
        "ap.precision_at_k_score(y, s, k=10)",
    ),
    (
        "ap.recall_at_k_score(y, s, n_relevant=30)",
        ["recall_at_k_score takes no argument 'n_relevant'", "n_positives=n_relevant"],
        "ap.recall_at_k_score(y, s, n_positives=30)",
    ),
    # values in Python
    (
        "ap.average_precision_score(np.where(PLACE[:, None] == 2, np.nan, matrix), scores3)",
        ["NaN", "np.nonzero(keep)"],
        "ap.average_precision_score(matrix[matrix >= 0], scores3[matrix >= 0], query_id=np.nonzero(matrix >= 0)[1])",
    ),
    (
        "ap.average_precision_score(matrix, scores3, sample_weight=matrix)",
        ["sample_weight", "np.nonzero(keep)"],
        "ap.average_precision_score(matrix[matrix > 0], scores3[matrix > 0], query_id=np.nonzero(matrix > 0)[1])",
    ),
    (
        "ap.AveragePrecisionDisplay.from_predictions(y, s, name=5)",
        ["name must be", "5"],
        "ap.AveragePrecisionDisplay.from_predictions(y, s, name='5')",
    ),
    (
        "ap.distributed.RankingState().update([], [], sample_weight=[])",
        ["empty"],
        "ap.distributed.RankingState().update([1, 0], [2, 1], sample_weight=[1, 1])",
    ),
]

if hasattr(pl, "Int128"):  # from polars 1.18 on
    REFUSED.append(
        (
            "ap.average_precision_score(y, pl.Series(range(N), dtype=pl.Int128))",
            ["y_score", "Int128", "cast("],
            "ap.average_precision_score(y, pl.Series(range(N), dtype=pl.Int128).cast(pl.Int64))",
        )
    )

# Each input that is read, and its plain form, which has the same answer.
READ = [
    (
        "shell(table(['0,9', '0,2', '0,6', '0,1'], ';'))",
        "shell(table([.9, .2, .6, .1]))",
    ),
    (
        "shell(table(['0,123', '0,987', '0,456', '0,111'], ';'))",
        "shell(table([.123, .987, .456, .111]))",
    ),
    (
        "shell(table(['1,234', '0,987', '0,456', '87,5'], ';'))",
        "shell(table([1.234, .987, .456, 87.5]))",
    ),
    (
        "shell(table(['-1,75', ',25', '2,5e-1', '1'], '\\t'))",
        "shell(table([-1.75, .25, .25, 1]))",
    ),
    (
        "shell(table(['0,9', '0,2', '0,6', '0,1'], ';', ['ja, x', 'nein', 'ja, x', 'nein']), '--pos-label', 'ja, x')",
        "shell(table([.9, .2, .6, .1], ';', ['ja, x', 'nein', 'ja, x', 'nein']), '--pos-label', 'ja, x')",
    ),
    (
        "shell('id;label;score\\n1,234;1;0,9\\n2,5;0;0,2\\n')",
        "shell('id;label;score\\n1;1;.9\\n2;0;.2\\n')",
    ),
    (
        "shell('label;score;euros\\n1;0,9;12,5\\n0;0,3;9\\n', '--amount', 'euros', '-k', '1')",
        "shell('label;score;euros\\n1;0.9;12.5\\n0;0.3;9\\n', '--amount', 'euros', '-k', '1')",
    ),
    ("shell(gzip.compress(csv), name='rows.csv')", "shell(csv)"),
    ("shell(csv.replace(b'label', b'PAR1'), '--y-true', 'PAR1')", "shell(csv)"),
    ("shell(csv.replace(b'label', b'<html'), '--y-true', '<html')", "shell(csv)"),
    ("shell('label,score\\r1,2,\\r0,1,\\r')", "shell('label,score\\n1,2\\n0,1\\n')"),
    ("shell('label,score\\n\\n1,2,\\n0,1,\\n')", "shell('label,score\\n1,2\\n0,1\\n')"),
    (
        'shell(\'{\\n"label": 1,\\n"score": 2\\n}\\n{\\n"label": 0,\\n"score": 1\\n}\\n\', name=\'b.json\')',
        "shell('label,score\\n1,2\\n0,1\\n')",
    ),
    (
        "shell('\\n'.join([json.dumps({'label': i % 2, 'score': i}) for i in range(101)] + ['{\"label\": 1, \"score\": 5, \"w\": 2}']), '--sample-weight', 'w', '--drop-missing', name='late.jsonl')",
        "shell('label,score,w\\n1,5,2\\n' + '0,1,\\n1,1,\\n' * 50 + '0,1,\\n', '--sample-weight', 'w', '--pos-label', '1', '--drop-missing')",
    ),
    ("shell(table(['1e3', '5E-2', '+7', '-.5']))", "shell(table([1000, .05, 7, -.5]))"),
    ("shell(pd.DataFrame({'label': y.astype(bool), 'score': s}))", "shell(csv)"),
    (
        "shell(pd.DataFrame({'label': np.where(y, 'yes', 'no'), 'score': s}))",
        "shell(csv.replace(b'\\n1,', b'\\nyes,').replace(b'\\n0,', b'\\nno,'))",
    ),
    (
        "ap.average_precision_score(grades >= 2, s)",
        "ap.average_precision_score((grades >= 2).tolist(), s.tolist())",
    ),
    (
        "ap.average_precision_score(three, s, pos_label='bee')",
        "ap.average_precision_score(three == 'bee', s)",
    ),
    (
        "ap.operating_point(grades, s, recall=.5, pos_label=2).recall",
        "ap.operating_point(grades == 2, s, recall=.5).recall",
    ),
]


def put(path, content):
    """Write a file with this content, and return its path."""
    with open(path, "wb") as file:
        file.write(content)
    return path


# The names that the code of an input may use.
NAMES = globals() | {
    module.__name__.split(".")[-1]: module
    for module in (bz2, gzip, json, pickle, feather)
}
NAMES |= {"ap": ap, "pl": pl, "pa": pa}


def value_of(code):
    return eval(code, NAMES)


@pytest.mark.parametrize(("code", "words", "line"), REFUSED)
def test_an_error_says_the_cause_and_a_line_that_runs(
    code, words, line, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError)) as caught:
        value_of(code)
    text = text_of(caught.value)
    assert [word for word in words if word not in text] == [], text
    value_of(line)


@pytest.mark.parametrize(("code", "other"), READ)
def test_what_is_read_as_its_plain_form(code, other, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert value_of(code) == value_of(other)
