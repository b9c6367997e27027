"""Rankings with fewer values, where rows count alike. They only save time and memory:
each number is the same without them.

- `join_groups` joins neighbouring tied groups.
- `counted_ranking` and `with_two_values` replace rows that are alike by one or two
  values. `Ranking.copies` is the number of rows of each value.
"""

from dataclasses import replace
from math import sqrt

import numpy as np

from ..._core.areas.hits import HITS
from ..._core.definition import Definition
from ..._core.ranking.rankings import Rankings, ratio
from ..._core.typing import BoolArray, FloatArray, IntArray
from .by_unit import sums_of
from .cuts import rows_of_cut
from .ranking import Ranking
from .score import KNOWN_AREAS
from .score_call import ScoreCall

# Groups are joined if they are farther from a cut than this number of standard
# deviations of the number of rows above it. The cuts of other samples are at most 4
# away (`rules.DISTANCES`), and that of a sample with one more event is nearer.
_FAR = 8


def join_groups(definition: Definition, ranking: Ranking) -> Ranking:
    """Return the ranking with fewer groups: neighbours are joined where the score, also
    with one more event, adds up the same.

    The sum of an area gains only at groups that contain a positive. So rows of
    neighbouring groups of negatives change the same terms, and one more event is in
    front of all of them, or of none. For example, the negatives 6 and 7 follow the five
    rows of the module `sums`, where rows 3 and 4 are tied. Then rows 6 and 7 are
    joined::

        first row of each group    1  2  3  5  6  7
        has a positive             1  0  1  1  0  0
        or is behind one           1  1  1  1  1  0    kept

    Rows far from a cut are inside in all samples, or in none: of precision and recall,
    the groups above need no order, either. Of 1,000 rows that are not tied, the cut 100
    has 8 (10 + 1) = 88 rows near it on each side::

        rows          1 to 11      12 to 188    189 to 1000
        AP@100        each row     each row     joined
        recall@100    joined       each row     joined
    """
    starts, n_rows = ranking.starts, ranking.positive.size
    if definition.cut is None and definition.tie_order is None:
        # Neighbouring groups of negatives have the same effect.
        has_positive = ranking.sums_of_groups(ranking.positive).astype(bool)
        kept = starts[has_positive | np.append(True, has_positive[:-1])]
    elif definition.k is not None:
        # The variance of a count of rows is at most the count times the largest unit.
        depth = rows_of_cut(definition, n_rows)
        largest = 1 if ranking.by_rows else int(np.bincount(ranking.unit_of_row).max())
        far = _FAR * (sqrt(depth * largest) + largest)
        # The first group that begins near the cut, and the first one that begins far
        # below it.
        first_near, first_far_below = starts.searchsorted((depth - far, depth + far))
        kept = starts[: first_far_below + 1]
        if definition.area is HITS:
            # The group in front of the near ones may end near the cut, so it is kept.
            # All groups above it become one, which begins with the first row.
            kept = np.unique(np.append(0, kept[max(first_near - 1, 0) :]))
    else:
        return ranking
    return replace(ranking, starts=kept)


def can_be_counted(call: ScoreCall) -> bool:
    """Return whether the score is the area of a single ranking without weights, queries
    and missed positives.
    """
    rows, definition = call.scaled_rows, call.definition
    return (
        rows.positive.ndim == 1
        and rows.weight is None
        and rows.query is None
        and rows.totals is None
        and definition.is_whole
        and definition.tie_order is None
        and definition.levels is None
        and definition.area in KNOWN_AREAS
    )


def counted_ranking(rankings: Rankings) -> Ranking:
    """Return a single ranking of plain rows with one value for all rows that count
    alike: the negatives between two steps, the negatives of a step, or its positives.

    The negatives above each step are a group, and the step is the next group. The
    negatives below the last step are a group, too. Each step has three values. In the
    example of the module `sums`, the first three lines are the ranks of their last
    rows; and `counts` are the numbers of their rows, which are the differences of the
    ranks::

        step                           row 1    rows 3 and 4    row 5
        negatives above the step         0           2            4
        negatives of the step            0           3            4
        positives of the step            1           4            5
        counts                         0 0 1       1 1 1        0 0 1
    """
    last_ranks = []
    for steps in rankings.kernel.blocks():
        last_negative = steps.retrieved - steps.gained
        last_ranks.append(np.stack((steps.above, last_negative, steps.retrieved)))
    # Steps have the worst score first.
    best_first = np.concatenate(last_ranks, axis=1)[:, ::-1].T.ravel()
    n_rows = rankings.total_weight.item()
    counts = np.diff(best_first, prepend=0.0, append=n_rows)
    # The first of the three values of a step is in a group of its own, and only the
    # last one has positives. Negatives below the last step are in a last group.
    place = np.arange(counts.size)
    return _of_values(counts, counts, place % 3 == 2, (2 * place + 1) // 3)


def with_two_values(ranking: Ranking) -> Ranking:
    """Return a ranking whose rows are units, with two values for all rows of a class in
    a group.

    Each value stands for half of these rows. Their weights are the mean minus and plus
    the standard deviation, so that both have the sum of the weights of these rows, and
    of their squares.
    """
    # Number 2 g has the negatives of group g, and number 2 g + 1 its positives.
    numbers = np.arange(2 * ranking.starts.size)
    number_of_rows = ranking.to_rows(numbers[::2]) + ranking.positive
    n, sums, squares = (
        sums_of(ranking.weight**power, number_of_rows, numbers.size)
        for power in range(3)
    )
    mean = ratio(sums, n)
    spread = np.sqrt((ratio(squares, n) - mean**2).clip(0))
    copies = np.repeat(n / 2, 2)
    weight = copies * np.stack((mean - spread, mean + spread), axis=1).ravel()
    number = numbers.repeat(2)
    values = _of_values(copies, weight, number % 2 > 0, number // 2)
    return replace(values, n_missed=ranking.n_missed)


def _of_values(
    copies: FloatArray, weight: FloatArray, positive: BoolArray, group: IntArray
) -> Ranking:
    """Return a ranking of these values, in which rows are units. Values of no rows are
    dropped. `group` is the number of the group of each value, best first.
    """
    kept = np.flatnonzero(copies)
    numbers = np.arange(kept.size)
    return Ranking(
        positive=positive[kept],
        weight=weight[kept],
        starts=np.flatnonzero(np.diff(group[kept], prepend=-1)),
        unit_of_row=numbers,
        unit_numbers=numbers,
        copies=copies[kept],
    )
