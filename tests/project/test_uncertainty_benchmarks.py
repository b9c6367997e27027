"""The populations of benchmarks have the scores that they compute."""

import numpy as np
import pytest
from scipy.stats import expon

import sklearn_ap
from benchmarks.populations import Population, normal

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
POPULATIONS = (
    normal(0.1, 1.5, 0.6),
    Population(0.2, expon(0, 4), expon()),
    Population(0.2, normal(0.2, 1).positives, edges=(-0.5, 0.5, 1.5)),
)


@pytest.mark.parametrize("population", POPULATIONS, ids=["normal", "expon", "ties"])
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
