"""The table of README that compares packages: a call, or a list of names, gives each cell.

The tests of other packages than scikit-learn run with `pytest -m peers`.
"""

import inspect
import re
import sys
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

README = Path(__file__).parents[2] / "README.md"
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


def takes(function, name):
    return name in inspect.signature(function).parameters


NAMES = {"np": np, "Y": Y, "S": S, "QUERY": QUERY, "WEIGHT": WEIGHT, "takes": takes}
NAMES |= {"TIED_Y": TIED_Y, "TIED_S": TIED_S, "near": near, "find_spec": find_spec}
NAMES |= {"TIED": near(theirs(TIED_Y, TIED_S))}
NAMES["MEAN"] = near(np.mean([theirs(Y[q == QUERY], S[q == QUERY]) for q in (0, 1)]))
NAMES["WEIGHED"] = near(theirs(Y, S, sample_weight=WEIGHT))
NAMES |= {"LABELS": lists_of(Y), "SCORES": lists_of(S), "NEGATIVE": lists_of(-S)}
NAMES["TIED_LABELS"] = {"q": {"d0": 1, "d2": 1}}
NAMES["TIED_SCORES"] = {"q": {f"d{i}": s for i, s in enumerate(TIED_S.tolist())}}
# The modules of each package, whose names the cells use.
PACKAGES = {
    "sklearn_ap": "sklearn_ap",
    "scikit-learn": "sklearn.metrics",
    "torchmetrics": "torchmetrics torchmetrics.classification torchmetrics.retrieval torchmetrics.wrappers",
    "ranx": "ranx.metrics ranx",
    "trec_eval": "pytrec_eval",
}
# A line of the table, and whether each package has it.
CELLS = {
    "equal scores ranked as by scikit-learn": (
        "average_precision_score(TIED_Y, TIED_S) == TIED",
        "average_precision_score(TIED_Y, TIED_S) == TIED",
        "float(BinaryAveragePrecision()(torch.tensor(TIED_S), torch.tensor(TIED_Y))) == TIED",
        "evaluate(Qrels(TIED_LABELS), Run(TIED_SCORES), 'map') == TIED",
        "RelevanceEvaluator(TIED_LABELS, {'map'}).evaluate(TIED_SCORES)['q']['map'] == TIED",
    ),
    "eleven-point AP": (
        "eleven_point_average_precision_score(Y, S) == near(0.740260)",
        "has('eleven', 'interpolated')",
        "has('eleven', 'interpolated')",
        "has('eleven', 'interpolated_average')",
        "'11pt_avg' in RelevanceEvaluator(LABELS, {'11pt_avg'}).evaluate(SCORES)['0']",
    ),
    # Hits at the ranks 1 and 3, over min(k, R) = 3.
    "AP of the first k rows": (
        "average_precision_at_k_score(Y, S, k=3) == near((1 + 2 / 3) / 3)",
        "takes(average_precision_score, 'k') or has('precision_at')",
        "0 < float(RetrievalMAP(top_k=3)(torch.tensor(S), torch.tensor(Y), torch.zeros(10, dtype=int))) < 1",
        "0 < evaluate(Qrels(LABELS), Run(SCORES), 'map@3') < 1",
        "'map_cut_3' in RelevanceEvaluator(LABELS, {'map_cut.3'}).evaluate(SCORES)['0']",
    ),
    "mean over queries of any length": (
        "average_precision_score(Y, S, query_id=QUERY) == MEAN",
        "takes(average_precision_score, 'groups')",
        "float(RetrievalMAP()(*map(torch.tensor, (S, Y, QUERY)))) == MEAN",
        "evaluate(Qrels(LABELS), Run(SCORES), 'map') == MEAN",
        "np.mean([each['map'] for each in RelevanceEvaluator(LABELS, {'map'}).evaluate(SCORES).values()]) == MEAN",
    ),
    "weights of rows": (
        "average_precision_score(Y, S, sample_weight=WEIGHT) == WEIGHED",
        "takes(average_precision_score, 'sample_weight')",
        "any(takes(BinaryAveragePrecision.update, name) for name in ('sample_weight', 'weights'))",
        "takes(evaluate, 'weights')",
        "has('weight')",
    ),
    "confidence interval": (
        "has('estimate_score')",
        "has('interval', 'bootstrap')",
        "has('interval') or BootStrapper(BinaryAveragePrecision(), quantile=torch.tensor([0.025, 0.975])) and 'bootstrap'",
        "has('interval', 'bootstrap')",
        "has('interval', 'bootstrap')",
    ),
    "test of two models": (
        "has('compare_scores')",
        "has('compare', 'mcnemar', 'test')",
        "has('significance', 'pvalue', 'mcnemar')",
        "compare(Qrels(LABELS), [Run(SCORES, name='a'), Run(NEGATIVE, name='b')], ['map'], stat_test='fisher').to_dict()['stat_test'] == 'fisher'",
        "has('significance', 'pvalue')",
    ),
    "scorer for `scoring=`": (
        "callable(get_scorer('average_precision'))",
        "callable(get_scorer('average_precision'))",
        *["has('scorer')"] * 3,
    ),
    "nDCG": (
        "has('ndcg')",
        "has('ndcg_score')",
        "has('normalizeddcg')",
        "has('ndcg')",
        "'ndcg' in RelevanceEvaluator(LABELS, {'ndcg'}).evaluate(SCORES)['0']",
    ),
    "matching of boxes": (
        "has('iou', 'match', 'box')",
        "has('iou', 'box')",
        "find_spec('torchmetrics.detection.mean_ap') is not None",
        *["has('iou', 'box')"] * 2,
    ),
}


def names_of(package):
    """Return the names of a package, with those that all cells use."""
    modules = [*map(pytest.importorskip, PACKAGES[package].split())]
    names = {name: getattr(one, name) for one in modules for name in dir(one)}
    known = [*names, *names.get("supported_measures", ())]

    def has(*words):
        return any(word in name.lower() for name in known for word in words)

    return {**names, **NAMES, "has": has, "torch": sys.modules.get("torch")}


@pytest.mark.parametrize(
    "package",
    [
        *("sklearn_ap", "scikit-learn"),
        *(
            pytest.param(name, marks=pytest.mark.peers)
            for name in ("torchmetrics", "ranx", "trec_eval")
        ),
    ],
)
def test_each_cell_is_what_the_package_does(package):
    lines = re.findall(r"(?m)^\|(.*)\|$", README.read_text())
    header, _, *rows = [
        [cell.strip(" *") for cell in line.split("|")] for line in lines
    ]
    shown = {row[0]: row[header.index(package)] for row in rows}
    texts = {True: "yes", False: "no", "bootstrap": "bootstrap"}
    names, place = names_of(package), [*PACKAGES].index(package)
    found = {row: eval(cells[place], names) for row, cells in CELLS.items()}
    assert {row: texts[value] for row, value in found.items()} == shown


@pytest.mark.peers
def test_the_page_names_the_versions():
    """Dependabot raises none of them, so a newer package needs a look at the table."""
    sentence = README.read_text().partition("We ran ")[2].partition("\n\n")[0]
    for package in ("scikit-learn", "torchmetrics", "ranx"):
        assert f"{package} {version(package)}" in " ".join(sentence.split())
