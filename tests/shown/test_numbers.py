"""The digits of numbers: as many as their intervals, their tests or their rows need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._shown.numbers import (
    NEXT_TO_0,
    count_of,
    decimals_of,
    format_pvalue,
    interval_texts,
    part_of,
    short_share,
    short_threshold,
    with_decimals,
)


@pytest.mark.parametrize(
    ("row", "decimals"),
    [
        ((0.5, 0.4, 0.6), 2),
        ((0.5, 0.48, 0.52), 3),
        ((0.5, 0.4999, 0.5001), 5),
        ((0.5, 0.499999, 0.500001), 6),
        ((0.5, 0.5, 0.5), None),
        # An amount may have no decimals. A share has at least two.
        ((700.0, 600.0, 800.0), 0),
        ((700.0, 699.0, 701.0), 2),
        ((0.7, -100.0, 100.0), 2),
        # The distance to the finite endpoint counts twice.
        ((700.0, 698.0, np.inf), 1),
        ((700.0, -np.inf, 702.0), 1),
    ],
)
def test_the_width_is_at_least_five_units_of_the_last_decimal(row, decimals):
    assert decimals_of(*row, is_difference=False) == decimals


def test_an_endpoint_of_a_difference_shows_its_sign():
    def texts(*row):
        return interval_texts(*row, is_difference=True)

    assert texts(0.09, -0.0031, 0.183) == ["0.09", "-0.003", "0.18"]
    assert texts(0.09, 0.0031, 0.183) == ["0.090", "0.003", "0.183"]
    assert texts(-0.09, -0.183, -0.0031) == ["-0.090", "-0.183", "-0.003"]
    assert interval_texts(0.09, 0.0031, 0.183) == ["0.09", "0.00", "0.18"]


def test_an_endpoint_that_a_test_has_put_next_to_0_is_in_words():
    end = 0.2 * NEXT_TO_0
    texts = interval_texts(0.2, end, 0.4, is_difference=True)
    assert texts == ["0.20", "0 (excluded)", "0.40"]
    texts = interval_texts(-0.2, -0.4, -end, is_difference=True)
    assert texts == ["-0.20", "-0.40", "0 (excluded)"]


def test_numbers_are_rounded_as_python_does():
    assert with_decimals(2, -0.001, np.float64(2.675)) == ["0.00", "2.67"]
    assert with_decimals(None, 1234567.0, 0.5) == ["1.235e+06", "0.5"]


@given(st.floats(0, 1))
def test_a_pvalue_shows_its_side_of_the_significance_level(pvalue):
    sign, shown = format_pvalue(pvalue).split()
    if sign == "<":
        assert pvalue < float(shown) <= 0.05
    else:
        assert np.sign(float(shown) - 0.05) == np.sign(pvalue - 0.05)
        assert float(shown) == pytest.approx(pvalue, rel=0.05)


def test_pvalues_have_two_digits_or_a_bound():
    assert format_pvalue(0.0312345) == "= 0.031"
    assert format_pvalue(0.0001) == "= 0.0001"
    assert format_pvalue(0.000099) == "< 0.0001"
    assert format_pvalue(0.04996) == "= 0.04996"


def test_parts_and_their_whole():
    assert part_of(12, 999.96) == "12 of 1000"
    assert part_of(1234.5, 12345.6) == "1,234 of 12,346"
    assert part_of(1 / 3, 1000) == "0.3333 of 1,000"


def test_a_single_query_is_no_plural():
    texts = [count_of(count, "query", "queries") for count in (0, 1, 2000)]
    assert texts == ["0 queries", "1 query", "2,000 queries"]


@given(
    st.floats(-1e3, 1e3),
    st.floats(1e-9, 10.0),
    st.sampled_from([np.float32, np.float64]),
)
def test_a_threshold_retrieves_the_same_rows(score, gap, dtype):
    threshold, below = dtype(score), dtype(score - gap)
    if not below < threshold:
        return
    text = short_threshold(float(threshold), below)
    assert below < dtype(float(text)) <= threshold


def test_a_threshold_has_four_digits_if_they_suffice():
    assert short_threshold(0.123456, 0.1) == "0.1234"
    assert short_threshold(0.123456, 0.1234) == "0.12345"
    assert short_threshold(-0.0, -1.0) == "0"
    assert short_threshold(7, 6) == "7"
    # Floats may be whole numbers.
    assert short_threshold(44.0, 43.0) == "44"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0456, "0.046"),
        (0.0042, "0.0042"),
        (0.9958, "0.9958"),
        (0.5, "0.50"),
        (0, "0.00"),
    ],
)
def test_a_share_has_two_digits_of_its_distance_from_0_or_1(share, text):
    assert short_share(share) == text


@given(st.floats(-12, 0).map(lambda power: 10.0**power))
def test_a_small_share_is_not_shown_as_0(share):
    assert float(short_share(share)) == pytest.approx(share, rel=0.5)
