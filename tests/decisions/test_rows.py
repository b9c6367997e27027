"""Rows of inputs, one call per line, with its number by hand or from scipy, or with the
error that its argument has. The positives `y` are 1 of 1, 2 of 3 and 3 of 4 rows from
the top, so a threshold that is one row too high or too low has other numbers.
"""

import re

import numpy as np
import pytest
from scipy.stats import binomtest

import sklearn_ap

NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {"np": np, "inf": np.inf, "nan": np.nan, "point": sklearn_ap.operating_point}
NAMES |= {"y": [1, 0, 1, 1, 0], "s": [5, 4, 3, 2, 1], "w": [1, 2, 3, 1, 2]}
NAMES |= {"two": [2] * 5, "days": [*"aabbb"], "budget": sklearn_ap.budget_totals}


def wilson(n_hits, n):
    return binomtest(n_hits, n).proportion_ci(0.95, "wilson")


def interval(call, number):
    return eval(call, NAMES).confidence_interval(number=number)


def harmonic(low, high):
    """Return the endpoints of the share of F1 that are those of TP / (TP + FP + FN)."""
    return low / (2 - low), high / (2 - high)


NAMES |= {"wilson": wilson, "interval": interval, "harmonic": harmonic}
LIGHT = "point([1, 0, 0, 0, 1], [5, 4, 1, 0, -1], threshold=2, sample_weight=[1e12, 1e-6, 3e-6, 1e-6, 1e12])"
SUMS = "budget(y, s, k=1, query_id=days, amount=[9, 4, 2, 5, 7], sample_weight=w)"
# A call and its number. A whole number is exact.
NUMBERS = [
    # a level that is reached exactly, and one just above it
    ("point(y, s, recall=1 / 3).threshold", 5),
    ("point(y, s, recall=2 / 3).threshold", 2),
    ("point(y, s, precision=1).threshold", 5),
    ("point(y, s, precision=0.75).threshold", 2),
    ("point(y, s, precision=0.76).threshold", 5),
    ("point(y, s, specificity=0.5).threshold", 2),
    ("point(y, s, specificity=0.51).threshold", 5),
    ("point(y, s, specificity=0).threshold", 2),
    ("point([1, 1], [2, 1], specificity=1).threshold", 1),
    ("point([0, 1], [2, 1], specificity=1).threshold", "inf"),
    ("point(y, s, specificity=0.5, sample_weight=w).threshold", 2),
    ("point(y, s, recall=0.2, n_positives=5).threshold", 5),
    ("point(y, s, recall=0.6, n_positives=5).threshold", 2),
    # of equal precisions or recalls, more recall, then fewer rows
    ("point([1, 1, 1, 0, 0, 0], [0, 3, 2, 5, 1, 4], recall=0.5, prevalence=0.7).recall", 1),
    # budgets: k rows or a share of them, and false alarms
    ("point(y, s, k=3).threshold", 3),
    ("point(y, s, k=0.7).threshold", 2),
    ("point(y, s, k=0.01).threshold", 5),
    ("point(y, s, k=99).n_retrieved", 5),
    ("point([1, 0, 1], [2, 1, 1], k=2).n_retrieved", 1),
    ("point([1, 0, 1], [2, 2, 1], k=1).threshold", "inf"),
    ("point(y, s, k=3, sample_weight=w).threshold", 3),
    ("point(y, s, false_alarms=0).threshold", 5),
    ("point(y, s, false_alarms=1).threshold", 2),
    ("point(y, s, false_alarms=2.0).n_retrieved", 4),
    ("point(y, s, false_alarms=1, sample_weight=w).threshold", 2),
    ("point([0, 1], [2, 1], false_alarms=0).threshold", "inf"),
    # F-beta and costs
    ("point(y, s, beta=0).threshold", 5),
    ("point(y, s, beta=1).threshold", 2),
    ("point(y, s, beta=inf).threshold", 2),
    ("point(y, s, miss_cost=0.1).threshold", 5),
    ("point(y, s, miss_cost=1).threshold", 2),
    ("point([0, 1], [2, 1], miss_cost=1).threshold", 1),
    ("point([0, 1], [2, 1], miss_cost=0.9).threshold", "inf"),
    # the numbers of a threshold
    ("point(y, s, threshold=3).precision", "2 / 3"),
    ("point(y, s, threshold=3).recall", "2 / 3"),
    ("point(y, s, threshold=3).specificity", "1 / 2"),
    ("point(y, s, threshold=3).negative_predictive_value", "1 / 2"),
    ("point(y, s, threshold=3).share_retrieved", "3 / 5"),
    ("point(y, s, threshold=3.5).false_alarms", 1),
    ("point(y, s, threshold=4).f_score()", "2 / 5"),
    ("point(y, s, threshold=4).f_score(2)", "5 / 14"),
    ("point(y, s, threshold=4).f_score(0)", "1 / 2"),
    ("point(y, s, threshold=4).f_score(inf)", "1 / 3"),
    ("point(y, s, threshold=4).f_score(1e200)", "1 / 3"),
    ("point(y, s, threshold=9).f_score()", 0),
    ("point(y, s, threshold=inf).n_retrieved", 0),
    ("str(point([1, 0], [-0.0, -1.0], recall=1).threshold)", "'0.0'"),
    ("point(y, s, threshold=9).precision", "nan"),
    ("point(y, s, threshold=-inf).negative_predictive_value", "nan"),
    ("point([1, 1], [2, 1], threshold=2).specificity", "nan"),
    ("point([0, 0, 0], [3, 2, 1], threshold=2).recall", 0),
    ("point([0, 0, 0], [3, 2, 1], threshold=2, prevalence=0.1).precision", 0),
    ("point(y, s, threshold=3, sample_weight=w).precision", "4 / 6"),
    ("point(y, s, threshold=3, sample_weight=w).recall", "4 / 5"),
    ("point(y, s, threshold=3, sample_weight=w).negative_predictive_value", "2 / 3"),
    ("point(y, s, threshold=3, sample_weight=w).weight_found", 4),
    ("point(y, s, threshold=3, sample_weight=w).weight_retrieved", 6),
    ("point(y, s, threshold=3, sample_weight=w).share_of_weight_retrieved", "6 / 9"),
    ("point(y, s, threshold=3, sample_weight=w).share_retrieved", "3 / 5"),
    ("point(y, s, threshold=3, n_positives=6).recall", "2 / 6"),
    ("point(y, s, threshold=3, n_positives=6).negative_predictive_value", "1 / 5"),
    ("point(y, s, threshold=3, n_positives=6).f_score()", "4 / 9"),
    ("point(y, s, threshold=3, n_positives=12, sample_weight=two).recall", "4 / 12"),
    ("point(y, s, threshold=3, n_positives=10, sample_weight=w).recall", "4 / 10"),
    ("point(y, s, threshold=3, prevalence=0.5).precision", "4 / 7"),
    ("point(y, s, threshold=3, prevalence=0.5).share_retrieved", "3.5 / 6"),
    ("point(y, s, threshold=3, prevalence=0.5).negative_predictive_value", "0.6"),
    ("point([1, 1, 1, 0], [1] * 4, threshold=1, sample_weight=[3, 3, 3, 1], n_positives=9.5).recall == 9 / 9.5", 1),
    (f"{LIGHT}.specificity", "0.8"),
    (f"{LIGHT}.negative_predictive_value", "4e-6 / (1e12 + 4e-6)"),
    ("point([0, 0, 0], [3, 2, 1], recall=0).f_score()", 0),
    ("point([0, 0], [2, 1], k=1, n_positives=3).precision", 0),
    ("point(y, s, k=2, sample_weight=w, n_positives=90, prevalence=0.1).weight_retrieved", 3),
    ("point(y, s, k=2, sample_weight=w, prevalence=0.1).share_of_weight_retrieved", "1 / 3"),
    # sentences
    ("'scores of 0.1234 or more have' in str(point([1, 1], [0.123456789, 0.9], recall=1))", 1),
    ("'a cost of inf false' in str(point(y, s, miss_cost=1e300, n_positives=1e300))", 1),
    ("'undefined' in str(point(y, s, threshold=9))", 1),
    ("'undefined' in str(point(y, s, threshold=5))", 0),
    ("'share of these rows' in str(point(y, s, threshold=5))", 1),
    ("'share of these rows' in str(point(y, s, threshold=5, prevalence=0.1))", 0),
    # intervals
    # Rounding would add or subtract a bit.
    ("interval('point([1] * 11, range(11), threshold=0)', 'recall')[1]", 1),
    ("interval('point([1] * 25, range(25), threshold=0)', 'recall')[1]", 1),
    ("interval('point([1] * 11, range(11), threshold=11)', 'recall')[0]", 0),
    ("interval('point([1] * 25, range(25), threshold=25)', 'recall')[0]", 0),
    ("interval('point(y, s, threshold=3)', 'recall')", "wilson(2, 3)"),
    ("interval('point(y, s, threshold=4)', 'precision')", "wilson(1, 2)"),
    ("interval('point(y, s, threshold=2, n_positives=4)', 'recall')", "wilson(3, 4)"),
    ("interval('point(y, s, threshold=2, n_positives=4)', 'share_retrieved')", "wilson(4, 5)"),
    ("interval('point(y, s, threshold=2, sample_weight=two)', 'recall')", "wilson(3, 3)"),
    ("interval('point(y, s, threshold=3, sample_weight=w)', 'share_retrieved')", "wilson(3, 5)"),
    ("interval('point(y, s, threshold=3, prevalence=0.5)', 'recall')", "wilson(2, 3)"),
    ("interval('point(y, s, threshold=3, unit_id=[0] * 5)', 'recall')", "nan, nan"),
    ("interval('point(y, s, threshold=3, unit_id=range(5))', 'recall')", "wilson(2, 3)"),
    ("interval('point(y, s, threshold=9)', 'precision')", "nan, nan"),
    ("interval('point(y, s, threshold=9)', 'specificity')", "wilson(2, 2)"),
    ("interval('point(y, s, threshold=3)', 'specificity')", "wilson(1, 2)"),
    ("interval('point(y, s, threshold=5)', 'negative_predictive_value')", "wilson(2, 4)"),
    ("harmonic(*interval('point(y, s, threshold=4)', 'f_score'))", "wilson(1, 4)"),
    ("interval('point(y, s, threshold=3, prevalence=0.02)', 'specificity')", "wilson(1, 2)"),
    ("point(y, s, threshold=3, prevalence=0.02).to_dict()['shares']['precision']['low']", "None"),
    # the weights of missed positives are unknown
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99)', 'recall')", "nan, nan"),
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99, prevalence=0.1)', 'recall')", "nan, nan"),
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99)', 'specificity').high > 0", 1),
    ("interval('point([1] * 40, range(40), threshold=0, sample_weight=[1, 2] * 20)', 'precision').low > 0.8", 1),
    # totals of budgets
    ("budget(y, s, k=2).positives_found", 1),
    ("budget(y, s, k=0.5).n_retrieved", 2),
    ("budget([1, 0, 0], [1, 1, 1], k=2).positives_found", "2 / 3"),
    ("budget(y, s, k=1, query_id=days).positives_found", 2),
    ("budget(y, s, k=0.5, query_id=days).n_retrieved", 3),
    ("budget(y, [-1, -2, -3, -4, -5], k=1, query_id=days).positives_found", 2),
    ("budget(y, s, k=9, query_id=days).n_retrieved", 5),
    (f"{SUMS}.weight_found", 4),
    (f"{SUMS}.weight_of_positives", 5),
    (f"{SUMS}.amount_found", 9 + 3 * 2),
    (f"{SUMS}.amount_of_positives", 9 + 3 * 2 + 5),
    (f"{SUMS}.share_of_positives.score", "2 / 3"),
    ("budget(y, s, k=1, query_id=days).lift", "2 / (1 / 2 + 2 / 3)"),
    ("budget([0, 0], [2, 1], k=1).lift", "nan"),
    ("budget([0] * 4, s[:4], k=1, query_id=[0, 0, 1, 1]).share_of_positives.n_effective", 0),
    ("budget([1, 0] * 2, s[:4], k=1, query_id=[0, 0, 1, 1], sample_weight=[1, 1, 0, 0]).lift", 2),
    ("budget(y, s, k=2).by_query['query'].tolist()", "[0]"),
    ("budget(y, s, k=2).to_dict() == budget(y, s, k=2, query_id=[0] * 5).to_dict()", 1),
    ("str(budget(y, s, k=2, sample_weight=w))", "'2 rows find 1 of 3 positives; sample_weight found: 1 of 5.'"),
    ("str(budget(y, s, k=0.5))", "'50 % of the rows (2 of 5 rows) find 1 of 3 positives.'"),
    # one more positive of a day that is not found, or that is: 2 of 4 and 3 of 4
    ("budget(y, s, k=1, query_id=days).share_of_positives._changes[0]", "2 / 3 - 2 / 4"),
    ("budget(y, s, k=1, query_id=days).share_of_positives._changes[1]", "3 / 4 - 2 / 3"),
]  # fmt: skip
ONE = "exactly one of recall, precision"
# A call, the beginning of its error, and words at the end.
ERRORS = [
    ("point(y, s)", ONE, "got none."),
    ("point(y, s, recall=1, k=2)", ONE, "'recall': 1, 'k': 2}."),
    ("point(y, s, recall=1, unit_id=s)", "unit_id requires threshold", "recall=1.0."),
    ("point(y, s, threshold=1, unit_id=s, n_positives=9)", "n_positives must be omitted", "9."),
    ("point([0, 1], [2, 1], precision=0.6)", "precision must be at most 0.5,", "got 0.6."),
    ("point(y, s, recall=0.8, n_positives=4)", "recall must be at most 0.75,", "got 0.8."),
    ("point(y, s, recall=1.5)", "recall must be a number in [0, 1]", "got 1.5."),
    ("point(y, s, k=0)", "k must be", "got 0."),
    ("point(y, s, false_alarms=-1)", "false_alarms must be a whole number >= 0", "-1."),
    ("point(y, s, false_alarms=1.5)", "false_alarms must be a whole number >= 0", "1.5."),
    ("point(y, s, miss_cost=0)", "miss_cost must be a finite number above 0", "got 0."),
    ("point(y, s, miss_cost=inf)", "miss_cost must be a finite number above 0", "inf."),
    ("point(y, s, beta=10**400)", "beta must be a number >= 0; got 1000", "000."),
    ("point(y, s, beta=-1)", "beta must be a number >= 0", "-1."),
    ("point(y, s, threshold=nan)", "threshold must be a number", "nan."),
    ("point(y, s, threshold='1')", "threshold must be a number", "'1'."),
    ("interval('point(y, s, threshold=1, prevalence=0.5)', 'precision')", "number must", "'precision'."),
    ("budget(y, s, k=1, amount=[1, 2])", "amount must contain one number for each", "got 2."),
    ("point(y, s, k=1, pos_label=7)", "pos_label=7 is not a valid label", ""),
    ("point(y, s, threshold=-(10**400))", "threshold must be a number; got -1000", ""),
    ("point(y, s, false_alarms=inf)", "false_alarms must be a whole number >= 0", "inf."),
    ("point(y, s, threshold=1, n_positives=1)", "n_positives must not be below", ""),
    ("point([[1, 0], [0, 1]], [[2, 1], [1, 2]], recall=0.5)", "multilabel-indicator format is not", ""),
    ("interval('point(y, s, recall=0.5)', 'recall')", "recall has no interval", ""),
    ("interval('point(y, s, threshold=3)', 'f1')", "number must be", "got 'f1'."),
    ("point(y, s, threshold=3).f_score(-1)", "beta must be a number >= 0", "-1."),
    ("budget(y, s, k=None)", "k must be an integer", "got None."),
    ("budget(y, s, k={1: 1})", "k must be", "one k per call."),
    ("budget(y, s, k=1, amount=[1, -5, 2, 1, 1])", "amount must not be negative; got -5.0 in row 1", ""),
    ("budget(y, s, k=1, amount=[1, nan, 2, 1, 1])", "Input amount contains NaN", ""),
    ("budget(y, s, k=1, amount=[[1], [2, 3], [4], [5], [6]])", "amount must contain one number per row", ""),
    ("budget(y, s, k=1, amount=np.ma.array(s, mask=y))", "amount", ""),
    ("budget(y, s, k=1, amount=5)", "amount must contain one number per row; got 5", ""),
    ("budget(y, s, k=1, amount=[1j] * 5)", "amount must contain real numbers; got complex", ""),
    ("budget(y, s, k=1, amount=[1, 2, 1, 1, 1e200])", "amount must be 0 or", "1e+200"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    found = eval(call, NAMES)
    if isinstance(expected, int):
        assert found == expected
        return
    number = eval(expected, NAMES)
    if isinstance(number, str | list | None):
        assert found == number
        return
    number = np.array(number)
    assert np.array(found) == pytest.approx(number, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(("call", "start", "end"), ERRORS)
def test_a_call_raises_its_error(call, start, end):
    with pytest.raises(ValueError, match=f"^{re.escape(start)}") as caught:
        eval(call, NAMES)
    assert end in str(caught.value)
