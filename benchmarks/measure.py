"""Time several calls side by side, and trace the memory of one."""

import resource
import time
import tracemalloc
from collections.abc import Callable
from itertools import cycle
from timeit import Timer

Call = Callable[[], object]
_SHORTEST = 2e-3  # seconds: shorter calls are repeated, and timed together


def side_by_side(calls, *, seconds, clock=time.thread_time):
    """Return the least time of each call, in seconds.

    The calls take turns, so that a slow moment of a shared machine affects all of them.
    `clock` is the CPU time of one thread, or `process_time` where a competitor has
    threads of its own.
    """
    timers = {name: Timer(call, timer=clock) for name, call in calls.items()}
    repeats = {}
    for name, timer in timers.items():
        timer.timeit(1)  # imports, caches
        repeats[name] = max(1, round(_SHORTEST / max(timer.timeit(1), 1e-7)))
    best = dict.fromkeys(calls, float("inf"))
    begin, rounds = time.perf_counter(), 0
    while rounds < 3 or (time.perf_counter() - begin < seconds and rounds < 100):
        for name, timer in timers.items():
            taken = timer.timeit(repeats[name]) / repeats[name]
            best[name] = min(best[name], taken)
        rounds += 1
    return best


def in_turn(calls):
    """Return a call that makes the next of these calls each time. A processor remembers
    the branches of one array that is sorted again and again, but not those of many.
    """
    following = cycle(calls)

    def call():
        next(following)()

    return call


def page_faults(call, repeats=5):
    """Return the pages that the system maps per call, if the memory of the call before
    was returned to it.
    """
    call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(repeats):
        call()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / repeats


def peak_bytes(call):
    """Return the most memory that a call allocates at once, beyond the memory in use
    before the call.
    """
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
