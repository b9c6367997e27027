"""Scorers of records: the number is that of `score_as`, for every record and in every
tool that takes ``scoring=``.
"""

import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from brief import not_in_brief
from scoring import IGNORED, LOGISTIC, QUERY, X3, Y3, X, Y
from sklearn_ap import get_scorer, get_scorer_names, make_scorer
from sklearn_ap.compatibility import CONVENTIONS, NoNumberError, score_as
from sklearn_ap.compatibility._records import Convention, read_file

pytestmark = pytest.mark.filterwarnings(*IGNORED)

MODEL = GaussianNB().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]


def outcome(function, *arguments, **options):
    """Return the number, or the text of the error that there is none."""
    try:
        return function(*arguments, **options)
    except NoNumberError as error:
        return str(error)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# --- every record ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CONVENTIONS][::3])
@pytest.mark.filterwarnings("ignore:The number of")
def test_every_record_is_a_scorer(name):
    options = {"k": 10} if CONVENTIONS[name].cut == "k" else {}
    scorer = make_scorer(score_as, convention=name, **options)
    expected = outcome(score_as, name, Y, SCORE, **options)
    assert scorer.__name__ == scorer._score_func.__name__ == name
    written = (
        pickle.loads(pickle.dumps(scorer)),
        clone(scorer, safe=False),
        make_scorer(score_as, convention=name.upper(), **options),
        make_scorer(score_as, convention=CONVENTIONS[name], **options),
        make_scorer(partial(score_as, name), **options),
        make_scorer(partial(score_as, convention=name, **options)),
    )
    for same in (scorer, *written):
        assert repr(same) == repr(scorer)
        assert same.__name__ == name
        assert same._kwargs == options
        np.testing.assert_equal(outcome(same, MODEL, X, Y), expected)


@pytest.mark.parametrize("name", ["average precision", "eleven-point", "R-precision"])
def test_the_name_of_a_score_and_a_record_is_the_score_in_get_scorer(name):
    """`score_as` keeps the record. Several classes have a number."""
    model = clone(LOGISTIC).fit(X3, Y3)
    assert get_scorer(name)(model, X3, Y3) > 0.5
    recorded = make_scorer(score_as, convention=name)
    assert recorded.__name__ == name
    with pytest.raises(ValueError, match="3 classes or labels"):
        recorded(model, X3, Y3)


def test_a_record_with_another_number_of_thresholds():
    scorer = make_scorer(score_as, convention="TorchMetrics, thresholds=7")
    assert scorer.__name__ == "torchmetrics, thresholds=7"
    assert scorer(MODEL, X, Y) == score_as("torchmetrics, thresholds=7", Y, SCORE)


def test_a_record_of_your_own():
    record = Convention(name="ours", area="interpolated")
    scorer = make_scorer(score_as, convention=record)
    assert scorer.__name__ == "ours"
    for same in (scorer, pickle.loads(pickle.dumps(scorer))):
        assert same(MODEL, X, Y) == score_as(record, Y, SCORE)


def test_names_of_scorers_contain_no_records():
    """Names that are also those of scorers or of scikit-learn's scorers stay theirs."""
    assert not {*CONVENTIONS, *read_file()["alias"]} & {*get_scorer_names()}
    assert repr(get_scorer("roc_auc")) == repr(sklearn.metrics.get_scorer("roc_auc"))


@not_in_brief
def test_records_are_read_only_for_names_that_the_core_does_not_know():
    code = (
        "import sys; from sklearn_ap import get_scorer, make_scorer, r_precision_score;"
        "get_scorer('average_precision@5'); get_scorer('roc_auc'); "
        "make_scorer(r_precision_score); "
        "assert 'sklearn_ap.compatibility' not in sys.modules; make_scorer(__import__('sklearn_ap.compatibility').compatibility.score_as, convention='coco'); "
        "assert 'sklearn_ap.compatibility' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- errors ---------------------------------------------------------------------------


# A call, and its error.
WRONG = [
    ("get_scorer('VOC 207')", ValueError, r"got 'VOC 207'\.$"),
    ("get_scorer(['VOC 2007'])", ValueError, r"Got \['VOC 2007'\] instead\.$"),
    (
        "make_scorer(score_as, convention='VOC 207')",
        ValueError,
        "^convention must be a name in CONVENTIONS \\(page Compatibility\\); got 'VOC 207'; did you mean",
    ),
    ("make_scorer(score_as)", ValueError, "^convention must .*; got None"),
    (
        "make_scorer(score_as, convention=Convention(name='a', area='b'))",
        ValueError,
        "^area must be",
    ),
    (
        "make_scorer(score_as, convention='trec_eval map_cut')",
        TypeError,
        "^k is required: 'trec_eval map_cut' cuts each ranking",
    ),
    (
        "make_scorer(score_as, convention='precision@k', k=None)",
        TypeError,
        "^k is required: 'precision@k'",
    ),
    (
        "make_scorer(score_as, convention='VOC 2007', normalizer='k')",
        TypeError,
        r"^score_as\(\) got an unexpected keyword argument 'normalizer'",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_wrong_arguments_raise_when_the_scorer_is_made(call, error, text):
    with pytest.raises(error, match=text):
        eval(call)


# --- in scikit-learn's tools ----------------------------------------------------------


def test_one_of_several_classes_is_scored_if_it_is_named():
    words = np.array([*"abc"])[Y3]
    model = clone(LOGISTIC).fit(X3, words)
    with pytest.raises(ValueError, match=r"3 classes or labels.*pos_label=label"):
        make_scorer(score_as, convention="VOC 2010")(model, X3, words)
    scorer = make_scorer(score_as, convention="VOC 2010", pos_label="c")
    scores = model.decision_function(X3)[:, 2]
    assert scorer(model, X3, words) == score_as("VOC 2010", words == "c", scores)


@pytest.mark.usefixtures("routing")
def test_queries_items_totals_and_weights_reach_the_record():
    """`tests/core/test_scorer_queries.py` tests how tools pass them."""
    x, items = X.round(), np.random.default_rng(0).permutation(len(Y))
    rows = {"y_true": Y, "y_score": MODEL.predict_proba(x)[:, 1], "query_id": QUERY}
    of_queries = {"query_id": "groups", "n_positives": dict.fromkeys(range(99), 10)}
    cut = make_scorer(score_as, convention="trec_eval map_cut", k=4, **of_queries)
    cut.set_score_request(item_id=True)
    assert cut.get_metadata_routing().score.requests["item_id"]
    totals = dict.fromkeys(QUERY.tolist(), 10)
    expected = score_as(
        "trec_eval map_cut", **rows, k=4, item_id=items, n_positives=totals
    )
    assert cut(MODEL, x, Y, query_id=QUERY, item_id=items) == expected
    name, weight = "interpolated, all recalls", 1 + items % 3
    mean = make_scorer(score_as, convention=name, query_id="groups")
    found = mean(MODEL, x, Y, query_id=QUERY, sample_weight=weight)
    assert found == score_as(name, **rows, sample_weight=weight)
