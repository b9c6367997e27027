"""How often intervals cover, and tests reject, in families of rows that have steps,
zeros, one digit, hidden positives, many classes, or units of unequal sizes.

`python -m benchmarks.coverage --table families` prints each kind of setting next to the
stored result, and `--write` stores the new result in its place. Run it before a change
of intervals is merged.
"""

import csv
import warnings
from functools import partial
from itertools import groupby
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .families_of_rows import KINDS
from .finite import FamilySetting
from .tables import Table, share

TITLE = "Families"
STORED = Path(__file__).with_name("families.csv")
LEAST = 0.93
OTHERS = 1_000  # samples that replace those of a setting below it
ROUNDING = 1e-13  # of the score of the population
HEADERS = "kind, or setting", "settings", "least", "mean", "found", "width"
HEADERS += "before: least", "mean", "found"
FOOTNOTE = f"""
"Least" and "mean" are shares of 95 % intervals that cover the value of the population.
A setting below {LEAST:.2f} is drawn again with {OTHERS:,} other samples, which count in
place of the first. "Found" is the share of samples in which a test of two models
rejects. "Width" is the mean ratio to the stored widths, of settings in which the stored
intervals cover {LEAST:.2f} and more. "Before" is the stored result.
"""


class Result(NamedTuple):
    """Shares of the intervals of a setting that cover, and of tests that reject; and
    the mean width. NaN for estimates without a test.
    """

    setting: str
    samples: int
    covers: float
    rejects: float
    width: float


def tally(setting, replications, first=0):
    """Return the result of a setting. Samples without an interval do not count."""
    rows = []
    for drawn in setting.samples(replications, first):
        try:
            answer = setting.ask(drawn)
        except ValueError:  # too few positives for recall levels
            continue
        low, high = answer.confidence_interval()
        covers = low - ROUNDING <= setting.value <= high + ROUNDING
        pvalue = getattr(answer, "pvalue", np.nan)
        rejects = np.nan if np.isnan(pvalue) else pvalue <= 0.05
        if not np.isnan(low):
            rows.append((covers, rejects, high - low))
    return Result(setting.name, len(rows), *np.mean(rows, axis=0).tolist())


def measured(setting, replications, first):
    """Return the result of a setting, of other samples if the first cover little, but
    not if the table *again* has drawn all settings again.
    """
    warnings.simplefilter("ignore")
    result = tally(setting, replications, first)
    if result.covers < LEAST and not first:
        return tally(setting, OTHERS, replications)
    return result


def stored():
    """Return the stored results by the name of the setting."""
    with STORED.open(newline="") as lines:
        _, *rows = csv.reader(lines)
    return {name: Result(name, *map(float, numbers)) for name, *numbers in rows}


def store(results):
    """Write results in the order of the settings."""
    with STORED.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(Result._fields)
        for setting in settings()[TITLE]:
            if setting.name in results:
                name, *numbers = results[setting.name]
                writer.writerow([name, *(f"{number:.5g}" for number in numbers)])


def numbers_of(results):
    """Return the least and the mean coverage, and the mean share of rejections."""
    covers = [result.covers for result in results]
    rejects = np.mean([result.rejects for result in results])
    found = "" if np.isnan(rejects) else share(rejects)
    return share(min(covers)), share(np.mean(covers)), found


def row_of(title, results, before):
    """Return the row of a table for the results of a kind, or of one setting."""
    pairs = [(each, before[each.setting]) for each in results if each.setting in before]
    ratios = [new.width / old.width for new, old in pairs if old.covers >= LEAST]
    width = f"{np.mean(ratios):.3f}" if ratios else ""
    olds = numbers_of([old for _, old in pairs]) if pairs else ("", "", "")
    return [title, f"{len(results)}", *numbers_of(results), width, *olds]


def rows_of(settings, replications, *, first=0, is_stored=False):
    """Yield a row per kind, and one per setting that covers too little."""
    before, results = stored(), {}
    with Pool() as pool:
        measure = partial(measured, replications=replications, first=first)
        found = pool.imap(measure, settings)
        pairs = zip(settings, found, strict=True)
        for kind, group in groupby(pairs, key=lambda pair: pair[0].kind):
            of_kind = [result for _, result in group]
            results |= {result.setting: result for result in of_kind}
            yield row_of(kind, of_kind, before)
            for result in of_kind:
                if result.covers < LEAST:
                    yield row_of(result.setting, [result], before)
    if is_stored:
        store(before | results)


def settings():
    lines = (
        (kind, line) for kind in KINDS for line in KINDS[kind].strip().splitlines()
    )
    return {
        TITLE: [FamilySetting(kind, " ".join(line.split())) for kind, line in lines]
    }


TABLE = Table(settings, rows_of, 300, HEADERS, FOOTNOTE)
TABLE_AGAIN = TABLE._replace(rows_of=partial(rows_of, first=2 * OTHERS))
