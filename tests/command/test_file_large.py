"""Rows that do not fit into memory raise an error."""

import pytest

from shell import error_of
from sklearn_ap._command import files


@pytest.mark.parametrize("left", [[20_000, 9_000], [20_000, 20_000, 0]])
def test_columns_take_half_of_the_memory(path, monkeypatch, left):
    """The memory is measured before the labels, the rows and the other scores are read."""
    monkeypatch.setattr(files, "available_memory", iter(left).__next__)
    message = f"more than half of the available memory, {left[-1] // 2:,} bytes"
    assert message in error_of(path, "--compare", "old")


def test_memory_that_the_system_reports(tmp_path):
    reported = tmp_path / "meminfo"
    reported.write_text("MemFree: 1 kB\nMemAvailable:   64 kB\n")
    assert files.available_memory(reported) == 64 * 1024
    assert files.available_memory(tmp_path / "none") == 4 * 2**30
