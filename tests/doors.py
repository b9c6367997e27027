"""One call of each function that reads the labels and scores of a ranking."""

from functools import partial

import numpy as np

import sklearn_ap as ap
from sklearn_ap.compatibility import score_as

AP = ap.average_precision_score


def halves(y_true):
    """Return ids of two queries for these rows."""
    return np.arange(len(y_true)) // 2 % 2


DOORS = {
    "score": AP,
    "curve": ap.precision_recall_curve,
    "interpolated_curve": ap.interpolated_precision_recall_curve,
    "hit_curve": ap.hit_curve,
    "operating_point": partial(ap.operating_point, threshold=0.5),
    "budget_totals": lambda y, s: ap.budget_totals(y, s, k=1, query_id=halves(y)),
    "estimate_score": partial(ap.estimate_score, AP),
    "compare_many": lambda y, s: ap.compare_many(
        AP, y, {"a": [*range(len(y))], "b": s}
    ),
    "score_by_query": lambda y, s: ap.score_by_query(AP, y, s, query_id=halves(y)),
    "chance_level": ap.chance_level,
    "report": ap.report,
    "compare": lambda y, s: ap.report(y, range(len(y)), compare=s),
    "display": ap.AveragePrecisionDisplay.from_predictions,
    "score_as": partial(score_as, "VOC 2010"),
    "RankingState": lambda y, s: ap.distributed.RankingState().update(y, s),
}


def text_of(error):
    """Return the text of an error with its notes."""
    return " ".join([str(error), *getattr(error, "__notes__", ())])
