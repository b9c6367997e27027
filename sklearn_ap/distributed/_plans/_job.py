"""The rows of a call, and how they are scanned, summed and gathered.

A scan cannot fail half-way: an engine may run a function again after a worker was lost, on several parts at
a time. So functions raise nothing, and rows that are refused are a result too. Results are combined in the
order of the parts: the same rows give the same number and the same error, wherever they are read.

Elsewhere a part may be read twice, and becomes a state that is sent and combined. In this process each part
is read once, and `Filling` and `sums_in` write what it adds straight to where it stays: rows then take their
own bytes and hardly more, where arrays of parts that are freed one by one leave gaps in memory (a third of
1e8 rows, measured).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from ..._ranking._by_class import sorted_in_place
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray
from .._source import Part, Place, Scans, Source, SourceError, Told, shown
from .._states._columns import TYPES, cast, common_type, held
from .._states._rows import AllRows, ClassPart
from .._states._sums import AnyBins, Sums
from ._part import (
    ColumnRoles,
    Negative,
    Roles,
    read_columns,
    read_part_of_source,
    refuse_absent_label,
    same_labels,
)

_BLOCK = 2**17  # rows that are written at once: copies of a whole part would stay with the allocator
_SPREAD = 2  # parts may hold so many times their share of the rows before all are counted first
_WEIGHTED_BYTES = 48  # per row with a weight, while it is ranked, beside its score

View = Callable[[Any], Checked | None]  # of rows, or of several columns


class Mergeable(Protocol):
    """What rows become."""

    def joined(self, other: Self) -> Self:
        """Return the state of both."""


class Together(NamedTuple):
    """Several states of the same rows, by one scan."""

    states: tuple[Any, ...]

    @classmethod
    def of_rows(cls, checked: Checked, into: Sequence[Callable[[Checked], Mergeable]]) -> "Together":
        """Return the states of some rows."""
        return cls(tuple(one(checked) for one in into))

    def joined(self, other: "Together") -> "Together":
        """Return the states of both."""
        return Together(tuple(one.joined(two) for one, two in zip(self.states, other.states, strict=True)))


class _Found(NamedTuple):
    """The state of some parts; None if all rows weigh 0."""

    state: Mergeable | None
    negative: Negative | None
    place: Place  # of the first part


class _Refused(NamedTuple):
    message: str


Refusable = _Found | _Refused


def _state_of_part(
    roles: Roles | ColumnRoles, into: Callable[[Any], Mergeable | None], part: Part
) -> Refusable:
    """Make a state of a part, or its error: the step of a scan."""
    try:
        if isinstance(roles, ColumnRoles):
            return _Found(into(read_columns(part, roles)), None, part.place)
        checked, negative = read_part_of_source(part, roles)
        state = None if checked is None else into(checked)
    # An engine would retry a raised error on each worker; a result travels once.
    except ValueError as error:
        return _refused(error, roles, part.place)
    return _Found(state, negative, part.place)


def _state_of_parts(roles: Roles | ColumnRoles, parts: Sequence[Refusable]) -> Refusable:
    """Combine the states of parts."""
    first, *others = parts
    for other in others:
        # Parts are in order, so the first refusal is that of the first wrong row, wherever it was read.
        if isinstance(first, _Refused):
            return first
        if isinstance(other, _Refused):
            return other
        try:
            negative = same_labels(first.negative, other.negative, roles)
            first = _Found(_state_of_both(first.state, other.state), negative, first.place)
        except ValueError as error:
            return _refused(error, roles, other.place)
    return first


def _pieces_of_part(step: Callable[[Part], Refusable], part: Part) -> dict[int, Refusable]:
    """Cut a part into pieces; a refusal is a piece, too."""
    found = step(part)
    if isinstance(found, _Refused):
        return {0: found}
    states: Any = found.state or {}
    return {number: found._replace(state=state) for number, state in states.items()}


def _result_of_pieces(
    joined: Callable[[Sequence[Refusable]], Refusable],
    work: Callable[[Any], Any],
    pieces: Sequence[Refusable],
) -> Any:
    """Do what a worker does with the pieces of all parts."""
    found = joined(pieces) if pieces else None
    return found if isinstance(found, _Refused) else work(found and found.state)


def _state_of_both(one: Mergeable | None, other: Mergeable | None) -> Mergeable | None:
    if one is None or other is None:
        return other if one is None else one
    return one.joined(other)


def _refused(error: ValueError, roles: Roles | ColumnRoles, place: Place) -> _Refused:
    """Return the error of a part; add the place of the part if the error names none."""
    if isinstance(error, SourceError):
        return _Refused(str(error))
    text = str(error).split("\n", 1)[0]
    # Errors of states know no columns: their words tell which argument they are about.
    column = roles.sample_weight if "sample_weight" in text and roles.sample_weight else roles.y_score
    return _Refused(str(place.error(column if isinstance(column, str) else column[0], text)))


class Extremes(NamedTuple):
    """The type of all scores, the lowest and the highest of them, and their number."""

    dtype: np.dtype[Any]
    low: Any
    high: Any
    n_rows: int

    @classmethod
    def of_rows(cls, checked: Checked) -> "Extremes":
        """Return the extremes of some rows."""
        score = checked.score
        return cls(score.dtype, score.min(), score.max(), score.size)

    def joined(self, other: "Extremes") -> "Extremes":
        """Return the extremes of both."""
        dtype = common_type(self.dtype, other.dtype, lambda: int(min(self.low, other.low)))
        # In different types, unequal numbers may compare as equal.
        bounds = cast(np.array([self.low, self.high]), dtype), cast(np.array([other.low, other.high]), dtype)
        low, high = min(one[0] for one in bounds), max(one[1] for one in bounds)
        return Extremes(dtype, low, high, self.n_rows + other.n_rows)


class Level(NamedTuple):
    """Neighbouring bins, or the wanted ones among them."""

    bins: AnyBins
    first: int
    stop: int
    wanted: BoolArray | None = None  # one for each of `bins`; None if all are

    def holds(self, score: AnyArray) -> BoolArray:
        """Return which scores lie in these bins."""
        # One look-up per row takes half of the time of two comparisons. Rows in bins that are not wanted stay
        # sums, which were found by an earlier scan.
        chosen = np.zeros(self.bins.n_bins, dtype=bool)
        chosen[self.first : self.stop] = True if self.wanted is None else self.wanted[self.first : self.stop]
        inside: BoolArray = chosen[self.bins.of(score)]
        return inside


Window = tuple[Level, ...]  # bins, perhaps inside one bin of others; all scores without any
EVERYWHERE: Window = ()


@dataclass(frozen=True)
class Inside:
    """Make a state, by `into`, of the rows of a part that lie in a window; None without such rows."""

    into: Callable[[Checked], Any]
    window: Window = EVERYWHERE
    views: tuple[View, ...] = ()  # what the rows are taken for, one view after the other

    def __call__(self, part: Any) -> Any:
        """Return the state."""
        for view in self.views:
            part = view(part)
            if part is None:
                return None
        checked: Checked = part._replace(score=held(part.score))
        if self.window:
            outer, *inner = self.window
            inside = outer.holds(checked.score)
            for level in inner:
                inside &= level.holds(checked.score)
            checked = checked.take(np.flatnonzero(inside))
        return self.into(checked) if checked.score.size else None


def without_weights(checked: Checked) -> Checked:
    """Take rows for rows that weigh the same; those of weight 0 were dropped before."""
    return checked._replace(weight=None)


def heaviest_first(checked: Checked) -> Checked | None:
    """Take the positives for rows that are ranked by their weights; None without positives."""
    rows = np.flatnonzero(checked.positive)
    if not rows.size:
        return None
    positives = checked.take(rows)
    weight = np.ones(rows.size) if positives.weight is None else positives.weight
    return positives._replace(score=weight, bounds=(weight.min(), weight.max()))


@dataclass(frozen=True)
class Job:
    """Rows somewhere, the columns that take part, and the memory that rows may take."""

    source: Source
    roles: Roles | ColumnRoles
    memory_limit: int
    told: Told
    views: tuple[View, ...] = ()  # what rows are taken for, such as rows without weights
    found: "list[Extremes]" = field(default_factory=list)  # the bounds of all scores, once a scan knows them

    def scan(self, into: Callable[[Checked], Mergeable | None], window: Window = EVERYWHERE) -> Any:
        """Return the state of all rows in a window, or raise SourceError if no row is there."""
        state = self.scan_for(Inside(into, window, self.views))
        # Rows of weight 0 are dropped where they are read, so a part of such rows has no state.
        if state is None and self.roles.sample_weight is not None:
            column = shown(self.roles.sample_weight)
            raise SourceError(f"{self.source.name}: column {column}: all rows weigh 0")
        if state is None:  # rows are looked for where there were some
            raise SourceError(f"{self.source.name}: changed between two scans: rows are gone")
        return state

    def scan_for(self, into: Callable[[Checked], Mergeable | None]) -> Any:
        """Return the state of all rows, or raise SourceError about the first row that is refused.

        `into` makes the state of a part's `Checked`, or `CheckedColumns`, or None. It can be pickled.
        """
        step, joined = partial(_state_of_part, self.roles, into), partial(_state_of_parts, self.roles)
        found = self.source.scan(self.roles.columns, step, joined, self._begun())
        if found is None:
            raise SourceError(f"{self.source.name}: holds no rows")
        if isinstance(found, _Refused):
            raise SourceError(found.message)
        refuse_absent_label(found.negative, self.roles, self.source.name)
        return found.state

    def exchange(self, into: Callable[[Any], Any], works: Sequence[Callable[[Any], Any]]) -> list[Any]:
        """Return what each of `works` makes, on a worker, of its rows.

        `into` maps numbers of works to states of a part's rows.
        """
        joined = partial(_state_of_parts, self.roles)
        called = [partial(_result_of_pieces, joined, work) for work in works]
        split = partial(_pieces_of_part, partial(_state_of_part, self.roles, into))
        found = self.source.exchange(self.roles.columns, split, called, self._begun())
        for one in found:
            if isinstance(one, _Refused):
                raise SourceError(one.message)
        return found

    def _begun(self) -> Told:
        """Return what is told about the parts of a scan that begins."""
        if isinstance(self.told, Scans):
            self.told.begin()
        return self.told

    def expect(self, n_scans: int) -> None:
        """Let progress say how many scans are still to come."""
        if isinstance(self.told, Scans):
            self.told.expect(n_scans)

    def seen(self, view: View) -> "Job":
        """Return the job of rows that are taken for others."""
        return replace(self, views=(*self.views, view), found=[])

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that count."""
        return self.roles.sample_weight is not None and without_weights not in self.views

    @cached_property
    def score_type(self) -> np.dtype[Any] | None:
        """The type of scores that are numbers, if the source tells it."""
        columns, decimals = self.source.columns(), self.source.decimals
        types = {TYPES["int64"] if decimals.get(one) else columns.get(one) for one in self.roles.scores}
        dtype = types.pop() if len(types) == 1 else None
        return dtype if dtype is not None and dtype.kind in "biuf" else None

    @cached_property
    def n_rows(self) -> int | None:
        """The number of rows, or of cells of several columns, if the source tells it."""
        n_rows = self.source.n_rows()
        return None if n_rows is None else n_rows * len(self.roles.scores)

    def extremes(self) -> Extremes:
        """Return the bounds of all scores: from statistics of the source or, if it has none, by a scan."""
        if self.found:
            return self.found[0]
        are_floats = not any(self.source.decimals.get(one) for one in self.roles.scores)
        bounds = [self.source.extremes(one) if are_floats else None for one in self.roles.scores]
        known = [one for one in bounds if one is not None]
        if len(known) < len(bounds) or self.n_rows is None or self.score_type is None:
            found: Extremes = self.scan(Extremes.of_rows)
            return found
        low, high = min(low for low, _ in known), max(high for _, high in known)
        return Extremes(self.score_type, low, high, self.n_rows)

    @property
    def row_bytes(self) -> int:
        """Bytes per row in memory."""
        # A state holds scores in 4 or 8 bytes, whatever their type in the source.
        of_score = 8 if self.score_type is None else min(max(self.score_type.itemsize, 4), 8)
        return of_score + _WEIGHTED_BYTES if self.is_weighted else of_score

    def filled(self, n_rows: int, window: Window = EVERYWHERE) -> "Filling | None":
        """Return the rows of a window in one array, or None where parts are states.

        The array is filled in this process, and has no weights. It may turn out to be the wrong one.
        """
        if not self.source.in_process or self.is_weighted or self.score_type is None:
            return None
        filling = Filling(self.score_type, n_rows)
        # Without a window, `Filling` reads parts block by block, in their own type.
        as_it_is = not window and not self.views
        self.scan_for(filling if as_it_is else Inside(filling, window, self.views))
        return filling


def all_rows(job: Job) -> AllRows | None:
    """Return all rows; or None if they do not fit, but can be read again."""
    n_rows, size, limit = job.n_rows, job.row_bytes, job.memory_limit
    if n_rows is None or n_rows * size <= limit:
        # One array that is filled in place needs no copy of the parts: half the memory of what follows.
        filling = None if n_rows is None or not job.source.reads_again else job.filled(n_rows)
        rows = None if filling is None else filling.rows()
        if rows is not None:
            return rows
        # Where the number of rows is unknown, rows are gathered until they are too many, then only counted.
        n_parts = job.source.n_parts()
        most = None if n_parts is None else min(_SPREAD * limit // n_parts, limit)
        gathered: Gathered = job.scan(partial(Gathered.of_rows, row_bytes=size, limit=limit, most=most))
        if gathered.rows is not None:
            return gathered.rows
        n_rows = gathered.extremes.n_rows
        job.found.append(gathered.extremes)
        if n_rows * size <= limit:  # but one part held more than its share
            of_all: AllRows = job.scan(AllRows.of_rows)
            return of_all
    if not job.source.reads_again:
        raise too_large(job, n_rows, size)
    return None


def too_large(job: Job, n_rows: int | None, row_bytes: int) -> SourceError:
    """Return the error of data that can be read only once, and do not fit."""
    least = f"be at least {n_rows * row_bytes} bytes" if n_rows else "hold all rows"
    rows = f"all {n_rows} rows" if n_rows else "they"
    return SourceError(
        f"{job.source.name}: memory_limit must {least} here: the data can be read only once, so {rows} must "
        f"fit; got {job.memory_limit} bytes"
    )


def sums_in(job: Job, bins: AnyBins, window: Window = EVERYWHERE) -> Sums:
    """Return how many rows each bin holds, and what they weigh."""
    if not job.source.in_process or job.is_weighted:
        summed: Sums = job.scan(partial(Sums.of_rows, bins=bins), window)
        return summed
    rows, lock = np.zeros((2, bins.n_bins), dtype=np.int64), Lock()

    def add(checked: Checked) -> None:
        """Add the rows of a part, from any thread: integers come to the same in any order."""
        counts = Sums.of_rows(checked, bins).rows
        with lock:
            np.add(rows, counts, out=rows)

    job.scan_for(Inside(add, window, job.views))
    return Sums(rows)


class Gathered(NamedTuple):
    """All rows and their bounds, or only the bounds once rows take more memory than they may.

    Parts that each hold their share of the limit take no more than it together, wherever they wait.
    """

    rows: AllRows | None
    extremes: Extremes
    row_bytes: int
    limit: int

    @classmethod
    def of_rows(cls, checked: Checked, row_bytes: int, limit: int, most: int | None) -> "Gathered":
        """Return the rows of a part, unless they take more than `most` bytes."""
        fits = most is None or checked.score.size * row_bytes <= most
        extremes = Extremes.of_rows(checked)
        return cls(AllRows.of_rows(checked) if fits else None, extremes, row_bytes, limit)

    def joined(self, other: "Gathered") -> "Gathered":
        """Return the rows of both."""
        extremes, rows = self.extremes.joined(other.extremes), None
        if (
            self.rows is not None
            and other.rows is not None
            and extremes.n_rows * self.row_bytes <= self.limit
        ):
            rows = self.rows.joined(other.rows)
        return self._replace(rows=rows, extremes=extremes)


class Filling:
    """An array of scores: positives from its first place up, negatives from its last place down.

    Parameters
    ----------
    dtype : dtype
        The type of all scores, as the source states it.
    n_rows : int
        How many there are.
    """

    def __init__(self, dtype: np.dtype[Any], n_rows: int) -> None:
        self._score: AnyArray = np.empty(n_rows, dtype=held(np.empty(0, dtype=dtype)).dtype)
        self._lock = Lock()
        self.counts, self._fits = (0, 0), True

    def __call__(self, checked: Checked) -> None:
        """Add the rows of a part, from any thread; rows that do not fit are only counted."""
        n_rows, n_positives = checked.score.size, int(np.count_nonzero(checked.positive))
        dtype = held(checked.score[:0]).dtype
        with self._lock:
            first, n_negatives = self.counts
            self.counts = first + n_positives, n_negatives + n_rows - n_positives
            self._fits &= sum(self.counts) <= self._score.size and _is_exact(dtype, self._score.dtype)
            fits = self._fits
        # Each thread has places of its own, so it writes without the lock.
        if fits:
            stop = self._score.size - n_negatives
            self._write(checked.score, checked.positive, first)
            self._write(checked.score, ~checked.positive, stop - (n_rows - n_positives))

    def _write(self, score: AnyArray, chosen: BoolArray, first: int) -> None:
        """Write the chosen scores from a place on."""
        for low in range(0, score.size, _BLOCK):
            rows = np.flatnonzero(chosen[low : low + _BLOCK])
            block = cast(held(score[low : low + _BLOCK]), self._score.dtype)
            # All rows exist. With mode="clip" numpy writes into `out`, and not into a copy of it first.
            block.take(rows, out=self._score[first : first + rows.size], mode="clip")
            first += rows.size

    def rows(self) -> AllRows | None:
        """Return the rows, or None unless all were written; call it once, when all parts were added."""
        if not self._fits or sum(self.counts) != self._score.size:
            return None
        n_positives = self.counts[0]
        classes = sorted_in_place(self._score[:n_positives], self._score[n_positives:])
        return AllRows.of_sorted(*(ClassPart(score, None) for score in classes))


def _is_exact(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether `wanted` is the type of a state that holds rows of both types."""
    return dtype == wanted or (wanted == TYPES["float64"] and dtype.itemsize == 4)
