"""Plain input is read as the validators would read it; they get everything else."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

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
