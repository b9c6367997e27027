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

NO_POSITIVES = "UserWarning: No positive class found in y_true, recall is set to one for all thresholds."
RENAMED = (
    "FutureWarning: probas_pred was deprecated in version 1.5 and will be removed in 1.7."
    "Please use ``y_score`` instead."
)

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


def summary(outcome: dict) -> str:
    """The number, of a curve how many thresholds it has, or the error."""
    value = outcome.get("value", outcome.get("error"))
    is_curve = isinstance(value, list) and isinstance(value[-1], list)
    return json.dumps(len(value[-1]) if is_curve else rounded(value))


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


def has_number(outcome: dict) -> bool:
    return "value" in outcome and "nan" not in json.dumps(outcome["value"])


BEFORE_STEP = [name for name in MATRIX[AP] if has_number(golden(AP, name, "0.18"))]
BEFORE_STEP = sorted({*BEFORE_STEP} - STRICTER - {*ACCEPTED} - {"average by position"})


@pytest.mark.parametrize("name", BEFORE_STEP)
def test_before_0_19_the_score_was_pr_auc(name):
    args, kwargs = MATRIX[AP][name]
    ours = versions.outcome(sklearn_ap.pr_auc_score, args, kwargs)
    assert numbers(ours)[0] == numbers(golden(AP, name, "0.18"))[0]


@pytest.mark.parametrize("name", BEFORE_STEP)
def test_the_number_is_the_same_since_0_19(name):
    seen = {json.dumps(numbers(golden(AP, name, minor))) for minor in MINORS[1:]}
    assert len(seen) == 1


# The versions at which the number (of a curve the count of thresholds) or the error changes.
ABSENT = {"0.18": "TypeError", "0.20": "nan", "1.1": -0.0, "1.6": 0.0}
HISTORY = [
    (AP, "lists", {"0.18": 5 / 12, "0.19": 7 / 12}),  # trapezoids, then steps
    (AP, "constant", {"0.18": 0.75, "0.19": 0.5}),
    (AP, "labels strings, pos_label", {"0.18": "TypeError", "0.20": 7 / 12}),
    (AP, "multiclass, average='micro'", {"0.18": "ValueError", "1.3": 25 / 28}),
    (AP, "no positives", {"0.18": "nan", "1.1": -0.0, "1.6": 0.0}),
    (AP, "multilabel, no positives, average='macro'", {"0.18": "nan", "1.1": 0.0}),
    (AP, "multilabel, no positives, average='weighted'", {"0.18": 0}),  # an int
    (AP, "average by position", {"0.18": 5 / 12, "0.19": 7 / 12, "1.0": "TypeError"}),
    (AP, "average unknown", {"0.18": "ValueError", "1.3": "InvalidParameterError"}),
    (AP, "labels 1 and 2", {"0.18": "ValueError", "0.20": 0.75}),  # 1 is positive
    (CURVE, "labels 1 and 2", {"0.18": "ValueError"}),
    (AP, "pos_label absent", {"0.18": "TypeError", "0.20": "ValueError"}),
    (AP, "pos_label absent, one label", ABSENT),
    (CURVE, "pos_label absent", {"0.18": 1, "1.1": 4}),
    (CURVE, "full recall early", {"0.18": 3, "1.1": 6}),
    (CURVE, "drop_intermediate", {"0.18": "TypeError", "1.3": 3}),
    (CURVE, "y_score by name", {"0.18": "TypeError", "1.5": 4}),
    (CURVE, "probas_pred by name", {"0.18": 3, "1.1": 4, "1.7": "TypeError"}),
    (AP, "masked scores", {"0.18": 7 / 24, "0.19": 5 / 12, "0.22": 7 / 12}),  # from 0.22 as if unmasked
    (CURVE, "masked labels", {"0.18": "ValueError", "0.22": 3, "1.1": 4, "1.9": "ValueError"}),
    (AP, "negative weights", {"0.18": "ValueError", "0.19": 7 / 9}),
    (AP, "overflowing weights", {"0.18": "nan", "1.6": 0.0}),
    (AP, "multilabel, 3 columns, 2 of scores", {"0.18": 7 / 12, "0.19": 2 / 3}),
    (AP, "multiclass, scores of two columns", {"0.18": "ValueError", "1.3": 1.0, "1.9": "ValueError"}),
    (AP, "multiclass, lists", {"0.18": "ValueError", "1.3": 1.0, "1.9": "AttributeError"}),
    (AP, "all weights 0", {"0.18": "nan", "1.0": "IndexError", "1.9": "ValueError"}),
    (AP, "multilabel, weights in a column", {"0.18": "TypeError", "0.22": "IndexError", "1.9": 5 / 6}),
]


@pytest.mark.parametrize(("function", "name", "changes"), HISTORY)
def test_history(function, name, changes):
    expected = versions.by_version(changes, MINORS)
    assert {minor: summary(golden(function, name, minor)) for minor in MINORS} == {
        minor: json.dumps(rounded(value)) for minor, value in expected.items()
    }


@pytest.mark.parametrize("function", [AP, CURVE])
def test_no_positives_warn_from_1_1(function):
    seen = {minor: golden(function, "no positives", minor)["warnings"] for minor in MINORS}
    silent = MINORS[: MINORS.index("1.1")]
    assert seen == {
        minor: ["RuntimeWarning: invalid value" if minor in silent else NO_POSITIVES] for minor in MINORS
    }


def test_no_positives_warn_once_a_ranking_but_never_with_weighted():
    assert golden(AP, "multilabel, no positives, average='macro'")["warnings"] == [NO_POSITIVES] * 2
    assert golden(AP, "multilabel, no positives, average='samples'")["warnings"] == [NO_POSITIVES] * 3
    assert "warnings" not in GOLDEN[AP]["multilabel, no positives, average='weighted'"]["0.18"]


def test_no_version_gives_undefined_metric_warning():
    assert "UndefinedMetricWarning" not in json.dumps(GOLDEN)


def test_probas_pred_was_deprecated_in_1_5_and_1_6():
    seen = {minor: golden(CURVE, "probas_pred by name", minor).get("warnings") for minor in MINORS}
    assert seen == {minor: [RENAMED] if minor in ("1.5", "1.6") else None for minor in MINORS}


@pytest.mark.parametrize("name", ["masked labels", "masked scores", "masked weights", "negative weights"])
def test_traps_are_silent(name):
    assert golden(AP, name).keys() == {"value"}


def test_pos_label_that_is_absent_is_told():
    text = "pos_label=7 is not a valid label. It should be one of "
    changes = GOLDEN[AP]["pos_label absent"]
    assert changes["0.20"]["text"] == "pos_label=7 is invalid. Set it to a label in y_true."
    assert changes["0.24"]["text"] == text + "[0, 1]"
    assert changes["1.9"]["text"] == text + "[0 1]"


def test_weighted_average_before_ours():
    """What the mapping in the docstring of our score says scikit-learn does."""
    assert golden(AP, "multilabel, weights of 1e-10") == {"value": 0}
    assert golden(AP, "multilabel, labels -1 and 1")["value"] < 0
