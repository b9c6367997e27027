"""The curves equal their definitions at every threshold, and the precision-recall curve
has the bits of scikit-learn's. All curves accept several classes and totals.
`test_scikit_learn_parity` compares errors and warnings.
"""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from brief import examples
from oracles import scores as oracle
from problems import (
    draw_total,
    infinite_scores,
    labels_with_a_positive,
    scores,
    weights,
)
from rankings import hard_scores
from scoring import VERSION
from sizes import low_sizes, sizes
from sklearn_ap import (
    hit_curve,
    precision_recall_curve,
)


@examples(20, 40)
@given(st.data(), st.integers(1, 12), low_sizes())
@infinite_scores
def test_curves_are_shares_of_rows_and_of_positives(data, size, low):
    y_true, y_score = data.draw(labels_with_a_positive(size)), data.draw(scores(size))
    # If weights have very different magnitudes, rounding may make sums equal whose
    # recalls differ.
    weight = data.draw(weights(size, extreme=False))
    assume(weight is None or np.dot(y_true, weight))
    rows = y_true, y_score, weight
    total = draw_total(data.draw, float(oracle.ranking(*rows).found))
    ranking = oracle.ranking(*rows, total)
    arguments = {"pos_label": True, "sample_weight": weight, "n_positives": total}
    with sizes(low):
        precision, recall, thresholds = precision_recall_curve(*rows[:2], **arguments)
    assert precision == approx([*ranking.precisions[::-1], 1])
    assert recall == approx([*ranking.recalls[::-1], 0])
    assert thresholds.tolist() == sorted({row.score for row in ranking.rows})

    # If weights differ, the number of missed rows is unknown.
    if len({row.weight for row in ranking.rows}) > 1:
        ranking, arguments["n_positives"] = oracle.ranking(*rows), None
    with sizes(low):
        share_retrieved, hits, _ = hit_curve(*rows[:2], **arguments)
    missed = ranking.positives - ranking.found
    n_samples = len(ranking.rows) + missed / ranking.rows[0].weight
    in_all = sum(row.weight for row in ranking.rows) + missed
    n_rows = [*accumulate(map(len, oracle.tied_groups(ranking)), initial=0)]
    assert share_retrieved == approx([number / n_samples for number in n_rows])
    assert hits == approx([0, *(tp / in_all for tp, _ in ranking.points)])


def approx(fractions):
    return pytest.approx([*map(float, fractions)], rel=1e-12)


# scikit-learn subtracts scores, and the difference of extreme ones overflows.
@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize("n_rows", [1, 2, 5, 30, 100, 300, 3_000, 20_000])
def test_the_curve_has_the_bits_of_scikit_learn(n_rows):
    rng = np.random.default_rng(n_rows)
    for name, y_score in hard_scores(rng, n_rows).items():
        # There, the difference of two infinite scores is NaN, so they are not tied.
        if np.isinf(y_score).any():
            continue
        y_true = rng.random(n_rows) < rng.choice([0.02, 0.3, 0.9])
        y_true[rng.integers(n_rows)] = True
        floats, integers = rng.random(n_rows) + 0.01, rng.integers(1, 4, n_rows)
        weights = [None, floats, floats.astype(np.float32), integers]
        arguments = {
            "sample_weight": weights[rng.integers(4)],
            "drop_intermediate": bool(rng.integers(2)),
        }
        *ours, thresholds = precision_recall_curve(y_true, y_score, **arguments)
        *theirs, expected = metrics.precision_recall_curve(y_true, y_score, **arguments)
        np.testing.assert_array_equal(thresholds, expected, name, strict=True)
        # Before 1.9, the weights of equal scores were added up in another order.
        limit = 3e-16 if VERSION >= (1, 9) else 1e-14
        if arguments["sample_weight"] is None:
            limit = 0
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=limit, err_msg=name)
        from_best = hit_curve(y_true, y_score)[2].tolist()
        assert from_best == [np.inf, *np.unique(y_score)[::-1].tolist()], name
