"""The curves are what their definitions say at every threshold, and the areas under
them are the scores, in calls of several subpackages; `tests/core/test_curves.py` has
the others.
"""

from functools import partial

import matplotlib as mpl
import pytest

from sklearn_ap import hit_curve, interpolated_precision_recall_curve, operating_point

mpl.use("Agg")


@pytest.mark.parametrize(
    "curve",
    [hit_curve, interpolated_precision_recall_curve, partial(operating_point, k=1)],
)
@pytest.mark.parametrize("y_true", [["a", "b"], ["a", "b", "c"], [0, 1], [0.0, 2.0]])
def test_a_positive_label_that_no_row_has_is_an_error(curve, y_true):
    pos_label = "typo" if isinstance(y_true[0], str) else 7
    with pytest.raises(
        ValueError, match=rf"^pos_label={pos_label} is not a valid label. .* one of"
    ):
        curve(y_true, range(len(y_true)), pos_label=pos_label)
