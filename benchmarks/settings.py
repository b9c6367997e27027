"""The settings of the coverage tables: what is drawn, what is asked, and the value of
the population.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

import sklearn_ap
from sklearn_ap import average_precision_score as step
from sklearn_ap._core.reading.read import CheckedRows, read
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._displays.rows import BandOptions

from .populations import (
    Drawn,
    Pair,
    Population,
    clustered,
    draw_queries,
    normal,
    shift_for,
    to_score,
)

RESAMPLES = 400  # the fewest that a percentile interval of 95 % takes
SLOW = 400  # samples of a setting that resamples
RESAMPLED: Drawn = {"options": {"n_resamples": RESAMPLES}, "at_most": SLOW}
PERCENTILE: Drawn = {
    "options": {"n_resamples": RESAMPLES, "method": "percentile"},
    "at_most": SLOW,
}
MACRO: Drawn = {"options": {"average": "macro"}}
MANY = 400_000  # queries, for the mean over queries of the population
AREAS: dict[str, Drawn] = {
    "step": {},
    "linear": {
        "score": sklearn_ap.pr_auc_score,
        "options": {"interpolation": "linear"},
    },
    "Davis-Goadrich": {
        "score": sklearn_ap.pr_auc_score,
        "options": {"interpolation": "davis-goadrich"},
    },
    "interpolated": {"score": sklearn_ap.interpolated_average_precision_score},
}
CUTS: dict[str, Callable[..., float]] = {
    "precision@k": sklearn_ap.precision_at_k_score,
    "recall@k": sklearn_ap.recall_at_k_score,
    "AP@k": sklearn_ap.average_precision_at_k_score,
    "R-precision": sklearn_ap.r_precision_score,
    "11 points": sklearn_ap.eleven_point_average_precision_score,
}
# the two ends of a level
Band = Callable[[CheckedRows, Generator, float], tuple[float, float]]
Sizes = Callable[[Generator, int], np.ndarray]  # of so many clusters


@dataclass(frozen=True)
class Setting:
    """A way to draw samples, the question that each is asked, and the answer that is
    right.
    """

    name: str
    draw: Callable[[Generator], Drawn]
    target: Callable[[], float]
    score: Callable[..., float] = step
    options: Drawn = field(default_factory=dict)
    at_most: int = 10**9  # samples, where each takes long
    band: Band | None = None  # of a curve, instead of a score

    def ends(
        self, drawn: Drawn, rng: Generator, levels: tuple[float, ...]
    ) -> list[tuple[float, float]]:
        """Return the ends of the intervals of these levels."""
        if self.band is not None:
            inputs = PassedRows(drawn["y_true"], drawn["y_score"])
            interval = partial(
                self.band, read(inputs, caller=self.name, as_curve=True), rng
            )
        else:
            estimate = (
                sklearn_ap.compare_scores
                if "y_score_a" in drawn
                else sklearn_ap.estimate_score
            )
            interval = estimate(
                self.score, **drawn, **self.options, random_state=rng
            ).confidence_interval
        return [interval(level) for level in levels]


def sampled(
    name: str, n: int, population: Population, area: str = "step", **options: Any
) -> Setting:
    """A sample of `n` rows, and an area."""
    target = partial(value_of, population, area)
    options = {"target": target, **AREAS[area], **options}
    return Setting(name, lambda rng: population.draw(rng, n), **options)


def value_of(population: Population, area: str) -> float:
    """Return the area of a population; all but one converge to step AP."""
    if area == "interpolated":
        return float(population.envelope.mean())
    return population.average_precision


def weighted(
    name: str, n: int, population: Population, sigma: float, correlation: float
) -> Setting:
    """Weights exp(sigma z), where z has this correlation with the score inside each
    class.

    Such weights move the mean of a normal distribution by sigma * correlation * spread.
    """
    mean = population.of_positives.mean()
    spread = population.of_positives.std()

    def draw(rng: Generator) -> Drawn:
        drawn = population.draw(rng, n)
        of_class = (drawn["y_score"] - mean * drawn["y_true"]) / np.where(
            drawn["y_true"], spread, 1
        )
        z = correlation * of_class + np.sqrt(1 - correlation**2) * rng.normal(size=n)
        return drawn | {"sample_weight": np.exp(sigma * z)}

    moved = normal(
        population.prevalence, mean + sigma * correlation * (spread - 1), spread
    )
    return Setting(name, draw, lambda: moved.average_precision)


def thinned(
    name: str, n: int, population: Population, share: float, **options: Any
) -> Setting:
    """A sample has only a share of the negatives, and each stands for several: its
    weight is 1 / share.
    """
    positives = population.prevalence
    sample = replace(
        population, prevalence=positives / (positives + (1 - positives) * share)
    )

    def draw(rng: Generator) -> Drawn:
        drawn = sample.draw(rng, n)
        return drawn | {"sample_weight": np.where(drawn["y_true"], 1, 1 / share)}

    return Setting(name, draw, lambda: population.average_precision, **options)


def at_prevalence(
    name: str, n: int, population: Population, prevalence: float, area: str = "step"
) -> Setting:
    """The score at another prevalence than that of the sample."""
    options: Drawn = {**AREAS[area].get("options", {}), "prevalence": prevalence}
    other = replace(population, prevalence=prevalence)
    target = partial(value_of, other, area)
    return sampled(name, n, population, area, target=target, options=options)


def near_chance(
    n: int, share: float, prevalence: float, score: float, area: str
) -> Setting:
    """A low score at a prevalence far below the share of positives in the sample."""
    population = replace(to_score(score, prevalence), prevalence=share)
    name = f"{share:.0%} of {n:,} rows, at {prevalence:g}, AP {score:g}, {area}"
    return at_prevalence(name, n, population, prevalence, area)


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
    return sampled(
        name,
        n,
        population,
        score=CUTS[kind],
        options=options,
        target=target,
        at_most=SLOW,
    )


def recall_at(n: int, population: Population, precision: float) -> Setting:
    """The best recall at a precision, by a bootstrap."""
    positives = population.prevalence * n
    value = float(np.mean(population.envelope >= precision))
    options = RESAMPLED | {"options": RESAMPLED["options"] | {"precision": precision}}
    name = f"{positives:.0f} of {n:,} rows, recall at precision {precision:g}"
    score = sklearn_ap.recall_at_precision_score
    return sampled(name, n, population, score=score, target=lambda: value, **options)


def in_clusters(
    name: str, n: int, population: Population, sizes: Sizes, **alike: float
) -> Setting:
    alike = {"effect": 0.4, "concentration": 3.0, **alike}

    def draw(rng: Generator) -> Drawn:
        return clustered(rng, population, sizes(rng, n), **alike)

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
    """150 rows, 30 of them positive, and clusters of negatives whose scores have a
    common part.
    """
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


def by_day(n: int, effect: float) -> Setting:
    """20,000 rows, 1 % of them positive, of so many days, each with an effect on
    scores.
    """

    def sizes(rng: Generator, n: int) -> np.ndarray:
        return rng.multinomial(20_000, np.full(n, 1 / n))

    name = f"200 of 20,000 rows of {n} days, day effect {effect:g}"
    share = effect**2 / (1 + effect**2)
    return in_clusters(
        name, n, to_score(0.3, 0.01), sizes, effect=share, concentration=1e9
    )


def draw_two_of_queries(rng: Generator, n: int) -> Drawn:
    """Queries with a second model, whose scores resemble those of the first, and are
    better on average.
    """
    drawn = draw_queries(rng, n)
    query = drawn["query_id"]
    y_true = drawn["y_true"]
    better = rng.normal(0.2, 0.4, n)[query] * y_true
    other = drawn["y_score"] + better + rng.normal(0, 0.5, query.size)
    return {
        "y_true": y_true,
        "y_score_a": drawn.pop("y_score"),
        "y_score_b": other,
        "query_id": query,
    }


@cache
def mean_average_precisions() -> np.ndarray:
    """Return the means of both models over very many queries; the standard error is
    below .0005.
    """
    drawn = draw_two_of_queries(np.random.default_rng(1), MANY)
    both = (drawn[name] for name in ("y_score_a", "y_score_b"))
    return np.array(
        [step(drawn["y_true"], y_score, query_id=drawn["query_id"]) for y_score in both]
    )


def fixed_classes(
    n_classes: int, n_images: int, *, missed: float = 0.0, k: float | None = None
) -> Setting:
    """Boxes of the same classes in every sample, while images are drawn; boxes of an
    image are alike.

    Half of the images miss the objects, so these are less independent than they count.
    With a share `k` of the boxes, the score is AP@k.
    """
    population = normal(0.3, 1.5, retrieved_share=1 - missed)

    def draw(rng: Generator) -> Drawn:
        shape = n_images, n_classes
        n_boxes = np.where(
            rng.random(shape) < 0.25, rng.geometric(0.5, shape), 0
        ).ravel()
        image, kind = (np.repeat(place.ravel(), n_boxes) for place in np.indices(shape))
        y_true = rng.random(image.size) < population.prevalence
        score = np.sqrt(0.4) * rng.normal(size=n_images)[image] + np.sqrt(
            0.6
        ) * rng.normal(size=image.size)
        found = ~y_true | (rng.random(image.size) >= 2 * missed * (image % 2))
        boxes = {
            "y_true": y_true,
            "y_score": score + 1.5 * y_true,
            "query_id": kind,
            "unit_id": image,
        }
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
    labels, scores = (
        np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=shape))
        for _ in range(2)
    )
    y_true = (labels > norm.isf(shares)).astype(int)
    return {"y_true": y_true, "y_score": scores + shifts * y_true}


FOUR_SHARES = np.array([0.04, 0.1, 0.2, 0.4])
FOUR_SHIFTS = np.array([2.2, 1.8, 1.4, 1.0])
FOUR_LABELS = partial(draw_alike, n=400, shares=FOUR_SHARES, shifts=FOUR_SHIFTS)
FOUR = list(map(normal, FOUR_SHARES, FOUR_SHIFTS))


def of_four(average: str) -> float:
    if average == "micro":
        parts = zip(
            FOUR_SHARES / FOUR_SHARES.sum(),
            (label.of_positives for label in FOUR),
            strict=True,
        )
        return Population(FOUR_SHARES.mean(), tuple(parts)).average_precision
    weights = FOUR_SHARES if average == "weighted" else None
    return float(
        np.average([label.average_precision for label in FOUR], weights=weights)
    )


def of_four_at_levels() -> float:
    return float(np.mean([label.eleven_points() for label in FOUR]))


def resampled_pair(
    name: str, n: int, prevalence: float, scores: tuple[float, float], **options: Any
) -> Setting:
    """The difference of two models on the same rows, which `compare_scores` mostly
    resamples.
    """
    spreads = options.get("spreads", (1.0, 1.0))
    first, second = (
        shift_for(score, prevalence, spread)
        for score, spread in zip(scores, spreads, strict=True)
    )
    pair = Pair(prevalence, (first, second), **options)
    return Setting(
        name, lambda rng: pair.draw(rng, n), lambda: pair.difference, **RESAMPLED
    )


def nearly_alike(n: int, prevalence: float, share: float) -> Setting:
    """Two models that score all rows alike but for a share of them, where each has
    noise of its own.
    """

    def draw(rng: Generator) -> Drawn:
        y_true = (rng.random(n) < prevalence).astype(int)
        common = np.sqrt(0.7) * rng.normal(size=n) + 1.5 * y_true
        noise = np.sqrt(0.3) * rng.normal(size=(2, n)) * (rng.random(n) < share)
        return {
            "y_true": y_true,
            "y_score_a": common + noise[0],
            "y_score_b": common + noise[1],
        }

    name = f"{n * prevalence:.0f} of {n:,} rows, two models that differ in {share:.0%} of rows"
    return Setting(name, draw, lambda: 0.0, options=RESAMPLED["options"], at_most=1_000)


def on_curve(
    name: str, n: int, population: Population, target: float, band: Band
) -> Setting:
    return sampled(
        name, n, population, target=lambda: target, at_most=SLOW // 2, band=band
    )


def at_recall(name: str, n: int, population: Population, recall: int) -> Setting:
    """The band of a curve at a recall in percent."""

    def ends(rows: CheckedRows, _: Generator, level: float) -> tuple[float, float]:
        _, low, high, _ = BandOptions(level, None, None).band(rows, None)
        return low[recall], high[recall]

    precision = float(population.precision(population.of_positives.isf(recall / 100)))
    return on_curve(
        f"{name}, band at recall {recall / 100:g}", n, population, precision, ends
    )


def where_intervals_failed() -> list[Setting]:
    """Where intervals covered less than .93, or still do."""
    tenth = to_score(0.5, 0.1)
    low = to_score(0.05, 0.001)
    few = to_score(0.5, 0.05)
    levels = {
        "score": CUTS["11 points"],
        "options": MACRO["options"] | RESAMPLED["options"],
        "at_most": SLOW,
    }
    return [
        weighted(
            "100 of 1,000 rows, lognormal 1, much higher for high scores",
            1_000,
            tenth,
            1,
            0.9,
        ),
        weighted(
            "100 of 1,000 rows, lognormal 1.5, higher for high scores",
            1_000,
            tenth,
            1.5,
            0.5,
        ),
        weighted(
            "100 of 1,000 rows, lognormal 1.5, much higher for high scores",
            1_000,
            tenth,
            1.5,
            0.9,
        ),
        weighted(
            "50 of 500 rows, lognormal .5, much higher for high scores",
            500,
            tenth,
            0.5,
            0.9,
        ),
        sampled("20 of 20,000 rows, AP .05", 20_000, low),
        sampled("20 of 20,000 rows, AP .05, by percentiles", 20_000, low, **PERCENTILE),
        sampled("20 of 20,000 rows, AP .02", 20_000, to_score(0.02, 0.001)),
        sampled("40 of 20,000 rows, AP .05", 20_000, to_score(0.05, 0.002)),
        recall_at(1_551, to_score(0.8, 18 / 1_551), 0.8),
        recall_at(612, to_score(0.72, 0.24, 1.6), 0.89),
        recall_at(612, to_score(0.72, 0.24, 1.6), 0.99),
        *(
            cut("11 points", f"{name}, eleven points", n, population)
            for name, n, population in (
                (
                    "28 of 2,700 rows, AP .02, spread out",
                    2_700,
                    to_score(0.02, 0.0104, 1.6),
                ),
                (
                    "40 of 2,000 rows, AP .05, spread out",
                    2_000,
                    to_score(0.05, 0.02, 1.6),
                ),
                ("200 of 1,000 rows, AP .3", 1_000, to_score(0.3, 0.2)),
                ("60 of 600 rows, AP .6", 600, to_score(0.6, 0.1)),
            )
        ),
        Setting(
            "400 rows of 4 labels, macro eleven points",
            FOUR_LABELS,
            of_four_at_levels,
            **levels,
        ),
        Setting(
            "1,000 rows of 20 labels of 2 % that go together, macro",
            partial(
                draw_alike, n=1_000, shares=np.full(20, 0.02), shifts=np.full(20, 1.6)
            ),
            lambda: normal(0.02, 1.6).average_precision,
            **MACRO,
        ),
        in_clusters("40 clusters of very unequal size", 40, tenth, far_apart),
        in_clusters("100 clusters of very unequal size", 100, tenth, far_apart),
        *(beside_negatives(*sizes) for sizes in ((1, 300), (6, 100), (15, 60))),
        *(by_day(n_days, effect) for n_days in (60, 250) for effect in (0.0, 0.3, 1.0)),
        *(
            in_clusters(
                f"360 clusters of lognormal size, sigma {sigma:g}",
                360,
                tenth,
                lognormal(sigma),
            )
            for sigma in (1.0, 1.5, 2.0)
        ),
        *(
            near_chance(*rows, area)
            for rows in (
                (240, 0.35, 0.006, 0.02),
                (600, 0.5, 0.002, 0.01),
                (1_000, 0.5, 0.02, 0.06),
                (2_000, 0.5, 0.001, 0.05),
            )
            for area in ("step", "interpolated")
        ),
        at_prevalence("44 of 528 rows, at .034", 528, to_score(0.6, 1 / 12), 0.034),
        at_prevalence(
            "half of 2,000 rows, at .00085", 2_000, to_score(0.95, 0.5), 0.00085
        ),
        resampled_pair("20 of 20,000 rows, .15 - .05", 20_000, 0.001, (0.15, 0.05)),
        resampled_pair("20 of 20,000 rows, .1 - .1", 20_000, 0.001, (0.1, 0.1)),
        resampled_pair(
            "20 of 20,000 rows, .1 - .1, other shape",
            20_000,
            0.001,
            (0.1, 0.1),
            spreads=(1, 1.8),
        ),
        resampled_pair("90 of 300 rows, .995 - .98", 300, 0.3, (0.995, 0.98)),
        nearly_alike(1_000, 0.03, 0.02),
        at_recall("30 of 300 rows, AP .98", 300, to_score(0.98, 0.1), 50),
        *(
            at_recall("15 of 300 rows, AP .5", 300, few, recall)
            for recall in (5, 50, 95)
        ),
    ]


def never_drawn() -> list[Setting]:
    """Fewer positives, higher scores and smaller cuts than a seed draws, and totals
    that are stated.
    """
    population = to_score(0.5, 0.08)
    return [
        sampled("5 of 50 rows", 50, to_score(0.6, 0.1)),
        sampled("8 of 4,000 rows", 4_000, to_score(0.25, 0.002)),
        sampled("2,000 of 4,000 rows, nearly perfect", 4_000, to_score(0.98, 0.5)),
        sampled("20 of 200 rows, nearly perfect", 200, to_score(0.995, 0.1)),
        *(
            cut("precision@k", f"precision@{k} of 750 rows", 750, population, k)
            for k in (1, 3)
        ),
        sampled(
            "25 of 250 objects, a fifth not found",
            250,
            to_score(0.7, 0.1, retrieved_share=0.8),
        ),
        sampled(
            "90 of 600 objects, half not found",
            600,
            to_score(0.7, 0.15, retrieved_share=0.5),
        ),
    ]


def to_a_recall() -> list[Setting]:
    """Step and interpolated AP up to a recall."""
    return [
        up_to_recall(n, to_score(score, share, spread), max_recall, area)
        for n, share, score, spread, max_recall in (
            (150, 0.1, 0.75, 1.0, 0.8),
            (600, 0.1, 0.8, 0.4, 0.5),
            (839, 0.0369, 0.55, 1.0, 0.2),
            (839, 0.0369, 0.55, 1.3, 0.47),
            (2_000, 0.05, 0.6, 1.0, 0.3),
        )
        for area in ("step", "interpolated")
    ]


def up_to_recall(
    n: int, population: Population, max_recall: float, area: str
) -> Setting:
    def target() -> float:
        precision = population.precision_of_recalls
        if area == "interpolated":
            precision = population.envelope
        return float(precision[: round(max_recall * precision.size)].mean())

    counted = n * population.prevalence * max_recall
    name = f"{counted:.0f} positives of {n:,} rows up to recall {max_recall:g}, {area}"
    options = {"max_recall": max_recall}
    return sampled(name, n, population, area, target=target, options=options)


def queries() -> list[Setting]:
    """The mean of step AP over queries, which are the units, and the difference of two
    such means.
    """
    return [
        *(
            Setting(
                f"{n} queries",
                partial(draw_queries, n=n),
                lambda: float(mean_average_precisions()[0]),
            )
            for n in (15, 40, 120)
        ),
        Setting(
            "30 queries",
            partial(draw_two_of_queries, n=30),
            lambda: float(np.subtract(*mean_average_precisions())),
        ),
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
        Setting(
            f"400 rows of 4 labels, {by}",
            FOUR_LABELS,
            partial(of_four, by),
            options={"average": by},
        )
        for by in ("macro", "weighted", "micro")
    ]


CHOSEN = {
    "Where intervals failed": where_intervals_failed(),
    "Never drawn": never_drawn(),
    "Up to a recall": to_a_recall(),
    "Queries": queries(),
    "Fixed classes": classes(),
    "Label matrices": matrices(),
}
