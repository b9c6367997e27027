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
    average_precision_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    pr_auc_score,
)
from sklearn_ap._core import scorer_names
from sklearn_ap._core.registry import SCORES
from sklearn_ap._core.scorer_names import SCORER_NAMES

pytestmark = pytest.mark.filterwarnings(*IGNORED)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_the_name_of_a_function_is_that_function(score):
    if score is pr_auc_score:
        return
    options = LEVELS.get(score.__name__, {})
    scorer = get_scorer(score.__name__, **options)
    assert repr(scorer) == repr(make_scorer(score, **options))


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


def test_scorers_without_a_method_that_ours_replaces_are_an_error_of_the_import(
    monkeypatch,
):
    for kind in type(metrics.make_scorer(average_precision_score)).mro():
        if "_score" in vars(kind):
            monkeypatch.delattr(kind, "_score")
    spec = find_spec("sklearn_ap._core.scorers")
    text = (
        f"sklearn_ap {sklearn_ap.__version__} knows the scorers of scikit-learn 1.5 to "
        f"1.9; those of {sklearn.__version__} lack _score. Install a newer sklearn_ap, "
        "or 'scikit-learn>=1.5,<1.10'."
    )
    with pytest.raises(ImportError, match=f"^{re.escape(text)}$"):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.skipif(VERSION >= (1, 6), reason="scikit-learn removed the argument")
def test_older_arguments_reach_scikit_learn():
    with pytest.warns(FutureWarning, match="needs_proba"):
        scorer = make_scorer(metrics.roc_auc_score, needs_proba=True)
    assert repr(scorer) == "make_scorer(roc_auc_score, response_method='predict_proba')"


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


def test_a_name_of_another_subpackage_leads_to_its_call(monkeypatch):
    instead = {("._core.scorer_names", "_MEANT"): "known as {0!r}"}
    monkeypatch.setattr(scorer_names, "_NAMED_ELSEWHERE", instead)
    text = "^scoring must .*; 'Hit-Rate' is known as 'hitrate'. The .* are one of"
    with pytest.raises(ValueError, match=text):
        get_scorer("Hit-Rate")
