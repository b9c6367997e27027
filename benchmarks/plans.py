"""What plans would do with more rows than there are: `python -m benchmarks.plans --help`.

The plans themselves run. Their source holds no rows: it answers a scan by sums that it draws from the
distribution of `benchmarks.scale`, and a range by two rows that are counted as many. So there is no second
truth about bins, ranges and scans; only CPU seconds are a model, measured rows times measured constants.
"""

import argparse
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from sklearn_ap._reading._read import Checked
from sklearn_ap.distributed._open_rows import source_of
from sklearn_ap.distributed._plans._job import Extremes, Gathered, Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._plan import scores_of
from sklearn_ap.distributed._question import Question, question_of
from sklearn_ap.distributed._source import Part, Place, Source, tell_nobody
from sklearn_ap.distributed._states._best import BestRows
from sklearn_ap.distributed._states._bytes import _out_of_order
from sklearn_ap.distributed._states._rows import AllRows
from sklearn_ap.distributed._states._sums import Bins, Sums

from .scale import Case, cpu_seconds, folder_of, written
from .tables import show, table

SHIFT, OFFSET = 1.5, 2.0  # of the scores in `scale.row_group`
POSITIVE = 0.01
LIMIT = 10**9
SECONDS = {  # CPU time per row, as `--measure` found it on one AMD EPYC; no network is in it
    "Gathered": 10e-9,  # rows that may be too many: they are read, and their bounds are found
    "Extremes": 10e-9,
    "Sums": 23e-9,
    "AllRows": 14e-9,  # a scan for a range reads all rows
    "exchange": 14e-9,
    "ranking": 40e-9,  # per row of a range
}
RUNS = ((10**7, 10**7), (10**7, 4 * 10**6), (10**8, 10**8))  # rows, memory_limit
CLUSTERS = (  # rows, workers, partitions
    (10**7, 10, 100),
    (10**8, 10, 100),
    (10**9, 10, 1_000),
    (10**10, 100, 10_000),
    (10**11, 1_000, 10_000),
    (10**12, 1_000, 100_000),
)
HEADERS_OF_RUNS = ("rows", "limit, MB", "scans", "run", "rows in ranges", "run", "CPU s", "run")
HEADERS = (
    "rows",
    "workers",
    "partitions",
    "scans",
    "to the caller, MB",
    "largest message, MB",
    "between workers, GB",
    "CPU s",
    "CPU s per worker",
)
FOOTNOTE = f"""

Average precision of float32 scores, {POSITIVE:.0%} positive, with `memory_limit={LIMIT:,}`. States of
partitions are combined by the workers, so that one state per scan is sent to the caller. The exchange counts
as a scan. The largest message is a state, or what an exchange sends to each worker, or from one partition to
one range. CPU seconds are rows times constants, without the network.
"""
ROLES = Roles("label", "score", None, None, 1)
FLOAT32 = np.dtype(np.float32)


class Did(NamedTuple):
    """A scan or an exchange: how many rows it read, how many of them it gathered, and what it sent."""

    kind: str
    rows: int
    gathered: int
    sent: int  # bytes, to the caller
    largest: int  # bytes of the largest message, of whomever


class Imagined(Source):
    """Imagined rows, with the scores of `scale.row_group`."""

    name, reads_again, in_process = "'rows'", True, False

    def __init__(self, n_rows: int, parts: int, *, elsewhere: bool) -> None:
        n_positives = round(n_rows * POSITIVE)
        self.n, self.parts, self.elsewhere = (n_positives, n_rows - n_positives), parts, elsewhere
        self.did: list[Did] = []
        self._drawn: dict[int, tuple[Any, Sums]] = {}
        self._rng = np.random.default_rng(0)

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        return {"label": np.dtype(np.int8), "score": FLOAT32}

    def n_rows(self) -> int | None:
        return None if self.elsewhere else sum(self.n)  # as Spark, and as Parquet

    def n_parts(self) -> int | None:
        return self.parts if self.elsewhere else None

    def extremes(self, column: str) -> tuple[float, float] | None:
        found = self._extremes()
        return None if self.elsewhere or column != "score" else (float(found.low), float(found.high))

    def scan(self, columns: Any, step: Any, combine: Any, told: Any) -> Any:  # noqa: ARG002
        """Return the state of all rows that a step makes."""
        _, inside = step.args
        into, window = inside.into, inside.window
        kind: Any = getattr(into, "func", into).__self__
        state, gathered = self._state(kind, into, window)
        # A state of counts has its size wherever it is, and a state of rows has that of its rows.
        size = 4 * gathered or len(pickle.dumps(state))
        self.did.append(Did(kind.__name__, sum(self.n), gathered, size, size))
        found = step(_part())  # of the type that the plans expect, whatever that is
        return found._replace(state=state)

    def _state(self, kind: Any, into: Any, window: Any) -> tuple[Any, int]:
        options = getattr(into, "keywords", {})
        if kind is Sums:
            bins = options["bins"]
            shares = (_shares(bins, SHIFT), _shares(bins, 0.0))
            counts = [self._rng.poisson(n * share) for n, share in zip(self.n, shares, strict=True)]
            self._drawn[id(bins)] = bins, Sums(np.stack(counts))
            return self._drawn[id(bins)][1], 0
        if kind is Extremes:
            return self._extremes(window), 0
        if kind is Gathered:
            fits, state = sum(self.n) * options["row_bytes"] <= options["limit"], into(_two_rows(0.5))
            rows = self._counted(0.5, self.n) if fits else None
            return state._replace(rows=rows, extremes=self._extremes()), sum(self.n) * fits
        if kind is BestRows:
            return into(_two_rows(0.5)), options["k"]
        assert kind is AllRows, kind
        if not window:
            return self._counted(0.5, self.n), sum(self.n)
        bins, first, stop, wanted = window[-1]
        rows = self._drawn[id(bins)][1].rows[:, first:stop]
        counts = (rows if wanted is None else rows[:, wanted[first:stop]]).sum(axis=1).tolist()
        return self._counted(_edge(bins, first + 0.5), counts), sum(counts)

    def room(self) -> float | None:
        return np.inf if self.elsewhere else None

    def exchange(self, columns: Any, split: Any, works: Any, told: Any) -> list[Any]:  # noqa: ARG002
        """Return what works make of rows that are counted as many."""
        cut = split.args[0].args[1].into
        numbers, first = np.unique(cut.of_bin, return_index=True)
        places = dict(zip(numbers.tolist(), first.tolist(), strict=True))
        places |= {one: places[bin_] for bin_, slices in cut.divided.items() for one, _ in slices}
        made = [one.args[1] for one in works]
        counts = [one.one.counts for one in made]
        found = [
            work(self._counted(_edge(cut.bins, places[number] + 0.5), counts[number]))
            for number, work in enumerate(made)
        ]
        n_gathered = [sum(of_work) for of_work in counts]
        # The split goes to each worker, and a piece of each partition to the worker of its range.
        largest = max(len(pickle.dumps(split)), 4 * max(n_gathered) // self.parts)
        self.did.append(Did("exchange", sum(self.n), sum(n_gathered), len(pickle.dumps(found)), largest))
        return found

    def _counted(self, score: float, counts: Sequence[int]) -> AllRows:
        rows = AllRows.of_rows(_two_rows(score))
        rows.counts = counts[0], counts[1]
        return rows

    def _extremes(self, window: Any = ()) -> Extremes:
        if window:
            bins, first, stop, _ = window[-1]
            low, high = _edge(bins, np.array([first, stop]))
            return Extremes(FLOAT32, np.float32(low), np.nextafter(np.float32(high), np.float32(0)), 0)
        low = expit(ndtri(1 / self.n[1]) - OFFSET)
        high = expit(SHIFT - ndtri(1 / self.n[0]) - OFFSET)
        return Extremes(FLOAT32, np.float32(low), np.float32(high), sum(self.n))


def _edge(bins: Any, place: Any) -> Any:
    """Return the score where a bin begins, or a score inside it for a place between two bins."""
    if isinstance(bins, Bins):
        return bins.low + place * ((bins.high - bins.low) / bins.n_bins)
    bits = bins.low + (np.asarray(place * 2.0**bins.shift).astype(np.int64))
    return _out_of_order(bits.astype(np.uint32), FLOAT32).astype(np.float64)


def _shares(bins: Any, shift: float) -> Any:
    """Return the share of a class in each bin; the first and the last of equal width hold all beyond."""
    edges = _edge(bins, np.arange(bins.n_bins + 1))
    below = ndtr(logit(np.clip(edges, 0, 1)) + OFFSET - shift)
    if isinstance(bins, Bins):
        below[0], below[-1] = 0, 1
    return np.diff(below)


def _two_rows(score: float) -> Checked:
    scores = np.full(2, score, dtype=np.float32)
    return Checked(np.array([True, False]), scores, (scores[0], scores[0]))


def _part() -> Part:
    columns = {"label": np.array([1, 0], dtype=np.int8), "score": np.full(2, 0.5, dtype=np.float32)}
    return Part(columns, Place("'rows'"))


class Timed(Source):
    """A source whose scans are timed."""

    def __init__(self, source: Source) -> None:
        self._source, self.did = source, []
        self.name, self.in_process, self.reads_again = source.name, source.in_process, source.reads_again
        self.columns, self.n_rows, self.extremes = source.columns, source.n_rows, source.extremes

    def scan(self, columns: Sequence[str], step: Any, combine: Any, told: Any) -> Any:
        _, into = step.args
        into = getattr(into, "into", into)
        kind = KINDS.get(type(into).__name__) or getattr(into, "func", into).__self__.__name__
        begin = cpu_seconds()
        found = self._source.scan(columns, step, combine, told)
        n_gathered = sum(into.counts) if kind == "AllRows" else 0
        self.did.append((Did(kind, self.n_rows() or 0, n_gathered, 0, 0), cpu_seconds() - begin))
        return found


KINDS = {"function": "Sums", "Filling": "AllRows"}  # what rows become where they are in this process
QUESTIONS = [question_of("average_precision", {})]


def measured(
    path: Path, limit: int, questions: list[Question] = QUESTIONS
) -> tuple[list[tuple[Did, float]], float]:
    """Return the scans of a real call with the CPU seconds of each, and those of the whole call."""
    source = Timed(source_of(str(path)))
    begin = cpu_seconds()
    scores_of(Job(source, ROLES, limit, tell_nobody), questions)
    return source.did, cpu_seconds() - begin


def constants(path: Path, limit: int) -> dict[str, float]:
    """Return CPU seconds per row of each kind of scan, and per row that is ranked."""
    did, total = measured(path, limit)
    job = Job(Timed(source_of(str(path))), ROLES, limit, tell_nobody)
    job.scan(Extremes.of_rows)
    kinds: dict[str, list[float]] = {}
    for one, seconds in (*did, *job.source.did):
        kinds.setdefault(one.kind, []).append(seconds / one.rows)
    ranking = (total - sum(seconds for _, seconds in did)) / sum(one.gathered for one, _ in did)
    found = {kind: sum(each) / len(each) for kind, each in kinds.items()}
    # Rows that may be too many are read as those whose bounds are asked for; the exchange reads rows once.
    return {**found, "Gathered": found["Extremes"], "exchange": found["AllRows"], "ranking": ranking}


def imagined(n_rows: int, parts: int, limit: int, *, elsewhere: bool) -> list[Did]:
    source = Imagined(n_rows, parts, elsewhere=elsewhere)
    with np.errstate(all="ignore"):  # the number is nonsense
        scores_of(Job(source, ROLES, limit, tell_nobody), QUESTIONS)
    return source.did


def seconds_of(did: list[Did]) -> float:
    return sum(one.rows * SECONDS[one.kind] + one.gathered * SECONDS["ranking"] for one in did)


def checked(folder: Path) -> list[list[str]]:
    """Return what the model says of runs in this process, beside what they did."""
    rows = []
    for n_rows, limit in RUNS:
        did, total = measured(written(Case(n_rows, POSITIVE, "float32"), folder), limit)
        model = imagined(n_rows, 1, limit, elsewhere=False)
        scans = f"{len(model)}", f"{len(did)}"
        gathered = (sum(one.gathered for one in of) for of in (model, [one for one, _ in did]))
        row = [f"{n_rows:,}", f"{limit / 1e6:,.0f}", *scans, *(f"{one:,}" for one in gathered)]
        rows.append([*row, f"{seconds_of(model):.1f}", f"{total:.1f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def planned() -> list[list[str]]:
    """Return what clusters would do."""
    rows = []
    for n_rows, workers, parts in CLUSTERS:
        did = imagined(n_rows, parts, LIMIT, elsewhere=True)
        seconds, exchanges = seconds_of(did), [one.gathered for one in did if one.kind == "exchange"]
        megabytes = (of(did_) / 1e6 for of, did_ in ((_sent, did), (_largest, did)))
        row = [f"{n_rows:.0e}", f"{workers:,}", f"{parts:,}", f"{len(did)}"]
        row += [f"{one:,.1f}" for one in megabytes]
        rows.append(
            [*row, f"{4 * sum(exchanges) / 1e9:,.0f}", f"{seconds:,.0f}", f"{seconds / workers:,.0f}"]
        )
    return rows


def _sent(did: list[Did]) -> int:
    return sum(one.sent for one in did)


def _largest(did: list[Did]) -> int:
    return max(one.largest for one in did)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plans", description=__doc__)
    parser.add_argument("--measure", action="store_true", help="print the constants of this machine")
    parser.add_argument("--check", action="store_true", help="compare the model with runs")
    parser.add_argument("--folder", type=Path, help="where files are kept (default: none is kept)")
    options = parser.parse_args(arguments)
    with folder_of(options.folder) as folder:
        if options.measure:
            found = constants(written(Case(*RUNS[0][:1], POSITIVE, "float32"), folder), RUNS[0][1])
            rows = [[name, f"{value * 1e9:.0f}"] for name, value in found.items()]
            show("CPU time per row", table(("what", "ns"), rows))
        if options.check:
            show("The model and runs in this process", table(HEADERS_OF_RUNS, checked(folder)))
    show("What clusters would do", table(HEADERS, planned()) + FOOTNOTE)


if __name__ == "__main__":
    main()
