"""
How many positives does an interval need?
=========================================

To know an average precision of 0.5 to plus or minus 0.05 takes 400 to 450 positives, and
an average precision of 0.8 about 200, whether positives are frequent or rare.
"""

# %%
# Half-width against the number of positives
# ------------------------------------------
#
# The lines are what ``sample_size`` says without any data, for normal scores of both
# classes and 5 % positives. Each dot is a simulation: the mean half-width of the 95 %
# intervals of 30 samples.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import average_precision_score, estimate_score, sample_size

prevalence = 0.05
means = {
    0.2: 1.099,
    0.5: 1.907,
    0.8: 2.773,
    0.95: 3.679,
}  # of positives, for each score
wanted = np.geomspace(0.25, 0.005, 12)
rng = np.random.default_rng(0)


def simulated_half_width(mean, n_positives):
    """Return the mean half-width of 30 samples."""
    half_widths = []
    n = int(n_positives / prevalence)
    for _ in range(30):
        y_true = rng.random(n) < prevalence
        y_score = rng.normal(size=n) + mean * y_true
        estimate = estimate_score(average_precision_score, y_true, y_score)
        low, high = estimate.confidence_interval()
        half_widths.append((high - low) / 2)
    return np.mean(half_widths)


fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for score, mean in means.items():
    needed = [
        sample_size(
            average_precision_score,
            score=score,
            prevalence=prevalence,
            half_width=half_width,
        ).n_positives
        for half_width in wanted
    ]
    (line,) = ax.plot(needed, wanted, label=f"AP {score}")
    positives = [50, 100, 200, 400]
    simulated = [simulated_half_width(mean, number) for number in positives]
    ax.plot(positives, simulated, "o", color=line.get_color())
ax.set(
    xscale="log",
    yscale="log",
    xlim=(20, 1000),
    ylim=(0.008, 0.3),
    xlabel="Positives",
    ylabel="Half-width of the 95 % interval",
)
ax.set_xticks(
    [20, 50, 100, 200, 500, 1000], ["20", "50", "100", "200", "500", "1000"]
)
ax.set_yticks(
    [0.01, 0.02, 0.05, 0.1, 0.2], ["0.01", "0.02", "0.05", "0.1", "0.2"]
)
ax.minorticks_off()
ax.legend()
plt.show()

# %% Four times as many positives halve the interval. A score of 0.95 has few errors and
# takes few positives.
#
# The share of positives matters little
# -------------------------------------
#
# The positives decide how precise the estimate is. Where they are rare, it takes more
# rows to find them.

for prevalence in (0.1, 0.01, 0.001):
    print(
        sample_size(
            average_precision_score,
            score=0.5,
            prevalence=prevalence,
            half_width=0.05,
        )
    )

# %%
# A pilot knows the shape of the scores
# -------------------------------------
#
# These scores are not normal: half of the positives are easy, and half are hard. The
# pilot of 40 positives says how many are needed, and how little it knows about that.

y_true = np.repeat([1, 0], [40, 760])
y_score = rng.normal(size=800) + np.repeat([4, 0.5, 0], [20, 20, 760])
print(estimate_score(average_precision_score, y_true, y_score))
print(sample_size(average_precision_score, y_true, y_score, half_width=0.05))

# %%
# Two models
# ----------
#
# The size that distinguishes two models depends on how similar they are. Here the second
# model sees the same rows with some noise.

other_score = y_score + rng.normal(size=800)
print(
    sample_size(
        average_precision_score,
        y_true,
        y_score,
        other_score,
        difference=0.05,
        power=0.8,
    )
)
