"""Which error bars of cross-validation are right, and how often a test finds a
difference between equal learners: `python -m benchmarks.coverage --table folds` and
`--table learners`.

Rows of both classes are normal with the same variance, so the AP of every model that is
linear is known. The value that an interval should cover is the mean over the folds of
the true APs of their models.
"""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)

from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    get_scorer,
)

from .populations import generators, normal
from .tables import Table, share


class Setting(NamedTuple):
    """How many rows; the informative features come first."""

    name: str
    n: int
    prevalence: float
    effect: np.ndarray  # difference of the means of both classes, by feature

    def draw(self, rng):
        y = (rng.random(self.n) < self.prevalence).astype(int)
        return rng.normal(size=(self.n, self.effect.size)) + np.outer(y, self.effect), y

    def true_average_precision(self, model):
        """Return the average precision of a linear model in the population."""
        [weights] = model.coef_
        shift = (weights @ self.effect) / np.sqrt(weights @ weights)
        return normal(self.prevalence, float(shift)).average_precision


EQUAL = np.repeat([0.7, 0.0], [4, 16])
UNEQUAL = np.repeat([0.6, 0.1], [5, 25])
SETTINGS = (
    Setting("400 rows, 5 folds with 6 positives each", 400, 0.075, EQUAL),
    Setting("3,000 rows, 5 folds with 60 positives each", 3_000, 0.1, UNEQUAL),
)
INTERVALS = "mean of folds ± 1.96 sd / √K", "pooled scores"


def intervals(setting, seed, rng):
    """Cross-validate logistic regression; return the bias of each of `INTERVALS`, and
    whether it covers.
    """
    features, y = setting.draw(rng)
    cv = StratifiedKFold(5, shuffle=True, random_state=seed)
    split = LogisticRegression(), features, y
    scoring = get_scorer("average_precision")
    found = cross_validate(*split, cv=cv, scoring=scoring, return_estimator=True)
    y_score = cross_val_predict(*split, cv=cv, method="decision_function")
    pooled = estimate_score(average_precision_score, y, y_score)
    folds = found["test_score"]
    mean, reach = folds.mean(), 1.96 * folds.std(ddof=1) / np.sqrt(folds.size)
    truth = np.mean([*map(setting.true_average_precision, found["estimator"])])
    value, low, high = np.transpose(
        [
            (mean, mean - reach, mean + reach),
            (pooled.score, *pooled.confidence_interval()),
        ]
    )
    return np.array([value - truth, (low <= truth) & (truth <= high)])


def rows_of(settings, replications):
    """Yield a row per setting and interval."""
    for setting in settings:
        samples = enumerate(generators(setting.name, replications))
        found = [intervals(setting, seed, rng) for seed, rng in samples]
        bias, covers = np.mean(found, axis=0)
        for i, name in enumerate(INTERVALS):
            sign = "+" if bias[i] > 0 else ""
            yield [setting.name, name, sign + share(bias[i]), share(covers[i])]


TABLE = Table(
    lambda: {"Cross-validation": SETTINGS},
    rows_of,
    60,
    ("setting", "interval", "bias", "covers"),
)

# Each learner has every other feature, with as much information.
LEARNERS = [Setting(f"{n} rows", n, 0.15, EQUAL) for n in (200, 800)]


def rejects(setting, seed, rng):
    """Return whether a test of pooled scores finds a difference of equal learners."""
    features, y = setting.draw(rng)
    cv = StratifiedKFold(5, shuffle=True, random_state=seed)
    options = {"cv": cv, "method": "decision_function"}
    first, second = (
        cross_val_predict(LogisticRegression(), features[:, place::2], y, **options)
        for place in (0, 1)
    )
    found = compare_scores("average_precision", y, first, second)
    return found.pvalue <= 0.05


def rejections_of(settings, replications):
    """Yield a row per setting."""
    for setting in settings:
        samples = enumerate(generators(setting.name, replications))
        found = [rejects(setting, seed, rng) for seed, rng in samples]
        yield [setting.name, share(np.mean(found))]


TABLE_OF_LEARNERS = Table(
    lambda: {"Equal learners": LEARNERS},
    rejections_of,
    2_000,
    ("setting", "p is at most .05"),
)
