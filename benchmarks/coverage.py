"""How often an interval covers the score of the population: `python -m benchmarks.coverage --help`."""

import argparse
import importlib
import sys
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from . import drawn_settings, hard_settings, machine, settings
from .settings import Setting
from .tables import share, show, table

# Those that failed come first.
SETTINGS = hard_settings.SETTINGS | drawn_settings.SETTINGS | settings.SETTINGS
LEVELS = (0.95, 0.9)
BAND = (0.93, 0.975)  # of 95 % intervals
WORST = 15  # lines of the table
HEADERS = ("setting", "positives", "score", "warn", "95 %", "silent", "90 %", "above", "below", "width")
TABLES = {  # of tests, of many models, and of what else the page on intervals names
    "tests": "comparisons",
    "models": "many",
    "chance": "chance",
    "folds": "cross_validation",
    "sizes": "sample_sizes",
    "speed": "uncertainty_speed",
}
FOOTNOTE = """

"Score" is the value of the population. "95 %" and "90 %" are the shares of intervals of that level that
cover it. "Above" and "below" are the shares of 95 % intervals that lie above the value, or below it.
"Width" is the mean width of the 95 % interval. "Warn" is the share of samples that warn, and "silent" what
the 95 % intervals of the others cover. Samples without an interval (one positive, or a resampled score of
exactly 1) are left out. Samples without a positive are drawn again.
"""


@dataclass(frozen=True)
class Tally:
    """What the samples of a setting gave, with one value per sample, and two ends per level."""

    ends: np.ndarray  # (samples, levels, 2)
    positives: np.ndarray
    warned: np.ndarray  # which samples warn

    @property
    def given(self) -> np.ndarray:
        return ~np.isnan(self.ends).any((1, 2))

    def covered(self, value: float) -> np.ndarray:
        """Return the share of intervals that cover a value, by level."""
        low, high = np.moveaxis(self.ends[self.given], 2, 0)
        return ((low <= value) & (value <= high)).mean(0)

    def missed(self, value: float) -> tuple[float, float]:
        """Return which shares of the first level's intervals lie above a value, and below it."""
        low, high = self.ends[self.given, 0].T
        return float((low > value).mean()), float((high < value).mean())

    def silent(self, value: float) -> float:
        """Return the share of the first level's intervals that cover a value, where nothing warns."""
        ends = self.ends[self.given & ~self.warned, 0]
        return float(((ends[:, 0] <= value) & (value <= ends[:, 1])).mean()) if len(ends) else np.nan

    @property
    def width(self) -> float:
        return float(np.diff(self.ends[self.given, 0]).mean())


def tally(setting: Setting, replications: int) -> Tally:
    """Draw samples and ask each for its intervals."""
    ends, positives, warned = [], [], []
    for rng in generators(setting.name, replications):
        drawn = setting.draw(rng)
        while not drawn["y_true"].any():
            drawn = setting.draw(rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            result = setting.ask(drawn, rng)
            ends.append([result.confidence_interval(level) for level in LEVELS])
            warned.append(bool(caught))
        positives.append(drawn["y_true"].sum())
    return Tally(np.array(ends), np.array(positives), np.array(warned))


def generators(name: str, replications: int) -> Iterator[Generator]:
    """Return one generator per sample, which depends on nothing but the name and the number of the sample."""
    return (np.random.default_rng([zlib.crc32(name.encode()), i]) for i in range(replications))


def row_of(setting: Setting, replications: int) -> list[str]:
    replications = min(replications, setting.at_most)
    found, value = tally(setting, replications), setting.target()
    covered, less = found.covered(value)
    shares = (covered, found.silent(value), less, *found.missed(value), found.width)
    return [
        _name(setting, found, replications),
        f"{found.positives.mean():,.0f}",
        share(value),
        f"{found.warned.mean():.0%}",
        *("" if np.isnan(one) else share(one) for one in shares),
    ]


def distance(row: list[str]) -> float:
    """Return how far intervals are from the band, plus 1 if they cover less; 0 if most samples warn."""
    warned, covered, silent = (row[HEADERS.index(name)] for name in ("warn", "95 %", "silent"))
    if int(warned.removesuffix("%")) >= 50:
        return 0.0
    lacking = BAND[0] - min(float(covered), float(silent))
    return 1 + lacking if lacking > 0 else max(float(covered) - BAND[1], 0.0)


def alarms(row: list[str]) -> bool:
    """Whether more than a tenth of samples warn, although intervals cover what they promise."""
    warned, covered = (row[HEADERS.index(name)] for name in ("warn", "95 %"))
    return int(warned.removesuffix("%")) > 10 and BAND[0] <= float(covered) <= BAND[1]


def _name(setting: Setting, found: Tally, replications: int) -> str:
    """Return the name, with what is peculiar: fewer samples, or samples without an interval."""
    notes = [f"{replications:,} samples"] if replications == setting.at_most else []
    if not found.given.all():
        notes.append(f"{1 - found.given.mean():.1%} of samples without an interval")
    return f"{setting.name} ({', '.join(notes)})" if notes else setting.name


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--replications", type=int, default=1000, help="samples per setting (default: 1000)")
    parser.add_argument("--only", default="", help="settings whose group or name contains this text")
    parser.add_argument("--all", action="store_true", help="print the tables of all settings")
    parser.add_argument("--table", choices=TABLES, help="another table, with the options of its own module")
    options, others = parser.parse_known_args()
    if options.table:
        module = importlib.import_module(f"benchmarks.{TABLES[options.table]}")
        sys.argv = [module.__name__, *(one for one in sys.argv[1:] if one not in {"--table", options.table})]
        module.main()
        return
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    show("Measured on", "\n".join(machine.lines()))
    rows = []
    for group, of_group in SETTINGS.items():
        chosen = [setting for setting in of_group if options.only in f"{group}, {setting.name}"]
        of_group_rows = list(map(partial(_told, options.replications), chosen))
        if options.all and of_group_rows:
            show(group, table(HEADERS, of_group_rows))
        rows += of_group_rows
    outside = sorted(filter(distance, rows), key=distance, reverse=True)
    low, high = map(share, BAND)
    show(f"Farthest from {low} to {high}, of settings where fewer than half of the samples warn", "")
    print(table(HEADERS, outside[:WORST]))
    n_warned = sum(int(row[HEADERS.index("warn")].removesuffix("%")) >= 50 for row in rows)
    n_low = sum(distance(row) > 1 for row in outside)
    n_inside = len(rows) - n_warned - len(outside)
    print(
        f"\n{len(rows)} settings: {n_inside} cover {low} to {high}, {n_warned} warn in half of their samples "
        f"or more, {len(outside)} are outside, {n_low} of them below.\n"
        f"Warn in more than 10 % of samples, and cover {low} to {high}: {sum(map(alarms, rows))}.\n"
    )
    show("Those that do", table(HEADERS, list(filter(alarms, rows))))
    print(FOOTNOTE.strip())


def _told(replications: int, setting: Setting) -> list[str]:
    row = row_of(setting, replications)
    print(row, file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    main()
