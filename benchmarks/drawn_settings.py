"""Settings that a seed draws at random: six of each kind of interval, and 72 of six
families of shapes.

No constant of the package was tuned by them. A setting of a kind draws all by
`default_rng([seed, i])`: rows, 10 positives or more, average precision, the shape of
scores, and what its kind needs. The average precision is at least a tenth of the way
from the share of positives to 1, and at most .95 of it.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap import average_precision_score as step
from sklearn_ap import precision_at_recall_score

from .populations import Models, expected_positives, to_score
from .settings import AREAS, CUTS, OF_STEP, Setting, estimate, of_rows, weighted

SEED = 53
PER_KIND = 6  # and per family
FAMILIES = "normal", "logistic", "Laplace", "t3", "t2", "gamma"
SHAPES = "normal", "spread out", "narrow", "t2", "lognormal", "exponential"


def between(rng, low, high):
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(*np.log((low, high)))))


def drawn_score(rng, prevalence):
    return prevalence + rng.uniform(0.1, 0.95) * (1 - prevalence)


def drawn_rows(rng, shapes=SHAPES):
    """Draw a population, and how many of its rows are a sample."""
    n = round(between(rng, 100, 20_000))
    prevalence = between(rng, 10, min(n / 2, 2_000)) / n
    shape = shapes[rng.integers(len(shapes))]
    score = drawn_score(rng, prevalence)
    name = f"{expected_positives(n, prevalence)}, {shape}, AP {score:.2f}"
    return name, n, to_score(score, prevalence, shape)


def with_more_negatives(population, factor):
    return replace(population, prevalence=rarer(population.prevalence, factor))


def rarer(share, factor):
    """Return the share of positives if there were so many times the negatives."""
    odds = share / (1 - share) / factor
    return odds / (1 + odds)


def of_kind(kind, rng):
    """An area, a number of levels, or one at a cut, from 5 to twice the positives."""
    name, n, population = drawn_rows(rng)
    k = round(between(rng, 5, 2 * population.prevalence * n))
    name = f"{name}, {kind.replace('@k', f'@{k}')}"
    return of_rows(name, n, population, kind, k=k)


def tied(rng):
    """From 4 to 60 groups of equal scores."""
    name, n, population = drawn_rows(rng)
    groups = round(between(rng, 4, 60))
    ends = population.negatives.ppf(0.05), population.positives.ppf(0.95)
    edges = np.linspace(*ends, groups - 1)
    population = replace(population, edges=tuple(edges.tolist()))
    return of_rows(f"{name}, {groups} distinct", n, population)


def with_weights(rng):
    """Lognormal weights, which go with the scores in half of the settings."""
    sigma = rng.uniform(0.2, 1.0)
    correlation = rng.integers(2) * rng.uniform(-0.8, 0.8)
    shapes, more = SHAPES, ""
    if correlation:
        shapes = "normal", "spread out", "narrow"
        more = f", correlation {correlation:.2f}"
    name, *rows = drawn_rows(rng, shapes)
    name = f"{name}, weights {sigma:.2f}{more}"
    return weighted(name, *rows, sigma, correlation)


def at_another_prevalence(rng):
    """Negatives of weight 1.5 to 30."""
    name, n, population = drawn_rows(rng)
    prevalence = rarer(population.prevalence, between(rng, 1.5, 30))
    name = f"{name}, at {prevalence:.2g}"
    return of_rows(name, n, population, prevalence=prevalence)


def thinned(rng):
    """Of the negatives, one in 1.5 to 30 is kept, and weighs as much."""
    name, n, population = drawn_rows(rng)
    factor = between(rng, 1.5, 30)
    whole = with_more_negatives(population, factor)

    def draw(generator):
        drawn = population.draw(generator, n)
        return drawn | {"sample_weight": np.where(drawn["y_true"], 1, factor)}

    name = f"{name}, one negative in {factor:.1f} kept"
    return Setting(name, draw, lambda: whole.average_precision)


def rows_of_units(rng, n_units, sizes):
    """Return the unit of each row, and scores that share .4 of their variance in it."""
    unit = np.repeat(np.arange(n_units), sizes)
    common, own = rng.normal(size=n_units), rng.normal(size=unit.size)
    return unit, np.sqrt(0.4) * common[unit] + np.sqrt(0.6) * own


def labelled(
    generator,
    share,
    shift,
    noise,
):
    """Return labels with these shares of positives, and scores that these raise."""
    y_true = (generator.random(noise.shape) < share).astype(int)
    return {"y_true": y_true, "y_score": shift * y_true + noise}


def at_prevalence(name, most, prevalence):
    """Return the end of a name, and the question, if negatives weigh more."""
    if most > 1:
        return f"{name} at {prevalence:.2g}", estimate(prevalence=prevalence)
    return name, OF_STEP


def clustered(rng, most=1.0):
    """From 20 to 300 clusters, of equal sizes or of geometric ones, whose rows resemble
    each other; over all clusters, rows are those of the population.

    A cluster has its own share of positives, with a Beta distribution. Negatives weigh
    up to `most` times as much, by another prevalence.
    """
    n = round(between(rng, 20, 300))
    size = between(rng, 3, 40)
    share = between(rng, max(20 / (n * size), 0.02), 0.5)
    is_equal = rng.integers(2)
    prevalence = rarer(share, between(rng, 1, most))
    population = to_score(drawn_score(rng, prevalence), prevalence)

    def draw(generator):
        sizes = np.full(n, round(size))
        if not is_equal:
            sizes = generator.geometric(1 / size, n)
        unit, noise = rows_of_units(generator, n, sizes)
        shares = generator.beta(3 * share, 3 * (1 - share), n)
        shift = population.positives.mean()
        return labelled(generator, shares[unit], shift, noise) | {"unit_id": unit}

    kind = "equal" if is_equal else "geometric"
    name = f"{n} {kind} clusters of {size:.0f} rows, {share:.0%} positive, "
    name += f"AP {population.average_precision:.2f}"
    name, ask = at_prevalence(name, most, prevalence)
    return Setting(name, draw, lambda: population.average_precision, ask)


def labelled_by_rank(rng):
    """Labels drawn by 70 % the root of the rank and 30 % evenly, about 100 to 1,000 of
    them, weighted by one over the probability, which is at least 1/50.
    """
    name, n, population = drawn_rows(rng)
    n = max(n, 2_000)
    n_labels = between(rng, 100, 1_000)

    def draw(generator):
        drawn = population.draw(generator, n)
        share = np.empty(n)
        share[np.argsort(-drawn["y_score"])] = np.arange(1, n + 1) ** -0.5
        share = n_labels * (0.7 * share / share.sum() + 0.3 / n)
        share = np.clip(share, 1 / 50, 1)
        has_label = generator.random(n) < share
        rows = drawn | {"sample_weight": 1 / share}
        return {key: values[has_label] for key, values in rows.items()}

    name = f"{name}, {n_labels:.0f} labels by rank"
    return Setting(name, draw, lambda: population.average_precision)


def with_missed(rng):
    """Of the positives, .1 to .6 have no row."""
    name, n, population = drawn_rows(rng)
    missed = rng.uniform(0.1, 0.6)
    whole = with_more_negatives(population, 1 - missed)

    def draw(generator):
        drawn = whole.draw(generator, n)
        has_row = (drawn["y_true"] == 0) | (generator.random(n) >= missed)
        rows = {key: values[has_row] for key, values in drawn.items()}
        return rows | {"n_positives": drawn["y_true"].sum()}

    name = f"{name}, {missed:.0%} missed"
    return Setting(name, draw, lambda: (1 - missed) * population.average_precision)


def at_a_level(rng):
    """Precision at a recall, in half of the settings at another prevalence."""
    name, n, population = drawn_rows(rng, ("normal", "t2", "exponential"))
    level, whole = rng.uniform(0.3, 0.9), population
    ask = partial(estimate, precision_at_recall_score, recall=level)
    if rng.integers(2):
        whole = with_more_negatives(population, between(rng, 1.5, 8))
        ask = partial(ask, prevalence=whole.prevalence)
        name += f", at {whole.prevalence:.2g}"
    precision = float(np.quantile(whole.envelope, 1 - level))  # at this recall
    name += f", at recall {level:.2f}"
    return Setting(name, partial(population.draw, n=n), lambda: precision, ask())


def drawn_columns(rng, n, count):
    """Draw populations of columns or queries, with 10 positives or more if n allows;
    return their shares of positives and shifts, too.
    """
    shares = [between(rng, min(10 / n, 0.3), 0.3) for _ in range(count)]
    columns = [to_score(drawn_score(rng, share), share) for share in shares]
    shifts = [column.positives.mean() for column in columns]
    return columns, np.array(shares), np.array(shifts)


def mean_of(columns, weights):
    scores = [column.average_precision for column in columns]
    return float(np.average(scores, weights=weights))


def labels(average, rng):
    """The mean over 3 to 30 labels, whose scores go together."""
    n, count = round(between(rng, 200, 3_000)), int(rng.integers(3, 31))
    common = rng.uniform(0, 0.8)
    columns, shares, shifts = drawn_columns(rng, n, count)

    def draw(generator):
        y_true = (generator.random((n, count)) < shares).astype(int)
        noise = np.sqrt(common) * generator.normal(size=(n, 1))
        noise = noise + np.sqrt(1 - common) * generator.normal(size=(n, count))
        return {"y_true": y_true, "y_score": noise + shifts * y_true}

    mean = partial(mean_of, columns, None if average == "macro" else shares)
    name = f"{n:,} rows of {count} labels, correlation {common:.2f}, {average}"
    return Setting(name, draw, mean, estimate(average=average))


def fixed_queries(is_crossed, rng):
    """The mean over 3 to 12 queries that all samples have; units of 1 to 6 rows lie in
    one query, or have rows in several.
    """
    count, n = int(rng.integers(3, 13)), round(between(rng, 200, 2_000))
    size = int(rng.integers(1 + is_crossed, 7))
    columns, shares, shifts = drawn_columns(rng, n * size / count, count)

    def draw(generator):
        unit, noise = rows_of_units(generator, n, np.full(n, size))
        query = generator.integers(count, size=unit.size)
        if not is_crossed:
            query = query[:n][unit]
        rows = labelled(generator, shares[query], shifts[query], noise)
        return rows | {"query_id": query, "unit_id": unit}

    how = "across" if is_crossed else "inside"
    name = f"{n:,} units of {size} rows {how} {count} fixed queries"
    return Setting(name, draw, partial(mean_of, columns, None))


def drawn_queries(rng):
    """The mean over 10 to 200 queries of 5 to 50 rows, some of which are harder."""
    n, most = round(between(rng, 10, 200)), round(between(rng, 10, 50))
    share, shift = rng.uniform(0.1, 0.4), rng.uniform(0.5, 2.5)

    def draw(generator, n=n):
        sizes = generator.integers(5, most + 1, n)
        query = np.repeat(np.arange(n), sizes)
        easiness = np.repeat(generator.normal(shift, 0.7, n), sizes)
        y_true = (generator.random(query.size) < share).astype(int)
        y_true[np.cumsum(sizes) - 1] = 1  # every query has a positive
        y_score = generator.normal(size=query.size) + easiness * y_true
        return {"y_true": y_true, "y_score": y_score, "query_id": query}

    def mean():
        return step(**draw(np.random.default_rng(n), 30_000))

    name = f"{n} queries of 5 to {most} rows, {share:.0%} positive, shift {shift:.1f}"
    return Setting(name, draw, mean)


def two_models(most, rng):
    """Models that are equally good in half of the settings, and have other shapes in
    half; negatives weigh up to `most` times as much, by another prevalence.
    """
    n = round(between(rng, 100, 20_000))
    positives = between(rng, 10, min(n / 2, 2_000))
    share = positives / n
    prevalence = rarer(share, between(rng, 1, most))
    first = drawn_score(rng, prevalence)
    second = first if rng.integers(2) else drawn_score(rng, prevalence)
    wide = rng.uniform(0.6, 1.8) if rng.integers(2) else 1.0
    name = f"{positives:,.0f} of {n:,} rows, {first:.2f} - {second:.2f}, spreads 1 and {wide:.1f}"
    populations = (
        to_score(first, prevalence),
        to_score(second, prevalence, spread=wide),
    )
    better, other = (x.average_precision for x in populations)
    if most > 1:
        name += ","
    name, ask = at_prevalence(name, most, prevalence)
    drawn_from = tuple(replace(x, prevalence=share) for x in populations)
    draw = partial(Models(drawn_from, rng.uniform(0.2, 0.95)).draw, n=n)
    return Setting(name, draw, lambda: better - other, ask)


KINDS = {
    **{f"Area: {kind}": partial(of_kind, kind) for kind in AREAS},
    "Groups of equal scores": tied,
    "Weights": with_weights,
    "Labels drawn by rank": labelled_by_rank,
    "Another prevalence": at_another_prevalence,
    "Negatives kept in part": thinned,
    "Missed positives": with_missed,
    "Clusters": clustered,
    "Clusters at a prevalence": partial(clustered, most=30.0),
    **{f"Cut: {kind}": partial(of_kind, kind) for kind in CUTS},
    "Precision at a recall": at_a_level,
    "Labels, macro": partial(labels, "macro"),
    "Labels, weighted": partial(labels, "weighted"),
    "Queries": drawn_queries,
    "Fixed queries": partial(fixed_queries, False),
    "Crossed units": partial(fixed_queries, True),
    "Two models": partial(two_models, 1.0),
    "Two models at a prevalence": partial(two_models, 30.0),
}


def of_kinds():
    return {
        name: [
            kind(np.random.default_rng([SEED, PER_KIND * i + j]))
            for j in range(PER_KIND)
        ]
        for i, (name, kind) in enumerate(KINDS.items())
    }


def of_families():
    """Draw settings of ordinary tails: 20 to 80 positives, 1 to 40 % of rows, and
    scores of .3 to .95.

    Setting i has the family `i % 6`, and is asked for step AP and for interpolated AP.
    """
    settings = []
    for i in range(PER_KIND * len(FAMILIES)):
        rng = np.random.default_rng([SEED, 1, i])
        family = FAMILIES[i % len(FAMILIES)]
        n_positives = between(rng, 20, 80)
        prevalence = between(rng, 0.01, 0.4)
        n = round(n_positives / prevalence)
        score = rng.uniform(max(0.3, prevalence + 0.05), 0.95)
        population = to_score(score, prevalence, family)
        name = f"{n_positives:.0f} of {n:,} rows, {family}, AP {score:.2f}"
        settings += [
            of_rows(f"{name}, {kind}", n, population, kind)
            for kind in ("step", "interpolated")
        ]
    return settings
