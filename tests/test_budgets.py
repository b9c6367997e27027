"""Budgets per query: the one threshold within all of them, and what they find in all,
in exact fractions.
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtrit

import oracle
from problems import labels
from sklearn_ap import compare_operating_points, operating_point, recall_at_k_score

TOTALS = (
    "n_retrieved",
    "n_samples",
    "positives_found",
    "n_positives",
    "weight_found",
    "positive_weight",
)


@given(st.data())
def test_a_budget_of_each_query(data):
    """The lowest threshold that retrieves more than k rows of no query, by counting
    them.
    """
    n = data.draw(st.integers(1, 12))
    y_true, y_score = (
        data.draw(labels(n)),
        data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)),
    )
    query = np.array(
        data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    )
    weight = data.draw(
        st.none() | st.lists(st.sampled_from([0, 1, 2.5]), min_size=n, max_size=n)
    )
    k = data.draw(st.integers(1, 5) | st.sampled_from([0.25, 0.5, 1.0]))
    counted = np.ones(n, dtype=bool) if weight is None else np.array(weight) > 0
    assume(counted.any())

    def fits(threshold):
        retrieved = (np.array(y_score) >= threshold) & counted
        of_query = [(query == one) & counted for one in set(query[counted])]
        depth = (
            max(round(Fraction(k) * rows.sum()), 1) if isinstance(k, float) else k
            for rows in of_query
        )
        return all(
            (retrieved & rows).sum() <= most
            for rows, most in zip(of_query, depth, strict=True)
        )

    fitting = [one for one in set(np.array(y_score)[counted].tolist()) if fits(one)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of no positive
        point = operating_point(
            y_true, y_score, k=k, query_id=query, sample_weight=weight
        )
    if fitting:
        assert point.threshold == min(fitting)
    # equal scores exceed a budget, and what the budgets find is known all the same
    else:
        assert np.isnan(point.threshold)
        assert "No single threshold keeps to each budget" in str(point)
    assert point.n_retrieved == np.count_nonzero(
        (np.array(y_score) >= point.threshold) & counted
    )
    _check_totals(point.totals, y_true, y_score, query, weight, k)


def _check_totals(totals, y_true, y_score, query, weight, k):
    """The totals are those of each query by the oracle, and their sums."""
    columns = totals.by_query
    for place, name in enumerate(columns["query"]):
        rows = np.flatnonzero(query == name)
        of_query = oracle.ranking(
            *(np.array(of)[rows].tolist() for of in (y_true, y_score))
        )
        if weight is not None:
            of_query = oracle.ranking(
                *(np.array(of)[rows].tolist() for of in (y_true, y_score, weight))
            )
        n_rows, found, weight_found = oracle.within_budget(of_query, k)
        n_positives = sum(row.label for row in of_query.rows)
        expected = (
            n_rows,
            len(of_query.rows),
            found,
            n_positives,
            weight_found,
            of_query.found,
        )
        assert [columns[key][place] for key in TOTALS] == pytest.approx(
            list(map(float, expected))
        )
    assert [getattr(totals, key) for key in TOTALS] == pytest.approx(
        [columns[key].sum() for key in TOTALS]
    )
    share, of_all = totals.share_of_weight.score, totals.positive_weight
    assert share == pytest.approx(totals.weight_found / of_all if of_all else 0)


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


def test_totals_are_sums_and_not_means_of_shares():
    fraud, score, day, amount = (
        [1, 1, 1, 1],
        [9, 8, 7, 6],
        [1, 1, 2, 2],
        [90, 10, 10, 890],
    )
    totals = operating_point(
        fraud, score, k=1, query_id=day, sample_weight=amount
    ).totals
    assert (
        totals.weight_found,
        totals.positive_weight,
        totals.share_of_weight.score,
    ) == (100, 1000, 0.1)
    assert (
        recall_at_k_score(fraud, score, k=1, query_id=day, sample_weight=amount) > 0.4
    )
    assert (
        str(totals)
        == "1 row per query over 2 queries finds 2 of 4 positives, and of the weight 100 of 1,000."
    )
    frame = totals.to_frame()
    assert list(frame["weight_found"]) == [90, 10]
    assert frame["query"].dtype == np.int64  # merges with the frame of the rows
    missed = operating_point(
        fraud, score, k=0.5, query_id=day, n_positives={1: 3, 2: 2, 7: 5}
    )
    assert (
        str(missed)
        == "50% of the rows per query over 3 queries find 2 of 10 positives."
    )
    assert missed.recall == 1 / 10  # of the one threshold


def test_shares_of_totals_spread_as_those_of_drawn_days():
    rng = np.random.default_rng(0)
    fraud, score, day, amount = _days(rng, 60)
    totals = operating_point(
        fraud, score, k=5, query_id=day, sample_weight=amount
    ).totals
    columns = totals.by_query
    drawn = rng.integers(0, 60, (4000, 60))
    pairs = ("positives_found", "n_positives"), ("weight_found", "positive_weight")
    for share, pair in zip(
        (totals.share_of_positives, totals.share_of_weight), pairs, strict=True
    ):
        found, total = (columns[key][drawn].sum(axis=1) for key in pair)
        assert share.standard_error == pytest.approx((found / total).std(), rel=0.1)
        low, high = share.confidence_interval()
        assert low < share.score < high
        assert share.n_units == 60
    of_pairs = operating_point(
        fraud, score, k=5, query_id=day, sample_weight=amount, unit_id=day // 2
    ).totals
    assert of_pairs.share_of_weight.n_units == 30
    assert of_pairs.share_of_weight.score == pytest.approx(totals.share_of_weight.score)
    assert (
        of_pairs.share_of_weight.standard_error != totals.share_of_weight.standard_error
    )
    dropped = operating_point(
        fraud, score, k=5, query_id=day, sample_weight=amount * (day > 9), unit_id=day
    )
    assert (
        dropped.totals.share_of_weight.n_units == 50
    )  # units whose rows all weigh 0 are gone


def test_one_unit_with_positives_has_no_interval():
    totals = operating_point(
        [1, 1, 0, 0], [4, 3, 2, 1], k=1, query_id=[1, 1, 2, 2]
    ).totals
    with pytest.warns(UserWarning, match="one unit that contains a positive .*; got 1"):
        assert np.isnan(totals.share_of_positives.confidence_interval()).all()


def _pair(rng, **columns):
    """Points of two models with the same budget per day, one of them by the money to
    expect.
    """
    fraud, score, day, amount = _days(rng, 60)
    budget = {"k": 5, "query_id": day, "sample_weight": amount, **columns}
    return [
        operating_point(fraud, each, **budget)
        for each in (score + np.log(amount), score)
    ], day


def test_the_difference_of_money_is_paired_by_day():
    """Its spread is that of drawn days, and less than that of two independent
    shares.
    """
    rng = np.random.default_rng(0)
    points, _ = _pair(rng)
    compared = compare_operating_points(*points)
    shares = [point.totals.share_of_weight for point in points]
    assert compared.scores == (shares[0].score, shares[1].score)
    assert compared.difference == pytest.approx(shares[0].score - shares[1].score)
    columns, drawn = (
        [point.totals.by_query for point in points],
        rng.integers(0, 60, (4000, 60)),
    )
    total = columns[0]["positive_weight"][drawn].sum(axis=1)
    first, second = (
        each["weight_found"][drawn].sum(axis=1) / total for each in columns
    )
    assert compared.standard_error == pytest.approx((first - second).std(), rel=0.1)
    assert compared.standard_error < np.hypot(
        *(share.standard_error for share in shares)
    )
    low, high = compared.confidence_interval()
    assert low < compared.difference < high
    assert (compared.pvalue < 0.05) == (low > 0 or high < 0)
    back = compare_operating_points(*points[::-1], alternative="less")
    assert (back.difference, back.pvalue) == pytest.approx(
        (-compared.difference, compared.pvalue / 2)
    )
    assert compare_operating_points(points[0], points[0]).pvalue == 1
    least = compare_operating_points(*points, alternative="greater", margin=0.1)
    low = compared.difference - stdtrit(compared.df, 0.95) * compared.standard_error
    assert (least.pvalue < 0.05) == (low > -0.1)
    assert least.statistic == pytest.approx(
        (compared.difference + 0.1) / compared.standard_error
    )


def test_units_of_the_difference_of_money_are_those_of_the_points():
    rng = np.random.default_rng(1)
    fraud, score, day, amount = _days(rng, 60)
    budget = {"k": 5, "query_id": day, "sample_weight": amount}
    of_days, of_pairs = (
        compare_operating_points(
            *(
                operating_point(fraud, each, **budget, **units)
                for each in (score + np.log(amount), score)
            )
        )
        for units in ({}, {"unit_id": day // 2})
    )
    assert (of_days.n_units, of_pairs.n_units) == (60, 30)
    assert of_days.difference == pytest.approx(of_pairs.difference)
    assert of_days.standard_error != of_pairs.standard_error


def test_points_of_other_rows_are_not_paired():
    points, _ = _pair(np.random.default_rng(0))
    (other, _), _ = _pair(np.random.default_rng(1))
    with pytest.raises(
        ValueError,
        match=r"^point_b must be of the same rows, queries and units as point_a; got ",
    ):
        compare_operating_points(points[0], other)
    with pytest.raises(
        ValueError,
        match=r"^point_a must be a point of a budget per query, .*; got <OperatingPoi",
    ):
        compare_operating_points(operating_point([0, 1], [1, 2], k=1), points[0])
    with pytest.raises(ValueError, match=r"^margin needs alternative"):
        compare_operating_points(*points, margin=0.1)
    days = (list("aabb"), list("bbcc"))
    of_days = [
        operating_point([1, 0, 1, 0], [4, 3, 2, 1], k=1, query_id=day) for day in days
    ]
    with pytest.raises(ValueError, match=r"^point_b must be of the same rows, queries"):
        compare_operating_points(*of_days)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"query_id": [1, 1, 2], "n_positives": 5}, r"^n_positives must be .*; got 5"),
        ({"query_id": [1, 1, 2], "n_positives": {1: 5}}, r"^n_positives .* query 2"),
        (
            {"query_id": [1, 1, 2], "n_positives": {1: 5, 2: 0}},
            r"^n_positives must not be below",
        ),
        (
            {"query_id": [1, 1, 2], "n_positives": {1: 5, 2: 5}, "unit_id": [1, 2, 3]},
            "^n_positives .* unit_id",
        ),
        ({"unit_id": [1, 2, 3]}, "^unit_id requires query_id"),
        ({"query_id": [1, 1, 2], "unit_id": [1, 2]}, "^unit_id must"),
    ],
)
def test_what_totals_refuse(given, text):
    with pytest.raises(ValueError, match=text):
        operating_point([1, 0, 1], [3, 2, 1], k=1, **given)


@pytest.mark.filterwarnings("ignore:y_true contains no positives:UserWarning")
def test_without_positives_there_is_nothing_to_find():
    totals = operating_point([0, 0], [2, 1], k=1, query_id=[0, 1]).totals
    for share in (totals.share_of_positives, totals.share_of_weight):
        assert (share.score, share.n_positives) == (0.0, 0.0)
