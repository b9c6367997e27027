"""One row of the table per case: its ratios and, for developers, whether they meet the goals."""

from .cases import BY_HAND, LOOPED, SCIKIT_LEARN, SORT, STEP, Case
from .measure import one_at_a_time, peak_bytes, side_by_side

HEADERS = ("case", "ms", "ours / np.sort", "ours / by hand", "scikit-learn / ours", "bytes per sample")
GOALS = ("goal", "met")  # further columns
SHORT = 10_000  # samples: up to here, a call is also timed among other work
COLUMNS = f"""\
The columns hold the milliseconds of our call, and ratios of times. "1.12 of step" is the ratio to our step
AP. "By hand" is a dozen lines of numpy without checks (`benchmarks/by_hand.py`). Of short calls, the second
ratio is that of a single call after other work, when code and data are not in the caches. Bytes are the most
that a call holds at once beside its input, for large calls only. Calls take turns with one thread each, and
the least CPU time of each call counts. For queries and for samples, scikit-learn was timed on {LOOPED:,} of
them, and its time multiplied.

"""


def row_of(case: Case, seconds: float, *, with_goals: bool = False) -> list[str]:
    times = side_by_side({"ours": case.ours, **case.rivals}, seconds=seconds)
    ratio = _ratios(case, times)
    alone = {}
    if case.samples <= SHORT:
        alone = _ratios(case, one_at_a_time({"ours": case.ours, **case.rivals}, seconds=seconds))
    memory = peak_bytes(case.ours) / case.samples
    against_step = f" ({1 / ratio[STEP]:.2f} of step)" if STEP in ratio else ""
    row = [
        case.name,
        f"{times['ours'] * 1e3:,.3g}",
        f"{1 / ratio[SORT]:.2f}{against_step}" if SORT in ratio else "",
        " / ".join(f"{1 / one[BY_HAND]:.2f}" for one in (ratio, alone) if BY_HAND in one),
        " / ".join(f"{one[SCIKIT_LEARN]:,.1f}" for one in (ratio, alone) if SCIKIT_LEARN in one),
        f"{memory:.1f}" if case.samples >= 100_000 else "",
    ]
    return [*row, *goals_of(case, ratio, memory)] if with_goals else row


def _ratios(case: Case, times: dict[str, float]) -> dict[str, float]:
    """Return the time of each rival over ours."""
    rivals = {name: time * case.scale.get(name, 1) for name, time in times.items() if name != "ours"}
    return {name: time / times["ours"] for name, time in rivals.items()}


def goals_of(case: Case, ratio: dict[str, float], memory: float) -> tuple[str, str]:
    """Return the goals of a case, and whether the case meets them."""
    goals, met = [], []
    for name, limit in case.at_most.items():
        goals.append(f"<= {limit:g} {name}")
        met.append(1 / ratio[name] <= limit)
    for name, limit in case.at_least.items():
        goals.append(f">= {limit:,g} x {name}")
        met.append(ratio[name] >= limit)
    if case.bytes_at_most is not None:
        goals.append(f"<= {case.bytes_at_most:g} bytes")
        met.append(memory <= case.bytes_at_most)
    return ", ".join(goals), ", ".join("yes" if one else "no" for one in met)
