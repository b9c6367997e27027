"""
Ties at the cut
===============

Five neighbours give six distinct scores, so most cuts fall among equal scores. AP@k
then depends on the order of these equal scores.
"""

# %%
# From the worst order to the best
# --------------------------------
#
# The lower edge of the band has positives last among equal scores, and the upper edge
# has them first. The mean over all orders lies in the band. The proportional value, the
# default, treats equal scores as one threshold. Once k reaches the number of rows,
# beyond this picture, the proportional value is step AP.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import average_precision_at_k_score

X, digit = load_digits(return_X_y=True)
# The upper three rows of pixels, so that the task is hard.
X, y = X[:400, :24], digit[:400] == 8
score = cross_val_predict(
    KNeighborsClassifier(5), X, y, method="predict_proba"
)[:, 1]
print(f"{y.sum()} positives among {y.size}")
for value, rows in zip(*np.unique(score, return_counts=True), strict=True):
    print(
        f"score {value:.1f}: {rows} rows, {y[score == value].sum()} positive"
    )


def draw_ties(ax, y_true, y_score, max_k):
    """Draw AP@k of each order of equal scores."""
    k = np.arange(1, max_k + 1)
    at_k = {
        ties: [
            average_precision_at_k_score(y_true, y_score, k=cut, ties=ties)
            for cut in k
        ]
        for ties in ("pessimistic", "optimistic", "expected", "proportional")
    }
    band = at_k["pessimistic"], at_k["optimistic"]
    ax.fill_between(k, *band, color="0.86", label="Worst to best order")
    ax.plot(k, at_k["expected"], "-", label="Expected (mean over orders)")
    ax.plot(k, at_k["proportional"], "--", label="Proportional")
    ax.set(xlabel="Number of rows, k", ylabel="Average precision at k")
    ax.legend()


fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
draw_ties(ax, y, score, max_k=60)
plt.show()

# %%
# The numbers at one cut
# ----------------------

for ties in ("pessimistic", "expected", "proportional", "optimistic"):
    value = average_precision_at_k_score(y, score, k=10, ties=ties)
    print(f"{ties:12}  {value:.3f}")

# %%
# Outside the band
# ----------------
#
# The proportional value is not a mean over orders: a tied group counts as a whole, even
# at its first rows. With two negatives above four equal positives, the proportional
# value is above the value of every order.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
draw_ties(ax, [0, 0, 1, 1, 1, 1], [3, 2, 1, 1, 1, 1], max_k=6)
plt.show()

# %%
# Neighbours weighted by distance
# -------------------------------
#
# Distances break all ties that matter among the first 60 rows, so the order of equal
# scores no longer changes the value:

score = cross_val_predict(
    KNeighborsClassifier(25, weights="distance"), X, y, method="predict_proba"
)[:, 1]
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
draw_ties(ax, y, score, max_k=60)
plt.show()

# %%
# :doc:`/which_ap` has the definitions.
