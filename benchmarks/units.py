"""Intervals of numbers of a threshold, for units of unequal size: `python -m
benchmarks.coverage --table units`.

Units have rows of both classes. Labels, false alarms and true alarms are correlated
within a unit by a normal copula.
"""

from typing import Any

import numpy as np
from scipy.special import ndtri

from sklearn_ap import operating_point

from .settings import Setting
from .tables import Table, lines_of, share

NUMBERS = "precision", "recall", "specificity", "negative_predictive_value", "f_score"
SHARE = 0.12  # of positives
HEADERS = ("number", "mean", "least", "without unit_id: mean", "least")
FOOTNOTE = "Shares of 95 % intervals that cover the value of the population."
# Units, their sizes, which are equally frequent, the share of negatives that are
# alarms, the correlation of alarms, the recall, and the correlation of labels.
DRAWN = """
400  1,40     .01   .95  .7  .3
250  2,10,60  .02   .9   .7  .3
170  1,4,25   .012  .99  .7  .3
 80  1,40     .05   .6   .8  1.
200  5        .03   .5   .9  .9
100  1,40     .03   .0   .7  .3
300  1,3,10   .1    .3   .8  .5
150  1,2,3,4,5,30  .15  .3  .7  .9
 30  8        .1    .3   .8  .3
"""


def of_units(weighed, setting):
    """Rows of a threshold, whose scores are 1 or 0; rows, or units, may have lognormal
    weights.
    """
    n, text, alarms, alike, recall, labels_alike = setting
    sizes = [*map(int, str(text).split(","))]

    def draw(rng):
        unit = np.repeat(np.arange(n), rng.choice(sizes, n))

        def flags(rate, alike):
            common, own = rng.normal(size=n)[unit], rng.normal(size=unit.size)
            return np.sqrt(alike) * common + np.sqrt(1 - alike) * own > -ndtri(rate)

        y_true = flags(SHARE, labels_alike)
        y_score = 1 * np.where(y_true, flags(recall, 0.3), flags(alarms, alike))
        drawn = {"y_true": y_true, "y_score": y_score, "unit_id": unit}
        if weighed:
            weight = rng.lognormal(0, 0.7, unit.size)
            drawn["sample_weight"] = weight[unit] if weighed == "units" else weight
        return drawn

    tp, fp = SHARE * recall, (1 - SHARE) * alarms
    tn, fn = 1 - SHARE - fp, SHARE - tp
    f_score = 2 * tp / (2 * tp + fp + fn)
    values: Any = [tp / (tp + fp), recall, 1 - alarms, tn / (tn + fn), f_score]
    return Setting(f"{n} units of {sizes}", draw, lambda: values)


def covers(setting, drawn):
    """Return which intervals cover, with the units and without them."""
    shares = []
    for options in ({}, {"unit_id": None}):
        point = operating_point(threshold=1, **drawn | options)
        low, high = np.transpose([point.confidence_interval(number=x) for x in NUMBERS])
        shares.append((low <= setting.value) & (setting.value <= high))
    return shares


def rows_of(settings, replications):
    """Yield a row per number, over all settings."""
    shares = [
        np.mean([covers(each, x) for _, x in each.samples(replications)], axis=0)
        for each in settings
    ]
    # (numbers, with the units or without them, settings)
    for number, ways in zip(NUMBERS, np.transpose(shares), strict=True):
        yield [number, *(share(x) for way in ways for x in (way.mean(), way.min()))]


def settings():
    titles = {
        "Equal weights": "",
        "Weights of rows": "rows",
        "Weights of units": "units",
    }
    return {
        title: [of_units(weighed, row) for row in lines_of(DRAWN)]
        for title, weighed in titles.items()
    }


TABLE = Table(settings, rows_of, 400, HEADERS, FOOTNOTE)
