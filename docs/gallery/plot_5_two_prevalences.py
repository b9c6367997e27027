"""
The same model at two prevalences
=================================

A model is tested where half of the cases are positive, and used where one case in fifty
is positive. Which average precision should its users expect?
"""

# %%
# One ranking, two curves
# -----------------------
#
# In this study, more than a third of the tumours are malignant. Weights show the same
# ranking where one tumour in fifty is malignant: each benign tumour stands for many.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import PrecisionRecallDisplay, average_precision_score

data = load_breast_cancer()
y = data.target == 0  # malignant
names = list(data.feature_names)
model = make_pipeline(StandardScaler(), LogisticRegression())
features = {
    "two features": ["mean texture", "mean area"],
    "one more": ["mean texture", "mean area", "mean concavity"],
}
scores = {
    name: cross_val_predict(
        model,
        data.data[:, [names.index(f) for f in used]],
        y,
        method="decision_function",
    )
    for name, used in features.items()
}

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for prevalence, style in ((0.5, "-"), (0.02, "--")):
    odds = (1 - prevalence) / prevalence
    weight = np.where(y, 1.0, odds * y.sum() / (~y).sum())
    PrecisionRecallDisplay.from_predictions(
        y,
        scores["two features"],
        sample_weight=weight,
        name=f"prevalence {prevalence}",
        curve_kwargs={"linestyle": style},
        ax=ax,
    )
ax.legend(loc="lower left")
plt.show()

# %%
# The argument `prevalence` computes the average precision of both curves without
# weights:

for prevalence in (None, 0.5, 0.02):
    value = average_precision_score(
        y, scores["two features"], prevalence=prevalence
    )
    print(f"{prevalence!s:>5}  {value:.3f}")

# %%
# Two models at every prevalence
# ------------------------------
#
# In the study, the model with one more feature is better. Where positives are rare, it
# is worse, because it ranks some negatives at the top. Random scores have an average
# precision of about the prevalence.

shares = np.logspace(-3, np.log10(0.9), 40)
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, score), style in zip(scores.items(), ["-", "--"], strict=True):
    values = [average_precision_score(y, score, prevalence=p) for p in shares]
    ax.plot(shares, values, style, label=name)
ax.plot(shares, shares, "k:", label="random scores")
ax.axvline(y.mean(), color="0.8", zorder=0)
ax.annotate("the data", (0.9 * y.mean(), 0.5), ha="right")
ax.set(
    xscale="log",
    xlabel="Prevalence",
    ylabel="Average precision",
    ylim=(0, 1.02),
)
ax.legend()
plt.show()

# %%
# These numbers are valid if malignant tumours look alike in both places, and benign
# ones too: see :doc:`/which_ap`. At the left end, a few benign tumours with high
# scores decide the values, so another sample would give other lines.
