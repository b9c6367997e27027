"""Rows of reports, one part per line: what it says, and the number that a function has."""

import json

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from few_positives import may_warn_of_few_positives
from sklearn_ap._report.answer import Part
from sklearn_ap._report.page import _html_of
from sklearn_ap._report.text import lines_of
from sklearn_ap.compatibility import compare_conventions, identify

pytestmark = may_warn_of_few_positives
NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {
    "compare_conventions": compare_conventions,
    "identify": identify,
}
NAMES |= {"np": np, "pd": pd, "Part": Part, "_html_of": _html_of, "lines_of": lines_of}
NAMES |= {"AP": "average_precision", "y": [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]}
NAMES |= {"s": [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], "t": [9, 9, 9, 3, 3, 3, 3, 3, 3, 1]}
# The last query of `z` has no positives.
NAMES |= {"old": [1, 2, 3, 4, 5, 6, 7, 8, 9, 0], "z": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]}
NAMES |= {"W": {"sample_weight": [1, 2, 1, 3, 1, 1, 2, 1, 1, 1]}}
NAMES |= {"Q": {"query_id": [*"aababbaccc"]}, "U": {"unit_id": [*"aabbccddee"]}}
NAMES |= {"pairs": np.c_[np.arange(10) % 4, np.arange(10) % 3 + 4]}
NAMES |= {"N": {"n_positives": 8}, "C": {"compare": {"old": NAMES["old"]}}}
NAMES |= {"zero": {"sample_weight": [0] + [1] * 9}}


def of(name, y=NAMES["y"], s=NAMES["s"], **options):
    """Return the first part with this name."""
    parts = sklearn_ap.report(y, s, name="new", **options).parts
    return next(part for part in parts if part.name == name)


NAMES["of"] = of
# A part, and words of its text.
TEXTS = [
    ("of('rows')", "new: 10 rows, 5 positive (50 %). Intervals: as if the 10 rows were drawn again."),
    ("of('rows', [1], [1])", "new: 1 row, 1 positive (100 %). Intervals: as if the 1 row were drawn again."),
    ("of('rows', z, **Q)", "10 rows in 3 queries, 4 positive (40 %). 1 query without positives: AP is 0 there. Intervals: as if the 3 queries were drawn again."),
    ("of('rows', [0, 0, 1, 0, 0, 0, 0, 0, 0, 0], **Q)", " 2 queries without positives: AP"),
    ("of('rows', **Q, **U)", "queries, 5 positive (50 %). Intervals: as if the 5 units were drawn again."),
    ("of('rows', unit_id=pairs)", "as if the 7 units of pairs were drawn again."),
    ("of('rows', n_positives=1234.5)", " Positives with and without a row: 1,234. Intervals: as if the 10 rows were drawn again."),
    ("of('rows', **zero)", "new: 9 rows, 4 positive (44.4 %). Intervals: as if the 9 rows were drawn again."),
    ("of('rows', title='T', **C)", "T: 10 rows"),
    ("of('score', z, **Q, **W, **C)", "Mean average precision (MAP) with weights of new is 0."),
    ("of('score')", "Average precision (AP) is 0.70, 95 % interval 0."),
    ("of('score', [0, 0], [1, 2])", "No row is positive, so average precision has no interval."),
    ("of('score', **{'sample_weight': [0, 1, 0, 0, 1, 1, 0, 1, 1, 0]})", "No row is pos"),
    # AP of all orders of 1 positive and 1 negative row: 1 and 1 / 2
    ("of('chance', [1, 0], [2, 1])", "Chance is 0.75, the mean AP of random rankings."),
    ("of('chance', [0] * 99 + [1] * 99, [-i for i in range(198)])", "rankings. The whole interval lies below chance."),
    ("of('budget', k=3)", "2 of 5 positives are in the first 3 rows. Threshold: 8. Lift over a random order: 1.3. Recall: 0.40, 95 % interval 0"),
    ("of('budget', k=1)", "1 of 5 positives is in the first row. Threshold: 10. Lift over a random order: 2. Recall"),
    ("of('budget', k=0.3)", "2 of 5 positives are in the first 30 % of the rows (3 of 10 rows). Threshold: 8. Lift"),
    ("of('budget', k=9)", "4 of 5 positives are in the first 9 rows. Threshold: 2. Lift over a random order: 0.89. Recall"),
    ("of('budget', k=1200)", "5 of 5 positives are in the first 1,200 rows (10 of 10 rows). Threshold: 1. Lift over a random order: 1. Recall: 1."),
    ("of('budget', [1], [1], k=1)", "1 of 1 positives is in the first row. Threshold: 1. Lift over a random order: 1. Recall"),
    ("of('budget', [1] + [0] * 999, [-i for i in range(1000)], k=2)", "order: 500. Recall"),
    ("of('budget', k=3, **W)", "; sample_weight found: 2 of 8. Threshold: 8. Recall with weights: 0.25, 95 %"),
    ("of('budget', k=3, **N)", "2 of 8 positives are in the first 3 rows. Threshold: 8. Lift over a random order: 1.3. Recall: 0.25, 95 %"),
    ("of('budget', k=3, amount=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])", "; amount found: 4 of 25, the amount of all positives. Threshold"),
    ("of('budget', s=t, k=1)", "0.6667 of 5 positives are in the first row. Lift over a random order: 1.3. Rows with equal scores at the cut count in proportion. Recall: 0.13,"),
    ("of('budget', s=t, k=4)", "2.333 of 5 positives are in the first 4 rows. Lift over a random order: 1.2. Rows"),
    ("of('budget', s=t, k=3)", "2 of 5 positives are in the first 3 rows. Threshold: 9. Lift over a random order: 1.3. Recall"),
    # The sum of six shares of 1/6 is 1 but for its last bit.
    ("of('budget', [1, 0, 0, 0, 0, 0] * 6, [1] * 36, k=1, query_id=[i // 6 for i in range(36)])", "in the first row of each query (6 queries). Lift over a random order: 1. Recall: 0.17,"),
    ("of('budget', k=2, **Q)", "2 of 5 positives are in the first 2 rows of each query (3 queries). Lift over a random order: 0.71. Recall: 0.40, 95 %"),
    ("of('budget', k=3, **Q, **U, **W)", "; sample_weight found: 6 of 8. Recall with weights: 0.75."),
    ("of('threshold', threshold_at=[('recall', 0.8)])", "Threshold for a recall of 0.8, chosen on these rows: 7 rows"),
    ("of('threshold', threshold_at=[('precision', 0.6)])", "Threshold for a precision of 0.6, chosen"),
    ("of('threshold', threshold_at=[('specificity', 1)])", "Threshold for a specificity of 1, chosen"),
    ("of('threshold', threshold_at=[('k', 0.3)])", "Threshold for 30 % of the rows, chosen on"),
    ("of('threshold', threshold_at=[('k', 3)])", "Threshold for 3 rows, chosen on"),
    ("of('threshold', threshold_at=[('false_alarms', 2)])", "Threshold for at most 2 false alarms, c"),
    ("of('threshold', threshold_at=[('beta', 0.5)])", "Threshold for the highest F0.5, chosen on"),
    ("of('threshold', threshold_at=[('miss_cost', 20)])", "Threshold if a false negative costs 20 false alarms, chosen on"),
    ("of('threshold', threshold_at=[('miss_cost', 1234567)])", "costs 1234567 false alarms, chosen on"),
    ("of('threshold', threshold_at=[('threshold', 4.5)])", "At the threshold 4.5: 6 rows"),
    ("of('threshold', threshold_at=[('recall', 0.8)], **N)", "Threshold for a recall of 0.8, chosen on these rows: recall must be at most 0.625, or no"),
    ("of('comparison', compare={'a': old, 'b': t})", "Differences in AP, each model minus new: adjusted for 2 tests by"),
    ("of('comparison', compare={'a': old, 'b': t})", "if both models are equal. The adjustment multiplies p by 2, and"),
    ("of('comparison', compare={'a': old, 'b': s}).text.endswith('equal.') and of('comparison', compare={'a': old, 'b': s})", "each model minus new: 1 test (two-sided; same rows). p is"),
    ("of('definitions', conventions=['LightGBM', 'R-precision'], k=2)", " Scores without a difference are not average precisions."),
    ("of('identified', identify='0.70')", "Conventions that give 0.70 to 2 digits: "),
    ("of('identified', identify='0.31')", "the nearest come first"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "words"), TEXTS)
def test_a_part_says(part, words):
    assert words in eval(part, NAMES).text


# A part, and the call that has the same result.
RESULTS = [
    ("of('score', **Q, **U, **W)", "estimate_score(AP, y, s, zero_division=0.0, **Q, **U, **W)"),
    ("of('score', unit_id=pairs, **Q)", "estimate_score(AP, y, s, zero_division=0.0, unit_id=pairs, **Q)"),
    ("of('score', z, **Q)", "estimate_score(AP, z, s, zero_division=0.0, **Q)"),
    ("of('score', **N)", "estimate_score(AP, y, s, **N)"),
    ("of('budget', k=3, **U, **W).result['estimate']", "estimate_score('recall@3', y, s, **U, **W)"),
    ("of('budget', k=0.3, **N).result['estimate']", "estimate_score(recall_at_k_score, y, s, k=0.3, **N)"),
    ("of('budget', k=2, **Q, **W).result['estimate']", "budget_totals(y, s, k=2, **Q, **W).share_of_weight"),
    ("of('comparison', z, **C, **Q, **U, **W)", "compare_many(AP, z, {'new': s, 'old': old}, reference='new', zero_division=0.0, **Q, **U, **W)"),
    ("of('comparison', **C, **N)", "compare_many(AP, y, {'new': s, 'old': old}, reference='new', **N)"),
    ("of('models', z, **C, **Q, **U, **W).result['by_model']['old']", "estimate_score(AP, z, old, zero_division=0.0, **Q, **U, **W)"),
    ("of('threshold', threshold_at=[('threshold', 4.5)], **U, **W)", "operating_point(y, s, threshold=4.5, **U, **W)"),
    ("of('threshold', threshold_at=[('recall', 0.5)], **U, **W)", "operating_point(y, s, recall=0.5, **W)"),
    ("of('threshold', threshold_at=[('threshold', 4.5)], **N)", "operating_point(y, s, threshold=4.5, **N)"),
    ("of('definitions', k=[3, 5], conventions=['BEIR', 'COCO'], **W)", "compare_conventions(y, s, k=3, conventions=['BEIR', 'COCO'], **W)"),
    ("of('definitions', conventions=[], **Q)", "compare_conventions(y, s, conventions=[], **Q)"),
    ("of('definitions', conventions='COCO', **N)", "compare_conventions(y, s, conventions='COCO', **N)"),
    ("of('identified', identify=0.4444, k=[3, 5], **Q)", "identify(0.4444, y, s, k=3, **Q)"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "call"), RESULTS)
def test_a_part_has_the_result_of(part, call):
    found, expected = eval(part, NAMES), eval(call, NAMES)
    found = getattr(found, "result", found)
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())


# A value of a part, and what it is.
NUMBERS = [
    ("of('rows', z, **Q).result", {"n_samples": 10, "n_positive_rows": 4, "n_queries": 3, "n_queries_without_positives": 1}),
    ("of('chance').text", "Chance is 0.61, the mean AP of random rankings."),
    # AP is 0.41, and its interval contains chance.
    ("of('chance', s=old).text", "Chance is 0.61, the mean AP of random rankings."),
    # Shares of the positives below 0.005 have two digits, whatever the score has.
    ("of('chance', [1, 1] + [0] * 3999, range(4001, 0, -1)).text", "f'Chance is {expected_by_chance([1, 1] + [0] * 3999):.4f}, the mean AP of random rankings.'"),
    ("of('chance', [0, 1] * 5000, range(10000)).text", "f'Chance is {expected_by_chance([0, 1] * 5000):.2f}, the mean AP of random rankings.'"),
    ("of('rows', **zero, **Q).result", {"n_samples": 9, "n_positive_rows": 4, "n_queries": 3, "n_queries_without_positives": 0}),
    ("of('chance', z, **Q).result['expected_by_chance']", "expected_by_chance(z, s, zero_division=0.0, **Q)"),
    ("{**of('budget', k=3, amount=s).result, 'estimate': 0}", {"k": 3, "n_retrieved": 3, "positives_found": 2, "n_positives": 5, "threshold": 8, "lift": 4 / 3, "amount_found": 18, "amount_of_positives": 30, "estimate": 0}),
    ("{**of('budget', k=2, **Q, **U, **W).result}", {"k": 2, "n_retrieved": 6, "positives_found": 2, "n_positives": 5, "estimate": {"score": 0.25}}),
    ("of('budget', s=t, k=1, **N).result['n_positives']", 8),
    ("'threshold' in of('budget', s=t, k=1).result", False),
    ("of('budget', k=2, **zero).result['threshold']", 8),
    ("list(of('models', **C).result['by_model'])", ["new", "old"]),
    ("of('models', **C).cells", [["model", "AP", "95 % interval"], ["new", "0.698", "0.208 to 0.977"], ["old", "0.408", "0.056 to 0.858"]]),
    ("[row[3:] for row in of('models', k=[3, 0.7], **C).cells]", [["found in 3 rows", "found in 70 % of the rows"], ["2", "4"], ["1", "3"]]),
    # Other models are paired with this one, too, and a frame has a model per column.
    ("of('models', y, s, compare=pd.DataFrame({'old': old})).cells == of('models', **C).cells", True),
    ("of('rows', n_positives=np.array([8])).text == of('rows', **N).text", True),
    # (1 / 3 + 2 / 6 + 3 / 7 + 4 / 9 + 5 / 10) / 5 minus 0.6976
    ("of('comparison', **C).cells[0]", ["model", "difference", "95 % interval", "p"]),
    ("of('comparison', **C).cells[1][:2]", ["old", "-0.29"]),
    ("of('comparison', compare={'a': old, 'b': t}).result.pairs", (("a", "new"), ("b", "new"))),
    # (1 + 2 / 3 + 3 / 4 + 4 / 7 + 5 / 10) / 5
    # A difference with a minus sign is not a missing one.
    ("of('definitions', conventions=['COCO', 'XGBoost aucpr']).text", "scikit-learn's AP is 0.6976."),
    ("[row[0] for row in of('definitions', conventions=['COCO']).cells]", ["score", "COCO"]),
    ("of('threshold', threshold_at=[('recall', 0.5)]).cells", []),
    # Wilson's interval of 3 of 5
    ("of('threshold', threshold_at=[('threshold', 4.5)]).cells[2]", ["recall", "0.60", "0.23 to 0.88"]),
    ("[part.name for part in report(y, s, **W).parts]", ["rows", "score"]),
    ("[part.name for part in report(y, s, **N).parts]", ["rows", "score"]),
    ("[part.name for part in report([0, 0], [1, 2], k=1, **{'title': 'T'}).parts]", ["rows", "score"]),
    ("[part['kind'] for part in report(y, s, k=[1, 2], threshold_at=[('k', 1)], conventions=[], identify='0.7', **C).to_dict()['parts']]", ["rows", "score_estimate", "chance", "budget", "budget", "many_comparisons", "models", "operating_point", "convention_comparison", "convention_comparison"]),
    ("str(report(y, s, k=pairs[1])) == str(report(y, s, k=[1, 5]))", True),
    # Empty lines are around lists of lines.
    ("list(lines_of([Part('score', 'a'), Part('identified', 'b\\nc'), Part('score', 'd')]))", ["a", "", "b", "c", "", "d"]),
    ("list(lines_of([Part('threshold', 'a', None, [['m', 'n']]), Part('score', 'b')]))", ["", "a", "m  n", "", "b"]),
    ("max(map(len, str(report(y, s, k=[1, 0.2], identify=0.5, threshold_at=[('recall', 0.5), ('threshold', 1)], **C)).splitlines()))", 79),
    # Readers of a report are not told what to pass.
    ("\"'0.80'\" in of('identified', identify='0.31').text", False),
    # A table without words is shown, too.
    ("list(lines_of([Part('score', 'a'), Part('models', '', {}, [['model', 'found'], ['new', '2']])]))", ["a", "", "model  found", "new        2"]),
    ("'<th scope=\"row\">new</th><td>&lt; 2</td>' in ''.join(_html_of([Part('models', '', {}, [['model', 'p'], ['new', '< 2']])]))", True),
    ("list(_html_of([Part('models', '')]))", []),
    ("list(_html_of([Part('threshold', 'a'), Part('threshold', 'b\\nc')]))", ["<h2>Thresholds</h2>", '<p class="threshold">a</p>', '<pre class="threshold" tabindex="0">b\nc</pre>']),
    ("list(report(y, s, title='T').to_dict().items())[:4]", [("schema", 1), ("kind", "report"), ("title", "T"), ("warnings", [])]),
    ("report([1, 0, 1], [3, 2, 1]).to_dict()['warnings'][0][:34]", "The sample has too few positives ("),
    # The legends of curves and of queries have no characters that control a terminal.
    ("['\\x1b' in report(y, s, name='\\x1b', compare={'\\x1b2': old}, **more)._repr_html_() for more in ({}, Q)]", [False, False]),
    ("report(y, s).title", "scores"),
    ("report(y, s, name='a').title", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_a_value_is(value, expected):
    if isinstance(expected, str) and expected.endswith((")", "'")):
        expected = eval(expected, NAMES)
    assert eval(value, NAMES) == expected


# Rows are paired by place, so an index in another order is warned of.
WARNED = [
    ("y_score=back", "y_score"),
    ("s, sample_weight=back", "sample_weight"),
    ("s, query_id=back", "query_id"),
    ("s, unit_id=back", "unit_id"),
    ("s, k=3, amount=back", "amount"),
    ("s, compare={'y_true': back}", r"compare\['y_true'\]"),
    ("back, compare={'b': back[::-1]}", r"compare\['b'\]"),
]


@pytest.mark.parametrize(("arguments", "name"), WARNED)
def test_another_order_is_warned_of(arguments, name):
    column = pd.Series(NAMES["y"], [*"abcdefghij"])
    names = NAMES | {"column": column, "back": pd.Series(NAMES["s"], [*"jihgfedcba"])}
    first, y_true = "y_true", "column"
    # If labels have no index, models are compared with each other.
    if arguments.startswith("back"):
        first, y_true = "y_score", "y"
    with pytest.warns(
        UserWarning, match=f"^{first} and {name} have the same values in"
    ):
        eval(f"report({y_true}, {arguments})", names)
