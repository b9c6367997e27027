"""`average_precision_score` and the curves do what scikit-learn does, for every kind of
argument.

Value, warnings, error class and error text are compared with the installed scikit-learn
from 1.9 on. Texts of older versions differ, so only the class of the error is compared
with these.
"""

from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.metrics import average_precision_score as theirs
from sklearn.metrics import precision_recall_curve

import sklearn_ap
from brief import IS_BRIEF, each_pair
from drawn_calls import Outcome, kinds_of, outcome
from scoring import VERSION

CURRENT = VERSION >= (1, 9)
Y, S = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]


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


RNG = np.random.default_rng(0)
LABELS = {
    "binary": np.array([0, 1, 1, 0, 1, 0]),
    "columns": np.array([[0, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 0]]),
    "classes": np.array([0, 1, 2, 3, 2, 1, 0]),
}
SCORES = {
    shape: RNG.integers(0, 4, (len(y), 4) if shape == "classes" else y.shape) / 4
    for shape, y in LABELS.items()
}
# Deviations that docs/deviations.md lists, which `tests/pages/test_deviations.py`
# calls.
DEVIATING = {
    "y_true": {
        *("objects", "sparse", "matrix", "masked", "NaN", "None inside", "dates"),
        "empty",
        *("-1 and 1 columns", "categories columns"),
    },
    "y_score": {
        *("matrix", "masked", "None inside", "text inside", "text", "dates"),
        "extreme",
        *("datetimes", "one name twice", "column columns", "two columns columns"),
        *("few columns columns", "many columns columns", "list classes"),
        *("named backwards classes", "set classes"),
        *("other names classes", "names as text classes", "forest classes"),
        "list beyond 2**53 classes",
    },
    "sample_weight": {
        *("matrix", "masked", "text inside", "text", "dates", "empty", "set"),
        *("negative", "huge", "two columns"),
    },
    "average": set(),
    "pos_label": set(),
}
if not CURRENT:  # older versions return a value, or raise IndexError
    DEVIATING["y_score"] |= {"column classes", "two columns classes"}
    DEVIATING["y_score"] |= {"few columns classes", "many columns classes"}
    DEVIATING["sample_weight"].add("zeros")
KINDS = {shape: kinds_of(y, SCORES[shape], RNG) for shape, y in LABELS.items()}
CASES = [
    (shape, argument, kind)
    for shape, arguments in KINDS.items()
    for argument, kinds in arguments.items()
    for kind in kinds
    if not {kind, f"{kind} {shape}"} & DEVIATING[argument]
]


@pytest.mark.parametrize(("shape", "argument", "kind"), CASES)
def test_a_kind_of_argument(shape, argument, kind):
    """Each kind is also passed together with weights of float64, and with every
    average; in brief, with every other one.
    """
    weight = KINDS[shape]["sample_weight"]["floats"]()
    call = {
        "y_true": LABELS[shape],
        "y_score": SCORES[shape],
        "sample_weight": weight,
        argument: KINDS[shape][argument][kind](),
    }
    averages = ["macro", "micro", None]
    if (
        argument != "sample_weight"
    ):  # deviations for small or rounded weights are listed
        averages += ["weighted", "samples"]
    for average in averages[::2] if IS_BRIEF else averages:
        arguments = {"average": average} | call
        ours = outcome(sklearn_ap.average_precision_score, arguments)
        assert_same(ours, outcome(theirs, arguments))


def test_of_several_faults_the_error_is_about_the_same_one():
    faults = {"y_true": [0, 1], "y_score": [1, 2, 3], "average": "foo"}
    for more in ({}, {"sample_weight": "abc"}, {"pos_label": [1]}):
        ours = outcome(sklearn_ap.average_precision_score, faults | more)
        assert_same(ours, outcome(theirs, faults | more))


def test_infinite_scores_are_accepted_where_scikit_learn_assumes_finite_ones():
    rows = [0, 1, 1], [1.0, np.inf, -np.inf]
    with sklearn.config_context(assume_finite=True):
        ours = sklearn_ap.average_precision_score(*rows)
        assert ours == theirs(*rows)


def test_errors_of_parameters_name_the_function_that_was_called():
    with pytest.raises(
        ValueError, match="'average' parameter of recall_at_k_score must be"
    ):
        sklearn_ap.recall_at_k_score(Y, S, k=10, average="foo")
    with pytest.raises(TypeError, match="'pos_label' parameter of hit_curve must be"):
        sklearn_ap.hit_curve(Y, S, pos_label=[1])


# Objects are numbers here. Older versions of scikit-learn read some kinds in other
# ways.
CURVES = {
    f"{argument} {kind}": {argument: KINDS["binary"][argument][kind]()}
    for shape, argument, kind in CASES
    if shape == "binary" and kind != "objects" and CURRENT
    if argument not in ("average", "pos_label")
} | {
    "text": {"y_true": KINDS["binary"]["y_true"]["words"](), "pos_label": "c1"},
    "pos_label list": {"pos_label": [1]},
    "one class of three": {"y_true": [0, 2, 1, 2, 0, 1], "pos_label": 2},
    "no positive": {"y_true": [0] * 6},
    "one sample": {"y_true": [1], "y_score": [0.3], "sample_weight": None},
}


@each_pair(interpolated=[False, True], drop_intermediate=[False, True], case=[*CURVES])
def test_curves(interpolated, case, drop_intermediate):
    """The interpolated curve differs from scikit-learn's in its precision only."""
    arguments = {
        "y_true": LABELS["binary"],
        "y_score": SCORES["binary"],
        "sample_weight": KINDS["binary"]["sample_weight"]["floats"](),
        "pos_label": None,
        "drop_intermediate": drop_intermediate,
        **CURVES[case],
    }
    ours = outcome(
        partial(sklearn_ap.precision_recall_curve, interpolated=interpolated), arguments
    )
    reference = outcome(precision_recall_curve, arguments)
    if reference.error is not None:
        assert_same(ours, reference)
        return
    precision, recall, thresholds = reference.value
    if interpolated:
        beyond = [precision[:-1][recall[:-1] >= level] for level in recall[:-1]]
        precision = [*map(max, beyond), 1.0]
    expected = precision, recall, thresholds
    for mine, values in zip(ours.value, expected, strict=True):
        np.testing.assert_allclose(mine, values, rtol=0, atol=1e-14)
    assert ours.value[2].dtype == thresholds.dtype
    if CURRENT:
        assert ours.warnings == reference.warnings
