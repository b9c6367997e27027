"""What may not be asked for together: public calls and records break every rule of the table."""

import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap._reading import RULES, Asked, broken, refuse
from sklearn_ap.compatibility import NoNumberError, compare, score_as

Y, S = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
COLUMNS, SCORES = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]
DIFFERENT, EQUAL, QUERY = [1, 2, 3, 4], [2, 2, 2, 2], ["a", "a", "b", "b"]

RANK = "a rank has no weights"
ORDER = "an order of equal scores has no weights"
MISSED = "missed positives have no weights"
COLUMN = "a column is a ranking, and cannot be several queries"
ROW = "a row is a ranking with samples, and cannot belong to a query"
TOTALS = "totals by query need queries"
JOINED = "missed positives have no points to join"
ROWS = "missed positives have no rows among rows with weights"

# For each rule, what breaks it and nothing else.
ASKED = {
    RANK: Asked(weighted=True, counts_weight=False),
    ORDER: Asked(ties="optimistic", weighted=True),
    MISSED: Asked(normalizer="min", cuts=True, weighted=True, states_totals=True),
    COLUMN: Asked(has_queries=True, several_columns=True),
    ROW: Asked(has_queries=True, average="samples"),
    TOTALS: Asked(totals_by_query={"a": 3}),
    JOINED: Asked(joined_area=("linear", "'step', 'interpolated', 'eleven-point'"), states_totals=True),
    ROWS: Asked(weighted=True, totals_by_rows=9),
}


def drawn_area(*given, **options):
    """The number in the legend of a display."""
    return AveragePrecisionDisplay.from_predictions(*given, **options).average_precision


def drawn_prevalence(*given, **options):
    """The share of positives at which a random ranking of a display ends."""
    return HitCurveDisplay.from_predictions(*given, **options).prevalence


# For each rule, a public score with arguments that break it.
CALLS = {
    RANK: (sklearn_ap.reciprocal_rank_score, (Y, S), {"sample_weight": DIFFERENT}),
    ORDER: (sklearn_ap.precision_at_k_score, (Y, S), {"ties": "optimistic", "sample_weight": DIFFERENT}),
    MISSED: (
        sklearn_ap.average_precision_at_k_score,
        (Y, S),
        {"k": 3, "sample_weight": DIFFERENT, "n_positives": 9},
    ),
    COLUMN: (sklearn_ap.average_precision_score, (COLUMNS, SCORES), {"query_id": ["a", "a", "b"]}),
    ROW: (sklearn_ap.average_precision_score, (Y, S), {"query_id": QUERY, "average": "samples"}),
    TOTALS: (sklearn_ap.average_precision_score, (Y, S), {"n_positives": {"a": 3}}),
    JOINED: (drawn_area, (Y, S), {"area": "linear", "n_positives": 9}),
    ROWS: (drawn_prevalence, (Y, S), {"sample_weight": DIFFERENT, "n_positives": 9}),
}
# For each rule, one change after which the same call has a number.
ALLOWED = {
    RANK: {"sample_weight": EQUAL},
    ORDER: {"sample_weight": EQUAL},
    MISSED: {"normalizer": "hits"},
    COLUMN: {"query_id": None},
    ROW: {"average": "macro"},
    TOTALS: {"n_positives": 3},
    JOINED: {"area": "step"},
    ROWS: {"sample_weight": EQUAL},
}
# For each rule that looks at a record's own choices, a record with arguments that break it.
RECORDS = {
    RANK: ("reciprocal rank", {"sample_weight": DIFFERENT}),
    ORDER: ("AP@k, optimistic ties", {"k": 3, "sample_weight": DIFFERENT}),
    MISSED: ("AP@k over min(k, R)", {"k": 3, "sample_weight": DIFFERENT, "n_positives": 9}),
}

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_what_breaks_a_rule(rule):
    asked = ASKED[rule.name]
    assert [one.name for one in RULES if one.broken_by(asked)] == [rule.name]
    assert broken(asked) is rule


@each_rule
def test_all_that_a_rule_looks_at_is_needed(rule):
    asked = ASKED[rule.name]
    for field, usual in Asked._field_defaults.items():
        if getattr(asked, field) != usual:
            assert broken(asked._replace(**{field: usual})) is None, field


@each_rule
def test_a_public_call_breaks_the_rule(rule):
    score, given, options = CALLS[rule.name]
    text = rule.text.format(**ASKED[rule.name]._asdict())
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        score(*given, **options)
    assert 0 < score(*given, **{**options, **ALLOWED[rule.name]}) <= 1


@each_rule
def test_a_record_breaks_the_rule(rule):
    if rule.name not in RECORDS:  # a record has no such choice
        assert (rule.record_text, rule.reason) == ("", "")
        return
    name, options = RECORDS[rule.name]
    text = rule.record_text.format(name=name)
    with pytest.raises(NoNumberError, match=f"^{re.escape(text)}$") as refused:
        score_as(name, Y, S, **options)
    assert refused.value.reason == rule.reason != ""
    assert 0 < score_as(name, Y, S, **{**options, "sample_weight": EQUAL, "n_positives": None}) <= 1


@pytest.mark.parametrize("function", [lambda *given, **options: score_as("R", *given, **options), compare])
def test_records_refuse_queries_of_columns_as_scores_do(function):
    with pytest.raises(ValueError, match=r"^query_id goes with binary y_true"):
        function(COLUMNS, SCORES, query_id=["a", "a", "b"])


def test_normalizer_is_refused_before_anything_is_sorted(monkeypatch):
    def no_sort(*_, **__):
        raise AssertionError("sorted what would be refused")

    monkeypatch.setattr("sklearn_ap._definition.rank", no_sort)
    score, given, options = CALLS[MISSED]
    with pytest.raises(ValueError, match="normalizer='min'"):
        score(*given, **options)


def test_the_usual_breaks_no_rule():
    assert broken(Asked()) is None
    refuse(Asked(ties="proportional", weighted=True, has_queries=True, average="macro", cuts=True))
    assert np.isfinite(sklearn_ap.average_precision_score(Y, S, sample_weight=DIFFERENT, query_id=QUERY))
