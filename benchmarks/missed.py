"""Settings in which objects are missed together: `python -m benchmarks.coverage --table
missed`.

In dark images, no object has a box. At ten overlaps, a box matches its object at all
overlaps up to its own, so an object that is missed at one overlap is missed at all
higher ones. The images of the missed objects are passed, or only their number per
class.
"""

from functools import partial

import numpy as np

from sklearn_ap import interpolated_average_precision_score

from .settings import Setting, estimate
from .tables import lines_of

MANY = 100_000  # images, whose score is nearly that of the population
LEVELS = 101
# Images, classes, objects per image and class, the share of dark images, the share of
# objects with a box in other images, and the number of overlaps.
DRAWN = """
100  1  3    .3   .9   1
400  1  3    .3   .9   1
100  1  8    .2   .9   1
200  5  1    .25  .9   1
 40  5  1    .25  .9   1
300  1  .8   0    .85  10
300  1  .8   0    .6   10
150  2  .8   .2   .9   10
"""


def rows_of_images(setting, by_image, rng, n_images=0):
    """Return the arguments of a score. Queries are classes at overlaps."""
    n, n_classes, per_image, dark, found, n_overlaps = setting
    n = n_images or n
    shift, is_dark = 0.4 * rng.normal(size=n), rng.random(n) < dark
    parts, totals = [], {}
    for kind in range(n_classes):
        objects = rng.poisson(per_image, n)
        boxed = np.arange(n).repeat(rng.binomial(objects, found * ~is_dark))
        false = np.arange(n).repeat(rng.poisson(per_image, n))
        image = np.append(boxed, false)
        # The overlap of a box with its object; that of a false box is 0.
        overlap = np.append(rng.beta(25, 1, boxed.size), np.zeros(false.size))
        score = rng.normal(size=image.size) + shift[image] + 2.5 * overlap
        for place, least in enumerate(np.linspace(0.5, 0.95, n_overlaps)):
            query = n_overlaps * kind + place
            parts.append((overlap > least, score, np.full(image.size, query), image))
            each = {(query, i): k for i, k in enumerate(objects.tolist())}
            totals |= each if by_image else {query: objects.sum()}
    names = "y_true", "y_score", "query_id", "unit_id"
    columns = map(np.concatenate, zip(*parts, strict=True))
    return dict(zip(names, columns, strict=True)) | {"n_positives": totals}


def value_of(setting):
    """Return the score of the population."""
    rows = rows_of_images(setting, False, np.random.default_rng(0), MANY)
    del rows["unit_id"]
    return interpolated_average_precision_score(**rows, recall_levels=LEVELS)


def settings():
    ask = estimate("interpolated_average_precision", recall_levels=LEVELS)
    titles = {"Objects of each image": True, "Objects of each class": False}
    return {
        title: [
            Setting(
                "{} images, {} classes, {:g} objects, {:.0%} dark, "
                "{:.0%} boxed, {} overlaps".format(*line),
                partial(rows_of_images, line, by_image),
                partial(value_of, line),
                ask,
            )
            for line in lines_of(DRAWN)
        ]
        for title, by_image in titles.items()
    }
