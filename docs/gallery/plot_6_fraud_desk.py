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

from sklearn_ap import budget_totals

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
# What a number of reviews per day catches
# ----------------------------------------
#
# :func:`~sklearn_ap.budget_totals` adds up what the first k payments of each day find.
# An amount is not a weight: it says what a row is worth, and does not change the
# ranking. At each of these budgets, ranking by expected loss finds more money, and
# ranking by probability finds more frauds. The grey lines show all money and all
# frauds.

budget = 50
budgets = [1, 2, 5, 10, 20, 30, 40, 50, 75, 100, 150, 200]
totals = {
    name: [
        budget_totals(fraud, score, k=k, query_id=day, amount=amount)
        for k in budgets
    ]
    for name, score in scores.items()
}
fig, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for name, found in totals.items():
    axes[0].plot(budgets, [at_k.amount_found for at_k in found], label=name)
    axes[1].plot(budgets, [at_k.positives_found for at_k in found], label=name)
axes[0].axhline(amount[fraud].sum(), color="0.6", linewidth=1)
axes[1].axhline(fraud.sum(), color="0.6", linewidth=1)
for ax in axes:
    ax.axvline(budget, color="0.6", linestyle=":", linewidth=1)
    ax.set(xlabel="Reviews per day", xlim=0, ylim=0)
    ax.legend(loc="lower right")
axes[0].set(title="Fraud caught, in euros", ylabel="Euros in five days")
axes[1].set(title="Frauds caught", ylabel="Frauds in five days")
plt.show()

# %%
# A budget as a share
# -------------------
#
# If the number of payments grows, and reviewers are hired in proportion, the budget is
# a share of the payments. Pass it as a float: 0.025 is 2.5 % of the rows of each day.

for name, score in scores.items():
    share = budget_totals(fraud, score, k=0.025, query_id=day, amount=amount)
    print(f"{name}: {share}")

# %%
# How sure?
# ---------
#
# The intervals of the shares describe other samples of days. To tune a model for a
# budget, pass ``get_scorer("recall@50")``, or ``get_scorer("recall@0.025")`` for a
# share of each fold: :doc:`/model_selection`.

for name, found in totals.items():
    at_50 = found[budgets.index(budget)]
    print(f"{name}: {at_50}")
    print(f"    frauds: {at_50.share_of_positives}")
    print(f"    amount: {at_50.share_of_amount}")
