"""
A budget of reviews
===================

Fraud desks, auditors and clinics share a problem: a model scores every case, but people can review only a
few cases. How much do they catch within this budget, by number or by the amount at stake?

The cases here are tumours. The malignant ones are thinned to make them rare, and the area of a tumour
stands for the amount at stake.
"""

# %%
# Two models of a rare class
# --------------------------
#
# Both models are the same classifier. The first uses two features that cost little to measure, the second
# uses these and two more.

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
# Hits against reviewed rows
# --------------------------
#
# The hit curve shows every budget at once: the x axis has the rows reviewed, the y axis the malignant ones
# among them. The curve of a perfect model climbs until all are found, and that of a random model follows the
# diagonal. The marker is the budget of 40 reviews.

budget = 40
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(y, score, name=name, k=budget, ax=ax)
plt.show()

# %%
# Hits by the amount at stake
# ---------------------------
#
# With the areas as weights, the y axis has the area that is caught. The x axis still has rows, because a
# review of a small tumour takes the same time: the marker of 40 reviews stays at the same place. A perfect
# model would find the largest malignant tumours first, so its curve bends.

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
# Recall is the share of all malignant cases that 40 reviews catch. Precision is the share of reviews that
# find a malignant case. With the areas as weights, recall is the share of the amount, but the budget still
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
# To tune a model for a budget, pass ``get_scorer("recall@40")``, or ``get_scorer("recall@0.1")`` for a tenth
# of each fold: :doc:`/model_selection`.
