r"""One more event: the interval of a share of rows that are drawn in units.

The upper endpoint of Clopper and Pearson is the largest share for which a sample with
at most k events is not too improbable. For k events in n rows, this endpoint is a
quantile of the beta distribution whose mean is (k + 1) / (n + 1): the share in a sample
with one more event. Here, the upper endpoint of a share of units is found in the same
way: it is the quantile of the beta distribution that has the mean and the variance of
the share in a sample with one more event. The lower endpoint is 1 minus the upper
endpoint of the share of the other rows.

Fay and Feuer (1997) add such an event to a sum of weighted Poisson counts,
:doi:`10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#`. The usual
intervals for units cover too little: if the few large units that would have events are
missing from a sample, both the share and its variance between units are too small.
Franco, Little, Louis and Slud (2019) show this for surveys,
https://pmc.ncbi.nlm.nih.gov/articles/PMC6690503.

An event is the contribution of one more unit, which may have several rows. Its weight
is

.. math::
    e = w (1 + u S)

* :math:`w = \sum w_i^2 / \sum w_i` is the weight of a typical row of the class.
* :math:`S = \sum m^2 / \sum m - 1` is the mean number of other rows of the same class
  in the unit of a row, where m is the number of rows of the class in a unit. The large
  units of a rare class may be missing from a sample. So S is at least the mean number
  of other rows of both classes in the unit of a row, minus the mean number of rows of
  the other class in the unit of a row of this class.
* :math:`u = (K r + 1) / (K + 1)` is the share of these S rows that are events, too. The
  intraclass correlation r, at least 0, is estimated from the units that have several
  rows of the class. Their effective number is K. One more such unit is added, whose
  rows are all events or all no events.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from .._core.ranking.rankings import ratio
from .._core.typing import FloatArray, IntArray
from .cells import sums_of_units

# The numbers of four cells: the negatives and the positives below a threshold or cut,
# and the negatives and the positives at or above it.
NEGATIVES_BELOW, POSITIVES_BELOW, NEGATIVES_ABOVE, POSITIVES_ABOVE = range(4)


def beta_quantile(mean: float, variance: float, probability: float) -> float:
    """Return the quantile of the beta distribution with this mean and variance.

    The variance of a beta distribution is below `mean * (1 - mean)`. If `variance` is
    not below this limit, the sample contains no information: the quantile is 1 for a
    probability above one half, and 0 otherwise.
    """
    # The sum of both parameters of the distribution.
    size = mean * (1 - mean) / variance - 1 if variance else inf
    if size <= 0:
        return float(probability > 0.5)
    # Without variance, all quantiles are the mean.
    if size == inf:
        return mean
    return float(betaincinv(mean * size, (1 - mean) * size, probability))


def endpoints_with_one_more(
    share: float, variance: float, events: FloatArray, confidence_level: float
) -> tuple[float, float]:
    """Return the endpoints of a share that has this variance between samples.

    `events` contains the weight of one more event outside the share (a failure), and
    the weight of one more event inside the share (a success). Both are divided by the
    divisor of the share.
    """
    probability = 0.5 + confidence_level / 2

    def upper_endpoint(part: float, event: float) -> float:
        if part >= 1:
            return 1.0
        # The mean and the variance of the share in a sample with one more event.
        mean = (part + event) / (1 + event)
        of_event = event**2 * (1 - mean)
        return beta_quantile(
            mean, (variance + of_event) / (1 + event) ** 2, probability
        )

    outside, inside = events.tolist()
    return 1 - upper_endpoint(1 - share, outside), upper_endpoint(share, inside)


def typical_weights(weights: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the weight of a typical negative and of a typical positive.

    `weights` and `squares` are the sums of the weights, and of the squared weights,
    over the rows in each of the four cells. If a class has no rows, the weight of the
    other class is used.
    """
    # Lines are the cells below and above, columns are negatives and positives.
    typical = ratio(
        squares.reshape(2, 2).sum(axis=0), weights.reshape(2, 2).sum(axis=0)
    )
    return np.where(typical, typical, typical.max())


class CellWeights(NamedTuple):
    """Weights in the four cells, in the order of the numbers of the cells."""

    # Weight of the rows of each unit (column) in each cell (line).
    of_units: FloatArray
    # Weight of one more event in each cell.
    events: FloatArray


def weights_of_units(cell: IntArray, unit: IntArray, weight: FloatArray) -> CellWeights:
    """Return the weights of units and of one more event in each of the four cells.

    `cell` is the number of the cell of each row.
    """
    n_units = int(unit.max()) + 1
    place = cell * n_units + unit
    # The axes are below and above, negatives and positives, and units.
    of_units, squares = (
        sums_of_units(each, place, 4 * n_units).reshape(2, 2, -1)
        for each in (weight, weight**2)
    )
    typical = typical_weights(of_units.sum(axis=2), squares.sum(axis=2))[:, np.newaxis]
    # Weights are divided by the weight of a typical row, so that no product overflows
    # or is rounded to 0.
    rows = of_units / typical
    # Number of rows of each class, and of all rows, in each unit.
    of_class = rows.sum(axis=0)
    of_all = of_class.sum(axis=0)
    # A class has a weight below one typical row only by rounding, or if it has no rows.
    n_rows = of_class.sum(axis=1).clip(1.0)
    # In the unit of a row of each class: the mean number of rows of the same class.
    n_own = (of_class**2).sum(axis=1) / n_rows
    # In the unit of a row of each class: the mean number of rows of the other class.
    n_mixed = of_class.prod(axis=0).sum() / n_rows
    # In the unit of a row of any class: the mean number of all rows.
    n_all = (of_all**2).sum() / of_all.sum()
    # `n_others` is S in the docstring of this module.
    n_others = np.maximum(n_own, n_all - n_mixed) - 1
    # `pairs` has the number of pairs of a row in a cell and another row of the same
    # unit and class. A pair is unlike if its rows are in two cells. If no unit has two
    # rows of a class, rounding may leave a number of pairs above 0, but then no pair is
    # unlike, and u is 1.
    pairs = rows * of_class - squares / typical**2
    n_pairs = pairs.sum(axis=2)
    n_unlike = rows.prod(axis=0).sum(axis=1)
    # Expected number of unlike pairs if each row were in a random cell of its class.
    by_chance = n_pairs * rows.sum(axis=2)[::-1] / n_rows
    # `unlike` is 1 - r: the number of unlike pairs, divided by their expected number if
    # cells were random. It is at most 1, since r is at least 0.
    unlike = 1 / ratio(by_chance, n_unlike, inf).clip(1.0)
    # `known` is K / (K + 1): the share of the K units after one unit is added.
    known = ratio(n_pairs**2, n_pairs**2 + (pairs**2).sum(axis=2))
    events = typical.T * (1 + n_others * (1 - known * unlike))
    return CellWeights(of_units.reshape(4, -1), events.ravel())
