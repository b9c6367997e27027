"""The picture of queries: what is drawn is what the score says of each of them."""

import math
from fractions import Fraction
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from drawn import legend_of
from problems import labels_with_a_positive, scores
from sklearn_ap import QueryDisplay, average_precision_score, score_by_query

mpl.use("Agg")
from_predictions = QueryDisplay.from_predictions

Y_TRUE = [1, 0, 0, 1, 0, 1, 1, 0]
QUERY = ["a", "a", "b", "b", "c", "c", "d", "d"]
OLD = [2, 1, 2, 1, 2, 1, 2, 1]  # 1, 1/2, 1/2, 1
NEW = [1, 2, 1, 2, 2, 1, 2, 1]  # 1/2, 1, 1/2, 1
MODELS = {"old": OLD, "new": NEW}


def steps_of(line):
    """The height of each step of a line, from the first query on."""
    edges, heights = line.get_data()
    assert line.get_drawstyle() == "steps-post"
    assert edges.tolist() == [0.5 + place for place in range(len(edges))]
    assert heights[-1] == heights[-2]
    return heights[:-1].tolist()


def bars_of(bars):
    """The height of each bar, by its place from 1 on."""
    heights = {}
    vertices = [
        path.vertices for path in bars.get_paths()
    ]  # there is no path if there is no bar
    for (left, low), (right, high) in pairwise(*vertices) if vertices else ():
        if low == high != 0 and right - left == 1:
            heights[int(left + 0.5)] = float(low)
    return heights


def differences_of(display):
    """All differences from left to right, as the bars show them."""
    first, second = (bars_of(one) for one in display.artists_.values())
    assert not set(first) & set(second)
    assert all(height < 0 for height in first.values())
    assert all(height > 0 for height in second.values())
    return [
        (first | second).get(place, 0.0)
        for place in range(1, len(display.query_id_) + 1)
    ]


# --- two models -----------------------------------------------------------------------


def rows_of_queries():
    """Labels of two to five queries, and the scores of two models."""
    return st.integers(2, 5).flatmap(
        lambda n: st.tuples(
            *(
                st.lists(one(4), min_size=n, max_size=n)
                for one in (labels_with_a_positive, scores, scores)
            )
        )
    )


@settings(max_examples=25)
@given(rows_of_queries())
def test_every_number_drawn_is_that_of_the_score(rows):
    y_true, old, new = ([one for query in column for one in query] for column in rows)
    query_id = np.repeat(np.arange(len(rows[0])), 4)
    alone = [
        {
            query: average_precision_score(labels, scored)
            for query, (labels, scored) in enumerate(zip(rows[0], column, strict=True))
        }
        for column in rows[1:]
    ]
    means = [
        average_precision_score(y_true, one, query_id=query_id) for one in (old, new)
    ]
    models = {"old": old, "new": new}

    display = from_predictions(y_true, models, query_id=query_id)
    expected = [alone[1][query] - alone[0][query] for query in display.query_id_]
    assert differences_of(display) == pytest.approx(expected, abs=1e-12)
    assert sorted(expected, reverse=True) == expected
    assert display.mean_line_.get_ydata().tolist() == [means[1] - means[0]] * 2
    plt.close(display.figure_)

    display = from_predictions(y_true, models, query_id=query_id, kind="values")
    assert steps_of(display.artists_["old"]) == [
        alone[0][query] for query in display.query_id_
    ]
    assert display.artists_["new"].get_ydata().tolist() == [
        alone[1][query] for query in display.query_id_
    ]
    assert display.artists_["new"].get_xdata().tolist() == list(
        range(1, len(rows[0]) + 1)
    )
    for line, mean in zip(display.mean_line_.values(), means, strict=True):
        assert line.get_ydata().tolist() == [mean, mean]
    plt.close(display.figure_)


def test_a_rounding_is_no_win():
    """Two rankings with an average precision of one half, one of whose sums is
    rounded.
    """
    y_true = [0, 1, 0, 1, 0, 1, 0, 0, 0]
    models = {"old": [9, 8, 7, 6, 5, 4, 3, 2, 1], "new": [9, 8, 6, 7, 5, 1, 4, 3, 2]}
    assert [oracle.step(oracle.ranking(y_true, one)) for one in models.values()] == [
        Fraction(1, 2)
    ] * 2
    values = [average_precision_score(y_true, one) for one in models.values()]
    assert values[0] != values[1]
    display = from_predictions(y_true, models, query_id=["q"] * 9)
    assert legend_of(display)[2:] == ["Equal: 1 query", "Mean difference = 0.000"]
    assert differences_of(display) == [0.0]


# --- queries without positives --------------------------------------------------------

WITHOUT = [1, 0, 0, 0, 0, 1, 1, 0]  # query b has no positive


@pytest.mark.parametrize("y_score", [OLD, MODELS])
def test_undefined_queries_are_left_out_and_counted(y_score):
    display = from_predictions(WITHOUT, y_score, query_id=QUERY, zero_division=math.nan)
    assert sorted(display.query_id_) == ["a", "c", "d"]
    assert display.ax_.get_xlabel().endswith(" (1 of 4 undefined, left out)")
    mean = average_precision_score(WITHOUT, OLD, query_id=QUERY, zero_division=math.nan)
    assert f"(mean = {mean:.3f})" in legend_of(display)[0]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_zero_division_is_drawn(value):
    display = from_predictions(WITHOUT, OLD, query_id=QUERY, zero_division=value)
    drawn = dict(
        zip(display.query_id_, steps_of(display.artists_["Scores"]), strict=True)
    )
    assert drawn["b"] == value
    mean = average_precision_score(WITHOUT, OLD, query_id=QUERY, zero_division=value)
    assert display.mean_line_["Scores"].get_ydata().tolist() == [mean, mean]
    assert "undefined" not in display.ax_.get_xlabel()


def test_without_a_choice_each_model_warns():
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        display = from_predictions(WITHOUT, MODELS, query_id=QUERY)
    assert [one.filename for one in caught] == [__file__] * len(MODELS)
    assert len(display.query_id_) == 4


# --- other scores ---------------------------------------------------------------------


def test_labels_weights_and_totals_reach_the_score():
    labels = np.array(["no", "yes"])[Y_TRUE]
    params = {
        "pos_label": "yes",
        "sample_weight": [1, 2, 3, 4, 5, 6, 7, 8],
        "n_positives": {"a": 2, "b": 5, "c": 7, "d": 9, "e": 1},
    }
    display = from_predictions(labels, OLD, query_id=QUERY, **params)
    expected = score_by_query(
        average_precision_score, labels, OLD, query_id=QUERY, **params
    )
    drawn = dict(
        zip(display.query_id_, steps_of(display.artists_["Scores"]), strict=True)
    )
    assert drawn == expected
    assert drawn["e"] == 0
    assert display.ax_.get_ylabel() == "Average precision (Positive label: yes)"


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_scores", "kind", "message"),
    [
        ({}, None, r"scores must be .*score_by_query.*; got \{\}"),
        ([0.5], None, r"scores must be .*score_by_query.*; got \[0\.5\]"),
        ({"old": {}}, None, "scores must be finite"),
        ({"old": {"a": 1}, "new": {"b": 1}}, None, "scores must contain"),
        ({"old": {"a": 1}, "new": {"a": 1, "b": 1}}, None, "scores must contain"),
        ({"a": math.inf}, None, "scores must be finite"),
        (
            {"a": 0.5},
            "difference",
            "kind='difference' requires two models; got 1. Use kind='values'",
        ),
        ({"a": 0.5}, "bars", "kind must be one of 'values', 'difference'; got 'bars'"),
        ({"a": 0.5}, ["values"], "kind must be one of 'values', 'difference'; got "),
    ],
)
def test_what_cannot_be_drawn(given_scores, kind, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        QueryDisplay(given_scores).plot(kind=kind)
    assert plt.get_fignums() == []
