"""Rows of a Dask DataFrame, and steps of scans that Dask can send to workers."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

RNG = np.random.default_rng(8)
N = 230
FRAME = pd.DataFrame(
    {
        "y": RNG.integers(0, 2, N),
        "score": RNG.random(N).astype(np.float32),
        "weight": RNG.random(N) + 0.5,
        "word": np.where(RNG.random(N) < 0.5, "spam", "ham"),
        "unused": RNG.random(N),
    }
)
N_PARTS = 23


class Collect:
    """A step: the columns of a part, as it came."""

    def __call__(self, part):
        return [(part.place.name, {name: part.columns[name] for name in part.columns})]


class Count:
    """A step: the number of rows."""

    def __call__(self, part):
        return len(next(iter(part.columns.values())))


class Killed(Count):
    """A step that kills its worker in a partition: once, until the marker file is there, or every time."""

    def __init__(self, partition, marker=None):
        self.name, self.marker = f"partition {partition}", marker

    def __call__(self, part):
        if part.place.name == self.name and not (self.marker and Path(self.marker).exists()):
            if self.marker:
                Path(self.marker).touch()
            kill()
        return super().__call__(part)


class KilledJoin:
    """Add up, and kill the worker that does so first."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, states):
        kill_once(self.marker)
        return sum(states)


class Immovable(int):
    """A number whose worker dies when the number is moved."""

    def __reduce__(self):
        kill()


class ImmovableCount(Count):
    def __call__(self, part):
        return Immovable(super().__call__(part))


def kill(process=None):
    """Kill a process, by default this one, on any system."""
    import psutil  # noqa: PLC0415  # which Dask needs

    with suppress(psutil.NoSuchProcess):
        psutil.Process(process).kill()


def kill_once(marker):
    if not Path(marker).exists():
        Path(marker).touch()
        kill()


def joined(states):
    return [one for state in states for one in state]


def total(states):
    return sum(states)


def stop(*_):
    raise RuntimeError("enough")


def silent(*_):
    """Take no notice of progress."""


def collected(source, columns):
    return source.scan(columns, Collect(), joined, silent)


def values(found, column):
    return np.concatenate([columns[column] for _, columns in found])


def broken(frame):
    """Fail in one partition only, so not where Dask looks for the columns."""
    if frame["unused"].iloc[0] == FRAME["unused"].iloc[0]:
        raise ZeroDivisionError("division\nby zero")
    return frame


def written(folder):
    """Write the rows as one file per partition, by pandas, since Dask's writer warns on pandas 3.1."""
    for number in range(N_PARTS):
        rows = FRAME.iloc[number * 10 : number * 10 + 10]
        rows.to_parquet(folder / f"part.{number:02}.parquet", index=False)
    return folder
