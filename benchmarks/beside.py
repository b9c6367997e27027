"""Our intervals of average precision next to those that papers and textbooks define.

`python -m benchmarks.coverage --table beside`
"""

from functools import partial

import numpy as np
from scipy.special import expit, logit
from scipy.stats import bootstrap, norm

from sklearn_ap import average_precision_score, estimate_score

from .populations import normal
from .settings import Setting, of_rows
from .tables import Table, share

RESAMPLES = 999
HEADERS = "rows", "AP", "ours", "Boyd's logit", "logit, our error", "percentiles", "BCa"
FOOTNOTE = f"""
Each cell is the share of 95 % intervals that cover, and their mean width.
scipy.stats.bootstrap draws rows, or patients, {RESAMPLES} times.
"""


def of_patients(rng, n=60):
    """Return rows of patients, 1 to 20 of each, whose scores have a common part."""
    patient = np.repeat(np.arange(n), rng.integers(1, 21, size=n))
    ill = (rng.random(n) < 0.3)[patient] & (rng.random(patient.size) < 0.7)
    common, own = rng.normal(size=n)[patient], rng.normal(size=patient.size)
    return {"y_true": ill, "y_score": 1.5 * ill + common + own, "unit_id": patient}


def score_of_patients():
    """Return the score of very many patients."""
    y_true, y_score, _ = of_patients(np.random.default_rng(0), 300_000).values()
    return average_precision_score(y_true, y_score)


def intervals(rng, drawn):
    """Return the ends of each interval, in the order of the table."""
    estimate = estimate_score(average_precision_score, **drawn)
    y_true, y_score, *units = drawn.values()
    # Without units, each row is a unit.
    unit = units[0] if units else np.arange(y_true.size)
    rows = np.split(np.arange(unit.size), np.flatnonzero(np.diff(unit)) + 1)

    def score(drawn_units):
        place = np.concatenate([rows[i] for i in drawn_units])
        return average_precision_score(y_true[place], y_score[place])

    resample = partial(bootstrap, (np.arange(len(rows)),), score, vectorized=False)
    percentiles = resample(n_resamples=RESAMPLES, method="percentile", rng=rng)
    bca = resample(n_resamples=0, bootstrap_result=percentiles)
    ap = estimate.score
    variance = ap * (1 - ap)
    errors = (y_true.sum() * variance) ** -0.5, estimate.standard_error / variance
    reach = norm.isf(0.025) * np.outer(errors, [-1, 1])
    return [
        estimate.confidence_interval(),
        *expit(logit(ap) + reach),
        percentiles.confidence_interval,
        bca.confidence_interval,
    ]


def rows_of(settings, replications):
    """Yield a row per setting."""
    for setting in settings:
        ends = [intervals(*sample) for sample in setting.samples(replications)]
        low, high = np.moveaxis(np.array(ends), 2, 0)  # (samples, intervals)
        covers = (low <= setting.value) & (setting.value <= high)
        means = np.mean([covers, high - low], axis=1).T
        cells = [", ".join(map(share, pair)) for pair in means]
        yield [setting.name, share(setting.value), *cells]


def settings():
    return {
        "Known intervals": [
            of_rows("500 rows, 50 positive", 500, normal(0.1, 1.5)),
            of_rows("2,000 rows, 20 positive", 2_000, normal(0.01, 2.0)),
            of_rows("300 rows, 150 positive", 300, normal(0.5, 1.0)),
            of_rows("300 rows, 150 positive, high", 300, normal(0.5, 2.35)),
            of_rows("50 rows, 15 positive", 50, normal(0.3, 1.5)),
            Setting("60 patients of 1 to 20 rows", of_patients, score_of_patients),
        ]
    }


TABLE = Table(settings, rows_of, 600, HEADERS, FOOTNOTE)
