"""A table of inputs on which `average_precision_score` and the curves do what
scikit-learn's do.

Value, warnings, error class and error text are compared with the installed
scikit-learn, from 1.9 on; with older ones, whose texts differ, whether there is an
error and of which class.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score as theirs
from sklearn.metrics import precision_recall_curve

import sklearn_ap
from scoring import VERSION

CURRENT = VERSION >= (1, 9)
Y, S = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]
Y2, S2 = (
    np.array([[0, 1], [1, 0], [1, 1]]),
    np.array([[0.1, 0.2], [0.3, 0.4], [0.2, 0.2]]),
)
Y3, S3 = (
    [0, 1, 2, 1],
    np.array([[0.7, 0.2, 0.1], [0.4, 0.3, 0.3], [0.1, 0.1, 0.8], [0.2, 0.5, 0.3]]),
)


@dataclass
class Outcome:
    value: object
    warnings: list[tuple[type, str]]
    error: Exception | None


def outcome(function, *args, **kwargs) -> Outcome:
    value, error = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **kwargs)
        except Exception as raised:  # whatever it is, it is compared
            error = raised
    # We warn once per call, scikit-learn once per ranking; a cast of NaN warns before
    # its error.
    seen = {
        (w.category, str(w.message))
        for w in caught
        if "invalid value" not in str(w.message)
    }
    return Outcome(value, sorted(seen, key=str), error)


def assert_same(ours: Outcome, reference: Outcome) -> None:
    if reference.error is not None:
        assert type(ours.error) is type(reference.error), ours
        if CURRENT:
            assert str(ours.error) == str(reference.error)
        return
    assert ours.error is None
    np.testing.assert_allclose(ours.value, reference.value, rtol=0, atol=1e-12)
    assert np.shape(ours.value) == np.shape(reference.value)
    if CURRENT:
        assert ours.warnings == reference.warnings


VALID = {
    "lists": (Y, S),
    "column list": ([[0], [1], [1], [0]], S),
    "bool labels": (np.array(Y, dtype=bool), S),
    "float labels": (np.array(Y, dtype=float), S),
    "-1 and 1": ([-1, 1, 1, -1], S),
    "1 and 2": ([1, 2, 1, 2], S),
    "no positive": ([0, 0, 0, 0], S),
    "one other label": ([2, 2, 2, 2], S),
    "one other string": (["a", "a", "a", "a"], S),
    "only positives": ([1, 1, 1, 1], S),
    "constant scores": (Y, [0.5] * 4),
    "zeros of both signs": (Y, [0.0, -0.0, 0.0, -1.0]),
    "integer scores": (Y, [3, 1, 2, 2]),
    "bool scores": (Y, [True, False, True, False]),
    "float16 scores": (Y, np.array(S, dtype=np.float16)),
    "float32 scores": (Y, np.array(S, dtype=np.float32)),
    "longdouble scores": (Y, np.array(S, dtype=np.longdouble)),
    "integers beyond 2**53": (Y, np.array([2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3])),
    "an ulp apart": (Y, [0.5, 0.5 + 2**-53, 0.5 - 2**-53, 0.5 + 2**-52]),
    "one negative": ([0], [0.3]),
    "pandas boolean": (pd.Series([False, True, True, False], dtype="boolean"), S),
    "pandas categorical": (pd.Series(Y).astype("category"), S),
    "pandas frame": (pd.DataFrame({"y": Y}), pd.DataFrame({"s": S})),
    "multilabel": (Y2, S2),
    "multilabel lists": (Y2.tolist(), S2.tolist()),
    "multilabel frame": (pd.DataFrame(Y2), pd.DataFrame(S2)),
    "multilabel polars": (pl.DataFrame(Y2), pl.DataFrame(S2)),
    "multilabel empty column": (np.array([[0, 1], [0, 0], [0, 1]]), S2),
    "multilabel nothing": (np.zeros((3, 2), dtype=int), S2),
    "multilabel all": (np.ones((3, 2), dtype=int), S2),
    "multilabel Fortran order": (np.asfortranarray(Y2), np.asfortranarray(S2)),
    "multiclass": (Y3, S3),
    "multiclass strings": (["x", "y", "z", "y"], S3),
}
WITH_WEIGHTS = {
    "none": None,
    "ones": [1, 1, 1, 1],
    "integers": [2, 1, 3, 1],
    "floats": np.array([0.3, 0.1, 2.5, 0.2]),
    "float32": np.array([0.25, 0.125, 2.5, 0.5], dtype=np.float32),
    "zeros": [0, 1, 0, 2],
    "column": np.array([[1.0], [2.0], [1.0], [3.0]]),
    "pandas": pd.Series([1.0, 2.0, 1.0, 3.0], index=[9, 8, 7, 6]),
}


if not CURRENT:
    del WITH_WEIGHTS["column"]  # breaks with average="samples"


AVERAGES = ["macro", "micro", "weighted", "samples", None]


@pytest.mark.parametrize("case", VALID)
def test_valid_input(case):
    """Weights have a reader of their own: every kind meets each average, case after
    case.
    """
    y_true, y_score = VALID[case]
    for turn, average in enumerate(AVERAGES):
        weight = list(WITH_WEIGHTS.values())[
            (5 * list(VALID).index(case) + turn) % len(WITH_WEIGHTS)
        ]
        weight = None if weight is None else weight[-len(y_true) :]
        arguments = {"average": average, "sample_weight": weight}
        assert_same(
            outcome(sklearn_ap.average_precision_score, y_true, y_score, **arguments),
            outcome(theirs, y_true, y_score, **arguments),
        )


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (Y, 0),
        (Y, True),
        (Y, 1.0),
        (Y, np.int64(1)),
        (np.array(Y, dtype=bool), False),
        (["no", "yes", "yes", "no"], "yes"),
        (np.array(["no", "yes", "yes", "no"], dtype=object), "no"),
        (pd.Series(["no", "yes", "yes", "no"]), "yes"),
        (pd.Series(["no", "yes", "yes", "no"]).astype("category"), "yes"),
        (pl.Series(["no", "yes", "yes", "no"]), "yes"),
        (pa.array(["no", "yes", "yes", "no"]), "yes"),
        (["no", "yes", "yes", "no"], np.str_("yes")),
        ([5, 5, 5, 5], 5),
        ([5, 5, 5, 5], 6),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_pos_label(labels, pos_label):
    assert_same(
        outcome(sklearn_ap.average_precision_score, labels, S, pos_label=pos_label),
        outcome(theirs, labels, S, pos_label=pos_label),
    )


NAN, INF = float("nan"), float("inf")
ROWS = {"y_true": Y, "y_score": S}  # what a case of these tables does not name
REFUSED = {
    "average": {"average": "foo"},
    "average of another type": {"average": 3},
    "average, multilabel": {"y_true": Y2, "y_score": S2, "average": "binary"},
    "pos_label None": {"pos_label": None},
    "pos_label list": {"pos_label": [1]},
    "pos_label absent": {"pos_label": 7},
    "pos_label absent string": {"pos_label": "1"},
    "pos_label NaN": {"pos_label": NAN},
    "string labels": {"y_true": ["a", "b", "b", "a"]},
    "pos_label, multilabel": {"y_true": Y2, "y_score": S2, "pos_label": 0},
    "pos_label, multiclass": {"y_true": Y3, "y_score": S3, "pos_label": 2},
    "y_true None": {"y_true": None},
    "y_true number": {"y_true": 1},
    "y_true string": {"y_true": "0110"},
    "y_true set": {"y_true": {0, 1}},
    "y_score None": {"y_score": None},
    "y_score sparse": {"y_true": Y2, "y_score": csr_array(S2)},
    "y_score number": {"y_score": 0.5},
    "sample_weight number": {"sample_weight": 2.0},
    "sample_weight string": {"sample_weight": "abcd"},
    "NaN score": {"y_score": [0.1, NAN, 0.3, 0.4]},
    "infinite score": {"y_score": [0.1, INF, 0.3, 0.4]},
    "missing score": {"y_score": pd.Series([0.1, None, 0.3, 0.4], dtype="Float64")},
    "NaN score, multilabel": {"y_true": Y2, "y_score": np.where(S2 == 0.4, NAN, S2)},
    "infinite label": {"y_true": [0.5, INF, 1, 0]},
    "NaN weight": {"sample_weight": [1, NAN, 1, 1]},
    "infinite weight": {"sample_weight": [1, INF, 1, 1]},
    "weights of 0": {"sample_weight": [0, 0, 0, 0]},
    "short scores": {"y_score": S[:3]},
    "short weights": {"sample_weight": [1, 1]},
    "short scores, multilabel": {"y_true": Y2, "y_score": S2[:2]},
    "scores of two columns": {"y_score": np.ones((4, 2))},
    "scores of one column, multilabel": {"y_true": Y2, "y_score": S2[:, 0]},
    "continuous labels": {"y_true": [0.1, 0.2, 0.3, 0.4]},
    "continuous columns": {"y_true": S2, "y_score": S2},
    "multiclass, 1-D scores": {"y_true": Y3, "y_score": np.array(S)},
    "multiclass, few columns": {"y_true": Y3, "y_score": S3[:, :2]},
    "multiclass-multioutput": {"y_true": [[1, 2], [3, 1], [0, 1]], "y_score": S2},
    "three dimensions": {"y_true": np.zeros((2, 2, 2)), "y_score": S2},
    "legacy multilabel": {"y_true": [[0, 1], [1], [0]], "y_score": S2},
    "bytes labels": {"y_true": [b"a", b"b", b"b", b"a"], "pos_label": "a"},
    "complex scores": {"y_score": [1j, 0, 1, 2]},
}


if not CURRENT:
    del REFUSED["weights of 0"]  # was an IndexError
    del REFUSED["multiclass, few columns"]  # was accepted


@pytest.mark.parametrize("case", REFUSED)
def test_refused_input(case):
    arguments = ROWS | REFUSED[case]
    reference = outcome(theirs, **arguments)
    assert reference.error is not None
    assert_same(outcome(sklearn_ap.average_precision_score, **arguments), reference)


@pytest.mark.parametrize(
    "labels", [[0, NAN, 1, 0], pd.Series([0, 1, None, 0], dtype="Int64")]
)
def test_a_missing_label_is_refused_by_the_same_words_and_the_way_out(labels):
    refused = outcome(theirs, labels, S).error
    assert refused is not None
    with pytest.raises(
        type(refused), match=r"^Input y_true contains NaN\. .*query_id.*np\.nan"
    ):
        sklearn_ap.average_precision_score(labels, S)
    assert not CURRENT or str(refused) == "Input y_true contains NaN."


def test_refused_parameter_is_named_with_its_own_function():
    with pytest.raises(
        ValueError, match="'average' parameter of recall_at_k_score must be"
    ):
        sklearn_ap.recall_at_k_score(Y, S, average="foo")
    with pytest.raises(TypeError, match="'pos_label' parameter of hit_curve must be"):
        sklearn_ap.hit_curve(Y, S, pos_label=[1])


CURVES = {
    "lists": {},
    "-1 and 1": {"y_true": [-1, 1, 1, -1]},
    "strings": {"y_true": ["no", "yes", "yes", "no"], "pos_label": "yes"},
    "one class of three": {"y_true": [0, 2, 1, 2], "pos_label": 2},
    "weights": {"sample_weight": [0.1, 2, 3, 0]},
    "ties": {"y_true": [0, 1, 1, 0, 1, 0], "y_score": [1, 1, 2, 2, 3, 3]},
    "drop_intermediate": {
        "y_true": [0, 0, 0, 0, 1, 1],
        "y_score": [0.0, 0.2, 0.5, 0.6, 0.7, 1.0],
        "drop_intermediate": True,
    },
    "drop_intermediate, weights": {
        "sample_weight": [2, 1, 3, 0.5],
        "drop_intermediate": True,
    },
    "drop_intermediate, no positive": {
        "y_true": [0, 0, 0, 0],
        "drop_intermediate": True,
    },
    "full recall early": {
        "y_true": [0, 0, 0, 1, 0, 1],
        "y_score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    },
    "no positive": {"y_true": [0, 0, 0, 0]},
    "one sample": {"y_true": [1], "y_score": [0.3], "drop_intermediate": True},
    "labels to be named": {"y_true": [1, 2, 1, 2]},
    "multiclass": {"y_true": Y3},
    "pos_label list": {"pos_label": [1]},
    "NaN score": {"y_score": [0.1, NAN, 0.3, 0.4]},
    "short scores": {"y_score": S[:3]},
}


@pytest.mark.parametrize("case", CURVES)
def test_curves(case):
    """The interpolated curve differs from scikit-learn's in its precision alone."""
    arguments = ROWS | CURVES[case]
    ours = outcome(sklearn_ap.interpolated_precision_recall_curve, **arguments)
    reference = outcome(precision_recall_curve, **arguments)
    if reference.error is not None:
        own = str(reference.error).replace(
            "precision_recall_curve", "interpolated_precision_recall_curve"
        )
        reference.error = type(reference.error)(own)
        assert_same(ours, reference)
        return
    precision, recall, thresholds = reference.value
    envelope = [precision[:-1][recall[:-1] >= r].max() for r in recall[:-1]] + [1.0]
    for mine, expected in zip(ours.value, (envelope, recall, thresholds), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-12)
    assert ours.value[2].dtype == thresholds.dtype
    if CURRENT:
        assert ours.warnings == reference.warnings
