"""Errors of scores and curves: each begins with the argument, and what is wrong with
it.
"""

import datetime
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from metrics import CALLED
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    recall_at_precision_score,
    reciprocal_rank_score,
    success_at_k_score,
)

ROWS = {"y_true": [1, 0, 0, 1, 1], "y_score": [4, 3, 2, 1, 0]}
QUERY = ["b", "a", "b", "a", "c"]  # one positive each
PAIRS = [("a", 1.0), ("a", np.nan), ("a", np.nan), ("b", 2.0), ("b", 2.0)]


def each(name, *values, **more):
    """Return the arguments of a call for each value of one argument."""
    return [{name: value, **more} for value in values]


def matrices(name, *values, **more):
    return each(name, *values, y_true=np.eye(3, dtype=int), **more)


NUMBERS = "n_positives must contain numbers >= 0 with a finite sum; got "
ONE = "n_positives must be one number "
REAL = "sample_weight must contain real numbers; got "
REFUSED = [
    # --- queries
    (
        "query_id is missing in row 1 and 1 other; every sample",
        each(
            "query_id",
            *(PAIRS, pd.MultiIndex.from_tuples(PAIRS), pd.Series(PAIRS)),
            np.array(PAIRS, dtype=[("site", "U1"), ("day", float)]),
        ),
    ),
    (
        "query_id is missing in row 1",
        each(
            "query_id",
            *([1.0, np.nan, 1.0, 2.0, 2.0], ["a", np.nan, "a", "b", "b"]),
            np.array(["2020", "NaT", "2020", "2021", "2021"], dtype="M8[Y]"),
            pd.Series(["a", pd.NA, "a", "b", "b"], dtype="string"),
            pd.Series(["a", None, "a", "b", "b"]).astype("category"),
            pl.Series(["a", None, "a", "b", "b"]),
        ),
    ),
    (
        "query_id must be one id for each of 5 samples; got (shape|type)",
        each(
            "query_id",
            *([1, 2], np.ones((5, 2)), 3, "abcde", csr_array([[1]] * 5)),
            pl.LazyFrame({"query": [1] * 5}),
        ),
    ),
    (
        "query_id must contain numbers, text.*list",
        each("query_id", [["a"]] * 5, (1, [2], 3, 4, 5)),
    ),
    (
        "query_id must contain ids of one kind",
        each(
            "query_id",
            *([1, "1"], [b"a", "a"], ["a", (1, 2)], np.array([1, "a"], dtype=object)),
            y_true=[1, 0],
            y_score=[2, 1],
        ),
    ),
    (
        "query_id requires binary y_true",
        matrices("query_id", [1, 1, 2], y_score=np.eye(3))
        + each("query_id", [1, 1, 2], y_true=[0, 1, 2], y_score=np.eye(3)),
    ),
    ("average='samples' .* query_id", each("average", "samples", query_id=QUERY)),
    # --- totals
    (f"{NUMBERS}(-1|nan|'3')", each("n_positives", -1, np.nan, "3")),
    ("n_positives must not be below .*; got 2, where 3", each("n_positives", 2)),
    (f"{ONE}.* a mapping .*; got .*3", each("n_positives", {"a": 3})),
    (f"{ONE}.* one number per ranking .* .1 here", each("n_positives", [3, 3])),
    (f"{ONE}.*; got .0: 5", each("n_positives", {0: 5})),
    ("n_positives is a masked", each("n_positives", np.ma.array([3.0], mask=[True]))),
    (
        f"{ONE}.* .3 here., a mapping {{query: total}} with query_id",
        each("n_positives", [3], 137, query_id=QUERY),
    ),
    (f"{ONE}.*; got 137", matrices("n_positives", 137, y_score=np.eye(3))),
    (
        "n_positives contains no total for query 'c'",
        each("n_positives", {"a": 3, "b": 1}, query_id=QUERY),
    ),
    (
        "n_positives must not be below .*; got 0.5 for 'b', where 1 were",
        each("n_positives", {"a": 1, "b": 0.5, "c": 1}, query_id=QUERY),
    ),
    (
        "n_positives must not be below .*; got 2.5, where 3 were",
        each(
            "n_positives",
            dict.fromkeys("abc", 2.5 / 3),
            query_id=QUERY,
            average="micro",
        ),
    ),
    (
        "n_positives must name each query once",
        each("n_positives", pd.Series([1, 1, 1, 9], index=[*"abcc"]), query_id=QUERY),
    ),
    (
        "query_id with the names of n_positives must contain ids of one kind",
        each("n_positives", {"a": 1, "b": 1, "c": 1, 7: 1}, query_id=QUERY),
    ),
    (
        "n_positives must name queries; got .* with a missing name",
        each("n_positives", {"a": 1, "b": 1, "c": 1, np.nan: 1}, query_id=QUERY),
    ),
    (
        r"n_positives needs equal weights here: .*; got 9\.$",
        each("n_positives", 9, sample_weight=[1, 2, 1, 1, 1], function=hit_curve),
    ),
    # --- weights
    (
        REAL,
        each(
            "sample_weight",
            *([*"abcde"], np.array([1, "2", 3, 4, 5], dtype=object), [b"1"] * 5),
            *(pd.to_timedelta(["1s"] * 5), [datetime.date(2020, 1, 1)] * 5),
        ),
    ),
    ("sample_weight must not be negative", each("sample_weight", [1, -1, 1, 1, 1])),
    (
        r"sample_weight must be 0 or from 2\*\*-500 .*; got .* in row 1; multiply all",
        each("sample_weight", [1, 2.0**-501, 1, 1, 1], [1, 2.0**501, 1, 1, 1]),
    ),
    (
        "sample_weight must contain one number per",
        each("sample_weight", [[1], [1, 2], [1], [1], [1]]),
    ),
    # --- labels and scores
    (
        "y_true must contain numbers or text; got",
        each(
            "y_true",
            *(
                container(np.array([0, 1, 1, 1, 1], unit))
                for container in (np.array, pd.Series)
                for unit in ("m8[s]", "M8[D]")
            ),
        ),
    ),
    (  # scikit-learn's words, and the way out
        r"Input y_true contains NaN\. .*np\.nonzero\(keep\).*query_id",
        each(
            "y_true",
            *([0, np.nan, 1, 0, 1], pd.Series([0, 1, None, 0, 1], dtype="Int64")),
        ),
    ),
    (
        "unknown format is not supported",  # float64 makes one of both
        each("y_true", [Decimal("1.00000000000000000001"), *map(Decimal, [1] * 4)]),
    ),
    (
        "y_score must contain real numbers",
        each("y_score", np.rec.fromarrays([range(5)])),
    ),
    (
        "y_score has shape",
        matrices(
            "y_score",
            *(np.ones((3, 2)), pd.DataFrame(np.eye(3, 2), columns=[*"aa"])),
            pd.DataFrame({"a": pd.array([0, None, 2]), "b": [0.5, 1, 2]}),
        ),
    ),
    (
        "Found input variables with inconsistent numbers of samples",
        each("y_score", [[1], [1, 2]])
        + each("y_score", [np.eye(5), [1]], y_true=np.eye(5, 2, dtype=int)),
    ),
    # --- options
    (
        "ties='expected' is not supported with normalizer='hits'",
        each(
            "ties",
            "expected",
            **{"normalizer": "hits", "k": 1, "function": average_precision_at_k_score},
        ),
    ),
    (
        "ties must be one .*; got 'proportional'",
        each(
            "function",
            *(reciprocal_rank_score, success_at_k_score),
            ties="proportional",
        ),
    ),
    (
        "prevalence=1e-20 would multiply",
        each("prevalence", 1e-20, sample_weight=[1e150, 1e-150, 1e-150, 1, 1]),
    ),
]
CASES = [(text, arguments) for text, calls in REFUSED for arguments in calls]


@pytest.mark.parametrize(("text", "arguments"), CASES)
def test_errors(text, arguments):
    call = {"function": average_precision_score, **ROWS, **arguments}
    function = call.pop("function")
    with pytest.raises(ValueError, match=f"^{text}"):
        function(**call)


def test_infinity_in_a_matrix_is_located():
    scores = np.array([[0.5, 0.5], [0.5, np.inf]])
    with pytest.raises(ValueError, match=r"^Input contains infinity") as caught:
        average_precision_score(np.eye(2, dtype=int), scores)
    assert caught.value.__notes__ == ["y_score is not finite in row 1."]


# --- values that an option does not take ------------------------------------------------

AT_K = [average_precision_at_k_score, precision_at_k_score, recall_at_k_score]
NO_LEVELS = [-0.1, 1.1, np.nan, "0.5", None, True, [0.5]]
NO_SHARES = [0, 1.0, -0.1, 30, np.nan, np.inf, True, "0.1", [0.1], Fraction(1, 10**400)]
NO_CUTS = [0, -1, 1.5, 0.0, 2.0, True, "10", np.nan, [[3]], np.inf, 2**53]
NO_LISTS_OF_LEVELS = [
    *(True, 1, 2**53, 1.5, [], [[0.5]], [0.5, 1.1], [-0.1], [np.nan], "all", [None]),
    *({"a": 1}, [b"0.5"], np.array([0.5 + 1j]), np.array([0], dtype="M8[s]")),
]
OUTSIDE = [
    (
        [interpolated_average_precision_score],
        "recall_levels must be None, an integer from 2 ",
        NO_LISTS_OF_LEVELS,
    ),
    (
        [average_precision_score],
        r"zero_division must be 'warn', 0\.0, 1\.0 or nan",
        ["raise", 0.5, 2, None, [0], "nan", 1 + 0j],
    ),
    (AT_K, "k must be None, an integer >= 1", NO_CUTS),
    (
        [precision_at_recall_score],
        r"recall must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [recall_at_precision_score],
        r"precision must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [score for score in CALLED if "prevalence" in signature(score).parameters],
        "prevalence must be None or a share ",
        NO_SHARES,
    ),
]


@pytest.mark.parametrize(("scores", "text", "values"), OUTSIDE)
def test_values_outside_an_option(scores, text, values):
    for score, value in product(scores, values):
        with pytest.raises(ValueError, match=f"^{text}.*; got "):
            score([1, 0], [2, 1], **{text.split()[0]: value})


@pytest.mark.parametrize(
    ("params", "end"),
    [
        ({"ties": "stabel"}, "got 'stabel'; did you mean 'stable'?"),
        ({"k": np.float32(3)}, "; pass 3: a float is a share."),
        ({"k": 1.5}, "got 1.5."),
    ],
)
def test_an_error_suggests_what_was_meant(params, end):
    with pytest.raises(ValueError, match="must be") as caught:
        AT_K[0]([1, 0], [2, 1], **params)
    assert str(caught.value).endswith(end)


@pytest.mark.parametrize("score", AT_K)
def test_limits_of_k_are_valid(score):
    labels, scores = [0, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    all_rows = score(labels, scores, k=None)
    assert score(labels, scores, k=1.0) == all_rows
    assert score(labels, scores, k=1) == 0
    if score is not precision_at_k_score:
        assert score(labels, scores, k=2**53 - 1) == all_rows


def test_a_total_of_0_is_valid_without_positives():
    options = {"n_positives": 0, "zero_division": 1.0}
    assert average_precision_score([0, 0], [2, 1], **options) == 1.0


def test_the_lowest_number_of_recall_levels_is_two():
    """The levels 0 and 1 have the best precisions 1 and 2/3."""
    rows = [1, 0, 1], [3, 2, 1]
    score = interpolated_average_precision_score(*rows, recall_levels=2)
    assert score == pytest.approx(5 / 6, rel=1e-15)
