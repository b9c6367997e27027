"""Our intervals of average precision next to other intervals.

`python -m benchmarks.coverage --table beside`
"""

import numpy as np
from scipy.special import expit, logit
from scipy.stats import bootstrap, norm

from sklearn_ap import average_precision_score, estimate_score

from .drawn_settings import of_families
from .tables import Table, share

RESAMPLES = 999
INTERVALS = "ours", "percentiles of a bootstrap", "BCa", "logit (Boyd)"
HEADERS = ("interval", "mean", "least", "below .93", "width")
FOOTNOTE = f"""
"Mean" and "least" are the shares of 95 % intervals that cover, over settings; "below
.93" counts settings. "Width" is divided by that of ours, in the median. {RESAMPLES}
bootstrap samples.
"""


def intervals(rng, y_true, y_score):
    """Return the ends of each of `INTERVALS`."""
    estimate = estimate_score(average_precision_score, y_true, y_score)
    rows = (y_true, y_score), average_precision_score
    options = {"paired": True, "vectorized": False, "rng": rng}
    percentiles = bootstrap(
        *rows, n_resamples=RESAMPLES, method="percentile", **options
    )
    bca = bootstrap(*rows, n_resamples=0, bootstrap_result=percentiles, **options)
    score = min(estimate.score, 1 - 1e-12)
    reach = norm.isf(0.025) / np.sqrt(y_true.sum() * score * (1 - score))
    return np.array(
        [
            estimate.confidence_interval(),
            percentiles.confidence_interval,
            bca.confidence_interval,
            expit(logit(score) + reach * np.array([-1, 1])),
        ]
    )


def tally(setting, replications):
    """Return how often each interval covers, and its mean width."""
    ends = [intervals(rng, **drawn) for rng, drawn in setting.samples(replications)]
    low, high = np.moveaxis(np.array(ends), 2, 0)  # (samples, intervals)
    covers = (low <= setting.value) & (setting.value <= high)
    return np.array([covers.mean(axis=0), np.nanmean(high - low, axis=0)])


def rows_of(settings, replications):
    """Yield a row per interval, over all settings."""
    tallies = [tally(setting, replications) for setting in settings]
    covers, widths = np.moveaxis(np.array(tallies), 0, 2)  # (intervals, settings)
    for name, shares, ratio in zip(INTERVALS, covers, widths / widths[0], strict=True):
        numbers = share(shares.mean()), share(shares.min()), f"{np.sum(shares < 0.93)}"
        yield [name, *numbers, f"{np.median(ratio):.2f}"]


def settings():
    return {"Step AP in settings of six families": of_families()[::2]}


TABLE = Table(settings, rows_of, 200, HEADERS, FOOTNOTE)
