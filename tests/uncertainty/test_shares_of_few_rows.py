"""One more event of a mean over queries: in one of them, or in all that vary together."""

import numpy as np
import pytest

from oracles.uncertainty import bias_of
from sklearn_ap import estimate_score

# The missed positives of three queries, and the weights of their negatives.
OF_QUERIES = [([0] * 3, [1] * 3), ([3, 1, 0], [1] * 3), ([0] * 3, [9, 5, 1])]


@pytest.mark.parametrize(("n_missed", "weights"), OF_QUERIES)
def test_one_more_event_is_in_one_of_independent_queries(n_missed, weights):
    """Their mean has a third of each change, over the root of 3, and the whole bias. But
    each query whose negatives are heavy may lack one of them.
    """
    y_true, y_score = rows_with_shift(3, 300, 60)
    query, parts, biases, totals = np.arange(300) % 7 % 3, [], [], {}
    weight = np.where(y_true, 1, np.array(weights)[query])
    for each, missed in enumerate(n_missed):
        own = {"y_true": y_true[query == each], "y_score": y_score[query == each]}
        own |= {"n_positives": own["y_true"].sum() + missed}
        own |= {"sample_weight": weight[query == each]}
        # Each missed positive is a unit of its own.
        totals |= {(query[i], i): int(y_true[i]) for i in range(300)}
        totals |= {(each, 300 + 9 * each + i): 1 for i in range(missed)}
        del own["sample_weight" if sum(n_missed) else "n_positives"]
        parts.append(estimate_score("average_precision", **own)._changes)
        biases.append(bias_of("average_precision", **own))
    options = {"n_positives": totals} if sum(n_missed) else {"sample_weight": weight}
    options |= {"query_id": query, "unit_id": np.arange(300)}
    found = estimate_score("average_precision", y_true, y_score, **options)
    lost, alarms, _, n_events = np.transpose(parts)
    root = np.linalg.norm(alarms / 3)
    assert alarms.tolist() == pytest.approx(alarms * np.greater(weights, 1))
    assert found._changes == pytest.approx(
        [
            np.linalg.norm(lost / 3) / np.sqrt(3),
            root,
            (alarms / 3).sum() - root + np.mean(biases),
            9 / (1 / n_events).sum(),
        ]
    )


def test_missed_positives_of_equal_queries_are_independent():
    """All other rows vary together, so one more event is in both queries."""
    y_true, y_score = rows_with_shift(3, 200, 40)
    one = estimate_score("average_precision", y_true, y_score, n_positives=50)
    ids = {"query_id": np.repeat([0, 1], 200), "unit_id": np.tile(np.arange(200), 2)}
    rows = np.tile(y_true, 2), np.tile(y_score, 2)
    totals = {(query, i): int(i < 40) for query in (0, 1) for i in range(200)}
    totals |= {(i % 2, 200 + i): 1 for i in range(20)}
    found = estimate_score("average_precision", *rows, **ids, n_positives=totals)
    variance, of_missed = one.standard_error**2, 10 * (one.score / 50) ** 2
    assert found.standard_error**2 == pytest.approx(variance - of_missed / 2)
    together = 2 - of_missed / variance
    assert found._changes.lost == pytest.approx(one._changes.lost * together / 2)


def rows_with_shift(seed, n=800, n_positives=40, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true
