"""All scores take the common keywords."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from metrics import ALL_SCORES, CURVES, LEVELS, example_of

_RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {"label": (_RNG.random(60) < 0.3).astype(int), "query": np.arange(60) % 3}
)
# Query 2 has no positives.
FRAME.loc[FRAME["query"] == 2, "label"] = 0
# There are ties, and the best scores of a query belong to negatives.
FRAME["score"] = (
    _RNG.integers(0, 9, 60) + np.where(FRAME["query"] == 0, 2, 0) * FRAME["label"]
) / 8
FRAME["weight"] = _RNG.integers(1, 5, 60) / 2
CASES = [
    (score, keyword)
    for score in ALL_SCORES
    for keyword in list(signature(score).parameters)[2:]
]


@pytest.mark.parametrize(("score", "keyword"), CASES)
@pytest.mark.filterwarnings(
    "ignore:No positive class|y_true contains no positives:UserWarning"
)
def test_each_keyword_changes_a_number_or_is_refused_by_name(score, keyword):
    """A score must not accept a keyword and ignore it."""
    value, more = example_of(keyword, score)
    accepted = signature(score).parameters
    params = dict(LEVELS.get(score.__name__, {}))
    params |= {name: more[name] for name in more if name in accepted}
    columns = {"sample_weight", "query_id"}

    def call(**params):
        arrays = {name: FRAME[params[name]] for name in columns & params.keys()}
        return score(FRAME["label"], FRAME["score"], **params | arrays)

    before = call(**params)
    try:
        after = call(**params | {keyword: value})
    except ValueError as error:
        assert keyword in str(error)  # noqa: PT017  # an error that names the keyword is right, too
        return
    assert after != pytest.approx(before, rel=1e-12)


def test_a_keyword_has_one_default_in_all_functions_of_a_kind():
    for score in ALL_SCORES:
        parameters = signature(score).parameters
        assert parameters["pos_label"].default == 1
        if "k" in parameters:
            assert parameters["k"].default in (None, parameters["k"].empty)
    for function in (*CURVES, ap.operating_point, ap.budget_totals):
        assert signature(function).parameters["pos_label"].default is None


# Arguments that `estimate_score`, `compare_scores` and `compare_many` may get. They pass
# all other arguments on to a score.
RESERVED = {"method", "alternative", "confidence_level", "random_state", "n_jobs"}


def test_no_score_takes_a_reserved_word():
    taken = {name for score in ALL_SCORES for name in signature(score).parameters}
    assert not taken & RESERVED
