"""How sure scores are, of rows that come in parts: the same as of all rows in memory, by any plan."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap import distributed
from sklearn_ap.distributed._plans import _estimated
from sklearn_ap.distributed._plans._estimated import estimated
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._plan import scores_of
from sources import PartsSource

few = pytest.mark.filterwarnings("ignore:The (sample has only|score .* positives at the top)")
SCORES = {
    "step": (ap.average_precision_score, {}),
    "interpolated": (ap.interpolated_average_precision_score, {}),
    "linear": (ap.pr_auc_score, {}),
    "davis-goadrich": (ap.pr_auc_score, {"interpolation": "davis-goadrich"}),
    "prevalence": (ap.average_precision_score, {"prevalence": 0.05}),
    "interpolated at a prevalence": (ap.interpolated_average_precision_score, {"prevalence": 0.4}),
    "davis-goadrich at a prevalence": (
        ap.pr_auc_score,
        {"interpolation": "davis-goadrich", "prevalence": 0.01},
    ),
    "at k, all rows": (ap.average_precision_at_k_score, {"k": None}),
}
KINDS = {
    "float64": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n, dtype=np.float32),
    "ties": lambda rng, n: np.round(rng.normal(size=n), 1),
    "one outlier": lambda rng, n: np.append(rng.random(n - 1), 1e300),
}


def estimate_of(source, limit, score, options):
    question = estimated(score, "influence", options)
    scores_of(Job(source, Roles("y", "s"), limit, lambda *_: None), [question])
    return _estimated.estimate_of(question)


def check(found, expected):
    assert found.score == pytest.approx(expected.score, abs=1e-15, rel=1e-15)
    assert found.method == expected.method
    assert (found.n_positives, found.n_units) == (expected.n_positives, expected.n_units)
    # Sums of squares round by about 1e-16, which a standard error near 0 and its df (a quotient of such
    # sums) show; the interval is compared where there is one to speak of.
    assert found.standard_error**2 == pytest.approx(expected.standard_error**2, rel=1e-9, abs=1e-15)
    assert found.bias == pytest.approx(expected.bias, abs=1e-12, nan_ok=True)
    if found.n_positives > 1 and 1e-9 < found.score < 1 - 1e-9 and found.standard_error > 1e-3:
        assert found.df == pytest.approx(expected.df, rel=1e-9, abs=0, nan_ok=True)
        got, want = found.confidence_interval(), expected.confidence_interval()
        assert tuple(got) == pytest.approx(tuple(want), abs=1e-12)


@few
@settings(max_examples=40)
@given(st.data(), st.sampled_from(sorted(SCORES)), st.sampled_from([1_000, 4_000, 10**9]))
def test_estimates_are_those_in_memory(data, name, limit):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, (score, options) = data.draw(st.integers(3, 900)), SCORES[name]
    y_true = (rng.random(n) < data.draw(st.sampled_from([0.03, 0.3, 0.8]))).astype(int)
    y_true[rng.integers(n, size=2)] = 1
    y_score = KINDS[data.draw(st.sampled_from(sorted(KINDS)))](rng, n)
    missed = data.draw(st.sampled_from([0, 5]))
    if missed and score is not ap.pr_auc_score:
        options = {**options, "n_positives": int(y_true.sum()) + missed}
    source = PartsSource({"y": y_true, "s": y_score}, n // data.draw(st.integers(1, 4)) + 1)
    found = estimate_of(source, limit, score, options)
    check(found, ap.estimate_score(score, y_true, y_score, method="influence", **options))


@pytest.mark.parametrize("name", SCORES)
def test_many_rows(name):
    rng = np.random.default_rng(5)
    y_score = rng.random(60_000, dtype=np.float32)
    y_true = (rng.random(y_score.size) < y_score / 4).astype(int)
    score, options = SCORES[name]
    expected = ap.estimate_score(score, y_true, y_score, method="influence", **options)
    for limit in (100_000, 10**9):
        check(estimate_of(PartsSource({"y": y_true, "s": y_score}, 9_999), limit, score, options), expected)


def test_ties_in_an_order_have_no_influences_in_memory_either():
    y_true, y_score = np.tile([1, 0, 0, 1, 0], 20), np.repeat(np.arange(20), 5)
    options = {"k": None, "ties": "pessimistic"}
    score = ap.average_precision_at_k_score
    found = ap.estimate_score(score, y_true, y_score, n_resamples=99, random_state=0, **options)
    assert found.score == score(y_true, y_score, **options)
    assert found.method == "percentile"
    for ask in (ap.estimate_score, ap.influence_values):
        with pytest.raises(ValueError, match="score"):
            ask(
                score,
                y_true,
                y_score,
                **({"method": "influence"} if ask is ap.estimate_score else {}),
                **options,
            )


@pytest.mark.parametrize("method", ["percentile", "bca", "exact", None])
def test_methods_that_draw_rows_are_refused(method):
    with pytest.raises(
        ValueError, match=r"^method must be 'auto' or 'influence' for rows that come in parts"
    ):
        distributed.estimate_score("average_precision", "nowhere.parquet", method=method)


@pytest.mark.parametrize(
    "option", ["unit_id", "n_resamples", "random_state", "average", "query_id", "sample_weight"]
)
def test_arguments_of_other_samples_are_refused(option):
    with pytest.raises(
        TypeError, match=rf"^{option} is not supported with rows that come .*; got 1. Remove {option}"
    ):
        distributed.estimate_score("average_precision", "nowhere.parquet", **{option: 1})


def test_a_state_has_one_method():
    state = distributed.RankingState().update([0, 1], [0.1, 0.2])
    with pytest.raises(
        TypeError, match=r"^method is not supported with rows that come .*; got 'bca'. Remove"
    ):
        state.estimate(method="bca")


@pytest.mark.parametrize("wrong", [None, 3, len, "nothing"])
def test_one_contract_of_score_func(wrong):
    state = distributed.RankingState().update([0, 1], [0.1, 0.2])
    elsewhere = partial(distributed.estimate_score, data="nowhere.parquet")
    for ask in (state.score, state.bounds, state.estimate, lambda one: state.scores([one]), elsewhere):
        error = ValueError if callable(wrong) or isinstance(wrong, str) else TypeError
        with pytest.raises(error, match=r"^score_func must be (a function or a name|a score of|one of)"):
            ask(wrong)


@pytest.mark.parametrize("score", ["precision@10", "average_precision@10", "eleven_point_average_precision"])
def test_scores_without_influences_are_refused(score):
    with pytest.raises(ValueError, match=r"^score_func must be the area of a whole ranking") as refused:
        distributed.estimate_score(score, "nowhere.parquet")
    assert "\n" not in str(refused.value)


def test_the_public_function(tmp_path):
    pd = pytest.importorskip("pandas")
    y_true, y_score = np.tile([1, 0, 0, 1, 0], 40), np.linspace(0, 1, 200) ** 2
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"label": y_true, "score": y_score}).to_parquet(path, row_group_size=50)
    expected = ap.estimate_score(ap.average_precision_score, y_true, y_score, method="influence")
    for limit in ("1kB", "auto"):
        check(distributed.estimate_score("average_precision", path, memory_limit=limit), expected)
    pd.DataFrame({"label": 0 * y_true, "score": y_score}).to_parquet(path)
    with pytest.raises(ValueError, match=r"^y_true must hold a positive"):
        distributed.estimate_score("average_precision", path)


def test_few_positives_warn():
    source = PartsSource({"y": np.array([0, 1, 0, 1]), "s": np.arange(4.0)}, 2)
    with pytest.warns(UserWarning, match="The sample has only 2 positives"):
        estimate_of(source, 10**9, ap.average_precision_score, {})


def test_states():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 5_000), np.round(rng.random(5_000), 2)
    state = distributed.RankingState()
    for part in np.split(np.arange(5_000), 5):
        state.update(y_true[part], y_score[part])
    for score, options in SCORES.values():
        expected = ap.estimate_score(score, y_true, y_score, method="influence", **options)
        check(state.estimate(score, **options), expected)
    with pytest.raises(ValueError, match=r"^k and bins must be None"):
        distributed.RankingState(k=3).update(y_true, y_score).estimate()
    with pytest.raises(ValueError, match=r"^sample_weight must be None in all updates"):
        state.update([0, 1], [0.5, 0.25], sample_weight=[1, 2]).estimate()
    with pytest.raises(ValueError, match=r"^RankingState is empty"):
        distributed.RankingState().estimate()
