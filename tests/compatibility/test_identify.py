"""`identify`: which conventions print a number."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from peers.agreement import compared
from peers.golden_values import load
from peers.inputs import INPUTS
from scores import MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._identify import _Candidate

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

SMALL = [1, 1, 0, 1], [4, 3, 2, 1]


def names_of(comparison) -> list[str]:
    """Return the names of the records that give the number."""
    rows = comparison.rows[: comparison.search.n_found]
    return [row.convention.name for row in rows]


def test_rows_are_sorted_by_distance_and_have_the_reasons_of_compare_conventions():
    found = identify("0.78", MCCANN_Y, MCCANN_S, k=5, tol=0.005)
    distances = [abs(row.value - 0.78) for row in found.rows]
    assert found.search.n_found == len(distances) > 30
    assert distances == sorted(distances)
    assert distances[-1] <= 0.005
    names = names_of(found)
    (same,) = compare_conventions(MCCANN_Y, MCCANN_S, k=5, conventions=names[:1]).rows
    assert found.rows[0] == same
    assert {row["name"] for row in found.to_dict()["rows"]} == {
        row.name for row in found.rows
    }
    assert found.to_dict()["search"] == found.search._asdict()


def test_the_nearest_records_come_first_if_none_is_near():
    near = names_of(identify("0.77777", *SMALL, tol=0.5))
    found = identify("0.77777", *SMALL)
    assert (found.search.n_found, len(found.rows)) == (0, 3)
    assert [row.convention.name for row in found.rows] == near[:3]
    assert str(found).startswith("No convention gives 0.77777 to 5 digits; the nea")
    assert "'0.80'" in str(found)
    assert "to 1 digit:" in str(identify("0.8", *SMALL))


# --- matrices -------------------------------------------------------------------------

RNG = np.random.default_rng(3)
MATRICES = RNG.integers(0, 2, (40, 3)), RNG.random((40, 3))


@pytest.mark.parametrize(
    ("average", "weight"), [("macro", None), ("macro", range(40)), ("micro", range(40))]
)
def test_columns_are_searched_by_their_mean_and_by_elements(average, weight):
    value = average_precision_score(*MATRICES, average=average, sample_weight=weight)
    found = identify(repr(float(value)), *MATRICES, sample_weight=weight)
    rows = {
        row.convention.queries: row for row in found.rows if row.name == "scikit-learn"
    }
    (queries,) = rows
    assert queries == {"macro": "mean", "micro": "pooled"}[average]
    assert ("mean over queries" in rows[queries].why) == (average == "macro")


def range_over_orders(name, y_true, y_score):
    """Return the least and the greatest value of a record that leaves the order of equal
    scores open.
    """
    with pytest.raises(NoNumberError) as caught:
        score_as(name, y_true, y_score)
    return caught.value.low, caught.value.high


def test_classes_are_columns_and_open_orders_have_mean_ends():
    y_true, y_score = RNG.integers(0, 3, 40), np.round(MATRICES[1], 1)
    ends = [range_over_orders("ranx map", y_true == j, y_score[:, j]) for j in range(3)]
    low, high = np.mean(ends, axis=0)
    (open_order,) = (
        row
        for row in identify((low + high) / 2, y_true, y_score).rows
        if (row.name, row.convention.queries) == ("ranx map", "mean")
    )
    assert (open_order.low, open_order.high) == pytest.approx((low, high))


@pytest.mark.parametrize("name", ["COCO", "voc_ap", "yardstick pr_auc"])
def test_columns_without_a_number_do_not_count(name):
    """Without positives, COCO returns -1, and others return NaN."""
    y_true = MATRICES[0] * [1, 0, 1]
    value = np.mean([score_as(name, y_true[:, j], MATRICES[1][:, j]) for j in (0, 2)])
    assert name in names_of(identify(repr(float(value)), y_true, MATRICES[1]))


# --- orders of equal scores that are open ---------------------------------------------


def test_a_number_inside_an_open_range_may_be_that_convention():
    found = identify("0.8571", TIED_Y, TIED_S)
    possible = found.rows[-found.search.n_possible :]
    assert found.search.n_found == 0
    assert f"{len(possible)} may give it." in " ".join(str(found).split())
    assert {"trec_eval map", "voc_ap", "ranx map"} <= {row.name for row in possible}
    for row in possible:
        assert row.low <= 0.8571 <= row.high
        ends = range_over_orders(row.name, TIED_Y, TIED_S)
        assert ends == (row.low, row.high)


# --- the last digits of packages ------------------------------------------------------


def first_same(name, golden):
    """Return the first input for which the record has the number of the package."""
    for put, value in golden["values"].items():
        if isinstance(value, float):
            verdict = compared(name, golden | {"values": {put: value}})
            if verdict[put] == "same":
                return put
    return None


def test_the_digits_of_each_package_find_its_record():
    """The tolerance includes the rounding of each package: float32, or six decimals."""
    n_values = 0
    for name, golden in [*load().items()][::3]:
        put = name in CONVENTIONS and first_same(name, golden)
        if put:
            value = repr(golden["values"][put])
            assert name in names_of(identify(value, **INPUTS[put].arguments)), put
            n_values += 1
    assert n_values > 17


def test_a_float32_is_no_exact_match_of_a_float64():
    value = repr(float(np.float32(11 / 12)))
    names = names_of(identify(value, *SMALL))
    assert "torchmetrics average_precision" in names
    assert "scikit-learn" not in names
    assert names_of(identify(value, *SMALL, tol=0)) == []


def test_a_number_inside_a_range_has_the_distance_0():
    assert _Candidate(None, 0.2, 0.8).distance(0.5) == 0
