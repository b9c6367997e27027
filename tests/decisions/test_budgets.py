"""Totals of budgets per query, compared with exact fractions."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from oracles import scores as oracle
from oracles.uncertainty import n_equal
from problems import labels
from sklearn_ap import budget_totals

TOTALS = (
    "n_retrieved",
    "n_samples",
    "positives_found",
    "n_positives",
    "weight_found",
    "weight_of_positives",
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
    return rows, draw(st.integers(1, 5) | st.sampled_from([0.25, 0.5, 0.99]))


def sums_of(rows, k, query):
    """Sums that the budget of a query finds, in the order of TOTALS."""
    places = np.flatnonzero(np.array(rows["query_id"]) == query)
    *columns, amounts = (
        None if rows[name] is None else [rows[name][place] for place in places]
        for name in ("y_true", "y_score", "sample_weight", "amount")
    )
    ranking = oracle.ranking(*columns, amounts=amounts)
    # All rows of the query have weight 0.
    if not ranking.rows:
        return [0.0] * len(TOTALS)
    n_rows, found = oracle.within_budget(ranking, k)
    in_all = oracle.positives_of(ranking.rows)
    pairs = zip((n_rows, *found), (len(ranking.rows), *in_all), strict=True)
    return [float(number) for pair in pairs for number in pair]


@given(budgets())
def test_what_a_budget_of_each_query_finds(drawn):
    """The sums of each query equal those of the oracle, and the totals are their sums."""
    rows, k = drawn
    totals = budget_totals(**rows, k=k)
    queries = sorted(set(rows["query_id"]))
    assert totals.by_query["query"].tolist() == queries
    expected = [sums_of(rows, k, query) for query in queries]
    names = TOTALS if rows["amount"] is not None else TOTALS[:-2]
    assert set(totals.by_query) == {"query", *names}
    columns = zip(*expected, strict=True)
    for name, column in zip(names, columns, strict=False):
        assert totals.by_query[name].tolist() == pytest.approx(list(column))
        assert getattr(totals, name) == pytest.approx(sum(column))
    shares = totals.share_of_positives, totals.share_of_weight, totals.share_of_amount
    assert (totals.share_of_amount is None) == (rows["amount"] is None)
    for share, (hits, whole) in zip(filter(None, shares), PAIRS, strict=False):
        in_all = getattr(totals, whole) or 1
        assert share.score == pytest.approx(getattr(totals, hits) / in_all)


PAIRS = tuple(zip(TOTALS[2::2], TOTALS[3::2], strict=True))


# Frauds, scores and amounts of 60 days, each with its own mean score.
RNG = np.random.default_rng(0)
DAY = RNG.integers(0, 60, 12_000)
FRAUD = RNG.random(12_000) < 0.03 * np.exp(RNG.normal(0, 0.5, 60))[DAY]
SCORE, AMOUNT = RNG.normal(size=12_000) + 2 * FRAUD, RNG.lognormal(4, 1.2, 12_000)
DAYS = {"k": 5, "query_id": DAY, "amount": AMOUNT}


def test_the_frame_of_totals_has_a_row_per_query():
    totals = budget_totals([1] * 4, [9, 8, 7, 6], k=1, query_id=[1, 1, 2, 2])
    assert type(totals.n_retrieved) is int
    frame = totals.to_frame()
    assert list(frame["positives_found"]) == [1, 1]
    # The type is that of the ids of the rows, so that both frames can be merged.
    assert frame["query"].dtype == np.int64


ONE = {"k": 1, "query_id": ["a"] * 4}
MONEY = {"amount": [Decimal("70.00"), 5, 20, 0], "sample_weight": [2, 1, 1, 1]}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"k": 2, "sample_weight": [1, 1, 1, 0]},
            "2 rows per query over 2 queries find 1 of 2 positives; sample_weight found: 1 of 2.",
        ),
        (
            {"k": 0.5},
            "50 % of the rows per query over 2 queries (3 of 4 rows) find 1 of 2 positives.",
        ),
        (ONE, "1 row per query over 1 query finds 1 of 2 positives."),
        (
            ONE | MONEY,
            "1 row per query over 1 query finds 1 of 2 positives; sample_weight found: 2 of 3; amount "
            "found: 140 of 160 (weighted by sample_weight).",
        ),
    ],
)
def test_the_sentence_names_what_its_numbers_count(options, text):
    rows = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1], "query_id": list("aaab")}
    assert str(budget_totals(**rows | options)) == text


def test_shares_of_totals_have_linearised_errors():
    """The standard error is that of a mean if m days have equal totals. Heavy days
    count as fewer.
    """
    totals = budget_totals(FRAUD, SCORE, **DAYS)
    columns = totals.by_query
    shares = totals.share_of_positives, totals.share_of_weight, totals.share_of_amount
    for share, (hits, whole) in zip(shares, PAIRS, strict=True):
        of_days = columns[hits] - share.score * columns[whole]
        error = np.linalg.norm(of_days) / columns[whole].sum()
        m = n_equal(columns[whole])
        assert share.standard_error == pytest.approx(error * np.sqrt(m / (m - 1)))
        assert (share.n_effective, share.n_units) == (pytest.approx(m), 60)
    # Days whose rows all have weight 0 are not drawn; days whose amounts are 0 are.
    of_kept = {"sample_weight": DAY > 9, "amount": AMOUNT * (DAY > 19)}
    assert budget_totals(FRAUD, SCORE, **DAYS | of_kept).share_of_amount.n_units == 50


@pytest.mark.parametrize(("n_big", "n_found", "worth"), [(6, 2, 1.0), (9, 1, 1e150)])
def test_an_amount_is_as_uncertain_as_the_positives_that_carry_it(
    n_big, n_found, worth
):
    """The interval contains that of Clopper and Pearson for the positives with an
    amount.

    Each of 60 days has two positives and finds one. All but a few have amount 0.
    Neither the amounts of negatives nor the unit of money matter.
    """
    amount = np.full((3, 60), [[0.0], [0.0], [worth]])
    amount[0, :n_found] = amount[1, : n_big - n_found] = worth
    days = {"query_id": np.tile(np.arange(60), 3), "amount": amount.ravel()}
    totals = budget_totals(np.arange(180) < 120, -np.arange(180), k=1, **days)
    share = totals.share_of_amount
    assert share.score == pytest.approx(n_found / n_big)
    exact = binomtest(n_found, n_big).proportion_ci(method="exact")
    low, high = share.confidence_interval()
    assert low <= exact.low + 1e-9
    assert high >= exact.high - 1e-9


ROWS = {
    "y_true": [1, 1, 1, 0],
    "y_score": [4, 3, 2, 1],
    "k": 1,
    "query_id": [1, 1, 2, 2],
    "amount": [70, 20, 10, 5],
    "sample_weight": [1, 2, 1, 1],
}
