"""Which sum over the groups of a ranking is the score of a definition."""

import numpy as np

from ..._core.areas.hits import HITS
from ..._core.areas.interpolated import INTERPOLATED
from ..._core.areas.joined import LINEAR
from ..._core.areas.step import STEP
from ..._core.definition import Definition
from .cuts import hits_of_r_precision, sum_at_cut
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
    """Return the score of a ranking as a sum, and its divisor.

    With `fixed_k`, it is that of this number of first rows, and the threshold is fixed.
    With `excess`, `Sum.negative` is the change, per weight, if this weight of a
    negative is removed.
    """
    positives = Sum(np.array(groups.n_positives), positive=1.0, missed=1.0)
    levels = levels_of(definition)
    if levels is not None:
        return mean_at_levels(levels, groups), positives
    divisor = positives
    if definition.is_whole and definition.area is not HITS:
        number = area_of(groups, definition.area, excess)
    elif definition.cut == "n_positives":
        number = hits_of_r_precision(groups)
    else:
        # The hits of a whole ranking are those of a cut after all rows.
        number, divisor = sum_at_cut(definition, groups, positives, excess, fixed_k)
    return number.over(divisor), divisor
