"""What each scikit-learn does, as `tests/peers/golden/scikit_learn.json` has it, and what we say of it."""

import json
from pathlib import Path

import pytest
import sklearn

import sklearn_ap
from peers import scikit_learn_versions as versions

GOLDEN = json.loads((Path(__file__).parent / "peers" / "golden" / "scikit_learn.json").read_text())
MINORS = list(GOLDEN.pop("versions"))
NEWEST = MINORS[-1]
AP, CURVE = "average_precision_score", "precision_recall_curve"
MATRIX = versions.matrix()
CASES = [(function, name) for function, calls in MATRIX.items() for name in calls]


# What scikit-learn accepts, or breaks on, and we refuse.
STRICTER = {
    "negative weights",
    "overflowing weights",
    "masked labels",
    "masked scores",
    "masked weights",
    "empty",
    "scores strings",
    "multilabel, all weights 0",
    "multilabel, 3 columns, 2 of scores",
    "multilabel, 2 columns, 3 of scores",
}
# An error in the AP of scikit-learn, a curve of zeros in its curves, and an error in all of ours.
TYPO = (CURVE, "pos_label absent")
# What scikit-learn refuses, or gets wrong, and the input whose number it has here.
ACCEPTED = {
    "labels objects": "lists",
    "multilabel, sparse": "multilabel, average='macro'",
    "multiclass, lists": "multiclass, average='macro'",
    "multilabel, labels -1 and 1": "multilabel, empty column, average='weighted'",
    "multilabel, weights of 1e-10": "multilabel, weights, average='weighted'",
    "multilabel, weights float32": "multilabel, weights once float32",
}


def golden(function: str, name: str, version: str = NEWEST) -> dict:
    return versions.by_version(GOLDEN[function][name], MINORS)[version]


def rounded(value):
    """Twelve decimals, in which NaN is a string, -0.0 is not 0.0 and 0 is not 0.0."""
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return round(value, 12) if isinstance(value, float) else value


def told(outcome: dict) -> list[str]:
    """The warnings that are scikit-learn's, not numpy's."""
    return [line for line in outcome.get("warnings", []) if not line.startswith("RuntimeWarning")]


def sklearns(outcome: dict) -> str:
    """An outcome without the words of numpy and Python, which are theirs to change."""
    own = outcome.get("text") if outcome.get("error") in ("ValueError", "InvalidParameterError") else None
    return json.dumps([rounded(outcome.get("value")), outcome.get("error"), own, told(outcome)])


def numbers(outcome: dict) -> list:
    """What ours has to share with scikit-learn's: the numbers, the error class, each warning once."""

    def as_floats(value):
        return [as_floats(entry) for entry in value] if isinstance(value, list) else float(value) + 0.0

    value = None if "error" in outcome else rounded(as_floats(outcome["value"]))
    return [value, outcome.get("error"), sorted(set(told(outcome)))]


def interpolated(outcome: dict) -> dict:
    """The outcome of a curve, each precision being the best at its recall or beyond."""
    if "error" in outcome:
        return outcome
    precision, recall, thresholds = outcome["value"]
    points = list(zip(precision, recall, strict=True))[:-1]
    envelope = [max(p for p, beyond in points if beyond >= r) for _, r in points]
    return {**outcome, "value": [[*envelope, 1.0], recall, thresholds]}


def test_golden_file_holds_the_matrix_on_all_versions():
    assert [versions.minor(version) for version in versions.VERSIONS] == MINORS
    assert {function: sorted(calls) for function, calls in MATRIX.items()} == {
        function: list(entries) for function, entries in GOLDEN.items()
    }
    assert all(MINORS[0] in GOLDEN[function][name] for function, name in CASES)
    assert all(None not in GOLDEN[function][name].values() for function, name in CASES)


@pytest.mark.parametrize(("function", "name"), CASES)
def test_installed_scikit_learn(function, name):
    """A version newer than the file is held against the newest in it."""
    args, kwargs = MATRIX[function][name]
    installed = versions.minor(sklearn.__version__)
    expected = golden(function, name, installed if installed in MINORS else NEWEST)
    assert sklearns(versions.outcome(getattr(sklearn.metrics, function), args, kwargs)) == sklearns(expected)


@pytest.mark.parametrize(("function", "name"), CASES)
def test_ours_is_the_newest(function, name):
    args, kwargs = MATRIX[function][name]
    ours = {
        AP: sklearn_ap.average_precision_score,
        CURVE: sklearn_ap.interpolated_precision_recall_curve,
    }[function]
    stricter = name in STRICTER or (function, name) == TYPO
    expected = {"error": "ValueError"} if stricter else golden(function, ACCEPTED.get(name, name))
    if function == CURVE:
        expected = interpolated(expected)
    assert numbers(versions.outcome(ours, args, kwargs)) == numbers(expected)


@pytest.mark.parametrize("name", sorted({*STRICTER, *ACCEPTED}))
def test_deviations_are_needed(name):
    expected = {"error": "ValueError"} if name in STRICTER else golden(AP, ACCEPTED[name])
    assert numbers(golden(AP, name)) != numbers(expected)
