"""How many digits weighted sums keep: a million weights against `math.fsum`."""

import math

import numpy as np
from sklearn.metrics import average_precision_score

import sklearn_ap

SIZE, DEPTHS = 1_000_000, 40
WEIGHTS = {
    "uniform in (0, 1)": lambda rng: rng.random(SIZE),
    "lognormal, sigma 1": lambda rng: rng.lognormal(0, 1, SIZE),
    "lognormal, sigma 8": lambda rng: rng.lognormal(0, 8, SIZE),
    "tenths": lambda rng: rng.integers(1, 30, SIZE) / 10,
}


def exact(positive: np.ndarray, weight: np.ndarray) -> float:
    """AP of rows sorted from the best score down, by sums of 64-bit significands and `math.fsum`."""
    heavy = weight.astype(np.longdouble)
    tp, retrieved = np.cumsum(heavy * positive), np.cumsum(heavy)
    gained = heavy * positive
    return math.fsum((gained * tp / retrieved).astype(float).tolist()) / math.fsum(weight[positive].tolist())


def rows() -> list[list[str]]:
    """Return one row per distribution: the largest relative errors of sums and of AP."""
    if np.finfo(np.longdouble).nmant < 63:
        return [["not measured: this machine's longdouble is float64", "", "", ""]]
    table = []
    for name, draw in WEIGHTS.items():
        rng = np.random.default_rng(1)
        weight, positive = draw(rng), rng.random(SIZE) < 0.5
        score = np.linspace(1, 0, SIZE)
        _, hits, _ = sklearn_ap.hit_curve(positive, score, sample_weight=weight)
        _, retrieved, _ = sklearn_ap.hit_curve(np.ones(SIZE), score, sample_weight=weight)
        total = math.fsum(weight.tolist())
        errors = []
        for depth in np.linspace(SIZE // DEPTHS, SIZE, DEPTHS).astype(int).tolist():
            best = weight[:depth]
            errors.append(retrieved[depth] / (math.fsum(best.tolist()) / total) - 1)
            errors.append(hits[depth] / (math.fsum(best[positive[:depth]].tolist()) / total) - 1)
        reference = exact(positive, weight)
        ours = sklearn_ap.average_precision_score(positive, score, sample_weight=weight)
        theirs = average_precision_score(positive, score, sample_weight=weight)
        cells = [np.abs(errors).max(), abs(ours / reference - 1), abs(theirs / reference - 1)]
        table.append([name, *(f"{cell:.0e}" for cell in cells)])
    return table
