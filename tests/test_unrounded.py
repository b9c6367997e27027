"""Integers beyond 2**53: containers of one type keep their exact order; floats next to them are refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklearn_ap import average_precision_score, operating_point

BASE = 2**53
INTEGERS = st.integers(BASE - 2, BASE + 6) | st.integers(2**62, 2**62 + 3) | st.integers(0, 3)
NEAR = st.integers(-3, 6).map(lambda step: float(BASE + 2 * step))  # floats beside these integers
OF_INTEGERS = {
    "list": list,
    "tuple": tuple,
    "column in lists": lambda values: [[one] for one in values],
    "numpy": np.array,
    "numpy uint64": lambda values: np.array(values, dtype=np.uint64),
    "numpy objects": lambda values: np.array(values, dtype=object),
    "numpy column": lambda values: np.array(values)[:, np.newaxis],
    "list of numpy's": lambda values: [np.int64(one) for one in values],
    "pandas": pd.Series,
    "pandas index": lambda values: pd.Index(values, dtype="Int64"),
    "pandas array": lambda values: pd.array(values, dtype="Int64"),
    "pandas UInt64": lambda values: pd.Series(values, dtype="UInt64"),
    "pandas pyarrow": lambda values: pd.Series(values, dtype="int64[pyarrow]"),
    "pandas column": lambda values: pd.DataFrame({"score": values}, dtype="Int64"),
    "polars": pl.Series,
    "polars column": lambda values: pl.DataFrame({"score": values}),
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:1], values[1:]]),
}
OF_LISTS = {
    "list": list,
    "tuple": tuple,
    "list of numpy's": lambda values: [np.asarray(one)[()] for one in values],
    "column in lists": lambda values: [[one] for one in values],
}
OF_OBJECTS = {
    "numpy objects": lambda values: np.array(values, dtype=object),
    "objects of numpy's": lambda values: np.array([np.asarray(one)[()] for one in values], dtype=object),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
}


def rows(*scores):
    """Labels with a positive, and scores of each kind."""
    row = st.tuples(st.booleans(), *scores)
    return st.lists(row, min_size=2, max_size=8).filter(lambda drawn: any(one[0] for one in drawn))


def exact_ap(labels, scores):
    return pytest.approx(float(oracle.step(oracle.ranking(labels, map(Fraction, scores)))), abs=1e-15)


def check(containers, labels, scores):
    for name, container in containers.items():
        assert average_precision_score(labels, container(list(scores))) == exact_ap(labels, scores), name
        point = operating_point(labels, container(list(scores)), beta=1)
        assert point.threshold in scores, name
        assert point.n_retrieved == sum(score >= point.threshold for score in scores), name


@settings(max_examples=25)
@given(rows(INTEGERS))
def test_integers_in_any_container(drawn):
    check(OF_INTEGERS, *zip(*drawn, strict=True))


def are_rounded(*columns):
    """Whether a column with a float, or next to floats, holds an integer that no float equals."""
    values = [one for column in columns for one in column]
    has_floats = any(isinstance(one, float) for one in values)
    return has_floats and any(isinstance(one, int) and int(float(one)) != one for one in values)


@settings(max_examples=25)
@given(rows(INTEGERS | NEAR))
def test_integers_among_floats(drawn):
    labels, scores = zip(*drawn, strict=True)
    check(OF_OBJECTS, labels, scores)
    if not are_rounded(scores):
        check(OF_LISTS, labels, scores)
        return
    for container in OF_LISTS.values():
        with pytest.raises(ValueError, match="y_score must not mix integers beyond"):
            average_precision_score(labels, container(list(scores)))
