"""Intervals for the share of an amount that a budget per day finds, if few rows have
most of the amount: `python -m benchmarks.coverage --only amount`.
"""

from functools import partial

import numpy as np

from sklearn_ap import budget_totals

from .settings import Setting
from .tables import lines_of

_ROWS_OF_DAY, _REVIEWED = 100, 5
# The shares of so many days are those of the population.
_TRUE_DAYS = 20_000
# Days, the share of rows with a large amount, and this amount. If the share is 0,
# amounts are lognormal with this standard deviation of their logarithm.
FEW_AMOUNTS = """
 30  .05  100.
 60  .05  100.
 60  .01  100.
250  .02  300.
 60  .0     1.
 60  .0     2.
"""


def draw_days(rng, n_days, share_of_big, big):
    """Draw amounts of 1, and replace a share of them by `big`. Without a share, draw
    lognormal amounts.
    """
    sizes = 1 + _REVIEWED + rng.negative_binomial(3, 3 / (3 + _ROWS_OF_DAY), n_days)
    day = np.repeat(np.arange(n_days), sizes)
    y_true = (rng.random(day.size) < 0.03).astype(int)
    amount = np.where(rng.random(day.size) < share_of_big, big, 1.0)
    if not share_of_big:
        amount = rng.lognormal(0, big, day.size)
    noise = rng.laplace(size=day.size) + rng.laplace(size=day.size)
    y_score = 1.5 * y_true + 0.7 * noise
    return {"y_true": y_true, "y_score": y_score, "query_id": day, "amount": amount}


def share_of_amount(drawn):
    return budget_totals(**drawn, k=_REVIEWED).share_of_amount


def share_of_many(draw):
    """Return the share of the amount that is found in very many days."""
    many = draw(np.random.default_rng(2), n_days=_TRUE_DAYS)
    return share_of_amount(many).score


def of_few_amounts():
    """Yield settings in which a few rows may have most of the amount."""
    for n_days, share, big in lines_of(FEW_AMOUNTS):
        amounts = f"{share:.0%} of {big:g} times" if share else f"of sigma {big:g}"
        draw = partial(draw_days, n_days=n_days, share_of_big=share, big=big)
        name = f"share of an amount, {n_days} days, {amounts}"
        yield Setting(name, draw, partial(share_of_many, draw), share_of_amount)
