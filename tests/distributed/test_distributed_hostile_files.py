"""Files that are made to do harm: an error names the file and the line."""

import gzip
import tracemalloc

import pytest

from sklearn_ap import distributed


def test_deep_brackets_say_what_a_line_may_be(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"label": 1, "score": 2}\n{"label": ' + "[" * 100_000 + "}\n")
    words = r"rows\.jsonl'?: line 2: .* nested too deeply; write one object per line"
    with pytest.raises(distributed.SourceError, match=words):
        distributed.score("average_precision", path)


STARTS = {
    "rows.csv": b"label,score\n1,2\n0,",
    "rows.jsonl": b'{"label": 1}\n\n{"label": "',
}


@pytest.mark.parametrize("opener", [open, gzip.open])
@pytest.mark.parametrize("name", STARTS)
def test_a_line_of_more_than_16_mb_is_an_error(name, opener, tmp_path):
    """The file is never read whole: 300 MB would take seconds and gigabytes."""
    path = tmp_path / name
    with opener(path, "wb") as file:
        file.write(STARTS[name])
        for _ in range(20 if opener is open else 300):
            file.write(b"1" * 2**20)
    tracemalloc.start()
    with pytest.raises(distributed.SourceError, match=rf"{name}'?: line 3 has more"):
        distributed.score("average_precision", path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e8


def test_a_list_of_objects_may_be_one_long_line(tmp_path):
    path = tmp_path / "rows.json"
    filler = "x" * 2**24
    path.write_text(
        f'[{{"label": 1, "score": 2, "text": "{filler}"}}, {{"label": 0, "score": 1}}]'
    )
    assert distributed.score("average_precision", path) == 1.0
