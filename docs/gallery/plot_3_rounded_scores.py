"""
Rounded scores
==============

Some scores are stored with few decimals, or come from a model with few distinct values.
Dingwall and Potts asked how this changes average precision. Coarser scores merge
thresholds, and each area reacts in its own way.
"""

# %%
# Rounding to fewer decimals
# --------------------------

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

X, digit = load_digits(return_X_y=True)
y = digit == 8
decision = cross_val_predict(
    LinearDiscriminantAnalysis(), X, y, method="decision_function"
)
# Squeezed, so that rounding has something to merge.
score = 1 / (1 + np.exp(-decision / 8))

areas = {
    "step": average_precision_score,
    "interpolated": interpolated_average_precision_score,
    "linear": partial(pr_auc_score, interpolation="linear"),
}
decimals = [4, 3, 2, 1, 0]
rounded = []  # each from the one before, so that thresholds only merge
for d in decimals:
    score = score.round(d)
    rounded.append(score)
values = {
    name: [area(y, one) for one in rounded] for name, area in areas.items()
}
print("decimals  distinct " + " ".join(f"{name:>12}" for name in areas))
for place, d in enumerate(decimals):
    row = " ".join(f"{values[name][place]:12.4f}" for name in areas)
    print(f"{d:8}  {np.unique(rounded[place]).size:8} {row}")

# %%
# The interpolated area can only fall, because rounding adds no threshold. The linear
# area can also rise: long straight lines make up for much of the order that the model
# has lost.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, value), style in zip(
    values.items(), ["o-", "s--", "^:"], strict=True
):
    ax.plot(range(len(decimals)), value, style, label=name)
ax.set(xlabel="Decimals of the scores", ylabel="Average precision")
ax.set_xticks(range(len(decimals)), [str(d) for d in decimals])
ax.legend()
plt.show()

# %%
# The extreme: constant scores
# ----------------------------
#
# One row in ten is positive. A model that gives every row the same score has an area of
# 0.1 with steps, and of more than a half with straight lines:

labels = np.repeat([1, 0], [10, 90])
for name, area in areas.items():
    print(f"{name:12}  {area(labels, np.zeros(100)):.2f}")

# %%
# References
# ----------
#
# N. Dingwall, C. Potts, "Are you sure about that?! Average precision", Roam Analytics,
# 2016.
