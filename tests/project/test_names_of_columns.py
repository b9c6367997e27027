"""Functions above the core match columns by name, and report indexes in two orders.

`tests/core/test_frames.py` tests the rule itself.
"""

import warnings
from itertools import product

import numpy as np
import pytest

import sklearn_ap as ap
from brief import covering, values_of
from doors import DOORS, result_of
from sklearn_ap import average_precision_score
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


# Calls with labels and another argument s, each of which has an index.
INDEXED = [
    "ap.get_scorer('AP')(Returning([0, 1]), np.eye(2)[y], y, sample_weight=s)",
    "ap.estimate_score(AP, y, range(6), unit_id=s)",
    "ap.budget_totals(y, range(6), k=1, query_id=np.arange(6) // 3, amount=s)",
    "ap.report(y, range(6), k=1, amount=s)",
    "ap.report(y, range(6), unit_id=s)",
    "ap.distributed.RankingState().update(y, range(6), sample_weight=s)",
]


@pytest.mark.parametrize("call", [*DOORS, *INDEXED])
def test_indexes_in_two_orders_are_reported(call):
    shown = r"in two orders: \[3, 1, 2, 0, 5, 4\] and \[0, 2, 1, 3, 4, 5\]"
    with pytest.warns(UserWarning, match=shown):
        result_of(call, LABELS, SCORES, Returning=Returning)
