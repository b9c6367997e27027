"""Curves and displays are told of positives that no row holds, and draw the area that
the score is.
"""

import matplotlib as mpl
import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    hit_curve,
    interpolated_precision_recall_curve,
)

mpl.use("Agg")


# --- areas ----------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilons", "is_accepted"), [(3.9, True), (4.2, False)])
def test_a_total_may_fall_short_by_4_epsilons_per_row(epsilons, is_accepted):
    """Weights are rounded when they are added, here and by whoever states their
    total.
    """
    weights = [1.0, 0.7, 0.3, 0.9]
    total = sum(weights[:3]) * (1 - epsilons * 4 * np.finfo(np.float64).eps)
    arguments = {"sample_weight": weights, "n_positives": total}
    if is_accepted:
        assert average_precision_score([1, 1, 1, 0], [4, 3, 2, 1], **arguments) == 1
    else:
        with pytest.raises(ValueError, match="must not be below"):
            average_precision_score([1, 1, 1, 0], [4, 3, 2, 1], **arguments)


# --- curves ---------------------------------------------------------------------------


def test_nothing_found_of_a_total_has_recall_0():
    precision, recall, _ = interpolated_precision_recall_curve(
        [0, 0], [2, 1], n_positives=4
    )
    assert recall.tolist() == [0, 0, 0]
    assert precision.tolist() == [0, 0, 1]
    share_retrieved, hits, _ = hit_curve([0, 0], [2, 1], n_positives=2)
    assert (share_retrieved.tolist(), hits.tolist()) == ([0, 0.25, 0.5], [0, 0, 0])
