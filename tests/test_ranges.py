"""Open orders of equal scores: the range over all orders is exact, for every convention
that has one.
"""

import re

import numpy as np
import pytest

import conventions_oracle
from conventions_oracle import Data, is_over_hits
from peers import golden_values
from peers.inputs import INPUTS
from sklearn_ap.compatibility import CONVENTIONS, NoNumberError, score_as
from sklearn_ap.compatibility._records import Convention

OPEN = [one for one in CONVENTIONS.values() if one.ties in ("unspecified", "item_id")]


EVERY = {one.name: one for one in OPEN if not is_over_hits(one)}


def problems(count: int) -> list[Data]:
    """Rankings of at most eight rows with few scores, some in queries, some with missed
    positives.
    """
    draw = np.random.default_rng(11)
    made = []
    for number in range(count):
        n = int(draw.integers(2, 9))
        labels, scores = (
            draw.integers(0, 2, n).tolist(),
            (draw.integers(0, 3, n) / 4).tolist(),
        )
        queries = draw.choice(["a", "b"], n).tolist() if number % 3 == 1 else None
        totals = dict.fromkeys("ab", n + 1) if queries else n + 1
        missed = totals if number % 2 else None
        made.append(
            Data(
                labels,
                scores,
                queries=queries,
                n_positives=missed,
                k=int(draw.integers(1, n + 2)),
            )
        )
    return made


def answered(
    convention: Convention | str, labels, scores, **arguments
) -> float | NoNumberError:
    try:
        return score_as(convention, labels, scores, **arguments)
    except NoNumberError as error:
        return error


@pytest.mark.parametrize("name", EVERY)
def test_range_is_that_of_all_orders(name):
    """Least and greatest of the exact numbers of every order; one number where no order
    changes it.
    """
    n_open = 0
    for data in problems(8):
        exact = tuple(map(float, conventions_oracle.extremes(EVERY[name], data)))
        found = answered(EVERY[name], data.labels, data.scores, **data.arguments())
        if isinstance(found, NoNumberError):
            n_open += 1
            assert (found.low, found.high) == pytest.approx(exact, abs=1e-12)
            words = re.search(
                r"between (\S+) and (\S+), depending", str(found)
            ).groups()
            assert words[0] != words[1]
            assert list(map(float, words)) == pytest.approx(exact, abs=5e-5)
            assert found.low < found.high
        else:
            assert exact == pytest.approx((found, found), abs=1e-12, nan_ok=True)
    assert n_open >= 2


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
