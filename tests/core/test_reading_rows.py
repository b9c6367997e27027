"""Rows of inputs, one call per line, with its number or its error. The precision of a
positive is 1 above all negatives and 1/2 below one, so numbers are halves; after `n`
missed positives, a score is divided by their total. Each number is the same if a block
has one row.
"""

import datetime
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import KernelDensity

import sklearn_ap
from refusals import assert_raises, each_row, pattern_of, warning_of
from sizes import CORE, sizes
from sklearn_ap._core import registry
from sklearn_ap._core.advice import advised
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.evaluate import points_in, rankings_in
from sklearn_ap._core.ranking.cut import cut_depth
from sklearn_ap._core.ranking.keys import rows_in_order
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rows import Rows
from sklearn_ap._core.reading.frames import column_names
from sklearn_ap._core.reading.ids import read_units
from sklearn_ap._core.reading.options import read_beta, read_k
from sklearn_ap._core.reading.per_ranking import (
    read_totals,
    total_of,
    totals_as_counts,
    totals_of_columns,
)
from sklearn_ap._core.reading.read import read, read_weights
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._core.user_messages import collect_warnings


def collected(function, *arguments):
    with collect_warnings() as texts:
        function(*arguments)
    return texts


def rows(**more):
    return read(PassedRows([1, 0, 0, 1, 1], [4, 3, 2, 1, 0], **more), caller="rows")


def mean_of_chance(n, n_positives):
    """The mean average precision of all orders of n rows without ties."""
    harmonic = sum(1 / rank for rank in range(1, n + 1))
    return (harmonic + (n_positives - 1) / (n - 1) * (n - harmonic)) / n


def sorted_before(score, y_true, y_score, **options):
    """The score of rows that were sorted before it is computed."""
    checked = read(PassedRows(y_true, y_score, "micro"), caller="")
    rows = Rows(checked.positive, checked.score, None, np.array([0, len(y_true)]))
    order = rows_in_order(rows, None, checked.bounds)
    definition, *_ = registry.read_arguments(score, [], [], options)
    in_order = partial(rank, order=order)
    rankings, _ = rankings_in(
        checked, average="micro", definition=definition, ranker=in_order
    )
    return definition.compute(rankings).item()


# Names of this folder and of those below it, since others may be taken away.
NAMES = {
    name: getattr(sklearn_ap, name)
    for name, module in sklearn_ap._MODULE_OF.items()
    if module.startswith("._core")
}
NAMES |= {"sorted_before": sorted_before, "points_in": points_in}
NAMES |= {"collected": collected, "registry": registry, "rows": rows}
NAMES |= {"read_k": read_k, "advised": advised}
NAMES["column_names"] = column_names
NAMES |= {"total_of": total_of, "read_totals": read_totals}
NAMES |= {"totals_of_columns": totals_of_columns, "read_units": read_units}
NAMES |= {"rows_in_order": rows_in_order, "Rows": Rows}
NAMES |= {"read_weights": read_weights, "read": read, "PassedRows": PassedRows}
NAMES |= {
    "read_beta": read_beta,
    "totals_as_counts": totals_as_counts,
    "np": np,
    "pd": pd,
    "pl": pl,
    "AP": sklearn_ap.average_precision_score,
}
NAMES |= {"KernelDensity": KernelDensity, "Definition": Definition, "STEP": STEP}
NAMES |= {"y": [1, 0, 1], "s": [3, 2, 1], "pa": pa, "csr_array": csr_array}
NAMES |= {"y5": [1, 0, 0, 1, 1], "s5": [4, 3, 2, 1, 0], "q5": [*"babac"]}
NAMES |= {
    "Decimal": Decimal,
    "datetime": datetime,
    "lists": pl.Series([[1], *[[2, 3]] * 4]),
}
NAMES |= {"partial": partial, "Fraction": Fraction, "cut_depth": cut_depth}
NAMES |= {"labels": [[0, 1], [1, 0, 1]], "scores": [[2, 1], [1, 3, 2]]}
NAMES["ab"] = pd.DataFrame([[1, 0], [0, 1]], columns=[*"ab"])
NAMES["kinds_of_names"] = [
    pd.MultiIndex.from_tuples([(*"ab",), ("a", np.nan), ("b", np.nan)]),
    pd.CategoricalIndex([*"bdca"]),
    pd.Index([False, True]),
    pd.Index([0.0, 1.0, np.nan]),
    pd.Index(["a", None, "b"]),
    pd.to_datetime(["2020-01-01", None]),
    pd.Index([b"b", b"a", b"c"]),
    pd.Index(["1", 1, (1,)]),
    pd.Index([0, 1]),
    pd.CategoricalIndex([0, 1]),
]
NAMES["calls"] = {
    "average_precision_score(y_true, y_score)",
    "average_precision_at_k_score(y_true, y_score, normalizer='k', k=k)",
    "average_precision_at_k_score(y_true, y_score, normalizer='n_positives', k=k)",
    "pr_auc_score(y_true, y_score, interpolation='linear')",
    "precision_at_recall_score(y_true, y_score, recall=0.8)",
    "reciprocal_rank_score(y_true, y_score)",
    "reciprocal_rank_score(y_true, y_score, k=k)",
}
NAMES["aabc"] = pd.DataFrame(np.eye(4, dtype=int), columns=[*"aabc"])
NAMES["pairs"] = [("a", 1.0), ("a", np.nan), ("a", np.nan), ("b", 2.0), ("b", 2.0)]
NAMES["aab"] = pd.DataFrame([[1, 0, 1], [0, 1, 0]], columns=[*"aab"])
# The positive of class a ranks first, that of b third, and that of c second.
NAMES["cab"] = [*"cab"], [[1, 2, 2], [3, 3, 3], [2, 1, 1]]
NAMES["dates"] = pd.to_datetime(["2020", "2021", "2020", "2021"])
TWO = "query_id=[*'aabb'], average=None"
WEIGHTED = "query_id=[*'aabb'], average='weighted'"
# In float64, 0.1 + 0.7 is below 0.8.
ROUNDED = "[1, 1, 0, 1], [4, 3, 2, 1], sample_weight=[0.1, 0.7, 1, 0.2]"
BELOW_HALF = "y, s, recall_levels=3, sample_weight=[0.5 - {0} * 2**-52, 0.3, 0.5 + {0} * 2**-52])"
# Close to a prevalence of 0, only positives above every negative count. Close to 1,
# negatives have no effect.
SHARE = "[1, 0, 1, 0], [4, 3, 2, 1], sample_weight=np.array([1, 2, 1, 1]) * {}, prevalence={}"
# A negative weighs three times as much as a positive.
BY_CLASS = "[1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[0.1, 0.3, 0.1, 0.3]"
# Weights of positives, and their sums from the first row on.
WEIGHTS = np.tile([1, 2], 10_000)
MANY = np.cumsum(WEIGHTS)
HARMONIC = np.sum(1 / np.arange(1, 1001))
# The first query has no rows of weight above 0.
NO_ROWS = (
    "[1, 1, 0], [3, 2, 1], query_id=[1, 2, 2], sample_weight=[0, 1, 1], average=None"
)
FOUR = "[1, 0, 0, 1], [4, 3, 2, 1], average=None"
# A call, and its numbers.
NUMBERS = [
    # labels
    ("AP([1, 0], [2, 1])", 1),
    ("AP([-1, 1], [2, 1])", 0.5),
    ("AP([True, False], [1, 2])", 0.5),
    # False and True are names that the caller chose, and 0 and 1 may be numbers.
    ("[column_names(pd.DataFrame(columns=names)) == names for names in ([False, True], [0, 1])]", [True, False]),
    ("AP([2, 2], [2, 1])", 0),
    ("AP([2], [1])", 0),
    ("AP([1, 0], [1, 2], pos_label=0)", 1),
    ("AP(np.array([True, False], object), [1, 2])", 0.5),
    ("AP(np.array([[True], [False]], object), [[1], [2]])", 0.5),
    ("AP(['0', '1'], [1, 2], pos_label='1')", 1),
    ("AP([1, 2], [2, 1], pos_label=2)", 0.5),
    ("AP([0.0, 2.0], [1, 2], pos_label=2)", 1),
    ("AP([*'abc'], [3, 2, 1], pos_label='b')", 0.5),
    ("AP([*'abc'], [[3], [2], [1]], pos_label='b')", 0.5),
    ("AP([['a'], ['b']], [2, 1], pos_label='a')", 1),
    ("AP([5, 2, 2], [3, 2, 1], pos_label=5)", 1),
    ("AP([[1, 0], [0, 1]], [[2, 1], [1, 2]], average=None)", [1, 1]),
    ("AP([[1, 1], [0, 0]], [[2, 1], [1, 2]], average=None)", [1, 0.5]),
    ("AP([[-1, 1], [1, -1]], [[1, 2], [2, 1]], average=None)", [1, 1]),
    ("AP([0, 1, 2], np.eye(3)[[0, 2, 1]], average=None)", [1, 1 / 3, 1 / 3]),
    ("precision_recall_curve([-1, 1], [2, 1])[1]", [1, 0, 0]),
    ("precision_recall_curve([1, 1], [2, 1])[1]", [1, 0.5, 0]),
    ("precision_recall_curve([2, 0], [2, 1], pos_label=2)[1]", [1, 1, 0]),
    ("precision_recall_curve([0, 1, 2], [3, 2, 1], pos_label=1)[1]", [1, 1, 0, 0]),
    ("precision_recall_curve([-1, -1], [2, 1])[0]", [0, 0, 1]),
    ("AP([*'R', '', '', '', 'R'], [5, 4, 3, 2, 1], pos_label='R')", 0.7),
    # scores and weights
    ("AP([1, 0], np.array([1, 2], '>f8'))", 0.5),
    ("AP([1, 0], np.array([256, 1], '>i8'))", 1),
    ("AP([1, 0], np.array([256, 1], '>u2'))", 1),
    ("AP([1, 0], [True, False])", 1),
    ("AP([1, 0], np.array([2**53 + 1, 2**53]))", 1),
    ("AP([0, 1, 1, 0], np.int32([2**24, 2**24 + 1, 2, 1]), query_id=[0, 0, 1, 1])", 1),
    ("AP([1, 0], [1, 2], sample_weight=[3, 1])", 0.75),
    ("AP([1, 0, 0], [1, 2, 3], sample_weight=[1, 0, 1])", 0.5),
    ("AP([1, 0, 0], [1, 2, 3], sample_weight=[0, 1, 1], zero_division=1)", 1),
    ("AP([1, 0], [1, 2], sample_weight=[[1], [1]])", 0.5),
    ("[AP([1, 0, 0], [1, 2, 3], sample_weight=[w, w, 0]) for w in (2.0**500, 2.0**-500)]", [0.5, 0.5]),
    # 64 bits are exact; numbers without a type of numpy are float64, which ties the first two
    ("AP([0, 1], [2**62, 2**62 + 1])", 1),
    ("AP([1, 0], [2**62, 2**62 + 1])", 0.5),
    ("AP([0, 1], np.uint64([2**62, 2**62 + 1]))", 1),
    ("AP([1, 0], np.uint64([2**62, 2**62 + 1]))", 0.5),
    ("AP([0, 1], np.array([2**53, 2**53 + 1], object))", 1),
    ("AP([1, 0], np.array([2**53, 2**53 + 1], object))", 0.5),
    ("AP([1, 0, 0], [2**63 + 1, 2**63, 0])", 0.5),
    ("AP([1, 0, 0], np.array([2**63 + 1, 2**63, 0]))", 0.5),
    ("AP([1, 0, 0], [2**53 + 1, 2.0**53, 0.5])", 0.5),
    ("AP([1, 0, 0], np.array([2**70 + 1, 2**70, 0], object))", 0.5),
    ("precision_recall_curve([1, 0, 0], [2**70 + 1, 2**70, 0])[2]", [0, 2.0**70]),
    ("AP([1, 0, 0], [Fraction(1, 3) + Fraction(1, 10**20), Decimal(1) / 3, 0])", 0.5),
    ("hit_curve(y, np.array([2**53 + 1, 2**53, 0]))[2].tolist() == [np.inf, 2**53 + 1, 2**53, 0]", True),
    ("hit_curve(y, np.array([0, -(2**53), -(2**53) - 1]))[2].tolist() == [np.inf, 0, -(2**53), -(2**53) - 1]", True),
    ("[hit_curve(y, np.array([2**53, 0, last]))[2].dtype.char for last in (-(2**53), -(2**53) - 1)] == [*'dO']", True),
    ("hit_curve([1], np.array([7]))[2].dtype.char == 'd'", True),
    # A row of weight 0 is no row.
    ("hit_curve([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 3, 0])[0]", [0, 1 / 3, 2 / 3, 1]),
    ("precision_recall_curve([1, 0], np.float16([2, 1]))[2].dtype.char == 'e'", True),
    # queries
    (f"AP([1, 0, 0, 1], [4, 3, 2, 1], {TWO})", [1, 0.5]),
    (f"AP({FOUR}, query_id=[7, -7, -7, 7])", [0, 1]),
    (f"AP({FOUR}, query_id=[10**9, 1, 1, 2])", [0, 1, 1]),
    (f"AP({FOUR}, query_id=[2**63, 1, 1, 2])", [0, 1, 1]),
    (f"AP({FOUR}, query_id=np.uint64([2**63 + 9, 2**63, 2**63, 2**63 + 9]))", [0, 1]),
    (f"AP({FOUR}, query_id=[-(2**63) - 1, 1, 1, 2])", [1, 0, 1]),
    ("AP([1, 0] * 30, range(60), query_id=np.int8([100, -100] * 30), average=None)", [0, 1]),
    ("AP([1, 0, 1], s, query_id=[(1, 2), (1, 3), (1, 2)], average=None)", [1, 0]),
    ("AP([1, 0, 1, 0], [4, 3, 2, 1], query_id=[(1, 2), (1, 2), (1,), (1,)])", 1),
    ("AP([1, 0, 1], s, query_id=[1, 1, 2], sample_weight=[1, 1, 0])", 1),
    ("AP([1, 1, 0], s, query_id=[1, 2, 2], sample_weight=[1, 1, 0], average=None)", [1, 1]),
    ("[repr(score_by_query(AP, [1], [1], query_id=read([np.int64(7)]))) for read in (list, pd.Series, partial(np.array, dtype=object))] == ['{7: 1.0}'] * 3", True),
    # Ids of two types are equal if their values are. No type rounds one of these ids.
    (f"AP({FOUR}, query_id=[1, 1.0, 10**400, 10**400])", [1, 0.5]),
    (f"AP({FOUR}, query_id=['1e+99', '1e+99', '10.0', '10.0'])", [0.5, 1]),
    (f"AP({FOUR}, query_id=[1, 1, 2, 2], n_positives={{np.float64(1): 2, np.float64(2): 1}})", [0.5, 0.5]),
    (f"AP({FOUR}, query_id=np.float16([0.1, 0.1, 0.2, 0.2]), n_positives={{np.float16(0.1): 2, np.float16(0.2): 1}})", [0.5, 0.5]),
    (f"AP({FOUR}, query_id=np.uint64([2**63, 2**63, 1, 1]), n_positives={{2**63: 2, 1: 1}})", [0.5, 0.5]),
    # Totals of the same column may be floats of Python.
    (f"AP({FOUR}, query_id=np.float32([0.1, 0.1, 0.2, 0.2]), n_positives=pd.Series([1, 1, 1, 0]).groupby(np.float32([0.1, 0.1, 0.2, 0.2])).sum())", [0.5, 0.5]),
    (f"AP({FOUR}, query_id=[np.float32(0.5), 0.5, 2**53 + 1, 2**53 + 1], n_positives={{0.5: 2, 2**53 + 1: 1}})", [0.5, 0.5]),
    (f"AP({FOUR}, query_id=dates)", [1, 0.5]),
    *(
        (f"AP({FOUR}, query_id={ids})", [1, 0.5])
        for ids in (
            "pl.Series(['a', 'a\\0'] * 2)",
            "(np.str_('a'), np.str_('a\\0')) * 2",
            "[np.longdouble('0.1'), np.longdouble('0.2')] * 2",
            "[np.datetime64('2020'), np.datetime64('2021', 'ns')] * 2",
        )
    ),
    (f"AP({NO_ROWS})", [0, 1]),
    # totals
    ("AP([1, 0], [2, 1], n_positives=4)", 0.25),
    ("AP([0, 0], [2, 1], n_positives=0)", 0),
    ("AP([1, 1, 1], s, n_positives=3.2)", 3 / 3.2),
    ("AP(np.eye(2), np.eye(2), n_positives={0: 2, 1: 4}, average=None)", [0.5, 0.25]),
    ("AP(aab, aab, n_positives=pd.Series([1, 2, 4], [*'aab']), average=None)", [1, 0.5, 0.25]),
    ("AP([1, 1], [2, 1], n_positives=5, sample_weight=[1, 1])", 0.4),
    ("AP([1, 0], [2, 1], n_positives=6, sample_weight=[3, 3])", 0.5),
    ("AP([1, 0, 1], [3, 2, 1], n_positives=0.3, sample_weight=[0.1] * 3)", (1 + 2 / 3) / 3),
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {TWO}, n_positives=[1, 4])", [1, 0.25]),
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {TWO}, n_positives={{'b': 4, 'a': 2}})", [0.5, 0.25]),
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {TWO}, n_positives=dict(a=1, b=1, c=1))", [1, 1, 0]),
    ("AP([1, 0, 1], [3, 2, 1], query_id=[*'baa'], n_positives=[4, 4], average='micro')", 5 / 24),
    # Ids that first appear in their order may alternate.
    ("AP([1, 0, 0, 1], [4, 3, 1, 2], query_id=[0, 1, 0, 1], n_positives=[2, 3], average=None)", [1 / 2, 1 / 6]),
    # totals of units, whose names are no queries; those of queries that are pairs; or both
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {TWO}, n_positives={{('b', 0): 1, ('a', 7): 2, ('b', 7): 3, ('c', 0): 1}})", [0.5, 0.25, 0]),
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {TWO}, n_positives=pd.Series([1, 0, 2, 3], pd.MultiIndex.from_product([[*'ab'], [0, 1]])))", [1, 0.2]),
    ("AP([1, 0, 1], [3, 2, 1], query_id=[*'baa'], n_positives={('a', 0): 3, ('b', 0): 4, ('a', 1): 1}, average='micro')", 5 / 24),
    ("AP([1, 1], [2, 1], query_id=[(0, 1), (0, 2)], n_positives={(0, 1): 2, (0, 2): 4, (0, 3): 1}, average=None)", [0.5, 0.25, 0]),
    ("AP([1, 1], [2, 1], query_id=[(0, 1), (0, 2)], n_positives={((0, 1), 5): 1, ((0, 2), 5): 4, ((0, 1), 6): 1}, average=None)", [0.5, 0.25]),
    ("[*score_by_query(AP, y, s, query_id=[1, 1, 2], n_positives={(1, 'a'): 1, (2, 'a'): 1, (1, 'b'): 1, (3, 'b'): 1}).items()]", [[1, 0.5], [2, 1], [3, 0]]),
    (f"AP({FOUR}, query_id=dates, n_positives={{dates[1]: 4, dates[0]: 2}})", [0.5, 0.125]),
    (f"AP({NO_ROWS}, n_positives=[3, 2])", [0, 0.5]),
    (f"AP({NO_ROWS}, n_positives={{2: 2}})", [0, 0.5]),
    ("AP([[1, 0], [0, 1]], [[2, 1], [1, 2]], n_positives=[2, 4], average=None)", [0.5, 0.25]),
    ("AP([*'ab'], [[2, 1], [1, 2]][0], pos_label='a', n_positives=2)", 0.5),
    ("AP(np.eye(2, dtype=int), np.eye(2), n_positives=pd.Series([2, 4]), average=None)", [0.5, 0.25]),
    ("AP([0, 1, 2], np.eye(3), n_positives={2: 4, 1: 2, 0: 1}, average=None)", [1, 0.5, 0.25]),
    ("AP([1, 1, 0], [3, 2, 1], query_id=[1, 2, 2], sample_weight=[0, 1, 1], n_positives=[3, 2])", 0.25),
    ("AP([1, 1, 0], [3, 2, 1], query_id=[1, 2, 2], sample_weight=[0, 1, 1], n_positives={2: 2})", 0.5),
    ("AP(np.eye(2), np.eye(2), n_positives=[2, 3], average='micro')", 2 / 5),
    ("AP(ab, np.eye(2), n_positives={'b': 4, 'a': 2}, average=None)", [0.5, 0.25]),
    ("AP(ab, np.eye(2), n_positives=pd.Series({'b': 4, 'a': 2}), average=None)", [0.5, 0.25]),
    ("AP(ab, np.eye(2), n_positives=pd.Series([2, 4]), average=None)", [0.5, 0.25]),
    ("AP(np.eye(2), ab, n_positives={'b': 4, 'a': 2}, average=None)", [0.5, 0.25]),
    ("precision_recall_curve(ab, np.eye(2), n_positives={'b': 4, 'a': 2})[1]", [[0.5, 0.5, 0], [0.25, 0.25, 0]]),
    ("precision_recall_curve(np.eye(2), ab, n_positives={'b': 4, 'a': 2}, interpolated=True)[1]", [[0.5, 0.5, 0], [0.25, 0.25, 0]]),
    ("precision_recall_curve([0, 1, 2], np.eye(3), n_positives={2: 4, 1: 2, 0: 1})[1]", [[1, 1, 0], [0.5, 0.5, 0], [0.25, 0.25, 0]]),
    ("precision_recall_curve([1, 0], [2, 1], n_positives=[4])[1]", [0.25, 0.25, 0]),
    ("precision_recall_curve(np.eye(2), np.eye(2), n_positives=[2, 4])[1]", [[0.5, 0.5, 0], [0.25, 0.25, 0]]),
    ("AP([1, 1], [2, 1], query_id=np.uint64([2**53, 2**53 + 1]), n_positives={2**53: 2, 2**53 + 1: 4}, average=None)", [0.5, 0.25]),
    # The first of 1.1 positives has recall 10/11 = 30/33, so it reaches 31 of 34 levels.
    ("interpolated_average_precision_score([1, 0], [2, 1], n_positives=1.1, recall_levels=34)", 31 / 34),
    ("0 < AP(y, s, sample_weight=[1e-100] * 3, n_positives=1e300) < 1e-300", True),
    # A sum of weights may be too low by 4 epsilons a row. A total of rows is not rounded.
    ("AP([1, 1, 1, 0], [4, 3, 2, 1], sample_weight=[1, 0.7, 0.3, 0.9], n_positives=2 - 2 * 3.9 * 4 * 2.0**-52)", 1),
    ("totals_as_counts(np.array([1e8 + 1]), np.array([1e8]), n_summands=np.array([1e8])) == 1e8 + 1", [True]),
    ("totals_as_counts(np.array([0.3]), np.ones(1), n_summands=np.ones(1), count_weight=np.array([0.1])) == 3", [True]),
    # options
    ("interpolated_average_precision_score([0, 1], [2, 1], recall_levels=[1, 0, 0])", 0.5),
    ("interpolated_average_precision_score([1, 0, 1], [3, 2, 1], recall_levels=[0.5, 1, 1])", 7 / 9),
    ("precision_at_k_score([1, 0, 0, 1], [4, 3, 2, 1], k=np.float32(0.5))", 0.5),
    ("recall_at_precision_score([1, 1], [2, 1], precision=1)", 1),
    ("precision_at_k_score([1, 1, 0, 0], [4, 3, 2, 1], k=2)", 1),
    ("precision_at_k_score(y, s, k=0.01)", 1),
    ("interpolated_average_precision_score(y, s, recall_levels=2)", (1 + 2 / 3) / 2),
    ("precision_at_recall_score([0, 1], [2, 1], recall=0)", 0.5),
    ("[read_beta(0), read_beta(0.5), read_beta(np.inf)]", [0, 0.5, np.inf]),
    ("[interpolated_average_precision_score([0, 1], [2, 1], recall_levels=n) for n in (np.int64(3), 10**7, (0, 0.5, 1), pd.Series([0.5]))]", [0.5] * 4),
    ("[AP([0, 0], [2, 1], zero_division=one) for one in (True, np.True_, np.int8(1), Fraction(1))]", [1] * 4),
    ("np.isnan(AP([0, 0], [2, 1], zero_division=np.float32('nan')))", True),
    ("[AP([0, 1], [2, 1], prevalence=p) for p in (Fraction(1, 8), np.float32(0.125))]", [0.125] * 2),
    # averages of rankings
    ("AP([[0, 0], [0, 0]], np.eye(2), average='weighted', zero_division=1)", 1),
    (f"AP([1, 0, 0, 1], [4, 3, 2, 1], {WEIGHTED}, sample_weight=[3, 3, 1, 1])", 3.5 / 4),
    (f"AP([1, 0, 1, 0], [4, 3, 2, 1], {WEIGHTED}, n_positives=[1, 4])", (1 + 4 / 4) / 5),
    ("AP([[1, 0, 0], [0, 1, 0]], [[3, 2, 1]] * 2, average='samples', n_positives=[2, 4])", 5 / 16),
    ("AP([[1, 0], [0, 1]], [[2, 1]] * 2, average='samples', sample_weight=[3, 1])", 3.5 / 4),
    ("AP([[1, 0], [0, 1]], [[2, 1]] * 2, average='samples', sample_weight=[0, 1], n_positives=[2, 4])", 1 / 8),
    ("AP([[1, 0], [0, 1]], [[4, 3], [2, 1]], average='micro', sample_weight=[3, 1])", 3.5 / 4),
    ("[*score_by_query('precision@1', [1, 0, 0, 1], [4, 3, 2, 1], query_id=[*'aabb']).values()]", [1, 0]),
    ("[*score_by_query(partial(lambda name, *rows, **more: AP(*rows, **more), 'x'), [1, 0, 0, 1], [4, 3, 2, 1], query_id=[*'aabb']).values()]", [1, 0.5]),
    ("[*score_by_query(lambda *rows, **more: AP(*rows, **more), [1, 0, 0, 1], [4, 3, 2, 1], query_id=[*'aabb']).values()]", [1, 0.5]),
    # the rows that errors advise to pass
    ("AP(np.concatenate(labels), np.concatenate(scores), query_id=np.repeat(range(len(labels)), [*map(len, labels)]))", (1 / 2 + 7 / 12) / 2),
    ("AP(np.array([0, 1, 1, 1, 0]), np.array([3, 2, 1, 2, 4]), query_id=np.nonzero([[1, 1], [1, 0], [1, 1]])[1])", (7 / 12 + 1 / 2) / 2),
    # columns by name: the score is 1; by place, a column has the scores of another one
    ("AP(ab, ab[['b', 'a']])", 1),
    ("AP(np.eye(2), type('Table', (list,), {'columns': len})(np.eye(2)))", 1),
    ("AP(ab, ab[['b', 'a']].set_axis([*'dc'], axis=1))", 0.5),
    ("AP(ab.to_numpy(), ab[['b', 'a']])", 0.5),
    ("[AP(pd.DataFrame(np.eye(len(c), dtype=int), columns=c), pd.DataFrame(np.eye(len(c)), columns=c.copy(deep=True)).iloc[:, ::-1]) for c in kinds_of_names]", [1] * 10),
    ("AP(np.eye(2), pd.DataFrame(np.eye(2), columns=[1, 0]))", 1),
    ("[AP(labels.set_axis(names, axis=1), pd.DataFrame(np.eye(2), columns=[1, 0])) for labels in [ab] for names in ([1, 0], [0, 1], [*'ab'])]", [1, 0.5, 1]),
    ("AP(pd.DataFrame([[1, 0], [0, 1]], columns=pd.Index([0, 1])), np.eye(2))", 1),
    ("AP(pd.DataFrame(np.eye(2)), pd.DataFrame(np.eye(2)[::-1], columns=[1, 0]))", 0.5),
    ("AP([0, 1, 2], pd.DataFrame(np.eye(3)[:, ::-1], columns=[2, 1, 0]))", 1),
    ("AP([1, 2, 5], pd.DataFrame(np.eye(3)))", 1),
    ("AP([1, 2, 5], pd.DataFrame(np.eye(3), columns=pd.Index([0, 1, 2])))", 1),
    ("AP([1, 2, 5], pd.DataFrame(np.eye(3), columns=[*'012']))", 1),
    ("AP([*'abc'], pd.DataFrame(np.eye(3), columns=['p_c', 'p_b', 'p_other']))", 1),
    ("AP([*'abc'], pd.DataFrame(np.eye(3), columns=['B ', 'A', 'C']))", 1),
    ("[AP([1, 2, 5], read(dict(zip(names, np.eye(3))))) for read in (pd.DataFrame, pl.DataFrame, pa.table) for names in ([*'125'], ['1.0', '2.0', '5.0'])]", [1] * 6),
    ("[AP([*'abc'], read(dict(zip('cba', np.eye(3)[::-1])))) for read in (pd.DataFrame, pl.DataFrame, pa.table, pa.RecordBatch.from_pydict)]", [1] * 4),
    ("[AP(aabc, pd.DataFrame(np.eye(4), columns=[*names])) for names in ('aabc', 'xxyz')]", [1, 1]),
    ("[AP(ab.astype('Sparse[int]'), ab[['b', 'a']].astype(pd.SparseDtype(float, fill))) for fill in (0, np.nan)]", [1, 1]),
    ("AP(ab.astype('Sparse[int]')[['a']], ab[['a']].astype('Sparse[float]'))", 1),
    # weights of classes and of rows, and prevalences beyond float64
    ("AP([0, 1, 0, 1, 1], s5, query_id=[*'aabbb'], average=None, sample_weight=[1, 2, 2, 1, 3])", [2 / 3, 7 / 12]),
    (f"AP({FOUR}, query_id=[10**9, 1, 1, 2], sample_weight=[1, 2, 2, 1])", [0, 1, 1]),
    ("AP([0, 1], [2, 1], prevalence=5e-324)", 0),
    ("AP([1, 0], [2, 1], n_positives=1e300, prevalence=1e-200)", 0),
    (f"AP({SHARE.format(1e150, 5e-324)})", 0.5),
    (f"AP({SHARE.format(1e-150, 1e-300)})", 0.5),
    (f"AP({SHARE.format(1, 1e-16)})", 0.5),
    (f"AP({SHARE.format(1e150, 1 - 2**-53)})", 1),
    (f"interpolated_average_precision_score({SHARE.format(1e150, 5e-324)})", 0.5),
    (f"eleven_point_average_precision_score({SHARE.format(1e-150, 1e-300)})", 6 / 11),
    (f"pr_auc_score({SHARE.format(1e150, 5e-324)}, interpolation='linear')", 0.5),
    (f"pr_auc_score({SHARE.format(1e-150, 1 - 2**-53)}, interpolation='linear')", 1),
    (f"pr_auc_score({SHARE.format(1e150, 5e-324)}, interpolation='davis-goadrich')", 0.5),
    (f"pr_auc_score({SHARE.format(1e-150, 1 - 2**-53)}, interpolation='davis-goadrich')", 1),
    # a level that a quotient reaches but for its rounding
    ("precision_at_recall_score([1, 1, 1, 0], [4, 3, 2, 1], recall=0.9, n_positives=10, sample_weight=[3] * 4)", 1),
    ("recall_at_precision_score([0, 1], [2, 1], precision=0.9, sample_weight=[1, 9])", 1),
    ("recall_at_precision_score([0, 1], [2, 1], precision=1, sample_weight=[0.7, 1e15])", 0),
    (f"precision_at_recall_score({ROUNDED}, recall=0.8)", 1),
    (f"eleven_point_average_precision_score({ROUNDED})", 10 / 11),
    ("AP([1] * 4, range(4), sample_weight=[0.1, 0.1, 0.7, 0.2]) <= 1", True),
    # In fractions, 0.1 + 0.2 of 1 is 0.3. Sums below 2**53 are not rounded, those above are.
    ("eleven_point_average_precision_score([1, 1, 0, 1, 0], s5, sample_weight=[0.1, 0.2, 0.4, 0.7, 5])", (4 + 7 / 1.4) / 11),
    ("eleven_point_average_precision_score(y, s, sample_weight=[3, 1e15, 7])", (4 + 7e-14) / 11),
    ("eleven_point_average_precision_score(y, s, sample_weight=[24e14 - 1, 1e15, 56e14 + 1])", (3 + 64 / 9) / 11),
    ("eleven_point_average_precision_score(y, s, sample_weight=[24e15 - 4, 1e15, 56e15 + 4])", (4 + 560 / 81) / 11),
    # the first positive is below 1/2 by 3.5 and by 4.5 epsilons of each of three rows
    (f"interpolated_average_precision_score({BELOW_HALF.format(5.25)}", (2 + 1 / 1.3) / 3),
    (f"interpolated_average_precision_score({BELOW_HALF.format(6.75)}", (1 + 2 / 1.3) / 3),
    # the total differs by one bit; 255 / 1001 * 1001 is below 255
    ("interpolated_average_precision_score([1] * 3, s, sample_weight=[0.1, 0.8, 1], recall_levels=[0, 0.5, 1], n_positives=1.9000000000000004)", 1),
    ("interpolated_average_precision_score(y, s, sample_weight=[255, 1, 746], recall_levels=1002)", (256 + 746 * 1001 / 1002) / 1002),
    ("precision_at_recall_score([1, 1, 0, 1, 1, 1], range(6, 0, -1), recall=0.4, sample_weight=[0.6, 0.6, 3, 0.6, 0.6, 0.6])", 1),
    ("recall_at_precision_score([1, 1, 0, 0, 1], s5, precision=0.7, prevalence=0.7)", 1),
    ("recall_at_precision_score([1, 1, 0, 0, 1], s5, precision=0.7, prevalence=0.7, sample_weight=[9, 1, 1, 1, 2])", 1),
    ("precision_at_recall_score([1, 1, 0, 1], [4, 3, 2, 1], recall=1, sample_weight=[1e12, 1e-3, 1e12, 1e-3])", 0.5),
    ("recall_at_precision_score([0, 1, 1], s, precision=0.6, sample_weight=[2, 1, 2])", 1),
    ("recall_at_precision_score([0, 1, 1], s, precision=0.6, sample_weight=[4e16, 2e16, 4e16 - 64])", 1),
    ("recall_at_precision_score([0, 1, 1], s, precision=np.nextafter(0.6, 1), sample_weight=[2, 1, 2])", 0),
    # negatives with decimal weights round no recall
    ("precision_at_recall_score([1, 0, 1, 0, 1], s5, recall=np.nextafter(1 / 3, 1), sample_weight=[1, 0.3, 1, 0.7, 1])", 2 / 2.3),
    ("precision_at_recall_score([1, 1, 0, 1], [4, 3, 2, 1], recall=np.nextafter(0.3 / 0.9, 1) + 2e-16, sample_weight=[0.1, 0.2, 0.3, 0.6])", 1),
    ("recall_at_precision_score([1, 1, 0, 1], [4, 3, 2, 1], precision=np.nextafter(0.9 / 1.2, 1) + 2e-16, sample_weight=[0.1, 0.2, 0.3, 0.6])", 1),
    # a group lighter than the rounding of the rows above it
    ("pr_auc_score([0, 1, 0, 1], [4, 3, 2, 1], interpolation='davis-goadrich', sample_weight=[1, 1e-20, 2, 2e-20])", 0),
    # the first k rows: defaults, divisors, weights by class, and equal scores at the cut
    ("average_precision_at_k_score([1, 1, 1], s, k=2, n_positives=5)", 1),
    ("recall_at_k_score([1, 1, 1], s, k=2, n_positives=5)", 0.4),
    ("recall_at_k_score([1, 0, 1], s, k=1, n_positives=8, sample_weight=[2, 1, 3])", 0.25),
    ("average_precision_at_k_score([1, 0, 0], s, k=3, n_positives=4)", 1 / 3),
    ("average_precision_at_k_score([1, 0], [1, 1], k=None, ties='expected', n_positives=4)", (1 + 1 / 2) / 2 / 4),
    ("precision_at_k_score([1, 1, 1], s, k=4, n_positives=5)", 0.75),
    ("average_precision_at_k_score([1, 0], [1, 1], k=1)", 0.25),
    ("average_precision_at_k_score([0, 1, 1], s, k=1, sample_weight=[0, 1, 1], average='samples')", 1),
    ("average_precision_at_k_score(np.arange(3000) < 10, [1] * 3000, k=1000, ties='expected')", (HARMONIC + 9 / 2999 * (1000 - HARMONIC)) / 3000),
    (f"average_precision_at_k_score({BY_CLASS}, k=3)", (1 + 2 / 5) / 2),
    (f"average_precision_at_k_score({BY_CLASS}, k=3, normalizer='n_positives')", (1 + 2 / 5) / 2),
    (f"average_precision_at_k_score({BY_CLASS}, k=3, normalizer='hits')", (1 + 2 / 5) / 2),
    (f"average_precision_at_k_score({BY_CLASS}, k=3, normalizer='k')", (1 + 2 / 5) / 5),
    (f"average_precision_at_k_score({BY_CLASS}, k=60, normalizer='k')", 4 / 60 * (1 + 2 / 5) / 8),
    ("precision_at_k_score([1, 0, 0, 1], [2, 1, 1, 1], k=2, sample_weight=[0.1, 0.3, 0.3, 0.1])", 0.4),
    ("precision_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2, sample_weight=[1, 2, 3, 4])", 1 / 3),
    ("precision_at_k_score([1, 0, 1, 0], [3, 2, 2, 1], k=2, sample_weight=[1, 2, 3, 4])", 2.5 / 3.5),
    ("reciprocal_rank_score(np.arange(1000) < 3, [1] * 1000)", 3 / 998 * (HARMONIC - 1.5)),
    # Scores that differ in the last bit, and weights below the rounding of the sum above.
    ("AP([1, 0, 0], [np.nextafter(0.7, 1), 0.7, 0.25], sample_weight=[1, 1, 2])", 1),
    ("AP([0, 1, 0], [np.nextafter(0.7, 1), 0.7, 0.25], sample_weight=[1, 1, 2])", 0.5),
    ("interpolated_average_precision_score([1, 0, 1], s, sample_weight=[1, 1, 1e-20])", 1),
    # The first query has no rows, and the last one ends in a tie.
    ("AP([1, 0, 0, 0, 1, 0], [3, 2, 1, 1, 1, 0], query_id=[1, 1, 1, 2, 2, 2], sample_weight=[1, 1, 2, 1, 1, 2], n_positives={0: 1, 1: 1, 2: 1}, average=None)", [0, 1, 0.5]),
    # Rows of weight 0 are dropped, although their scores are the lowest and the highest.
    ("AP([1, 0, 1, 0, 0], [3.5, 4, 3, -1e-300, 1e3], sample_weight=[1, 1, 1, 0, 0])", 7 / 12),
    ("AP([1, 0, 1, 0, 0], [-8, 9, -9, -1e300, 1e300], sample_weight=[1, 1, 1, 0, 0])", 7 / 12),
    ("AP([1, 0, 1, 0, 0], [1, 2, 0, -(2**40), 2**40], sample_weight=[1, 1, 1, 0, 0])", 7 / 12),
    # curves
    ("precision_recall_curve([0, 0], [2, 1], n_positives=2)[:2]", [[0, 0, 1], [0, 0, 0]]),
    ("hit_curve([0, 0], [2, 1], n_positives=2)[:2]", [[0, 0.25, 0.5], [0, 0, 0]]),
    ("np.signbit(precision_recall_curve(y, np.float32([-0.0, -1, 0]))[2]).sum()", 1),
    ("np.signbit(hit_curve(y, np.float32([-0.0, -1, 0]))[2]).sum()", 1),
    ("precision_recall_curve(y, np.float32([-0.0, -1, 0]))[2].dtype == np.float32", True),
    ("np.transpose(precision_recall_curve(*cab)[0])[1]", [0.5, 0, 0.5]),
    ("np.transpose(precision_recall_curve(*cab, interpolated=True)[0])[1]", [1, 1 / 3, 0.5]),
    ("np.transpose(precision_recall_curve(*cab, n_positives=[2, 4, 5])[1])[0]", [0.5, 0.25, 0.2]),
    ("np.transpose(precision_recall_curve(*cab, n_positives=dict(c=5, b=4, a=2), interpolated=True)[1])[0]", [0.5, 0.25, 0.2]),
    ("np.transpose(hit_curve(*cab, n_positives=[2, 4, 5])[1])[3]", [1 / 4, 1 / 6, 1 / 7]),
    ("np.transpose(hit_curve(*cab)[1])[1]", [1 / 3, 0, 0]),
    ("len(precision_recall_curve(np.eye(2, dtype=int), np.eye(2))[0])", 2),
    ("precision_recall_curve([0, 0, 0, 1], [4, 3, 2, 1], drop_intermediate=np.True_)[2]", [1, 2, 4]),
    ("hit_curve([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 3, 1, 3])[:2]", [[0, 0.25, 0.5, 0.75, 1], [0, 1 / 8, 1 / 8, 1 / 4, 1 / 4]]),
    ("hit_curve([1, 0], [2**53, -2**53])[2].dtype == float", True),
    ("hit_curve([1, 0], [3, 3])[2].dtype == float", True),
    # The negative weighs 9 at this prevalence.
    ("points_in(read(PassedRows([1, 1, 0, 1], [4, 3, 2, 1], 'micro'), caller=''), 0.25)[1].fp.tolist()", [9, 9, 0, 0]),
    ("precision_recall_curve([1, 0], [[2], [1]])[1]", [1, 1, 0]),
    ("np.transpose(hit_curve(*cab, sample_weight=[1, 3, 2])[1])[1]", [1 / 2, 0, 0]),
    ("precision_recall_curve(y, s, sample_weight=[1, 2, 3], interpolated=True)[0]", [2 / 3, 1, 1, 1]),
    ("hit_curve([1, 0], [2**53 + 1, 0])[2][1] == 2**53 + 1", True),
    # means of several rankings
    ("average_precision_at_k_score([0, 1, 1], s, k=1, query_id=[1, 1, 2], zero_division=1, average=None)", [0, 1]),
    ("AP(np.eye(2, dtype=int), [[1, 4], [3, 2]], sample_weight=[1, 3], average=None)", [1 / 4, 3 / 4]),
    ("AP([[1, 0], [0, 1]], [[4, 1], [3, 2]], average='micro', sample_weight=[3, 1])", 3.8 / 4),
    ("AP(*cab, n_positives=dict(c=5, b=4, a=2), average=None)", [1 / 2, 1 / 3 / 4, 1 / 2 / 5]),
    (f"AP([1, 0, 0, 1], [4, 3, 2, 1], {WEIGHTED}, sample_weight=[0.1, 0.1, 1, 1], n_positives=[0.2, 2])", (0.5 * 0.2 + 0.25 * 2) / 2.2),
    ("AP(y, s, average='weighted')", 5 / 6),
    ("type(AP(y, s, average=None)) is float", True),
    ("AP([[0, 1], [0, 0]], [[1, 2], [0, 3]], zero_division='warn')", 0.25),
    ("AP([[0, 1], [0, 0]], [[1, 2], [0, 3]], zero_division=np.nan)", 0.5),
    ("AP([[0, 1], [0, 0]], [[1, 2], [0, 3]], zero_division=1)", 0.75),
    ("AP([[0, 1], [0, 0]], [[1, 2], [0, 3]], average='weighted')", 0.5),
    ("AP([1, 1, 0], [3, 2, 1], query_id=[1, 2, 2], sample_weight=[0, 1, 1])", 1),
    ("np.shape(AP(y, s, query_id=[1, 1, 1], average=None))", [1]),
    ("AP(np.eye(2, dtype=int), [[1, 4], [3, 2]], average='micro')", (1 / 3 + 2 / 4) / 2),
    ("AP([1], [1], n_positives=2)", 0.5),
    ("np.isnan(AP([0, 0], [2, 1], zero_division=np.nan))", True),
    ("AP([[0, 0], [0, 1], [1, 0]], [[2, 1]] * 3, average='samples', sample_weight=[5, 1, 2], zero_division=np.nan)", 2.5 / 3),
    # scores by query: Python objects, and queries that occur in the totals only
    ("[*score_by_query(lambda y, s, n_positives={1: 2, 2: 1}, **call: AP(y, s, n_positives=n_positives, **call), y, s, query_id=[1] * 3).items()]", [[1, 5 / 6], [2, 0]]),
    ("[*map(type, score_by_query(AP, y, s, query_id=np.array([1, 1, 1])).popitem())] == [int, float]", True),
    # The order of all rows, with which the sample was sorted before.
    ("sorted_before(average_precision_at_k_score, [1, 0, 1, 0, 1], range(5), k=2)", 0.5),
    # A sum of 2**53 is exact. Of several queries, only those with rounded sums have a tolerance.
    ("precision_at_recall_score(y, s, recall=0.5, sample_weight=[2**52 - 1, 2**52, 2**52 + 1])", 2 / 3),
    ("recall_at_precision_score([0, 1, 1], s, precision=0.5, sample_weight=[2**52 + 1, 2**51, 2**51 - 1])", 0),
    ("recall_at_precision_score([0, 1, 1], s, precision=3 / 3.3 + 4e-16, sample_weight=[0.3, 1, 2])", 1),
    ("recall_at_precision_score([0, 1, 1, 0, 1], s5, precision=np.nextafter(2 / 3, 1), query_id=[*'aaabb'], sample_weight=[1, 1, 1, 3, 1], average=None)", [0, 0]),
    ("recall_at_precision_score([1, 1, 0, 1, 0, 1], range(6, 0, -1), precision=np.nextafter(0.75, 1) + 2e-16, query_id=[*'aaaabb'], sample_weight=[0.1, 0.2, 0.3, 0.6, 3, 1], average=None)", [1, 0]),
    ("recall_at_precision_score([0, 1, 1] * 2, [3, 2, 1] * 2, precision=np.nextafter(0.6, 1), query_id=[*'aaabbb'], sample_weight=[2, 1, 2, 0.2, 0.1, 0.2], average=None)", [0, 1]),
    ("precision_at_recall_score([1, 0, 1] * 2, [3, 2, 1] * 2, recall=np.nextafter(1 / 3, 1), query_id=[*'aaabbb'], sample_weight=[1, 1, 2, 0.1, 0.1, 0.2], average=None)", [3 / 4, 1]),
    ("interpolated_average_precision_score([1, 0, 1, 1, 1, 1, 1], range(7, 0, -1), recall_levels=3, query_id=[*'aaabbbb'], sample_weight=[0.5 - 6.75 * 2**-52, 0.3, 0.5 + 6.75 * 2**-52, 1, 2, 1, 2], average=None)", [(1 + 2 / 1.3) / 3, 1]),
    ("precision_at_recall_score([1, 0, 1, 1], [4, 3, 2, 1], recall=np.nextafter(1 / 3, 1), query_id=[*'aaab'], n_positives=[3, 1.5], average=None)", [2 / 3, 1]),
    ("precision_at_recall_score(y, s, recall=np.nextafter(0.25, 1), sample_weight=[2**52, 2**52, 2**52 - 1], n_positives=2**54)", 2 / 3),
    ("recall_at_precision_score([0, 1, 1, 1, 1, 1, 0], range(7, 0, -1), precision=0.5, query_id=[*'aaabbbb'], sample_weight=[0.5 + 6.75 * 2**-52, 0.3, 0.2 - 6.75 * 2**-52, 0.1, 0.2, 0.3, 0.1], average=None)", [0, 1]),
    ("recall_at_precision_score([0, 1], [2, 1], precision=0.1 + 1e-15, sample_weight=[9, 1])", 0),
    ("recall_at_precision_score([0, 1, 1], s, precision=0.3 / 3.3 * (1 + 1e-15), sample_weight=[3, 0.1, 0.2])", 1),
    ("AP([0, 1], [2, 1], n_positives=4, prevalence=0.5)", 1 / 5 / 4),
    ("r_precision_score(y, s, sample_weight=[1, 2, 3])", (1 + 1) / 4),
    ("precision_at_recall_score([1, 1, 0, 1, 1, 1], range(6, 0, -1), recall=np.nextafter(0.4, 1), sample_weight=[0.6, 0.6, 3, 0.6, 0.6, 0.6])", 0.5),
    ("precision_at_recall_score(np.repeat([1, 1, 0, 1, 1, 1], 2), np.arange(12)[::-1], recall=np.nextafter(0.4, 1), query_id=[1, 2] * 6, sample_weight=np.repeat([0.6, 0.6, 3, 0.6, 0.6, 0.6], 2) * np.tile([1, 0.5], 6), average=None)", [0.5, 0.5]),
    ("recall_at_precision_score([0, 1, 1], s, precision=0.5 + 2e-16, sample_weight=[3.3, 1.1, 2.2])", 1),
    # A total that is no multiple of the weight reaches a level, or is a bit above it.
    ("eleven_point_average_precision_score([1], [1], sample_weight=[9], n_positives=10)", 10 / 11),
    ("eleven_point_average_precision_score([1] * 3, s, sample_weight=[3] * 3, n_positives=10)", 10 / 11),
    ("eleven_point_average_precision_score([1] * 7, range(7), sample_weight=[9] * 7, n_positives=70)", 10 / 11),
    ("eleven_point_average_precision_score([1] * 7, range(7), sample_weight=[9] * 7, n_positives=71)", 9 / 11),
    # a query whose best score is the worst one of the next query, and one without positives
    ("AP([0, 1, 1, 0, 0], [1, 2, 2, 3, 4], query_id=[1, 1, 2, 2, 2], sample_weight=[1, 2, 1, 3, 2], average=None)", [1, 1 / 6]),
    ("average_precision_at_k_score([0, 1, 1, 0], [1, 2, 2, 3], k=1, query_id=[1, 1, 2, 2], average=None)", [1, 0]),
    ("AP([1, 0, 1, 0, 0], s5, query_id=[*'aaabb'], sample_weight=[1, 2, 3, 1, 2], zero_division=0, average=None)", [3 / 4, 0]),
    ("reciprocal_rank_score([0, 1, 0, 1], [1] * 4, query_id=[1, 1, 2, 2], average=None)", [3 / 4, 3 / 4]),
    ("pr_auc_score([1, 1, 0], s, interpolation='davis-goadrich', sample_weight=[1, 1e-20, 1])", 1),
    # different numbers, of which float64 rounds some to the same value
    ("AP([0, 1, 0], 2**63 - 1 - np.arange(3))", 1 / 2),
    ("AP([0, 1, 0], 2**63 - 1 - np.arange(3), sample_weight=[1, 2, 3])", 2 / 3),
    ("AP([0, 1, 0], -(2**63) + np.arange(3))", 1 / 2),
    ("AP([0, 1, 0], -(2**63) + np.arange(3), sample_weight=[1, 2, 3])", 2 / 5),
    ("AP([0, 1, 0], 2**64 - 3 + np.arange(3, dtype=np.uint64))", 1 / 2),
    ("AP([0, 1, 0], 2**64 - 3 + np.arange(3, dtype=np.uint64), sample_weight=[1, 2, 3])", 2 / 5),
    ("AP([0, 1, 0], 1 + np.arange(3) * np.finfo(np.longdouble).eps)", 1 / 2),
    ("AP([0, 1, 0], 1 + np.arange(3) * np.finfo(np.longdouble).eps, sample_weight=[1, 2, 3])", 2 / 5),
    ("AP([1, 0, 0], np.array([2**53 + 1, 2**53, 2**53 + 1]), sample_weight=[1, 2, 3])", 1 / 4),
    # weights by class: whole ones, of which one is twice another, of some queries
    ("AP([1, 0, 0, 1], [4, 3, 2, 1], sample_weight=[2, 1, 3, 2], n_positives=8)", (1 + 4 / 8) * 2 / 8),
    ("AP([1, 0], [1, 2], sample_weight=[1, 2])", 1 / 3),
    ("AP([1, 0, 0, 1], [4, 3, 2, 1], sample_weight=[0.5, 1, 3, 0.5], n_positives=2)", 0.5 * (1 + 1 / 5) / 2),
    ("AP([1, 0, 1, 0, 0], s5, query_id=[*'aabbb'], sample_weight=[0.5, 0.5, 1, 2, 3], n_positives=[1, 2], average=None)", [0.5, 0.5]),
    ("precision_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=0.5, query_id=[1, 1, 2, 2], average=None)", [1, 1]),
    ("hit_curve([1, 0], [2, 1], sample_weight=[3, 3], n_positives=6)[0]", [0, 1 / 3, 2 / 3]),
    ("average_precision_at_k_score([1, 0], [1, 1], k=1, ties='expected', sample_weight=[3, 3])", 0.5),
    ("recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, sample_weight=[1, 2, 3, 4])", 1 / 4),
    (f"average_precision_at_k_score({BY_CLASS}, k=1)", 1),
    ("precision_at_k_score([1, 0, 1, 0, 1], s5, k=2, query_id=[*'aabbb'], sample_weight=[1, 3, 3, 2, 1], average=None)", [1 / 4, 3 / 5]),
    ("average_precision_at_k_score([1, 1, 1], s, k=2, sample_weight=[1, 2, 3])", 3 / 5),
    ("average_precision_at_k_score([1] * 5, s5, k=2, query_id=[*'aaabb'], sample_weight=[1, 2, 3, 2, 1], average=None)", [3 / 5, 1]),
    ("precision_at_k_score([1, 0, 1, 0, 0], s5, k=0.5)", 1 / 2),
    ("average_precision_at_k_score([0, 1, 1, 0], [1] * 4, k=2, ties='stable')", 1 / 4),
    ("average_precision_at_k_score([0, 1, 1, 0], [1] * 4, k=3, ties='optimistic')", 1),
    ("average_precision_at_k_score([0, 1, 1, 0], [1] * 4, k=3, ties='pessimistic')", 1 / 6),
    # areas, cuts and orders of equal scores
    ("pr_auc_score([1, 0, 1, 1, 1, 1], [3, 2, 1, 1, 1, 1], interpolation='davis-goadrich')", (5 - np.log(3)) / 5),
    ("pr_auc_score([1, 0, 1], s, interpolation='davis-goadrich')", (2 - np.log(1.5)) / 2),
    ("pr_auc_score([1, 0, 1], [3, 1, 1], interpolation='davis-goadrich', sample_weight=[2.0**-500, 1, 2.0**500], prevalence=1e-200)", 0),
    ("pr_auc_score([1, 0, 1, 1], [4, 3, 2, 1], interpolation='davis-goadrich', sample_weight=[0.3, 0.1, 0.2, 0.1])", 1 - np.log(0.7 / 0.4) / 6),
    ("pr_auc_score([1, 0, 1, 1], [4, 3, 2, 1], interpolation='linear', sample_weight=[0.3, 0.1, 0.2, 0.1])", (0.3 + 0.1 * (5 / 6 + 3 / 4) + 0.05 * (6 / 7 + 5 / 6)) / 0.6),
    ("pr_auc_score([0, 1], [2, 1], interpolation='davis-goadrich', sample_weight=[1e12, 1]) * 1e12", 0.5 - 1e-12 / 3),
    ("average_precision_at_k_score([1, 0], [1, 1], k=1, ties='expected')", 0.5),
    ("average_precision_at_k_score([1, 1], [2, 1], k=1, sample_weight=[1, 3])", 1 / 3),
    ("average_precision_at_k_score([1, 0], [2, 1], k=None, normalizer='hits', n_positives=4)", 1),
    ("average_precision_at_k_score([1, 1], [2, 1], k=None, n_positives=8, sample_weight=[1, 3])", 0.5),
    ("r_precision_score([1, 1, 0, 0, 1], s5, query_id=[*'aaabb'], average=None)", [1, 0]),
    ("r_precision_score([1, 0], [1, 1])", 0.5),
    ("success_at_k_score([0, 1, 1], s, k=2)", 1),
    ("success_at_k_score([1, 0], [1, 1], k=1, ties='pessimistic')", 0),
    ("recall_at_k_score([1, 1, 1], s, k=1, normalizer='min')", 1),
    ("precision_at_recall_score([0, 1], [2, 1], recall=1, prevalence=0.1)", 0.1),
    ("recall_at_precision_score([0, 1], [2, 1], precision=0.4, prevalence=0.1)", 0),
    ("interpolated_average_precision_score([0, 1], [2, 1], recall_levels=[1], prevalence=0.1)", 0.1),
    ("eleven_point_average_precision_score([0, 1], [2, 1], prevalence=0.1)", 0.1),
    ("interpolated_average_precision_score([0, 1], [2, 1], prevalence=0.1)", 0.1),
    ("pr_auc_score([1, 0, 1], s, interpolation='linear', prevalence=0.1)", 0.5 + (1 / 19 + 0.1) / 4),
    ("reciprocal_rank_score([0, 0, 1], s, average='samples', sample_weight=[1, 0, 1])", 1 / 2),
    ("reciprocal_rank_score([0, 1, 1], s, k=1, query_id=[1, 1, 2], average=None)", [0, 1]),
    ("reciprocal_rank_score([0, 1, 1], s)", 1 / 2),
    ("success_at_k_score([0, 0, 1], [1, 1, 1], k=2)", 2 / 3),
    ("average_precision_at_k_score([1, 0, 1, 0], [2, 2, 1, 1], k=None, ties='expected')", (3 / 4 + 7 / 12) / 2),
    ("interpolated_average_precision_score([0, 1, 1], s)", 2 / 3),
    ("interpolated_average_precision_score([1, 0, 1, 1], [3, 2, 1, 1])", (1 + 2 * 3 / 4) / 3),
    ("eleven_point_average_precision_score([0, 1, 1], s)", 2 / 3),
    ("reciprocal_rank_score([0, 1, 0], [2, 1, 1])", (1 / 2 + 1 / 3) / 2),
    # rows of weight 0 have an id and an amount
    ("rows(sample_weight=[1, 0, 1, 1, 1]).of_kept(np.arange(5))", [0, 2, 3, 4]),
    ("rows(sample_weight=[1, 0, 1, 1, 1], unit_id=[*'abcde']).units[0].of_rows.tolist() == [*'acde']", True),
    ("rows(sample_weight=[1, 0, 2, 3, 4], query_id=q5).weight", [1, 2, 3, 4]),
    ("rows(sample_weight=[1, 0, 1, 1, 1], query_id=q5).numbers_of_queries()", [1, 1, 0, 2]),
    ("rows().of_kept(np.arange(5))", [0, 1, 2, 3, 4]),
    ("[ids.distinct.size for ids in rows(unit_id=pd.DataFrame({'a': 2**53 + np.arange(5), 'b': 0.5})).units]", [5, 1]),
    ("rows(unit_id=range(5), n_positives={7: 1}).totals[2:] == (None, [7])", True),
    ("rows(unit_id=range(5), query_id=[*'aabbb'], n_positives={'a': 1}).totals[2:] == (['a'], None)", True),
    ("read(PassedRows(np.eye(2), np.eye(2), n_positives={'x': 1, 'y': 1}, unit_id=[1, 2]), caller='').totals[2:] == ([*'xy'], None)", True),
    ("rows(unit_id=[*'abcde']).units[0].of_rows.tolist() == [*'abcde']", True),
    ("np.bincount(rows().numbers_of_queries())", [5]),
    ("rows().with_scores(np.array([5, 9, 1, 2, 3])).bounds", (1, 9)),
    ("rows().with_scores(np.array([5, 9, 1, 2, 3])).score", [5, 9, 1, 2, 3]),
    ("[total_of(read_totals(total)) for total in ([4], 4)]", [[4], [4]]),
    ("totals_of_columns(read_totals({'u': 3, 'v': 4}, by_unit=True), range(1))", [7]),
    # Equal scores keep the order of the rows.
    ("(rows_in_order(Rows((t := np.tile([2.0, 1.0], 20)) > 1, t, None, np.array([0, 40])), None, (1, 2)).row == t.argsort(kind='stable')).mean()", 1.0),
    ("[len(read_units(ids, len(ids))) for ids in (y, [(1, 2)], np.array(y), np.c_[y], np.c_[y, y], ab)]", [1, 1, 1, 1, 2, 2]),
    ("[*read_totals({'a': 2, 'b': 0}).by_name] == ['a'] and read_totals([0, 3]).by_name == {1: 3}", True),
    # the rows above a cut: of each ranking, a number or a share, at least one, or all
    ("[*map(partial(cut_depth, np.array([5.0, 4])), (3, 0.3, 0.01, None))]", [[3, 3], [2, 1], [1, 1], [5, 4]]),
    # More tied groups than an integer of 16 bits has. The first two rows are one of them.
    ("AP([1, 0] * 20_000, [40_000, *range(40_000, 1, -1)], sample_weight=[1, 1, 2, 2] * 10_000)", (np.sum(WEIGHTS * MANY / (2 * MANY - WEIGHTS)) - 1 / 2) / 30_000),
    # Dates of Python are those of numpy, in UTC.
    ("AP(y, s, query_id=np.array(['2020-01-01T09'] * 3, 'M8[h]'), n_positives={datetime.datetime.fromisoformat('2020-01-01T11:00+02:00'): 4})", (1 + 2 / 3) / 4),
    # calls as text, and warnings that are collected
    ("{number.call for number in registry.NUMBERS} >= calls", True),
    ("len(collected(AP, [0, 0], [2, 1]))", 1),
    ("len(collected(lambda: [collected(AP, [0, 0], [2, 1]), AP([0, 0], [2, 1])]))", 1),
    # A total below the weights by their rounding is their total. A cut in rows is no cut
    # in weights.
    ("AP([1] * 1001, range(1001), sample_weight=[0.1, 0.2] * 500 + [0.3], n_positives=150.3 * (1 - 5e-13))", 1),
    ("average_precision_at_k_score([1, 0, 0, 0, 1], [5, 4, 3, 2, 1], k=3, sample_weight=[1, 0.1, 0.2, 0.1, 1], normalizer='n_positives')", 0.5),
    # Up to 2**53, floats have each integer.
    ("[*score_by_query(AP, [1, 0, 1, 0], [4, 3, 1, 2], query_id=[2.0**53 - 2] * 2 + [2.0**53 - 1] * 2).values()]", [1, 0.5]),
    # The last query has no positive.
    ("average_precision_at_k_score([1, 1, 1, 1, 0], [5, 4, 3, 2, 1], k=1, query_id=[0, 0, 1, 1, 2], sample_weight=[1, 2, 1, 2, 1])", 1 / 3),
    # chance
    ("expected_by_chance([1, 0, 0, 1], query_id=[0, 0, 1, 1], sample_weight=[1, 1, 3, 3])", 0.75),
    ("expected_by_chance([1, 0, 0, 1, 1, 0], query_id=[*'aabbcc'], sample_weight=[0, 0, 1, 1, 1, 1])", 0.75),
    ("[expected_by_chance([0, 0], zero_division=each) for each in ('warn', 1.0)]", [0, 1]),
    ("[expected_by_chance([1, 0, 0, 0], query_id=[1, 1, 2, 2], zero_division=each) for each in (0.0, 1.0, np.nan)]", [0.375, 0.875, 0.75]),
    ("expected_by_chance([*'abcabbca'], average=None)", [mean_of_chance(8, n) for n in (3, 3, 2)]),
    ("expected_by_chance([0, 1, 2], pos_label=2)", mean_of_chance(3, 1)),
    ("expected_by_chance(csr_array([[1, 0], [0, 1], [1, 1]]))", 29 / 36),
    ("expected_by_chance([5, 7, 9, 9], average=None).size", 3),
]  # fmt: skip
LOW = "n_positives must not be below the positives in y_true; got "
SUM = "n_positives must contain numbers >= 0 with a finite sum; got "
SHAPE = "y should be a 1d array, got an array of shape (2, 2) instead."
K = "k must be None, an integer >= 1"
ONCE = "n_positives must have one total per name, but repeats "
ONE = "n_positives must be one number if all rows are one ranking"
ALL = "y_score must have all classes of y_true, [1, 2, 5]"
OWN = "average_precision_score()"
# A call, the beginning of its error, a ValueError if the row names no other class, and
# words of it or of its note, in this order. "$" is the end.
ERRORS = [
    # labels without a positive one
    # A score that is the label 0 or 1 is no id.
    ("hit_curve([2, 1, 2], [3, 0, 1])", "y_true takes value in {1, 2}", "pos_label=1 or pos_label=2, whichever is positive in y_true.$"),
    ("hit_curve([0, 2], [0, 1])", "y_true takes value in {0, 2}", "pos_label=0 or pos_label=2, whichever is positive in y_true.$"),
    ("hit_curve([-2, 1], [2, 1])", "y_true takes value in {-2, 1}", "pos_label=-2 or pos_label=1"),
    ("hit_curve(range(6), range(6), pos_label=7)", "pos_label=7 is not a valid", "pos_label=3 or pos_label=4, whichever"),
    ("hit_curve([*'ab'], [2, 1])", "y_true takes value in {'a', 'b'}", "pos_label='a' or"),
    ("AP([2, 3], [2, 1])", "pos_label=1 is not a valid label", "pos_label=2 or pos_label=3"),
    ("AP([1, 0], [2, 1], pos_label=2)", "pos_label=2 is not a valid label. It should be one of [0", "pos_label=0 or pos_label=1"),
    ("AP(np.eye(2), np.eye(2), pos_label=0)", "Parameter pos_label is fixed to 1 for multilabel-indicator", "set pos_label to 1.$"),
    ("AP(y, s, pos_label=None)", "TypeError: The 'pos_label' parameter of average_precision_score", "Got None instead"),
    ("AP([[2, 3], [0, 1]], np.eye(2))", "multiclass-multioutput", "read_lists"),
    ("AP([[1, -1], [0, 1]], np.eye(2))", "multiclass-multioutput", "If -1 means unknown, with keep = np.asarray(y_true) != -1, pass y_true[keep], y_score[keep], query_id=np.nonzero(keep)[1]"),
    ("AP([1, -1, 0], [3, 2, 1])", "", "If -1 means unknown, with keep = np.asarray(y_true) != -1, pass y_true[keep], y_score[keep]."),
    ("AP([1, 0], {'new': [2, 1]})", "y_score must be the scores of one model; got the mapping {'new': [2, 1]}. compare_many, or compare= of a report, takes several models.", "Of mappings by query, such as qrels and a run, pass **sklearn_ap.read_lists(y_true, y_score)."),
    ("AP([1, None], [2, 1])", "Input y_true contains NaN.", "in row 1. Drop these rows"),
    ("AP([1, np.nan], [2, 1])", "Input y_true contains NaN.", "y_true is missing in row 1."),
    ("AP(np.array([1, 'a'], object), [2, 1])", "unknown format is not supported", "got shape (2,).$"),
    ("AP(np.array([[1], ['a']], object), [2, 1])", "unknown format is not supported", "got shape (2, 1). Of lists"),
    ("AP(np.array([[1], [None]]), [2, 1])", "Input y_true contains NaN.", "Drop these rows"),
    ("AP(np.array([[1, 0], [None, 1]]), np.eye(2))", "Input y_true contains NaN.", "in row 1. With keep = ~np.isnan(np.asarray(y_true, dtype=float)), pass y_true[keep], y_score[keep], query_id=np.nonzero(keep)[1] to rank"),
    # scores and weights of a wrong shape, or that are no numbers
    ("AP([1, 0], [2, 1], sample_weight=np.eye(2))", "sample_weight should be a 1d", "(2, 2)"),
    ("AP([0, 1], [[.2, .8], [.4, .6]])", SHAPE, "[:, 1], the scores of class 1."),
    ("AP([1, 0, 1], np.array([[.2, .8], [.4, .6], [.1, .9]]))", "y should be a 1d array", "pass y_score[:, 1], the scores of class 1."),
    ("AP([1, 1], [[.2, .8], [.4, .6]])", SHAPE, "got shape (2, 2).$"),
    ("AP([0, 1], [[*'ab'], [*'cd']])", SHAPE, "got shape (2, 2)."),
    ("AP([2, 1], [[.2, .805], [.4, .6]], pos_label=2)", SHAPE, "[:, 1], the scores of class 2."),
    ("AP([2, 1], [[.2, .8], [.4, .6]], pos_label=1)", SHAPE, "[:, 0], the scores of class 1."),
    ("hit_curve([0, 2], [[.2, .8], [.4, .6]], pos_label=0)", SHAPE, "[:, 0], the scores of class 0."),
    ("read(PassedRows([0, 1], [[.2, .8], [.4, .6]], pos_label=None), caller='', one_column=True)", SHAPE, "[:, 1], the scores of class 1."),
    ("AP([0, 1], pd.DataFrame({'b': [.2, .4], 'a': [.8, .6]}))", SHAPE, "got shape (2, 2).$"),
    ("AP([*'ab'], pd.DataFrame({'a': [.2, .4], 'b': [.8, .6]}), pos_label='b')", SHAPE, "pass np.asarray(y_score)[:, 1], the scores of class 'b'."),
    ("AP([1, 0], [np.nan, 1])", "Input contains NaN.", "row 0. Drop these rows"),
    ("AP([1, 0, 1], [2, np.nan, np.inf])", "Input contains NaN.", "in row 1 and 1 more. Drop these rows"),
    ("AP([1, 0, 1], [np.nan] * 3)", "Input contains NaN.", "in row 0 and 2 more."),
    ("AP([1, 0, 1], [2, 1, -np.inf])", "Input contains infinity", "in row 2. Pass np.clip"),
    ("AP([0, 1, 2], np.eye(3) * [[1], [np.nan], [1]])", "Input contains NaN.", "in row 1. Drop"),
    ("AP([1, 0], ['2', '1'])", "y_score must contain real numbers; got text such as '2'", "float)."),
    ("AP([1, 0], [Decimal('sNaN'), 1])", "Input contains NaN.", "y_score is not finite in row 0."),
    ("AP([1, 0], [b'2', 1])", "y_score must contain real numbers; got text such as b'2'", "float)."),
    ("AP(y, np.array([*'321'], 'T'))", "y_score must contain real numbers; got text such as '3'", "pass np.asarray(y_score, dtype=float)."),
    ("AP(np.eye(2), [[1, 2], [3, 'x']])", "y_score must contain real numbers; got 'x' in row 1."),
    ("AP(y, np.array([1j, 2, 3], object))", "y_score must contain real numbers; got 1j in row 0."),
    # `float` reads these dates and durations.
    ("AP(y, np.array([1, np.datetime64(1, 'ns'), 2], object))", "y_score must contain real numbers; got np.datetime64", "') in row 1."),
    ("AP(y, np.array([1, 2, np.timedelta64(1, 'Y')], object))", "y_score must contain real numbers; got np.timedelta64(1,'Y') in row 2."),
    ("AP(y, np.array([1, 2, 10**400], object))", "y_score must contain real numbers; got 1000", "000 in row 2."),
    ("AP(y, s, sample_weight=[1, None, 1])", "Input sample_weight contains NaN."),
    ("AP(y, s, sample_weight=2)", "TypeError: The 'sample_weight' parameter of", "sample_weight must contain one number per row; got 2."),
    ("AP([0, 1], 3)", "TypeError: The 'y_score' parameter of", "Got 3 instead"),
    ("AP([1, 0], s)", "Found input variables with inconsistent", "[2, 3]$"),
    ("AP(np.eye(2), np.ones((3, 2)))", "Found input variables with inconsistent", "[2, 3]$"),
    ("AP([1, 0], [[np.nan], [1]])", "Input contains NaN.", "y_score is not finite in row 0."),
    ("AP(np.array([1, 0], object), [np.nan, 1])", "Input contains NaN.", "y_score is not finite in row 0."),
    ("AP(np.array([0, 1, 2], object), np.eye(3) * [[1], [np.nan], [1]])", "Input contains NaN.", "in row 1."),
    ("AP(np.ma.array(y, mask=[0, 1, 0]), s)", "y_true is a masked"),
    ("AP(y, np.ma.array(s, mask=[0, 1, 0]))", "y_score is a masked"),
    ("AP(y, s, sample_weight=np.ma.array(s, mask=[0, 1, 0]))", "sample_weight is a masked"),
    ("AP(y, pd.array([1, None, 0]))", "Input contains NaN.", "y_score is not finite in row 1."),
    # totals
    ("AP([1, 1], [2, 1], n_positives=1)", LOW, "got 1, where 2 were found."),
    ("AP([1, 1], [2, 1], n_positives=3, sample_weight=[2, 2])", LOW, "got 3, where 4 were found."),
    ("AP([1, 1], [2, 1], n_positives=3580244, sample_weight=[1234567, 2345678])", LOW, "got 3580244, where 3580245 were found."),
    ("AP([[1, 1]] * 2, np.eye(2), n_positives=[2, 1])", LOW, "got 1 for ranking 1, where 2 were found."),
    (f"AP([1] * 4, range(4), {TWO}, n_positives=[2, 1])", LOW, "got 1 for 'b', where 2 were found."),
    (f"AP([1] * 4, range(4), {TWO}, n_positives=[1e308] * 2)", SUM, "got [1e+308, 1e+308]."),
    ("AP([1], [1], n_positives=10**400)", SUM, "000."),
    ("AP(ab, np.eye(2), n_positives=[2, -1])", SUM, "got [2, -1]."),
    ("AP([1, 1, 1, 0], [4, 3, 2, 1], sample_weight=[1, 0.7, 0.3, 0.9], n_positives=2 - 2 * 4.2 * 4 * 2.0**-52)", LOW, ", where 2 were found."),
    ("AP([1, 0], [2, 1], n_positives=True)", SUM, "got True."),
    ("AP(ab, np.eye(2), n_positives=[2, True])", SUM, "got [2, True]."),
    ("AP([1, 1, 1], s, n_positives=2.6)", LOW, "got 2.6, where 3 were found."),
    ("AP([1] * 3, range(3), query_id=[1, 3, 2], n_positives=[1, 1, 1])", ONE, "[1, 1, 1]."),
    ("AP([1] * 4, range(4), query_id=[1, 3, 2, 2], n_positives=[1, 9, 9])", ONE, "[1, 9, 9]."),
    (f"AP([1] * 4, range(4), {TWO}, n_positives=pd.Series(2, [*'aab']))", ONCE, "'a' (1 such names)."),
    ("AP(aab, np.ones((2, 3)), n_positives={'a': 2, 'b': 3})", ONE, "{'a': 2, 'b': 3}."),
    # options
    ("read_beta(10**400)", "beta must be a number >= 0; got 1000", "000."),
    ("read_beta(-1)", "beta must be a number >= 0; got -1."),
    ("read_weights('amount', np.ma.array([1, 2], mask=[0, 1]), 2)", "amount is a masked array with masked values"),
    ("read_weights('amount', 2, 1)", "amount must contain one number per row; got 2."),
    ("precision_at_k_score(y, s, k=0.0)", K, "got 0.0.$"),
    ("precision_at_k_score(y, s, k=True)", K, "got True.$"),
    ("AP(y, s, zero_division=np.array([0, 1]))", "zero_division must be 'warn'", "got array([0, 1])."),
    ("r_precision_score(y, s, ties='ptimistic')", "ties must be", "did you mean 'optimistic'?"),
    ("read_k(1.0, is_required=True)", "k must be an integer >= 1", "pass a number of rows, such as 1."),
    ("read_k(None, is_required=True)", "k must be an integer >= 1", "got None."),
    ("precision_at_k_score(y, s, k={'a': 1})", K, "got {'a': 1}; pass one k per call."),
    ("precision_at_k_score([1], [1], k=2.5)", K, "got 2.5."),
    ("precision_at_k_score([1], [1], k=2.0)", K, "got 2.0: a share is below 1; pass a number of rows, such as 2."),
    ("precision_at_k_score([1], [1], k=1.0)", K, "pass a number of rows, such as 1."),
    ("precision_at_k_score([1], [1], k=2.0**53)", K, "got 9007199254740992.0."),
    ("recall_at_k_score([1], [1], k=1, normalizer='hits')", "normalizer must be", "got 'hits'."),
    ("AP([1, 0], [2, 1], query_id=dates.where([1, 0, 1, 1])[:2])", "query_id is missing", "in row 1;"),
    ("AP([1, 0], [2, 1], prevalence=1)", "prevalence must be None or a share", "got 1."),
    ("interpolated_average_precision_score(y, s, recall_levels=['0.5'])", "recall_levels must be None", "got ['0.5']."),
    ("precision_at_k_score(y, s, k=[1, 5])", K, "got [1, 5]; pass one k per call."),
    ("precision_at_k_score(y, s, k=[1, [2, 3]])", K, "got [1, [2, 3]]; pass one k per call."),
    ("precision_at_k_score(y, s, k='20')", K, "got '20'."),
    ("precision_at_k_score(y, s, k=np.array(5))", K, "got array(5)."),
    ("precision_at_recall_score(y, s, recall=[0.2, 0.5])", "recall must be", "got [0.2, 0.5]; pass one number per call."),
    ("AP([1, 0], [2, 1], prevalence=(0.1, 0.2))", "prevalence must be", "got (0.1, 0.2); pass one number per call."),
    ("r_precision_score(y, s, ties='stability')", "ties must be", "got 'stability'."),
    ("precision_at_k_score(y, s, k=3, ties='stabel')", "ties must be", "'stabel'; did you mean 'stable'?"),
    ("pr_auc_score(y, s, interpolation='step')", "interpolation must be one of 'linear', 'davis-goadrich'", "got 'step'."),
    ("pr_auc_score(y, s, interpolation=['linear'])", "interpolation must be one of", "got ['linear']; did you mean 'linear'?"),
    ("pr_auc_score(y, s, interpolation=None)", "interpolation must be one of", "got None."),
    ("average_precision_at_k_score(y, s, k=1, normalizer='hit')", "normalizer must be one of 'min', 'n_positives', 'k', 'hits'; got 'hit'; did you mean 'hits'?"),
    ("average_precision_at_k_score(y, s, k=1, ties='best')", "ties must be one of 'proportional', 'expected', ", "got 'best'."),
    # keywords and places of arguments
    ("AP(y, s, weights=y)", f"TypeError: {OWN} got an unexpected keyword argument 'weights'", "It takes sample_weight, average, "),
    ("AP(y, s, recall=0.8)", f"TypeError: {OWN} got an unexpected keyword argument 'recall'", "In place of recall, write precision_at_recall_score(..., recall=...).$"),
    # One note, in the order of the call.
    ("AP(y, s, tpr=1, per=3)", f"TypeError: {OWN} got an unexpected keyword argument 'tpr'", "In place of tpr, write recall. It takes average, pos_label, ... zero_division.$"),
    ("AP(y, s, per=3, tpr=1, cost=2, fpr=0.05)", f"TypeError: {OWN} got an unexpected keyword argument 'per'", "It takes average, pos_label, ... zero_division. In place of tpr, write recall. In place of fpr, write specificity, such as specificity=0.95 for fpr=0.05.$"),
    ("AP(KernelDensity(), s, y)", f"TypeError: {OWN} takes 2 positional arguments but 3 were given", "scoring= takes a scorer"),
    ("AP(y)", f"TypeError: {OWN} missing 1 required", "'y_score' ... If the labels are in ranked order, pass y_score=range(len(y_true), 0, -1)"),
    ("AP()", f"TypeError: {OWN} missing 2 required", "'y_true' and 'y_score'$"),
    ("AP(y, s, y)", f"TypeError: {OWN} takes 2 positional arguments but 3 were given", "given$"),
    ("score_by_query(y, s)", "TypeError: score_by_query() missing", "The score comes first, such as 'average_precision'.$"),
    ("score_by_query(AP, {'a': s})", "TypeError: score_by_query() missing", "'y_score'$"),
    ("score_by_query(precision_at_k_score, y, k=3)", "TypeError: score_by_query() missing", "'y_score'$"),
    ("advised(lambda score_func, a, y_score_b: 0)(AP, {'a': s})", "TypeError: ", "compare_many takes a dictionary of the scores of models.$"),
    ("advised(lambda score_func, a, y_score_b: 0)()", "TypeError: ", "'y_score_b'$"),
    ("AP(y, s, y_tru=3)", f"TypeError: {OWN} got an unexpected keyword argument 'y_tru'", "It takes average,"),
    ("AP([1, np.nan], [1], zero_division='x')", "zero_division must be 'warn', 0.0, 1.0 or nan; got 'x'."),
    ("precision_recall_curve(y, s, interpolated=1)", "interpolated must be True or False; got 1."),
    ("hit_curve(y5, s5, sample_weight=[1, 2, 2, 1, 1], n_positives=3)", "n_positives needs equal weights here", "got 3."),
    ("score_by_query(lambda y_true, y_score, query_id: 1, y, s, query_id=[1] * 3)", "TypeError: score_func must be a score of this package, or take query_id and average", "got <lambda>. For another function f, write {q: f("),
    ("score_by_query(lambda y_true, y_score, query_id, average: [[1]], y, s, query_id=[1] * 3)", "score_func must return one value for each of 1 queries with average=None; got [[1]]."),
    ("Definition(STEP, cut='n_positives', ties='expected', prevalence=0.0)", "area 'step' has no number with levels=None, cut='n_positives', ties='expected', normalizer='n_positives', prevalence=0.0."),
    ("AP(y, needs_threshold=True)", f"TypeError: {OWN} got an", "response_method= ... of make_scorer"),
    ("AP(y, s, needs_threshold=True)", f"TypeError: {OWN} got an", "response_method= ... of make_scorer"),
    ("precision_at_k_score(y, s, kk=1)", "TypeError: precision_at_k_score() got an unexpected keyword argument 'kk'"),
    ("hit_curve(y, s, kk=1)", "TypeError: hit_curve() got an unexpected keyword argument 'kk'", "It takes pos_label, sample_weight, n_positives.$"),
    ("score_by_query('recall@5', y, s, query_id=y, kk=1)", "TypeError: score_by_query() got an unexpected keyword argument 'kk' for recall_at_k_score", "It takes k, ... average"),
    ("AP(precision=s, recall=s)", "TypeError: average_precision_score() got", "AP is -np.sum(np.diff(recall) * precision[:-1])"),
    ("score_by_query(AP, y, s, query_id=y, groups=y)", "TypeError: score_by_query() got an unexpected keyword argument 'groups' for average_prec", "In place of groups, write query_id"),
    # Ids that their type may have rounded
    *(
        (f"AP(y, s, query_id={ids})", "query_id must have ids that their type does not round", f"got the {words}, which ... Before totals are counted, ... 'Int64'")
        for words, ids in (
            (f"float64 {2.0**53}", "[2**53 + 1, 2.0**53, 1]"),
            (f"float64 {2.0**53}", "[1, np.int64(2**53 + 1), np.float64(2**53)]"),
            (f"float64 {2.0**53}", "[2**53, 2**53 + 1, 2.0**53]"),
            (f"float64 {2.0**53}", "[('a', 2**53 + 1), ('a', 2.0**53), ('b', 1)]"),
            ("float64 -1e+16", "np.array([-1e16, 1, 2])"),
            (f"float32 {2.0**24}", "np.float32([2**24, 2**24 + 1, 5])"),
            ("float16 2048.0", "np.float16([2048, 2049, 5])"),
        )
    ),
    *(
        (f"AP(y, s, query_id={ids})", "query_id must have floats of one type", f"got {words}. Use .astype(float)")
        for words, ids in (
            ("0.1 in ids of the types float32 and float64", "[np.float32(0.1), 0.1, 0.5]"),
            ("0.1 in ids of the types float64 and float128", "[np.longdouble('0.1'), 0.1, 0.5]"),
            ("0.1 in ids of the types float16 and float64", "[('a', 0.1), ('a', np.float16(0.1)), ('b', 1)]"),
            ("70000.0 in ids of the types float16 and float32", "[np.float16(0.5), np.float32(70000), 1]"),
        )
    ),
    *(
        (f"AP(y, s, query_id={ids})", words)
        for words, ids in (
            ("query_id must have finite numbers; got infinity.", "[np.inf, 1, 2]"),
            ("query_id must have dates or durations of one unit; got np.datetime64('2600-01-01'), which datetime64[ns] does not", "[np.datetime64(0, 'ns'), *[np.datetime64('2600-01-01')] * 2]"),
            ("query_id must have dates or durations of one unit; got np.timedelta64(0), which", "[*np.zeros(2, 'm8'), np.timedelta64(0, 'D')]"),
        )
    ),
    ("AP(y, s, query_id=np.zeros(3, 'M8[ns]'), n_positives={np.datetime64('9999'): 1, np.datetime64(0, 'ns'): 2})", "n_positives must have dates or durations of one unit; got np.datetime64('9999')"),
    *(
        (f"AP(y, s, query_id={ids}, n_positives={{{name}: 2}})", "query_id with the names of n_positives must", words)
        for words, ids, name in (
            (f"got the float64 {2.0**53}, which", "[2**53 + 1] * 3", "2.0**53"),
            (f"got the float32 {2.0**24}, which", "[2**24 + 1] * 3", "np.float32(2**24)"),
            ("got 0.1 in ids of the types float32 and float64", "np.float32([0.1] * 3)", "5: 1, 0.1"),
            ("types float16 and float32", "np.float16([0.1] * 3)", "np.float32(0.1)"),
        )
    ),
    ("rows(sample_weight=[1, 0, 1, 1, 1], unit_id=[1, 2])", "unit_id must be one id for each of 5 samples; got shape (2,)."),
    ("rows(unit_id=np.ones((3, 2)))", "unit_id must have the shape (5,) or, if each row belongs to two units, (5, 2)", "got (3, 2)"),
    ("rows(unit_id=[1, 2])", "unit_id must be one id for each of 5 samples; got shape (2,)."),
    ("advised(read_k, {'kk': 'k'})(1, kk=2)", "TypeError: read_k() got an unexpected", "In place of kk, write k."),
    ("registry.read_arguments(precision_at_k_score, [], [], {})", "TypeError: precision_at_k_score requires k=..., such as k=10"),
    ("registry.read_arguments(precision_at_recall_score, [], [], {})", "TypeError: precision_at_recall_score requires recall=", "recall=0.8."),
    ("score_by_query(lambda y_true, y_score: 1.0, y, s, query_id=y)", "TypeError: score_func must be a score of this package, or take query_id and average", "got <lambda>. For another function f, write {q: f("),
    ("score_by_query('recall@5', y, s, query_id=y, k=3)", "TypeError: k is already specified by the name 'recall@5'; got k=3 too", "Remove k."),
    ("score_by_query('averge_precision', y, s, query_id=y)", "score_func must be one of ['average_precision', ", "any number of rows, ... from 0 to 1; got 'averge_precision'; did you mean 'average_precision'?"),
    ("score_by_query('PR AUC', y, s, query_id=y)", "score_func must name one score, but 'PR AUC' is used for two: pass 'average_precision', or 'pr_auc_linear'", "XGBoost's aucpr is 'pr_auc_davis_goadrich'"),
    # values of pandas, of other kinds and of other shapes
    ("AP(y, pd.Series([1, None, 0], dtype='Int64'))", "Input contains NaN.", "y_score ... row 1"),
    ("AP(pd.Series([1, None, 0], dtype='Int64'), s)", "Input y_true contains NaN.", "row 1"),
    ("AP([1, 0, 1], [1, 0, np.nan])", "Input contains NaN", "y_score is not finite in row 2. Drop"),
    ("AP(y, np.array([True, None, 0.5]))", "Input contains NaN", "y_score is not finite in row 1."),
    ("AP(y, np.array([0.5, '0.4', '0.3'], object))", "y_score must contain", "'0.4' ... dtype=float)"),
    ("AP(y, np.array(['0.5', 'error', '0.3'], object))", "y_score must contain", "'error' in row 1."),
    ("AP(np.eye(2), [[0.5, 0.5], [0.5, np.inf]])", "Input contains infinity", "row 1 ... np.clip(y_score, "),
    ("AP([*'aba'], [[0.4, 0.62]] * 3, pos_label='a')", "y should be a 1d", "got shape (3, 2), with rows that do not sum to 1.$"),
    ("AP(y, np.ones((3, 3)))", "y should be a 1d array, got an array of shape (3, 3)", "got shape (3, 3).$"),
    ("AP([0, 1], [[1], [1, 2]])", "setting an array element", "y_score"),
    ("AP(np.ones((2, 2, 2)), np.ones((2, 2, 2)))", "unknown format is", "y_true ... a column per label; got shape (2, 2, 2).$"),
    ("AP(pd.DataFrame({'id': [*'abc'], 'a': y}), s)", "TypeError: ", "y_true must contain ... (3, 2)"),
    ("AP(y, pl.DataFrame({'score': s}).lazy())", "TypeError: The 'y_score' parameter of average_prec", "LazyFrame"),
    # labels of other kinds
    ("AP([*'aabc'], range(4))", "", "{'a': 2, 'b': 1, ... pos_label ... average"),
    ("precision_recall_curve([*'aabc'], range(4))", "multiclass format", "{'a': 2, ... pos_label"),
    ("precision_recall_curve(np.eye(3), s)", "multilabel-indicator format is", "y_true must be a column of labels; got shape (3, 3)."),
    ("precision_recall_curve([*'ab'], [1, 2])", "y_true takes value in {'a', 'b'} and", "='a' ... ='b'"),
    ("AP([*'ab'], [1, 2])", "pos_label=1 is not a valid label. It should be one of ['a'", "='a' ... ='b'"),
    ("AP([0, 1, 2], np.eye(3), pos_label=2)", "Parameter pos_label is fixed to 1 for multiclass", "2: 1}"),
    ("AP([*'abcde'], range(5))", "", "'d': 1, ...}. For one label ... one column of y_score per label.$"),
    ("hit_curve(range(1000), range(1000))", "multiclass format", "y_true has 1,000 labels, with these numbers of rows: {0: 1, 1: 1, 2: 1, 3: 1, ...}. For grades, pass np.asarray(y_true) > 0. For one label against the others, pass pos_label."),
    ("AP(np.repeat([0, 1, 2], 1000), range(3000))", "", "{0: 1000, 1: 1000"),
    ("AP(np.array([*'aba'], 'T'), s)", "y_true must contain numbers or text", "pass y_true.tolist()"),
    ("AP([], [])", "y_true is empty: got shape (0,)"),
    ("AP(y, s, average='foo')", "TypeError: The 'average' parameter of average_precision_score", "Got 'foo' instead"),
    ("AP(y, s, average=np.array(['macro', 'micro']))", "TypeError: The 'average' parameter of average_precision_score", "Got array(['macro', 'micro']"),
    ("AP(y, s, pos_label=[1])", "TypeError: The 'pos_label' parameter of average_precision_score"),
    ("AP([0, 1, 2], s, pos_label='a')", "Parameter pos_label is fixed", "2: 1}"),
    ("AP([0.5, 1.5, 2.5], y)", "continuous format is not supported", "y_true has 3 ... {0.5: 1"),
    ("AP([['a', 'b'], ['c', 'd']], [['a', 'c'], ['d', 'b']])", "multiclass-multioutput", "(2, 2) ... read_lists"),
    ("AP(labels, scores)", "", "pass np.concatenate(y_true), np.concatenate(y_score) and query_id=np.repeat(range(len(y_true)), [*map(len, y_true)]); of lists of ids, **sklearn_ap.read_lists(y_true, y_score)."),
    # ids, totals and weights of other kinds
    ("AP(y5, s5, query_id=pairs)", "query_id is missing in row 1 and 1 more; every sample"),
    ("AP(y5, s5, query_id=pd.MultiIndex.from_tuples(pairs))", "query_id is missing in row 1 and 1 more; every sample"),
    ("AP(y5, s5, query_id=np.array(pairs, dtype=[('site', 'U1'), ('day', float)]))", "query_id is missing in row 1 and 1 more; every sample"),
    ("AP([1, 0], [2, 1], query_id=np.array([1, 'NaT'], 'm8[s]'))", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=[1.0, np.nan, 1.0, 2.0, 2.0])", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=['a', np.nan, 'a', 'b', 'b'])", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=np.array(['2020', 'NaT', '2020', '2021', '2021'], dtype='M8[Y]'))", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=pd.Series(['a', pd.NA, 'a', 'b', 'b'], dtype='string'))", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=pd.Series(['a', None, 'a', 'b', 'b']).astype('category'))", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=pl.Series(['a', None, 'a', 'b', 'b']))", "query_id is missing in row 1"),
    ("AP(y5, s5, query_id=[1, 2])", "query_id must be one id for each of 5 samples; got shape (2,)."),
    ("AP(y5, s5, query_id=3)", "query_id must be one id for each of 5 samples; got type int."),
    ("AP(y5, s5, query_id=csr_array([[1]] * 5))", "query_id must be one id for each of 5 samples; got"),
    ("AP(y5, s5, query_id=pl.LazyFrame({'query': [1] * 5}))", "query_id must be one id for each of 5 samples; got"),
    ("AP(y5, s5, query_id=[['a']] * 5)", "query_id must contain numbers, text", "list"),
    ("AP(y5, s5, query_id=(1, [2], 3, 4, 5))", "query_id must contain numbers, text", "list"),
    ("AP([1, 0], [2, 1], query_id=[1, '1'])", "query_id must contain numbers, text,", "all of one kind; got ['1', 1], of type int and str."),
    ("AP([1, 0], [2, 1], query_id=[np.str_('1'), 1])", "query_id must contain numbers, text,", "of type int and str_."),
    ("AP([1, 0], [2, 1], query_id=[b'a', 'a'])", "query_id must contain numbers, text,", "all of one kind; got"),
    ("AP([1, 0], [2, 1], query_id=['a', (1, 2)])", "query_id must contain numbers, text,", "all of one kind; got [(1, 2), 'a'], of type str and tuple."),
    ("AP([1, 0], [2, 1], query_id=np.array([1, 'a'], object))", "query_id must contain numbers, text,", "all of one kind; got"),
    ("AP(np.eye(3), np.eye(3), query_id=[1, 1, 2])", "query_id requires binary y_true"),
    ("AP(y, s, query_id=np.float32([0.1, 0.1, 0.2]), n_positives={0.1: 1, 0.2: 1})", "query_id with the names of n_positives must have floats of one type", "types float32 and float64"),
    ("AP([0, 1, 2], np.eye(3), query_id=[1, 1, 2])", "query_id requires binary y_true"),
    ("AP(y5, s5, query_id=q5, average='samples')", "query_id requires binary y_true", "shape (5,) and average='samples'."),
    ("AP(y5, s5, n_positives=-1)", "n_positives must contain numbers >= 0 with a finite sum; got"),
    ("AP(y5, s5, n_positives=np.nan)", "n_positives must contain numbers >= 0 with a finite sum; got"),
    ("AP(y5, s5, n_positives='3')", "n_positives must contain numbers >= 0 with a finite sum; got"),
    ("AP(y5, s5, n_positives=2)", "n_positives must not be below", "; got 2, where 3"),
    ("AP(y5, s5, n_positives={'a': 3})", "n_positives must be one number if all rows are one ranking; got {'a': 3}.", "{query: total} the query_id of a score, ... threshold=...)."),
    ("AP(y5, s5, n_positives=[3, 3])", "n_positives must be one number if all rows are one ranking; got [3, 3]."),
    ("AP(y5, s5, n_positives={0: 5})", "n_positives must be one number", "got {0: 5}."),
    ("AP(y5, s5, n_positives=np.ma.array([3.0], mask=[True]))", "n_positives is a masked"),
    ("AP(y5, s5, query_id=q5, n_positives=[3])", "n_positives must be one number", "3 here ... {query: total} with query_id"),
    ("AP(y5, s5, query_id=q5, n_positives=137)", "n_positives must be one number", "3 here ... {query: total} with query_id"),
    ("AP(np.eye(3), np.eye(3), n_positives=137)", "n_positives must be one number", "; got 137"),
    ("AP(ab, np.eye(2), n_positives={'a': 4, 'b': 2, 'c': 5})", ONE, "2 here ... got {'a': 4, 'b': 2, 'c': 5}."),
    ("AP(ab, np.eye(2), n_positives={'a': 4})", ONE, "2 here ... got {'a': 4}."),
    ("AP(np.eye(2), np.eye(2), n_positives=pd.Series([2, 4], [1, 2]))", ONE, "2 here"),
    ("precision_recall_curve(ab, np.eye(2), n_positives={'a': 4})", ONE, "2 here ... got {'a': 4}."),
    ("AP(y5, s5, query_id=q5, n_positives={'b': 1})", "n_positives contains no total for query 'a' (2 such queries)."),
    ("AP(y5, s5, query_id=q5, n_positives={'A': 1, 'a': 1, 'b': 0.5, 'c': 1})", "n_positives must not be below", "; got 0.5 for 'b', where 1 were"),
    ("AP([1, 1, 1, 0], [4, 3, 2, 1], query_id=[*'abbb'], sample_weight=[0, 1, 1, 1], n_positives={'b': 1})", "n_positives must not be below", "; got 1 for 'b', where 2 were"),
    ("AP(y5, s5, query_id=q5, average='micro', n_positives=dict.fromkeys('abc', 2.5 / 3))", "n_positives must not be below", "; got 2.5, where 3 were"),
    ("AP(y5, s5, query_id=q5, n_positives=pd.Series([1, 1, 1, 9], index=[*'abcc']))", ONCE, "'c' (1 such names)."),
    ("AP(y5, s5, query_id=q5, n_positives=pd.Series(1, index=[*zip('aabbcc', [1, 1, 2, 2, 3, 4])]))", ONCE, "('a', 1) (2 such names)."),
    ("AP(y5, s5, query_id=q5, n_positives={'a': 1, 'b': 1, 'c': 1, 7: 1})", "query_id with the names of n_positives must contain", "all of one kind"),
    ("AP(y5, s5, query_id=q5, n_positives={'a': 1, 'b': 1, 'c': 1, np.nan: 1})", "n_positives must have a name for each total; got", "with a missing name"),
    ("AP(y5, s5, query_id=q5, n_positives={('a', 0): 1, ('b', 0): 1, ('c', None): 1})", "n_positives must have a name for each total; got", "with a missing name"),
    ("AP(y5, s5, query_id=q5, n_positives={('a', 0, 0): 1, ('b', 0, 0): 1, ('c', 0, 0): 1})", "query_id with the names of n_positives must contain", "all of one kind"),
    ("hit_curve(y5, s5, sample_weight=[1, 2, 1, 1, 1], n_positives=9)", "n_positives needs equal weights here:", "; got 9."),
    ("hit_curve([*'abc'], np.eye(3), n_positives=4)", "n_positives"),
    ("precision_recall_curve([*'abc'], np.eye(3), n_positives=4)", "n_positives"),
    ("hit_curve([*'abc'], np.eye(3), pos_label='a')", "Parameter pos_label is fixed"),
    ("precision_recall_curve([*'abc'], np.eye(3), pos_label='a')", "Parameter pos_label is fixed"),
    ("hit_curve(y5, s5, pos_label=7)", "pos_label=7 is not a valid label. It should be one of [0 1]"),
    ("precision_recall_curve(y5, s5, pos_label=7)", "pos_label=7 is not a valid label. It should be one of [0 1]"),
    ("AP(y, s, sample_weight=[1] * 4)", "Found input variables with inconsistent", "[3, 3, 4]"),
    ("AP(y, s, sample_weight=[])", "Found input variables with inconsistent", "[3, 3, 0]"),
    ("AP(y, s, sample_weight=[0] * 3)", "Sample weights must contain at least one non-zero number."),
    ("AP(y, s, sample_weight=[1, np.nan, 1])", "Input sample_weight contains NaN."),
    ("AP(y, [1j, 2, 3])", "Complex data not supported"),
    ("AP(y5, s5, sample_weight=[*'1bc23'])", "sample_weight must contain real numbers; got", "'b' in row 1."),
    ("AP(y5, s5, sample_weight=np.array([1, '2', 3, '4', 5], object))", "sample_weight must contain real numbers; got", "text such as '2': pass np.asarray(sample_weight, dtype=float)."),
    ("AP(y5, s5, sample_weight=[b'1'] * 5)", "sample_weight must contain real numbers; got text such as b'1'", "pass np.asarray(sample_weight, dtype=float)."),
    ("AP(y5, s5, sample_weight=pd.to_timedelta(['1s'] * 5))", "sample_weight must contain real numbers; got"),
    ("AP(y5, s5, sample_weight=[datetime.date(2020, 1, 1)] * 5)", "sample_weight must contain real numbers; got"),
    ("AP(y5, s5, sample_weight=[1, -1, 1, 1, 1])", "sample_weight must not be negative"),
    ("AP(y5, s5, sample_weight=[1, 2.0 ** (-501), 1, 1, 1])", "sample_weight must be 0 or from 2**-500", "; got ... in row 1; multiply all"),
    ("AP(y5, s5, sample_weight=[1, 1e-200, 1e200, 1, 1])", "sample_weight must be 0 or from 2**-500", "unless the largest one is more than 2**1000 times the least one above 0.$"),
    ("AP(y5, s5, sample_weight=[1, 2.0 ** 501, 1, 1, 1])", "sample_weight must be 0 or from 2**-500", "; got ... in row 1; multiply all"),
    ("AP(y5, s5, sample_weight=[[1], [1, 2], [1], [1], [1]])", "sample_weight must contain one number per"),
    ("AP(np.arange(5).astype('m8[s]'), s5)", "y_true must contain numbers or text; got dtype timedelta64[s]."),
    ("AP(pd.Series(np.arange(5).astype('M8[D]')), s5)", "y_true must contain numbers or text; got"),
    ("AP([Decimal('1.00000000000000000001'), *map(Decimal, [1] * 4)], s5)", "unknown format is not supported"),
    ("AP([0.5, 1.5], [1, 2], pos_label=1.5)", "continuous format is not supported"),
    ("AP([1.0, 1.5], [1, 2], pos_label=1.5)", "continuous format is not supported"),
    ("AP([Decimal(1), 0], [2, 1])", "unknown format is not supported"),
    ("AP([Decimal(1), 'a'], [2, 1])", "unknown format is not supported"),
    ("AP(np.rec.fromarrays([range(5)]), s5)", "y_true must contain numbers or text; got dtype", "f0"),
    ("AP([0.0, 1.0, 2.0], [1, 2, 3], query_id=[1, 1, 1])", "", "2.0: 1}. For grades, pass np.asarray(y_true) > 0. For one label ... y_score per label.$"),
    ("AP([0, 1, 2], np.eye(3)[:, :2].tolist())", "", "2: 1}"),
    ("AP(y5, np.rec.fromarrays([range(5)]))", "y_score must contain real numbers"),
    ("AP(np.eye(4, 3), np.ones((4, 2)))", "y_score has shape (4, 2), but y_true has shape (4, 3); pass one"),
    ("AP(np.eye(2), np.ones((2, 2, 1)))", "Found array with dim 3"),
    ("AP(np.eye(3), pd.DataFrame(np.eye(3, 2), columns=[*'aa']))", "y_score has shape"),
    ("AP(np.eye(3), pd.DataFrame({'a': pd.array([0, None, 2]), 'b': [0.5, 1, 2]}))", "y_score has shape"),
    ("AP(y5, [[1], [1, 2]])", "Found input variables with inconsistent numbers of samples"),
    ("AP(np.eye(5, 2, dtype=int), [np.eye(5), [1]])", "Found input variables with inconsistent numbers of samples"),
    ("average_precision_at_k_score(y5, s5, normalizer='hits', k=1, ties='expected')", "ties='expected' is not supported with normalizer='hits'"),
    ("reciprocal_rank_score(y5, s5, ties='proportional', k=10)", "ties must be one", "; got 'proportional'"),
    ("success_at_k_score(y5, s5, ties='proportional', k=10)", "ties must be one", "; got 'proportional'"),
    ("AP(y5, s5, sample_weight=[1e+150, 1e-150, 1e-150, 1, 1], prevalence=1e-20)", "prevalence=1e-20 would multiply"),
    ("AP([1, 0, 1, 0, 1], s5, query_id=[*'aabbb'], sample_weight=[1, 1, 1e150, 1e-150, 1], prevalence=1e-20)", "prevalence=1e-20 would multiply"),
    ("r_precision_score(y5, s5, ties='optimistic', sample_weight=[2, 1, 3, 2, 2])", "sample_weight must be equal inside each ranking: ties='optimistic'"),
    ("r_precision_score(y5, s5, ties='expected', sample_weight=[2, 1, 1, 2, 2])", "sample_weight must be equal inside each ranking: ties='expected'"),
    ("r_precision_score(y5, s5, ties='expected', sample_weight=[2, 1, 3, 2, 2])", "sample_weight must be equal inside each ranking: ties='expected'"),
    ("average_precision_at_k_score(y5, s5, k=2, n_positives=9, sample_weight=[2, 1, 1, 2, 2])", "sample_weight must be equal inside each ranking: normalizer='min'"),
    ("average_precision_at_k_score(y5, s5, k=2, n_positives=9, sample_weight=[2, 1, 3, 2, 2])", "sample_weight must be equal inside each ranking: normalizer='min'"),
    ("reciprocal_rank_score(y5, s5, sample_weight=[2, 1, 1, 2, 2])", "sample_weight must be equal inside each ranking: a rank counts rows"),
    ("reciprocal_rank_score(y5, s5, sample_weight=[2, 1, 3, 2, 2])", "sample_weight must be equal inside each ranking: a rank counts rows"),
    ("AP(lists, s5)", "y_true must contain", "; got ... in row 0"),
    ("AP(y5, lists)", "y_score must contain", "; got ... in row 0"),
    ("AP(y5, s5, sample_weight=lists)", "sample_weight must contain", "; got ... in row 0"),
    ("AP(pa.array([[1]] * 5), s5)", "y_true must contain", "; got ... in row 0"),
    ("AP(y5, pa.array([[1]] * 5))", "y_score must contain", "; got ... in row 0"),
    ("AP(y5, s5, sample_weight=pa.array([[1]] * 5))", "sample_weight must contain", "; got ... in row 0"),
    # names of columns
    ("AP(ab, ab.set_axis([*'ac'], axis=1))", "y_score must have all columns of y_true, ['a', 'b'], as names of its columns", "got ['a', 'c']."),
    ("AP([*'abc'], pd.DataFrame(np.eye(3), columns=[*'abx']))", "y_score must have all classes of y_true, ['a', 'b', 'c'], as names", "got ['a', 'b', 'x']."),
    ("AP([1, 2, 5], pl.DataFrame(np.eye(3), schema=[*'521']))", ALL, "got ['5', '2', '1']."),
    ("AP([1, 2, 5], pa.table(dict(zip(['5.0', '2.0', '1.0'], np.eye(3)))))", ALL, "got ['5.0', '2.0', '1.0']."),
    ("AP(pd.DataFrame(np.eye(3), columns=[1, 2, 5]), pd.DataFrame(np.eye(3), columns=[*'521']))", "y_score must have all columns of y_true, [1, 2, 5]", "got ['5', '2', '1']."),
    ("AP(aabc, pd.DataFrame(np.eye(4), columns=[*'abac']))", "y_score must have all columns of y_true", "got ['a', 'b', 'a', 'c']."),
    ("AP(aabc, pd.DataFrame(np.eye(4), columns=[*'aabb']))", "y_score must have all columns of y_true", "got ['a', 'a', 'b', 'b']."),
    ("AP(aabc, pd.DataFrame(np.eye(4), columns=[*'abcd']))", "y_score must have all columns of y_true", "got ['a', 'b', 'c', 'd']."),
    # Totals in the order of the queries, which is that of the ids only if these appear so.
    ("AP([1, 0], [1, 2], query_id=[*'ba'], n_positives=[1, 2])", ONE, "got [1, 2]."),
    ("AP(pd.DataFrame({'a': [1, 0], 'b': [0, 1]}), [[1, 2], [3, 4]], n_positives=pd.Series([9, 2, 2], [*'aab']))", ONE, "got a 9"),
    ("AP([1, 1], [2, 1], query_id=np.array([1, 1], 'm8[ns]'), n_positives=[1])", LOW, "got 1 for np.timedelta64(1,'ns'), where 2 were found."),
    ("expected_by_chance([1, 0, 0], zero_division=0.5)", "zero_division", "got 0.5."),
    ("expected_by_chance([1, np.nan])", "Input y_true contains NaN"),
    ("expected_by_chance([1, 0, 0], sample_weight=[1, 2, 2])", "sample_weight must be equal inside each ranking, ", "; got weights from 1.0 to 2.0. Score ... "),
]  # fmt: skip
ORDERS = "in their indexes, in two orders: [3, 1] and [1, 3]. ... write"
# A call, and words of its warning.
WARNINGS = [
    ("read(PassedRows(pd.Series([1, 0], [3, 1]), [2, 1], unit_id=pd.Series([1, 2], [1, 3])), caller='')", f"y_true and unit_id have the same values {ORDERS} unit_id.loc[y_true.index]"),
    ("collected(AP, [0], [1]) and AP([0, 0], [2, 1])", "No positive class found in y_true"),
    ("AP(pd.Series([1, 0], [3, 1]), pd.Series([2, 1], [1, 3]))", f"y_true and y_score ... {ORDERS} y_score.loc[y_true.index] to ... np.asarray(y_score)"),
    ("AP(pd.Series([1, 0], [3, 1]), [2, 1], sample_weight=pd.Series(1, [1, 3]))", f"{ORDERS} sample_weight.loc[y_true.index] to ... np.asarray(sample_weight)"),
    ("AP([1, 0], pd.Series([2, 1], [3, 1]), query_id=pd.Series(1, [1, 3]))", f"{ORDERS} query_id.loc[y_score.index] to ... np.asarray(query_id)"),
    ("AP(pd.Series([1, 0, 1], [*'aab']), pd.Series(s, [*'baa']))", "['a', 'a', 'b'] and ['b', 'a', 'a']. ... join them by an id that occurs once"),
    ("AP(pd.Series([1, 0], pd.MultiIndex.from_tuples([(1, 2), (3, 4)])), pd.Series([2, 1], pd.MultiIndex.from_tuples([(3, 4), (1, 2)])))", "[(1, 2), (3, 4)] and [(3, 4), (1, 2)]"),
    ("AP(pd.Series([1, 0], name='label'), pd.Series([2, 1], [1, 0]))", "[0, 1] and [1, 0]"),
    ("AP(pd.Series([1, 0], [1.0, 0.0]), pd.Series([2, 1], [0.0, 1.0]))", "[1.0, 0.0] and [0.0, 1.0]"),
    ("AP(pd.Series([1, 0], [1, 0]), pd.Series([2, 1], name='score'))", "[1, 0] and [0, 1]"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), WARNINGS)
def test_a_call_warns(call, words):
    assert re.search(pattern_of(words), warning_of(call, NAMES))


NO_POSITIVE = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)
ALONE = "y_true contains no positives, so the score is 0.0; pass zero_division to choose it."
FEW = "y_true contains no positives in 1 of 3 rankings, which score 0.0; pass zero_division to"
# A call, and the beginning of its warning, if there is one.
WARNED = [
    ("AP([0, 0], [2, 1])", [NO_POSITIVE]),
    ("AP([[0, 1], [0, 0]], np.eye(2))", [NO_POSITIVE]),
    ("AP([0, 0], [2, 1], query_id=[1, 1])", [ALONE]),
    ("r_precision_score([0, 0], [2, 1])", [ALONE]),
    ("AP([0, 1, 1], s, query_id=[1, 2, 3])", [FEW]),
    ("AP([0, 1, 1], s, query_id=[1, 2, 3], average=None)", [FEW]),
    ("r_precision_score([[0, 1, 1]], [s], average=None)", [FEW]),
    ("AP([0, 1, 1], s, query_id=[1, 2, 3], zero_division=0)", []),
    ("AP([0, 0], [2, 1], zero_division=np.nan)", []),
    ("AP([0, 0], [2, 1], n_positives=1)", []),
    ("AP([1, 0], [2, 1], n_positives=1e300, prevalence=1e-200)", []),
    ("AP([[0, 0], [0, 0]], np.eye(2), average='weighted')", []),
    ("precision_at_k_score([0, 0], [2, 1], k=1)", []),
    ("precision_recall_curve([0, 0], [2, 1])", [NO_POSITIVE]),
    ("precision_recall_curve([0, 0], [2, 1], n_positives=1)", []),
    ("hit_curve([0, 0], [2, 1])", []),
    ("expected_by_chance([0, 0])", [ALONE]),
    # Two indexes with other repetitions are not the same values in two orders.
    ("AP(pd.Series([1, 0, 1], [*'aab']), [3, 2, 1], sample_weight=pd.Series(1, [*'abb']))", []),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), WARNED)
def test_a_call_warns_once_or_never(call, expected):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(call, NAMES)
    assert [(one.category, str(one.message)[:87]) for one in caught] == [
        (UserWarning, text[:87]) for text in expected
    ]


@pytest.mark.filterwarnings("ignore:(No positive class|y_true contains no):UserWarning")
@pytest.mark.parametrize("low", [{}, dict.fromkeys(CORE, 1)])
@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected, low):
    with sizes(low):
        found = eval(call, NAMES)
    assert np.array(found) == pytest.approx(np.array(expected), 1e-13, 1e-14)


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    parts = assert_raises(NAMES, *row)
    assert len(parts) <= 2
    assert max(len(part.split()) for part in parts) <= 60
