"""A value per ranking is of all queries of `query_id`, by name in any order or as an
array, also of queries that weigh 0: a number of positives or a cut. Folders of budgets,
scorers, records and files have those of their own.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap.compatibility import score_as

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


OF_QUERIES = {"k": ap.recall_at_k_score, "n_positives": ap.average_precision_score}


@settings(max_examples=60)
@given(
    name=st.sampled_from([*OF_QUERIES]),
    seed=st.integers(0, 2**32),
    n_queries=st.integers(1, 6),
    ids=st.sampled_from([int, str, "datetime64[D]"]),
)
def test_a_value_is_of_each_query(name, seed, n_queries, ids):
    """A query that weighs 0 and has a total is one that nothing was retrieved for."""
    rng, score = np.random.default_rng(seed), OF_QUERIES[name]
    queries = (np.arange(n_queries) + 4).astype(ids)
    place = rng.permutation(np.repeat(np.arange(n_queries), 3))
    y_true = rng.integers(0, 2, place.size)
    y_true[np.unique(place, return_index=True)[1]] = 1  # a positive in each
    y_score = rng.permutation(place.size)
    weighs = rng.random(n_queries) < 0.7
    weighs[rng.integers(n_queries)] = True
    values = rng.integers(1, 5, n_queries) + 3 * (name == "n_positives")

    expected = np.zeros(n_queries)
    for query in np.flatnonzero(weighs):
        rows, value = place == query, {name: values[query].item()}
        expected[query] = score(y_true[rows], y_score[rows], **value)
    mean = pytest.approx(expected[weighs | (name == "n_positives")].mean())
    by_name = dict(zip(queries[::-1], values[::-1].tolist(), strict=True))
    for passed in (by_name, values):
        options = {"query_id": queries[place], name: passed}
        options["sample_weight"] = weighs[place].astype(float)
        assert score(y_true, y_score, **options) == mean
        if weighs.sum() > 1:
            assert ap.estimate_score(score, y_true, y_score, **options).score == mean
        options["zero_division"] = 0.0
        each = ap.score_by_query(score, y_true, y_score, **options)
        assert list(each) == list(queries)
        assert list(each.values()) == pytest.approx(expected)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_a_query_without_weight_keeps_its_place(zero_division):
    rows = {"query_id": [*"aabb"], "sample_weight": [0, 0, 1, 1]}
    labels, scores = [1, 0, 0, 1], [4, 3, 2, 1]
    values = ap.average_precision_score(
        labels, scores, average=None, zero_division=zero_division, **rows
    )
    np.testing.assert_array_equal(values, [zero_division, 0.5])
    np.testing.assert_array_equal(ap.chance_level(labels, **rows), [np.nan, 0.75])
    assert score_as("VOC 2010", labels, scores, average=None, **rows).size == 2
