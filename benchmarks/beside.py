"""Our intervals of average precision next to those that others use.

`python -m benchmarks.coverage --table beside`
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit
from scipy.stats import norm

from sklearn_ap import average_precision_score, estimate_score
from sklearn_ap._uncertainty.standard_errors import sampled_score

from .drawn_settings import of_families
from .populations import FAMILIES, expected_positives, generators, shifted
from .settings import Setting, sampled
from .tables import Row, Table, share

LEVEL = 0.95
TAIL = 0.5 - LEVEL / 2
RESAMPLES = 999
FEWEST = 5  # positives of a sample
INTERVALS = "ours", "percentiles of a bootstrap", "BCa", "logit (Boyd)"
HEADERS = ("interval", "mean", "least", "below .93", "width")
HIGH_HEADERS = (
    "setting", "ours", "reach", "BCa", "reach of BCa", "reach / reach"
)  # fmt: skip
FOOTNOTE = f"""
"Mean" and "least" are the shares of 95 % intervals that cover, over settings; "below
.93" counts settings. "Width" is divided by that of ours, in the median. "Reach" is how
far the lower end is below the score, on average. {RESAMPLES} bootstrap samples.
"""
HIGH = (  # family, rows, share of positives, score
    ("normal", 400, 0.5, 0.996), ("normal", 2_000, 0.1, 0.996), ("normal", 400, 0.5, 0.983),
    ("logistic", 400, 0.5, 0.996), ("gamma", 400, 0.5, 0.983), ("t3", 400, 0.5, 0.983),
    ("t3", 200, 0.3, 0.95), ("t2", 300, 0.3, 0.95),
)  # fmt: skip


def bootstrap(rng: Generator, y_true: np.ndarray, y_score: np.ndarray) -> np.ndarray:
    """Return scores of bootstrap samples of rows whose scores all differ.

    They draw cells: each positive is one, and so are the negatives between two
    positives.
    """
    y_true = y_true[np.argsort(-y_score)] == 1
    starts = np.flatnonzero(y_true | np.append(True, y_true[:-1]))
    size = np.diff(np.append(starts, y_true.size))
    counts = rng.multinomial(y_true.size, size / y_true.size, RESAMPLES).astype(float)
    gained = counts * y_true[starts]
    n_positives = gained.sum(axis=1)
    precision = gained.cumsum(axis=1) / np.maximum(counts.cumsum(axis=1), 1)
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


def intervals(
    rng: Generator, y_true: np.ndarray, y_score: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the score, and the ends of each of `INTERVALS`."""
    estimate = estimate_score(average_precision_score, y_true, y_score)
    score, n_positives = estimate.score, y_true.sum()
    scores = bootstrap(rng, y_true, y_score)
    reach = norm.isf(TAIL) / np.sqrt(n_positives * max(score * (1 - score), 1e-12))
    sample = sampled_score(average_precision_score, y_true, y_score, None)
    ends = (
        estimate.confidence_interval(LEVEL),
        np.quantile(scores, (TAIL, 1 - TAIL)),
        corrected(scores, score, sample.influences.of_units),
        expit(logit(min(score, 1 - 1e-12)) + reach * np.array([-1, 1])),
    )
    return score, np.array(ends)


def tally(setting: Setting, replications: int) -> np.ndarray:
    """Return how often each interval covers, its mean width, and how far it reaches
    below the score.
    """
    scores, ends = [], []
    for rng in generators(setting.name, replications):
        drawn = setting.draw(rng)
        while drawn["y_true"].sum() < FEWEST:
            drawn = setting.draw(rng)
        score, of_sample = intervals(rng, drawn["y_true"], drawn["y_score"])
        scores.append([score])
        ends.append(of_sample)
    low, high = np.moveaxis(np.array(ends), 2, 0)  # (samples, intervals)
    value = setting.target()
    columns = (low <= value) & (value <= high), high - low, np.array(scores) - low
    return np.array(columns).mean(axis=1)


class Family(NamedTuple):
    """Settings that are one table, as if they were one setting."""

    name: str
    settings: list[Setting]


def rows_of(family: Family, replications: int) -> Iterator[Row]:
    """Yield a row per interval, over all settings."""
    tallies = [tally(setting, replications) for setting in family.settings]
    covers, widths, _ = np.moveaxis(np.array(tallies), 0, 2)  # (intervals, settings)
    for name, shares, ratio in zip(INTERVALS, covers, widths / widths[0], strict=True):
        numbers = share(shares.mean()), share(shares.min()), f"{np.sum(shares < 0.93)}"
        yield [name, *numbers, f"{np.median(ratio):.2f}"]


def high_scores() -> list[Setting]:
    return [
        sampled(
            f"{expected_positives(n, prevalence)}, {family}, AP {share(score)}",
            n,
            shifted(FAMILIES[family], 1.0, prevalence, score),
        )
        for family, n, prevalence, score in HIGH
    ]


def rows_of_high(setting: Setting, replications: int) -> Iterator[Row]:
    covers, _, reach = tally(setting, replications)
    numbers = map(share, (covers[0], reach[0], covers[2], reach[2]))
    yield [setting.name, *numbers, f"{reach[0] / reach[2]:.1f}"]


def tables(seed: int | None) -> list[Table]:
    settings = of_families(seed or 53)[::2]
    family = Family(f"Step AP in {len(settings)} settings of six families", settings)
    return [
        Table("Families", HEADERS, [family], rows_of),
        Table("High scores", HIGH_HEADERS, high_scores(), rows_of_high),
    ]
