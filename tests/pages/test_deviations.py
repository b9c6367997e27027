"""Every call of the page of deviations, and of `tests/deviations.txt`, has both results
that stand there. These entries also explain every difference of random calls.
"""

import os
import re
import warnings
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from pandas import DataFrame, RangeIndex, Series
from scipy.sparse import csr_array
from sklearn import config_context, metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, OneClassSVM

import sklearn_ap
from brief import IS_BRIEF
from drawn_calls import drawn_call, outcome
from scoring import VERSION

ESTIMATORS = (
    DummyClassifier,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    OneClassSVM,
    OneVsRestClassifier,
    SVC,
)


class Own:
    """A sequence of another type than list."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return self.values[place]


def dispatched(function, *arguments):
    """Return the result under scikit-learn's dispatch, which asks for this variable."""
    with (
        mock.patch.dict(os.environ, SCIPY_ARRAY_API="1"),
        config_context(array_api_dispatch=True),
    ):
        return function(*arguments)


SHARED = {
    "np": np,
    "Own": Own,
    "csr_array": csr_array,
    "cross_validate": cross_validate,
    "DataFrame": DataFrame,
    "dispatched": dispatched,
    "Series": Series,
    "X": np.arange(6).reshape(-1, 1),
    "two": [0, 0, 0, 1, 1, 1],
    "three": [0, 0, 1, 1, 2, 2],
}
SHARED |= {estimator.__name__: estimator for estimator in ESTIMATORS}
BOTH = "average_precision_score", "get_scorer", "make_scorer", "precision_recall_curve"
THEIRS = {name: getattr(metrics, name) for name in BOTH}
OURS = {name: getattr(sklearn_ap, name) for name in BOTH}


class Deviation(NamedTuple):
    """An entry of the page."""

    topic: str
    # The versions of scikit-learn with this answer, such as "since 1.9". In all other
    # versions, both libraries agree.
    versions: str
    call: str
    scikit_learn: str
    sklearn_ap: str


ROOT = Path(__file__).parents[2]
FILES = [ROOT / "docs" / "deviations.md", ROOT / "tests" / "deviations.txt"]
PAGE = "".join(file.read_text() for file in FILES)
VERSIONS = r"(?: \(((?:before|since) [\d.]+)\))?"
CARDS = [  # a paragraph, and a row of the table of errors
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^\*\*(.+)\*\*{VERSIONS}\.(?: .+(?:\n.+)*)?\\\n`(.+)`\\\n(`.+`) → (`.+`)$",
        rf"^\| (.+?){VERSIONS}: `(.+)` \| (`.+`) \| (`.+`) \|$",
    )
]
DEVIATIONS = [
    Deviation(*(part.strip("`") for part in card.groups(default="")))
    for pattern in CARDS
    for card in pattern.finditer(PAGE)
]
of_each_row = pytest.mark.parametrize("row", DEVIATIONS, ids=lambda row: row.topic)


def answer(call, functions):
    """Return the value to 9 digits and the first warning, or the error."""
    if "torch" in call:  # the nox session `newest` installs it
        functions = functions | {"torch": pytest.importorskip("torch")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(call, SHARED | functions)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if isinstance(value, bool):
        return str(value)
    assert np.ndim(value) == 0
    # Older versions return -0.0, which becomes 0.0.
    number = f"{float(value) + 0.0:.9g}"
    warned = [f"{w.category.__name__}: {w.message}" for w in caught]
    return " and ".join([number, *warned[:1]])


def kind(told):
    """Return the class of an error, or the whole answer."""
    return told.partition(":")[0]


def is_number(told):
    return re.fullmatch(r"[\d.e-]+|nan", told) is not None


def agrees(given, told):
    """Return whether a result agrees with the page: the number to its digits, or the
    class of the error or warning and the beginning of its text.
    """
    number, _, warning = told.partition(" and ")
    if is_number(number):
        value, _, warned = given.partition(" and ")
        digits = max(6, len(number.removeprefix("0.").replace(".", "")))
        return (
            is_number(value)
            and f"{float(value):.{digits}g}" == number
            and warned.startswith(warning)
        )
    return kind(given) == kind(told) and given.startswith(told)


def applies(row):
    if not row.versions:
        return True
    relation, version = row.versions.split()
    bound = tuple(map(int, version.split(".")))
    return (bound <= VERSION) == (relation == "since")


@of_each_row
def test_scikit_learn_answers_as_told(row):
    assert row.scikit_learn != row.sklearn_ap
    given = answer(row.call, THEIRS)
    if applies(row):
        assert agrees(given, row.scikit_learn), given
    else:
        # Both libraries agree. Of errors, only the class is compared.
        assert agrees(kind(given), kind(row.sklearn_ap)), given


@of_each_row
def test_sklearn_ap_answers_as_told_without_other_warnings(row):
    given = answer(row.call, OURS)
    assert agrees(given, row.sklearn_ap), given
    assert given.count("Warning: ") == row.sklearn_ap.count("Warning: ")


def test_every_card_is_read():
    n_cards = PAGE.count("\n**") + len(re.findall(r"(?m)^\| .*`\w+\(", PAGE))
    assert len(DEVIATIONS) == n_cards >= 25
    topics = [row.topic for row in DEVIATIONS]
    assert len(set(topics)) == len(topics)
    assert {*topics} >= {*WRITTEN, MATRIX}


# --- drawn calls ----------------------------------------------------------------------

OUR_SCORE, THEIR_SCORE = (f["average_precision_score"] for f in (OURS, THEIRS))
APPLYING = [row for row in DEVIATIONS if applies(row)]
TOPICS = {row.topic for row in APPLYING}
# The errors of our package that the page shows.
REFUSALS = tuple(
    row.sklearn_ap for row in APPLYING if row.sklearn_ap.startswith("ValueError: ")
)

WARNED = [row for row in APPLYING if " and UserWarning: " in row.sklearn_ap]


def array(value):
    """Return an argument as an array. Sparse or ragged values become one object."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.array(None)


def weights(call):
    return array(call["sample_weight"]).astype(float)


def names_of_columns(frame):
    """Return the names of columns, without those of a default index."""
    return [] if isinstance(frame.columns, RangeIndex) else list(frame.columns)


def names_of_labels(call):
    """Return the names of several labels, or the classes."""
    if array(call["y_true"]).shape[1:] > (1,):
        return names_of_columns(call["y_true"])
    return np.unique(array(call["y_true"])).tolist()


def are_plain_objects(labels):
    """Return whether labels are objects of which all, or none, are text."""
    of_text = {isinstance(label, str) for label in labels.flat}
    return labels.ndim > 0 and labels.dtype == object and len(of_text) == 1


def is_indicator(y_true):
    return y_true.ndim == 2 and len(np.unique(y_true)) < 3


def in_float64(call):
    """Return weights whose smallest is 1."""
    return weights(call) / weights(call)[weights(call) > 0].min()


# For entries where only our package returns a number: an argument, what users of
# scikit-learn would write instead, and where. Other calls stay, and so do those for which
# this raises one of `UNREADABLE`.
WRITTEN = {
    "Sparse indicators": ("y_true", "y_true.toarray()", "True"),
    "Columns of a frame in another order": (
        "y_score",
        "y_score[names_of_labels(call)].to_numpy()",
        "{*names_of_columns(y_score)} == {*names_of_labels(call)}",
    ),
    "A name of two columns": ("y_score", "y_score.to_numpy()", "True"),
    "Labels stored as objects": (
        "y_true",
        "np.array(array(y_true).tolist())",
        "are_plain_objects(array(y_true))",
    ),
    "Multiclass scores in lists or other sequences": (
        "y_score",
        "np.asarray(y_score)",
        "isinstance(y_score, list | set) and len(np.unique(array(y_true))) > 2",
    ),
    "average='weighted' with indicators -1 and 1": (
        "y_true",
        "(array(y_true) == 1).astype(int)",
        "call.get('average') == 'weighted' and is_indicator(array(y_true))",
    ),
    "Weights stored as objects": (
        "sample_weight",
        "in_float64(call)",
        "array(sample_weight).dtype == object",
    ),
    "average='weighted' with float32 weights": (
        "sample_weight",
        "in_float64(call)",
        "array(sample_weight).dtype in ('f2', 'f4')",
    ),
    "average='weighted' with tiny weights": (
        "sample_weight",
        "in_float64(call)",
        "weights(call).min() < 1e-8",
    ),
    "average='samples' with weights in a column": (
        "sample_weight",
        "np.ravel(sample_weight)",
        "array(sample_weight).shape[1:] == (1,)",
    ),
}
MATRIX = "Labels, scores or weights in a numpy.matrix"


def difference(ours, theirs):
    """Return the first difference of two outcomes. Texts and warnings are only compared
    with the versions of scikit-learn that have the same texts.
    """
    if ours.error or theirs.error:
        if type(ours.error) is not type(theirs.error):
            return "class"
        return "text" * (VERSION >= (1, 9) and str(ours.error) != str(theirs.error))
    if np.shape(ours.value) != np.shape(theirs.value):
        return "shape"
    if not np.allclose(ours.value, theirs.value, rtol=0, atol=1e-12):
        return "value"
    return "warnings" * (VERSION >= (1, 9) and ours.warnings != theirs.warnings)


# The code of `WRITTEN` raises these errors for some calls with a fault.
UNREADABLE = TypeError, ValueError, KeyError, IndexError, AttributeError


def is_warned_of(category, text):
    """Return whether an entry has this warning, perhaps about another argument."""
    warning = f"{category.__name__}: {text}"
    for row in WARNED:
        told = row.sklearn_ap.partition(" and ")[2]
        if warning.startswith((told, told.replace("y_true", "y_score"))):
            return True
    return False


def is_refused(error):
    """Return whether an entry has this error, perhaps about another argument."""
    text = re.sub(r"\w+ is a masked", "y_true is a masked", str(error))
    return f"{type(error).__name__}: {text}".startswith(REFUSALS)


def written(call):
    """Return the arguments that users of scikit-learn would write instead."""
    call = {
        name: np.asarray(value) if isinstance(value, np.matrix) else value
        for name, value in call.items()
    }
    for topic, (argument, code, where) in WRITTEN.items():
        if topic in TOPICS and argument in call:
            names = globals() | call | {"call": call}
            with suppress(*UNREADABLE):
                if eval(where, names):
                    call[argument] = eval(code, names)
    return call


def is_covered(call, ours, theirs):
    """Return whether an entry of the page explains the difference."""
    if ours.error and is_refused(ours.error):
        return True
    theirs = outcome(THEIR_SCORE, written(call.arguments))
    ours = ours._replace(warnings={w for w in ours.warnings if not is_warned_of(*w)})
    if "Scores near the largest float" in TOPICS and (
        call.names.get("y_score") == "extreme"
    ):
        arithmetic = {w for w in theirs.warnings if w[0] is RuntimeWarning}
        theirs = theirs._replace(warnings=theirs.warnings - arithmetic)
    return not difference(ours, theirs)


# numpy warns if `WRITTEN` reads arguments that are complex or missing.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "n_calls",
    [200 if IS_BRIEF else 300, pytest.param(20_000, marks=pytest.mark.slow)],
)
def test_cards_cover_the_differences_of_drawn_calls(n_calls):
    rng, lines = np.random.default_rng(n_calls), []
    for _ in range(n_calls):
        call = drawn_call(rng)
        ours = outcome(OUR_SCORE, call.arguments)
        theirs = outcome(THEIR_SCORE, call.arguments)
        differs = difference(ours, theirs)
        if differs and not is_covered(call, ours, theirs):
            lines.append(f"{differs}: {call.names}\n  ours {ours}\n  theirs {theirs}")
    assert not lines, "\n".join([f"{len(lines)} of {n_calls}", *lines[:20]])
