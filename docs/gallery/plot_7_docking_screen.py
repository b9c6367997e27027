"""
A docking screen with ties and one percent actives
==================================================

A docking program scores 10,000 molecules, and 100 of them are active. A laboratory
tests the best 1 %. How many times more actives does it find than in a random draw, and
how much of that depends on the order of equal scores?
"""

# %%
# Two programs
# ------------
#
# The scores are simulated. Docking scores are energies: the lower, the better. So
# molecules are ranked by the negated score. The first program prints one decimal, so
# many molecules have equal scores. The second prints more decimals.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    HitCurveDisplay,
    average_precision_at_k_score,
    average_precision_score,
    hit_curve,
    precision_at_k_score,
)

rng = np.random.default_rng(2)
active = np.arange(10_000) < 100
energies = {  # in kcal/mol; those of actives are lower
    "one decimal": (rng.normal(-7.0, 0.4, 10_000) - 0.7 * active).round(1),
    "more decimals": rng.normal(-7.0, 0.4, 10_000) - 0.6 * active,
}
for name, energy in energies.items():
    print(f"{name}: {np.unique(energy).size} distinct scores")

# %%
# The enrichment factor
# ---------------------
#
# The enrichment factor is the precision among the tested molecules, divided by the
# share of actives among all molecules. Here it is at most 100. For a random draw, it is
# 1.

for name, energy in energies.items():
    for k in (0.005, 0.01, 0.02):
        precision = precision_at_k_score(active, -energy, k=k)
        print(
            f"{name:14} EF at {k:.1%}: {precision / active.mean():5.1f}"
            f"  (precision {precision:.3f})"
        )

# %%
# :class:`~sklearn_ap.HitCurveDisplay` shows how many actives the best 5 % contain. The
# enrichment factor at every number of molecules follows from the same curve. Beyond the
# 100th molecule (the dotted line), no ranking can keep a factor of 100.

fig, (gain, lift) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for name, energy in energies.items():
    HitCurveDisplay.from_predictions(active, -energy, name=name, ax=gain)
    share, hits, _ = hit_curve(active, -energy)
    lift.plot(share[1:], hits[1:] / share[1:] / hits[-1], label=name)
gain.set(xlim=(0, 0.05))
lift.axvline(0.01, color="0.6", linestyle=":")
lift.set(
    xlabel="Share of samples retrieved, t",
    ylabel="Enrichment factor",
    xlim=(0, 0.05),
)
lift.legend()
plt.show()

# %%
# What the order of equal scores changes
# --------------------------------------
#
# The 100th molecule of the first program is one of many with the same score. Tested in
# another order, the same scores give another enrichment. By default, each tied molecule
# counts by the share of them that is tested. For precision, this is also the mean over
# all orders.

for ties in ("pessimistic", "proportional", "optimistic"):
    precision = precision_at_k_score(
        active, -energies["one decimal"], k=0.01, ties=ties
    )
    print(f"{ties:13} EF at 1.0%: {precision / active.mean():5.1f}")

# %%
# Average precision among the first k rows depends on the order too. The band runs from
# the worst order to the best, up to 1 % of the molecules.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
k = np.arange(1, 101)
worst, best, mean = (
    [
        average_precision_at_k_score(
            active, -energies["one decimal"], k=tested, ties=ties
        )
        for tested in k
    ]
    for ties in ("pessimistic", "optimistic", "expected")
)
ax.fill_between(k, worst, best, color="0.86", label="Worst to best order")
ax.plot(k, mean, label="Expected (mean over orders)")
ax.set(xlabel="Molecules tested", ylabel="Average precision at k")
ax.legend()
plt.show()

# %%
# Other programs may round a share of rows up where this package rounds to the nearest
# number: of 10,050 molecules, 1 % are 101 there and 100 here. A number of rows avoids
# this.
#
# One enrichment factor judges one depth. Average precision judges all of them:

for name, energy in energies.items():
    print(f"{name:14} AP {average_precision_score(active, -energy):.3f}")
