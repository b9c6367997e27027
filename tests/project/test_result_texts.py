"""What results print: one line each, with the interval wherever there is one."""

import json
import pickle
import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.uncertainty import drawn, drawn_weights
from sklearn_ap import (
    BudgetTotals,
    ManyComparisons,
    OperatingPoint,
    ScoreComparison,
    ScoreEstimate,
    average_precision_at_k_score,
    average_precision_score,
    budget_totals,
    compare_many,
    compare_scores,
    estimate_score,
    operating_point,
)
from sklearn_ap._report.fields import Difference
from sklearn_ap._report.sentences import difference_clause
from sklearn_ap._shown.numbers import interval_texts
from sklearn_ap._uncertainty.results import with_interval
from sklearn_ap.compatibility import compare_conventions
from sklearn_ap.distributed import RankingState

AP = average_precision_score


def estimate(*rows, **options):
    return estimate_score(AP, *rows, **options)


def compared(**options):
    y_true, first = drawn(3, 100, 0.3)
    second = 0.6 * first + np.random.default_rng(3).random(100)
    return compare_scores(AP, y_true, first, second, **options)


@pytest.mark.parametrize(
    ("options", "is_count"),
    [
        ({}, True),
        ({"query_id": np.arange(60) % 12, "zero_division": 0}, True),
        ({"sample_weight": drawn_weights(1, 60)}, False),
    ],
    ids=["rows", "queries", "weights"],
)
def test_counts_of_positives_print_as_counts(options, is_count):
    """They printed as 30.0."""
    found = estimate(*drawn(1, 60, 0.5), **options)
    assert isinstance(found.n_positives, int if is_count else float)


def results():
    y_true, first = drawn(3, 100, 0.3)
    scores = {"new": first, "<b>old</b>": -first}
    return {
        "estimate": estimate(y_true, first),
        "one unit": estimate_score(AP, [1] * 20, range(20)),
        "comparison": compared(),
        "one-sided": compared(alternative="less"),
        "point": operating_point(y_true, first, recall=0.5),
        "fixed point": operating_point(y_true, first, threshold=0.5),
        "totals": budget_totals(y_true, first, k=2, query_id=np.arange(100) % 5),
        "many": compare_many(AP, y_true, scores),
    }


RESULTS = results()
of_each = pytest.mark.parametrize("found", RESULTS.values(), ids=RESULTS)


@pytest.mark.parametrize("kind", sorted(RESULTS.keys() - {"fixed point", "many"}))
def test_a_result_but_a_table_shows_itself_in_a_line(kind):
    found = RESULTS[kind]
    assert repr(found) == f"<{type(found).__name__}: {found}>"
    assert "\n" not in repr(found)


def in_json(value):
    """A value as JSON has it, where NaN and infinity are null."""
    if np.ndim(value):
        return list(map(in_json, value))
    value = getattr(value, "item", lambda: value)()
    if value is None or isinstance(value, str):
        return value
    return value if np.isfinite(value) else None


KINDS = {
    BudgetTotals: "budget_totals",
    ManyComparisons: "many_comparisons",
    OperatingPoint: "operating_point",
    ScoreComparison: "score_comparison",
    ScoreEstimate: "score_estimate",
}


@of_each
def test_a_result_is_what_json_takes(found):
    numbers = found.to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert (numbers["schema"], numbers["kind"]) == (1, KINDS[type(found)])
    assert numbers["confidence_level"] == 0.95


@of_each
def test_json_has_the_fields_of_a_result(found):
    """Those that are results themselves have no schema and kind of their own."""
    numbers, own_keys = found.to_dict(), {"schema", "kind", "confidence_level"}
    others = {"low", "high", "table", "score_name", "options"}  # see the next tests
    for name in numbers.keys() - own_keys - others:
        expected = getattr(found, name)
        if hasattr(expected, "to_dict"):
            of_its_own = expected.to_dict()
            keys = of_its_own.keys() - own_keys
            assert numbers[name] == {key: of_its_own[key] for key in keys}, name
        else:
            assert numbers[name] == in_json(expected), name


@pytest.mark.parametrize(
    "kind",
    ["estimate", "comparison", "one-sided", "many"],
)
def test_json_has_the_score_and_the_interval_of_a_result(kind):
    numbers, interval = RESULTS[kind].to_dict(), RESULTS[kind].confidence_interval()
    assert [numbers["low"], numbers["high"]] == in_json(interval)
    assert (numbers["score_name"], numbers["options"]) == ("average_precision", {})


@pytest.mark.parametrize("kind", ["one unit"])
def test_json_has_no_number_where_an_interval_has_none(kind):
    numbers = RESULTS[kind].to_dict()
    assert (numbers["low"], numbers["high"]) == (None, None)


@pytest.mark.parametrize("kind", ["point", "fixed point"])
def test_json_has_the_table_of_a_point(kind):
    table, expected = RESULTS[kind].to_dict()["table"], RESULTS[kind].table()
    rows = {name: list(row.values()) for name, row in table.items()}
    assert rows == {name: in_json(row) for name, row in expected.items()}


@pytest.mark.parametrize(
    ("score", "params", "name", "options"),
    [
        ("average_precision@10", {"ties": "expected"}, None, None),
        (
            average_precision_at_k_score,
            {"k": np.int64(10), "ties": "expected"},
            None,
            None,
        ),
        (partial(average_precision_at_k_score, k=10), {"ties": "expected"}, None, None),
        ("pr_auc", {"prevalence": np.float32(0.25)}, "pr_auc", {"prevalence": 0.25}),
        (
            AP,
            {"sample_weight": np.ones(100), "n_positives": 90},
            "average_precision",
            {"n_positives": 90},
        ),
        (AP, {"pos_label": np.True_}, "average_precision", {"pos_label": True}),
    ],
)
def test_results_name_their_score_and_its_options(score, params, name, options):
    """A pickled copy names them, too, and no result keeps an array of rows."""
    y_true, y_score = drawn(3, 100, 0.3)
    expected = name or "average_precision@10", options or {"ties": "expected"}
    results = [estimate_score(score, y_true, y_score, **params)]
    if name == "pr_auc":
        state = RankingState().update(y_true, y_score)
        results.append(state.estimate(score, **params))
        results.append(compare_scores(score, y_true, y_score, -y_score, **params))
    for result in results:
        numbers = pickle.loads(pickle.dumps(result)).to_dict()
        assert (numbers["score_name"], numbers["options"]) == expected
        assert json.loads(json.dumps(numbers)) == numbers


def test_a_fixed_threshold_shows_the_intervals_of_its_table():
    y_true, first = drawn(3, 100, 0.3)
    point = operating_point(y_true, first, threshold=0.5)
    for row in point.table().values():
        assert with_interval(*row) in str(point)


def test_a_threshold_has_the_digits_that_keep_rows_apart():
    y_true, scores = drawn(3, 100, 0.3)
    point = operating_point(y_true, scores, recall=0.5)
    [text] = re.findall("scores of (\\S+) or more", str(point))
    assert len(text) < len(str(point.threshold))
    assert np.count_nonzero(scores >= float(text)) == point.n_retrieved


def test_frame_of_many_has_a_row_per_pair():
    found = RESULTS["many"]
    frame = found.to_frame()
    assert tuple(zip(frame["model_a"], frame["model_b"], strict=True)) == found.pairs
    np.testing.assert_array_equal(frame["difference"], found.difference)
    np.testing.assert_array_equal(
        frame[["low", "high"]].to_numpy().T, found.confidence_interval()
    )


def test_definitions_show_themselves_as_a_table():
    found = compare_conventions(*drawn(3, 100, 0.3))
    # once, and not in each row
    above = f"scikit-learn's AP is {found.rows[0].scikit_learn:.4f}."
    first, _, *lines = str(found).splitlines()
    assert first == above
    cells = [tuple(re.split(" {2,}", line)) for line in lines]
    # a difference from average precision would say nothing about a share or a rank
    are_others = ["precision", "recall", "R-", "reciprocal", "success"]
    expected = [
        (
            r.name,
            f"{r.value:.4f}",
            "-"
            if any(map(r.name.startswith, are_others))
            else f"{r.value - r.scikit_learn:+.4f}",
        )
        for r in found.rows
    ]
    assert set(expected) < set(cells)


@given(
    end=st.floats(1e-9, 0.5),
    width=st.floats(1e-4, 1.0),
    sign=st.sampled_from([-1, 1]),
    pvalue=st.one_of(st.floats(0.0495, 0.0505), st.floats(0, 1), st.just(0.05)),
)
def test_a_difference_shows_on_which_side_of_0_its_interval_lies(
    end, width, sign, pvalue
):
    """The nearer end, and whether the p-value is at most .05, as the verdict says."""
    low, high = sign * end, sign * end + width
    numbers = Difference(
        name="",
        score=0.5,
        difference=(low + high) / 2 or 1.0,
        low=low,
        high=high,
        pvalue=pvalue,
    )
    size = numbers if numbers.difference > 0 else numbers.reversed()
    words = difference_clause(numbers)
    ends = re.search("interval (\\S+) to (\\S+), p (. \\S+), (.*) sig", words).groups()
    shown = [float(text) for text in ends[:2]]
    assert np.sign(shown).tolist() == np.sign([size.low, size.high]).tolist()
    assert (float(ends[2][2:]) <= 0.05) == (pvalue <= 0.05)
    assert ends[3] == ("statistically" if pvalue <= 0.05 else "not")
    text = with_interval(size.difference, size.low, size.high, pvalue=pvalue)
    cells = interval_texts(size.difference, size.low, size.high, is_difference=True)
    assert text.startswith(f"{cells[0]}, 95 % interval {cells[1]} to {cells[2]}, p ")


def test_an_end_near_0_keeps_a_digit_in_a_line():
    text = with_interval(0.0899, -0.0031, 0.183, pvalue=0.058)
    assert text == "0.09, 95 % interval -0.003 to 0.18, p = 0.058"
