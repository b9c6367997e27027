"""The answer for rows that do not fit into memory: our own numbers alone, from scans of the files."""

import argparse
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from .._definition import needs_equal_weights
from .._family import FAMILY as NUMBERS
from .._family import K, Number
from .._typing import ScoreFunction
from ..compatibility._records._lookup import FAMILY
from ..compatibility._rendering import FORMATS
from ..compatibility._walk import ComparisonRow
from ..distributed import scores
from ..distributed._engines._files import Files
from ..distributed._source import SourceError
from ._rows import FileRows, Role, in_units
from ._summary import Facts, facts, first_line
from ._words import Progress, in_words, noun_of, say, warn_of_no_positive


class Memory(NamedTuple):
    """Bytes that all rows need, and that they may take."""

    needed: int
    limit: int

    def __str__(self) -> str:
        """Return both in a few words."""
        return f"all rows in memory, about {in_units(self.needed)} where {in_units(self.limit)} are allowed"


def print_beyond_memory(
    options: argparse.Namespace,
    source: Files,
    names: Mapping[Role, str],
    held: tuple[FileRows, Any],
    memory: Memory,
) -> None:
    """Print our own numbers, and what is left out; `held` is the rows and the positive label."""
    rows, positive = held
    needs = {
        "--identify": options.identify is not None,
        "--why": options.why,
        "--totals": options.totals is not None,
    }
    for what, is_asked in needs.items():
        if is_asked:
            raise SourceError(f"{source.name}: {what} needs {memory}; raise --memory-limit")
    known = _facts_of(options, rows, positive, names)
    n_with = len(rows.queries.get(positive, ())) if known.queries is not None else int(known.counted > 0)
    weighted = known.weighted
    n_counted = 1 if known.averaged is None else known.averaged[0] - known.averaged[1]
    warn_of_no_positive(options, source.name, n_counted, n_with, weighted=weighted)
    totals = {one: total.value for one, total in rows.totals.items()}
    stated = options.n_positives if not totals else totals.get(None, totals)
    with Progress("ranking") as told:
        found = _rows_of_ours(options, source, names, _Ranked(memory.limit, positive, stated, known, told))
    table = [replace(row, note=in_words(row.note, options)) for row in found]
    left_out = f"onventions of other packages need {memory}: --memory-limit raises it."
    if options.format not in (None, "table"):
        print(FORMATS[options.format](table))
        say("warning", f"{source.name}: c{left_out}")
        return
    value = {row.name: row.value or 0.0 for row in table}
    score, recall = value["average precision"], value[f"recall@{known.k}"]
    print(first_line(source.name, known, score, recall, _yardstick(known)))
    print(facts(known, options.k, noun_of(source)), end="\n\n")
    print(FORMATS["table"](table))
    print("\n" + "\n".join(textwrap.wrap(f"C{left_out}", 80, break_on_hyphens=False)))


def _facts_of(options: argparse.Namespace, rows: FileRows, positive: Any, names: Mapping[Role, str]) -> Facts:
    weight = sum(one.weight for one in rows.labels.values())
    one = rows.labels.get(positive)
    found, counted = (one.n, one.weight) if one else (0, 0.0)
    queries = averaged = None
    if "query_id" in names:
        weighed = frozenset().union(*(ids for label, ids in rows.queries.items() if label is not None))
        queries = len(weighed.union(*rows.queries.values()))
        n_named = len(rows.totals or weighed)
        averaged = n_named, n_named - len(weighed)
    stated = None if options.n_positives is None else sum(one.value for one in rows.totals.values())
    if isinstance(options.n_positives, float):
        stated = options.n_positives * (1 if averaged is None else averaged[0])
    k, weighted = (options.k or [K])[0], "sample_weight" in names
    return Facts(rows.n, found, stated, queries, counted / weight, k, weighted, counted, averaged)


class _Ranked(NamedTuple):
    """What the scans that rank rows are told beside the columns."""

    memory_limit: int
    pos_label: Any
    stated: Any  # positives in all, or of each query
    known: Facts
    progress: Progress


def _rows_of_ours(
    options: argparse.Namespace, source: Files, names: Mapping[Role, str], ranked: _Ranked
) -> list[ComparisonRow]:
    """Return every number of ours; a note tells why some have none here."""
    known, empty = ranked.known, float(options.zero_division or 0)
    notes = [_note(number, known) for number in NUMBERS]
    calls = [
        _call(number, known.k, empty, ranked.stated)
        for number, note in zip(NUMBERS, notes, strict=True)
        if not note
    ]
    found = iter(_scores_of_files(source, names, calls, ranked))
    values = [None if note else next(found) for note in notes]
    reference = values[0] or 0.0
    if known.queries is not None:  # there, all rows are one ranking
        plain: dict[Role, str] = {role: name for role, name in names.items() if role != "query_id"}
        call = _call(NUMBERS[0], known.k, 0.0, None)
        reference = _scores_of_files(source, plain, [call], ranked)[0]
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
    needs = needs_equal_weights(one.area, one.ties, one.normalizer, one.cut, states_totals=stated)
    return needs.of_record(number.name) if needs is not None and known.weighted else ""


def _call(number: Number, k: int | float, empty: float, n_positives: Any) -> ScoreFunction:
    """Return a score with all its arguments but those of rows."""
    said = {"k": k} if number.is_cut else {}
    said |= {"zero_division": empty} if number.takes("zero_division") else {}
    if n_positives is not None and number.takes("n_positives"):
        said["n_positives"] = n_positives
    return partial(number.score, **{**number.options, **said})


def _scores_of_files(
    source: Files, names: Mapping[Role, str], calls: list[ScoreFunction], ranked: _Ranked
) -> list[float]:
    """Return scores of the files, all by the same scans."""
    found = scores(
        source,
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


def _yardstick(known: Facts) -> tuple[str, float] | None:
    """Return what the score is compared with, and its name.

    Chance depends on which scores are equal, unless rows have weights. Then, missed positives add nothing.
    """
    if known.queries is not None:
        return None
    if known.weighted:
        missed = 1.0 if known.stated is None or not known.found else known.counted / known.stated
        return "chance", known.share * missed
    return ("the prevalence", known.share) if known.stated is None else None
