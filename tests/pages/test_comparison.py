"""Each "yes" of the table of README that compares packages has a call that shows it.

The calls of other packages than scikit-learn run with `pytest -m peers`.
"""

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

README = (Path(__file__).parents[2] / "README.md").read_text()
Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
S = np.array([0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])
# Six rows of one query and four of another.
QUERY = np.repeat([0, 1], [6, 4])
WEIGHT = np.where(Y, 1.0, 3.0)
TIED_Y, TIED_S = np.array([1, 0, 1, 0]), np.array([0.5, 0.5, 0.5, 0.1])
theirs, near = metrics.average_precision_score, partial(pytest.approx, abs=1e-6)


def lists_of(values):
    """Return the values of rows by query and by name, as packages of lists take them."""
    return {
        str(q): {f"d{i}": values[i].item() for i in np.flatnonzero(q == QUERY)}
        for q in (0, 1)
    }


NAMES = {"Y": Y, "S": S, "QUERY": QUERY, "WEIGHT": WEIGHT, "near": near, "np": np}
NAMES |= {"TIED_Y": TIED_Y, "TIED_S": TIED_S, "TIED": near(theirs(TIED_Y, TIED_S))}
NAMES["MEAN"] = near(np.mean([theirs(Y[q == QUERY], S[q == QUERY]) for q in (0, 1)]))
NAMES["WEIGHED"] = near(theirs(Y, S, sample_weight=WEIGHT))
NAMES |= {"LABELS": lists_of(Y), "SCORES": lists_of(S), "NEGATIVE": lists_of(-S)}
# The modules of each package, whose names the calls use.
MODULES = {
    "sklearn_ap": "sklearn_ap",
    "scikit-learn": "sklearn.metrics",
    "torchmetrics": "torchmetrics torchmetrics.classification torchmetrics.retrieval torchmetrics.wrappers torchmetrics.detection.mean_ap",
    "ranx": "ranx.metrics ranx",
    "trec_eval": "pytrec_eval",
}
TREC = "RelevanceEvaluator(LABELS, {'%s'}).evaluate(SCORES)"
CALLS = [
    ("equal scores", "sklearn_ap scikit-learn", "average_precision_score(TIED_Y, TIED_S) == TIED"),
    ("equal scores", "torchmetrics", "float(BinaryAveragePrecision()(torch.tensor(TIED_S), torch.tensor(TIED_Y))) == TIED"),
    ("eleven-point", "sklearn_ap", "eleven_point_average_precision_score(Y, S) == near(0.740260)"),
    ("eleven-point", "trec_eval", f"'11pt_avg' in {TREC % '11pt_avg'}['0']"),
    # Hits at the ranks 1 and 3, over min(k, R) = 3.
    ("AP of the first", "sklearn_ap", "average_precision_at_k_score(Y, S, k=3) == near((1 + 2 / 3) / 3)"),
    ("AP of the first", "torchmetrics", "0 < float(RetrievalMAP(top_k=3)(torch.tensor(S), torch.tensor(Y), torch.zeros(10, dtype=int))) < 1"),
    ("AP of the first", "ranx", "0 < evaluate(Qrels(LABELS), Run(SCORES), 'map@3') < 1"),
    ("AP of the first", "trec_eval", f"'map_cut_3' in {TREC % 'map_cut.3'}['0']"),
    ("mean over queries", "sklearn_ap", "average_precision_score(Y, S, query_id=QUERY) == MEAN"),
    ("mean over queries", "torchmetrics", "float(RetrievalMAP()(*map(torch.tensor, (S, Y, QUERY)))) == MEAN"),
    ("mean over queries", "ranx", "evaluate(Qrels(LABELS), Run(SCORES), 'map') == MEAN"),
    ("mean over queries", "trec_eval", f"np.mean([each['map'] for each in {TREC % 'map'}.values()]) == MEAN"),
    ("weights of rows", "sklearn_ap scikit-learn", "average_precision_score(Y, S, sample_weight=WEIGHT) == WEIGHED"),
    ("confidence interval", "sklearn_ap", "estimate_score('AP', Y, S).confidence_interval().low < 0.6976"),
    ("confidence interval", "torchmetrics", "BootStrapper(BinaryAveragePrecision(), quantile=torch.tensor([0.025, 0.975]))"),
    ("test of two models", "sklearn_ap", "0 < compare_scores('AP', Y, S, -S).pvalue < 1"),
    ("test of two models", "ranx", "compare(Qrels(LABELS), [Run(SCORES, name='a'), Run(NEGATIVE, name='b')], ['map'], stat_test='fisher')"),
    ("scorer", "sklearn_ap scikit-learn", "callable(get_scorer('average_precision'))"),
    ("nDCG", "scikit-learn", "0 < ndcg_score([Y], [S]) < 1"),
    ("nDCG", "torchmetrics", "RetrievalNormalizedDCG()"),
    ("nDCG", "ranx", "0 < evaluate(Qrels(LABELS), Run(SCORES), 'ndcg') < 1"),
    ("nDCG", "trec_eval", f"'ndcg' in {TREC % 'ndcg'}['0']"),
    ("matching of boxes", "torchmetrics", "MeanAveragePrecision"),
]  # fmt: skip


@pytest.mark.parametrize(
    "package",
    [
        *("sklearn_ap", "scikit-learn"),
        *(pytest.param(name, marks=pytest.mark.peers) for name in [*MODULES][2:]),
    ],
)
def test_a_call_shows_each_yes(package):
    lines = re.findall(r"(?m)^\|(.*)\|$", README)
    header, _, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    said = [
        row[0] for row in rows if row[header.index(package)] in ("yes", "bootstrap")
    ]
    modules = [*map(pytest.importorskip, MODULES[package].split())]
    names = {name: getattr(one, name) for one in modules for name in dir(one)}
    names |= NAMES | {"torch": sys.modules.get("torch")}
    calls = {begin: call for begin, of, call in CALLS if package in of.split()}
    assert len(said) == len(calls)
    for row in said:
        [call] = [call for begin, call in calls.items() if row.startswith(begin)]
        assert eval(call, names), row
