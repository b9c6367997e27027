"""What budgets per query find in all, in exact fractions."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import binomtest

from oracles import scores as oracle
from problems import labels
from sklearn_ap import (
    budget_totals,
    compare_budgets,
    operating_point,
)
from sklearn_ap._uncertainty.ends import Facts

TOTALS = (
    "n_retrieved",
    "n_samples",
    "positives_found",
    "n_positives",
    "weight_found",
    "positive_weight",
    "amount_found",
    "amount_of_positives",
)


@st.composite
def budgets(draw):
    """Rows of a few queries with weights and amounts, some of them 0, and a budget."""
    n = draw(st.integers(1, 12))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    weight, amount = (
        column(values) if draw(st.booleans()) else None
        for values in ([0, 1, 2.5], [0, 0.1, 1, 70, 1e6])
    )
    assume(weight is None or any(weight))
    rows = {
        "y_true": draw(labels(n)),
        "y_score": column(range(6)),
        "query_id": column("abc"),
        "sample_weight": weight,
        "amount": amount,
    }
    return rows, draw(st.integers(1, 5) | st.sampled_from([0.25, 0.5, 1.0]))


def of_queries(y_true, y_score, query_id, sample_weight, amount):
    """The ranking of each query that has a row of weight above 0."""
    n = len(y_true)
    weight = [1] * n if sample_weight is None else sample_weight
    amounts = [0] * n if amount is None else amount
    columns = np.array([y_true, y_score, weight, amounts], dtype=float)
    rankings = {}
    for name in sorted(set(query_id)):
        rows = columns[:, np.array(query_id) == name].tolist()
        ranking = oracle.ranking(*rows[:3], amounts=rows[3])
        if ranking.rows:
            rankings[name] = ranking
    return rankings


@given(budgets())
def test_what_a_budget_of_each_query_finds(drawn):
    """The totals are those of each query by the oracle, and their sums."""
    rows, k = drawn
    totals, rankings = budget_totals(**rows, k=k), of_queries(**rows)
    queries = sorted(set(rows["query_id"]))
    assert totals.by_query["query"].tolist() == queries
    expected = []
    for query in queries:
        ranking = rankings.get(query)
        if ranking is None:  # all of its rows weigh 0
            expected.append([0.0] * len(TOTALS))
            continue
        n_rows, found = oracle.within_budget(ranking, k)
        in_all = oracle.positives_of(ranking.rows)
        sums = [n_rows, len(ranking.rows), found.number, in_all.number]
        sums += [found.weight, in_all.weight, found.amount, in_all.amount]
        expected.append(list(map(float, sums)))
    names = TOTALS if rows["amount"] is not None else TOTALS[:-2]
    assert set(totals.by_query) == {"query", *names}
    columns = zip(*expected, strict=True)
    for name, column in zip(names, columns, strict=False):
        assert totals.by_query[name].tolist() == pytest.approx(list(column))
        assert getattr(totals, name) == pytest.approx(sum(column))
    for of, (hits, whole) in zip(("positives", "weight", "amount"), PAIRS, strict=True):
        estimate, found = getattr(totals, f"share_of_{of}"), getattr(totals, hits)
        assert (estimate is None) == (found is None) == (hits not in names)
        if estimate is not None:
            in_all = getattr(totals, whole)
            assert estimate.score == pytest.approx(found / (in_all or 1))
            assert (estimate.n_positives > 0) == (in_all > 0)


PAIRS = tuple(zip(TOTALS[2::2], TOTALS[3::2], strict=True))


@pytest.mark.parametrize(
    "scores",
    [
        [5e-324, 1e-323, 1e308],
        np.array([1, 1 + np.finfo(np.longdouble).eps, 2], dtype=np.longdouble),
        [-(2**63), 1 - 2**63, 2**63 - 1],
    ],
)
def test_a_budget_tells_scores_apart_that_no_key_does(scores):
    """The second row is within the budget, and the last one is not."""
    totals = budget_totals([0, 1, 0], scores, k=2, query_id=[0] * 3)
    assert totals.positives_found == 1


def test_two_reviews_catch_what_the_first_two_rows_are_worth():
    """Of 150 euros, which may be decimals."""
    rows = [1, 0, 1], [3, 2, 1]
    totals = budget_totals(*rows, k=2, query_id=[0] * 3, amount=[100, 0, 50])
    assert totals.amount_found == 100
    cents = [Decimal("100.00"), Decimal("0"), Decimal("50.00")]
    same = budget_totals(*rows, k=2, query_id=[0] * 3, amount=cents)
    assert totals.to_dict() == same.to_dict()


def _days(rng, n_days):
    """Frauds, scores, days and amounts of days with a level of their own."""
    day = rng.integers(0, n_days, 200 * n_days)
    fraud = rng.random(day.size) < 0.03 * np.exp(rng.normal(0, 0.5, n_days))[day]
    return (
        fraud,
        rng.normal(size=day.size) + 2 * fraud,
        day,
        rng.lognormal(4, 1.2, day.size),
    )


def test_the_frame_of_totals_has_a_row_per_query():
    day, amount = [1, 1, 2, 2], [90, 10, 10, 890]
    totals = budget_totals([1] * 4, [9, 8, 7, 6], k=1, query_id=day, amount=amount)
    frame = totals.to_frame()
    assert list(frame["amount_found"]) == [90, 10]
    assert frame["query"].dtype == np.int64  # merges with the frame of the rows


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({}, ""),
        ({"sample_weight": [2, 1, 1]}, "; sample_weight found: 2 of 3"),
        (
            {"amount": [70, 5, 20], "sample_weight": [2, 1, 1]},
            "; sample_weight found: 2 of 3; amount found: 140 of 160 (weighted by "
            "sample_weight)",
        ),
    ],
)
def test_the_sentence_says_what_its_numbers_are_of(columns, text):
    totals = budget_totals([1, 0, 1], [3, 2, 1], k=1, query_id=["a"] * 3, **columns)
    first = "1 row per query over 1 query finds 1 of 2 positives"
    assert str(totals) == f"{first}{text}."


def test_shares_of_totals_spread_as_those_of_drawn_days():
    rng = np.random.default_rng(0)
    fraud, score, day, amount = _days(rng, 60)
    rows = {"y_true": fraud, "y_score": score, "k": 5, "query_id": day}
    totals = budget_totals(**rows, amount=amount)
    columns = totals.by_query
    drawn = rng.integers(0, 60, (4000, 60))
    shares = totals.share_of_positives, totals.share_of_weight, totals.share_of_amount
    for share, pair in zip(shares, PAIRS, strict=True):
        found, total = (columns[key][drawn].sum(axis=1) for key in pair)
        assert share.standard_error == pytest.approx((found / total).std(), rel=0.1)
        assert share.n_units == 60
    # days whose rows all weigh 0 are not drawn, and those of amount 0 are
    of_kept = {"sample_weight": day > 9, "amount": amount * (day > 19)}
    assert budget_totals(**rows, **of_kept).share_of_amount.n_units == 50


def test_one_unit_with_positives_has_no_interval():
    totals = budget_totals([1, 1, 0, 0], [4, 3, 2, 1], k=1, query_id=[1, 1, 2, 2])
    with pytest.warns(UserWarning, match="NaN, because one positive, or one unit with"):
        assert np.isnan(totals.share_of_positives.confidence_interval()).all()


def _pair(rng, **columns):
    """Totals of two models with the same budget per day, one of them by the money to
    expect.
    """
    fraud, score, day, amount = _days(rng, 60)
    budget = {"k": 5, "query_id": day, "amount": amount, **columns}
    return [
        budget_totals(fraud, each, **budget) for each in (score + np.log(amount), score)
    ]


def test_the_difference_of_money_is_paired_by_day():
    """Its spread is that of drawn days."""
    rng = np.random.default_rng(0)
    both = _pair(rng)
    compared = compare_budgets(*both)
    shares = [totals.share_of_amount for totals in both]
    assert compared.scores == (shares[0].score, shares[1].score)
    columns = [totals.by_query for totals in both]
    drawn = rng.integers(0, 60, (4000, 60))
    total = columns[0]["amount_of_positives"][drawn].sum(axis=1)
    first, second = (
        each["amount_found"][drawn].sum(axis=1) / total for each in columns
    )
    assert compared.standard_error == pytest.approx((first - second).std(), rel=0.1)
    low, high = compared.confidence_interval()
    assert (compared.pvalue < 0.05) == (low > 0 or high < 0)
    back = compare_budgets(*both[::-1], alternative="less")
    assert (back.difference, back.pvalue) == pytest.approx(
        (-compared.difference, compared.pvalue / 2)
    )
    assert compare_budgets(both[0], both[0]).pvalue == 1
    one_sided = compare_budgets(*both, alternative="greater")
    low = compared.difference - stdtrit(compared.df, 0.95) * compared.standard_error
    found = one_sided.confidence_interval().low
    assert 2 * found - low < found <= low  # a few rows carry the amount


def _share_with_few_big(n_big, n_found, worth):
    """The share of 60 days with two positives each, of which one is found; the amount
    of all but a few is 0.
    """
    amount = np.zeros((60, 2))
    amount[:n_found, 0] = amount[: n_big - n_found, 1] = worth
    rows = np.ones(120), np.tile([2, 1], 60)
    budget = {"k": 1, "query_id": np.repeat(np.arange(60), 2)}
    return budget_totals(*rows, **budget, amount=amount.ravel()).share_of_amount


@pytest.mark.parametrize(("n_big", "n_found"), [(6, 2), (9, 1), (20, 12)])
def test_an_amount_is_as_unsure_as_the_positives_that_carry_it(n_big, n_found):
    """The interval contains that of Clopper and Pearson for so many positives, whatever
    the unit of money.
    """
    share = _share_with_few_big(n_big, n_found, 1.0)
    assert share.score == n_found / n_big
    exact = binomtest(n_found, n_big).proportion_ci(method="exact")
    of_days = replace(share, _facts=Facts()).confidence_interval()
    low, high = min(exact.low, of_days.low), max(exact.high, of_days.high)
    assert share.confidence_interval() == pytest.approx((low, high), abs=1e-12)
    assert (low, high) != (of_days.low, of_days.high)
    same = _share_with_few_big(n_big, n_found, 1e150)
    assert same.confidence_interval() == pytest.approx((low, high), abs=1e-12)


def test_the_difference_is_of_amounts_where_both_have_one():
    rows = {"y_true": [1, 1, 1, 0], "k": 1, "query_id": [1, 1, 2, 2]}
    scores = [[4, 3, 2, 1], [3, 4, 1, 2]]
    columns = {
        "amount": [70, 20, 10, 5],
        "sample_weight": [1, 2, 1, 1],
    }
    for given_, expected in (
        ([], (2 / 3, 1 / 3)),
        (["sample_weight"], (2 / 4, 2 / 4)),
        (["amount"], (80 / 100, 20 / 100)),
        (["amount", "sample_weight"], (80 / 120, 40 / 120)),
    ):
        passed = {name: columns[name] for name in given_}
        both = [budget_totals(y_score=score, **rows, **passed) for score in scores]
        with pytest.warns(UserWarning, match="only .* units that contain a positive"):
            compared = compare_budgets(*both)
        assert compared.scores == pytest.approx(expected)
    plain = budget_totals(y_score=scores[0], **rows)
    text = r"^totals_a and totals_b must both have an amount, .*; got amounts of "
    for pair, values in (
        ((plain, both[0]), "None and 120.0"),
        ((both[0], plain), "120.0 and None"),
    ):
        with pytest.raises(ValueError, match=text + values):
            compare_budgets(*pair)


def test_totals_of_other_rows_are_not_paired():
    first, other = (_pair(np.random.default_rng(seed))[0] for seed in (0, 1))
    of_days = (
        budget_totals([1, 0, 1, 0], [4, 3, 2, 1], k=1, query_id=list(days))
        for days in ("aabb", "bbcc")
    )
    text = "^totals_b must be of the same rows and queries as totals_a; got "
    for pair in ((first, other), of_days):
        with pytest.raises(ValueError, match=text):
            compare_budgets(*pair)
    with pytest.raises(
        TypeError,
        match=r"^totals_a must be what budget_totals.* returns; got <OperatingPoi",
    ):
        compare_budgets(operating_point([0, 1], [1, 2], k=1), first)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"query_id": None}, "^query_id must be given"),
        ({"k": None}, "^k must be given"),
        (
            {"amount": [1, -5, 2]},
            r"^amount must not be negative; got -5.0 in row 1",
        ),
        ({"amount": [1, np.nan, 2]}, r"^Input amount contains NaN"),
        (
            {"amount": [1, 2]},
            r"^amount must contain one number for each of 3 .*; got 2",
        ),
        ({"amount": [[1], [2, 3], [4]]}, r"^amount must contain one number per row"),
        ({"amount": np.ma.array([1, 2, 3], mask=[0, 1, 0])}, "^amount.*mask"),
        ({"amount": [1, 2, 1e200]}, r"^amount must be 0 or .*; got 1e\+200"),
    ],
)
def test_what_totals_refuse(given, text):
    columns = {"query_id": [1, 1, 2], "k": 1, **given}
    with pytest.raises(ValueError, match=text):
        budget_totals([1, 0, 1], [3, 2, 1], **columns)
