"""How much more time and memory public functions take for four times as many rows:
`python -m benchmarks.growth`.
"""

import argparse
import time
import warnings
from functools import partial
from inspect import signature

import numpy as np

import sklearn_ap as ap

from .measure import peak_bytes
from .tables import show, show_machine

# The most that a ratio may be. A sort of four times as many rows takes up to 4.4 times
# as long, and times vary with the other work of the machine.
MOST_TIME, MOST_MEMORY = 5.5, 4.5
# Rows are doubled until a call takes these seconds, or has this number of rows. Arrays
# of more rows are mapped anew by each call, whose page faults would be measured, too.
SECONDS, LARGEST = 0.02, 200_000
HEADERS = "function", "kinds", "time", "for", "memory", "for"
AP = "average_precision"


def structures(n):
    """Return the arguments for twelve kinds of about n rows, by kind."""
    rng, row = np.random.default_rng(0), np.arange(n)
    rows = {"y_true": rng.random(n) < 0.2, "y_score": rng.random(n)}
    return {
        "distinct scores": rows,
        "ties": rows | {"y_score": rows["y_score"].round(2)},
        "weights": rows | {"sample_weight": rng.lognormal(size=n)},
        "missed positives": rows | {"n_positives": n},
        "few queries": rows | {"query_id": row % 5},
        "many queries": rows | {"query_id": row // 5},
        "text queries": rows | {"query_id": (row // 5).astype(str)},
        "units": rows | {"unit_id": row // 5},
        "fixed queries": rows | {"query_id": row // 5, "unit_id": row},
        "labels": {name: rows[name].reshape(-1, 5) for name in rows},
        "many labels": {name: rows[name].reshape(5, -1) for name in rows},
        "many levels": rows | {"recall_levels": n // 10},
    }


def batches(y_true, y_score):
    """Return the score of a state that is updated with 20 rows at a time."""
    state = ap.distributed.RankingState()
    for low in range(0, y_true.size, 20):
        state.update(y_true[low : low + 20], y_score[low : low + 20])
    return state.score()


def lists(y_true, y_score, query_id):
    """Return the rows of dictionaries as other packages have them."""
    relevant, retrieved = ({query: {} for query in query_id.tolist()} for _ in range(2))
    columns = query_id.tolist(), y_true.tolist(), y_score.tolist()
    for place, (query, label, score) in enumerate(zip(*columns, strict=True)):
        relevant[query][place], retrieved[query][place] = int(label), score
    return ap.read_lists(relevant, retrieved)


def compared(y_true, y_score, **options):
    return ap.compare_scores(AP, y_true, y_score, -y_score, **options)


def compared_many(y_true, y_score, **options):
    scores = {"a": y_score, "b": -y_score, "c": y_score * y_true}
    return ap.compare_many(AP, y_true, scores, **options)


def compared_samples(y_true, y_score, **options):
    first = {"y_true": y_true, "y_score": y_score, **options}
    return ap.compare_samples(AP, first, first | {"y_score": -y_score}, paired=False)


def display(kind, options, **rows):
    kind.from_predictions(**rows, **options).figure_.clear()


def functions():
    """Return a call of each function that takes labels and scores, by function."""
    needed = {"k": 10, "recall": 0.5, "precision": 0.5, "interpolation": "linear"}
    calls = {}
    for name in ap.__all__:
        if name.endswith(("_by_chance", "_curve", "_score")):
            function = getattr(ap, name)
            keys = needed.keys() & signature(function).parameters
            calls[name] = partial(function, **{key: needed[key] for key in keys})
    with_band = partial(display, ap.PrecisionRecallDisplay, {"plot_band": True})
    return calls | {
        "score_by_query": partial(ap.score_by_query, AP),
        "estimate_score": partial(ap.estimate_score, AP),
        "compare_scores": compared,
        "compare_many": compared_many,
        "compare_samples": compared_samples,
        "operating_point": partial(ap.operating_point, recall=0.5),
        "budget_totals": partial(ap.budget_totals, k=2),
        "score_as": partial(ap.compatibility.score_as, "VOC 2007"),
        "compare_conventions": ap.compatibility.compare_conventions,
        "identify": partial(ap.compatibility.identify, 0.5),
        "read_lists": lists,
        "RankingState": batches,
        "PrecisionRecallDisplay": with_band,
        "HitCurveDisplay": partial(display, ap.HitCurveDisplay, {}),
        "report": lambda **rows: ap.report(**rows)._repr_html_(),
    }


def takes(call, rows):
    """Return whether a function takes such rows. Each raises an error for others."""
    try:
        call(**rows)
    except (TypeError, ValueError):
        return False
    return True


def _seconds(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def ratios(call, kind):
    """Return the ratios of time and memory of a call for 4n rows and for n rows."""
    n, taken = 1_000, 0.0
    while taken < SECONDS and n < LARGEST:
        n *= 2
        taken = _seconds(partial(call, **structures(n)[kind]))
    small, large = (partial(call, **structures(size)[kind]) for size in (n, 4 * n))
    times = [min(_seconds(each) for _ in range(3)) for each in (small, large)]
    memory = [peak_bytes(each) for each in (small, large)]
    return times[1] / times[0], memory[1] / memory[0]


def row(name, call):
    """Return the largest ratios of a function, and the kinds of rows that have them."""
    kinds = [kind for kind, rows in structures(100).items() if takes(call, rows)]
    found = [ratios(call, kind) for kind in kinds]
    cells = []
    for values, most in (
        ([seconds for seconds, _ in found], MOST_TIME),
        ([memory for _, memory in found], MOST_MEMORY),
    ):
        mark = "**" * (max(values) > most)
        cells += [f"{mark}{max(values):.1f}{mark}", kinds[np.argmax(values)]]
    return [name, str(len(kinds)), *cells]


def main():
    parser = argparse.ArgumentParser(prog="benchmarks.growth", description=__doc__)
    parser.add_argument("--only", default="", help="functions with this text in a name")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    show_machine()
    chosen = (row(*each) for each in functions().items() if only in each[0])
    show("Growth", HEADERS, chosen)


if __name__ == "__main__":
    main()
