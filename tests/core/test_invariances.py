"""Properties that every score has with every option, to the bit. `test_against_oracle`
compares numbers only.
"""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import pytest

from brief import every_third
from metrics import (
    ALL_SCORES,
    CALLED,
    LEVELS,
    counts_weight,
    example_of,
    highest_of,
    normalizers_of,
    options_of,
)
from sklearn_ap._core.reading.options import (
    ORDERS_BY_LABEL,
    RANKED_TIES,
)
from sklearn_ap._core.registry import NUMBERS as REGISTERED

ROWS, N_POSITIVES = 40, 15
# A cut at the number of positives, so that a perfect ranking scores 1 with each option.
VALUES = {
    "k": [N_POSITIVES / ROWS],
    "ties": RANKED_TIES,
}


def variants(score: Callable[..., Any]) -> list[partial]:
    """Return a score as it is, with other values of each option, and all of these at a
    prevalence, if it takes one.
    """
    options = options_of(score)
    needed = LEVELS.get(score.__name__, {})
    cut = {"k": N_POSITIVES} if "k" in options else {}
    values = VALUES | {"normalizer": normalizers_of(score)}
    given = [needed | cut] + [
        cut | {option: value}
        for option in options
        if option not in needed
        for value in values.get(option, [example_of(option, score)[0]])
    ]
    if "prevalence" in signature(score).parameters:
        given += [one | {"prevalence": 0.2} for one in given]
    return [partial(score, **one) for one in given]


SCORES = {
    f"{one.func.__name__} {one.keywords}": one
    for score in ALL_SCORES
    for one in variants(score)
}
each_score = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)


def takes_weights(score: partial) -> bool:
    """Return whether weights may differ within a ranking."""
    ties = score.keywords.get("ties")
    return counts_weight(score.func) and ties not in ("expected", *ORDERS_BY_LABEL)


def data(seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(ROWS) < N_POSITIVES).astype(int)
    return labels, rng.integers(0, 9, ROWS) / 8


@each_score
def test_order_of_rows_and_increasing_maps_of_scores(score):
    labels, scores = data()
    ids = {"query_id": np.arange(ROWS) % 3}
    expected, of_queries = score(labels, scores), score(labels, scores, **ids)
    for increasing in (np.exp, np.cbrt, lambda s: 3 * s - 100, np.float32):
        assert score(labels, increasing(scores)) == expected, increasing
    if score.keywords.get("ties") != "stable":
        order = np.random.default_rng(1).permutation(ROWS)
        assert score(labels[order], scores[order]) == expected
        moved = {"query_id": ids["query_id"][order]}
        assert score(labels[order], scores[order], **moved) == of_queries


NUMBERS = {
    f"{score.__name__} {option}": (score, option)
    for score in CALLED
    for option in options_of(score)
    if "float" in str(signature(score).parameters[option].annotation)
}


@pytest.mark.filterwarnings("ignore:.*o positive")  # as those of ranking 000
@pytest.mark.parametrize(("score", "option"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_raises_or_distinguishes_rankings(score, option):
    """A share, a level or a weight of 0 or 1 must not give all rankings the same score."""

    def number_or_refusal(labels, value):
        try:
            return score(labels, [3, 2, 1], **{option: value})
        except ValueError as error:
            return str(error)

    for value in (-0.5, 1.5, np.nan, np.inf, "0.5", True, 10**400, [[0.5]], 0.0, 1.0):
        found = {
            number_or_refusal(labels, value)
            for labels in ([1, 0, 0], [0, 1, 0], [0, 0, 0])
        }
        refusals = {one for one in found if isinstance(one, str)}
        assert all(text.startswith(f"{option} must be") for text in refusals), value
        highest = highest_of(score)
        assert all(0 <= one <= highest for one in found - refusals), value
        assert refusals or len(found) > 1, value


def test_numbers_of_a_tie_policy_have_it():
    policies = {number.name: number.definition.ties for number in REGISTERED}
    for ties in RANKED_TIES:
        assert policies[f"AP@k, {ties} ties"] == ties


@each_score
def test_values_lie_between_0_and_the_highest_value(score):
    """This includes rankings that are perfect except for equal scores: rounded sums of
    weights do not raise their score above 1.
    """
    highest = highest_of(score)
    for seed in every_third(range(10)):
        labels, scores = data(seed)
        rng = np.random.default_rng(seed)
        # their sums depend on the order
        weights = (
            rng.choice([0.1, 0.2, 0.3, 0.7], ROWS) if takes_weights(score) else None
        )
        for y_score in (scores, 100 * labels + np.arange(ROWS) // rng.integers(1, 3)):
            for layout in ({}, {"query_id": np.arange(ROWS) % 2}):
                value = score(labels, y_score, sample_weight=weights, **layout)
                assert 0 <= value <= highest
