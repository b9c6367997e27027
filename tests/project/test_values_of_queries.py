"""A value per ranking is of all queries of `query_id`, in every door: a number of
positives or a cut, by name in any order or as an array, also of queries that weigh 0.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap import distributed
from sklearn_ap.compatibility import score_as

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
DRAWN = {
    "seed": st.integers(0, 2**32),
    "n_queries": st.integers(1, 6),
    "ids": st.sampled_from([int, str, "datetime64[D]"]),
}


class Rows:
    """Shuffled rows of queries, each with a positive; some of them weigh 0."""

    def __init__(self, seed: int, n_queries: int, ids: object) -> None:
        rng = np.random.default_rng(seed)
        self.ids = (np.arange(n_queries) + 4).astype(ids)
        self.place = rng.permutation(np.repeat(np.arange(n_queries), 3))
        self.y_true = rng.integers(0, 2, self.place.size)
        self.y_true[np.unique(self.place, return_index=True)[1]] = 1
        self.y_score = rng.permutation(self.place.size).astype(float)
        self.labels = self.y_true, self.y_score
        self.weighs = rng.random(n_queries) < 0.7
        self.weighs[rng.integers(n_queries)] = True
        self.data = {
            "query_id": self.ids[self.place],
            "sample_weight": self.weighs[self.place].astype(float),
        }
        self.k = rng.integers(1, 5, n_queries)
        self.totals = rng.integers(4, 9, n_queries)

    def by_name(self, values: np.ndarray) -> dict:
        """The values by the names of their queries, in another order."""
        return dict(zip(self.ids[::-1], values[::-1].tolist(), strict=True))

    def scores(self, score, name: str, values: np.ndarray) -> np.ndarray:
        """The score of each query, alone with its value; 0 where it weighs 0."""
        scores = np.zeros(self.ids.size)
        for place in np.flatnonzero(self.weighs):
            rows = self.place == place
            own_value = {name: values[place].item()}
            scores[place] = score(self.y_true[rows], self.y_score[rows], **own_value)
        return scores


class Ranker:
    """An estimator that predicts what it is passed."""

    def predict(self, X):
        return np.asarray(X)


@settings(max_examples=60)
@given(is_cut=st.booleans(), **DRAWN)
def test_a_value_is_of_each_query(is_cut, seed, n_queries, ids):
    """A query that weighs 0 and has a total is one that nothing was retrieved for."""
    rows = Rows(seed, n_queries, ids)
    if is_cut:
        score, name, values = ap.recall_at_k_score, "k", rows.k
    else:
        score, name, values = ap.average_precision_score, "n_positives", rows.totals
    expected = rows.scores(score, name, values)
    mean = pytest.approx(expected[rows.weighs | (not is_cut)].mean())
    for passed in (rows.by_name(values), values):
        options = {**rows.data, name: passed}
        assert score(*rows.labels, **options) == mean
        if rows.weighs.sum() > 1:
            assert ap.estimate_score(score, *rows.labels, **options).score == mean
        each = ap.score_by_query(score, *rows.labels, zero_division=0.0, **options)
        assert list(each) == list(rows.ids)
        assert list(each.values()) == pytest.approx(expected)


@given(**DRAWN)
def test_budgets_and_scorers_cut_each_query(seed, n_queries, ids):
    rows, score = Rows(seed, n_queries, ids), ap.recall_at_k_score
    k = rows.by_name(rows.k)
    budget = ap.budget_totals(*rows.labels, k=k, **rows.data).by_query
    depth = np.minimum(rows.k, 3) * rows.weighs
    assert budget["n_retrieved"].tolist() == depth.tolist()
    scorer = ap.make_scorer(score, k=k, query_id="index", response_method="predict")
    y = pd.Series(rows.y_true, index=rows.data["query_id"])
    weight = rows.data["sample_weight"]
    scored = scorer(Ranker(), rows.y_score, y, sample_weight=weight)
    assert scored == score(*rows.labels, k=k, **rows.data)


@given(**DRAWN | {"ids": st.sampled_from([int, str])})
def test_records_and_rows_elsewhere_have_the_total_of_each_query(seed, n_queries, ids):
    rows, score = Rows(seed, n_queries, ids), ap.average_precision_score
    totals = {"n_positives": rows.by_name(rows.totals)}
    expected = pytest.approx(score(*rows.labels, **totals, **rows.data))
    frame = pd.DataFrame({"label": rows.y_true, "score": rows.y_score, **rows.data})
    columns = {name: name for name in rows.data}
    assert distributed.score(score, frame, **totals, **columns) == expected
    assert (
        score_as("average precision", *rows.labels, **totals, **rows.data) == expected
    )


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
