"""Each condition, on each basis, chooses the best of all thresholds, tried one by one as
thresholds that were fixed beforehand.
"""

import inspect
from math import inf, isnan

import numpy as np
import pytest

from sklearn_ap import operating_point
from sklearn_ap._decisions.conditions import CONDITIONS
from sklearn_ap._decisions.wording import PURPOSES

RNG = np.random.default_rng(17)
N = 60
Y = (RNG.random(N) < 0.5).astype(int)
S = (1.5 * Y + RNG.normal(size=N)).round(1)
WEIGHT = RNG.integers(1, 9, N) / 4
BASES = {
    "rows": {},
    "weights": {"sample_weight": WEIGHT},
    "equal weights": {"sample_weight": np.full(N, 0.3)},
    "rare": {"prevalence": 0.1},
    "common": {"prevalence": 0.9},
    "weights, common": {"sample_weight": WEIGHT, "prevalence": 0.9},
    "missed": {"n_positives": 50},
    "missed, rare": {"n_positives": 50, "prevalence": 0.1},
}


def cost(point, miss_cost, options):
    """The cost of a point, from its rates, up to a factor of all points."""
    weight = options.get("sample_weight", np.ones(N))
    positives = max(options.get("n_positives", 0), weight @ Y)
    negatives = weight @ (1 - Y)
    if "prevalence" in options:
        odds = options["prevalence"] / (1 - options["prevalence"])
        negatives = positives / odds
    return miss_cost * positives * (1 - point.recall) + negatives * (
        1 - point.specificity
    )


# For each condition: levels, the number that the level bounds, the sign of this bound,
# and the number that is maximized.
RULES = {
    "recall": ([0.3, 0.8, 1.0], "recall", 1, "precision"),
    "precision": ([0.3, 0.8, 0.95, 1.0], "precision", 1, "recall"),
    "specificity": ([0.0, 0.3, 0.8, 0.95, 1.0], "specificity", 1, "recall"),
    "k": ([1, 7, 30, 60], "n_retrieved", -1, "n_retrieved"),
    "false_alarms": ([0, 3, 11, 60], "false_alarms", -1, "recall"),
    "beta": ([0.0, 0.5, 1.0, 3.0, inf], None, 1, "f_score"),
    "miss_cost": ([0.1, 1.0, 7.0], None, 1, "cost"),
}
TRIED = {
    basis: [
        operating_point(Y, S, threshold=threshold, **options)
        for threshold in [*np.unique(S).tolist(), inf]
    ]
    for basis, options in BASES.items()
}


def number(point, name, level, options):
    if name == "cost":
        return -cost(point, level, options)
    return point.f_score(level) if name == "f_score" else getattr(point, name)


def test_every_condition_has_a_rule_and_words():
    """The report and the command take the conditions that have words."""
    parameters = inspect.signature(operating_point).parameters
    taken = [name for name in parameters if name in CONDITIONS]
    assert [*RULES, "threshold"] == [*CONDITIONS] == [*PURPOSES] == taken


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("name", RULES)
def test_the_best_of_all_thresholds(name, basis):
    options = BASES[basis]
    levels, bounded, sign, maximized = RULES[name]
    for level in levels:
        allowed = [
            point
            for point in TRIED[basis]
            if bounded is None or sign * (getattr(point, bounded) - level) >= -1e-12
        ]
        values = [number(point, maximized, level, options) for point in allowed]
        most = max((value for value in values if not isnan(value)), default=None)
        if most is None:
            with pytest.raises(ValueError, match=f"^{name} must be at most"):
                operating_point(Y, S, **{name: level}, **options)
            continue
        found = operating_point(Y, S, **{name: level}, **options)
        if bounded is not None:
            assert sign * (getattr(found, bounded) - level) >= -1e-12
            if bounded not in ("n_retrieved", "precision"):
                assert f"{bounded} " in str(found) or bounded == "false_alarms"
        value = number(found, maximized, level, options)
        assert value == pytest.approx(most, rel=1e-12)
        # Of equal ones, the highest recall, and then the fewest rows.
        best = [
            point
            for point, each in zip(allowed, values, strict=True)
            if each >= most - 1e-12 * abs(most)
        ]
        most_recall = max(point.recall for point in best)
        assert found.recall == pytest.approx(most_recall, rel=1e-12)
        best = [point for point in best if point.recall > most_recall - 1e-12]
        if name != "k":
            assert found.n_retrieved == min(point.n_retrieved for point in best)
