"""An estimate uses each keyword of its score, or refuses it by its name."""

import pytest

from metrics import CASES, QUERY, ROWS, options_for
from sklearn_ap import estimate_score
from sklearn_ap._core.typing import ScoreOptions

pytestmark = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:y_true contains no positives"
)


@pytest.mark.parametrize(("score", "keyword"), CASES)
def test_an_estimate_is_that_of_the_score_or_names_the_keyword(score, keyword):
    needed, value = options_for(keyword, score)
    params = {"query_id": QUERY} | needed | {keyword: value}
    try:
        found = estimate_score(score, *ROWS, **params).score
    except ValueError as error:
        assert keyword in str(error)  # noqa: PT017  # an error that names the keyword is right, too
    else:
        assert found == score(*ROWS, **params)


def test_type_checkers_know_each_keyword_of_the_scores():
    assert {*ScoreOptions.__annotations__} == {keyword for _, keyword in CASES}
