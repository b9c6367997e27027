"""If `unit_id` has two columns, each row belongs to two units, such as both items of a
pair.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from few_positives import may_warn_of_few_positives
from oracles import scores as oracle
from oracles.uncertainty import (
    Pair,
    assert_test_and_interval_agree,
    slopes_of_pairs,
    warns_of,
)
from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_samples,
    compare_scores,
    estimate_score,
)

pytestmark = may_warn_of_few_positives
AP, E = average_precision_score, estimate_score


def items(n, n_kinds, seed=8, spread=1.0):
    """Return all pairs of two different items: whether both are of one kind, the scores
    of two models, and both items of each pair.
    """
    kind = np.arange(n) % n_kinds
    noise = np.random.default_rng(seed).normal(size=(2, n, n_kinds))
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    near = [
        -((at[first] - at[second]) ** 2).sum(axis=1)
        for at in np.eye(n_kinds)[kind] + spread * noise
    ]
    return kind[first] == kind[second], *near, np.c_[first, second]


# --- six items in fractions -----------------------------------------------------------

Y_TRUE, NEAR, _, BOTH = items(6, 2)
FIRST, SECOND = BOTH.T
KIND, UPPER = BOTH % 2, FIRST < SECOND
EVERY = np.ones(30, dtype=bool)
# Which rows there are, their units and queries, and the columns whose units contain
# whole queries. The last units are those of kinds, so some pairs are of one unit.
DESIGNS = {
    "queries": (EVERY, BOTH, FIRST, [0]),
    "second column": (EVERY, BOTH, SECOND, [1]),
    "one ranking": (EVERY, BOTH, None, []),
    "each pair once, but one": (UPPER & (SECOND - FIRST < 5), BOTH, None, []),
    "queries of kinds": (EVERY, BOTH, KIND[:, 0], []),
    "queries are pairs": (EVERY, BOTH // 2, FIRST // 2 + 3 * (SECOND // 2), [0, 1]),
    "two kinds of units": (EVERY, BOTH + np.array([0, 6]), FIRST, [0]),
    "kinds": (EVERY, BOTH % 3, FIRST, [0]),
    "kinds of four and two": (EVERY, BOTH // 4, FIRST, [0]),
    "kinds in one ranking": (UPPER, BOTH % 3, None, []),
    "a kind in one column": (FIRST % 3 > 0, BOTH % 3, FIRST, [0]),
    "kinds, other order": (EVERY, BOTH[:, ::-1] % 3, FIRST, [1]),
}
# Interpolated average precision has no slope where two precisions are equal, so its
# rows have different weights.
WEIGHT = np.random.default_rng(0).uniform(1, 2, 30)


def share_of_two(ranking):
    """Return the recall of the first two rows, if all rows are tied."""
    if any(row.label for row in ranking.rows):
        return 2 / sum(row.weight for row in ranking.rows)


SCORES = {
    "step": ("average_precision", oracle.step, NEAR, None),
    "tied": ("average_precision", oracle.step, NEAR.round(), None),
    "weights": ("average_precision", oracle.step, NEAR, WEIGHT),
    "cut": ("recall@2", share_of_two, 0 * NEAR, None),
    "best": ("interpolated_average_precision", oracle.interpolated, NEAR, WEIGHT),
}


# If pairs have a direction, a unit that a column lacks takes no part of the cut there.
CASES = [
    pytest.param(DESIGNS[design], SCORES[score], id=f"{design}-{score}")
    for design in DESIGNS
    for score in SCORES
    if (design, score) != ("a kind in one column", "cut")
]


@pytest.mark.parametrize(("design", "score"), CASES)
def test_a_unit_contributes_the_slope_by_its_weight(design, score):
    """The factor is that of the jackknife of a mean over all pairs of n units. It is
    that of three units if there are fewer.
    """
    kept, units, query, drawn = design
    name, define, near, weight = score
    options = {"zero_division": np.nan, "unit_id": units[kept]}
    if query is not None:
        options["query_id"] = query[kept]
    if weight is not None:
        options["sample_weight"] = weight[kept]
    found = estimate_score(name, Y_TRUE[kept], near[kept], **options)
    weights = np.ones(30) if weight is None else weight
    queries = np.zeros(30) if query is None else query
    pairs = []
    for i in np.flatnonzero(kept):
        row = oracle.Row(bool(Y_TRUE[i]), near[i], Fraction(weights[i]))
        pairs.append(Pair(row, tuple(units[i].tolist()), queries[i]))
    slopes = slopes_of_pairs(define, pairs, drawn)
    n = found.n_effective
    of_pairs = (max(n, 3) - 1) / (max(n, 3) - 2)
    error = np.sqrt(n / (n - 1)) * of_pairs * np.linalg.norm(slopes)
    assert found.standard_error == pytest.approx(error, rel=1e-6)
    assert (found.n_units, found.n_units_per_row, found.df) == (len(slopes), 2, n - 1)


# --- other definitions ----------------------------------------------------------------

Y, NEW, OLD, PAIRS = items(60, 6)
QUERY, ITEM = PAIRS.T
FRAME = pd.DataFrame(PAIRS, columns=["query", "item"])
TYPED = FRAME.assign(query=QUERY + 2**53, item=ITEM + 0.5)
TABLE = pa.Table.from_pandas(TYPED)


LATE, ONCE = QUERY >= 30, QUERY < ITEM
SWAPPED = np.where(QUERY[:, np.newaxis] % 2, PAIRS, PAIRS[:, ::-1])
# Two numbers that are equal.
SAME = """
error(unit_id=FRAME, query_id=QUERY) == error(unit_id=PAIRS, query_id=QUERY)
error(unit_id=FRAME.astype(str)) == error(unit_id=PAIRS)
error(unit_id=FRAME.astype({'item': float})) == error(unit_id=PAIRS)
error(unit_id=FRAME.astype('category')) == error(unit_id=PAIRS)
# Each column of a frame has its own type: as floats, these integers would be rounded.
error(unit_id=TYPED) == error(unit_id=PAIRS + [0, 60])
error(unit_id=TABLE) == error(unit_id=PAIRS + [0, 60])
error(unit_id=[(i % 4, 0) for i in QUERY]) == error(unit_id=QUERY % 4)
# Five readers of 60 cases are five.
E(AP, Y, NEW, unit_id=np.c_[QUERY % 5, ITEM + 60]).n_effective == 5
# The second column draws queries, so those of another sample may be others.
compare_samples(AP, *[{"y_true": Y, "y_score": NEW, "query_id": each, "unit_id": PAIRS} for each in (ITEM, -ITEM)], paired=False).n_fixed_queries == 0
E(AP, Y, NEW, query_id=QUERY % 6, unit_id=PAIRS).n_fixed_queries == 6
# A single query has positives, and rows of half of the units of the first column.
error(Y * LATE, unit_id=PAIRS + [0, 60], query_id=LATE, zero_division=np.nan) == error_of_late()
# Few pairs of an item with itself do not make few units.
E("interpolated_average_precision", Y, NEW, unit_id=PAIRS * (ITEM > 0)[:, None], recall_levels=101).n_units == 60
# All pairs of 60 items are a sample of 60.
E(AP, Y[ONCE], NEW[ONCE], unit_id=PAIRS[ONCE]).n_effective == 60
# It has no effect which unit of a pair is the first, also if both are one.
compared(AP, PAIRS) == compared(AP, SWAPPED)
compared(AP, PAIRS // 2) == compared(AP, SWAPPED // 2)
compared("precision@20", PAIRS // 2) == compared("precision@20", SWAPPED // 2)
compared("r_precision", PAIRS) == compared("r_precision", SWAPPED)
# Of tied rows, the recall of a share is the share, whatever the units.
E("recall@0.25", [1, 0, 1, 0], [0] * 4, unit_id=np.array([[0, 0], [0, 1], [1, 2], [2, 0]])).standard_error == 0
# Places of a cut would be those of one column.
len(E("precision@20", Y, NEW, unit_id=PAIRS)._places) == 0
""".strip().splitlines()  # fmt: skip


def error(y_true=Y, **options):
    return estimate_score(AP, y_true, NEW, **options).standard_error


def compared(score, units):
    """Return the numbers of a comparison in which each pair occurs once."""
    rows = Y[ONCE], NEW[ONCE], OLD[ONCE]
    found = compare_scores(score, *rows, unit_id=units[ONCE])
    return found.pvalue, found.df, *found.confidence_interval()


def error_of_late():
    return E(AP, Y[LATE], NEW[LATE], unit_id=PAIRS[LATE] + [0, 60]).standard_error


@pytest.mark.parametrize("line", [line for line in SAME if line[0] != "#"])
def test_two_numbers_are_equal(line):
    found, same = map(eval, line.split(" == "))
    assert found == pytest.approx(same, rel=1e-12)


# --- comparisons, results and errors --------------------------------------------------


@pytest.mark.parametrize("query", [None, QUERY, QUERY % 6])
def test_two_models_are_compared_by_units(query):
    rows = {"unit_id": PAIRS, "query_id": query}
    found = compare_scores(AP, Y, NEW, OLD, **rows)
    assert (found.test, found.df, found.n_units) == ("t", 59, 60)
    assert_test_and_interval_agree(found)
    order = np.random.default_rng(0).permutation(Y.size)
    samples = (
        {"y_true": Y[at], "y_score": score[at], "unit_id": PAIRS[at]}
        | ({} if query is None else {"query_id": query[at]})
        for score, at in ((NEW, slice(None)), (OLD, order))
    )
    same = compare_samples(AP, *samples, paired=True)
    assert same.pvalue == pytest.approx(found.pvalue, rel=1e-9)
    many = compare_many(AP, Y, {"new": NEW, "old": OLD}, **rows)
    assert (many.n_units_per_row, many.pvalue[0]) == (2, found.pvalue)


def test_few_units_warn():
    with warns_of("few_positives", r"too few units \(2\) .* Add more\.$"):
        estimate_score(AP, Y, NEW, unit_id=PAIRS % 2)


# Calls, and words of their errors.
WRONG = r"""
E(AP, Y, NEW, unit_id=PAIRS[:, [0, 1, 1]]) :: \(3540, 2\); got \(3540, 3\)
E(AP, Y, NEW, unit_id=PAIRS[:-1]) :: \(3540,\) or, if .* got \(3539, 2\)
E(AP, Y, NEW, unit_id=PAIRS.T) :: got \(2, 3540\)
E(AP, Y, NEW, unit_id=(QUERY, ITEM)) :: one id for each of 3540 samples; got shape \(2,\)
E(AP, Y, NEW, unit_id=PAIRS.tolist()) :: unit_id must .* got \[\[0, 1\]\], of type list
E(AP, Y, NEW, unit_id=FRAME.mask(PAIRS == 7)) :: unit_id\[:, 0\] is missing in row 413 and 58
E(AP, Y, NEW, unit_id=FRAME.assign(item="a")) :: unit_id must .* of type int and str
E(AP, Y, NEW, unit_id=PAIRS, n_positives=999) :: with n_positives, an interval requires .* one column of it .* got n_positives=999
E("success@1", Y, NEW, query_id=QUERY, unit_id=PAIRS) :: too narrow if documents
E("success@1", Y, NEW, query_id=QUERY, unit_id=ITEM) :: too narrow if documents
E("reciprocal_rank", Y, NEW, query_id=ITEM, unit_id=PAIRS) :: too narrow if documents
E("reciprocal_rank", Y, NEW, unit_id=PAIRS) :: pass query_id
compare_samples(AP, OF, OF | {"unit_id": PAIRS + 1}, paired=True) :: same units if.*\(59 of 61 are in both\)
compare_samples(AP, OF, OF | {"unit_id": QUERY}, paired=True) :: columns of unit_id; got 2 in first and 1
""".strip().splitlines()
OF = {"y_true": Y, "y_score": NEW, "unit_id": PAIRS}


@pytest.mark.parametrize("line", WRONG)
def test_an_error_shows_what_is_wrong(line):
    call, words = line.split(" :: ")
    with pytest.raises(ValueError, match=words):
        eval(call)
