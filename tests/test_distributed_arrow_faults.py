"""Faults of files and streams: one line with the file, the column and the row, and no thread that is left."""

import os
import pathlib
import threading
from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset as ds
from pyarrow import parquet as pq

from arrow_files import (
    TABLE,
    TEXT,
    _here,  # noqa: F401  # which pytest finds by its name
    one_by_one,
    refusal,
    scanned,
    values,
)
from sklearn_ap.distributed._open_rows import source_of as opened
from sklearn_ap.distributed._source import SourceError


class Broken(Exception):
    pass


def breaks_at(k, value, *_):
    if value >= k:
        raise Broken
    return value


@pytest.mark.parametrize("where", ["step", "combine", "told"])
def test_an_exception_is_raised_once_and_no_thread_is_left(where):
    os.makedirs("many")
    for k in range(40):
        pq.write_table(pa.table({"y": [k]}), f"many/{k:02}.parquet")
    began = []

    def step(part):
        began.append(part)
        return breaks_at(5 if where == "step" else 99, part.columns["y"][0])

    combine = partial(breaks_at, 0, 1) if where == "combine" else sum
    told = partial(breaks_at, 6) if where == "told" else lambda *_: None
    before = set(threading.enumerate())
    with pytest.raises(Broken):
        one_by_one("many").scan(["y"], step, combine, told)
    assert len(began) <= 10
    assert set(threading.enumerate()) <= before


def test_a_fault_of_a_part_leaves_no_thread():
    pq.write_table(TEXT, "b.parquet")
    pathlib.Path("b.parquet").write_bytes(b"PAR1" + bytes(500) + pathlib.Path("b.parquet").read_bytes()[504:])
    before = set(threading.enumerate())
    refusal(lambda: scanned(opened(["a.parquet", "b.parquet"]), ["y"]))
    assert set(threading.enumerate()) <= before


def test_what_cannot_be_found():
    for name in ("no.parquet", "no.csv"):
        line = refusal(lambda name=name: scanned(opened(["a.parquet", name])))
        assert line == f"{name!r}: No such file or directory"
    assert refusal(lambda: opened("no*.parquet")) == "'no*.parquet': no file matches"
    assert refusal(lambda: opened([])) == "data must name at least one file; got an empty list"
    assert refusal(lambda: opened("s3://bucket/a.parquet")).startswith(
        "'s3://bucket/a.parquet': URLs are not read; pass a file of this machine, or a pyarrow.dataset"
    )
    os.makedirs("empty")
    assert refusal(lambda: opened("empty")) == "'empty': is a directory that holds no files"
    files = ds.dataset(["a.parquet", "days/day=0/part-0.parquet"])
    os.remove("a.parquet")
    assert refusal(lambda: scanned(opened(files))).endswith("a.parquet': no such file")


def test_columns_that_are_missing():
    columns = "column 'nope' is missing; the columns are 'y', 's', 'other'"
    for data, name in (("a.parquet", "'a.parquet'"), ("a.arrow", "'a.arrow'"), (TABLE, "the table")):
        assert refusal(lambda data=data: scanned(opened(data), ["y", "nope"])) == f"{name}: {columns}"
    pq.write_table(TABLE.select(["s"]), "b.parquet")
    for data in (
        ["a.parquet", "b.parquet"],
        ["b.parquet", "a.parquet"],
        ds.dataset(["a.parquet", "b.parquet"]),
    ):
        line = refusal(lambda data=data: scanned(opened(data)))
        assert line.endswith("b.parquet': column 'y' is missing; the columns are 's'")
    twice = pa.table([[1], [2]], names=["y", "y"])
    pq.write_table(twice, "b.parquet")
    for data in ("b.parquet", twice):
        assert "column 'y' is there 2 times" in refusal(lambda data=data: scanned(opened(data), ["y"]))
    wide = pa.table({f"c{k}": [1] for k in range(100)})
    assert refusal(lambda: scanned(opened(wide), ["y"])).endswith("'c9', ...")


def test_types_that_have_nothing_in_common():
    pq.write_table(TEXT, "b.parquet")
    line = (
        "'b.parquet': column 's': is of type 'string', but of type 'float' in 'a.parquet'; give them one type"
    )
    source = opened(["a.parquet", "b.parquet"])
    source.columns()
    assert refusal(lambda: scanned(source)) == line
    assert refusal(lambda: source.extremes("s")) == line
    assert len(scanned(source, ["y"])) == 2
    dates = [pa.table({"q": pa.array([1], pa.timestamp(unit))}) for unit in ("ms", "ns")]
    for k, table in enumerate(dates):
        pq.write_table(table, f"{k}.parquet")
    assert "'timestamp[ns]', but of type 'timestamp[ms]'" in refusal(
        lambda: scanned(opened(["0.parquet", "1.parquet"]), ["q"])
    )
    lists = pa.table({"y": [[1]]})
    pq.write_table(lists, "l.parquet")
    for data in ("l.parquet", lists, ["a.parquet", "l.parquet"]):
        assert ": column 'y': is of type 'list<" in refusal(lambda data=data: scanned(opened(data), ["y"]))


@pytest.mark.parametrize("value", [[1.0], {"a": 1}, (1, 2)])
def test_objects_of_pandas_that_are_no_values(value):
    frame = pd.DataFrame({"y": [0, 1], "s": [value, value]})
    assert refusal(lambda: scanned(opened(frame), ["s"])).startswith("the table: column 's': is of type '")


CSV = {
    b"": "is empty",
    b"y;s;y\n1;2;3\n": "column 'y' is there 2 times",
    b"y,y,s\n1,1,2\n": "column 'y' is there 2 times",
    b"y,s\na\xff,2\n": r"column 'y', row 1: 'a\udcff' is not UTF-8 text",
    b"y\xff,s\n1,2\n": "is not UTF-8 text",
    b"y,s\n" + b"abc,2\n" * 2_000_000 + b"\xff,2\n": r"column 'y', row 2000001: '\udcff' is not UTF-8 text",
    b"y,s\n1,2\n1,2,3\n": "row 2 has 3 fields, but the header has 2",
    b"y,s\n1,2\n1,\n": "column 's', row 2: no value",
    b"y,s\n" + b"1,2\n" * 2_000_000 + b"1,\n": "column 's', row 2000001: no value",
}


@pytest.mark.parametrize("content", CSV, ids=CSV.values())
def test_csv_that_cannot_be_read(content):
    pathlib.Path("b.csv").write_bytes(content)
    line = refusal(lambda: scanned(opened("b.csv", names=["y", "s"])))
    assert line.startswith(f"'b.csv': {CSV[content]}")


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv.gz"])
def test_files_that_end_too_early(name):
    content = pathlib.Path(name).read_bytes()
    for size in range(0, len(content), max(7, len(content) // 150)):
        pathlib.Path(name).write_bytes(content[:size])
        assert refusal(lambda: scanned(opened(name))).startswith(f"'{name}': ")


def test_files_with_bytes_that_differ_give_rows_or_one_line():
    content = pathlib.Path("a.parquet").read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for at in [*range(4, footer, 997), *range(footer, len(content), 41)]:
        spoiled = bytearray(content)
        spoiled[at] ^= 0xFF
        pathlib.Path("a.parquet").write_bytes(spoiled)
        with suppress(SourceError):
            scanned(opened("a.parquet"))
            continue
        assert refusal(lambda: scanned(opened("a.parquet"))).startswith("'a.parquet': ")
        refused += 1
    assert refused > 10


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv"])
def test_files_that_change_between_two_scans(name):
    source = opened(name)
    scanned(source)
    content = pathlib.Path(name).read_bytes()
    at = os.stat(name).st_mtime_ns
    os.utime(name, ns=(at, at + 1_000_000))
    assert refusal(lambda: scanned(source)) == f"'{name}': changed between two scans"
    pathlib.Path(name).write_bytes(content[: len(content) // 2])
    os.utime(name, ns=(at, at))
    assert refusal(lambda: scanned(source)) == f"'{name}': changed between two scans"
    os.remove(name)
    assert refusal(lambda: scanned(source)) == f"'{name}': changed between two scans"
    pathlib.Path(name).write_bytes(content)
    os.utime(name, ns=(at, at))
    assert scanned(source)


def test_a_file_that_is_deleted_while_it_is_read():
    os.makedirs("many")
    for k in range(20):
        pq.write_table(pa.table({"y": [k]}), f"many/{k:02}.parquet")

    def told(done, _total):
        if done == 5:
            os.remove("many/15.parquet")

    line = refusal(lambda: scanned(one_by_one("many"), ["y"], told))
    assert line == "'many/15.parquet': changed while it was read"


def broken_batches():
    yield TABLE.to_batches()[0]
    raise KeyError("boom")


def test_streams_that_break():
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, broken_batches())
    assert refusal(lambda: scanned(opened(reader))) == "the stream: KeyError: 'boom'"
    query = pl.DataFrame({"y": ["1", "x"]}).lazy().with_columns(pl.col("y").cast(pl.Int64))
    assert refusal(lambda: scanned(opened(query), ["y"])).startswith("the lazy frame: ")
    assert "gone.parquet" in refusal(lambda: scanned(opened(pl.scan_parquet("gone.parquet"))))
    mixed = pd.DataFrame({"y": [1, "a"], "s": [0.5, 0.25]}, dtype=object)
    assert refusal(lambda: scanned(opened(mixed), ["y"])).startswith("the table: ")
    assert values(opened(mixed), ["s"])["s"].tolist() == [0.5, 0.25]
    assert refusal(lambda: scanned(opened(pd.DataFrame({"y": [0.5, np.nan]})), ["y"])) == (
        "the table: column 'y', row 2: no value"
    )


LONE = [pd.Series([1]), pl.Series([1]), pa.chunked_array([[1]])]


# pandas 2 gives no stream of a column, which is then nothing that is known.
@pytest.mark.parametrize("data", [one for one in LONE if hasattr(one, "__arrow_c_stream__")])
def test_a_column_alone_is_no_table(data):
    assert refusal(lambda: opened(data)) == "the data: is values without a name; pass a table"


# Statistics
