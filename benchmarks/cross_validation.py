"""Which error bars of cross-validation are right: `python -m benchmarks.coverage
--table folds`.

Rows of both classes are normal with the same variance, so the AP of every model that is
linear is known. The value that an interval should cover is the mean over the folds of
the true APs of their models. Intervals of pooled scores are also asked for the model of
all rows.
"""

import argparse
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate

from sklearn_ap import (
    average_precision_score,
    estimate_cv_results,
    get_scorer,
)

from .populations import generators, normal
from .tables import share, show, table, told

HEADERS = ("interval", "bias", "covers", "width")


class Setting(NamedTuple):
    """How many rows and folds; the informative features come first."""

    name: str
    n: int
    prevalence: float
    n_splits: int
    effect: np.ndarray  # difference of the means of both classes, by feature

    def draw(self, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(self.n) < self.prevalence).astype(int)
        return rng.normal(size=(self.n, self.effect.size)) + np.outer(y, self.effect), y

    def true_average_precision(self, coefficients: np.ndarray) -> float:
        """Return the average precision of a linear model in the population."""
        shift = (coefficients @ self.effect) / np.sqrt(coefficients @ coefficients)
        return normal(self.prevalence, float(shift)).average_precision


EQUAL = np.repeat([0.7, 0.0], [4, 16])
UNEQUAL = np.repeat([0.6, 0.1], [5, 25])
SETTINGS = (
    Setting("400 rows, 5 folds with 6 positives each", 400, 0.075, 5, EQUAL),
    Setting("1,500 rows, 10 folds with 9 positives each", 1_500, 0.06, 10, UNEQUAL),
    Setting("3,000 rows, 5 folds with 60 positives each", 3_000, 0.1, 5, UNEQUAL),
)


def run(
    setting: Setting, features: np.ndarray, y: np.ndarray, seed: int
) -> tuple[dict[str, Any], float]:
    """Cross-validate logistic regression, and return the mean of the true values,
    too.
    """
    options = {
        "scoring": get_scorer("average_precision"),
        "return_estimator": True,
        "return_indices": True,
    }
    folds = StratifiedKFold(setting.n_splits, shuffle=True, random_state=seed)
    results = cross_validate(LogisticRegression(), features, y, cv=folds, **options)
    models = results["estimator"]
    return results, float(
        np.mean([setting.true_average_precision(model.coef_[0]) for model in models])
    )


def rows_of(setting: Setting, replications: int) -> list[list[str]]:
    """Return a line per interval."""
    intervals = defaultdict(list)  # of each name: value, low, high, truth
    for seed, rng in enumerate(generators(setting.name, replications)):
        features, y = setting.draw(rng)
        first, truth = run(setting, features, y, seed)
        folds = first["test_score"]
        mean = folds.mean()
        reach = 1.96 * folds.std(ddof=1) / np.sqrt(folds.size)
        pooled = estimate_cv_results(average_precision_score, first, features, y)
        of_pooled = pooled.score, *pooled.confidence_interval()
        model = LogisticRegression().fit(features, y)
        of_all = setting.true_average_precision(model.coef_[0])
        intervals["mean of folds ± 1.96 sd / √K"].append(
            (mean, mean - reach, mean + reach, truth)
        )
        intervals["pooled scores"].append((*of_pooled, truth))
        intervals["pooled scores, of the model of all rows"].append(
            (*of_pooled, of_all)
        )
    rows = []
    for name, ends in intervals.items():
        value, low, high, truth = np.array(ends).T
        bias = np.mean(value - truth)
        covers = np.mean((low <= truth) & (truth <= high))
        cells = (
            f"{bias:+.3f}".replace("0.", ".", 1),
            share(covers),
            share(np.mean(high - low)),
        )
        rows.append([name, *cells])
    return rows


def show_tables(options: argparse.Namespace) -> None:
    for setting in SETTINGS:
        if options.only in setting.name:
            show(
                setting.name,
                table(HEADERS, told(rows_of(setting, options.replications or 500))),
            )
