"""Every container and dtype of the arguments gives the same number, and no call
modifies an argument.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn

import sklearn_ap
from metrics import CALLED, CURVES, WEIGHED
from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    precision_recall_curve,
)

RNG = np.random.default_rng(3)
LABELS, SCORES = RNG.integers(0, 2, 30), RNG.integers(0, 9, 30) / 8
WEIGHTS, QUERIES = RNG.integers(0, 4, 30) / 4, RNG.integers(0, 4, 30)
ROWS = {
    "y_true": LABELS,
    "y_score": SCORES,
    "sample_weight": WEIGHTS,
    "query_id": QUERIES,
}


class Wrapped:
    """An array of another library that has only the array protocol, as CPU tensors of
    torch have it.
    """

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


CONTAINERS = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "column": lambda values: values[:, np.newaxis],
    "strided": lambda values: np.repeat(values, 3)[::3],
    "big-endian": lambda values: values.astype(values.dtype.newbyteorder(">")),
    "object": lambda values: values.astype(object),
    "unmasked": np.ma.array,
    "pandas": lambda values: pd.Series(values, index=range(99, 99 - len(values), -1)),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas pyarrow": lambda values: pd.Series(values).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.Series,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:10], values[10:]]),
    "array protocol": Wrapped,
    "bfloat16": lambda values: values.astype(pytest.importorskip("ml_dtypes").bfloat16),
}
# scikit-learn does not read such labels.
NUMBERS_OF_PYTHON = {
    # as from a column of type NUMERIC
    "decimals": lambda values: [*map(Decimal, values.tolist())],
    "fractions in a column": lambda values: np.array(
        [[Fraction(one)] for one in values.tolist()]
    ),
}


@pytest.mark.parametrize(
    ("argument", "container"),
    [
        *product(ROWS, CONTAINERS),
        *product(["y_score", "sample_weight"], NUMBERS_OF_PYTHON),
    ],
)
def test_containers_give_the_same_number(argument, container):
    convert = (CONTAINERS | NUMBERS_OF_PYTHON)[container]
    converted = {argument: convert(ROWS[argument])}
    expected = average_precision_score(**ROWS)
    assert average_precision_score(**{**ROWS, **converted}) == expected


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        ([2**53 + 1, 2**53, 0], "O"),
        ([0, -(2**53), -(2**53) - 1], "O"),
        ([2**53, 0, -(2**53)], "f"),
        ([7], "f"),
    ],
    ids=str,
)
def test_a_hit_curve_keeps_integers_beyond_float64(scores, kind):
    labels = [1, 0, 1][: len(scores)]
    _, _, threshold = sklearn_ap.hit_curve(labels, np.array(scores))
    assert threshold.tolist() == [np.inf, *scores]
    assert threshold.dtype.kind == kind


def text(values):
    return np.array(values.astype(str), dtype=np.dtypes.StringDType())


@pytest.mark.parametrize("argument", ["y_score", "sample_weight"])
@pytest.mark.parametrize(
    "form",
    [
        text,
        lambda values: text(values).tolist(),
        lambda values: values.astype("S"),
    ],
    ids=["strings", "list", "bytes"],
)
def test_the_error_about_numbers_as_text_advises_a_cast(argument, form):
    values = form(ROWS[argument])
    with pytest.raises(ValueError, match=f"^{argument} must contain") as refused:
        average_precision_score(**{**ROWS, argument: values})
    cast = str(refused.value).partition(": pass ")[2].rstrip(".")
    number = eval(cast, {"np": np, argument: values})
    np.testing.assert_array_equal(number, ROWS[argument])


@pytest.mark.parametrize("argument", ROWS)
def test_the_error_about_sparse_arrays_advises_a_cast(argument):
    class Sparse:
        """An array that numpy cannot convert, like those of pydata/sparse."""

        shape, dtype, device = LABELS.shape, LABELS.dtype, "cpu"

        def __array_namespace__(self):
            return np

        def __array__(self, *args, **kwargs):
            raise RuntimeError("Cannot convert a sparse array to dense automatically.")

        def todense(self):
            return LABELS

    with pytest.raises(
        ValueError, match=rf"^{argument} is sparse; pass {argument}\.todense\(\)\."
    ):
        average_precision_score(**{**ROWS, argument: Sparse()})


@pytest.mark.parametrize("argument", [*ROWS, "query_id"])
def test_types_that_numpy_does_not_have_raise_an_error_with_the_argument(argument):
    column = pl.Series([*range(LABELS.size)]).cast(pl.Int128)
    for values in (column, column.to_frame()):
        with pytest.raises(ValueError, match=rf"^{argument} must .*\[Int128\]"):
            average_precision_score(**{**ROWS, argument: values})


def read_only(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


def test_columns_that_scikit_learn_cannot_read_raise_an_error_about_their_shape():
    scores = np.ones((3, 2)).astype(pytest.importorskip("ml_dtypes").bfloat16)
    with pytest.raises(ValueError, match="y_score has shape"):
        average_precision_score(np.eye(3), scores)


@pytest.mark.parametrize(
    "function", [*CALLED, *CURVES], ids=lambda function: function.__name__
)
@pytest.mark.parametrize("form", [np.ndarray.tolist, read_only], ids=["list", "array"])
def test_nothing_passed_is_modified(form, function):
    arguments = {"y_true": LABELS, "y_score": SCORES, "sample_weight": np.ones(30)}
    if function not in CURVES:
        arguments["query_id"] = QUERIES
    given = {name: form(values) for name, values in arguments.items()}
    function(**given)
    for name, values in arguments.items():
        np.testing.assert_array_equal(given[name], values)


def test_arguments_are_checked_even_if_scikit_learn_skips_its_checks():
    with sklearn.config_context(skip_parameter_validation=True):
        assert average_precision_score(LABELS, SCORES) > 0
        with pytest.raises(ValueError, match="average"):
            average_precision_score(LABELS, SCORES, average="foo")


# The precision of a positive below a negative is 1/2, or the prevalence.
NUMBERS = [
    (
        "recall_levels",
        [0, 1],
        0.5,
        [np.int64(3), 10_000_000, [1.0, 0.0, 0.5], (0, 0.5, 1)],
    ),
    ("recall_levels", [0, 1], 0.5, [pd.Series([0, 0.5, 1])]),
    ("zero_division", [0, 0], 1.0, [True, np.True_, np.int8(1), Fraction(1)]),
    ("prevalence", [0, 1], 0.125, [Fraction(1, 8), np.float32(0.125)]),
]


@pytest.mark.parametrize(("option", "labels", "expected", "kinds"), NUMBERS)
def test_options_accept_numbers_of_any_type(option, labels, expected, kinds):
    for value in kinds:
        options = {option: value}
        found = interpolated_average_precision_score(labels, [2, 1], **options)
        assert found == expected, value


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
@pytest.mark.parametrize(
    "scores", [[1.7e308, -1.7e308, 5e-324, 0.0], [1.0, 1.0, 1.0, 0.0]]
)
def test_no_numpy_warning_on_extreme_scores(scores, weights):
    with np.errstate(all="raise"):
        for function in WEIGHED:
            function([1, 0, 1, 1], scores, sample_weight=weights)


# --- integers beyond 2^53 -------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, object, list])
@pytest.mark.parametrize("large", [2**53, 2**62])
def test_integers_of_64_bits_are_never_rounded(large, dtype):
    """The positive is above the negative by 1, or below it by 1."""
    for labels, expected in (([0, 1], 1.0), ([1, 0], 0.5)):
        scores = [large, large + 1]
        if dtype is not list:
            scores = np.array(scores, dtype=dtype)
        assert average_precision_score(labels, scores) == expected


@pytest.mark.parametrize(
    "scores",
    [
        [2**63 + 1, 2**63, 0],
        [2**70 + 1, 2**70, 0],
        [2**53 + 1, 2.0**53, 0.5],
        [Fraction(1, 3) + Fraction(1, 10**20), Decimal("1") / 3, 0],
    ],
)
@pytest.mark.parametrize("container", [list, np.array])
def test_other_numbers_of_python_are_read_as_float64(scores, container):
    """The first two scores are equal as float64, and so are a step."""
    assert average_precision_score([1, 0, 0], container(scores)) == 0.5
    *_, threshold = precision_recall_curve([1, 0, 0], container(scores))
    assert threshold.tolist() == [float(scores[2]), float(scores[1])]


def test_an_empty_text_is_a_label():
    labels, scores = [*"R", "", "", "", "R"], [5, 4, 3, 2, 1]
    assert average_precision_score(labels, scores, pos_label="R") == pytest.approx(0.7)
    labels[1] = "other"
    assert average_precision_score(labels, scores, pos_label="R") == pytest.approx(0.7)
