"""How often an interval covers the score of the population: `python -m benchmarks.coverage --help`."""

import argparse
import sys
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from . import hard_settings, machine, settings
from .settings import Setting
from .tables import share, show, table

SETTINGS = hard_settings.SETTINGS | settings.SETTINGS  # those that failed come first
LEVELS = (0.95, 0.9)
HEADERS = ("setting", "positives", "score", "95 %", "90 %", "above", "below", "width")
FOOTNOTE = """

"Score" is the value of the population. "95 %" and "90 %" are the shares of intervals of that level that
cover it. "Above" and "below" are the shares of 95 % intervals that lie above the value, or below it.
"Width" is the mean width of the 95 % interval. "Warn" says how many samples warn. Samples without an
interval (one positive, or a resampled score of exactly 1) are left out. Samples without a positive are
drawn again.
"""


@dataclass(frozen=True)
class Tally:
    """What the samples of a setting gave, with one value per sample, and two ends per level."""

    ends: np.ndarray  # (samples, levels, 2)
    positives: np.ndarray
    warned: float = 0.0  # share of samples

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

    @property
    def width(self) -> float:
        return float(np.diff(self.ends[self.given, 0]).mean())


def tally(setting: Setting, replications: int) -> Tally:
    """Draw samples and ask each for its intervals."""
    ends, positives, warned = [], [], 0
    for rng in generators(setting.name, replications):
        drawn = setting.draw(rng)
        while not drawn["y_true"].any():
            drawn = setting.draw(rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            result = setting.ask(drawn, rng)
            warned += bool(caught)
            ends.append([result.confidence_interval(level) for level in LEVELS])
        positives.append(drawn["y_true"].sum())
    return Tally(np.array(ends), np.array(positives), warned / replications)


def generators(name: str, replications: int) -> Iterator[Generator]:
    """Return one generator per sample, which depends on nothing but the name and the number of the sample."""
    return (np.random.default_rng([zlib.crc32(name.encode()), i]) for i in range(replications))


def row_of(setting: Setting, replications: int) -> list[str]:
    replications = min(replications, setting.at_most)
    found, value = tally(setting, replications), setting.target()
    shares = (value, *found.covered(value), *found.missed(value), found.width)
    return [
        _name(setting, found, replications),
        f"{found.positives.mean():,.0f}",
        *map(share, shares),
    ]


def _name(setting: Setting, found: Tally, replications: int) -> str:
    """Return the name, with what is peculiar: fewer samples, or samples without an interval."""
    notes = [f"{replications:,} samples"] if replications == setting.at_most else []
    if found.warned:
        notes.append(f"{found.warned:.0%} warn")
    if not found.given.all():
        notes.append(f"{1 - found.given.mean():.1%} of samples without an interval")
    return f"{setting.name} ({', '.join(notes)})" if notes else setting.name


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--replications", type=int, default=1000, help="samples per setting (default: 1000)")
    parser.add_argument("--only", default="", help="settings whose group or name contains this text")
    options = parser.parse_args()
    show("Measured on", "\n".join(machine.lines()))
    for group, of_group in SETTINGS.items():
        chosen = [one for one in of_group if options.only in f"{group}, {one.name}"]
        rows = list(map(partial(_told, options.replications), chosen))
        if rows:
            show(group, table(HEADERS, rows))
    print(FOOTNOTE.strip())


def _told(replications: int, setting: Setting) -> list[str]:
    row = row_of(setting, replications)
    print(row, file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    main()
