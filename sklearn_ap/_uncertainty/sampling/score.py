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
    fixed_depth: float | None = None,
) -> tuple[Sum, Sum]:
    """Return the score of a ranking as a sum, and its divisor as a sum.

    If the score ends after k rows, a `fixed_depth` is a number of rows in place of k,
    and the cut does not move. Other scores ignore it. With an `excess`, the weight of a
    negative above that of a positive, `Sum.negative` of an area is the change if this
    weight is removed (`area_of`). A score at recall levels is no quotient; its divisor
    is the weight of all positives, as with areas.
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
            definition, groups, all_positives, excess, fixed_depth
        )
    return numerator.over(divisor), divisor
