"""A file is read in the format of its rows, however they begin."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score as theirs

from rows_read import score


@pytest.mark.parametrize("name", ["{id}", "{id", '{"id"}', "[{id}", "PAR1"])
def test_text_may_begin_as_another_format_does(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text(f"{name},label,score\n0,1,2\n0,0,3\n0,1,1\n")
    assert score(path) == theirs([1, 0, 1], [2, 3, 1])


@pytest.mark.parametrize("n_spaces", [0, 254, 255])
@pytest.mark.parametrize("key", ["x", '\\"' * 300, "é" * 200])
def test_json_begins_with_a_key(tmp_path, n_spaces, key):
    """Also where its first bytes end before the colon."""
    rows = (
        f'{{{" " * n_spaces}"{key}" :1,"label":1,"score":2}}\n{{"label":0,"score":1}}'
    )
    (tmp_path / "a.json").write_text(rows, encoding="utf-8")
    assert score(tmp_path / "a.json") == 1


def test_the_type_of_json_is_that_of_all_rows(tmp_path):
    label, scores = [*np.arange(25_000) % 2, 1], [*range(25_000), 0.5]
    rows = zip(label, scores, strict=True)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(f'{{"label":{y},"score":{s}}}' for y, s in rows))
    assert score(path) == theirs(label, scores)
