"""Files and options that are refused: one line that names the file, the column and the row."""

import contextlib
import gzip
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import COLUMNS, error_of, rows_of, run, values_of
from sklearn_ap.__main__ import main
from sklearn_ap._command._options import read_options
from sklearn_ap._command._words import in_words
from sklearn_ap.distributed._source import shown

HEADER = "label,score\n"
NOT_A_NUMBER = "is not a finite number such as 12, -0.5 or 1e-3"
HOSTILE = {
    "missing column": (
        "label,other\n1,0.5\n",
        ": column 'score' is missing; the columns are 'label', 'other'",
    ),
    "duplicate column": (
        "label,score,score\n1,0.5,1\n",
        ": column 'score' is there 2 times; give columns different names",
    ),
    "duplicate but for blanks": ("label,score, score\n1,0.5,1\n", ": column 'score' is there 2 times"),
    "empty": ("", ": is empty"),
    "blank": ("\n\r\n\n", ": is empty"),
    "header only": (HEADER, ": holds no rows"),
    "no number": (HEADER + "1,0.5\n0,high\n", f": column 'score', row 2: 'high' {NOT_A_NUMBER}"),
    "after blank lines": (
        HEADER + "\n1,0.5\n\n\n0,high\n",
        f": column 'score', row 2: 'high' {NOT_A_NUMBER}",
    ),
    "NaN": (HEADER + "1,nan\n0,1\n", f": column 'score', row 1: 'nan' {NOT_A_NUMBER}"),
    "infinity": (HEADER + "1,1\n0,inf\n", f": column 'score', row 2: 'inf' {NOT_A_NUMBER}"),
    "empty score": (HEADER + "1,\n0,1\n", ": column 'score', row 1: no value"),
    "blank score": (HEADER + "1,1\n0, \t\n", ": column 'score', row 2: no value"),
    "empty label": (HEADER + "1,2\n,1\n", ": column 'label', row 2: no value"),
    "blank label": (HEADER + "1,2\n  ,1\n", ": column 'label', row 2: no value"),
    "NaN label": (HEADER + "1,2\nnan,1\n", ": column 'label', row 2: no value"),
    "ragged": (HEADER + "1,2\n1\n0,1\n", ": row 2 has 1 field, but the header has 2"),
    "too wide": (HEADER + "1,2,3\n", ": row 1 has 3 fields, but the header has 2"),
    "three labels": (HEADER + "0,1\n1,2\n2,3\n", ": column 'label': holds 3 labels (0, 1, 2), but two"),
    "columns exchanged": (
        "score,label\n" + "".join(f"1,{i}\n" for i in range(9)),
        ": column 'label': holds more than 5 labels (0, 1, 2, 3, 4, ...), but two are wanted",
    ),
    "half a label": (
        HEADER + "1,2\n0.5,1\n",
        ": column 'label', row 2: 0.5 is not a label: labels are whole numbers or text",
    ),
    "a label beyond all": (
        HEADER + "1,2\n1e-999999,1\n",
        ": column 'label', row 2: '1e-999999' is nearer to 0 than every float64",
    ),
    "open quote": (HEADER + '1,"2\n0,1\n', ": row 1, up to line 3: unexpected end of data"),
    "open quote elsewhere": (
        'label,score,t\n0,0,a\n1,1,"b\n0,2,c\n',
        ": row 2, up to line 4: unexpected end",
    ),
    "open quote in the header": ('label,"score\n1,2\n', ": the header, up to line 2: unexpected end of data"),
    "text after a quote": (HEADER + '1,2\n0,"1"1\n', ": row 2, up to line 3: ',' expected after '\"'"),
    "text of one kind": (
        HEADER + "red,2\nred,1\n",
        ": column 'label': holds the label 'red': name the positive",
    ),
    "another number": (HEADER + "2,2\n2,1\n", ": column 'label': holds the label 2: name the positive one"),
    "mixed labels": (
        HEADER + "1,2\nno,1\n",
        ": column 'label': holds the labels '1', 'no': name the positive",
    ),
    "semicolons": ("label;points\n1;2\n", ": column 'score' is missing; the columns are 'label', 'points'"),
    "tabs": ("label\tpoints\n1\t2\n", ": column 'score' is missing; the columns are 'label', 'points'"),
    "bars": (
        "label|score\n1|2\n",
        ": column 'label' is missing; the only column is 'label|score': separate columns by comma",
    ),
    "one column": ("labels\n1\n", ": column 'label' is missing; the columns are 'labels'"),
    "two separators": (
        "label,score,a;label;score\n1,2,3;0;1\n",
        ": the header holds 'label', 'score' both split by commas and by semicolons; a file has one kind of",
    ),
    "decimal commas": ("label;score\n1;0,5\n0;1\n", f": column 'score', row 1: '0,5' {NOT_A_NUMBER}"),
    "semicolons in rows": ("label,score\n1;2\n", ": row 1 has 1 field, but the header has 2"),
    "false alone": (HEADER + "no,2\nno,1\n", ": column 'label': holds the label 'no': name the positive"),
    "words of two pairs": (
        HEADER + "no,2\ntrue,1\n",
        ": column 'label': holds the labels 'no', 'true': name the positive",
    ),
    "wrong encoding": (
        HEADER.encode() + b"1,2\n\xff\xfe,1\n",
        r"'label', row 2: '\udcff\udcfe' is not UTF-8",
    ),
    "score in a wrong encoding": (
        HEADER.encode() + b"1,2\n0,\xe9\n",
        r"'score', row 2: '\udce9' is not UTF-8",
    ),
    "UTF-16": ((HEADER + "1,2\n").encode("utf-16"), ": is not UTF-8 text but UTF-16"),
    "UTF-16, big endian": ((HEADER + "1,2\n").encode("utf-16-be"), r"columns are '\x00l\x00a\x00b\x00e\x00l"),
    "binary": (bytes(range(256)), r"the columns are '\x00\x01\x02"),
    "binary beyond ASCII": (bytes(range(128, 256)), ": is not UTF-8 text; save it as UTF-8"),
    "NUL": (HEADER + "1\x00,2\n0,1\n", r": column 'label': holds the labels '0', '1\x00': name the positive"),
    "escapes in a label": (
        HEADER + "\x1b[31mred,1\nno,2\n",
        r": column 'label': holds the labels '\x1b[31mred', 'no': name the positive one",
    ),
    "new lines in a label": (
        HEADER + '"a\nb",1\nno,2\n',
        r"holds the labels 'a\nb', 'no': name the positive",
    ),
    "new lines in a column": ('label,"sco\nre\x1b"\n1,2\n', r"the columns are 'label', 'sco\nre\x1b'"),
    "overrides in a score": (HEADER + "1,2\n0,\u202e1\n", rf"row 2: '\u202e1' {NOT_A_NUMBER}"),
    "a long score": (HEADER + f"1,{'x' * 99_999}\n0,1\n", f"row 1: '{'x' * 69}...{'x' * 26}' {NOT_A_NUMBER}"),
    "many columns": (
        ",".join(map(str, range(999))) + "\n",
        "columns are '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...",
    ),
    "zip": (
        b"PK\x03\x04and so on",
        ": is a zip archive, as Excel files are; pass CSV in UTF-8, plain or gzipped",
    ),
    "bzip2": (b"BZh91AY&SY and so on", ": is packed by bzip2; pass CSV in UTF-8"),
    "xz": (b"\xfd7zXZ\x00and so on", ": is packed by xz; pass CSV in UTF-8"),
    "zstd": (b"\x28\xb5\x2f\xfdand so on", ": is packed by zstd; pass CSV in UTF-8"),
    "Arrow": (b"ARROW1\x00\x00and so on", ": Not an Arrow file"),
    "gzip twice": (gzip.compress(gzip.compress(HEADER.encode())), ": is packed by gzip twice; pass CSV"),
    "broken gzip": (gzip.compress(b"label,score\n" * 999)[:40], ": Compressed file ended before"),
    "spoiled gzip": (gzip.compress(b"label,score\n" * 999)[:-9] + b"spoiled??", ": "),
    "broken Parquet": (b"PAR1 and so on", ": "),
    "BZh as a column": ("BZh9,b\n1,2\n", "column 'label' is missing; the columns are 'BZh9', 'b'"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files(case, tmp_path):
    content, text = HOSTILE[case]
    file = tmp_path / "hostile.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    message = error_of(file, *COLUMNS)
    assert message.startswith(f"{shown(str(file))}: ")
    assert text in message
    assert len(message) < 400


def test_an_error_without_standard_error_stays_out_of_the_output(capsys):
    """In this process, since numpy 2.0 is not even imported without standard error."""
    with contextlib.redirect_stderr(None), pytest.raises(SystemExit, match="2"):
        main(["nothing.csv", *COLUMNS])
    assert capsys.readouterr().out == ""


def test_what_stands_in_other_columns_does_not_matter(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_bytes(
        "größe,label,score,score 2,score 2\n\x00,1,2,,\nn\u202eé,0,1,nan,\n".encode("latin-1", "replace")
    )
    assert values_of(file, *COLUMNS)["average precision"] == 1.0
    long = "x" * 200_000  # longer than Python's csv takes if it is not told otherwise
    file.write_text(f"text,label,score\n{long},1,2\n,0,1\n")
    assert values_of(file, *COLUMNS)["average precision"] == 1.0


def test_files_that_cannot_be_opened(tmp_path):
    (tmp_path / "text.parquet").write_text("label,score\n1,2\n")
    (tmp_path / "empty.parquet").write_text("")
    (tmp_path / "folder.parquet").mkdir()
    for name, text in {
        "none.csv": ": No such file or directory",
        "none.parquet": ": No such file or directory",
        "text.parquet": "Parquet",
        "empty.parquet": "Parquet",
        "folder.parquet": ": is a directory that holds no files",
        "": "/empty.parquet': Parquet file size is 0 bytes",
        "a\n\x1b[2J": r"a\n\x1b[2J': No such file or directory",
        "none.csv/below": ": No such file or directory",
        "x" * 300: f"...{'x' * 26}': File name too long",
    }.items():
        assert text in error_of(tmp_path / name, *COLUMNS), name


def test_no_address_is_opened(tmp_path):
    """A file of this machine whose address is not a path shows that nothing resolves addresses."""
    pq.write_table(pa.table({"label": [1, 0], "score": [2, 1]}), tmp_path / "scores.parquet")
    for address in (f"file://{tmp_path}/scores.parquet", "s3://bucket/scores.parquet", "https://x.org/a.csv"):
        message = error_of(address, *COLUMNS)
        assert message.endswith(
            ": URLs are not read; pass a file of this machine, or a pyarrow.dataset of the URL"
        )


SCHEMAS = {
    "list": pa.array([[1.0], [0.5, 2.0]]),
    "fixed list": pa.array([[1.0], [0.5]], pa.list_(pa.float64(), 1)),
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    "timestamp": pa.array([2**62, 2**61], pa.timestamp("ms")),
    "date": pa.array([date(2020, 1, 1), date(2020, 1, 2)]),
    "bytes": pa.array([b"1", b"0"]),
    "dictionary of bytes": pa.array([b"1", b"0"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_parquet_is_refused_by_its_schema(kind, tmp_path):
    columns = {"label": [1, 0], "score": [2.0, 1.0], "odd": SCHEMAS[kind]}
    pq.write_table(pa.table(columns), tmp_path / "odd.parquet")
    stored = pq.read_schema(tmp_path / "odd.parquet").field("odd").type
    roles = [["--y-true", "label", "--y-score", "odd"], ["--y-true", "odd", "--y-score", "score"]]
    roles += [[*COLUMNS, "--sample-weight", "odd"], [*COLUMNS, "--item-id", "odd"]]
    if kind in ("list", "fixed list", "struct", "map"):
        roles.append([*COLUMNS, "--query-id", "odd"])
    for role in roles:
        message = error_of(tmp_path / "odd.parquet", *role)
        wanted = f"is of type {shown(str(stored))}, which is none of "
        if kind not in ("list", "fixed list", "struct", "map"):
            wanted = (
                "holds bytes, which are not" if "bytes" in kind else "holds dates or times, which are not"
            )
        if role[-2] == "--item-id":
            wanted = "is of type "
        assert f"column 'odd': {wanted}" in message


def test_parquet_values_that_are_refused(tmp_path):
    columns = {
        "label": [1, 0, 1],
        "score": [3.0, 2.0, 1.0],
        "gap": [1, None, 2],
        "gap in a dictionary": pa.array(["1", "2", None]).dictionary_encode(),
        "nothing": pa.nulls(3),
        "NaN": [1.0, 2.0, float("nan")],
        "infinite": [1.0, -float("inf"), 1.0],
        "text": ["1", "high", "2"],
        "half": [1.0, 0.5, 1.0],
        "below": pa.array([1, 2, -3], pa.int8()),
    }
    pq.write_table(pa.table(columns), path := tmp_path / "values.parquet")
    for name, text in {
        "gap": ", row 2: no value",
        "gap in a dictionary": ", row 3: no value",
        "nothing": ", row 1: no value",
        "NaN": ", row 3: no value",
        "infinite": f", row 2: -inf {NOT_A_NUMBER}",
        "text": f", row 2: 'high' {NOT_A_NUMBER}",
        "missing": " is missing; the columns are 'label', 'score', 'gap', 'gap in a dictionary', 'nothing'",
    }.items():
        assert f"column '{name}'{text}" in error_of(path, "--y-true", "label", "--y-score", name)
    for name, text in {
        "gap": ", row 2: no value",
        "NaN": ", row 3: no value",
        "infinite": ", row 2: -inf is not a label",
        "half": ", row 2: 0.5 is not a label",
        "text": ": holds 3 labels ('1', '2', 'high'), but two",
    }.items():
        assert f"column '{name}'{text}" in error_of(path, "--y-true", name, "--y-score", "score")
    assert "'below', row 3: -3 is below 0" in error_of(path, *COLUMNS, "--sample-weight", "below")
    assert "'NaN', row 3: no value" in error_of(path, *COLUMNS, "--query-id", "NaN")
    assert "'gap', row 2: no value" in error_of(path, *COLUMNS, "--item-id", "gap")


def test_parquet_columns_whose_names_look_nested(tmp_path):
    """A point in a name is a path to Parquet's own readers, which then also give "label.b" for "label"."""
    columns = {
        "score.label": [9, 9],
        "label.b": [7, 8],
        "label": [1, 0],
        "score": [2, 1],
        "s": [{"x": 1}, {"x": 2}],
    }
    pq.write_table(pa.table(columns), tmp_path / "nested.parquet")
    assert values_of(tmp_path / "nested.parquet", *COLUMNS)["average precision"] == 1.0
    assert "column 's.x' is missing" in error_of(
        tmp_path / "nested.parquet", "--y-true", "label", "--y-score", "s.x"
    )
    twice = pa.Table.from_arrays(
        [pa.array([1, 0]), pa.array([2, 1]), pa.array([1, 2])], ["label", "score", "score"]
    )
    pq.write_table(twice, tmp_path / "twice.parquet")
    assert "column 'score' is there 2 times" in error_of(tmp_path / "twice.parquet", *COLUMNS)


def test_parquet_without_rows_or_text(tmp_path):
    pq.write_table(
        pa.table({"label": pa.nulls(0), "score": pa.array([], pa.float64())}), tmp_path / "none.parquet"
    )
    assert error_of(tmp_path / "none.parquet", *COLUMNS).endswith(": holds no rows")
    text = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"1\xff")]
    )
    pq.write_table(pa.table({"label": text, "score": [1, 2]}), tmp_path / "bytes.parquet")
    assert "not UTF-8" in error_of(tmp_path / "bytes.parquet", *COLUMNS)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.csv").write_text(
        "label,text,score,weight,query\n0,no,4,1,item_id\n1,yes,3,0,item_id\n0,no,2,2,y\n0,no,1,1,z\n"
    )
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-k", "0"], "argument -k: '0' is neither a number of rows such as 100 nor a share of them such as"),
        (
            ["--n-positives", "0"],
            "a.csv': --n-positives must not be below the positives in column 'label'; got 0, where 1",
        ),
        (["--n-positives", "-1"], "argument --n-positives: '-1' is not a number of positives such as 120"),
        (["--pos-label", "7"], "column 'label': holds the labels 0, 1, but --pos-label is '7'"),
        (["--sample-weight", "text"], "column 'text', row 1: 'no' is not a finite number"),
        (["--query-id", "nothing"], "column 'nothing' is missing"),
        (["--query-id", "query", "--n-positives", "0"], "got 0 for 'item_id', where 1 were found"),
        (["--identify", "x"], "argument --identify: 'x' is not a number such as 0.7955 or 79.55%"),
        (["--identify", "0.5", "--all"], "--identify searches all conventions and prints text"),
        (["--identify", "0.5", "--format", "json"], "leave out --all and --format"),
        (["--format", "\x1b[31m"], r"invalid choice: '\x1b[31m'"),
        (["--\x1b[31m"], r"unrecognized arguments: --\x1b[31m"),
        (["more\nfiles"], r"'more\nfiles': No such file or directory"),
    ],
)
def test_wrong_arguments(path, arguments, text):
    assert text in error_of(path, *COLUMNS, *arguments)


def test_weights_are_named(tmp_path):
    for weights, text in {
        "-1 2 3": ", row 1: -1 is below 0, but a weight is 0 or more",
        "1 -0.5 3": ", row 2: -0.5 is below 0",
        "0 0.0 0": ": all rows weigh 0",
        "1 2 ": ", row 3: no value",
        "1e308 1e308 1e308": " adds up to infinity; divide it by a constant",
    }.items():
        rows = "".join(f"{i % 2},{i},{weight}\n" for i, weight in enumerate(weights.split(" ")))
        (tmp_path / "w.csv").write_text("label,score,weight\n" + rows)
        for limit in ("1GB", "1"):
            error = error_of(
                tmp_path / "w.csv", *COLUMNS, "--sample-weight", "weight", "--memory-limit", limit
            )
            assert f"w.csv': column 'weight'{text}" in error


@pytest.mark.parametrize(
    ("options", "both"),
    [
        (["--sample-weight", "a", "--sample-weight", "b"], "'a' and 'b'"),
        (["-k", "1", "-k", "2"], "[1] and [2]"),
        (["--n-positives", "0", "--n-positives", "label"], "0.0 and 'label'"),
        (["--format", "json", "--format", "csv"], "'json' and 'csv'"),
    ],
)
def test_an_option_given_twice_is_an_error(options, both, path):
    message = error_of(path, *COLUMNS, *options)
    assert message == f"{options[0]} is given twice, as {both}: leave out one; see --help"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_are_listed_where_none_is_named(separator, tmp_path):
    (tmp_path / "day=3").mkdir()
    (tmp_path / "day=3" / "a.csv").write_text(f"label{separator} score {separator}a b\n")
    wanted = "a file needs --y-true and --y-score; the columns are 'label', 'score', 'a b', 'day'"
    assert error_of(tmp_path / "day=3" / "a.csv").endswith(wanted)
    table = pa.table({"label": [1], "score": [1], "a b": [1]})
    pq.write_table(table, tmp_path / "day=3" / "b.parquet")
    assert error_of(tmp_path / "day=3" / "b.parquet").endswith(wanted)


def test_a_file_needs_its_columns_and_options_a_file(path):
    for arguments, needed in {
        (): "--y-true and --y-score",
        ("--y-true", "label"): "--y-score",
        ("--y-score", "score"): "--y-true",
    }.items():
        message = error_of(path, *arguments)
        assert f"a file needs {needed}; the columns are 'label', 'text', 'score', 'weight'" in message
    assert "--y-true needs a file" in error_of(*COLUMNS)
    for option in (["-k", "5"], ["--all"], ["--n-positives", "0"], ["--pos-label", ""], ["--format", "json"]):
        assert f"{option[0]} needs a file" in error_of(*option)
    assert "--y-true and --y-score name the same column" in error_of(
        path, "--y-true", "score", "--y-score", "score"
    )


def test_the_positive_label_is_shown_as_it_was_typed(path):
    path.write_text(path.read_text().replace("no,", "off,").replace("yes,", "on,"))
    text = ["--y-true", "text", "--y-score", "score"]
    assert values_of(path, *text, "--pos-label", "on") == values_of(path, *COLUMNS)
    for typed, hint in {
        "On": "; 'on' differs in case or blanks only",
        " ON ": "; 'on' differs in case or blanks only",
        "1": "",
        "maybe": "",
        "\x1b[2J": "",
        "": "",
    }.items():
        message = error_of(path, *text, "--pos-label", typed)
        assert message.endswith(
            f"column 'text': holds the labels 'off', 'on', but --pos-label is {typed!r}{hint}"
        )
    assert error_of(path, *text).endswith(
        ": holds the labels 'off', 'on': name the positive one with --pos-label"
    )


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_no_positive_warns_beside_clean_output(form, tmp_path):
    (tmp_path / "none.csv").write_text(HEADER + "0,1\n0,2\n")
    finished = run(tmp_path / "none.csv", *COLUMNS, "--format", form)
    assert finished.code == 0
    assert finished.err.startswith("sklearn_ap: warning: ")
    assert finished.err.endswith(
        "column 'label': no row has the positive label '1', so no score says anything about the ranking\n"
    )
    (tmp_path / "some.csv").write_text(HEADER + "0,1\n1,2\n")
    quiet = run(tmp_path / "some.csv", *COLUMNS, "--format", form)
    assert quiet.err == ""
    assert len(finished.out.splitlines()) > 10
    assert "warning" not in finished.out


def test_where_positives_are_missing(path):
    def warning(*options):
        finished = run(path, *COLUMNS, *options, "--format", "json")
        assert finished.code == 0
        assert finished.err.count("\n") == (1 if finished.err else 0)
        return finished.err

    assert warning() == ""
    assert "column 'label': 2 of 3 queries have no positive, and count as 0 in our means\n" in warning(
        "--query-id", "query"
    )
    assert warning("--query-id", "query", "--n-positives", "3") == ""
    assert "no row of weight above 0 has the positive label '1'" in warning("--sample-weight", "weight")


def test_queries_without_any_weight_are_not_said_to_count_as_0(tmp_path):
    (tmp_path / "a.csv").write_text("label,score,weight,query\n1,4,1,a\n0,3,1,a\n1,2,0,b\n0,1,0,b\n")
    options = [tmp_path / "a.csv", *COLUMNS, "--sample-weight", "weight", "--query-id", "query"]
    assert {row["value"] for row in rows_of(*options) if row["score"] == "average precision"} == {1.0}
    with (tmp_path / "a.csv").open("a") as file:
        file.write("0,1,2,c\n")
    warning = run(*options, "--format", "json").err
    assert warning.endswith("1 of 2 queries have no positive, and count as 0 in our means\n")


@pytest.mark.parametrize("query", ["my y_true here", "it's y_true", 'a "y_true"', "-y_score's y_true"])
def test_ids_that_hold_names_of_arguments_are_shown_as_they_are(tmp_path, query):
    cell = query.replace('"', '""')
    (tmp_path / "a.csv").write_text(f'label,score,query\n1,2,"{cell}"\n0,1,"{cell}"\n0,1,~\n')
    for limit in ("1GB", "1"):  # with 1 byte, each query is read alone
        options = ["--query-id", "query", "--n-positives", "0", "--memory-limit", limit]
        error = error_of(tmp_path / "a.csv", *COLUMNS, *options)
        assert error.endswith(f"positives in column 'label'; got 0 for {query!r}, where 1 were found.")


def test_identify_names_its_cut_and_its_reasons(tmp_path):
    (tmp_path / "tied.csv").write_text(HEADER + "1,1\n0,1\n1,0\n0,0\n")
    found = run(tmp_path / "tied.csv", *COLUMNS, "--identify", "0.5")
    assert (found.code, found.err) == (0, "")
    assert "k = 10 rows, the default of -k" in found.out
    assert "equal scores" in " ".join(found.out.split())
    assert "trec_eval map" in found.out
    for attribute in ("without_number", "y_true", "y_score", "item_id", "query_id", "n_positives,"):
        assert attribute not in found.out.replace("AP@k over n_positives,", "")
    assert max(map(len, found.out.splitlines())) <= 80
    for k, words in {"3": "k = 3 rows.", "0.5": "k = 0.5 of the rows."}.items():
        assert words in run(tmp_path / "tied.csv", *COLUMNS, "--identify", "0.5", "-k", k).out


@pytest.mark.parametrize("space", [" ", "\n  "])
def test_names_of_conventions_stay_where_their_lines_end(space):
    listed = f"AP@k over hits; AP@k over{space}n_positives, stable ties"
    options = read_options(["scores.csv", *COLUMNS])
    assert in_words(listed, options) == listed
    assert in_words(f"{listed};{space}n_positives", options) == f"{listed};{space}--n-positives"


def test_notes_speak_of_options(tmp_path):
    (tmp_path / "tied.csv").write_text(HEADER + "1,1\n0,1\n1,0\n0,0\n")
    notes = {row["note"] for row in rows_of(tmp_path / "tied.csv", *COLUMNS, "--all")} - {""}
    assert any("--item-id is needed" in note for note in notes)
    assert any("column 'score' holds equal scores" in note for note in notes)
    assert not any("item_id" in note or "y_score" in note for note in notes)


def test_memory_that_runs_out(tmp_path, monkeypatch):
    """The error is raised by hand: a process without memory fails at another place in every run."""

    def scan(*_):
        raise MemoryError

    (tmp_path / "a.csv").write_text(HEADER + "1,2\n0,1\n")
    monkeypatch.setattr("sklearn_ap.distributed._engines._files.Files.scan", scan)
    message = "the rows take more memory than there is; --memory-limit tells how much they may take"
    assert error_of(tmp_path / "a.csv", *COLUMNS) == message
