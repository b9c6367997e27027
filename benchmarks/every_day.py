"""False alarms of a score that is tested every day, and the days until a drop is found.

`python -m benchmarks.coverage --table days`
"""

from typing import NamedTuple

import numpy as np

from sklearn_ap import average_precision_score, estimate_score

from .populations import generators, to_score
from .tables import Table, share
from .two_samples import difference_of

WINDOW, REFERENCE, YEAR = 30, 90, 365  # days
LEVEL = 0.05
RULE = LEVEL / 60
DROP = 0.06
HEADERS = "rows", "false alarms", "equal looks", "found"
FOOTNOTE = f"""
"False alarms" are shares of years with one: the difference from {REFERENCE} days of
reference has p <= {LEVEL} / 60. "Equal looks" is {LEVEL}, divided by the p-value that
{LEVEL:.0%} of years reach. "Found" is the median of the days in which the rule finds a
drop of {DROP}.
"""


class Setting(NamedTuple):
    """The number of rows per day, the share of positives, and the score."""

    n_rows: int
    prevalence: float
    score: float

    @property
    def name(self):
        return f"{self.n_rows} a day, {self.prevalence:.0%} positive, AP {self.score:g}"


SETTINGS = (Setting(200, 0.2, 0.6), Setting(130, 0.3, 0.5))


def pvalues(setting, rng, *days):
    """Yield the p-value of each window after the reference. The score is lower from the
    day on that the first number names, for as many days as the second number.
    """
    parts = [
        to_score(score, setting.prevalence).draw(rng, n_days * setting.n_rows)
        for score, n_days in zip(
            (setting.score, setting.score - DROP), days, strict=True
        )
    ]
    y_true, y_score = (
        np.concatenate([part[name] for part in parts]) for name in parts[0]
    )

    def estimate(first, last):
        rows = slice(first * setting.n_rows, last * setting.n_rows)
        return estimate_score(average_precision_score, y_true[rows], y_score[rows])

    reference = estimate(0, REFERENCE)
    for last in range(REFERENCE + WINDOW, sum(days) + 1):
        window = estimate(last - WINDOW, last)
        compared = difference_of(window, reference)
        lower = compared.pvalue / 2
        yield lower if compared.difference < 0 else 1 - lower


def rows_of(settings, replications):
    """Yield shares of years with a false alarm, and the median of days until the drop
    is found.
    """
    for setting in settings:
        least, delays = [], []
        for rng in generators(setting.name, replications):
            least.append(min(pvalues(setting, rng, REFERENCE + YEAR, 0)))
            dropped = enumerate(pvalues(setting, rng, REFERENCE + WINDOW, YEAR))
            found = (day for day, pvalue in dropped if day and pvalue <= RULE)
            delays.append(next(found, YEAR))
        alarms = share(float((np.array(least) <= RULE).mean()))
        n_looks = LEVEL / float(np.quantile(least, LEVEL))
        yield [setting.name, alarms, f"{n_looks:.0f}", f"{np.median(delays):.0f}"]


TABLE = Table(
    lambda: {f"A window of {WINDOW} days, every day of a year": SETTINGS},
    rows_of,
    100,
    HEADERS,
    FOOTNOTE,
)
