"""Rows on which intervals are known to cover too little: a warning names the cause."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, estimate_score
from uncertainty_oracle import drawn


def weights_of_scores(power, n=1_000):
    y_true, y_score = drawn(3, n, 0.2)
    noise = np.random.default_rng(0).normal(size=n)
    return y_true, y_score, np.exp(power * (y_score - y_score.mean()) / y_score.std() + 0.3 * noise)


def test_weights_that_go_with_scores_warn():
    """Such intervals cover .85 to .94."""
    y_true, y_score, weight = weights_of_scores(1.5)
    with pytest.warns(UserWarning, match="^sample_weight depends on y_score") as caught:
        estimate_score(average_precision_score, y_true, y_score, sample_weight=weight)
    assert len(caught) == 1
    for same in (weights_of_scores(0.0)[2], np.where(y_true, 1, 5.0), None):
        estimate_score(average_precision_score, y_true, y_score, sample_weight=same)
    many = [np.tile(one, 40) for one in (y_true, y_score, weight)]
    with pytest.warns(UserWarning, match="^sample_weight depends on y_score"):
        estimate_score(average_precision_score, *many[:2], sample_weight=many[2])


@pytest.mark.parametrize("options", [{}, {"unit_id": np.arange(3_000)}], ids=["at once", "by units"])
def test_few_positives_at_the_top_warn(options):
    """20 positives of 20,000 at .05: intervals cover .90 to .93."""
    y_true, y_score = np.arange(3_000) % 150 == 100, -np.arange(3_000.0)
    with pytest.warns(
        UserWarning, match=r"^The score 0.00714 of 20 positives is that of about 0.14 at"
    ) as caught:
        estimate_score(average_precision_score, y_true, y_score, **options)
    assert len(caught) == 1
    y_score[np.flatnonzero(y_true)[:2]] = 1.0, 2.0  # two at the top
    estimate_score(average_precision_score, y_true, y_score, **options)
