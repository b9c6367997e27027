"""A sample of a large product of cases, in which every two values still meet."""

from collections.abc import Hashable, Iterable
from heapq import heapify, heappop, heappush
from itertools import combinations, product
from random import Random
from typing import Any

__all__ = ["covering", "covering_product"]


def covering(cases: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return some of the cases, the same in every run, which hold all pairs of values
    that stand together.

    A fault shows in all cases, in those of one value, or in those of two: these are
    found. Only a fault that three values must meet to show may be missed.
    """
    drawn = list(cases)
    # else the first values of each axis meet more often than the last
    Random(0).shuffle(drawn)
    pairs = [set(combinations(enumerate(map(_key, case)), 2)) for case in drawn]
    seen: set[Any] = set()
    chosen = []
    most = [(-len(pairs[i]), i) for i in range(len(drawn))]
    heapify(most)
    while most:
        _, i = heappop(most)
        pairs[i] -= seen
        if not pairs[i]:
            continue
        # what others add may have become less, too, never more
        if most and -len(pairs[i]) > most[0][0]:
            heappush(most, (-len(pairs[i]), i))
            continue
        chosen.append(i)
        seen |= pairs[i]
    return [drawn[i] for i in sorted(chosen)]


def covering_product(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return a covering sample of all ways to choose a value of each axis."""
    return covering(product(*axes))


def _key(value: Any) -> Hashable:
    """What tells a value from others: 1 is not True."""
    return (type(value), value) if isinstance(value, Hashable) else id(value)
