"""Files as people write them: names, fields and types that a reader may mistake, and
errors of one line.
"""

import csv
import gzip
import sys
from contextlib import suppress
from datetime import time
from decimal import Decimal
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from rows_read import EXCEEDS, FITS, missing_words, rows_in, score
from sklearn_ap._rows.errors import engine_errors
from sklearn_ap._rows.text import read_text
from sklearn_ap._shown.sources import SourceError

LIMITS = pytest.mark.parametrize("limit", [FITS, EXCEEDS])
HEADER = "label,score\n"


def text(folder, content, name="rows.csv"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def two_columns(*rows):
    return HEADER + "".join(f"{label},{value}\n" for label, value in rows)


def table(folder, name="rows.parquet", label=(0, 1, 0), values=(3, 2, 1), **columns):
    """Write a Parquet file, of an average precision of 1/2."""
    path = folder / name
    parquet.write_table(pa.table({"label": label, "score": values, **columns}), path)
    return path


# --- files that are read --------------------------------------------------------------

FIRST, SECOND = "1,3\n0,2\n0,1\n", "0,3\n1,2\n0,1\n"  # average precision is 1, then 1/2
GOOD, OTHER = HEADER + FIRST, HEADER + SECOND
LARGE = 2**53


def file_with(content, **options):
    """Return a function that writes a file with this content."""
    return partial(text, content=content, **options)


def similar_names(folder, name, other):
    """Write a file of an average precision of 1, and one that its name, read as a
    pattern, would match.
    """
    text(folder, OTHER, other)
    return text(folder, GOOD, name)


def labelled_folders(folder):
    """Write positives and negatives to folders of their own, and files that no reader
    should see.
    """
    text(folder, "score\n3\n", "is%25it=1/rows.csv")
    parquet.write_table(
        pa.table({"score": [2.0, 1.0]}), text(folder, "", "is%25it=0/rows.parquet")
    )
    text(folder, "torn", "is%25it=0/.rows.parquet.crc")
    text(folder, "torn", "_temporary/rows.json")
    text(folder, "", "is%25it=0/_SUCCESS")
    return str(folder)


READS = {
    # case: (function that writes the data, average precision, arguments)
    "brackets in a name": (partial(similar_names, name="a[1].csv", other="a1.csv"), 1),
    "a glob of all depths": (
        lambda folder: text(folder, GOOD, "a/b/rows.csv").parents[2] / "**" / "*.csv",
        1,
    ),
    "upper and lower case": (file_with("label,Score,score\n1,1,3\n0,9,2\n"), 1),
    "two columns of another name": (
        file_with("a,label,a,score\n9,1,9,3\n9,0,9,2\n"),
        1,
    ),
    "names in quotes": (
        file_with('"label","a ""b"", c"\r\n1,3\r\n0,2\r\n'),
        1,
        {"y_score": 'a "b", c'},
    ),
    "a last row without an end": (file_with('label,score\n"0","2"\n1,3'), 1),
    "a name of two lines": (file_with('label,score,"a\nb"\n1,3,x\n0,2,x\n'), 1),
    "a byte order mark": (file_with(b"\xef\xbb\xbf" + GOOD.encode()), 1),
    "Parquet by content": (partial(table, name="rows.csv"), 1 / 2),
    "semicolons": (file_with("a,b;label;score\nx;1;3\n1,2;0;2\n"), 1),
    "numbers as people write them": (
        file_with(
            two_columns(("1.0", " +3"), ("00", "2."), ("0e0", ".5"), ("+0", "-1E+2 "))
        ),
        1,
    ),
    "labels as text": (
        file_with(two_columns((" spam", 3), ("ham", 2), (" spam", 1))),
        5 / 6,
        {"pos_label": " spam"},
    ),
    "neighbours of 2**53": (
        file_with(two_columns((1, f"+{LARGE + 1}"), (0, LARGE))),
        1,
    ),
    "neighbours of 2**64": (
        file_with(two_columns((1, 2**64 - 1), (0, 2**64 - 2), (0, 1))),
        1,
    ),
    "large numbers next to fractions": (
        file_with(
            two_columns((1, 2**70), (0, "1e23"), (1, "9007199254740993.5"), (0, 0.5))
        ),
        (1 / 2 + 2 / 3) / 2,
    ),
    "half floats": (partial(table, values=np.float16([1.5, 3, 2])), 1),
    "text in a dictionary": (
        partial(table, label=pa.array(["n", "p", "n"]).dictionary_encode()),
        1 / 2,
        {"pos_label": "p"},
    ),
    "delimiters at the ends of rows": (
        file_with('label,score\n0,3,\n1,2,\n0,"1",\n'),
        1 / 2,
    ),
    "an empty field at the end of a row": (
        file_with('label,score,note,more\n0,3,"a, b",\n1,2,a,b\n'),
        1 / 2,
    ),
    "a list of JSON on several lines": (
        file_with(
            '[\n  {"label": 0,\n   "score": 3},\n  {"label": 1, "score": 2}\n]\n'
        ),
        1 / 2,
    ),
    "lines of JSON behind a byte order mark and blanks": (
        file_with('\ufeff\n {"label":0,"score":3}\n{"label":1,"score":2}\n'),
        1 / 2,
    ),
    "gzipped JSON under another name": (
        file_with(gzip.compress(b'{"label":0,"score":3}\n{"label":1,"score":2}\n')),
        1 / 2,
    ),
    "keys of JSON that differ in case": (
        file_with('{"label":1,"Label":0,"score":2}\n{"label":0,"Label":1,"score":1}\n'),
        1 / 2,
        {"y_true": "Label"},
    ),
    "keys of JSON in quotes": (
        file_with('{"label":1,"it\'s":2}\n{"label":0,"it\'s":1}\n'),
        1,
        {"y_score": "it's"},
    ),
    "neighbours of 2**64 in JSON": (
        file_with(
            f'{{"label":1,"score":{2**64 - 1}}}\n{{"label":0,"score":{2**64 - 2}}}\n'
        ),
        1,
    ),
    "labels that a folder names": (labelled_folders, 1, {"y_true": "is%it"}),
    # as other formats begin
    **{
        f"text that begins with {name}": (
            file_with(f"{name},label,score\n0,0,3\n0,1,2\n"),
            1 / 2,
        )
        for name in ("{id}", "{id", '{"id"}', "[{id}", "PAR1")
    },
    # JSON begins with a key, also where the first bytes end before its colon
    **{
        f"JSON behind {n_spaces} blanks with the key {key[:2]}": (
            file_with(
                f'{{{" " * n_spaces}"{key}" :1,"label":0,"score":3}}\n'
                '{"label":1,"score":2}'
            ),
            1 / 2,
        )
        for n_spaces in (0, 254, 255)
        for key in ("x", '\\"' * 300, "é" * 200)
    },
}


@LIMITS
@pytest.mark.parametrize("case", READS)
def test_rows_are_read_as_they_are_written(case, limit, tmp_path):
    write, expected, *options = READS[case]
    call = {"data": write(tmp_path), "limit": limit, **dict(*options)}
    assert score(**call) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("digits", "scale"), [(15, 3), (20, 18), (38, 20)])
def test_decimals_are_the_nearest_floats(digits, scale, tmp_path):
    """Python's `float` rounds correctly."""
    rng = np.random.default_rng(0)
    values = [
        Decimal(int(n)).scaleb(-min(scale, 12))
        for n in rng.choice(10**12, 200, replace=False)
    ]
    data = table(
        tmp_path,
        label=[0, 1] * 100,
        values=pa.array(values, pa.decimal128(digits, scale)),
    )
    assert rows_in(data)["y_score"].tolist() == list(map(float, values))


@LIMITS
@pytest.mark.parametrize(
    ("value", "scale"),
    [
        ("0.12345678901234567891", 20),
        ("-12345.678901234567891234", 18),
        ("12345678901234567890", 0),
    ],
)
def test_decimals_of_more_digits_than_floats(value, scale, limit, tmp_path):
    values = [Decimal(value), Decimal(1), Decimal(0)]
    data = table(tmp_path, values=pa.array(values, pa.decimal128(38, scale)))
    words = rf"'score': contains {value}, which float64 would round; round it to n"
    with pytest.raises(SourceError, match=words):
        score(data, limit=limit)


IDS = [
    # ids of files: a tuple of CSV, else of Parquet; all ids, or the one that is named
    ([("9", "-2"), ("10",)], [-2, 9, 10]),
    ([("9", "01"), ("10",)], ["01", "10", "9"]),
    ([("9", " 9"), ("10",)], [" 9", "10", "9"]),
    ([("1", str(2**53)), (str(2**53 + 1),)], [1, 2**53, 2**53 + 1]),
    ([("1", "2"), (str(2**63),)], ["1", "2", str(2**63)]),
    ([("7", "-8"), [7]], [-8, 7]),
    ([("7", "-8"), np.uint64([2**64 - 1])], [-8, 7, 2**64 - 1]),
    ([("7", "8"), ["7"]], ["7", "8"]),
    ([("7", "07"), [7]], "'07'"),
    ([("7", "8"), [7.5]], "'7'"),
]


@LIMITS
@pytest.mark.parametrize("names", ["ab", "ba"])
@pytest.mark.parametrize(("ids", "expected"), IDS)
def test_text_is_integers_if_all_is_or_next_to_integers(
    ids, expected, names, limit, tmp_path
):
    for name, of_file in zip(names, ids, strict=True):
        ones = np.ones(len(of_file), np.int64)
        rows = pd.DataFrame({"query": of_file, "label": ones, "score": ones})
        if isinstance(of_file, tuple):
            rows.to_csv(tmp_path / name, index=False)
        else:
            rows.to_parquet(tmp_path / name)
    call = partial(rows_in, tmp_path, query_id="query", limit=limit)
    if isinstance(expected, str):
        with pytest.raises(SourceError, match="query_id must be") as caught:
            call()
        assert missing_words(str(caught.value), f"{expected} ... /a' ... /b'") == []
        return
    found = call()["query_id"].tolist()
    assert {*map(repr, found)} == {*map(repr, expected)}


@LIMITS
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"12:00:00"', "12:00:00"),
        ('"2024-01-01"', "2024-01-01"),
        (
            '"00000000-0000-0000-0000-00000000000A"',
            "00000000-0000-0000-0000-00000000000A",
        ),
        ('"10"', "10"),
        ("-9", -9),
        (str(2**53 + 1), 2**53 + 1),
        ("0.5", 0.5),
    ],
)
def test_ids_of_json_are_text_if_they_are_in_quotes(written, expected, limit, tmp_path):
    data = text(tmp_path, f'{{"label":1,"score":1,"query":{written}}}\n')
    [found] = rows_in(data, query_id="query", limit=limit)["query_id"].tolist()
    assert (type(found), found) == (type(expected), expected)


# --- errors ---------------------------------------------------------------------------


def second_row(score="1", label="1", weight="1"):
    return file_with(f"label,score,weight\n0,2,1\n{label},{score},{weight}\n1,3,1\n")


def second(**columns):
    """Return a function that writes a good file, and one of Parquet that is read second."""
    return lambda folder: [text(folder, GOOD, "good.csv"), table(folder, **columns)]


def rows_of(**columns):
    frame = {"label": [0, 1, 1], "score": [0.5, 0.6, 0.7], **columns}
    return lambda folder: pd.DataFrame(frame)


def torn_parquet(folder):
    path = table(folder)
    return text(folder, path.read_bytes()[:-40], path.name)


def linked(folder):
    (folder / "rows.csv").symlink_to(folder / "rows.csv")
    return folder


def circular(folder):
    (folder / "a").mkdir()
    (folder / "a" / "again").symlink_to(".")
    return folder


WEIGHED, IN_QUERIES = {"sample_weight": "weight"}, {"query_id": "query"}
PERIODS = {"query": pd.PeriodIndex(["2024-01"] * 3, freq="M")}
ERRORS = {
    # case: (function that writes the data, words of the error, other arguments)
    "no file": (lambda folder: folder / "no.csv", "no.csv ... no such file"),
    "no files": (lambda folder: folder, "no files"),
    "a path that the shell expands": (
        lambda _: "~/no_such.csv",
        "~/no_such.csv ... pass os.path.expanduser(path)",
    ),
    "an address": (
        lambda _: "s3://bucket/a.parquet",
        "s3://bucket/a.parquet ... pyarrow.dataset.dataset(path, filesystem=...)",
    ),
    "a link to itself": (linked, "rows.csv ... symbolic links"),
    "a folder inside itself": (circular, "a/again' ... a folder that contains it"),
    "an empty file": (file_with(""), "rows.csv ... empty"),
    "only a header": (file_with(HEADER), "rows.csv ... no rows"),
    "UTF-16": (file_with(GOOD.encode("utf-16")), "rows.csv ... UTF-16"),
    "a field in Latin-1 behind columns that are not read": (
        file_with("a,b,score,label\n,,1,1\n,,2,ü\n".encode("latin-1")),
        "rows.csv ... not text in UTF-8; convert text in Latin-1 or of Windows",
    ),
    "torn Parquet": (torn_parquet, "rows.parquet ... cannot be read"),
    "an interrupted path": (
        file_with('label,score\n1,1\n0,"2\n', name="interrupted/r.csv"),
        "r.csv",
    ),
    "torn gzip": (
        file_with(gzip.compress(GOOD.encode() + b"1,0.5\n0,0.25\n" * 900)[:-40]),
        "rows.csv",
    ),
    "a field beyond the header behind empty ones": (
        file_with("label,score\n1,1,\n0,2,3\n"),
        "rows.csv': ... more fields than the header",
    ),
    "a row with too many fields behind many rows": (
        file_with("label,score\n" + "1,1\n" * 400_000 + "0,2,3\n"),
        "rows.csv': cannot be read: row 400,001 has 3 fields, and the header has 2",
    ),
    "a quote without an end in a column that is not read": (
        file_with('label,score,note\n1,1,a\n0,2,"b\n1,3,c\n'),
        "rows.csv': line 3: a quote has no end",
    ),
    "a quote without an end before many rows": (
        file_with('label,score\n0,2\n1,"1\n' + "0,1\n" * 900_000),
        "rows.csv': line 3: a quote has no end",
    ),
    "a quote at the end": (
        file_with('label,score\n0,2\n1,"'),
        "rows.csv': line 3: a quote has no end; close it",
    ),
    "ids of JSON of two types": (
        file_with(
            '{"label":1,"score":1,"query":1}\n{"label":0,"score":2,"query":"a"}\n'
        ),
        "rows.csv ... 'query': has type JSON ... Could not convert 'a' ... of one type",
        IN_QUERIES,
    ),
    "integers of JSON beyond 64 bits": (
        file_with(f'{{"label":1,"score":3}}\n{{"label":0,"score":{2**64}}}\n'),
        f"rows.csv ... 'score' ... no type of 64 bits contains 3 and {2**64}; expected",
    ),
    "a key that the first object lacks": (
        file_with('{"label":1}\n{"label":0,"score":2}\n'),
        "rows.csv ... 'score': contains missing values in 1 of 2 rows",
    ),
    "a missing key that differs in case": (
        file_with('{"Label":1,"label_1":0,"score":2}\n'),
        "rows.csv ... 'label' is missing; pass another name by y_true; "
        "the columns are 'Label', 'label_1', 'score'",
    ),
    "JSON that is no object": (
        file_with('{"label":1,"score":2}\n5\n'),
        "rows.csv': line 2: 5 is not an object; write one object per line",
    ),
    "an object of JSON with a key twice": (
        file_with('{"label":1,"score":1,"score":9}\n{"label":0,"score":5}\n'),
        "rows.csv': key 'score' occurs twice in one object of JSON; write each key once",
    ),
    "a list of JSON with a key twice": (
        file_with('[{"label":1,"score":1},{"label":0,"label":1,"score":5}]'),
        "rows.csv': key 'label' occurs twice in one object of JSON",
    ),
    "a line of JSON that ends early": (
        file_with('\n{"label":1,"score":2}\n{"label":0,\n"score":1\n'),
        "rows.csv': line 3: ... write one object per line, or a list of them",
    ),
    "a number of JSON that Python does not read": (
        file_with(f'{{"label":1,"score":{"1" * 5000}}}\n'),
        "rows.csv': line 1: ... digits",
    ),
    "JSON in Latin-1": (
        file_with('{"label":1,"score":2,"name":"ü"}\n'.encode("latin-1")),
        "rows.csv ... not text in UTF-8; convert text in Latin-1 or of Windows",
    ),
    "a missing column, whose name is like a folder's": (
        lambda folder: text(folder, GOOD, "day=1/rows.csv").parents[1],
        "rows.csv ... 'dya' is missing ... did you mean 'day'?",
        {"query_id": "dya"},
    ),
    "a frame whose columns are numbers": (
        lambda folder: pd.DataFrame([[1, 0.5], [0, 0.25]]),
        "data: column 'label' is missing; pass another name by y_true; the columns are 0, 1",
    ),
    "points of a curve": (
        file_with("recall,Precision\n1,0.5\n"),
        "rows.csv ... 'recall', 'Precision'; points of a curve are not rows: pass the",
    ),
    "a single column": (
        file_with("score\n1\n"),
        "rows.csv ... column 'label' is missing; ... the columns are 'score'",
    ),
    "a column twice": (
        file_with("score,label,score\n1,1,1\n"),
        "rows.csv ... 'score' ... 2 times",
    ),
    "a column of file and folder": (
        lambda folder: text(folder, GOOD, "score=3/rows.csv").parents[1],
        "score=3 ... 'score' occurs 2 times ... folder",
    ),
    **{
        f"the number {number!r}": (
            second_row(number),
            f"rows.csv ... 'score' ... {number!r}",
        )
        for number in ("1_000", "0x1F", "１", "1 5", "abc", "1e", "1d3", "True")
    },
    "commas that may separate thousands": (
        file_with("label;score\n1;1,234\n0;0\n"),
        "rows.csv ... column 'score': contains '1,234', which may be 1.234 or 1234: "
        "write decimals with a point",
    ),
    "decimal commas and points": (
        file_with("label;score\n1;1,5\n0;0.5\n"),
        "rows.csv ... column 'score': contains '0.5' and '1,5': write",
    ),
    "NaN in text": (
        second_row("nan"),
        "rows.csv ... 'score' ... missing values in 1 of 3",
    ),
    "infinity in text": (second_row("-Infinity"), "rows.csv ... 'score' ... -inf"),
    "periods as ids": (
        rows_of(**PERIODS),
        "data: column 'query': has type pandas.period; ... text: column.astype(str)",
        IN_QUERIES,
    ),
    "periods of Parquet as ids": (
        lambda folder: table(folder, query=pa.array(PERIODS["query"])),
        "rows.parquet ... column 'query': has type pandas.period; ... text",
        IN_QUERIES,
    ),
    "bins as ids": (
        rows_of(query=pd.cut([1, 2, 3], 2)),
        "data: column 'query': has type pandas.interval; ... text: column.astype(str)",
        IN_QUERIES,
    ),
    "complex scores": (
        rows_of(score=[0.5j, 1, 2]),
        "data: column 'score': has type complex128 and cannot be read ... column.astype(float)",
    ),
    "a third label in another file": (
        second(label=[0, 1, 7]),
        "rows.parquet ... 'label' ... 7 ... pos_label=1",
    ),
    "labels of text": (
        second_row(label="yes"),
        "rows.csv ... 'label' ... 'yes' ... pos_label=1",
    ),
    "labels of numbers": (
        table,
        "rows.parquet ... 'label' ... pos_label='yes'",
        {"pos_label": "yes"},
    ),
    "a negative weight": (
        second_row(weight="-0.5"),
        "rows.csv ... 'weight': contains -0.5, but ... negative; drop rows such as refunds",
        WEIGHED,
    ),
    "a weight beyond the limits": (
        second_row(weight="1e200"),
        "rows.csv ... 'weight': contains 1e+200, but ... multiply all of them",
        WEIGHED,
    ),
    "no weight": (
        file_with("label,score,weight\n1,1,0\n0,2,0\n"),
        "'weight' ... all weights are 0",
        WEIGHED,
    ),
    "integers beyond 64 bits in text": (
        file_with(two_columns((1, 2**64 + 1), (0, 2**64), (0, 1))),
        "rows.csv ... 'score': contains '18446744073709551617', which float64 would round",
    ),
    "integers next to a fraction": (
        file_with(two_columns((1, LARGE + 1), (0, LARGE), (0, 0.5))),
        "'score': contains '9007199254740993' ... in a column without fractions",
    ),
    "dates": (
        rows_of(score=pd.date_range("2024", periods=3)),
        "data ... 'score' ... datetime64",
    ),
    "a missing id": (
        rows_of(query=["a", None, "b"]),
        "data ... 'query' ... missing",
        IN_QUERIES,
    ),
    "ids that are times": (
        partial(table, query=pa.array([time(12), time(13), time(13)])),
        "rows.parquet ... 'query': contains ... expected numbers, text or dates; "
        "pass CAST(query AS VARCHAR), or frame['query'].astype(str)",
        IN_QUERIES,
    ),
    "durations": (
        rows_of(query=pd.to_timedelta([1, 2, 3], "s")),
        "timedelta",
        IN_QUERIES,
    ),
    "numbers and text": (
        rows_of(score=[0.5, "a", 1.0]),
        "data ... 'score': has type object ... 'a' ... .astype(float)",
    ),
    "integers beyond 64 bits": (
        rows_of(score=[2**70, 1, 2]),
        f"data ... 'score': has type object ... contains 1 and {2**70}; expected",
    ),
    "folders that name all columns": (
        lambda folder: text(folder, "a\n1\n", "label=1/score=2/rows.csv").parents[2],
        "rows.csv ... names of folders, such as label=1, contain all of ['label', 'score']",
    ),
    "folders that name missing values": (
        lambda folder: text(
            folder, GOOD, "query=__HIVE_DEFAULT_PARTITION__/rows.csv"
        ).parents[1],
        "rows.csv ... 'query': contains missing values",
        IN_QUERIES,
    ),
}


@LIMITS
@pytest.mark.parametrize("case", ERRORS)
def test_an_error_is_one_line_that_names_the_place(case, limit, tmp_path):
    write, words, *options = ERRORS[case]
    call = {"data": write(tmp_path), "limit": limit, **dict(*options)}
    with pytest.raises(SourceError) as caught:
        score(**call)
    message = str(caught.value)
    assert missing_words(message, words) == []
    assert "\n" not in message
    assert "Try setting" not in message  # options of DuckDB
    assert len(message) < 700
    assert caught.value.__cause__ is None


def test_an_error_of_a_missing_column_lists_twenty():
    frame = pd.DataFrame({f"c{number}": [1] for number in range(22)})
    with pytest.raises(SourceError, match=r"'c18', 'c19' and 2 others; "):
        score(frame)
    with pytest.raises(SourceError, match=r"'c18', 'c19'; "):
        score(frame.iloc[:, :20])


@given(
    st.lists(st.tuples(*[st.text('ab,;"\n\r\t é#0', max_size=4)] * 3), min_size=1),
    st.sampled_from(["\n", "\r\n"]),
)
def test_fields_are_those_that_the_csv_module_wrote(tmp_path, rows, end):
    path = tmp_path / "fields.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL)
        writer.writerows(["xyz", *rows])
    [columns] = read_text(str(path), ["x", "z"])
    assert columns["x"].values.tolist() == [x for x, _, _ in rows]
    assert columns["z"].values.tolist() == [z for _, _, z in rows]


@pytest.mark.parametrize("write", [rows_of(), table])
def test_a_missing_library_is_named_only_if_it_is_needed(write, tmp_path, monkeypatch):
    data = write(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert score(text(tmp_path, GOOD)) == 1
    with pytest.raises(ImportError, match=r"pyarrow is missing, which the extra `f"):
        score(data)


def test_broken_library_raises_its_own_error():
    broken = ImportError("libduckdb.so: cannot open shared object file")
    with pytest.raises(ImportError) as caught, engine_errors("data"):
        raise broken
    assert caught.value is broken


@LIMITS
@pytest.mark.parametrize("name", ["a.b", "*", '"a"', 'a"b', "a b"])
def test_a_relation_has_columns_of_any_name(name, limit):
    quoted = '"' + name.replace('"', '""') + '"'
    relation = duckdb.connect().sql(
        f"SELECT * FROM (VALUES (0, 3, 1), (1, 2, 3)) t(label, score, {quoted})"
    )
    assert score(relation, sample_weight=name, limit=limit) == 0.75


@pytest.mark.parametrize("log", ["_delta_log/0.json", "metadata/v1.metadata.json"])
@pytest.mark.parametrize(
    "data",
    ["", "*.csv", "day=1", "..", "../*/day=*/*.csv", "rows.csv", "data/x=1/rows.csv"],
)
def test_a_table_with_a_log_is_no_folder_of_files(log, data, tmp_path):
    """Some of its files contain rows that were replaced.

    A shell expands a pattern to single files.
    """
    for name in ("rows.csv", "day=1/rows.csv", "data/x=1/rows.csv", log):
        text(tmp_path, GOOD, f"table/{name}")
    with pytest.raises(SourceError, match=r"table'?: is a table of .*; pass .*\(\)"):
        score(str(tmp_path / "table" / data))


def test_a_file_that_is_named_twice_is_read_once(tmp_path):
    path = text(tmp_path, GOOD, "a/rows.csv")
    other = text(tmp_path, OTHER, "a/more.csv")
    (tmp_path / "link.csv").symlink_to(path)
    relative = tmp_path / "a" / ".." / "a" / "more.csv"
    paths = [tmp_path / "a", path, tmp_path / "link.csv", relative]
    assert rows_in(paths)["y_score"].size == 6
    assert rows_in([path, other])["y_score"].size == 6


def test_a_file_that_is_named_twice_keeps_its_first_place(tmp_path):
    path, other = text(tmp_path, GOOD, "b.csv"), text(tmp_path, OTHER, "a.csv")
    labels = rows_in([path, other, path])["y_true"]
    assert labels.tolist() == [True, False, False, False, True, False]


@LIMITS
@pytest.mark.parametrize("kind", ["gzip", "Parquet"])
def test_damaged_files_give_an_error_or_the_same_number(kind, limit, tmp_path):
    """No flipped bit gives another number: sums of gzip are checked, and those of
    pages.
    """
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"label": rng.integers(0, 2, 500), "score": rng.random(500)})
    path = tmp_path / "rows"
    if kind == "gzip":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode(), mtime=0))
    else:
        parquet.write_table(pa.Table.from_pandas(frame), path, write_page_checksum=True)
    expected, content = score(path, limit=limit), path.read_bytes()
    for place in rng.integers(0, len(content), 25).tolist():
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with suppress(SourceError):  # bits of names and of statistics do not count
            assert score(path, limit=limit) == expected


@LIMITS
@pytest.mark.parametrize("values", [[[1], [0], [2]], [["a"], ["b"], ["a", "b"]]])
@pytest.mark.parametrize("source", ["file", "table", "polars"])
@pytest.mark.parametrize("role", ["y_true", "y_score", "sample_weight", "query_id"])
def test_lists_of_numbers_or_text_raise_an_error(role, source, values, limit, tmp_path):
    data = table(tmp_path, other=values)
    if source != "file":
        data = parquet.read_table(data)
    if source == "polars":
        data = pl.from_arrow(data)
    words = r"column 'other': contains .*\[.*\], which is a list of [12]: pass one "
    with pytest.raises(SourceError, match=words):
        score(data, **{role: "other"}, limit=limit)


@LIMITS
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_relation_that_cannot_be_read_is_named(is_closed, limit):
    connection = duckdb.connect()
    connection.sql("create table t as select 1 as label, 0.5 as score")
    relation = connection.table("t")
    if is_closed:
        connection.close()
    else:
        connection.sql("drop table t")
    with pytest.raises(SourceError, match=r"^data: cannot be read: "):
        score(relation, limit=limit)
