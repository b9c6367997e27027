"""How a sum over steps changes with the weight of one row: the slopes of an area."""

from typing import NamedTuple

from .._typing import FloatArray


class Slopes(NamedTuple):
    r"""What each step adds to a sum, and how the sum changes if a row gets heavier.

    With :math:`f(a, A_a, B_a, m)` as what a step adds, for `gained`, `tp_above`, `above` and `group_weight`,
    the sum changes with the weight of

    - a positive of this score by :math:`f_a + f_m`, plus :math:`f_{A_a} + f_{B_a}` of all worse steps;
    - a negative of this score by :math:`f_m`, plus :math:`f_{B_a}` of all worse steps;
    - a negative above this score by :math:`f_{B_a}` of this step, and of all worse steps.

    The first two are `positive` and `tied`, and what all worse steps do to them is a running sum of the last
    two. `tied` is None if a negative does the same among equal scores and above them. None of the four is
    large where sums of it would cancel, so weights may be far apart.
    """

    gain: FloatArray  # f itself
    positive: FloatArray  # f_a + f_m
    tied: FloatArray | None  # f_m
    positive_above: FloatArray  # f_Aa + f_Ba
    negative_above: FloatArray  # f_Ba
