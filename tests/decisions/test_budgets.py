"""Budgets per query: what they find in all, and the one threshold within all of them,
in exact fractions.
"""

import re
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtrit

from distributed_rows import EXCEEDS, FITS, KINDS, N_ROWS, assert_same_totals, rows_of
from oracles import scores as oracle
from problems import labels
from sklearn_ap import (
    budget_totals,
    compare_budgets,
    distributed,
    operating_point,
    recall_at_k_score,
)

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


def as_one_ranking(rows):
    """The ranking of all rows."""
    [ranking] = of_queries(**{**rows, "query_id": [0] * len(rows["y_true"])}).values()
    return ranking


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
            share = found / (getattr(totals, whole) or 1)
            assert estimate.score == pytest.approx(share)


PAIRS = tuple(zip(TOTALS[2::2], TOTALS[3::2], strict=True))


@pytest.mark.parametrize("limit", [FITS, 4000, EXCEEDS])
@pytest.mark.parametrize("kind", list(KINDS))
def test_budgets_of_all_kinds_of_scores_and_ids(kind, limit):
    rows = rows_of(kind).assign(euros=np.arange(N_ROWS) % 7 * 1.5)
    arrays = {name: rows[name].to_numpy() for name in rows}
    stated = dict.fromkeys(arrays["query"].tolist(), 400.0)
    for k, total in ((3, None), (0.3, stated)):
        columns = {"sample_weight": "weight", "query_id": "query", "amount": "euros"}
        options = {"k": k, "n_positives": total}
        expected = budget_totals(
            arrays["label"],
            arrays["score"],
            **{name: arrays[column] for name, column in columns.items()},
            **options,
        )
        assert_same_totals(
            distributed.budget_totals(rows, **columns, **options, memory_limit=limit),
            expected,
        )


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


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_amounts_of_files_are_refused_by_name(limit):
    rows = rows_of("float64").assign(euros=1.0)
    rows.loc[7, "euros"] = -5
    options = {"k": 1, "query_id": "query", "memory_limit": limit}
    for column, text in (
        ("euros", "column 'euros': contains -5.0, but .* must not be negative"),
        ("query", "column 'query': contains .* expected numbers"),
    ):
        with pytest.raises(distributed.SourceError, match=text):
            distributed.budget_totals(rows, amount=column, **options)
    with pytest.raises(TypeError, match=r"^amount must be the name of a column"):
        distributed.budget_totals(rows, amount=5, **options)


def test_two_reviews_catch_what_the_first_two_rows_are_worth():
    """Of 150 euros; a recall that is weighted by amounts leaves out the row of 0."""
    rows = [1, 0, 1], [3, 2, 1]
    totals = budget_totals(*rows, k=2, query_id=[0] * 3, amount=[100, 0, 50])
    assert (totals.amount_found, totals.amount_of_positives) == (100, 150)
    assert recall_at_k_score(*rows, k=2, sample_weight=[100, 0, 50]) == 1.0
    cents = [Decimal("100.00"), Decimal("0"), Decimal("50.00")]
    assert totals == budget_totals(*rows, k=2, query_id=[0] * 3, amount=cents)


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


@given(budgets(), st.sampled_from([None, 1, 200]))
def test_one_threshold_within_all_budgets(drawn, limit):
    """It is the lowest of them, and a threshold of all rows."""
    rows, k = drawn
    rankings = of_queries(**rows)
    fitting = within_all_budgets(rankings.values(), k)
    if fitting:
        point = with_limit(operating_point, rows, limit, k=k)
        rows["query_id"] = None
        fixed = with_limit(operating_point, rows, None, threshold=min(fitting))
        assert replace(point, threshold=float(point.threshold)) == fixed
        return
    with pytest.raises(ValueError, match=r"^k must be at least .* query") as error:
        with_limit(operating_point, rows, limit, k=k)
    [name] = re.findall(r"rows of query '(.)' that share", str(error.value))
    assert "budget_totals" in str(error.value)
    top = max(row.score for ranking in rankings.values() for row in ranking.rows)
    of_name = [row for row in rankings[name].rows if row.score == top]
    assert len(of_name) > oracle.depth(rankings[name], k)


def with_limit(function, rows, limit, **options):
    """Call a function in memory, or its counterpart of rows beyond memory."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of no positive
        if limit is None:
            return function(**rows, **options)
        columns = {name: column for name, column in rows.items() if column is not None}
        options |= {"memory_limit": limit, **{name: name for name in columns}}
        function = getattr(distributed, function.__name__)
        return function(pd.DataFrame(columns), **options)


CONDITIONS = [{"recall": 0.5}, {"precision": 0.5}, {"beta": 1}, {"k": 3}, {"k": 0.4}]
CONDITIONS += [{"threshold": 3}, {"threshold": 9}]


@given(budgets(), st.sampled_from(CONDITIONS), st.sampled_from([None, 1]))
def test_an_amount_moves_no_threshold(drawn, condition, limit):
    """The point is that without amounts, and says what its rows are worth."""
    rows, _ = drawn
    rows["query_id"] = None
    plain = {**rows, "amount": None}
    try:
        expected = with_limit(operating_point, plain, limit, **condition)
    except ValueError as error:
        with pytest.raises(ValueError, match="^" + re.escape(str(error))):
            with_limit(operating_point, rows, limit, **condition)
        return
    point = with_limit(operating_point, rows, limit, **condition)
    amounts = "amount_found", "amount_of_positives", "share_of_amount"
    assert replace(point, **dict.fromkeys(amounts)) == expected
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
    st.sampled_from([None, 1]),
)
def test_a_miss_costs_its_amount(drawn, miss_cost, prevalence, n_missed, limit):
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
            with_limit(operating_point, rows, limit, **options)
    elif least > nothing * (1 + Fraction(1, 10**9)):
        with pytest.raises(ValueError, match=r"^miss_cost must be at least .*; got "):
            with_limit(operating_point, rows, limit, **options)
    elif least < nothing * (1 - Fraction(1, 10**9)):
        point = with_limit(operating_point, rows, limit, **options)
        slack = Fraction(1, 10**9) * (nothing + least)
        assert cost_of(point.threshold) <= least + slack
        retrieved = [row for row in ranking.rows if row.score >= point.threshold]
        assert point.amount_found == pytest.approx(
            float(oracle.positives_of(retrieved).amount)
        )
        assert point.n_retrieved == len(retrieved)


@pytest.mark.parametrize("kind", list(KINDS))
def test_one_threshold_of_all_kinds_of_scores_and_ids(kind):
    """Missed positives of queries are counted beyond memory as in memory."""
    rows = rows_of(kind)
    # so that the highest scores are within the budgets
    k = int(rows.groupby(["query", "score"]).size().max()) + 2
    totals = dict.fromkeys(rows["query"].tolist(), 400.0)
    options = {"k": k, "n_positives": totals}
    queries = rows["query"].to_numpy()
    expected = operating_point(
        rows["label"], rows["score"], query_id=queries, **options
    )
    point = distributed.operating_point(
        rows, query_id="query", **options, memory_limit=EXCEEDS
    )
    assert point == expected
    assert type(point.threshold) is type(expected.threshold)


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
@pytest.mark.parametrize("limit", [None, 1])
def test_a_sentence_about_rows_says_how_they_count(options, text, limit):
    rows = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1]}
    for name in ("amount", "sample_weight"):
        rows[name] = options.get(name)
    options = {name: value for name, value in options.items() if name not in rows}
    assert str(with_limit(operating_point, rows, limit, **options)) == text


def test_the_numbers_of_a_fixed_threshold_say_how_rows_count():
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    columns = {"sample_weight": [2, 1, 1, 1], "amount": [70, 5, 20, 9]}
    text = str(operating_point(*rows, threshold=3, **columns))
    start = "2 rows with scores of 3 or more have, weighted by sample_weight, precision 0.67, "
    assert text.startswith(start)
    assert text.endswith(", and of the amount, weighted by sample_weight, 140 of 160.")
    assert "; share of amount 0.88, 95 % interval " in text


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


def test_missed_positives_are_counted_and_have_no_amount():
    totals = budget_totals(
        [1, 1, 1, 1],
        [9, 8, 7, 6],
        k=0.5,
        query_id=[1, 1, 2, 2],
        amount=[90, 10, 10, 890],
        n_positives={1: 3, 2: 2, 7: 5},
    )
    assert (totals.n_positives, totals.amount_of_positives) == (10, 1000)
    assert totals.by_query["query"].tolist() == [1, 2, 7]
    assert str(totals) == (
        "50 % of the rows per query over 3 queries find 2 of 10 positives, and of the amount of these rows "
        "100 of 1,000."
    )


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({}, ""),
        ({"sample_weight": [2, 1, 1]}, ", and of the sample_weight 2 of 3"),
        (
            {"amount": [70, 5, 20], "sample_weight": [2, 1, 1]},
            ", and of the sample_weight 2 of 3, and of the amount, weighted by sample_weight, 140 "
            "of 160",
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
        low, high = share.confidence_interval()
        assert low < share.score < high
        assert share.n_units == 60
    of_pairs = budget_totals(**rows, amount=amount, unit_id=day // 2)
    share, of_days = of_pairs.share_of_amount, totals.share_of_amount
    assert share.n_units == 30
    assert share.score == pytest.approx(of_days.score)
    assert share.standard_error != of_days.standard_error
    # units whose rows all weigh 0 are gone, and those of amount 0 are not
    of_kept = {"unit_id": day, "sample_weight": day > 9, "amount": amount * (day > 19)}
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
    """Its spread is that of drawn days, and less than that of two independent
    shares.
    """
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
    assert compared.standard_error < np.hypot(
        *(share.standard_error for share in shares)
    )
    low, high = compared.confidence_interval()
    assert low < compared.difference < high
    assert (compared.pvalue < 0.05) == (low > 0 or high < 0)
    back = compare_budgets(*both[::-1], alternative="less")
    assert (back.difference, back.pvalue) == pytest.approx(
        (-compared.difference, compared.pvalue / 2)
    )
    assert compare_budgets(both[0], both[0]).pvalue == 1
    least = compare_budgets(*both, alternative="greater", margin=0.1)
    low = compared.difference - stdtrit(compared.df, 0.95) * compared.standard_error
    assert (least.pvalue < 0.05) == (low > -0.1)


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
        assert compared.difference == pytest.approx(expected[0] - expected[1])
    plain = budget_totals(y_score=scores[0], **rows)
    text = r"^totals_a and totals_b must both have an amount, .*; got amounts of "
    for pair, values in (
        ((plain, both[0]), "None and 120.0"),
        ((both[0], plain), "120.0 and None"),
    ):
        with pytest.raises(ValueError, match=text + values):
            compare_budgets(*pair)


def test_totals_of_other_rows_are_not_paired():
    both = _pair(np.random.default_rng(0))
    other, _ = _pair(np.random.default_rng(1))
    with pytest.raises(
        ValueError,
        match=r"^totals_b must be of the same rows, queries and units as totals_a; got ",
    ):
        compare_budgets(both[0], other)
    with pytest.raises(
        TypeError,
        match=r"^totals_a must be what budget_totals.* returns; got <OperatingPoi",
    ):
        compare_budgets(operating_point([0, 1], [1, 2], k=1), both[0])
    with pytest.raises(ValueError, match=r"^margin needs alternative"):
        compare_budgets(*both, margin=0.1)
    of_days = [
        budget_totals([1, 0, 1, 0], [4, 3, 2, 1], k=1, query_id=day)
        for day in (list("aabb"), list("bbcc"))
    ]
    with pytest.raises(
        ValueError, match=r"^totals_b must be of the same rows, queries"
    ):
        compare_budgets(*of_days)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"n_positives": 5}, r"^n_positives must be .*; got 5"),
        ({"n_positives": {1: 5}}, r"^n_positives .* query 2"),
        ({"n_positives": {1: 5, 2: 0}}, r"^n_positives must not be below"),
        (
            {"n_positives": {1: 5, 2: 5}, "unit_id": [1, 2, 3]},
            "^n_positives .* unit_id",
        ),
        ({"unit_id": [1, 2]}, "^unit_id must"),
        ({"query_id": None}, "^query_id must be given"),
        ({"k": None}, "^k must be given"),
        ({"k": 0}, "^k must be"),
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


def test_without_positives_there_is_nothing_to_find():
    totals = budget_totals([0, 0], [2, 1], k=1, query_id=[0, 1], amount=[3, 4])
    for share in (
        totals.share_of_positives,
        totals.share_of_weight,
        totals.share_of_amount,
    ):
        assert (share.score, share.n_positives) == (0.0, 0.0)
