"""Scores of rows elsewhere against scores in memory and the oracle, where numbers are most likely to go wrong."""

import numpy as np
import pyarrow as pa
import pytest

from sklearn_ap import average_precision_score, distributed
from sklearn_ap.distributed import RankingState, _plan

LIMITS = (1, 60, 10**9)


@pytest.fixture(autouse=True)
def few_bins(monkeypatch):
    """Cut dozens of rows into ranges: ranges need not take less memory than bins."""
    monkeypatch.setattr(_plan, "_LEAST_BINS", 2)


# --- ranges of scores -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-305])
def test_scores_so_close_that_the_inverse_of_their_distance_overflows(limit, unit):
    y_true, y_score = np.arange(40) % 3 == 0, np.arange(40) * unit
    rows = pa.table({"label": y_true, "score": y_score})
    value = distributed.average_precision_score(rows, memory_limit=limit)
    assert value == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)


def test_bins_so_narrow_that_their_inverse_overflows():
    with pytest.raises(ValueError, match=r"^bins must be"):
        RankingState(bins=(0, 5e-324, 4))
    assert RankingState(bins=(0, 1e-300, 4)).update([0, 1], [0.0, 1e-300]).bounds()[1] == 1
