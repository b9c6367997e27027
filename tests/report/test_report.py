"""Reports: what the parts say, and wrong arguments."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow
import pytest

from report_rows import ROWS
from sklearn_ap import (
    budget_totals,
    compare_many,
    estimate_score,
    expected_by_chance,
    operating_point,
    report,
)

Y, S = ROWS["label"].to_numpy(), ROWS["score"].to_numpy()
WEIGHTED = {"sample_weight": ROWS["weight"]}
OTHERS = {"old": ROWS["old"], "older": ROWS["old"] - ROWS["score"]}


def part_of(name, **options):
    """Return the first part with this name."""
    parts = report(Y, S, name="new", **options).parts
    return next(part for part in parts if part.name == name)


def test_the_headline_has_the_interval_and_the_chance_level():
    estimate = estimate_score("average_precision", Y, S)
    chance = expected_by_chance(Y, S)
    assert part_of("score").text == f"Average precision (AP) is {estimate}."
    assert part_of("chance").text.startswith(f"Chance is {chance:.2f}")
    assert part_of("chance").result == {"expected_by_chance": chance}


@pytest.mark.parametrize("sign", [1, -1])
def test_an_interval_below_chance_is_a_fact_of_the_answer(sign):
    _, estimate, chance, *_ = report(Y, sign * S).parts
    [level] = chance.result.values()
    is_below = estimate.result.confidence_interval().high < level
    assert is_below == (sign < 0)
    assert chance.text.endswith("lies below chance.") == is_below


@pytest.mark.filterwarnings("ignore:The sample has too few units")
def test_queries_have_budgets_of_each_and_some_have_no_positives():
    day = ROWS["day"]
    # Those without positives may be the last ones.
    rows = Y * (day < day.max() - 1), S
    parts = report(*rows, query_id=day).parts
    assert parts[0].result["n_queries_without_positives"] == 2
    rows = Y * (day > 2), S
    parts = report(*rows, query_id=day).parts
    assert "3 queries without positives: AP is 0 there." in parts[0].text
    estimate = estimate_score(
        "average_precision", *rows, query_id=day, zero_division=0.0
    )
    assert str(estimate) in parts[1].text
    chances = expected_by_chance(*rows, query_id=day, zero_division=0.0)
    assert parts[2].result == {"expected_by_chance": chances}
    budget = part_of("budget", k=2, query_id=day, unit_id=ROWS["customer"])
    assert "in the first 2 rows of each query" in budget.text
    # The interval of this share would draw queries, and not the units.
    totals = budget_totals(Y, S, k=2, query_id=day)
    assert budget.result["estimate"] == {"score": totals.share_of_weight.score}


def test_several_comparisons_say_that_they_are_adjusted():
    part = part_of("comparison", compare=OTHERS)
    many = part.result
    assert part.text.endswith(str(many).partition("\n")[0])
    assert many.pairs == (("new", "old"), ("new", "older"))
    reverse = compare_many(
        "average_precision", Y, {"new": S, **OTHERS}, reference="new"
    )
    assert many.difference.tolist() == (-reverse.difference).tolist()
    assert many.pvalue.tolist() == reverse.pvalue.tolist()
    high, low = reverse.confidence_interval()
    assert [*map(list, many.confidence_interval())] == [[*-low], [*-high]]
    assert "adjusted for 2 tests" in part.text
    # Equal models are not tested.
    equal = {"old": OTHERS["old"], "same": S}
    assert "1 test (two-sided; same rows)" in part_of("comparison", compare=equal).text


def test_amounts_are_those_of_the_totals():
    amount = np.arange(300) % 7
    part = part_of("budget", k=20, amount=amount)
    totals = budget_totals(Y, S, k=20, query_id=np.zeros(300), amount=amount)
    assert part.result["amount_found"] == totals.amount_found
    assert part.result["amount_of_positives"] == totals.amount_of_positives
    text = (
        f"Amount found: {totals.amount_found:.0f} of {totals.amount_of_positives:.0f}"
    )
    assert text in part.text


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ({}, "300 rows"),
        ({"unit_id": ROWS["customer"]}, f"{ROWS['customer'].nunique()} units"),
        ({"query_id": ROWS["day"]}, f"{ROWS['day'].nunique()} queries"),
    ],
)
def test_the_report_says_what_intervals_draw(options, drawn):
    assert part_of("rows", **options).text.endswith(f" Intervals draw {drawn}.")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (("k", 0.1), "Threshold for 10 % of the rows, chosen on these rows: "),
        (("miss_cost", 3), "Threshold if a false negative costs 3 false alarms, c"),
        (("beta", 1), "Threshold for the highest F1, chosen"),
    ],
)
def test_thresholds_have_titles_in_words(condition, words):
    assert part_of("threshold", threshold_at=[condition]).text.startswith(words)


def test_a_budget_of_all_rows_says_so():
    assert "in the first 1 % of the rows (" in part_of("budget", k=0.01).text
    assert "is in the first row (" in part_of("budget", k=1).text
    part = part_of("budget", k=1000)
    assert "in the first 1,000 rows, which are all 300 rows" in part.text
    assert ", about as many as in a random order." in part.text
    assert "which are" not in part_of("budget", k=299).text


@pytest.mark.filterwarnings("ignore:The sample has too few positives")
def test_numbers_have_no_exponent_and_one_row_is_no_plural():
    label, score = np.arange(5000) < 10, -np.arange(5000)
    text = str(report(label, score, k=1))
    assert ", 500 times as many as in a random" in " ".join(text.split())
    first, _, _, budget = (part.text for part in report([1], [0.5], k=1).parts)
    assert first == "scores: 1 row, 1 positive (100 %). Intervals draw 1 row."
    assert budget.startswith("1 of 1 positives is in the first row (score >= 0.5), a")


@pytest.mark.parametrize("scale", [1, 10, 100])
def test_the_chance_level_has_the_decimals_of_the_score(scale):
    """So that an AP of 0.094 is not "0.09" next to a chance level of "0.094"."""
    label = np.arange(400 * scale) % (11 * scale) == 0
    score = np.random.default_rng(scale).random(label.size)
    _, estimate, chance = report(label, score).parts
    level = chance.result["expected_by_chance"]
    digits = str(estimate.result).partition(",")[0]
    decimals = len(digits.partition(".")[2])
    shown = chance.text.removeprefix("Chance is ").partition(",")[0]
    assert shown in (f"{level:.{decimals}f}", f"{level:.4f}")
    assert float(shown) > 0


def test_the_table_of_models_has_every_budget():
    budgets = [5, 0.1, 100, 200]
    options = {"compare": OTHERS, "k": budgets}
    cells = part_of("models", **options).cells
    models = {"new": S, **OTHERS}
    for row in cells[1:]:
        found = [
            budget_totals(Y, models[row[0]], k=k, query_id=0 * Y).positives_found
            for k in budgets
        ]
        assert row[1:] == [str(int(each)) for each in found]
    text = str(report(Y, S, **options))
    for k in ("5 rows", "10 % of the rows", "100 rows", "200 rows"):
        assert f"found in {k}" in text


def test_missed_positives_are_in_the_total():
    assert "with and without a row: 90." in part_of("rows", n_positives=90).text
    part = part_of("budget", k=20, n_positives=90)
    assert part.result["n_positives"] == 90
    assert " of 90 positives" in part.text


def test_a_lift_counts_rows_and_so_excludes_weights():
    part = part_of("budget", k=20)
    assert f", {part.result['lift']:.2g} times as many as" in part.text
    assert "lift" not in part_of("budget", k=20, **WEIGHTED).result


@pytest.mark.parametrize(
    ("options", "title"), [({}, "Recall"), (WEIGHTED, "Recall with weights")]
)
def test_the_recall_is_that_of_the_budget(options, title):
    part = part_of("budget", k=20, **options)
    estimate = estimate_score("recall@20", Y, S, **options)
    assert f". {title}: {estimate}." in part.text


@pytest.mark.parametrize("options", [WEIGHTED, {"n_positives": 90}])
def test_weights_and_missed_positives_have_no_chance_level(options):
    assert "chance" not in [part.name for part in report(Y, S, **options).parts]


def test_rows_of_weight_0_are_not_counted():
    """The totals of the other sentences do not contain them, either."""
    weight = np.arange(300) % 3
    parts = report(Y, S, k=20, sample_weight=weight).parts
    results = {part.name: part.result for part in parts}
    assert results["rows"] == {
        "n_samples": 200,
        "n_positive_rows": Y[weight > 0].sum(),
    }
    assert results["budget"]["n_positives"] == Y[weight > 0].sum()
    only_negatives = report(Y, S, sample_weight=1 - Y).parts
    assert [part.name for part in only_negatives] == ["rows", "score"]


def test_a_tied_cut_has_no_threshold():
    part = report([1, 0, 1, 0] * 9, [3, 3, 2, 1] * 9, k=2).parts[-1]
    assert "in proportion" not in part.text
    part = report([1, 0, 1, 0] * 9, [3, 3, 2, 1] * 9, k=1).parts[-1]
    assert "Rows with equal scores at the cut count in proportion." in part.text
    assert "threshold" not in part.result
    assert ">=" not in part.text


def test_a_fixed_threshold_has_each_number_with_its_interval():
    unit = ROWS["customer"]
    part = part_of("threshold", threshold_at=[("threshold", 1)], unit_id=unit)
    numbers = operating_point(Y, S, threshold=1, unit_id=unit)._shares()
    shown = [[value, *interval.split(" to ")] for _, value, interval in part.cells[1:]]
    np.testing.assert_allclose(
        np.array(shown, dtype=float), [*numbers.values()], atol=0.005
    )


def test_a_chosen_threshold_counts_missed_positives():
    half = {"threshold_at": [("recall", 0.6)], "n_positives": 2 * Y.sum()}
    assert "recall must be at most 0.5," in part_of("threshold", **half).text


def test_readers_of_a_report_are_not_told_what_to_pass():
    text = part_of("identified", identify="0.31").text
    assert ("the nearest come first" in text, "'0.80'" in text) == (True, False)


def test_columns_of_a_table_are_aligned():
    lines = str(report(Y, S, name="new", compare={"m" * 50: S, "x": -S}))
    table = lines.splitlines()[-4:]
    assert len({*map(len, table)}) == 1
    assert len({line.index(" to ") for line in table[1:]}) == 1


def test_empty_lines_surround_a_table_with_a_sentence():
    conditions = [("threshold", 1), ("recall", 0.5)]
    made = report(Y, S, threshold_at=conditions)
    assert repr(made) == f"<Report: {made}\n>"
    lines = str(made).splitlines()
    first = next(i for i, line in enumerate(lines) if "threshold 1:" in line)
    last = next(i for i, line in enumerate(lines) if "recall of 0.5, c" in line)
    assert [i for i, line in enumerate(lines) if not line] == [first - 1, last - 1]


def test_a_name_longer_than_a_line_stays_whole():
    name = "model_" * 20
    assert f"{name}: 300 rows," in " ".join(str(report(Y, S, name=name)).split())


def test_each_text_has_lines_of_79_characters():
    options = {"k": [1, 0.2], "threshold_at": [("recall", 0.5), ("threshold", 1)]}
    text = str(report(Y, S, compare=OTHERS, conventions=[], identify=0.5, **options))
    assert max(map(len, text.splitlines())) <= 79


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"compare": S}, "compare must be a mapping of the names of models"),
        ({"compare": {"scores": S}}, "compare .* the model itself; got 'scores'"),
        (
            {"query_id": ROWS["day"], "threshold_at": [("recall", 0.5)]},
            r"threshold_at must be omitted if query_id .*\('recall', 0.5\)",
        ),
        ({"threshold_at": {"recall": 0.5}}, "threshold_at must be a list of pairs"),
        ({"threshold_at": [("recal", 0.5)]}, "threshold_at .*'recall'.*'recal'"),
        ({"sample_weight": [1, 2]}, "inconsistent"),
        ({"sample_weight": -ROWS["weight"]}, "sample_weight must not be negative"),
        ({"k": 0}, "k must be .* got 0"),
        ({"pos_label": 7}, "pos_label=7 is not a valid label"),
        ({"threshold_at": [("recall", 7)]}, "recall must be .* got 7"),
    ],
)
def test_errors_name_the_argument_and_show_the_value(options, text):
    with pytest.raises((ValueError, TypeError), match=text):
        report(Y, S, **options)


def test_rows_may_be_arrays_of_pyarrow():
    rows = [pyarrow.array(values) for values in (Y, S, ROWS["weight"])]
    made = report(*rows[:2], sample_weight=rows[2])
    expected = report(Y, S, sample_weight=ROWS["weight"])
    assert made.to_dict() == expected.to_dict()


class _ReadWhileAThreadWarns:
    """Scores. While a report reads them, another thread warns."""

    def __array__(self, dtype=None, copy=None):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(warnings.warn, "of another thread", stacklevel=1).result()
        return np.array([5.0, 4.0, 3.0, 2.0, 1.0], dtype)


def test_each_thread_has_its_own_warnings():
    """The filters of warnings belong to all threads."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        filters = [*warnings.filters]
        made = report([1, 0, 1, 0, 0], _ReadWhileAThreadWarns(), k=2)
        assert warnings.filters == filters
    [text] = made.warnings
    assert "too few positives (2)" in text
    texts = [str(warning.message) for warning in caught]
    assert {*texts} == {text, "of another thread"}
    assert texts.count(text) == 1


def test_nothing_that_was_passed_is_changed():
    kept = ROWS.copy()
    report(ROWS["label"], ROWS["score"], compare=OTHERS, sample_weight=ROWS["weight"])
    assert kept.equals(ROWS)
