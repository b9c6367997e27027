"""How often intervals cover the score of the population, and what tests and sizes of
samples promise.

`python -m benchmarks.coverage --help`
"""

import argparse
import warnings
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from . import beside, comparisons, cross_validation, every_day, sample_sizes
from .drawn_settings import drawn_settings
from .populations import and_warned, generators
from .rules import RULES, without
from .settings import CHOSEN, Setting
from .tables import share, show, show_machine, table, told

BAND = (0.93, 0.975)  # of 95 % intervals
HEADERS = (
    "setting", "samples", "positives", "score", "warn", "95 %", "silent", "width"
)  # fmt: skip
RULE_HEADERS = "rule", "setting", "95 %", "without", "width", "without"
FOOTNOTE = """
"Score" is the value of the population. "95 %" is the share of intervals of 95 %
that cover it, and "width" their mean width. "Warn" is the share of samples that
warn, and "silent" what the intervals of the others cover. "Samples" are those
with an interval: not those of one positive, or of a resampled score of exactly 1.
Samples without a positive are drawn again.
"""


class Tally(NamedTuple):
    """What the samples of a setting gave."""

    n_samples: int
    n_positives: float
    warned: float
    covered: float
    silent: float  # what is covered in samples that do not warn
    width: float


def tally(setting: Setting, replications: int) -> Tally:
    """Draw samples and ask each for its interval."""
    ends, positives, warned = [], [], []
    for rng in generators(setting.name, min(replications, setting.at_most)):
        drawn = setting.draw(rng)
        while not drawn["y_true"].any():
            drawn = setting.draw(rng)
        interval, warns = and_warned(partial(setting.ends, drawn, rng))
        ends.append(interval)
        warned.append(warns)
        positives.append(drawn["y_true"].sum())
    return counted(np.array(ends), positives, np.array(warned), setting.target())


def counted(
    ends: np.ndarray, positives: list[int], warned: np.ndarray, value: float
) -> Tally:
    has_interval = ~np.isnan(ends).any(axis=1)
    low, high = ends[has_interval].T
    inside = (low <= value) & (value <= high)
    silent = inside[~warned[has_interval]]
    return Tally(
        inside.size,
        float(np.mean(positives)),
        warned.mean(),
        inside.mean(),
        silent.mean() if silent.size else np.nan,
        (high - low).mean(),
    )


def row_of(setting: Setting, counts: Tally) -> list[str]:
    shares = counts.covered, counts.silent, counts.width
    return [
        setting.name,
        f"{counts.n_samples:,}",
        f"{counts.n_positives:,.0f}",
        share(setting.target()),
        f"{counts.warned:.0%}",
        *("" if np.isnan(cell) else share(cell) for cell in shares),
    ]


def verdict(counts: Tally) -> str:
    """Return in one word whether intervals keep their promise."""
    if counts.warned >= 0.5:
        return "warn"
    if min(counts.covered, counts.silent) < BAND[0]:
        return "below"
    return "above" if counts.covered > BAND[1] else "inside"


def show_coverage(options: argparse.Namespace) -> None:
    if options.seed is None:
        groups = {name: settings() for name, settings in CHOSEN.items()}
    else:
        groups = drawn_settings(options.seed)
    verdicts = []
    for group, settings in groups.items():
        chosen = [one for one in settings if options.only in f"{group}, {one.name}"]
        counts = (tally(setting, options.replications or 1000) for setting in chosen)
        rows = []
        for setting, found in zip(chosen, counts, strict=True):
            verdicts.append(verdict(found))
            rows.append(row_of(setting, found))
        if rows:
            show(group, table(HEADERS, rows))
    inside, warn, below, above = map(
        verdicts.count, ("inside", "warn", "below", "above")
    )
    print(
        f"{len(verdicts)} settings: {inside} cover {share(BAND[0])} to {share(BAND[1])}, "
        f"{warn} warn in half of their samples or more, {below} cover less, and "
        f"{above} more.\n{FOOTNOTE.strip()}"
    )


def rows_of_rules(replications: int) -> Iterator[list[str]]:
    """Yield what intervals cover with each rule, and without it."""
    for name, (setting, _) in RULES.items():
        counts = tally(setting, replications)
        with without(name):
            others = tally(setting, replications)
        shares = counts.covered, others.covered, counts.width, others.width
        yield [name, setting.name, *map(share, shares)]


def show_rules(options: argparse.Namespace) -> None:
    rows = told(rows_of_rules(options.replications or 400))
    show("With each rule, and without it", table(RULE_HEADERS, rows))


TABLES = {
    "rules": show_rules,
    "coverage": show_coverage,
    "beside": beside.show_tables,
    "tests": comparisons.show_tables,
    "folds": cross_validation.show_tables,
    "sizes": sample_sizes.show_tables,
    "days": every_day.show_tables,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage", description=__doc__.partition("\n")[0]
    )
    for option, kind, default, about in (
        ("--replications", int, None, "samples per setting (default: 60 to 1,000)"),
        ("--seed", int, None, "show settings that this seed draws, and no others"),
        ("--only", str, "", "settings whose group or name contains this text"),
    ):
        parser.add_argument(option, type=kind, default=default, help=about)
    parser.add_argument(
        "--table", choices=TABLES, default="coverage", help="default: coverage"
    )
    options = parser.parse_args(arguments)
    show_machine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few positives
        TABLES[options.table](options)


if __name__ == "__main__":
    main()
