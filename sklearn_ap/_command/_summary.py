"""The sentences before an answer or a table: average precision beside chance, and what the rows hold."""

from collections.abc import Mapping, Sequence
from math import floor, isnan, log10, nan
from typing import Any, NamedTuple

import numpy as np

from .._api import rankings_in
from .._ranking._cut import cut_depth
from .._reading._read import read
from .._typing import AnyArray, BoolArray, FloatArray
from ..compatibility._comparison import ComparisonRow, means_over
from ._rows import FileRows, QueryCounts, Stated

_NEAREST = 6  # decimals at most: beyond them, sums are rounded


Estimate = tuple[float, float, float]  # a score and the ends of its interval; NaN if there is none
Yardstick = tuple[str, float] | None  # what a score is compared with: its name and value


class Given(NamedTuple):
    """What the files and the options gave."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None
    query: AnyArray | None  # a number per distinct id, counted from 0
    # Stated positives: of all rows, or of each query; queries without rows come last.
    totals: Sequence[float] | float | None
    empty: float = 0.0  # what a query without positives counts as; NaN leaves it out
    score_b: AnyArray | None = None  # of a second model
    unit: AnyArray | None = None  # a number per distinct id of what was drawn together


class Facts(NamedTuple):
    """Counts of all rows, which the first lines tell."""

    n: int
    weighed: int  # those of weight above 0, which alone count
    found: int  # positives
    found_weighed: int
    stated: float | None  # all positives, found or missed
    share: float  # of the positives in all rows or, with weights, in all weight
    k: int | float
    weighted: bool
    counted: float  # the positives or, with weights, their weight: what a stated total is compared with
    queries: QueryCounts | None
    averaged: tuple[int, int] | None  # queries of the means, and those of them without rows


def facts_of(
    rows: FileRows,
    positive: Any,
    queries: QueryCounts | None,
    stated: Stated,
    k: int | float,
    *,
    weighted: bool,
) -> Facts:
    """Count rows."""
    own = rows.labels.get(positive)
    found, found_weighed, counted = (own.n, own.weighed, float(own.weight)) if own else (0, 0, 0.0)
    averaged = everyone = None
    if queries is not None:
        named = len(stated) if isinstance(stated, Mapping) else queries.weighed
        averaged = named, named - queries.weighed
    if isinstance(stated, Mapping):
        everyone = sum(stated.values())
    elif stated is not None:
        everyone = stated * (1 if averaged is None else averaged[0])
    share = counted / sum(one.weight for one in rows.labels.values())
    weighed = sum(one.weighed for one in rows.labels.values())
    of_rows = rows.n, weighed, found, found_weighed
    return Facts(*of_rows, everyone, share, k, weighted, counted, queries, averaged)


def opening(
    name: str, known: Facts, estimate: Estimate, yardstick: Yardstick, prevalence: float | None = None
) -> list[str]:
    """Return the first two sentences: what the rows are, and how good the scores are."""
    if not known.found_weighed:
        row = "row of weight above 0" if known.found else "row"
        return [f"{name}: no {row} is positive, so average precision says nothing."]
    value, low, high = estimate
    of = "Average precision (AP)" if known.queries is None else "Mean average precision (MAP) of the queries"
    at = "" if prevalence is None else f" at a prevalence of {prevalence:g}"
    interval = "" if isnan(low) else f", 95 % interval {shortly(low)} to {shortly(high)}"
    beside = "" if yardstick is None else f"; {yardstick[0]} is {shortly(yardstick[1])}"
    by = " by weight" if known.weighted else ""
    return [f"{name}: {counts(known)}.", f"{of}{at}{by} is {shortly(value)}{interval}{beside}."]


def table_opening(
    name: str,
    known: Facts,
    rows: Sequence[ComparisonRow],
    ks: Sequence[int | float] | None,
    yardstick: Yardstick,
) -> list[str]:
    """Return the sentences before a table, whose rows tell the numbers."""
    value = {row.name: row.value or 0.0 for row in rows}
    said = opening(name, known, (value["average precision"], nan, nan), yardstick)
    if known.found_weighed:
        said.append(f"{capital(positives_within(known, value[f'recall@{known.k}']))}.")
    return [*said, cuts(known, ks, rows)]


def counts(known: Facts) -> str:
    """Return how many rows and positives there are."""
    queries = "" if known.queries is None else f" in {known.queries.n} queries"
    missed = "" if known.stated is None or known.weighted else f" of {_count(known.stated)}"
    weight = f"; they are {100 * known.share:.3g} % of the weight" if known.weighted else ""
    if known.weighted and known.stated is not None:
        weight += f", {_count(known.counted)} of the {_count(known.stated)} that all positives weigh"
    positive = f"{known.found}{missed} positive ({100 * known.found / known.n:.3g} %)"
    return f"{known.n} rows{queries}, {positive}{weight}"


def mean_chance(given: Given) -> float:
    """Return what a random order scores on average, as the mean over queries.

    With weights, it is the share of the positives in all weight.
    """
    place = np.zeros(given.positive.size, dtype=np.int8) if given.query is None else given.query
    weight = given.weight
    of_positives = None if weight is None else weight[given.positive]
    named = len(given.totals) if isinstance(given.totals, Sequence) else 0
    n = np.bincount(place, weight, named).astype(np.float64)
    found = np.bincount(place[given.positive], of_positives, n.size).astype(np.float64)
    # Rows of weight 0 do not count. Queries that have no other rows count if a total names them.
    present = (n > 0) | (named > 0)
    rows = np.where(n > 0, n, 1.0)
    level = found / rows
    if weight is None:  # the formula of `chance_level`, for all queries at once
        with_rows = _terms_of_groups(given)
        terms = np.pad(with_rows, (0, n.size - with_rows.size))
        level = (terms + (found - 1) / np.maximum(n - 1, 1) * (n - terms)) / rows
    of_empty = np.full(n.size, given.empty)
    if given.totals is not None:
        stated = np.broadcast_to(np.asarray(given.totals, dtype=np.float64), n.shape)
        level *= found / np.where(stated > 0, stated, 1.0)  # missed positives add nothing
        of_empty[stated > 0] = 0.0
    level = np.where(found > 0, level, of_empty)
    counted = present & ~np.isnan(level)
    return float(level[counted].mean()) if counted.any() else float("nan")


def _terms_of_groups(given: Given) -> FloatArray:
    """Return, by query, the sum over tied groups of their rows over the rows at or above them."""
    # If all rows are positive, every tied group is a step.
    everyone = np.ones(given.positive.size, dtype=np.int8)
    checked = read(everyone, given.score, query_id=given.query, caller="chance_level")
    rankings, _ = rankings_in(checked, None, average="macro")
    return rankings.total(lambda steps: steps.gained / steps.retrieved)


def positives_within(known: Facts, recall: float) -> str:
    """Return how many positives the first k rows hold."""
    n, k, is_share = known.weighed, known.k, not isinstance(known.k, int)
    first = f"first {100 * k:g}% of the rows" if is_share else f"first {k} rows"
    first = "first row" if first == "first 1 rows" else first
    hold = "holds" if first == "first row" else "hold"
    if known.queries is not None:
        of = "of the weight of its positives" if known.weighted else "of its positives"
        return f"the {first} of a query {hold} {shortly(recall)} {of}, on average"
    depth = int(cut_depth(np.array([n]), k).item())
    rows = f"the {first} ({depth})" if is_share else f"the {first}" if k < n else f"all {n} rows"
    if known.weighted:
        return f"{rows} {hold} {shortly(recall)} of the weight of the positives"
    everyone = float(known.found_weighed) if known.stated is None else known.stated
    return f"{rows} {hold} {_count(recall * everyone)} of {_count(everyone)} positives"


def cuts(known: Facts, ks: Sequence[int | float] | None, rows: Sequence[ComparisonRow] = ()) -> str:
    """Return k, and what the rows average."""
    k = in_rows(known.k) + ", the default of -k" if ks is None else ", ".join(map(in_rows, ks))
    return f"k = {k}." + (f" {means_over(*known.averaged, rows)}" if known.averaged else "")


def in_rows(k: int | float) -> str:
    """Return a cut with its unit."""
    return f"{k} rows" if isinstance(k, int) else f"{k} of the rows"


def capital(text: str) -> str:
    """Return a sentence with a capital letter."""
    return f"{text[0].upper()}{text[1:]}"


def shortly(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is nearer."""
    nearest = min(abs(value), abs(1 - value))
    if nearest <= 10.0**-_NEAREST:
        return f"{value:.2g}" if 0 < value < 0.5 else f"{value:.2f}"
    return f"{value:.{max(2, min(_NEAREST, 1 - floor(log10(nearest))))}f}"


def _count(value: float) -> str:
    """Return a count; equal scores at the cut share it, which leaves a part of a row."""
    nearest = round(value)
    return str(nearest) if abs(value - nearest) < 1e-6 else f"{value:.1f}"
