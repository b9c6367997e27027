"""The answer for rows that do not fit into memory: our own numbers alone, from scans of the files."""

import argparse
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._family import FAMILY as NUMBERS
from .._family import K, Number
from .._reading import Asked, broken
from .._typing import ScoreFunction
from ..compatibility._records import FAMILY
from ..compatibility._rendering import FORMATS
from ..compatibility._walk import ComparisonRow
from ..distributed import scores
from ..distributed._source import Source
from . import _files
from ._counts import Counting, Counts, joined
from ._memory import in_units
from ._progress import Progress
from ._summary import Facts, facts, first_line
from ._words import in_words, say, warn_without_positives

__all__ = ["Memory", "print_beyond_memory"]

_Names = Mapping[_files.Role, str]


class Memory(NamedTuple):
    """Bytes that all rows need, and that they may take."""

    needed: int
    limit: int

    def __str__(self) -> str:
        """Return both in a few words."""
        return f"all rows in memory, about {in_units(self.needed)} where {in_units(self.limit)} are allowed"


def print_beyond_memory(
    options: argparse.Namespace, files: _files.Files, names: _Names, memory: Memory
) -> None:
    """Print the first lines and our own numbers, with what is left out."""
    _refuse_what_needs_rows(options, files, names, memory)
    counts, positive = _labels_of(options, files, names)
    known = _facts_of(options, counts, positive, names)
    _warn(options, files, counts, positive, known)
    with Progress("ranking") as told:
        rows = _rows(options, files, names, _Ranked(memory.limit, positive, known, told))
    rows = [replace(row, note=in_words(row.note, options)) for row in rows]
    left_out = f"onventions of other packages need {memory}: --memory-limit raises it."
    if options.format not in (None, "table"):
        print(FORMATS[options.format](rows))
        say("warning", f"{files.name}: c{left_out}")
        return
    value = {row.name: row.value or 0.0 for row in rows}
    chance = None if known.queries is not None else _chance(known)
    print(first_line(files.name, known, value["average precision"], value[f"recall@{known.k}"], chance))
    print(facts(known, options.k, files.noun), end="\n\n")
    print(FORMATS["table"](rows))
    print("\n" + "\n".join(textwrap.wrap(f"C{left_out}", 80, break_on_hyphens=False)))


def _refuse_what_needs_rows(
    options: argparse.Namespace, files: _files.Files, names: _Names, memory: Memory
) -> None:
    needs = {
        "--identify": options.identify is not None,
        "--why": options.why,
        "--n-positives with a column": "n_positives" in names,
        "--totals": options.totals is not None,
        "what can be read only once": any(file.is_held for file in files.files),
    }
    for what, is_asked in needs.items():
        if is_asked:
            raise _files.FileError(f"{files.name}: {what} needs {memory}; raise --memory-limit")


def _labels_of(options: argparse.Namespace, files: _files.Files, names: _Names) -> tuple[Counts, Any]:
    """Scan the labels, the weights and the ids of queries; return their counts and the positive label."""
    source, name = _source(files), names["y_true"]
    columns = source.columns()
    for one in names.values():
        if one not in columns:
            listed = _files.listed(list(columns), 10)
            raise _files.FileError(
                f"{files.name}: column {_files.shown(one)} is missing; the columns are {listed}"
            )
    counting = Counting(name, names.get("sample_weight"), names.get("query_id"))
    with Progress("counting") as told:
        counts = source.scan(counting.columns, counting, joined, told)
    if not counts:
        raise _files.FileError(f"{files.name}: hold{'s' * (len(files.files) == 1)} no rows")
    written = {_files.shown(path): path for path in files.paths}  # places name files as errors show them
    seen = [
        (written.get(one.place.name, one.place.name), one.place.first_row + one.row)
        for one in counts.values()
    ]
    column = _files.Column(
        _files.Located(files.name, files.paths, [], seen),
        name,
        _files.Coded(list(counts), np.arange(len(counts))),
    )
    which = _files.positive_labels(column, options.pos_label)
    of_positives = [label for label, positive in zip(counts, which, strict=True) if positive]
    if len(of_positives) > 1:
        problem = f"spells one label as {_files.listed(of_positives)}: rows beyond memory need one spelling"
        raise column.error(problem)
    return counts, of_positives[0] if of_positives else 1


def _source(files: _files.Files) -> Source:
    try:
        from ..distributed._engines._arrow import opened  # noqa: PLC0415  # its library is optional

        source = opened(files.paths)
    except ImportError:
        raise _files.FileError(
            f"{files.name}: rows beyond --memory-limit need pyarrow: pip install pyarrow"
        ) from None
    assert source is not None  # paths are what it reads
    return source


def _facts_of(options: argparse.Namespace, counts: Counts, positive: Any, names: _Names) -> Facts:
    n, weight = sum(one.n for one in counts.values()), sum(one.weight for one in counts.values())
    found, counted = (counts[positive].n, counts[positive].weight) if positive in counts else (0, 0.0)
    share = counted / weight if weight > 0 else 0.0  # the scan that ranks rows refuses such weights
    queries = None
    if "query_id" in names:
        queries = len(frozenset().union(*(one.queries for one in counts.values())))
    stated = None if options.n_positives is None else options.n_positives * (queries or 1)
    return Facts(n, found, stated, queries, share, (options.k or [K])[0], "sample_weight" in names, counted)


def _warn(
    options: argparse.Namespace, files: _files.Files, counts: Counts, positive: Any, known: Facts
) -> None:
    """Warn about rankings without a positive."""
    n_queries = n_with = int(positive in counts and counts[positive].weight > 0)
    if known.queries is not None:
        n_queries, n_with = known.queries, len(counts[positive].queries) if positive in counts else 0
    warn_without_positives(options, files.name, n_queries, n_with, weighted=known.weighted)


class _Ranked(NamedTuple):
    """What the scans that rank rows are told beside the columns."""

    memory_limit: int
    pos_label: Any
    known: Facts
    progress: Progress


def _rows(
    options: argparse.Namespace, files: _files.Files, names: _Names, ranked: _Ranked
) -> list[ComparisonRow]:
    """Return every number of ours; a note tells why some have none here."""
    known, empty = ranked.known, float(options.zero_division or 0)
    notes = [_note(number, known) for number in NUMBERS]
    calls = [
        _call(number, known.k, empty, options.n_positives)
        for number, note in zip(NUMBERS, notes, strict=True)
        if not note
    ]
    found = iter(_scores(files, names, calls, ranked))
    values = [None if note else next(found) for note in notes]
    reference = values[0] or 0.0
    if known.queries is not None:  # there, all rows are one ranking
        plain: _Names = {role: name for role, name in names.items() if role != "query_id"}
        call = _call(NUMBERS[0], known.k, 0.0, None)
        reference = _scores(files, plain, [call], ranked)[0]
    elif known.stated is not None and known.found:  # there, missed positives do not count
        reference *= known.stated / known.counted
    return [
        ComparisonRow(one.name.replace("@k", f"@{known.k}"), one, value, reference, note=note)
        for one, value, note in zip(FAMILY, values, notes, strict=True)
    ]


def _note(number: Number, known: Facts) -> str:
    """Return why a number is not computed from parts of the rows, if it is not."""
    one = number.definition
    if one.ties == "stable":
        return f"The order of rows decides in {number.name!r}, and needs all rows in memory."
    stated = known.stated is not None and number.takes("n_positives")
    asked = Asked(
        one.ties, one.normalizer, one.cut is not None, known.weighted, one.area.counts_weight, stated
    )
    rule = broken(asked)
    return "" if rule is None else rule.record_text.format(name=number.name)


def _call(number: Number, k: int | float, empty: float, n_positives: float | None) -> ScoreFunction:
    """Return a score with all its arguments but those of rows."""
    said = {"k": k} if number.is_cut else {}
    said |= {"zero_division": empty} if number.takes("zero_division") else {}
    if n_positives is not None and number.takes("n_positives"):
        said["n_positives"] = n_positives
    return partial(number.score, **{**number.options, **said})


def _scores(files: _files.Files, names: _Names, calls: list[ScoreFunction], ranked: _Ranked) -> list[float]:
    """Return scores of the files, all by the same scans."""
    found = scores(
        files.paths,
        calls,
        y_true=names["y_true"],
        y_score=names["y_score"],
        sample_weight=names.get("sample_weight"),
        query_id=names.get("query_id"),
        pos_label=ranked.pos_label,
        memory_limit=ranked.memory_limit,
        progress=ranked.progress,
    )
    return list(found.values())


def _chance(known: Facts) -> float:
    """Return what a random order of so many rows scores: the share of positives."""
    if known.stated is None or not known.found:
        return known.share
    return known.share * known.counted / known.stated  # missed positives add nothing
