r"""The interval of a score whose threshold is at another place in each sample.

In the population, one threshold reaches a recall (`recalls`), or selects a share of the
rows (`first_rows`). A sample differs from the population in two ways:

1. The *place* of this threshold in the sample is another recall, or another number of
   rows. Its error is known: it is that of a sum over units at a fixed threshold.
2. The score at this threshold has an error, too. Given the place, the part of it that
   is correlated with the place is known, and only an uncorrelated *rest* varies.

The interval is the union of the intervals of all places that are likely enough. Errors
of y standard errors of the place, and of z standard errors of the rest, are likely
enough if :math:`y^2 + z^2 \le t^2`, where t is the quantile for a single error. So a
place y standard errors away leaves :math:`\sqrt{t^2 - y^2}` standard errors for the
rest. If the score is a straight line over the places, the
half width of the union is t times the root of the sum of the squares of both standard
errors. At a step of the curve, the union contains both sides of the step.
"""

from collections.abc import Sequence
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from ..sampling.one_more import Changes
from .endpoints import Endpoints, endpoints_of, reach_of


class Place(NamedTuple):
    """A place in the sample, and the score of the population if its threshold is
    there.
    """

    score: float
    # Standard error of the rest.
    standard_error: float
    # How one more event would change the score.
    changes: Changes
    # Distance y from the recall, or from the first k rows, in standard errors.
    away: float = 0.0
    # Whether the place has an upper endpoint only.
    only_high: bool = False


def endpoints_of_places(
    places: Sequence[Place], score: float, df: float, confidence_level: float
) -> Endpoints:
    """Return the endpoints of a score with places; NaN if its uncertainty is undefined.
    Any place may have the lowest or the highest one.
    """
    reach = reach_of(df, confidence_level)
    # NaN stays if no place has endpoints.
    lows, highs = [nan], [nan]
    for place in places:
        if abs(place.away) < reach:
            low, high = endpoints_of(
                place.score,
                place.standard_error,
                df,
                place.changes,
                confidence_level,
                # What the place leaves of the reach, as a share of it.
                share_of_reach=sqrt(1 - (place.away / reach) ** 2),
            )
            highs.append(high)
            if not place.only_high:
                lows.append(low)
    # A place whose uncertainty is undefined has no endpoints.
    low, high = float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))
    # If `low` or `high` is NaN, it stays, since both functions then return the first
    # argument.
    return min(low, score), max(high, score)
