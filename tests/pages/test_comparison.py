"""The table of README that compares packages: a call, or a list of names, gives each cell.

The tests of other packages than scikit-learn run with `pytest -m peers`.
"""

import inspect
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import sklearn_ap

README = Path(__file__).parents[2] / "README.md"
Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
S = np.array([0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])
# Six rows of one query and four of another.
QUERY = np.repeat([0, 1], [6, 4])
TIED_Y, TIED_S = np.array([1, 0, 1, 0]), np.array([0.5, 0.5, 0.5, 0.1])
MEAN = sklearn_ap.average_precision_score(Y, S, query_id=QUERY)


def takes(function, name):
    return name in inspect.signature(function).parameters


def has(names, *words):
    return any(word in name.lower() for name in names for word in words)


def agrees(value, expected):
    return float(value) == pytest.approx(float(expected), abs=1e-6)


def of_sklearn_ap():
    score, names = sklearn_ap.average_precision_score, sklearn_ap.__all__
    cut = sklearn_ap.average_precision_at_k_score(Y, S, k=3)
    of_queries = [
        metrics.average_precision_score(Y[q == QUERY], S[q == QUERY]) for q in (0, 1)
    ]
    weight = np.where(Y, 1.0, 3.0)
    ours = score(Y, S, sample_weight=weight)
    return {
        "equal scores ranked as by scikit-learn": agrees(
            score(TIED_Y, TIED_S), metrics.average_precision_score(TIED_Y, TIED_S)
        ),
        "eleven-point AP": agrees(
            sklearn_ap.eleven_point_average_precision_score(Y, S), 0.740260
        ),
        # Hits at the ranks 1 and 3, over min(k, R) = 3.
        "AP of the first k rows": agrees(cut, (1 + 2 / 3) / 3),
        "mean over queries of any length": agrees(MEAN, np.mean(of_queries)),
        "weights of rows": agrees(
            ours, metrics.average_precision_score(Y, S, sample_weight=weight)
        ),
        "confidence interval": has(names, "estimate_score"),
        "test of two models": has(names, "compare_scores"),
        "scorer for `scoring=`": callable(sklearn_ap.get_scorer("average_precision")),
        "nDCG": has(names, "ndcg"),
        "matching of boxes": has(names, "iou", "match", "box"),
    }


def of_scikit_learn():
    score = metrics.average_precision_score
    names = dir(metrics)
    return {
        "equal scores ranked as by scikit-learn": True,
        "eleven-point AP": has(names, "eleven", "interpolated"),
        "AP of the first k rows": takes(score, "k") or has(names, "precision_at"),
        "mean over queries of any length": takes(score, "groups"),
        "weights of rows": takes(score, "sample_weight"),
        "confidence interval": has(names, "interval", "bootstrap"),
        "test of two models": has(names, "compare", "mcnemar", "test"),
        "scorer for `scoring=`": callable(metrics.get_scorer("average_precision")),
        "nDCG": has(names, "ndcg_score"),
        "matching of boxes": has(names, "iou", "box"),
    }


def of_torchmetrics():
    torch = pytest.importorskip("torch")
    import torchmetrics
    from torchmetrics import classification, retrieval
    from torchmetrics.wrappers import BootStrapper

    y, s, query = torch.tensor(Y), torch.tensor(S), torch.tensor(QUERY)
    binary = classification.BinaryAveragePrecision()
    tied = binary(torch.tensor(TIED_S), torch.tensor(TIED_Y))
    names = [*dir(torchmetrics), *dir(classification), *dir(retrieval)]
    first = retrieval.RetrievalMAP(top_k=3)(s, y, torch.zeros(10, dtype=int))
    interval = has(names, "interval")
    if not interval and BootStrapper(binary, quantile=torch.tensor([0.025, 0.975])):
        interval = "bootstrap"
    return {
        "equal scores ranked as by scikit-learn": agrees(
            tied, metrics.average_precision_score(TIED_Y, TIED_S)
        ),
        "eleven-point AP": has(names, "eleven", "interpolated"),
        "AP of the first k rows": 0 < float(first) < 1,
        "mean over queries of any length": agrees(
            retrieval.RetrievalMAP()(s, y, query), MEAN
        ),
        "weights of rows": takes(binary.update, "sample_weight")
        or takes(binary.update, "weights"),
        "confidence interval": interval,
        "test of two models": has(names, "significance", "pvalue", "mcnemar"),
        "scorer for `scoring=`": has(names, "scorer"),
        "nDCG": has(names, "normalizeddcg"),
        "matching of boxes": find_spec("torchmetrics.detection.mean_ap") is not None,
    }


def of_lists(run):
    """Return the judgements and a run of ten rows with two queries."""
    return {
        str(q): {f"d{i}": run(i) for i in np.flatnonzero(q == QUERY)} for q in (0, 1)
    }


def of_ranx():
    pytest.importorskip("ranx")
    import ranx
    from ranx import Qrels, Run
    from ranx import metrics as ranx_metrics

    qrels = Qrels(of_lists(lambda i: int(Y[i])))
    run = Run(of_lists(lambda i: float(S[i])), name="a")
    other = Run(of_lists(lambda i: -float(S[i])), name="b")
    tied = ranx.evaluate(
        Qrels({"q": {"d0": 1, "d2": 1}}),
        Run({"q": {f"d{i}": float(s) for i, s in enumerate(TIED_S)}}),
        "map",
    )
    tests = ranx.compare(qrels, [run, other], ["map"], stat_test="fisher")
    names = [*dir(ranx), *dir(ranx_metrics)]
    return {
        "equal scores ranked as by scikit-learn": agrees(
            tied, metrics.average_precision_score(TIED_Y, TIED_S)
        ),
        "eleven-point AP": has(names, "eleven", "interpolated_average"),
        "AP of the first k rows": 0 < ranx.evaluate(qrels, run, "map@3") < 1,
        "mean over queries of any length": agrees(
            ranx.evaluate(qrels, run, "map"), MEAN
        ),
        "weights of rows": takes(ranx.evaluate, "weights"),
        "confidence interval": has(names, "interval", "bootstrap"),
        "test of two models": tests.to_dict()["stat_test"] == "fisher",
        "scorer for `scoring=`": has(names, "scorer"),
        "nDCG": has(names, "ndcg"),
        "matching of boxes": has(names, "iou", "box"),
    }


def of_trec_eval():
    pytest.importorskip("pytrec_eval")
    import pytrec_eval

    def evaluate(qrels, run):
        asked = {"map", "map_cut.3", "11pt_avg", "ndcg"}
        return pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)

    of_queries = evaluate(
        of_lists(lambda i: int(Y[i])), of_lists(lambda i: float(S[i]))
    )
    tied = evaluate(
        {"q": {"d0": 1, "d2": 1}},
        {"q": {f"d{i}": float(s) for i, s in enumerate(TIED_S)}},
    )
    found = {*of_queries["0"]}
    names = pytrec_eval.supported_measures
    return {
        "equal scores ranked as by scikit-learn": agrees(
            tied["q"]["map"], metrics.average_precision_score(TIED_Y, TIED_S)
        ),
        "eleven-point AP": "11pt_avg" in found,
        "AP of the first k rows": "map_cut_3" in found,
        "mean over queries of any length": agrees(
            np.mean([each["map"] for each in of_queries.values()]), MEAN
        ),
        "weights of rows": has(names, "weight"),
        "confidence interval": has(names, "interval", "bootstrap"),
        "test of two models": has(names, "significance", "pvalue"),
        "scorer for `scoring=`": has(dir(pytrec_eval), "scorer"),
        "nDCG": "ndcg" in found,
        "matching of boxes": has(names, "iou", "box"),
    }


CELLS = {
    "sklearn_ap": of_sklearn_ap,
    "scikit-learn": of_scikit_learn,
    "torchmetrics": of_torchmetrics,
    "ranx": of_ranx,
    "trec_eval": of_trec_eval,
}


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
    found = {row: texts[value] for row, value in CELLS[package]().items()}
    assert found == shown


@pytest.mark.peers
def test_the_page_names_the_versions():
    """Dependabot raises none of them, so a newer package needs a look at the table."""
    sentence = README.read_text().partition("We ran ")[2].partition("\n\n")[0]
    for package in ("scikit-learn", "torchmetrics", "ranx"):
        assert f"{package} {version(package)}" in " ".join(sentence.split())
