"""Rows that do not fit into memory are refused."""

import pytest

from shell import error_of
from sklearn_ap._command import files


@pytest.mark.parametrize("left", [[20_000, 9_000], [20_000, 20_000, 0]])
def test_columns_take_half_of_the_memory(path, monkeypatch, left):
    """What is left is asked for the labels, the rows and the other scores."""
    monkeypatch.setattr(files, "available_memory", iter(left).__next__)
    refused = f"more than half of the available memory, {left[-1] // 2:,} bytes"
    assert refused in error_of(path, "--compare", "old")


LIMITS = {"": 1000, "job": 400, "job/step": 150, "other": "max"}


@pytest.mark.parametrize(
    ("group", "available"), [("job", 400), ("job/step", 150), ("other", 1000)]
)
def test_memory_of_nested_groups(tmp_path, group, available):
    texts = {f"{name}/memory.max": str(limit) for name, limit in LIMITS.items()}
    texts |= {"meminfo": "MemAvailable:   64 kB\n", "self/cgroup": f"0::/{group}\n"}
    for name, text in texts.items():
        file = tmp_path / name.strip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert files.available_memory(tmp_path, tmp_path) == available
    none = tmp_path / "none"
    assert files.available_memory(tmp_path, none) == 64 * 1024
    assert files.available_memory(none, none) == 4 * 2**30
