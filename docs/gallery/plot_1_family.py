"""
The family of average precisions
================================

One ranking has one precision-recall curve, and several areas are called its average precision. This is the
picture of the front page: ten samples, with positives at ranks 1, 3, 4, 7 and 10.
"""

# %%
# All of them at once
# -------------------
#
# The picture shows steps, the envelope of the best precision at each recall or beyond, eleven dots on this
# envelope, straight lines, and the bent lines of Davis and Goadrich.

import matplotlib.pyplot as plt

from sklearn_ap import (
    AveragePrecisionComparisonDisplay,
    AveragePrecisionDisplay,
)

y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
AveragePrecisionComparisonDisplay.from_predictions(y_true, y_score, ax=ax)
plt.show()

# %%
# One at a time
# -------------
#
# ``area`` chooses what :class:`~sklearn_ap.AveragePrecisionDisplay` draws, and the legend says which area
# its number is. The random level is the share of positives.

areas = ["step", "interpolated", "eleven-point", "linear", "davis-goadrich"]
fig, axes = plt.subplots(3, 2, figsize=(10, 14), layout="constrained")
for ax, area in zip(axes.flat, areas, strict=False):
    AveragePrecisionDisplay.from_predictions(
        y_true, y_score, area=area, plot_chance_level=True, ax=ax
    )
axes[2, 1].remove()
plt.show()

# %%
# :doc:`/choose` computes all of them by hand.
