"""Every call of the page of deviations, run with the installed scikit-learn and with
sklearn_ap.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, OneClassSVM

import sklearn_ap

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
ESTIMATORS = (
    DummyClassifier,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    OneClassSVM,
    SVC,
)
SHARED = {
    "np": np,
    "csr_array": csr_array,
    "cross_validate": cross_validate,
    "X": np.arange(6).reshape(-1, 1),
}
SHARED |= {estimator.__name__: estimator for estimator in ESTIMATORS}
BOTH = "average_precision_score", "get_scorer", "make_scorer"
THEIRS = {name: getattr(metrics, name) for name in (*BOTH, "precision_recall_curve")}
OURS = {name: getattr(sklearn_ap, name) for name in BOTH}
OURS["precision_recall_curve"] = sklearn_ap.interpolated_precision_recall_curve


class Deviation(NamedTuple):
    """A card of the page."""

    topic: str
    # of scikit-learn with this answer, such as ">= 1.9"; in all others, both libraries
    # agree
    versions: str
    call: str
    why: str
    scikit_learn: str
    sklearn_ap: str


PAGE = Path(__file__).parents[2] / "docs" / "deviations.md"
CARD = re.compile(
    r"### (.+?)(?: ([<>]=? [\d.]+))?\n\n`(.+)`\n\n(.+)\n\n"
    r"- \*\*scikit-learn:\*\* `(.+)`\n- \*\*sklearn_ap:\*\* `(.+)`\n"
)
DEVIATIONS = [
    Deviation(*card.groups(default="")) for card in CARD.finditer(PAGE.read_text())
]
of_each_row = pytest.mark.parametrize("row", DEVIATIONS, ids=lambda row: row.topic)


def answer(call: str, functions: dict) -> str:
    """Return the value to 6 digits, or the error."""
    try:
        value = eval(call, SHARED | functions)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(value, bool):
        return str(value)
    assert np.ndim(value) == 0
    return f"{float(value) + 0.0:.6g}"  # -0.0, as older versions answer, becomes 0.0


def kind(told: str) -> str:
    """Return the class of an error, or the whole answer."""
    return told.partition(":")[0]


def agrees(given: str, told: str) -> bool:
    """Whether the number is the one told, or the error of the class and the start of
    the text told.
    """
    return kind(given) == kind(told) and (
        given.startswith(told) if ":" in told else True
    )


def applies(row: Deviation) -> bool:
    if not row.versions:
        return True
    relation, version = row.versions.split()
    bound = tuple(map(int, version.split(".")))
    return (bound <= VERSION) == (relation == ">=")


@of_each_row
# of overflow, before a wrong number
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scikit_learn_answers_as_told(row):
    """It differs in more than the text of an error."""
    assert kind(row.scikit_learn) != kind(row.sklearn_ap)
    given = answer(row.call, THEIRS)
    if applies(row):
        assert agrees(given, row.scikit_learn), given
    else:  # the two agree, errors in their class
        assert kind(given) == kind(row.sklearn_ap), given


@of_each_row
def test_sklearn_ap_answers_as_told_without_a_warning(row):
    given = answer(row.call, OURS)
    assert agrees(given, row.sklearn_ap), given


def test_every_card_of_the_page_is_read():
    assert len(DEVIATIONS) == PAGE.read_text().count("\n### ") >= 25
