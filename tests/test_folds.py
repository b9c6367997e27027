"""Two models on the same folds: scikit-learn's own formula, a simulation of folds, and every refusal."""

import math
import pickle
import re

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import compare_cv_results, get_scorer

ALTERNATIVES = ["two-sided", "less", "greater"]


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], 1 - y


def validated(model, rows, cv=5, **options):
    options = {"scoring": "average_precision", "return_indices": True, **options}
    return cross_validate(model, *rows, cv=cv, **options)


@pytest.fixture(scope="module")
def bayes(rows):
    return validated(GaussianNB(), rows)


@pytest.fixture(scope="module")
def tree(rows):
    return validated(DecisionTreeClassifier(random_state=0), rows)


def made(scores, *, n_test=2, n_train=8, **others):
    """What cross_validate would return, with folds of these sizes."""
    sizes_test, sizes_train = (np.broadcast_to(size, len(scores)) for size in (n_test, n_train))
    indices = {
        "test": [np.arange(size) for size in sizes_test],
        "train": [np.arange(100, 100 + size) for size in sizes_train],
    }
    return {"test_score": np.array(scores), "indices": indices, **others}


# --- the numbers -------------------------------------------------------------------------------------------


def corrected_t_of_scikit_learn(differences, n_train, n_test):
    """As in scikit-learn's example "Statistical comparison of models using grid search"."""
    kr = len(differences)
    corrected_var = np.var(differences, ddof=1) * (1 / kr + n_test / n_train)
    return np.mean(differences) / np.sqrt(corrected_var)


@pytest.mark.parametrize(
    "cv",
    [KFold(5), StratifiedKFold(10), RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)],
    ids=["5 folds", "10 folds", "repeated"],
)
def test_scikit_learn_s_example(rows, cv):
    a, b = (validated(model, rows, cv) for model in (GaussianNB(), DecisionTreeClassifier(random_state=0)))
    differences = a["test_score"] - b["test_score"]
    shares = [len(test) / len(train) for train, test in cv.split(*rows)]
    t = corrected_t_of_scikit_learn(differences, 1.0, np.mean(shares))
    compared = compare_cv_results(a, b)
    assert compared.statistic == pytest.approx(t, rel=1e-12, abs=0)
    assert compared.pvalue == pytest.approx(2 * stats.t.sf(abs(t), len(differences) - 1), rel=1e-10, abs=0)
    assert compared.difference == pytest.approx(differences.mean(), rel=1e-12, abs=0)
    assert compared.scores == (a["test_score"].mean(), b["test_score"].mean())
    assert compared.standard_error == pytest.approx(compared.difference / t, rel=1e-12, abs=0)
    assert (compared.df, compared.n_units) == (len(differences) - 1, len(differences))
    assert (compared.method, compared.alternative) == ("nadeau-bengio", "two-sided")


def test_numbers_by_hand():
    """Differences .1, .2, .3: mean .2, s^2 .01, and 1/3 + 2/8 = 7/12 of it."""
    compared = compare_cv_results(made([0.6, 0.8, 0.9]), made([0.5, 0.6, 0.6]))
    assert compared.difference == pytest.approx(0.2)
    assert compared.standard_error == pytest.approx(0.1 * math.sqrt(7 / 12))
    assert compared.statistic == pytest.approx(2 / math.sqrt(7 / 12))


def test_uneven_folds_have_their_mean_ratio():
    a, b = (
        made(scores, n_test=[1, 3, 2], n_train=[9, 6, 8]) for scores in ([0.6, 0.8, 0.9], [0.5, 0.6, 0.6])
    )
    ratio = (1 / 9 + 3 / 6 + 2 / 8) / 3
    assert compare_cv_results(a, b).standard_error == pytest.approx(0.1 * math.sqrt(1 / 3 + ratio))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_alternatives_are_scipy_s(bayes, tree, alternative):
    compared = compare_cv_results(bayes, tree, alternative=alternative)
    df, t = compared.df, compared.statistic
    expected = {
        "two-sided": 2 * stats.t.sf(abs(t), df),
        "less": stats.t.cdf(t, df),
        "greater": stats.t.sf(t, df),
    }
    assert compared.pvalue == pytest.approx(expected[alternative], rel=1e-10, abs=0)
    swapped = compare_cv_results(tree, bayes, alternative=alternative)
    mirrored = {"two-sided": compared.pvalue, "less": 1 - compared.pvalue, "greater": 1 - compared.pvalue}
    assert swapped.pvalue == pytest.approx(mirrored[alternative], rel=1e-10, abs=0)
    assert swapped.difference == pytest.approx(-compared.difference)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_interval_and_pvalue_agree(bayes, tree, level):
    compared = compare_cv_results(bayes, tree)
    low, high = compared.confidence_interval(level)
    assert (low > 0 or high < 0) == (compared.pvalue < 1 - level)
    half = stats.t.ppf(0.5 + level / 2, compared.df) * compared.standard_error
    assert (low, high) == pytest.approx((compared.difference - half, compared.difference + half))
    assert compare_cv_results(bayes, tree, alternative="greater").confidence_interval(level).high == math.inf


def test_key_chooses_among_scorers(rows):
    scoring = {"ap": "average_precision", "cut": get_scorer("precision@20")}
    a, b = (
        validated(model, rows, scoring=scoring, return_train_score=True)
        for model in (GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0))
    )
    for key in ("test_ap", "test_cut", "train_ap"):
        assert compare_cv_results(a, b, key=key).difference == pytest.approx((a[key] - b[key]).mean())


def test_folds_are_not_taken_for_independent():
    """Random splits share most of their rows: the plain t-test sees what is not there, and this one does not.

    Each model scores the mean of its own noise over the test rows, so neither is better.
    """
    rng, corrected, plain = np.random.default_rng(0), 0, 0
    splits = list(ShuffleSplit(15, test_size=0.2, random_state=0).split(np.zeros(60)))
    indices = {"train": [train for train, _ in splits], "test": [test for _, test in splits]}
    for _ in range(400):
        a, b = (
            {"test_score": [noise[test].mean() for _, test in splits], "indices": indices}
            for noise in rng.normal(size=(2, 60))
        )
        corrected += compare_cv_results(a, b).pvalue < 0.05
        plain += stats.ttest_rel(a["test_score"], b["test_score"]).pvalue < 0.05
    assert corrected / 400 < 0.1
    assert plain / 400 > 0.3


# --- differences without a spread --------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_same_scores_in_every_fold_have_p_1(rows, bayes, alternative):
    again = validated(GaussianNB(), rows)
    compared = compare_cv_results(bayes, again, alternative=alternative)
    assert (compared.difference, compared.standard_error, compared.statistic) == (0.0, 0.0, 0.0)
    assert compared.pvalue == 1.0
    if alternative == "two-sided":
        with pytest.warns(UserWarning, match=r"^The confidence interval is NaN, because .* error is 0\.0"):
            assert np.isnan(compared.confidence_interval()).all()


@pytest.mark.parametrize(
    ("a", "b", "t"),
    [
        ([0.75, 0.5, 0.25], [0.5, 0.25, 0.0], math.inf),
        ([0.5, 0.25, 0.0], [0.75, 0.5, 0.25], -math.inf),
        ([0.9, 0.8, 0.3], [0.8, 0.7, 0.2], math.inf),  # whose differences are .1 up to rounding
    ],
)
def test_the_same_difference_in_every_fold_does_not_tell(a, b, t):
    """The p-value was 0, as if no other fold could differ."""
    for alternative in ("two-sided", "less", "greater"):
        with pytest.warns(UserWarning, match=r"^The p-value is NaN: the scores differ by .* is 0") as told:
            compared = compare_cv_results(made(a), made(b), alternative=alternative)
        assert told[0].filename == __file__
        assert (compared.statistic, compared.standard_error) == (t, 0.0)
        assert np.isnan(compared.pvalue)


def test_rounding_is_not_a_difference():
    a = np.array([0.3, 0.6, 0.7])
    b = np.array([0.1 + 0.2, 0.2 * 3, 0.7])
    assert (a != b).any()
    compared = compare_cv_results(made(a), made(b))
    assert (compared.difference, compared.pvalue) == (0.0, 1.0)


def test_small_differences_above_rounding_count():
    a = np.array([0.5, 0.6, 0.7, 0.8])
    assert compare_cv_results(made(a + np.array([1e-9, 1.1e-9, 0.9e-9, 1e-9])), made(a)).pvalue < 0.01


def test_two_folds_are_enough():
    compared = compare_cv_results(made([0.6, 0.9]), made([0.5, 0.6]))
    assert compared.df == 1.0
    assert 0 < compared.pvalue < 1


# --- refusals ----------------------------------------------------------------------------------------------


def test_results_without_indices_are_told_how_to_get_them(rows, bayes):
    bare = validated(GaussianNB(), rows, return_indices=False)
    with pytest.raises(
        ValueError, match=r"^cv_results_b must .*cross_validate\(\.\.\., return_indices=True\).*'test_score'"
    ):
        compare_cv_results(bayes, bare)
    with pytest.raises(ValueError, match=r"^cv_results_a must .*return_indices=True"):
        compare_cv_results(bare, bayes)


def test_results_of_a_search_are_told_what_to_do(rows, bayes):
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=5).fit(*rows)
    with pytest.raises(ValueError, match=r"^cv_results_a must .* search .* call cross_validate with each"):
        compare_cv_results(search.cv_results_, bayes)


@pytest.mark.parametrize("results", [None, [0.5, 0.6], np.array([0.5, 0.6]), "test_score"], ids=repr)
def test_what_is_no_result(results, bayes):
    kind = type(results).__name__
    with pytest.raises(ValueError, match=rf"^cv_results_a must be what cross_validate\(.*; got {kind}\. "):
        compare_cv_results(results, bayes)


def test_unknown_key_lists_those_that_exist(rows, bayes):
    several = validated(GaussianNB(), rows, scoring=["average_precision", "roc_auc"])
    known = "'test_average_precision', 'test_roc_auc'"
    said = rf"^key must be a name of scores in cv_results_b, which has {known}; got 'test_score'\.$"
    with pytest.raises(ValueError, match=said):
        compare_cv_results(bayes, several)
    with pytest.raises(ValueError, match=r"^key must .* cv_results_a, .*; got 'fit'\.$"):
        compare_cv_results(bayes, bayes, key="fit")


def test_other_folds_are_named(rows, bayes):
    shuffled = validated(GaussianNB(), rows, StratifiedKFold(5, shuffle=True, random_state=0))
    with pytest.raises(
        ValueError, match=r"^cv_results_b must have the folds .* other test rows in fold 0\. Pass the same cv"
    ):
        compare_cv_results(bayes, shuffled)


def test_other_training_rows_are_named():
    a, b = made([0.5, 0.6]), made([0.4, 0.6])
    b["indices"]["train"][1] = b["indices"]["train"][1][:-1]
    with pytest.raises(ValueError, match=r"got other train rows in fold 1\."):
        compare_cv_results(a, b)


def test_another_number_of_folds(rows, bayes):
    with pytest.raises(
        ValueError,
        match=r"^cv_results_b must have the folds of cv_results_a; got other test rows in fold 0\.",
    ):
        compare_cv_results(bayes, validated(GaussianNB(), rows, 4))


def test_masks_of_rows_are_rows(rows):
    masks = []
    for train, test in KFold(4).split(rows[0]):
        masks.append(tuple(np.isin(np.arange(len(rows[0])), part) for part in (train, test)))
    models = GaussianNB(), DecisionTreeClassifier(random_state=0)
    by_mask = compare_cv_results(*(validated(model, rows, masks) for model in models))
    assert by_mask == compare_cv_results(*(validated(model, rows, KFold(4)) for model in models))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers_are_named_by_fold(value):
    with pytest.raises(
        ValueError, match=rf"^cv_results_b\['test_score'\] must hold a finite score .*; got .*{value}"
    ):
        compare_cv_results(made([0.5, 0.6, 0.7]), made([0.5, 0.6, value]))


def test_a_score_that_failed_in_a_fold(rows, bayes):
    def fails_in_the_last(_, X, __):
        if rows[0][-1].tolist() in X.tolist():
            raise ValueError("no")
        return 0.5

    with pytest.warns(UserWarning, match="Scoring failed"):
        failed = validated(GaussianNB(), rows, scoring=fails_in_the_last)
    with pytest.raises(ValueError, match=r"got .*nan.*error_score='raise'\) shows why"):
        compare_cv_results(failed, bayes)


@pytest.mark.parametrize("scores", [[0.5], [0.5, 0.6, 0.7], [[0.5, 0.6]], ["a", "b"], 0.5], ids=repr)
def test_other_than_one_score_per_fold(scores):
    wrong = {**made([0.5, 0.6]), "test_score": scores}
    said = re.escape(
        f"cv_results_b['test_score'] must hold a finite score per fold, 2 in all; got {scores!r}."
    )
    with pytest.raises(ValueError, match=said):
        compare_cv_results(made([0.5, 0.6]), wrong)


@pytest.mark.parametrize(
    "indices",
    [{"train": [[0], []]}, {"test": [[], [0]]}, {"train": [[0]]}],
    ids=str,
)
def test_folds_made_by_hand(indices):
    """An empty fold had an infinite standard error, and the p-value 1."""
    right = made([0.5, 0.6])
    wrong = {**right, "indices": right["indices"] | indices}
    for given in ((wrong, right), (right, wrong), (wrong, wrong)):
        name = "cv_results_b" if given[0] is right else "cv_results_a"
        with pytest.raises(ValueError, match=rf"^{name}\['indices'\] must hold the rows of each fold"):
            compare_cv_results(*given)


def test_one_fold_cannot_vary():
    with pytest.raises(ValueError, match=r"^cv_results_a must have at least 2 folds, .*; got 1\.$"):
        compare_cv_results(made([0.5]), made([0.6]))


@pytest.mark.parametrize("alternative", ["both", None, 1])
def test_other_alternatives(bayes, alternative):
    with pytest.raises(
        ValueError, match=r"^alternative must be one of 'two-sided', 'less', 'greater', 'equivalence'; "
    ):
        compare_cv_results(bayes, bayes, alternative=alternative)


# --- the result --------------------------------------------------------------------------------------------


def test_result_prints_and_pickles_and_is_a_frame(bayes, tree):
    compared = compare_cv_results(bayes, tree)
    assert re.fullmatch(
        r"0\.\d+ - 0\.\d+ = 0\.\d+, 95 % interval 0\.\d+ to 0\.\d+, p = \S+ \(two-sided, nadeau-bengio\)",
        str(compared),
    )
    assert pickle.loads(pickle.dumps(compared)) == compared
    (row,) = compared.to_frame().to_dict("records")
    assert row["score_a"] - row["score_b"] == pytest.approx(row["difference"])
    assert row["method"] == "nadeau-bengio"
    numbers = (
        compared.difference,
        *compared.scores,
        compared.standard_error,
        compared.statistic,
        compared.pvalue,
    )
    assert {type(number) for number in numbers} == {float}


def test_a_model_beats_one_that_guesses(rows, bayes):
    guesses = validated(DummyClassifier(), rows)
    compared = compare_cv_results(bayes, guesses, alternative="greater")
    assert compared.pvalue < 0.001
    assert compared.confidence_interval().low > 0.3
