"""Rows that do not fit into memory are refused, with the line of Python that scores
them.
"""

import numpy as np
import pandas as pd
import pytest

from shell import error_of
from sklearn_ap import average_precision_score, distributed
from sklearn_ap._command import files as command_files
from sklearn_ap._command.files import available_memory

RNG = np.random.default_rng(0)
N_ROWS = 3000
FRAME = pd.DataFrame(
    {
        "label": np.where(RNG.random(N_ROWS) < 0.1, "yes", "no"),
        "score": RNG.integers(0, 1000, N_ROWS) / 1024,
        "weight": RNG.integers(1, 4, N_ROWS) / 2,
        "query": RNG.integers(0, 40, N_ROWS),
    }
)
OPTIONS = "--sample-weight", "weight", "--query-id", "query"


LITTLE_MEMORY = pytest.mark.usefixtures("little_memory")


@pytest.fixture
def little_memory(monkeypatch):
    """The columns of the rows may take half of these bytes."""
    monkeypatch.setattr(command_files, "available_memory", lambda: 40_000)


@pytest.fixture
def folder(tmp_path):
    """The rows in two files."""
    for name, rows in {"1": FRAME[:1000], "2": FRAME[1000:]}.items():
        rows.to_parquet(tmp_path / f"{name}.parquet", index=False)
    return tmp_path


@LITTLE_MEMORY
@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (OPTIONS, {"sample_weight": "weight", "query_id": "query"}),
        (("--per", "query"), {"query_id": "query", "zero_division": np.nan}),
        (("--prevalence", "0.2"), {"prevalence": 0.2}),
        (("--n-positives", "2000"), {"n_positives": 2000}),
    ],
)
def test_the_line_scores_these_rows(folder, options, arguments):
    message = error_of(folder, *options)
    n_bytes = N_ROWS * (9 + 8 * len({"sample_weight", "query_id"} & {*arguments}))
    sizes = f"3,000 rows take {n_bytes:,} bytes, more than half of the available memory"
    start, _, line = message.partition("; in Python, write ")
    assert start == f"{str(folder)!r}: {sizes}, 20,000 bytes"
    found = eval(line, {"distributed": distributed})
    columns = {role: FRAME.get(column, column) for role, column in arguments.items()}
    rows = FRAME["label"], FRAME["score"]
    expected = average_precision_score(*rows, pos_label="yes", **columns)
    assert found == pytest.approx(expected, abs=1e-12)


@LITTLE_MEMORY
@pytest.mark.parametrize(
    "options", [["--lower-is-better"], ["--y-score", "score,weight"]]
)
def test_rows_that_python_does_not_score_beyond_memory_have_no_line(folder, options):
    assert error_of(folder, *options).endswith("available memory, 20,000 bytes")


@LITTLE_MEMORY
def test_totals_of_queries_are_left_to_the_caller(saved):
    totals = saved(pd.DataFrame({"query": range(40), "total": 500}), "totals.csv")
    assert "n_positives={})" in error_of(
        saved(FRAME), *OPTIONS, "--n-positives", totals
    )


def test_columns_that_are_read_later_must_fit_too(monkeypatch, folder):
    """The memory that is left is asked for each column."""
    left = iter([60_000, 60_000, 0])
    monkeypatch.setattr(command_files, "available_memory", lambda: next(left))
    assert " more than half of the available memory, 0 bytes" in error_of(
        folder, "--compare", "weight"
    )


@pytest.mark.parametrize(
    ("group", "available"),
    [("job", 300), ("job/step", 100), ("other", 700), ("none", 700), (None, 64 * 1024)],
)
def test_memory_of_nested_groups_does_not_count_cached_files(
    group, available, tmp_path
):
    """Without groups, it is that of the system, in kilobytes."""
    groups = {"": (1000, 400, 100), "job": (400, 300, 200), "job/step": (150, 60, 10)}
    groups["other"] = ("max", 50, 0)
    files = {"meminfo": "MemTotal:  999 kB\nMemAvailable:   64 kB\n"}
    if group is not None:
        files["self/cgroup"] = f"0::/{group}\n"
        for name, (limit, used, cached) in groups.items():
            files[f"{name}/memory.max"] = str(limit)
            files[f"{name}/memory.current"] = str(used)
            files[f"{name}/memory.stat"] = f"anon 1\ninactive_file {cached}\n"
    for name, text in files.items():
        (tmp_path / name.strip("/")).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name.strip("/")).write_text(text)
    assert available_memory(tmp_path, tmp_path) == available
