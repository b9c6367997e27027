"""How often intervals cover the score of the population, and how often tests reject.

`python -m benchmarks.coverage --help`
"""

import argparse
import warnings
from collections import Counter

import numpy as np

from . import beside, comparisons, cross_validation, every_day, units
from .budgets import of_few_amounts
from .drawn_settings import of_families, of_kinds
from .settings import (
    differences_of_high_scores,
    in_order_of_time,
    where_intervals_failed,
)
from .tables import Table, share, show, show_machine

BAND = (0.92, 0.985)  # outside, three times as many other samples are drawn
LEAST = 0.925  # of these
HEADERS = "setting", "warn", "95 %", "silent", "again", "verdict"
FOOTNOTE = f"""
"95 %" is the share of intervals of 95 % that cover the value of the population, "warn"
the share of samples that warn, and "silent" what the intervals of the others cover. If
"silent" is not {share(BAND[0])} to {share(BAND[1])}, "again" is that of three times as
many other samples. "Verdict" is "warn" if half of the samples warn, "below" if "again"
is below {share(LEAST)}, "above" if it is above {share(BAND[1])}, and "inside" otherwise.
"""


def tally(setting, replications, first=0):
    """Return which intervals cover the value, and which samples did not warn."""
    rows = []
    for _, drawn in setting.samples(replications, first):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            low, high = setting.ask(drawn).confidence_interval()
        rows.append((low <= setting.value <= high, not caught))
    return np.array(rows).T


def share_of(covers):
    return covers.mean() if covers.size else np.nan


def rows_of(settings, replications):
    for setting in settings:
        covers, silent = tally(setting, replications)
        of_silent, again = share_of(covers[silent]), np.nan
        if of_silent < BAND[0] or of_silent > BAND[1]:
            others, silent_too = tally(setting, 3 * replications, replications)
            again = share_of(others[silent_too])
        shares = covers.mean(), of_silent, again
        cells = ("" if np.isnan(cell) else share(cell) for cell in shares)
        warns = 1 - silent.mean()
        yield [setting.name, f"{warns:.0%}", *cells, verdict(warns, again)]


def verdict(warns, again):
    """Return in one word whether intervals keep their promise."""
    if warns >= 0.5:
        return "warn"
    if again < LEAST:
        return "below"
    return "above" if again > BAND[1] else "inside"


def settings():
    return {
        "Where intervals failed": [*where_intervals_failed()],
        "Differences of high scores": [*differences_of_high_scores()],
        "Order of time": [*in_order_of_time()],
        "Amounts": [*of_few_amounts()],
        "Families of shapes": of_families(),
        **of_kinds(),
    }


TABLES = {
    "coverage": Table(settings, rows_of, 400, HEADERS, FOOTNOTE),
    "beside": beside.TABLE,
    "tests": comparisons.TABLE,
    "folds": cross_validation.TABLE,
    "days": every_day.TABLE,
    "units": units.TABLE,
}


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--replications", type=int, help="samples per setting")
    parser.add_argument("--only", default="", help="text of a table's title or setting")
    parser.add_argument(
        "--table", choices=TABLES, default="coverage", help="default: coverage"
    )
    options = parser.parse_args()
    table = TABLES[options.table]
    replications = options.replications or table.replications
    show_machine()
    warnings.simplefilter("ignore", UserWarning)  # few positives
    verdicts = Counter[str]()
    for title, group in table.settings().items():
        chosen = [one for one in group if options.only in f"{title}, {one.name}"]
        if chosen:
            rows = show(title, table.headers, table.rows_of(chosen, replications))
            verdicts.update(row[-1] for row in rows)
    if options.table == "coverage":
        print(f"\n{verdicts.total()} settings: {dict(verdicts)}")
    print(f"\n{replications:,} samples per setting.\n{table.footnote.strip()}")


if __name__ == "__main__":
    main()
