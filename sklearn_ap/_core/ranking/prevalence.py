r"""A prevalence: the share of positives at which a ranking is scored.

If the positives of a ranking, found or missed, have the weight :math:`P` and its
negatives :math:`N`, the share of positives is :math:`\pi` once the weight of each
negative is multiplied by :math:`P (1 - \pi) / (\pi N)`.
"""

import numpy as np

from ..typing import FloatArray, Share
from .rankings import Rankings, ratio

# The greatest weight that all negatives of a ranking get together. Below such
# negatives, precision is 0 in all digits, so more weight would change nothing.
_MAX_WEIGHT = 2.0**1000


def at_prevalence(rankings: Rankings, prevalence: Share) -> Rankings:
    """Return the rankings with the share of positives, found or missed, set to
    `prevalence`. With None, each ranking keeps its own share.
    """
    if prevalence is None:
        return rankings
    return rankings.with_negative_factor(
        factor_of_negatives(
            rankings.n_positives, rankings.kernel.negative_weight, prevalence
        )
    )


def factor_of_negatives(
    positives: FloatArray, negatives: FloatArray, prevalence: float
) -> FloatArray:
    """Return the factor of the negatives of each ranking that gives it this prevalence;
    1 if the ranking has one class only.
    """
    odds = min((1.0 - prevalence) / prevalence, _MAX_WEIGHT)
    # The bound on the positives limits `positives * odds`, the weight that the
    # negatives get, to `_MAX_WEIGHT`.
    most_positives = _MAX_WEIGHT / odds
    with np.errstate(over="ignore"):
        weight = np.minimum(positives, most_positives) * odds
        factor = ratio(weight, negatives, 1.0)
    factor[positives == 0] = 1.0
    if factor.max() == np.inf:
        raise ValueError(
            f"prevalence={prevalence!r} would multiply the weights of negatives by "
            "more than 1e308 here; use weights that differ less, or a higher "
            "prevalence."
        )
    return factor
