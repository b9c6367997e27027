"""One row of the table per case: its time, and ratios to others."""

from .cases import LOOPED, SCIKIT_LEARN, SORT, Case
from .measure import peak_bytes, side_by_side

HEADERS = "case", "ms", "ours / np.sort", "scikit-learn / ours", "bytes per sample"
SHORT = 10_000  # samples: up to here, a call is also timed among other work
COLUMNS = f"""\
The columns hold the milliseconds of our call, and ratios of times. Of short calls, the second ratio is that
of a single call after other work, when code and data are not in the caches. Bytes are the most that a call
allocates at once beside its input, for large calls only. Calls take turns with one thread each, and the least
CPU time of each call counts. For queries, scikit-learn was timed on {LOOPED:,} of them, and its time
multiplied.

"""


def row_of(case: Case, seconds: float) -> list[str]:
    calls = {"ours": case.ours, **case.rivals}
    times = side_by_side(calls, seconds=seconds)
    timed, bytes_per_sample = [times], ""
    if case.samples <= SHORT:
        timed.append(side_by_side(calls, seconds=seconds, among_other_work=True))
    if case.samples >= 100_000:
        bytes_per_sample = f"{peak_bytes(case.ours) / case.samples:.1f}"
    of_sort, of_scikit_learn = "", ""
    if SORT in times:
        of_sort = f"{times['ours'] / times[SORT]:.2f}"
    if SCIKIT_LEARN in times:
        of_scikit_learn = " / ".join(
            f"{each[SCIKIT_LEARN] * case.looped / each['ours']:,.1f}" for each in timed
        )
    milliseconds = f"{times['ours'] * 1e3:,.3g}"
    return [case.name, milliseconds, of_sort, of_scikit_learn, bytes_per_sample]
