"""Numbers that are printed together do not contradict each other."""

import re
from decimal import Decimal
from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from sklearn_ap import ScoreComparison
from sklearn_ap._uncertainty.intervals.comparisons import adjusted_by_bonferroni

SCORES = st.one_of(
    st.floats(0, 1),
    st.integers(0, 1000).map(lambda n: n / 1000),
    st.integers(0, 20_000).map(lambda n: n / 1e6),
)
ERRORS = st.one_of(st.just(0.0), st.floats(1e-6, 0.3))


def compared(first, second, error):
    """Return the comparison of two scores whose difference has a normal distribution."""
    difference = first - second
    statistic = difference / (error or 1)
    return ScoreComparison(
        difference=difference,
        scores=(first, second),
        standard_error=error,
        statistic=statistic,
        df=float("inf"),
        pvalue=2 * norm.sf(abs(statistic)),
    )


def check(first, second, difference):
    """Assert that the third text may be the rounded difference of the other two."""
    unit_of_scores, unit = (
        Decimal(1).scaleb(Decimal(text).as_tuple().exponent)
        for text in (first, difference)
    )
    gap = abs(Decimal(first) - Decimal(second) - Decimal(difference))
    # A difference below the last decimal of the scores has one significant digit.
    is_tiny = 0 < abs(Decimal(difference)) < unit_of_scores
    assert gap <= (unit_of_scores if is_tiny else unit / 2)


@given(SCORES, SCORES, ERRORS)
@example(0.646, 0.5049, 0.1)
@example(0.02, 0.0195, 0.004)
@example(7 / 12, 0.5, 0.0)
def test_two_scores_do_not_contradict_their_difference(first, second, error):
    text = str(compared(first, second, error))
    check(*re.match(r"(\S+) against (\S+), difference ([^, ]+)", text).groups())


@given(st.lists(SCORES, min_size=2, max_size=4), ERRORS)
@example([0.646, 0.5049, 0.4996], 0.1)
@example([0.6449, 0.5, 0.02], 0.2)
def test_a_column_has_one_number_of_decimals(scores, error):
    models = dict(zip("abcd", scores, strict=False))
    many = adjusted_by_bonferroni(
        {
            pair: compared(models[pair[0]], models[pair[1]], error * (1 + i))
            for i, pair in enumerate(combinations(models, 2))
        }
    )
    rows = [re.split("  +", line)[1:] for line in str(many).splitlines()[2:]]
    columns = zip(*rows, strict=True)
    first, second, difference, interval, _ = map(list, columns)
    for row in zip(first, second, difference, strict=True):
        check(*row)
    assert len({len(text.partition(".")[2]) for text in first + second}) == 1
    ends = [end for text in interval for end in text.split(" to ")]
    # A number that is rounded to 0 has one significant digit, or is in words.
    decimals = {
        len(text.partition(".")[2])
        for text in difference + ends
        if "e" not in text and "excluded" not in text and len(text.strip("-0.")) != 1
    }
    assert len(decimals) <= 1
