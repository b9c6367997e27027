"""Lists of relevant and of retrieved ids: rows of calls, one per line, with their labels,
places and queries by hand, or with their error; and the values of `mapk`.
"""

from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap
from refusals import assert_raises, each_row
from sklearn_ap import read_lists, score_by_query


def labels(relevant, retrieved):
    """Return whether each retrieved id is relevant."""
    return read_lists(relevant, retrieved).y_true.tolist()


def ap(relevant, retrieved):
    """Return the average precision of each query."""
    lists = read_lists(relevant, retrieved)
    return [*score_by_query("average_precision", **lists).values()]


NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {"read": read_lists, "labels": labels, "ap": ap, "date": date, "np": np}
NAMES |= {"inf": np.inf, "nan": np.nan, "series": pd.Series, "replace": replace}
NAMES |= {"THREE": [["a", "b", "b"], ["c"], []], "FOUND": [["x", "a", "b"], [], ["c"]]}
NAMES |= {"pd": pd, "pl": pl, "pa": pa}
# One row per document. The columns would be three queries with two documents each.
NAMES |= {"JUDGED": {"query": ["q", "q"], "doc": ["a", "b"], "relevance": [1, 0]}}
NAMES |= {"BY_NAME": pd.Series([["b", "x"], ["a", "y"]], index=["r", "q"])}
# A call and its value. In calls of `ap`, the first query finds its id second.
VALUES = [
    ("read(THREE, FOUND).n_positives", "{0: 2.0, 1: 1.0, 2: 0.0}"),
    ("labels(THREE, FOUND)", "[False, True, True, False]"),
    ("read(THREE, FOUND).y_score.tolist()", "[3, 2, 1, 1]"),
    ("read(THREE, FOUND).query_id.tolist()", "[0, 0, 0, 2]"),
    ("[*map(type, read(THREE, FOUND).n_positives.values())]", "[float] * 3"),
    ("[read(THREE, FOUND)[name].dtype.kind for name in ('y_true', 'y_score')]", "[*'bi']"),
    ("read(THREE, FOUND).keys()", "('y_true', 'y_score', 'query_id', 'n_positives')"),
    ("repr(read(THREE, FOUND))", "'RankedLists(n_retrieved=4, n_relevant=3, n_queries=3)'"),
    ("repr(replace(read(THREE, FOUND), n_positives={0: 1234567.0}))[27:49]", "'n_relevant=1234567, n_'"),
    # repeated ids, generators and arguments that stay as they are
    ("labels([['a', 'b']], [['b', 'a', 'b', 'c']])", "[True, True, False, False]"),
    ("labels((iter('ab') for _ in '12'), ((x for x in 'xb') for _ in '12'))", "[False, True] * 2"),
    ("(lambda ids: (labels([['a']], [ids]), [*ids]))({'y': 1, 'a': 2})", "([True, False], ['y', 'a'])"),
    # queries by name: those of `relevant`, in their order
    ("read({'q': [1]}, {'q': [2, 1], 'unjudged': [1]}).query_id", "['q', 'q']"),
    ("read({'r': ['a'], 'q': ['b']}, {'q': ['b'], 'r': ['a']}).query_id", "['r', 'q']"),
    ("[*read({'r': [], 'q': ['b']}, {'q': ['b'], 'r': ['a']}).n_positives]", "['r', 'q']"),
    ("labels({'r': [], 'q': ['b']}, {'q': ['b'], 'r': ['a']})", "[False, True]"),
    ("read({0: ['a'], 1: ['b']}, {1: ['b']}).query_id", "[1]"),
    ("read({0: ['a'], 1: ['b']}, [['y', 'a'], ['b']]).query_id.tolist()", "[0, 0, 1]"),
    ("read({1.0: ['a']}, {1: ['a']}).query_id", "[1]"),
    # kinds of lists
    ("ap([['a'], ['b']], [['y', 'a'], ['b']])", "[0.5, 1]"),
    ("ap((('a',), {'b'}), (('y', 'a'), ['b']))", "[0.5, 1]"),
    ("ap(np.array([['a'], ['b']]), np.array([['y', 'a'], ['b', 'x']]))", "[0.5, 1]"),
    ("ap([np.array([1]), [2]], [np.array([7, 1]), [np.int64(2)]])", "[0.5, 1]"),
    ("ap([series(['a']), {'b'}], [series(['y', 'a'], [4, 2]), ['b']])", "[0.5, 1]"),
    ("ap({'q': ['a'], 'r': ['b']}, {'r': ['b'], 'q': ['y', 'a']})", "[0.5, 1]"),
    ("ap(BY_NAME.str[:1], series([['y', 'a'], ['b']], ['q', 'r']))", "[0.5, 1]"),
    ("ap([['a'], ['b']], [{'a': 0.1, 'y': 0.9}, {'b': 0.5}])", "[0.5, 1]"),
    ("ap([{'a': True, 'y': False}, {'b': np.True_}], [['y', 'a'], ['b']])", "[0.5, 1]"),
    ("ap([{'a': 2, 'y': 0, 'z': -1}, {'b': 1.0}], [['y', 'a', 'z'], ['b']])", "[0.5, 1]"),
    ("labels([['a']], [{'a': True, 'b': 2}])", "[False, True]"),
    # kinds of ids
    ("labels([[date(2020, 1, 2)]], [[date(2020, 1, 1), date(2020, 1, 2)]])", "[False, True]"),
    ("labels([[np.datetime64('2020-01-02')]], [[np.datetime64('2020-01-02')]])", "[True]"),
    ("labels([['', 'a']], [['', 'b']])", "[True, False]"),
    # A retrieved list may be filled up, and -1 may be an id among others below 0.
    ("labels([[3, 1]], [[3, -1, -1]])", "[True, False, False]"),
    ("labels([[-7, -1]], [[-1, 5]])", "[True, False]"),
    ("labels([{3: 1, -1: 1}], [[-1, 5]])", "[True, False]"),
    ("labels([{-1}], [[-1, 5]])", "[True, False]"),
    ("labels([[7.0]], [[8, 7]])", "[False, True]"),
    ("labels([[7]], [['b', 7]])", "[False, True]"),
    ("labels([['7.5']], [[7, '7.5']])", "[False, True]"),
    # As in trec_eval, scores are compared in float32, and equal ones by descending id.
    ("labels([['d3']], [{'d2': 1.5, 'd3': 1.5, 'd1': 1.5}])", "[True, False, False]"),
    ("labels([['d2']], [{'d2': 2, 'd3': 1.0, 'd1': 2.00000001}])", "[True, False, False]"),
    ("labels([['d2']], [{'d2': 1e40, 'd3': -1e39, 'd1': 1e39}])", "[True, False, False]"),
    ("labels([['d2']], [{'d2': 2**53, 'd3': 2**53 - 2**40, 'd1': 2**53 + 1}])", "[True, False, False]"),
    ("labels([[9]], [{10: 1, 9: 1}])", "[True, False]"),
]  # fmt: skip
LENGTHS = "relevant and retrieved must have one list for each query"
RELEVANT = "relevant must contain a list of ids for each query, the best first"
RETRIEVED = "retrieved must contain a list of ids for each query, the best first"
FINITE = "must contain finite numbers, and integers as relevance; got"
FRAME = "relevant must have one list per query; got a frame"
GROUPED = "{{q: dict(zip(g.doc, g.{})) for q, g in frame.groupby('query')}}."
NONE = "retrieved must have an id for a query of relevant; got none."
FILLED = "relevant is filled up; drop"
# A call, its error, and words of the error.
ERRORS = [
    ("read([['a']], [['a'], ['b']])", LENGTHS, "[0] and [0, 1]."),
    ("read({1: ['a'], 2: ['b']}, [['a'], ['b']])", LENGTHS, "[1, 2] and [0, 1]."),
    ("read([['a'], ['b']], {'q': ['a']})", LENGTHS, "[0, 1] and ['q']."),
    ("read(BY_NAME, [['a'], ['b']])", LENGTHS, "by query id; got the queries ['r', 'q']"),
    ("read([[1, 2], [3, -1]], [[1, 9, 2], [8, -1, -1]])", f"{FILLED} -1, ", "got [3, -1] in query 1."),
    *((f"read({lists}, [[1]])", f"{FILLED} {last}, ", "in query 0.") for lists, last in (("[np.array([3, -1, -1])]", -1), ("[series([3, -1.0])]", -1.0), ("[('a', '')]", "''"), ("[iter([-1])]", -1))),
    ("read([['a']], [{'a'}])", RETRIEVED, "mapping {id: score}; got {'a'} in query 0."),
    ("read([['a']], [{}.keys()])", RETRIEVED, "got dict_keys([]) in query 0."),
    ("read([['a']], ['abc'])", RETRIEVED, "got 'abc' in query 0."),
    ("read([b'a'], [['a']])", RELEVANT, "mapping {id: relevance}; got b'a' in query 0."),
    ("read([None], [['a']])", RELEVANT, "got None in query 0."),
    ("read([['a']], [[('a', 0.5)]])", RETRIEVED, "got ('a', 0.5) in query 0."),
    ("read([['a']], [[0.5, 0.25]])", RETRIEVED, "got 0.5 in query 0."),
    ("read([[True, False]], [['a']])", RELEVANT, "got True in query 0."),
    ("read([np.array([True])], [['a']])", RELEVANT, "got True in query 0."),
    ("read([[np.bool_(True)]], [['a']])", RELEVANT, "True"),
    ("read([[np.float32(1.5)]], [['a']])", RELEVANT, "1.5"),
    # The value that is wrong is shown, and not the ids before it.
    ("read({'q': ['a']}, {'q': [*'abcdefgh', None]})", RETRIEVED, "got None in query 'q'."),
    ("read([[*'abcdefgh', nan]], [['a']])", RELEVANT, "got nan in query 0."),
    ("read([[np.datetime64('NaT', 's')]], [['a']])", RELEVANT, "in query 0."),
    ("read([{None: 1}], [['a']])", RELEVANT, "got None in query 0."),
    ("read([{'a': 0.5}], [['a']])", "relevant must", f"{FINITE} 0.5 in query 0."),
    *(
        (f"read({lists})", f"{name}", f"{FINITE} {number} in query 0.")
        for number in ("None", "nan", "inf", "'2'")
        for name, lists in (
            ("retrieved", f"[['a']], [{{'a': {number}}}]"),
            ("relevant", f"[{{'a': {number}}}], [['a']]"),
        )
    ),
    ("read(BY_NAME.rename({'r': 'q'}), BY_NAME)", "relevant must have one list per"),
    ("read([[date(2020, 1, 1)]], [[np.datetime64('2020-01-01')]])", "document ids must have one type; got ["),
    ("read({1: ['d']}, {'1': ['d']})", "query ids", "got 1 next to '1': write '1'"),
    ("read([['a', '7']], [[7]])", "document ids", "got 7 next to '7': write '7'"),
    ("read([[7.0, 8.0]], [['7']])", "document ids", "got 7.0 next to '7': write '7'"),
    *(
        (f"read({lists})", "relevant and retrieved must have", words)
        for words, lists in (
            ("got the float64 9007199254740992.0, which", "[[2**53 + 1, 5]], [[2.0**53]]"),
            ("got the float64 9007199254740992.0, which", "{2**53 + 1: ['d']}, {2.0**53: ['d']}"),
            ("types float32 and float64", "{np.float32(0.1): ['d']}, {0.1: ['d']}"),
        )
    ),
    ("read({'q': []}, {'q': []})", NONE),
    ("read({'q': ['a']}, {'other': ['a']})", NONE),
    ("read([], [])", NONE),
    *(
        (f"read({kind}(JUDGED), [['a']])", FRAME, GROUPED.format("relevance"))
        for kind in ("pd.DataFrame", "pl.DataFrame", "pa.table")
    ),
    ("read(pd.DataFrame([['q', 'a', 1]]), [['a']])", f"{FRAME} with the columns [0, 1, 2]"),
    ("read([['a']], pd.DataFrame(JUDGED))", "retrieved must have one", GROUPED.format("score")),
    *(
        (f"read({lists})", f"TypeError: {name} must be", f"files of TREC; got {value}.")
        for value in ("None", "0.5", "'qrels.txt'", "b'run.txt'")
        for name, lists in (
            ("relevant", f"{value}, [['a']]"),
            ("retrieved", f"[['a']], {value}"),
        )
    ),
    ("read(THREE, FOUND)['ties']", "KeyError: 'ties'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), VALUES)
def test_a_call_returns_its_value(call, expected):
    assert eval(call, NAMES) == eval(expected)


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    assert_raises(NAMES, *row)


def apk(actual, predicted, k):
    """AP@k as in ml_metrics, by a loop."""
    score = hits = 0.0
    for place, item in enumerate(predicted[:k]):
        if item in actual and item not in predicted[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(set(actual)), k) if actual else 0.0


@pytest.mark.parametrize("kind", [str, np.int64, float])
def test_repeated_ids_count_at_their_first_place_as_in_mapk(kind):
    rng = np.random.default_rng(0)
    relevant, retrieved = (
        [list(map(kind, rng.integers(0, 9, size))) for size in rng.integers(0, 8, 50)]
        for _ in range(2)
    )
    lists = read_lists(relevant, retrieved)
    for k in (1, 3, 8):
        name = f"average_precision@{k}"
        values = score_by_query(name, **lists, zero_division=0.0)
        expected = [apk(*pair, k) for pair in zip(relevant, retrieved, strict=True)]
        assert [*values.values()] == pytest.approx(expected, rel=0, abs=1e-12)
