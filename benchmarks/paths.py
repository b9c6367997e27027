"""How long calls take without paths that only save time, as multiples of their time:
`python -m benchmarks.paths`.
"""

import sys
from functools import partial

import numpy as np

from sklearn_ap import average_precision_at_k_score

from .measure import in_turn, side_by_side
from .tables import lines_of, show, show_machine

# A size that chooses a path, its value without the path, the number of rows, and what
# the rows have.
PATHS = """
_SHORT_ROWS         0           100     scores
_SHORT_ROWS         0           2000    scores
_ROWS_PER_POSITIVE  100000000   10000    rare positives
_ROWS_PER_POSITIVE  100000000   1000000  rare positives
_PLAIN_ROWS         0           100     weights
_PLAIN_ROWS         0           1000    weights
PIECE_ROWS          8192        100000  scores
PIECE_ROWS          49152       100000  scores
_ENTRIES_PER_VALUE  0           200000  queries
_SETS               100000000   100000  a cut
"""
SECONDS = 5


def call_of(n, kind, seed):
    """Return a call with rows that no call had before."""
    rng = np.random.default_rng(seed)
    of_kind = {
        "scores": {},
        "rare positives": {},
        "weights": {"sample_weight": rng.random(n) + 0.5},
        "queries": {"query_id": np.sort(rng.integers(0, n // 10, n))},
        "a cut": {"k": 20},
    }
    options = {"k": None, "zero_division": 0.0, **of_kind[kind]}
    share = 0.005 if kind == "rare positives" else 0.5
    rows = rng.random(n) < share, rng.random(n)
    return partial(average_precision_at_k_score, *rows, **options)


def call_with(value, size, places, call):
    """Make a call with this value of a size, which several modules import."""
    for names in places:
        names[size] = value
    call()


def row_of(size, without, n, kind):
    """Return a row of the table, with the ratio of times without and with a path."""
    call = in_turn([call_of(n, kind, seed) for seed in range(50)])
    places = [vars(module) for module in sys.modules.values() if hasattr(module, size)]
    value = places[0][size]
    calls = {
        each: partial(call_with, each, size, places, call) for each in (without, value)
    }
    times = side_by_side(calls, seconds=SECONDS)
    calls[value]()
    ratio = times[without] / times[value]
    return f"{size} = {without:,}", f"{n:,}", kind, f"{ratio:.2f}"


if __name__ == "__main__":
    show_machine()
    rows = (row_of(*path) for path in lines_of(PATHS))
    show("Paths", ("size", "rows", "with", "time"), rows)
