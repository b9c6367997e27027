"""Rows of scorers, one per line, with the score of the estimator's response in place of
the scorer, or with the error of the argument. `d` are the decisions of a model, and `p`
the probabilities of its second class. `told` is an estimator with these classes and
scores.
"""

from copy import copy
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context, metrics
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import sklearn_ap
from refusals import assert_raises, each_row
from scoring import IGNORED, LOGISTIC, QUERY, X3, Y3, X, Y
from sklearn_ap._core.estimators import labelled

pytestmark = pytest.mark.filterwarnings(*IGNORED)
WORDS = np.array(["no", "yes"])[Y]
MODEL, WORDED, THREE = (
    clone(LOGISTIC).fit(*rows) for rows in ((X, Y), (X, WORDS), (X3, Y3))
)
FOREST = IsolationForest(random_state=0).fit(X)
# LogisticRegressionCV makes such a model before scikit-learn 1.8.
BARE = copy(MODEL)
BARE.multi_class = "auto"
del BARE.n_features_in_


def told(classes, scores, method="decision_function", **more):
    return SimpleNamespace(classes_=classes, **{method: lambda _: scores}, **more)


class Unhashable:
    __hash__ = None
    __call__ = staticmethod(metrics.accuracy_score)


# Names of this folder and of those below it, since others may be taken away.
NAMES = {
    name: getattr(sklearn_ap, name)
    for name, module in sklearn_ap._MODULE_OF.items()
    if module.startswith("._core")
}
NAMES |= {
    "AP": sklearn_ap.average_precision_score,
    "at": sklearn_ap.recall_at_k_score,
    "accuracy": metrics.accuracy_score,
    "auc": metrics.roc_auc_score,
    "bare": BARE,
    "brier": metrics.brier_score_loss,
    "d": MODEL.decision_function(X),
    "d3": THREE.decision_function(X3),
    "fbeta": metrics.fbeta_score,
    "forest": FOREST,
    "half": np.repeat([1, 0], 75),
    "labelled": labelled,
    "line": LinearRegression().fit(X, -Y),
    "model": MODEL,
    "np": np,
    "ovo": SVC(kernel="linear", decision_function_shape="ovo").fit(X3, Y3),
    "p": MODEL.predict_proba(X)[:, 1],
    "partial": partial,
    "pd": pd,
    "q": QUERY,
    "samples": FOREST.score_samples(X),
    "scale": StandardScaler,
    "three": THREE,
    "told": told,
    "totals": dict.fromkeys(range(99), 9),
    "words": WORDS,
    "worded": WORDED,
    "x": X,
    "x3": X3,
    "y": Y,
    "y3": Y3,
}
NAMES |= {"GridSearchCV": GridSearchCV, "RFE": RFE, "make_pipeline": make_pipeline}
NAMES |= {"unhashable": Unhashable()}
NAMES |= {"LinearRegression": LinearRegression, "LinearSVC": LinearSVC}
SHOWN = "get_scorer({!r}).__name__, get_scorer({!r})._score_func.__name__"
INDEXED = "pd.Series(y, index=q)"
BY_QUERY = "make_scorer(AP, query_id='groups', n_positives=totals)"
# An expression with a scorer, and the same number without one.
NUMBERS = [
    ("make_scorer(AP)(model, x, y)", "AP(y, d)"),
    ("make_scorer(AP, response_method='predict_proba')(model, x, y)", "AP(y, p)"),
    ("make_scorer(AP, response_method=('predict_proba',))(model, x, y)", "AP(y, p)"),
    ("make_scorer(AP, response_method='score_samples')(forest, x, half)", "AP(half, samples)"),
    # Half of the rows are not few, so there is no advice about outliers.
    ("make_scorer(AP)(forest, x, half)", "AP(half, forest.decision_function(x))"),
    ("make_scorer(AP, greater_is_better=False)(model, x, y)", "-AP(y, d)"),
    ("make_scorer(AP, pos_label=0)(model, x, y)", "AP(1 - y, -d)"),
    ("make_scorer(AP, pos_label='no')(worded, x, words)", "AP(1 - y, -d)"),
    ("make_scorer(AP, pos_label=2)(three, x3, y3)", "AP(y3 == 2, d3[:, 2])"),
    ("make_scorer(AP)(three, x3, y3)", "AP(y3, three.decision_function(x3))"),
    ("make_scorer(AP, average='weighted')(three, x3, y3)", "AP(y3, d3, average='weighted')"),
    ("make_scorer(partial(AP, pos_label=0))(model, x, y)", "AP(1 - y, -d)"),
    ("make_scorer(AP, prevalence=0.1)(model, x, y)", "AP(y, d, prevalence=0.1)"),
    ("make_scorer(AP)(model, x, y, sample_weight=y + 1)", "AP(y, d, sample_weight=y + 1)"),
    ("make_scorer(at, k=5)(model, x, y)", "at(y, d, k=5)"),
    ("make_scorer(unhashable)(model, x, y)", "accuracy(y, model.predict(x))"),
    ("make_scorer(partial(at, k=1), k=5)(model, x, y)", "at(y, d, k=5)"),
    ("make_scorer(partial(at, k=1), k=5).__name__", "'recall@5'"),
    ("make_scorer(partial(at, k=5)).__name__", "'recall@5'"),
    ("get_scorer('recall@5').__name__, get_scorer('reciprocal_rank@5').__name__", "('recall@5', 'reciprocal_rank@5')"),
    ("make_scorer(average_precision_at_k_score, k=None).__name__", "'average_precision_at_k'"),
    ("make_scorer(partial(partial(at, k=1), k=5)).__name__", "'recall@5'"),
    ("get_scorer('recall@5')(model, x, y)", "at(y, d, k=5)"),
    ("get_scorer('recall@0.05')(model, x, y)", "at(y, d, k=0.05)"),
    ("get_scorer('recall@5e-02')(model, x, y)", "at(y, d, k=0.05)"),
    ("get_scorer('Recall @5')(model, x, y)", "at(y, d, k=5)"),
    ("get_scorer('average_precision', pos_label=0)(model, x, y)", "AP(1 - y, -d)"),
    ("get_scorer('average_precision_score')(model, x, y)", "AP(y, d)"),
    ("get_scorer('roc_auc')(model, x, y)", "auc(y, d)"),
    ("get_scorer(None)", "None"),
    ("get_scorer(AP)", "AP"),
    ("make_scorer(brier, response_method='predict_proba')(model, x, y)", "brier(y, p)"),
    # functions of others, whose default is `predict`
    ("make_scorer(brier, response_method='predict_proba', greater_is_better=False)(model, x, y)", "-brier(y, p)"),
    ("make_scorer(auc, response_method=['predict_proba', 'predict'])(model, x, y)", "auc(y, p)"),
    ("make_scorer(accuracy, normalize=False)(model, x, y)", "accuracy(y, model.predict(x), normalize=False)"),
    ("make_scorer(partial(fbeta, beta=2), pos_label=0)(model, x, y)", "fbeta(y, model.predict(x), beta=2, pos_label=0)"),
    ("make_scorer(lambda y_true, y_pred: 1.5)(model, x, y)", "1.5"),
    ("type(make_scorer(brier)) is type(get_scorer('roc_auc'))", "True"),
    # names
    *(
        (SHOWN.format(name, name), f"{name.replace('@.', '@0.')!r}, {function!r}")
        for name, function in [
            ("average_precision", "average_precision_score"),
            ("precision@100", "precision_at_100_score"),
            ("recall@.05", "recall_at_0.05_score"),
            ("precision_at_recall@.9", "precision_at_recall_0.9_score"),
            ("recall_at_precision@0.5", "recall_at_precision_0.5_score"),
            ("pr_auc_linear", "pr_auc_linear_score"),
            ("pr_auc_davis_goadrich", "pr_auc_davis_goadrich_score"),
        ]
    ),
    *(
        (f"[repr(get_scorer(name)) for name in {names}]", f"[repr(get_scorer({name!r}))] * {len(names)}")
        for name, *names in [
            ("average_precision", "average_precision_score", "Average Precision", "average-precision", "AP"),
            ("average_precision@7", "Average Precision@7", "averageprecision@7", "ap@7"),
            ("eleven_point_average_precision", "eleven_point", "Eleven-Point", "eleven point score"),
            ("r_precision", "R-precision", "r precision score"),
            ("reciprocal_rank", "reciprocal rank"),
            ("pr_auc_linear", "PR AUC linear", "pr-auc-linear_score"),
            ("pr_auc_davis_goadrich", "PR AUC Davis-Goadrich"),
            ("precision@0.5", "PRECISION@.5"),
        ]
    ),
    ("repr(get_scorer('pr_auc_linear'))", "repr(make_scorer(pr_auc_score, interpolation='linear'))"),
    ("get_scorer('pr_auc_linear')(model, x, y)", "pr_auc_score(y, d, interpolation='linear')"),
    ("repr(make_scorer(AP, query_id='groups'))", "\"make_scorer(average_precision_score, response_method=('decision_function', 'predict_proba'), query_id='groups')\""),
    # the positive class
    ("make_scorer(AP, pos_label='yes', prevalence=0.1)(worded, x, words)", "AP(y, d, prevalence=0.1)"),
    ("get_scorer('recall@0.1', pos_label='no')(worded, x, words[:, np.newaxis])", "at(1 - y, -d, k=0.1)"),
    ("make_scorer(AP, pos_label=3)(told([-1.0, 3.0], d), x, 4.0 * y - 1)", "AP(y, d)"),
    ("make_scorer(AP, zero_division=1, pos_label='yes')(worded, x[y == 0], words[y == 0])", "1"),
    ("make_scorer(AP, pos_label=0)(bare, x, y)", "AP(1 - y, -d)"),
    ("make_scorer(AP)(bare, x, y)", "AP(y, d)"),
    # Data that are the response do not show its classes, unless there is a fit.
    ("make_scorer(AP, pos_label=2)(told([0, 1, 2], d3, fit=True), d3, y3)", "AP(y3 == 2, d3[:, 2])"),
    ("make_scorer(AP, pos_label=8)(told([7, 8, 9], d3), d3, y3 + 7)", "AP(y3 == 1, d3[:, 1])"),
    ("make_scorer(AP, pos_label='1')(told([*'1bc'], d3), x3, np.array([*'1bc'])[y3])", "AP(y3 == 0, d3[:, 0])"),
    ("make_scorer(AP, pos_label=1)(told([1, 2, 3], d3), x3, y3 + 1)", "AP(y3 == 0, d3[:, 0])"),
    ("make_scorer(AP, pos_label=-1)(forest, x, 1 - 2 * half)", "AP(half, -forest.decision_function(x))"),
    # Neither frequent inliers nor no row of label 1 cause advice.
    ("make_scorer(AP)(forest, x, np.where(np.arange(150) < 9, -1, 1))", "AP(np.arange(150) >= 9, forest.decision_function(x))"),
    ("make_scorer(AP, zero_division=1)(forest, x, 0 * y)", "1"),
    ("make_scorer(AP, response_method='predict')(line, x, y)", "AP(y, line.predict(x))"),
    ("make_scorer(AP, response_method='predict', pos_label=0)(line, x, y)", "AP(1 - y, line.predict(x))"),
    ("make_scorer(AP, response_method='predict', pos_label='no')(line, x, words)", "AP(1 - y, line.predict(x))"),
    ("make_scorer(AP, response_method='predict')(LinearRegression().fit(x, y[:, np.newaxis]), x, y)", "AP(y, LinearRegression().fit(x, y).predict(x))"),
    *(
        (f"[make_scorer(AP, pos_label=label)(told([0, 1], {scores}), x[:3], [0, 1, 1]) for label in (0, 1)]", "[1, 1]")
        for scores in (
            "np.array([2**53, 2**53 + 1, 2**53 + 2])",
            "np.array([0, 1, 2**64 - 1], np.uint64)",
            "np.array([-(2**63), 1 - 2**63, 0])",
            "np.array([False, True, True])",
        )
    ),
    # columns of classes and of labels
    ("make_scorer(AP)(told([0, 1], d), x, y)", "AP(y, d)"),
    ("make_scorer(AP)(told([0, 1], d[:1]), x[:1], [1])", "1"),
    ("make_scorer(AP)(told([np.arange(2)], d), x, y[:, np.newaxis])", "AP(y, d)"),
    ("make_scorer(AP)(told([np.arange(2)] * 3, d3), x3, np.eye(3)[y3])", "AP(y3, d3)"),
    ("make_scorer(AP)(told([np.arange(2)] * 2, [d3[:, :1], d3[:, 1:2]], 'predict_proba'), x3, np.eye(3)[y3][:, :2])", "AP(np.eye(3)[y3][:, :2], d3[:, :2])"),
    # Only decision values of several columns are of pairs.
    ("make_scorer(AP)(told([0, 1], d, decision_function_shape='ovo'), x, y)", "AP(y, d)"),
    ("make_scorer(AP, response_method='predict_proba')(told([7, 8, 9], d3, 'predict_proba', decision_function_shape='ovo'), x3, y3 + 7)", "AP(y3, d3)"),
    # The votes of AdaBoost are one column per class, whatever its estimators return.
    ("make_scorer(AP)(told([0, 1, 2], d3, estimator_weights_=[1], estimator_=ovo), x3, y3)", "AP(y3, d3)"),
    ("make_scorer(AP, response_method='predict_proba')(three, x3, y3)", "AP(y3, three.predict_proba(x3))"),
    ("make_scorer(AP)(three, x3[y3 != 1], y3[y3 != 1])", "AP(np.eye(3)[y3[y3 != 1]][:, [0, 2]], d3[y3 != 1][:, [0, 2]])"),
    ("make_scorer(AP)(told([*'abc'], pd.DataFrame(d3[:, ::-1], columns=[*'cba'])), x3, np.array([*'abc'])[y3])", "AP(y3, d3)"),
    ("make_scorer(AP)(told([7, 8, 9], pd.DataFrame(d3[:, ::-1], columns=[9, 8, 7])), x3, y3 + 7)", "AP(y3, d3)"),
    ("make_scorer(AP, pos_label='yes')(told(['no', 'yes'], pd.DataFrame({'yes': p, 'no': 1 - p}), 'predict_proba'), x, words)", "AP(y, p)"),
    ("make_scorer(AP)(told(None, pd.DataFrame(d3[:, ::-1], columns=[2, 1, 0])), x3, pd.DataFrame(np.eye(3)[y3], columns=pd.Index([0, 1, 2])))", "AP(np.eye(3)[y3], d3)"),
    ("make_scorer(AP)(told([np.arange(2)], [np.stack([1 - p, p], 1)], 'predict_proba'), x, y[:, np.newaxis])", "AP(y, p)"),
    # A label that was constant in training scores 0, or its only column.
    ("make_scorer(AP, average='micro')(told([np.arange(2), np.zeros(1)], [[[0.2, 0.8], [0.7, 0.3]], [[1], [1]]], 'predict_proba'), x[:2], [[1, 0], [0, 0]])", "1"),
    ("make_scorer(AP, average='micro')(told([np.arange(2), np.ones(1)], [[[0.2, 0.8], [0.7, 0.3]], [[0.9], [0.8]]], 'predict_proba'), x[:2], [[1, 1], [0, 1]])", "1"),
    ("make_scorer(AP, average='micro')(told([np.arange(2), np.ones(1)], [[[0.2, 0.8], [0.7, 0.3]], [[0.9, 0.1], [0.8, 0.2]]], 'predict_proba'), x[:2], [[1, 1], [0, 1]])", "1"),
    ("labelled(three, d3[y3 != 1], y3[y3 != 1], None).classes", "[0, 2]"),
    # queries
    ("make_scorer(AP, query_id='groups')(model, x, y, query_id=q)", "AP(y, d, query_id=q)"),
    ("make_scorer(AP, query_id='groups').get_metadata_routing().score.requests", "{'sample_weight': None, 'query_id': 'groups'}"),
    ("make_scorer(AP, query_id='groups').set_score_request(query_id='q').get_metadata_routing().score.requests", "{'sample_weight': None, 'query_id': 'q'}"),
    (f"make_scorer(AP, query_id='index')(model, x, {INDEXED})", "AP(y, d, query_id=q)"),
    # A fold has the totals of its own queries alone.
    (f"{BY_QUERY}(model, x, y, query_id=q)", "AP(y, d, query_id=q, n_positives=[9] * 15)"),
    (f"{BY_QUERY}(model, x[:9], y[:9], query_id=q[:9])", "AP(y[:9], d[:9], n_positives=9)"),
    ("make_scorer(AP, query_id='groups', n_positives=pd.Series(totals))(model, x[:9], y[:9], query_id=q[:9])", "AP(y[:9], d[:9], n_positives=9)"),
    ("make_scorer(AP, query_id='groups', n_positives={(name, unit): 3 for name in totals for unit in 'abc'})(model, x[:9], y[:9], query_id=q[:9])", "AP(y[:9], d[:9], n_positives=9)"),
]  # fmt: skip
# A call, the beginning of its error, and words in it.
ERRORS = [
    ("make_scorer('average_precision')", "TypeError: score_func must be a function", "get_scorer"),
    ("make_scorer(pr_auc_score)", "TypeError: pr_auc_score requires interpolation=", "'linear' or 'davis-goadrich'.$"),
    *(
        (f"make_scorer({name})", "TypeError: score_func must be a function; got", "get_scorer(")
        for name in ("'recall@5'", "'nonsense'", "3", "None")
    ),
    ("make_scorer(at)", "TypeError: recall_at_k_score requires k=", "k=10"),
    ("make_scorer(AP, k=3)", "TypeError: average_precision_score() got", "'k'"),
    ("make_scorer(AP, kk=3)", "TypeError: average_precision_score() got", "It takes average, "),
    ("make_scorer(AP, y_score=3)", "TypeError: average_precision_score() got an unexpected keyword argument 'y_score'"),
    ("make_scorer(AP, groups=3)", "TypeError: average_precision_score() got", "'groups' In place of groups, write query_id"),
    ("make_scorer(partial(at, k=3), bogus=1)", "TypeError: recall_at_k_score() got an", "'bogus'"),
    ("make_scorer(precision_at_k_score, normalizer='k')", "TypeError: precision_at_k_score() got", "'normalizer'"),
    ("make_scorer(AP, average=None)", "average=None gives several values", "macro"),
    *(
        (f"make_scorer({call})", start, got)
        for call, start, got in [
            ("AP, prevalence=5", "prevalence must be None or", "got 5."),
            ("AP, zero_division='x'", "zero_division must be 'warn'", "got 'x'."),
            ("AP, average='mean'", "TypeError: The 'average' parameter of average_precision_score", "Got 'mean'"),
            ("average_precision_at_k_score, k=-1", "k must be None, an integer", "got -1."),
        ]
    ),
    ("make_scorer(AP, query_id='index', n_positives=pd.Series(9, [0, 0]))(model, x[:9], pd.Series(y[:9], [0] * 9))", "n_positives must have one total per name, but repeats 0"),
    ("make_scorer(AP, greater_is_better='no')", "greater_is_better must be", "'no'"),
    ("make_scorer(AP, response_method='predictt')", "TypeError: The 'response_method'", "predictt"),
    ("make_scorer(AP, response_method=q)", "TypeError: The 'response_method'", "make_scorer"),
    ("make_scorer(AP, query_id=pd.Series(range(600)))", "query_id must be", ". The ids"),
    ("make_scorer(AP, query_id=7)", "query_id must be 'index' or", "got 7."),
    ("make_scorer(AP, query_id='')", "query_id must be 'index' or", "got ''."),
    ("make_scorer(AP, query_id=q)", "query_id must be 'index' or", "'groups'"),
    ("make_scorer(AP, query_id='a b')", "query_id must be 'index' or", "'a b'"),
    ("make_scorer(AP, n_positives={0: 9})", "n_positives of a scorer requires query_id where the scorer is made, such as query_id='groups'", "query_id=None and {0: 9}"),
    ("make_scorer(AP, n_positives=9, query_id='groups')", "n_positives of a scorer", "9."),
    ("make_scorer(auc, query_id='groups')", "TypeError: query_id requires a score", "roc_auc_score"),
    ("make_scorer(AP, query_id='index')(model, x, y)", "query_id='index'", "a ndarray. Write y = pandas.Series(labels, index=query_ids)"),
    ("make_scorer(AP, query_id='index')(model, x, y.tolist())", "query_id='index'", "a list"),
    ("make_scorer(AP, query_id='index')(model, x, pd.Series(y))", "query_id", "different id"),
    ("make_scorer(AP, query_id='groups')(model, x, y)", "no query ids reached the scorer: call sklearn.set_config(", "use make_scorer(..., query_id='index') with"),
    ("make_scorer(AP)(worded, x, words)", "pos_label must name the positive class", "the classes 'no' and 'yes', and neither is 1. Write pos_label='no' or pos_label='yes' when"),
    ("get_scorer('recall@0.1')(told([-1.0, 3.0], d), x, 4.0 * y - 1)", "pos_label must name the positive class", "Write pos_label=-1.0 or pos_label=3.0 when"),
    ("get_scorer('recall@5', k=3)", "TypeError: k is already specified by the name 'recall@5'; got k=3 too", "Remove k."),
    ("get_scorer('pr_auc_linear', interpolation='linear')", "TypeError: interpolation is already specified by the name", "'linear' too"),
    ("get_scorer(AP, k=3)", "TypeError: scorer_params must be empty", "{'k': 3}"),
    ("get_scorer('pr_auc')", "scoring", "pr_auc_linear"),
    ("get_scorer('PR-AUC')", "scoring must name one score", "pr_auc_linear"),
    *(
        (f"get_scorer({name!r})", "scoring must be one of ['average_precision', ", f"got {name!r}{similar}")
        for name, similar in [
            ("averge_precision", "; did you mean 'average_precision'?"),
            ("roc_auc_ov", "; did you mean 'roc_auc_ovr' or "),
            ("precision@1_0", "; did you mean 'precision@10'"),
            ("precision@ 5", "; did you mean"),
            ("average_precision@", "; did you mean"),
            ("mAP", "; did you mean 'average_precision'"),
            ("MRR@5", "; did you mean 'reciprocal_rank"),
            *((name, ".") for name in ("auroc", "", "@")),
        ]
    ),
    ("get_scorer(['recall@5'])", "TypeError: The 'scoring' parameter of get_scorer must be", "Got ['recall@5'] instead."),
    ("get_scorer('auroc')", "scoring must be one of ", "any number of rows, or a share of them such as 0.05, and 0.8 any level from 0 to 1, or a name in sklearn.metrics.get_scorer_names()"),
    ("get_scorer('precision@0')", "k must be None", "got 0."),
    ("get_scorer('precision@5.0')", "k must be None", "got 5.0: a share is below 1; pass a number of rows, such as 5."),
    ("get_scorer('precision_at_recall@1.5')", "recall must be a number in [0, 1]", "got 1.5."),
    ("get_scorer('recall@5')([1, 0], [2, 1])", "TypeError: a scorer takes a fitted estimator", "call recall_at_k_score."),
    # responses
    # warnings, which are errors in tests
    ("make_scorer(AP)(told([0, 1], pd.Series(d, range(150, 0, -1))), x, pd.Series(y, range(1, 151)))", "UserWarning: y and response have the same values in their indexes, in two orders", "write response.loc[y.index]"),
    ("make_scorer(AP)(model, x, pd.Series(y, range(1, 151)), sample_weight=pd.Series(1, range(150, 0, -1)))", "UserWarning: y and sample_weight have the same", "write sample_weight.loc[y.index]"),
    ("make_scorer(AP)(forest, x, np.arange(150) < 1)", "UserWarning: IsolationForest gives outliers low scores", "and pass pos_label=-1 when you make"),
    ("make_scorer(AP, sample_weight=y + 1)(model, x, y, sample_weight=y + 1)", "UserWarning: There is an overlap between set kwargs"),
    ("make_scorer(AP)(line, x, y)", "AttributeError: LinearRegression has none of the following attributes: decision_function, predict_proba.", "A scorer of a ranker or a regressor needs response_method='predict'."),
    # scikit-learn cannot tell whether this estimator is a regressor.
    ("make_scorer(AP)(told([0, 1], d, 'predict'), x, y)", "AttributeError: SimpleNamespace has none of the following attributes: decision_function, predict_proba.", "predict_proba."),
    ("make_scorer(AP, response_method='predict_proba')(LinearSVC().fit(x, y), x, y)", "AttributeError: LinearSVC has none of", "predict_proba."),
    ("make_scorer(AP, response_method='predict')(worded, x, words)", "the estimator must return scores; got labels such as 'no'", "a response_method that"),
    ("make_scorer(AP, pos_label=b'no')(told([b'no', b'yes'], words.astype('S')), x, words.astype('S'))", "the estimator must return scores; got labels such as b'no'"),
    ("make_scorer(AP, pos_label='no')(told(['no', 'yes'], words.astype(object)), x, words)", "the estimator must return scores; got labels such as 'no'"),
    ("make_scorer(AP, response_method='predict')(three, x3, y3)", "the estimator must return one column of scores for each of its 3 classes", "shape (150,)."),
    ("make_scorer(AP)(told([0, 1], d3), x, y)", "the estimator must return one column of scores for each of its 2 classes", "shape (150, 3)."),
    ("make_scorer(AP)(told(None, d3), x3, y3)", "the estimator must have classes_, ", "got scores of shape (150, 3) without classes_."),
    ("make_scorer(AP)(told([], d), x, y)", "y contains the class 0, which the estimator was not trained on; its classes are []."),
    ("make_scorer(AP)(told([5], d), x, y * 0 + 5)", "pos_label=1 is not a valid label: It should be one of [5].", "single class, so there is nothing to rank"),
    ("make_scorer(AP, pos_label=7)(model, x, y)", "pos_label=7 is not a valid label: it should be one of [0 1]", "Before scikit-learn 1.8"),
    ("make_scorer(AP)(model, x, np.where(np.arange(150) < 148, y, np.arange(150)))", "y contains the class 148, which the estimator was not trained on", "[0 1]."),
    ("make_scorer(AP, pos_label=2)(told([0, 1, 2], d3), d3, y3)", "the estimator must know its classes, but has [0 1 2]", "pass cv=5"),
    ("make_scorer(AP)(told([*'abc'], pd.DataFrame(d3[:, :2], columns=[*'ab'])), x3, np.array([*'abc'])[y3])", "the estimator must return one column of scores for each of its 3 classes", "(150, 2)."),
    ("make_scorer(AP)(told([np.arange(2)] * 2, [p]), x, y)", "y must have 2 columns, one per label of the estimator; got one"),
    ("make_scorer(AP).set_score_request(kk=True)", "TypeError: average_precision_score() got an unexpected keyword argument 'kk'", "It takes "),
    ("make_scorer(AP, query_id='groups')(model, x, y, query_id=None)", "no query ids reached the scorer", "pass them as 'groups', "),
    ("make_scorer(AP)(told([0, 1, 2], d3, steps=[(0, told([], d3, multilabel_=True))]), x3, y3)", "y must have 3 columns, one per label of the estimator"),
    ("make_scorer(AP)(told([0, 1], d[:0]), x[:0], y[:0])", "y_true is empty: got shape (0,)"),
    ("make_scorer(AP)(told([*'abc'], pd.DataFrame(d3, columns=[*'abx'])), x3, np.array([*'abc'])[y3])", "the response must have all classes of the estimator, ['a', 'b', 'c']", "got ['a', 'b', 'x']."),
    ("make_scorer(AP)(told([7, 8, 9], pd.DataFrame(d3, columns=[*'987'])), x3, y3 + 7)", "the response must have all classes of the estimator", "got ['9', '8', '7']."),
    ("make_scorer(AP)(told(None, pd.DataFrame(d3, columns=[*'abx'])), x3, pd.DataFrame(np.eye(3)[y3], columns=[*'abc']))", "the response must have all columns of y", "got ['a', 'b', 'x']."),
    *(
        (f"make_scorer(AP)({wrapped}, x3, y3)", "decision_function_shape='ovo' returns pairwise scores", "use decision_function_shape='ovr'.")
        for wrapped in (
            "ovo",
            "RFE(ovo).fit(x3, y3)",
            "make_pipeline(ovo).fit(x3, y3)",
            "told([0, 1, 2], d3, final_estimator_=ovo)",
            "make_pipeline(scale(), scale(), GridSearchCV(ovo, {}, cv=2)).fit(x3, y3)",
            "GridSearchCV(make_pipeline(scale(), ovo), {}, cv=2).fit(x3, y3)",
        )
    ),

]  # fmt: skip


@pytest.mark.parametrize(("call", "same"), NUMBERS)
def test_a_scorer_returns_the_score_of_the_response(call, same):
    with config_context(enable_metadata_routing=True):
        assert eval(call, NAMES) == eval(same, NAMES)


@each_row(ERRORS)
def test_a_scorer_raises_its_error(row):
    with config_context(enable_metadata_routing=True):
        assert_raises(NAMES, *row)
