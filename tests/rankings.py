"""The steps of rankings by their definition, and scores that are hard to sort."""

from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from oracles import scores as oracle
from sklearn_ap._core.ranking.count_kernels import KeyKernel, ShortKernel
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rankings
from sklearn_ap._core.ranking.sum_kernels import SumKernel


def ranked_by(kernel, rows, ties=None, bounds=None):
    """Rank rows by the kernel of this name; None chooses as `rank` does."""
    bounds = bounds or (rows.score.min(), rows.score.max())
    if kernel is None:
        return rank(rows, tie_order=ties, bounds=bounds)
    if kernel == "short":
        sorted_rows = ShortKernel(rows)
    else:
        kernels = {"counted": KeyKernel, "summed": SumKernel}
        sorted_rows = kernels[kernel](rows, ties, bounds)
    found = sorted_rows.found_weight
    weighted = None if rows.weight is None else rows
    return Rankings(sorted_rows, rows.offsets, weighted, found, found)


NAMES = ("tp", "tp_above", "retrieved", "above", "rows_retrieved", "rows_above")


def steps_of(rankings):
    """Return the steps of all blocks."""
    blocks = list(rankings.kernel.blocks())
    steps = {
        name: [value for block in blocks for value in getattr(block, name).tolist()]
        for name in NAMES
    }
    steps["ranking"] = [
        ranking
        for block in blocks
        for ranking in np.repeat(block.ranking, block.length).tolist()
    ]
    return steps


def exact(score):
    """Return a score as a number that Python compares exactly."""
    value = score.item() if isinstance(score, np.generic) else score
    if isinstance(value, int):
        return value
    return float(value) if np.isinf(value) else Fraction(*value.as_integer_ratio())


def exact_rankings(rows, ties=None):
    """Return the rankings in fractions, with equal scores in the order `ties`."""
    rankings = []
    for begin, stop in pairwise(rows.offsets):
        part = slice(begin, stop)
        weight = None if rows.weight is None else rows.weight[part]
        one = oracle.ranking(rows.positive[part], map(exact, rows.score[part]), weight)
        if ties:
            one = oracle.in_order(next(oracle.orders(one, ties)))
        rankings.append(one)
    return rankings


def exact_steps(rows, ties=None):
    """Return the steps by their definition: the thresholds that gain a positive."""
    steps: dict[str, list] = {name: [] for name in (*NAMES, "ranking")}
    for ranking, one in enumerate(exact_rankings(rows, ties)):
        n_rows = accumulate(map(len, oracle.tied_groups(one)))
        points = [(*sums, n) for sums, n in zip(one.points, n_rows, strict=True)]
        for above, here in reversed([*pairwise([(0, 0, 0), *points])]):
            values = [value for pair in zip(here, above, strict=True) for value in pair]
            if values[0] > values[1]:  # tp
                for name, value in zip(steps, (*values, ranking), strict=True):
                    steps[name].append(float(value))
    return steps


SMALLEST, LARGEST = 5e-324, np.finfo(np.float64).max
INFINITE = np.inf, -np.inf
WIDE = np.longdouble(1) + np.arange(50) * np.finfo(np.longdouble).eps


def _bits(rng, size, around, dtype=np.float64):
    """Draw neighbouring floats, whose keys differ in the last few bits only."""
    integer = np.int64 if dtype == np.float64 else np.int32
    return (
        np.array(around, dtype=dtype).view(integer)
        + rng.integers(0, 40, size, dtype=integer)
    ).view(dtype)


def hard_scores(rng, n):
    """Draw scores of every kind, by name."""

    def one_of(*values, dtype=None):
        return rng.choice(np.array(values, dtype=dtype), n)

    sign = one_of(-1, 1)
    share, normal = rng.random(n), rng.normal(size=n)
    magnitude = 10.0 ** rng.uniform(-307, 308, n)
    few = rng.integers(0, 50, n)
    single = normal.astype(np.float32)
    all_single = (10.0 ** rng.uniform(-44, 38, n) * sign).astype(np.float32)
    return {
        "probabilities": share,
        "probabilities of few digits": share.round(2),
        "adjacent floats": _bits(rng, n, 0.7),
        "adjacent floats of both signs": _bits(rng, n, 3.0) * sign,
        # Only the keys of the first rows are rounded.
        "adjacent floats and others": np.where(
            np.arange(n) < 9, _bits(rng, n, 0.7), 0.25
        ),
        "subnormals": rng.integers(-20, 20, n) * SMALLEST,
        "zeros of both signs": one_of(0.0, -0.0, SMALLEST, -SMALLEST),
        "decision values and zeros": one_of(0.0, -0.0, 1.0) * normal * 3,
        "log-probabilities": np.log(share) * 100,
        "largest floats": one_of(LARGEST, -LARGEST, np.nextafter(LARGEST, 0)),
        "every magnitude and sign": magnitude * sign,
        "smallest and largest": one_of(SMALLEST, -SMALLEST, LARGEST, -LARGEST, 0, 1),
        "infinite and largest": one_of(*INFINITE, LARGEST, -LARGEST, SMALLEST, 0, 1),
        "infinite best": one_of(np.inf, LARGEST, 3.0, 2.0, 0.5),
        "infinite worst": one_of(-np.inf, -LARGEST, -3.0, -2.0, -0.5),
        "2 and its neighbours": one_of(2.0, -2.0, np.nextafter(2, 0), 1.0),
        "up to 1.9": share * 1.9,
        "constant": np.full(n, 0.25),
        "tied runs": np.arange(n) // 7 / 10,
        "float32": share.astype(np.float32),
        "adjacent float32": _bits(rng, n, -0.7, np.float32),
        "float32 of every magnitude": all_single,
        "float64 that holds float32": single.astype(float),
        "float64 that holds float32 of every magnitude": all_single.astype(float),
        # The keys of 32 bits are given up at a row that is neither largest nor central.
        "float64 that holds float32, and another": np.where(
            np.arange(n) == n - 2, 0.1, single.astype(float)
        ),
        "float64 beyond float32": single.astype(float) * 2.0**128,
        "float32 up to 1.9": (share * 1.9).astype(np.float32),
        "smallest and largest float32": one_of(
            1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38, 0, 1, dtype=np.float32
        ),
        "infinite float32": one_of(
            *INFINITE, 3.4028235e38, -3.4028235e38, 0, 1, dtype=np.float32
        ),
        "float16": normal.astype(np.float16),
        "float16 of every magnitude": one_of(
            6e-8, -6e-8, 65504, -65504, 0, dtype=np.float16
        ),
        "longdouble": rng.choice(WIDE, n),
        "infinite longdouble": rng.choice(np.append(WIDE[:4], INFINITE), n),
        "int64 extremes": one_of(
            -(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 2, 0, 1, dtype=np.int64
        ),
        "large int64": 2**62 + few,
        "uint64 extremes": few.astype(np.uint64) + np.uint64(2**64 - 50),
        "uint64 from 0": one_of(0, 1, 2**64 - 1, dtype=np.uint64),
        "int8": rng.integers(-128, 128, n).astype(np.int8),
        "int32 extremes": one_of(-(2**31), 2**31 - 1, 0, -1, dtype=np.int32),
        "hard labels": share < 0.5,
    }


HARD_SCORES = tuple(hard_scores(np.random.default_rng(0), 1))
