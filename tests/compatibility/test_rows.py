"""Rows of conventions, one call per line, with its number by hand or its error."""

import re

import numpy as np
import pytest

from sklearn_ap import compatibility

NAMES = {name: getattr(compatibility, name) for name in compatibility.__all__}
NAMES |= {"np": np}
NUMBERS = [
    # A query that the convention leaves out has no number.
    ("score_as('podm 11-point', [1, 0, 0, 0], [2, 1, 2, 1], query_id=[0, 0, 1, 1], average=None)", [1, np.nan]),
    # The cut is after as many rows as there are positives.
    ("score_as('gist 7337391, average_precision_score(k)', [1, 0, 1, 0], [4, 3, 2, 1], k=3)", 1 / 2),
    # 0, 1 and 2 are logits, and the sigmoids of the first two are in one bin of five.
    ("score_as('torchmetrics, thresholds=5', [1, 0, 1], np.arange(3))", (1 + 2 / 3) / 2),
    # A row with the score 0 is not retrieved.
    ("score_as('torchmetrics RetrievalMAP', [0, 1], [1, 0])", 0),
    ("identify('tensor(1.0)', [1, 0], [2, 1]).rows[0].value", 1),
    # The mean of 5/7 and 1 is found only with the weights of the rows.
    ("identify(6 / 7, [[1, 0], [0, 1]], [[1, 3], [2, 4]], sample_weight=[5, 2]).search.n_found > 0", True),
]  # fmt: skip
# A call, the beginning of its error, and words at the end.
ERRORS = [
    ("score_as('VOC 2007', [1, 0], [2, 1], average='micro')", "average must be one of 'macro'", "?"),
    ("score_as('VOC 2007', [1, 0], [2, 1], average=None)", "average must be 'macro' without query_id", "."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("call", "start", "end"), ERRORS)
def test_a_call_raises_its_error(call, start, end):
    with pytest.raises(ValueError, match=f"^{re.escape(start)}") as caught:
        eval(call, NAMES)
    assert str(caught.value).endswith(end)
