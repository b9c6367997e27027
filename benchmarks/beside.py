"""Our intervals of average precision next to those that others use.

`python -m benchmarks.coverage --table beside`
"""

import argparse
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit
from scipy.stats import norm, t

from sklearn_ap import average_precision_score, estimate_score, influence_values

from .drawn_settings import of_families
from .populations import FAMILIES, generators, shifted
from .settings import Setting, sampled
from .tables import share, show, table, told

LEVEL = 0.95
TAIL = 0.5 - LEVEL / 2
RESAMPLES = 999
N_PARTS = 5
OURS = "ours"
HEADERS = ("interval", "mean", "least", "below .93", "width")
HIGH_HEADERS = (
    "setting", "ours", "reach", "BCa", "reach of BCa", "reach / reach"
)  # fmt: skip
HIGH = (  # family, rows, share of positives, score
    ("normal", 400, 0.5, 0.996), ("normal", 2_000, 0.1, 0.996), ("normal", 400, 0.5, 0.983),
    ("logistic", 400, 0.5, 0.996), ("gamma", 400, 0.5, 0.983), ("t3", 400, 0.5, 0.983),
    ("t3", 200, 0.3, 0.95), ("t2", 300, 0.3, 0.95),
)  # fmt: skip


class Bootstrap(NamedTuple):
    """A sample whose scores all differ, as cells: each positive is one, and so are the
    negatives between two positives.
    """

    positive: np.ndarray  # whether the cell is a positive
    size: np.ndarray

    @classmethod
    def of(cls, y_true: np.ndarray, y_score: np.ndarray) -> "Bootstrap":
        y_true = y_true[np.argsort(-y_score)] == 1
        starts = np.flatnonzero(y_true | np.append(True, y_true[:-1]))
        return cls(y_true[starts], np.diff(np.append(starts, y_true.size)))

    def scores(self, rng: Generator) -> np.ndarray:
        """Return the scores of bootstrap samples."""
        n = self.size.sum()
        counts = rng.multinomial(n, self.size / n, size=RESAMPLES).astype(float)
        gained = counts * self.positive
        n_positives = gained.sum(axis=1)
        tp, retrieved = gained.cumsum(axis=1), counts.cumsum(axis=1)
        precision = tp / np.maximum(retrieved, 1)
        found = n_positives > 0
        return (gained * precision).sum(axis=1)[found] / n_positives[found]


def corrected(
    scores: np.ndarray, score: float, influence: np.ndarray
) -> tuple[float, float]:
    """Return the ends of BCa; the acceleration is that of influences."""
    below = np.mean(scores < score) / 2 + np.mean(scores <= score) / 2
    bias = norm.ppf(np.clip(below, 1 / scores.size, 1 - 1 / scores.size))
    squares = np.square(influence).sum()
    acceleration = (influence**3).sum() / (6 * squares**1.5) if squares else 0.0
    deviate = bias + norm.ppf((TAIL, 1 - TAIL))
    shares = norm.cdf(bias + deviate / (1 - acceleration * deviate))
    low, high = np.quantile(scores, shares)
    return low, high


def of_parts(
    rng: Generator, y_true: np.ndarray, y_score: np.ndarray
) -> tuple[float, float]:
    """Return the t interval of the mean of parts with as many positives each."""
    order = np.lexsort((rng.random(y_true.size), y_true))
    parts = (order[i::N_PARTS] for i in range(N_PARTS))
    scores = [average_precision_score(y_true[part], y_score[part]) for part in parts]
    reach = t.isf(TAIL, N_PARTS - 1) * np.std(scores, ddof=1) / np.sqrt(N_PARTS)
    return np.mean(scores) - reach, np.mean(scores) + reach


def intervals(
    rng: Generator, y_true: np.ndarray, y_score: np.ndarray
) -> tuple[float, dict[str, tuple[float, float]]]:
    """Return the score, and the ends of each interval."""
    estimate = estimate_score(average_precision_score, y_true, y_score)
    score, n_positives = estimate.score, y_true.sum()
    bootstrap = Bootstrap.of(y_true, y_score)
    scores = bootstrap.scores(rng)
    reach = norm.isf(TAIL) / np.sqrt(n_positives * max(score * (1 - score), 1e-12))
    influence = influence_values(average_precision_score, y_true, y_score)
    ends = {
        OURS: estimate.confidence_interval(LEVEL),
        "percentiles of a bootstrap": np.quantile(scores, (TAIL, 1 - TAIL)),
        "BCa": corrected(scores, score, influence),
        "logit (Boyd)": expit(logit(min(score, 1 - 1e-12)) + reach * np.array([-1, 1])),
        f"t of {N_PARTS} parts": of_parts(rng, y_true, y_score),
    }
    return score, ends


def tally(setting: Setting, replications: int) -> dict[str, tuple[float, float, float]]:
    """Return, for each interval, how often it covers, its mean width, and how far it
    reaches below the score.
    """
    scores, ends = [], []
    for rng in generators(setting.name, replications):
        drawn = setting.draw(rng)
        while drawn["y_true"].sum() < N_PARTS:
            drawn = setting.draw(rng)
        score, of_sample = intervals(rng, drawn["y_true"], drawn["y_score"])
        scores.append(score)
        ends.append(list(of_sample.values()))
    value = setting.target()
    low, high = np.moveaxis(np.array(ends), 2, 0)  # (samples, intervals)
    covers = np.mean((low <= value) & (value <= high), axis=0)
    reach = (np.array(scores)[:, np.newaxis] - low).mean(axis=0)
    columns = zip(covers, (high - low).mean(axis=0), reach, strict=True)
    return dict(zip(of_sample, columns, strict=True))


def rows_of(tallies: list[dict[str, tuple[float, float, float]]]) -> list[list[str]]:
    rows = []
    for name in tallies[0]:
        covers = np.array([each[name][0] for each in tallies])
        widths = [each[name][1] / each[OURS][1] for each in tallies]
        rows.append(
            [
                name,
                share(covers.mean()),
                share(covers.min()),
                f"{np.sum(covers < 0.93)}",
                f"{np.median(widths):.2f}",
            ]
        )
    return rows


def high_scores() -> list[Setting]:
    return [
        sampled(
            f"{n * prevalence:.0f} of {n:,} rows, {family}, AP {share(score)}",
            n,
            shifted(FAMILIES[family], 1.0, prevalence, score),
        )
        for family, n, prevalence, score in HIGH
    ]


def row_of_high(setting: Setting, replications: int) -> list[str]:
    counts = tally(setting, replications)
    (covers, _, reach), (of_other, _, reach_of_other) = counts[OURS], counts["BCa"]
    numbers = map(share, (covers, reach, of_other, reach_of_other))
    return [setting.name, *numbers, f"{reach / reach_of_other:.1f}"]


def show_tables(options: argparse.Namespace) -> None:
    replications = options.replications or 400
    seed = options.seed or 53
    chosen = [each for each in of_families(seed)[::2] if options.only in each.name]
    if chosen:
        tallies = [tally(setting, replications) for setting in chosen]
        title = f"Step AP in {len(chosen)} settings of six families, seed {seed}"
        show(title, table(HEADERS, told(rows_of(tallies))))
    high = [each for each in high_scores() if options.only in f"high, {each.name}"]
    if high:
        rows = told(row_of_high(setting, replications) for setting in high)
        show("High scores", table(HIGH_HEADERS, rows))
    print(
        f'"Mean" and "least" are the shares of 95 % intervals that cover, over settings; "below .93" counts '
        f'settings. "Width" is divided by that of ours, in the median. "Reach" is how far the lower end is '
        f"below the score, on average. {replications:,} samples per setting, {RESAMPLES} bootstrap samples."
    )
