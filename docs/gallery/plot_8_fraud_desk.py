"""
A fraud desk with a number of reviews per day
=============================================

A desk reviews 50 of about 2,000 payments per day. Does it review the payments that are
most likely fraud, or those where the most money is at stake? The two rankings catch
different frauds, and different amounts.
"""

# %%
# Ten days of payments
# --------------------
#
# The payments are simulated. Fraud is more likely at night, from abroad and on unusual
# devices. Frauds are as large as other payments: most are small, and a few are very
# large.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from sklearn_ap import (
    HitCurveDisplay,
    budget_totals,
)

rng = np.random.default_rng(2)
n = 20_000
day = rng.integers(1, 11, n)  # ten days of about 2,000 payments
amount = rng.lognormal(4, 1.2, n).round(2)  # in euros; half are below 55
night = rng.random(n) < 0.2
abroad = rng.random(n) < 0.1
device = rng.normal(size=n)  # how unusual the device is
log_odds = -5.5 + 1.5 * night + 1.5 * abroad + 1.5 * device
fraud = rng.random(n) < 1 / (1 + np.exp(-log_odds))
X = np.column_stack([night, abroad, device])
euros = amount[fraud].sum()
print(f"{fraud.sum()} frauds of {euros:,.0f} euros among {n} payments")

# %%
# Two ways to rank the same payments
# ----------------------------------
#
# A model learns from the first five days. One ranking is by its probability, the other
# by expected loss: probability times amount.

past, now = day <= 5, day > 5
model = LogisticRegression().fit(X[past], fraud[past])
probability = model.predict_proba(X[now])[:, 1]
fraud, amount, day = fraud[now], amount[now], day[now]
scores = {"probability": probability, "expected loss": probability * amount}

# %%
# The money that one day of reviews catches
# -----------------------------------------
#
# With the amounts as weights, ``y_axis="weight"`` shows euros. The x axis still counts
# rows, because a review of a large payment takes as long as a review of a small one;
# only a payment of 0 euros would be left out.
# ``max_k`` cuts the picture where no budget reaches: without it, 50 of 2,000 rows would
# be a sliver at the left edge. The perfect ranking, in the same unit, finds the largest
# frauds first.

budget = 50
today = day == 6
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(
        fraud[today],
        score[today],
        sample_weight=amount[today],
        name=name,
        x_axis="rows",
        y_axis="weight",
        max_k=200,
        k=budget,
        ax=ax,
    )
ax.set(xlabel="Payments reviewed on day 6", ylabel="Fraud caught, in euros")
plt.show()

# %%
# The frauds that the same reviews catch
# --------------------------------------
#
# Without weights, ``y_axis="weight"`` counts frauds. Here, ranking by probability is
# ahead.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(
        fraud[today],
        score[today],
        name=name,
        x_axis="rows",
        y_axis="weight",
        max_k=200,
        k=budget,
        ax=ax,
    )
ax.set(xlabel="Payments reviewed on day 6", ylabel="Frauds caught")
plt.show()

# %%
# A budget as a share
# -------------------
#
# Next year has more payments, and reviewers are hired in proportion. A float counts a
# share of the rows, for ``k`` as for ``max_k``: 0.025 is 2.5 % of the payments of all
# five days.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for name, score in scores.items():
    HitCurveDisplay.from_predictions(
        fraud,
        score,
        sample_weight=amount,
        name=name,
        max_k=0.1,
        k=0.025,
        ax=ax,
    )
ax.set(xlabel="Share of payments reviewed", ylabel="Share of the fraud amount")
plt.show()

# %%
# The numbers, day by day
# -----------------------
#
# A desk has 50 reviews on each day, not 250 in five days. ``budget_totals`` adds up what
# the first 50 of each day find. A mean of daily shares,
# ``recall_at_k_score(query_id=day)``, would be another number. To tune a model
# for a budget, pass ``get_scorer("recall@50")``, or ``get_scorer("recall@0.025")`` for
# a share of each fold: :doc:`/model_selection`.

for name, score in scores.items():
    totals = budget_totals(fraud, score, k=budget, query_id=day, amount=amount)
    print(f"{name}: {totals}")
    print(f"    frauds: {totals.share_of_positives}")
    print(f"    amount: {totals.share_of_amount}")
