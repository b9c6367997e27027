"""Means over queries of rows that may not fit into memory.

One scan gathers the rows if they fit. If they do not, it gathers those of some queries, and counts the rows
of all others: ids fall into buckets, and each further scan gathers the queries of as many buckets as fit. A
query is never cut, so one that takes more memory than it may is gathered all the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from numbers import Number
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..._api import Averaging, rankings_in
from ..._reading._queries import Grouped, ObjectIds, QueryIds, grouped, listed, refuse_queries
from ..._reading._read import Checked
from ..._reading._totals import check_named, named_queries, read_totals
from ..._typing import AnyArray, Average, FloatArray, IntArray, QueryId, ScoreByQuery
from .._question import Question
from .._source import SourceError, shown
from .._states._columns import held
from . import _plan
from ._job import Job, too_large
from ._part import joined_ids, joined_rows, numbered

_ROW_BYTES = 64  # per row at most, while it is ranked: 36 to 55, with text as ids 46 to 62
_WEIGHTED_BYTES = 112  # the same with a weight: 75 to 100
_NEAR_LIMIT = 0.9  # of the memory is planned for, since queries differ in size
_MOST_BUCKETS = 2**14  # whose counts take 128 KB
_BUCKETS_PER_RANGE = 32
# Share of the rows that fit which is kept where a scan gathered too many; a smaller one copies less often.
_PRUNED = 0.75
_SMALL = 2**61 - 1  # smaller integers are their own hash, but for -1
_NANOSECONDS = {"W": 604_800 * 10**9, "D": 86_400 * 10**9, "h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9}
_NANOSECONDS |= {"ms": 10**6, "us": 10**3, "ns": 1}
_AVERAGES = ("macro", "weighted", "micro", None)


def scores_of_queries(job: Job, questions: list[Question], average: Average) -> list[float | FloatArray]:
    """Return the scores of all queries, averaged as in memory; ``average=None`` gives one value per query.

    Memory stays within the limit, beside 16 bytes per query and score, unless a single query takes more.
    """
    refuse_queries(several_columns=False, average=average)
    if average not in _AVERAGES:
        raise ValueError(f"average must be 'macro', 'weighted', 'micro' or None; got {average!r}.")
    if average == "micro":
        return list(_plan.scores_of(job, _pooled(job, questions)))
    return [one.mean(average) for one in _values_of(job, questions)]


def by_query(job: Job, questions: list[Question]) -> list[ScoreByQuery]:
    """Return the value of each query under its id, for each of several scores; queries are sorted."""
    found = _values_of(job, questions)
    return [dict(zip(one.names, np.asarray(one.mean(None)).tolist(), strict=True)) for one in found]


class _Values(NamedTuple):
    """The value of each query, by ascending id."""

    question: Question
    names: list[QueryId]
    values: FloatArray
    positives: FloatArray  # in weight, found or missed

    def mean(self, average: Average) -> float | FloatArray:
        """Return the mean of the values, or all of them."""
        return mean_of(self.question, self.values, self.positives, average)


def mean_of(
    question: Question, values: FloatArray, positives: FloatArray, average: Average
) -> float | FloatArray:
    """Return the mean of the values of rankings, or all of these; `positives` are found or missed."""
    weights, options = positives if average == "weighted" else None, question.options
    return Averaging(positives > 0, weights, one_value=average is not None).of(
        values, zero_division=options["zero_division"], caller=options["caller"], reference=None
    )


def _values_of(job: Job, questions: list[Question]) -> list[_Values]:
    """Return the values of all queries."""
    found = [_of_range(job, checked, questions) for checked in ranges_of_queries(job)]
    ids = joined_ids([ids for ids, _ in found])
    sorted_ids, offsets, place = _grouped(job, ids)
    if offsets[-1] != offsets.size - 1:
        raise SourceError(f"{job.source.name}: changed between two scans: a query came twice")
    # Each range is sorted by itself; all together, they are not.
    order = slice(None) if place is None else np.argsort(place)
    values = np.concatenate([values for _, values in found], axis=2)[:, :, order]
    names = listed(sorted_ids)
    return [
        _with_stated(_Values(question, names, *one), ids)
        for question, one in zip(questions, values, strict=True)
    ]


def ranges_of_queries(job: Job) -> Iterator[Checked]:
    """Yield the rows of all queries, as many queries at a time as fit."""
    most_rows = max(job.memory_limit // _row_bytes(job), 1)
    share: Share | None = job.scan(partial(Share.of_rows, most=_first_scan(job, most_rows)))
    assert share is not None, job
    counts, first, buckets = share.counts, share.stop, share.most
    if counts[first:].any() and not job.source.reads_again:
        raise too_large(job, int(counts.sum()), _row_bytes(job))
    if counts[:first].any():
        yield _checked_of(job, share)
    del share  # before the next one is gathered
    stops = [first]
    while counts[stops[-1] :].any():
        stops.append(stop_of(counts, stops[-1], most_rows))
    job.expect(len(stops) - 1)
    for first, stop in pairwise(stops):
        most = buckets._replace(first=first, stop=stop, n_rows=None)
        share = job.scan_for(partial(Share.of_rows, most=most))
        found = 0 if share is None else share.n_held
        if share is None or found != counts[first:stop].sum():
            raise SourceError(
                f"{job.source.name}: changed between two scans: {counts[first:stop].sum()} rows of some "
                f"queries became {found}"
            )
        yield _checked_of(job, share)
        del share


class Buckets(NamedTuple):
    """Which buckets of queries a scan gathers."""

    n_buckets: int
    first: int
    stop: int
    n_rows: int | None  # the first scan counts all rows, and gathers fewer buckets if it has more than these


class Share(NamedTuple):
    """The rows of some buckets and, after the first scan, how many rows each bucket has in all.

    Parts may also hold rows of later buckets; they are dropped when memory runs short.
    """

    parts: tuple[tuple[AnyArray, Checked], ...]  # the bucket of each row, and the rows
    counts: IntArray
    stop: int
    total_weight: float
    most: Buckets

    @classmethod
    def of_rows(cls, checked: Checked, most: Buckets) -> "Share":
        """Return the rows of a part that are in the buckets."""
        query: Any = checked.query
        bucket = buckets_of(query, most.n_buckets)
        # Later scans know the counts from the first one, and do not send them again.
        is_first = most.n_rows is not None
        counts = np.bincount(bucket, minlength=most.n_buckets) if is_first else np.empty(0, dtype=np.int64)
        total = float(checked.score.size if checked.weight is None else checked.weight.sum())
        rows = checked._replace(score=held(checked.score))
        share = cls(((bucket, rows),), counts, most.stop, total, most)
        return share._replace(parts=tuple(share._between(most.first, most.stop)))._fitted()

    @property
    def n_held(self) -> int:
        """Number of rows in memory."""
        return sum(bucket.size for bucket, _ in self.parts)

    def joined(self, other: "Share") -> "Share":
        """Return the rows of both shares."""
        total = self.total_weight + other.total_weight
        if not np.isfinite(total):
            raise ValueError(
                "sample_weight adds up to infinity; divide it by a constant, which changes no score."
            )
        parts, counts = self.parts + other.parts, self.counts + other.counts
        return Share(parts, counts, min(self.stop, other.stop), total, self.most)._fitted()

    def _fitted(self) -> "Share":
        """Return the share with fewer buckets if it holds too many rows."""
        most = self.most.n_rows
        if most is None or self.n_held <= most:
            return self
        stop = min(stop_of(self.counts, 0, most * _PRUNED), self.stop)
        if self.counts[:stop].sum() == self.n_held:  # a single bucket, which is not cut
            return self
        return self._replace(parts=tuple(self._between(0, stop)), stop=stop)

    def _between(self, first: int, stop: int) -> Iterator[tuple[AnyArray, Checked]]:
        """Yield the rows of some buckets; parts of which all rows stay are not copied."""
        for bucket, rows in self.parts:
            kept = np.flatnonzero((bucket >= first) & (bucket < stop))
            if kept.size:
                yield (bucket, rows) if kept.size == bucket.size else (bucket[kept], rows.take(kept))

    def checked(self) -> Checked:
        """Return the rows of the buckets before `stop`, in the order of the parts, or raise ValueError."""
        return joined_rows([rows for _, rows in self._between(0, self.stop)])


def stop_of(counts: IntArray, first: int, n_rows: float) -> int:
    """Return the end of the buckets that hold at most `n_rows` rows, or one bucket with more."""
    within = np.cumsum(counts[first:])
    fit = int(within.searchsorted(n_rows, side="right"))
    least = int(within.searchsorted(0, side="right")) + 1
    return first + min(max(fit, least), within.size)


def _first_scan(job: Job, most_rows: int) -> Buckets:
    """Return what the first scan gathers: all rows, or about as many as fit if their number is known."""
    n_rows = job.n_rows
    if n_rows is None:
        return Buckets(_MOST_BUCKETS, 0, _MOST_BUCKETS, most_rows)
    n_ranges = n_rows / most_rows
    n_buckets = min(2 ** (int(n_ranges) * _BUCKETS_PER_RANGE).bit_length(), _MOST_BUCKETS)
    if n_ranges <= 1 or not job.source.reads_again:
        return Buckets(n_buckets, 0, n_buckets, most_rows)
    return Buckets(n_buckets, 0, max(int(n_buckets * _NEAR_LIMIT / n_ranges), 1), most_rows)


def _row_bytes(job: Job) -> int:
    return _ROW_BYTES if job.roles.sample_weight is None else _WEIGHTED_BYTES


@contextmanager
def _about(job: Job, column: str | None) -> Iterator[None]:
    """Name the rows and the column in errors of functions that know neither."""
    try:
        yield
    except ValueError as error:
        raise SourceError(f"{job.source.name}: column {shown(column)}: {error}") from None


def _checked_of(job: Job, share: Share) -> Checked:
    with _about(job, job.roles.scores[0]):
        return share.checked()


def _grouped(job: Job, ids: QueryIds) -> Grouped:
    with _about(job, job.roles.query_id):
        return grouped(ids)


def _of_range(job: Job, checked: Checked, questions: list[Question]) -> tuple[QueryIds, FloatArray]:
    """Return the sorted queries among the rows and, per score, the values and the positives of each."""
    query: Any = checked.query
    ids, offsets, place = _grouped(job, query)
    if place is None:
        place = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    # Numbers instead of ids are grouped faster for every score; totals need the ids.
    numbered = checked._replace(query=place)
    values = np.zeros((len(questions), 2, len(ids)))
    for found, one in zip(values, questions, strict=True):
        stated = read_totals(one.options["n_positives"], query)
        if isinstance(stated, dict):
            stated = {name: stated[name] for name in listed(ids) if name in stated}
            if len(stated) < len(ids):  # refused once all queries are known
                continue
        rows, definition = numbered if stated is None else checked, one.definition
        rankings, averaging = rankings_in(rows, stated, average="weighted", definition=definition)
        found[:] = definition.of(rankings), averaging.weights
    return ObjectIds(ids, np.arange(len(ids))) if isinstance(ids, list) else ids, values


def _with_stated(found: _Values, ids: QueryIds) -> _Values:
    """Return the values with those of queries that have a stated total, but no rows: they score 0."""
    stated = read_totals(found.question.options["n_positives"], ids)
    if not isinstance(stated, dict):
        return found
    names = named_queries(found.names, stated)
    place_of = {name: place for place, name in enumerate(names)}
    places = [place_of[name] for name in found.names]
    values, positives = np.zeros(len(names)), np.array([float(stated[name]) for name in names])
    values[places], positives[places] = found.values, found.positives
    return _Values(found.question, names, values, positives)


def _pooled(job: Job, questions: list[Question]) -> list[Question]:
    """Return the scores of all queries as one ranking: totals by query are added up."""
    if not any(hasattr(one.options["n_positives"], "items") for one in questions):
        return questions
    distinct: DistinctIds = job.scan(DistinctIds.of_rows)
    ids, pooled = distinct.ids, []
    for one in questions:
        stated = read_totals(one.options["n_positives"], ids)
        if isinstance(stated, dict):
            check_named(listed(_grouped(job, ids)[0]), stated)
            total = np.array(list(stated.values()), dtype=np.float64).sum()
            one = one.with_options(n_positives=float(total))  # noqa: PLW2901  # the same score
        pooled.append(one)
    return pooled


class DistinctIds(NamedTuple):
    """The distinct ids of some parts."""

    ids: QueryIds

    @classmethod
    def of_rows(cls, checked: Checked) -> "DistinctIds":
        """Return the distinct ids of some rows."""
        query: Any = checked.query
        return cls(query if isinstance(query, ObjectIds) else np.unique(query))

    def joined(self, other: "DistinctIds") -> "DistinctIds":
        """Return the distinct ids of both."""
        both = joined_ids([self.ids, other.ids])
        if isinstance(both, ObjectIds):
            return DistinctIds(ObjectIds(both.distinct, np.arange(len(both.distinct))))
        return DistinctIds(np.unique(both))


def buckets_of(query: QueryIds, n_buckets: int) -> AnyArray:
    """Return which of at most 2**16 buckets each row falls into.

    Equal ids of any type fall into the same one, in all processes and on all machines.
    """
    bits = _bits(query)
    # Neighbouring ids shall stand far apart, so this is the finaliser of splitmix64.
    mixed = bits ^ (bits >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed % np.uint64(n_buckets)).astype(np.uint16)


def _bits(query: QueryIds) -> AnyArray:
    """Return 64 bits per id: those of Python's hash, which numbers of any type share if they are equal."""
    if not isinstance(query, ObjectIds):
        if query.dtype.kind in "mM":
            return _bits_of_dates(query)
        with np.errstate(invalid="ignore"):  # what is no integer differs below
            whole = query.astype(np.int64)
        # The usual ids, without a hash per row.
        if (whole == query).all() and whole.min() > -_SMALL and whole.max() < _SMALL:
            whole[whole == -1] = hash(-1)
            return whole.view(np.uint64)
    distinct, number = numbered(query)
    bits = np.fromiter(map(_bits_of_object, distinct), np.uint64, len(distinct))
    return np.asarray(bits[number])


def _bits_of_dates(query: AnyArray) -> AnyArray:
    """Return the nanoseconds of dates or durations; what overflows, from 2262 on, wraps around."""
    unit, count = np.datetime_data(query.dtype)
    if unit in ("Y", "M"):  # days, of different numbers
        query, unit, count = query.astype(f"{query.dtype.kind}8[D]"), "D", 1
    if unit not in _NANOSECONDS:
        return query.astype(f"{query.dtype.kind}8[ns]").view(np.uint64)
    # By hand, since numpy 2.5 refuses what overflows. Equal dates of two units still have equal bits.
    return query.astype(np.int64).view(np.uint64) * np.uint64(count * _NANOSECONDS[unit] % 2**64)


def _bits_of_object(one: Any) -> int:
    """Return 64 bits of a Python object. Python's hash of text differs from process to process."""
    if isinstance(one, Number):
        return hash(one) % 2**64
    if isinstance(one, tuple):
        one = str([_bits_of_object(item) for item in one])
    elif not isinstance(one, str | bytes):
        one = repr(one)
    return crc32(one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one)
