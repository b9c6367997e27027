"""Each argument of `score_as` changes the number of a record, or an error names the
argument.
"""

import re
from inspect import signature

import numpy as np
import pytest

from scores import used_by
from sklearn_ap import make_scorer
from sklearn_ap.compatibility import CONVENTIONS, NoNumberError, score_as

_RNG = np.random.default_rng(0)
N = 60
QUERY = np.arange(N) % 3
Y_TRUE = (_RNG.random(N) < 0.4).astype(int)
# The first positive, the first rows of halves and the ends of ties differ.
Y_TRUE[:9] = 0
Y_TRUE[24:32] = 1
ROWS = {"y_true": Y_TRUE, "y_score": np.arange(N, 0, -1) / N}
FLIPPED = {"y_true": 1 - Y_TRUE}
TIED = {"y_score": np.repeat([3, 2], N // 2) / 4}
ITEMS = np.array([f"{row:02}" for row in range(N)])
TOTALS = dict.fromkeys(range(3), 15)
# Two values of each argument, and other arguments of the call.
VALUES = {
    "k": ([1, 30], {}),
    "average": (["macro", None], {"query_id": QUERY}),
    "pos_label": ([0, 1], {"k": 9}),
    "sample_weight": (_RNG.integers(1, 9, (2, N)), FLIPPED),
    "query_id": ([QUERY, np.arange(N) // 12], {"k": 2, **FLIPPED}),
    # Query 3 has no rows.
    "n_positives": ([TOTALS, TOTALS | {0: 16, 3: 5}], {"query_id": QUERY, **FLIPPED}),
    "item_id": ([ITEMS, ITEMS[::-1]], {"k": 5, **TIED}),
}


def number_or_error(record, argument, value):
    """Return the number of a record, or the text of an error that names the argument."""
    _, more = VALUES[argument]
    options = used_by(record, **{"k": 20} | more) | {argument: value}
    try:
        return score_as(record, **ROWS | options)
    except ValueError as error:
        text = str(error)
    assert re.search(rf"\b{argument}\b", text), text
    return "refused"


@pytest.mark.filterwarnings("ignore:The number of:UserWarning")
@pytest.mark.parametrize("argument", VALUES)
def test_each_record_uses_an_argument_or_refuses_it_by_name(argument):
    n_used = 0
    for name in CONVENTIONS:
        first, second = (
            number_or_error(name, argument, value) for value in VALUES[argument][0]
        )
        is_refused = isinstance(first, str) or isinstance(second, str)
        assert is_refused or not np.array_equal(first, second, equal_nan=True), name
        n_used += not is_refused
    assert n_used > 10


def test_the_values_are_those_of_all_arguments():
    assert [*signature(score_as).parameters][3:] == [*VALUES]


WITHOUT_CUT = [name for name, record in CONVENTIONS.items() if record.cut != "k"]


@pytest.mark.parametrize("name", WITHOUT_CUT)
def test_a_record_without_a_cut_refuses_k(name):
    text = f"k must be None for {name!r}, which has no cut at k"
    with pytest.raises(NoNumberError, match=re.escape(f"{text}; got 20.")):
        score_as(name, **ROWS, k=20)
    with pytest.raises(TypeError, match=r"^k must be None for .*; got 20\.$"):
        make_scorer(score_as, convention=name, k=20)


def test_scorers_of_records_refuse_arguments_when_they_are_made():
    with pytest.raises(
        TypeError, match=r"^query_id must .*'scikit-learn', which takes"
    ):
        make_scorer(score_as, convention="scikit-learn", query_id="groups")
    with pytest.raises(
        TypeError, match=r"^n_positives must be None for 'ROCR aucpr', "
    ):
        make_scorer(score_as, convention="ROCR aucpr", n_positives={1: 2})
