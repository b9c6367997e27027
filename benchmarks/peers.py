"""Other packages that compute an average precision: how long they take, as a multiple
of our time.

    python -m benchmarks.peers --seconds 5

Above 1, the package is slower than ours. Each package gets the input form that it is
fastest with, and building this form is not timed. Calls take turns in one process with
one thread each, and the least CPU time of each counts. Packages that are not installed
are named.
"""

import argparse
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score

import sklearn_ap

from .cases import loop
from .measure import side_by_side
from .tables import show, show_machine


def scikit_learn(y_true, y_score, weight=None):
    """Arrays."""
    return partial(average_precision_score, y_true, y_score, sample_weight=weight)


def scikit_learn_by_query(y_true, y_score, query):
    """A loop over the arrays of each query."""
    return loop(y_true, y_score, np.bincount(query))


def numpy_by_hand(y_true, y_score, weight=None):
    """Arrays, without any check."""

    def by_hand():
        order = np.argsort(-y_score, kind="stable")
        label, score = y_true[order], y_score[order]
        last_of_score = np.append(np.flatnonzero(np.diff(score)), label.size - 1)
        if weight is None:
            tp, retrieved = np.cumsum(label)[last_of_score], last_of_score + 1
        else:
            of_row = weight[order]
            tp = np.cumsum(of_row * label)[last_of_score]
            retrieved = np.cumsum(of_row)[last_of_score]
        recall = tp / tp[-1]
        return float(np.sum(np.diff(recall, prepend=0.0) * (tp / retrieved)))

    return by_hand


def lightgbm(y_true, y_score):
    """A Dataset whose initial scores are the scores, and a booster without trees."""
    import lightgbm

    settings = {
        "objective": "binary",
        "metric": "average_precision",
        "num_threads": 1,
        "verbose": -1,
    }
    rows = lightgbm.Dataset(
        np.zeros((y_true.size, 1)), y_true, init_score=y_score, params=settings
    )
    booster = lightgbm.Booster({**settings, "boost_from_average": False}, rows)
    return lambda: float(booster.eval_train()[0][2])


def torchmetrics(y_true, y_score):
    """Tensors."""
    import torch
    from torchmetrics.functional.classification import binary_average_precision

    score, label = torch.from_numpy(y_score), torch.from_numpy(y_true)
    return lambda: float(binary_average_precision(score, label, validate_args=False))


def xgboost(y_true, y_score):
    """A DMatrix whose margins are the scores, and a booster without trees."""
    import xgboost

    rows = xgboost.DMatrix(
        np.zeros((y_true.size, 1)), label=y_true, base_margin=y_score
    )
    settings = {
        "objective": "binary:logitraw",
        "eval_metric": "aucpr",
        "base_score": 0.0,
        "nthread": 1,
    }
    booster = xgboost.train(settings, rows, num_boost_round=0)
    return lambda: float(booster.eval(rows).rsplit(":", 1)[1])


def ranx(y_true, y_score, query):
    """A Qrels and a Run."""
    from ranx import Qrels, Run, evaluate

    relevant, run = Qrels(by_query(y_true, query)), Run(by_query(y_score, query))
    return lambda: float(evaluate(relevant, run, "map", threads=1))


def pytrec_eval(y_true, y_score, query):
    """Dictionaries of dictionaries."""
    import pytrec_eval

    run = by_query(y_score, query)
    evaluator = pytrec_eval.RelevanceEvaluator(by_query(y_true, query), {"map"})
    return lambda: float(
        np.mean([scores["map"] for scores in evaluator.evaluate(run).values()])
    )


def by_query(values, query):
    """Return labels or scores as {query: {document: value}}."""
    documents: dict[str, dict[str, Any]] = {}
    rows = zip(query.tolist(), values.tolist(), strict=True)
    for document, (name, value) in enumerate(rows):
        documents.setdefault(str(name), {})[str(document)] = value
    return documents


AP = sklearn_ap.average_precision_score
AREA_OF_XGBOOST = partial(sklearn_ap.pr_auc_score, interpolation="davis-goadrich")
# Each imports its package, and returns the call that is timed.
ONE_RANKING = {
    "scikit-learn": scikit_learn,
    "numpy, a dozen lines": numpy_by_hand,
    "LightGBM, average_precision": lightgbm,
    "XGBoost, aucpr": xgboost,
    "torchmetrics, binary_average_precision": torchmetrics,
}
WEIGHTED = {
    "scikit-learn": scikit_learn,
    "numpy, a dozen lines": numpy_by_hand,
}
QUERIES = {
    "scikit-learn, a loop": scikit_learn_by_query,
    "ranx, map": ranx,
    "pytrec_eval, map": pytrec_eval,
}


def row(name, prepare, inputs, keyword, seconds):
    """Return the times of a package as multiples of ours, where both numbers are the
    same.
    """
    score = AREA_OF_XGBOOST if prepare is xgboost else AP
    cells = [name]
    for arrays in inputs:
        try:
            theirs = prepare(*arrays)
        except ImportError:
            return [name, *["not installed"] * len(inputs)]
        ours = partial(
            score, *arrays[:2], **dict(zip([keyword], arrays[2:], strict=False))
        )
        np.testing.assert_allclose(theirs(), ours(), atol=1e-4)
        times = side_by_side(
            {"theirs": theirs, "ours": ours}, seconds=seconds, clock=process_time
        )
        cells.append(f"{times['theirs'] / times['ours']:,.2f}")
    return cells


def of_queries(rng, n_queries):
    """Labels, scores and queries, each of which has a positive."""
    length = rng.integers(20, 101, n_queries)
    query = np.repeat(np.arange(length.size), length)
    label = (rng.random(query.size) < 0.2).astype(int)
    label[np.cumsum(length) - 1] = 1
    return label, rng.permutation(query.size) / 2.0**24, query


def in_float32(rng, size):
    """Labels, and scores that float32 contains exactly: some packages compute in
    float32.
    """
    label = (rng.random(size) < 0.5).astype(int)
    return label, rng.random(size, dtype=np.float32).astype(float)


def show_peers(seconds, sizes, n_queries):
    """Print tables of rankings, weighted rows and queries, and return their rows."""
    rng = np.random.default_rng(0)
    rankings = {f"{size:,} rows": in_float32(rng, size) for size in sizes}
    queries = {f"{n_queries:,} queries": of_queries(rng, n_queries)}
    weighted = {
        name: (*rankings[name], rng.random(rankings[name][0].size)) for name in rankings
    }
    shown = []
    for peers, inputs, keyword in (
        (ONE_RANKING, rankings, None),
        (WEIGHTED, weighted, "sample_weight"),
        (QUERIES, queries, "query_id"),
    ):
        rows = (row(*peer, inputs.values(), keyword, seconds) for peer in peers.items())
        shown += show("Other packages", ("their time / ours", *inputs), rows)
    return shown


def main():
    """Print the machine and the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="of each pair of calls"
    )
    options = parser.parse_args()
    show_machine()
    show_peers(options.seconds, (1_000, 100_000, 1_000_000), 5_000)


if __name__ == "__main__":
    main()
