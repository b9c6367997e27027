"""Rows of states: one call per line, with its value by hand, or with its error. `state` is
a state of five rows, of which the positives are the second, third and fifth from the top.
"""

import copy
import pickle

import numpy as np
import polars as pl
import pyarrow
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap
from refusals import assert_raises, each_row
from sklearn_ap.distributed import RankingState


def lists(state):
    return {name: array.tolist() for name, array in state.to_arrays().items()}


def kinds(state):
    """Return the kind and the bytes of the type of each array."""
    return [array.dtype.str[1:] for array in state.to_arrays().values()]


def arrays(**changed):
    """Return the state of two rows, with changed arrays; without those that are None."""
    columns = {"positive": [1, 0], "y_score": [2, 1], "pos_label": 1} | changed
    return RankingState.from_arrays(
        {name: column for name, column in columns.items() if column is not None}
    )


def names():
    """Return the names of the rows, with new states; `full` has room for one row."""
    return NAMES | {
        "state": RankingState().update([0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2]),
        "full": arrays(counts=[1, 2**53 - 3]),
        "empty": RankingState().update(np.zeros(0, bool), np.float32([])),
    }


# Names of this folder and of those below it, since others may be taken away.
NAMES = {
    name: getattr(sklearn_ap, name)
    for name, module in sklearn_ap._MODULE_OF.items()
    if module.startswith("._core")
}
NAMES |= {"np": np, "pl": pl, "nan": np.nan, "State": RankingState, "arrays": arrays}
NAMES |= {"lists": lists, "kinds": kinds, "copy": copy, "pickle": pickle}
NAMES |= {"of_scikit_learn": average_precision_score}
NAMES |= {"none": pyarrow.chunked_array([], pyarrow.int64())}
# Floats round the first of these scores.
NAMES |= {"large": RankingState().update([1, 0], [2**53 + 1, 2**53])}
AP = "(1 / 2 + 2 / 3 + 3 / 5)"
FIVE = "'RankingState(n_samples=5, n_positives=3)'"
# A call and its value.
VALUES = [
    # float64 represents 2**53, and all integers below.
    ("State().update([1, 0], [2**53, 1]).update([0, 1], [0.5, 0.25]).score()", "(1 + 2 / 4) / 2"),
    ("state.score()", f"{AP} / 3"),
    ("state.score(['recall@2', 'average_precision'])", f"{{'recall@2': 1 / 3, 'average_precision': {AP} / 3}}"),
    ("[*state.score((average_precision_score, 'recall@2'))]", "['average_precision_score', 'recall@2']"),
    ("state.score([])", "{}"),
    ("state.score(recall_at_k_score, k=2)", "1 / 3"),
    ("state.score('recall@0.4')", "1 / 3"),
    ("state.score('precision@0.5')", "1 / 2"),
    ("state.score('average_precision@2')", "1 / 2 / 2"),
    ("state.score('average_precision@2', ties='expected')", "1 / 2 / 2"),
    ("state.score('reciprocal_rank')", "1 / 2"),
    ("state.score('r_precision')", "2 / 3"),
    ("state.score(n_positives=6)", f"{AP} / 6"),
    ("state.score('recall@2', n_positives=6)", "1 / 6"),
    ("state.score('recall@2', n_positives=[6])", "1 / 6"),
    ("state.score('average_precision@5', n_positives=6)", f"{AP} / 5"),
    ("state.score(prevalence=0.6)", f"{AP} / 3"),
    # no positives, and positives below the cut only
    ("State().update([0, 0], [2, 1]).score(zero_division=1.0)", "1.0"),
    ("State().update([0, 0], [2, 1]).score('recall@1', zero_division=1.0)", "1.0"),
    ("State().update([0, 1], [2, 1]).score('recall@1', zero_division=1.0)", "0"),
    ("State().update([0, 1], [2, 1]).score('reciprocal_rank@1', zero_division=1.0)", "0"),
    ("State().update([0, 1], [2, 1]).score('success@1', zero_division=1.0)", "0"),
    ("State().update([0, 1], [2, 1]).score('precision@1', zero_division=1.0)", "0"),
    # Rows that are tied at the cut share its places.
    ("arrays(positive=[1, 0, 1], y_score=[2, 1, 1], counts=[1, 2, 1]).score('recall@2')", "(1 + 1 / 3) / 2"),
    ("arrays(positive=[1, 0, 1], y_score=[2, 1, 0], counts=[1, 3, 2]).score('precision@0.5')", "1 / 3"),
    ("arrays(positive=[1, 0, 1], y_score=[3, 2, 1], sample_weight=[1, 2, 1]).score('average_precision@3')", "(1 + 2 / 4) / 2"),
    ("arrays(positive=[1, 0, 1], y_score=[3, 2, 1], sample_weight=[1, 2, 1]).score('average_precision@2')", "1 / 2"),
    # The two heaviest positives have the weight 3.
    ("State().update([0, 1, 1, 0], [4, 3, 2, 1], sample_weight=[5, 1, 2, 7]).score('average_precision@2')", "1 / 18"),
    ("arrays(counts=[3, 2**52], y_score=[1, 2]).score()", "3 / (3 + 2**52)"),
    ("full.update([1, 1], [1, 2], sample_weight=[0, 1]).n_samples", "2**53 - 1"),
    ("State.from_arrays(lists(pickle.loads(pickle.dumps(full)) + arrays(counts=[1, 0]))).n_samples", "2**53 - 1"),
    # A cut is computed from counts.
    ("arrays(counts=[1, 2**52]).score('recall@1')", "1.0"),
    ("arrays(counts=[3, 2**52], y_score=[1, 1]).score('recall@0.5')", "0.5"),
    ("arrays(counts=[1, 2**28], sample_weight=[1, 2]).score('recall@2')", "1.0"),
    ("arrays(counts=[10**12, 3 * 10**12], y_score=[1, 2], sample_weight=[3, 2]).score('precision@0.875')", "1.5 / 7.5"),
    ("arrays(counts=[10, 3 * 10**8]).score('average_precision@20', ties='expected')", "1.0"),
    ("arrays(counts=[2**52, 10], y_score=[1, 2]).score('average_precision@12', ties='pessimistic')", "(1 / 11 + 2 / 12) / 12"),
    ("arrays(counts=[2**52, 10]).score('reciprocal_rank@9')", "1.0"),
    ("arrays(counts=[3, 4], y_score=[1, 1]).score('average_precision@5', ties='optimistic', normalizer='k')", "3 / 5"),
    ("arrays(counts=[3, 4], y_score=[1, 1]).score(average_precision_at_k_score, k=None, ties='pessimistic')", "(1 / 5 + 2 / 6 + 3 / 7) / 3"),
    # A cut inside the best rows, and a sum of as many terms as are allowed.
    ("arrays(counts=[10, 4], sample_weight=[3, 2]).score('precision@5')", "1.0"),
    ("arrays(counts=[1, 2**28 - 1]).score('reciprocal_rank')", "1.0"),
    ("arrays(counts=[3, 4], y_score=[1, 1]).score('average_precision', n_positives=6)", "3 / 7 * 3 / 6"),
    # The two heaviest positives weigh 5 each.
    ("arrays(positive=[1, 1, 0], y_score=[1, 2, 3], counts=[2, 10**12, 1], sample_weight=[5, 3, 2]).score('average_precision@2')", "3 * (3 / 5) / 10"),
    ("arrays(positive=[1, 1, 0], y_score=[1, 2, 3], counts=[1, 2, 1], sample_weight=[3, 5, 2]).score('average_precision@3')", "10 * (10 / 12) / 13"),
    ("state.score('reciprocal_rank@1000000000')", "1 / 2"),
    # A level is compared with sums of three terms, not of 9.5e12.
    ("arrays(positive=[1, 0, 1], y_score=[3, 2, 1], counts=[6999 * 10**9, 10**12, 15005 * 10**8], sample_weight=[0.1, 0.5, 0.2]).score('precision_at_recall@0.7')", "2 / 3"),
    # A sum of weights beyond the largest weight, in units of 2**497
    ("arrays(positive=[1, 0, 1], y_score=[3, 2, 1], counts=[1, 8192, 1], sample_weight=[2.0**497, 2.0**500, 2.0**500]).score()", "(1 + 8 * 9 / (9 + 65536)) / 9"),
    # Positives come before lighter negatives of their score.
    ("lists(state.merge(State().update([0, 1, 1, 1], [0.7] * 4, sample_weight=[0.5, 1, 5, 1])))", "{'positive': [True, False, True, True, False, True, False], 'y_score': [0.2, 0.3, 0.7, 0.7, 0.7, 0.8, 0.9], 'counts': [1, 1, 3, 1, 1, 1, 1], 'sample_weight': [1, 1, 1, 5, 0.5, 1, 1], 'pos_label': [1] * 7, 'neg_label': [0] * 7}"),
    ("lists(State(pos_label='spam').update(['spam'], [0.2]))", "{'positive': [True], 'y_score': [0.2], 'counts': [1], 'sample_weight': [1], 'pos_label': ['spam'], 'neg_label': ['spam']}"),
    ("lists(State())", "{'positive': [False], 'y_score': [0], 'counts': [0], 'sample_weight': [1], 'pos_label': [1], 'neg_label': [1]}"),
    ("lists(arrays(counts=[2.0, 3], sample_weight=[0.5, 2], neg_label=-1))", "{'positive': [False, True], 'y_score': [1, 2], 'counts': [3, 2], 'sample_weight': [2, 0.5], 'pos_label': [1, 1], 'neg_label': [-1, -1]}"),
    ("lists(arrays(counts=[1, 0], sample_weight=[1, 1]))['positive']", "[True]"),
    ("lists(State().update([0, 1, 1], [1, 1, 1], sample_weight=[0, 2, 3]))['counts']", "[1, 1]"),
    ("kinds(State().update([0, 1], np.float32([1, 2])))", "['b1', 'f4', 'i8', 'f8', 'i8', 'i8']"),
    ("kinds(State(pos_label=True).update([False, True], [1, 2]))", "['b1', 'i8', 'i8', 'f8', 'b1', 'b1']"),
    ("kinds(State())", "['b1', 'f8', 'i8', 'f8', 'i8', 'i8']"),
    ("kinds(State().update([0], np.float32([1])).update([1], np.float64([1])))[1]", "'f8'"),
    # Parquet needs one type per column, also of a batch without rows or without negatives.
    *((f"kinds({call})[1::4]", "['f4', 'b1']") for call in ("empty", "empty + State()", "State() + empty", "copy.copy(State()) + empty", "State.from_arrays(empty.to_arrays())", "State().update([True], np.float32([1]))", "empty.update([1], np.float32([1]))")),
    ("kinds(State(pos_label=True).update(none, np.float16([])))", "['b1', 'f4', 'i8', 'f8', 'b1', 'i8']"),
    ("kinds(State(pos_label=True).update(np.zeros(0), none))[1::4]", "['i8', 'f8']"),
    ("kinds(State(pos_label='ab').update(np.array([], 'U1'), [])) == kinds(State(pos_label='ab'))", "True"),
    ("kinds(State(pos_label=-1).update(np.uint8([]), []).update(np.zeros(0, bool), []).update([-1, 0], [1, 2]))[-1]", "'i8'"),
    ("kinds(State(pos_label=True).update([], pl.Series([], dtype=pl.String)))", "['b1', 'f8', 'i8', 'f8', 'b1', 'b1']"),
    # States and arrays share no memory with the caller, nor with each other.
    ("[a.fill(0) for a in state.to_arrays().values()] and [*lists(state).values()]", "[[True, False, True, True, False], [0.2, 0.3, 0.7, 0.8, 0.9], [1] * 5, [1] * 5, [1] * 5, [0] * 5]"),
    ("[(State().update([1, 0], s), s.fill(0))[0] for s in [np.array([3, 2])]][0].to_arrays()['y_score'].tolist()", "[2, 3]"),
    ("(state.merge().update([1], [0.5]), state.n_samples)[1]", "5"),
    ("(state + state, state.merge([state, state]), state.n_samples)[2]", "5"),
    # merges of states, iterables and copies
    ("repr(state.merge())", FIVE),
    ("state.merge(state, [state, state]).n_samples", "20"),
    ("(state + iter([state, state])).n_positives", "9"),
    ("repr(sum([state], start=State()))", FIVE),
    ("lists(pickle.loads(pickle.dumps(state))) == lists(copy.copy(state)) == lists(copy.deepcopy(state)) == lists(state)", "True"),
    ("lists(State.from_arrays(lists(state))) == lists(state)", "True"),
    ("pickle.loads(pickle.dumps(State(pos_label='a'))).pos_label", "'a'"),
    ("arrays(pos_label='a').update(['b'], [1]).n_samples", "3"),
    ("arrays(counts=[3, 2]).n_positives", "3"),
    ("type(state.n_samples), type(state.n_positives), type(state.score())", "(int, int, float)"),
    ("State(pos_label=np.int64(2)).pos_label, State(pos_label='a').pos_label", "(2, 'a')"),
    ("state.score(of_scikit_learn) == state.score()", "True"),
    # Batches without rows add no rows and set no type.
    *((f"lists({call} + large) == lists(large)", "True") for call in ("State().update([], [])", "State().update(np.empty((0, 1)), [], sample_weight=[])", "State().update(none, pl.Series([]))", "arrays(positive=none, y_score=none, counts=none)", "State.from_arrays(lists(State()))", "State().update([0], [0.5], sample_weight=[0])", "arrays(y_score=[0.5, 2], counts=[0, 0])", "arrays(y_score=[0.5, 2], sample_weight=[0, 0])")),
    ("state.update([], []) is state", "True"),
    ("state.update([0, 1], [9, 8], sample_weight=[0, 0.0]).n_samples", "5"),
]  # fmt: skip
OTHERS = "TypeError: others must be RankingState, or an iterable of them"
ROUNDS = "y_score must have a type that represents all scores; float64"
COUNTS = "counts must be a whole number for each of 2 rows, with a sum below 2**53"
LABEL = "pos_label must be one int, float, bool or str; got"
# A call, its error, and words of the error. The state stays as it is.
ERRORS = [
    ("state.score('nothing')", "score_func must be one of", "got 'nothing'."),
    ("state.score(sorted)", "score_func must be a score of this package", "got sorted. For"),
    ("state.score(sorted, recall=0.8)", "score_func must be a score of this package", "of to_arrays() to operating_point or precision_recall_curve."),
    ("state.score(3)", "TypeError: score_func must be a function or a name; got 3"),
    *((f"state.score({name}=[1])", f"TypeError: {name} is not an argument of a score here", "rows; got [1].") for name in ("average", "pos_label", "query_id", "sample_weight")),
    ("state.score(['average_precision', average_precision_at_k_score], k=2)", "TypeError: average_precision", "'k'"),
    ("state.score('recall@2', k=3)", "TypeError: k is already specified"),
    ("state.score('precision@2', ties='stable')", "ties='stable' requires the order of the rows"),
    ("state.score(n_positives=2)", "n_positives must not be below", "got 2, where 3 were found."),
    ("state.score('recall@2', n_positives=2)", "n_positives must not be below", "got 2, where 3 were found."),
    ("State().score()", "RankingState is empty"),
    ("State().update([0, 1], [2, 1]).score('success@1', zero_division=0.25)", "zero_division must be", "got 0.25."),
    ("arrays(counts=[1, 2**28]).score('reciprocal_rank')", "ties='expected' requires each row above the cut, so k must be at most 2**28 rows here; got 268,435,457 rows."),
    ("arrays(counts=[1, 2**52]).score('average_precision@0.5', ties='pessimistic')", "ties='pessimistic' requires each row above the cut", "got 2,251,799,813,685,248 rows."),
    # labels
    *((f"State(pos_label={label})", f"{LABEL} {label}.") for label in ("nan", "None", "[]", "[1]", "[1, 1]", "[1, 2]", "[[1], [1, 2]]")),
    ("state.update([2, 1], [0.5, 0.6])", "y_true must contain the same two labels", "got 2 after 0, with pos_label=1."),
    ("state.update([0, 1, 2], [[1, 2, 3]] * 3)", "y_true must be binary, since a state is one ranking; got 3"),
    ("state.update([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.1]])", "y_true must be binary", "got 2 columns or classes"),
    ("state.update([0, 2], [0.5, 0.6])", "pos_label=1 is not a valid label"),
    ("State(pos_label='x').update([*'xab'], [1, 2, 3])", "y_true must contain two labels; got 'a' and 'b' next to pos_label='x'."),
    ("State(pos_label=2).update([2, 0, 3], [1, 2, 3])", "y_true must contain two labels; got 0 and 3 next"),
    ("state + State(pos_label=True)", "pos_label must be the same in states that are merged; got 1 and True."),
    ("state.merge(state, [State().update([2, 1], [1, 2])])", "y_true must contain the same two labels", "got 2 after 0"),
    *((f"{call}.update([2, 1], [1, 2])", "y_true must contain the same two labels", "got 2 after 0") for call in ("(State() + state)", "pickle.loads(pickle.dumps(state))", "(state + state).update([1], [0.5])")),
    ("arrays(pos_label='a', neg_label='b').update(['c'], [1])", "y_true must", "got 'c' after 'b', with pos_label='a'."),
    # rows
    ("state.update([0, 1], [0.5, nan])", "Input contains NaN"),
    ("state.update([0, 1], [0.5, 0.6], sample_weight=2.0)", "sample_weight", "got 2.0"),
    ("state.update([0, 1], [0.5, 0.6], sample_weight=[1, -1])", "sample_weight must not be negative; got -1.0 in row 1"),
    ("state.update([0, 1], [9, 8], sample_weight=np.ma.array([1, 2], mask=[0, 1]))", "sample_weight is a masked array with masked values"),
    ("state.update([0, 1], [9, 8], sample_weight=pl.Series([1, 2], dtype=pl.Int128))", "sample_weight must have types that numpy has"),
    ("arrays(counts=np.ma.array([1, 2], mask=[0, 1]))", "counts is a masked array with masked values"),
    ("state.update([0, 1], [9, 8], sample_weight=[0] * 3)", "sample_weight must contain one number for each"),
    *((f"state.update({rows})", "") for rows in ("[1], []", "[], [0.5]", "[], [], sample_weight=[1]")),
    # scores that float64 rounds
    ("large.update([0, 1], [0.5, 1])", f"{ROUNDS}, the common type of all updates, would round 9007199254740993."),
    ("state.update([0, 1], [2**53, -(2**53) - 1])", ROUNDS, "-9007199254740993."),
    ("state.merge([state, large])", ROUNDS),
    ("State().update([0, 1], np.uint64([2**64 - 1, 1])).update([1], [-1])", ROUNDS, "would round 18446744073709551615."),
    # counts
    *((f"full{call}", f"counts must have a sum below 2**53 in a state; got n_samples={2**53 + n}") for call, n in ((".update([1, 0], [2, 1])", 0), (".merge(State(), [state])", 3), (" + full", 2**53 - 4), (".merge(state, [pickle.loads(pickle.dumps(full))])", 3))),
    # states and arrays
    ("state + 3", OTHERS, "got int."),
    ("sum([State(pos_label='a')])", OTHERS, "got int. A sum needs a start: sum(states, start=RankingState(pos_label='a'))."),
    ("state.merge(state, [state, 'ab'])", OTHERS, "got str."),
    ("State.from_arrays('text')", "TypeError: arrays must be a mapping of arrays, or a data frame; got str."),
    ("State.from_arrays({'positive': [1], 'score': [1]})", "arrays must have ['pos_label', 'positive', 'y_score'], and may have", "got ['positive', 'score']."),
    # Spark names counts so. They would have no effect.
    ("arrays(count=[3, 1])", "arrays must have", "may have ['counts', 'neg_label', 'sample_weight'], but no other names; got ['positive', 'y_score', 'pos_label', 'count']."),
    ("arrays(positive=[True])", "Found input variables with inconsistent"),
    ("arrays(positive=[1, 2])", "positive must be True or False for each row, or 1 or 0; got 2."),
    ("arrays(pos_label=[1, 2])", f"{LABEL} [1, 2]."),
    ("arrays(neg_label=[0, 2])", "neg_label must be one int", "[0, 2]"),
    ("arrays(neg_label=[None, None])", "neg_label must be one int", "got None."),
    ("arrays(counts=[2])", "counts must contain one number for each of 2 samples; got 1."),
    ("arrays(counts=[1, -1])", "counts must not be negative; got -1.0 in row 1"),
    *((f"arrays(counts={counts})", f"{COUNTS}; got", counts) for counts in ("[2, 0.5]", "[9007199254740992, 1]", "[9007199254740993, 0]", "[9007199254740991, 1]", "[9007199254740991, 2]")),
    ("arrays(sample_weight=[0, -1])", "sample_weight must not be negative; got -1.0 in row 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), VALUES)
def test_a_call_returns_its_value(call, expected):
    found, value = eval(call, names()), eval(expected)
    if isinstance(value, float):
        assert found == pytest.approx(value, rel=1e-14, abs=0)
    else:
        assert found == value


@each_row(ERRORS)
def test_a_call_raises_its_error_and_changes_no_state(row):
    given = names()
    before = [lists(given[name]) for name in ("state", "large", "full")]
    assert_raises(given, *row)
    assert [lists(given[name]) for name in ("state", "large", "full")] == before
