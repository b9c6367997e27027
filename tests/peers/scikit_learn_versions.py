"""What `average_precision_score` and `precision_recall_curve` of each scikit-learn do on a matrix of inputs.

`python tests/peers/scikit_learn_versions.py` merges the outcomes of the scikit-learn it runs on into
`golden/scikit_learn.json` beside it, and needs numpy, scipy and that scikit-learn, on Python 3.6 or later.
`python -m tests.peers.scikit_learn_versions --all [folder]` does so in a virtual environment for each of
VERSIONS, made in the folder where it is not there; python3.6 to python3.11 must be on the path.

In the file, an outcome stands at the first version that has it and holds until the next one listed; null
stands where an input was not run.
"""

import json
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import sklearn.metrics
from scipy.sparse import csr_matrix

GOLDEN = Path(__file__).parent / "golden" / "scikit_learn.json"
VERSIONS = {  # the Python that has a wheel of it, what it needs to be imported and not to warn
    "0.18.2": ("3.6", "numpy<1.20 scipy<1.3"),  # scipy.misc.comb
    "0.19.2": ("3.6", "numpy<1.20 scipy"),  # np.float, as all below 1.0
    "0.20.4": ("3.7", "numpy<1.20 scipy"),
    "0.21.3": ("3.7", "numpy<1.20 scipy"),
    "0.22.2.post1": ("3.8", "numpy<1.20 scipy"),
    "0.23.2": ("3.8", "numpy<1.20 scipy"),
    "0.24.2": ("3.9", "numpy<1.20 scipy"),
    "1.0.2": ("3.10", "numpy<2"),  # built before numpy 2, as all below 1.4
    "1.1.3": ("3.11", "numpy<2"),
    "1.2.2": ("3.11", "numpy<2"),
    "1.3.2": ("3.11", "numpy<2"),
    "1.4.2": ("3.11", "numpy"),
    "1.5.2": ("3.11", "numpy"),
    "1.6.1": ("3.11", "numpy"),
    "1.7.2": ("3.11", "numpy"),
    "1.8.0": ("3.11", "numpy"),
    "1.9.1": ("3.11", "numpy"),
}
Y, S, WEIGHT = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8], [2.0, 1.0, 3.0, 0.5]


def call(*args: object, **kwargs: object) -> tuple:
    """Return the arguments of a call, as they are written."""
    return args, kwargs


def matrix() -> dict:
    """Return the calls by function and name."""
    both = {**labels(), **scores(), **weights(), **wrong()}
    return {
        "average_precision_score": {**both, **ranking(), **multilabel(), **multiclass()},
        "precision_recall_curve": {**both, **curves()},
    }


def labels() -> dict:
    """Return calls with labels of all kinds, of the score and of the curve, as those below."""
    names = ["no", "yes", "yes", "no"]
    return {
        "lists": call(Y, S),
        "columns": call(np.array(Y)[:, None], np.array(S)[:, None]),
        "no positives": call([0] * 4, S),
        "all positives": call([1] * 4, S),
        "one sample": call([1], [0.3]),
        "one negative sample": call([0], [0.3]),
        "full recall early": call([0, 0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        "labels -1 and 1": call([-1, 1, 1, -1], S),
        "labels 1 and 2": call([1, 2, 2, 1], S),
        "labels 0 and 2": call([0, 2, 2, 0], S),
        "labels 0 and 2, pos_label=2": call([0, 2, 2, 0], S, pos_label=2),
        "one label of 2": call([2] * 4, S),
        "labels bool": call(np.array(Y, dtype=bool), S),
        "labels float": call([0.0, 1.0, 1.0, 0.0], S),
        "labels strings": call(names, S),
        "labels strings, pos_label": call(names, S, pos_label="yes"),
        "labels string objects": call(np.array(names, dtype=object), S, pos_label="yes"),
        "labels objects": call(np.array(Y, dtype=object), S),
        "pos_label=0": call(Y, S, pos_label=0),
        "pos_label absent": call(Y, S, pos_label=7),
        "pos_label absent, one label": call([5] * 4, S, pos_label=7),
    }


def scores() -> dict:
    """Return calls with ties, near-ties and scores of all kinds."""
    return {
        "ties": call([0, 1, 1, 0, 1, 0], [1, 1, 2, 2, 3, 3]),
        "constant": call(Y, [0.5] * 4),
        "scores float32": call(Y, np.array(S, dtype=np.float32)),
        "scores integers": call(Y, [3, 1, 2, 2]),
        "scores integers beyond 2**53": call(Y, [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]),
        "scores an ulp apart": call(Y, [0.5, 0.5 + 2**-53, 0.5 - 2**-53, 0.5 + 2**-52]),
        "scores 1e-9 apart": call(Y, [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-9]),
        "scores zeros of both signs": call(Y, [0.0, -0.0, 0.0, -1.0]),
    }


def weights() -> dict:
    """Return calls with weights that are usual, zero or bad."""
    tenths = [0.1, 0.2, 0.3, 0.1, 0.7, 0.1]
    return {
        "weights": call(Y, S, sample_weight=WEIGHT),
        "weights, ties": call([0, 1, 1, 0, 1, 0], [1, 1, 2, 2, 3, 3], sample_weight=tenths),
        "some weights 0": call(Y, S, sample_weight=[0, 1, 0, 2]),
        "all weights 0": call(Y, S, sample_weight=[0] * 4),
        "weights of positives 0": call(Y, S, sample_weight=[1, 0, 0, 1]),
        "negative weights": call(Y, S, sample_weight=[1, -2.5, 1, 1]),
        "overflowing weights": call(Y, S, sample_weight=[1e308] * 4),
        "weights short": call(Y, S, sample_weight=[1, 1]),
    }


def wrong() -> dict:
    """Return calls that some version refuses."""
    mask = [True, False, False, False]
    return {
        "masked labels": call(np.ma.array(Y, mask=mask), S),
        "masked scores": call(Y, np.ma.array(S, mask=mask)),
        "masked weights": call(Y, S, sample_weight=np.ma.array(WEIGHT, mask=mask)),
        "empty": call([], []),
        "NaN score": call(Y, [0.1, float("nan"), 0.3, 0.4]),
        "NaN label": call([0, float("nan"), 1, 0], S),
        "labels continuous": call([0.1, 0.2, 0.3, 0.4], S),
        "scores short": call(Y, S[:3]),
        "pos_label list": call(Y, S, pos_label=[1]),
    }


def ranking() -> dict:
    """Return calls of the score alone, on one ranking."""
    rows = np.arange(60)
    y_true, y_score = (rows**2 % 7 == 2).astype(int), rows * 37 % 61 / 61.0
    return {
        "60 rows": call(y_true, y_score),
        "60 rows, ties": call(y_true, y_score.round(1)),
        "60 rows, weights": call(y_true, y_score, sample_weight=(rows % 5 + 1) / 10.0),
        "average='micro', binary": call(Y, S, average="micro"),
        "average=None, binary": call(Y, S, average=None),
        "average by position": call(Y, S, "macro"),
        "average unknown": call(Y, S, average="foo"),
        "pos_label=None": call(Y, S, pos_label=None),
        "scores bool": call(Y, [True, False, True, False]),
        "scores strings": call(Y, list("abcd")),
        "scores infinite": call(Y, [0.1, float("inf"), 0.3, 0.4]),
        "scores of two columns": call(Y, np.ones((4, 2))),
    }


def averages(name: str, *args: object, **kwargs: object) -> dict:
    """Return the call with each average."""
    kinds = ("macro", "micro", "weighted", "samples", None)
    return {f"{name}, average={kind!r}": call(*args, average=kind, **kwargs) for kind in kinds}


def multilabel() -> dict:
    """Return calls of the score on indicators of two labels."""
    y, s = np.array([[0, 1], [1, 0], [1, 1]]), np.array([[0.1, 0.2], [0.3, 0.4], [0.2, 0.2]])
    empty, single = np.array([[0, 1], [0, 0], [0, 1]]), np.array([0.3, 0.1, 0.2], dtype=np.float32)
    double = single.astype(float)
    return {
        **averages("multilabel", y, s),
        **averages("multilabel, weights", y, s, sample_weight=[0.5, 2.0, 1.0]),
        **averages("multilabel, empty column", empty, s),
        **averages("multilabel, no positives", np.zeros((3, 2), dtype=int), s),
        "multilabel, all weights 0": call(y, s, average="samples", sample_weight=[0] * 3),
        "multilabel, weights in a column": call(y, s, average="samples", sample_weight=np.ones((3, 1))),
        "multilabel, weights of 1e-10": call(y, s, average="weighted", sample_weight=[0.5e-10, 2e-10, 1e-10]),
        "multilabel, weights float32": call(y, s, average="weighted", sample_weight=single),
        "multilabel, weights once float32": call(y, s, average="weighted", sample_weight=double),
        "multilabel, labels -1 and 1": call(2 * empty - 1, s, average="weighted"),
        "multilabel, lists": call(y.tolist(), s.tolist()),
        "multilabel, sparse": call(csr_matrix(y), s),
        "multilabel, 3 columns, 2 of scores": call(np.eye(3, dtype=int), s),
        "multilabel, 2 columns, 3 of scores": call(y, np.eye(3)),
        "multilabel, pos_label=0": call(y, s, pos_label=0),
    }


def multiclass() -> dict:
    """Return calls of the score on three classes."""
    y, lists = [0, 1, 2, 1], [[0.7, 0.2, 0.1], [0.4, 0.3, 0.3], [0.1, 0.1, 0.8], [0.2, 0.5, 0.3]]
    s = np.array(lists)
    return {
        **averages("multiclass", y, s),
        "multiclass, strings": call(["x", "y", "z", "y"], s),
        "multiclass, weights": call(y, s, sample_weight=WEIGHT),
        "multiclass, lists": call(y, lists),
        "multiclass, scores of two columns": call(y, s[:, :2]),
        "multiclass, a class is missing": call([0, 1, 3, 1], np.ones((4, 4)) * [0.1, 0.2, 0.3, 0.4]),
        "multiclass, one column": call(y, s[:, 0]),
        "multiclass, pos_label=2": call(y, s, pos_label=2),
    }


def curves() -> dict:
    """Return calls of the curve alone."""
    flat = [0, 0, 0, 0, 1, 1], [0.0, 0.2, 0.5, 0.6, 0.7, 1.0]
    return {
        "y_score by name": call(Y, y_score=S),
        "probas_pred by name": call(Y, probas_pred=S),
        "y_score missing": call(Y),
        "pos_label by position": call(Y, S, 1),
        "drop_intermediate": call(*flat, drop_intermediate=True),
        "drop_intermediate, no positives": call([0] * 4, S, drop_intermediate=True),
        "drop_intermediate, weights": call(Y, S, sample_weight=WEIGHT, drop_intermediate=True),
        "labels of three classes, pos_label": call([0, 2, 1, 2], S, pos_label=2),
        "labels of three classes": call([0, 2, 1, 2], S),
        "multilabel": call(np.array([[0, 1], [1, 0]]), np.array([[0.1, 0.2], [0.3, 0.4]])),
    }


def plain(value: object) -> object:
    """Return numbers as JSON has them, with NaN and infinity as strings."""
    if isinstance(value, (tuple, list)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return value if abs(value) < float("inf") else str(value)


def text(message: object) -> str:
    """Return a message without what is numpy's or scipy's, and with the sets of Python in order."""
    message = re.sub(" encountered in .*| Got <(.|\\n)*", "", str(message))
    return re.sub(r"\{(.*?)\}", lambda m: "{" + ", ".join(sorted(m.group(1).split(", "))) + "}", message)


def outcome(function, args: tuple, kwargs: dict) -> dict:
    """Return what a call gives: a value or an error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            seen = {"value": plain(function(*args, **kwargs))}
        except Exception as error:
            seen = {"error": type(error).__name__, "text": text(error)}
    told = [f"{w.category.__name__}: {text(w.message)}" for w in caught]
    numpys = {line for line in told if line.startswith("RuntimeWarning")}  # how often depends on its version
    if told:
        seen["warnings"] = sorted(numpys) + [line for line in told if line not in numpys]
    return seen


def outcomes() -> dict:
    """Return the outcomes of the scikit-learn that is installed, by function and name of the call."""
    return {
        function: {name: outcome(getattr(sklearn.metrics, function), *call) for name, call in calls.items()}
        for function, calls in matrix().items()
    }


def minor(version: str) -> str:
    """Return '1.9' for '1.9.1'."""
    return ".".join(version.split(".")[:2])


def by_version(entry: dict, minors: list) -> dict:
    """Return the outcome at each version: that of the last version listed up to it."""
    held, last = {}, None
    for version in minors:
        last = held[version] = entry.get(version, last)
    return held


def by_change(held: dict, minors: list) -> dict:
    """Return the outcome at the versions at which it changes."""
    entry, last = {}, "null"
    for version in minors:
        if json.dumps(held.get(version)) != last:  # NaN and -0.0 are told apart
            entry[version] = held.get(version)
            last = json.dumps(entry[version])
    return entry


def written(node: dict, depth: int, indent: str = "\n ") -> str:
    """Return JSON of a line an outcome."""
    if not depth:
        return json.dumps(node)
    lines = [indent + json.dumps(key) + ": " + written(node[key], depth - 1, indent + " ") for key in node]
    return "{" + ",".join(lines) + indent[:-1] + "}"


def merge() -> None:
    """Put the outcomes of the scikit-learn that is installed into the golden file."""
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {"versions": {}}
    ran, own = golden["versions"], minor(sklearn.__version__)
    before = list(ran)
    ran[own] = f"scikit-learn {sklearn.__version__}, numpy {np.__version__}"
    minors = sorted(ran, key=lambda version: [int(part) for part in version.split(".")])
    merged = {"versions": {version: ran[version] for version in minors}}
    for function, seen in outcomes().items():
        merged[function] = {}
        for name in sorted(seen):
            held = by_version(golden.get(function, {}).get(name, {}), before)
            merged[function][name] = by_change({**held, own: seen[name]}, minors)
    versions = written(merged.pop("versions"), 1, "\n  ")
    GOLDEN.write_text('{\n "versions": ' + versions + "," + written(merged, 3)[1:] + "\n")


def run_all(folder: Path) -> None:
    """Run this file in a virtual environment of each version, made in `folder` where it is not there."""
    for version, (python, needs) in VERSIONS.items():
        own = folder / version / "bin" / "python"
        if not own.exists():
            subprocess.check_call(["python" + python, "-m", "venv", str(folder / version)])
        pip = [str(own), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        subprocess.check_call([*pip, "scikit-learn==" + version, *needs.split()])
        subprocess.check_call([str(own), __file__])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--all"]:
        run_all(Path(*sys.argv[2:] or [tempfile.gettempdir(), "scikit_learn_versions"]))
    else:
        merge()
