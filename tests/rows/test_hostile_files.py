"""Files that are made to do harm: an error names the file and the line."""

import csv
import gzip
import io
import tracemalloc
from contextlib import nullcontext
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import covering, examples, values_of
from rows_read import score
from sklearn_ap._rows import bytes as _bytes
from sklearn_ap._rows import text as _text
from sklearn_ap._shown.sources import SourceError


def test_deep_brackets_say_what_a_line_may_be(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"label": 1, "score": 2}\n{"label": ' + "[" * 100_000 + "}\n")
    words = r"rows\.jsonl'?: line 2: .* nested too deeply; write one object per line"
    with pytest.raises(SourceError, match=words):
        score(path)


STARTS = {
    "rows.csv": b"label,score\n1,2\n0,",
    "rows.jsonl": b'{"label": 1}\n\n{"label": "',
}


@pytest.mark.parametrize(
    ("name", "is_packed"), covering([*product(STARTS, [True, False])], values_of)
)
def test_a_line_of_more_than_16_mb_is_an_error(name, is_packed, tmp_path):
    """The file is never read whole: 300 MB would take seconds and gigabytes."""
    path, more = tmp_path / name, b"1" * 2**20
    # The parts of a gzip file are decompressed one after the other.
    pack, n_mb = (gzip.compress, 300) if is_packed else (bytes, 20)
    path.write_bytes(pack(STARTS[name]) + n_mb * pack(more))
    tracemalloc.start()
    with pytest.raises(SourceError, match=rf"{name}'?: line 3 has more"):
        score(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e8


def test_a_list_of_objects_may_be_one_long_line(tmp_path):
    path = tmp_path / "rows.json"
    filler = "x" * 2**24
    path.write_text(
        f'[{{"label": 1, "score": 2, "text": "{filler}"}}, {{"label": 0, "score": 1}}]'
    )
    assert score(path) == 1.0


@pytest.mark.parametrize(("n_mb", "is_read"), [(15, True), (17, False)])
def test_a_quoted_field_ends_within_16_mb(n_mb, is_read, tmp_path):
    path = tmp_path / "rows.csv"
    lines = ("x" * 1023 + "\n") * 1024 * n_mb
    path.write_text(f'label,score,text\n1,2,"a ""b"""\n0,1,"{lines}"\n0,1,5"\n')
    if is_read:
        assert score(path) == 1.0
        return
    with pytest.raises(SourceError, match=r"line 3: a quote has no end within 16 MB"):
        score(path)


@pytest.mark.parametrize("size", [3, 2**20])
@examples(200, 1000)
@given(text=st.text('",a\n\r', max_size=12))
def test_quotes_end_where_a_reader_of_csv_ends_them(size, text, tmp_path, monkeypatch):
    monkeypatch.setattr(_text, "_BLOCK_BYTES", size)
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode("utf-8-sig"))
    *_, last = csv.reader([*io.StringIO(text, newline=""), '"last"'])
    refused = pytest.raises(SourceError, match="a quote has no end")
    with nullcontext() if last == ["last"] else refused:
        found = _text._RowBytes(path, ",").read()
        assert found.decode("utf-8-sig") == text


@pytest.mark.parametrize(
    "start", ['[{"label": 1, "text": "', '{"label": 1,\n"text": "']
)
def test_json_takes_an_eighth_of_the_memory(start, tmp_path, monkeypatch):
    """A list, or an object of several lines, is read at once."""
    monkeypatch.setattr(_bytes, "available_memory", lambda: 2**23)
    path = tmp_path / "rows.json.gz"
    path.write_bytes(gzip.compress(f"{start}{'x' * 2**21}".encode()))
    words = (
        r"json\.gz'?: .*has more than 1 MB, an eighth of the available memory; write"
    )
    with pytest.raises(SourceError, match=words):
        score(path)


@pytest.mark.parametrize(
    "content",
    ["secret:x\n0:1\n", "label,score\nsecret,1\n0,2\n", '{"label": 1}\n"secret"\n'],
    ids=["other columns", "a label", "JSON"],
)
def test_an_error_behind_a_link_to_the_outside_quotes_nothing(content, tmp_path):
    outside, folder = tmp_path / "outside.csv", tmp_path / "folder"
    outside.write_text(content)
    folder.mkdir()
    (folder / "a.csv").write_text("label,score\n1,2\n0,1\n")
    link = folder / "b.csv"
    link.symlink_to(outside)
    words = r"b\.csv'?: cannot be read, and is a link .* pass .*outside\.csv"
    # A glob finds the files below a folder, too.
    for found in (folder, folder / "*.csv"):
        with pytest.raises(SourceError, match=words) as error:
            score(found)
        assert "secret" not in str(error.value)
    for named in (outside, link, tmp_path):
        with pytest.raises(SourceError, match="secret"):
            score(named)
    outside.write_text("label,score\n0,3\n")
    assert score(folder) == 0.5
