"""How often a test of two models rejects: `python -m benchmarks.coverage --table
tests`.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap import average_precision_score, compare_many, compare_samples

from .populations import (
    Models,
    expected_positives,
    generators,
    to_score,
)
from .settings import OF_STEP, Setting
from .tables import Table, lines_of, share

LEVEL = 0.05
HEADERS = "models", "reject"
FOOTNOTE = f"""
Shares of samples in which a test rejects at {LEVEL:.0%}.
"""
# Kind, family, rows, their share of positives, the prevalence, the correlation of the
# models inside each class, their score, and a better one.
PAIRS = """
low    normal    20000  .001  .001   .9  .03  .065
low    normal     2000  .01   .01    .8  .05  .107
low    Laplace     500  .02   .02    .5  .05  .107
low    t3        10000  .003  .003   .8  .1   .208
low    gamma      1000  .03   .03    .5  .15  .303
low    logistic   3000  .01   .01    .7  .2   .392
high   normal      240  .1    .1     .6  .85  .95
high   Laplace     150  .1    .1     .6  .8   .94
high   t3          200  .1    .1     .6  .8   .93
high   gamma        90  .2    .2     .6  .85  .96
high   logistic    120  .1    .1     .6  .8   .94
high   normal      100  .3    .3     .6  .9   .97
heavy  normal      400  .2    .01    .6  .4   .6
heavy  Laplace     600  .3    .02    .6  .4   .6
heavy  t3          300  .3    .03    .6  .5   .7
heavy  gamma       500  .2    .02    .6  .3   .5
heavy  logistic   1000  .4    .03    .6  .6   .75
heavy  normal     1500  .3    .005   .6  .35  .55
rare   normal     2000  .5    .001   .7  .35  .55
rare   normal     2000  .5    .001   .7  .6   .8
rare   normal     4000  .5    .001   .5  .4   .6
rare   logistic   2000  .3    .001   .7  .4   .6
"""
# Sizes of units, their number, the share of them that are ill, the score, and a better
# one.
UNITS = """
1,3,30      40  .4   .6   .8
2,2,2,2,50  50  .4   .6   .8
1,12        60  .3   .5   .7
5,15,45     90  .2   .4   .6
1,1,20      60  .3   .8   .92
1,1,30     120  .15  .15  .3
"""
# Each line: family, number of rows, prevalence, score of the first model, score of the
# population from which the second model draws scores again, share that it draws again.
FEW = """
t2       300  .3   .95  .95  .7
t2       400  .15  .85  .85  .7
t3       400  .2   .9   .9   .7
gamma    200  .3   .9   .9   .7
normal   500  .3   .97  .97  .7
t2       300  .3   .95  .85  .7
t2       400  .15  .85  .65  .7
gamma    200  .3   .9   .75  .7
normal   500  .3   .97  .93  .7
normal   311  .2   .8   .2   .03
normal  1000  .1   .8   .1   .03
"""
# Family, rows of both samples, the share of them that is positive, the prevalence at
# which they are compared, and the score there.
MONTHS = """
normal     1000   1000  .05   .05   .5
normal      300   3000  .1    .1    .7
logistic    200    400  .15   .15   .6
Laplace     800    800  .05   .05   .6
t3          500    500  .1    .1    .8
t2          400   4000  .1    .1    .6
gamma      1000    500  .05   .05   .7
normal      150    150  .2    .2    .9
normal    20000  20000  .002  .002  .2
normal     2000   2000  .3    .3    .5
normal       50    500  .3    .3    .95
normal      500   5000  .8    .01   .1
t2          500   5000  .8    .05   .1
normal      600   6000  .8    .05   .1
normal      600   6000  .8    .05   .4
"""
# Sizes of units, their number in both samples, the share of them that are ill, the
# score, and a better one.
UNEQUAL = """
1,2,3,4,5,10  25   200  .3   .5  .75
1,1,2,3,8,30  40   400  .2   .4  .7
1,2,3,30      100  100  .2   .4  .6
1             60   1500  .25  .5  .75
1             150  150  .25  .5  .7
"""


def models_at(row, scores, ask):
    """Return a setting of models with these scores, at the prevalence of a row."""
    kind, family, n, sampled, at, correlation, *_ = row
    options = {"prevalence": at} if at != sampled else {}
    drawn_from = [
        replace(to_score(score, at, family), prevalence=sampled) for score in scores
    ]
    models = Models(tuple(drawn_from), correlation)
    name = f"{kind}: {expected_positives(n, sampled)} at {at:g}, {family}, "
    name += f"AP {scores[0]:g} and {scores[1]:g}"
    return Setting(name, lambda rng: models.draw(rng, n) | options, float, ask)


def pairs():
    """Yield pairs of equal models, and pairs of a model and a better one."""
    for row in lines_of(PAIRS):
        *_, score, better = row
        yield models_at(row, (score, score), OF_STEP)
        yield models_at(row, (score, better), OF_STEP)


def of_units():
    """Yield pairs with units of very different sizes, whose scores are correlated."""
    for text, n_units, ill, score, better in lines_of(UNITS):
        sizes = [*map(int, text.split(","))]
        for other in (score, better):
            populations = [to_score(x, 0.8 * ill) for x in (score, other)]
            name = f"units: {n_units} of {', '.join(map(str, sizes))} rows, "
            name += f"AP {score:g} and {other:g}"
            draw = partial(draw_units, populations, sizes, n_units, ill)
            yield Setting(name, draw, float)


def draw_units(
    populations,
    sizes,
    n_units,
    ill,
    rng,
):
    """Draw ill units, with a share of .8 of positive rows, and others without."""
    unit = np.repeat(np.arange(n_units), rng.choice(sizes, n_units))
    is_ill = (rng.random(n_units) < ill)[unit]
    positive = is_ill & (rng.random(unit.size) < 0.8)
    shared = rng.normal(size=n_units)[unit]
    drawn = {"y_true": positive.astype(int), "unit_id": unit}
    for name, population in zip("ab", populations, strict=False):
        of_units = rng.normal(size=n_units)[unit]
        noise = 0.6 * shared + 0.5 * of_units + 0.62 * rng.normal(size=unit.size)
        shift = population.positives.mean()
        drawn[f"y_score_{name}"] = noise + shift * positive
    return drawn


def six_models():
    """Yield settings of six equal models at a prevalence."""
    for kind, *row in lines_of(PAIRS):
        if kind == "heavy":
            yield models_at(("six", *row), (row[-2],) * 6, many)


def many(drawn):
    """Compare all pairs of models."""
    models = {key: drawn[key] for key in drawn if key.startswith("y_score_")}
    options = {"prevalence": drawn["prevalence"]}
    return compare_many(average_precision_score, drawn["y_true"], models, **options)


def few_decide():
    """Yield pairs of models whose difference depends on few rows. The second model
    draws a share of its scores again, from a population with the same or a lower score.
    """
    for family, n, prevalence, score, lower, redrawn in lines_of(FEW):
        populations = [to_score(x, prevalence, family) for x in (score, lower)]
        better = "equal" if score == lower else f"redrawn at AP {lower:g}"
        name = f"few: {expected_positives(n, prevalence)}, {family}, AP {score:g}"
        draw = partial(draw_again, populations, n, redrawn)
        yield Setting(f"{name}, {redrawn:.0%} {better}", draw, float)


def draw_again(populations, n, redrawn, rng):
    first, other = (population.draw(rng, n) for population in populations)
    y_true, score = first["y_true"], first["y_score"]
    again = score.copy()
    for label in (0, 1):
        rows = np.flatnonzero((y_true == label) & (rng.random(n) < redrawn))
        drawn = other["y_score"][other["y_true"] == label]
        again[rows] = np.resize(
            drawn, rows.size
        )  # more rows than drawn: from the first
    return {"y_true": y_true, "y_score_a": score, "y_score_b": again}


def months():
    """Yield pairs of independent samples, whose populations have the same score."""
    for family, *sizes, sampled, at, score in lines_of(MONTHS):
        population = replace(to_score(score, at, family), prevalence=sampled)
        options = {"prevalence": at} if at != sampled else {}
        rows = f"{sizes[0]:,} and {sizes[1]:,} rows, {sampled:.1%} positive"
        name = f"months: {rows}, {family}, AP {score:g} at {at:g}"
        draw = partial(draw_months, population, sizes, options)
        yield Setting(name, draw, float, independent)


def draw_months(population, sizes, options, rng):
    return {"samples": [population.draw(rng, n) for n in sizes], **options}


def unequal():
    """Yield pairs of independent samples that have units of different sizes, or unequal
    numbers of units or rows.
    """
    for text, *numbers, ill, score, better in lines_of(UNEQUAL):
        sizes = [*map(int, str(text).split(","))]
        for other in (score, better):
            name = f"unequal: {numbers[0]:,} and {numbers[1]:,} units of "
            name += f"{', '.join(map(str, sizes))} rows, AP {score:g} and {other:g}"
            populations = [to_score(x, 0.8 * ill) for x in (other, score)]
            draw = partial(draw_unequal, populations, sizes, numbers, ill)
            yield Setting(name, draw, float, independent)


def draw_unequal(populations, sizes, numbers, ill, rng):
    samples = [
        draw_units([population], sizes, n_units, ill, rng)
        for population, n_units in zip(populations, numbers, strict=True)
    ]
    for sample in samples:
        sample["y_score"] = sample.pop("y_score_a")
    return {"samples": samples}


def independent(drawn):
    first, second = drawn.pop("samples")
    return compare_samples(
        average_precision_score, first, second, paired=False, **drawn
    )


def rows_of(settings, replications):
    for setting in settings:
        draws = map(setting.draw, generators(setting.name, replications))
        # Several pairs reject if the smallest adjusted p-value does.
        rejected = [np.min(setting.ask(drawn).pvalue) <= LEVEL for drawn in draws]
        yield [setting.name, share(float(np.mean(rejected)))]


def settings():
    groups = (
        few_decide(),
        pairs(),
        of_units(),
        six_models(),
        months(),
        unequal(),
    )
    return {"Tests": [setting for group in groups for setting in group]}


TABLE = Table(settings, rows_of, 1_000, HEADERS, FOOTNOTE)
