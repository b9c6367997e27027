"""The benchmark of rows in files: small files, and real processes. No time is a test."""

import json
import re

import numpy as np
import pytest

from benchmarks import scale, states
from sklearn_ap import average_precision_score

SMALL = 3_000


@pytest.mark.parametrize("scores", scale.BYTES)
def test_rows_are_what_their_case_says(scores):
    columns = scale.row_group(np.random.default_rng(0), scale.Case(20_000, 0.1, scores), 20_000)
    label, score = columns["label"], columns["score"]
    assert label.dtype == np.int8
    assert label.mean() == pytest.approx(0.1, abs=0.01)
    assert score.dtype == (np.float64 if scores == "float64" else np.float32)
    assert 0 <= score.min() < score.max() <= 1
    assert score[label == 1].mean() > score[label == 0].mean() + 0.1
    assert (np.unique(score).size <= 1001) == (scores == "ties")
    assert ("weight" in columns) == (scores == "weights")


def test_file_is_written_in_row_groups_and_kept(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(scale, "GROUP", 1_000)
    path = scale.written(scale.Case(2_500, 0.1, "float32"), tmp_path)
    metadata = parquet.read_metadata(path)
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [1_000, 1_000, 500]
    before = path.stat()
    assert scale.written(scale.Case(2_500, 0.1, "float32"), tmp_path) == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("scores", ["float32", "weights"])
def test_all_readers_of_a_file_give_the_same_number(tmp_path, capsys, monkeypatch, scores):
    """In this process, but for the command below: each reader would be a process of its own."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(scale, "in_a_process", scale.called)
    case = scale.Case(SMALL, 0.1, scores)
    readers = {"float32": list(scale.READERS), "weights": [scale.OURS, scale.ALL]}[scores]
    found = scale.measured(case, scale.written(case, tmp_path), 1, readers)
    assert list(found) == readers
    assert len(case.readers) == (5 if scores == "float32" else 3)
    values = [one.value for one in found.values()]
    assert values == pytest.approx([values[0]] * len(values), abs=1e-14)
    assert 0.1 < values[0] < 0.9
    assert all(one.cpu > 0 and one.wall > 0 and one.peak > 3e7 for one in found.values())
    for row in scale.rows_of(case, found):
        assert len(row) == len(scale.HEADERS)
        assert row[:2] == ["10.0%", scores]
    assert scale.rows_of(case, found)[0][4] == "1.00"
    assert capsys.readouterr().err.count("Measured(") == len(found)


def test_report_of_the_command(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    folder = tmp_path / "new"
    options = ["--rows", str(SMALL), "--positive", "0.5", "--scores", "ties", "--repeats", "1"]
    scale.main([*options, "--readers", scale.OURS, scale.RANGES, "--folder", str(folder)])
    printed = capsys.readouterr().out
    assert "## Average precision of 3,000 rows" in printed
    assert printed.count("| 50.0%") == 2
    held = [line.split("|")[7] for line in printed.splitlines() if line.startswith("| 50.0%")]
    held.append(re.search(r"([0-9]+) MB are Python", printed)[1])
    assert len(held) == 3
    assert all(30 < int(one) < 1_000 for one in held)
    assert [one.suffix for one in folder.iterdir()] == [".parquet"]


def test_text_and_many_files(tmp_path, monkeypatch, capsys):
    """In this process: each line of the table would be a process of its own."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(scale, "in_a_process", scale.called)
    monkeypatch.setattr(scale, "FILE_ROWS", 50)
    scale.main(["--text", "--rows", str(SMALL), "--files", "3", "--repeats", "1", "--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    for reader in scale.TEXT_READERS:
        assert f" {reader} |" in printed
    assert printed.count("| 3 files, ") == 2
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "3-files-csv",
        "3-files-parquet",
        "rows-3000.csv",
    ]
    columns = np.loadtxt(tmp_path / "rows-3000.csv", delimiter=",", skiprows=1).T
    value = scale.of_text(str(tmp_path / "rows-3000.csv"), scale.SCORE)
    assert value == pytest.approx(average_precision_score(*columns), abs=1e-15)


def test_files_are_not_kept_unless_asked_for(monkeypatch):
    folders = []
    monkeypatch.setattr(scale, "measured", lambda case, path, *_: folders.append(path) or {})
    pytest.importorskip("pyarrow")
    assert scale.report([scale.Case(100, 0.5, "float64")], None, 1, []) == []
    assert len(folders) == 1
    assert not folders[0].parent.exists()


def test_a_call_prints_what_it_took(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = scale.written(scale.Case(SMALL, 0.1, "float64"), tmp_path)
    scale.main(["--call", json.dumps([str(path), scale.ALL, None, None])])
    cpu, wall, peak, value = json.loads(capsys.readouterr().out)
    assert cpu > 0
    assert wall > 0
    assert peak > 3e7
    assert 0.1 < value < 0.9


def test_the_most_a_process_held_counts():
    before = scale.peak_bytes()
    np.ones(20_000_000)
    assert scale.peak_bytes() - before < 1e9
    assert scale.peak_bytes() >= max(before, 1.6e8)


@pytest.mark.parametrize("kind", states.KINDS)
def test_states_of_days_are_merged(tmp_path, kind):
    states.written(kind, 3, 100, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    fold, whole = (states.merged(kind, str(tmp_path), at_once) for at_once in (False, True))
    assert fold["held"] == whole["held"] > 0
    assert fold["read"] > 0
