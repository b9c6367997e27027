"""What may be passed to `estimate_score`, what it refuses, and what its results can do."""

import copy
import pickle
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compare_scores,
    estimate_score,
    influence_values,
    pr_auc_score,
    precision_at_k_score,
    precision_at_recall_score,
)
from uncertainty_oracle import AREAS, drawn, drawn_matrix, drawn_weights, frozen

few = pytest.mark.filterwarnings("ignore:The sample has only")
AP = average_precision_score
METHODS = ["influence", "percentile"]
KINDS = ["list", "pandas", "polars", pytest.param("torch", marks=pytest.mark.peers)]
each_method = pytest.mark.parametrize("method", METHODS)


def numbers(found):
    return np.array([found.score, found.standard_error, found.df, found.n_positives, found.bias], dtype=float)


def estimate(*rows, **options):
    return estimate_score(AP, *rows, **({"n_resamples": 400, "random_state": 0} | options))


# --- nothing to be sure of ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:No positive", "ignore:y_true contains no positive")
@pytest.mark.parametrize("options", [{}, {"unit_id": [1, 1, 2]}, {"sample_weight": [1.0, 2, 3]}])
@each_method
def test_no_positive_is_refused(options, method):
    with pytest.raises(ValueError, match=r"^y_true must hold a positive"):
        estimate([0, 0, 0], [3, 2, 1], method=method, **options)


@few
@each_method
def test_one_positive_has_no_interval(method):
    found = estimate([0, 1, 0, 0], [4, 3, 2, 1], method=method)
    assert found.score == 0.5
    with pytest.warns(UserWarning, match="NaN, because one positive cannot say.*; got 1"):
        assert np.isnan(found.confidence_interval()).all()
    assert "nan" in str(found)


@pytest.mark.filterwarnings("ignore:Only .* rows above the cut")
@few
@pytest.mark.parametrize(
    ("score", "y_true", "value"),
    [(AP, [1, 1, 1, 0, 0], 1), (partial(average_precision_at_k_score, k=2), [0, 0, 0, 1, 1], 0)],
)
def test_resampled_scores_of_0_and_1_have_no_interval(score, y_true, value):
    """The best ranking stays the best one in all bootstrap samples, which says nothing of others."""
    found = estimate_score(
        score, y_true * 10, np.tile([5, 4, 3, 2, 1], 10) * 10.0, method="percentile", random_state=0
    )
    assert found.score == value
    with pytest.warns(UserWarning, match=rf"NaN, because the score is exactly {value}(\.0)?, "):
        assert np.isnan(found.confidence_interval()).all()


@few
@pytest.mark.parametrize("name", AREAS)
@each_method
def test_a_perfect_ranking_has_one_answer_whatever_its_last_bit(name, method):
    """Its score is 1 but for the rounding of weights, which gave three answers."""
    area, rows = AREAS[name], (np.repeat([1, 0], 15), np.arange(30)[::-1])
    for seed in range(20 if method == "influence" else 3):
        weight = np.random.default_rng(seed).choice([0.1, 0.2, 0.3, 0.7], 30)
        options = {"method": method, "sample_weight": weight, "n_resamples": 400, **area.options}
        found = estimate_score(area.score, *rows, **options)
        assert found.score <= 1
        assert found.standard_error == 0
        if method == "influence":
            low, high = found.confidence_interval()
            assert 0.3 < low < 0.8 < high == 1
            continue
        with pytest.warns(UserWarning, match="NaN, because the score is exactly 1, "):
            assert np.isnan(found.confidence_interval()).all()


@few
@pytest.mark.parametrize("weight", [[1, 1e68, 1, 1], [1e68, 1, 1, 1], [1, 1e34, 1, 1e-34], [1, 1, 1e68, 1]])
@pytest.mark.parametrize("y_true", [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
@each_method
def test_weights_far_apart_have_an_estimate(weight, y_true, method):
    """Powers of a missed positive that nobody misses overflowed."""
    found = estimate(y_true, [1, 2, 3, 4], sample_weight=weight, method=method)
    assert 0 <= found.standard_error < 1
    assert found.score == AP(y_true, [1, 2, 3, 4], sample_weight=weight)


def test_a_negative_that_outweighs_all_numbers_is_refused():
    with pytest.raises(ValueError, match=r"^sample_weight .* weigh 5e\+77 positives"):
        estimate([1, 0, 1, 0], [1, 2, 3, 4], sample_weight=[1, 1e78, 1, 1])


@few
def test_one_unit_has_no_interval():
    found = estimate([0, 1, 1, 0], [4, 3, 2, 1], unit_id=[7, 7, 7, 7])
    with pytest.warns(UserWarning, match="NaN, because one unit cannot say"):
        assert np.isnan(found.confidence_interval()).all()


@few
def test_equal_queries_have_no_interval():
    found = estimate(np.tile([0, 1], 5), np.tile([2, 1], 5), query_id=np.repeat(np.arange(5), 2))
    assert (found.score, found.standard_error) == (0.5, 0)
    with pytest.warns(UserWarning, match=r"NaN, because the standard error is 0"):
        assert np.isnan(found.confidence_interval()).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "only 9 positives"),
        ({"sample_weight": np.full(100, 3.0)}, "only 9 positives"),
        ({"unit_id": np.arange(100)}, "only 9 units that hold a positive"),
        ({"method": "percentile"}, "only 9 positives"),
    ],
)
def test_fewer_than_ten_positives_warn(options, text):
    y_true, y_score = np.repeat([1, 0], [9, 91]), np.random.default_rng(0).random(100)
    y_score[[0, 8]] = 2, 3  # else the positives are late, which warns too
    with pytest.warns(UserWarning, match=f"{text}; below 10, intervals and p-values say little"):
        estimate(y_true, y_score, **options)
    y_true[9] = 1
    estimate(y_true, y_score, **options)
    one = text.replace("9 units that hold", "1 unit that holds").replace("9 positives", "1 positive")
    with pytest.warns(UserWarning, match=f"{one}; below 10"):
        estimate(np.arange(100) == 0, y_score, **options)


def test_few_queries_and_heavy_rows_warn():
    y_true, y_score = drawn(1, 90, 0.5)
    with pytest.warns(UserWarning, match="only 9 rankings to average"):
        estimate(y_true, y_score, query_id=np.arange(90) % 9)
    weight = np.ones(90)
    weight[np.flatnonzero(y_true)[:3]] = 1_000
    with pytest.warns(UserWarning, match=r"only 3\.\d\d positives"):
        estimate(y_true, y_score, sample_weight=weight)


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True), (1, 2)], ids=str)
@pytest.mark.parametrize("options", [{}, {"method": "percentile"}, {"unit_id": np.arange(400) // 2}], ids=str)
def test_labels_in_the_place_of_scores_warn(labels, options):
    """cross_val_predict returns labels unless its method is named; their AP is not the model's."""
    y_true, y_score = drawn(1, 400, 0.3)
    positive, hard = (np.where(one, *labels[::-1]) for one in (y_true, y_score > 0.8))
    options = {"pos_label": labels[1], **options}
    with pytest.warns(UserWarning, match=rf"nothing but the labels {labels[0]} and {labels[1]}: .* method="):
        estimate(positive, hard, **options)
    other = np.where(hard == labels[1], 0.7, 0.2)  # two distinct scores are no labels
    late = np.append(hard[:-1], 0.5).astype(float)
    for scores in (other, late, hard == 7, y_score):
        assert estimate(positive, scores, **options).n_units in (200, 400)
    assert not np.isnan(estimate_score(f1_score, positive, hard, n_resamples=20, pos_label=labels[1]).score)


def test_two_models_warn_of_labels_once_each():
    y_true, y_score = drawn(1, 400, 0.3)
    with pytest.warns(UserWarning, match="nothing but the labels 0 and 1") as told:
        compare_scores(AP, y_true, y_score, y_score > 0.8)
    assert len(told) == 1


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "permutation"}, r"method.*'permutation'"),
        ({"method": None}, r"method.*None"),
        ({"n_resamples": 0}, r"^n_resamples must be an integer >= 1; got 0"),
        ({"n_resamples": 99.5}, r"^n_resamples must be an integer >= 1; got 99\.5"),
        ({"n_resamples": "many"}, r"^n_resamples must be an integer >= 1; got 'many'"),
        ({"n_resamples": np.inf}, r"^n_resamples must be an integer >= 1; got inf"),
        ({"n_resamples": np.nan}, r"^n_resamples must be an integer >= 1; got nan"),
        (
            {"random_state": -1, "method": "percentile"},
            r"^random_state must be None, an integer >= 0.*; got -1",
        ),
        ({"random_state": "x", "method": "percentile"}, r"^random_state must be .*; got 'x'"),
        ({"unit_id": [1, 2, 3]}, r"^unit_id must be one id for each of 60 samples; got shape \(3,\)"),
        ({"unit_id": [None] * 60}, r"^unit_id"),
        ({"unit_id": np.full(60, np.nan)}, r"^unit_id"),
        ({"unit_id": [1, "a"] * 30}, r"^unit_id must contain ids of one kind, .*; got int and str"),
        (
            {"query_id": np.arange(60) // 6, "unit_id": np.arange(60)},
            r"^unit_id must be the same in all rows",
        ),
        (
            {"query_id": np.arange(60) // 6, "unit_id": np.arange(60), "average": "micro"},
            r"^unit_id must be the same in all rows of a query; query 0 has several",
        ),
        ({"n_positives": 90, "sample_weight": drawn_weights(1, 60)}, r"^n_positives with weights.*got 90"),
        (
            {"n_positives": 90, "query_id": np.arange(60) // 6, "average": "micro"},
            r"^n_positives must be left out where .*got 90",
        ),
    ],
)
def test_wrong_arguments_are_named(options, match):
    with pytest.raises(ValueError, match=match):
        estimate(*drawn(1, 60, 0.5), **options)


def test_methods_that_a_score_does_not_have():
    y_true, y_score = drawn(1, 60, 0.5)
    for score in (precision_at_k_score, lambda y, s: 0.5):
        with pytest.raises(ValueError, match=r"^method='influence' needs.*use method='percentile'"):
            estimate_score(score, y_true, y_score, method="influence")


def test_totals_are_refused_where_positives_have_no_unit():
    y_true, y_score = drawn_matrix(1, 60)
    for average in ("macro", "micro", "weighted"):
        with pytest.raises(ValueError, match=r"^n_positives must be left out.*; got 90"):
            estimate(y_true, y_score, n_positives=90, average=average)
    with pytest.raises(ValueError, match=r"^n_positives must be left out for this score; got 90"):
        estimate_score(
            average_precision_at_k_score, y_true[:, 1], y_score[:, 1], ties="stable", n_positives=90
        )


def test_a_missing_argument_is_named_by_the_score():
    for question in (estimate_score, influence_values):
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'recall'"):
            question(precision_at_recall_score, [1, 0, 1], [0.9, 0.5, 0.1])


@pytest.mark.parametrize("score", [AP, partial(AP, average="micro"), pr_auc_score])
@pytest.mark.parametrize("name", ["sampel_weight", "k", "ties", "groups"])
def test_unknown_arguments_are_not_passed_over(score, name):
    """A misspelled weight must not give an unweighted answer."""
    for options in ({}, {"unit_id": np.arange(60)}):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            estimate_score(score, *drawn(1, 60, 0.5), **{name: 3}, **options)
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        estimate_score(partial(score, **{name: 3}), *drawn(1, 60, 0.5))


def test_objects_without_a_hash_are_scores():
    class Unhashable(dict):
        def __call__(self, y_true, y_score):
            return AP(y_true, y_score)

    found = estimate_score(Unhashable(), *drawn(1, 60, 0.5), n_resamples=9, random_state=0)
    assert found.score == AP(*drawn(1, 60, 0.5))


@few
def test_errors_are_those_of_the_score():
    with pytest.raises(TypeError, match="wieght"):
        estimate([0, 1], [0, 1], wieght=1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimate([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="of pr_auc_score must be a str"):
        estimate_score(pr_auc_score, [0, 1], [0, 1], average="mean")
    with pytest.raises(ValueError, match="zero_division"):
        estimate([0, 1], [0, 1], zero_division="no")


def test_intervals_need_resamples():
    found = estimate(*drawn(1, 60, 0.5), method="percentile", n_resamples=399)
    for level, needed in ((0.95, 400), (0.99, 2000)):
        with pytest.raises(ValueError, match=rf"^n_resamples must be at least {needed}.*; got 399"):
            found.confidence_interval(level)
    assert len(found.confidence_interval(0.9)) == 2


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan, "0.95", None, True])
@each_method
def test_levels_are_shares(level, method):
    found = estimate(*drawn(1, 60, 0.5), method=method)
    with pytest.raises(ValueError, match=r"^confidence_level must be above 0 and below 1.*; got "):
        found.confidence_interval(level)


# --- random states --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed",
    [lambda: 5, lambda: np.random.default_rng(5), lambda: np.random.RandomState(5)],
    ids=["int", "Generator", "RandomState"],
)
def test_equal_random_states_draw_the_same(seed):
    rows = drawn(1, 60, 0.5)
    one, same, other = (
        estimate(*rows, method="percentile", random_state=state) for state in (seed(), seed(), 6)
    )
    np.testing.assert_array_equal(one.bootstrap_distribution, same.bootstrap_distribution)
    assert (one.bootstrap_distribution != other.bootstrap_distribution).any()


def test_random_states_go_on():
    rows = drawn(1, 60, 0.5)
    for state in (None, np.random.default_rng(5), np.random.RandomState(5)):
        one, other = (
            estimate(*rows, method="percentile", random_state=state).bootstrap_distribution for _ in range(2)
        )
        assert (one != other).any()


# --- results --------------------------------------------------------------------------------------------


@each_method
def test_results_are_kept_shown_and_tabled(method):
    found = estimate(*drawn_matrix(1, 90), method=method)
    for same in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found)):
        assert same == found  # also where a field is NaN, or an array
        assert hash(same) == hash(found)
        assert str(same) == str(found)
        np.testing.assert_array_equal(np.array(same.confidence_interval()), found.confidence_interval())
    for other in (replace(found, score=found.score + 0.25), replace(found, n_units=7), str(found)):
        assert other != found
    for text in (str(found), repr(found)):
        assert "\n" not in text
        assert method in text
        assert len(text) < 600
    frame = found.to_frame()
    assert len(frame) == 1
    assert frame["score"].tolist() == [found.score]
    assert tuple(frame[["low", "high"]].iloc[0]) == found.confidence_interval()
    np.testing.assert_array_equal(found.to_frame(0.5)["low"], np.ravel(found.confidence_interval(0.5).low))


def test_results_do_not_change():
    found = estimate(*drawn(1, 60, 0.5))
    with pytest.raises(AttributeError):
        found.score = 1.0


def test_short_bootstraps_print():
    found = estimate(*drawn(1, 60, 0.5), method="percentile", n_resamples=20)
    assert "percentile" in str(found)
    assert "standard error" in str(found)


# --- inputs ---------------------------------------------------------------------------------------------


def same_numbers(found, wanted):
    np.testing.assert_array_equal(numbers(found), numbers(wanted))


@each_method
@pytest.mark.parametrize("kind", [*KINDS, "column", "bool", "text", "float32"])
def test_inputs_of_all_kinds(kind, method):
    y_true, y_score = drawn(1, 60, 0.5, 2)
    weight, unit = drawn_weights(1, 60), np.arange(60) // 2
    y_score = y_score.astype(np.float32) if kind == "float32" else y_score
    module = import_module(kind) if kind in ("pandas", "polars", "torch") else None
    wrap = {
        "list": np.ndarray.tolist,
        "pandas": lambda values: module.Series(values.copy(), index=np.arange(60)[::-1]),
        "polars": lambda values: module.Series("", values),
        "torch": lambda values: module.tensor(values.copy()),
    }.get(kind, lambda values: values)
    labels = {"column": y_true.reshape(-1, 1), "bool": y_true == 1, "text": np.where(y_true, "ham", "spam")}
    options = {"pos_label": "ham"} if kind == "text" else {}
    given = (wrap(labels.get(kind, y_true)), wrap(y_score))
    ours = {"method": method, **options}
    same_numbers(estimate(*given, **ours), estimate(y_true, y_score, method=method))
    same_numbers(
        estimate(*given, sample_weight=wrap(weight), unit_id=wrap(unit), **ours),
        estimate(y_true, y_score, sample_weight=weight, unit_id=unit, method=method),
    )


@pytest.mark.filterwarnings("ignore:Only .* rows above the cut")
@pytest.mark.parametrize("kind", KINDS)
def test_callables_take_inputs_of_all_kinds(kind):
    y_true, y_score = drawn(1, 60, 0.5, 2)
    module = import_module(kind) if kind != "list" else None
    wrap = {
        "list": np.ndarray.tolist,
        "pandas": lambda values: module.Series(values.copy(), index=np.arange(60)[::-1]),
        "polars": lambda values: module.Series("", values),
        "torch": lambda values: module.tensor(values.copy()),
    }[kind]
    options = {"n_resamples": 30, "random_state": 0}
    score = partial(average_precision_at_k_score, ties="stable")
    same_numbers(
        estimate_score(score, wrap(y_true), wrap(y_score), unit_id=wrap(np.arange(60) // 2), **options),
        estimate_score(score, y_true, y_score, unit_id=np.arange(60) // 2, **options),
    )


@each_method
def test_matrices_of_all_kinds(method):
    y_true, y_score = drawn_matrix(1, 60)
    wanted = estimate(y_true, y_score, method=method)
    same_numbers(estimate(y_true.tolist(), y_score.tolist(), method=method), wanted)
    same_numbers(estimate(csr_matrix(y_true), y_score, method=method), wanted)
    same_numbers(estimate(np.asfortranarray(y_true), np.asfortranarray(y_score), method=method), wanted)
    classes = np.arange(60) % 3
    same_numbers(
        estimate(classes, y_score, method=method),
        estimate(np.eye(3, dtype=int)[classes], y_score, method=method),
    )


@few
def test_samples_may_lose_a_class():
    """A third of the samples has no "a"."""
    y_true, y_score = np.array(["a", "b", "b", "c", "c", "c"]), drawn_matrix(1, 6)[1]
    of = partial(estimate_score, precision_at_k_score, k=2, ties="stable", n_resamples=60, random_state=0)
    same_numbers(of(y_true, y_score), of(np.equal.outer(y_true, list("abc")), y_score))


@pytest.mark.parametrize("method", ["influence", "percentile"])
def test_average_of_binary_labels_changes_nothing(method):
    rows = drawn(1, 60, 0.5)
    wanted = estimate(*rows, method=method)
    for average in ("micro", "weighted", "samples", None):
        same_numbers(estimate(*rows, method=method, average=average), wanted)


@pytest.mark.filterwarnings("ignore:Only .* rows above the cut")
def test_partials_and_lambdas_are_scores():
    y_true, y_score = drawn(1, 90, 0.5)
    options = {"n_resamples": 50, "random_state": 0}
    bound = estimate_score(partial(average_precision_at_k_score, k=7), y_true, y_score, **options)
    same_numbers(bound, estimate_score(average_precision_at_k_score, y_true, y_score, k=7, **options))
    area = partial(pr_auc_score, interpolation="davis-goadrich")
    same_numbers(
        estimate_score(area, y_true, y_score),
        estimate_score(pr_auc_score, y_true, y_score, interpolation="davis-goadrich"),
    )
    wrapped = estimate_score(lambda y, s: average_precision_at_k_score(y, s, k=7), y_true, y_score, **options)
    assert (wrapped.method, wrapped.score) == ("percentile", bound.score)


@few
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sample_weight": drawn_weights(1, 60)},
        {"unit_id": frozen(np.arange(60) // 2)},
        {"query_id": frozen(np.arange(60) // 12)},
        {"prevalence": 0.2},
        {"n_positives": 90},
    ],
    ids=lambda options: "".join(options) or "plain",
)
def test_inputs_are_not_modified(options):
    """All inputs are read-only here, so that a change of one would raise."""
    y_true, y_score = drawn(1, 60, 0.5, 2)
    other = frozen(y_score[::-1])
    for method in METHODS:
        estimate(y_true, y_score, method=method, **options)
    for method in ("influence", "percentile"):
        compare_scores(AP, y_true, y_score, other, method=method, n_resamples=20, **options)
    if not options.keys() & {"unit_id", "query_id"}:
        influence_values(AP, y_true, y_score, **options)


def test_ids_of_units_of_all_kinds():
    y_true, y_score = drawn(1, 60, 0.5)
    unit = np.arange(60) // 2
    wanted = estimate(y_true, y_score, unit_id=unit)
    for ids in (
        [f"{one:02}" for one in unit],
        [("patient", one) for one in unit.tolist()],
        unit - 30.5,
        np.array("2026-01-01", dtype="M8[D]") + unit,
    ):
        np.testing.assert_allclose(
            numbers(estimate(y_true, y_score, unit_id=ids)), numbers(wanted), rtol=1e-12
        )


def test_the_column_with_the_fewest_positives_warns():
    y_true = np.zeros((60, 2), dtype=int)
    y_true[:30, 0] = y_true[:2, 1] = 1
    y_score = np.random.default_rng(0).random((60, 2))
    with pytest.warns(UserWarning, match="only 2 positives"):
        assert estimate_score(AP, y_true, y_score).n_positives == 30


def test_a_random_state_is_checked_even_if_nothing_is_drawn():
    with pytest.raises(ValueError, match=r"^random_state must be .* got 'x'"):
        estimate_score(AP, [1, 0] * 20, np.arange(40), random_state="x")


def test_a_bootstrap_draws_whole_missed_positives():
    y_true, y_score = [1, 0] * 20, np.arange(40)
    assert estimate_score(AP, y_true, y_score, n_positives=20.5).standard_error > 0
    for n_rows in (40, 400):  # by rows, and by cells
        y_true, y_score = [1] * 20 + [0] * (n_rows - 20), np.arange(n_rows)
        with pytest.raises(ValueError, match=r"^n_positives must be a whole number .* got 0.5 more"):
            estimate_score(AP, y_true, y_score, n_positives=20.5, method="percentile", random_state=0)
