"""
A detector that misses objects
==============================

A detector returns boxes, each with a score. An object that it never found has no box,
so the data have no row for it. If recall counts only the objects that have a box, a
detector that returns few boxes looks good. Pass the number of all objects as
``n_positives``.
"""

# %%
# Boxes of a detector
# -------------------
#
# The objects are simulated. Some can be seen more clearly than others, and an object
# below a limit gets no box. False boxes lie on the background. A box is matched if it
# covers an object that no better box covers.

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    PrecisionRecallDisplay,
    average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    score_by_query,
)

rng = np.random.default_rng(0)
n_objects = {"car": 240, "cyclist": 100, "tram": 10}
kind = np.repeat(list(n_objects), list(n_objects.values()))
clearness = rng.normal(np.repeat([1.5, 0.5, -4.0], list(n_objects.values())))
has_box = clearness > 0
false_kind = rng.choice(["car", "cyclist"], 160)
category = np.concatenate([kind[has_box], false_kind])
matched = np.arange(category.size) < has_box.sum()
score = np.where(matched, 1.0, -0.5) + rng.normal(size=category.size)
total = sum(n_objects.values())
print(f"{matched.sum()} of {total} objects found, {(~matched).sum()} false")

# %%
# Fewer boxes do not make a better detector
# -----------------------------------------
#
# The cautious detector is the same one, but it returns only its best boxes. Without the
# total, it seems better, because recall ignores the objects whose boxes it dropped.
# With the total, these objects count as missed.

sure = score > 0.75
detectors = {
    "all boxes": (matched, score),
    "cautious": (matched[sure], score[sure]),
}
for name, (y_true, y_score) in detectors.items():
    without = average_precision_score(y_true, y_score)
    with_total = average_precision_score(y_true, y_score, n_positives=total)
    voc = interpolated_average_precision_score(
        y_true, y_score, n_positives=total
    )
    print(f"{name:10} AP of the boxes {without:.3f}", end="")
    print(f"  of all objects {with_total:.3f}  interpolated {voc:.3f}")

# %%
# The same in pictures
# --------------------
#
# On the left, both curves reach a recall of 1. On the right, they end at the share of
# objects that was found, and the area beyond counts as 0. Both curves follow the same
# line, since the boxes and their order are the same. The cautious detector only stops
# earlier.

fig, axes = plt.subplots(
    1, 2, figsize=(10, 4.5), layout="constrained", sharey=True
)
for ax, n_positives in zip(axes, [None, total], strict=True):
    for name, (y_true, y_score) in detectors.items():
        PrecisionRecallDisplay.from_predictions(
            y_true, y_score, n_positives=n_positives, name=name, ax=ax
        )
axes[0].set_title("Recall among the objects with a box")
axes[1].set_title("Recall among all objects")
plt.show()

# %%
# Objects found, box by box
# -------------------------
#
# :func:`~sklearn_ap.hit_curve` counts the missed objects as samples at the end of the
# ranking, so its curve stops where the boxes do. The gap to the perfect ranking at that
# point is the share of missed objects, which no better order of the boxes can reduce.

share, hits, _ = hit_curve(matched, score, n_positives=total)
share_of_objects = hits[-1] + 1 - share[-1]
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.plot(share, hits / share_of_objects, label="All boxes")
ax.plot([0, share_of_objects, 1], [0, 1, 1], "0.5", label="Perfect ranking")
ax.set(
    xlabel="Share of boxes and missed objects", ylabel="Share of objects found"
)
ax.legend()
plt.show()

# %%
# One value per category
# ----------------------
#
# With the category as ``query_id``, the mean over queries is the mAP of detection. The
# totals are a mapping. No tram has a box, but the mapping names trams, so they count
# and score 0.

by_category = score_by_query(
    interpolated_average_precision_score,
    matched,
    score,
    query_id=category,
    n_positives=n_objects,
)
for name, value in by_category.items():
    print(f"{name:8} {value:.3f}")
print(f"mAP      {np.mean(list(by_category.values())):.3f}")
