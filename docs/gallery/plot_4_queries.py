"""
One ranking per query
=====================

In retrieval, each query has a ranking of its own. Here a query is an image of a digit. Other images are
ranked by their distance to the query, and images of the same digit are relevant. MAP is the mean of average
precision over queries.
"""

# %%
# Two ways to measure distance
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    r_precision_score,
)

X, digit = load_digits(return_X_y=True)
queries, documents = np.arange(100), np.arange(100, digit.size)
relevant = digit[queries][:, None] == digit[documents]
query_id = np.broadcast_to(queries[:, None], relevant.shape).ravel()
spaces = {
    "all 64 pixels": X,
    "two components": PCA(2, random_state=0).fit_transform(X),
}
scores = {
    name: -pairwise_distances(space[queries], space[documents]).ravel()
    for name, space in spaces.items()
}

# %%
# One call for all queries
# ------------------------
#
# ``query_id`` makes each query a ranking. You need no loop, and the rows may come in any order.

for name, score in scores.items():
    mean_ap = average_precision_score(
        relevant.ravel(), score, query_id=query_id
    )
    at_ten = average_precision_at_k_score(
        relevant.ravel(), score, k=10, query_id=query_id
    )
    r_precision = r_precision_score(relevant.ravel(), score, query_id=query_id)
    print(
        f"{name:15}  MAP {mean_ap:.3f}  MAP@10 {at_ten:.3f}  R-precision {r_precision:.3f}"
    )

# %%
# One ranking of all rows answers another question: the distances of different queries then compete.

for name, score in scores.items():
    pooled = average_precision_score(relevant.ravel(), score)
    print(f"{name:15}  pooled AP {pooled:.3f}")

# %%
# The queries behind the mean
# ---------------------------
#
# ``average=None`` gives one value per query, in the order of the sorted ids. :func:`sklearn_ap.score_by_query`
# gives the same values under their ids, and :doc:`/auto_examples/plot_10_engines` compares models with it.

values = {
    name: average_precision_score(
        relevant.ravel(), score, query_id=query_id, average=None
    )
    for name, score in scores.items()
}
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for offset, marker, (name, value) in zip(
    [-0.15, 0.15], ["o", "x"], values.items(), strict=True
):
    ax.plot(digit[queries] + offset, value, marker, alpha=0.6, label=name)
ax.set(
    xlabel="Digit of the query",
    ylabel="Average precision",
    ylim=(0, 1),
    xticks=range(10),
)
ax.legend()
plt.show()
