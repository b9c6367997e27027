"""What a user types before any page is read: an error, with its notes, names the
function or the keyword to write.
"""

import re
import traceback
import warnings
from operator import attrgetter

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score

import sklearn_ap as ap
from sklearn_ap import compatibility
from sklearn_ap._core.advice import CALLED_HERE

RNG = np.random.default_rng(0)
Y = (RNG.random(60) < 0.3).astype(int)
S = Y + RNG.normal(size=60)
GROUPS = np.arange(60) // 6
IDS = ["query_id", "unit_id"]
TWO = {"a": S, "b": -S}
AP = ap.average_precision_score
# For each call, the words of its error.
CALLS = {
    "query of another word": (lambda: AP(Y, S, qid=GROUPS), IDS),
    "groups of an interval": (lambda: ap.estimate_score(AP, Y, S, group=GROUPS), IDS),
    "groups of a threshold": (lambda: ap.operating_point(Y, S, groups=GROUPS), IDS),
    "groups of budgets": (lambda: ap.budget_totals(Y, S, k=3, groups=GROUPS), IDS),
    "groups of a report": (lambda: ap.report(Y, S, groups=GROUPS), IDS),
    "groups of a record": (
        lambda: compatibility.score_as("ranx map", Y, S, groups=GROUPS),
        IDS,
    ),
    "another cut": (lambda: ap.pr_auc_score(Y, S, k=5), ["average_precision_at_k_"]),
    "a cut of an interval": (
        lambda: ap.estimate_score(AP, Y, S, k=5),
        ["estimate_score()", "average_precision_at_k_score"],
    ),
    "a level": (lambda: AP(Y, S, recall=0.8), ["precision_at_recall_score"]),
    **{
        f"points of a curve of {function.__name__}": (
            lambda function=function, row=row: function(precision=S, recall=S, **row),
            [
                "-np.sum(np.diff(recall) * precision[:-1])",
                "auc(recall, precision)",
                "!at",
            ],
        )
        for function, row in [(AP, {}), (ap.pr_auc_score, {"interpolation": "linear"})]
    },
    "a level of a comparison": (
        lambda: ap.compare_many(AP, Y, TWO, confidence_level=0.9),
        ["compare_many()", ".confidence_interval(0.9)"],
    ),
    "a correction": (
        lambda: ap.compare_many(AP, Y, TWO, correction="holm"),
        ["compare_many()", "Bonferroni", "sample_weight"],
    ),
    "a method": (
        lambda: ap.compare_scores(AP, Y, S, -S, method="bootstrap"),
        ["compare_scores()", "of average_precision_score: "],
    ),
    "a score by query": (
        lambda: ap.score_by_query(AP, Y, S, query_id=GROUPS, top_k=5),
        ["score_by_query()", "average_precision_at_k_score"],
    ),
    "two models": (lambda: ap.compare_scores(AP, Y, y_score_a=TWO), ["compare_many"]),
    "true positive rate": (lambda: ap.operating_point(Y, S, tpr=0.9), ["write recall"]),
    "a divisor": (
        lambda: ap.average_precision_at_k_score(Y, S, k=3, denominator="k"),
        ["write normalizer"],
    ),
    "low is good": (lambda: AP(Y, -S, lower_is_better=True), ["write -y_score"]),
    "positives of other names": (lambda: AP(Y, S, num_pos=3), ["takes n_positives"]),
    "weights": (lambda: AP(Y, S, weights=Y), ["takes sample_weight"]),
    "F1": (lambda: ap.operating_point(Y, S, f1=1), ["write beta=1"]),
    "a reference": (lambda: ap.compare_many(AP, Y, TWO, base="a"), ["are reference"]),
    "scores of another name": (
        lambda: AP(y_true=Y, y_prob=S),
        ["write y_score", "!range"],
    ),
    "a cut by position": (
        lambda: ap.precision_at_k_score(Y, S, 10),
        ["k=10", "!range"],
    ),
    "an average by position": (lambda: AP(Y, S, "macro"), ["2 positional", "!range"]),
    **{
        f"{word} of {function.__name__}": (
            lambda function=function, word=word: function(Y, **{word: S}),
            [word, " y_score"],
        )
        for function in (AP, ap.precision_recall_curve, ap.hit_curve)
        for word in ("probas_pred", "y_scores", "y_pred")
    },
    **{
        f"{function.__name__} without a score": (
            lambda function=function, rows=rows: function(*rows),
            ["score comes first, such as 'average_precision'"],
        )
        for function, rows in [
            (ap.estimate_score, (Y, S)),
            (ap.estimate_score, (Y, S, "average_precision")),
            (ap.compare_scores, (Y, S, -S)),
            (ap.compare_many, (Y, TWO)),
            (ap.score_by_query, (Y, S)),
        ]
    },
    "groups of a comparison": (
        lambda: ap.compare_scores(AP, Y, S, -S, groups=GROUPS),
        IDS,
    ),
    "an area of XGBoost": (lambda: ap.get_scorer("aucpr"), ["pr_auc_davis_goadrich"]),
    "MRR": (lambda: ap.get_scorer("mrr@5"), ["did you mean 'reciprocal_rank'"]),
    "a hit rate": (lambda: ap.get_scorer("hit_rate"), ["did you mean 'success@10'"]),
    "VOC": (lambda: compatibility.score_as("voc", Y, S), ["'VOC 2007' or 'VOC 2010'"]),
    "TensorFlow": (lambda: compatibility.score_as("tensorflow", Y, S), ["AUC(curve="]),
    "amounts alone": (lambda: ap.report(Y, S, amount=S), ["amount requires k"]),
    "a score without its ending": (lambda: ap.recall_at_k, [": write recall_at_k_s"]),
    "MAP of other packages": (
        lambda: ap.mean_average_precision,
        [": write average_precision_score(..., query_id=query)"],
    ),
    "records at the top": (lambda: ap.score_as, ["sklearn_ap.compatibility.score_as"]),
    "a package with a cut": (
        lambda: compatibility.compare_conventions(Y, S, conventions="TorchMetrics@5"),
        ["CONVENTIONS", "!did you mean"],
    ),
}


def test_advice_about_the_points_of_a_curve_gives_the_numbers():
    text = error_of(lambda: AP(precision=S, recall=S))
    precision, recall, _ = ap.precision_recall_curve(Y, S)
    names = {"np": np, "sklearn": sklearn, "precision": precision, "recall": recall}
    step = eval(re.search(r"-np.sum\(.*\[:-1\]\)", text).group(), names)
    linear = eval(re.search(r"sklearn.metrics.auc\(.*?\)", text).group(), names)
    assert step == pytest.approx(AP(Y, S))
    assert linear == pytest.approx(ap.pr_auc_score(Y, S, interpolation="linear"))


def error_of(call):
    """Return the error of a call with its notes, as one text."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        call()
    return " ".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


@pytest.mark.parametrize("name", CALLS)
def test_an_error_leads_to_the_call(name):
    call, words = CALLS[name]
    text = error_of(call)
    assert text.count("In place of") <= 1
    for word in words:
        assert (word[1:] not in text) if word[0] == "!" else (word in text)


@pytest.mark.parametrize("name", ["auroc", "mcc", "gini", "ndcg@5", "auc-roc", "MAE"])
def test_another_measure_is_no_slip_of_the_hand(name):
    assert "did you mean" not in error_of(lambda: ap.get_scorer(name))


@pytest.mark.parametrize("name", ["AP", "ap", "aP"])
def test_ap_is_average_precision_with_or_without_a_cut(name):
    assert repr(ap.get_scorer(name)) == repr(ap.get_scorer("average_precision"))
    cut = ap.get_scorer(f"{name}@20")
    assert (cut.__name__, repr(cut)) == (
        "average_precision@20",
        repr(ap.get_scorer("average_precision@20")),
    )
    assert ap.score_by_query(f"{name}@2", [1], [1], query_id=[1]) == {1: 1.0}


@pytest.mark.parametrize(
    ("model", "scoring", "words"),
    [
        (LinearRegression(), ap.get_scorer("AP"), "needs response_method='predict'"),
        (LogisticRegression(), AP, "takes a scorer: pass get_scorer(...)"),
    ],
)
def test_the_warning_of_a_search_says_what_to_pass(model, scoring, words):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(model, S[:, None], Y, scoring=scoring, cv=2)
    assert any(words in str(warning.message) for warning in caught)


def test_names_of_other_packages_lead_to_names_that_exist():
    for text, names in ap._INSTEAD.items():
        path = re.match(r"[\w.]+", text.removeprefix("sklearn_ap.")).group()
        assert attrgetter(path)(ap)
        assert not {*names.split()} & {*dir(ap)}


@pytest.mark.parametrize(
    "name", ["mean_average_precision_at_k", "average_precision_by_group", "expected_ap"]
)
def test_python_suggests_no_chance_level_for_a_name_of_ap(name):
    with pytest.raises(AttributeError) as caught:
        getattr(ap, name)
    printed = "".join(traceback.format_exception_only(caught.value))
    assert "chance" not in printed


def test_the_list_of_advice_stays_short():
    assert len(CALLED_HERE) <= 20
