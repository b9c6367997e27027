"""A one-sided verdict agrees with the interval that its sentence shows."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import average_precision_score, compare_scores, estimate_score
from sklearn_ap._report.answer import AnswerOptions, answer_of
from sklearn_ap._report.fields import Comparison, Counts, FirstAnswer, ShownScore
from sklearn_ap._report.gates import Gates, checks_of
from sklearn_ap._report.scored_rows import ScoredRows, counted
from sklearn_ap._report.sentences import statements_of
from sklearn_ap._shown.sources import SourceError

AP = average_precision_score


def answer_of_two(seed, better, n=200, share=0.2):
    """The answer about two models on the same rows."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < share).astype(int)
    y_true[:3] = 1, 0, 1
    common = rng.normal(size=n)
    first, second = (
        shift * y_true + 0.6 * common + 0.8 * rng.normal(size=n)
        for shift in (1.0, 1.0 + better)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test = compare_scores(AP, y_true, second, first)
        estimates = [estimate_score(AP, y_true, x) for x in (first, second)]
    scores = [
        ShownScore(each.score, *each.confidence_interval(), _estimate=each)
        for each in estimates
    ]
    low, high = test.confidence_interval()
    other = Comparison(
        name="old",
        score=test.scores[0],
        difference=test.difference,
        low=low,
        high=high,
        pvalue=test.pvalue,
        estimate=scores[1],
        cut=None,
        _test=test,
    )
    counts = Counts(rows=n, positives=int(y_true.sum()))
    return FirstAnswer(
        name="rows",
        model="new",
        counts=counts,
        prevalence=None,
        score=scores[0],
        comparisons=[other],
    )


@given(
    seed=st.integers(0, 10_000),
    better=st.floats(-0.3, 1.5),
    level=st.sampled_from([0.01, 0.025, 0.05, 0.1, 0.2]),
    margin=st.sampled_from([0.0, 0.0, 0.02]),
)
def test_a_gate_fails_if_and_only_if_the_interval_excludes_its_limit(
    seed, better, level, margin
):
    """The test is one-sided at the level a, so the confidence level of the interval is
    1 - 2a.
    """
    answer = answer_of_two(seed, better)
    test = answer.comparisons[0]._test
    [check] = checks_of(answer, Gates(lower_by=margin, alpha=level))
    low, _ = test.confidence_interval(1 - 2 * level)
    assert check.failed == (low > margin)
    if not margin:
        one_sided = test.pvalue / 2
        if test.difference < 0:
            one_sided = 1 - one_sided
        assert check.pvalue == one_sided


@given(seed=st.integers(0, 10_000), limit=st.floats(0.2, 0.8))
def test_a_score_fails_below_the_upper_endpoint_of_its_interval(seed, limit):
    answer = answer_of_two(seed, 0.0)
    [check] = checks_of(answer, Gates(below=limit))
    estimate = answer.score._estimate
    assert check.failed == (estimate.confidence_interval(0.9).high < limit)
    assert "(90 % interval" in check.why


@pytest.mark.parametrize("seed", [2, 4, 9])
def test_one_answer_does_not_contradict_itself(seed):
    """A one-sided test may reject if a two-sided one does not. The verdict then has the
    interval, and the sentence about the difference has no interval and no p-value.
    """
    answer = answer_of_two(seed, 0.6)
    [check] = checks_of(answer, Gates(lower_by=0.0, alpha=0.2))
    assert check.failed
    texts = [
        statement.text
        for statement in statements_of(
            FirstAnswer(**{**vars(answer), "checks": [check]})
        )
    ]
    [difference] = [text for text in texts if text.startswith("old has")]
    assert re.fullmatch(r"old has AP [\d.]+, which is higher by [\d.]+\.", difference)
    [verdict] = [text for text in texts if text.startswith("Fails")]
    words = (
        r"Fails: AP of new is lower than that of old by more than 0, statistically "
        r"significant \(60 % interval of the difference -[\d.]+ to (-[\d.]+|0 "
        r"\(excluded\)), one-sided p (= [\d.]+|< 0.0001), level 0.2\)\."
    )
    assert re.fullmatch(words, verdict)
    passing = FirstAnswer(**{**vars(answer), "checks": []})
    assert any("p = " in statement.text for statement in statements_of(passing))


def rows_of_kinds(n_of_kind, totals=None, models=("m",)):
    """Rows of kinds, such as those of a detector's boxes: 20 rows each, with these
    numbers of positives.
    """
    rng = np.random.default_rng(0)
    kind = np.repeat([*n_of_kind], 20)
    y_true = np.concatenate([np.arange(20) < n for n in n_of_kind.values()])
    return counted(
        ScoredRows(
            name="old.csv",
            counts=Counts(query_name="kind", zero_division=np.nan),
            y_true=y_true,
            scores={model: rng.normal(size=kind.size) + y_true for model in models},
            query_id=kind,
            unit_id=np.arange(kind.size),
            n_positives=totals,
        )
    )


def answer_of_each(rows, earlier=None, **limit):
    """The answer about rows whose kinds are checked."""
    gates = Gates(**limit, of_each=True)
    options = AnswerOptions(earlier=earlier, of_each_query=True, gates=gates)
    return answer_of("rows", rows, options)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("alpha", "n_failing"), [(0.01, 0), (0.1, 1), (0.2, 3)])
def test_kinds_fail_in_the_order_and_at_the_levels_of_holm(alpha, n_failing):
    """The p-values are .006, .052 and .087. At 0.1, the second of them is above its
    level, so the third does not fail. The kind of a single positive has no verdict.
    """
    rows = rows_of_kinds({"a": 6, "one": 1, "b": 12, "c": 9})
    answer = answer_of_each(rows, below=0.99, alpha=alpha)
    undecided, *failing = answer.checks
    assert undecided.failed is None
    own = [(checks_of(part, Gates(below=0.99))[0], part) for part in answer.classes]
    decided = sorted(
        (check.pvalue, part.name) for check, part in own if check.pvalue >= 0
    )
    expected = [
        (f"AP of kind {name}", pvalue, alpha / n_left)
        for n_left, (pvalue, name) in zip((3, 2, 1), decided, strict=True)
    ]
    assert expected[:n_failing] == [
        (check.why.partition(" is below")[0], check.pvalue, check.level)
        for check in failing
    ]
    assert all(check.failed and "interval" not in check.why for check in failing)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_kinds_without_an_interval_share_the_check_of_each_other_score():
    rows = rows_of_kinds({"a": 6, "b": 1, "c": 1}, models=("new", "old"))
    earlier = rows_of_kinds(dict.fromkeys("abc", 6))
    checks = answer_of_each(rows, earlier, lower_by=0.9).checks
    subject = "AP of kind b or AP of kind c is lower than that of"
    for check, other in zip(checks, ("old.csv", "old"), strict=True):
        assert check.failed is None
        assert f"no interval that shows whether {subject} {other} by" in check.why


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("now", "before"), [(2, 9), (9, 2)])
def test_few_positives_now_or_before_are_no_verdict_unless_others_pass(now, before):
    for others, failed in (({"a": 9}, False), ({}, None)):
        rows = rows_of_kinds({**others, "b": now})
        earlier = rows_of_kinds({**others, "b": before})
        [check] = answer_of_each(rows, earlier, lower_by=0.9).checks
        assert check.failed is failed
        assert check.why.endswith("; too few positives of AP of kind b")


def test_kinds_that_are_drawn_as_units_have_no_test():
    rows = rows_of_kinds(dict.fromkeys("abcdef", 6))
    drawn = replace(rows, unit_id=rows.query_id)
    with pytest.raises(SourceError, match="requires several rows, or units of"):
        answer_of_each(drawn, below=0.5)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_kind_that_was_never_found_fails_only_below_a_value():
    rows = rows_of_kinds({"a": 9}, {"a": 9, "d": 4})
    earlier = rows_of_kinds({"a": 9}, {"a": 9, "d": 9})
    [passed] = answer_of_each(rows, earlier, lower_by=0.9).checks
    assert passed.failed is False
    assert passed.why.endswith(
        "over 1 kind; no positive of kind d is found, now or before"
    )
    [failed] = answer_of_each(rows, earlier, below=0.01).checks
    assert failed.failed
    assert failed.why == "no positive of kind d was found"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("kinds", "totals", "gone"),
    [
        # A kind with rows, but without positives, is not gone.
        ("ab", None, ["c"]),
        ("ab", {"a": 9, "b": 4, "c": 0}, ["b"]),
        ("abc", {"a": 9, "b": 0, "c": 4}, ["c"]),
    ],
)
@pytest.mark.parametrize("limit", [{"lower_by": 0.9}, {"below": 0.01}])
def test_a_kind_whose_positives_are_no_longer_found_fails(kinds, totals, gone, limit):
    earlier = rows_of_kinds(dict.fromkeys("abc", 6), totals and dict.fromkeys("abc", 9))
    rows = rows_of_kinds({kind: 6 * (kind == "a") for kind in kinds}, totals)
    answer = answer_of_each(rows, earlier, **limit)
    assert answer.classes_gone == gone
    reasons = [check.why for check in answer.checks if check.failed]
    assert reasons == [f"no positive of kind {name} was found" for name in gone]
