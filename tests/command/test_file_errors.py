"""Errors about files and options: one line that names the file, the column and the
value.
"""

import pytest

from shell import error_of

HEADER = "label,score\n"
# The errors of readers are in REFUSALS of `tests/rows/test_files.py`.
HOSTILE = {
    "no number": (
        HEADER + "1,52.69%\n0,high\n",
        "column 'score': '52.69%' is a percentage: write shares without %, such as 0.5269",
    ),
    "grades": (
        HEADER + "0,2\n1,1\n2,3\n0,4\n",
        "'label': contains 3 labels: 0 (2 rows), 1 (1 row), 2 (1 row); for grades, "
        "write a column of 0 and 1 by label >= 1 or another level; for one label against "
        "the others, pass --pos-label 2; if each class has a column of scores, name all of",
    ),
    "eleven words": (
        HEADER + "".join(f"{letter},1\n" for letter in "kjihgfedcba"),
        "'i' (1 row), 'j' (1 row), ...; for one label against the others, pass --pos-label",
    ),
    "measured values": (
        HEADER + "".join(f"{i / 1000},1\n" for i in range(1200)),
        "contains 1,200 labels: 0 (1 row), 0.001 (1 row)",
    ),
    "text of one kind": (
        HEADER + "red,2\nred,1\n",
        "column 'label': contains the labels: 'red' (2 rows); name the label of "
        "positive rows, also if there are none, by --pos-label",
    ),
    "judgements of TREC": (
        "q1 0 d1 1\nq1 0 d2 0\n",
        "sklearn_ap.read_trec(qrels, runs)",
    ),
    "no header": (
        "0,0.5\n1,0.2\n",
        "; if the first line is a row, write a line with names of",
    ),
    "lists of JSON": ("[[0, 0.5]]", "line 1: [0, 0.5] is not an object; write one"),
    "columns of JSON": (
        '{"label": [0], "score": [1]}',
        "'label' and all other keys contain lists or objects, not one value per row; write",
    ),
    "an archive": ("PK\x03\x04", "is an archive, such as zip, xlsx and npz; write its"),
    "two positive words": (
        HEADER + "yes,2\ntrue,1\n",
        "contains the labels: 'true' (1 row), 'yes' (1 row); name",
    ),
    "a word in two cases": (
        HEADER + "True,2\nTRUE,1\n",
        "contains the labels: 'TRUE' (1 row), 'True' (1 row); name",
    ),
}


@pytest.mark.parametrize(("content", "text"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files(content, text, saved):
    file = saved(content)
    message = error_of(file)
    assert message.startswith(f"{str(file)!r}: ")
    assert text in message
    assert len(message) < 500


@pytest.fixture
def path(saved):
    rows = "0,no,4,1,a,1\n1,yes,3,0,a,1\n0,no,2,2,y,1\n0,no,1,1,z,2\n"
    return saved("label,text,score,weight,query,total\n" + rows)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("-k x", "argument -k: 'x' is not a number such as 12, 0.05 or 5%"),
        ("--n-positives 0", "--n-positives must not be below the positives"),
        (
            "--pos-label 7",
            "contains the labels: 0 (3 rows), 1 (1 row); name the label of positive rows "
            "by --pos-label; got '7'",
        ),
        ("--per query --per text", "--per must be given once; got 'query' and 'text'"),
        (
            "--compare weight --compare weight=total",
            "--compare must name each model once; got weight, weight=total",
        ),
        (
            "--query-id query --per query",
            "--per is not valid with --query-id",
        ),
        (
            "--compare wieght",
            "pass another name by --compare; the columns are 'label', 'score', 'weight', "
            "'total', 'text', 'query'; did you mean 'weight'?",
        ),
        (
            "--per query,text",
            "'query,text' is 2 columns; write one that joins them, with values such as "
            "query text",
        ),
        (
            "--y-score score,weight",
            "has the labels 0 and 1, which are one ranking; for two models, write "
            "--y-score score --compare weight",
        ),
        (
            "--n-positives x",
            "--n-positives must be a number, or, with --query-id or --per, a CSV file of "
            "totals; got x",
        ),
        ("--n-positives 5 --per query", "a CSV file of totals; got 5.0"),
        ("--n-positives x --per query", "'x': No such file or directory"),
        (
            "--compare weight --compare total --fail-if-lower 0.1",
            "--fail-if-lower takes one --compare, the score to compare with; got 2",
        ),
        (
            "--identify 0.5 -k 5 --amount total",
            "--amount is not valid",
        ),
        ("--compare weight --table", "--compare is not valid with --table"),
        ("--identify 1 --table", "--identify is not valid with --table"),
        ("--table --report x.html", "--report is not valid with --table"),
        (
            "--threshold-at tnr=0.1",
            "tpr, ppv, fpr with a value, as in recall=0.8; got 'tnr=0.1'",
        ),
        (
            "--threshold-at k=2 --per query",
            "--threshold-at is not valid with --per, because a threshold takes all rows",
        ),
    ],
)
def test_wrong_arguments(path, monkeypatch, arguments, text):
    # Without an error, the page would be written here.
    monkeypatch.chdir(path.parent)
    assert text in error_of(path, *arguments.split())
