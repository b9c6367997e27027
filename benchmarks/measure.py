"""Time several calls side by side, and trace the memory of one."""

import time
import tracemalloc
from collections.abc import Callable
from timeit import Timer

import numpy as np

Call = Callable[[], object]
# float64 numbers: more than the second-level cache of a core and its share of the third
_CACHES = 4_000_000
_SHORTEST = 2e-3  # seconds: shorter calls are repeated, and timed together


def side_by_side(calls, *, seconds, clock=time.thread_time, among_other_work=False):
    """Return the least time of each call, in seconds.

    The calls take turns, so that a slow moment of a shared machine affects all of them.
    `clock` is the CPU time of one thread, or `process_time` where a competitor has
    threads of its own.

    In a loop, a call finds its code and data in the caches of the processor. In a
    program it seldom does, so `among_other_work` reads an array that fills the caches
    before each call, and repeats none.
    """
    timers = {name: Timer(call, timer=clock) for name, call in calls.items()}
    other_work = np.ones(_CACHES if among_other_work else 0)
    repeats = dict.fromkeys(calls, 1)
    for name, timer in timers.items():
        timer.timeit(1)  # imports, caches
        taken = timer.timeit(1)
        if not among_other_work:
            repeats[name] = max(1, round(_SHORTEST / max(taken, 1e-7)))
    best = dict.fromkeys(calls, float("inf"))
    begin, rounds = time.perf_counter(), 0
    while rounds < 3 or (time.perf_counter() - begin < seconds and rounds < 100):
        for name, timer in timers.items():
            other_work.sum()
            taken = timer.timeit(repeats[name]) / repeats[name]
            best[name] = min(best[name], taken)
        rounds += 1
    return best


def peak_bytes(call):
    """Return the most memory that a call allocates at once, beyond the memory in use
    before the call.
    """
    call()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
