"""What may be passed: every container and dtype gives the same number, and nothing
passed is modified.
"""

import copy
import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn

import sklearn_ap
from metrics import CALLED, CURVES, WEIGHED
from sklearn_ap import average_precision_score, interpolated_average_precision_score

RNG = np.random.default_rng(3)
LABELS, SCORES = RNG.integers(0, 2, 30), RNG.integers(0, 9, 30) / 8
WEIGHTS, QUERIES = RNG.integers(0, 4, 30) / 4, RNG.integers(0, 4, 30)
ROWS = {
    "y_true": LABELS,
    "y_score": SCORES,
    "sample_weight": WEIGHTS,
    "query_id": QUERIES,
}


def read_only(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


class Wrapped:
    """An array-like of another library: only the protocol, as CPU torch tensors have
    it.
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
    "read-only": read_only,
    "strided": lambda values: np.repeat(values, 3)[::3],
    "reversed view": lambda values: values[::-1].copy()[::-1],
    "Fortran column": lambda values: np.asfortranarray(
        np.stack([values, values], axis=1)
    )[:, :1],
    "big-endian": lambda values: values.astype(values.dtype.newbyteorder(">")),
    "object": lambda values: values.astype(object),
    "unmasked": np.ma.array,
    "pandas": lambda values: pd.Series(values, index=range(99, 99 - len(values), -1)),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas pyarrow": lambda values: pd.Series(values).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:10], values[10:]]),
    "array protocol": Wrapped,
    "bfloat16": lambda values: values.astype(pytest.importorskip("ml_dtypes").bfloat16),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("argument", ROWS)
def test_containers_give_the_same_number(argument, container):
    converted = {argument: CONTAINERS[container](ROWS[argument])}
    expected = average_precision_score(**ROWS)
    assert average_precision_score(**{**ROWS, **converted}) == expected


@pytest.mark.parametrize("container", [list, np.array, np.uint64, pl.Series, pa.array])
def test_integers_keep_their_order(container):
    assert average_precision_score([0, 1, 0], container([2**53, 2**53 + 1, 3])) == 1.0


@pytest.mark.parametrize(
    "container", [list, pd.Series, lambda scores: np.array(scores, dtype=object)]
)
def test_objects_are_read_as_floats(container):
    scores = [Decimal("0.3"), Fraction(1, 3), 2**70, 0.5]
    for labels in ([0, 1, 0, 0], [1, 1, 0, 1]):
        expected = average_precision_score(labels, np.array(scores, dtype=np.float64))
        assert average_precision_score(labels, container(scores)) == expected


def test_a_hit_curve_keeps_integers_beyond_float64():
    scores = [2**53 + 1, 2**53, -(2**60) - 1]
    for weight in (None, [1, 2, 3]):
        _, _, threshold = sklearn_ap.hit_curve([1, 0, 1], scores, sample_weight=weight)
        assert threshold.tolist() == [np.inf, *scores]
    _, _, threshold = sklearn_ap.hit_curve([1, 0, 1], [2**53, 0, -(2**53)])
    assert threshold.dtype == np.float64


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_decimals_are_labels(kind):
    """A column of type NUMERIC has them."""
    labels = [kind(int(label)) for label in LABELS]
    expected = average_precision_score(LABELS, SCORES)
    assert average_precision_score(labels, SCORES) == expected
    assert average_precision_score(pd.Series(labels), SCORES) == expected
    matrix = np.array([labels, labels[::-1]], dtype=object).T
    assert average_precision_score(matrix, np.c_[SCORES, SCORES]) == pytest.approx(
        average_precision_score(matrix.astype(int), np.c_[SCORES, SCORES])
    )
    # float64 would make these two labels one
    with pytest.raises(ValueError, match="unknown format is not supported"):
        average_precision_score([Decimal("1.00000000000000000001"), kind(1)], [2, 1])


def test_texts_name_the_cast():
    def text(values):
        return np.array(values.astype(str), dtype=np.dtypes.StringDType())

    def cast_of(argument, values):
        with pytest.raises(ValueError, match=f"^{argument} must contain") as refused:
            average_precision_score(**{**ROWS, argument: values})
        return str(refused.value).partition("; pass ")[2].rstrip(".")

    forms = (
        text,
        lambda values: text(values).tolist(),
        lambda values: values.astype("S"),
    )
    for argument, form in product(("y_score", "sample_weight"), forms):
        values = form(ROWS[argument])
        number = eval(cast_of(argument, values), {"np": np, argument: values})
        np.testing.assert_array_equal(number, ROWS[argument])
        assert cast_of(argument, np.full(30, "yes")) == ""  # a label is not a score
    labels = text(LABELS)
    plain = eval(cast_of("y_true", labels), {"y_true": labels})
    plain = average_precision_score(plain, SCORES, pos_label="1")
    assert plain == average_precision_score(LABELS, SCORES)
    assert average_precision_score(
        **{**ROWS, "query_id": text(QUERIES)}
    ) == average_precision_score(**ROWS)


@pytest.mark.parametrize("argument", ROWS)
def test_arrays_of_pydata_sparse_name_the_cast(argument):
    class Sparse:
        """An array that becomes none of numpy, as those of pydata/sparse."""

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


STRANGE_WEIGHTS = {
    "text": ["1", "2", "3"],
    "words": ["a", "b", "c"],
    "text among numbers": np.array([1, "2", 3], dtype=object),
    "bytes": [b"1", b"2", b"3"],
    "dates": np.array([1, 2, 3], "M8[D]"),
    "durations": pd.to_timedelta(["1s", "2s", "3s"]),
    "dates of Python": [datetime.date(2020, 1, day) for day in (1, 2, 3)],
    "durations of Python": [datetime.timedelta(days) for days in (1, 2, 3)],
}


@pytest.mark.parametrize("kind", STRANGE_WEIGHTS)
def test_weights_that_are_no_numbers_are_refused(kind):
    weights = STRANGE_WEIGHTS[kind]
    with pytest.raises(
        ValueError, match=r"^sample_weight must contain real numbers; got "
    ):
        average_precision_score([1, 0, 1], [3, 2, 1], sample_weight=weights)


def test_ragged_weights_name_their_argument():
    with pytest.raises(ValueError, match=r"^sample_weight must contain one number per"):
        average_precision_score([1, 0], [2, 1], sample_weight=[[1], [1, 2]])


def test_infinities_are_refused_without_a_warning():
    for scores in ([np.inf, -np.inf, 0], np.array([[np.inf, -np.inf]] * 3)):
        with pytest.raises(ValueError, match="contains infinity"):
            average_precision_score(np.ones(np.shape(scores), int), scores)


@pytest.mark.parametrize(
    ("query_id", "what"),
    [
        (pl.LazyFrame({"query": [1, 1]}), "LazyFrame"),
        ((query for query in (1, 1)), "generator"),
        (scipy.sparse.csr_array([[1], [1]]), "csr_array"),
    ],
    ids=["lazy", "generator", "sparse"],
)
def test_ids_that_are_no_array_are_named(query_id, what):
    with pytest.raises(
        ValueError,
        match=f"^query_id must be one id for each of 2 .*; got type {what}\\.",
    ):
        average_precision_score([1, 0], [2, 1], query_id=query_id)


@pytest.mark.parametrize("unit", ["m8[s]", "M8[D]"])
def test_durations_and_dates_are_no_labels(unit):
    for labels in (np.array([0, 1, 1], unit), pd.Series(np.array([0, 1, 1], unit))):
        with pytest.raises(
            ValueError, match=r"^y_true must contain numbers or text; got dtype"
        ):
            average_precision_score(labels, [1, 2, 3])


def test_neighbouring_long_floats_are_ordered():
    long = np.longdouble(1) + np.finfo(np.longdouble).eps
    assert average_precision_score([1, 0], [long, 1]) == 1.0


def call(function, y_true, y_score, **arguments):
    if function in CURVES:
        arguments.pop("query_id")
    return function(y_true, y_score, **arguments)


@pytest.mark.parametrize(
    "function", [*CALLED, *CURVES], ids=lambda function: function.__name__
)
def test_nothing_passed_is_modified(function):
    arguments = [LABELS.tolist(), SCORES.tolist(), [1.0] * 30, QUERIES.tolist()]
    given = copy.deepcopy(arguments)
    call(function, given[0], given[1], sample_weight=given[2], query_id=given[3])
    assert given == arguments
    call(
        function,
        read_only(LABELS),
        read_only(SCORES),
        sample_weight=read_only(np.ones(30)),
        query_id=read_only(QUERIES),
    )


def test_skipped_validation_reads_the_same():
    with sklearn.config_context(skip_parameter_validation=True):
        assert average_precision_score(LABELS, SCORES) > 0
        with pytest.raises(ValueError, match="average"):
            average_precision_score(LABELS, SCORES, average="foo")


# --- recall levels --------------------------------------------------------------------


@pytest.mark.parametrize(
    "levels", [np.int64(3), [1.0, 0.0, 0.5], (0, 0.5, 1), pd.Series([0, 0.5, 1])]
)
def test_recall_levels_of_any_kind(levels):
    value = interpolated_average_precision_score(
        [1, 0, 0, 1], [4, 3, 2, 1], recall_levels=levels
    )
    assert value == pytest.approx((1 + 1 + 0.5) / 3)


# --- what is left of the table of inputs ----------------------------------------------


@pytest.mark.parametrize(
    "zero_division", [True, np.True_, 1, np.int8(1), np.float32(1), Fraction(1)]
)
def test_zero_division_of_any_kind(zero_division):
    """scikit-learn takes True for 1; numpy's True is the same."""
    assert average_precision_score([0, 0], [2, 1], zero_division=zero_division) == 1.0


def test_no_numpy_warning_on_extreme_scores():
    with np.errstate(all="raise"):
        for function in CALLED:
            for weights in (None, [1, 2, 3, 4]) if function in WEIGHED else (None,):
                function(
                    [1, 0, 1, 1],
                    [1.7e308, -1.7e308, 5e-324, 0.0],
                    sample_weight=weights,
                )
            function([1, 0, 1, 1], [1.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize(
    "prevalence", [Fraction(1, 10), np.float32(0.125), np.float64(0.1)], ids=repr
)
def test_a_prevalence_is_any_real_number(prevalence):
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    expected = average_precision_score(*rows, prevalence=float(prevalence))
    assert average_precision_score(*rows, prevalence=prevalence) == expected


def test_columns_go_by_the_names_of_classes_and_labels():
    """`tests/project/test_names_of_columns.py` draws names through every door."""
    scores = pd.DataFrame(np.eye(3), columns=["b", "c", "a"])
    assert average_precision_score(["b", "c", "a"], scores) == 1.0
    labels = pd.DataFrame(np.eye(3), columns=["b", "c", "a"])
    assert average_precision_score(labels, scores[["a", "b", "c"]]) == 1.0
    assert average_precision_score(labels, scores[["a", "b", "c"]].to_numpy()) < 1.0
