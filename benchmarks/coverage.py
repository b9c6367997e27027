"""How often intervals cover the score of the population, and how often tests reject.

`python -m benchmarks.coverage --help`
"""

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np

from . import beside, comparisons, cross_validation, every_day
from .budgets import of_few_amounts
from .drawn_settings import drawn_settings
from .populations import and_warned, samples
from .settings import Setting, chosen_settings
from .tables import Row, Table, share, show_machine, show_tables

BAND = (0.92, 0.985)  # outside, three times as many other samples are drawn
LEAST = 0.925  # of these
HEADERS = (
    "setting", "samples", "score", "warn", "95 %", "silent", "again", "width", "verdict"
)  # fmt: skip
FOOTNOTE = f"""
"Score" is the value of the population. "95 %" is the share of intervals of 95 %
that cover it, and "width" their mean width. "Warn" is the share of samples that warn,
and "silent" what the intervals of the others cover. If "silent" is not
{share(BAND[0])} to {share(BAND[1])}, "again" is that of three times as many other
samples. "Samples" are those with an interval: not those of one positive.
Samples without a positive are drawn again. "Verdict" is "warn" if half of the samples
warn, "below" if "again" is below {share(LEAST)}, "above" if it is above
{share(BAND[1])}, and "inside" otherwise.
"""


def tally(setting: Setting, replications: int, first: int = 0) -> np.ndarray:
    """Ask samples for their intervals; return the ends, and whether they warned."""
    rows = []
    for _, drawn in samples(setting, replications, first):
        ends, warns = and_warned(partial(setting.ask, drawn))
        rows.append((*ends, warns))
    return np.array(rows, dtype=float).T


def covered(rows: np.ndarray, value: float) -> float:
    """Return how many of the intervals cover; NaN without any."""
    low, high, _ = rows[:, ~np.isnan(rows[0])]
    inside = (low <= value) & (value <= high)
    return float(inside.mean()) if inside.size else np.nan


def silent(rows: np.ndarray) -> np.ndarray:
    """Return the samples that did not warn."""
    return rows[:, rows[2] == 0]


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    rows, again = tally(setting, replications), np.nan
    of_silent = covered(silent(rows), setting.value)
    if of_silent < BAND[0] or of_silent > BAND[1]:
        others = tally(setting, 3 * replications, replications)
        again = covered(silent(others), setting.value)
    warned = float(rows[2].mean())
    width = float(np.nanmean(rows[1] - rows[0]))
    shares = covered(rows, setting.value), of_silent, again, width
    yield [
        setting.name,
        f"{np.count_nonzero(~np.isnan(rows[0])):,}",
        share(setting.value),
        f"{warned:.0%}",
        *("" if np.isnan(cell) else share(cell) for cell in shares),
        verdict(warned, again),
    ]


def verdict(warned: float, again: float) -> str:
    """Return in one word whether intervals keep their promise."""
    if warned >= 0.5:
        return "warn"
    if again < LEAST:
        return "below"
    return "above" if again > BAND[1] else "inside"


def tables(seed: int) -> list[Table]:
    groups = chosen_settings() | {"Amounts": of_few_amounts()} | drawn_settings(seed)
    return [Table(name, HEADERS, group, rows_of) for name, group in groups.items()]


# Of each name: the tables of a seed, samples of a setting, and what the columns are.
TABLES = {
    "coverage": (tables, 400, FOOTNOTE),
    "beside": (beside.tables, 400, beside.FOOTNOTE),
    "tests": (comparisons.tables, 1_000, comparisons.FOOTNOTE),
    "folds": (cross_validation.tables, 60, ""),
    "days": (every_day.tables, 100, every_day.FOOTNOTE),
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage", description=__doc__.partition("\n")[0]
    )
    for option, kind, default, about in (
        ("--replications", int, None, "samples per setting (default: 60 to 1,000)"),
        ("--seed", int, 53, "of the settings that are drawn at random (default: 53)"),
        ("--only", str, "", "settings whose table or name contains this text"),
    ):
        parser.add_argument(option, type=kind, default=default, help=about)
    parser.add_argument(
        "--table", choices=TABLES, default="coverage", help="default: coverage"
    )
    options = parser.parse_args(arguments)
    tables_of, replications, footnote = TABLES[options.table]
    show_machine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few positives
        replications = options.replications or replications
        rows = show_tables(tables_of(options.seed), options.only, replications)
    if options.table == "coverage":
        print(len(rows), "settings:", dict(Counter(row[-1] for row in rows)))
    print(f"{replications:,} samples per setting.\n{footnote.strip()}")


if __name__ == "__main__":
    main()
