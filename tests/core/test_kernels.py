"""Every kernel yields the steps of the definition, on scores that are hard to sort, for
a single ranking and for several.
"""

from functools import partial
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import each_pair, examples
from oracles import scores as oracle
from rankings import (
    HARD_SCORES,
    exact_rankings,
    exact_steps,
    hard_scores,
    ranked_by,
    steps_of,
)
from sizes import low_sizes, sizes
from sklearn_ap import (
    average_precision_at_k_score,
    r_precision_score,
)
from sklearn_ap._core.ranking.keys import keys_of
from sklearn_ap._core.ranking.rows import Rows
from sklearn_ap._core.reading.options import ORDERS_BY_LABEL
from sklearn_ap._core.reading.values import without_float16
from sklearn_ap._core.typing import TieOrder

ORDERS = get_args(TieOrder)
# The other orders are not defined for weights.
OF_WEIGHTS = [None, "stable"]
# Numbers of rows of the rankings: a single ranking, several of equal lengths, lengths
# around the powers of two to which rankings are padded, and rankings without rows.
LAYOUTS = {
    "single": [60],
    "single and a row": [61],
    "a few": [5],
    "two": [30, 31],
    "equal": [12] * 5,
    "ragged": [0, 1, 2, 3, 0, 5, 8, 9, 0, 0, 16, 17, 1, 0],
    "one long": [1, 2, 45, 1, 1, 0, 1],
}
LABELS = {
    "two fifths": lambda rng, size: rng.random(size) < 0.4,
    "one class per block": lambda _, size: np.arange(size) // 12 % 2 == 0,
    "last only": lambda _, size: np.arange(size) == size - 1,
    "none": lambda _, size: np.zeros(size, dtype=bool),
    "all": lambda _, size: np.ones(size, dtype=bool),
}
# The orders of ties that each kernel accepts, and whether rows have weights.
TAKES = [
    ("short", None, False),
    *(("counted", ties, False) for ties in (None, *ORDERS_BY_LABEL)),
    *((kernel, ties, True) for kernel in ("summed", None) for ties in OF_WEIGHTS),
    *((kernel, ties, False) for kernel in ("summed", None) for ties in (None, *ORDERS)),
]


@st.composite
def rows_of_rankings(draw, *, is_single, weights):
    """Draw rows of rankings; scores are hard to sort, and most of them few."""
    layouts = [one for one in LAYOUTS if not is_single or len(LAYOUTS[one]) == 1]
    lengths = LAYOUTS[draw(st.sampled_from(layouts))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = sum(lengths)
    score = without_float16(hard_scores(rng, size)[draw(st.sampled_from(HARD_SCORES))])
    n_distinct = draw(st.none() | st.integers(1, 40))
    if n_distinct is not None:
        score = rng.choice(score[:n_distinct], size)
    if draw(st.booleans()):
        score = np.sort(score)
    positive = LABELS[draw(st.sampled_from([*LABELS]))](rng, size)
    weight = weights(rng, size) if weights else None
    return Rows(positive, score, weight, np.cumsum([0, *lengths]))


def whole(rng, size):
    """Return weights whose sums are exact."""
    return rng.integers(1, 6, size).astype(float)


@examples(160, 500)
@given(st.data(), st.sampled_from(TAKES), low_sizes())
def test_steps_are_those_of_the_definition(data, takes, low):
    kernel, ties, has_weights = takes
    rows = data.draw(
        rows_of_rankings(
            is_single=kernel == "short", weights=whole if has_weights else None
        )
    )
    expected = exact_steps(rows, ties)
    with sizes(low):
        assert steps_of(ranked_by(kernel, rows, ties)) == expected


def of_all_magnitudes(rng, size):
    """Return weights from e^-30 to e^30."""
    return np.exp(rng.uniform(-30, 30, size))


@examples(60, 150)
@given(st.data(), st.sampled_from(OF_WEIGHTS), low_sizes())
def test_sums_of_weights_of_all_magnitudes(data, ties, low):
    """Some steps are too light to change a sum, so only the score is compared."""
    rows = data.draw(rows_of_rankings(is_single=False, weights=of_all_magnitudes))
    with sizes(low):
        rankings = ranked_by(None, rows, ties)
        gains = rankings.kernel.sum_over_steps(gain_of_step)
    expected = [
        float(one.found * (oracle.average_precision(one) or 0))
        for one in exact_rankings(rows, ties)
    ]
    assert gains == pytest.approx(expected, rel=1e-13, abs=0)


def gain_of_step(steps):
    return steps.tp / steps.retrieved * steps.gained


LENGTHS = {
    "any": [100, 1, 5000, 300, 4095, 4096, 40_000, 17, 2, 2049, 9000],
    # Only queries of equal length are cut in one table.
    "equal": [300] * 70,
    "two": [200, 400] * 35,
}
CUTS = [
    partial(average_precision_at_k_score, k=None),
    partial(average_precision_at_k_score, k=None, ties="stable"),
    partial(average_precision_at_k_score, k=5),
    r_precision_score,
]


@each_pair(
    lengths=[*LENGTHS.values()], weighted=[False, True], digits=[3, 17], score=CUTS
)
def test_queries_have_the_same_value_alone_and_among_others(
    score, digits, weighted, lengths
):
    """A ranking with few positives, as in each second query, is sorted by another
    kernel if it is alone.
    """
    rng = np.random.default_rng(5)
    query = np.repeat(np.arange(len(lengths)), lengths)
    share = np.where(query % 2, 0.4, 0.01)
    columns = {
        "y_true": rng.random(query.size) < share,
        "y_score": rng.random(query.size).round(digits),
    }
    if weighted:
        columns["sample_weight"] = rng.lognormal(0, 3, query.size)
    score = partial(score, zero_division=0.0)
    alone = [
        score(**{name: column[query == one] for name, column in columns.items()})
        for one in range(len(lengths))
    ]
    together = score(**columns, query_id=query, average=None)
    assert together == pytest.approx(alone, abs=1e-15, rel=0)


# --- keys ---


@pytest.mark.parametrize("name", HARD_SCORES)
def test_keys_have_the_order_and_the_ties_of_scores(name):
    score = hard_scores(np.random.default_rng(0), 300)[name]
    keys = keys_of(score, (score.min(), score.max()))
    assert not (keys & 1).any()
    order = np.argsort(score, kind="stable")
    in_order, keys = score[order], keys[order]
    assert ((in_order[1:] > in_order[:-1]) == (keys[1:] > keys[:-1])).all()
    assert ((in_order[1:] == in_order[:-1]) == (keys[1:] == keys[:-1])).all()


def test_a_factor_makes_a_new_kernel():
    """The first kernel is used for the score without a prevalence."""
    rows = Rows(np.array([True, False]), np.array([2.0, 1.0]), None, np.array([0, 2]))
    rankings = ranked_by(None, rows)
    weighted = rankings.with_negative_factor(np.array([9.0]))
    assert weighted.kernel.negative_factor == 9
    assert rankings.kernel.negative_factor is None
