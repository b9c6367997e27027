"""The randomisation test over queries flips the differences themselves, so its p-values are exact."""

import itertools

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_scores

RESAMPLES = 9_999


def compared(wins, **options):
    """Compare two models over queries of two rows; the first model is right where `wins` says so."""
    query = np.repeat(np.arange(len(wins)), 2)
    y_true = np.tile([1, 0], len(wins))
    first = np.ravel([[2, 1] if win >= 0 else [1, 2] for win in wins])
    second = np.ravel([[2, 1] if win <= 0 else [1, 2] for win in wins])
    return compare_scores(
        average_precision_score,
        y_true,
        first,
        second,
        query_id=query,
        method="permutation",
        n_resamples=RESAMPLES,
        random_state=0,
        **options,
    )


@pytest.mark.filterwarnings("ignore:The sample has only")
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(
    "wins", [(1, 1, 1), (1, 1, 1, -1), (1, 0, 1, 1, -1), (-1, -1, 0), (1, 1, 1, 1, 1, 1)]
)
def test_pvalue_is_the_share_of_all_sign_flips(wins, alternative):
    found = compared(wins, alternative=alternative)
    differences = np.array(wins) / 2 / len(wins)  # AP is 1 or 1/2
    assert found.difference == pytest.approx(differences.sum())
    flipped = [np.dot(signs, differences) for signs in itertools.product((-1, 1), repeat=len(wins))]
    far = {"two-sided": np.abs(flipped), "less": np.negative(flipped), "greater": np.array(flipped)}[
        alternative
    ]
    limit = {"two-sided": abs(differences.sum()), "less": -differences.sum(), "greater": differences.sum()}
    exact = np.mean(far >= limit[alternative] - 1e-12)
    assert found.pvalue == pytest.approx(exact, abs=4 * np.sqrt(0.25 / RESAMPLES))
    assert set(np.round(found.null_distribution, 9)) <= set(np.round(flipped, 9))
