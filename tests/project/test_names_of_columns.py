"""Functions above the core match columns by name, and report indexes in two orders.

`tests/core/test_frames.py` tests the rule itself.
"""

import warnings
from itertools import product

import numpy as np
import pytest

import sklearn_ap as ap
from brief import covering, values_of
from doors import DOORS
from sklearn_ap import average_precision_score, get_scorer
from tests.core.test_frames import (
    CLASSES,
    KINDS,
    LABELS,
    N_ROWS,
    SCORES,
    Returning,
    check_columns_in_any_order,
)

AP = average_precision_score


@pytest.fixture(autouse=True)
def _uncertainty_is_not_tested():
    # If there is no such warning, its subpackage was removed.
    kind = getattr(ap, "UncertaintyWarning", None)
    if kind is not None:
        warnings.simplefilter("ignore", kind)


def drawn(display):
    return [line.get_xydata() for line in np.ravel(display.line_)]


def compared(_, y_true, y_score):
    models = {"a": y_score, "b": np.zeros((N_ROWS, 4))}
    return str(ap.compare_many(AP, y_true, models))


def from_estimator(kind, y_true, y_score):
    estimator = Returning(CLASSES[kind])
    return drawn(ap.PrecisionRecallDisplay.from_estimator(estimator, y_score, y_true))


# One call of each way in which columns are read.
OF_COLUMNS = {
    "compare_many": compared,
    "identify": lambda _, *rows: str(ap.compatibility.identify("0.4", *rows)),
    "display": lambda _, *rows: drawn(
        ap.PrecisionRecallDisplay.from_predictions(*rows)
    ),
    "estimator": from_estimator,
}


@pytest.mark.parametrize(
    ("call", "of_kind"),
    covering([*product(OF_COLUMNS, KINDS)], values_of, is_brief=True),
)
def test_named_columns_may_have_any_order(call, of_kind):
    check_columns_in_any_order(OF_COLUMNS[call], *of_kind)


RANKED = np.arange(6)
# Calls with labels and another argument, each of which has an index.
INDEXED = DOORS | {
    "scorer": lambda y, weight: get_scorer("average_precision")(
        Returning([0, 1]), np.eye(2)[y], y, sample_weight=weight
    ),
    "unit_id": lambda y, units: ap.estimate_score(AP, y, RANKED, unit_id=units),
    "amount": lambda y, amount: ap.budget_totals(
        y, RANKED, k=1, query_id=RANKED // 3, amount=amount
    ),
    "amount of report": lambda y, amount: ap.report(y, RANKED, k=1, amount=amount),
    "units of report": lambda y, units: ap.report(y, RANKED, unit_id=units),
}


@pytest.mark.parametrize("call", INDEXED.values(), ids=INDEXED)
def test_indexes_in_two_orders_are_reported(call):
    shown = r"in two orders: \[3, 1, 2, 0, 5, 4\] and \[0, 2, 1, 3, 4, 5\]"
    with pytest.warns(UserWarning, match=shown):
        call(LABELS, SCORES)
