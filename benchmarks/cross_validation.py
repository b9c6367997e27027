"""Which error bars of cross-validation are right: `python -m benchmarks.coverage
--table folds`.

Rows of both classes are normal with the same variance, so the AP of every model that is
linear is known. The value that an interval should cover is the mean over the folds of
the true APs of their models.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)

from sklearn_ap import average_precision_score, estimate_score, get_scorer

from .populations import generators, normal
from .tables import Row, Table, share

HEADERS = ("setting", "interval", "bias", "covers", "width")


class Setting(NamedTuple):
    """How many rows; the informative features come first."""

    name: str
    n: int
    prevalence: float
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
    Setting("400 rows, 5 folds with 6 positives each", 400, 0.075, EQUAL),
    Setting("3,000 rows, 5 folds with 60 positives each", 3_000, 0.1, UNEQUAL),
)


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    """Cross-validate logistic regression, and yield a row per interval."""
    intervals = defaultdict(list)  # of each name: value, low, high, truth
    for seed, rng in enumerate(generators(setting.name, replications)):
        features, y = setting.draw(rng)
        cv = StratifiedKFold(5, shuffle=True, random_state=seed)
        found = cross_validate(
            LogisticRegression(),
            features,
            y,
            cv=cv,
            scoring=get_scorer("average_precision"),
            return_estimator=True,
        )
        models = (model.coef_[0] for model in found["estimator"])
        truth = np.mean(list(map(setting.true_average_precision, models)))
        folds = found["test_score"]
        mean, reach = folds.mean(), 1.96 * folds.std(ddof=1) / np.sqrt(folds.size)
        intervals["mean of folds ± 1.96 sd / √K"].append(
            (mean, mean - reach, mean + reach, truth)
        )
        y_score = cross_val_predict(
            LogisticRegression(), features, y, cv=cv, method="decision_function"
        )
        pooled = estimate_score(average_precision_score, y, y_score)
        intervals["pooled scores"].append(
            (pooled.score, *pooled.confidence_interval(), truth)
        )
    for name, ends in intervals.items():
        value, low, high, truth = np.array(ends).T
        bias = np.mean(value - truth)
        covers = np.mean((low <= truth) & (truth <= high))
        sign = "+" if bias > 0 else ""
        numbers = share(covers), share(np.mean(high - low))
        yield [setting.name, name, sign + share(bias), *numbers]


def tables(_: int) -> list[Table]:
    return [Table("Cross-validation", HEADERS, SETTINGS, rows_of)]
