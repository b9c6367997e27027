"""A setting for each rule of intervals, in which the rule is needed.

Without its rule, intervals cover less than `covers`, or are longer than `width` on
average.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

import sklearn_ap

from .drawn_settings import FAMILIES, SHAPES, shifted
from .populations import Population, normal, to_score
from .settings import (
    MACRO,
    RESAMPLED,
    Setting,
    cut,
    draw_alike,
    near_chance,
    sampled,
)


class Need(NamedTuple):
    """What a rule keeps: the share of intervals that cover, and their mean width."""

    setting: Setting
    covers: float = 0.93
    width: float = 1.0


def family(
    kind: str, n: int, prevalence: float, score: float, area: str = "step"
) -> Setting:
    population = shifted(FAMILIES[kind], 1.0, prevalence, score)
    name = f"{n * prevalence:.0f} of {n:,} rows, {kind}, AP {score:g}, {area}"
    return sampled(name, n, population, area)


def at_level(kind: str, n: int, level: float) -> Setting:
    """Precision at a recall, or recall at a precision, of a tenth of the rows."""
    population = to_score(0.5, 0.1)
    envelope = population.envelope
    precision, recall = np.quantile(envelope, 1 - level), np.mean(envelope >= level)
    score, value = {
        "recall": (sklearn_ap.precision_at_recall_score, float(precision)),
        "precision": (sklearn_ap.recall_at_precision_score, float(recall)),
    }[kind]
    options = RESAMPLED | {"options": RESAMPLED["options"] | {kind: level}}
    name = f"{n / 10:.0f} of {n} rows, at {kind} {level:g}"
    return sampled(name, n, population, score=score, target=lambda: value, **options)


def of_twenty_labels() -> Setting:
    draw = partial(
        draw_alike, n=1_000, shares=np.full(20, 0.02), shifts=np.full(20, 1.6)
    )
    value = normal(0.02, 1.6).average_precision
    return Setting("1,000 rows of 20 labels, macro", draw, lambda: value, **MACRO)


def of_shape(
    shape: str, n: int, prevalence: float, score: float
) -> tuple[str, int, Population]:
    population = shifted(*SHAPES[shape], prevalence, score)
    return f"{n * prevalence:.0f} of {n} rows, {shape}, AP {score:g}", n, population


NEEDS = {
    "positives": Need(sampled("6 of 30 rows", 30, to_score(0.5, 0.2)), covers=0.95),
    "few decisive rows": Need(family("t2", 300, 0.3, 0.95)),
    "high scores": Need(family("t3", 400, 0.5, 0.983), width=0.1),
    "noise of the envelope": Need(
        sampled(*of_shape("narrow", 900, 0.34, 0.62), "interpolated")
    ),
    "bias of a mean": Need(of_twenty_labels()),
    "missing negatives": Need(family("t3", 200, 0.3, 0.95)),
    "as far as few decide": Need(family("t2", 300, 0.3, 0.9)),
    "heavy ones always": Need(near_chance(240, 0.35, 0.006, 0.02, "step")),
    "step average precision": Need(
        near_chance(2_000, 0.5, 0.001, 0.05, "interpolated")
    ),
    "perfect samples": Need(
        sampled("20 of 200 rows, AP .995", 200, to_score(0.995, 0.1))
    ),
    "areas up to a cut": Need(cut("AP@k", *of_shape("narrow", 245, 0.34, 0.49), 16)),
    "best precisions": Need(at_level("recall", 500, 0.8), covers=0.95),
    "levels": Need(cut("11 points", *of_shape("t2", 472, 0.159, 0.84))),
    "recall at a precision": Need(at_level("precision", 400, 0.9)),
    "few hits or misses": Need(
        cut("precision@k", "precision@3 of 750 rows", 750, to_score(0.5, 0.08), 3)
    ),
}
