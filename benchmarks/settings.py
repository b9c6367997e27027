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

from .populations import Pair, Population, clustered, normal, shift_for

__all__ = ["SETTINGS", "Setting", "draw_queries", "mean_average_precision"]

Drawn = dict[str, Any]
RESAMPLES = 400  # the fewest that a percentile interval of 95 % takes
SLOW = 400  # samples of a setting that resamples
MANY = 400_000  # queries, for the mean over queries of the population


@dataclass(frozen=True)
class Setting:
    """A way to draw samples, the question that each is asked, and the answer that is right."""

    name: str
    draw: Callable[[Generator], Drawn]
    target: Callable[[], float]
    score: Callable[..., float] = step
    options: Drawn = field(default_factory=dict)
    at_most: int = 10**9  # samples, where each takes long

    def ask(self, drawn: Drawn, rng: Generator) -> Any:
        if "y_score_a" in drawn:
            return sklearn_ap.compare_scores(self.score, **drawn, **self.options, random_state=rng)
        return sklearn_ap.estimate_score(self.score, **drawn, **self.options, random_state=rng)


def sampled(name: str, population: Population, n: int, **options: Any) -> Setting:
    """A sample of `n` rows, and step AP unless another score is given."""
    target = options.pop("target", lambda: population.average_precision)
    return Setting(name, lambda rng: population.draw(rng, n), target, **options)


def to_score(average_precision: float, prevalence: float, spread: float = 1.0, **options: Any) -> Population:
    """A normal population whose average precision is given; `edges` and `found` then change it a little."""
    return normal(prevalence, shift_for(average_precision, prevalence, spread), spread, **options)


def rows() -> list[Setting]:
    """Step AP of rows, from 5 to 2,000 positives."""
    mixed = Population(0.05, ((0.6, norm(4, 1)), (0.4, norm(0.3, 1))))
    skewed = Population(0.04, ((1.0, expon(0, 5)),), ((1.0, expon()),))
    return [
        sampled("5 of 200 rows", to_score(0.45, 0.025), 200),
        sampled("5 of 50 rows", to_score(0.6, 0.1), 50),
        sampled("8 of 4,000 rows", to_score(0.25, 0.002), 4_000),
        sampled("15 of 300 rows", to_score(0.5, 0.05), 300),
        sampled("40 of 120 rows", to_score(0.85, 1 / 3), 120),
        sampled("60 of 6,000 rows, positives spread out", to_score(0.35, 0.01, 2.0), 6_000),
        sampled("50 of 1,000 rows, easy and hard positives", mixed, 1_000),
        sampled("60 of 1,500 rows, exponential scores", skewed, 1_500),
        sampled("200 of 400 rows, little better than chance", to_score(0.58, 0.5), 400),
        sampled("2,000 of 20,000 rows", to_score(0.55, 0.1), 20_000),
        sampled("2,000 of 4,000 rows, nearly perfect", to_score(0.98, 0.5), 4_000),
        sampled("20 of 200 rows, nearly perfect", to_score(0.995, 0.1), 200),
    ]


def ties() -> list[Setting]:
    """Step AP of scores that are equal in groups."""
    tenths, stars = tuple(np.arange(-6, 9, 0.25).tolist()), (-0.5, 0.5, 1.5, 2.5)
    return [
        sampled("12 of 150 rows, about 25 distinct scores", to_score(0.6, 0.08, edges=tenths), 150),
        sampled("120 of 800 rows, about 30 distinct scores", to_score(0.65, 0.15, edges=tenths), 800),
        sampled("100 of 500 rows, 5 distinct scores", to_score(0.6, 0.2, edges=stars), 500),
    ]


def weighted(name: str, n: int, population: Population, sigma: float, correlation: float) -> Setting:
    """Weights exp(sigma z), where z has this correlation with the score inside each class.

    Such weights move the mean of a normal distribution by sigma * correlation * spread.
    """
    ((_, scores),) = population.positives
    lift = sigma * correlation

    def draw(rng: Generator) -> Drawn:
        drawn = population.draw(rng, n)
        of_class = (drawn["y_score"] - scores.mean() * drawn["y_true"]) / np.where(
            drawn["y_true"], scores.std(), 1
        )
        z = correlation * of_class + np.sqrt(1 - correlation**2) * rng.normal(size=n)
        return drawn | {"sample_weight": np.exp(sigma * z)}

    moved = Population(
        population.prevalence,
        ((1.0, norm(scores.mean() + lift * scores.std(), scores.std())),),
        ((1.0, norm(lift, 1)),),
    )
    return Setting(name, draw, lambda: moved.average_precision)


def thinned(name: str, n: int, population: Population, kept: float, **options: Any) -> Setting:
    """Only a share of the negatives is in the sample, and each stands for several: its weight is 1 / kept."""
    positives = population.prevalence
    sample = replace(population, prevalence=positives / (positives + (1 - positives) * kept))

    def draw(rng: Generator) -> Drawn:
        drawn = sample.draw(rng, n)
        return drawn | {"sample_weight": np.where(drawn["y_true"], 1, 1 / kept)}

    return Setting(name, draw, lambda: population.average_precision, **options)


def weights() -> list[Setting]:
    """Step AP of rows with weights."""
    rare = to_score(0.5, 1 / 91)
    percentile = {"method": "percentile", "n_resamples": RESAMPLES}
    return [
        weighted("20 of 200 rows, lognormal .5", 200, to_score(0.6, 0.1), 0.5, 0.0),
        weighted("60 of 400 rows, lognormal .7", 400, to_score(0.55, 0.15), 0.7, 0.0),
        weighted(
            "200 of 2,000 rows, lognormal 1, higher for high scores", 2_000, to_score(0.5, 0.1), 1.0, 0.5
        ),
        thinned("60 of 600 rows, one negative in 10 kept", 600, rare, 0.1),
        thinned("the same by percentiles", 600, rare, 0.1, options=percentile, at_most=SLOW),
        thinned("60 of 1,140 rows, one negative in 5 kept", 1_140, rare, 0.2),
        thinned("60 of 330 rows, one negative in 20 kept", 330, rare, 0.05),
        thinned("60 of 168 rows, one negative in 50 kept", 168, rare, 0.02),
    ]


def at_prevalence(name: str, n: int, population: Population, prevalence: float, **options: Any) -> Setting:
    """The score at another prevalence than that of the sample."""
    other = replace(population, prevalence=prevalence)
    options["options"] = {"prevalence": prevalence, **options.get("options", {})}
    return sampled(name, population, n, target=lambda: other.average_precision, **options)


def prevalences() -> list[Setting]:
    """Step AP at a stated prevalence."""
    balanced, flat = normal(0.5, 2.24), normal(0.3, 0.8)
    percentile = {"options": {"method": "percentile", "n_resamples": RESAMPLES}, "at_most": SLOW}
    return [
        at_prevalence("half of 200 rows, at .02", 200, balanced, 0.02),
        at_prevalence("half of 200 rows, at .02, by percentiles", 200, balanced, 0.02, **percentile),
        at_prevalence("half of 1,000 rows, at .02", 1_000, balanced, 0.02),
        at_prevalence("half of 2,000 rows, at .001", 2_000, balanced, 0.001),
        at_prevalence("300 of 1,000 rows, at .02", 1_000, flat, 0.02),
        at_prevalence("100 of 1,000 rows, at .01", 1_000, to_score(0.5, 0.1), 0.01),
        at_prevalence("50 of 500 rows, at .3", 500, to_score(0.5, 0.1), 0.3),
    ]


def in_clusters(
    name: str, n: int, population: Population, size: Callable[[Generator, int], np.ndarray]
) -> Setting:
    def draw(rng: Generator) -> Drawn:
        return clustered(rng, population, size(rng, n), effect=0.4, concentration=3.0)

    return Setting(name, draw, lambda: population.average_precision)


def clusters() -> list[Setting]:
    """Step AP of rows in clusters (`unit_id`)."""
    return [
        in_clusters("15 clusters of 40 rows", 15, to_score(0.6, 0.2), lambda _, n: np.full(n, 40)),
        in_clusters("25 clusters of 20 rows", 25, to_score(0.6, 0.2), lambda _, n: np.full(n, 20)),
        in_clusters(
            "60 clusters of 1 to 19 rows", 60, to_score(0.5, 0.1), lambda rng, n: rng.integers(1, 20, n)
        ),
        in_clusters(
            "400 clusters of 5 rows on average", 400, to_score(0.5, 0.1), lambda rng, n: rng.geometric(0.2, n)
        ),
    ]


def draw_queries(rng: Generator, n: int) -> Drawn:
    """Queries of 10 to 40 documents, 1 to 5 of them relevant; some queries are easier than others."""
    size = rng.integers(10, 41, n)
    query = np.repeat(np.arange(n), size)
    place = np.arange(query.size) - np.repeat(np.cumsum(size) - size, size)
    y_true = (place < rng.integers(1, 6, n)[query]).astype(int)
    shift = rng.normal(1.2, 0.7, n)[query]
    return {"y_true": y_true, "y_score": shift * y_true + rng.normal(size=query.size), "query_id": query}


def draw_two_of_queries(rng: Generator, n: int) -> Drawn:
    """The same with a second model, whose scores resemble those of the first, and are better on average."""
    drawn = draw_queries(rng, n)
    query, y_true = drawn["query_id"], drawn["y_true"]
    better = rng.normal(0.2, 0.4, n)[query] * y_true
    other = drawn["y_score"] + better + rng.normal(0, 0.5, query.size)
    return {"y_true": y_true, "y_score_a": drawn.pop("y_score"), "y_score_b": other, "query_id": query}


@cache
def mean_average_precision(seed: int = 1) -> tuple[float, float]:
    """Return the means of both models over very many queries; the standard error is below .0005."""
    drawn = draw_two_of_queries(np.random.default_rng(seed), MANY)
    y_true, query = drawn["y_true"], drawn["query_id"]
    first, second = (step(y_true, drawn[name], query_id=query) for name in ("y_score_a", "y_score_b"))
    return float(first), float(second)


def queries() -> list[Setting]:
    """The mean of step AP over queries, which are the units."""
    return [
        Setting(f"{n} queries", partial(draw_queries, n=n), lambda: mean_average_precision()[0])
        for n in (15, 40, 120)
    ]


SHARES, SHIFTS = np.array([0.04, 0.1, 0.2, 0.4]), np.array([2.2, 1.8, 1.4, 1.0])


def draw_matrix(rng: Generator, n: int) -> Drawn:
    """Four labels that go together, and scores that go together."""
    labels, scores = (np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=(n, 4))) for _ in range(2))
    y_true = (labels > norm.isf(SHARES)).astype(int)
    return {"y_true": y_true, "y_score": scores + SHIFTS * y_true}


MANY_SHIFT = 1.6


def draw_many(rng: Generator, n: int) -> Drawn:
    """Fifty rare labels that have nothing to do with each other."""
    y_true = (rng.random((n, 50)) < 0.02).astype(int)
    return {"y_true": y_true, "y_score": rng.normal(size=(n, 50)) + MANY_SHIFT * y_true}


def of_labels(average: str) -> float:
    if average == "micro":
        positives = zip(SHARES / SHARES.sum(), (norm(shift, 1) for shift in SHIFTS), strict=True)
        return Population(SHARES.mean(), tuple(positives)).average_precision
    each = [normal(*one).average_precision for one in zip(SHARES, SHIFTS, strict=True)]
    return float(np.average(each, weights=SHARES if average == "weighted" else None))


def matrices() -> list[Setting]:
    """Step AP of a label matrix, whose rows are the units."""
    return [
        Setting(
            f"400 rows of 4 labels, {average}",
            partial(draw_matrix, n=400),
            partial(of_labels, average),
            options={"average": average},
        )
        for average in ("macro", "weighted", "micro")
    ] + [
        Setting(
            "1,000 rows of 50 labels of 2 %, macro",
            partial(draw_many, n=1_000),
            lambda: normal(0.02, MANY_SHIFT).average_precision,
            options={"average": "macro"},
        )
    ]


def areas() -> list[Setting]:
    """The other areas, and totals that are stated."""
    early, late = to_score(0.5, 0.06), to_score(0.4, 0.1, 0.6)
    linear, davis_goadrich = (
        {"score": sklearn_ap.pr_auc_score, "options": {"interpolation": name}}
        for name in ("linear", "davis-goadrich")
    )
    interpolated = {"score": sklearn_ap.interpolated_average_precision_score}
    return [
        sampled("30 of 500 rows, linear", early, 500, **linear),
        sampled("30 of 500 rows, Davis-Goadrich", early, 500, **davis_goadrich),
        sampled("120 of 2,000 rows, Davis-Goadrich", early, 2_000, **davis_goadrich),
        sampled("30 of 500 rows, interpolated", early, 500, target=early.envelope.mean, **interpolated),
        sampled("40 of 400 rows, interpolated, flat", late, 400, target=late.envelope.mean, **interpolated),
        sampled("25 of 250 objects, a fifth not found", to_score(0.7, 0.1, found=0.8), 250),
        sampled("90 of 600 objects, half not found", to_score(0.7, 0.15, found=0.5), 600),
    ]


def cuts() -> list[Setting]:
    """Cut rankings and levels: percentile bootstrap."""
    population, n = to_score(0.5, 0.08), 750
    flat = to_score(0.4, 0.1, 0.6)

    def at(share: float) -> tuple[float, float]:
        threshold = np.array(population.at_share(share))
        tp, _ = population.at_or_above(threshold)
        return float(tp) / share, float(tp) / population.prevalence

    slow = {"at_most": SLOW, "options": {"n_resamples": RESAMPLES}}

    def cut(name: str, score: Callable[..., float], k: int, target: Callable[[float], float]) -> Setting:
        options = {"n_resamples": RESAMPLES, "k": k}
        return sampled(
            name, population, n, score=score, target=lambda: target(k / n), options=options, at_most=SLOW
        )

    def points(name: str, of: Population) -> Setting:
        score = sklearn_ap.eleven_point_average_precision_score
        return sampled(name, of, n, score=score, target=of.eleven_points, **slow)

    return [
        *(
            cut(f"precision@{k} of 750 rows", sklearn_ap.precision_at_k_score, k, lambda one: at(one)[0])
            for k in (1, 3, 5, 30)
        ),
        *(
            cut(f"recall@{k} of 750 rows", sklearn_ap.recall_at_k_score, k, lambda one: at(one)[1])
            for k in (150, 500)
        ),
        cut(
            "AP@30 of 750 rows", sklearn_ap.average_precision_at_k_score, 30, population.average_precision_at
        ),
        sampled(
            "R-precision of 750 rows",
            population,
            n,
            score=sklearn_ap.r_precision_score,
            target=lambda: at(population.prevalence)[0],
            **slow,
        ),
        points("11 points of 750 rows", population),
        points("11 points of 750 rows, flat", flat),
    ]


def paired(name: str, n: int, prevalence: float, scores: tuple[float, float], **options: Any) -> Setting:
    spreads = options.get("spreads", (1.0, 1.0))
    first, second = (shift_for(one, prevalence, spread) for one, spread in zip(scores, spreads, strict=True))
    pair = Pair(prevalence, (first, second), **options)
    return Setting(name, lambda rng: pair.draw(rng, n), lambda: pair.difference)


def pairs() -> list[Setting]:
    """The difference of two models on the same rows."""

    def of_queries() -> float:
        first, second = mean_average_precision()
        return first - second

    return [
        paired("12 of 240 rows, .6 - .45", 240, 0.05, (0.6, 0.45)),
        paired("60 of 600 rows, .5 - .5, other shape", 600, 0.1, (0.5, 0.5), spreads=(1.0, 1.8)),
        paired("60 of 4,000 rows, .3 - .25, much alike", 4_000, 0.015, (0.3, 0.25), correlation=0.9),
        paired("1,000 of 5,000 rows, .8 - .79", 5_000, 0.2, (0.8, 0.79), correlation=0.5),
        Setting("30 queries", partial(draw_two_of_queries, n=30), of_queries),
    ]


SETTINGS: dict[str, list[Setting]] = {
    "Rows": rows(),
    "Ties": ties(),
    "Weights": weights(),
    "Another prevalence": prevalences(),
    "Clusters": clusters(),
    "Queries": queries(),
    "Label matrices": matrices(),
    "Other areas and stated totals": areas(),
    "Cuts and levels, percentile bootstrap of 400": cuts(),
    "Differences": pairs(),
}
