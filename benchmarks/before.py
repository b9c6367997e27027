"""Time and memory of public functions before a change and now, by turns in one process:
`python -m benchmarks.before FOLDER`, with a checkout of the commit before.
"""

import argparse
import sys
import warnings
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np

import sklearn_ap

from .measure import in_turn, peak_bytes, side_by_side
from .tables import lines_of, show, show_machine

HERE = Path(__file__).parents[1]
# The rows of a call, the type of their scores, the share of positives, and the call.
CASES = """
100      float64            .5    score
100      float64            .1    score
100      float64            .1    weighted
100      float64            .1    cut
1000     float64            .5    score
1000     float64            .1    score
10000    float64            .5    score
10000    float64            .1    score
10000    float64            .001  score
10000    float32            .1    score
10000    float32_as_float64  .1    score
100000   float64            .5    score
100000   float64            .001  score
100000   float32            .1    score
100000   float32_as_float64  .1    score
1000000  float64            .5    score
1000000  float64            .1    score
1000000  float64            .001  score
1000000  float32            .5    score
1000000  float32            .001  score
1000000  float32_as_float64  .5    score
1000000  float32_as_float64  .1    score
1000000  float32_as_float64  .001  score
1000000  float64            .1    weighted
1000000  float64            .1    curve
1000000  float64            .1    labels
1000000  float64            .1    sorted_queries
1000000  float64            .1    queries
1000000  float64            .05   comparison
"""
HEADERS = "rows", "scores", "positive", "call", "ms", "now / before", "B/row"
FOOTNOTE = "Times are the least of all turns with new data. Bytes: before, now."


def imported_from(folder):
    """Return the package of another checkout, under another name."""
    name, place = "before_ap", Path(folder, "sklearn_ap")
    init = place / "__init__.py"
    spec = spec_from_file_location(name, init, submodule_search_locations=[str(place)])
    sys.modules[name] = package = module_from_spec(spec)
    spec.loader.exec_module(package)
    return package


def calls_of(packages, case, seed):
    """Return the call of each package with the same rows."""
    n, dtype, share, kind = case
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < share
    y_true[0] = True
    y_score = rng.normal(size=n) + y_true
    if dtype != "float64":
        y_score = y_score.astype(np.float32)
    if dtype == "float32_as_float64":
        y_score = y_score.astype(float)
    rows, queries = (y_true, y_score), np.repeat(np.arange(n // 50), 50)
    ap, options = "average_precision_score", {"zero_division": 0.0}
    match kind:
        case "weighted":
            options["sample_weight"] = rng.random(n)
        case "cut":
            ap, options["k"] = "average_precision_at_k_score", 10
        case "labels":
            rows = y_true.reshape(-1, 20), y_score.reshape(-1, 20)
        case "sorted_queries":
            options["query_id"] = queries
        case "queries":
            options["query_id"] = rng.permutation(queries)
        case "curve":
            ap, options = "precision_recall_curve", {}
        case "comparison":
            ap, options = "compare_scores", {}
            rows = "average_precision", y_true, y_score, rng.normal(size=n) + y_true
    return [partial(getattr(package, ap), *rows, **options) for package in packages]


def row_of(packages, seconds, case):
    """Return a row of the table."""
    n, *_ = case
    seeds = range(max(3, min(200, 200_000 // n)))
    sets = [calls_of(packages, case, seed) for seed in seeds]
    before, now = (in_turn(calls) for calls in zip(*sets, strict=True))
    times = side_by_side({"before": before, "now": now}, seconds=seconds)
    ratio = times["now"] / times["before"]
    memory = ", ".join(f"{peak_bytes(call) / n:.0f}" for call in sets[0])
    shown = f"{times['now'] * 1e3:.3g}", f"{ratio:.2f}", memory
    return [f"{n:,}", *map(str, case[1:]), *shown]


def main():
    parser = argparse.ArgumentParser(prog="benchmarks.before", description=__doc__)
    parser.add_argument("folder", help="checkout of the commit before")
    parser.add_argument("--seconds", type=float, default=4.0, help="time per case")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    packages = imported_from(options.folder), sklearn_ap
    show_machine()
    rows = (row_of(packages, options.seconds, case) for case in lines_of(CASES))
    show("Before and now", HEADERS, rows)
    print(FOOTNOTE)


if __name__ == "__main__":
    main()
