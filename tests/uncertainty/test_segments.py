"""Fixed groups that part the rows, such as regions: rows or patients are drawn inside
each group.
"""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_scores,
    estimate_score,
)

AP = average_precision_score
RNG = np.random.default_rng(7)
SIZES = {"a": 300, "b": 500, "c": 400}
GROUP = np.repeat(list(SIZES), list(SIZES.values()))
N = GROUP.size
LABEL = (RNG.random(N) < 0.15).astype(int)
SCORE = (RNG.normal(size=N) + 1.8 * LABEL).round(3)
OTHER = (SCORE + 0.5 * RNG.normal(size=N)).round(3)
ROWS = {"query_id": GROUP, "unit_id": np.arange(N)}


@pytest.mark.parametrize("n_rows", [1, 4], ids=["rows", "patients"])
def test_groups_are_independent(n_rows):
    """The variance of a mean is the mean of theirs over their number; so is that of a
    difference.
    """
    unit = np.arange(N) // n_rows
    options = {"query_id": GROUP, "unit_id": unit}
    singles, pairs = [], []
    for name in SIZES:
        rows = name == GROUP
        single = LABEL[rows], SCORE[rows]
        singles.append(estimate_score(AP, *single, unit_id=unit[rows]))
        pairs.append(compare_scores(AP, *single, OTHER[rows], unit_id=unit[rows]))
    found = estimate_score(AP, LABEL, SCORE, **options)
    pair = compare_scores(AP, LABEL, SCORE, OTHER, **options)
    for mean, parts in ((found, singles), (pair, pairs)):
        errors = [part.standard_error / len(SIZES) for part in parts]
        assert mean.standard_error == pytest.approx(np.linalg.norm(errors), rel=1e-12)
    assert found.score == pytest.approx(np.mean([each.score for each in singles]))
    assert (found.n_units, found.n_fixed_queries) == (N // n_rows, 3)
    many = compare_many(AP, LABEL, {"first": SCORE, "other": OTHER}, **options)
    assert many.pvalue.item() == pair.pvalue
    assert f"3 fixed queries, {N // n_rows:,} units drawn" in str(many)
