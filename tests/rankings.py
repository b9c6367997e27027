"""Steps of a ranking by definition, and scores that are hard to sort."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Kernel, Rankings, Rows
from sklearn_ap._core.ranking.unweighted import PackedKernel, PlainKernel, packing_of
from sklearn_ap._core.ranking.weighted import (
    PlainWeightedKernel,
    SummedKernel,
    merged_rows,
    rows_near_positives,
    sorted_by_lexsort,
    sorted_by_packed_rows,
)


def ranked(
    positive: Any, score: Any, weight: Any, offsets: Any, **options: Any
) -> Rankings:
    """What `rank` makes of these rows."""
    return rank(Rows(positive, score, weight, offsets), **options)


def ranked_by(
    kernel: str, rows: Rows, ties: Any = None, bounds: Any = None
) -> Rankings:
    """Rank these rows by a kernel; if it cannot sort them, by the one that sorts any."""
    sorted_rows = _kernel(kernel, rows, ties, bounds)
    if sorted_rows is None:
        sorted_rows = SummedKernel(*sorted_by_lexsort(rows, ties), rows)
    found = sorted_rows.found_weight
    weighted = None if rows.weight is None else rows
    return Rankings(sorted_rows, rows.offsets, weighted, found, found)


def _kernel(name: str, rows: Rows, ties: Any, bounds: Any) -> Kernel | None:
    packing = packing_of(rows.score, *(bounds or (rows.score.min(), rows.score.max())))
    match name:
        case "plain" if rows.weight is None:
            return PlainKernel(rows.positive, rows.score)
        case "plain":
            return PlainWeightedKernel(rows.positive, rows.score, rows.weight)
        case "merged" if rows.weight is not None:
            merged = merged_rows(rows.positive, rows.score, rows.weight)
            return None if merged is None else PlainWeightedKernel(*merged)
        case "near" if rows.weight is not None:
            near = rows_near_positives(*rows.flat(), at_most=1.0)
            return None if near is None else PlainWeightedKernel(*near)
        case "packed" if packing is not None:
            packed = PackedKernel(rows, packing, ties)
            return packed if packed.is_exact else None
        case "packed rows" if packing is not None:
            bounds = bounds or (rows.score.min(), rows.score.max())
            in_order = sorted_by_packed_rows(
                rows, packing, bounds, stable=ties == "stable"
            )
            return None if in_order is None else SummedKernel(*in_order, rows)
        case "merged" | "near" | "packed" | "packed rows" | "lexsort":
            return None
    raise NotImplementedError(name)


NAMES = ("tp", "tp_above", "retrieved", "above", "rows_retrieved", "rows_above")


def steps_of(rankings: Any) -> dict[str, list]:
    """All steps at once."""
    blocks = list(rankings.kernel.blocks())
    if not blocks:
        return {name: [] for name in (*NAMES, "ranking")}
    steps = {
        name: np.concatenate([getattr(s, name) for s in blocks]).tolist()
        for name in NAMES
    }
    steps["ranking"] = np.concatenate(
        [np.repeat(s.ranking, s.length) for s in blocks]
    ).tolist()
    return steps


def exact(score: Any) -> Any:
    """A score as a number that Python orders exactly."""
    value = score.item() if isinstance(score, np.generic) else score
    return value if isinstance(value, int) else Fraction(*value.as_integer_ratio())


def exact_steps(
    positive: Any, score: Any, weight: Any, offsets: Any, ties: str | None
) -> dict[str, list]:
    """The steps by definition: Python's own sort, and sums of fractions."""
    steps: dict[str, list] = {name: [] for name in (*NAMES, "ranking")}
    for ranking, (begin, stop) in enumerate(pairwise(offsets)):
        rows = _in_order(positive, score, range(begin, stop), ties)
        groups = [[row] for row in rows] if ties else _tied_groups(score, rows)
        for step in reversed(_steps_of_groups(positive, weight, groups)):
            for name, value in zip(NAMES, step, strict=True):
                steps[name].append(float(value))
            steps["ranking"].append(ranking)
    return steps


def _in_order(
    positive: Any, score: Any, rows: Iterable[int], ties: str | None
) -> list[int]:
    """Rows by descending score, and equal scores as `ties` says: by label, or as they
    stand.
    """
    # what comes first among equal scores
    first = {"optimistic": -1, "pessimistic": 1}.get(ties, 0)
    return sorted(rows, key=lambda i: (-exact(score[i]), first * int(positive[i]), i))


def _tied_groups(score: Any, rows: Iterable[int]) -> list[list[int]]:
    return [list(group) for _, group in groupby(rows, key=lambda i: exact(score[i]))]


def _steps_of_groups(
    positive: Any, weight: Any, groups: Iterable[list[int]]
) -> list[tuple]:
    """What stands at and above each group that holds a positive, in the order of
    `NAMES`.
    """
    steps = []
    tp = retrieved = Fraction(0)
    rows = 0
    for group in groups:
        heavy = [Fraction(1) if weight is None else Fraction(weight[i]) for i in group]
        gained = sum(
            (w for w, i in zip(heavy, group, strict=True) if positive[i]), Fraction(0)
        )
        after = (tp + gained, retrieved + sum(heavy), rows + len(group))
        if gained:
            steps.append((after[0], tp, after[1], retrieved, after[2], rows))
        tp, retrieved, rows = after
    return steps


SMALLEST, LARGEST = 5e-324, np.finfo(np.float64).max
WIDE = np.longdouble(1) + np.arange(50) * np.finfo(np.longdouble).eps


def _bits(
    rng: np.random.Generator, size: int, around: float, dtype: type = np.float64
) -> np.ndarray:
    """Floats next to each other, whose keys agree but for the last few bits."""
    integer = np.int64 if dtype == np.float64 else np.int32
    return (
        np.array(around, dtype=dtype).view(integer)
        + rng.integers(0, 40, size, dtype=integer)
    ).view(dtype)


# name: (random generator, size) -> scores
HARD_SCORES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "probabilities": lambda rng, n: rng.random(n),
    "probabilities of few digits": lambda rng, n: rng.random(n).round(2),
    "adjacent floats": lambda rng, n: _bits(rng, n, 0.7),
    "adjacent floats above 2": lambda rng, n: _bits(rng, n, 1e10),
    "adjacent floats of both signs": lambda rng, n: (
        _bits(rng, n, 3.0) * rng.choice([-1, 1], n)
    ),
    "subnormals": lambda rng, n: rng.integers(-20, 20, n) * SMALLEST,
    "zeros of both signs": lambda rng, n: rng.choice(
        [0.0, -0.0, SMALLEST, -SMALLEST], n
    ),
    "zeros of both signs and 3": lambda rng, n: rng.choice([0.0, -0.0, 3.0, -3.0], n),
    "decision values": lambda rng, n: rng.normal(size=n) * 3,
    "decision values and zeros": lambda rng, n: (
        rng.choice([0.0, -0.0, 1.0], n) * rng.normal(size=n) * 3
    ),
    "log-probabilities": lambda rng, n: np.log(rng.random(n)) * 100,
    "counts as floats": lambda rng, n: rng.poisson(3, n).astype(float),
    "largest floats": lambda rng, n: rng.choice(
        [LARGEST, -LARGEST, np.nextafter(LARGEST, 0)], n
    ),
    "every magnitude": lambda rng, n: 10.0 ** rng.uniform(-307, 308, n),
    "every magnitude and sign": lambda rng, n: (
        10.0 ** rng.uniform(-307, 308, n) * rng.choice([-1, 1], n)
    ),
    "smallest and largest": lambda rng, n: rng.choice(
        [SMALLEST, -SMALLEST, LARGEST, -LARGEST, 0, 1], n
    ),
    "2 and its neighbours": lambda rng, n: rng.choice(
        [2.0, -2.0, np.nextafter(2, 0), 1.0], n
    ),
    "2 and 1": lambda rng, n: rng.choice([2.0, 1.0], n),
    "-2 and 1": lambda rng, n: rng.choice([-2.0, 1.0], n),
    "float32 of 2 and 1": lambda rng, n: rng.choice(np.float32([2, 1]), n),
    "float32 of -2 and 1": lambda rng, n: rng.choice(np.float32([-2, 1]), n),
    "constant": lambda rng, n: np.full(n, 0.25),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
    "adjacent float32": lambda rng, n: _bits(rng, n, -0.7, np.float32),
    "float32 of both signs": lambda rng, n: (rng.normal(size=n) * 5).astype(np.float32),
    "float32 of every magnitude": lambda rng, n: (
        10.0 ** rng.uniform(-44, 38, n) * rng.choice([-1, 1], n)
    ).astype(np.float32),
    "float16": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "float16 of every magnitude": lambda rng, n: rng.choice(
        [6e-8, -6e-8, 65504, -65504, 0], n
    ).astype("f2"),
    "longdouble": lambda rng, n: rng.choice(WIDE, n),
    "int64 extremes": lambda rng, n: rng.choice(
        [-(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 2, 0, 1], n
    ).astype(np.int64),
    "large int64": lambda rng, n: 2**62 + rng.integers(0, 50, n),
    "low int64": lambda rng, n: -(2**63) + rng.integers(0, 50, n),
    "uint64 extremes": lambda rng, n: (
        rng.integers(0, 50, n, dtype=np.uint64) + np.uint64(2**64 - 50)
    ),
    "uint64 from 0": lambda rng, n: rng.choice(
        np.array([0, 1, 2**64 - 1], dtype=np.uint64), n
    ),
    "int8": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "uint8": lambda rng, n: rng.integers(0, 256, n).astype(np.uint8),
    "int32 extremes": lambda rng, n: rng.choice([-(2**31), 2**31 - 1, 0, -1], n).astype(
        np.int32
    ),
    "hard labels": lambda rng, n: rng.random(n) < 0.5,
}
