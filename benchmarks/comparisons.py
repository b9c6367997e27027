"""How often a test of two models rejects: `python -m benchmarks.comparisons --help`."""

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import optimize, stats

from sklearn_ap import (
    ScoreEstimate,
    average_precision_score,
    compare_estimates,
    compare_scores,
    estimate_score,
)

from . import machine
from .coverage import generators
from .drawn_settings import FAMILIES, shifted
from .populations import Pair, Population, shift_for
from .tables import share, show, table

LEVEL = 0.05
RESAMPLES = 399  # with the sample itself 400, so that a p-value of .05 can be reached exactly
Drawn = dict[str, Any]
Test = Callable[[Drawn, Generator], float]


@dataclass(frozen=True)
class Setting:
    """Two models on the same rows or queries."""

    name: str
    draw: Callable[[Generator], Drawn]


def default(drawn: Drawn, rng: Generator) -> float:
    """A paired t test or, where few rows carry the variance, percentiles."""
    return _resampled(drawn, rng, "auto")


def paired_t(drawn: Drawn, rng: Generator) -> float:
    return _resampled(drawn, rng, "influence")


def unpaired_z(drawn: Drawn, _: Generator) -> float:
    """As if each model had rows of its own."""
    y_true = drawn["y_true"]
    first, second = (
        estimate_score(average_precision_score, y_true, drawn[name]) for name in ("y_score_a", "y_score_b")
    )
    error = np.hypot(first.standard_error, second.standard_error)
    return float(2 * stats.norm.sf(abs(first.score - second.score) / error))


def percentile(drawn: Drawn, rng: Generator) -> float:
    return _resampled(drawn, rng, "percentile")


def sign_flips(drawn: Drawn, rng: Generator) -> float:
    """Swap the two models in random queries."""
    return _resampled(drawn, rng, "permutation")


def _resampled(drawn: Drawn, rng: Generator, method: str) -> float:
    options = {"method": method, "n_resamples": RESAMPLES, "random_state": rng}
    return compare_scores(average_precision_score, **drawn, **options).pvalue


def sign(drawn: Drawn, _: Generator) -> float:
    difference = of_queries(drawn)
    wins = np.count_nonzero(difference > 0)
    return float(stats.binomtest(wins, np.count_nonzero(difference)).pvalue)


def wilcoxon(drawn: Drawn, _: Generator) -> float:
    return float(stats.wilcoxon(of_queries(drawn)).pvalue)


def of_queries(drawn: Drawn) -> np.ndarray:
    """Return the difference of the two models in each query."""
    y_true, query = drawn["y_true"], drawn["query_id"]
    first, second = (
        average_precision_score(y_true, drawn[name], query_id=query, average=None)
        for name in ("y_score_a", "y_score_b")
    )
    return first - second


ROW_TESTS: dict[str, Test] = {
    "default": default,
    "paired t": paired_t,
    "unpaired z": unpaired_z,
    "percentile": percentile,
}
MARGIN_TESTS = {name: ROW_TESTS[name] for name in ("default", "paired t", "percentile")}
QUERY_TESTS: dict[str, Test] = {
    "paired t": paired_t,
    "sign flips": sign_flips,
    "sign": sign,
    "Wilcoxon": wilcoxon,
}
SLOW = (percentile,)


def of_rows() -> list[Setting]:
    """Sizes, each with equal models, models of other shapes that are as good, and a better model."""
    settings = []
    for n, prevalence, base, gain, correlation in (
        (150, 0.1, 0.5, 0.2, 0.6),
        (800, 0.05, 0.4, 0.12, 0.8),
        (3_000, 0.1, 0.6, 0.03, 0.7),
        (300, 0.3, 0.98, 0.015, 0.7),
        (20_000, 0.001, 0.05, 0.1, 0.7),
    ):
        rows = f"{n * prevalence:,.0f} of {n:,} rows"
        shift, wide, better = (
            shift_for(base + more, prevalence, spread) for more, spread in ((0, 1), (0, 1.8), (gain, 1))
        )
        kinds = {
            f"{rows}, equal": Pair(prevalence, (shift, shift), correlation=correlation),
            f"{rows}, equal AP, other shape": Pair(
                prevalence, (shift, wide), (1, 1.8), correlation=correlation
            ),
            f"{rows}, better by {share(gain)}": Pair(prevalence, (better, shift), correlation=correlation),
        }
        settings += [_of_pair(name, pair, n) for name, pair in kinds.items()]
    return settings


def _of_pair(name: str, pair: Pair, n: int, **asked: Any) -> Setting:
    return Setting(name, lambda rng: pair.draw(rng, n) | asked)


def of_margins() -> list[Setting]:
    """A first model that is worse by the margin, which no test should miss, and one that is as good."""
    settings = []
    for n, prevalence, base, margin, correlation in (
        (300, 0.1, 0.5, 0.1, 0.9),
        (800, 0.05, 0.4, 0.1, 0.8),
        (3_000, 0.1, 0.6, 0.04, 0.7),
        (300, 0.3, 0.97, 0.02, 0.7),
    ):
        worse, equal = (shift_for(base - less, prevalence) for less in (margin, 0))
        for asked in ("greater", "equivalence"):
            for first, kind in ((worse, f"worse by {share(margin)}"), (equal, "equal")):
                name = f"{n * prevalence:,.0f} of {n:,} rows, margin {share(margin)}, {kind}, {asked}"
                pair = Pair(prevalence, (first, equal), correlation=correlation)
                settings.append(_of_pair(name, pair, n, alternative=asked, margin=margin))
    return settings


def draw_two(rng: Generator, n: int, *, won: float, lift: float, loss: float) -> Drawn:
    """Draw queries of 20 documents, 3 of them relevant.

    In a share `won` of the queries, the scores of the first model are better by `lift` for relevant
    documents; in the others, they are worse by `loss`.
    """
    query, y_true = np.repeat(np.arange(n), 20), np.tile([1] * 3 + [0] * 17, n)
    base, noise = rng.normal(size=y_true.size) + 1.2 * y_true, rng.normal(size=(2, y_true.size))
    moved = np.where(rng.random(n) < won, lift, -loss)[query] * y_true
    first, second = base + moved + 0.3 * noise[0], base + 0.3 * noise[1]
    return {"y_true": y_true, "y_score_a": first, "y_score_b": second, "query_id": query}


@cache
def loss_for(won: float, lift: float) -> float:
    """Return the loss in the other queries that makes both models equally good on average."""

    def mean(loss: float) -> float:
        drawn = draw_two(np.random.default_rng(0), 50_000, won=won, lift=lift, loss=loss)
        return float(of_queries(drawn).mean())

    return optimize.brentq(mean, 0, 2, xtol=1e-4)


def of_query_sets() -> list[Setting]:
    """Equal models, models that are equal on average with few large gains, and a better model."""
    settings = []
    for n in (25, 50, 100):
        kinds = {
            "equal": {"won": 1.0, "lift": 0.0, "loss": 0.0},
            "equal mean, large gains in a tenth": {"won": 0.1, "lift": 4.0, "loss": loss_for(0.1, 4.0)},
            "better in all": {"won": 1.0, "lift": 1.25 / np.sqrt(n), "loss": 0.0},
        }
        settings += [
            Setting(f"{n} queries, {name}", lambda rng, n=n, kind=kind: draw_two(rng, n, **kind))
            for name, kind in kinds.items()
        ]
    return settings


def rejected(setting: Setting, test: Test, replications: int) -> float:
    """Return how often a test rejects that both models are equally good."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few positives
        pvalues = [test(setting.draw(rng), rng) for rng in generators(setting.name, replications)]
    return float(np.mean(np.array(pvalues) <= LEVEL))


def rows(settings: list[Setting], tests: dict[str, Test], replications: int, slow: int) -> list[list[str]]:
    found = []
    for setting in settings:
        cells = [
            share(rejected(setting, test, slow if test in SLOW else replications)) for test in tests.values()
        ]
        found.append([setting.name, *cells])
        print(found[-1], file=sys.stderr, flush=True)
    return found


def independent(drawn: Drawn, _: Generator) -> float:
    return compare_estimates(*map(_estimate_of, drawn["months"])).pvalue


def independent_z(drawn: Drawn, _: Generator) -> float:
    """The difference of both scores, divided by the root of the sum of both variances."""
    new, old = map(_estimate_of, drawn["months"])
    error = np.hypot(new.standard_error, old.standard_error)
    return float(2 * stats.norm.sf(abs(new.score - old.score) / error)) if error else 1.0


def _estimate_of(month: Drawn) -> ScoreEstimate:
    return estimate_score(average_precision_score, month["y_true"], month["y_score"])


MONTH_TESTS: dict[str, Test] = {"compare_estimates": independent, "z": independent_z}


def of_months() -> list[Setting]:
    """Independent samples of two sizes, whose populations have the same or another score."""
    settings = []
    for family, (n_old, n_new), prevalence, score, better in (
        ("normal", (1_000, 1_000), 0.05, 0.5, 0.0),
        ("normal", (300, 3_000), 0.1, 0.7, 0.0),
        ("logistic", (200, 400), 0.15, 0.6, 0.0),
        ("Laplace", (800, 800), 0.05, 0.6, 0.0),
        ("t3", (500, 500), 0.1, 0.8, 0.0),
        ("t2", (400, 4_000), 0.1, 0.6, 0.0),
        ("gamma", (1_000, 500), 0.05, 0.7, 0.0),
        ("normal", (150, 150), 0.2, 0.9, 0.0),
        ("normal", (20_000, 20_000), 0.002, 0.2, 0.0),
        ("normal", (2_000, 2_000), 0.3, 0.5, 0.0),
        ("normal", (1_000, 1_000), 0.05, 0.5, 0.2),
        ("normal", (2_000, 2_000), 0.3, 0.5, 0.06),
    ):
        populations = [shifted(FAMILIES[family], 1.0, prevalence, one) for one in (score, score + better)]
        sizes = n_old, n_new
        name = f"months: {n_old:,} and {n_new:,} rows, {prevalence:.1%} positive, {family}, AP {score:g}"
        name += f" and {score + better:g}" if better else ""
        settings.append(Setting(name, partial(_months, populations, sizes)))
    return settings


def _months(populations: list[Population], sizes: tuple[int, int], rng: Generator) -> Drawn:
    pairs = zip(populations, sizes, strict=True)
    return {"months": [population.draw(rng, n) for population, n in pairs]}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparisons", description=__doc__)
    parser.add_argument("--replications", type=int, default=1000, help="samples per test (default: 1000)")
    parser.add_argument(
        "--slow", type=int, default=400, help="samples per test that resamples (default: 400)"
    )
    parser.add_argument("--only", default="", help="models whose name contains this text")
    options = parser.parse_args()
    show("Measured on", "\n".join(machine.lines()))
    title = f"Share of samples in which a test rejects at {LEVEL:.0%}"
    counts = options.replications, options.slow
    for kind, settings, tests in (
        ("rows", of_rows(), ROW_TESTS),
        ("margins", of_margins(), MARGIN_TESTS),
        ("queries", of_query_sets(), QUERY_TESTS),
        ("independent samples", of_months(), MONTH_TESTS),
    ):
        chosen = [one for one in settings if options.only in one.name]
        if chosen:
            show(f"{title}, {kind}", table(("models", *tests), rows(chosen, tests, *counts)))
    print(
        f"{options.replications:,} samples per test; {options.slow:,} for percentiles. Tests that "
        f"resample do so {RESAMPLES} times."
    )


if __name__ == "__main__":
    main()
