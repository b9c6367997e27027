"""One dictionary of common keywords serves every score."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest

from metrics import ALL_SCORES, LEVELS, example_of
from sklearn_ap import distributed

_RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {"label": (_RNG.random(60) < 0.3).astype(int), "query": np.arange(60) % 3}
)
FRAME.loc[FRAME["query"] == 2, "label"] = 0  # a query without positives
# With ties, where the best scores of a query are negatives'.
FRAME["score"] = (
    _RNG.integers(0, 9, 60) + np.where(FRAME["query"] == 0, 2, 0) * FRAME["label"]
) / 8
FRAME["weight"] = _RNG.integers(1, 5, 60) / 2


def in_memory(score, params):
    columns = {
        name: FRAME[value]
        for name, value in params.items()
        if name in ("query_id", "sample_weight")
    }
    return score(FRAME["label"], FRAME["score"], **{**params, **columns})


def beyond_memory(score, params):
    return distributed.score(score, FRAME, memory_limit=1, **params)


@pytest.mark.parametrize("call", [in_memory, beyond_memory])
@pytest.mark.parametrize(
    ("score", "keyword"),
    [
        (score, keyword)
        for score in ALL_SCORES
        for keyword in list(signature(score).parameters)[2:]
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
@pytest.mark.filterwarnings(
    "ignore:No positive class|y_true contains no positives:UserWarning"
)
def test_each_keyword_changes_a_number_or_is_refused_by_name(score, keyword, call):
    """A keyword that a score accepts and does nothing with would mislead, in memory and
    beyond it.
    """
    value, more = example_of(keyword)
    accepted = signature(score).parameters
    params = LEVELS.get(score.__name__, {}) | {
        name: more[name] for name in more if name in accepted
    }
    before = call(score, params)
    try:
        after = call(score, params | {keyword: value})
    except ValueError as error:
        assert keyword in str(error)  # noqa: PT017  # a refusal is as good as another number
        return
    assert after != pytest.approx(before, rel=1e-12)
