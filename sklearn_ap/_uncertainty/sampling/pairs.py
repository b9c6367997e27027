"""What units contribute to a score whose rows belong to two units each, such as both
items of a pair.

The weight of a row is the product of the weights of its two units. So a unit
contributes what it contributes as the first unit of its rows, plus what it contributes
as the second one. Rows of a unit with itself are in both sums, and are subtracted once.
Intervals and tests are those of a mean over units.

If a unit is in both columns and no query is passed, pairs have no direction: the answer
does not depend on which unit of a row is in the first column, nor on how many rows a
pair is written in. Then n, the effective number of units, is that of the positives of
both columns together. Otherwise, it is that of the column where it is smaller.

For example, five rows are pairs of the items a, b, c and d, ranked by average
precision, which is 19/20. Row by row, 400 times their contributions are::

    row              a b    b a    c c    a d    d d
    label             1      1      1      0      1
    contributes       9      9      9    -16    -11

The rows a b and b a are one pair, whose first item is a. The rows of an item with
itself contribute 0, 0, 9 and -11 to the four items. In the next table, the line "with
itself" has these numbers minus their mean, -1/2, and is subtracted from the sum of both
lines above it. The last line is 400 times what the items contribute::

    item              a       b       c       d
    as the first      2       0       9     -11
    as the second     0      18       9     -27
    with itself      .5      .5     9.5   -10.5
    pairs           1.5    17.5     8.5   -27.5
    times 3/2      2.25   26.25   12.75  -41.25

Each item has two positives in both columns together, so n is 4, and the factor
(n - 1) / (n - 2) is 3/2.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core.typing import FloatArray
from .by_unit import error_factor
from .contributions import Contributions, RankingMean, changes_of_mean


def contributions_of_pairs(
    score: float, of_columns: Sequence[FloatArray], with_itself: FloatArray, n: float
) -> Contributions:
    """Return what units contribute, from what they contribute as the units of each
    column, and by rows of a unit with itself.

    `n` is the effective number of units. A sample of n units has n pairs of a unit with
    itself, and n (n - 1) others. So the score depends on n through the share of the
    pairs of a unit with itself. All samples have the same n, so of these pairs, a unit
    contributes only what is beyond the mean of all units.
    """
    beyond_mean = with_itself - with_itself.mean()
    of_units: FloatArray = np.sum(of_columns, axis=0) - beyond_mean
    # Without one of n units, (n - 1) (n - 2) of their n (n - 1) pairs are left, and the
    # mean over pairs changes by n / (n - 2) times the derivative. A mean over units
    # changes by n / (n - 1) times the derivative, which `error_of` allows for. So the
    # quotient of both factors, (n - 1) / (n - 2), is left. It is the square of the
    # `error_factor` of n - 1 units that lose one degree of freedom. Fewer than three
    # units count as three, since otherwise no pair would be left.
    factor = error_factor(max(n, 3.0) - 1, df_lost=1) ** 2
    return Contributions(
        score=score,
        of_units=factor * of_units,
        # A mean over units needs no weights of their positives.
        divisor_weights=np.ones(of_units.size),
        n_effective=n,
        n_units=of_units.size,
        changes=changes_of_mean(score, of_units, n),
        is_read_as_mean=True,
    )


def as_if_cut_stayed(
    contributions: Contributions, mean: RankingMean, k: Any
) -> FloatArray:
    """Return what each unit would contribute if it did not move a cut of k rows.

    If the cut is a number of rows, each unit moves it by the same number of rows
    (`moved_by_rows`), in both columns, whether or not it has rows with itself. So these
    rows are subtracted as if the cut stayed. In the example, both rows c c and d d are
    below the cut of precision@2: each contributes -1/20 because it moves the cut, and
    nothing else, so 0 is subtracted.
    """
    if not (isinstance(k, int) and mean.parts):
        return contributions.of_units
    return mean.per_unit(
        [
            part.of_units - part.score_sum.at_cut * k / part.of_units.size
            for part in mean.parts
        ]
    )
