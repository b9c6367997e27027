"""One call of each function that reads the labels and scores of a ranking.

A function is looked up by its name when it is called. So if its subpackage is removed,
the tests of the other functions still run.
"""

from operator import attrgetter

import numpy as np

import sklearn_ap as ap

AP = ap.average_precision_score


def halves(y_true):
    """Return ids of two queries for these rows."""
    return np.arange(len(y_true)) // 2 % 2


def named(path, *first, **options):
    """Return a call of the public function at this path."""
    return lambda *rows: attrgetter(path)(ap)(*first, *rows, **options)


DOORS = {
    "score": AP,
    "curve": ap.precision_recall_curve,
    "interpolated_curve": named("precision_recall_curve", interpolated=True),
    "hit_curve": ap.hit_curve,
    "operating_point": named("operating_point", threshold=0.5),
    "budget_totals": lambda y, s: ap.budget_totals(y, s, k=1, query_id=halves(y)),
    "estimate_score": named("estimate_score", AP),
    "compare_many": lambda y, s: ap.compare_many(
        AP, y, {"a": [*range(len(y))], "b": s}
    ),
    "score_by_query": lambda y, s: ap.score_by_query(AP, y, s, query_id=halves(y)),
    "expected_by_chance": named("expected_by_chance"),
    "report": named("report"),
    "compare": lambda y, s: ap.report(y, range(len(y)), compare={"b": s}),
    "display": named("PrecisionRecallDisplay.from_predictions"),
    "score_as": named("compatibility.score_as", "VOC 2010"),
    "RankingState": lambda y, s: ap.distributed.RankingState().update(y, s),
}
# The modules whose names are public, except those that were removed.
MODULES = [
    ap,
    *(
        getattr(ap, name)
        for name in ("compatibility", "distributed")
        if name in dir(ap)
    ),
]


def text_of(error):
    """Return the text of an error with its notes."""
    return " ".join([str(error), *getattr(error, "__notes__", ())])
