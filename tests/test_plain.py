"""Plain input is read as the validators would read it; they get everything else."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap
from metrics import CURVES, WEIGHED
from sklearn_ap._reading import _read
from sklearn_ap._reading._read import recognise

Y = np.array([0, 1, 1, 0, 1, 0])
S = np.array([0.1, 0.9, 0.4, 0.4, 0.8, 0.2])
Y2, S2 = np.array([[0, 1], [1, 0], [1, 1]]), np.array([[0.1, 0.9], [0.4, 0.4], [0.8, 0.2]])
W = np.array([1.0, 2, 0.5, 1, 3, 1])
TEXT = np.array(["ham", "spam"])[Y]


def look(y_true, y_score, weight=None, pos_label=1, average="macro"):
    return recognise(y_true, y_score, weight, average=average, pos_label=pos_label)


PLAIN = {
    "ints": (Y, S),
    "bools": (Y == 1, S),
    "floats": (Y.astype(float), S),
    "uint8": (Y.astype(np.uint8), S),
    "-1 and 1": (2 * Y - 1, S),
    "1 and 2": (Y + 1, S, None, 2),
    "0 is positive": (Y, S, None, 0),
    "False is positive": (Y == 1, S, None, False),
    "one class": (np.ones(6, dtype=int), S),
    "one class, not the positive": (np.full(6, 7), S),
    "strings": (TEXT, S, None, "spam"),
    "objects": (TEXT.astype(object), S, None, "spam"),
    "one string": (np.array(["ham"] * 6), S, None, "spam"),
    "lists": (Y.tolist(), S.tolist()),
    "lists of bools": ((Y == 1).tolist(), S.tolist()),
    "lists of ints": (Y.tolist(), [3, 1, 2, 2, 5, 4]),
    "lists of strings": (TEXT.tolist(), S.tolist(), None, "spam"),
    "Series": (pd.Series(Y, index=range(6, 0, -1)), pd.Series(S)),
    "polars labels": (pl.Series(Y), S),
    "categorical": (pd.Series(Y, dtype="category"), S),
    "integer scores": (Y, np.arange(6)),
    "float16": (Y, S.astype(np.float16)),
    "longdouble": (Y, S.astype(np.longdouble)),
    "views": (Y[::-1], S[::-1]),
    "weights": (Y, S, W),
    "float32 weights": (Y, S, W.astype(np.float32)),
    "integer weights": (Y, S, [1, 2, 3, 4, 5, 6]),
    "multilabel": (Y2, S2),
    "multilabel bools": (Y2 == 1, S2),
    "multilabel weights": (Y2, S2, W[:3]),
    "Fortran order": (np.asfortranarray(Y2), np.asfortranarray(S2)),
}


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def filled(y_true, y_score, weight=None, pos_label=1):
    return y_true, y_score, weight, pos_label


# A closer look either refuses these, or knows what they mean.
ODD = {
    "empty": ([], []),
    "ragged": ([[1], [0, 1]], S),
    "three classes": (np.array([0, 1, 2, 0, 1, 2]), S),
    "absent label": (Y, S, None, 5),
    "no label": (Y, S, None, None),
    "array as label": (Y, S, None, np.array([1])),
    "array of no dimension as label": (Y, S, None, np.array(1)),
    "arrays as labels": (Y, S, None, np.array([1, 2])),
    "decimal as label": (Y, S, None, Decimal(1)),
    "complex label": (Y, S, None, 1 + 0j),
    "NA as label": (Y, S, None, pd.NA),
    "huge label": (np.array([1e300, 1, 1, 1, 1, 1]), S),
    "label is a string": (Y, S, None, "1"),
    "halves": (np.array([0.5, 1, 1, 1, 1, 1]), S),
    "NaN label": (np.array([np.nan, 1, 1, 1, 1, 1]), S),
    "infinite label": (np.array([np.inf, 1, 1, 1, 1, 1]), S),
    "strings, label is not": (TEXT, S),
    "bytes": (TEXT.astype("S"), S, None, b"spam"),
    "objects of numbers": (Y.astype(object), S),
    "missing label": (np.array(["a", None, "b", "a", "a", "a"], dtype=object), S, None, "a"),
    "NA label": (np.array(["a", pd.NA, "b", "a", "a", "a"], dtype=object), S, None, "a"),
    "three strings": (np.array(["a", "b", "c", "a", "b", "c"]), S, None, "a"),
    "column": (Y[:, np.newaxis], S[:, np.newaxis]),
    "column of labels": (Y[:, np.newaxis], S),
    "lengths": (Y, S[:-1]),
    "matrix of other numbers": (Y2 + 1, S2),
    "three dimensions": (Y2[np.newaxis], S2[np.newaxis]),
    "NaN": (Y, np.where(Y, S, np.nan)),
    "infinity": (Y, np.where(Y, S, np.inf)),
    "minus infinity": (Y, np.where(Y, S, -np.inf)),
    "complex": (Y, S + 1j),
    "strings as scores": (Y, S.astype(str)),
    "polars scores": (Y, pl.Series(S)),
    "nullable scores": (Y, pd.Series(S, dtype="Float64")),
    "missing string": (["a", None, "a"], [3, 2, 1], None, "a"),
    "string and number": (np.array(["a", 3, "a"], dtype=object), S[:3], None, "a"),
    "string and bytes": (np.array(["a", b"b", "a"], dtype=object), S[:3], None, "a"),
    "int and numpy bool as object": (np.array([1, np.True_, 0], dtype=object), S[:3]),
    "fractions": (Y, [Fraction(1, 3)] * 6),
    "big-endian": (Y, S.astype(">f8")),
    "mask": (Y, np.ma.array(S, mask=[0, 0, 0, 0, 0, 1])),
    "masked array without a mask": (np.ma.array(Y), S),
    "matrix": (np.matrix(Y2), S2),
    "scalars": (1, 0.5),
    "arrays of no dimension": (np.array(1), np.array(0.5)),
    "numpy scalars": (np.int64(1), np.float64(0.5)),
    "missing in a Series": (pd.Series([1, 0, None, 1, 0, 1], dtype="Int64"), S),
    "weight 0": (Y, S, [0, 1, 1, 1, 1, 1]),
    "negative weight": (Y, S, -W),
    "NaN weight": (Y, S, np.where(Y, W, np.nan)),
    "weights of no finite sum": (Y, S, np.full(6, 1e308)),
    "weights as a column": (Y, S, W[:, np.newaxis]),
    "short weights": (Y, S, W[:-1]),
    "weights as strings": (Y, S, W.astype(str)),
    "longdouble weights": (Y, S, W.astype(np.longdouble)),
    "one weight": (Y, S, 2.0),
    "average": (Y, S, None, 1, "mean"),
    "unhashable average": (Y, S, None, 1, ["macro"]),
    "array as average": (Y, S, None, 1, np.array(["macro", "micro"])),
}


@pytest.mark.parametrize("case", PLAIN)
def test_recognised_is_what_the_validators_return(case):
    y_true, y_score, weight, pos_label = filled(*PLAIN[case])
    seen = look(y_true, y_score, weight, pos_label)
    careful = _read._read_carefully(y_true, y_score, weight, pos_label)
    for ours, theirs in zip(seen[:2], careful[:2], strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert seen.bounds == careful.bounds == (seen.score.min(), seen.score.max())
    if weight is not None:
        assert seen.weight.dtype == np.float64
        np.testing.assert_array_equal(seen.weight, careful.weight)


@pytest.mark.parametrize("case", ODD)
def test_odd_input_gets_a_closer_look(case):
    assert look(*ODD[case]) is None


@pytest.mark.parametrize("function", [*WEIGHED, *CURVES], ids=lambda f: f.__name__)
def test_no_number_depends_on_how_the_input_was_read(function, monkeypatch):
    options = {"zero_division": 0.0} if "zero_division" in function.__annotations__ else {}
    for case, given in PLAIN.items():
        y_true, y_score, weight, pos_label = filled(*given)
        if (function in CURVES and "multilabel" in case) or case == "Fortran order":
            continue
        if case == "one class, not the positive" or case == "one string":
            continue  # warned of by the curves
        arguments = {"sample_weight": weight, "pos_label": pos_label, **options}
        with monkeypatch.context() as patch:
            values = function(y_true, y_score, **arguments)
            patch.setattr(_read, "recognise", lambda *_, **__: None)
            careful = function(y_true, y_score, **arguments)
        for value, other in zip(parts(values), parts(careful), strict=True):
            np.testing.assert_array_equal(value, other)


@pytest.mark.parametrize("curve", CURVES)
def test_curves_infer_the_label_of_plain_input_too(curve):
    usual = (Y, 2 * Y - 1, Y == 1, pl.Series(Y), pd.Series(Y), pd.Series(Y, dtype="category"), Y.tolist())
    for labels in usual:
        assert len(curve(labels, S)[2]) in (5, 6)
        np.testing.assert_array_equal(np.concatenate(curve(labels, S)), np.concatenate(curve(Y, S)))


def test_curves_refuse_labels_of_no_usual_kind():
    with pytest.raises(ValueError, match="pos_label is not specified"):
        sklearn_ap.hit_curve(Y + 1, S)
    with pytest.raises(ValueError, match="multilabel-indicator format is not supported"):
        sklearn_ap.hit_curve(Y2, S2)
