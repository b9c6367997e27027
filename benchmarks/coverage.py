"""How often intervals cover the score of the population, and how often tests reject.

`python -m benchmarks.coverage --help`
"""

import argparse
import warnings
from collections import Counter
from functools import partial

import numpy as np

from . import (
    beside,
    comparisons,
    cross_validation,
    every_day,
    families,
    missed,
    units,
)
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
HEADERS = "setting", "warn", "width", "95 %", "silent", "again", "verdict"
FOOTNOTE = """
"Warn" is the share of samples that warn. "Width" is the mean width of intervals of
95 %, over 3.92 standard deviations of the score, and "95 %" the share of them that
cover the value of the population. "Silent" is what the intervals of samples without a
warning cover. If it is not .920 to .985, "again" is that of three times as many others.
"Verdict" is "warn" if half of the samples warn, "below" if "again" is below .925,
"above" if it is above .985, and "inside" otherwise.
"""


def tally(setting, replications, first=0):
    """Return which intervals cover the value, which samples did not warn, the widths of
    intervals, and the scores, which are NaN for differences.
    """
    rows = []
    for _, drawn in setting.samples(replications, first):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            answer = setting.ask(drawn)
            low, high = answer.confidence_interval()
        score = getattr(answer, "score", np.nan)
        rows.append((low <= setting.value <= high, not caught, high - low, score))
    return np.array(rows).T


def share_of(covers, silent):
    return covers[silent > 0].mean() if silent.any() else np.nan


def rows_of(settings, replications):
    for setting in settings:
        covers, silent, widths, scores = tally(setting, replications)
        of_silent, again = share_of(covers, silent), np.nan
        if of_silent < BAND[0] or of_silent > BAND[1]:
            others = tally(setting, 3 * replications, replications)
            again = share_of(*others[:2])
        warns, width = 1 - silent.mean(), widths.mean() / 3.92 / scores.std()
        numbers = width, covers.mean(), of_silent, again
        cells = ("" if np.isnan(number) else share(number) for number in numbers)
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
    "families": families.TABLE,
    "again": families.TABLE_AGAIN,
    "beside": beside.TABLE,
    "tests": comparisons.TABLE,
    "folds": cross_validation.TABLE,
    "learners": cross_validation.TABLE_OF_LEARNERS,
    "days": every_day.TABLE,
    "units": units.TABLE,
    "missed": Table(missed.settings, rows_of, 400, HEADERS, FOOTNOTE),
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
    parser.add_argument(
        "--write", action="store_true", help="store the result of --table families"
    )
    options = parser.parse_args()
    table = TABLES[options.table]
    if options.write:
        table = table._replace(rows_of=partial(table.rows_of, is_stored=True))
    replications = options.replications or table.replications
    show_machine()
    warnings.simplefilter("ignore", UserWarning)  # few positives
    verdicts = Counter()
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
