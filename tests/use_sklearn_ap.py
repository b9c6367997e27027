"""A pytest plugin that replaces functions and classes of scikit-learn by ours, and notes
which tests call them, are skipped, or fail as listed. `scikit_learn_suite.run` uses it.

The test modules of scikit-learn import the names from `sklearn.metrics`, so pytest must
load this plugin before them.
"""

import functools
import json
import os
from pathlib import Path

import pytest
import sklearn.metrics

import sklearn_ap
from sklearn_ap._core import evaluate

# The names of scikit-learn that ours replace.
REPLACED = (
    "average_precision_score",
    "precision_recall_curve",
    "PrecisionRecallDisplay",
    "make_scorer",
    "get_scorer",
)
FOLDER = Path(os.environ["SUITE_FOLDER"])
deviations = json.loads((FOLDER / "deviations.json").read_text())
running: list[str] = []
callers: dict[str, set[str]] = {name: set() for name in REPLACED}
skipped: dict[str, str] = {}
deviating: list[str] = []


def noting_calls(function, callers_of_name):
    """Return the function, which also notes the test that calls it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        callers_of_name.update(running)
        return function(*args, **kwargs)

    return call


def score_rows(caller, *args, score_of_rows=evaluate.score_rows):
    """Score the rows, and note the test, by the name of the public score.

    The score itself is not wrapped, since `make_scorer` would take a wrapper for a
    function of someone else.
    """
    callers.get(caller, set()).update(running)
    return score_of_rows(caller, *args)


evaluate.score_rows = score_rows
for name in REPLACED:
    # Where a subpackage was removed, its names are missing.
    if (replacement := getattr(sklearn_ap, name, None)) is None:
        continue
    if isinstance(replacement, type):
        replacement.plot = noting_calls(replacement.plot, callers[name])
    elif name != "average_precision_score":
        replacement = noting_calls(replacement, callers[name])
    setattr(sklearn.metrics, name, replacement)
# So ``scoring="average_precision"`` of scikit-learn is our scorer.
sklearn.metrics._scorer._SCORERS["average_precision"] = sklearn_ap.get_scorer(
    "average_precision"
)


def pytest_collection_modifyitems(items):
    for item in items:
        for start, entry in deviations.items():
            if item.name.startswith(start):
                item.add_marker(pytest.mark.xfail(reason=entry, strict=True))
                item.user_properties.append(("deviation", start))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    running[:] = [item.nodeid]
    return (yield)


def pytest_runtest_logreport(report):
    if hasattr(report, "wasxfail"):
        deviating.append(dict(report.user_properties)["deviation"])
    elif report.skipped:
        _, _, skipped[report.nodeid] = report.longrepr


def pytest_sessionfinish():
    report = {
        "n_callers": {name: len(tests) for name, tests in callers.items()},
        "skipped": skipped,
        "deviating": deviating,
    }
    (FOLDER / "report.json").write_text(json.dumps(report))
