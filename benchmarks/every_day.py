"""False alarms of a score that is looked at every day, and the days until a drop is
found.

`python -m benchmarks.coverage --table days`
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap import (
    ScoreEstimate,
    average_precision_score,
    compare_estimates,
    estimate_score,
)

from .populations import Drawn, generators, to_score
from .tables import Row, Table, share

WINDOW, REFERENCE, YEAR = 30, 90, 365  # days
LEVEL = 0.05
RULE = LEVEL / 60
DROP = 0.06
HEADERS = "rows", "false alarms", "equal looks", "found"
FOOTNOTE = f"""
"False alarms" are shares of years with one: the difference from {REFERENCE} days of
reference has p <= {LEVEL} / 60. "Equal looks"
is {LEVEL}, divided by the p-value that {LEVEL:.0%} of years reach. "Found" is the median of the
days in which the rule finds a drop of {DROP}.
"""


class Setting(NamedTuple):
    """How many rows a day has, and which share of them is positive."""

    n_rows: int
    prevalence: float
    score: float

    @property
    def name(self) -> str:
        return f"{self.n_rows} a day, {self.prevalence:.0%} positive, AP {self.score:g}"


SETTINGS = (Setting(200, 0.2, 0.6), Setting(130, 0.3, 0.5))


class Stream:
    """The rows of some days, the last ones of a population that scores less."""

    def __init__(
        self, setting: Setting, rng: Generator, n_days: int, n_after: int
    ) -> None:
        self.n_rows, score = setting.n_rows, setting.score
        parts = [
            to_score(level, setting.prevalence).draw(rng, days * self.n_rows)
            for level, days in (
                (score, REFERENCE + n_days - n_after),
                (score - DROP, n_after),
            )
            if days
        ]
        self.rows: Drawn = {
            name: np.concatenate([part[name] for part in parts]) for name in parts[0]
        }
        self.reference = self.estimate(0, REFERENCE)

    def estimate(self, first: int, last: int) -> ScoreEstimate:
        rows = slice(first * self.n_rows, last * self.n_rows)
        return estimate_score(
            average_precision_score,
            self.rows["y_true"][rows],
            self.rows["y_score"][rows],
        )

    def pvalue(self, day: int) -> float:
        """Return the p-value of the window that ends on a day of the monitor."""
        last = REFERENCE + day
        window = self.estimate(last - WINDOW, last)
        return compare_estimates(window, self.reference, alternative="less").pvalue


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    """Yield shares of years with a false alarm, and the median of days until the drop
    is found.
    """
    least, delays, days = [], [], range(1, YEAR + 1)
    for rng in generators(setting.name, replications):
        year = Stream(setting, rng, YEAR, 0)
        least.append(min(year.pvalue(day) for day in days[WINDOW - 1 :]))
        dropped = Stream(setting, rng, WINDOW + YEAR, YEAR)
        found = (day for day in days if dropped.pvalue(WINDOW + day) <= RULE)
        delays.append(next(found, YEAR))
    alarms = share(float((np.array(least) <= RULE).mean()))
    n_looks = LEVEL / float(np.quantile(least, LEVEL))
    yield [setting.name, alarms, f"{n_looks:.0f}", f"{np.median(delays):.0f}"]


def tables(_: int) -> list[Table]:
    title = f"A window of {WINDOW} days, every day of a year"
    return [Table(title, HEADERS, SETTINGS, rows_of)]
