"""A few rows with the score of all rows: the arguments of the ordinary function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.ranking.cut import cut_depth
from .._core.reading.per_ranking import read_total, totals_as_counts
from .._core.typing import AnyArray, FirstRows
from .._shown.sources import SourceError
from ._arguments import BoundScore
from ._batches import Rows
from ._passes import (
    ROW_BYTES,
    best_rows,
    check_rows,
    check_scores,
    negatives_between,
    no_rows,
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
    all rows of a source. Raise SourceError for a score that needs all rows in memory.
    """
    limit = max(source.limit, _LEAST_BYTES)
    if spec.takes_sums:
        return _rows_of_area(source, limit // _SCORE_BYTES)
    problem = ""
    if spec.definition.cut is None:
        problem = f"k=None with ties={spec.definition.ties!r}"
    elif weighted:
        problem = "sample_weight with a cut k"
    if problem:
        raise SourceError(
            f"{spec.name}: {problem} needs all rows in memory, but they exceed "
            "memory_limit; pass a higher limit"
        )
    return _rows_of_cut(source, spec, limit // ROW_BYTES)


def _rows_of_area(source: Stream | SparkRows, most: int) -> dict[str, Any]:
    """Return the rows of a score that depends on sums, from two passes."""
    first, parts = source.run(partial(scores_of_positives, most=most))
    first.check()
    score, positives = summed(parts)
    check_scores(score.size, most)
    negatives = first.weight[:1]
    if score.size:
        count = partial(negatives_between, score=score)
        second, sums = source.run(count, most_parts=most // score.size)
        first.check_again(second)
        negatives = sum(sums)
    # The negatives below the first score have the place 0, those at it 1, those between
    # it and the second score 2, and so on.
    place = np.append(2 * np.arange(score.size) + 1, np.arange(negatives.size))
    weight = np.append(positives, negatives)
    kept = np.flatnonzero(weight)
    return {
        "y_true": kept < score.size,
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
    first, depth = None, cut
    if isinstance(cut, float):
        first, _ = source.run(no_rows)
        first.check()
        depth = depth_of(cut, first.n_rows)
    check_rows(depth, most)
    find = partial(best_rows, n_rows=depth, most=most)
    found, parts = source.run(find, most_parts=most // depth)
    if first is None:
        found.check()
    else:
        first.check_again(found)
    best = find(part for part in parts if part is not None)
    # The labels were checked, so there are rows.
    assert best is not None
    return arguments_above_cut(best, depth, found.n_rows, spec)


def depth_of(cut: FirstRows, n_rows: AnyArray) -> int:
    """Return the number of rows above a cut, of so many negatives and positives; the
    number of all rows without a cut.
    """
    [depth] = cut_depth(n_rows.sum(keepdims=True), cut)
    return max(int(depth), 1)


def arguments_above_cut(
    best: Rows, depth: int, n_rows: AnyArray, spec: BoundScore
) -> dict[str, Any]:
    """Return the arguments for all rows above a cut and those tied at it. `n_rows` are
    the numbers of all negatives and of all positives.
    """
    arguments: dict[str, Any] = {"y_true": best.y_true, "y_score": best.y_score}
    if isinstance(spec.definition.cut, float):
        arguments["k"] = depth
    total = read_total(spec.n_positives)
    if total is not None:
        # Raise the error of the function in memory if there are more positives.
        totals_as_counts(total, n_rows[1:], n_rows=n_rows.sum(keepdims=True))
    elif n_rows[1] > np.count_nonzero(best.y_true):
        # There are positives below the cut.
        if spec.definition.area.counts_weight:
            arguments["n_positives"] = n_rows[1]
        else:
            arguments["zero_division"] = 0.0
    return arguments
