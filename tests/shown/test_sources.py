"""Files are recognized by their first bytes, and errors show values in short."""

import pytest

from sklearn_ap._shown.sources import (
    SourceError,
    format_of,
    format_value,
    html_text,
    is_number,
    object_of,
)

FORMATS = {
    "an array of numpy": b"\x93NUMPY\x01\x00",
    "packed by xz": b"\xfd7zXZ\x00",
    "a pickle": b"\x80\x04\x95",
    "a page of HTML": b"\n<!DOCTYPE html>",
    "text in UTF-16": "label,score".encode("utf-16"),
    "binary, of an unknown format": b"\x01\x02\x00",
}


@pytest.mark.parametrize("text", FORMATS)
def test_a_file_is_recognized_by_its_first_bytes(text):
    assert format_of(FORMATS[text]).startswith(text)


@pytest.mark.parametrize("start", [b"ORCID,score\n1,2", b"ARROW1;s", b"PK\t1", b"Obj"])
def test_names_of_columns_are_not_formats(start):
    assert not format_of(start)


def test_a_number_is_one_in_digits_of_this_script():
    texts = ["1", "-1.5", "+.5", "1.", "1e-3", "2E+05"]
    assert all(map(is_number, texts))
    texts = ["", ".", "1_0", "nan", "inf", "1e", " 1", "\u0661", "1e1000000"]
    assert not any(map(is_number, texts))


def test_a_key_of_json_occurs_once():
    assert object_of("line 2", [("a", 1), ("b", 2)]) == {"a": 1, "b": 2}
    with pytest.raises(
        SourceError, match=r"^line 2: key 'b' occurs twice in one object"
    ):
        object_of("line 2", [("a", 1), ("b", 2), ("b", 3)])


def test_values_are_shortened_at_100_characters():
    assert format_value("x" * 98) == repr("x" * 98)
    short = format_value("x" * 60 + "-" * 90 + "y" * 30)
    assert short == "'" + "x" * 60 + "-" * 9 + "..." + "y" * 26 + "'"


def test_html_is_escaped():
    assert html_text("<b>\x1b") == r"&lt;b&gt;\x1b"
