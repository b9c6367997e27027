"""The populations of benchmarks have the scores that they compute."""

import numpy as np
import pytest
from scipy.stats import expon

import sklearn_ap
from benchmarks.finite import FamilySetting
from benchmarks.populations import Population, normal
from brief import every_third

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
POPULATIONS = (
    normal(0.1, 1.5, 0.6),
    Population(0.2, expon(0, 4), expon()),
    Population(0.2, normal(0.2, 1).positives, edges=(-0.5, 0.5, 1.5)),
)


@pytest.mark.parametrize("population", every_third(POPULATIONS))
def test_scores_are_those_of_very_many_rows(population):
    drawn = population.draw(np.random.default_rng(0), 1_000_000)
    found = {
        "average_precision": population.average_precision,
        "interpolated_average_precision": population.envelope.mean(),
    }
    if population is POPULATIONS[0]:
        found["average_precision@k"] = population.average_precision_at(0.03)
        found["eleven_point_average_precision"] = population.eleven_points()
    for name, value in found.items():
        options = {"k": 30_000} if name.endswith("@k") else {}
        score = getattr(sklearn_ap, f"{name.replace('@', '_at_')}_score")
        assert score(**drawn, **options) == pytest.approx(value, abs=4e-3)


def test_a_population_has_the_score_of_all_its_rows():
    setting = FamilySetting("", "precision_at_k cliff 200 .1 k=10 missed=.4 sizes=2")
    rows = setting.rows_of(np.arange(100_000))
    assert rows["n_positives"] == pytest.approx(20_000, rel=0.03)
    assert rows["y_true"].sum() == pytest.approx(12_000, rel=0.03)
    best = rows["y_true"][np.argsort(-rows["y_score"])][: 10 * 500]
    assert setting.value == pytest.approx(best.mean(), abs=1e-12)


@pytest.mark.parametrize(
    "more", every_third(["queries=3", "sizes=1,5 effect=.5", "sizes=9 spread=1"])
)
def test_models_with_the_same_noise_are_equal(more):
    text = "average_precision normal 200 .1 noise={} " + more
    equal, better = (FamilySetting("", text.format(x)) for x in (".5,.5", ".5,1"))
    assert equal.value == pytest.approx(0, abs=1e-12)
    assert better.value > 0.03
    y_true, a, b = (
        next(equal.samples(1))[key] for key in ("y_true", "y_score_a", "y_score_b")
    )
    assert y_true.size == a.size
    assert not (a == b).any()
