"""One call of each function that reads the labels and scores of a ranking.

A function is looked up by its name when it is called. So if its subpackage is removed,
the tests of the other functions still run.
"""

import numpy as np

import sklearn_ap as ap

NAMES = {"ap": ap, "np": np, "AP": ap.average_precision_score}
DOORS = [
    "AP(y, s)",
    "ap.precision_recall_curve(y, s)",
    "ap.precision_recall_curve(y, s, interpolated=True)",
    "ap.hit_curve(y, s)",
    "ap.operating_point(y, s, threshold=0.5)",
    "ap.budget_totals(y, s, k=1, query_id=np.arange(len(y)) // 2 % 2)",
    "ap.estimate_score(AP, y, s)",
    "ap.compare_many(AP, y, {'a': [*range(len(y))], 'b': s})",
    "ap.score_by_query(AP, y, s, query_id=np.arange(len(y)) // 2 % 2)",
    "ap.expected_by_chance(y, s)",
    "ap.report(y, s)",
    "ap.report(y, range(len(y)), compare={'b': s})",
    "ap.PrecisionRecallDisplay.from_predictions(y, s)",
    "ap.compatibility.score_as('VOC 2010', y, s)",
    "ap.distributed.RankingState().update(y, s)",
]


def result_of(door, y, s, **more):
    """Return the result of a call for these labels and scores."""
    return eval(door, NAMES | {"y": y, "s": s, **more})


# The modules whose names are public, except those that were removed.
MODULES = [
    ap,
    *(
        getattr(ap, name)
        for name in ("compatibility", "distributed")
        if name in dir(ap)
    ),
]
