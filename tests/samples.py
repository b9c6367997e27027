"""A sample of a large product of cases, in which every two values still meet."""

from collections.abc import Iterable
from itertools import combinations
from random import Random
from typing import Any


def covering(cases: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return some of the cases, the same in every run, which hold all pairs of values
    that stand together.

    A fault shows in all cases, in those of one value, or in those of two: these are
    found. Only a fault that three values must meet to show may be missed.
    """
    drawn = list(cases)
    # else the first values of each axis meet more often than the last
    Random(0).shuffle(drawn)
    pairs = [set(combinations(enumerate(case), 2)) for case in drawn]
    seen: set[Any] = set()
    chosen: set[int] = set()
    # first the cases that add most
    for least in range(max(map(len, pairs), default=0), 0, -1):
        for i, of_case in enumerate(pairs):
            if len(of_case - seen) >= least:
                chosen.add(i)
                seen |= of_case
    return [drawn[i] for i in sorted(chosen)]
