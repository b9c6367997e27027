"""Sums over the rows of units, and the standard error of a sum over units.

With `copies`, each value is the sum of this number of units that are alike, each of
which has an equal share of it. Otherwise, a value is that of one unit.
"""

from math import sqrt

import numpy as np

from ..._core.typing import FloatArray, IntArray

# A number per value, or one number for all values.
Numbers = FloatArray | float


def sums_of(values: FloatArray, place: IntArray, n_places: int = 0) -> FloatArray:
    """Return the sum of the values of each group or unit; `place` is its number, from
    0.
    """
    return np.bincount(place, values, n_places).astype(np.float64, copy=False)


def n_equal(values: FloatArray, copies: Numbers = 1.0) -> float:
    r"""Return the effective number of units, at least 1: :math:`(\sum x)^2 / \sum x^2`.
    This number of equal units would have the same sum and sum of squares.
    """
    scaled, _ = _scaled(values, copies)
    total = float(scaled.sum())
    squares = _sum_of_squares(scaled, copies)
    return total**2 / squares if squares else 1.0


def norm_of(values: FloatArray, copies: Numbers = 1.0) -> float:
    """Return the root of the sum of the squares of all units. A value v of n copies has
    n squares of v / n, whose sum is v**2 / n.
    """
    scaled, scale = _scaled(values, copies)
    return scale * sqrt(_sum_of_squares(scaled, copies))


def _sum_of_squares(scaled: FloatArray, copies: Numbers) -> float:
    """Return the sum of the squares of all units. The values are overwritten."""
    # `np.linalg.norm` calls BLAS, whose threads cost more time than they save.
    np.square(scaled, out=scaled)
    if np.ndim(copies):
        scaled /= copies
    return float(scaled.sum())


def _scaled(values: FloatArray, copies: Numbers) -> tuple[FloatArray, float]:
    """Return the values divided by a scale, and the scale. Without it, squares could
    overflow.
    """
    # The largest value of one unit becomes 1, so the effective number of equal units is
    # a whole number.
    of_one = values / copies if np.ndim(copies) else values
    # An array of magnitudes would take memory.
    scale = float(max(of_one.max(initial=0.0), -of_one.min(initial=0.0))) or 1.0
    return values / scale, scale


def error_factor(n_units: float, df_lost: float = 0.0) -> float:
    r"""Return the factor by which the root of the sum of squares of n units is
    multiplied to be the standard error of their sum: :math:`\sqrt{n / (n - l)}`, where
    l is the number of degrees of freedom that they lost.

    It is 1 for derivatives, which lose none. Distances from a mean are shorter than
    those from the number that it estimates: they lose one degree of freedom, so their
    squares are divided by n - 1 in place of n. With no degree of freedom left, the
    standard error is unknown, and the factor is 1.
    """
    return sqrt(n_units / (n_units - df_lost)) if n_units > df_lost else 1.0
