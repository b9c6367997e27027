"""Scores at another prevalence: the formula, explicit weights, missed positives,
extremes, and scorers.
"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from sklearn.model_selection import StratifiedKFold, cross_val_score

import oracle
from samples import covering_product
from scoring import LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    make_scorer,
    pr_auc_score,
)

SCORES = {
    "step": (average_precision_score, {}),
    "interpolated": (interpolated_average_precision_score, {}),
    "41 levels": (interpolated_average_precision_score, {"recall_levels": 41}),
    "given levels": (
        interpolated_average_precision_score,
        {"recall_levels": [0.0, 0.3, 0.7]},
    ),
    "eleven-point": (eleven_point_average_precision_score, {}),
    "linear": (pr_auc_score, {}),
    "davis-goadrich": (pr_auc_score, {"interpolation": "davis-goadrich"}),
}
each_score = pytest.mark.parametrize("name", SCORES)


def score(name, *given, **options):
    function, own = SCORES[name]
    return function(*given, **own, **options)


def factor(labels, weights, prevalence, total=None):
    """What a negative is multiplied by, as the paper has it: pi (1 - pi0) / (pi0 (1 -
    pi)).
    """
    equal = Counter(zip(map(bool, labels), weights, strict=True))
    found, negatives = (
        sum(
            (
                Fraction(w) * rows
                for (label, w), rows in equal.items()
                if label == which
            ),
            Fraction(0),
        )
        for which in (True, False)
    )
    positives = found if total is None else Fraction(total)
    if not negatives or not positives:
        return 1.0
    own, wanted = positives / (positives + negatives), Fraction(prevalence)
    return float(own * (1 - wanted) / (wanted * (1 - own)))


def explicit(labels, prevalence, weights=None, total=None):
    """The weights that a user would pass."""
    weights = (
        np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=float)
    )
    by = factor(labels.tolist(), weights.tolist(), prevalence, total)
    return np.where(labels, weights, by * weights)


def same(value):
    return pytest.approx(value, rel=1e-15, abs=0)


def tolerance(name):
    """Counts times a factor and sums of explicit weights are rounded in other places. A
    difference from 1 in Davis-Goadrich makes more of the last bit of a weight.
    """
    return 3e-15 if name == "davis-goadrich" else 2e-15


def data(n, *, distinct=None, seed=0):
    rng = np.random.default_rng(seed)
    labels, scores = (rng.random(n) < 0.3).astype(int), rng.normal(size=n)
    labels[:2] = [1, 0]
    return (
        labels,
        scores if distinct is None else rng.integers(0, distinct, n) / distinct,
        rng,
    )


# --- explicit weights -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "prevalence", "rows"),
    covering_product(
        SCORES,
        [0.001, 0.4, 0.95],
        [(12, 4), (300, None), (300, 20), (4096, None), (40_000, 300)],
    ),
)
def test_a_ranking_equals_explicit_weights(name, prevalence, rows):
    n, distinct = rows
    labels, scores, rng = data(n, distinct=distinct)
    for weights in (None, rng.lognormal(0, 1, n), np.where(labels, 2.0, 0.3)):
        ours = score(name, labels, scores, sample_weight=weights, prevalence=prevalence)
        theirs = score(
            name, labels, scores, sample_weight=explicit(labels, prevalence, weights)
        )
        assert ours == pytest.approx(theirs, rel=tolerance(name), abs=0)


# --- missed positives, rankings of one class ------------------------------------------


@each_score
def test_without_negatives_a_ranking_keeps_its_score(name):
    assert score(name, [1, 1], [2, 1], prevalence=0.01) == 1.0
    assert score(name, [1, 1], [2, 1], sample_weight=[1, 3], prevalence=0.01) == 1.0
    values = score(
        name,
        [1, 1, 1, 0],
        [2, 1, 2, 1],
        query_id=[1, 1, 2, 2],
        sample_weight=[1, 3, 1, 2],
        prevalence=0.01,
        average=None,
    )
    assert values.tolist() == [1.0, 1.0]
    if SCORES[name][0] is average_precision_score:
        assert score(name, [1, 1], [2, 1], n_positives=4, prevalence=0.01) == 0.5


@each_score
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0]])
def test_without_positives_zero_division_decides(name, weights):
    for zero_division in (0.0, 1.0, np.nan):
        value = score(
            name,
            [0, 0, 0],
            [3, 2, 1],
            sample_weight=weights,
            prevalence=0.1,
            zero_division=zero_division,
        )
        np.testing.assert_equal(value, zero_division)
    with pytest.warns(UserWarning, match="No positive|contains no positive"):
        assert (
            score(name, [0, 0, 0], [3, 2, 1], sample_weight=weights, prevalence=0.1)
            == 0.0
        )


# --- what is refused, and extremes ----------------------------------------------------


NO_SHARES = [
    0,
    1,
    0.0,
    1.0,
    -0.1,
    1.5,
    30,
    np.nan,
    np.inf,
    True,
    "0.1",
    [0.1],
    np.array(0.1),
    Fraction(1, 10**400),
]


@each_score
def test_what_is_no_share_is_refused(name):
    for prevalence in NO_SHARES:
        with pytest.raises(
            ValueError, match=r"^prevalence must be None or a share .*; got "
        ):
            score(name, [0, 1], [1, 2], prevalence=prevalence)


@each_score
@pytest.mark.parametrize("prevalence", [5e-324, 1e-300, 1e-16, 1 - 2**-53])
def test_shares_near_0_and_1(name, prevalence):
    """Only positives above every negative count at first, and nothing but positives at
    last.
    """
    labels, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    high = prevalence > 0.5
    for given in (
        None,
        *(np.array([1.0, 2.0, 1.0, 1.0]) * size for size in (1.0, 1e-150, 1e150)),
    ):
        one = oracle.ranking(labels, scores, given)
        first = (
            1.0 if high else float(oracle.step(oracle.at_prevalence(one, prevalence)))
        )
        value = score(name, labels, scores, sample_weight=given, prevalence=prevalence)
        if name == "step":
            assert value == pytest.approx(first, abs=1e-15)
        assert 0.25 < value <= 1.0


def test_weights_too_far_apart_for_a_prevalence_are_refused():
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    with pytest.raises(ValueError, match="prevalence=1e-20 would multiply"):
        average_precision_score(
            *rows, sample_weight=[1e150, 1e-150, 1e149, 1e-150], prevalence=1e-20
        )


# --- scorers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [make_scorer, sklearn.metrics.make_scorer], ids=["ours", "scikit-learn's"]
)
def test_a_scorer_reweights_each_fold(make):
    response = {} if make is make_scorer else {"response_method": "decision_function"}
    scorer = make(average_precision_score, prevalence=0.05, **response)
    folds = StratifiedKFold(3)
    values = cross_val_score(LOGISTIC, X, Y, scoring=scorer, cv=folds)
    for value, (train, test) in zip(values, folds.split(X, Y), strict=True):
        scores = LOGISTIC.fit(X[train], Y[train]).decision_function(X[test])
        weights = explicit(Y[test], 0.05)
        assert value == same(
            average_precision_score(Y[test], scores, sample_weight=weights)
        )
