"""
Choosing K for a rare class
===========================

Zhu proposed average precision to choose the number of neighbours if positives are rare.
Average precision counts how early the positives are found, not how many rows are
labelled correctly. Here the rare class is the digit 8, and the data keep only every
fourth image of it.
"""

# %%
# A rare class
# ------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import (
    StratifiedKFold,
    cross_validate,
    validation_curve,
)
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import PrecisionRecallDisplay, get_scorer

X, digit = load_digits(return_X_y=True)
kept = (digit != 8) | (np.cumsum(digit == 8) % 4 == 0)
X, y = X[kept], digit[kept] == 8
print(f"{y.sum()} positives among {y.size}: {y.mean():.1%}")

# %%
# Accuracy and average precision over K
# -------------------------------------
#
# Few neighbours give few distinct scores: with K = 1 there are two, so the model can
# only answer yes or no. With more neighbours, the scores also rank the rows in between,
# until most neighbours belong to other classes.

neighbours = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
model = KNeighborsClassifier()
curves = {}
for name, scorer in {
    "average precision": get_scorer("average_precision"),
    "accuracy": "accuracy",
}.items():
    _, scores = validation_curve(
        model,
        X,
        y,
        param_name="n_neighbors",
        param_range=neighbours,
        cv=folds,
        scoring=scorer,
    )
    curves[name] = scores.mean(axis=1)
best = {
    name: neighbours[int(np.argmax(values))] for name, values in curves.items()
}
print(best)

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), style in zip(curves.items(), ["o-", "s--"], strict=True):
    ax.plot(
        neighbours, values, style, label=f"{name}, best at K = {best[name]}"
    )
ax.set(xscale="log", xlabel="Neighbours K", ylabel="Mean over five folds")
ax.set_xticks(neighbours, [str(k) for k in neighbours])
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# Accuracy can hardly distinguish the models: a model that never predicts an eight has
# nearly the highest accuracy. Accuracy is highest for K = 1, which only answers yes or
# no. Average precision is highest for K = 8, which ranks the rows:

print(f"never an eight: accuracy {1 - y.mean():.3f}")
for k, place in ((1, 0), (8, 4)):
    ap, accuracy = (values[place] for values in curves.values())
    print(f"K = {k}: accuracy {accuracy:.3f}, average precision {ap:.3f}")

# %%
# The folds behind the mean
# -------------------------
#
# The display draws one curve per fold. The legend shows the mean of their average
# precisions, and the standard deviation.

model = KNeighborsClassifier(best["average precision"])
results = cross_validate(
    model, X, y, cv=folds, return_estimator=True, return_indices=True
)
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
PrecisionRecallDisplay.from_cv_results(results, X, y, ax=ax)
plt.show()

# %%
# References
# ----------
#
# M. Zhu, "Recall, precision and average precision", Working Paper 2004-09, Department
# of Statistics and Actuarial Science, University of Waterloo, 2004.
