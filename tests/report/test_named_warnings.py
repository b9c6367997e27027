"""Warnings of a report name their model and the line of the user."""

import warnings

import numpy as np
import pytest

from sklearn_ap import report


def test_warnings_of_a_report_name_the_model_and_the_line():
    row = np.arange(400)
    y_true, is_heavy = row < 60, row % 20 == 7
    weight = np.where(is_heavy & ~y_true, 30.0, 1.0)
    first = np.random.default_rng(0).normal(size=400) + 1.5 * y_true
    # The other models give heavy negatives high scores.
    others = {"b": first + 2.5 * is_heavy, "c": first + 3 * is_heavy}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y_true, first, compare=others, name="a", sample_weight=weight)
    texts = [str(each.message) for each in caught]
    assert made.answer["warnings"] == texts
    of_weights = [text for text in texts if "sample_weight depends on y_score" in text]
    assert [text.partition(":")[0] for text in of_weights] == ["AP of b", "AP of c"]
    assert {each.filename for each in caught} == {__file__}


def test_a_warning_of_all_models_is_given_once():
    y_true = np.arange(40) < 2
    scores = np.random.default_rng(0).normal(size=(2, 40)) + 3 * y_true
    with pytest.warns(UserWarning, match="too few positives") as caught:
        report(y_true, scores[0], compare=scores[1], name="a")
    texts = [
        str(each.message) for each in caught if "too few positives" in str(each.message)
    ]
    [text] = texts
    assert text.startswith("AP of a: The sample has too few positives")
    with pytest.warns(UserWarning, match="^The sample has too few positives"):
        report(y_true, scores[0], name="a")


def report_of_classes(sizes, weight_at_top=1.0):
    """The report of classes of these sizes, and the warnings that it raised."""
    y_true = np.repeat(range(len(sizes)), sizes)
    scores = np.random.default_rng(0).normal(size=(y_true.size, len(sizes)))
    own = np.arange(y_true.size), y_true
    # Another class ranks these rows high.
    others = np.where(np.eye(len(sizes))[y_true], 0, scores).max(axis=1)
    weight = np.where(others > 1.8, weight_at_top, 1.0)
    scores[own] += 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y_true, scores, sample_weight=weight)
    assert made.answer["warnings"] == [str(each.message) for each in caught]
    return made, [each.message for each in caught]


def test_classes_share_a_warning_per_kind():
    made, raised = report_of_classes([1, 2, 1, 2, 1, 50, 60])
    # The class with one positive has no interval either, which is the same kind.
    of_first = made.answer["classes"][0]["warnings"]
    assert [text.partition(":")[0][:12] for text in of_first] == [
        "The sample h",
        "The confiden",
    ]
    # The mean has a warning of its own.
    assert {message.code for message in raised} == {"few_positives"}
    _, shared = map(str, raised)
    assert shared == (
        "5 of 7 classes have too few positives (at most 2), so intervals are missing or "
        "say little: 0, 1 and 3 others."
    )
    head, _, _ = made.html.partition("<table>")
    assert head.count('class="warning"') == 2


def test_the_warning_of_one_class_names_it():
    _, raised = report_of_classes([2, 50, 60])
    assert str(raised[-1]) == (
        "1 of 3 classes has too few positives (at most 2), so intervals are missing or "
        "say little: 0."
    )


def test_a_warning_of_another_kind_names_the_first_classes():
    made, raised = report_of_classes([300, 300, 300, 300], weight_at_top=30)
    of_classes = [text for part in made.answer["classes"] for text in part["warnings"]]
    [text] = {*of_classes}
    assert len(of_classes) == 4
    named = f"Class 0, and likewise 1, 2 and 1 other: {text}"
    assert [str(each) for each in raised if each.code == "dependent_weights"] == [named]


def test_drawn_queries_raise_no_warning_each():
    y_true = np.tile([1, 0, 0, 0], 40)
    query = np.repeat(range(40), 4)
    scores = np.random.default_rng(2).normal(size=160) + y_true
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y_true, scores, query_id=query, unit_id=query)
    assert (caught, made.answer["warnings"]) == ([], [])
