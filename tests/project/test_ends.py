"""How facts of a sample make the ends of an interval."""

import numpy as np
import pytest

from sklearn_ap._uncertainty.ends import Facts, df_of, df_of_ends, ends_of, shift_of


def test_the_lower_end_starts_lower_by_what_is_missing_or_by_a_known_bias():
    facts = Facts(score=0.8, df=5.0, n_positives=50.0, loss=0.2)
    assert shift_of(facts) == pytest.approx(0.2 * (1 - np.sqrt(5 / 49)))
    assert shift_of(facts._replace(outweighed=10.0)) == pytest.approx(0.18)
    mean = facts._replace(known_bias=0.02)
    assert shift_of(mean) == pytest.approx(2 * 0.02)
    assert shift_of(mean._replace(known_bias=0.7)) == pytest.approx(0.8 / 2)


def test_an_interval_mixes_two_numbers_of_degrees_of_freedom():
    """T parts of those of positives, and 1 - T of the spread's."""
    facts = Facts(score=0.8, df=5.0, n_positives=50.0, loss=0.2)
    assert df_of_ends(facts) == pytest.approx(1 / (0.8 / 49 + 0.2 / 5))
    assert df_of_ends(facts._replace(loss=0.0)) == 5


def test_degrees_of_freedom_are_the_fewest():
    facts = Facts(n_positives=20.0, n_units=100.0, second=1.0, fourth=0.11)
    assert df_of(facts) == 19
    assert df_of(facts._replace(fourth=0.51)) == pytest.approx(4)
    assert df_of(facts._replace(fourth=0.51, of_mean=True)) == 19
    assert np.isnan(df_of(facts._replace(n_positives=1.0)))


def test_facts_that_say_nothing_have_no_interval():
    assert np.isnan(ends_of(Facts(level=0.95))).all()


def test_the_upper_end_allows_for_a_positive_at_the_top_near_chance():
    """`test_estimates.py` says how far; a mean, and a score of no sample, have none."""
    facts = Facts(
        level=0.95,
        score=0.06,
        standard_error=0.01,
        df=59.0,
        n_positives=60.0,
        n_units=1_500,
        share=0.04,
    )
    high = ends_of(facts)[1]
    assert ends_of(facts._replace(share=0.5, prevalence=0.04))[1] == high
    for other in (facts._replace(share=np.nan), facts._replace(of_mean=True)):
        assert ends_of(other)[1] < high
