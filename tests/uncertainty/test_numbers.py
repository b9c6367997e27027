"""The standard errors and intervals of named calls are those that are stored in
`numbers.txt`. Other tests say why such numbers are right, and the simulations in
`benchmarks` show how often such intervals cover. The calls are those in which rules
meet that other tests hold apart.

A call is a score, the rows and the options, with what only this call holds. The line
below it contains the standard error, the degrees of freedom and the endpoints of the
first model; then the standard error, the statistic, the degrees of freedom and the
endpoints of the difference of both models. If a rule changes on purpose, run `python
tests/uncertainty/numbers.py`.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from oracles.uncertainty import drawn, drawn_weights
from sklearn_ap import compare_scores, estimate_score

FILE = Path(__file__).with_name("numbers.txt")
LINES = FILE.read_text().splitlines()
STORED = dict(zip(LINES[::2], LINES[1::2], strict=True))
N = 240
UNIT = np.arange(N) % 40
# A few units contain most of the rows.
UNEQUAL = (np.arange(N) % 24) ** 2 // 24
OPTIONS = {
    "weights": {"sample_weight": drawn_weights(1, N)},
    "heavy_positives": {"sample_weight": 1.0 + 19 * (np.arange(N) % 8 == 3)},
    "light_negatives": {"prevalence": 0.7},
    "heavy_negatives": {"prevalence": 0.02},
    "missed": {"n_positives": 80},
    "units": {"unit_id": UNIT},
    "2_units": {"unit_id": np.arange(N) % 2},
    "unequal_units": {"unit_id": UNEQUAL},
    "queries": {"query_id": UNIT % 10, "zero_division": 0.0},
    "fixed_queries": {"query_id": np.arange(N) // 80, "unit_id": UNIT},
    "weighted_mean": {"average": "weighted"},
    "by_k": {"normalizer": "k"},
    "by_hits": {"normalizer": "hits"},
    "11_levels": {"recall_levels": 11},
    "2_columns": {},
}
# Share of positives, and distance of their scores from those of negatives.
ROWS = {
    "low": (0.08, 0.0),
    "middle": (0.3, 0.3),
    "high": (0.3, 0.7),
    "perfect": (0.3, 1.2),
}


def rows_of(name, *, as_columns):
    """Return labels and the scores of two models. The second of two columns has the
    same rows in another order, a third of whose positives are negatives.
    """
    share, shift = ROWS[name]
    y_true, first = drawn(1, N, share, 2, shift)
    second = first - 0.1 * shift * y_true + 0.2 * drawn(2, N, shift=0)[1]
    rows = y_true, first, second
    if as_columns:
        moved = y_true * (np.arange(N) % 3 == 0)
        other = y_true - moved, first - shift * moved, second - shift * moved
        columns = zip(rows, np.roll(other, 9, axis=1), strict=True)
        rows = (np.stack(pair, axis=1) for pair in columns)
    return rows


def numbers_of(line):
    """Return the numbers of a call, without what it holds."""
    score, rows, *names = line.partition(" # ")[0].split()
    y_true, first, second = rows_of(rows, as_columns="2_columns" in names)
    options = {}
    for name in names:
        options |= OPTIONS[name]
    found = estimate_score(score, y_true, first, **options)
    pair = compare_scores(score, y_true, first, second, **options)
    return [
        found.standard_error,
        found.df,
        *found.confidence_interval(),
        pair.standard_error,
        pair.statistic,
        pair.df,
        *pair.confidence_interval(),
    ]


approximately = partial(pytest.approx, rel=1e-5, nan_ok=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", STORED)
def test_numbers_of_a_call_are_those_that_are_stored(call):
    stored = [float(number) for number in STORED[call].split()]
    assert numbers_of(call) == approximately(stored)
