"""How facts of a sample make the ends of an interval."""

import numpy as np
import pytest

from docs.scripts.rules import PAGE, page
from sklearn_ap._uncertainty._ends import Facts, df_below_of, df_of, ends_of, shift_of


def test_the_page_has_the_reasons_of_the_code():
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(), "stale; write it anew: python docs/scripts/rules.py"


def test_each_shift_is_of_the_score_that_others_leave():
    facts = Facts(score=0.8, df=5.0, n_positives=50.0, noise=0.01, loss=0.2)
    lost = 0.2 * (1 - np.sqrt(5 / 49))
    assert shift_of(facts) == pytest.approx(0.01 + lost * (1 - 0.01 / 0.8))
    heavy = facts._replace(outweighed=10.0)
    assert shift_of(heavy) == pytest.approx(0.01 + 0.18 * (1 - 0.01 / 0.8))
    mean = facts._replace(known_bias=0.02)
    assert shift_of(mean) == pytest.approx(2 * 0.02 + 0.01)
    assert shift_of(mean._replace(known_bias=0.7)) == pytest.approx(0.8 / 2)


def test_the_lower_end_mixes_two_numbers_of_degrees_of_freedom():
    """T parts of those of positives or heavy negatives, and 1 - T of the spread's."""
    facts = Facts(score=0.8, df=5.0, n_positives=50.0, loss=0.2, df_of_negatives=30.0)
    assert df_below_of(facts) == pytest.approx(1 / (0.8 / 30 + 0.2 / 5))
    few = facts._replace(n_positives=11.0)
    assert df_below_of(few) == pytest.approx(1 / (0.8 / 10 + 0.2 / 5))
    assert df_below_of(facts._replace(df_of_negatives=2.0)) == pytest.approx(5)
    assert df_below_of(facts._replace(loss=0.0)) == 5


def test_degrees_of_freedom_are_the_fewest():
    facts = Facts(n_positives=20.0, n_units=100.0, second=1.0, fourth=0.11)
    assert df_of(facts) == 19
    assert df_of(facts._replace(fourth=0.51)) == pytest.approx(4)
    assert df_of(facts._replace(df_of_negatives=3.0)) == 3
    assert df_of(facts._replace(fourth=0.51, of_mean=True)) == 19
    assert np.isnan(df_of(facts._replace(n_positives=1.0)))


def test_facts_that_say_nothing_have_no_interval():
    assert np.isnan(ends_of(Facts(level=0.95))).all()
