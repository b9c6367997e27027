"""Sentences and verdicts of answers whose fields are written down here, without rows:
each word and number must follow from a field.
"""

import re
from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._report.fields import (
    Against,
    Check,
    Comparison,
    Counts,
    Difference,
    FirstAnswer,
    Hits,
    ShownScore,
    Sums,
)
from sklearn_ap._report.gates import Gates, _Claim, _failing_by_holm, checks_of
from sklearn_ap._report.sentences import difference_clause, statements_of

COUNTS = Counts(rows=40, positives=8)
DAYS = replace(COUNTS, queries=5, query_name="day")
CUSTOMERS = replace(DAYS, unit_name="customer", has_units=True, units_with_positives=5)
WEIGHTED = replace(COUNTS, weight=Sums(100.0, 30.0), weight_name="euros")
SCORE = ShownScore(0.5, 0.4, 0.6, n_units=7)
OLD = {"name": "old", "score": 0.4}
ANSWER = FirstAnswer(name="x", counts=COUNTS, prevalence=None, score=SCORE, chance=0.2)
AGAINST = Against(
    **OLD,
    difference=-0.1,
    low=-0.2,
    high=-0.01,
    pvalue=0.03,
    prevalence=nan,
    share=0.2,
    earlier_share=0.3,
)
OTHER = Comparison(
    **OLD, difference=0.1, low=0.01, high=0.2, pvalue=0.03, estimate=SCORE, cut=None
)


class Point:
    """A threshold that retrieves four rows."""

    n_retrieved, threshold, _short = 4, 0.9, "0.9"


def hits(**fields):
    share = ShownScore(0.25, 0.1, 0.5)
    return Hits(
        k=4,
        rows=4,
        share=share,
        positives=2.0,
        amount_found=None,
        totals=None,
        **fields,
    )


def said(place, **fields):
    statements = statements_of(replace(ANSWER, **fields))
    return " ".join(one.text for one in statements if one.place == place)


class PairTest:
    """The test of a difference between two models."""

    def __init__(self, standard_error=0.1, pvalue=0.03):
        self.standard_error, self.pvalue = standard_error, pvalue


LOWER = replace(OTHER, difference=-0.1, low=-0.2, high=0.01, pvalue=0.06)
TESTED = replace(OTHER, _test=PairTest())
EQUAL = replace(OTHER, difference=0.0, _test=PairTest(0.0, 1.0))
FAILED = Check("--fail-if-lower", 0.0, True, "the score is lower", _other="old")
PASSED = replace(FAILED, failed=False)
MISSED = replace(COUNTS, all_positives=10)
FOUND = Difference(
    name="share_of_amount", score=0.2, difference=-0.3, low=-0.4, high=-0.2, pvalue=0.01
)

# Of the hits in two days, only the first ones are a mean over orders of tied rows.
CUT_DAYS = [
    replace(ANSWER, name="a", cuts=[replace(hits(), positives=1.5)]),
    replace(ANSWER, name="b", cuts=[hits()]),
]

# The fields of an answer, the place of a sentence, and its words.
SENTENCES = [
    (
        {"counts": DAYS, "classes": CUT_DAYS},
        "note",
        "Days Fractions found are means over the orders of tied rows.",
    ),
    ({"counts": DAYS}, "headline", "40 rows in 5 days, 8 positive (20 %)."),
    (
        {"counts": DAYS},
        "headline",
        "; chance is 0.20. Another sample would have other days than these 7.",
    ),
    (
        {"counts": CUSTOMERS},
        "headline",
        "other customers than these 7; all 8 positives lie in 5 of them.",
    ),
    (
        {"counts": CUSTOMERS, "score": replace(SCORE, n_fixed_queries=5)},
        "headline",
        "other customers than these 7, and the same 5 days; all 8 positives",
    ),
    ({"counts": WEIGHTED}, "headline", "they are 30 % of the euros."),
    ({"counts": WEIGHTED}, "headline", "(AP) weighted by euros is 0.50"),
    ({"counts": MISSED}, "headline", "8 positive (20 %) of 10 in all."),
    ({"counts": replace(WEIGHTED, all_positives=10)}, "headline", "(20 %); they"),
    ({"prevalence": 0.02}, "headline", "at a prevalence of 2 % is 0.50"),
    (
        {"counts": replace(COUNTS, rows_left_out=3, weight_name="euros")},
        "headline",
        "(20 %); not counting 3 rows whose euros is 0.",
    ),
    (
        {"counts": replace(COUNTS, rows_dropped=1, missing_values={"age": 1})},
        "headline",
        "(20 %); not counting 1 row without a value (age: 1).",
    ),
    (
        {"counts": replace(DAYS, queries=40, queries_without_rows=10)},
        "headline",
        "40 rows in 30 of 40 days, 8 positive (20 %). Most of the 30 days have a single",
    ),
    (
        {"counts": replace(COUNTS, pos_label="a", other_labels=["b", "c"])},
        "headline",
        "The positive label is 'a'; 32 rows have other labels, such as b, c. Average",
    ),
    ({"comparisons": [OTHER]}, "comparison", "old has AP 0.40, which"),
    (
        {"comparisons": [OTHER]},
        "comparison",
        "is higher by 0.10, 95 % interval 0.01 to 0.20, p = 0.03, statistically",
    ),
    (
        {"comparisons": [LOWER], "prevalence": 0.02},
        "comparison",
        "old has AP 0.40 at a prevalence of 2 %, which is lower by 0.10, 95 % interval "
        "-0.01 to 0.20, p = 0.06, not significant.",
    ),
    (
        {"comparisons": [replace(OTHER, pvalue=nan)]},
        "comparison",
        "which is higher by 0.1; the uncertainty is undefined for these rows.",
    ),
    ({"comparisons": [EQUAL]}, "comparison", "old has AP 0.40, which is the same."),
    (
        {"comparisons": [OTHER], "checks": [FAILED]},
        "comparison",
        "which is higher by 0.10. Models",
    ),
    ({"comparisons": [OTHER], "checks": [PASSED]}, "comparison", "p = 0.03, stat"),
    ({"comparisons": [OTHER]}, "verdict", "old is higher: AP by 0.10."),
    (
        {"comparisons": [LOWER], "model": "new"},
        "verdict",
        "No evidence of a difference between old and new.",
    ),
    (
        {
            "model": "new",
            "comparisons": [
                replace(OTHER, name="a"),
                replace(OTHER, name="b", difference=-0.1),
                *(replace(LOWER, name=f"m{i}") for i in range(7)),
                replace(LOWER, name="c", pvalue=nan),
            ],
        },
        "verdict",
        "Compared with new: b lower; a higher; m0, m1, m2, m3, m4 and 2 others without "
        "evidence of a difference.",
    ),
    (
        {"comparisons": [OTHER], "model": "new"},
        "headline",
        "Average precision (AP) of new is",
    ),
    (
        {
            "counts": replace(DAYS, amount=WEIGHTED.weight),
            "comparisons": [replace(OTHER, found=FOUND)],
        },
        "comparison",
        "Its share of the amount is lower by 0.30, 95 % interval 0.20 to 0.40",
    ),
    (
        {"model": "new", "comparisons": [TESTED, replace(TESTED, name="b"), EQUAL]},
        "comparison",
        "Differences are those from new; their intervals and p-values allow for 2 tests "
        "by Bonferroni. Models",
    ),
    (
        {"model": "new", "comparisons": [EQUAL, EQUAL]},
        "comparison",
        "Differences are those from new. Models",
    ),
    (
        {"against": AGAINST},
        "comparison",
        "old has AP 0.40 at 30 % positive (here 20 % positive). With each file's own "
        "share of positives, AP here is lower by 0.10, 95 % interval 0.01 to 0.20, p = 0.03, stat",
    ),
    (
        {"against": replace(AGAINST, prevalence=0.25), "counts": WEIGHTED},
        "comparison",
        "at 25 % positive (here 20 % positive weighted by euros). At that share, AP",
    ),
    (
        {"against": AGAINST, "counts": DAYS},
        "comparison",
        "With each file's own share of positives in each day, MAP here is lower",
    ),
    (
        {"against": replace(AGAINST, units=9, units_in_both=4), "counts": CUSTOMERS},
        "comparison",
        "Paired: 4 of 9 customers are in both.",
    ),
    (
        {
            "counts": replace(
                DAYS, queries_without_positives=2, first_without_positives=["a", "b"]
            )
        },
        "note",
        "No positive is in 2 of 5 days (a, b), which score 0; "
        "MAP of the others is 0.83.",
    ),
    (
        {
            "counts": replace(
                DAYS,
                queries_without_positives=2,
                first_without_positives=["a"],
                zero_division=nan,
            )
        },
        "note",
        "2 of 5 days (a, ...), which are excluded; if they scored 0, "
        "MAP would be 0.30.",
    ),
    (
        {"counts": WEIGHTED, "pooled": SCORE, "prevalence": 0.02},
        "note",
        "As one ranking weighted by euros at a prevalence of 2 %, all rows have AP 0.50,",
    ),
]


@pytest.mark.parametrize(("fields", "place", "words"), SENTENCES)
def test_a_sentence_has_its_fields(fields, place, words):
    assert words in said(place, **fields)


@pytest.mark.parametrize(("is_low", "sign"), [(False, ">="), (True, "<=")])
def test_the_first_rows_lie_on_the_side_that_is_better(is_low, sign, monkeypatch):
    monkeypatch.setattr(
        "sklearn_ap._report.sentences.threshold_text", lambda point: point._short
    )
    counts = replace(COUNTS, lower_is_better=is_low)
    text = said("budget", counts=counts, cut=hits(threshold=Point()))
    assert text.startswith(
        f"2 of 8 positives are in the first 4 rows (score {sign} 0.9)."
    )
    assert text.endswith("Share of the positives: 0.25, 95 % interval 0.10 to 0.50.")
    tied = said("budget", counts=counts, cut=replace(hits(), positives=1.5))
    assert tied.startswith(
        "1.5 of 8 positives are in the first 4 rows, on average over the orders of tied "
        "rows; no threshold retrieves so few"
    )


def test_a_budget_names_the_share_that_it_finds():
    cut = replace(hits(), positives=1.0, rows=1, lift=2.5, queries_with_hit=0.75)
    counts = replace(WEIGHTED, query_name="day")
    text = said("budget", counts=counts, cut=cut)
    assert text.startswith("1 of 8 positives is in the first row; no threshold")
    assert text.endswith(
        "Share of the euros of positives: 0.25, 95 % interval 0.10 to 0.50, 2.5 times "
        "what a random order finds. Share of the days with positives in which at least "
        "one is found: 0.75."
    )


def test_the_worst_parts_are_listed():
    scored = [
        replace(ANSWER, name=f"d{i}", score=ShownScore(0.5 + 0.01 * i))
        for i in range(40)
    ]
    # A day without a score is not one of the worst.
    parts = [replace(ANSWER, name="empty", score=None), *scored]
    fields = {"counts": replace(DAYS, queries=41), "classes": parts}
    assert said("note", **fields) == (
        "The 10 worst of 41 days are listed; report.answer has the other 31, too. The "
        "10 worst days"
    )
    [table] = [s.table for s in statements_of(replace(ANSWER, **fields)) if s.table]
    assert [name for name, *_ in table] == ["day", *(f"d{i}" for i in range(10))]
    # The lead is that of the first model over the second one.
    leading = [
        replace(part, comparisons=[replace(OTHER, difference=0.01 * i, pvalue=nan)])
        for i, part in enumerate(scored)
    ]
    fields |= {"classes": leading, "comparisons": [OTHER]}
    assert "worst of 40 days by their lead over old are" in said("note", **fields)
    table = [s.table for s in statements_of(replace(ANSWER, **fields)) if s.table][-1]
    assert [name for name, *_ in table[1:]] == [f"d{i}" for i in range(39, 29, -1)]


@pytest.mark.parametrize("n_models", [2, 3])
def test_a_table_has_differences_if_no_sentence_reports_them(n_models):
    answer = replace(ANSWER, comparisons=[OTHER] * (n_models - 1))
    [(titles, *rows)] = [s.table for s in statements_of(answer) if s.table]
    assert len(rows) == n_models
    assert ("difference" in titles) == (n_models == 3)


class Normal:
    """A difference with the interval of a normal distribution."""

    def __init__(self, difference, error=0.1):
        self.difference, self.standard_error = difference, error

    def _interval(self, level):
        from scipy.special import ndtri  # noqa: PLC0415

        reach = self.standard_error * ndtri(0.5 + level / 2)
        return self.difference - reach, self.difference + reach


# The score of these rows is lower by 0.3, which is 2 standard errors beyond the margin
# of 0.1.
@pytest.mark.parametrize(
    ("margin", "failed"), [(0.0, True), (0.1, True), (0.25, False), (0.4, False)]
)
def test_a_margin_is_that_of_the_fall(margin, failed):
    against = replace(AGAINST, difference=-0.3, _test=Normal(-0.3))
    earlier = replace(ANSWER, against=against)
    [check] = checks_of(earlier, Gates(lower_by=margin))
    assert check.failed == failed
    # These fields belong to the other model.
    comparison = replace(OTHER, difference=0.3, _test=Normal(0.3))
    compared = replace(ANSWER, comparisons=[comparison])
    [check] = checks_of(compared, Gates(lower_by=margin))
    assert check.failed == failed


def test_a_gate_without_an_answer_is_next_to_one_that_fails():
    comparison = replace(OTHER, difference=0.3, _test=Normal(0.3))
    answer = replace(ANSWER, model="new", comparisons=[comparison])
    checks = checks_of(answer, Gates(below=0.4, lower_by=0.0))
    assert [check.failed for check in checks] == [None, True]
    text = said("gate", checks=checks)
    assert text.startswith("No answer: these rows determine no interval that shows ")
    assert "add positives. Fails: AP of new is lower than that of old" in text


class Exact:
    """A score whose one-sided p-value is known."""

    def __init__(self, pvalue):
        self.pvalue = pvalue

    def _interval(self, level):
        return (0.0, 0.4) if self.pvalue <= (1 - level) / 2 else (0.0, 1.0)


@pytest.mark.parametrize(
    ("pvalues", "n_failed"),
    [
        ([0.024, 0.49], 1),
        ([0.026, 0.49], 0),
        ([0.024, 0.049], 2),
        ([0.01, 0.02, 0.2], 2),
    ],
)
def test_classes_fail_by_holm(pvalues, n_failed):
    claims = [
        _Claim(
            option="--fail-below",
            value=0.5,
            subject="x",
            predicate="is low",
            number=0.2,
            limit=0.5,
            result=Exact(pvalue),
        )
        for pvalue in pvalues
    ]
    assert [claim.pvalue for claim in claims] == pytest.approx(pvalues, abs=1e-6)
    assert len([*_failing_by_holm(claims, 0.05)]) == n_failed


class SimpleEstimate(Exact):
    """An estimate with a known p-value; NaN without an interval."""

    score = 0.2

    def _interval(self, level):
        return (nan, nan) if isnan(self.pvalue) else super()._interval(level)


def test_classes_without_an_answer_have_one_reason_and_no_part_of_the_risk():
    """Holm's method divides the risk by the classes that it can test."""
    counts = replace(COUNTS, queries=2, query_name="kind")
    score = ShownScore(0.2, n_fixed_queries=3, _estimate=SimpleEstimate(nan))
    parts = [replace(ANSWER, name=name, score=score) for name in "ab"]
    tested = replace(score, _estimate=SimpleEstimate(0.04))
    parts.append(replace(ANSWER, name="c", score=tested))
    answer = replace(ANSWER, counts=counts, score=score, classes=parts)
    undecided, failing = checks_of(answer, Gates(below=0.5, of_each=True))
    assert undecided.failed is None
    assert undecided.why == (
        "these rows determine no interval that shows whether AP of kind a or AP of kind "
        "b is below 0.5; add positives"
    )
    assert (failing.failed, failing.level) == (True, 0.05)
    assert failing.why.startswith("AP of kind c is below 0.5")


@given(
    end=st.floats(1e-9, 0.5),
    width=st.floats(1e-4, 1.0),
    sign=st.sampled_from([-1, 1]),
    pvalue=st.floats(0.0495, 0.0505) | st.floats(0, 1),
)
def test_a_difference_shows_on_which_side_of_0_its_interval_lies(
    end, width, sign, pvalue
):
    """The text also shows whether the p-value is at most .05, as the verdict does."""
    low, high = sign * end, sign * end + width
    row = (low + high) / 2 or 1.0, low, high
    numbers = Difference(
        name="", score=0.5, difference=row[0], low=low, high=high, pvalue=pvalue
    )
    if numbers.difference < 0:
        low, high = -high, -low
    words = difference_clause(numbers)
    shown = re.search("interval (.+) to (.+), p . (\\S+), (.*) sig", words)
    *ends, p_value, verdict = shown.groups()
    # Words replace an end that is next to 0, on the side of the number.
    side = np.sign(low + high)
    signs = [side if text == "0 (excluded)" else np.sign(float(text)) for text in ends]
    assert signs == [np.sign(low), np.sign(high)]
    assert (float(p_value) <= 0.05) == (pvalue <= 0.05)
    assert verdict == ("statistically" if pvalue <= 0.05 else "not")


@pytest.mark.parametrize(
    "fields",
    [
        {"comparisons": [OTHER], "checks": [PASSED]},
        {"comparisons": [replace(OTHER, pvalue=nan)]},
        {"comparisons": [OTHER], "model": "x"},
    ],
)
def test_a_fact_stands_once(fields):
    """A gate has the verdict of a difference that it tests; without a p-value there is
    none. The heading may be the name of the model.
    """
    has_verdict = fields.get("model") == "x"
    assert bool(said("verdict", **fields)) == has_verdict
    assert " of x" not in said("headline", **fields)


def test_several_budgets_have_a_table():
    cuts = [replace(hits(lift=2.5), k=0.1), hits(lift=3.0, threshold=Point())]
    statements = statements_of(replace(ANSWER, cut=cuts[0], cuts=cuts))
    [sentence, table] = [one for one in statements if one.place == "budget"]
    assert not sentence.table
    assert table.table == [
        [
            "budget",
            "rows",
            "found",
            "share found",
            "95 % interval",
            "lift",
            "lowest score",
        ],
        ["10 % of the rows", "4", "2", "0.25", "0.10 to 0.50", "2.5", "-"],
        ["4 rows", "4", "2", "0.25", "0.10 to 0.50", "3", "0.9"],
    ]
