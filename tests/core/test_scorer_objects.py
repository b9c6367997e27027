"""The scorer as an object: its name, its text and its errors, and the tools that read
its parts.
"""

import inspect
import re
from functools import partial
from importlib.util import find_spec, module_from_spec

import numpy as np
import pytest
import sklearn
from sklearn import metrics
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import sklearn_ap
from metrics import LEVELS
from scoring import IGNORED, VERSION
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    pr_auc_score,
    precision_at_k_score,
    score_by_query,
)
from sklearn_ap._core.registry import SCORES
from sklearn_ap._core.scorer_names import SCORER_NAMES

pytestmark = pytest.mark.filterwarnings(*IGNORED)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("average_precision", "average_precision_score"),
        ("precision@100", "precision_at_100_score"),
        ("recall@0.05", "recall_at_0.05_score"),
        ("precision_at_recall@0.9", "precision_at_recall_0.9_score"),
        ("recall_at_precision@0.5", "recall_at_precision_0.5_score"),
    ],
)
def test_names_show_the_score_and_its_cut(name, function):
    scorer = get_scorer(name.replace("0.", "."))
    assert (scorer.__name__, scorer._score_func.__name__) == (name, function)


SPELLINGS = {
    "average_precision": [
        "average_precision_score",
        "Average Precision",
        "average-precision",
    ],
    "average_precision@7": ["Average Precision@7", "averageprecision@7"],
    "eleven_point_average_precision": [
        "eleven_point",
        "Eleven-Point",
        "eleven point score",
    ],
    "r_precision": ["R-precision", "r precision score"],
    "reciprocal_rank": ["reciprocal rank"],
    "pr_auc_linear": ["PR AUC linear", "pr-auc-linear_score"],
    "pr_auc_davis_goadrich": ["PR AUC Davis-Goadrich"],
    "precision@0.5": ["PRECISION@.5"],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_name_of_a_score_is_that_score_in_any_spelling(name):
    """Some of these are also names of records, which `score_as` computes."""
    for spelling in SPELLINGS[name]:
        scorer = get_scorer(spelling)
        assert (scorer.__name__, repr(scorer)) == (name, repr(get_scorer(name)))
        rows = {"y_true": [1, 0], "y_score": [2, 1], "query_id": [1, 1]}
        assert score_by_query(spelling, **rows) == score_by_query(name, **rows)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_the_name_of_a_function_is_that_function(score):
    if score is pr_auc_score:
        return
    options = LEVELS.get(score.__name__, {})
    scorer = get_scorer(score.__name__, **options)
    assert repr(scorer) == repr(make_scorer(score, **options))


@pytest.mark.parametrize(
    "name", ["pr_auc", "PR AUC", "pr-auc", "PRAUC", "pr_auc_score", "Pr Auc Score"]
)
def test_a_name_of_two_scores_is_an_error_that_names_both(name):
    rows = [1, 0], [2, 1]
    text = (
        rf"'{name}' is used for two: pass 'average_precision', or 'pr_auc_linear' "
        ".* XGBoost's aucpr is 'pr_auc_davis_goadrich'"
    )
    with pytest.raises(ValueError, match=f"^scoring must name one score, but {text}"):
        get_scorer(name)
    with pytest.raises(ValueError, match=f"^score_func must name .*{text}"):
        score_by_query(name, *rows, query_id=rows[0])


def test_areas_below_joined_points_are_named_apart():
    rows = [1, 0, 1, 0], [2, 2, 1, 0]
    for interpolation in ("linear", "davis-goadrich"):
        name = f"pr_auc_{interpolation.replace('-', '_')}"
        scorer = make_scorer(pr_auc_score, interpolation=interpolation)
        assert (scorer.__name__, scorer._score_func.__name__) == (name, f"{name}_score")
        by_name = get_scorer(name)
        assert repr(by_name) == repr(scorer)
        value = pr_auc_score(*rows, interpolation=interpolation)
        assert by_name._score_func(*rows, **by_name._kwargs) == value
    with pytest.raises(TypeError, match=r"^pr_auc_score requires .*'linear' or 'davis"):
        make_scorer(pr_auc_score)
    with pytest.raises(TypeError, match=r"^precision_at_k_score requires k=.* k=10"):
        make_scorer(precision_at_k_score)
    with pytest.raises(TypeError, match=r"^interpolation is .* by the name"):
        get_scorer("pr_auc_linear", interpolation="davis-goadrich")


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("averge_precision", "; did you mean 'average_precision' or "),
        ("roc_auc_ov", "; did you mean 'roc_auc_ovr' or "),
        *((f"precision@{k}", "; did ") for k in ("1_0", " 5", "\u0663")),
        ("average_precision@", "; did you"),
        ("mAP", "; did you mean 'average_precision' or "),
        *((name, ".") for name in ("auroc", 3, "", "@", ["recall@5"])),
        (np.arange(2), "."),
    ],
)
def test_an_unknown_name_says_which_names_are_taken(name, similar, monkeypatch):
    # The tests of `compatibility` check which records an error suggests.
    monkeypatch.setattr("sklearn_ap._core.scorers._NAMERS", [])
    with pytest.raises(ValueError, match=r"^scoring must be one of ") as caught:
        get_scorer(name)
    text = str(caught.value)
    assert f"; got {name!r}{similar}" in text
    assert all(repr(known) in text for known in get_scorer_names())
    assert "or a name in sklearn.metrics.get_scorer_names()" in text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("precision@0", "k must be .*; got 0"),
        ("precision@1.0", "k must be .*; got 1.0; pass None for no cut, or 1 for one"),
        ("precision@5.0", "k must be .*; got 5.0; pass 5"),
        ("precision_at_recall@1.5", "recall must be .*; got 1.5"),
    ],
)
def test_the_number_in_a_name_is_checked_as_the_argument_that_it_sets(name, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        get_scorer(name)


def test_get_scorer_replaces_that_of_scikit_learn():
    # `average_precision` is known to both.
    for name in {*metrics.get_scorer_names()} - {*get_scorer_names()}:
        assert repr(get_scorer(name)) == repr(metrics.get_scorer(name))
    assert get_scorer("average_precision")._score_func is average_precision_score
    assert {named.score for named in SCORER_NAMES.values()} == {*SCORES}
    scorers = None, gain, metrics.get_scorer("accuracy"), get_scorer("recall@5")
    assert all(get_scorer(scoring) is scoring for scoring in scorers)
    for scoring in (*scorers, "roc_auc"):
        with pytest.raises(TypeError, match=r"^scorer_params must be empty .*'k'"):
            get_scorer(scoring, k=3)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("average_precision", r"average_precision_score\("),
        ("recall@5", r"recall_at_k_score\("),
    ],
)
def test_a_scorer_of_labels_and_scores_names_the_function(name, function):
    text = rf"^a scorer takes a fitted .* call {function}y_true, y_score\)\.$"
    with pytest.raises(TypeError, match=text):
        get_scorer(name)([1, 0], [2, 1])


@pytest.mark.filterwarnings("ignore:.*as positional arg:FutureWarning")
def test_weights_by_position_are_those_by_name():
    rows = np.arange(6.0).reshape(-1, 1), [0, 0, 1, 0, 1, 1]
    model, weight = GaussianNB().fit(*rows), [1, 2, 3, 4, 5, 6]
    scorer = get_scorer("average_precision")
    by_name = scorer(model, *rows, sample_weight=weight)
    assert by_name != scorer(model, *rows)
    if VERSION < (1, 11):
        assert scorer(model, *rows, weight) == by_name


def gain(y_true, y_pred):
    """A function of a user, of predicted labels."""
    return float(np.sum(y_true * y_pred))


LOSS = {"response_method": "predict_proba", "greater_is_better": False}


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (gain, {}),
        (lambda y_true, y_pred: 1.0, {}),
        (partial(metrics.fbeta_score, beta=2), {"pos_label": 0}),
        (metrics.accuracy_score, {"normalize": False}),
        (metrics.mean_squared_error, {"greater_is_better": False}),
        # If higher is better, the argument may be written, too.
        (metrics.average_precision_score, LOSS | {"greater_is_better": True}),
        (metrics.brier_score_loss, LOSS),
        (metrics.roc_auc_score, {"response_method": ["predict_proba", "predict"]}),
    ],
)
def test_other_functions_have_the_scorer_of_scikit_learn(function, options):
    """Their default is `predict`, so metrics of labels get labels."""
    rows = np.arange(6.0).reshape(-1, 1), [0, 0, 1, 0, 1, 1]
    model = GaussianNB().fit(*rows)
    ours, theirs = (
        make(function, **options) for make in (make_scorer, metrics.make_scorer)
    )
    assert (type(ours), vars(ours)) == (type(theirs), vars(theirs))
    assert ours(model, *rows) == theirs(model, *rows)


@pytest.mark.parametrize("name", ["_score", "_warn_overlap"])
def test_scorers_without_a_method_that_ours_replaces_are_an_error_of_the_import(
    name, monkeypatch
):
    for kind in type(metrics.make_scorer(average_precision_score)).mro():
        if name in vars(kind):
            monkeypatch.delattr(kind, name)
    spec = find_spec("sklearn_ap._core.scorers")
    text = (
        f"sklearn_ap {sklearn_ap.__version__} knows the scorers of scikit-learn 1.5 to "
        f"1.9; those of {sklearn.__version__} lack {name}. Install a newer sklearn_ap, "
        "or 'scikit-learn>=1.5,<1.10'."
    )
    with pytest.raises(ImportError, match=f"^{re.escape(text)}$"):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.skipif(VERSION >= (1, 6), reason="scikit-learn removed the argument")
def test_older_arguments_reach_scikit_learn():
    with pytest.warns(FutureWarning, match="needs_proba"):
        scorer = make_scorer(metrics.roc_auc_score, needs_proba=True)
    assert repr(scorer) == "make_scorer(roc_auc_score, response_method='predict_proba')"


AP, AP_AT_3 = average_precision_score, partial(average_precision_at_k_score, k=3)


OPTIONS = [
    {},
    {"pos_label": "yes", "greater_is_better": False},
    {"query_id": "groups"},
    {"response_method": "predict", "average": "micro"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", get_scorer_names())
def test_a_scorer_is_shown_as_by_scikit_learn(name, options):
    """The text has no address of an object, so two processes show the same one."""
    scorer = get_scorer(name, **options)

    def score_func(*_):
        return 0.0

    # The name in tables of results shows the cut, and is not that of a function.
    function = scorer._score_func
    score_func.__name__ = getattr(function, "func", function).__name__
    assert hasattr(sklearn_ap, score_func.__name__)
    arguments = {"response_method": scorer._response_method, **scorer._kwargs}
    if scorer._sign < 0:
        arguments["greater_is_better"] = False
    assert repr(scorer) == repr(metrics.make_scorer(score_func, **arguments))
    assert ("query_id='groups'" in repr(scorer)) == ("query_id" in options)
    search = GridSearchCV(GaussianNB(), {}, scoring={"one": scorer})
    assert repr(scorer) in " ".join(repr(search).split())


def test_a_partial_keeps_the_name_that_was_set():
    named = partial(average_precision_score, prevalence=0.1)
    named.__name__ = "AP at 10 %"
    scorer = make_scorer(named)
    assert (scorer.__name__, scorer._score_func.__name__) == ("AP at 10 %",) * 2
    assert repr(scorer).startswith("make_scorer(AP at 10 %, ")


# --- taken apart ----------------------------------------------------------------------


@pytest.mark.parametrize("name", get_scorer_names())
def test_signature_and_requests_are_those_of_the_function(name):
    function = get_scorer(name)._score_func
    plain = getattr(function, "func", function)
    assert inspect.signature(function) == inspect.signature(plain)
    with sklearn.config_context(enable_metadata_routing=True):
        own, theirs = (
            scorer.set_score_request(sample_weight=True).get_metadata_routing()
            for scorer in (get_scorer(name), metrics.make_scorer(plain))
        )
    assert own.score.requests == theirs.score.requests
