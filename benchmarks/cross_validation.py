"""Which error bars of cross-validation are right: `python -m benchmarks.cross_validation --help`.

Rows of both classes are normal with the same variance, so the AP of every model that is linear is known.
The value that an interval should cover is the mean over the folds of the true APs of their models.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_ap import (
    average_precision_score,
    compare_cv_results,
    compare_scores,
    estimate_cv_results,
    get_scorer,
)

from . import machine
from .coverage import generators
from .populations import normal
from .tables import share, show, table

HEADERS = ("interval", "bias", "covers", "width")
LEVEL = 0.95


@dataclass(frozen=True)
class Setting:
    """How many rows and folds; the informative features come first."""

    name: str
    n: int
    prevalence: float
    n_splits: int
    effect: np.ndarray  # difference of the means of both classes, by feature
    few: int  # features of the second model

    def draw(self, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(self.n) < self.prevalence).astype(int)
        return rng.normal(size=(self.n, self.effect.size)) + np.outer(y, self.effect), y

    def true_average_precision(self, coefficients: np.ndarray) -> float:
        """Return the average precision of a linear model in the population."""
        effect = self.effect[: coefficients.size]
        shift = (coefficients @ effect) / np.sqrt(coefficients @ coefficients)
        return normal(self.prevalence, float(shift)).average_precision


SETTINGS = [
    Setting("400 rows, 5 folds with 6 positives each", 400, 0.075, 5, np.repeat([0.7, 0.0], [4, 16]), 8),
    Setting(
        "1,500 rows, 10 folds with 9 positives each", 1_500, 0.06, 10, np.repeat([0.6, 0.1], [5, 25]), 10
    ),
    Setting("3,000 rows, 5 folds with 60 positives each", 3_000, 0.1, 5, np.repeat([0.6, 0.1], [5, 25]), 10),
]


class Run(NamedTuple):
    """What cross-validation of one model gives."""

    results: dict[str, Any]  # of cross_validate
    pooled: np.ndarray  # score of each row by the model that did not see it
    ranks: np.ndarray  # the same as shares of each fold's rows
    truth: float  # mean over the folds


def run(setting: Setting, features: np.ndarray, y: np.ndarray, n_features: int, seed: int) -> Run:
    """Cross-validate logistic regression of the first features."""
    chosen = FunctionTransformer(partial(_first, n=n_features))
    results = cross_validate(
        make_pipeline(chosen, LogisticRegression()),
        features,
        y,
        cv=StratifiedKFold(setting.n_splits, shuffle=True, random_state=seed),
        scoring=get_scorer("average_precision"),
        return_estimator=True,
        return_indices=True,
    )
    pooled, ranks, truths = np.empty(y.size), np.empty(y.size), []
    for model, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
        pooled[rows] = model.decision_function(features[rows])
        ranks[rows] = stats.rankdata(pooled[rows]) / rows.size
        truths.append(setting.true_average_precision(model[-1].coef_[0]))
    return Run(results, pooled, ranks, float(np.mean(truths)))


def _first(features: np.ndarray, n: int) -> np.ndarray:
    return features[:, :n]


class Interval(NamedTuple):
    """A value, and what is said to cover the truth."""

    value: float
    low: float
    high: float


def around(value: float, reach: float) -> Interval:
    return Interval(value, value - reach, value + reach)


def of_one(features: np.ndarray, y: np.ndarray, first: Run) -> Iterator[tuple[str, Interval]]:
    """Intervals of the AP of one model."""
    folds = first.results["test_score"]
    deviation, k = folds.std(ddof=1), folds.size
    yield "mean of folds ± sd", around(folds.mean(), deviation)
    yield "mean of folds ± 1.96 sd / √K", around(folds.mean(), 1.96 * deviation / np.sqrt(k))
    yield "mean of folds ± t sd / √K", around(folds.mean(), _t(k) * deviation / np.sqrt(k))
    yield (
        "mean of folds, Nadeau-Bengio",
        around(folds.mean(), _t(k) * deviation * np.sqrt(1 / k + 1 / (k - 1))),
    )
    for pool in ("scores", "ranks"):
        estimate = estimate_cv_results(average_precision_score, first.results, features, y, pool=pool)
        yield f"**pooled {pool}**", Interval(estimate.score, *estimate.confidence_interval(LEVEL))


def of_two(y: np.ndarray, first: Run, second: Run) -> Iterator[tuple[str, Interval]]:
    """Intervals of the difference of two models."""
    differences = first.results["test_score"] - second.results["test_score"]
    k = differences.size
    reach = _t(k) * differences.std(ddof=1) / np.sqrt(k)
    yield "mean difference of folds ± t sd / √K", around(differences.mean(), reach)
    compared = compare_cv_results(first.results, second.results)
    yield "**Nadeau-Bengio**", Interval(compared.difference, *compared.confidence_interval(LEVEL))
    for name, scores in (
        ("pooled scores", (first.pooled, second.pooled)),
        ("pooled ranks", (first.ranks, second.ranks)),
    ):
        compared = compare_scores(average_precision_score, y, *scores)
        yield name, Interval(compared.difference, *compared.confidence_interval(LEVEL))


def _t(n_folds: int) -> float:
    return float(stats.t.ppf(0.5 + LEVEL / 2, n_folds - 1))


def rows_of(setting: Setting, replications: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the table of one model, and that of the difference of two."""
    one: dict[str, list[tuple[Interval, float]]] = {}
    two: dict[str, list[tuple[Interval, float]]] = {}
    for seed, rng in enumerate(generators(setting.name, replications)):
        features, y = setting.draw(rng)
        first, second = (run(setting, features, y, n, seed) for n in (setting.effect.size, setting.few))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few positives
            for name, interval in of_one(features, y, first):
                one.setdefault(name, []).append((interval, first.truth))
            for name, interval in of_two(y, first, second):
                two.setdefault(name, []).append((interval, first.truth - second.truth))
    return _rows(one), _rows(two)


def _rows(found: dict[str, list[tuple[Interval, float]]]) -> list[list[str]]:
    rows = []
    for name, pairs in found.items():
        bias = np.mean([interval.value - truth for interval, truth in pairs])
        covers = np.mean([interval.low <= truth <= interval.high for interval, truth in pairs])
        width = np.mean([interval.high - interval.low for interval, _ in pairs])
        rows.append([name, f"{bias:+.3f}".replace("0.", ".", 1), share(float(covers)), share(float(width))])
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


@dataclass(frozen=True)
class Repeated:
    """Two models that see five features each; those of the first tell the classes apart by this much."""

    name: str
    n: int
    prevalence: float
    effects: tuple[float, float]

    def pvalues(self, rng: Generator, seed: int, repeats: tuple[int, ...]) -> list[float]:
        """Return the p-value of ten folds, and of more and more repetitions of them."""
        y = (rng.random(self.n) < self.prevalence).astype(int)
        features = rng.normal(size=(self.n, 10)) + np.outer(y, np.repeat(self.effects, 5))
        folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=max(repeats), random_state=seed)
        options = {"cv": folds, "scoring": get_scorer("average_precision"), "return_indices": True}
        both = [
            cross_validate(GaussianNB(), part, y, **options) for part in (features[:, :5], features[:, 5:])
        ]
        return [compare_cv_results(*(_first_folds(one, 10 * k) for one in both)).pvalue for k in repeats]


REPEATS = (1, 2, 5, 10)
REPEATED = [
    Repeated("500 rows, 15 % positive, equal", 500, 0.15, (0.5, 0.5)),
    Repeated("500 rows, 15 % positive, better", 500, 0.15, (0.65, 0.5)),
    Repeated("2,000 rows, 5 % positive, better", 2_000, 0.05, (0.65, 0.5)),
]
REPEATED_HEADERS = ("models", "10 folds", *(f"{k} times" for k in REPEATS[1:]))


def _first_folds(results: dict[str, Any], n: int) -> dict[str, Any]:
    indices = {part: rows[:n] for part, rows in results["indices"].items()}
    return {"test_score": results["test_score"][:n], "indices": indices}


def row_of_repeated(setting: Repeated, replications: int, repeats: tuple[int, ...] = REPEATS) -> list[str]:
    """Return how often the test of Nadeau and Bengio rejects, by the number of repetitions."""
    generated = enumerate(generators(setting.name, replications))
    pvalues = np.array([setting.pvalues(rng, seed, repeats) for seed, rng in generated])
    row = [setting.name, *(share(float(one)) for one in (pvalues <= 1 - LEVEL + 1e-12).mean(0))]
    print(row, file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cross_validation", description=__doc__)
    parser.add_argument("--replications", type=int, default=500, help="samples per setting (default: 500)")
    parser.add_argument("--repeated", action="store_true", help="only the power of repeated folds")
    options = parser.parse_args()
    show("Measured on", "\n".join(machine.lines()))
    if options.repeated:
        rows = [row_of_repeated(one, options.replications) for one in REPEATED]
        show(
            f"Share of samples where the test of Nadeau and Bengio rejects at {1 - LEVEL:.0%}",
            table(REPEATED_HEADERS, rows),
        )
        return
    for setting in SETTINGS:
        one, two = rows_of(setting, options.replications)
        show(f"{setting.name}, one model", table(HEADERS, one))
        show(f"{setting.name}, difference of two models", table(HEADERS, two))
    print(f"{options.replications} samples per setting; intervals of {LEVEL:.0%}.")


if __name__ == "__main__":
    main()
