"""False alarms of a score that is looked at every day, and the days until a drop is
found.

`python -m benchmarks.coverage --table days`
"""

import argparse
from collections.abc import Callable
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
from .tables import share, show, table, told

WINDOW, WEEK, REFERENCE, YEAR = 30, 7, 90, 365  # days
LEVEL = 0.05
RULE = LEVEL / 60
LOOK = LEVEL / 2  # the 95 % interval of the difference lies below 0
DROP = 0.06
HEADERS = (
    "rows", "95 %, 7 days", "95 %, 30 days", "the rule", "equal looks", "found", "sequence", "the same, later"
)  # fmt: skip
LATER = 30  # days that a sequence has seen before the drop
# Normal mixture of Robbins, whose reach is the least after a window.
_LOG = 2 * np.log(1 / (2 * LEVEL))
_SHARE = _LOG + np.log1p(_LOG)


class Setting(NamedTuple):
    """How many rows a day has, and which share of them is positive."""

    n_rows: int
    prevalence: float
    score: float

    @property
    def name(self) -> str:
        return f"{self.n_rows} a day, {self.prevalence:.0%} positive, AP {self.score:g}"


SETTINGS = (Setting(200, 0.2, 0.6), Setting(130, 0.3, 0.5))


def reach(n_days: int) -> float:
    """Return how many standard errors a one-sided confidence sequence reaches after
    some days.
    """
    days = n_days * _SHARE / WINDOW
    return float(np.sqrt((1 + 1 / days) * (_LOG + np.log1p(days))))


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

    def pvalue(self, day: int, n_days: int = WINDOW) -> float:
        """Return the p-value of the window that ends on a day of the monitor."""
        last = REFERENCE + day
        window = self.estimate(last - n_days, last)
        error = np.hypot(window.standard_error, self.reference.standard_error)
        # far from any alarm, and not worth the time
        if window.score > self.reference.score - error:
            return 1.0
        return compare_estimates(window, self.reference, alternative="less").pvalue

    def leaves_sequence(self, day: int) -> bool:
        """Whether all days of the monitor together are below the reference, for a
        confidence sequence.
        """
        every = self.estimate(REFERENCE, REFERENCE + day)
        error = np.hypot(every.standard_error, self.reference.standard_error)
        return every.score - self.reference.score < -reach(day) * error


def first_day(alarms: Callable[[int], bool]) -> int:
    """Return after how many days there is an alarm; a year if there is none."""
    return next((day for day in range(1, YEAR) if alarms(day)), YEAR)


def row_of(setting: Setting, replications: int) -> list[str]:
    """Return shares of years with a false alarm, and the median of days until the drop
    is found.
    """
    least, delays, days = [], [], range(WINDOW, YEAR + 1)
    for rng in generators(setting.name, replications):
        year = Stream(setting, rng, YEAR, 0)
        least.append(
            [min(year.pvalue(day, n_days) for day in days) for n_days in (WEEK, WINDOW)]
        )
        dropped = Stream(setting, rng, WINDOW + YEAR, YEAR)
        at_once = Stream(setting, rng, YEAR, YEAR)
        later = Stream(setting, rng, LATER + YEAR, YEAR)
        delays.append(
            [
                first_day(
                    lambda day, stream=dropped: stream.pvalue(WINDOW + day) <= RULE
                ),
                first_day(at_once.leaves_sequence),
                first_day(
                    lambda day, stream=later: stream.leaves_sequence(LATER + day)
                ),
            ]
        )
    of_weeks, of_windows = np.array(least).T
    looks = (of_weeks, LOOK), (of_windows, LOOK), (of_windows, RULE)
    shares = (share(float((pvalues <= level).mean())) for pvalues, level in looks)
    n_looks = f"{LEVEL / float(np.quantile(of_windows, LEVEL)):.0f}"
    return [
        setting.name,
        *shares,
        n_looks,
        *(f"{delay:.0f}" for delay in np.median(delays, 0)),
    ]


def show_tables(options: argparse.Namespace) -> None:
    replications = options.replications or 100
    chosen = [setting for setting in SETTINGS if options.only in setting.name]
    rows = told(row_of(setting, replications) for setting in chosen)
    show(f"A window of {WINDOW} days, every day of a year", table(HEADERS, rows))
    print(
        f'"95 %" and "the rule" are shares of {replications:,} years with a false alarm: a 95 % interval of '
        f"the difference from {REFERENCE} days of reference lies below 0, or p <= {LEVEL} / 60. "
        f'"Equal looks" is {LEVEL}, divided by the p-value that {LEVEL:.0%} of years reach. "Found" is the '
        f"median of the days in which the rule finds a drop of {DROP}. A confidence sequence of all days "
        f"reaches {reach(WINDOW) / 1.645:.1f} times as far as one look after {WINDOW} days; it starts with "
        f"the drop, or {LATER} days before."
    )
