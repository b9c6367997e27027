"""Missed positives belong to units if `n_positives` has the total of each unit: their
contributions are slopes by the weights of units. Positives that were missed one by one are
units of one positive.
"""

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from few_positives import may_warn_of_few_positives
from oracles.uncertainty import differences, drawn, error_of
from refusals import assert_raises, each_row
from sklearn_ap import compare_samples, compare_scores, estimate_score
from sklearn_ap._core.scorer_names import function_of

pytestmark = may_warn_of_few_positives
N = 24
Y, S = drawn(3, N, 0.4, 1)
T = drawn(4, N, 0.4, 1)[1]
UNIT, QUERY = np.arange(N) // 3, np.arange(N) % 2
# Of each unit, and of each query and unit. The units 8 and 9 have no rows.
MISSED = np.array([0, 2, 0, 1, 0, 0, 4, 0, 3, 0])
MISSED_OF_QUERIES = np.array([MISSED, np.roll(MISSED, 3)])


def totals_of(missed, rows=slice(None)):
    """Return the number of positives of each unit, found in these rows or missed."""
    found = np.bincount(UNIT[rows], Y[rows], MISSED.size)
    return dict(enumerate((found + missed).tolist()))


def totals_of_pairs(missed):
    """Return the number of positives of each query and unit."""
    return {
        (query, unit): n
        for query in range(2)
        for unit, n in totals_of(missed[query], query == QUERY).items()
    }


BY_UNIT = {"unit_id": UNIT, "n_positives": totals_of(MISSED)}
BY_PAIR = {
    "unit_id": UNIT,
    "query_id": QUERY,
    "n_positives": totals_of_pairs(MISSED_OF_QUERIES),
}
BY_QUERY = {
    of: sum(n for (query, _), n in BY_PAIR["n_positives"].items() if query == of)
    for of in (0, 1)
}

# --- contributions --------------------------------------------------------------------

# The score, and its options.
SLOPES = """
average_precision
average_precision prevalence=0.2
interpolated_average_precision
queries average_precision
queries average_precision average=weighted
queries average_precision prevalence=0.3
queries interpolated_average_precision
""".strip().splitlines()


@pytest.mark.parametrize("line", SLOPES)
def test_a_standard_error_is_that_of_slopes_by_units(line):
    *queries, name = [word for word in line.split() if "=" not in word]
    options = dict(word.split("=") for word in line.split() if "=" in word)
    if "prevalence" in options:
        options["prevalence"] = float(options["prevalence"])
    function, params = function_of(name, options)
    missed, ids = MISSED, {}
    if queries:
        missed, ids = MISSED_OF_QUERIES, {"query_id": QUERY}

    def at(weight):
        found = weight[UNIT] * Y
        total = found.sum() + weight @ MISSED
        if queries:
            of_queries = np.bincount(QUERY, found) + missed @ weight
            total = dict(enumerate(of_queries.tolist()))
        params.update(ids, sample_weight=weight[UNIT], n_positives=total)
        return function(Y, S, **params)

    ones = np.ones(MISSED.size)
    found = estimate_score(name, Y, S, **(BY_PAIR if queries else BY_UNIT), **options)
    expected = error_of(differences(at, ones))
    assert found.standard_error == pytest.approx(expected, rel=1e-4)
    assert found.score == pytest.approx(at(ones))
    assert found.n_units == MISSED.size


def with_negatives(y_score):
    """Return a sample with a query that has no positives, of a unit that comes before
    all others and of one that is among them.
    """
    return {
        "y_true": [*Y, 0, 0],
        "y_score": [*y_score, 9, 8],
        "query_id": [*QUERY, 9, 9],
        "unit_id": [*UNIT, -1, 3],
        "n_positives": BY_PAIR["n_positives"] | {(9, 3): 0},
    }


# --- calls with the same numbers ------------------------------------------------------

NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {
    "E": estimate_score,
    "C": compare_scores,
    "S": compare_samples,
    "y": Y,
    "s": S,
    "t": T,
    "u": UNIT,
    "q": QUERY,
    "by_unit": BY_UNIT,
    "by_pair": BY_PAIR,
    "by_query": BY_QUERY,
    "of_drawn": {"query_id": UNIT, "unit_id": UNIT // 2, "n_positives": [4] * 8},
    "nothing_missed": totals_of(0),
    "nothing_of_pairs": totals_of_pairs((0, 0)),
    # Each of eleven missed positives has a unit of its own.
    "alone": dict(enumerate([*Y.tolist(), *[1] * 11])),
    "many_alone": dict(enumerate([*Y.tolist(), *[1] * 70])),
    "renamed": BY_PAIR
    | {"query_id": -QUERY}
    | {"n_positives": {(-i, at): n for (i, at), n in BY_PAIR["n_positives"].items()}},
    "with_negatives": with_negatives,
    "one": {"y_true": Y, "y_score": S},
    "other": {"y_true": Y, "y_score": T},
    "pd": pd,
    "np": np,
}
SAME = """
E('average_precision', y, s, unit_id=u, n_positives=nothing_missed) == E('average_precision', y, s, unit_id=u)
E('average_precision', y, s, query_id=q, unit_id=u, n_positives=nothing_of_pairs) == E('average_precision', y, s, query_id=q, unit_id=u)
E('interpolated_average_precision', y, s, unit_id=u, n_positives=nothing_missed, recall_levels=[0.3, 0.5]) == E('interpolated_average_precision', y, s, unit_id=u, recall_levels=[0.3, 0.5])
E('precision_at_recall@0.6', y, s, unit_id=u, n_positives=nothing_missed) == E('precision_at_recall@0.6', y, s, unit_id=u)
E('recall@0.3', y, s, unit_id=u, n_positives=nothing_missed) == E('recall@0.3', y, s, unit_id=u)
E('average_precision', y, s, unit_id=range(24), n_positives=alone) == E('average_precision', y, s, n_positives=y.sum() + 11)
E('interpolated_average_precision', y, s, unit_id=range(24), n_positives=alone, recall_levels=[0.3, 0.5]) == E('interpolated_average_precision', y, s, n_positives=y.sum() + 11, recall_levels=[0.3, 0.5])
E('precision_at_recall@0.4', y, s, unit_id=range(24), n_positives=alone) == E('precision_at_recall@0.4', y, s, n_positives=y.sum() + 11)
E('r_precision', y, s, unit_id=range(24), n_positives=alone) == E('r_precision', y, s, n_positives=y.sum() + 11)
E('recall@0.3', y, s, unit_id=range(24), n_positives=alone) == E('recall@0.3', y, s, n_positives=y.sum() + 11)
E('average_precision', y, s, unit_id=u, n_positives=pd.Series(by_unit['n_positives'])) == E('average_precision', y, s, **by_unit)
E('average_precision', y, s, query_id=q, unit_id=u, n_positives=pd.Series(by_pair['n_positives'])) == E('average_precision', y, s, **by_pair)
E('average_precision', y, s, query_id=q * 0, unit_id=u, n_positives={(0, i): n for i, n in by_unit['n_positives'].items()}) == E('average_precision', y, s, **by_unit)
E('average_precision', [1, 1, 0, 0], [4, 2, 3, 1], unit_id=[0, 0, 1, 1], n_positives={0: 3}) == E('average_precision', [1, 1, 0, 0], [4, 2, 3, 1], unit_id=[*'aabb'], n_positives={'a': 3})
E('average_precision', y, s, unit_id=u.astype(str), n_positives={str(i): n for i, n in by_unit['n_positives'].items()}) == E('average_precision', y, s, **by_unit)
E('average_precision', y, s, **by_unit, sample_weight=np.full(24, 0.5)) == E('average_precision', y, s, unit_id=u, n_positives={i: 2 * n for i, n in by_unit['n_positives'].items()})
E('average_precision', y, s, unit_id=range(24), n_positives=dict(enumerate(y + u % 3))) == E('average_precision', y, s, query_id=q * 0, unit_id=range(24), n_positives={(0, i): n for i, n in enumerate(y + u % 3)})
S('average_precision', one | of_drawn, other | of_drawn, paired=True) == C('average_precision', y, s, t, **of_drawn)
E('average_precision', y, s, query_id=u, unit_id=u // 2, n_positives={(i, i // 2): 3 + i for i in range(8)}) == E('average_precision', y, s, query_id=u, unit_id=u // 2, n_positives={i: 3 + i for i in range(8)})
S('average_precision', one | by_unit, other | by_unit, paired=True) == C('average_precision', y, s, t, **by_unit)
C('average_precision', y, s, t, unit_id=range(24), n_positives=alone) == C('average_precision', y, s, t, n_positives=y.sum() + 11)
C('average_precision', y, s, t, unit_id=range(24), n_positives=alone, prevalence=0.05) == C('average_precision', y, s, t, n_positives=y.sum() + 11, prevalence=0.05)
C('average_precision', y, s, t, unit_id=range(24), n_positives=many_alone) == C('average_precision', y, s, t, n_positives=y.sum() + 70)
C('interpolated_average_precision', y, s, t, unit_id=range(24), n_positives=many_alone, recall_levels=101) == C('interpolated_average_precision', y, s, t, n_positives=y.sum() + 70, recall_levels=101)
S('average_precision', with_negatives(s), with_negatives(t), paired=True, zero_division=np.nan) == C('average_precision', y, s, t, **by_pair)
S('average_precision', one | renamed, other | renamed, paired=True) == C('average_precision', y, s, t, **by_pair)
S('average_precision', one | by_pair, other | by_pair, paired=True) == C('average_precision', y, s, t, **by_pair)
S('average_precision', one | by_pair, other | by_pair | {'unit_id': u.astype(np.uint8)}, paired=True) == S('average_precision', one | by_pair, other | by_pair, paired=True)
S('average_precision', one | by_pair, other | by_pair | {'unit_id': u.astype(float).tolist()}, paired=True) == S('average_precision', one | by_pair, other | by_pair, paired=True)
S('average_precision', one | by_pair, other | by_pair | {'n_positives': by_pair['n_positives'] | {(2, 0): 0}}, paired=True, zero_division=np.nan) == S('average_precision', one | by_pair, other | by_pair, paired=True)
S('interpolated_average_precision', one | by_pair, other | by_pair, paired=True, recall_levels=[0.3, 0.5]) == C('interpolated_average_precision', y, s, t, **by_pair, recall_levels=[0.3, 0.5])
S('average_precision', one | by_unit | {'n_positives': dict.fromkeys(range(-9, 0), 0) | by_unit['n_positives']}, other | by_unit, paired=False) == S('average_precision', one | by_unit, other | by_unit, paired=False)
E('average_precision', y, s, unit_id=u, n_positives={k: 0.1 * n for k, n in by_unit['n_positives'].items()}, sample_weight=[0.1] * 24) == E('average_precision', y, s, **by_unit)
E('average_precision', y, s, unit_id=u, n_positives={k: 0.7 * n for k, n in by_unit['n_positives'].items()}, sample_weight=[0.7] * 24) == E('average_precision', y, s, **by_unit)
""".strip().splitlines()


def numbers_of(found):
    others = (
        "n_fixed_queries",
        "n_units",
        "n_shared_units",
        "prevalence_a",
        "prevalence_b",
    )
    numbers = found.to_dict() | dict.fromkeys(others)
    of_result = [each for each in numbers.values() if isinstance(each, int | float)]
    places = [number for each in getattr(found, "_places", ()) for number in each[:2]]
    return [*of_result, *getattr(found, "_changes", ()), *places]


@pytest.mark.parametrize("line", SAME)
def test_two_calls_have_the_same_numbers(line):
    found, expected = (numbers_of(eval(call, NAMES)) for call in line.split(" == "))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


# --- errors ---------------------------------------------------------------------------

WRONG = "n_positives of units must be whole numbers"
ERRORS = [
    ("E('average_precision', y, s, n_positives=by_unit['n_positives'])", "n_positives must be one number if all rows are one ranking; got {0: 1", "the unit_id of estimate_score"),
    ("E('average_precision', y, s, query_id=q, n_positives=by_pair['n_positives'])", "n_positives requires unit_id if", "got {(0, 0): "),
    ("average_precision_score(y, s, n_positives=by_unit['n_positives'])", "n_positives must be one number if", "got {0: 1"),
    ("E('average_precision', y, s, unit_id=u, n_positives=by_unit['n_positives'] | {0: 1.5})", WRONG, "got 1.5 for 0, where 1 were found."),
    ("E('average_precision', y, s, unit_id=u, n_positives=by_unit['n_positives'] | {7: 0})", WRONG, "got 0 for 7, where 2 were found."),
    ("E('average_precision', y, s, unit_id=u, n_positives=pd.Series(9, index=[*range(8), 7]))", "n_positives must have one total per name, but repeats 7", "Add up its totals first."),
    ("E('average_precision', y, s, unit_id=u, n_positives={8: 30})", WRONG, "got 0 for 0, where 1 were found."),
    ("E('average_precision', y, s, unit_id=u, n_positives=dict.fromkeys(range(9), 90), sample_weight=1 + u)", "with n_positives, an interval requires equal weights", "got n_positives={0: 90, "),
    # The first query lacks the unit c, and the second one lacks a.
    ("E('average_precision', [1, 0, 1, 0], [4, 3, 2, 1], query_id=[0, 0, 1, 1], unit_id=[*'abbc'], n_positives={(0, 'a'): 1, (0, 'b'): 1, (1, 'b'): 0, (1, 'c'): 1})", WRONG, "got 0 for (1, 'b'), where 1 were found."),
    ("E('average_precision', y, s, query_id=q, unit_id=u, n_positives={(0, i): 9 for i in range(8)})", "n_positives contains no total for query 1"),
    ("E('average_precision', y, s, query_id=q, unit_id=u, n_positives=by_pair['n_positives'] | {(1, 3): -1})", "n_positives must contain numbers >= 0", "got {(0, 0): "),
    ("E('average_precision', y, s, query_id=q, unit_id=u, n_positives=by_pair['n_positives'] | {('car', 0): 1})", "query_id with the names of n_positives must", "of one kind"),
    ("E('average_precision', y, s, query_id=q, unit_id=u, n_positives=by_pair['n_positives'] | {(0, 'day'): 1})", "unit_id with the units of n_positives must", "of one kind"),
    ("E('average_precision', y, s, query_id=q, unit_id=u, n_positives=by_pair['n_positives'] | {0: 1})", "query_id with the names of n_positives must", "of one kind"),
    ("E('average_precision', y, s, unit_id=range(24), n_positives=20)", "n_positives must have the total of each unit", "got 20. Pass {unit: total}, "),
    ("E('recall@5', y, s, **by_unit)", "with n_positives, an interval requires", "a k that is not a number of rows"),
    # The effective number of units is 917^2 / (900^2 + ...), so 1.04.
    ("E('interpolated_average_precision', y, s, unit_id=u, n_positives=by_unit['n_positives'] | {8: 900}, recall_levels=101)", "interpolated_average_precision_score has no interval here", "first positive reaches 96.0%"),
    ("E('average_precision@0.3', y, s, **by_unit, ties='stable')", "with n_positives, an interval requires", "ties='proportional'"),
    ("S('average_precision', one | by_pair, other | by_pair | {'n_positives': by_query}, paired=True)", "n_positives must have the total of each unit", "got {0: 16.0, 1: 14.0}. Pass {(query, unit): total}, such as objects.groupby(['class', 'image'])"),
]  # fmt: skip


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    assert_raises(NAMES, *row)
