"""Errors of the core. Our texts begin with the argument and show the value. scikit-learn's
texts are kept, with at most one note, which names the argument and shows the rows or
values.
"""

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import sklearn_ap
from metrics import CALLED, CURVES
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    precision_at_recall_score,
    precision_recall_curve,
    r_precision_score,
    recall_at_k_score,
    recall_at_precision_score,
    reciprocal_rank_score,
    success_at_k_score,
)
from sklearn_ap._core.advice import advised

ROWS = {"y_true": [1, 0, 0, 1, 1], "y_score": [4, 3, 2, 1, 0]}
QUERY = ["b", "a", "b", "a", "c"]  # one positive each
PAIRS = [("a", 1.0), ("a", np.nan), ("a", np.nan), ("b", 2.0), ("b", 2.0)]


def each(name, *values, **more):
    """Return the arguments of a call for each value of one argument."""
    return [{name: value, **more} for value in values]


def matrices(name, *values, **more):
    return each(name, *values, y_true=np.eye(3, dtype=int), **more)


CLASSES = {"y_true": [*"abc"], "y_score": np.eye(3)}
AT_2 = {"function": average_precision_at_k_score, "k": 2}
NUMBERS = "n_positives must contain numbers >= 0 with a finite sum; got "
ONE = "n_positives must be one number "
REAL = "sample_weight must contain real numbers; got "
REFUSED = [
    # --- queries
    (
        "query_id is missing in row 1 and 1 other; every sample",
        each(
            "query_id",
            *(PAIRS, pd.MultiIndex.from_tuples(PAIRS)),
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
            *([1, 2], 3, csr_array([[1]] * 5)),
            pl.LazyFrame({"query": [1] * 5}),
        ),
    ),
    (
        "query_id must contain numbers, text.*list",
        each("query_id", [["a"]] * 5, (1, [2], 3, 4, 5)),
    ),
    (
        "query_id must contain numbers, text, .* all of one kind; got ",
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
        each("n_positives", {"A": 1, "a": 1, "b": 0.5, "c": 1}, query_id=QUERY),
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
        "query_id with the names of n_positives must contain .* all of one kind",
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
    # --- curves of several classes
    ("n_positives ", each("function", *CURVES, **CLASSES, n_positives=4)),
    (
        "Parameter pos_label is fixed",
        each("function", *CURVES, **CLASSES, pos_label="a"),
    ),
    ("pos_label=7 is not a valid label", each("function", *CURVES, pos_label=7)),
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
    *(
        (
            f"sample_weight must be equal inside each ranking: {reason}",
            # one weight per class, and other weights
            each("sample_weight", [2, 1, 1, 2, 2], [2, 1, 3, 2, 2], **options),
        )
        for reason, options in [
            ("ties='expected'", {"function": r_precision_score, "ties": "expected"}),
            ("normalizer='min'", {**AT_2, "n_positives": 9}),
            ("a rank counts rows", {"function": reciprocal_rank_score}),
        ]
    ),
    # --- labels and scores
    (
        "y_true must contain numbers or text; got",
        each(
            "y_true",
            *(np.arange(5).astype("m8[s]"), pd.Series(np.arange(5).astype("M8[D]"))),
        ),
    ),
    (
        "unknown format is not supported",  # float64 makes one of both
        each("y_true", [Decimal("1.00000000000000000001"), *map(Decimal, [1] * 4)]),
    ),
    (  # They may be measured values. Any number may be the positive class.
        "continuous format is not supported",
        each("y_true", [0.5, 1.5], [1.0, 1.5], y_score=[1, 2], pos_label=1.5),
    ),
    (
        "unknown format is not supported",
        each("y_true", [Decimal(1), 0], [Decimal(1), "a"], y_score=[2, 1]),
    ),
    *(
        (
            f"{argument} must contain .*; got .* in row 0",
            each(argument, pl.Series([[1], *[[2, 3]] * 4]), pa.array([[1]] * 5)),
        )
        for argument in ("y_true", "y_score", "sample_weight")
    ),
    (
        "y_true must contain numbers or text; got dtype .*f0",
        each("y_true", np.rec.fromarrays([range(5)])),
    ),
    (
        # The second text is that of scikit-learn before 1.9, and the third one is ours.
        "(`y_score` needs to be of shape|Expected 2D array|y_score has shape)",
        each("y_score", [1, 2, 3], np.eye(3)[:, :2].tolist(), y_true=[0, 1, 2]),
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
            k=10,
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


# --- advice: each kind once -----------------------------------------------------------

N = 8
Y, S = np.arange(N) % 2, np.linspace(0, 1, N)
PROBABILITIES = np.column_stack([1 - S, S])
LOGITS = np.column_stack([-3 * S, 2 * S])
WORDS, THREE = (
    np.array(["no", "yes"])[Y],
    np.array(["ant", "bee", "cat"])[np.arange(N) % 3],
)
NUMBERS_AS_TEXT = S.astype(str).astype(object)
AP = average_precision_score


def text_of(error):
    """Return the text of an error with its note."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def with_value(value, *rows, values=S):
    """Return values with another value in these rows."""
    return np.where(np.isin(np.arange(N), rows), value, values)


# The beginning of the text, which is scikit-learn's if it has the function, and words
# of the text or of its note: the argument, the value or the rows, and what to pass.
ADVICE = {
    "NaN": (
        lambda: AP(Y, with_value(np.nan, 3, 7)),
        "Input contains NaN.",
        ["y_score", "row 3 and 1 other"],
    ),
    "a missing value of pandas": (
        lambda: AP(Y, pd.Series(with_value(None, 3, values=Y), dtype="Int64")),
        "Input contains NaN.",
        ["y_score", "row 3"],
    ),
    "a missing value among objects": (
        lambda: AP([0, 1, 1], np.array([True, None, 0.5])),
        "Input contains NaN",
        ["y_score is not finite in row 1."],
    ),
    "numbers as text, after a number": (
        lambda: AP([0, 1, 1], np.array([0.5, "0.4", "0.3"], dtype=object)),
        "y_score must contain real numbers; got text such as '0.4'",
        ["np.asarray(y_score, dtype=float)"],
    ),
    "a missing label": (
        lambda: AP(with_value(np.nan, 3, 7, values=Y), S),
        "Input y_true contains NaN.",
        ["y_true", "row 3 and 1 other"],
    ),
    "a missing label of pandas": (
        lambda: AP(pd.Series(with_value(None, 3, values=Y), dtype="Int64"), S),
        "Input y_true contains NaN.",
        ["y_true", "row 3"],
    ),
    "infinity": (
        lambda: AP(Y, with_value(-np.inf, 3)),
        "Input contains infinity",
        ["row 3", "np.clip(y_score, "],
    ),
    "infinity in a matrix": (
        lambda: AP(np.eye(2), [[0.5, 0.5], [0.5, np.inf]]),
        "Input contains infinity",
        ["row 1", "np.clip(y_score, "],
    ),
    "logits": (
        lambda: AP(WORDS, LOGITS, pos_label="no"),
        "y should be a 1d array, got an array of shape (8, 2)",
        ["y_score[:, 0] - y_score[:, 1]"],
    ),
    "three columns": (
        lambda: AP(Y, np.column_stack([PROBABILITIES, S])),
        "y should be a 1d array, got an array of shape (8, 3)",
        ["y_score", "(8, 3)"],
    ),
    "three labels": (
        lambda: AP(THREE, S),
        # Before 1.9, scikit-learn has the second text.
        (
            "`y_score` needs to be of shape `(n_samples, n_classes)`",
            "Expected 2D array",
        ),
        ["'ant' (3 rows), 'bee' (3 rows), 'cat' (2 rows)", "pos_label", "average"],
    ),
    "three labels of a curve": (
        lambda: precision_recall_curve(THREE, S),
        "multiclass format is not supported",
        ["'ant' (3 rows), 'bee' (3 rows), 'cat' (2 rows)", "pos_label"],
    ),
    "one of three labels with a score each": (
        lambda: AP([0, 1, 2], np.eye(3), pos_label=2),
        "Parameter pos_label is fixed to 1 for multiclass y_true.",
        ["2 (1 row)"],
    ),
    "measured values": (
        lambda: AP(S + 0.5, Y),
        "continuous format is not supported",
        ["y_true has 8", "0.5 (1 row)", "..."],
    ),
    "text labels": (
        lambda: AP(WORDS, S),
        "pos_label=1 is not a valid label. It should be one of ['no'",
        ["pos_label='no'", "pos_label='yes'"],
    ),
    "text labels of a curve": (
        lambda: precision_recall_curve(WORDS, S),
        "y_true takes value in {'no', 'yes'} and pos_label is not specified",
        ["pos_label='no'", "pos_label='yes'"],
    ),
    "a superfluous keyword": (
        lambda: AP(Y, S, fp_cost=3),
        "average_precision_score() got an unexpected keyword argument 'fp_cost'",
        [],
    ),
    "a keyword of older versions of make_scorer": (
        lambda: AP(Y, S, needs_threshold=True),
        "average_precision_score() got an unexpected keyword argument 'needs_thresh",
        ["response_method='predict_proba'", "of make_scorer"],
    ),
    "a superfluous keyword of a curve": (
        lambda: hit_curve(Y, S, kk=1),
        "hit_curve() got an unexpected keyword argument 'kk'",
        [],
    ),
    "a missing keyword": (
        lambda: precision_at_recall_score(Y, S),
        "precision_at_recall_score requires recall=..., such as recall=0.8.",
        [],
    ),
    "no scores": (
        lambda: AP(Y),
        "average_precision_score() missing 1 required positional argument: 'y_score'",
        ["y_score=range(len(y_true), 0, -1)"],
    ),
    "a score as scoring=": (
        lambda: AP(None, Y, S),
        "average_precision_score() takes 2 positional arguments but 3 were given",
        [],
    ),
    "a float k": (
        lambda: precision_at_k_score(Y, S, k=np.float32(3)),
        "k must be None, an integer >= 1",
        ["pass 3:"],
    ),
    "a similar policy": (
        lambda: precision_at_k_score(Y, S, k=3, ties="stabel"),
        "ties must be",
        ["got 'stabel'; did you mean 'stable'?"],
    ),
    "several k": (
        lambda: precision_at_k_score(Y, S, k=[1, 5]),
        "k must be None, an integer >= 1",
        ["got [1, 5]", "one k per call"],
    ),
    "lists of ids": (
        lambda: AP([["a", "b"], ["c", "d"]], [["a", "c"], ["d", "b"]]),
        "multiclass-multioutput format is not supported",
        ["y_true", "(2, 2)", "read_lists"],
    ),
    "lists of ids of different lengths": (
        lambda: AP([["a"], ["c", "d"]], [["a", "c"], ["d", "b"]]),
        "",
        ["read_lists"],
    ),
    "scores of 0, 1 and NaN": (
        lambda: AP([1, 0, 1], [1, 0, np.nan]),
        "Input contains NaN",
        ["y_score is not finite", "!read_lists"],
    ),
    "one text among scores that are text": (
        lambda: AP(Y, with_value("error", 7, values=NUMBERS_AS_TEXT)),
        "y_score must contain real numbers; got 'error' in row 7.",
        [],
    ),
    "an id among the columns": (
        lambda: AP(*[pd.DataFrame({"id": [*"abcdefgh"], "a": Y, "b": 1 - Y})] * 2),
        "",
        ["y_true must contain numbers or text, all of one kind", "(8, 3)"],
    ),
    "a query that was not run": (
        lambda: AP(Y, pl.DataFrame({"score": S}).lazy()),
        "The 'y_score' parameter of average_precision_score must be an array-like.",
        ["LazyFrame"],
    ),
    "lists of scores of different lengths": (
        lambda: AP([0, 1], [[1], [1, 2]]),
        "setting an array element",
        ["y_score"],
    ),
    "images": (
        lambda: AP(np.ones((2, 2, 2)), np.ones((2, 2, 2))),
        "unknown format is not supported",
        ["y_true", "(2, 2, 2)"],
    ),
    "several columns of a curve": (
        lambda: precision_recall_curve(np.eye(3), S[:3]),
        "multilabel-indicator format is not supported",
        ["y_true", "(3, 3)"],
    ),
}


@pytest.mark.parametrize("kind", ADVICE)
def test_advice(kind):
    call, text, words = ADVICE[kind]
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert str(caught.value).startswith(text)
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) <= 1
    assert all(len(part.split()) <= 60 for part in (str(caught.value), *notes))
    for word in words:
        assert (word.removeprefix("!") in text_of(caught.value)) == (word[0] != "!")


def test_a_keyword_that_the_function_takes_has_no_advice():
    with pytest.raises(TypeError, match="y_true") as caught:
        advised(lambda y_true, *, k: (y_true, k))(k=1)
    assert text_of(caught.value) == str(caught.value)


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, pd.DataFrame])
@pytest.mark.parametrize("labels", [Y, WORDS, Y.astype(bool)])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("scores", [PROBABILITIES, LOGITS])
def test_the_column_to_pass_has_the_score_of_the_positive_class(
    form, labels, place, scores
):
    pos_label = np.unique(labels)[place]
    y_score = form(scores)
    with pytest.raises(ValueError, match="1d array") as caught:
        AP(labels, y_score, pos_label=pos_label)
    code = re.search(r"pass (.+\])", text_of(caught.value))[1]
    number = AP(labels, eval(code, {"np": np, "y_score": y_score}), pos_label=pos_label)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = AP(labels == pos_label, shares[:, place])
    assert number == pytest.approx(expected, abs=1e-15)


def test_columns_with_other_names_are_not_chosen():
    """Their order may differ from that of the classes."""
    with pytest.raises(ValueError, match="1d array") as caught:
        AP(WORDS, pd.DataFrame(PROBABILITIES, columns=["yes", "no"]), pos_label="no")
    assert "pass" not in text_of(caught.value)


def test_weights_are_one_column():
    with pytest.raises(ValueError, match=r"sample_weight should be a 1d .*\(4, 2\)"):
        AP([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=np.ones((4, 2)))


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


@pytest.mark.parametrize("score", AT_K)
def test_limits_of_k_are_valid(score):
    rows = [0, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    assert score(*rows, k=1) == 0
    assert score(*rows, k=2**53 - 1) >= 0
    with pytest.raises(ValueError, match=r"got 1\.0; pass None for no cut, or 1 for"):
        score(*rows, k=1.0)


@pytest.mark.parametrize("unknown", [None, np.nan, -1])
def test_advice_for_unknown_labels_ranks_the_other_cells_of_each_column(unknown):
    y_true = np.array([[0, 1], [1, unknown], [1, 0]])
    y_score = np.array([[0.3, 0.2], [0.1, 0.9], [0.2, 0.4]])
    with pytest.raises(ValueError, match=r"NaN|format is not supported") as error:
        AP(y_true, y_score)
    note = "".join(error.value.__notes__)
    assert "row 1" in note or unknown == -1
    keep, arguments = re.search(r"keep = (.*), pass (.*) to rank", note).groups()
    keep, y_true = eval(keep), y_true.astype(float)
    value = eval(f"AP({arguments})")
    assert value == (AP([0, 1, 1], y_score[:, 0]) + AP([1, 0], [0.2, 0.4])) / 2


@pytest.mark.parametrize(
    ("y_true", "y_score", "number"),
    [
        # By query 1/2 and 7/12; as ids of documents, nothing is found.
        ([[0, 1], [1, 0, 1]], [[0.5, 0.25], [0.1, 0.3, 0.2]], (1 / 2 + 7 / 12) / 2),
        # One of two, at rank 1 or 2.
        (["a", "b"], ["a", "c"], 1 / 2),
        (["a", "b"], ["c", "a"], 1 / 4),
        (["a"], ["b", "a"], 1 / 2),
        ([7, 5, 2], [9, 2], 1 / 6),
        ([["a", "b"], ["d"]], [["a", "c"], ["d"]], (1 / 2 + 1) / 2),
        ([["a", "b"], ["d", "e"]], [["a", "c"], ["f", "d"]], (1 / 2 + 1 / 4) / 2),
    ],
)
def test_advice_for_lists_ranks_each_query(y_true, y_score, number):
    with pytest.raises(ValueError, match=r"label|multi|shape|samples") as error:
        AP(y_true, y_score)
    of_labels = r"pass (np.concatenate.*) and (query_id.*\)); of lists"
    note = "".join(error.value.__notes__)
    if y_true[0] == [0, 1]:
        call = ", ".join(re.search(of_labels, note).groups())
    else:
        call = re.search(r"\*\*sklearn_ap.read_lists\(.*\)", note)[0]
    names = {"AP": AP, "np": np, "sklearn_ap": sklearn_ap}
    value = eval(f"AP({call})", names, {"y_true": y_true, "y_score": y_score})
    assert value == pytest.approx(number, abs=1e-15)


def test_advice_for_missing_scores_drops_the_rows_or_ranks_them_last():
    y_true, y_score = np.array([1, 1, 0, 0]), np.array([0.9, np.nan, 0.8, 0.1])
    with pytest.raises(ValueError, match="NaN") as error:
        AP(y_true, y_score)
    last = eval(re.search(r"or pass (.*) to rank", "".join(error.value.__notes__))[1])
    assert AP(y_true, last) == 0.75
    has_score = ~np.isnan(y_score)
    for total, value in ((None, 1), (2, 0.5)):
        rows = y_true[has_score], y_score[has_score]
        assert AP(*rows, n_positives=total) == value
