"""How often intervals cover the score of the population, and what tests and sizes of
samples promise.

`python -m benchmarks.coverage --help`
"""

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import (
    beside,
    comparisons,
    cross_validation,
    every_day,
    many,
    sample_sizes,
    uncertainty_speed,
)
from .drawn_settings import DRAWN, drawn_settings
from .populations import and_warned, generators
from .rules import NEEDS, OFF, without
from .settings import CHOSEN, Setting
from .tables import share, show, show_machine, table, told

RULES = {"One rule each": [need.setting for need in NEEDS.values()]}
SETTINGS = CHOSEN | RULES | DRAWN  # those that failed come first
LEVELS = (0.95, 0.9)
BAND = (0.93, 0.975)  # of 95 % intervals
WORST = 15  # lines of the table
HEADERS = (
    "setting",
    "positives",
    "score",
    "warn",
    "95 %",
    "silent",
    "90 %",
    "above",
    "below",
    "width",
)
RULE_HEADERS = "rule", "setting", "95 %", "without", "width", "without"
FOOTNOTE = """
"Score" is the value of the population. "95 %" and "90 %" are the shares of intervals of that level that
cover it. "Above" and "below" are the shares of 95 % intervals that lie above the value, or below it.
"Width" is the mean width of the 95 % interval. "Warn" is the share of samples that warn, and "silent" what
the 95 % intervals of the others cover. Samples without an interval (one positive, or a resampled score of
exactly 1) are left out. Samples without a positive are drawn again.
"""


@dataclass(frozen=True)
class Tally:
    """What the samples of a setting gave, with one value per sample, and two ends per
    level.
    """

    ends: np.ndarray  # (samples, levels, 2)
    positives: np.ndarray
    warned: np.ndarray  # which samples warn

    @property
    def has_interval(self) -> np.ndarray:
        return ~np.isnan(self.ends).any((1, 2))

    def shares(self, value: float) -> tuple[float, ...]:
        """Return what a row says of intervals and a value: the columns from "95 %"
        on.
        """
        low, high = np.moveaxis(self.ends[self.has_interval], 2, 0)  # (samples, levels)
        inside = (low <= value) & (value <= high)
        silent = inside[~self.warned[self.has_interval], 0]
        covered, less = inside.mean(0)
        above = (low > value).mean(0)[0]
        below = (high < value).mean(0)[0]
        width = (high - low).mean(0)[0]
        return (
            covered,
            silent.mean() if silent.size else np.nan,
            less,
            above,
            below,
            width,
        )


def tally(setting: Setting, replications: int) -> Tally:
    """Draw samples and ask each for its intervals."""
    ends, positives, warned = [], [], []
    for rng in generators(setting.name, replications):
        drawn = setting.draw(rng)
        while not drawn["y_true"].any():
            drawn = setting.draw(rng)
        of_levels, warns = and_warned(partial(setting.ends, drawn, rng, LEVELS))
        ends.append(of_levels)
        warned.append(warns)
        positives.append(drawn["y_true"].sum())
    return Tally(np.array(ends), np.array(positives), np.array(warned))


def row_of(setting: Setting, replications: int) -> list[str]:
    replications = min(replications, setting.at_most)
    counts = tally(setting, replications)
    value = setting.target()
    notes = [f"{replications:,} samples"] if replications == setting.at_most else []
    if not counts.has_interval.all():
        notes.append(
            f"{1 - counts.has_interval.mean():.1%} of samples without an interval"
        )
    return [
        f"{setting.name} ({', '.join(notes)})" if notes else setting.name,
        f"{counts.positives.mean():,.0f}",
        share(value),
        f"{counts.warned.mean():.0%}",
        *("" if np.isnan(cell) else share(cell) for cell in counts.shares(value)),
    ]


def warned_of(row: list[str]) -> int:
    """Return in how many per cent of the samples a setting warns."""
    return int(row[HEADERS.index("warn")].removesuffix("%"))


def distance(row: list[str]) -> float:
    """Return how far intervals are from the band, plus 1 if they cover less; 0 if most
    samples warn.
    """
    covered, silent = (row[HEADERS.index(name)] for name in ("95 %", "silent"))
    if warned_of(row) >= 50:
        return 0.0
    lacking = BAND[0] - min(float(covered), float(silent))
    return 1 + lacking if lacking > 0 else max(float(covered) - BAND[1], 0.0)


def alarms(row: list[str]) -> bool:
    """Whether more than a tenth of samples warn, although intervals cover what they
    promise.
    """
    return (
        warned_of(row) > 10 and BAND[0] <= float(row[HEADERS.index("95 %")]) <= BAND[1]
    )


def show_coverage(options: argparse.Namespace) -> None:
    rows = []
    groups = SETTINGS if options.seed is None else drawn_settings(options.seed)
    for group, settings in groups.items():
        chosen = [
            setting
            for setting in settings
            if options.only in f"{group}, {setting.name}"
        ]
        lines = list(
            told(row_of(setting, options.replications or 1000) for setting in chosen)
        )
        if options.all and lines:
            show(group, table(HEADERS, lines))
        rows += lines
    outside = sorted(filter(distance, rows), key=distance, reverse=True)
    low, high = map(share, BAND)
    title = f"Farthest from {low} to {high}, of settings where fewer than half of the samples warn"
    show(title, table(HEADERS, outside[:WORST]))
    n_warned = sum(warned_of(row) >= 50 for row in rows)
    n_low = sum(distance(row) > 1 for row in outside)
    n_inside = len(rows) - n_warned - len(outside)
    print(
        f"{len(rows)} settings: {n_inside} cover {low} to {high}, {n_warned} warn in half of their samples "
        f"or more, {len(outside)} are outside, {n_low} of them below.\n"
        f"Warn in more than 10 % of samples, and cover {low} to {high}: {sum(map(alarms, rows))}.\n"
    )
    show("Those that do", table(HEADERS, filter(alarms, rows)))
    print(FOOTNOTE.strip())


def rows_of_rules(replications: int) -> Iterator[list[str]]:
    """Yield what intervals cover with each rule, and without it."""
    for name, need in NEEDS.items():
        if name not in OFF:
            continue
        value = need.setting.target()
        covered, *_, width = tally(need.setting, replications).shares(value)
        with without(name):
            covered_without, *_, width_without = tally(
                need.setting, replications
            ).shares(value)
        shares = covered, covered_without, width, width_without
        yield [name, need.setting.name, *map(share, shares)]


def show_rules(options: argparse.Namespace) -> None:
    rows = told(rows_of_rules(options.replications or 400))
    show("With each rule, and without it", table(RULE_HEADERS, rows))


TABLES = {
    "rules": show_rules,
    "coverage": show_coverage,
    "beside": beside.show_tables,
    "tests": comparisons.show_tables,
    "models": many.show_tables,
    "folds": cross_validation.show_tables,
    "sizes": sample_sizes.show_tables,
    "days": every_day.show_tables,
    "speed": uncertainty_speed.show_tables,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--table", choices=TABLES, default="coverage", help="default: coverage"
    )
    parser.add_argument(
        "--replications", type=int, help="samples per setting (default: 400 to 1,000)"
    )
    parser.add_argument(
        "--seed", type=int, help="draw other settings by this seed, and show no others"
    )
    parser.add_argument(
        "--only", default="", help="settings whose group or name contains this text"
    )
    parser.add_argument(
        "--all", action="store_true", help="print the coverage of all settings"
    )
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="of each case of speed (default: 4)"
    )
    options = parser.parse_args(arguments)
    show_machine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few positives
        TABLES[options.table](options)


if __name__ == "__main__":
    main()
