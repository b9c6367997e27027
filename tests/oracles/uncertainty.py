"""What a row does to a score by definition: the slope between two weights, in exact
fractions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from oracles import scores as oracle
from oracles.scores import Ranking
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)
from sklearn_ap._uncertainty.calls import read_call
from sklearn_ap._uncertainty.ends import shift_of
from sklearn_ap._uncertainty.sample import Sample, ranked_sample
from sklearn_ap._uncertainty.standard_errors import sampled_scores

H = Fraction(1, 10**6)


class Area(NamedTuple):
    score: Callable[..., float]
    options: dict[str, Any]
    definition: Callable[[Ranking], Fraction | Decimal | None]
    takes_totals: bool


AREAS = {
    "step": Area(average_precision_score, {}, oracle.step, True),
    "interpolated": Area(
        interpolated_average_precision_score, {}, oracle.interpolated, True
    ),
    "linear": Area(pr_auc_score, {"interpolation": "linear"}, oracle.linear, False),
}


# How tests vary samples, their weights and units, and what few rows warn of.
few = pytest.mark.filterwarnings("ignore:The sample has too few")
each_area = pytest.mark.parametrize("name", AREAS)
each_call = pytest.mark.parametrize(
    ("score", "options"),
    [(area.score, area.options) for area in AREAS.values()],
    ids=list(AREAS),
)
tied = pytest.mark.parametrize("digits", [17, 1], ids=["distinct", "tied"])
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
clustered = pytest.mark.parametrize(
    "clustered", [False, True], ids=["rows", "clusters"]
)


@contextmanager
def warns_of(code: str, match: str) -> Iterator[None]:
    """Expect a single warning, with this code."""
    with pytest.warns(UncertaintyWarning, match=match) as caught:
        yield
    assert [warning.message.code for warning in caught] == [code]


def n_equal(values: np.ndarray) -> float:
    """How many equal values would have this sum and this sum of squares."""
    return values.sum() ** 2 / (values**2).sum()


def of_influences(
    influence: np.ndarray,
    weight: np.ndarray,
    y_true: np.ndarray,
    unit: np.ndarray,
) -> tuple[float, float, float]:
    """Standard error, degrees of freedom and effective positives of what units do."""
    x, held = (np.bincount(unit, weight * values) for values in (influence, y_true))
    n_positives = n_equal(held[held > 0])
    second, fourth = (x**2).sum(), (x**4).sum()
    by_spread = 2 * second**2 / (fourth - second**2 / x.size)
    df = min(n_positives - 1, by_spread)
    return np.sqrt(second), df, n_positives


def heavier(ranking: Ranking, row: int, more: Fraction) -> Ranking:
    """The ranking with one row more heavy; a total of positives grows with them."""
    rows = list(ranking.rows)
    rows[row] = replace(rows[row], weight=rows[row].weight + more)
    total = ranking.total
    if total is not None and rows[row].label:
        total += more
    return Ranking(tuple(rows), total)


def influences(
    definition: Callable[[Ranking], Any], ranking: Ranking, h: Fraction = H
) -> Iterator[float | None]:
    """Slopes of the score, row by row; None at a kink, where both sides differ."""
    here = Fraction(definition(ranking))
    for row in range(len(ranking.rows)):
        above, below = (
            Fraction(definition(heavier(ranking, row, more))) for more in (h, -h)
        )
        right, left = (above - here) / h, (here - below) / h
        yield (
            None if abs(right - left) > Fraction(1, 1000) else float((right + left) / 2)
        )


def differences(
    score: Callable[[np.ndarray], float],
    weight: np.ndarray,
    steps: np.ndarray | None = None,
    h: float = 1e-5,
) -> np.ndarray:
    """Slopes of any score of weights, in floats: along each of the steps, or by each
    weight.
    """
    steps = h * (np.eye(weight.size) if steps is None else steps)
    slopes = [score(weight + step) - score(weight - step) for step in steps]
    return np.array(slopes) / (2 * h)


def drawn(
    seed: int, n: int, share: float = 0.3, digits: int = 17, shift: float = 0.4
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores that overlap, read-only; few digits make equal scores."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < share).astype(int)
    y_true[:2] = 1, 0
    y_score = (rng.random(n) + shift * y_true).round(digits)
    return frozen(y_true), frozen(y_score)


def drawn_matrix(seed: int, n: int, digits: int = 17) -> tuple[np.ndarray, np.ndarray]:
    """Three labels per row, and their scores."""
    columns = [
        drawn(3 * seed + column, n, share, digits)
        for column, share in enumerate((0.2, 0.4, 0.7))
    ]
    return tuple(frozen(np.stack(one, axis=1)) for one in zip(*columns, strict=True))


def drawn_weights(seed: int, n: int) -> np.ndarray:
    """Weights of which no two are equal."""
    return frozen(np.random.default_rng(1000 + seed).uniform(0.5, 3, n))


def frozen(values: Any) -> np.ndarray:
    values = np.array(values)
    values.flags.writeable = False
    return values


def shift(estimate):
    """Return how far below the score the lower end of an interval begins."""
    return shift_of(estimate._known)


def sample_of(
    score: Callable[..., float],
    y_true: Any,
    y_score: Any,
    unit: np.ndarray | None = None,
    **options: Any,
) -> Sample:
    """Return what was drawn, and what each unit does to a score of the package."""
    [sample] = sampled_scores(score, y_true, {"y_score": y_score}, unit, **options)
    return sample


def row_influences(
    score: Callable[..., float], y_true: Any, y_score: Any, **options: Any
) -> np.ndarray:
    """Return what each row does to a score of the package, per weight."""
    sample = ranked_sample(read_call(score, y_true, y_score, options), None, 0)
    weight = options.get("sample_weight")
    return sample.influences.of_units / (1.0 if weight is None else weight)
