"""
Tuning a ranker by MAP
======================

A ranker orders the documents of each query, so it is judged by the mean of average
precision over queries. Here a grid search chooses the depth of an ``XGBRanker`` by that
mean. The documents are images of digits, twenty per query, and images of the digit 8
are relevant.

This script needs xgboost, which the other scripts do not need. So it is not run with
them: ``pytest -m clients`` runs it.
"""

# %%
# One array of query ids
# ----------------------
#
# With metadata routing, one array of ids reaches three places: the ranker, which calls
# it ``qid``, the splitter, which keeps each query in one fold, and the scorer.

import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, GroupKFold
from xgboost import XGBRanker

from sklearn_ap import average_precision_score, make_scorer, score_by_query

X, digit = load_digits(return_X_y=True)
y = (digit == 8).astype(int)
query = np.arange(y.size) // 20  # xgboost wants the rows of a query together
mean_ap = make_scorer(
    average_precision_score,
    query_id="groups",
    response_method="predict",
    zero_division=0.0,
)
with sklearn.config_context(enable_metadata_routing=True):
    ranker = XGBRanker(n_estimators=20).set_fit_request(qid="groups")
    search = GridSearchCV(
        ranker, {"max_depth": [1, 2, 4]}, cv=GroupKFold(3), scoring=mean_ap
    ).fit(X, y, groups=query)
for depth, score in zip(
    [1, 2, 4], search.cv_results_["mean_test_score"], strict=True
):
    print(f"depth {depth}: MAP {score:.2f}")

# %% A ranker has no ``decision_function``, so the scorer is told to use ``predict``. A
# query without an image of 8 counts 0 here; ``zero_division=np.nan`` leaves such
# queries out.
#
# The weakest queries
# -------------------
#
# The mean hides which queries fail. The first third of them is scored by a model that
# learned from the others:

test = query < query.max() // 3
best = XGBRanker(n_estimators=20, **search.best_params_)
scores = best.fit(X[~test], y[~test], qid=query[~test]).predict(X[test])
by_query = score_by_query(
    average_precision_score,
    y[test],
    scores,
    query_id=query[test],
    zero_division=np.nan,
)
weakest = sorted(by_query, key=by_query.get)[:3]
print({one: round(by_query[one], 2) for one in weakest})
