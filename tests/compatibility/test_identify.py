"""`identify`: which conventions print a number."""

from decimal import Decimal

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import average_precision_score

from peers.agreement import compared
from peers.golden_values import load
from peers.inputs import INPUTS
from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    compare_conventions,
    identify,
    score_as,
)

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

FAMILY = FAMILY_Y, FAMILY_S
SMALL = [1, 1, 0, 1], [4, 3, 2, 1]


def names_of(group) -> list[str]:
    return [convention.name for convention in group.conventions]


@pytest.mark.parametrize(
    ("value", "given", "tol"),
    [
        ("0.69", None, 0.005),
        (Decimal("0.700"), None, 0.0005),
        (np.float32(0.7), np.float32(0.5), 0.5),
        ("np.float64(0.69)", None, 0.005),
        (0.69, None, 1e-6),
        ("0.69", 0.1, 0.1),
    ],
)
def test_tolerance_of_the_digits(value, given, tol):
    assert identify(value, *FAMILY, tol=given).tol == pytest.approx(tol, abs=0)


@pytest.mark.parametrize("value", ["79.55", Decimal("79.55"), "79.55%", 100 * 35 / 44])
def test_the_error_about_a_percentage_has_an_example_of_a_share(value):
    with pytest.raises(
        ValueError, match=r"^value must be .* '0\.7955', and not a percentage"
    ):
        identify(value, MCCANN_Y, MCCANN_S)


# --- numbers that are no AP -----------------------------------------------------------

MISTAKEN_Y = (np.random.default_rng(4).random(300) < 0.3).astype(int)
MISTAKEN_S = 1 / (1 + np.exp(-np.random.default_rng(5).normal(size=300) - MISTAKEN_Y))


def numbers_taken_for_ap():
    """Numbers that are no AP, by a word of their note."""
    y, s = MISTAKEN_Y, MISTAKEN_S
    hard = (s > 0.5).astype(int)
    precision, recall, _ = metrics.precision_recall_curve(y, s)
    best = max(
        2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True) if p + r
    )
    return {
        "predicted labels": average_precision_score(y, hard),
        "the other class": average_precision_score(1 - y, -s),
        "ROC AUC": metrics.roc_auc_score(y, s),
        "best F1": best,
        "times recall": metrics.precision_score(y, hard)
        * metrics.recall_score(y, hard),
        "threat score": metrics.jaccard_score(y, hard),
        "over the share of positives": average_precision_score(y, s) / y.mean(),
    }


@pytest.mark.parametrize(("words", "number"), numbers_taken_for_ap().items())
def test_a_number_that_is_taken_for_ap_is_named(words, number):
    found = identify(f"{number:.6f}", MISTAKEN_Y, MISTAKEN_S)
    assert found.groups == ()
    [note] = [note for note in found.notes if note.startswith("Not AP: this is ")]
    assert words in note
    # In logits, no threshold is known, so that no labels follow.
    odds = np.log(MISTAKEN_S / (1 - MISTAKEN_S))
    text = str(identify("0.123456789", MISTAKEN_Y, odds))
    assert "Not AP" not in text


@pytest.mark.parametrize("k", [None, 10])
def test_hits_of_ogb_are_explained_if_a_cut_is_given(k):
    known = average_precision_score(MISTAKEN_Y, MISTAKEN_S)
    for value in ("0.123456", known, "1.0"):
        notes = identify(value, MISTAKEN_Y, MISTAKEN_S, k=k).notes
        assert sum("hits@k of OGB" in note for note in notes) == (k is not None)


# --- matrices -------------------------------------------------------------------------

RNG = np.random.default_rng(3)
MATRICES = RNG.integers(0, 2, (40, 3)), RNG.random((40, 3))


@pytest.mark.parametrize(
    ("average", "weight"), [("macro", None), ("macro", range(40)), ("micro", range(40))]
)
def test_columns_are_searched_by_their_mean_and_by_elements(average, weight):
    value = average_precision_score(*MATRICES, average=average, sample_weight=weight)
    found = identify(repr(float(value)), *MATRICES, sample_weight=weight)
    assert {group.average for group in found.groups} == {average}
    assert "scikit-learn" in names_of(found.groups[0])
    assert f"{average} over columns\n" in str(found)


def test_numbers_of_this_package_are_shown_as_calls():
    value = average_precision_score(*SMALL)
    lines = " ".join(str(identify(repr(float(value)), *SMALL)).split())
    assert "average_precision_score(y_true, y_score);" in lines


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
        group
        for group in identify((low + high) / 2, y_true, y_score).possible
        if group.average == "macro" and "ranx map" in names_of(group)
    )
    assert (open_order.low, open_order.high) == pytest.approx((low, high))


def test_columns_that_a_convention_excludes_do_not_count():
    """COCO returns -1 for a class without positives."""
    y_true = MATRICES[0] * [1, 0, 1]
    value = np.mean([score_as("COCO", y_true[:, j], MATRICES[1][:, j]) for j in (0, 2)])
    groups = identify(repr(float(value)), y_true, MATRICES[1]).groups
    assert any("COCO" in names_of(group) for group in groups)


def test_what_columns_do_not_take():
    for name, value in {"n_positives": 90, "item_id": range(40)}.items():
        with pytest.raises(ValueError, match=f"^{name} requires one column"):
            identify(0.5, *MATRICES, **{name: value})


@pytest.mark.parametrize("rounded", ["0.12", "0.13"])
def test_a_number_at_exactly_half_a_unit_is_found(rounded):
    """The distance of 0.125 to both numbers is 0.005, and rounds to slightly more."""
    groups = identify(rounded, [0] * 7 + [1], range(8, 0, -1)).groups
    (exact,) = (group for group in groups if group.value == 0.125)
    assert "scikit-learn" in names_of(exact)


# --- what was not searched ------------------------------------------------------------


def printed(value, y_true=FAMILY_Y, y_score=FAMILY_S, **arguments) -> str:
    """Return the printed text on one line."""
    return " ".join(str(identify(value, y_true, y_score, **arguments)).split())


def test_a_float_without_a_convention_may_have_been_rounded():
    for value in (0.724, np.float64(0.724), np.float32(0.724)):
        assert "If it is rounded, pass it as text: '0.724'." in printed(value)
    exact = score_as("VOC 2007", FAMILY_Y, FAMILY_S)
    assert not any(
        "as text" in printed(one) for one in ("0.11", Decimal("0.11"), exact)
    )
    assert "as text" not in printed(0.724, tol=1e-9)


def test_the_records_without_a_number_are_counted():
    """Records with thresholds refuse queries, whatever the number of thresholds."""
    given = {"query_id": [*"aabb"], "k": 2}
    rows = compare_conventions(*SMALL, conventions=CONVENTIONS, **given).rows
    n_without = sum(row.value is None for row in rows)
    assert f"Without a number here: {n_without} (" in printed("0.7", *SMALL, **given)
    note = identify("0.7", *SMALL, k=2, n_positives=3).notes[-1]
    assert note == "Cuts are at k = 2."


# --- orders of equal scores that are open ---------------------------------------------


def test_a_number_inside_an_open_range_may_be_that_convention():
    found = identify("0.8571", TIED_Y, TIED_S)
    assert found.groups == ()
    assert "\nmay be: " in str(found)
    names = [name for group in found.possible for name in names_of(group)]
    assert {"trec_eval map", "voc_ap", "ranx map"} <= set(names)
    assert len(names) == len(set(names))
    for group in found.possible:
        assert group.low <= 0.8571 <= group.high
        for name in names_of(group):
            ends = range_over_orders(name, TIED_Y, TIED_S)
            assert ends == pytest.approx((group.low, group.high), abs=1e-9)


def test_a_number_outside_each_open_range_is_no_convention():
    assert identify("0.1234", TIED_Y, TIED_S).possible == ()


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
            groups = identify(value, **INPUTS[put].arguments).groups
            assert any(name in names_of(group) for group in groups), (name, put)
            n_values += 1
    assert n_values > 17


def test_a_float32_is_no_exact_match_of_a_float64():
    (group,) = identify(repr(float(np.float32(11 / 12))), *SMALL).groups
    assert "torchmetrics average_precision" in names_of(group)
    assert "scikit-learn" not in names_of(group)
    assert str(group).startswith("0.9166666666666666 (-2.0e-08)\n")
    assert identify(repr(float(np.float32(11 / 12))), *SMALL, tol=0).groups == ()


def test_the_nearest_records_are_named_if_none_is_near():
    near, next_one, *_ = identify("0.77777", *SMALL, tol=0.5).groups
    text = printed("0.77777", *SMALL)
    assert "nearest: precision_at_recall_score(y_true, y_score, recall=0.8), " in text
    assert f", {near.value:.6f} ({near.off:+.6f}); {names_of(next_one)[0]}, " in text
    assert f", {next_one.value:.6f} ({next_one.off:+.6f})." in text
