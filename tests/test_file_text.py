"""Text files of other kinds: semicolons and tabs, and labels that are words."""

import gzip
import json

import pytest

from command import COLUMNS, rows_of, run, values_of

ROWS = ["label,score,text", '1,0.5,"a;b"', '0,0.75,"c\td;"', "1,1.5,", "0,0.25,x"]


@pytest.mark.parametrize("separator", [";", "\t", " ;", "\t "])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", ["", "\N{BYTE ORDER MARK}"])
def test_other_separators(separator, pack, mark, tmp_path):
    """Text in quotes holds separators, and the mark of UTF-8 stands before the header."""
    (tmp_path / "a.csv").write_text("\n".join(ROWS))
    (tmp_path / "b.csv").write_bytes(
        pack((mark + "\n" + "\n".join(row.replace(",", separator.strip(" "), 2) for row in ROWS)).encode())
    )
    assert rows_of(tmp_path / "b.csv", *COLUMNS) == rows_of(tmp_path / "a.csv", *COLUMNS)


def test_columns_that_hold_another_separator_in_their_name(tmp_path):
    (tmp_path / "a.csv").write_text("a;b\tc,label,score;x,score\n0,1,0,2\n0,0,0,1\n")
    assert values_of(tmp_path / "a.csv", *COLUMNS)["average precision"] == 1.0
    named = ["--y-true", "label", "--y-score", "score;x", "--sample-weight", "score"]
    assert values_of(tmp_path / "a.csv", *named)["average precision"] == 2 / 3


def test_a_file_of_one_column_beside_those_that_directories_name(tmp_path):
    for label, score in ((1, 0.5), (0, 0.4)):
        (tmp_path / f"label={label}").mkdir()
        (tmp_path / f"label={label}" / "a.csv").write_text(f"score\n{score}\n")
    for limit in ("1GB", "1"):
        found = json.loads(run(tmp_path, *COLUMNS, "--format", "json", "--memory-limit", limit).out)
        assert found[0]["value"] == 1.0


@pytest.mark.parametrize(
    "words", ["false true", "False True", "FALSE TRUE", "no yes", "N Y", "f t", "No YES"]
)
def test_words_that_say_which_label_is_positive(words, tmp_path):
    no, yes = words.split()
    (tmp_path / "a.csv").write_text(f"label,score\n{yes},3\n{no},2\n {yes},1\n".replace(" ", ""))
    assert values_of(tmp_path / "a.csv", *COLUMNS)["average precision"] == pytest.approx(5 / 6)
    turned = values_of(tmp_path / "a.csv", *COLUMNS, "--pos-label", no)
    assert turned["average precision"] == 1 / 2
    (tmp_path / "a.csv").write_text(f"label,score\n{yes},3\n")
    assert values_of(tmp_path / "a.csv", *COLUMNS)["average precision"] == 1.0
