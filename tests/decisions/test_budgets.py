"""Totals of budgets per query, compared with exact fractions."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import scores as oracle
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
PAIRS = tuple(zip(TOTALS[2::2], TOTALS[3::2], strict=True))


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
