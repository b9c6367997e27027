"""Rows of scorers, one per line, with the score of the estimator's response in place of
the scorer, or with the error of the argument. `d` are the decisions of a model, and `p`
the probabilities of its second class.
"""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context, metrics
from sklearn.base import clone
from sklearn.ensemble import IsolationForest

import sklearn_ap
from scoring import IGNORED, LOGISTIC, QUERY, X3, Y3, X, Y

pytestmark = pytest.mark.filterwarnings(*IGNORED)
WORDS = np.array(["no", "yes"])[Y]
MODEL, WORDED, THREE = (
    clone(LOGISTIC).fit(*rows) for rows in ((X, Y), (X, WORDS), (X3, Y3))
)
FOREST = IsolationForest(random_state=0).fit(X)
NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {
    "AP": sklearn_ap.average_precision_score,
    "at": sklearn_ap.recall_at_k_score,
    "auc": metrics.roc_auc_score,
    "brier": metrics.brier_score_loss,
    "d": MODEL.decision_function(X),
    "d3": THREE.decision_function(X3),
    "forest": FOREST,
    "half": np.repeat([1, 0], 75),
    "model": MODEL,
    "p": MODEL.predict_proba(X)[:, 1],
    "partial": partial,
    "pd": pd,
    "q": QUERY,
    "samples": FOREST.score_samples(X),
    "three": THREE,
    "totals": dict.fromkeys(range(99), 9),
    "words": WORDS,
    "worded": WORDED,
    "x": X,
    "x3": X3,
    "y": Y,
    "y3": Y3,
}
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
    ("make_scorer(partial(at, k=1), k=5)(model, x, y)", "at(y, d, k=5)"),
    ("make_scorer(partial(at, k=1), k=5).__name__", "'recall@5'"),
    ("make_scorer(partial(at, k=5)).__name__", "'recall@5'"),
    ("make_scorer(partial(partial(at, k=1), k=5)).__name__", "'recall@5'"),
    ("get_scorer('recall@5')(model, x, y)", "at(y, d, k=5)"),
    ("get_scorer('recall@0.05')(model, x, y)", "at(y, d, k=0.05)"),
    ("get_scorer('Recall @5')(model, x, y)", "at(y, d, k=5)"),
    ("get_scorer('average_precision', pos_label=0)(model, x, y)", "AP(1 - y, -d)"),
    ("get_scorer('average_precision_score')(model, x, y)", "AP(y, d)"),
    ("get_scorer('roc_auc')(model, x, y)", "auc(y, d)"),
    ("get_scorer(None)", "None"),
    ("get_scorer(AP)", "AP"),
    ("make_scorer(brier, response_method='predict_proba')(model, x, y)", "brier(y, p)"),
    # queries
    ("make_scorer(AP, query_id='groups')(model, x, y, query_id=q)", "AP(y, d, query_id=q)"),
    (f"make_scorer(AP, query_id='index')(model, x, {INDEXED})", "AP(y, d, query_id=q)"),
    # A fold has the totals of its own queries alone.
    (f"{BY_QUERY}(model, x, y, query_id=q)", "AP(y, d, query_id=q, n_positives=[9] * 15)"),
    (f"{BY_QUERY}(model, x[:9], y[:9], query_id=q[:9])", "AP(y[:9], d[:9], n_positives=9)"),
]  # fmt: skip
# A call, the class and the beginning of its error, and words in it.
ERRORS = [
    ("make_scorer('average_precision')", TypeError, "score_func must be a function", "get_scorer"),
    *(
        (f"make_scorer({name})", TypeError, "score_func must be a function; got", "get_scorer(")
        for name in ("'recall@5'", "'nonsense'", "3", "None")
    ),
    ("make_scorer(at)", TypeError, "recall_at_k_score", "'recall@10'"),
    ("make_scorer(AP, k=3)", TypeError, "average_precision_score() got", "'k'"),
    ("make_scorer(partial(at, k=3), bogus=1)", TypeError, "recall_at_k_score() got an", "'bogus'"),
    ("make_scorer(precision_at_k_score, normalizer='k')", TypeError, "precision_at_k_score() got", "'normalizer'"),
    ("make_scorer(AP, average=None)", ValueError, "average=None gives several values", "macro"),
    ("make_scorer(AP, greater_is_better='no')", ValueError, "greater_is_better must be", "'no'"),
    ("make_scorer(AP, response_method='predictt')", ValueError, "The 'response_method'", "predictt"),
    ("make_scorer(AP, response_method=q)", ValueError, "The 'response_method'", "make_scorer"),
    ("make_scorer(AP, query_id=pd.Series(range(600)))", ValueError, "query_id must be", ". The ids"),
    ("make_scorer(AP, query_id=7)", ValueError, "query_id must be 'index' or", "got 7."),
    ("make_scorer(AP, query_id='')", ValueError, "query_id must be 'index' or", "got ''."),
    ("make_scorer(AP, query_id=q)", ValueError, "query_id must be 'index' or", "'groups'"),
    ("make_scorer(AP, query_id='a b')", ValueError, "query_id must be 'index' or", "'a b'"),
    ("make_scorer(AP, n_positives={0: 9})", ValueError, "n_positives of a scorer", "{0: 9}"),
    ("make_scorer(AP, n_positives=9, query_id='groups')", ValueError, "n_positives of a scorer", "9."),
    ("make_scorer(auc, query_id='groups')", TypeError, "query_id requires a score", "roc_auc_score"),
    ("make_scorer(AP, query_id='index')(model, x, y)", ValueError, "query_id='index'", "a ndarray"),
    ("make_scorer(AP, query_id='index')(model, x, pd.Series(y))", ValueError, "query_id", "different id"),
    ("make_scorer(AP, query_id='groups')(model, x, y)", ValueError, "no query ids reached the scorer: call sklearn.set_config(", "'groups'"),
    ("make_scorer(AP)(worded, x, words)", ValueError, "", "pos_label"),
    ("get_scorer('recall@5', k=3)", TypeError, "", "k"),
    ("get_scorer(AP, k=3)", TypeError, "scorer_params must be empty", "{'k': 3}"),
    ("get_scorer('pr_auc')", ValueError, "scoring", "pr_auc_linear"),
    ("get_scorer('PR-AUC')", ValueError, "scoring must name one score", "pr_auc_linear"),
    ("get_scorer('averag_precision')", ValueError, "scoring", "average_precision"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "same"), NUMBERS)
def test_a_scorer_returns_the_score_of_the_response(call, same):
    with config_context(enable_metadata_routing=True):
        assert eval(call, NAMES) == eval(same, NAMES)


@pytest.mark.parametrize(("call", "error", "start", "words"), ERRORS)
def test_a_scorer_raises_its_error(call, error, start, words):
    with pytest.raises(error, match=f"^{re.escape(start)}") as caught:
        eval(call, NAMES)
    assert words in str(caught.value)
