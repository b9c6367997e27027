"""A setting for each rule of intervals that a fact turns off: it needs the rule."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from sklearn_ap import ConfidenceInterval, ScoreEstimate
from sklearn_ap._uncertainty.ends import Facts, Negatives, ends_of

from .populations import (
    FAMILIES,
    SHAPES,
    Drawn,
    Population,
    expected_positives,
    normal,
    shifted,
    to_score,
)
from .settings import MACRO, Setting, cut, near_chance, sampled


def of_labels(name: str, n: int, shares: list[float], shift: float) -> Setting:
    """The mean of labels that go together, and so do their scores."""

    def draw(rng: Generator) -> Drawn:
        shape = n, len(shares)
        labels, scores = (
            np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=shape))
            for _ in range(2)
        )
        y_true = (labels > norm.isf(shares)).astype(int)
        return {"y_true": y_true, "y_score": scores + shift * y_true}

    values = [normal(share, shift).average_precision for share in shares]
    return Setting(name, draw, lambda: float(np.mean(values)), options=MACRO)


def of_shape(
    shape: str, n: int, prevalence: float, score: float
) -> tuple[str, int, Population]:
    population = shifted(*SHAPES[shape], prevalence, score)
    return f"{expected_positives(n, prevalence)}, {shape}, AP {score:g}", n, population


class Rule(NamedTuple):
    """A rule of intervals, a setting that needs it, and what turns it off."""

    name: str
    setting: Setting
    off: Callable[[Facts], Facts]


RULES = (
    Rule(
        "bias of a mean",
        of_labels("1,000 rows of 20 labels, macro", 1_000, [0.02] * 20, 1.6),
        lambda facts: facts._replace(mean=facts.mean._replace(known_bias=0.0)),
    ),
    Rule(
        "ends of columns",
        of_labels("300 rows of 3 labels, one rare", 300, [5 / 300, 1 / 3, 1 / 3], 2.5),
        lambda facts: facts._replace(mean=facts.mean._replace(columns=None)),
    ),
    Rule(
        "near chance",
        sampled("60 of 1,500 rows, spread 3", 1_500, to_score(0.05, 0.04, 3.0)),
        lambda facts: facts._replace(share=None, prevalence=None),
    ),
    Rule(
        "missing negatives",
        sampled(
            "60 of 200 rows, t3, AP 0.95, step",
            200,
            shifted(FAMILIES["t3"], 1.0, 0.3, 0.95),
        ),
        lambda facts: facts._replace(negatives=Negatives()),
    ),
    Rule(
        "heavy ones always",
        near_chance(240, 0.35, 0.006, 0.02, "step"),
        lambda facts: facts._replace(
            negatives=facts.negatives._replace(outweighed=1.0)
        ),
    ),
    Rule(
        "step AP at most",
        near_chance(2_000, 0.5, 0.001, 0.05, "interpolated"),
        lambda facts: facts._replace(step=None),
    ),
    Rule(
        "perfect samples",
        sampled("20 of 200 rows, AP .995", 200, to_score(0.995, 0.1)),
        lambda facts: facts._replace(perfect=None),
    ),
    Rule(
        "few hits or misses",
        cut("precision@k", "precision@3 of 750 rows", 750, to_score(0.5, 0.08), 3),
        lambda facts: facts._replace(cut=None),
    ),
)


@contextmanager
def without(rule: Rule) -> Iterator[None]:
    """Turn a rule off."""
    interval = ScoreEstimate._interval

    def changed(estimate: ScoreEstimate, level: float) -> ConfidenceInterval:
        return ConfidenceInterval(*ends_of(rule.off(estimate._known), level))

    ScoreEstimate._interval = changed
    try:
        yield
    finally:
        ScoreEstimate._interval = interval
