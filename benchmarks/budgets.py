"""Intervals for the share of an amount that a budget per day finds, and for the
difference between two models, if few rows have most of the amount: `python -m
benchmarks.coverage --only amount`.
"""

from functools import partial

import numpy as np

from sklearn_ap import budget_totals, compare_budgets

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


def totals_of(drawn):
    rows = {name: drawn[name] for name in ("y_true", "query_id", "amount")}
    return [
        budget_totals(y_score=score, k=_REVIEWED, **rows) for score in drawn["models"]
    ]


def draw_days(rng, n_days, share_of_big, big, better):
    """Draw amounts of 1, and replace a share of them by `big`. Without a share, draw
    lognormal amounts. The second model scores positives higher by `better`.
    """
    sizes = 1 + _REVIEWED + rng.negative_binomial(3, 3 / (3 + _ROWS_OF_DAY), n_days)
    day = np.repeat(np.arange(n_days), sizes)
    y_true = (rng.random(day.size) < 0.03).astype(int)
    amount = np.where(rng.random(day.size) < share_of_big, big, 1.0)
    if not share_of_big:
        amount = rng.lognormal(0, big, day.size)
    shared = rng.laplace(size=day.size)
    models = [
        shift * y_true + 0.7 * (shared + rng.laplace(size=day.size))
        for shift in (1.5, 1.5 + better)
    ]
    return {"y_true": y_true, "models": models, "query_id": day, "amount": amount}


def first_share(drawn):
    return totals_of(drawn)[0].share_of_amount


def difference(drawn):
    first, second = totals_of(drawn)
    return compare_budgets(second, first)


def value_of_many(draw, ask, number):
    """Return this number of the answer to very many days."""
    many = draw(np.random.default_rng(2), n_days=_TRUE_DAYS)
    return getattr(ask(many), number)


def of_few_amounts():
    """Yield settings in which a few rows may have most of the amount."""
    for n_days, share, big in lines_of(FEW_AMOUNTS):
        amounts = f"{share:.0%} of {big:g} times" if share else f"of sigma {big:g}"
        draw = partial(
            draw_days, n_days=n_days, share_of_big=share, big=big, better=1.0
        )
        for kind, ask, number in (
            ("share", first_share, "score"),
            ("difference", difference, "difference"),
        ):
            name = f"{kind} of an amount, {n_days} days, {amounts}"
            yield Setting(name, draw, partial(value_of_many, draw, ask, number), ask)
