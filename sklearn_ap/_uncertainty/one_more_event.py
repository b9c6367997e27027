r"""One more event: the interval of a share of rows that are drawn in units.

Clopper and Pearson ask which share is so large that as few events as in this sample
would be rare. Their upper end for k events in n rows is a quantile of the beta
distribution whose mean is the share with one more event. Here the same question is asked
of units: the upper end is the quantile of the beta distribution with the mean and the
variance of the share in a sample that has one more event. The lower end is 1 minus the
upper end of the share of the other rows.

Fay and Feuer (1997) add such an event to a sum of weighted Poisson counts,
:doi:`10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#`. The usual
intervals of units cover too little: where the few large units that would have events are
missing from a sample, both the share and its variance between units are too small.
Franco, Little, Louis and Slud (2019) show this for surveys,
https://pmc.ncbi.nlm.nih.gov/articles/PMC6690503.

An event is not a row. It is what one more unit would contribute, and weighs

.. math::
    e = w (1 + u S)

* :math:`w = \sum w_i^2 / \sum w_i` is the weight of a typical row of the class.
* :math:`S = \sum m^2 / \sum m - 1` is the mean number of other rows of this class in the
  unit of a row, if units have m rows of the class. A sample may lack the large units of
  a rare class, so S is at least the mean number of all other rows in the unit of any
  row, less that of the other class in the unit of a row of this class.
* :math:`u = (K r + 1) / (K + 1)` is the share of these rows that are alike. The
  intraclass correlation r, at least 0, is that of K units (their effective number),
  to which one unit is added whose rows are all alike.
"""

from math import inf

import numpy as np
from scipy.special import betaincinv

from .._core.ranking.rankings import ratio
from .._core.typing import FloatArray, IntArray


def beta_quantile(mean: float, variance: float, probability: float) -> float:
    """Return the quantile of the beta distribution with this mean and variance.

    No beta distribution has a variance of `mean * (1 - mean)` or more. The sample then
    contains no information, and the quantile is the end of 0 to 1 on its side.
    """
    size = mean * (1 - mean) / variance - 1 if variance else inf
    if size <= 0:
        return float(probability > 0.5)
    if size == inf:
        return mean
    return float(betaincinv(mean * size, (1 - mean) * size, probability))


def ends_with_one_more(
    share: float, variance: float, events: FloatArray, level: float
) -> tuple[float, float]:
    """Return both ends of a share that has this variance between samples.

    `events` are the weights of one more event of the rows outside the share, and of one
    more event of the share, both divided by the weight of all rows.
    """
    upper_ends = []
    for part, event in zip((1 - share, share), events.tolist(), strict=True):
        mean = (part + event) / (1 + event)
        of_event = event**2 * (1 - mean)
        of_sample = (variance + of_event) / (1 + event) ** 2
        end = beta_quantile(mean, of_sample, 0.5 + level / 2) if part < 1 else 1.0
        upper_ends.append(end)
    return 1 - upper_ends[0], upper_ends[1]


def typical_weights(weights: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the weight of a typical row of negatives and of positives, from the sums of
    weights, and of their squares, of four cells. A class without rows is taken for one
    with the weights of the other class.
    """
    typical = ratio(
        squares.reshape(2, 2).sum(axis=0), weights.reshape(2, 2).sum(axis=0)
    )
    return np.where(typical, typical, typical.max())


def weights_of_units(
    cell: IntArray, unit: IntArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the rows of each unit in four cells, and the weight of one
    more event of each cell.

    The cells 0 and 2 are those of negatives, such as the ones below a threshold and the
    ones above it; 1 and 3 are those of positives.
    """
    n_units = int(unit.max()) + 1
    place = cell * n_units + unit
    of_units, squares = (
        np.bincount(place, each, 4 * n_units)
        .astype(np.float64, copy=False)
        .reshape(2, 2, -1)
        for each in (weight, weight**2)
    )
    typical = typical_weights(of_units.sum(axis=2), squares.sum(axis=2))[:, np.newaxis]
    # Counted in typical rows, no product is out of the range of floats.
    rows = of_units / typical
    of_class = rows.sum(axis=0)
    # Only rounding, or a class without rows, makes it less than 1.
    n_rows, of_all = of_class.sum(axis=1).clip(1.0), of_class.sum(axis=0)
    n_own, n_beside = (of_class**2).sum(axis=1), of_class.prod(axis=0).sum()
    n_all = (of_all**2).sum() / of_all.sum()
    n_others = np.maximum(n_own / n_rows, n_all - n_beside / n_rows) - 1
    # Pairs of a row of a cell and another row of its unit and class. Rounding may leave
    # some without such rows, but then no pair is unlike, and u is 1.
    pairs = rows * of_class - squares / typical**2
    n_pairs, n_unlike = pairs.sum(axis=2), rows.prod(axis=0).sum(axis=1)
    by_chance = n_pairs * rows.sum(axis=2)[::-1] / n_rows
    unlike = 1 / ratio(by_chance, n_unlike, inf).clip(1.0)  # which is 1 - r
    # Of K units, K / (K + 1) is the share of all with the one that is added.
    known = ratio(n_pairs**2, n_pairs**2 + (pairs**2).sum(axis=2))
    events = typical.T * (1 + n_others * (1 - known * unlike))
    return of_units.reshape(4, -1), events.ravel()
