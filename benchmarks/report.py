"""One row of the table per case: its ratios, and whether they meet the goals."""

from .cases import LOOPED, SCIKIT_LEARN, SORT, STEP, Case
from .measure import peak_bytes, side_by_side

HEADERS = (
    "case",
    "ms",
    "ours / np.sort",
    "scikit-learn / ours",
    "bytes per sample",
    "goal",
    "met",
)
SHORT = 10_000  # samples: up to here, a call is also timed among other work
COLUMNS = f"""\
The columns hold the milliseconds of our call, and ratios of times. "1.12 of step" is the ratio to our step
AP. Of short calls, the second ratio is that of a single call after other work, when code and data are not in
the caches. Bytes are the most that a call allocates at once beside its input, for large calls only. Calls
take turns with one thread each, and the least CPU time of each call counts. For queries and for samples,
scikit-learn was timed on {LOOPED:,} of them, and its time multiplied.

"""


def row_of(case: Case, seconds: float) -> list[str]:
    calls = {"ours": case.ours, **case.rivals}
    times = side_by_side(calls, seconds=seconds)
    ratio = ratios(case, times)
    memory = peak_bytes(case.ours) / case.samples
    each = [ratio]
    if case.samples <= SHORT:
        each.append(
            ratios(case, side_by_side(calls, seconds=seconds, among_other_work=True))
        )
    against_step = f" ({1 / ratio[STEP]:.2f} of step)" if STEP in ratio else ""
    return [
        case.name,
        f"{times['ours'] * 1e3:,.3g}",
        f"{1 / ratio[SORT]:.2f}{against_step}" if SORT in ratio else "",
        " / ".join(
            f"{against[SCIKIT_LEARN]:,.1f}"
            for against in each
            if SCIKIT_LEARN in against
        ),
        f"{memory:.1f}" if case.samples >= 100_000 else "",
        *goals_of(case, ratio, memory),
    ]


def ratios(case: Case, times: dict[str, float]) -> dict[str, float]:
    """Return the time of each rival over ours."""
    factors = {SCIKIT_LEARN: case.looped}
    return {
        name: times[name] * factors.get(name, 1) / times["ours"] for name in case.rivals
    }


def goals_of(case: Case, ratio: dict[str, float], memory: float) -> tuple[str, str]:
    """Return the goals of a case, and whether the case meets them."""
    goals = [
        (f"<= {limit:g} {name}", 1 / ratio[name] <= limit)
        for name, limit in case.at_most.items()
    ]
    goals += [
        (f">= {limit:g} x {name}", ratio[name] >= limit)
        for name, limit in case.at_least.items()
    ]
    if case.bytes_at_most is not None:
        goals.append((f"<= {case.bytes_at_most:g} bytes", memory <= case.bytes_at_most))
    return ", ".join(goal for goal, _ in goals), ", ".join(
        "yes" if met else "no" for _, met in goals
    )
