"""
How precise is an average precision?
====================================

Five models look for the handwritten 8 among other digits. The average precision of each
is computed from a test set with 87 eights. How much would it differ on another test
set, and is the best model really better than the second?
"""

# %%
# Five models
# -----------
#
# Half of the digits train the models. All numbers on this page come from the other
# half, 899 digits with 87 eights.

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    PrecisionRecallDisplay,
    average_precision_score,
    compare_many,
    compare_scores,
    estimate_score,
    expected_by_chance,
)

digits = load_digits()
train, test = train_test_split(
    np.arange(digits.target.size),
    test_size=0.5,
    stratify=digits.target,
    random_state=1,
)
is_eight = digits.target == 8
models = {
    "Nearest neighbours": KNeighborsClassifier(9, weights="distance"),
    "Random forest": RandomForestClassifier(100, random_state=0),
    "Logistic regression": LogisticRegression(C=0.01, max_iter=1000),
    "Decision tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "Naive Bayes": GaussianNB(),
}
scores = {}
for name, model in models.items():
    model.fit(digits.data[train], is_eight[train])
    scores[name] = model.predict_proba(digits.data[test])[:, 1]
y_true = is_eight[test]
print(f"{y_true.size} digits, {np.count_nonzero(y_true)} of them eights")

# %%
# The scores with their intervals
# -------------------------------
#
# Each interval shows which average precisions are plausible for *all* digits of this
# kind: 95 of 100 such intervals contain the score of a very large test set. The dashed
# line is the mean score of random rankings.

estimates = [
    estimate_score(average_precision_score, y_true, score)
    for score in scores.values()
]
value = np.array([estimate.score for estimate in estimates])
ends = np.array([estimate.confidence_interval() for estimate in estimates])
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.errorbar(value, list(scores), xerr=abs(ends.T - value), fmt="o", capsize=4)
ax.axvline(expected_by_chance(y_true), color="0.5", linestyle="--")
ax.invert_yaxis()
ax.set_xlabel("Average precision with 95 % intervals")
plt.show()

# %%
# The intervals of the two best models overlap, and yet their difference is
# statistically significant: both were tested on the same digits, and many of these are
# easy or hard for both. So compare models by their difference, not by whether their
# intervals overlap. ``compare_many`` compares all models with the random forest, with
# intervals that contain all differences at once.

best, second = scores["Nearest neighbours"], scores["Random forest"]
print(compare_scores(average_precision_score, y_true, best, second))
print()
print(
    compare_many(
        average_precision_score,
        y_true,
        scores,
        reference="Random forest",
    )
)

# %%
# The intervals assume that the digits were drawn independently. If a few writers wrote
# all of them, pass the writers as ``unit_id``. The intervals do not show how much the
# scores would differ if the models were trained on other digits.
#
# The curve with a band
# ---------------------
#
# ``plot_band=True`` shows the uncertainty of precision at each recall. The band
# contains the true precision at one recall, chosen before looking, with 95 %
# confidence. It does not contain the whole curve with that confidence. On the left, no
# other digit of the sample is ranked as high as the eights. The band shows how many may
# be in the population.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name in ("Logistic regression", "Decision tree"):
    PrecisionRecallDisplay.from_predictions(
        y_true,
        scores[name],
        name=name,
        plot_band=True,
        ax=ax,
    )
plt.show()
