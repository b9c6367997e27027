"""One reader of files: by whatever way, the same rows give the same number or the same line."""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.compute import field
from test_file_errors import HOSTILE

from command import COLUMNS, error_of, run, values_of
from sklearn_ap import average_precision_score, distributed
from sklearn_ap.distributed._engines._files import of_paths
from sklearn_ap.distributed._engines._text import Pieces
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._plan import scores_of
from sklearn_ap.distributed._question import question_of
from sklearn_ap.distributed._source import SourceError
from sources import PartsSource

WITHOUT_PYARROW = """
import json, sys
sys.modules["pyarrow"] = None
sys.path[:0] = json.loads(sys.argv[1])
from command import run
print(json.dumps([run(*arguments) for arguments in json.loads(sys.stdin.read())]))
"""
# Files that are read, as (content, options beside the columns); all ways must agree on what they hold.
READ = {
    "numbers": ("label,score\n1,0.5\n0,0.25\n1,0.125\n", []),
    "semicolons": ("label;score\n1;0.5\n0;0.25\n1;0.125\n", []),
    "spellings of an id": ("label,score,q\n1,1,1\n0,2,1.0\n1,4,2\n0,3,02\n", ["--query-id", "q"]),
    "ids of text": ("label,score,q\n1,1,1\n0,2,a\n1,4,a\n0,3,1\n", ["--query-id", "q"]),
    "dates as ids": ("label,score,q\n1,1,2020-01-01\n0,2,2020-01-01\n1,4,2020-01-02\n", ["--query-id", "q"]),
    "words": ("label,score\ntrue,0.5\nFALSE,0.75\ntrue,0.125\n", []),
    "other words": ("label,score\nyes,0.5\nno,0.75\nyes,0.125\n", []),
    "quotes": ('"label","score"\n"1","0.5"\n0,"0.75"\n1,.125\n', []),
    "weights": ("label,score,w\n1,3,1e0\n0,2,+2\n1,1,.5\n", ["--sample-weight", "w"]),
    "totals": ("label,score,q,n\n1,3,a,2\n0,2,b,1\n1,1,b,1\n", ["--query-id", "q", "--n-positives", "n"]),
}
LIMITS = ["1", "100", "1GB"]


def ways(path, options):
    """What the command is asked in each way."""
    return [[str(path), *COLUMNS, *options, "--format", "json", "--memory-limit", limit] for limit in LIMITS]


def known(finished):
    """The values of a run, without those that need all rows, or its error."""
    code, out, err = finished
    if code:
        return err
    return {
        row["score"]: pytest.approx(row["value"], rel=1e-12, abs=0)
        for row in json.loads(out)
        if "stable" not in row["score"] and row["value"] is not None
    }


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Of each file: what the command says in each way, with pyarrow and without it."""
    folder = tmp_path_factory.mktemp("files")
    asked = {}
    for number, (case, (content, options)) in enumerate((HOSTILE | READ).items()):
        path = folder / f"{number}.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        asked[case] = ways(path, options if case in READ else [])
    every = [arguments for several in asked.values() for arguments in several]
    here = str(pathlib.Path(__file__).parent)
    command = [sys.executable, "-c", WITHOUT_PYARROW, f'["{here}"]']
    finished = subprocess.run(command, input=json.dumps(every), capture_output=True, text=True, check=True)
    without = iter(json.loads(finished.stdout))
    return {
        case: [known(run(*one)) for one in several] + [known(next(without)) for _ in several]
        for case, several in asked.items()
    }, asked


NEEDS_PYARROW = {"Arrow", "broken Parquet"}


@pytest.mark.parametrize("case", [*HOSTILE, *READ])
def test_every_way_gives_the_same(case, answers):
    found, asked = answers
    first, *others = found[case]
    if case in NEEDS_PYARROW:
        others = others[: len(LIMITS) - 1]
    assert all(one == first for one in others)
    if isinstance(first, str):
        assert first.startswith("sklearn_ap: error: ")
    else:
        positive = {"words": True, "other words": "yes"}.get(case, 1)
        names = {"query_id": "q"} if "q" in READ[case][1] else {}
        names |= {"sample_weight": "w"} if "w" in READ[case][1] else {}
        if case != "totals":
            path = asked[case][0][0]
            assert first["average precision"] == distributed.average_precision_score(
                path, pos_label=positive, **names
            )


@pytest.mark.parametrize("case", [case for case in HOSTILE if "column '" in HOSTILE[case][1]])
def test_the_reader_has_one_line_for_both(case, tmp_path):
    """What is refused is the same line there; rules for labels without `pos_label` are the command's."""
    content, _ = HOSTILE[case]
    path = tmp_path / "hostile.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    line = error_of(path, *COLUMNS)
    if "label" in line.partition("column ")[2][:8] and ("no value" not in line or "nan" in str(content)):
        return
    with pytest.raises(SourceError) as caught:
        distributed.average_precision_score(path)
    assert str(caught.value) == line


CELLS = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from(
        ["0.5", "1e3", " 7 ", "true", "False", "x", "a,b", 'say "so"', "two\nlines", "0x10", "1_0"]
    ),
    st.sampled_from(["", " ", "nan", "9007199254740993", "0.10000000000000000001", "18446744073709551615"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if re.search('[,"\n]', cell) else cell


@given(
    st.lists(st.tuples(CELLS, st.sampled_from(["1", "0", '"1"', '"a ""b"""', "z"])), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.integers(1, 5),
    st.integers(8, 60),
)
def test_pieces_change_nothing(tmp_path_factory, rows, end, part_rows, block_bytes):
    """Neither the sizes of parts and blocks nor pyarrow change a value, a type or an error."""
    folder = tmp_path_factory.mktemp("pieces")
    written = [f"{quoted(cell)},{other}" for cell, other in rows]
    for name, lines in (("a", written), ("b", written[:part_rows]), ("c", written[part_rows:])):
        last = end if name < "c" else ""  # the last line of a file need not end
        (folder / f"{name}.csv").write_bytes((end.join(["a,b", *lines]) + last).encode())
    ways = [
        Pieces(2**20, 1, small=2**40),  # one file by one
        Pieces(2**20, small=2**40),
        Pieces(part_rows, small=2**40),
        Pieces(part_rows, block_bytes, small=0),
        Pieces(2**20, small=0),
    ]
    for path in (folder / "a.csv", folder):
        first, *others = [read_by(path, pieces) for pieces in ways]
        assert all(one == first for one in others)


def joined(lists):
    return [part for parts in lists for part in parts]


def read_by(path, pieces):
    source = of_paths(path, None, ["a", "b"], (), pieces)
    try:
        parts = source.scan(["a", "b"], lambda part: [part], joined, lambda *_: None)
    except SourceError as error:
        return str(error)
    columns = {name: np.concatenate([part.columns[name] for part in parts or []]) for name in "ab"}
    firsts = {
        (place.name, place.first_row, cell) for place, cell in (parts[0].texts if parts else {}).values()
    }
    return {name: (str(one.dtype), one.tolist()) for name, one in columns.items()}, firsts


def test_dates_are_ids_of_queries_and_nothing_else(tmp_path):
    """They came back as integers of microseconds, and totals under dates were refused."""
    days = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-01", "2026-01-02"])
    frame = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "day": days})
    frame.to_parquet(tmp_path / "a.parquet")
    totals = dict.fromkeys(days[:2], 2)
    for data in (frame, tmp_path / "a.parquet"):
        for limit in ("1GB", 1):
            found = distributed.score_by_query(
                "average_precision", data, query_id="day", n_positives=totals, memory_limit=limit
            )
            assert {pd.Timestamp(day): value for day, value in found.items()} == {days[0]: 0.5, days[1]: 0.25}
            for role in ("y_true", "y_score", "sample_weight"):
                with pytest.raises(ValueError, match="column 'day': holds dates or times, which are not"):
                    distributed.average_precision_score(data, **{role: "day"}, memory_limit=limit)
    for limit in ([], ["--memory-limit", "1"]):
        line = error_of(tmp_path / "a.parquet", "--y-true", "label", "--y-score", "day", *limit)
        assert line.endswith("column 'day': holds dates or times, which are not labels, scores or weights")


def test_the_same_file_counts_once(tmp_path):
    """Repeats, a pattern beside a name, and links: each doubled the rows of a file in silence."""
    pq.write_table(pa.table({"label": [1, 0], "score": [2.0, 1.0]}), tmp_path / "a.parquet")
    os.symlink(tmp_path / "a.parquet", tmp_path / "b.parquet")
    a, b = str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")
    lines = {
        (a, a): f"{a!r}: is there twice; each file counts once, so pass it once",
        (a, str(tmp_path / "a*.parquet")): f"{a!r}: is there twice; each file counts once, so pass it once",
        (str(tmp_path),): f"{b!r}: is the same file as {a!r}; each file counts once, so pass it once",
    }
    for paths, line in lines.items():
        assert error_of(*paths, *COLUMNS) == line
        with pytest.raises(SourceError) as caught:
            distributed.average_precision_score(list(paths))
        assert str(caught.value) == line


def test_a_directory_that_cannot_be_read_is_an_error(tmp_path):
    """Its rows were left out without a word. Nobody may list it, not even the user who reads everything."""
    (tmp_path / "1.csv").write_text("label,score\n1,2\n0,1\n")
    deep = "d" * 250
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):  # longer than the system takes a path
        os.mkdir(deep, dir_fd=here)
        below = os.open(deep, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert error_of(tmp_path, *COLUMNS).endswith(": File name too long")
    with pytest.raises(SourceError, match="File name too long"):
        distributed.average_precision_score(tmp_path)


def test_pages_are_compared_with_their_checksums(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"label": [0, 1] * 500, "score": np.arange(1000.0)})
    pq.write_table(table, path, write_page_checksum=True, use_dictionary=False, compression="none")
    assert distributed.average_precision_score(path) > 0.5
    content = bytearray(path.read_bytes())
    at = content.index(np.arange(400.0, 410.0).tobytes())
    content[at] ^= 1
    path.write_bytes(content)
    assert "CRC" in error_of(path, *COLUMNS)
    with pytest.raises(SourceError, match="CRC"):
        distributed.average_precision_score(path)


@pytest.mark.skipif(sys.platform != "linux", reason="only there names of files are any bytes")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_names_of_files_that_are_not_text(ending, tmp_path):
    frame = pd.DataFrame({"label": [1, 0], "score": [2, 1]})
    plain = tmp_path / f"a.{ending}"
    frame.to_csv(plain, index=False) if ending == "csv" else frame.to_parquet(plain)
    odd = os.fsencode(tmp_path / "n") + b"\xff." + ending.encode()
    os.rename(plain, odd)
    assert values_of(os.fsdecode(odd), *COLUMNS)["average precision"] == 1.0
    assert distributed.average_precision_score(os.fsdecode(odd)) == 1.0


def test_names_of_files_that_look_like_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.csv").write_text("label,score\n1,2\n0,1\n")
    assert run(*COLUMNS, "--", "-x.csv").out.startswith("'-x.csv': 2 rows, 1 positive (50 %).")


# Interrupts its main thread where that waits for input; a signal to the process may reach another thread.
INTERRUPTED = """
import signal, sys, threading, time
from sklearn_ap.__main__ import main

def interrupt(reader):
    while sys._current_frames()[reader].f_code.co_name != "_bytes":
        time.sleep(0.01)
    time.sleep(0.1)
    signal.pthread_kill(reader, signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored in the background
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
threading.Thread(target=interrupt, args=[threading.get_ident()]).start()
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends no signal there")
def test_an_interrupt_leaves_no_traceback():
    command = [sys.executable, "-c", INTERRUPTED, "-", *COLUMNS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert (started.wait(600), started.stderr.read()) == (130, b"")


def test_a_late_cell_is_the_one_that_is_blamed(tmp_path):
    """The first cell was blamed: "row 1: '0.717908' is not a number" for the 1_0 of row 4001."""
    path = tmp_path / "a.csv"
    path.write_text("label,score\n" + "1,0.5\n0,0.25\n" * 2000 + "1,1_0\n")
    for line in (error_of(path, *COLUMNS), error_of(path, *COLUMNS, "--memory-limit", "1")):
        assert line.endswith(
            "column 'score', row 4001: '1_0' is not a finite number such as 12, -0.5 or 1e-3"
        )
    expected = average_precision_score([1, 0], [0.5, 0.25])
    path.write_text("label,score,id\n1,0.5,0.10000000000000000001\n0,0.25,1\n" + "0,0,2\n" * 4000 + "0,0,x\n")
    assert values_of(path, *COLUMNS)["average precision"] == expected
    assert run(path, *COLUMNS, "--query-id", "id").code == 0  # the digits of text count as they are written


def test_a_filter_sees_the_type_of_a_whole_column(tmp_path):
    """Ids of digits were refused beside text, though a later id makes all of them text."""
    path = tmp_path / "a.csv"
    path.write_text("label,id\n" + "1,7\n0,8\n" * 300 + "1,x\n")
    source = of_paths(path, field("id") == "7", ["label"], (), Pieces(3, small=2**40))
    assert source.scan(["label"], lambda part: part.columns["label"].sum(), sum, lambda *_: None) == 300


def test_a_filter_cannot_compare_what_is_not_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"label,score,id\n1,2,a\n0,1,\xff\n")
    with pytest.raises(
        SourceError, match=r"a.csv': filter '\(id == \"a\"\)' does not fit the columns: 'utf-8'"
    ):
        distributed.average_precision_score(path, filter=field("id") == "a")


def test_labels_that_change_between_two_scans_are_told_as_labels():
    """The rows were as many as before: "12377 rows in a range of scores became 12377"."""

    class Changing(PartsSource):
        def scan(self, *args):
            if self.scans > 1:
                self.parts = [part | {"y": 1 - part["y"]} for part in self.parts]
            return super().scan(*args)

    rng = np.random.default_rng(0)
    source = Changing({"y": rng.random(9_000) < 0.2, "s": rng.random(9_000)}, 1_000)
    source.parts = [part | {"y": part["y"].astype(int)} for part in source.parts]
    job = Job(source, Roles("y", "s"), 20_000, lambda *_: None)
    question = question_of("average_precision", {})
    with pytest.raises(SourceError, match=r"of scores held (\d+) rows, \d+ positive, and now \1 rows, "):
        scores_of(job, [question])
