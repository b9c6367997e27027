"""Queries in files: ids of all kinds, and totals from an option or a column."""

import pandas as pd
import pytest

from command import COLUMNS, run, values_of
from metrics import calls

QUERIES = [*COLUMNS, "--query-id", "query"]
FRAME = pd.DataFrame(
    {
        "label": [0, 1, 0, 1, 1, 0, 1, 0, 0, 1],
        "score": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        "query": [7, 7, 9, 9, 8, 8, 7, 7, 9, 9],
        "total": [3, 3, 2.5, 2.5, 1, 1, 3, 3, 2.5, 2.5],
        "same": 6,
    }
)


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    getattr(FRAME, f"to_{request.param}")(tmp_path / "a", index=False)
    return tmp_path / "a"


def test_totals_of_a_column(path):
    found = values_of(path, *QUERIES, "--n-positives", "total", "-k", "2")
    expected = {
        name.replace("@k", "@2"): score(
            FRAME.label,
            FRAME.score,
            **given,
            query_id=FRAME["query"],
            n_positives={7: 3, 8: 1, 9: 2.5},
        )
        for name, (score, given) in calls(k=2).items()
        if "n_positives" in score.__annotations__
    }
    assert {name: found[name] for name in expected} == pytest.approx(
        expected, abs=1e-15
    )
    said = " ".join(run(path, *QUERIES, "--n-positives", "total").out.split())
    assert "10 rows in 3 queries, 5 positive (50 %) of 6.5 in all." in said
    assert values_of(path, *COLUMNS, "--n-positives", "same") == values_of(
        path, *COLUMNS, "--n-positives", "6"
    )
