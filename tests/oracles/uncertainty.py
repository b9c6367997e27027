"""Influence of a row on a score by definition: the slope of the score between two
weights of the row, in exact fractions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from oracles import scores as oracle
from oracles.scores import Ranking
from sklearn_ap import (
    UncertaintyWarning,
)
from sklearn_ap._core.rounding import EQUAL
from sklearn_ap._core.scorer_names import package_score
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score_call import read_call
from sklearn_ap._uncertainty.sampling.units import Units

H = Fraction(1, 10**6)
CONFIDENCE_LEVELS = 0.5, 0.8, 0.9, 0.95, 0.99


def assert_test_and_interval_agree(found: Any) -> None:
    """Assert that the interval of confidence level 1 - a excludes 0 if and only if
    p <= a, for one comparison or several. Values of a just above and just below the
    p-value are checked, too.
    """
    pvalue = np.atleast_1d(found.pvalue)
    difference = np.atleast_1d(found.difference)
    risks = [
        *(1 - np.array(CONFIDENCE_LEVELS)),
        *(pvalue * (1 + 1e-6)),
        *(pvalue * (1 - 1e-6)),
    ]
    for confidence_level in {1 - risk for risk in risks if 0 < risk < 1} - {1.0}:
        low, high = map(np.atleast_1d, found.confidence_interval(confidence_level))
        known = ~np.isnan(low + high)
        is_outside = (low > 0) | (high < 0)
        rejects = pvalue <= (1 - confidence_level) * (1 + EQUAL)
        np.testing.assert_array_equal(is_outside[known], rejects[known])
        inside = (low <= difference + 1e-9) & (difference - 1e-9 <= high)
        assert inside[known].all()


# Parameters of tests: variants of samples, of weights and of units; and a filter for
# warnings about few positives.
few = pytest.mark.filterwarnings("ignore:The sample has too few")


@contextmanager
def warns_of(code: str, match: str) -> Iterator[None]:
    """Check that there is a single warning, and that it has this code."""
    with pytest.warns(UncertaintyWarning, match=match) as caught:
        yield
    assert [warning.message.code for warning in caught] == [code]


def n_equal(values: np.ndarray) -> float:
    """Return the effective number of values: (sum x)^2 / sum x^2."""
    return values.sum() ** 2 / (values**2).sum()


def error_of(slopes: np.ndarray) -> float:
    """Return the standard error of a score that has these slopes by its units."""
    return float(np.linalg.norm(slopes))


def differences(
    score: Callable[[np.ndarray], float],
    weight: np.ndarray,
    steps: np.ndarray | None = None,
    h: float = 1e-5,
) -> np.ndarray:
    """Return the slopes of a function of weights, in floats: along each of the steps,
    or by each weight.
    """
    steps = h * (np.eye(weight.size) if steps is None else steps)
    slopes = [score(weight + step) - score(weight - step) for step in steps]
    return np.array(slopes) / (2 * h)


class Pair(NamedTuple):
    """A row that belongs to two units, which may be one."""

    row: oracle.Row
    units: tuple[int, int]
    query: int = 0


def score_of_pairs(
    define: Callable[[Ranking], Fraction | None],
    pairs: Sequence[Pair],
    weights: Mapping[int, Fraction],
    drawn: Sequence[int] = (),
) -> Fraction:
    """Return the mean score over queries if units have these weights.

    A query has the product of the weights of the units in the columns that draw it, and
    a row that of its other units. Either is the weight of one unit if both units are
    one. Weights are divided by their mean, since all samples have as many units. If no
    unit is in both columns, these are two kinds of units, each with its own number.
    """
    kinds = [{*column} for column in zip(*(pair.units for pair in pairs), strict=True)]
    if not kinds[0].isdisjoint(kinds[1]):
        kinds = [kinds[0] | kinds[1]]
    scaled = {}
    for kind in kinds:
        mean = sum(weights[unit] for unit in kind) / len(kind)
        scaled |= {unit: weights[unit] / mean for unit in kind}
    total = sum_of_weights = Fraction(0)
    for query in sorted({pair.query for pair in pairs}):
        own = [pair for pair in pairs if pair.query == query]
        of_query = {own[0].units[column] for column in drawn}
        rows = []
        for pair in own:
            weight = prod(scaled[unit] for unit in {*pair.units} - of_query)
            rows.append(replace(pair.row, weight=pair.row.weight * weight))
        score = define(Ranking(tuple(row for row in rows if row.weight)))
        weight = prod(scaled[unit] for unit in of_query)
        if score is not None and weight:
            total += weight * score
            sum_of_weights += weight
    return total / sum_of_weights


def slopes_of_pairs(
    define: Callable[[Ranking], Fraction | None],
    pairs: Sequence[Pair],
    drawn: Sequence[int] = (),
) -> list[float]:
    """Return the slope of the score of pairs by the weight of each unit."""
    units = sorted({unit for pair in pairs for unit in pair.units})
    equal = dict.fromkeys(units, Fraction(1))
    return [
        float(
            score_of_pairs(define, pairs, equal | {unit: 1 + H}, drawn)
            - score_of_pairs(define, pairs, equal | {unit: 1 - H}, drawn)
        )
        / float(2 * H)
        for unit in units
    ]


def drawn(
    seed: int, n: int, share: float = 0.3, digits: int = 17, shift: float = 0.4
) -> tuple[np.ndarray, np.ndarray]:
    """Return read-only labels and scores of classes that overlap. With few digits,
    scores are tied.
    """
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < share).astype(int)
    y_true[:2] = 1, 0
    y_score = (rng.random(n) + shift * y_true).round(digits)
    return frozen(y_true), frozen(y_score)


def drawn_units(seed: int, n_units: int = 25) -> tuple[np.ndarray, ...]:
    """Return labels, scores, units of 1 to 12 rows, and weights."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(n_units), rng.choice([1, 3, 12], n_units))
    common = rng.normal(size=n_units)[unit]
    y_true = rng.random(unit.size) < 0.3
    y_score = (1.5 * y_true + common + rng.normal(size=unit.size)).round(2)
    return y_true, y_score, unit, rng.lognormal(0, 0.5, unit.size)


def drawn_weights(seed: int, n: int) -> np.ndarray:
    """Return weights that are all different."""
    return frozen(np.random.default_rng(1000 + seed).uniform(0.5, 3, n))


def frozen(values: Any) -> np.ndarray:
    values = np.array(values)
    values.flags.writeable = False
    return values


def bias_of(score: Any, y_true: Any, y_score: Any, **options: Any) -> float:
    """Return the expected score of a sample minus that of the population."""
    function, params = package_score(score, options)
    call = read_call(function, y_true, y_score, params)
    (part,) = sample_of(call, Units()).rankings_mean.parts
    return part.bias


def one_more_event(
    values: np.ndarray, weight: np.ndarray, unit: np.ndarray
) -> Fraction:
    """Return the weight of one more event of rows with these values, from sums over
    pairs of rows of a unit, in exact fractions.
    """
    rows = [
        (Fraction(float(v)), Fraction(float(w)), u)
        for v, w, u in zip(values, weight, unit, strict=True)
    ]
    n = len(rows)
    typical = sum(w * w for _, w, _ in rows) / sum(w for _, w, _ in rows)
    pairs = [(a, b) for a in rows for b in rows if a[2] == b[2]]
    mean = sum(v for v, _, _ in rows) / n
    products = sum((a[0] - mean) * (b[0] - mean) for a, b in pairs)
    # The sum of products if all rows of a unit had the same value, by unit.
    of_units: dict[int, Fraction] = {}
    for a, b in pairs:
        half = ((a[0] - mean) ** 2 + (b[0] - mean) ** 2) / 2
        of_units[a[2]] = of_units.get(a[2], Fraction(0)) + half
    if_alike, share = sum(of_units.values()), Fraction(1)
    if if_alike:
        k = if_alike**2 / sum(x * x for x in of_units.values())
        share = (k * products / if_alike + 1) / (k + 1)
    return typical * share * Fraction(len(pairs), n)


def weight_of_missed(
    y_true: np.ndarray, y_score: np.ndarray, weight: np.ndarray, threshold: float
) -> Fraction:
    """Return the weight of one more missed positive: that of a typical negative below
    the threshold, times the mean weight of positives over that of negatives. If the
    half of the negatives that scores low is more than twice as heavy as the other, both
    means are those above the threshold.
    """
    weights = [Fraction(float(each)) for each in weight]
    rows = [*zip(y_true.tolist(), y_score.tolist(), weights, strict=True)]

    def mean(label: bool, *, above: float = -np.inf, below: float = np.inf) -> Fraction:
        chosen = [w for y, s, w in rows if y == label and above <= s < below]
        return sum(chosen, Fraction(0)) / max(len(chosen), 1)

    scores = sorted(s for y, s, _ in rows if not y)
    middle = scores[(len(scores) - 1) // 2]
    next_one = min((s for s in scores if s > middle), default=np.inf)
    grows = mean(False, below=next_one) > 2 * mean(False, above=next_one) > 0
    above = threshold if grows else -np.inf
    below = [w for y, s, w in rows if not y and s < threshold]
    typical = sum(w * w for w in below) / sum(below)
    return typical * mean(True, above=above) / mean(False, above=above)


def endpoints(
    score: float,
    error: float,
    df: float,
    n_events: float,
    confidence_level: float,
    *,
    bias: float = 0.0,
    alarm: float = 0.0,
) -> tuple[float, float]:
    """Return the endpoints of a score: those of Clopper and Pearson for a share of as
    many rows as have its variance, but not more than `n_events` (Korn and Graubard).
    """
    tail = (1 - confidence_level) / 2
    ratio = stats.t.isf(tail, max(n_events - 1, df)) / stats.t.isf(tail, df)
    of_alarm = min(alarm**2, alarm * (1 - score))
    n_of_low, n = (
        min(n_events, score * (1 - score) / variance if variance else np.inf) * ratio**2
        for variance in (error**2 + of_alarm, error**2)
    )
    low = 0.0
    if score:
        low = stats.beta.ppf(tail, score * n_of_low, (1 - score) * n_of_low + 1)
    high = stats.beta.isf(tail, score * n + 1, (1 - score) * n) if score < 1 else 1.0
    return max(min(float(low), score) - bias, 0.0), max(float(high), score)
