"""The pages about conventions agree with the records, and the calls on these pages give
the numbers of the records.
"""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import label_ranking_average_precision_score

import sklearn_ap
from brief import every_third
from docs.scripts.calls import our_call
from docs.scripts.records import DOCS, REFERENCE, pages, reference
from scores import used_by
from sklearn_ap.compatibility import CONVENTIONS, score_as

CALLED = {name: call for name, one in CONVENTIONS.items() if (call := our_call(one))}


def test_committed_pages_are_what_the_records_say():
    made = {DOCS / path: text for path, text in pages().items()}
    assert {*DOCS.glob("compatibility/*")} <= made.keys()
    for path, text in {**made, REFERENCE: reference()}.items():
        message = f"{path} is stale: python docs/scripts/records.py"
        assert path.read_text() == text, message


WEIGHTED = [name for name, one in CONVENTIONS.items() if "=w)" in one.not_reproduced]


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_of_queries_are_those_of_the_line_of_the_page(name):
    _, line, _ = CONVENTIONS[name].not_reproduced.split("`")
    labels, scores = np.array([[1, 0, 1], [0, 0, 1]]), np.array([[3, 2, 1], [3, 2, 1]])
    rows = {"query_id": ["a", "a", "a", "b", "b", "b"]}
    rows |= used_by(name, k=3)
    call = line.replace("...", "name, labels.ravel(), scores.ravel(), **rows")
    mean = eval(call, {**globals(), **locals(), "w": [3, 1]})
    lrap = label_ranking_average_precision_score(labels, scores, sample_weight=[3, 1])
    assert mean == pytest.approx(lrap, abs=1e-15)


def scores(said, rng):
    """Draw scores that are as difficult as the conditions of a call allow: with ties,
    of both signs, and with more digits than float32.
    """
    values = rng.permutation(60) if "equal scores" in said else rng.integers(0, 18, 60)
    values = values / 3
    if "apart" not in said and "float32" not in said:
        values[0] = np.nextafter(values[0], 9)
    if "[0, 1]" in said:
        values /= 20
    elif "above 0" in said:
        values += 1
    else:
        values -= 4
    return values.astype(np.float32) if "float32" in said else values


def labels(said, query, rng):
    """Draw labels of four queries. If the conditions allow it, the third query has only
    positives, and the fourth has none.
    """
    values = rng.integers(0, 2, query.size)
    values[:4], values[4:8] = 0, 1
    if "a negative" not in said:
        values[query == 2] = 1
    if "every query has a positive" not in said:
        values[query == 3] = 0
    return values


def ours(call, given, **others):
    """Return the number of a call as it is written, with given values in place of
    `...`.
    """
    options = {
        name: given[name] if text == "..." else eval(text)
        for name, text in {**call.definition, **call.inputs}.items()
    }
    score = getattr(sklearn_ap, call.function)
    return score(given["y_true"], given["y_score"], **options, **others)


@pytest.mark.filterwarnings(
    "ignore:(No positive class found|y_true contains no positive|The number of .* NaN)"
)
@pytest.mark.parametrize(("seed", "name"), every_third(product(range(3), CALLED)))
def test_our_call_gives_the_number_of_its_record(name, seed):
    record, call, rng = CONVENTIONS[name], CALLED[name], np.random.default_rng(seed)
    said, arguments = "; ".join(call.conditions), {**call.definition, **call.inputs}
    query = np.arange(60) % 4
    y_true = labels(said, query, rng)
    if seed == 2 and "a positive" not in said:
        y_true[:] = 0
    totals = {q: int(y_true[query == q].sum()) + q % 3 for q in range(4)}
    given = {
        "y_true": y_true,
        "y_score": scores(said, rng),
        "k": 5,
        "query_id": query,
        "n_positives": totals if "query_id" in arguments else sum(totals.values()),
    }
    weights = {}
    if record.weights == "used" and not {"ties", "n_positives"} & arguments.keys():
        weights["sample_weight"] = rng.integers(1, 9, 60)
    read = given.keys() & {"y_true", "y_score", "k", *call.inputs}
    used = used_by(record, **{name: given[name] for name in read})
    theirs = score_as(record, **used, **weights)
    expected = pytest.approx(theirs, abs=1e-12, rel=0, nan_ok=True)
    assert ours(call, given, **weights) == expected
