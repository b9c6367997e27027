"""More settings of the coverage tables: where intervals failed, and fresh ones that chose no constant."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import expon, norm

import sklearn_ap
from sklearn_ap._displays._bands import Resampling, precision_band
from sklearn_ap._displays._input import RankedRows

from .populations import Population, normal
from .settings import (
    RESAMPLES,
    SHARES,
    SHIFTS,
    SLOW,
    Drawn,
    Setting,
    at_prevalence,
    draw_matrix,
    in_clusters,
    paired,
    sampled,
    thinned,
    to_score,
    weighted,
)

__all__ = ["SETTINGS"]

WHOLE_RESAMPLES = 999
GRID = {"score": sklearn_ap.eleven_point_average_precision_score, "at_most": SLOW}


Ends = Callable[[RankedRows, Resampling], tuple[float, float]]


@dataclass(frozen=True)
class BandSetting(Setting):
    """A place of a curve, with the ends of its band there."""

    ends: Ends | None = None

    def ask(self, drawn: Drawn, rng: Generator) -> Any:
        assert self.ends is not None, self
        return BandAt(RankedRows(drawn["y_true"], drawn["y_score"], None), self.ends, rng)


@dataclass(frozen=True)
class BandAt:
    rows: RankedRows
    ends: Ends
    rng: Generator

    def confidence_interval(self, level: float) -> tuple[float, float]:
        return self.ends(self.rows, Resampling(level, RESAMPLES, self.rng))


def ends_at_recall(recall: int, rows: RankedRows, asked: Resampling) -> tuple[float, float]:
    """Return the ends of precision at a recall in percent."""
    _, low, high, _ = precision_band(rows, "step", asked)
    return low[recall], high[recall]


def precision_at(recall: int, y_true: np.ndarray, y_score: np.ndarray) -> float:
    """Return the precision at the first threshold of this recall in percent."""
    order = np.argsort(-y_score)
    tp = np.cumsum(y_true[order])
    return float((tp / np.arange(1, tp.size + 1))[np.searchsorted(tp, recall / 100 * tp[-1])])


def band(name: str, n: int, population: Population, recall: int) -> Setting:
    ((_, scores),) = population.positives
    return BandSetting(
        f"{name}, band at recall {recall / 100:g}",
        lambda rng: population.draw(rng, n),
        lambda: float(population.precision(scores.isf(recall / 100))),
        partial(precision_at, recall),
        at_most=SLOW // 2,
        ends=partial(ends_at_recall, recall),
    )


@dataclass(frozen=True)
class WholeBandSetting(Setting):
    """A whole curve: its band misses it if it misses the precision at one of the recalls .01 to .99."""

    truth: Callable[[], np.ndarray] | None = None
    simultaneous: bool = False

    def ask(self, drawn: Drawn, rng: Generator) -> Any:
        assert self.truth is not None, self
        rows = RankedRows(drawn["y_true"], drawn["y_score"], None)
        return WholeBand(rows, self.truth(), rng, self.simultaneous)


@dataclass(frozen=True)
class WholeBand:
    rows: RankedRows
    truth: np.ndarray
    rng: Generator
    simultaneous: bool

    def confidence_interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the largest miss, between which 0 lies if the band contains the curve."""
        asked = Resampling(level, WHOLE_RESAMPLES, self.rng, None, self.simultaneous)
        _, low, high, _ = precision_band(self.rows, "step", asked)
        return float((low[1:-1] - self.truth).max()), float((high[1:-1] - self.truth).min())


def whole_band(name: str, n: int, population: Population, *, simultaneous: bool) -> Setting:
    ((_, scores),) = population.positives
    kind = "simultaneous" if simultaneous else "pointwise"
    return WholeBandSetting(
        f"{name}, whole curve, {kind} band",
        lambda rng: population.draw(rng, n),
        lambda: 0.0,
        at_most=SLOW // 2,
        truth=lambda: population.precision(scores.isf(np.arange(1, 100) / 100)),
        simultaneous=simultaneous,
    )


def beside_negatives(n_clusters: int, size: int) -> Setting:
    """150 rows, 30 of them positive, and clusters of negatives whose scores have a common part."""
    n, population = 150, to_score(0.6, 0.2)

    def draw(rng: Generator) -> Drawn:
        drawn = population.draw(rng, n)
        noise = rng.normal(size=(n_clusters, size)) + rng.normal(size=(n_clusters, 1))
        y_true = np.append(drawn["y_true"], np.zeros(noise.size, dtype=int))
        unit_id = np.append(np.arange(n), np.repeat(np.arange(n_clusters) + n, size))
        y_score = np.append(drawn["y_score"], noise / np.sqrt(2))
        return {"y_true": y_true, "y_score": y_score, "unit_id": unit_id}

    whole = replace(population, prevalence=0.2 * n / (n + n_clusters * size))
    name = f"30 of 150 rows, clusters of negatives: {n_clusters} of {size}"
    return Setting(name, draw, lambda: whole.average_precision)


def by_day(n_days: int, effect: float) -> Setting:
    """20,000 rows, 1 % of them positive, of so many days, each with an effect on scores."""
    n, population = 20_000, to_score(0.3, 0.01)
    ((_, scores),) = population.positives
    share = effect**2 / (1 + effect**2)

    def draw(rng: Generator) -> Drawn:
        day, y_true = rng.integers(0, n_days, n), (rng.random(n) < population.prevalence).astype(int)
        noise = np.sqrt(share) * rng.normal(size=n_days)[day] + np.sqrt(1 - share) * rng.normal(size=n)
        return {"y_true": y_true, "y_score": scores.mean() * y_true + noise, "unit_id": day}

    name = f"200 of 20,000 rows of {n_days} days, day effect {effect:g}"
    return Setting(name, draw, lambda: population.average_precision)


def nearly_alike(n: int, prevalence: float, share: float) -> Setting:
    """Two models that score all rows alike but for a share of them, where each has noise of its own."""

    def draw(rng: Generator) -> Drawn:
        y_true = (rng.random(n) < prevalence).astype(int)
        common = np.sqrt(0.7) * rng.normal(size=n) + 1.5 * y_true
        own = np.sqrt(0.3) * rng.normal(size=(2, n)) * (rng.random(n) < share)
        return {"y_true": y_true, "y_score_a": common + own[0], "y_score_b": common + own[1]}

    name = f"{n * prevalence:.0f} of {n:,} rows, two models that differ in {share:.0%} of rows"
    return Setting(name, draw, lambda: 0.0, options={"n_resamples": RESAMPLES}, at_most=1_000)


def resampled_pair(*args: Any, **options: Any) -> Setting:
    """Two models whose difference `compare_scores` mostly resamples."""
    return replace(paired(*args, **options), options={"n_resamples": RESAMPLES}, at_most=SLOW)


def draw_alike(rng: Generator, n: int) -> Drawn:
    """Twenty rare labels that go together, and scores that go together."""
    labels, scores = (np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=(n, 20))) for _ in range(2))
    y_true = (labels > norm.isf(0.02)).astype(int)
    return {"y_true": y_true, "y_score": scores + 1.6 * y_true}


def draw_thirty(rng: Generator, n: int) -> Drawn:
    y_true = (rng.random((n, 30)) < 0.04).astype(int)
    return {"y_true": y_true, "y_score": rng.normal(size=(n, 30)) + 1.9 * y_true}


def sizes_far_apart(rng: Generator, n: int) -> np.ndarray:
    return np.minimum(np.ceil(5 * rng.pareto(1.2, n) + 1), 2_000).astype(int)


def lognormal_sizes(sigma: float) -> Callable[[Generator, int], np.ndarray]:
    return lambda rng, n: np.ceil(3 * rng.lognormal(0, sigma, n)).astype(int)


def hard() -> list[Setting]:
    """Where intervals covered less than .93, or still do."""
    tenth, macro = to_score(0.5, 0.1), {"average": "macro"}
    percentile = {"options": {"method": "percentile", "n_resamples": RESAMPLES}, "at_most": SLOW}
    rows = partial(weighted, population=tenth)
    eleven = [normal(*one).eleven_points() for one in zip(SHARES, SHIFTS, strict=True)]
    few = to_score(0.5, 0.05)
    return [
        rows("100 of 1,000 rows, lognormal 1, much higher for high scores", 1_000, sigma=1, correlation=0.9),
        rows("100 of 1,000 rows, lognormal 1.5, higher for high scores", 1_000, sigma=1.5, correlation=0.5),
        rows(
            "100 of 1,000 rows, lognormal 1.5, much higher for high scores", 1_000, sigma=1.5, correlation=0.9
        ),
        rows("50 of 500 rows, lognormal .5, much higher for high scores", 500, sigma=0.5, correlation=0.9),
        sampled("20 of 20,000 rows, AP .05", to_score(0.05, 0.001), 20_000),
        sampled("20 of 20,000 rows, AP .05, by percentiles", to_score(0.05, 0.001), 20_000, **percentile),
        sampled("20 of 20,000 rows, AP .02", to_score(0.02, 0.001), 20_000),
        sampled("40 of 20,000 rows, AP .05", to_score(0.05, 0.002), 20_000),
        Setting(
            "400 rows of 4 labels, macro eleven points",
            partial(draw_matrix, n=400),
            lambda: float(np.mean(eleven)),
            options=macro | {"n_resamples": RESAMPLES},
            **GRID,
        ),
        Setting(
            "1,000 rows of 20 labels of 2 % that go together, macro",
            partial(draw_alike, n=1_000),
            lambda: normal(0.02, 1.6).average_precision,
            options=macro,
        ),
        in_clusters("40 clusters of very unequal size", 40, tenth, sizes_far_apart),
        in_clusters("100 clusters of very unequal size", 100, tenth, sizes_far_apart),
        *(beside_negatives(*sizes) for sizes in ((1, 300), (6, 100), (15, 60))),
        *(by_day(n_days, effect) for n_days in (60, 250) for effect in (0.0, 0.3, 1.0)),
        *(
            in_clusters(
                f"360 clusters of lognormal size, sigma {sigma:g}", 360, tenth, lognormal_sizes(sigma)
            )
            for sigma in (1.0, 1.5, 2.0)
        ),
        at_prevalence("44 of 528 rows, at .034", 528, to_score(0.6, 1 / 12), 0.034),
        at_prevalence("half of 2,000 rows, at .00085", 2_000, to_score(0.95, 0.5), 0.00085),
        resampled_pair("20 of 20,000 rows, .15 - .05", 20_000, 0.001, (0.15, 0.05)),
        resampled_pair("20 of 20,000 rows, .1 - .1", 20_000, 0.001, (0.1, 0.1)),
        resampled_pair(
            "20 of 20,000 rows, .1 - .1, other shape", 20_000, 0.001, (0.1, 0.1), spreads=(1.0, 1.8)
        ),
        resampled_pair("90 of 300 rows, .995 - .98", 300, 0.3, (0.995, 0.98)),
        nearly_alike(1_000, 0.03, 0.02),
        band("30 of 300 rows, AP .98", 300, to_score(0.98, 0.1), 50),
        *(band("15 of 300 rows, AP .5", 300, few, recall) for recall in (5, 50, 95)),
        *(
            whole_band(*of_rows, simultaneous=simultaneous)
            for simultaneous in (False, True)
            for of_rows in (
                ("60 of 600 rows, AP .6", 600, to_score(0.6, 0.1)),
                ("100 of 2,000 rows, AP .7", 2_000, to_score(0.7, 0.05)),
            )
        ),
    ]


def fresh() -> list[Setting]:
    """Settings that chose no constant: shapes, prevalences and shares that no other table has."""
    skewed = Population(0.02, ((1.0, expon(0, 5)),), ((1.0, expon()),))
    stars = to_score(0.5, 0.02, edges=tuple(np.arange(-3, 6, 0.4).tolist()))
    mixed = Population(0.3, ((0.6, norm(3, 1)), (0.4, norm(0.5, 1))))
    return [
        thinned("30 of 400 rows, one negative in 4 kept", 400, to_score(0.3, 0.02), 0.25),
        thinned("100 of 1,095 rows, one negative in 20 kept", 1_095, to_score(0.7, 0.005), 0.05),
        thinned("100 of 400 rows, one negative in 33 kept", 400, to_score(0.3, 0.01), 0.03),
        thinned("25 of 150 rows, one negative in 10 kept", 150, to_score(0.85, 0.02), 0.1),
        thinned("200 of 600 rows, one negative in 100 kept", 600, to_score(0.5, 0.005), 0.01),
        thinned("60 of 650 rows, spread out, one negative in 10 kept", 650, to_score(0.4, 0.01, 1.6), 0.1),
        thinned("60 of 350 rows, narrow, one negative in 10 kept", 350, to_score(0.6, 0.02, 0.7), 0.1),
        thinned("60 of 350 rows, exponential, one negative in 10 kept", 350, skewed, 0.1),
        at_prevalence("half of 300 rows, at .05", 300, to_score(0.9, 0.5), 0.05),
        at_prevalence("120 of 600 rows, at .02", 600, to_score(0.6, 0.2), 0.02),
        at_prevalence("half of 2,000 rows, at .01", 2_000, to_score(0.95, 0.5), 0.01),
        at_prevalence("160 of 400 rows, at .1", 400, to_score(0.85, 0.4), 0.1),
        at_prevalence("500 of 5,000 rows, at .005", 5_000, to_score(0.55, 0.1), 0.005),
        at_prevalence("240 of 800 rows, spread out, at .03", 800, to_score(0.7, 0.3, 1.6), 0.03),
        at_prevalence("180 of 600 rows, easy and hard positives, at .05", 600, mixed, 0.05),
        sampled("15 of 150 rows, AP .2", to_score(0.2, 0.1), 150),
        sampled("12 of 60 rows, AP .9", to_score(0.9, 0.2), 60),
        sampled("30 of 3,000 rows, AP .7", to_score(0.7, 0.01), 3_000),
        sampled("150 of 300 rows, AP .9", to_score(0.9, 0.5), 300),
        sampled("25 of 25,000 rows, AP .4", to_score(0.4, 0.001), 25_000),
        sampled("25 of 500 rows, spread out, AP .5", to_score(0.5, 0.05, 2.0), 500),
        sampled("40 of 2,000 rows, 23 distinct scores", stars, 2_000),
        weighted("80 of 800 rows, lognormal .8", 800, to_score(0.4, 0.1), 0.8, 0.0),
        weighted("150 of 500 rows, lognormal .6, lower for high scores", 500, to_score(0.7, 0.3), 0.6, -0.5),
        in_clusters("50 clusters of 12 rows", 50, to_score(0.7, 0.15), lambda _, n: np.full(n, 12)),
        Setting(
            "600 rows of 30 labels of 4 %, macro",
            partial(draw_thirty, n=600),
            lambda: normal(0.04, 1.9).average_precision,
            options={"average": "macro"},
        ),
        paired("25 of 500 rows, .9 - .8", 500, 0.05, (0.9, 0.8), correlation=0.4),
        resampled_pair(
            "12 of 2,000 rows, .3 - .3, other shape", 2_000, 0.006, (0.3, 0.3), spreads=(1.0, 2.0)
        ),
        resampled_pair("100 of 2,000 rows, .08 - .08", 2_000, 0.05, (0.08, 0.08), correlation=0.5),
    ]


SETTINGS: dict[str, list[Setting]] = {"Where intervals failed": hard(), "Fresh settings": fresh()}
