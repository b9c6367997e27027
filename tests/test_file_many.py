"""Several files, patterns and directories: one data set, whose errors name the file and its row."""

import gzip
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import COLUMNS, error_of, rows_of, run, values_of
from sklearn_ap import average_precision_score, distributed
from sklearn_ap.distributed._engines._files import of_paths
from sklearn_ap.distributed._engines._text import Pieces
from sklearn_ap.distributed._source import SourceError, shown

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "label": RNG.integers(0, 2, 60),
        "score": RNG.integers(0, 30, 60) / 32,
        "amount": RNG.integers(1, 9, 60) / 4,
        "day": np.repeat([1, 2, 3], 20),
        "item": RNG.permutation(60),
    }
)
ALL = [*COLUMNS, "--sample-weight", "amount", "--query-id", "day", "--item-id", "item", "--all"]


def write(frame, path):
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False, row_group_size=7)
    else:
        frame.to_csv(path, index=False)


@pytest.fixture(params=["csv", "parquet"])
def folder(request, tmp_path):
    """Three days in directories of their own, and all of them in one file beside."""
    for day, rows in FRAME.groupby("day"):
        write(rows, tmp_path / "days" / f"{day}.{request.param}")
        write(rows.drop(columns="day"), tmp_path / f"day={day}" / f"part.{request.param}")
    write(FRAME, tmp_path / f"whole.{request.param}")
    return tmp_path


def test_they_are_one_data_set(folder):
    (whole,) = folder.glob("whole.*")
    (folder / "days" / "_SUCCESS").touch()
    (folder / "days" / ".note.crc").write_text("x")
    ending = whole.suffix
    expected = rows_of(whole, *ALL)
    days = [folder / "days" / f"{day}{ending}" for day in (1, 2, 3)]
    given = [
        days,
        [folder / "days"],
        [folder / "days" / f"*{ending}"],
        [folder / "**" / f"[123]{ending}"],
        [folder / "day=*" / f"*{ending}"],
        [folder / "day=*"],
        [days[0], folder / "days" / f"[23]{ending}"],
    ]
    for paths in given:
        assert rows_of(*paths, *ALL) == expected, paths
    assert rows_of(days[0], *ALL, *days[1:]) == expected
    assert run(*days, *COLUMNS).out.startswith("3 files: 60 rows, ")
    assert (
        run(folder / "days", *COLUMNS, "--identify", "0.5").out
        == run(whole, *COLUMNS, "--identify", "0.5").out
    )
    assert " of 99 positive" in run(*days, *COLUMNS, "--n-positives", "99", "--table").out


def parts_of(path, columns, **pieces):
    source, log = of_paths(path, None, columns, (), Pieces(**pieces)), []
    parts = source.scan(
        columns, lambda part: [part], lambda lists: list(chain(*lists)), lambda *of: log.append(of)
    )
    return parts, log


@pytest.mark.parametrize("given", ["days", "day=*"])
def test_small_files_are_one_part(folder, given):
    """A part costs more than a small file. Each row keeps its file, and its place there."""
    columns = ["score", "item", "day"]
    (part,), log = parts_of(str(folder / given), columns, small=0)
    assert log == [(1, 1)]
    for name in columns:
        np.testing.assert_array_equal(part.columns[name], FRAME[name])
    names = [shown(str(one)) for one in sorted(folder.glob(f"{given}/*"))]  # a long path is cut
    assert [part.place.at(row)[:2] for row in range(60)] == [
        (names[row // 20], row % 20) for row in range(60)
    ]


@pytest.mark.parametrize("most", [1, 2])
def test_files_are_one_part_up_to_the_size_of_a_part(folder, most):
    largest = max(one.stat().st_size for one in (folder / "days").iterdir())
    parts, _ = parts_of(folder / "days", ["score"], part_rows=20 * most, block_bytes=largest * most, small=0)
    assert [part.columns["score"].size for part in parts] == [[20, 20, 20], [40, 20]][most - 1]


def test_the_first_wrong_file_is_told_where_several_are_one_part(folder):
    """Their parts were of one file each. The last file fails before the one without a value is looked at."""
    _, second, third = sorted((folder / "days").iterdir())
    write(FRAME[20:40].assign(score=[1.0] * 5 + [None] + [2.0] * 14), second)
    content = third.read_bytes()
    third.write_bytes(
        content + b"1,2\n" if third.suffix == ".csv" else content[:4] + bytes(300) + content[304:]
    )
    with pytest.raises(SourceError) as refused:
        parts_of(folder / "days", ["label", "score"], small=0)
    assert str(refused.value) == f"{str(second)!r}: column 'score', row 6: no value"


def test_one_file_keeps_its_name(folder):
    (whole,) = folder.glob("whole.*")
    assert run(folder / "whole.*", *COLUMNS).out == run(whole, *COLUMNS).out
    (folder / "days" / f"2{whole.suffix}").rename(folder / "days" / f"[2]{whole.suffix}")
    odd = folder / "days" / f"[2]{whole.suffix}"  # a pattern too, but there is such a file
    assert run(odd, *COLUMNS).out.startswith(f"{str(odd)!r}: 20 rows, ")


def test_columns_named_by_directories(folder):
    whole = FRAME.copy()
    expected = average_precision_score(whole.label, whole.score, query_id=whole["day"])
    found = values_of(folder / "day=*" / "*", *COLUMNS, "--query-id", "day")
    assert found["average precision"] == expected
    labelled = ["--y-true", "day", "--y-score", "score", "--pos-label", "3"]
    values = values_of(folder / "day=1", folder / "day=3", *labelled)
    rows = whole[whole["day"] != 2]
    assert values["average precision"] == average_precision_score(rows["day"] == 3, rows.score)
    by_day = ["--y-true", "label", "--y-score", "day"]
    assert values_of(folder / "day=*", *by_day)["average precision"] == average_precision_score(
        whole.label, whole["day"]
    )
    assert "the columns are 'label', 'score', 'amount', 'item', 'day'" in error_of(
        folder / "day=*", *COLUMNS, "--query-id", "week"
    )
    (folder / "day=2").rename(folder / "day=__HIVE_DEFAULT_PARTITION__")
    assert error_of(folder / "day=*", *COLUMNS, "--query-id", "day").endswith("column 'day', row 1: no value")


def test_a_column_of_the_file_goes_before_its_directory(tmp_path):
    (tmp_path / "score=5").mkdir()
    (tmp_path / "score=5" / "a.csv").write_text("label,score\n1,2\n0,1\n")
    assert values_of(tmp_path / "score=5" / "a.csv", *COLUMNS)["average precision"] == 1.0


def test_errors_name_the_file_and_its_row(tmp_path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("label,score,weight,total,query\n1,4,1,2,a\n0,3,2,2,a\n")
    rows = {
        "0,x,1,2,b": "column 'score', row 2: 'x' is not a finite number such as 12, -0.5 or 1e-3",
        ",1,1,2,b": "column 'label', row 2: no value",
        "0,1,-1,2,b": "column 'weight', row 2: -1 is below 0, but a weight is 0 or more",
        "0,1,1,2,": "column 'query', row 2: no value",
        "0,1,1,5,a": f"column 'total', row 2: 5 for query 'a', but row 1 of {str(first)!r} has 2: all "
        "rows of a ranking repeat its total",
        "0,1": "row 2 has 2 fields, but the header has 5",
        "0,\udcff,1,2,b": r"column 'score', row 2: '\udcff' is not UTF-8 text",
    }
    options = [*COLUMNS, "--sample-weight", "weight", "--n-positives", "total", "--query-id", "query"]
    for row, text in rows.items():
        content = f"label,score,weight,total,query\n1,2,1,2,b\n{row}\n"
        second.write_bytes(content.encode(errors="surrogateescape"))
        assert error_of(first, second, *options) == f"{str(second)!r}: {text}"
    second.write_text("label,score,weight,total,query\n2,2,1,2,b\n")
    assert error_of(tmp_path, *options).startswith("2 files: column 'label': holds 3 labels (0, 1, 2), b")
    second.write_text("label,score,weight,total\n0,2,1,2\n")
    assert f"{str(second)!r}: column 'query' is missing" in error_of(tmp_path, *options)
    second.write_text("label,score,weight,total,query\n1,2,1,1,b\n1,2,1,1,b\n")
    options = [*COLUMNS, "--n-positives", "total", "--query-id", "query"]
    assert error_of(tmp_path, *options).startswith(
        "2 files: column 'total' must not be below the positives in"
    )


def test_errors_of_parquet_name_the_file_and_its_row(tmp_path):
    pq.write_table(pa.table({"label": [1, 0], "score": [2.0, 1.0]}), tmp_path / "1.parquet")
    odd = tmp_path / "2.parquet"
    for scores, text in {
        (0.0, None): "row 2: no value",
        (0.0, float("nan")): "row 2: no value",
        (0.0, float("inf")): "row 2: inf is not a finite number",
    }.items():
        table = pa.table({"label": [1, 0] * 5, "score": [*scores, *[1.0] * 8]})
        pq.write_table(table, odd, row_group_size=1)
        assert f"{str(odd)!r}: column 'score', {text}" in error_of(tmp_path, *COLUMNS)
    odd.write_bytes(b"PAR1 and so on")
    assert error_of(tmp_path, *COLUMNS).startswith(f"{str(odd)!r}: ")


TYPES = {
    "float32 and float64": (pa.array([0.5, 0.25], pa.float32()), pa.array([0.5, 0.1]), "float64"),
    "int64 and float64": (pa.array([2, 1]), pa.array([1.5, 0.5]), "float64"),
    "int8 and uint16": (pa.array([2, -1], pa.int8()), pa.array([2**16 - 1, 0], pa.uint16()), "int32"),
}


@pytest.mark.parametrize("kind", TYPES)
def test_types_that_differ(kind, tmp_path):
    one, other, _ = TYPES[kind]
    labels = [1, 0]
    for name, column, label in [("1", one, labels), ("2", other, [1.0, 0.0])]:
        pq.write_table(pa.table({"label": label, "score": column}), tmp_path / f"{name}.parquet")
    found = values_of(tmp_path, *COLUMNS)["average precision"]
    assert found == average_precision_score(labels * 2, [*one.to_pylist(), *other.to_pylist()])


def test_types_that_no_type_holds(tmp_path):
    pq.write_table(pa.table({"label": [1, 0], "score": [2**53 + 1, 0]}), tmp_path / "1.parquet")
    second = tmp_path / "2.parquet"
    for score, text in {
        (0.5, 0.25): "{first}: column 'score', row 1: 9007199254740993 has more digits than float64 holds; "
        "write 9007199254740992.0, or text if it is an id",
        ("0.5", "1"): "{second}: column 'score': is of type 'string', but of type 'int64' in {first}; give "
        "them one type",
    }.items():
        pq.write_table(pa.table({"label": [1, 0], "score": score}), second)
        paths = {"first": shown(str(tmp_path / "1.parquet")), "second": shown(str(second))}
        assert error_of(tmp_path, *COLUMNS) == text.format(**paths)
    times = [pa.array([1, 2], pa.timestamp(unit)) for unit in ("ms", "us")]
    for name, time in enumerate(times, 1):
        columns = {"label": [1, 0], "score": [2, 1], "time": time}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    assert "column 'time': is of type " in error_of(tmp_path, *COLUMNS, "--query-id", "time")


def test_files_of_several_formats(tmp_path):
    """A type is that of all files: 2 is the number 2.0 here, and text where another file holds text."""
    (tmp_path / "1.csv").write_text("label,score,id\n0,0.5,1\n")
    (tmp_path / "2.csv").write_text("label;score;id\n1;2;a\n")
    pq.write_table(pa.table({"label": [0], "score": [1], "id": ["1"]}), tmp_path / "3.parquet")
    assert values_of(tmp_path, *COLUMNS)["average precision"] == 1.0
    assert " in 2 queries," in run(tmp_path, *COLUMNS, "--query-id", "id").out


def test_what_is_refused(tmp_path):
    text = "label,score\n1,2\n0,1\n"
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    for path in (one, two):
        path.write_text(text)
    os.symlink(one, tmp_path / "link")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "_SUCCESS").touch()
    pq.write_table(pa.table({"label": [1, 0], "score": [2, 1]}), tmp_path / "3.parquet")
    once = "; each file counts once, so pass it once"
    refused = {
        (one, two, one): f"{str(one)!r}: is there twice{once}",
        (one, tmp_path / "*.csv"): f"{str(one)!r}: is there twice{once}",
        (one, tmp_path / "link"): f"{str(tmp_path / 'link')!r}: is the same file as {str(one)!r}{once}",
        (tmp_path / "empty",): f"{str(tmp_path / 'empty')!r}: is a directory that holds no files",
        (one, tmp_path / "*.tsv"): f"{str(tmp_path / '*.tsv')!r}: no file matches",
        (tmp_path / "empty*",): f"{str(tmp_path / 'empty*')!r}: no file matches",
        (one, "-"): "'-': standard input goes alone; leave out the other files",
        ("-", "-"): "'-': standard input goes alone; leave out the other files",
        (one, tmp_path / "none.csv"): f"{str(tmp_path / 'none.csv')!r}: No such file or directory",
    }
    for given, error in refused.items():
        assert error_of(*given, *COLUMNS) == error, given
    assert run(one, two, *COLUMNS).code == 0


def test_output_is_no_file_that_is_read_now_or_by_the_next_call(tmp_path):
    folder, text = tmp_path / "days", "label,score\n1,2\n0,1\n"
    (folder / "1").mkdir(parents=True)
    first = folder / "1" / "a.csv"
    first.write_text(text)
    for given, output, problem in [
        (folder, first, f"is in {str(folder)!r}"),
        (folder, folder / "answer.txt", f"is in {str(folder)!r}"),
        (folder / "*", folder / "1" / "answer.txt", f"is in {str(folder / '1')!r}"),
        (folder / "1" / "*.csv", first, "is read"),
        (first, folder, "is a directory"),
        (first, folder / "none" / "answer.txt", "is in no directory that exists"),
    ]:
        message = error_of(given, *COLUMNS, "--output", output)
        assert message.startswith(f"--output names {str(output)!r}, which {problem}")
        assert message.endswith(": write another file")
    assert first.read_text() == text
    assert run(folder, *COLUMNS, "--format", "csv", "--output", tmp_path / "answer.csv")[:2] == (0, "")
    assert [one.name for one in tmp_path.rglob("*.*")] == ["answer.csv", "a.csv"]


def test_files_without_rows(tmp_path):
    header = "label,score\n"
    for name in "12":
        (tmp_path / f"{name}.csv").write_text(header)
    assert error_of(tmp_path, *COLUMNS) == "2 files: hold no rows"
    (tmp_path / "3.csv.gz").write_bytes(gzip.compress(b"label,score\n1,2\n0,1\n"))
    assert values_of(tmp_path, *COLUMNS)["average precision"] == 1.0


def test_a_link_to_its_own_directory_is_refused_by_name(tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n1,2\n0,1\n")
    os.symlink(".", tmp_path / "self")
    with pytest.raises(SourceError, match="self': Too many levels of symbolic links") as refused:
        distributed.average_precision_score(tmp_path, y_true="label", y_score="score")
    assert error_of(tmp_path, *COLUMNS) == str(refused.value)


FOUND = """
import os, sys
from sklearn_ap.distributed._engines._paths import files_of
from sklearn_ap.distributed._source import SourceError

if os.geteuid() == 0:  # who may read everything
    os.setgid(65534)
    os.setuid(65534)
for path in sys.argv[1:]:
    try:
        told = " ".join(files_of(path))
    except SourceError as error:
        told = str(error)
    os.write(1, f"{told}\\n".encode())
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_directory_that_cannot_be_read_is_refused_however_it_is_named(tmp_path):
    """Else the rows below it are missing without a word."""
    for name in ("open", "closed"):
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "a.csv").write_text("label,score\n")
    tmp_path.chmod(0o755)
    (tmp_path / "all" / "closed").chmod(0)
    asked = ["all", "all/*/*.csv", "all/*/a.csv", "all/**", "all/**/*.csv", "all/closed/*", "all/o*/*.csv"]
    try:
        finished = subprocess.run(
            [sys.executable, "-c", FOUND, *asked], cwd=tmp_path, capture_output=True, text=True, check=True
        )
    finally:
        (tmp_path / "all" / "closed").chmod(0o755)
    *refused, found = finished.stdout.splitlines()
    assert refused == ["'all/closed': Permission denied"] * 6
    assert found == "all/open/a.csv"


def test_many_files_are_opened_by_several_threads_and_the_first_wrong_one_is_told(tmp_path):
    columns = {"label": [1, 0], "score": [2.0, 1.0]}
    for name in range(50):
        pq.write_table(pa.table(columns), tmp_path / f"{name:02}.parquet")
    expected = average_precision_score([1, 0] * 50, [2.0, 1.0] * 50)
    assert distributed.average_precision_score(tmp_path) == expected
    (part,), _ = parts_of(tmp_path, ["score"])
    assert part.place.at(99) == (shown(str(tmp_path / "49.parquet")), 1, ())
    for name in (49, 20, 40):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
    for _ in range(5):
        assert error_of(tmp_path, *COLUMNS).startswith(f"{str(tmp_path / '20.parquet')!r}: ")
