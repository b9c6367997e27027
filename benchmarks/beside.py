"""Our intervals of average precision next to those that others use.

`python -m benchmarks.coverage --table beside`
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit
from scipy.stats import norm

from sklearn_ap import average_precision_score, estimate_score
from sklearn_ap._uncertainty.standard_errors import sampled_scores

from .drawn_settings import of_families
from .populations import samples
from .settings import Setting
from .tables import Row, Several, Table, share

LEVEL = 0.95
TAIL = 0.5 - LEVEL / 2
RESAMPLES = 999
FEWEST = 5  # positives of a sample
INTERVALS = "ours", "percentiles of a bootstrap", "BCa", "logit (Boyd)"
HEADERS = ("interval", "mean", "least", "below .93", "width")
FOOTNOTE = f"""
"Mean" and "least" are the shares of 95 % intervals that cover, over settings; "below
.93" counts settings. "Width" is divided by that of ours, in the median. {RESAMPLES} bootstrap samples.
"""


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


def intervals(rng: Generator, y_true: np.ndarray, y_score: np.ndarray) -> np.ndarray:
    """Return the ends of each of `INTERVALS`."""
    estimate = estimate_score(average_precision_score, y_true, y_score)
    score, n_positives = estimate.score, y_true.sum()
    scores = bootstrap(rng, y_true, y_score)
    reach = norm.isf(TAIL) / np.sqrt(n_positives * max(score * (1 - score), 1e-12))
    [sample] = sampled_scores(
        average_precision_score, y_true, {"y_score": y_score}, None
    )
    ends = (
        estimate.confidence_interval(LEVEL),
        np.quantile(scores, (TAIL, 1 - TAIL)),
        corrected(scores, score, sample.influences.of_units),
        expit(logit(min(score, 1 - 1e-12)) + reach * np.array([-1, 1])),
    )
    return np.array(ends)


def tally(setting: Setting, replications: int) -> np.ndarray:
    """Return how often each interval covers, and its mean width."""
    ends = []
    for rng, drawn in samples(setting, replications, fewest=FEWEST):
        ends.append(intervals(rng, **drawn))
    low, high = np.moveaxis(np.array(ends), 2, 0)  # (samples, intervals)
    value = setting.value
    columns = (low <= value) & (value <= high), high - low
    return np.array(columns).mean(axis=1)


def rows_of(family: Several, replications: int) -> Iterator[Row]:
    """Yield a row per interval, over all settings."""
    tallies = [tally(setting, replications) for setting in family.settings]
    covers, widths = np.moveaxis(np.array(tallies), 0, 2)  # (intervals, settings)
    for name, shares, ratio in zip(INTERVALS, covers, widths / widths[0], strict=True):
        numbers = share(shares.mean()), share(shares.min()), f"{np.sum(shares < 0.93)}"
        yield [name, *numbers, f"{np.median(ratio):.2f}"]


def tables(seed: int) -> list[Table]:
    settings = of_families(seed)[::2]
    family = Several(f"Step AP in {len(settings)} settings of six families", settings)
    return [Table("Families", HEADERS, [family], rows_of)]
