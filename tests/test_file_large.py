"""Files that are large: little memory for what fits, and scans of the files for what does not."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import COLUMNS, error_of, run
from sklearn_ap.__main__ import main
from sklearn_ap._command._rows import bytes_needed, in_units

RNG = np.random.default_rng(0)
N_ROWS = 3000
FRAME = pd.DataFrame(
    {
        "label": (RNG.random(N_ROWS) < 0.1).astype(int),
        "score": RNG.integers(0, 1000, N_ROWS) / 1024,
        "weight": RNG.integers(0, 4, N_ROWS) / 2,
        "query": RNG.integers(0, 40, N_ROWS),
        "word": "",
    }
)
FRAME["word"] = np.where(FRAME.label == 1, "Yes", "no")
SMALL = ["--memory-limit", "160kB"]
FOR_WEIGHTS = ["--memory-limit", "170kB"]  # no range of scores holds weights
NEEDED = "all rows in memory, about"


@pytest.fixture(params=["csv", "parquet"])
def paths(request, tmp_path):
    """The rows in two files."""
    for name, rows in {"1": FRAME[:1000], "2": FRAME[1000:]}.items():
        path = tmp_path / f"{name}.{request.param}"
        rows.to_csv(path, index=False) if request.param == "csv" else rows.to_parquet(path, index=False)
    return sorted(tmp_path.iterdir())


def json_of(*arguments):
    finished = run(*arguments, "--format", "json")
    assert finished.code == 0, finished.err
    return json.loads(finished.out), finished.err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-k", "7"],
        ["-k", "5%"],
        ["--n-positives", "500"],
        ["--sample-weight", "weight"],
        ["--query-id", "query"],
        ["--query-id", "query", "--n-positives", "400", "--zero-division", "1"],
        ["--pos-label", "0"],
    ],
    ids=" ".join,
)
def test_the_same_numbers_beyond_memory(paths, options):
    expected, _ = json_of(*paths, *COLUMNS, *options)
    small = FOR_WEIGHTS if "weight" in options else SMALL
    found, warning = json_of(*paths, *COLUMNS, *options, *small)
    assert NEEDED in warning
    assert [list(row) for row in found] == [list(row) for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        assert row["score"] == wanted["score"]
        if "stable ties" in row["score"]:
            assert row["value"] is None
            assert "The order of rows decides" in row["note"]
        elif wanted["value"] is None:
            assert (row["value"], row["note"]) == (None, wanted["note"])
        else:
            assert row["value"] == pytest.approx(wanted["value"], rel=1e-12, abs=0)
        assert row["scikit_learn"] == pytest.approx(wanted["scikit_learn"], rel=1e-12, abs=0)


def first_lines(*arguments):
    """The sentences before a table, without what the score is compared with, and that alone."""
    finished = run(*arguments, "--table")
    assert (finished.code, finished.err) == (0, "")
    text = " ".join(finished.out.split("\n\n")[0].split())
    said = re.search(r"; ([a-z ]+ is 0\.\d+)\.", text)
    return text if said is None else text.replace(said[0], "."), said and said[1], finished.out


def test_first_lines_beyond_memory(paths):
    queries = ["--query-id", "query"]
    for options in ([], ["--n-positives", "500"], ["--sample-weight", "weight"], ["-k", "5%"], queries):
        expected, chance, _ = first_lines(*paths, *COLUMNS, *options)
        assert expected.startswith("2 files: ")
        small = FOR_WEIGHTS if "weight" in options else SMALL
        found, beside, out = first_lines(*paths, *COLUMNS, *options, *small)
        assert found == expected
        if "weight" in options:  # with unequal weights, chance does not depend on equal scores
            assert beside == chance
        elif "--n-positives" in options or "query" in options:
            assert (beside, chance[:9]) == (None, "chance is")
        else:  # another number has another name
            assert beside == "the prevalence is 0.11"
        needed = "Conventions of other packages need all rows in memory, about "
        assert " ".join(out.splitlines()[-2:]).startswith(needed)
        assert max(map(len, out.splitlines()[1:])) <= 80


def test_formats_beyond_memory(paths):
    out = run(*paths, *COLUMNS, *SMALL, "--format", "csv").out
    inside = run(*paths, *COLUMNS, "--format", "csv").out
    rows, expected = (list(csv.DictReader(text.splitlines())) for text in (out, inside))
    assert rows[0].keys() == expected[0].keys()
    assert float(rows[0]["value"]) == pytest.approx(float(expected[0]["value"]), rel=1e-12, abs=0)


def test_labels_beyond_memory(paths):
    expected, _ = json_of(*paths, *COLUMNS)
    words = ["--y-true", "word", "--y-score", "score"]
    for options in ([], ["--pos-label", "Yes"]):
        found, _ = json_of(*paths, *words, *options, *SMALL)
        assert found[0]["value"] == pytest.approx(expected[0]["value"], rel=1e-12, abs=0)
    assert error_of(*paths, *words, *SMALL, "--pos-label", "yes").endswith(
        "column 'word': holds the labels 'Yes', 'no', but --pos-label is 'yes'; 'Yes' differs in case or "
        "blanks only"
    )
    columns = ["--y-true", "query", "--y-score", "score"]
    assert "column 'query': holds " in error_of(*paths, *columns, *SMALL)
    assert "column 'nothing' is missing; the columns are 'label', " in error_of(
        *paths, *COLUMNS, *SMALL, "--query-id", "nothing"
    )


def test_no_positive_beyond_memory(tmp_path):
    FRAME.assign(label=0).to_parquet(tmp_path / "none.parquet")
    finished = run(tmp_path / "none.parquet", *COLUMNS, *SMALL)
    assert finished.code == 0
    assert "column 'label': no row has the positive label '1', so no score says anything" in finished.err
    assert "none.parquet': no row is positive, so average precision says nothing." in finished.out
    few = FRAME.assign(label=np.where(FRAME["query"] < 20, FRAME.label, 0))
    few.to_parquet(tmp_path / "few.parquet")
    options = [tmp_path / "few.parquet", *COLUMNS, "--query-id", "query"]
    assert run(*options, *SMALL).err == run(*options).err
    assert "20 of 40 queries have no positive, and count as 0 in our means" in run(*options, *SMALL).err


def test_rows_that_are_refused_beyond_memory(tmp_path):
    path = tmp_path / "odd.parquet"
    for column, value, text in [
        ("score", np.nan, "no value"),
        ("score", np.inf, "inf is not a finite number"),
        ("label", 0.5, "0.5 is not a label: labels are whole numbers or text"),
    ]:
        odd = FRAME.astype({column: float})
        odd.loc[2500, column] = value
        if column == "label":
            odd = odd[odd.label != 0]  # two labels, one of them wrong
            odd = pd.concat([odd] * 20)
        row = int(np.flatnonzero((odd[column] == value) | odd[column].isna())[0])
        odd.to_parquet(path, row_group_size=100)
        assert f"odd.parquet': column '{column}', row {row + 1}: {text}" in error_of(path, *COLUMNS, *SMALL)


def test_what_needs_all_rows(paths):
    needs = {
        "--identify": ["--identify", "0.5"],
        "--why": ["--why"],
    }
    for what, options in needs.items():
        message = error_of(*paths, *COLUMNS, *options, *SMALL)
        assert message.startswith(f"2 files: {what} needs {NEEDED} ")
        assert message.endswith(" where 160 kB are allowed; raise --memory-limit")


def test_totals_of_a_column_and_standard_input_beyond_memory(paths, monkeypatch):
    """Totals are few, and the bytes of standard input are kept, so both work."""
    frame = FRAME.assign(total=FRAME["query"] % 3 + FRAME.groupby("query").label.transform("sum"))
    for path in paths:
        path.unlink()
    getattr(frame, f"to_{paths[0].suffix[1:]}")(paths[0], index=False)
    options = [*COLUMNS, "--query-id", "query", "--n-positives", "total", "-k", "7"]
    expected, found = json_of(paths[0], *options)[0], json_of(paths[0], *options, *SMALL)[0]
    for row, wanted in zip(found, expected, strict=True):
        if "stable" not in row["score"] and wanted["value"] is not None:
            assert row["value"] == pytest.approx(wanted["value"], rel=1e-12, abs=0)
            assert row["scikit_learn"] == pytest.approx(wanted["scikit_learn"], rel=1e-12, abs=0)
    with open(paths[0]) as stdin:  # its bytes are read, whatever they spell
        monkeypatch.setattr(sys, "stdin", stdin)
        assert json_of("-", *options, *SMALL)[0] == found


@pytest.mark.parametrize("size", ["", "0", "-1", "5 apples", "MB", "1e", "auto", "nan"])
def test_sizes_that_are_none(size):
    message = error_of("a.csv", *COLUMNS, f"--memory-limit={size}")
    assert f"--memory-limit: {size!r} is not an amount of memory such as 500MB, 4GB, 2GiB" in message


def test_sizes(paths):
    for size in ("100GB", "4GiB", "500 mb", "1000000000"):
        assert "--why tells" in run(*paths, *COLUMNS, "--table", "--memory-limit", size).out
    assert "--memory-limit needs a file" in error_of("--memory-limit", "5GB")
    assert [in_units(size) for size in (12e9, 1.5e6, 2e3, 12)] == ["12 GB", "1.5 MB", "2 kB", "12 bytes"]


PEAK = """
import sys

from sklearn_ap.__main__ import main
for label in "label", "word":
    main([sys.argv[1], "--y-true", label, "--y-score", "score"])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1], file=sys.stderr)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux tells the peak there")
def test_a_million_rows_take_little_memory(tmp_path):
    """Imports take 185 to 195 MB of 285 to 340, as parts overlap; rows as Python objects took 330 MB more.

    Labels are numbers, then text.
    """
    n = 1_000_000
    positive = RNG.random(n) < 0.1
    columns = {
        "label": positive.astype(np.int64),
        "word": pa.array(np.where(positive, "yes", "no")),
        "score": RNG.random(n),
    }
    pq.write_table(pa.table(columns), tmp_path / "large.parquet", row_group_size=250_000)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "large.parquet")]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert finished.stdout.count("1000000 rows, ") == 2
    assert int(finished.stderr) / 1024 < 380
    needed = bytes_needed(n, ["y_true", "y_score"])
    assert (int(finished.stderr) - 160 * 1024) * 1024 > needed / 2  # the estimate is not far above


def watched(*arguments):
    """What a run writes to a terminal, as its standard error alone."""
    import pty  # noqa: PLC0415  # there is none on Windows

    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as reader, open(ours, "rb", buffering=0) as end:
        written = reader.submit(_all_of, end)
        nowhere = contextlib.redirect_stdout(io.StringIO())
        with open(theirs, "w") as terminal, contextlib.redirect_stderr(terminal), nowhere:
            main(list(map(str, arguments)))
        return written.result().decode()


def _all_of(end):
    written = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while some := end.read(2**16):
            written += some
    return written


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("paths", ["parquet"], indirect=True)
def test_progress_is_one_line_on_a_terminal(paths):
    written = watched(*paths, *COLUMNS)
    assert "\rreading: 1 of 1 parts" in written  # small files are one part
    assert "\n" not in written
    assert written.endswith("\r") or written.split("\r")[-1].strip() == ""
    beyond = watched(*paths, *COLUMNS, "--memory-limit", "20kB")
    assert "\rreading: " in beyond
    assert "\rranking: " in beyond
    assert "\rranking, scan 3 of " in beyond
    assert "\n" not in beyond
    assert "parts" not in run(*paths, *COLUMNS, *SMALL).err


@pytest.mark.parametrize("options", [[], ["--n-positives", "4"], ["--n-positives", "total"]], ids=" ".join)
def test_a_query_of_weight_0_is_told_but_not_counted(options, tmp_path):
    rows = "1,.9,1,a,2\n0,.8,2,a,2\n1,.7,0,b,1\n0,.6,0,b,1\n0,.5,1,c,9\n1,.4,3,c,9\n"
    (tmp_path / "a.csv").write_text("label,score,weight,query,total\n" + rows)
    asked = [tmp_path, *COLUMNS, "--sample-weight", "weight", "--query-id", "query", *options]
    expected, _, _ = first_lines(*asked)
    told, _, _ = first_lines(*asked, "--memory-limit", "1")
    assert told == expected
    assert ": 6 rows in 3 queries" in told
    if options == ["--n-positives", "4"]:
        assert "4 of the 8 that all positives weigh" in told
