"""Open orders of equal scores: the range over all orders is exact, for every convention
that has one.
"""

import pytest

from peers import golden_values
from peers.inputs import INPUTS
from sklearn_ap.compatibility import CONVENTIONS, NoNumberError, score_as
from sklearn_ap.compatibility._records import Convention

OPEN = [one for one in CONVENTIONS.values() if one.ties in ("unspecified", "item_id")]


def answered(
    convention: Convention | str, labels, scores, **arguments
) -> float | NoNumberError:
    try:
        return score_as(convention, labels, scores, **arguments)
    except NoNumberError as error:
        return error


def test_words_of_a_range():
    with pytest.raises(
        NoNumberError, match=r" between 0\.5\S* and 1\S*, depending on "
    ):
        score_as("voc_ap", [1, 0], [1, 1], k=2)


def test_what_packages_printed_lies_within_the_range():
    golden, n_open = golden_values.load(), 0
    for name in golden.keys() & {one.name for one in OPEN}:
        slack = golden[name]["tolerance"]
        for given, stored in golden[name]["values"].items():
            case = INPUTS[given]
            arguments = {
                "k": case.k,
                "query_id": case.query_id,
                "n_positives": case.n_positives,
            }
            found = answered(name, case.y_true, case.y_score, **arguments)
            # unknown where precisions are divided by hits; no positive is no open order
            if isinstance(found, NoNumberError) and found.low is not None:
                n_open += 1
                assert found.low - slack <= float(stored) <= found.high + slack, (
                    name,
                    given,
                )
    assert n_open > 100
