"""A few rows with the score of all rows: the arguments of the ordinary function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.ranking.cut import cut_depth
from .._core.reading.per_ranking import read_total, totals_as_counts
from .._core.typing import FirstRows
from .._shown.sources import SourceError
from ._arguments import BoundScore
from ._batches import Rows
from ._passes import (
    ROW_BYTES,
    Totals,
    best_rows,
    check_rows,
    check_scores,
    negatives_between,
    only_totals,
    scores_of_positives,
    summed,
)

if TYPE_CHECKING:
    from ._spark import SparkRows
    from ._stream import Stream

# A distinct score of a positive takes this many bytes.
_SCORE_BYTES = 40
# The passes may take this many bytes even if the limit is lower.
_LEAST_BYTES = 2**24
# A function of the rows of a part.
Reduce = Callable[[Iterable[Rows]], Any]


def few_rows(
    source: Stream | SparkRows, spec: BoundScore, *, weighted: bool
) -> dict[str, Any]:
    """Return the arguments of the ordinary function for few rows that have the score of
    all rows of a source.
    """
    _check_supported(spec, weighted=weighted)
    limit = max(source.limit, _LEAST_BYTES)
    if spec.takes_sums:
        return _rows_of_area(source, limit // _SCORE_BYTES)
    return _rows_of_cut(source, spec, limit // ROW_BYTES)


def _check_supported(spec: BoundScore, *, weighted: bool) -> None:
    """Raise SourceError for a score that needs all rows in memory."""
    definition = spec.definition
    problem = ""
    if not spec.takes_sums:
        if definition.cut is not None and weighted:
            problem = "sample_weight with a cut k"
        elif definition.cut is None and not definition.area.counts_weight:
            problem = "k=None"
        elif definition.cut is None:
            problem = f"ties={definition.ties!r} without a cut k"
    if problem:
        raise SourceError(
            f"{spec.name}: {problem} needs all rows in memory, but they exceed "
            "memory_limit; pass a higher limit"
        )


def _rows_of_area(source: Stream | SparkRows, most: int) -> dict[str, Any]:
    """Return the rows of a score that depends on sums, from two passes."""
    totals, parts = source.run(partial(scores_of_positives, most=most))
    score, positives = summed(parts)
    check_scores(score.size, most)
    negatives = totals.weight[:1]
    if score.size:
        count = partial(negatives_between, score=score)
        second, sums = source.run(count, most_parts=most // score.size)
        totals.check(second)
        negatives = sum(sums)
    # The negatives below the first score have the place 0, those at it 1, those between
    # it and the second score 2, and so on.
    place = np.append(2 * np.arange(score.size) + 1, np.arange(negatives.size))
    y_true = np.repeat([True, False], [score.size, negatives.size])
    weight = np.append(positives, negatives)
    kept = weight > 0
    return {
        "y_true": y_true[kept],
        "y_score": place[kept],
        "sample_weight": weight[kept],
    }


def _rows_of_cut(
    source: Stream | SparkRows, spec: BoundScore, most: int
) -> dict[str, Any]:
    """Return the rows of a score with a cut, from one pass, or from two if the cut is a
    share of the rows.
    """
    cut: Any = spec.definition.cut
    first: Totals | None = None
    if isinstance(cut, float):
        first, _ = source.run(only_totals)
    depth = depth_of(cut, first or Totals())
    check_rows(depth, most)
    find = partial(best_rows, n_rows=depth, most=most)
    totals, parts = source.run(find, most_parts=most // depth)
    if first is not None:
        first.check(totals)
    best = find(part for part in parts if part is not None)
    # The labels were checked, so there are rows.
    assert best is not None
    return arguments_above_cut(best, depth, totals, spec)


def depth_of(cut: FirstRows, totals: Totals) -> int:
    """Return the number of rows above a cut; of all rows without one."""
    [depth] = cut_depth(totals.n_rows.sum(keepdims=True), cut)
    return max(int(depth), 1)


def arguments_above_cut(
    best: Rows, depth: int, totals: Totals, spec: BoundScore
) -> dict[str, Any]:
    """Return the arguments for all rows above a cut and those tied at it."""
    arguments: dict[str, Any] = {"y_true": best.positive, "y_score": best.score}
    if isinstance(spec.definition.cut, float):
        arguments["k"] = depth
    total = read_total(spec.n_positives)
    if total is not None:
        # Raise the error of the function in memory if there are more positives.
        n_rows = totals.n_rows.sum(keepdims=True)
        totals_as_counts(total, totals.n_rows[1:], n_rows=n_rows)
    elif totals.n_rows[1] > np.count_nonzero(best.positive):
        # There are positives below the cut.
        if spec.definition.area.counts_weight:
            arguments["n_positives"] = totals.n_rows[1]
        else:
            arguments["zero_division"] = 0.0
    return arguments
