"""The records against what packages printed: stored in `tests/peers`, or live with `pytest -m peers`."""

from dataclasses import replace

import numpy as np
import pytest

from peers import golden_values
from peers.agreement import NOT_REPRODUCED, agreement
from peers.inputs import INPUTS
from peers.registry import PEERS
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import FAMILY

GOLDEN = golden_values.load()
OF_NO_TYPE = (
    "mapcalc",  # reads no scores
    "Keras AUC(curve='PR')",  # the rule by which it rounds up is of float32 itself
    "Keras AUC(curve='PR'), 50 thresholds",
    "Keras PrecisionAtRecall(0.8)",
    "Keras RecallAtPrecision(0.8)",
)


@pytest.mark.parametrize("name", GOLDEN)
def test_record_gives_the_stored_values(name):
    found = agreement(CONVENTIONS[name], GOLDEN[name])
    assert found.different == []
    assert len(found.same) >= 30
    assert not found.left_open or CONVENTIONS[name].ties == "unspecified"
    assert {(name, one) for one in found.not_reproduced} == {
        pair for pair in NOT_REPRODUCED if pair[0] == name
    }
    assert not found.not_reproduced or CONVENTIONS[name].not_reproduced


def test_every_record_that_says_so_was_run():
    assert {name for name, one in CONVENTIONS.items() if one.run and one not in FAMILY} == set(GOLDEN)
    assert set(GOLDEN) <= set(PEERS)
    assert set(PEERS) <= set(CONVENTIONS)


def test_matrix_holds_what_it_should():
    cases = INPUTS.values()
    assert len(INPUTS) >= 40
    for holds in (
        lambda case: case.tied,
        lambda case: case.sample_weight is not None and len(set(case.sample_weight)) > 1,
        lambda case: case.sample_weight is not None and 0 in case.sample_weight,
        lambda case: not any(case.y_true),
        lambda case: all(case.y_true),
        lambda case: len(case.y_true) == 1,
        lambda case: len(case.y_true) > 1 and len(set(case.y_score)) == 1,
        lambda case: set(case.y_score) == {0.0, 1.0},
        lambda case: not case.tied and len(set(np.float32(case.y_score))) < len(case.y_score),
        lambda case: case.n_positives is not None and case.n_positives > sum(case.y_true),
        lambda case: case.query_id is not None,
    ):
        assert any(map(holds, cases))


def test_a_spoiled_value_is_noticed():
    spoiled = GOLDEN["COCO"] | {"values": {"mccann": GOLDEN["COCO"]["values"]["mccann"] + 1e-9}}
    assert len(agreement(CONVENTIONS["COCO"], spoiled).different) == 1
    for stored in ("nan", "ValueError: one class"):
        assert len(agreement(CONVENTIONS["COCO"], spoiled | {"values": {"mccann": stored}}).different) == 1


@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in OF_NO_TYPE])
def test_stored_values_tell_in_which_type_scores_are_compared(name):
    """Every record would be refuted, had it the other type; those of an open order, in two orders."""
    record, stored = CONVENTIONS[name], GOLDEN[name]["values"]
    of_types = GOLDEN[name] | {"values": {one: value for one, value in stored.items() if "float" in one}}
    other = replace(record, score_dtype="float32" if record.score_dtype is None else None)
    for order in ("stable", "reversed") if record.ties == "unspecified" else (record.ties,):
        assert agreement(replace(other, ties=order), of_types).different != []


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # the packages' own
@pytest.mark.parametrize("name", PEERS)
def test_record_gives_what_the_package_prints_now(name):
    version = golden_values.version(PEERS[name])
    if version is None:
        pytest.skip(f"{PEERS[name].package} is not installed")
    assert agreement(CONVENTIONS[name], golden_values.run(PEERS[name], version)).different == []
