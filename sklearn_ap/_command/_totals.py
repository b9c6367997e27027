"""Totals of positives: those that rows repeat, and those of a file with a row per query.

Such a file also names queries that have no row of scores.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._reading._queries import QueryIds, distinct_queries
from ..distributed._engines._files import of_paths
from ..distributed._plans._part import read_queries, refuse_ids, refuse_numbers
from ..distributed._source import Part, Place, SourceError, shown


class Total(NamedTuple):
    """The total of positives that rows state."""

    value: float
    place: Place  # of the first of these rows


Totals = Mapping[Any, Total]  # by query; under None without queries


def totals_in(part: Part, column: str, query: QueryIds | None) -> Totals:
    """Return the total of each query, which all of its rows repeat."""
    refuse_ids(part, [column])
    refuse_numbers(part, column, negative=False, what="total")
    total = part.columns[column].astype(np.float64, copy=False)
    ids, place = ([None], np.zeros(total.size, np.intp)) if query is None else distinct_queries(query)
    first = np.full(len(ids), total.size)
    np.minimum.at(first, place, np.arange(total.size))
    differs = np.flatnonzero(total != total[first[place]])[:1].tolist()
    rows = [*first.tolist(), *differs]
    names = [*ids, *(ids[place[row]] for row in differs)]
    found = [
        {one: Total(float(total[row]), part.place._replace(first_row=part.place.first_row + row))}
        for one, row in zip(names, rows, strict=True)
    ]
    return joined_totals(found, column)


def joined_totals(parts: Iterable[Totals], column: str) -> Totals:
    """Return the totals of several parts, or raise where two of one query differ."""
    totals: dict[Any, Total] = {}
    for part in parts:
        for query, total in part.items():
            said = totals.setdefault(query, total)
            if said.value != total.value:
                of = "" if query is None else f" for query {shown(query)}"
                where = "" if said.place.name == total.place.name else f" of {said.place.name}"
                beside = f"row {said.place.first_row + 1}{where} has {said.value:g}"
                problem = f"{total.value:g}{of}, but {beside}: all rows of a ranking repeat its total"
                raise total.place.error(column, problem, 0)
    return totals


def totals_of_file(options: argparse.Namespace, ids: Sequence[Any], name: str) -> dict[str, float]:
    """Return the total of each id as text: first those of the rows in the files of this name.

    Text is what the ids of two files have in common: one file may hold numbers where the other holds their
    digits.
    """
    columns = [options.query_id, options.n_positives]
    source = of_paths([options.totals], None, columns)
    found = source.scan(columns, _OfPart(*columns), _JoinedTotals(options.n_positives), lambda *_: None)
    if found is None or isinstance(found, str):
        raise SourceError(found or f"{source.name}: holds no rows")
    others = dict(zip(texts_of(found), (total.value for total in found.values()), strict=True))
    unknown = [one for one in texts_of(ids) if one not in others]
    if unknown:
        listed = ", ".join(map(shown, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        raise SourceError(
            f"{source.name}: column {shown(options.query_id)} lacks {listed}, but {name} has rows of it: "
            "--totals needs a total for each query"
        )
    own = {one: others.pop(one) for one in texts_of(ids)}
    return own | others


def texts_of(ids: Iterable[Any]) -> list[str]:
    """Return ids as text: a column of floats and one of integers have the same text for a number."""
    return [str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in ids]


@dataclass(frozen=True)
class _OfPart:
    """What reads the totals of a part; errors are results, and the first one is raised."""

    query_id: str
    n_positives: str

    def __call__(self, part: Part) -> Totals | str:
        try:
            return totals_in(part, self.n_positives, read_queries(part, self.query_id))
        except SourceError as error:
            return str(error)


@dataclass(frozen=True)
class _JoinedTotals:
    """How totals of parts are combined."""

    n_positives: str

    def __call__(self, parts: Sequence[Totals | str]) -> Totals | str:
        for part in parts:
            if isinstance(part, str):
                return part
        try:
            return joined_totals([part for part in parts if not isinstance(part, str)], self.n_positives)
        except SourceError as error:
            return str(error)
