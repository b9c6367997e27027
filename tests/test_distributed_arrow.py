"""Files, datasets, tables and streams as sources: the same rows in the same order, one line per fault."""

import datetime
import os
import pathlib
import threading
import time
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import dataset as ds
from pyarrow import parquet as pq

from arrow_files import (
    N_ROWS,
    TABLE,
    _here,  # noqa: F401  # which pytest finds by its name
    check_rows,
    joined,
    one_by_one,
    refusal,
    rows_of,
    scanned,
    values,
)
from sklearn_ap.distributed._engines._arrow import PART_ROWS, arrow_columns, typed_of
from sklearn_ap.distributed._open_rows import source_of as opened
from sklearn_ap.distributed._source import Place

# What is read


AGAIN: dict[str, tuple[Callable[[], object], str, int | None]] = {
    "a path": (lambda: "a.parquet", "'a.parquet'", N_ROWS),
    "a Path": (lambda: pathlib.Path("a.parquet"), "'a.parquet'", N_ROWS),
    "a whole path": (lambda: str(pathlib.Path("a.parquet").absolute()), "", N_ROWS),
    "an Arrow file": (lambda: "a.arrow", "'a.arrow'", N_ROWS),
    "a directory": (lambda: "days", "3 files", N_ROWS),
    "a pattern": (lambda: "days/*/*.parquet", "3 files", N_ROWS),
    "a pattern of directories": (lambda: "days/day=*", "3 files", N_ROWS),
    "a pattern of both": (lambda: "days/**", "3 files", N_ROWS),
    "a list": (lambda: ["days/day=0", pathlib.Path("days/day=1"), "days/day=2/*"], "3 files", N_ROWS),
    "a dataset": (lambda: ds.dataset("days", partitioning="hive"), "the dataset", N_ROWS),
    "a union": (
        lambda: ds.dataset([ds.dataset(f"days/day={day}") for day in range(3)]),
        "the dataset",
        N_ROWS,
    ),
    "a table": (lambda: TABLE, "the table", N_ROWS),
    "a table in pieces": (lambda: pa.concat_tables([TABLE[:1], TABLE[1:7], TABLE[7:]]), "the table", N_ROWS),
    "a batch": (lambda: TABLE.combine_chunks().to_batches()[0], "the table", N_ROWS),
    "polars": (lambda: pl.from_arrow(TABLE), "the table", N_ROWS),
    "pandas": (TABLE.to_pandas, "the table", N_ROWS),
    "pandas by another index": (lambda: TABLE.to_pandas().set_index("other"), "the table", N_ROWS),
    "lazy polars": (lambda: pl.from_arrow(TABLE).lazy(), "the lazy frame", None),
    "a lazy file": (lambda: pl.scan_parquet("a.parquet"), "the lazy frame", None),
}


@pytest.mark.parametrize("case", AGAIN)
def test_every_kind_of_data_gives_the_same_rows_in_both_scans(case):
    data, name, n_rows = AGAIN[case]
    source = opened(data())
    assert source.name == name or not name
    assert source.reads_again
    assert source.n_rows() == n_rows
    assert source.columns()["y"] == np.int8
    assert source.columns()["s"] == np.float32
    for _ in range(2):
        check_rows(source)
        check_rows(source, columns=["s"])


def test_duckdb_relations_run_again():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        source = opened(connection.sql("""select y, s, 1 as "a ""b" from 'a.parquet'"""))
        assert (source.reads_again, source.n_rows()) == (True, None)
        check_rows(source)
        check_rows(source)
        assert values(source, ['a "b'])['a "b'].sum() == N_ROWS


class Once:
    """A stream that can be taken only once, as a query on a server."""

    def __init__(self) -> None:
        self._reader = TABLE.to_reader()

    def __arrow_c_stream__(self, requested_schema=None):
        return self._reader.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("stream", [TABLE.to_reader, Once, lambda: ds.dataset(TABLE).scanner().to_reader()])
def test_a_stream_is_read_once(stream):
    source = opened(stream())
    assert (source.reads_again, source.n_rows()) == (False, None)
    check_rows(source)
    assert "can be read only once" in refusal(lambda: scanned(source))


def test_a_dataset_of_a_table_is_read_once():
    source = opened(ds.dataset(TABLE))
    assert not source.reads_again  # a dataset of a stream looks the same
    check_rows(source)
    assert "can be read only once" in refusal(lambda: scanned(source))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_csv(name):
    source = opened(name)
    assert source.n_rows() is None
    assert source.columns() == {"y": np.int64, "s": np.float64, "other": np.dtype(object)}
    found = values(source, ["y", "s", "other"])
    np.testing.assert_array_equal(found["s"].astype(np.float32), TABLE["s"].to_numpy())
    assert found["other"].tolist() == TABLE["other"].to_pylist()
    declared = ds.dataset(name, format="csv", schema=TABLE.schema)
    check_rows(opened(declared), columns=["y", "s", "other"])


def test_text_may_hold_ends_of_lines_and_a_mark_at_the_start():
    pathlib.Path("b.csv").write_bytes(b'\xef\xbb\xbfy,s\n"a\nb",0.5\n')
    found = values(opened("b.csv"))
    assert (found["y"].tolist(), found["s"].tolist()) == (["a\nb"], [0.5])


def test_files_without_an_ending_are_known_by_their_first_bytes():
    for name in ("a.parquet", "a.arrow"):
        os.rename(name, "part-00000")
        check_rows(opened("part-00000"))


@pytest.mark.parametrize("data", [3, None, 0.5, [1, 2], np.arange(3), {"y": [1]}, [TABLE], object()])
def test_what_is_not_data(data):
    with pytest.raises(TypeError, match=f"^data must be a path, .*; got {type(data).__name__}"):
        opened(data)


# Columns


def test_directories_name_columns():
    source = opened("days")
    assert source.columns()["day"] == np.int64
    assert np.bincount(values(source, ["s", "day"])["day"]).tolist() == [400, 400, 200]
    assert np.bincount(values(source, ["day"])["day"]).tolist() == [400, 400, 200]
    assert np.bincount(values(opened("days/day=*/*"), ["day"])["day"]).tolist() == [400, 400, 200]
    os.rename("days/day=1", "days/day=x%2Fy")
    assert sorted(set(values(opened("days"), ["day"])["day"])) == ["0", "2", "x/y"]
    assert set(values(opened("days/day=0"), ["day"])["day"]) == {0}


@pytest.mark.parametrize("dictionary", [False, True])
def test_a_dataset_types_what_directories_name(dictionary):
    hive = ds.HivePartitioning.discover(infer_dictionary=dictionary)
    source = opened(ds.dataset("days", partitioning=hive))
    assert source.columns()["day"] == np.int32
    assert np.bincount(values(source, ["s", "day"])["day"]).tolist() == [400, 400, 200]


def test_directories_that_name_no_value():
    os.rename("days/day=2", "days/day=__HIVE_DEFAULT_PARTITION__")
    source = opened("days")
    assert source.columns()["day"] == np.int64
    check_rows(source, pa.concat_tables([TABLE[:800], TABLE[800:]]))
    assert refusal(lambda: values(source, ["day"])) == (
        "'days/day=__HIVE_DEFAULT_PARTITION__/part-0.parquet': column 'day', row 1: no value"
    )


def test_a_directory_does_not_hide_a_column_of_its_files():
    os.makedirs("runs/s=5")
    pq.write_table(TABLE, "runs/s=5/a.parquet")
    check_rows(opened("runs/s=5/a.parquet"))
    check_rows(opened("runs/s=5"))
    check_rows(opened("runs"))


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv"])
def test_a_dot_in_a_name_has_no_meaning(kind):
    fields = {"a": [1, 2], "a.b": [3, 4], "c.d": [5, 6]}
    if kind != "csv":
        fields = {"a": [{"b": 1}, {"b": 2}], "a.b": [3, 4], "c": [{"d": 7}, {"d": 8}], "c.d": [5, 6]}
    ds.write_dataset(pa.table(fields), "dots", format=kind)
    source = opened("dots")
    for _ in range(2):
        assert values(source, ["c.d", "a.b"])["a.b"].tolist() == [3, 4]
    assert values(opened(pa.table(fields)), ["c.d"])["c.d"].tolist() == [5, 6]
    if kind == "parquet":
        assert source.extremes("a.b") is None  # its statistics are not told from those of a struct
    kept = opened("dots", pc.field("a.b") > 3)
    assert values(kept, ["c.d"])["c.d"].tolist() == [6]


def test_only_the_columns_asked_for_are_read():
    at = pq.read_metadata("a.parquet").row_group(3).column(2)
    assert at.path_in_schema == "other"
    content = bytearray(pathlib.Path("a.parquet").read_bytes())
    start = at.dictionary_page_offset or at.data_page_offset
    content[start : start + at.total_compressed_size] = bytes(at.total_compressed_size)
    pathlib.Path("a.parquet").write_bytes(content)
    check_rows(opened("a.parquet"))
    assert refusal(lambda: scanned(opened("a.parquet"), ["other"])).startswith("'a.parquet': ")


def test_a_type_holds_all_files():
    wide = TABLE.set_column(0, "y", TABLE["y"].cast(pa.int32()))
    pq.write_table(wide.set_column(1, "s", TABLE["s"].cast(pa.float64())), "b.parquet")
    pathlib.Path("c.csv").write_bytes(b"y,s\n")  # a column without values has any type
    for data in (["a.parquet", "b.parquet", "c.csv"], ds.dataset(["a.parquet", "b.parquet"])):
        source = opened(data)
        assert source.columns()["y"] == np.int32
        assert source.columns()["s"] == np.float64
        one, two = scanned(source)
        assert [part.columns["s"].dtype for part in (one, two)] == [np.float64, np.float64]
        assert [part.columns["y"].dtype for part in (one, two)] == [np.int32, np.int32]


# Filters


def expected(mask) -> pa.Table:
    return TABLE.filter(pa.array(mask))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_filter_of_files(name):
    low = TABLE["s"].to_numpy() < 0.25
    source = opened(name, pc.field("s") < 0.25)
    assert source.n_rows() is None
    check_rows(source, expected(low))
    check_rows(source, expected(low), ["y"])  # the column of the filter need not be asked for
    assert scanned(opened(name, pc.field("s") < -1)) == []


def test_a_filter_of_csv_and_of_directories():
    assert len(values(opened("a.csv", pc.field("y") == 1))["s"]) == sum(TABLE["y"].to_pylist())
    source = opened("days", pc.field("day") == 1)
    check_rows(source, TABLE[400:800])
    log: list[tuple[int, int]] = []
    scanned(source, told=lambda *told: log.append(told))
    assert log == [(1, 1)]  # the other files are not read
    check_rows(
        opened("days", (pc.field("day") > 0) & (pc.field("y") == 1)), TABLE[400:].filter(pc.field("y") == 1)
    )


def test_the_filter_that_a_dataset_has_already():
    low, positive = TABLE["s"].to_numpy() < 0.25, TABLE["y"].to_numpy() == 1
    files = ds.dataset("days", partitioning="hive")
    filtered = files.filter(pc.field("s") < 0.25)
    check_rows(opened(filtered), expected(low))
    check_rows(opened(filtered.filter(pc.field("y") == 1)), expected(low & positive))
    check_rows(opened(filtered, pc.field("y") == 1), expected(low & positive))
    assert opened(filtered).n_rows() is None
    by_day = opened(files.filter(pc.field("day") == 2))
    check_rows(by_day, TABLE[800:])
    check_rows(opened(ds.dataset(TABLE).filter(pc.field("y") == 1)), expected(positive))
    low_s, high_s = opened(filtered).extremes("s")
    assert low_s <= values(opened(filtered))["s"].min()
    assert high_s >= values(opened(filtered))["s"].max()


def test_rows_that_a_filter_drops_may_be_without_value():
    pq.write_table(pa.table({"y": [1, None, 0], "s": [0.5, 0.25, None]}), "b.parquet")
    assert values(opened("b.parquet", pc.field("s") > 0.3))["s"].tolist() == [0.5]
    line = refusal(lambda: scanned(opened("b.parquet", pc.field("s") < 0.3)))
    assert line == "'b.parquet', among the rows that the filter keeps: column 'y', row 1: no value"


FILTERS = {
    "a missing column": (pc.field("zz") > 1, "filter '(zz > 1)' does not fit the columns: No match for"),
    "another type": (pc.field("y") > "a", "has no kernel matching input types (int8, string)"),
    "no condition": (pc.field("y") + 1, "Filter expression must evaluate to bool"),
}


@pytest.mark.parametrize("case", FILTERS)
def test_filters_that_do_not_fit(case):
    rows, problem = FILTERS[case]
    line = refusal(lambda: scanned(opened("a.parquet", rows)))
    assert line.startswith("'a.parquet': ")
    assert problem in line


def test_a_filter_is_an_expression_and_for_files():
    with pytest.raises(TypeError, match=r"filter must be a pyarrow\.compute\.Expression; got 'y > 1'"):
        opened("a.parquet", "y > 1")
    assert "it is for files and datasets" in refusal(lambda: opened(TABLE, pc.field("y") > 1))


# Parts


def test_parts_are_row_groups_and_small_ones_are_read_together():
    big = pa.table({"y": np.zeros(1_500_000, np.int8)})
    with pq.ParquetWriter("b.parquet", big.schema) as writer:
        for size in (700_000, 300_000, 100_000, 1_500_000, 0, 5):
            writer.write_table(big[:size], row_group_size=2_000_000)
    log: list[tuple[int, int]] = []
    parts = scanned(opened("b.parquet"), ["y"], lambda *told: log.append(told))
    assert [(part.place, part.columns["y"].size) for part in parts] == [
        (Place("'b.parquet'", 0), 1_000_000),
        (Place("'b.parquet'", 1_000_000), 100_000),
        (Place("'b.parquet'", 1_100_000), 1_500_000),
        (Place("'b.parquet'", 2_600_000), 5),
    ]
    assert log == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_large_row_group_is_read_in_pieces():
    n_rows = 2 * PART_ROWS + 70_000
    numbers = np.arange(n_rows, dtype=np.int32)
    os.makedirs("big/day=5")
    pq.write_table(pa.table({"y": [7], "n": pa.array([8], pa.int32())}), "big/day=5/a.parquet")
    pq.write_table(
        pa.table({"y": numbers % 2, "n": numbers}),
        "big/day=5/b.parquet",
        row_group_size=n_rows,
        compression="zstd",
    )
    assert pq.read_metadata("big/day=5/b.parquet").num_row_groups == 1
    log: list[tuple[int, int]] = []
    source = opened("big")
    parts = scanned(source, ["n", "day"], lambda *told: log.append(told))
    assert [part.columns["n"].size for part in parts] == [1, PART_ROWS, PART_ROWS, 70_000]
    assert [part.place.first_row for part in parts] == [0, 0, PART_ROWS, 2 * PART_ROWS]
    np.testing.assert_array_equal(np.concatenate([part.columns["n"] for part in parts])[1:], numbers)
    assert all((part.columns["day"] == 5).all() for part in parts)
    assert log == [(1, 4), (2, 4), (3, 4), (4, 4)]
    kept = opened("big", pc.field("n") >= n_rows - 3)
    assert values(kept, ["n"])["n"].tolist() == [8, *numbers[-3:]][1:]
    table = opened(pa.table({"n": numbers}))
    assert [part.place.first_row for part in scanned(table, ["n"])] == [0, PART_ROWS, 2 * PART_ROWS]


def test_pieces_know_the_rows_before_their_row_group():
    table = pa.table({"y": np.zeros(2 * PART_ROWS + 1, np.int8)})
    with pq.ParquetWriter("b.parquet", table.schema) as writer:
        for size in (PART_ROWS - 1, 2 * PART_ROWS + 1, 2):
            writer.write_table(table[:size], row_group_size=size)
    starts = [PART_ROWS - 1, 2 * PART_ROWS - 1, 3 * PART_ROWS - 1, 3 * PART_ROWS]
    assert [part.place.first_row for part in scanned(opened("b.parquet"), ["y"])] == [0, *starts]
    (file,) = ds.dataset("b.parquet").get_fragments()
    some = ds.FileSystemDataset([file.subset(row_group_ids=[0, 2])], table.schema, file.format)
    source = opened(some)
    assert source.n_rows() == PART_ROWS + 1
    assert [part.place.first_row for part in scanned(source, ["y"])] == [0, 3 * PART_ROWS]


def test_the_row_of_a_fault_counts_from_the_start_of_the_file():
    y = pa.array([1] * 2_100_007, pa.int8())
    pq.write_table(
        pa.table({"y": pa.concat_arrays([y, pa.array([None], pa.int8())])}), "b.parquet", row_group_size=10**6
    )
    assert (
        refusal(lambda: scanned(opened("b.parquet"), ["y"]))
        == "'b.parquet': column 'y', row 2100008: no value"
    )
    table = opened(pq.read_table("b.parquet"))
    assert refusal(lambda: scanned(table, ["y"])) == "the table: column 'y', row 2100008: no value"


def test_results_are_combined_in_the_order_of_the_parts():
    os.makedirs("many")
    for k in range(30):
        pq.write_table(pa.table({"y": [k]}), f"many/{k:02}.parquet")

    def slow_at_times(part):
        time.sleep(0.01 * (part.columns["y"][0] % 3 == 0))
        return str(part.columns["y"][0]) + " "

    calls: list[list[str]] = []

    def combine(results):
        calls.append(list(results))
        return "".join(results)

    log: list[tuple[int, int]] = []
    for _ in range(2):
        whole = one_by_one("many").scan(["y"], slow_at_times, combine, lambda *told: log.append(told))
        assert whole == "".join(f"{k} " for k in range(30))
    assert calls[: len(calls) // 2] == calls[len(calls) // 2 :]  # sums of floats are the same in every run
    assert max(map(len, calls)) == 4
    assert log == [(k + 1, 30) for k in range(30)] * 2


def test_two_threads_read_and_hold_few_parts():
    os.makedirs("many")
    for k in range(12):
        pq.write_table(pa.table({"y": [k]}), f"many/{k:02}.parquet")
    both, began = threading.Barrier(2, timeout=600), []

    def step(part):
        began.append(part.columns["y"][0])
        if part.columns["y"][0] < 2:
            both.wait()  # breaks if only one thread steps
        if part.columns["y"][0] == 0:
            time.sleep(0.2)
            return len(began)
        return 0

    assert one_by_one("many").scan(["y"], step, sum, lambda *_: None) <= 3


def test_files_without_rows():
    pq.write_table(TABLE[:0], "none.parquet")
    source = opened("none.parquet")
    assert source.scan(["y"], rows_of, joined, lambda *_: None) is None
    assert (source.n_rows(), source.extremes("s")) == (0, None)
    pathlib.Path("nothing.csv").write_text("s,y\n")
    check_rows(opened(["none.parquet", "a.parquet", "nothing.csv"]))
    assert opened(TABLE[:0]).scan(["y"], rows_of, joined, lambda *_: None) is None


# What goes wrong


def test_extremes_come_from_the_ends_of_files():
    low, high = opened("a.parquet").extremes("s")
    assert (low, high) == (TABLE["s"].to_numpy().min(), TABLE["s"].to_numpy().max())
    assert opened("days").extremes("s") == (low, high)
    assert opened("a.parquet").extremes("y") == (0, 1)
    assert opened("a.parquet").extremes("other") is None
    for data in ("a.arrow", "a.csv", TABLE, ["a.parquet", "a.arrow"]):
        assert opened(data).extremes("s") is None
    pq.write_table(TABLE, "b.parquet", write_statistics=False)
    assert opened("b.parquet").extremes("s") is None
    assert opened(["a.parquet", "b.parquet"]).extremes("s") is None
    assert opened("days").extremes("day") is None


NUMBERS: dict[str, tuple[pa.Array, tuple[float, float] | None]] = {
    "nan in between": (pa.array([0.5, np.nan, 0.25]), (0.25, 0.5)),
    "nan only": (pa.array([np.nan]), None),
    "infinity": (pa.array([0.5, np.inf]), None),
    "zeros": (pa.array([-0.0, 0.0]), (0.0, 0.0)),
    "unsigned": (pa.array([2**32 - 1, 1], pa.uint32()), (1, 2**32 - 1)),
    "booleans": (pa.array([True, False]), (0, 1)),
    "half": (pa.array(np.array([1, 2], np.float16)), None),
    "large": (pa.array([-(2**53) - 1, 2**53 + 1]), (-(2**53) - 2, 2**53 + 2)),
    "largest": (pa.array([0, 2**64 - 1], pa.uint64()), (0, 2**64)),
    "decimals": (pa.array([Decimal("0.1")]), (np.nextafter(0.1, 0), 0.1)),
    "no value": (pa.array([None], pa.float64()), None),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_extremes_are_bounds(case):
    array, bounds = NUMBERS[case]
    pq.write_table(pa.table({"s": array}), "b.parquet")
    found = opened("b.parquet").extremes("s")
    assert found == bounds
    if found is not None:
        assert all(isinstance(one, float) and not (one == 0 and np.signbit(one)) for one in found)


# Arrays


class Label(pa.ExtensionType):
    def __init__(self) -> None:
        super().__init__(pa.int8(), "sklearn_ap.label")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


D = Decimal
DAY = datetime.date(2020, 1, 2)
ARRAYS: dict[str, tuple[pa.Array, str, list]] = {
    "bool": (pa.array([True, False]), "bool", [True, False]),
    "int8": (pa.array([1, -2], pa.int8()), "int8", [1, -2]),
    "uint64": (pa.array([1, 2**64 - 1], pa.uint64()), "uint64", [1, 2**64 - 1]),
    "float16": (pa.array(np.array([0.5, 2], np.float16)), "float32", [0.5, 2.0]),
    "float32": (pa.array([0.5, 2], pa.float32()), "float32", [0.5, 2.0]),
    "float64": (pa.array([0.5, 2]), "float64", [0.5, 2.0]),
    "text": (pa.array(["a", "é"]), "object", ["a", "é"]),
    "large text": (pa.array(["a", ""], pa.large_string()), "object", ["a", ""]),
    "text view": (
        pa.array(["a", "a long text, not inlined"], pa.string_view()),
        "object",
        ["a", "a long text, not inlined"],
    ),
    "dictionary": (pa.array(["b", "a"]).dictionary_encode(), "object", ["b", "a"]),
    "categories of polars": (
        pa.DictionaryArray.from_arrays([1, 0], pa.array(["a", "b"], pa.string_view())),
        "object",
        ["b", "a"],
    ),
    "numbers of a dictionary": (pa.array([0.5, 2]).dictionary_encode(), "float64", [0.5, 2.0]),
    "decimal": (pa.array([D("1.50"), D("-2.25")]), "float64", [1.5, -2.25]),
    "long decimal": (pa.array([D("1.5"), D("2.2")], pa.decimal256(50, 1)), "float64", [1.5, 2.2]),
    "whole decimal": (pa.array([D(2**60), D(1)], pa.decimal128(38, 0)), "int64", [2**60, 1]),
    "day": (pa.array([DAY, DAY]), "M8[D]", [DAY, DAY]),
    "date in ms": (pa.array([DAY, DAY], pa.date64()), "M8[ms]", [datetime.datetime(2020, 1, 2)] * 2),
    "timestamp": (pa.array([1, 2], pa.timestamp("ns", "UTC")), "M8[ns]", [1, 2]),
    "time": (
        pa.array([1, 2], pa.time32("s")),
        "m8[s]",
        [datetime.timedelta(seconds=1), datetime.timedelta(seconds=2)],
    ),
    "duration": (
        pa.array([1, 2], pa.duration("ms")),
        "m8[ms]",
        [datetime.timedelta(milliseconds=1), datetime.timedelta(milliseconds=2)],
    ),
    "bytes": (pa.array([b"a", b"b"]), "object", [b"a", b"b"]),
    "extension": (pa.ExtensionArray.from_storage(Label(), pa.array([1, 0], pa.int8())), "int8", [1, 0]),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_of_each_type(case):
    array, dtype, expected_values = ARRAYS[case]
    table = pa.table({"c": array})
    empty = pa.table({"c": pa.chunked_array([], type=array.type)})
    twice = pa.chunked_array([array, array], type=array.type)
    pieces = {"c": expected_values}, {"c": expected_values[1:]}, {"c": expected_values * 2}
    data = [table, table.slice(1), pa.table({"c": twice}), empty, table.slice(0, 0)]
    wanted = [*(piece["c"] for piece in pieces), [], []]
    assert typed_of(array.type).dtype == np.dtype(dtype)
    for rows, expected_rows in zip(data, wanted, strict=True):
        found = arrow_columns(rows, ["c"], Place("the table"))["c"]
        assert (found.dtype, found.shape) == (np.dtype(dtype), (rows.num_rows,))
        assert found.tolist() == expected_rows
        assert [type(one) for one in found.tolist()] == [type(one) for one in expected_rows]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_numbers_are_not_copied(dtype):
    values = np.arange(10, dtype=dtype)
    assert np.shares_memory(arrow_columns(pa.table({"c": values}), ["c"], Place("x"))["c"], values)


FAULTS: dict[str, tuple[Callable[[], pa.Array], str]] = {
    "null": (lambda: pa.array([1, None, None]), ", row 12: no value"),
    "null in a dictionary": (
        lambda: pa.DictionaryArray.from_arrays([0, 1], ["a", None]),
        ", row 12: no value",
    ),
    "null of a dictionary": (lambda: pa.array(["a", None]).dictionary_encode(), ", row 12: no value"),
    "null alone": (lambda: pa.nulls(2), ", row 11: no value"),
    "null in text": (lambda: pa.array(["", None]), ", row 12: no value"),
    "text that is not UTF-8": (
        lambda: pa.Array.from_buffers(
            pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff")]
        ),
        ", row 12: holds text that is not UTF-8",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_columns_that_are_refused(case):
    array, problem = FAULTS[case]
    table = pa.table({"b": np.zeros(len(array())), "c": array()})
    line = refusal(lambda: arrow_columns(table, ["b", "c"], Place("'f'", 10)))
    assert line.startswith(f"'f': column 'c'{problem}")
