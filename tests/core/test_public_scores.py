"""Public scores, and the arguments that intervals and states read of a call."""

import dataclasses
import inspect
import pickle
import sys
import typing
import warnings

import numpy as np
import pytest

from metrics import CALLED, LEVELS, example_of
from sklearn_ap import average_precision_score, precision_at_k_score
from sklearn_ap._core.areas.area import Area
from sklearn_ap._core.areas.hits import RECIPROCAL_RANK
from sklearn_ap._core.areas.interpolated import INTERPOLATED
from sklearn_ap._core.areas.joined import LINEAR
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition, define
from sklearn_ap._core.evaluate import score_rows
from sklearn_ap._core.registry import SCORES, function_name_of, read_arguments
from sklearn_ap._core.typing import FloatArray, PassedRows


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_a_score_is_shown_as_a_function_that_returns_a_number(score):
    assert inspect.signature(score).return_annotation == "float | FloatArray"
    assert typing.get_type_hints(score)["return"] == float | FloatArray
    assert pickle.loads(pickle.dumps(score)) is score


def calls_of(score):
    """Yield options of a score: its defaults, and an example of each keyword."""
    required = LEVELS.get(score.__name__, {})
    yield required
    for keyword in list(inspect.signature(score).parameters)[2:]:
        value, _ = example_of(keyword, score)
        yield {**required, keyword: value}


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_intervals_and_states_read_what_a_score_computes(score, monkeypatch):
    """The body of a score, its row in SCORES and `read_arguments` say the same."""
    module = sys.modules[score.__module__]
    monkeypatch.setattr(module, "score_rows", lambda *passed: passed)
    for options in calls_of(score):
        name, definition, *rows = score([1, 0], y_score=[2, 1], **options)
        assert name == score.__name__
        read, *rows_read = read_arguments(score, [1, 0], [2, 1], options)
        assert rows_read == rows
        for field in dataclasses.fields(definition):
            values = (getattr(one, field.name) for one in (read, definition))
            np.testing.assert_equal(*values)


@pytest.mark.parametrize("score", CALLED, ids=lambda score: score.__name__)
def test_a_call_without_positives_warns_once_with_the_line_of_the_caller(score):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score([0, 0, 0], [3, 2, 1], query_id=[1, 2, 3])
    told = [(warning.category, warning.filename) for warning in caught]
    # The precision at k is 0 without positives, so it needs no warning.
    has_warning = function_name_of(score) != "precision_at_k_score"
    assert told == [(UserWarning, __file__)] * has_warning


def rows_per_positive(rankings):
    return rankings.n_rows / rankings.n_positives


@pytest.mark.parametrize("highest", [1.0, 3.0, np.inf])
def test_a_score_is_cut_at_the_highest_value_of_its_area(highest):
    area = Area(
        name="lift",
        noun="lift",
        description="rows per positive",
        score_full=rows_per_positive,
        highest=highest,
    )

    def lift_score(*rows, **options):
        passed = PassedRows(*rows, **options)
        return score_rows("lift_score", define(area), passed, "warn")

    rows = [1, 0, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    assert lift_score(*rows) == min(3, highest)
    by_query = lift_score(*rows, query_id=[*"aaaabb"], average=None)
    assert by_query.tolist() == [min(4, highest), min(2, highest)]


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_a_mean_of_rankings_without_weight_is_zero_division(zero_division):
    """As in scikit-learn, there is no warning."""
    rows, options = ([[0, 0], [0, 0]], np.eye(2)), {"average": "weighted"}
    value = average_precision_score(*rows, **options, zero_division=zero_division)
    np.testing.assert_equal(value, zero_division)
    assert average_precision_score(*rows, **options) == 0


def test_a_wrong_option_is_named_before_wrong_rows():
    with pytest.raises(ValueError, match="ties must be"):
        precision_at_k_score([1, np.nan], [1], k=1, ties="x")
    with pytest.raises(ValueError, match="prevalence"):
        average_precision_score([1, np.nan], [1], prevalence=2)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_a_definition_has_the_cut_of_its_score(score):
    """From an area that closes over the cut, a state would compute another number."""
    if "k" in inspect.signature(score).parameters:
        definition, *_ = read_arguments(score, [], [], {"k": 3})
        assert definition.cut == 3


DIVISORS = "k", "min", "hits"


@pytest.mark.parametrize(
    ("area", "fields"),
    [
        (STEP, {"levels": 3}),
        (STEP, {"ties": "expected", "prevalence": 0.5}),
        (LINEAR, {"cut": 2}),
        (LINEAR, {"ties": "expected"}),
        (INTERPOLATED, {"levels": 3, "cut": 2}),
        (INTERPOLATED, {"levels": 3, "normalizer": "hits"}),
        *((RECIPROCAL_RANK, {"cut": 2, "normalizer": name}) for name in DIVISORS),
        (RECIPROCAL_RANK, {"cut": 2, "prevalence": 0.5}),
    ],
)
def test_a_definition_ignores_none_of_its_fields(area, fields):
    """If an area cannot compute a field, or two fields together, the definition raises
    an error. Records may have any fields.
    """
    with pytest.raises(ValueError, match=f"^area '{area.name}' has no number with "):
        Definition(area, **fields)


@pytest.mark.parametrize(
    ("levels", "level"),
    [(None, None), (2, None), (np.array([0.5]), 0.5), (np.array([0.5, 1]), None)],
    ids=str,
)
def test_an_array_of_one_level_is_a_single_level(levels, level):
    assert Definition(INTERPOLATED, levels=levels).level == level
