"""A number of positives per ranking is of all queries of `query_id`, by name in any order
or as an array, also of queries that weigh 0; or it is of the columns or classes. Folders
of budgets, scorers, records and files have those of their own.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap.compatibility import score_as

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


LABELS = pd.DataFrame({"a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [0, 0, 1, 1, 0, 0, 0, 1]})
SCORES = pd.DataFrame({"a": [9, 7, 2, 5, 3, 4, 1, 8], "b": [4, 9, 3, 2, 6, 7, 8, 5]})
SCORES_OF_CLASSES = np.array([*SCORES.to_numpy().T, [2, 5, 6, 8, 1, 9, 4, 3]]).T


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    n_queries=st.integers(1, 6),
    ids=st.sampled_from([int, str, "datetime64[D]"]),
)
def test_a_total_is_of_each_query(seed, n_queries, ids):
    """A query that weighs 0 and has a total is one that nothing was retrieved for."""
    rng, score = np.random.default_rng(seed), ap.average_precision_score
    queries = (np.arange(n_queries) + 4).astype(ids)
    place = np.repeat(np.arange(n_queries), 3)
    if rng.random() < 0.5:
        rng.shuffle(place)
    y_true = rng.integers(0, 2, place.size)
    y_true[np.unique(place, return_index=True)[1]] = 1  # a positive in each
    y_score = rng.permutation(place.size)
    weighs = rng.random(n_queries) < 0.7
    weighs[rng.integers(n_queries)] = True
    values = rng.integers(4, 8, n_queries)

    expected = np.zeros(n_queries)
    for query in np.flatnonzero(weighs):
        rows, total = place == query, values[query].item()
        expected[query] = score(y_true[rows], y_score[rows], n_positives=total)
    mean = pytest.approx(expected.mean())
    by_name = dict(zip(queries[::-1], values[::-1].tolist(), strict=True))
    for passed in (by_name, values):
        options = {"query_id": queries[place], "n_positives": passed}
        options["sample_weight"] = weighs[place].astype(float)
        first = np.unique(place, return_index=True)[1]
        if passed is values and (np.diff(first) < 0).any():
            with pytest.raises(ValueError, match=r"^n_positives must be one number"):
                score(y_true, y_score, **options)
            continue
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
    np.testing.assert_equal(ap.chance_level(labels, **rows), {"a": np.nan, "b": 0.75})
    assert score_as("VOC 2010", labels, scores, average=None, **rows).size == 2


def recalls_of(display):
    return [line.get_xdata().tolist() for line in display.ax_.lines]


# Each takes rows and one value per column, each a list of numbers by column.
DOORS = {
    "totals": lambda rows, n: ap.r_precision_score(*rows, n_positives=n, average=None),
    "curves": lambda rows, n: ap.interpolated_precision_recall_curve(
        *rows, n_positives=n
    )[1],
    "display": lambda rows, n: recalls_of(
        ap.AveragePrecisionDisplay.from_predictions(*rows, n_positives=n)
    ),
}
ROWS_OF = {
    "frames": ([*"ab"], LABELS, SCORES),
    "scores": ([*"ab"], LABELS.to_numpy(), SCORES),
    "numbers": ([0, 1], LABELS.to_numpy(), SCORES.to_numpy()),
    "classes": ([*"xyz"], [*"xyzzyxxz"], SCORES_OF_CLASSES),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("rows", ROWS_OF.values(), ids=ROWS_OF)
def test_a_value_is_of_each_column_or_class(door, rows):
    names, *rows = rows
    values = [5, 8, 6][: len(names)]
    by_name = dict(zip(names[::-1], values[::-1], strict=True))
    expected = repr(door(rows, values))
    assert repr(door(rows, values[::-1])) != expected
    for passed in (by_name, pd.Series(by_name), pd.Series(values)):
        assert repr(door(rows, passed)) == expected
    wrong = [{**by_name, "other": 5}, {names[0]: 5}]
    other = pd.Series(values, index=range(1, len(names) + 1))
    for passed in (*wrong, other):
        with pytest.raises(ValueError, match=r"^n_positives must be one number"):
            door(rows, passed)
