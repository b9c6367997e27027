"""An estimate uses each keyword of its score, or refuses it by its name."""

from inspect import signature

import numpy as np
import pytest

from metrics import ALL_SCORES, LEVELS, example_of
from sklearn_ap import estimate_score
from sklearn_ap._core.typing import ScoreOptions

pytestmark = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:y_true contains no positives"
)
RNG = np.random.default_rng(4)
QUERY = np.arange(60) % 3
# Query 2 has no positives.
LABEL = ((RNG.random(60) < 0.4) & (QUERY < 2)).astype(int)
ROWS = LABEL, (RNG.integers(0, 9, 60) + LABEL) / 8
COLUMNS = {"query_id": QUERY, "sample_weight": RNG.integers(1, 5, 60) / 2}
CASES = [
    (score, keyword)
    for score in ALL_SCORES
    for keyword in list(signature(score).parameters)[2:]
]


@pytest.mark.parametrize(("score", "keyword"), CASES)
def test_an_estimate_is_that_of_the_score_or_names_the_keyword(score, keyword):
    value, more = example_of(keyword, score)
    known = signature(score).parameters
    params = LEVELS.get(score.__name__, {}) | {"query_id": "query"}
    params |= {name: more[name] for name in more if name in known} | {keyword: value}
    params |= {name: COLUMNS[name] for name in params.keys() & COLUMNS}
    try:
        found = estimate_score(score, *ROWS, **params).score
    except ValueError as error:
        assert keyword in str(error)  # noqa: PT017  # an error that names the keyword is right, too
    else:
        assert found == score(*ROWS, **params)


def test_type_checkers_know_each_keyword_of_the_scores():
    assert {*ScoreOptions.__annotations__} == {keyword for _, keyword in CASES}
