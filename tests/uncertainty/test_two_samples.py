"""Two samples with rows of their own: paired by their units, and independent."""

import re
from math import hypot

import numpy as np
import pytest
from scipy.stats import t, ttest_ind, ttest_rel

from oracles.uncertainty import assert_test_and_interval_agree, frozen
from sklearn_ap import (
    average_precision_score,
    compare_samples,
    compare_scores,
    estimate_score,
    score_by_query,
)
from sklearn_ap._uncertainty import rules

pytestmark = pytest.mark.filterwarnings(
    "ignore:The sample has too few",
    "ignore:y_true contains no positives",
    "ignore:Negatives are few and heavy",
)
AP = "average_precision"
N, N_CLASSES, N_IMAGES = 240, 3, 40
RNG = np.random.default_rng(15)
CLASS, IMAGE = (frozen(RNG.permutation(N) % size) for size in (N_CLASSES, N_IMAGES))
Y_TRUE = frozen((RNG.random(N) < 0.4).astype(int))
NEW, OLD = (
    frozen((RNG.normal(size=N) + shift * Y_TRUE).round(1)) for shift in (1.4, 1)
)
NO_NAN = {"zero_division": np.nan}
# Objects of each image, and of each class and image. None of the first class was missed.
BY_IMAGE = {i: int(Y_TRUE[i == IMAGE].sum()) + i % 3 for i in range(N_IMAGES)}
TOTALS = {(i, image): i * (image % 4 == 0) for i in range(3) for image in BY_IMAGE}
for of_row in zip(CLASS.tolist(), IMAGE.tolist(), Y_TRUE.tolist(), strict=True):
    TOTALS[of_row[:2]] += of_row[2]


def rows_of(y_score=NEW, places=slice(None), **per_row):
    """Return the arguments of one sample, of the rows at these places."""
    per_row = {"y_true": Y_TRUE, "y_score": y_score, **per_row}
    return {argument: values[places] for argument, values in per_row.items()}


# A score, its arguments with a value per row, and its other arguments.
UNITS, FIXED = {"unit_id": IMAGE}, {"unit_id": IMAGE, "query_id": CLASS}
CALLS = {
    "rows": (AP, {"unit_id": frozen(np.arange(N))}, {}),
    "units": (AP, UNITS, {}),
    "missed": (AP, UNITS, {"n_positives": BY_IMAGE}),
    "prevalence": (AP, UNITS, {"prevalence": 0.05}),
    "weights": (AP, UNITS | {"sample_weight": frozen(1 + CLASS)}, {}),
    "cut": ("precision@20", UNITS, {}),
    "recall": ("precision_at_recall@0.5", UNITS, {}),
    "fixed queries": (AP, FIXED, {}),
    "classes": (AP, FIXED, {"n_positives": TOTALS, "average": "weighted"}),
    "COCO": (
        "interpolated_average_precision",
        FIXED,
        {
            "n_positives": TOTALS | {(N_CLASSES, 0): 0},
            "recall_levels": 101,
            "zero_division": np.nan,
        },
    ),
    "pooled": (AP, FIXED, {"average": "micro"}),
    "pooled queries": (AP, {"query_id": IMAGE}, {"average": "micro"}),
    "drawn queries": (AP, {"query_id": IMAGE}, {"zero_division": 0.0}),
    "queries in units": (
        AP,
        {"query_id": IMAGE, "unit_id": IMAGE // 4},
        {"zero_division": np.nan},
    ),
    **{
        f"{average} of columns": (
            AP,
            # 80 rows of three labels, of 40 units.
            {
                "y_true": Y_TRUE.reshape(80, 3),
                "unit_id": frozen(np.arange(80) % 40),
            },
            {"average": average, "zero_division": 0.0},
        )
        for average in ("macro", "weighted", "micro", "samples")
    },
    "weighted samples": (
        AP,
        {
            "y_true": Y_TRUE.reshape(80, 3),
            "unit_id": frozen(np.arange(80) % 40),
            "sample_weight": frozen(1 + np.arange(80) % 7),
        },
        {"average": "samples", "zero_division": 0.0},
    ),
}
each_call = pytest.mark.parametrize("name", CALLS)


def samples_of(name):
    """Return the score, both samples, and the options of a call of the table."""
    score, per_row, options = CALLS[name]
    shape = per_row.get("y_true", Y_TRUE).shape
    first, second = (
        {"y_true": Y_TRUE, "y_score": each.reshape(shape), **per_row}
        for each in (NEW, OLD)
    )
    return score, first, second, options


def assert_equal(found, wanted, **changed):
    """Assert that all numbers of two results agree to 1e-12."""
    found, wanted = found.to_dict(), wanted.to_dict() | changed
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        is_number = isinstance(value, float | list)
        near = pytest.approx(value, rel=1e-12, abs=1e-12) if is_number else value
        assert found[key] == near, key


# --- paired samples -------------------------------------------------------------------


@each_call
@pytest.mark.filterwarnings("ignore:Positives were missed")
def test_the_same_rows_give_the_numbers_of_compare_scores(name):
    score, first, second, options = samples_of(name)
    per_row = {each: first[each] for each in first if each != "y_score"}
    wanted = compare_scores(
        score,
        y_score_a=first["y_score"],
        y_score_b=second["y_score"],
        **per_row,
        **options,
    )
    shuffled = np.random.default_rng(0).permutation(len(first["y_true"]))
    second = {argument: values[shuffled] for argument, values in second.items()}
    found = compare_samples(score, first, second, paired=True, **options)
    assert_equal(found, wanted, design="paired", n_shared_units=wanted.n_units)
    same = compare_samples(score, first, first, paired=True, **options)
    assert (same.difference, same.pvalue, same.standard_error) == (0, 1, 0)


@pytest.mark.parametrize("gain", [0.0, 0.5])
def test_runs_are_tested_as_scipy_tests_their_scores(gain):
    rng = np.random.default_rng(1)
    # Each run lacks topics, which score 0.
    new, old = (
        {
            "y_true": rng.random(8 * n) < 0.3 + shift,
            "y_score": rng.random(8 * n),
            "query_id": np.repeat(np.arange(n), 8),
            "n_positives": dict.fromkeys(range(30), 8),
        }
        for n, shift in ((29, gain), (27, 0))
    )
    wanted = ttest_rel(
        *(
            [*score_by_query(average_precision_score, **run).values()]
            for run in (new, old)
        )
    )
    assert_is_test_of_scipy(compare_samples(AP, new, old, paired=True), wanted)


def assert_is_test_of_scipy(found, wanted):
    assert (found.statistic, found.pvalue, found.df) == pytest.approx(
        (wanted.statistic, wanted.pvalue, wanted.df), rel=1e-9
    )
    low, high = wanted.confidence_interval()
    assert found.confidence_interval() == pytest.approx((low, high), rel=1e-9)


# --- independent samples --------------------------------------------------------------


@pytest.fixture(autouse=True)
def few_choices(monkeypatch):
    """Make few random choices, since other tests hold their number."""
    monkeypatch.setattr(rules, "N_CHOICES", 99)
    monkeypatch.setattr(rules, "RARE", 0.0)


def test_weighted_rows_count_less_in_the_degrees_of_freedom():
    score, *samples, options = samples_of("weighted samples")
    found = compare_samples(score, *samples, paired=False, **options)
    of_samples = [estimate_score(score, **each, **options) for each in samples]
    squares = [each.standard_error**2 / each.df**0.5 for each in of_samples]
    df = found.standard_error**4 / np.square(squares).sum()
    assert found.df == pytest.approx(df, rel=1e-12)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    "name",
    ["rows", "units", "missed", "prevalence", "half", "columns", "smaller columns"],
)
def test_independent_samples_have_the_test_of_welch_with_one_more_event(
    name, swapped, monkeypatch
):
    """It lowers the higher score. The interval is that of Zou and Donner."""
    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    score, first, second, options = samples_of(COLUMNS.get(name, name))
    if name == "half":
        options = {"prevalence": 0.3}
    # If the better sample is the smaller one, its bias is larger. Otherwise, the bias is
    # that of the worse sample, and hides a part of the difference.
    smaller = second if name == "smaller columns" else first
    smaller |= {each: values[: len(values) // 2] for each, values in smaller.items()}
    samples = (second, first) if swapped else (first, second)
    found = compare_samples(score, *samples, paired=False, **options)
    one, other = (estimate_score(score, **each, **options) for each in samples)
    higher = one if found.difference > 0 else other
    power = max(np.mean(found.scores), 1 / 3)
    variances = [
        (power * each.score ** (power - 1)) ** 2
        * (each.standard_error**2 + (each is higher) * lowered(each, name) ** 2)
        for each in (one, other)
    ]
    n_units = [units_with_positives(each, options) for each in samples]
    df = sum(variances) ** 2 / (np.square(variances) / np.subtract(n_units, 1)).sum()
    bias = one._changes.bias - other._changes.bias
    part = 1 - max(bias / found.difference, 0)
    statistic = (one.score**power - other.score**power) * part / sum(variances) ** 0.5
    assert (found.test, found.df) == ("t", pytest.approx(df, rel=1e-9))
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    wanted = 2 * t.sf(abs(statistic), df)
    assert found.pvalue == pytest.approx(wanted, rel=1e-9)
    assert_is_of_both_intervals(found, one, other)


@pytest.mark.parametrize(
    "name", ["rows", "units", "missed", "prevalence", "columns", "cut"]
)
def test_the_interval_of_a_difference_is_of_both_intervals(name):
    score, first, second, options = samples_of(COLUMNS.get(name, name))
    found = compare_samples(score, first, second, paired=False, **options)
    assert found.test == "permutation"
    one, other = (estimate_score(score, **each, **options) for each in (first, second))
    assert_is_of_both_intervals(found, one, other)


def assert_is_of_both_intervals(found, one, other):
    for level in (0.5, 0.95, 0.999):
        a, b = (each.confidence_interval(level) for each in (one, other))
        below = hypot(one.score - a.low, b.high - other.score)
        above = hypot(a.high - one.score, other.score - b.low)
        expected = [found.difference - below, found.difference + above]
        # The end next to 0 obeys the test.
        next_to_0 = int(found.difference < 0)
        excludes_0 = found.pvalue <= 1 - level
        if (expected[0] <= 0 <= expected[1]) == excludes_0:
            expected[next_to_0] = 0
        assert found.confidence_interval(level) == pytest.approx(expected, abs=1e-6)


COLUMNS = dict.fromkeys(["columns", "smaller columns"], "macro of columns")
COLUMNS["half"] = "prevalence"


def lowered(estimate, name):
    """How much one more event that lowers the score changes it."""
    lost, alarm, *_ = estimate._changes
    # Only there, negatives weigh more than positives.
    assert (alarm > 0) == (name in ("prevalence", "half"))
    assert estimate.standard_error > lost
    # An alarm that is larger than the error counts in part.
    assert (alarm > estimate.standard_error) == (name == "prevalence")
    return hypot(lost, min(alarm, (alarm * estimate.standard_error) ** 0.5))


def units_with_positives(sample, options):
    """Number of units that contain a positive, found or missed."""
    if "n_positives" in options:
        return np.count_nonzero([*options["n_positives"].values()])
    labels = np.array(sample["y_true"], bool)
    rows = labels.reshape(len(labels), -1).any(axis=1)
    return np.unique(np.array(sample["unit_id"])[rows]).size


@pytest.mark.parametrize(("score", "shift"), [("precision@10", 0), (AP, 99)])
def test_either_of_two_samples_with_equal_scores_may_come_first(
    score, shift, monkeypatch
):
    """Both have a precision of one half among the first ten rows, or are perfect."""
    labels = [np.arange(n) % 2 for n in (20, 80)]
    samples = [{"y_true": y, "y_score": shift * y - np.arange(y.size)} for y in labels]
    forth = compare_samples(score, *samples, paired=False)
    back = compare_samples(score, *samples[::-1], paired=False)
    assert (forth.difference, forth.pvalue, back.pvalue) == (0, 1, 1)
    low, high = forth.confidence_interval()
    assert back.confidence_interval() == (-high, -low)
    assert low < 0 < high
    assert "agree on every unit" not in str(forth)
    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    forth, back = (
        compare_samples(score, *samples[::step], paired=False) for step in (1, -1)
    )
    assert (forth.difference, forth.pvalue, back.df) == (0, 1, forth.df)


@pytest.mark.parametrize("label", [0, 1])
def test_queries_that_all_score_alike_are_not_certain(label):
    """Ten queries that score 1, or 0, against forty, most of which do."""
    some = np.arange(40) < 36
    few, many = (
        {
            "y_true": np.c_[hits, ~hits].ravel()
            if label
            else np.c_[~hits, hits].ravel(),
            "y_score": np.tile([2, 1], hits.size),
            "query_id": np.arange(hits.size).repeat(2),
        }
        for hits in (np.ones(10, bool), some)
    )
    found = compare_samples("precision@1", few, many, paired=False)
    # One query more among eleven would score otherwise.
    error = np.std(some, ddof=1) / 40**0.5
    variances = np.array([1 / 11**2, error**2])
    df = variances.sum() ** 2 / (variances**2 / [9, 39]).sum()
    assert found.difference == pytest.approx((2 * label - 1) / 10)
    assert found.df == pytest.approx(df)
    assert found.pvalue == pytest.approx(2 * t.sf(0.1 / variances.sum() ** 0.5, df))
    assert_test_and_interval_agree(found)


def test_independent_runs_are_tested_as_scipy_tests_their_scores():
    samples = [
        rows_of(scores, places, query_id=IMAGE)
        for scores, places in ((NEW, IMAGE < 40), (OLD, IMAGE < 7))
    ]
    scores = [score_by_query(AP, **sample) for sample in samples]
    wanted = ttest_ind(*([*each.values()] for each in scores), equal_var=False)
    assert_is_test_of_scipy(compare_samples(AP, *samples, paired=False), wanted)


# --- texts and errors -----------------------------------------------------------------


IMAGES, BY_CLASS, TOPICS = (
    rows_of(**per_row) for per_row in (UNITS, FIXED, {"query_id": IMAGE})
)
NO_IDS = rows_of()
# The same numbers, of other topics.
NUMBERED, RENUMBERED = (
    TOPICS
    | {"n_positives": dict(zip(range(N_IMAGES)[::step], range(9, 49), strict=True))}
    for step in (1, -1)
)
LABELED = samples_of("macro of columns")[1]
CLASSES = {"y_true": CLASS, "y_score": np.eye(N_CLASSES)[CLASS], "unit_id": IMAGE}


# The arguments of both samples, options, and words of the error. With zero_division=NaN,
# topics and columns without positives are not scored.
NO_PAIRS = r"""
IMAGES :: NO_IDS :: {} :: have unit_id, .*'unit_id'\] in first.*'y_score'\] in sec
NO_IDS :: NO_IDS :: {} :: have unit_id, .*paired=False
TOPICS :: TOPICS | UNITS :: {} :: have unit_id,
IMAGES :: IMAGES | {'unit_id': IMAGE + 100} :: {} :: common units.*0 of 80.*100
IMAGES :: IMAGES | {'unit_id': IMAGE.astype(str)} :: {} :: first and second.*'0', 0
TOPICS :: TOPICS | {'query_id': IMAGE // 2} :: {} :: same queries.*20 of 40
TOPICS :: rows_of(query_id=IMAGE % 39) :: {} :: 39 of 40
rows_of(query_id=IMAGE % 39) :: TOPICS :: {} :: 39 of 40
TOPICS :: TOPICS | {'y_true': Y_TRUE * (IMAGE > 0)} :: NO_NAN :: 37 of 38.*first and \[1, 2
BY_CLASS :: BY_CLASS | {'query_id': CLASS + 1} :: {} :: fixed.*\[1, 2, 3\] in sec
BY_CLASS :: TOPICS | UNITS | {'unit_id': IMAGE // 2} :: {} :: fixed queries
CLASSES :: CLASSES | {'y_true': CLASS + 1} :: {} :: classes.*\[1, 2, 3\] in sec
LABELED :: LABELED | {'y_true': LABELED['y_true'] * [0, 1, 1]} :: NO_NAN :: columns.*2\] in first and \[1, 2\]
IMAGES :: IMAGES | {'n_positives': BY_IMAGE} :: {} :: by unit, .*got None in first and {0
IMAGES | {'n_positives': 120} :: IMAGES :: {} :: the total of each unit.*got 120
NUMBERED :: RENUMBERED :: {} :: the same n_positives.*got {0: 9, 1: 10,
TOPICS | UNITS | {'n_positives': dict.fromkeys(range(40), 9)} :: TOPICS | UNITS | {'n_positives': {(i, i): 9 for i in range(40)}} :: {} :: by unit, .*got {0: 9
IMAGES | {'n_positives': {0: 3}} :: IMAGES :: {} :: got 3, where
IMAGES | {'zero_division': 1} :: IMAGES :: {} :: first must map.*\['zero_division'\]
IMAGES :: (1, 2) :: {} :: second must map.*\(1, 2\)
IMAGES :: IMAGES | {'y_score': np.full(N, np.nan)} :: {} :: NaN
{'y_score': NEW} | UNITS :: IMAGES :: {} :: first must map 'y_true'
""".strip().splitlines()


@pytest.mark.parametrize("line", NO_PAIRS)
def test_samples_that_are_no_pair_are_refused(line):
    *arguments, text = line.split(" :: ")
    first, second, options = (eval(each, globals()) for each in arguments)
    with pytest.raises(ValueError, match=text) as raised:
        compare_samples(AP, first, second, paired=True, **options)
    # An error about the rows of a sample names it.
    text = "".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert re.search("first|second", text)
