"""A setting for each rule of intervals, in which the rule is needed.

Without its rule, intervals cover less than `covers`, or are longer than `width` on
average.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap
from sklearn_ap import ScoreEstimate
from sklearn_ap._uncertainty.ends import Ends, ends_of

from .drawn_settings import FAMILIES, SHAPES, shifted
from .populations import Population, normal, to_score
from .settings import MACRO, RESAMPLED, Setting, cut, draw_alike, near_chance, sampled


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


def of_a_rare_label() -> Setting:
    shares, shifts = np.array([5, 100, 100]) / 300, np.full(3, 2.5)
    draw = partial(draw_alike, n=300, shares=shares, shifts=shifts)
    values = [normal(share, 2.5).average_precision for share in shares]
    return Setting(
        "300 rows of 3 labels, one rare", draw, lambda: float(np.mean(values)), **MACRO
    )


NEEDS = {
    "positives": Need(sampled("6 of 30 rows", 30, to_score(0.5, 0.2)), covers=0.95),
    "few decisive rows": Need(family("t2", 300, 0.3, 0.95)),
    "heavy negatives": Need(near_chance(600, 0.5, 0.002, 0.01, "step")),
    "high scores": Need(family("t3", 400, 0.5, 0.983), width=0.1),
    "noise of the envelope": Need(
        sampled(*of_shape("narrow", 900, 0.34, 0.62), "interpolated")
    ),
    "bias of a mean": Need(of_twenty_labels()),
    "ends of columns": Need(of_a_rare_label()),
    "near chance": Need(
        sampled("60 of 1,500 rows, spread 3", 1_500, to_score(0.05, 0.04, 3.0))
    ),
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

# Facts that turn a rule off. Other degrees of freedom, and parts of a missing negative,
# have no such fact.
OFF: dict[str, dict[str, Any]] = {
    "noise of the envelope": {"rise": 0.0},
    "bias of a mean": {"known_bias": 0.0},
    "ends of columns": {"columns": None},
    "heavy negatives": {"df_of_negatives": np.inf},
    "near chance": {"share": np.nan, "prevalence": None},
    "missing negatives": {"loss": 0.0},
    "heavy ones always": {"outweighed": 1.0},
    "step average precision": {"floor": None},
    "perfect samples": {"perfect": ()},
    "areas up to a cut": {"bias": np.nan},
    "best precisions": {"bias": np.nan},
    "levels": {"floor": None},
    "recall at a precision": {"at_precision": None},
    "few hits or misses": {"divisor": np.nan},
}


@contextmanager
def without(name: str) -> Iterator[None]:
    """Turn a rule off."""
    ends = ScoreEstimate._ends

    def changed(estimate: ScoreEstimate, level: float) -> Ends:
        return ends_of(estimate._known._replace(level=level, **OFF[name]))

    ScoreEstimate._ends = changed
    try:
        yield
    finally:
        ScoreEstimate._ends = ends
