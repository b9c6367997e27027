"""
A budget of reviews
===================

Fraud desks, auditors and clinics share a problem: a model scores every case, but people can look at a few
only. The question is then how much is caught within the budget, by number or by what is at stake.

The cases here are tumours. The malignant ones are thinned to make them rare, and the area of a tumour
stands for the amount at stake.
"""

# %%
# Two models of a rare class
# --------------------------
#
# The same classifier, with two features that cost little to measure and with two more.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import (
    HitCurveDisplay,
    average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)

data = load_breast_cancer()
malignant = data.target == 0
kept = ~malignant | (np.cumsum(malignant) % 4 == 0)
X, y = data.data[kept], malignant[kept]
names = list(data.feature_names)
amount = X[:, names.index("mean area")]
model = make_pipeline(StandardScaler(), LogisticRegression())
features = {
    "texture and symmetry": ["mean texture", "mean symmetry"],
    "smoothness as well": [
        "mean texture",
        "mean symmetry",
        "mean smoothness",
        "worst smoothness",
    ],
}
scores = {
    name: cross_val_predict(
        model,
        X[:, [names.index(f) for f in used]],
        y,
        method="decision_function",
    )
    for name, used in features.items()
}
print(f"{y.sum()} malignant among {y.size}")

# %%
# Hits against rows looked at
# ---------------------------
#
# The hit curve shows every budget at once: rows looked at to the right, malignant ones among them upwards.
# A perfect model climbs until all are found, and a random one follows the diagonal. The marker is the
# budget of 40 reviews.

budget = 40
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(y, score, name=name, k=budget, ax=ax)
plt.show()

# %%
# Hits by what is at stake
# ------------------------
#
# With the areas as weights, the curve counts in area what is caught. To the right there still are rows,
# since a review takes the same time for a small tumour: 40 reviews stand at the same place. A perfect model
# would find the largest malignant tumours first, so its curve bends.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(
        y, score, sample_weight=amount, name=name, k=budget, ax=ax
    )
plt.show()

# %%
# The numbers at the budget
# -------------------------
#
# Recall is the share of all malignant cases that 40 reviews catch, and precision the share of reviews that
# are not in vain. With the areas as weights, recall is the share of the amount, while the budget still
# counts reviews.

print(
    f"{'':20} {'AP':>6} {'precision':>10} {'recall':>7} {'of the amount':>14}"
)
for name, score in scores.items():
    print(
        f"{name:20} {average_precision_score(y, score):6.3f}"
        f" {precision_at_k_score(y, score, k=budget):10.3f}"
        f" {recall_at_k_score(y, score, k=budget):7.3f}"
        f" {recall_at_k_score(y, score, k=budget, sample_weight=amount):14.3f}"
    )

# %%
# To tune for it, pass ``get_scorer("recall@40")``, or ``get_scorer("recall@0.1")`` for a tenth of each
# fold: :doc:`/model_selection`.
