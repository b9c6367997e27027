"""Lists of relevant and of retrieved ids: values, their order, and errors."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, read_lists, score_by_query


def test_lists_of_ids():
    found = read_lists([["a", "b", "b"], ["c"], []], [["x", "a", "b"], [], ["c"]])
    assert found.n_positives == {0: 2.0, 1: 1.0, 2: 0.0}
    assert [*found.y_true] == [False, True, True, False]
    assert [*found.query_id] == [0, 0, 0, 2]
    found = read_lists({"q": [1]}, {"q": [2, 1], "unjudged": [1]})
    assert ([*found.y_true], found.query_id) == ([False, True], ["q", "q"])
    assert [*found.y_score] == [2, 1]
    assert repr(found) == "RankedLists(n_retrieved=2, n_relevant=1, n_queries=1)"


def apk(actual, predicted, k):
    """AP@k as in ml_metrics, by a loop."""
    score = hits = 0.0
    for place, item in enumerate(predicted[:k]):
        if item in actual and item not in predicted[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(set(actual)), k) if actual else 0.0


@pytest.mark.parametrize("kind", [str, np.int64, float])
def test_repeated_ids_count_at_their_first_place_as_in_mapk(kind):
    rng = np.random.default_rng(0)
    relevant, retrieved = (
        [list(map(kind, rng.integers(0, 9, size))) for size in rng.integers(0, 8, 50)]
        for _ in range(2)
    )
    lists = read_lists(relevant, retrieved)
    assert len(lists.y_true) == sum(map(len, retrieved))
    for k in (1, 3, 8):
        name = f"average_precision@{k}"
        values = score_by_query(name, **lists, zero_division=0.0)
        expected = [apk(*pair, k) for pair in zip(relevant, retrieved, strict=True)]
        assert [*values.values()] == pytest.approx(expected, rel=0, abs=1e-12)


SERIES = pd.Series([["b", "x"], ["a", "y"]], index=["r", "q"])
# The average precision of the first query, q, is 1/2, and that of the second 1.
LISTS = {
    "lists": ([["a"], ["b"]], [["y", "a"], ["b"]]),
    "an array": (np.array([["a"], ["b"]]), np.array([["y", "a"], ["b", "x"]])),
    "arrays of integers": ([np.array([1]), [2]], [np.array([7, 1]), [np.int64(2)]]),
    "Series of ids": (
        [pd.Series(["a"]), {"b"}],
        [pd.Series(["y", "a"], [4, 2]), ["b"]],
    ),
    "names": ({"q": ["a"], "r": ["b"]}, {"r": ["b"], "q": ["y", "a"]}),
    "Series of lists in two orders": (
        SERIES.str[:1],
        pd.Series([["y", "a"], ["b"]], index=["q", "r"]),
    ),
    "scores": ([["a"], ["b"]], [{"a": 0.1, "y": 0.9}, {"b": 0.5}]),
    "bools": ([{"a": True, "y": False}, {"b": True}], [["y", "a"], ["b"]]),
    "levels": ([{"a": 2, "y": 0}, {"b": 1}], [["y", "a"], ["b"]]),
}


@pytest.mark.parametrize("kind", LISTS)
def test_order_names_scores_and_levels_of_lists_count(kind):
    relevant, retrieved = LISTS[kind]
    lists = read_lists(relevant, retrieved)
    assert [*score_by_query(average_precision_score, **lists).values()] == [
        0.5,
        1,
    ]


@pytest.mark.parametrize(
    ("relevant", "retrieved", "named"),
    [
        ([["a"]], [{"a", "y"}], "retrieved"),
        ([["a"]], [["a"], ["b"]], "relevant and retrieved"),
        ([["a"]], ["a"], "retrieved"),
        ([None], [["a"]], "relevant"),
        ([["a"]], [[("a", 0.5)]], "retrieved"),
        ([["a"]], [[0.5, 0.25]], "retrieved .* got 0.5 in query 0"),
        # The value that is wrong is shown, and not the ids before it.
        (
            {"q": ["a"]},
            {"q": [*"abcdefgh", None]},
            "retrieved .* got None in query 'q'",
        ),
        ([[True, False]], [["a"]], "relevant"),
        ([[*"abcdefgh", float("nan")]], [["a"]], "relevant .* got nan in query 0"),
        ([{"a": 0.5}], [["a"]], "'?relevant"),
        ({1: ["a"], 2: ["b"]}, [["a"], ["b"]], "relevant .* by query id"),
        (SERIES, [["a"], ["b"]], "relevant .* by query id"),
        (SERIES.rename({"r": "q"}), SERIES, "relevant"),
    ],
)
def test_lists_without_an_order_or_without_ids_raise_an_error(
    relevant, retrieved, named
):
    with pytest.raises(ValueError, match=f"^{named}"):
        read_lists(relevant, retrieved)


# The scores of the ids d2, d3 and d1, and the best id.
ORDERS = {
    "descending ids of equal scores": ([1.5, 1.5, 1.5], "d3"),
    "scores that float32 makes equal": ([2, 1.0, 2.00000001], "d2"),
    "scores beyond float32": ([1e40, -1e39, 1e39], "d2"),
    "integers that float32 makes equal": ([2**53, 2**53 - 2**40, 2**53 + 1], "d2"),
}


@pytest.mark.parametrize("case", ORDERS)
def test_scores_order_ids_as_in_trec_eval(case):
    scores, best = ORDERS[case]
    retrieved = {"q": dict(zip(["d2", "d3", "d1"], scores, strict=True))}
    for id_ in ("d1", "d2", "d3"):
        lists = read_lists({"q": [id_]}, retrieved)
        assert lists.y_true[0] == (id_ == best)


@pytest.mark.parametrize("number", [None, float("nan"), float("inf"), "2"])
def test_scores_and_levels_are_finite_numbers(number):
    for lists in ([["a"]], [{"a": number}]), ([{"a": number}], [["a"]]):
        with pytest.raises(ValueError, match=rf"got {number!r} in query 0"):
            read_lists(*lists)


@pytest.mark.parametrize(
    ("relevant", "retrieved", "got"),
    [
        ({1: ["d"]}, {"1": ["d"]}, "query ids .*got 1"),
        ({"q": ["a", "7"]}, {"q": [7]}, "document ids .*got 7"),
        ({"q": [7.0, 8.0]}, {"q": ["7"]}, "document ids .*got 7.0"),
    ],
)
def test_the_error_about_ids_of_two_types_shows_both(relevant, retrieved, got):
    with pytest.raises(ValueError, match=f"^{got} next to '[17]': "):
        read_lists(relevant, retrieved)


def test_ids_of_two_types_whose_texts_differ_are_read():
    assert [*read_lists({"q": [7]}, {"q": ["b", 7]}).y_true] == [False, True]


def test_lists_without_a_retrieved_id_raise_an_error():
    for retrieved in ({"q": []}, {"other": ["a"]}):
        with pytest.raises(ValueError, match=r"^retrieved must have an id"):
            read_lists({"q": ["a"]}, retrieved)


@pytest.mark.parametrize("value", [None, 3, 0.5, "qrels.txt", b"run.txt"])
@pytest.mark.parametrize("name", ["relevant", "retrieved"])
def test_the_error_about_no_lists_names_the_argument_and_shows_its_value(name, value):
    lists = {"relevant": [["a"]], "retrieved": [["a"]], name: value}
    with pytest.raises(TypeError, match=rf"^{name} must be .*; got {value!r}\.$"):
        read_lists(**lists)
