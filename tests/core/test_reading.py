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

from metrics import CALLED, CURVES, WEIGHED
from sklearn_ap import (
    average_precision_score,
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


# Containers of the values v.
CONTAINERS = {
    "list": "v.tolist()",
    "tuple": "tuple(v.tolist())",
    "column": "v[:, np.newaxis]",
    "strided": "np.repeat(v, 3)[::3]",
    "big-endian": "v.astype(v.dtype.newbyteorder('>'))",
    "object": "v.astype(object)",
    "unmasked": "np.ma.array(v)",
    "pandas": "pd.Series(v, index=range(99, 99 - len(v), -1))",
    "pandas nullable": "pd.Series(v).convert_dtypes()",
    "pandas pyarrow": "pd.Series(v).convert_dtypes(dtype_backend='pyarrow')",
    "polars": "pl.Series(v)",
    "pyarrow chunked": "pa.chunked_array([v[:10], v[10:]])",
    "array protocol": "Wrapped(v)",
    "bfloat16": "v.astype(pytest.importorskip('ml_dtypes').bfloat16)",
}
# scikit-learn does not read such labels. A column of type NUMERIC has decimals.
NUMBERS_OF_PYTHON = {
    "decimals": "[*map(Decimal, v.tolist())]",
    "fractions in a column": "np.array([[Fraction(one)] for one in v.tolist()])",
}
NAMES = {"np": np, "pd": pd, "pl": pl, "pa": pa, "pytest": pytest}
NAMES |= {"Wrapped": Wrapped, "Decimal": Decimal, "Fraction": Fraction}


@pytest.mark.parametrize(
    ("argument", "container"),
    [
        *product(ROWS, CONTAINERS),
        *product(["y_score", "sample_weight"], NUMBERS_OF_PYTHON),
    ],
)
def test_containers_give_the_same_number(argument, container):
    code = (CONTAINERS | NUMBERS_OF_PYTHON)[container]
    converted = {argument: eval(code, NAMES | {"v": ROWS[argument]})}
    expected = average_precision_score(**ROWS)
    assert average_precision_score(**{**ROWS, **converted}) == expected


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


@pytest.mark.parametrize("argument", ROWS)
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


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
@pytest.mark.parametrize(
    "scores", [[1.7e308, -1.7e308, 5e-324, 0.0], [1.0, 1.0, 1.0, 0.0]]
)
def test_no_numpy_warning_on_extreme_scores(scores, weights):
    with np.errstate(all="raise"):
        for function in WEIGHED:
            function([1, 0, 1, 1], scores, sample_weight=weights)
