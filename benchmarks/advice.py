"""Samples before and after the advice of a warning is followed: `python -m
benchmarks.coverage --table advice`.
"""

from functools import partial

import numpy as np
from scipy.stats import norm

from .drawn_settings import labelled, rows_of_units
from .populations import normal, to_score
from .settings import Setting, estimate, of_rows, weighted
from .tables import lines_of

LOW = to_score(0.02, 0.0104, "spread out")
HALF, RARE, OF_UNITS = normal(0.1, 1.9), normal(0.02, 1.6), normal(1 / 15, 1.5)
# The number of negatives in each query, and a power: above 1, more of them have high
# scores.
NEGATIVES = """
12 negatives at random           12  1
60 negatives at random           60  1
24 negatives drawn with weights  24  2
"""


def of_queries(n, power, rng):
    """Four fixed queries with 30 positives and `n` negatives each."""
    unit, fall_out = np.arange(120 + 4 * n), rng.random(4 * n) ** power
    return {
        "y_true": unit < 120,
        "y_score": np.append(rng.normal(1.6, size=120), norm.isf(fall_out)),
        "sample_weight": np.append(np.ones(120), fall_out ** (1 - 1 / power)),
        "query_id": unit % 4,
        "unit_id": unit,
    }


def of_large_units(n, rng):
    """`n` units of 300 negatives, and 150 times as many units of one row."""
    unit, noise = rows_of_units(rng, 151 * n, np.tile([1] * 150 + [300], n))
    share = 0.2 * (unit % 151 < 150)
    return labelled(rng, share, 1.5, noise) | {"unit_id": unit}


def settings():
    return {
        "few_positives": [of_rows(f"{n} rows", n, HALF) for n in (20, 300)],
        "few_positives, recall levels": [
            of_rows(kind, 2_700, LOW, kind) for kind in ("11 points", "interpolated")
        ],
        "missing_negatives, fixed queries": [
            Setting(
                name,
                partial(of_queries, *row),
                lambda: RARE.average_precision,
                estimate(prevalence=0.02),
            )
            for name, *row in lines_of(NEGATIVES)
        ],
        "missing_negatives, units": [
            Setting(
                f"{151 * n} units",
                partial(of_large_units, n),
                lambda: OF_UNITS.average_precision,
            )
            for n in (1, 10)
        ],
        "dependent_weights": [
            weighted("1,000 rows with weights", 1_000, HALF, 1.5, 0.9),
            of_rows("1,000 rows drawn by weight", 1_000, HALF),
        ],
    }
