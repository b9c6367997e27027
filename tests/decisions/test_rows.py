"""Rows of inputs, one call per line, with its number by hand or from scipy, or with the
error that its argument has. The positives `y` are 1 of 1, 2 of 3 and 3 of 4 rows from
the top, so a threshold that is one row too high or too low has other numbers.
"""

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn import config_context

import sklearn_ap
from few_positives import may_warn_of_few_positives
from refusals import assert_raises, each_row, warning_of

# Names of this folder and of those below it, since others may be taken away.
NAMES = {
    name: getattr(sklearn_ap, name)
    for name, module in sklearn_ap._MODULE_OF.items()
    if module.startswith(("._core", "._uncertainty", "._decisions"))
}
NAMES |= {
    "np": np,
    "pd": pd,
    "inf": np.inf,
    "nan": np.nan,
    "point": sklearn_ap.operating_point,
}
NAMES |= {"y": [1, 0, 1, 1, 0], "s": [5, 4, 3, 2, 1], "w": [1, 2, 3, 1, 2]}
NAMES |= {
    "binomtest": binomtest,
    "two": [2] * 5,
    "days": [*"aabbb"],
    "budget": sklearn_ap.budget_totals,
}


def wilson(n_hits, n):
    return binomtest(n_hits, n).proportion_ci(0.95, "wilson")


def interval(call, number):
    return eval(call, NAMES).confidence_interval(number=number)


def table(call):
    """Return each share of a threshold with its endpoints."""
    shares = eval(call, NAMES)._shares().values()
    return np.array([[*share.values()] for share in shares])


def recall_of_growing_weights(scale):
    """Return the interval of a threshold whose weights grow down the ranking."""
    rows = np.arange(40)
    score = scale * (rows / 57 + 1)
    weight = np.where(rows > 19, 1, 8) + rows % 7
    point = sklearn_ap.operating_point(
        rows % 4 == 0, score, threshold=1.5 * scale, sample_weight=weight
    )
    return point.confidence_interval(number="recall")


def infinite(call):
    """Return the value of a call in which scores may be infinite."""
    with config_context(assume_finite=True):
        return eval(call, NAMES)


def harmonic(low, high):
    """Return the endpoints of the share of F1 that are those of TP / (TP + FP + FN)."""
    return low / (2 - low), high / (2 - high)


NAMES |= {"wilson": wilson, "interval": interval, "harmonic": harmonic, "table": table}
NAMES["recall_of_growing_weights"] = recall_of_growing_weights
NAMES |= {
    "warned": partial(warning_of, names=NAMES),
    "infinite": infinite,
    "json": json,
    "Fraction": Fraction,
}
# The positives, and the same rows in another order.
NAMES |= {
    "rows": pd.Series([1, 0, 1, 1, 0], [*"abcde"]),
    "back": pd.Series([5, 4, 3, 2, 1], [*"edcba"]),
}
LIGHT = "point([1, 0, 0, 0, 1], [5, 4, 1, 0, -1], threshold=2, sample_weight=[1e12, 1e-6, 3e-6, 1e-6, 1e12])"
SUMS = "budget(y, s, k=1, query_id=days, amount=[9, 4, 2, 5, 7], sample_weight=w)"
HEAVY = "sample_weight=[1, 1, 3, 1, 9]"
SIX = "budget([1, 0, 1, 0, 0, 1], [6] + s, k=1, query_id=[1, 1, 2, 2, 3, 3], amount=[3, 5, 1, 5, 5, 2])"
OF_TWO_UNITS = "point([1, 0, 0, 0], [1] * 4, threshold=1, unit_id=[1, 2, 2, 2]"
FOUR = "4 rows with scores of 2 or more have"
NONE = "no row is retrieved, since a threshold must be above all scores: it has"
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
    # Three positives of weight 3 are 9 of 14, but 14 / 3 is rounded.
    ("point([1, 0, 1, 0, 1, 0, 1], range(7, 0, -1), recall=9 / 14, n_positives=14, sample_weight=[3] * 7).threshold", 3),
    # of equal precisions or recalls, more recall, then fewer rows
    ("point([1, 1, 1, 0, 0, 0], [0, 3, 2, 5, 1, 4], recall=0.5, prevalence=0.7).recall", 1),
    # budgets: k rows or a share of them, and false alarms
    ("point(y, s, k=3).threshold", 3),
    ("point(y, s, k=0.7).threshold", 2),
    ("point(y, s, k=0.01).threshold", 5),
    ("point(y, s, k=0.5, sample_weight=[0, 0, 0, 1, 1]).n_retrieved", 1),
    ("point(y, s, k=99).n_retrieved", 5),
    ("point([1, 0, 1], [2, 1, 1], k=2).n_retrieved", 1),
    ("point([1, 0, 1], [2, 2, 1], k=1).threshold", "inf"),
    ("point(y, s, k=3, sample_weight=w).threshold", 3),
    ("point(y, s, false_alarms=0).threshold", 5),
    ("point(y, s, false_alarms=1).threshold", 2),
    ("point(y, s, false_alarms=2.0).n_retrieved", 4),
    ("point(y, s, false_alarms=1, sample_weight=w).threshold", 2),
    ("point([0, 1], [2, 1], false_alarms=0).threshold", "inf"),
    # half of an alarm per hour of 10.3 hours; 0.29 * 100 and 1 / 49 * 49 are floats below 29 and 1
    ("point([0] * 5 + [1, 0, 1], range(8, 0, -1), false_alarms=0.5 * 10.3).threshold", 3),
    ("point([0] * 28 + [1, 0, 1], range(31, 0, -1), false_alarms=0.29 * 100).threshold", 1),
    ("point(y, s, false_alarms=1 / 49 * 49).threshold", 2),
    ("point(y, s, false_alarms=np.float32(1.9)).threshold", 2),
    ("point(y, s, false_alarms=Fraction(3, 2)).threshold", 2),
    # F-beta and costs
    ("point(y, s, beta=0).threshold", 5),
    ("point(y, s, beta=1).threshold", 2),
    ("point(y, s, beta=inf).threshold", 2),
    ("point(y, s, miss_cost=0.1).threshold", 5),
    ("point(y, s, miss_cost=1).threshold", 2),
    ("point([0, 1], [2, 1], miss_cost=1).threshold", 1),
    ("point([0, 1], [2, 1], miss_cost=0.9).threshold", "inf"),
    # the numbers of a threshold
    ("point(y, s, threshold=4).f_score()", "2 / 5"),
    ("point(y, s, threshold=4).f_score(2)", "5 / 14"),
    ("point(y, s, threshold=4).f_score(0)", "1 / 2"),
    ("point(y, s, threshold=4).f_score(inf)", "1 / 3"),
    ("point(y, s, threshold=4).f_score(1e200)", "1 / 3"),
    ("point(y, s, threshold=9).f_score()", 0),
    ("str(point([1, 0], [-0.0, -1.0], recall=1).threshold)", "'0.0'"),
    ("point([0, 0, 0], [3, 2, 1], threshold=2, prevalence=0.1).precision", 0),
    # The type of the scores does not represent 0.1, nor 1e6.
    ("[point(y, s, threshold=0.1).n_retrieved for s in (np.float16([0.1, 0.2, 0.3, 0, 0]), np.float32([0.1, 0.2, 0.3, 0, 0]))]", "[3, 3]"),
    ("point(y, np.float16(s), threshold=1e6).n_retrieved", 0),
    # Equal weights are numbers of rows, and a row of weight 0 is dropped.
    ("interval('point(y, s, unit_id=days, threshold=2, sample_weight=[2] * 5, n_positives=dict(a=4, b=6))', 'recall')", "interval('point(y, s, unit_id=days, threshold=2, n_positives=dict(a=2, b=3))', 'recall')"),
    ("interval('point(y, s, unit_id=days, threshold=2, sample_weight=[1, 0, 1, 1, 1], n_positives=dict(a=2, b=3))', 'recall')", "interval('point([1, 1, 1, 0], [5, 3, 2, 1], unit_id=[*\"abbb\"], threshold=2, n_positives=dict(a=2, b=3))', 'recall')"),
    ("point(y, s, unit_id=days, threshold=3, sample_weight=[2] * 5, n_positives=dict(a=4, b=6)).recall", "2 / 5"),
    ("point(y, s, unit_id=days, threshold=3, sample_weight=[2] * 5, n_positives=dict(a=4, b=6)).weight_found", 4),
    ("point(y, s, threshold=3, n_positives=6).f_score()", "4 / 9"),
    ("point(y, s, threshold=3, prevalence=0.5).precision", "4 / 7"),
    ("point(y, s, threshold=3, prevalence=0.5).share_retrieved", "3.5 / 6"),
    ("point(y, s, threshold=3, prevalence=0.5).negative_predictive_value", "0.6"),
    ("point([1, 1, 1, 0], [1] * 4, threshold=1, sample_weight=[3, 3, 3, 1], n_positives=9.5).recall == 9 / 9.5", 1),
    (f"{LIGHT}.specificity", "0.8"),
    (f"{LIGHT}.negative_predictive_value", "4e-6 / (1e12 + 4e-6)"),
    ("point([0, 0, 0], [3, 2, 1], recall=0).f_score()", 0),
    ("point([0, 0], [2, 1], k=1, n_positives=3).precision", 0),
    ("point([0, 0], [2, 1], k=1, n_positives=3).recall", 0),
    ("point([0, 0], [2, 1], k=1, n_positives=3, sample_weight=two[:2]).negative_predictive_value", "1 / 2.5"),
    ("point([0, 0, 0], [3, 2, 1], threshold=4).f_score()", 0),
    ("point(y, s, threshold=3).f_score(0)", "2 / 3"),
    ("point(y, s, threshold=2).f_score(inf)", 1),
    ("point(y, s, threshold=2).f_score(1e200)", 1),
    ("point(y, s, threshold=2).f_score(2)", "5 * 0.75 / (4 * 0.75 + 1)"),
    ("point(y, s, k=2, sample_weight=w, n_positives=90, prevalence=0.1).weight_retrieved", 3),
    ("point(y, s, k=2, sample_weight=w, prevalence=0.1).share_of_weight_retrieved", "1 / 3"),
    # sentences
    ("str(point(y, s, false_alarms=1))", f"'{FOUR} 1 false alarm, precision 0.75 and recall 1.00.'"),
    ("'have 1,000 false alarms, ' in str(point([0] * 1000 + [1], range(1001, 0, -1), false_alarms=1000))", 1),
    ("str(point([0, 0, 1], [3, 2, 1], false_alarms=2))[:51]", "'3 rows with scores of 1 or more have 2 false alarms'"),
    ("str(point(y, s, beta=2))", f"'{FOUR} F2 0.938, precision 0.75 and recall 1.00.'"),
    ("str(point(y, s, beta=0.5))", f"'{FOUR} F0.5 0.79, precision 0.75 and recall 1.00.'"),
    ("str(point(y, s, beta=inf))", f"'{FOUR} recall 1.00 and precision 0.75.'"),
    ("str(point(y, s, beta=0))", "'1 row with a score of 5 or more has precision 1.00 and recall 0.33.'"),
    ("str(point(y, s, recall=0.5))", f"'{FOUR} recall 1.00 and precision 0.75.'"),
    ("str(point(y, s, precision=0.5))", f"'{FOUR} precision 0.75 and recall 1.00.'"),
    ("str(point(y, s, specificity=0.5))", f"'{FOUR} specificity 0.50, precision 0.75 and recall 1.00.'"),
    # Three positives and two negatives are 3 and 3 at this prevalence.
    ("str(point(y, s, miss_cost=1, prevalence=0.5))", f"'{FOUR} a cost of 1.5 false alarms, precision 0.67 and recall 1.00 (at a prevalence of 50 %).'"),
    ("str(point(y, s, miss_cost=20, n_positives=4))", f"'{FOUR} a cost of 21 false alarms, precision 0.75 and recall 0.75.'"),
    ("str(point(y, s, recall=1, sample_weight=w, prevalence=1 / 3)).partition(' with')[0]", "'4 rows (sample_weight 7, 77.8 % of all)'"),
    ("str(point(y, s, recall=1, sample_weight=w, prevalence=1 / 3)).partition('0.50')[2]", "' (weighted by sample_weight, at a prevalence of 33.3333 %).'"),
    ("str(point(y, s, k=1, sample_weight=w))[:66]", "'1 row (sample_weight 1, 11.1 % of all) with a score of 5 or more h'"),
    ("str(point(y, s, k=1, n_positives=4))", "'1 row with a score of 5 or more has precision 1.00 and recall 0.25.'"),
    ("str(point([1] * 1200, range(1200), recall=1))[:40]", "'1,200 rows with scores of 0 or more have'"),
    ("str(point([1, 0], [1, 1], false_alarms=0))", f"'{NONE} 0 false alarms, precision undefined and recall 0.00.'"),
    ("str(point([1, 0], np.float16([1, 1]), specificity=1))", f"'{NONE} specificity 1.00, precision undefined and recall 0.00.'"),
    ("str(point([1, 0], [1, 1], k=0.3))", f"'{NONE} precision undefined and recall 0.00.'"),
    ("str(point([1, 0], [1, 1], miss_cost=0.2))", f"'{NONE} a cost of 0.2 false alarms, precision undefined and recall 0.00.'"),
    ("point([1, 0], [1, 1], k=1).specificity", 1),
    ("point([1, 0], [1, 1], k=1).to_dict()['threshold']", "None"),
    # Of so many rows, only the first ones are sorted. The text is compared in float32.
    ("str(point([1, 1] + [0] * 2001, np.float32([0.9, 0.70004, 0.7] + [0.3] * 2000), k=2))[:37]", "'2 rows with scores of 0.70003 or more'"),
    ("str(point(y, s, threshold=inf)).splitlines()[0]", "'0 rows with scores of inf or more have these numbers:'"),
    ("str(point(y, s, threshold=3.0)).splitlines()[0]", "'3 rows with scores of 3 or more have these numbers:'"),
    ("'of 0.30000000000000004 or' in str(point(y, s, threshold=0.1 + 0.2))", 1),
    ("str(point(y, s, threshold=3)).splitlines()[3].split()", "['recall', '0.67', '0.21', 'to', '0.94']"),
    ("str(point(y, s, threshold=3)).splitlines()[5][:27]", "'negative predictive value  '"),
    ("str(point(y, s, threshold=3)).splitlines()[7].split()", "['F1', '0.67', '0.26', 'to', '0.92']"),
    ("str(point(y, s, threshold=3, sample_weight=w)).splitlines()[6][:53]", "'share of these rows retrieved, without weights   0.60'"),
    ("str(point(y, s, threshold=3, sample_weight=w, prevalence=0.5)).splitlines()[6].split()", "['share', 'retrieved', '0.6500', '-']"),
    ("repr(point(y, s, beta=0))[:30]", "'<OperatingPoint: 1 row with a '"),
    # dictionaries, columns and types
    ("[*point(y, s, threshold=3).to_dict()][3:7]", "['threshold', 'precision', 'recall', 'specificity']"),
    ("[*point(y, s, specificity=0.5).to_dict()['shares']][:3]", "['specificity', 'precision', 'recall']"),
    ("[*point(y, s, beta=1).to_dict()['shares']][::5]", "['precision', 'f_score']"),
    ("[*point(y, s, threshold=3).to_dict()['shares']['recall'].values()]", "(2 / 3, *wilson(2, 3))"),
    ("[*point(y, s, recall=1).to_dict()['shares']['recall'].values()]", "[1, None, None]"),
    ("json.dumps(point(np.array(y), np.float32(s), recall=1).to_dict()) == json.dumps(point(y, np.array(s, float), recall=1).to_dict())", 1),
    ("[*point(y, s, recall=1).to_frame()] == [*point(y, s, recall=1).to_dict()][3:-1]", 1),
    ("[*point(y, s, threshold=3).to_frame()][-4:]", "['share_retrieved_high', 'f_score', 'f_score_low', 'f_score_high']"),
    ("point(y, s, threshold=3).to_frame().filter(like='recall').to_numpy()[0]", "table('point(y, s, threshold=3)')[1]"),
    ("str(point([1, 0], [-0.0, -1], recall=1).threshold)", "'0.0'"),
    ("str(point(y, s, threshold=-0.0).threshold)", "'0.0'"),
    ("str(point(y, s, threshold=np.int8(1)).threshold)", "'1'"),
    ("str(point(y, s, threshold=Fraction(3, 2)).threshold)", "'1.5'"),
    ("point([1, 0], np.uint64([2**64 - 1, 2**64 - 2]), k=1).threshold", 2**64 - 1),
    ("point([1, 0], [2**53 + 1, 2**53], threshold=2**53 + 1).n_retrieved", 1),
    ("point([1, 0], np.float32([0.7, 0.6]), threshold=np.float64(0.7)).n_retrieved", 0),
    ("point([1, 0], np.float32([0.7, 0.6]), threshold=0.7).n_retrieved", 1),
    ("type(point(y, s, k=2).n_retrieved) is type(point(y, s, k=2).false_alarms) is int", 1),
    # warnings
    ("'y_true and unit_id' in warned('point(rows, s, threshold=3, unit_id=back)')", 1),
    ("'y_true and amount' in warned('budget(rows, s, k=1, amount=back)')", 1),
    ("warned('point([0], [1], recall=0)')", "'y_true contains no positives, so recall is NaN at every threshold.'"),
    ("'scores of 0.1234 or more have' in str(point([1, 1], [0.123456789, 0.9], recall=1))", 1),
    ("'a cost of inf false' in str(point(y, s, miss_cost=1e300, n_positives=1e300))", 1),
    ("str(point(y, s, threshold=9)).splitlines()[2].split()", "['precision', '-', '-']"),
    ("'undefined' in str(point(y, s, threshold=5))", 0),
    ("'share of these rows' in str(point(y, s, threshold=5))", 1),
    ("'without weights' in str(point(y, s, threshold=5))", 0),
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
    # Rounding makes this unit slightly more than one.
    ("interval('point([1, 0, 1, 0], [4, 3, 2, 1], threshold=2.5, unit_id=[0] * 4, sample_weight=[8.4, 6.3, 5.1, 2.7])', 'f_score')", "nan, nan"),
    ("interval('point(y, s, threshold=3, unit_id=range(5))', 'recall')", "wilson(2, 3)"),
    ("interval('point(y, s, threshold=9)', 'precision')", "nan, nan"),
    ("interval('point(y, s, threshold=9)', 'specificity')", "wilson(2, 2)"),
    ("interval('point(y, s, threshold=3)', 'specificity')", "wilson(1, 2)"),
    ("interval('point(y, s, threshold=5)', 'negative_predictive_value')", "wilson(2, 4)"),
    ("harmonic(*interval('point(y, s, threshold=4)', 'f_score'))", "wilson(1, 4)"),
    ("interval('point(y, s, threshold=3, prevalence=0.02)', 'specificity')", "wilson(1, 2)"),
    ("point(y, s, threshold=3, prevalence=0.02).to_dict()['shares']['precision']['low']", "None"),
    # Without positives, one more event is that of negatives: of a unit, not of a row.
    ("point([0] * 5, s, threshold=0, unit_id=[1, 1, 2, 2, 3]).confidence_interval(number='precision')", "point([0] * 5, s, threshold=0, unit_id=[1, 1, 2, 2, 3]).confidence_interval(number='specificity')"),
    ("point(y, s, threshold=3).confidence_interval(0.5, number='recall')", "binomtest(2, 3).proportion_ci(0.5, 'wilson')"),
    # Nothing depends on the scale of weights, on the order of rows or on ids of units.
    (f"table('point(y, s, threshold=3, {HEAVY})')", f"table('point(y, s, threshold=3, {HEAVY.replace(']', ']) * 1e-3').replace('=[', '=np.array([')})')"),
    (f"table('point(y, s, threshold=3, unit_id=[0, 0, 1, 1, 2], {HEAVY})')", "table('point(y[::-1], s[::-1], threshold=3, unit_id=[*\"abbcc\"], sample_weight=[9, 1, 3, 1, 1])')"),
    ("table('point(y, s, threshold=3, unit_id=[0, 0, 1, 1, 2])')", "table('point(y, s, threshold=3, unit_id=[0, 0, 1, 1, 2], sample_weight=[1e-3] * 5)')"),
    ("interval('point(y, s, threshold=3, prevalence=0.02, unit_id=range(5))', 'recall')", "wilson(2, 3)"),
    # a missed positive is a row of its unit below the threshold, but no row
    *(
        (f"interval('point(y, s, threshold=3, unit_id=days, n_positives=dict(a=3, b=2, c=2))', '{number}')", f"interval('point(y + [1] * 4, s + [0] * 4, threshold=3, unit_id=[*\"aabbbaacc\"])', '{number}')")
        for number in ("recall", "precision", "negative_predictive_value", "f_score", "specificity")
    ),
    ("interval('point(y, s, threshold=3, unit_id=days, n_positives=dict(a=3, b=2, c=2))', 'share_retrieved')", "interval('point(y, s, threshold=3, unit_id=days)', 'share_retrieved')"),
    # Many missed positives of a unit take no memory.
    ("point(y, s, threshold=3, unit_id=days, n_positives=dict(a=1, b=10**13)).recall", "2 / (1 + 10**13)"),
    ("interval('point(y, s, threshold=3, unit_id=range(5), n_positives={0: 1, 2: 1, 3: 1, 8: 1, 9: 1})', 'recall')", "wilson(2, 5)"),
    ("point(y, s, threshold=3, unit_id=days, n_positives=pd.Series(dict(a=3, b=2, c=2))).recall", "2 / 7"),
    ("point(y, s, threshold=3, unit_id=days, n_positives=dict(a=3, b=2, c=2)).n_retrieved", 3),
    # Missed positives are as positives below the threshold, but no rows.
    *((f"np.delete(table('point(y, s, threshold=3, sample_weight={weight}, n_positives=1.25)'), 4, 0)", f"np.delete(table('point(y + [1, 1], s + [0, 0], threshold=3, sample_weight={weight} + [0.25] * 2)'), 4, 0)") for weight in ("[0.25] * 5", "[0.25, 1, 0.25, 0.25, 5]")),
    # Rounding would make a variance negative.
    *((f"(np.diff(np.column_stack([np.zeros(6), table('point({call})')[:, [1, 0, 2]], np.ones(6)])) >= 0).all()", 1) for call in ("[1, 1, 0, 0], [2, 1, 3, 4], threshold=2, sample_weight=[1, 1e-3, 1e-3, 1]", "[1, 1, 0, 0], [2, 1, 3, 4], threshold=2, sample_weight=[1, 1e-12, 1e-12, 1]")),
    # The weight of one more missed positive: a typical negative below the threshold
    # times the ratio of means, which are those above it if the lower half of the
    # negatives weighs more than twice as much.
    ("point([1, 0, 0, 0, 1], s, threshold=4, sample_weight=[0.3, 0.1, 0.3, 0.3, 0.5])._matrix.event_weights['recall'][1]", "0.3 * 3"),
    ("point([1, 0, 0, 0, 0, 1], [6] + s, threshold=5, sample_weight=[3, 1, 2, 2, 4, 5])._matrix.event_weights['recall'][1]", "3 * 4 / (9 / 4)"),
    ("point([1, 0, 0, 1], [3, 2, 2, 1], threshold=3, sample_weight=[2, 2, 10, 1])._matrix.event_weights['recall'][1]", "104 / 12 * 1.5 / 6"),
    ("point([1, 0, 0, 1], [4, 3, 2, 1], threshold=4, sample_weight=[3, 1, 5, 5])._matrix.event_weights['recall'][1]", "26 / 6"),
    ("point([1, 0, 1], [3, 2, 1], threshold=2, sample_weight=[0.01, 0.01, 0.02])._matrix.event_weights['recall'][1]", "5 / 300"),
    ("point([1, 1], [2, 1], threshold=2, sample_weight=[3, 1])._matrix.event_weights['recall']", "(2.5,) * 4"),
    # Positives weigh 2, and negatives 1 and 4. So an event of the positives of
    # precision weighs 2, times that of a typical row whose weight is divided by the
    # mean of its class.
    ("point([1, 0, 1, 0, 1], s, threshold=2, sample_weight=[2, 1, 2, 4, 2])._matrix.event_weights['precision']", "np.tile([17 / 5, 2 * (2 + 17 / 2.5**2) / 4], 2)"),
    # Rows are units with an id, too.
    ("point(y, s, threshold=3, sample_weight=[1, 1, 9, 1, 1], unit_id=s)._matrix.event_weights['precision']", "point(y, s, threshold=3, sample_weight=[1, 1, 9, 1, 1])._matrix.event_weights['precision']"),
    # A unit of one positive, and one of three negatives, which are alike: an event of a
    # number of both classes has (1 + 9) / 4 rows, and not fewer than one of its class.
    (f"{OF_TWO_UNITS})._matrix.event_weights['recall']", "(3, 1, 3, 1)"),
    (f"{OF_TWO_UNITS})._matrix.event_weights['precision']", "(3, 2.5, 3, 2.5)"),
    (f"{OF_TWO_UNITS}, sample_weight=[2, 1, 1, 1])._matrix.event_weights['precision']", "(3, 5, 3, 5)"),
    # Without a negative retrieved, rows of one class are left.
    (f"{OF_TWO_UNITS.replace('[1] * 4', '[1, 0, 0, 0]')})._matrix.event_weights['precision']", "(3, 1, 3, 1)"),
    # Units of one row: rows of both classes have no event that weighs more.
    ("point([1, 0, 0], s[:3], threshold=4, unit_id=s[:3], sample_weight=[1, 9, 9])._matrix.event_weights['precision']", "(9, 1, 9, 1)"),
    # It is heavier than the positives, so the interval is longer than that of a share.
    ("interval('point(y, s, threshold=3, sample_weight=[1, 1, 1, 1, 9])', 'recall').low < 0.2", 1),
    # the weights of missed positives are unknown
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99)', 'recall')", "nan, nan"),
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99, prevalence=0.1)', 'recall')", "nan, nan"),
    ("interval('point(y, s, threshold=3, sample_weight=w, n_positives=99)', 'specificity').high > 0", 1),
    ("interval('point([1] * 40, range(40), threshold=0, sample_weight=[1, 2] * 20)', 'precision').low > 0.8", 1),
    # totals of budgets
    ("'by_query' in budget(y, s, k=5).to_dict()", 0),
    ("[*budget(y, s, k=5).to_dict()['share_of_positives']][0]", "'score'"),
    ("budget(y, [-1, -2, -3, -4, -5], k=1, query_id=days).positives_found", 2),
    # The budgets find the weights 1 and 2 of 8, which are two of three positives.
    ("budget([1, 0, 1, 1], [4, 3, 2, 1], k=1, query_id=[0, 0, 1, 1], sample_weight=[1, 1, 2, 5]).share_of_weight.score", "3 / 8"),
    ("budget(y, s, k=1, query_id=days).lift", "2 / (1 / 2 + 2 / 3)"),
    ("budget([0, 0], [2, 1], k=1).lift", "nan"),
    ("budget([1, 0, 1], [3, 2, 1], k=1, query_id=[1, 1, 2]).lift", "2 / (1 / 2 + 1)"),
    ("budget([0] * 4, s[:4], k=1, query_id=[0, 0, 1, 1]).share_of_positives.n_effective", 0),
    ("budget([1, 0] * 2, s[:4], k=1, query_id=[0, 0, 1, 1], sample_weight=[1, 1, 0, 0]).lift", 2),
    ("budget(y, s, k=2).by_query['query'].tolist()", "[0]"),
    ("budget(y, s, k=2).to_dict() == budget(y, s, k=2, query_id=[0] * 5).to_dict()", 1),
    ("str(budget(y, s, k=2, sample_weight=w))", "'1 of 3 positives is in the first 2 rows; sample_weight found: 1 of 5.'"),
    ("str(budget(y, s, k=1, query_id=days, sample_weight=[1, 1, 0, 0, 0]))[-39:]", "'(1 query); sample_weight found: 1 of 1.'"),
    ("str(budget(y, s, k=0.125))", "'1 of 3 positives is in the first 12.5 % of the rows (1 of 5 rows).'"),
    ("str(budget(y, s, k=0.5, query_id=days))", "'3 of 3 positives are in the first 50 % of the rows of each query (2 queries, 3 of 5 rows).'"),
    ("str(budget(y, s, k=1))", "'1 of 3 positives is in the first row.'"),
    ("str(budget(y, s, k=9))", "'3 of 3 positives are in the first 9 rows (5 of 5 rows).'"),
    ("str(budget(y, s, k=1, query_id=[7] * 5, amount=[70, 5, 0.5, 0, 1], sample_weight=w))", "'1 of 3 positives is in the first row of each query (1 query); sample_weight found: 1 of 5; amount found: 70 of 71.5, the amount of all positives (weighted by sample_weight).'"),
    ("str(budget([1] * 3000, range(3000), k=2000, amount=[1.5] * 3000))", "'2,000 of 3,000 positives are in the first 2,000 rows; amount found: 3,000 of 4,500, the amount of all positives.'"),
    ("str(budget([1] * 2400, range(2400), k=1, query_id=np.arange(2400) // 2))[-16:]", "'(1,200 queries).'"),
    ("str(budget([1, 0], [1, 1], k=1, amount=[0, 3]))", "'0.5 of 1 positives are in the first row; amount found: 0 of 0, the amount of all positives.'"),
    ("[*budget(y, s, k=1).to_dict().items()][3:8]", "[('k', 1), ('n_retrieved', 1), ('n_samples', 5), ('positives_found', 1), ('n_positives', 3)]"),
    ("budget(y, s, k=1).to_dict()['share_of_amount']", "None"),
    ("json.dumps(budget(y, s, k=np.int64(1), amount=np.float32(s)).to_dict()) == json.dumps(budget(y, s, k=1, amount=s).to_dict())", 1),
    ("[*budget(y, s, k=1, amount=s).to_frame()][::2]", "['query', 'n_samples', 'n_positives', 'weight_of_positives', 'amount_of_positives']"),
    ("[kind.kind for kind in budget(y, s, k=1, query_id=[10, 10, 2, 2, 2]).to_frame().dtypes[:3]]", "['i', 'f', 'f']"),
    ("budget(y, s, k=1, query_id=[10, 10, 2, 2, 2]).by_query['query'].tolist()", "[2, 10]"),
    ("budget(y, s, k=1, query_id=days, sample_weight=[1, 1, 0, 0, 0]).by_query['n_samples'].tolist()", "[2, 0]"),
    ("budget(y, s, k=1, amount=[100, 7, 5, 2, 1], sample_weight=[0, 0, 1, 2, 3]).amount_found", 5),
    ("type(budget(y, s, k=1).n_retrieved) is int", 1),
    # two days that find 1 of 1 and 1 of 2 positives, and 9 of 9 and 2 of 7 euros
    ("budget(y, s, k=1, query_id=days).share_of_positives.standard_error", "2**0.5 / 9 * (9 / 4) ** 0.5"),
    ("budget(y, s, k=1, query_id=days).share_of_weight.n_effective", "9 / 5"),
    # A query without positives, or without an amount, leaves the others effective.
    ("budget(y, s, k=1, query_id=[1, 1, 2, 2, 3]).share_of_positives.n_effective", "9 / 5"),
    ("budget(y, s, k=1, query_id=days, amount=[0, 0, 1, 1, 1]).share_of_amount.n_effective", 1),
    (f"{SUMS.replace('=w', '=None')}.share_of_amount.standard_error", "2**0.5 * 45 / 256 * (256 / 126) ** 0.5"),
    (f"{SUMS.replace('=w', '=None')}.share_of_amount.df", "256 / 130 - 1"),
    # Days without amounts are drawn, and days without rows are not.
    ("budget(y, s, k=1, query_id=days, amount=[0, 0, 1, 1, 1]).share_of_amount.n_units", 2),
    ("budget(y, s, k=1, query_id=days, sample_weight=[1, 1, 0, 0, 0]).share_of_positives.n_units", 1),
    (f"{SUMS}.share_of_amount.confidence_interval()", "budget(y[::-1], s[::-1], k=1, query_id=[2, 2, 2, 3, 3], amount=[1e100 * x for x in (7, 5, 2, 4, 9)], sample_weight=w[::-1]).share_of_amount.confidence_interval()"),
    # positives of the typical amount, 14 / 6: the negatives have no amount
    (f"{SIX}.share_of_amount._changes.n_events", "6 / (14 / 6)"),
    ("budget(y, s, k=1, query_id=days).share_of_positives._changes.n_events", 3),
    # The sum of two scores may overflow.
    ("recall_of_growing_weights(1e308)", "recall_of_growing_weights(1)"),
]  # fmt: skip
ONE = "exactly one of recall, precision"
ALARMS = "false_alarms must be 0 or a finite number >= 1"
# A call, the beginning of its error, and words at the end.
ERRORS = [
    ("point(y, s)", ONE, "got none."),
    ("point(y, s, recall=1, k=2)", ONE, "'recall': 1, 'k': 2}."),
    ("point(y, s, recall=1, unit_id=s)", "unit_id requires threshold", "recall=1.0."),
    ("point(y, s, threshold=1, unit_id=s, n_positives=9)", "n_positives must have the total of each unit", ".groupby('image').size()."),
    *((f"point(y, s, {level}=1, n_positives={{9: 9}})", "n_positives must be one number if all rows are one ranking; got {9: 9}.", "the unit_id of estimate_score or of operating_point(..., threshold=...).") for level in ("threshold", "recall")),
    ("point(y, s, threshold=1, unit_id=s, n_positives={9: 9}, sample_weight=w)", "with n_positives, an interval requires equal weights", "got n_positives={9: 9}."),
    ("point(y, s, threshold=1, unit_id=s, n_positives={9: 9})", "n_positives of units must be", "got 0 for 2, where 1 were found."),
    ("point(y, s, threshold=1, unit_id=days, n_positives={'a': 1.5, 'b': 2})", "n_positives of units must be", "got 1.5 for 'a', where 1 were found."),
    ("point([0, 1], [2, 1], precision=0.6)", "precision must be at most 0.5,", "got 0.6."),
    ("point(y, s, recall=0.8, n_positives=4)", "recall must be at most 0.75,", "got 0.8."),
    ("point(y, s, recall=1.5)", "recall must be a number in [0, 1]", "got 1.5."),
    ("point(y, s, k=0)", "k must be", "got 0."),
    ("point(y, s, false_alarms=-1)", ALARMS, "-1."),
    ("point(y, s, false_alarms=0.18)", ALARMS, "got 0.18; pass 0 or, for a share of the negatives, specificity=0.82."),
    ("point(y, s, false_alarms=[0, 1, 2])", ALARMS, "got [0, 1, 2]; pass one number per call."),
    ("point(y, s, recall=[0.2, 0.5])", "recall must be a number in [0, 1]", "got [0.2, 0.5]; pass one number per call."),
    ("point(y, s, specificity=np.array([1, 0]))", "specificity must be", "array([1, 0]); pass one number per call."),
    ("point(y, s, beta={1, 2})", "beta must be", "{1, 2}; pass one number per call."),
    ("point(y, s, miss_cost=range(2))", "miss_cost must be", "range(0, 2); pass one number per call."),
    ("point(y, s, threshold=np.array([5]))", "threshold must be", "array([5]); pass one number per call."),
    ("point(y, s, threshold=np.array(5))", "threshold must be", "got array(5)."),
    ("point(y, s, miss_cost=0)", "miss_cost must be a finite number above 0", "got 0."),
    ("point(y, s, miss_cost=inf)", "miss_cost must be a finite number above 0", "inf."),
    ("point(y, s, beta=10**400)", "beta must be a number >= 0; got 1000", "000."),
    ("point(y, s, beta=-1)", "beta must be a number >= 0", "-1."),
    ("point(y, s, threshold=nan)", "threshold must be a number", "nan."),
    ("point(y, s, threshold='1')", "threshold must be a number", "'1'."),
    ("interval('point(y, s, threshold=1, prevalence=0.5)', 'precision')", "number must", "'precision'."),
    ("budget(y, s, k=1, amount=[1, 2])", "amount must contain one number for each", "got 2."),
    ("point(y, s, k=1, pos_label=7)", "pos_label=7 is not a valid label"),
    ("point(y, s, threshold=-(10**400))", "threshold must be a number; got -1000"),
    ("point(y, s, false_alarms=inf)", ALARMS, "inf."),
    ("point(y, s, threshold=1, n_positives=1)", "n_positives must not be below"),
    ("point([[1, 0], [0, 1]], [[2, 1], [1, 2]], recall=0.5)", "multilabel-indicator format is not"),
    ("interval('point(y, s, recall=0.5)', 'recall')", "recall has no interval"),
    ("interval('point(y, s, threshold=3)', 'f1')", "number must be", "got 'f1'."),
    ("point(y, s, threshold=3).f_score(-1)", "beta must be a number >= 0", "-1."),
    ("infinite('point([0, 1], [inf, inf], k=0.5)')", "y_score must be finite, because k=0.5 requires", "got inf."),
    ("infinite('point([0, 1], [inf, inf], false_alarms=0.0)')", "y_score must be finite, because false_alarms=0 requires"),
    ("point(y, s, threshold=True)", "threshold must be a number", "got True."),
    ("point(y, s, miss_cost=True)", "miss_cost must be a finite number above 0: the cost of a false negative, if a false alarm costs 1", "got True."),
    ("point(y, s, false_alarms=True)", ALARMS, "got True."),
    ("point(y, s, specificity=-0.1)", "specificity must be a number in [0, 1]", "got -0.1."),
    ("point(y, s, precision=nan)", "precision must be a number in [0, 1]", "got nan."),
    ("interval('point(y, s, k=2)', 'recall')", "recall has no interval, because the threshold was chosen", "pass threshold=4 with"),
    ("interval('point(y, s, k=2)', 'f1')", "number must be one of 'precision', 'recall', 'specificity', 'negative_predictive_value', 'share_retrieved', 'f_score'; got 'f1'"),
    ("point(y, s, threshold=3).confidence_interval(1, number='recall')", "confidence_level must be above 0 and below 1", "got 1."),
    ("point(y, s, threshold=3, unit_id=[1, 2])", "unit_id must be one id for each of 5 samples", "(2,)."),
    ("point(y, s, threshold=3, unit_id=np.c_[y, y])", "unit_id must have one id per row for a threshold or a band; got two columns, which are accepted by", "estimate_score and by comparisons."),
    ("point(y, s, threshold=3, unit_id=[1, None, 1, 1, 1])", "unit_id is missing in row 1"),
    ("budget(y, s, k=1, query_id=[1, 1, 1, None, 1])", "query_id is missing in row 3"),
    ("budget([[1, 0], [0, 1]], [[2, 1], [1, 2]], k=1)", "multilabel-indicator format is not"),
    ("budget(y, s, k=None)", "k must be an integer", "got None."),
    ("budget(y, s, k={1: 1})", "k must be", "pass one k per call."),
    ("budget(y, s, k=1, amount=[1, -5, 2, 1, 1])", "amount must not be negative; got -5.0 in row 1"),
    ("budget(y, s, k=1, amount=[1, nan, 2, 1, 1])", "Input amount contains NaN"),
    ("budget(y, s, k=1, amount=[[1], [2, 3], [4], [5], [6]])", "amount must contain one number per row"),
    ("budget(y, s, k=1, amount=np.ma.array(s, mask=y))", "amount"),
    ("budget(y, s, k=1, amount=5)", "amount must contain one number per row; got 5"),
    ("budget(y, s, k=1, amount=[1j] * 5)", "amount must contain real numbers; got complex"),
    ("budget(y, s, k=1, amount=[1, 2, 1, 1, 1e200])", "amount must be 0 or", "1e+200"),
]  # fmt: skip


@may_warn_of_few_positives
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
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


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    assert_raises(NAMES, *row)
