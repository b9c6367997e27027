"""
Two search engines query by query
=================================

A new search engine has a higher mean average precision than the old one. Is it better
for most queries, or much better for a few? Which queries does it lose? The mean hides
this, so the engines are compared query by query.

A query is an image of a digit, and other images of the same digit are relevant. The old
engine compares all 64 pixels, the new one ten principal components.
"""

# %%
# Rankings of two engines
# -----------------------
#
# The id of a query names its digit, so that it can be read in the results.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import permutation_test
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances

from sklearn_ap import (
    average_precision_score,
    precision_at_k_score,
    r_precision_score,
    score_by_query,
)

X, digit = load_digits(return_X_y=True)
queries, documents = np.arange(200), np.arange(200, digit.size)
relevant = digit[queries][:, None] == digit[documents]
names = [f"{digit[number]} (image {number})" for number in queries]
query_id = np.repeat(names, documents.size)
spaces = {
    "64 pixels": X,
    "10 components": PCA(10, random_state=0).fit_transform(X),
}
scores = {
    name: -pairwise_distances(space[queries], space[documents]).ravel()
    for name, space in spaces.items()
}

# %%
# One call for all queries
# ------------------------
#
# With ``query_id``, each query is a ranking, and a score is the mean over queries: MAP,
# P@10, R-precision. The last number ranks all rows together. This answers another
# question, since it also compares the distances of different queries.

labels = relevant.ravel()
for name, score in scores.items():
    mean_ap = average_precision_score(labels, score, query_id=query_id)
    at_10 = precision_at_k_score(labels, score, k=10, query_id=query_id)
    at_r = r_precision_score(labels, score, query_id=query_id)
    pooled = average_precision_score(labels, score)
    print(f"{name:13}  MAP {mean_ap:.3f}  P@10 {at_10:.3f}", end="")
    print(f"  R-precision {at_r:.3f}  all rows in one ranking {pooled:.3f}")

# %%
# Wins and losses
# ---------------
#
# ``score_by_query`` returns the scores of each engine under the ids of the queries.
# Each query is a bar, and bars are sorted. Above zero, the new engine has the higher
# average precision, below zero the old one. The dashed line is the difference of the
# two means.


def draw_differences(old, new, ax):
    """Draw the difference of each query, the largest gain first."""
    difference = np.sort([new[query] - old[query] for query in old])[::-1]
    place = np.arange(difference.size)
    for name, colour, wins in (
        ("10 components: better", "C1", difference > 0),
        ("64 pixels: better", "C0", difference < 0),
    ):
        label = f"{name} for {wins.sum()} queries"
        ax.bar(
            place[wins], difference[wins], width=1, color=colour, label=label
        )
    mean = difference.mean()
    label = f"mean difference {mean:+.3f}"
    ax.axhline(mean, color="k", linestyle="--", linewidth=1, label=label)
    ax.legend(loc="upper right")


by_query = {
    name: score_by_query(
        average_precision_score, labels, y_score, query_id=query_id
    )
    for name, y_score in scores.items()
}
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
draw_differences(*by_query.values(), ax)
ax.set(xlabel="Queries", ylabel="Difference in average precision")
plt.show()

# %%
# The largest losses
# ------------------

old, new = by_query.values()
for query in sorted(old, key=lambda query: new[query] - old[query])[:5]:
    print(f"{query:15}  {old[query]:.3f} -> {new[query]:.3f}")

# %%
# Could it be chance?
# -------------------
#
# If the engines are equally good, each difference is as likely to have the other sign.
# So the signs are drawn at random 1,999 times. The p-value shows how often the mean
# difference is as large as the one that was found.

old, new = (np.array(list(values.values())) for values in by_query.values())
test = permutation_test(
    (new, old),
    lambda new, old, axis: np.mean(new - old, axis=axis),
    permutation_type="samples",
    n_resamples=1999,
    random_state=0,
)
print(f"difference {test.statistic:.3f}, p = {test.pvalue:.2g}")

# %%
# The first page
# --------------
#
# Any score that takes ``query_id`` can be drawn. Among the ten results of a first page,
# the old engine is the better one: for most queries the two are equal, and the old
# engine wins most of the others. The new engine is better further down, and average
# precision counts these ranks, too. Choose the score before you compare the engines.

by_query = {
    name: score_by_query(
        precision_at_k_score, labels, y_score, query_id=query_id, k=10
    )
    for name, y_score in scores.items()
}
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
draw_differences(*by_query.values(), ax)
ax.set(xlabel="Queries", ylabel="Difference in precision@10")
plt.show()
