"""The settings of the coverage tables: what is drawn, what is asked, and the value of the population."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import expon, norm

import sklearn_ap
from sklearn_ap import average_precision_score as step
from sklearn_ap._displays._rows import Resampling
from sklearn_ap._reading._read import Checked, read
from sklearn_ap._typing import Input

from .populations import Drawn, Pair, Population, clustered, draw_queries, normal, shift_for, to_score

__all__ = ["HARD", "USUAL", "Setting"]

RESAMPLES = 400  # the fewest that a percentile interval of 95 % takes
BAND_RESAMPLES = 999  # of whole curves
SLOW = 400  # samples of a setting that resamples
RESAMPLED: Drawn = {"options": {"n_resamples": RESAMPLES}, "at_most": SLOW}
PERCENTILE: Drawn = {"options": {"n_resamples": RESAMPLES, "method": "percentile"}, "at_most": SLOW}
MACRO: Drawn = {"options": {"average": "macro"}}
MANY = 400_000  # queries, for the mean over queries of the population
AREAS: dict[str, Drawn] = {
    "step": {},
    "linear": {"score": sklearn_ap.pr_auc_score, "options": {"interpolation": "linear"}},
    "Davis-Goadrich": {"score": sklearn_ap.pr_auc_score, "options": {"interpolation": "davis-goadrich"}},
    "interpolated": {"score": sklearn_ap.interpolated_average_precision_score},
}
CUTS: dict[str, Callable[..., float]] = {
    "precision@k": sklearn_ap.precision_at_k_score,
    "recall@k": sklearn_ap.recall_at_k_score,
    "AP@k": sklearn_ap.average_precision_at_k_score,
    "R-precision": sklearn_ap.r_precision_score,
    "11 points": sklearn_ap.eleven_point_average_precision_score,
}
Intervals = Callable[[float], tuple[float, float]]  # the two ends of a level
Band = Callable[[Checked, Generator, float], tuple[float, float]]  # the same, of a level
Sizes = Callable[[Generator, int], np.ndarray]  # of so many clusters


@dataclass(frozen=True)
class Setting:
    """A way to draw samples, the question that each is asked, and the answer that is right."""

    name: str
    draw: Callable[[Generator], Drawn]
    target: Callable[[], float]
    score: Callable[..., float] = step
    options: Drawn = field(default_factory=dict)
    at_most: int = 10**9  # samples, where each takes long
    band: Band | None = None  # of a curve, instead of a score

    def intervals(self, drawn: Drawn, rng: Generator) -> Intervals:
        if self.band is not None:
            inputs = Input(drawn["y_true"], drawn["y_score"])
            return partial(self.band, read(inputs, caller=self.name, as_curve=True), rng)
        estimate = sklearn_ap.compare_scores if "y_score_a" in drawn else sklearn_ap.estimate_score
        return estimate(self.score, **drawn, **self.options, random_state=rng).confidence_interval


def sampled(name: str, n: int, population: Population, area: str = "step", **options: Any) -> Setting:
    """A sample of `n` rows, and an area."""

    def target() -> float:
        return float(population.envelope.mean()) if area == "interpolated" else population.average_precision

    options = {"target": target, **AREAS[area], **options}
    return Setting(name, lambda rng: population.draw(rng, n), **options)


def weighted(name: str, n: int, population: Population, sigma: float, correlation: float) -> Setting:
    """Weights exp(sigma z), where z has this correlation with the score inside each class.

    Such weights move the mean of a normal distribution by sigma * correlation * spread.
    """
    mean, spread = population.of_positives.mean(), population.of_positives.std()

    def draw(rng: Generator) -> Drawn:
        drawn = population.draw(rng, n)
        of_class = (drawn["y_score"] - mean * drawn["y_true"]) / np.where(drawn["y_true"], spread, 1)
        z = correlation * of_class + np.sqrt(1 - correlation**2) * rng.normal(size=n)
        return drawn | {"sample_weight": np.exp(sigma * z)}

    moved = normal(population.prevalence, mean + sigma * correlation * (spread - 1), spread)
    return Setting(name, draw, lambda: moved.average_precision)


def thinned(name: str, n: int, population: Population, share: float, **options: Any) -> Setting:
    """A sample has only a share of the negatives, and each stands for several: its weight is 1 / share."""
    positives = population.prevalence
    sample = replace(population, prevalence=positives / (positives + (1 - positives) * share))

    def draw(rng: Generator) -> Drawn:
        drawn = sample.draw(rng, n)
        return drawn | {"sample_weight": np.where(drawn["y_true"], 1, 1 / share)}

    return Setting(name, draw, lambda: population.average_precision, **options)


def at_prevalence(name: str, n: int, population: Population, prevalence: float, **options: Any) -> Setting:
    """The score at another prevalence than that of the sample."""
    other = replace(population, prevalence=prevalence)
    options["options"] = {"prevalence": prevalence, **options.get("options", {})}
    return sampled(name, n, population, target=lambda: other.average_precision, **options)


def cut(kind: str, name: str, n: int, population: Population, k: int = 0) -> Setting:
    """A cut ranking or a level, by a bootstrap."""
    prevalence = population.prevalence

    def hits(share: float) -> float:
        return float(population.at_or_above(np.array(population.at_share(share)))[0])

    target = {
        "precision@k": lambda: hits(k / n) / (k / n),
        "recall@k": lambda: hits(k / n) / prevalence,
        "AP@k": lambda: population.average_precision_at(k / n),
        "R-precision": lambda: hits(prevalence) / prevalence,
        "11 points": population.eleven_points,
    }[kind]
    options = RESAMPLED["options"] | ({"k": k} if kind.endswith("@k") else {})
    return sampled(name, n, population, score=CUTS[kind], options=options, target=target, at_most=SLOW)


def in_clusters(name: str, n: int, population: Population, sizes: Sizes) -> Setting:
    def draw(rng: Generator) -> Drawn:
        return clustered(rng, population, sizes(rng, n), effect=0.4, concentration=3.0)

    return Setting(name, draw, lambda: population.average_precision)


def equal(size: int) -> Sizes:
    return lambda _, n: np.full(n, size)


def geometric(mean: float) -> Sizes:
    return lambda rng, n: rng.geometric(1 / mean, n)


def lognormal(sigma: float) -> Sizes:
    return lambda rng, n: np.ceil(3 * rng.lognormal(0, sigma, n)).astype(int)


def far_apart(rng: Generator, n: int) -> np.ndarray:
    return np.minimum(np.ceil(5 * rng.pareto(1.2, n) + 1), 2_000).astype(int)


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
    share, shift = effect**2 / (1 + effect**2), population.of_positives.mean()

    def draw(rng: Generator) -> Drawn:
        day, y_true = rng.integers(0, n_days, n), (rng.random(n) < population.prevalence).astype(int)
        noise = np.sqrt(share) * rng.normal(size=n_days)[day] + np.sqrt(1 - share) * rng.normal(size=n)
        return {"y_true": y_true, "y_score": shift * y_true + noise, "unit_id": day}

    name = f"200 of 20,000 rows of {n_days} days, day effect {effect:g}"
    return Setting(name, draw, lambda: population.average_precision)


def draw_two_of_queries(rng: Generator, n: int) -> Drawn:
    """Queries with a second model, whose scores resemble those of the first, and are better on average."""
    drawn = draw_queries(rng, n)
    query, y_true = drawn["query_id"], drawn["y_true"]
    better = rng.normal(0.2, 0.4, n)[query] * y_true
    other = drawn["y_score"] + better + rng.normal(0, 0.5, query.size)
    return {"y_true": y_true, "y_score_a": drawn.pop("y_score"), "y_score_b": other, "query_id": query}


@cache
def mean_average_precisions() -> np.ndarray:
    """Return the means of both models over very many queries; the standard error is below .0005."""
    drawn = draw_two_of_queries(np.random.default_rng(1), MANY)
    both = (drawn[name] for name in ("y_score_a", "y_score_b"))
    return np.array([step(drawn["y_true"], y_score, query_id=drawn["query_id"]) for y_score in both])


def fixed_classes(n_classes: int, n_images: int, *, missed: float = 0.0, k: float | None = None) -> Setting:
    """Boxes of the same classes in every sample, while images are drawn; boxes of an image are alike.

    Half of the images miss the objects, so these are less independent than they count. With a share `k` of
    the boxes, the score is AP@k.
    """
    population = normal(0.3, 1.5, retrieved_share=1 - missed)

    def draw(rng: Generator) -> Drawn:
        shape = n_images, n_classes
        n_boxes = np.where(rng.random(shape) < 0.25, rng.geometric(0.5, shape), 0).ravel()
        image, kind = (np.repeat(place.ravel(), n_boxes) for place in np.indices(shape))
        y_true = rng.random(image.size) < population.prevalence
        score = np.sqrt(0.4) * rng.normal(size=n_images)[image] + np.sqrt(0.6) * rng.normal(size=image.size)
        found = ~y_true | (rng.random(image.size) >= 2 * missed * (image % 2))
        boxes = {"y_true": y_true, "y_score": score + 1.5 * y_true, "query_id": kind, "unit_id": image}
        drawn = {name: values[found] for name, values in boxes.items()}
        totals = np.bincount(kind, y_true, n_classes).tolist()
        return drawn | ({"n_positives": dict(enumerate(totals))} if missed else {})

    name = f"{n_classes} fixed classes, {n_images} images"
    if k is not None:
        options = {"k": k, "n_resamples": RESAMPLES}
        target = partial(population.average_precision_at, k)
        return Setting(f"{name}, AP@{k:.0%}", draw, target, CUTS["AP@k"], options, SLOW)
    name += f", {missed:.0%} of objects missed" * (missed > 0)
    return Setting(name, draw, lambda: population.average_precision)


def draw_alike(rng: Generator, n: int, shares: np.ndarray, shifts: np.ndarray) -> Drawn:
    """Labels that go together, and scores that go together."""
    shape = n, shares.size
    labels, scores = (np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=shape)) for _ in range(2))
    y_true = (labels > norm.isf(shares)).astype(int)
    return {"y_true": y_true, "y_score": scores + shifts * y_true}


FOUR_SHARES, FOUR_SHIFTS = np.array([0.04, 0.1, 0.2, 0.4]), np.array([2.2, 1.8, 1.4, 1.0])
FOUR_LABELS = partial(draw_alike, n=400, shares=FOUR_SHARES, shifts=FOUR_SHIFTS)
FOUR = list(map(normal, FOUR_SHARES, FOUR_SHIFTS))


def of_four(average: str) -> float:
    if average == "micro":
        parts = zip(FOUR_SHARES / FOUR_SHARES.sum(), (label.of_positives for label in FOUR), strict=True)
        return Population(FOUR_SHARES.mean(), tuple(parts)).average_precision
    weights = FOUR_SHARES if average == "weighted" else None
    return float(np.average([label.average_precision for label in FOUR], weights=weights))


def of_four_at_levels() -> float:
    return float(np.mean([label.eleven_points() for label in FOUR]))


def equal_labels(
    name: str, n: int, n_labels: int, share: float, shift: float, *, alike: bool = False
) -> Setting:
    """Rare labels that go together, or have nothing to do with each other."""

    def draw(rng: Generator) -> Drawn:
        if alike:
            return draw_alike(rng, n, np.full(n_labels, share), np.full(n_labels, shift))
        y_true = (rng.random((n, n_labels)) < share).astype(int)
        return {"y_true": y_true, "y_score": rng.normal(size=(n, n_labels)) + shift * y_true}

    return Setting(name, draw, lambda: normal(share, shift).average_precision, **MACRO)


def paired(name: str, n: int, prevalence: float, scores: tuple[float, float], **options: Any) -> Setting:
    """The difference of two models on the same rows."""
    spreads = options.get("spreads", (1.0, 1.0))
    first, second = (
        shift_for(score, prevalence, spread) for score, spread in zip(scores, spreads, strict=True)
    )
    pair = Pair(prevalence, (first, second), **options)
    return Setting(name, lambda rng: pair.draw(rng, n), lambda: pair.difference)


def resampled_pair(*args: Any, **options: Any) -> Setting:
    """Two models whose difference `compare_scores` mostly resamples."""
    return replace(paired(*args, **options), **RESAMPLED)


def nearly_alike(n: int, prevalence: float, share: float) -> Setting:
    """Two models that score all rows alike but for a share of them, where each has noise of its own."""

    def draw(rng: Generator) -> Drawn:
        y_true = (rng.random(n) < prevalence).astype(int)
        common = np.sqrt(0.7) * rng.normal(size=n) + 1.5 * y_true
        noise = np.sqrt(0.3) * rng.normal(size=(2, n)) * (rng.random(n) < share)
        return {"y_true": y_true, "y_score_a": common + noise[0], "y_score_b": common + noise[1]}

    name = f"{n * prevalence:.0f} of {n:,} rows, two models that differ in {share:.0%} of rows"
    return Setting(name, draw, lambda: 0.0, options=RESAMPLED["options"], at_most=1_000)


def on_curve(name: str, n: int, population: Population, target: float, band: Band) -> Setting:
    return sampled(name, n, population, target=lambda: target, at_most=SLOW // 2, band=band)


def at_recall(name: str, n: int, population: Population, recall: int) -> Setting:
    """The band of a curve at a recall in percent."""

    def ends(rows: Checked, rng: Generator, level: float) -> tuple[float, float]:
        _, low, high, _ = Resampling(True, level, RESAMPLES, rng).precision_band(rows, "step")
        return low[recall], high[recall]

    precision = float(population.precision(population.of_positives.isf(recall / 100)))
    return on_curve(f"{name}, band at recall {recall / 100:g}", n, population, precision, ends)


def whole_curve(name: str, n: int, population: Population, *, simultaneous: bool) -> Setting:
    """A band misses its curve if it misses the precision at one of the recalls .01 to .99."""
    truth = population.precision(population.of_positives.isf(np.arange(1, 100) / 100))

    def largest_miss(rows: Checked, rng: Generator, level: float) -> tuple[float, float]:
        """Return two ends, between which 0 lies if the band contains the curve."""
        resampling = Resampling("simultaneous" if simultaneous else True, level, BAND_RESAMPLES, rng)
        _, low, high, _ = resampling.precision_band(rows, "step")
        return float((low[1:-1] - truth).max()), float((high[1:-1] - truth).min())

    kind = "simultaneous" if simultaneous else "pointwise"
    return on_curve(f"{name}, whole curve, {kind} band", n, population, 0.0, largest_miss)


def where_intervals_failed() -> list[Setting]:
    """Where intervals covered less than .93, or still do."""
    tenth, low, few = to_score(0.5, 0.1), to_score(0.05, 0.001), to_score(0.5, 0.05)
    levels = {"score": CUTS["11 points"], "options": MACRO["options"] | RESAMPLED["options"], "at_most": SLOW}
    curves = (
        ("60 of 600 rows, AP .6", 600, to_score(0.6, 0.1)),
        ("100 of 2,000 rows, AP .7", 2_000, to_score(0.7, 0.05)),
    )
    return [
        weighted("100 of 1,000 rows, lognormal 1, much higher for high scores", 1_000, tenth, 1, 0.9),
        weighted("100 of 1,000 rows, lognormal 1.5, higher for high scores", 1_000, tenth, 1.5, 0.5),
        weighted("100 of 1,000 rows, lognormal 1.5, much higher for high scores", 1_000, tenth, 1.5, 0.9),
        weighted("50 of 500 rows, lognormal .5, much higher for high scores", 500, tenth, 0.5, 0.9),
        sampled("20 of 20,000 rows, AP .05", 20_000, low),
        sampled("20 of 20,000 rows, AP .05, by percentiles", 20_000, low, **PERCENTILE),
        sampled("20 of 20,000 rows, AP .02", 20_000, to_score(0.02, 0.001)),
        sampled("40 of 20,000 rows, AP .05", 20_000, to_score(0.05, 0.002)),
        Setting("400 rows of 4 labels, macro eleven points", FOUR_LABELS, of_four_at_levels, **levels),
        equal_labels(
            "1,000 rows of 20 labels of 2 % that go together, macro", 1_000, 20, 0.02, 1.6, alike=True
        ),
        in_clusters("40 clusters of very unequal size", 40, tenth, far_apart),
        in_clusters("100 clusters of very unequal size", 100, tenth, far_apart),
        *(beside_negatives(*sizes) for sizes in ((1, 300), (6, 100), (15, 60))),
        *(by_day(n_days, effect) for n_days in (60, 250) for effect in (0.0, 0.3, 1.0)),
        *(
            in_clusters(f"360 clusters of lognormal size, sigma {sigma:g}", 360, tenth, lognormal(sigma))
            for sigma in (1.0, 1.5, 2.0)
        ),
        at_prevalence("44 of 528 rows, at .034", 528, to_score(0.6, 1 / 12), 0.034),
        at_prevalence("half of 2,000 rows, at .00085", 2_000, to_score(0.95, 0.5), 0.00085),
        resampled_pair("20 of 20,000 rows, .15 - .05", 20_000, 0.001, (0.15, 0.05)),
        resampled_pair("20 of 20,000 rows, .1 - .1", 20_000, 0.001, (0.1, 0.1)),
        resampled_pair(
            "20 of 20,000 rows, .1 - .1, other shape", 20_000, 0.001, (0.1, 0.1), spreads=(1, 1.8)
        ),
        resampled_pair("90 of 300 rows, .995 - .98", 300, 0.3, (0.995, 0.98)),
        nearly_alike(1_000, 0.03, 0.02),
        at_recall("30 of 300 rows, AP .98", 300, to_score(0.98, 0.1), 50),
        *(at_recall("15 of 300 rows, AP .5", 300, few, recall) for recall in (5, 50, 95)),
        *(whole_curve(*curve, simultaneous=kind) for kind in (False, True) for curve in curves),
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
        sampled("15 of 150 rows, AP .2", 150, to_score(0.2, 0.1)),
        sampled("12 of 60 rows, AP .9", 60, to_score(0.9, 0.2)),
        sampled("30 of 3,000 rows, AP .7", 3_000, to_score(0.7, 0.01)),
        sampled("150 of 300 rows, AP .9", 300, to_score(0.9, 0.5)),
        sampled("25 of 25,000 rows, AP .4", 25_000, to_score(0.4, 0.001)),
        sampled("25 of 500 rows, spread out, AP .5", 500, to_score(0.5, 0.05, 2.0)),
        sampled("40 of 2,000 rows, 23 distinct scores", 2_000, stars),
        weighted("80 of 800 rows, lognormal .8", 800, to_score(0.4, 0.1), 0.8, 0.0),
        weighted("150 of 500 rows, lognormal .6, lower for high scores", 500, to_score(0.7, 0.3), 0.6, -0.5),
        in_clusters("50 clusters of 12 rows", 50, to_score(0.7, 0.15), equal(12)),
        equal_labels("600 rows of 30 labels of 4 %, macro", 600, 30, 0.04, 1.9),
        paired("25 of 500 rows, .9 - .8", 500, 0.05, (0.9, 0.8), correlation=0.4),
        resampled_pair("12 of 2,000 rows, .3 - .3, other shape", 2_000, 0.006, (0.3, 0.3), spreads=(1, 2)),
        resampled_pair("100 of 2,000 rows, .08 - .08", 2_000, 0.05, (0.08, 0.08), correlation=0.5),
    ]


def rows() -> list[Setting]:
    """Step AP of rows, from 5 to 2,000 positives."""
    mixed = Population(0.05, ((0.6, norm(4, 1)), (0.4, norm(0.3, 1))))
    skewed = Population(0.04, ((1.0, expon(0, 5)),), ((1.0, expon()),))
    return [
        sampled("5 of 200 rows", 200, to_score(0.45, 0.025)),
        sampled("5 of 50 rows", 50, to_score(0.6, 0.1)),
        sampled("8 of 4,000 rows", 4_000, to_score(0.25, 0.002)),
        sampled("15 of 300 rows", 300, to_score(0.5, 0.05)),
        sampled("40 of 120 rows", 120, to_score(0.85, 1 / 3)),
        sampled("60 of 6,000 rows, positives spread out", 6_000, to_score(0.35, 0.01, 2.0)),
        sampled("50 of 1,000 rows, easy and hard positives", 1_000, mixed),
        sampled("60 of 1,500 rows, exponential scores", 1_500, skewed),
        sampled("200 of 400 rows, little better than chance", 400, to_score(0.58, 0.5)),
        sampled("2,000 of 20,000 rows", 20_000, to_score(0.55, 0.1)),
        sampled("2,000 of 4,000 rows, nearly perfect", 4_000, to_score(0.98, 0.5)),
        sampled("20 of 200 rows, nearly perfect", 200, to_score(0.995, 0.1)),
    ]


def ties() -> list[Setting]:
    """Step AP of scores that are equal in groups."""
    tenths, stars = tuple(np.arange(-6, 9, 0.25).tolist()), (-0.5, 0.5, 1.5, 2.5)
    return [
        sampled("12 of 150 rows, about 25 distinct scores", 150, to_score(0.6, 0.08, edges=tenths)),
        sampled("120 of 800 rows, about 30 distinct scores", 800, to_score(0.65, 0.15, edges=tenths)),
        sampled("100 of 500 rows, 5 distinct scores", 500, to_score(0.6, 0.2, edges=stars)),
    ]


def weights() -> list[Setting]:
    """Step AP of rows with weights."""
    rare, depends = to_score(0.5, 1 / 91), "200 of 2,000 rows, lognormal 1, higher for high scores"
    return [
        weighted("20 of 200 rows, lognormal .5", 200, to_score(0.6, 0.1), 0.5, 0.0),
        weighted("60 of 400 rows, lognormal .7", 400, to_score(0.55, 0.15), 0.7, 0.0),
        weighted(depends, 2_000, to_score(0.5, 0.1), 1.0, 0.5),
        thinned("60 of 600 rows, one negative in 10 kept", 600, rare, 0.1),
        thinned("the same by percentiles", 600, rare, 0.1, **PERCENTILE),
        thinned("60 of 1,140 rows, one negative in 5 kept", 1_140, rare, 0.2),
        thinned("60 of 330 rows, one negative in 20 kept", 330, rare, 0.05),
        thinned("60 of 168 rows, one negative in 50 kept", 168, rare, 0.02),
    ]


def prevalences() -> list[Setting]:
    """Step AP at another prevalence."""
    balanced, tenth = normal(0.5, 2.24), to_score(0.5, 0.1)
    return [
        at_prevalence("half of 200 rows, at .02", 200, balanced, 0.02),
        at_prevalence("half of 200 rows, at .02, by percentiles", 200, balanced, 0.02, **PERCENTILE),
        at_prevalence("half of 1,000 rows, at .02", 1_000, balanced, 0.02),
        at_prevalence("half of 2,000 rows, at .001", 2_000, balanced, 0.001),
        at_prevalence("300 of 1,000 rows, at .02", 1_000, normal(0.3, 0.8), 0.02),
        at_prevalence("100 of 1,000 rows, at .01", 1_000, tenth, 0.01),
        at_prevalence("50 of 500 rows, at .3", 500, tenth, 0.3),
    ]


def clusters() -> list[Setting]:
    """Step AP of rows in clusters (`unit_id`)."""
    fifth, tenth = to_score(0.6, 0.2), to_score(0.5, 0.1)
    return [
        in_clusters("15 clusters of 40 rows", 15, fifth, equal(40)),
        in_clusters("25 clusters of 20 rows", 25, fifth, equal(20)),
        in_clusters("60 clusters of 1 to 19 rows", 60, tenth, lambda rng, n: rng.integers(1, 20, n)),
        in_clusters("400 clusters of 5 rows on average", 400, tenth, geometric(5)),
    ]


def queries() -> list[Setting]:
    """The mean of step AP over queries, which are the units."""
    return [
        Setting(f"{n} queries", partial(draw_queries, n=n), lambda: float(mean_average_precisions()[0]))
        for n in (15, 40, 120)
    ]


def classes() -> list[Setting]:
    """The mean over classes that are fixed, while images are drawn (`unit_id`)."""
    return [
        fixed_classes(40, 300),
        fixed_classes(5, 200),
        fixed_classes(60, 100),
        fixed_classes(40, 300, missed=0.3),
        fixed_classes(10, 300, k=0.2),
    ]


def matrices() -> list[Setting]:
    """Step AP of a label matrix, whose rows are the units."""
    return [
        *(
            Setting(f"400 rows of 4 labels, {by}", FOUR_LABELS, partial(of_four, by), options={"average": by})
            for by in ("macro", "weighted", "micro")
        ),
        equal_labels("1,000 rows of 50 labels of 2 %, macro", 1_000, 50, 0.02, 1.6),
    ]


def areas() -> list[Setting]:
    """The other areas, and totals that are stated."""
    early, late = to_score(0.5, 0.06), to_score(0.4, 0.1, 0.6)
    return [
        sampled("30 of 500 rows, linear", 500, early, "linear"),
        sampled("30 of 500 rows, Davis-Goadrich", 500, early, "Davis-Goadrich"),
        sampled("120 of 2,000 rows, Davis-Goadrich", 2_000, early, "Davis-Goadrich"),
        sampled("30 of 500 rows, interpolated", 500, early, "interpolated"),
        sampled("40 of 400 rows, interpolated, flat", 400, late, "interpolated"),
        sampled("25 of 250 objects, a fifth not found", 250, to_score(0.7, 0.1, retrieved_share=0.8)),
        sampled("90 of 600 objects, half not found", 600, to_score(0.7, 0.15, retrieved_share=0.5)),
    ]


def cuts() -> list[Setting]:
    """Cut rankings and levels: percentile bootstrap."""
    population, flat = to_score(0.5, 0.08), to_score(0.4, 0.1, 0.6)
    at_k = [
        ("precision", 1),
        ("precision", 3),
        ("precision", 5),
        ("precision", 30),
        ("recall", 150),
        ("recall", 500),
    ]
    return [
        *(cut(f"{kind}@k", f"{kind}@{k} of 750 rows", 750, population, k) for kind, k in (*at_k, ("AP", 30))),
        cut("R-precision", "R-precision of 750 rows", 750, population),
        cut("11 points", "11 points of 750 rows", 750, population),
        cut("11 points", "11 points of 750 rows, flat", 750, flat),
    ]


def pairs() -> list[Setting]:
    """The difference of two models on the same rows or queries."""
    return [
        paired("12 of 240 rows, .6 - .45", 240, 0.05, (0.6, 0.45)),
        paired("60 of 600 rows, .5 - .5, other shape", 600, 0.1, (0.5, 0.5), spreads=(1.0, 1.8)),
        paired("60 of 4,000 rows, .3 - .25, much alike", 4_000, 0.015, (0.3, 0.25), correlation=0.9),
        paired("1,000 of 5,000 rows, .8 - .79", 5_000, 0.2, (0.8, 0.79), correlation=0.5),
        Setting(
            "30 queries",
            partial(draw_two_of_queries, n=30),
            lambda: float(np.subtract(*mean_average_precisions())),
        ),
    ]


HARD = {"Where intervals failed": where_intervals_failed(), "Fresh settings": fresh()}
USUAL = {
    "Rows": rows(),
    "Ties": ties(),
    "Weights": weights(),
    "Another prevalence": prevalences(),
    "Clusters": clusters(),
    "Queries": queries(),
    "Fixed classes": classes(),
    "Label matrices": matrices(),
    "Other areas and stated totals": areas(),
    "Cuts and levels, percentile bootstrap of 400": cuts(),
    "Differences": pairs(),
}
