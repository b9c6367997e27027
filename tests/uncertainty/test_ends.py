"""Tests of the endpoints of an interval from the numbers that describe a sample."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import average_precision_score
from sklearn_ap._uncertainty.calls import read_call
from sklearn_ap._uncertainty.endpoints import (
    IntervalInputs,
    Negatives,
    endpoints_of,
    shift_of,
)
from sklearn_ap._uncertainty.influence import Influences
from sklearn_ap._uncertainty.sample import ranked_sample

HIGH = IntervalInputs(
    score=0.8, df=5.0, n_positives=50.0, negatives=Negatives(loss=0.2)
)


def test_the_lower_end_starts_lower_by_what_is_missing_or_by_a_known_bias():
    """If few rows carry the variance, up to half of a negative is missing. If negatives
    are heavy, a whole one is missing, except for the share of one positive.
    """
    assert shift_of(HIGH) == pytest.approx(0.1 * (1 - np.sqrt(5 / 49)))
    assert shift_of(HIGH._replace(negatives=Negatives())) == 0
    heavy = HIGH._replace(negatives=Negatives(loss=0.2, outweighed=10.0))
    assert shift_of(heavy) == pytest.approx(0.18)
    for bias, shift in ((0.02, 2 * 0.02), (0.7, 0.8 / 2)):
        assert shift_of(heavy._replace(known_bias=bias)) == pytest.approx(shift)


def test_a_mean_has_as_many_degrees_of_freedom_as_units():
    """Also if few of the units carry most of the variance."""
    of_mean = Influences(
        np.append(np.ones(99), 9.0), inputs=IntervalInputs(is_mean=True)
    )
    assert of_mean.spread(20.0, 0.0).df == 19


def test_the_upper_end_allows_for_a_positive_at_the_top_near_chance():
    """`test_estimates.py` tests by how much. A mean over units is not raised."""
    inputs = IntervalInputs(
        score=0.06,
        standard_error=0.01,
        df=59.0,
        n_positives=60.0,
        n_units=1_500,
        share=0.04,
    )
    high = endpoints_of(inputs, 0.95)[1]
    assert endpoints_of(inputs._replace(share=0.5, prevalence=0.04), 0.95)[1] == high
    for other in (inputs._replace(share=None), inputs._replace(is_mean=True)):
        assert endpoints_of(other, 0.95)[1] < high


def test_an_area_without_slopes_has_no_interval():
    """Such an area was treated as step AP at a cut."""
    call = read_call(average_precision_score, [1, 0, 1], [3, 2, 1], {})
    area = replace(call.definition.area, slopes=None)
    other = replace(call, definition=replace(call.definition, area=area))
    with pytest.raises(ValueError, match="has no interval"):
        ranked_sample(other, None, 0)
