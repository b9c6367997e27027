"""Random calls of `average_precision_score`, with right and wrong arguments."""

import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

Options = dict[str, Callable[[], object]]


@dataclass
class Call:
    """Arguments of a call."""

    # The kind of each argument that was changed.
    names: dict[str, str]
    arguments: dict[str, object]
    # Labels and scores of the same size, without faults.
    plain: dict[str, object]


def table(values, **kwargs):
    return (pd.DataFrame if values.ndim > 1 else pd.Series)(values, **kwargs)


def named(values, names):
    """Return a frame whose columns have the first of these names, or a Series."""
    if values.ndim == 1:
        return table(values)
    return table(values, columns=[*names][: values.shape[1]])


def common(values, first):
    """Return forms of labels and of scores. `first` marks the entries that become
    wrong.
    """
    n = len(values)
    return {
        "list": values.tolist,
        "objects": lambda: values.astype(object),
        "table": lambda: table(values),
        "nullable": lambda: table(values).convert_dtypes(),
        "named backwards": lambda: named(values, range(values.shape[-1])[::-1]),
        "column": lambda: values.reshape(n, -1)[:, :1],
        "flat": lambda: values.reshape(n, -1)[:, 0],
        "sparse": lambda: csr_array(values.reshape(n, -1)),
        "masked": lambda: np.ma.array(values, mask=first),
        "unmasked": lambda: np.ma.array(values),
        "matrix": lambda: np.matrix(values.reshape(n, -1)),
        "NaN": lambda: np.where(first, np.nan, values),
        "infinite": lambda: np.where(first, np.inf, values),
        "None inside": lambda: np.where(first, None, values),
        "text inside": lambda: np.where(first, "0.5", values.astype(object)),
        "complex": lambda: values + 1j,
        "text": lambda: values.astype(str),
        "dates": lambda: (4 * values).astype("M8[s]"),
        "short": lambda: values[1:],
        "empty": lambda: values[:0],
        "None": lambda: None,
        "word": lambda: "abc",
        "set": lambda: set(values.ravel().tolist()),
    }


def labels_of(y):
    words = np.array(["c0", "c1", "c2", "c3"], dtype=object)
    return common(y, np.arange(y.size).reshape(y.shape) == 0) | {
        "bool": lambda: y.astype(bool),
        "uint8": lambda: y.astype("u1"),
        "-1 and 1": lambda: 2 * y - 1,
        "words": lambda: words[y].astype(str),
        "words as objects": lambda: words[y],
        "categories": lambda: table(y).astype("category"),
        "continuous": lambda: y + 0.5,
        "ones": lambda: np.ones_like(y),
        "of no dimension": lambda: np.array(y.flat[0]),
        "ragged": lambda: [[1, 0], [1]],
    }


def scores_of(s):
    n = len(s)
    first = s.reshape(n, -1)[:, 0]
    grid = (4 * s).astype("i8")
    return common(s, s == s.flat[0]) | {
        "float16": lambda: s.astype("f2"),
        "float32": lambda: s.astype("f4"),
        "longdouble": lambda: s.astype("g"),
        "uint8": lambda: grid.astype("u1"),
        "one name twice": lambda: named(s, "aabc"),
        "other names": lambda: named(s, (3, 1, 2, 0)),
        "names as text": lambda: named(s, "2013"),
        "subnormal": lambda: grid * 5e-324,
        "extreme": lambda: np.where(s > 0.3, 1e308, -1e308),
        "list beyond 2**53": (grid.astype(object) + 2**63).tolist,
        "two columns": lambda: np.c_[1 - first, first],
        "few columns": lambda: s.reshape(n, -1)[:, :-1],
        "many columns": lambda: np.c_[s.reshape(n, -1), first],
        "forest": lambda: [np.c_[1 - column, column] for column in s.reshape(n, -1).T],
        "datetimes": lambda: [datetime.datetime(2020, 1, 1 + v) for v in grid.flat[:n]],
    }


def weights_of(w, rng):
    return common(w, np.arange(len(w)) == 0) | {
        "floats": lambda: w,
        "float32": lambda: w.astype("f4"),
        "integers": lambda: rng.integers(0, 4, len(w)),
        "some zeros": lambda: w * (w > 0.5),
        "zeros": lambda: 0 * w,
        "negative": lambda: w - 0.5,
        "huge": lambda: w * 1e308,
        "tiny": lambda: w * 1e-9,
        "mixed": lambda: 10.0 ** rng.integers(-30, 30, len(w)),
        "two columns": lambda: np.c_[w, w],
    }


AVERAGES = ("macro", "micro", "weighted", "samples", None, "binary", 3)
POS_LABELS = (0, 2, -1, 1.0, True, "c0", "c1", "1", "dog", None, [1], float("nan"))


def kinds_of(y, s, rng):
    """Return all kinds of each argument of a call with these labels and scores."""
    constants = {
        argument: {str(value): partial(lambda value: value, value) for value in values}
        for argument, values in (("average", AVERAGES), ("pos_label", POS_LABELS))
    }
    return {
        "y_true": labels_of(y),
        "y_score": scores_of(s),
        "sample_weight": weights_of(rng.random(len(y)), rng),
        **constants,
    }


def drawn_call(rng):
    n, c = rng.integers(2, 7), rng.integers(2, 5)
    kind = rng.choice(["binary", "binary", "columns", "classes"])
    c = max(c, 3) if kind == "classes" else c
    y = rng.integers(
        0, c if kind == "classes" else 2, (n, c) if kind == "columns" else n
    )
    if kind == "classes" and rng.random() < 0.7:
        n = c + n
        y = np.r_[:c, rng.integers(0, c, n - c)]
    s = rng.integers(0, 4, n if kind == "binary" else (n, c)) / 4
    call = Call({}, {"y_true": y, "y_score": s}, {"y_true": y, "y_score": s})
    shares = 0.4, 0.4, 0.5, 0.6, 0.2
    for (argument, kinds), share in zip(
        kinds_of(y, s, rng).items(), shares, strict=True
    ):
        if rng.random() < share:
            name = rng.choice(list(kinds))
            call.names[argument] = str(name)
            call.arguments[argument] = kinds[name]()
    return call


class Outcome(NamedTuple):
    value: object
    warnings: set[tuple[type, str]]
    error: Exception | None


def outcome(function, arguments):
    """Call a function, and return its value, its distinct warnings and its error."""
    value = error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(**arguments)
        except Exception as raised:  # errors of any class are compared
            error = raised
    return Outcome(value, {(w.category, str(w.message)) for w in caught}, error)
