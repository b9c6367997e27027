"""The one threshold within the budgets of all queries, thresholds of amounts, and what
they say, in exact fractions.
"""

import re
import warnings
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import scores as oracle
from sklearn_ap import operating_point
from tests.decisions.test_budgets import CONDITIONS, budgets, of_queries
from tests.decisions.test_operating_points import numbers_of


def as_one_ranking(rows):
    """The ranking of all rows."""
    [ranking] = of_queries(**{**rows, "query_id": [0] * len(rows["y_true"])}).values()
    return ranking


def within_all_budgets(rankings, k):
    """The scores that retrieve more than k rows of no query, by counting them."""
    return [
        score
        for score in {row.score for ranking in rankings for row in ranking.rows}
        if all(
            sum(row.score >= score for row in ranking.rows) <= oracle.depth(ranking, k)
            for ranking in rankings
        )
    ]


@given(budgets())
def test_one_threshold_within_all_budgets(drawn):
    """It is the lowest of them, and a threshold of all rows."""
    rows, k = drawn
    rankings = of_queries(**rows)
    fitting = within_all_budgets(rankings.values(), k)
    if fitting:
        point = point_of(rows, k=k)
        rows["query_id"] = None
        fixed = point_of(rows, threshold=min(fitting))
        point = replace(point, threshold=float(point.threshold))
        assert numbers_of(point) == numbers_of(fixed)
        return
    with pytest.raises(ValueError, match=r"^k must be at least .* query") as error:
        point_of(rows, k=k)
    [name] = re.findall(r"rows of query '(.)' that share", str(error.value))
    assert "budget_totals" in str(error.value)
    top = max(row.score for ranking in rankings.values() for row in ranking.rows)
    of_name = [row for row in rankings[name].rows if row.score == top]
    assert len(of_name) > oracle.depth(rankings[name], k)


def point_of(rows, **options):
    """The operating point of rows, which may have no positive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return operating_point(**rows, **options)


@given(budgets(), st.sampled_from(CONDITIONS))
def test_an_amount_moves_no_threshold(drawn, condition):
    """The point is that without amounts, and says what its rows are worth."""
    rows, _ = drawn
    rows["query_id"] = None
    plain = {**rows, "amount": None}
    try:
        expected = point_of(plain, **condition)
    except ValueError as error:
        with pytest.raises(ValueError, match="^" + re.escape(str(error))):
            point_of(rows, **condition)
        return
    point = point_of(rows, **condition)
    amounts = "amount_found", "amount_of_positives", "share_of_amount"
    without = replace(point, **dict.fromkeys(amounts))
    assert without.to_dict() == expected.to_dict()
    if rows["amount"] is None:
        return
    ranking = as_one_ranking(rows)
    retrieved = [row for row in ranking.rows if row.score >= point.threshold]
    found, in_all = (
        float(oracle.positives_of(part).amount) for part in (retrieved, ranking.rows)
    )
    numbers = found, in_all, found / (in_all or 1)
    assert [getattr(point, name) for name in amounts] == pytest.approx(numbers)
    if "threshold" in condition:
        value, low, high = point.table()["share_of_amount"]
        assert value == point.share_of_amount
        assert (low, high) == point.confidence_interval("share_of_amount")
        assert not low > value > high


@given(
    budgets(),
    st.sampled_from([0.05, 0.2, 1, 7]),
    st.sampled_from([None, 0.02, 0.5]),
    st.sampled_from([0, 3]),
)
def test_a_miss_costs_its_amount(drawn, miss_cost, prevalence, n_missed):
    """The threshold has the least cost: of a missed positive its amount, of a false
    alarm 1. Positives without a row have no amount, and count for the prevalence.
    """
    rows, _ = drawn
    assume(rows["amount"] is not None)
    rows["query_id"] = None
    options = {"miss_cost": miss_cost, "prevalence": prevalence}
    ranking = as_one_ranking(rows)
    in_all = oracle.positives_of(ranking.rows)
    total = in_all.weight + n_missed
    if n_missed:
        options["n_positives"] = float(total)
    negatives = sum(row.weight for row in ranking.rows if not row.label)
    factor = 1
    if prevalence is not None and negatives:
        odds = (1 - Fraction(prevalence)) / Fraction(prevalence)
        factor = odds * total / negatives

    def cost_of(threshold):
        retrieved = [row for row in ranking.rows if row.score >= threshold]
        alarms = factor * sum(row.weight for row in retrieved if not row.label)
        missed = in_all.amount - oracle.positives_of(retrieved).amount
        return Fraction(miss_cost) * missed + alarms

    least = min(cost_of(row.score) for row in ranking.rows)
    nothing = Fraction(miss_cost) * in_all.amount
    if not in_all.amount:
        with pytest.raises(ValueError, match=r"^amount must be above 0 for a positive"):
            point_of(rows, **options)
    elif least > nothing * (1 + Fraction(1, 10**9)):
        with pytest.raises(ValueError, match=r"^miss_cost must be at least .*; got "):
            point_of(rows, **options)
    elif least < nothing * (1 - Fraction(1, 10**9)):
        point = point_of(rows, **options)
        slack = Fraction(1, 10**9) * (nothing + least)
        assert cost_of(point.threshold) <= least + slack
        retrieved = [row for row in ranking.rows if row.score >= point.threshold]
        assert point.amount_found == pytest.approx(
            float(oracle.positives_of(retrieved).amount)
        )
        assert point.n_retrieved == len(retrieved)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"k": 2},
            "2 rows with scores of 3 or more have precision 0.5 and recall 0.5.",
        ),
        (
            {"k": 2, "sample_weight": [2, 1, 1, 1]},
            "2 rows with scores of 3 or more have, weighted by sample_weight, precision 0.6667 and recall "
            "0.6667.",
        ),
        (
            {"k": 2, "prevalence": 0.1},
            "2 rows with scores of 3 or more have, at a prevalence of 0.1, precision 0.1 and recall 0.5.",
        ),
        (
            {"k": 1, "amount": [70, 5, 20, 9], "n_positives": 4},
            "1 row with a score of 4 or more has precision 1 and recall 0.25, and of the amount of these "
            "rows 70 of 90.",
        ),
        (
            {"k": 2, "amount": [70, 5, 20, 9], "prevalence": 0.1},
            "2 rows with scores of 3 or more have, at a prevalence of 0.1, precision 0.1 and recall 0.5, and "
            "of the amount of these rows 70 of 90.",
        ),
    ],
)
def test_a_sentence_about_rows_says_how_they_count(options, text):
    rows = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1]}
    for name in ("amount", "sample_weight"):
        rows[name] = options.get(name)
    options = {name: value for name, value in options.items() if name not in rows}
    assert str(point_of(rows, **options)) == text
