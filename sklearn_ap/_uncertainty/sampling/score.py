"""Which sum over the groups of a ranking is the score of a definition."""

import numpy as np

from ..._core.areas.hits import HITS
from ..._core.areas.interpolated import INTERPOLATED
from ..._core.areas.joined import LINEAR
from ..._core.areas.step import STEP
from ..._core.definition import Definition
from .cuts import hits_of_r_precision, sums_at_cut
from .levels import levels_of, mean_at_levels
from .ranking import Groups
from .sums import Sum, area_of

# The areas whose derivatives are known.
KNOWN_AREAS = STEP, INTERPOLATED, LINEAR, HITS


def score_of(
    definition: Definition,
    groups: Groups,
    excess: float = 0.0,
    *,
    fixed_k: float | None = None,
) -> tuple[Sum, Sum]:
    """Return the score of a ranking as a sum, and its divisor as a sum.

    With `fixed_k`, the score is that of this number of first rows, and the threshold is
    fixed. With an `excess`, `Sum.negative` of an area is a finite change (`area_of`).
    """
    all_positives = Sum(np.array(groups.n_positives), positive=1.0, missed=1.0)
    levels = levels_of(definition)
    if levels is not None:
        return mean_at_levels(levels, groups), all_positives
    divisor = all_positives
    if definition.is_whole and definition.area is not HITS:
        numerator = area_of(groups, definition.area, excess)
    elif definition.cut == "n_positives":
        numerator = hits_of_r_precision(groups)
    else:
        # The hits of a whole ranking are those of a cut after all rows.
        numerator, divisor = sums_at_cut(
            definition, groups, all_positives, excess, fixed_k
        )
    return numerator.over(divisor), divisor
