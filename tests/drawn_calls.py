"""Random calls of `average_precision_score`, with right and wrong arguments."""

import warnings
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array


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


# Forms of an argument, by name; `v` is the plain one, and `first` marks the entries that
# become wrong.
COMMON = {
    "list": "v.tolist()",
    "objects": "v.astype(object)",
    "table": "table(v)",
    "nullable": "table(v).convert_dtypes()",
    "named backwards": "named(v, range(v.shape[-1])[::-1])",
    "column": "v.reshape(n, -1)[:, :1]",
    "flat": "v.reshape(n, -1)[:, 0]",
    "sparse": "csr_array(v.reshape(n, -1))",
    "masked": "np.ma.array(v, mask=first)",
    "unmasked": "np.ma.array(v)",
    "matrix": "np.matrix(v.reshape(n, -1))",
    "NaN": "np.where(first, np.nan, v)",
    "infinite": "np.where(first, np.inf, v)",
    "None inside": "np.where(first, None, v)",
    "text inside": "np.where(first, '0.5', v.astype(object))",
    "complex": "v + 1j",
    "text": "v.astype(str)",
    "dates": "(4 * v).astype('M8[s]')",
    "short": "v[1:]",
    "empty": "v[:0]",
    "None": "None",
    "word": "'abc'",
    "set": "set(v.ravel().tolist())",
}
OF_LABELS = {
    "bool": "v.astype(bool)",
    "uint8": "v.astype('u1')",
    "-1 and 1": "2 * v - 1",
    "words": "WORDS[v].astype(str)",
    "words as objects": "WORDS[v]",
    "categories": "table(v).astype('category')",
    "continuous": "v + 0.5",
    "ones": "np.ones_like(v)",
    "of no dimension": "np.array(v.flat[0])",
    "ragged": "[[1, 0], [1]]",
}
OF_SCORES = {
    "float16": "v.astype('f2')",
    "float32": "v.astype('f4')",
    "longdouble": "v.astype('g')",
    "uint8": "(4 * v).astype('u1')",
    "one name twice": "named(v, 'aabc')",
    "other names": "named(v, (3, 1, 2, 0))",
    "names as text": "named(v, '2013')",
    "subnormal": "4 * v * 5e-324",
    "extreme": "np.where(v > 0.3, 1e308, -1e308)",
    "list beyond 2**53": "((4 * v).astype('i8').astype(object) + 2**63).tolist()",
    "two columns": "(lambda one: np.c_[1 - one, one])(v.reshape(n, -1)[:, 0])",
    "few columns": "v.reshape(n, -1)[:, :-1]",
    "many columns": "np.c_[v.reshape(n, -1), v.reshape(n, -1)[:, 0]]",
    "forest": "[np.c_[1 - one, one] for one in v.reshape(n, -1).T]",
    "datetimes": "[datetime(2020, 1, 1 + int(4 * one)) for one in v.flat[:n]]",
}
OF_WEIGHTS = {
    "floats": "v",
    "float32": "v.astype('f4')",
    "integers": "rng.integers(0, 4, n)",
    "some zeros": "v * (v > 0.5)",
    "zeros": "0 * v",
    "negative": "v - 0.5",
    "huge": "v * 1e308",
    "tiny": "v * 1e-9",
    "mixed": "10.0 ** rng.integers(-30, 30, n)",
    "two columns": "np.c_[v, v]",
}
NAMES = {"np": np, "datetime": datetime, "csr_array": csr_array}
NAMES |= {"table": table, "named": named}
NAMES["WORDS"] = np.array(["c0", "c1", "c2", "c3"], dtype=object)


def forms(texts, values, first, rng=None):
    """Return a function for each of these forms, and of the common ones."""
    names = NAMES | {"v": values, "n": len(values), "first": first, "rng": rng}
    return {name: partial(eval, text, names) for name, text in (COMMON | texts).items()}


AVERAGES = ("macro", "micro", "weighted", "samples", None, "binary", 3)
POS_LABELS = (0, 2, -1, 1.0, True, "c0", "c1", "1", "dog", None, [1], float("nan"))


def kinds_of(y, s, rng):
    """Return all kinds of each argument of a call with these labels and scores."""
    constants = {
        argument: {str(value): (lambda value=value: value) for value in values}
        for argument, values in (("average", AVERAGES), ("pos_label", POS_LABELS))
    }
    weights = rng.random(len(y))
    return {
        "y_true": forms(OF_LABELS, y, np.arange(y.size).reshape(y.shape) == 0),
        "y_score": forms(OF_SCORES, s, s == s.flat[0]),
        "sample_weight": forms(OF_WEIGHTS, weights, np.arange(len(y)) == 0, rng),
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
