"""
The family of average precisions
================================

One ranking has one precision-recall curve, and several areas are called its average
precision. This is the picture of the front page: ten samples, with positives at ranks
1, 3, 4, 7 and 10.
"""

# %%
# All of them at once
# -------------------
#
# ``area`` chooses what :class:`~sklearn_ap.PrecisionRecallDisplay` draws. Displays on
# the same axes show steps, the envelope of the best precision at each recall or beyond,
# eleven dots on this envelope, straight lines, and the bent lines of Davis and
# Goadrich. Step AP is the sum of the bars below the steps.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import PrecisionRecallDisplay

y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
y_score = [0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
styles = {
    "step": {"ls": "none"},
    "interpolated": {"color": "#0072B2", "ls": "-", "lw": 2.4},
    "davis-goadrich": {"color": "#009E73", "ls": ":", "lw": 2.2},
    "linear": {"color": "#D55E00", "ls": "--", "lw": 1.5},
    "eleven-point": {"color": "black", "ls": "none", "marker": "o"},
}
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for area, style in styles.items():
    display = PrecisionRecallDisplay.from_predictions(
        y_true, y_score, area=area, curve_kwargs=style, ax=ax
    )
    artist = display.line_
    if area == "step":
        artist.set_label("_bars")
        width = -np.diff(display.recall)
        left, height = display.recall[1:], display.precision[:-1]
        look = {"align": "edge", "color": "#B0DAF3", "edgecolor": "w"}
        artist = ax.bar(left, height, width, **look)
    artist.set_label(f"{area}: {display.average_precision:.3f}")
ax.set(ylim=(0, 1.04))
ax.legend(loc="lower left", framealpha=0.9)
plt.show()

# %%
# One at a time
# -------------
#
# The legend names the area and its value. The random level is the share of positives.

fig, axes = plt.subplots(3, 2, figsize=(10, 14), layout="constrained")
for ax, area in zip(axes.flat, styles, strict=False):
    PrecisionRecallDisplay.from_predictions(
        y_true, y_score, area=area, plot_chance_level=True, ax=ax
    )
axes[2, 1].remove()
plt.show()

# %%
# :doc:`/which_ap` computes all of them by hand.
