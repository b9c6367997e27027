"""The chosen threshold is the best one in exact fractions, and scikit-learn retrieves
the same rows with it.
"""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import examples, one_in
from oracles import scores as oracle
from problems import (
    draw_total,
    infinite_scores,
    labels,
    level_named,
    scores,
    weights,
)
from rankings import HARD_SCORES, hard_scores
from sizes import low_sizes, sizes
from sklearn_ap import (
    OperatingPoint,
    operating_point,
)

NO_POSITIVE = "ignore:y_true contains no positive:UserWarning"


@st.composite
def problems(draw, *, rounded: bool):
    """Rows with weights, whose sums may be rounded, and perhaps a total of positives."""
    size = draw(st.integers(1, 12))
    y_true, y_score = draw(labels(size)), draw(scores(size))
    if rounded:
        weight = draw(weights(size, extreme=False))
    else:
        weight = draw(
            st.none()
            | st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any)
        )
    arguments = {"sample_weight": weight}
    found = oracle.ranking(y_true, y_score, weight).found
    # If all positives have one weight, a total is divided by this weight, and so
    # rounded.
    of_positives = {1}
    if weight is not None:
        of_positives = {*np.compress(y_true, weight).tolist()} - {0}
    counted = len(of_positives) != 1 or of_positives == {1}
    if (counted or rounded) and draw(st.booleans()):
        arguments["n_positives"] = draw_total(draw, float(found))
    return y_true, y_score, arguments, draw(low_sizes())


@infinite_scores
def found_by(problem, asked):
    """The point, or the error that explains why there is none."""
    y_true, y_score, arguments, low = problem
    with sizes(low):
        try:
            return operating_point(
                y_true, y_score, pos_label=True, **arguments, **asked
            )
        except ValueError as error:
            return error


def ranking_of(problem):
    y_true, y_score, arguments, _ = problem
    return oracle.ranking(y_true, y_score, *arguments.values())


def numbers_of(point):
    """All numbers except intervals, with None in place of NaN."""
    numbers = point.to_dict()
    del numbers["shares"]
    return numbers


def exactly(ranking, threshold):
    """The numbers of a threshold in fractions, rounded once."""
    exact = oracle.point_at(ranking, threshold)
    point = OperatingPoint(
        # Adding 0 turns -0.0 into 0.0.
        threshold=threshold + 0,
        specificity=_quotient(*exact.of_negatives),
        negative_predictive_value=_quotient(*exact.below),
        precision=_quotient(exact.tp, exact.retrieved),
        recall=_quotient(exact.tp, ranking.positives),
        n_retrieved=exact.rows,
        false_alarms=oracle.n_false_alarms(ranking, exact),
        share_retrieved=exact.rows / len(ranking.rows),
        weight_found=float(exact.tp),
        weight_retrieved=float(exact.retrieved),
        share_of_weight_retrieved=float(
            exact.retrieved / sum(row.weight for row in ranking.rows)
        ),
    )
    return numbers_of(point)


def _quotient(part, whole):
    return float(part / whole) if whole else math.nan


# The most demanding level of each condition for which an error may be raised.
HARDEST = {
    "recall": 1.0,
    "precision": 1.0,
    "specificity": 1.0,
    "false_alarms": 0,
    "k": 1,
}


@pytest.mark.filterwarnings(NO_POSITIVE)
@examples(10, 30)
@given(
    problems(rounded=False) | problems(rounded=True),
    st.sampled_from([None, 1e-6, 0.3, 0.7, 0.999]),
)
def test_a_level_that_an_error_names_is_accepted(problem, prevalence):
    at_prevalence = {"prevalence": prevalence}
    for condition, hardest in HARDEST.items():
        error = found_by(problem, {condition: hardest} | at_prevalence)
        if isinstance(error, OperatingPoint):
            continue
        level = level_named(condition, str(error))
        if level is None:
            # No threshold is above an infinite score.
            assert str(error).startswith("y_score must be finite"), error
            continue
        point = found_by(problem, {condition: level} | at_prevalence)
        assert isinstance(point, OperatingPoint), point


@examples(30, 60)
@given(st.integers(0, 2**32), st.sampled_from([1e-16, 1.0, 1e16]), st.booleans())
def test_a_specificity_that_a_threshold_has_is_reached(seed, of_positives, ties):
    """A specificity is reached exactly, even next to heavy positives, and next to
    negatives of ten million times the weight.
    """
    rng = np.random.default_rng(seed)
    y_true = rng.random(12) < 0.4
    y_true[:2] = True, False
    y_score = rng.permutation(12) // (1 + ties)
    weight = 10 ** rng.uniform(-7, 7, 12) * np.where(y_true, of_positives, 1)
    ranking = oracle.ranking(y_true, y_score, weight)
    for asked in oracle.operating_points(ranking):
        below, negatives = asked.of_negatives
        point = operating_point(
            y_true, y_score, sample_weight=weight, specificity=float(below / negatives)
        )
        chosen = oracle.point_at(ranking, point.threshold)
        assert chosen.of_negatives[0] >= below * (1 - Fraction(1, 10**13))
        assert chosen.recall >= asked.recall * (1 - Fraction(1, 10**11))


@pytest.mark.filterwarnings(NO_POSITIVE)
@given(problems(rounded=False), st.sampled_from([-math.inf, 0.25, 0.5, 1, 9e99]))
def test_a_fixed_threshold_has_all_numbers(problem, threshold):
    ranking = ranking_of(problem)
    point = found_by(problem, {"threshold": threshold})
    exact = oracle.point_at(ranking, threshold)
    assert numbers_of(point) == exactly(ranking, threshold)
    if exact.positives:
        assert point.f_score() == pytest.approx(float(exact.f_score(1)))
    for name, share in point._shares().items():
        value, low, high = share.values()
        ends = pytest.approx((low, high), rel=0, abs=0, nan_ok=True)
        assert point.confidence_interval(number=name) == ends
        assert math.isnan(low) or 0 <= low <= value <= high <= 1


@pytest.mark.parametrize("name", HARD_SCORES)
@infinite_scores
def test_a_threshold_is_a_score_that_retrieves_the_rows_it_counts(name):
    rng = np.random.default_rng(11)
    y_score, y_true = hard_scores(rng, 400)[name], (rng.random(400) < 0.4).astype(int)
    for weight in (None, rng.integers(1, 4, 400)):
        for asked in ({"recall": 0.6}, {"precision": 0.3}, {"k": 400}, {"beta": 0.5}):
            point = operating_point(y_true, y_score, sample_weight=weight, **asked)
            # Its type is one of Python if one is as wide.
            assert type(point.threshold) is type(y_score.tolist()[0])
            assert (y_score == point.threshold).any()
            assert point.n_retrieved == (y_score >= point.threshold).sum()


def test_a_cost_of_exactly_nothing_retrieves():
    """All rows cost as much as none. The cost is divided, and so rounded."""
    for n_positives, n in one_in(5, combinations(range(1, 60), 2)):
        labels, cost = np.arange(n) < n_positives, (n - n_positives) / n_positives
        assert operating_point(labels, np.ones(n), miss_cost=cost).n_retrieved == n
