"""What a user types before any page is read: an error, with its notes, names the
function or the keyword to write.
"""

import re
import traceback
import warnings
from operator import attrgetter, itemgetter

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score

import sklearn_ap as ap
from sklearn_ap import compatibility

RNG = np.random.default_rng(0)
Y = (RNG.random(60) < 0.3).astype(int)
S = Y + RNG.normal(size=60)
GROUPS = np.arange(60) // 6
IDS = ["query_id", "unit_id"]
TWO = {"a": S, "b": -S}
AP = ap.average_precision_score
NAMES = {**vars(compatibility), **{name: getattr(ap, name) for name in ap.__all__}}
NAMES |= {"ap": ap, "AP": AP, "Y": Y, "S": S, "GROUPS": GROUPS, "TWO": TWO}
CURVE = "-np.sum(np.diff(recall) * precision[:-1])", "auc(recall, precision)", "!at"
# A call, and words of its error; after an exclamation mark, words that it lacks.
CALLS = [
    ("AP(Y, S, qid=GROUPS)", "takes query_id"),
    ("estimate_score(AP, Y, S, group=GROUPS)", *IDS),
    ("operating_point(Y, S, groups=GROUPS)", *IDS),
    ("estimate_score(AP, Y, S, subject=GROUPS)", "It takes unit_id, average, "),
    ("compare_many(AP, Y, TWO, baseline='a')", "It takes reference, unit_id, average"),
    ("score_by_query(AP, Y, S, query_id=GROUPS, a=1)", "It takes average, pos_label"),
    ("budget_totals(Y, S, k=3, groups=GROUPS)", *IDS),
    ("budget_totals(Y, S, k=3, query_id=GROUPS, n_positives=90)", "write recall_at_k_score(..., average='weighted')"),
    ("report(Y, S, groups=GROUPS)", *IDS),
    ("compare_scores(AP, Y, S, -S, groups=GROUPS)", *IDS),
    ("score_as('ranx map', Y, S, groups=GROUPS)", *IDS),
    ("pr_auc_score(Y, S, k=5)", "average_precision_at_k_"),
    ("estimate_score(AP, Y, S, k=5)", "estimate_score()", "average_precision_at_k_score"),
    ("AP(Y, S, recall=0.8)", "precision_at_recall_score"),
    ("AP(precision=S, recall=S)", *CURVE),
    ("pr_auc_score(precision=S, recall=S, interpolation='linear')", *CURVE),
    ("compare_many(AP, Y, TWO, confidence_level=0.9)", "compare_many()", "result.confidence_interval(0.9)"),
    ("compare_many(AP, Y, TWO, correction='holm')", "compare_many()", "Bonferroni"),
    ("compare_scores(AP, Y, S, -S, method='bootstrap')", "compare_scores()", "for average_precision_score", "It takes "),
    ("score_by_query(AP, Y, S, query_id=GROUPS, top_k=5)", "score_by_query()", "write k; of the scores", "average_precision_at_k_score"),
    ("operating_point(Y, S, tpr=0.9)", "write recall"),
    # In the order of the call, in each process.
    *((f"{function}(Y, S, fdr=.1)", "In place of fdr, write precision, ") for function in ("operating_point", "recall_at_precision_score")),
    *((f"operating_point(Y, S, {word}=True)", "write miss_cost, such as") for word in ("youden", "ks")),
    ("operating_point(Y, S, max_alerts=5, pos=1)", "_alerts'", "if only negatives count. It takes pos_label, "),
    ("operating_point(Y, S, tnr=1, sensitivity=0.9)", "'tnr'", "It takes recall, precision, specificity, ", "unit_id. In place of sensitivity, write recall."),
    ("average_precision_at_k_score(Y, S, k=3, denominator='k')", "write normalizer"),
    ("AP(Y, -S, lower_is_better=True)", "write -y_score"),
    ("AP(Y, S, num_pos=3)", "takes n_positives"),
    ("AP(Y, S, weights=Y)", "takes sample_weight"),
    ("operating_point(Y, S, f1=1)", "write beta=1"),
    # Python 3.11 and 3.12 suggest names that begin with an underscore.
    ("estimate_score(AP, Y, S).to_json()", "to_json", "!mean: '_"),
    ("AP(Y, y_prob=S)", "takes y_score"),
    *((f"{function}(Y, {word}=S)", word, " y_score") for function in ("AP", "precision_recall_curve", "hit_curve") for word in ("probas_pred", "y_scores", "y_pred")),
    ("estimate_score(Y, S, 'average_precision')", "score_func", "pass a score"),
    *((call, "The score comes first") for call in ("estimate_score(Y, S)", "compare_scores(Y, S, -S)", "compare_many(Y, TWO)", "compare_samples(Y, S)")),
    ("compare_scores(AP, Y, TWO)", "compare_many takes"),
    ("compare_scores(precision_at_k_score, Y, S, k=3)", "y_score_b", "!In place of"),
    # Other measures are no slips of the hand.
    *((f"get_scorer('{name}')", "!did you mean") for name in ("auroc", "mcc", "gini", "ndcg@5", "auc-roc", "MAE")),
    ("get_scorer('aucpr')", "pr_auc_davis_goadrich"),
    ("get_scorer('mrr@5')", "did you mean 'reciprocal_rank'"),
    ("get_scorer('hit_rate')", "did you mean 'success@10'"),
    ("score_as('voc', Y, S)", "'VOC 2007' or 'VOC 2010'"),
    ("score_as('tensorflow', Y, S)", "AUC(curve="),
    ("report(Y, S, amount=S)", "k must be passed with amount"),
    ("ap.recall_at_k", ": write recall_at_k_s"),
    ("ap.mean_average_precision", ": write average_precision_score(..., query_id=query)"),
    ("ap.score_as", "sklearn_ap.compatibility.score_as"),
    # Python's own suggestion may be the chance level.
    *((f"ap.{name}", "!chance") for name in ("mean_average_precision_at_k", "average_precision_by_group", "expected_ap")),
    ("compare_conventions(Y, S, conventions='TorchMetrics@5')", "CONVENTIONS", "!did you mean"),
]  # fmt: skip


def error_of(call):
    """Return the error of a call with its notes, and with what Python suggests."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        eval(call, NAMES)
    return "".join(traceback.format_exception_only(caught.value))


@pytest.mark.parametrize("row", CALLS, ids=itemgetter(0))
def test_an_error_leads_to_the_call(row):
    call, *words = row
    text = error_of(call)
    assert text.count("In place of") <= 1
    for word in words:
        assert (word[1:] not in text) if word[0] == "!" else (word in text)


def test_advice_about_the_points_of_a_curve_gives_the_numbers():
    text = error_of("AP(precision=S, recall=S)")
    precision, recall, _ = ap.precision_recall_curve(Y, S)
    names = {"np": np, "sklearn": sklearn, "precision": precision, "recall": recall}
    step = eval(re.search(r"-np.sum\(.*\[:-1\]\)", text).group(), names)
    linear = eval(re.search(r"sklearn.metrics.auc\(.*?\)", text).group(), names)
    assert step == pytest.approx(AP(Y, S))
    assert linear == pytest.approx(ap.pr_auc_score(Y, S, interpolation="linear"))


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
