"""No order of rows, columns, queries or units, and no scale of weights, changes an
interval or a test beyond rounding.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brief import examples
from sklearn_ap import compare_scores, estimate_score

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = [
    "average_precision",
    "interpolated_average_precision",
    "precision@3",
    "recall@0.3",
    "r_precision",
    "precision_at_recall@0.5",
]
# Weights of rows; with some of them, the negatives of few columns are heavy.
WEIGHTS = [1.0], [1.0, 1000.0], [1.0, 10.0, 300.0, 0.001]
N_QUERIES, N_UNITS = 4, 7


def drawn_rows(rng):
    """Draw labels and the scores of two models, arguments with a value per row, and
    other ones.
    """
    n = int(rng.integers(4, 40))
    shape = (n, int(rng.integers(2, 6))) if rng.random() < 0.5 else (n,)
    y_true = (rng.random(shape) < rng.choice([0.2, 0.5])).astype(int)
    y_true[0] = 1
    scores = rng.integers(0, rng.choice([5, 60]), (2, *shape))
    per_row = {"sample_weight": rng.choice(WEIGHTS[rng.integers(3)], n)}
    options = {"zero_division": 0.0, "prevalence": rng.choice([None, 0.01, 0.5])}
    if y_true.ndim > 1:
        y_true[:, 0] *= rng.random() < 0.5
    elif rng.random() < 0.5:
        per_row["query_id"] = rng.integers(0, N_QUERIES, n)
    if rng.random() < 0.5:
        per_row["unit_id"] = rng.integers(0, N_UNITS, n)
    return y_true, *scores, per_row, options


def reordered(rng, y_true, first, second, per_row):
    """Return the same rows in another order, with other ids of queries and units, and
    columns in another order, and weights of another scale.
    """
    order = rng.permutation(len(y_true))
    rows = [each[order] for each in (y_true, first, second)]
    if y_true.ndim > 1:
        columns = rng.permutation(y_true.shape[1])
        rows = [each[:, columns] for each in rows]
    per_row = {name: values[order] for name, values in per_row.items()}
    for name, size in (("query_id", N_QUERIES), ("unit_id", N_UNITS)):
        if name in per_row:
            per_row[name] = rng.permutation(size)[per_row[name]]
            # The two units of a row may change places.
            per_row[name] = np.atleast_2d(per_row[name].T)[::-1].T
    per_row["sample_weight"] = per_row["sample_weight"] * 0.3
    return *rows, per_row


def numbers_of(name, y_true, first, second, options):
    found = estimate_score(name, y_true, first, **options)
    pair = compare_scores(name, y_true, first, second, **options)
    own = found.standard_error, found.df, *found.confidence_interval()
    return [*own, pair.pvalue, *pair.confidence_interval()]


@pytest.mark.parametrize("n_columns", [1, 2])
@examples(10, 70)
@given(seed=st.integers(0, 2**32 - 1))
# All scores are those of chance, and contributions are 0 but for their rounding.
@example(seed=2322)
@example(seed=576)
def test_no_order_changes_an_interval_or_a_test(n_columns, seed):
    rng = np.random.default_rng(seed)
    *rows, per_row, options = drawn_rows(rng)
    if n_columns > 1:
        shape = len(rows[0]), n_columns
        per_row["unit_id"] = np.random.default_rng(seed).integers(0, N_UNITS, shape)
    name = str(rng.choice(NAMES))
    if not name.endswith("average_precision"):
        del options["prevalence"]
    *others, other_per_row = reordered(rng, *rows, per_row)
    expected = numbers_of(name, *rows, per_row | options)
    found = numbers_of(name, *others, other_per_row | options)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-10, nan_ok=True)
