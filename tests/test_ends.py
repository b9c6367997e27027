"""The table of rules that make the ends of an interval: each is needed, and has its
evidence on a page.
"""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import tally
from benchmarks.rules import NEEDS
from sklearn_ap._uncertainty._ends import (
    RULES,
    Facts,
    df_of,
    ends_of,
    numbers,
    shift_of,
)

PAGE = Path(__file__).parents[1] / "docs" / "intervals.md"
KINDS = {name: kind for kind, rules in RULES.items() for name in rules}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few positives


def is_kept(need, samples=100):
    counts = tally(need.setting, samples)
    low, high = counts.ends[:, 0].T
    value = need.setting.target()
    covered = np.mean((low <= value) & (value <= high))  # NaN covers nothing
    return covered >= need.covers and np.nanmean(high - low) <= need.width


@pytest.mark.parametrize("name", NEEDS)
def test_each_rule_is_needed_in_a_setting_of_its_own(name, monkeypatch):
    assert is_kept(NEEDS[name])
    monkeypatch.delitem(RULES[KINDS[name]], name)
    assert not is_kept(NEEDS[name])


def test_all_rules_are_tested_and_have_their_evidence_on_the_page():
    assert NEEDS.keys() == KINDS.keys()
    text = PAGE.read_text(encoding="utf-8")
    for rules in RULES.values():
        for rule in rules.values():
            assert f"({rule.page})=" in text
            assert rule.why


# --- how numbers are put together -----------------------------------------------------


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
    [df] = numbers("df below", facts)
    assert df == pytest.approx(1 / (0.8 / 30 + 0.2 / 5))
    [df] = numbers("df below", facts._replace(n_positives=11.0))
    assert df == pytest.approx(1 / (0.8 / 10 + 0.2 / 5))
    assert numbers("df below", facts._replace(df_of_negatives=2.0)) == [
        pytest.approx(5)
    ]


def test_degrees_of_freedom_are_the_fewest():
    facts = Facts(n_positives=20.0, n_units=100.0, second=1.0, fourth=0.11)
    assert df_of(facts) == 19
    assert df_of(facts._replace(fourth=0.51)) == pytest.approx(4)
    assert df_of(facts._replace(df_of_negatives=3.0)) == 3
    assert df_of(facts._replace(fourth=0.51, of_mean=True)) == 19
    assert np.isnan(df_of(facts._replace(n_positives=1.0)))


def test_facts_that_say_nothing_have_no_interval():
    assert np.isnan(ends_of(Facts(level=0.95))).all()
