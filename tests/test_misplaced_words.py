"""Words that another question takes, or another library, are refused with what to write instead."""

from functools import partial

import pytest

from sklearn_ap import average_precision_score as AP
from sklearn_ap import compare_scores, estimate_score, influence_values
from uncertainty_oracle import drawn


@pytest.mark.parametrize("name", ["rng", "seed", "confidence_level"])
def test_words_of_other_calls_are_refused_with_what_to_write(name):
    y_true, y_score = drawn(1, 60, 0.5)
    calls = {
        "estimate_score": partial(estimate_score, AP, y_true, y_score),
        "compare_scores": partial(compare_scores, AP, y_true, y_score, -y_score),
    }
    write = "`confidence_interval` of the result" if name == "confidence_level" else "write random_state"
    for question, call in calls.items():
        with pytest.raises(TypeError, match=f"^{name} is not an argument of {question}: .*{write}; got 0.9"):
            call(**{name: 0.9})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("rng", "leave it out, since nothing is drawn"),
        ("seed", "leave it out, since nothing is drawn"),
        ("random_state", "leave it out, since nothing is drawn"),
        ("confidence_level", "`estimate_score` returns a result with `confidence_interval`"),
    ],
)
def test_influences_name_no_word_that_they_refuse(name, write):
    with pytest.raises(TypeError, match=f"^{name} is not an argument of influence_values: {write}; got 0.9"):
        influence_values(AP, *drawn(1, 60, 0.5), **{name: 0.9})


def test_words_of_other_calls_with_one_place():
    y_true, y_score = drawn(1, 60, 0.5)
    with pytest.raises(TypeError, match=r"^alternative is not .* `compare_scores` takes it.*; got 'less'"):
        estimate_score(AP, y_true, y_score, alternative="less")


def test_a_callable_may_take_such_a_word():
    def score(y_true, y_score, *, rng):
        return AP(y_true, y_score) / rng

    y_true, y_score = drawn(1, 60, 0.5)
    found = estimate_score(score, y_true, y_score, rng=2, n_resamples=2, random_state=0)
    assert found.score == AP(y_true, y_score) / 2
