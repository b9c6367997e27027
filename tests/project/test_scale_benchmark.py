"""The benchmark of rows in files: small files, and one real process.

No time is a test.
"""

from functools import partial

import numpy as np
import pytest

from benchmarks import scale
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    reciprocal_rank_score,
)

pytest.importorskip("duckdb")
parquet = pytest.importorskip("pyarrow.parquet")


def test_all_cases_of_a_file_score_its_rows(tmp_path):
    """In this process: each case would be a process of its own."""
    table = parquet.read_table(scale.write_rows(tmp_path, 2_500, is_text=False))
    rows = {name: table[name].to_numpy() for name in table.column_names}
    text = np.loadtxt(
        scale.write_rows(tmp_path, 2_500, is_text=True), delimiter=",", skiprows=1
    ).T
    functions = {
        "average_precision": average_precision_score,
        "reciprocal_rank": reciprocal_rank_score,
        scale.AT_100: partial(average_precision_at_k_score, k=100),
    }
    roles = {"weight": "sample_weight", "query": "query_id"}
    for case in scale.CASES:
        took = scale.called(
            case.name,
            str(scale.write_rows(tmp_path, 2_500, is_text=case.is_text)),
            2_500,
        )
        assert took.peak > 3e7
        if case.engine not in ("select", "best"):  # which return no score
            options = {roles[column]: rows[column] for column in case.columns}
            labels, scores = text if case.is_text else (rows["label"], rows["score"])
            expected = functions[case.score](
                labels, scores, zero_division=0.0, **options
            )
            assert took.value == pytest.approx(expected, rel=1e-12), case.name
