"""The first k rows: every order of equal scores, counted out; weights; what a call
refuses, in calls of several subpackages; `tests/core/test_at_k.py` has the others.
"""

import numpy as np
import pytest

from sklearn_ap._core.areas.step import STEP, within_cut
from sklearn_ap._core.definition import needs_equal_weights, order_of_ties
from sklearn_ap._core.ranking.rankings import Steps
from sklearn_ap.compatibility._records import policy_of
from sklearn_ap.distributed._streams import _in_order


@pytest.mark.parametrize(
    "call",
    [
        lambda: order_of_ties("worst"),
        lambda: needs_equal_weights(STEP, "worst", "k", 2, states_totals=False),
        lambda: within_cut(None, None, "worst"),
        lambda: policy_of("worst"),
        lambda: next(_in_order(Steps(*np.ones((3, 1)), None), "worst")),
    ],
)
def test_an_unknown_policy_is_not_taken_for_another(call):
    with pytest.raises(AssertionError, match="worst"):
        call()
