"""The records against what the packages printed: stored in `peers/golden`, or live with `pytest -m peers`."""

import pytest

from peers import golden_values
from peers.agreement import NOT_REPRODUCED, agreement
from peers.inputs import INPUTS
from peers.registry import PEERS
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import FAMILY

GOLDEN = golden_values.load()


@pytest.mark.parametrize("name", GOLDEN)
def test_record_gives_the_stored_values(name):
    found = agreement(name, GOLDEN[name])
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
        lambda case: case.tied and len(set(case.y_score)) == len(case.y_score),  # close in float32
        lambda case: case.n_positives is not None and case.n_positives > sum(case.y_true),
        lambda case: case.query_id is not None,
    ):
        assert any(map(holds, cases))


def test_a_spoiled_value_is_noticed():
    spoiled = GOLDEN["COCO"] | {"values": {"mccann": GOLDEN["COCO"]["values"]["mccann"] + 1e-9}}
    assert len(agreement("COCO", spoiled).different) == 1
    for stored in ("nan", "ValueError: one class"):
        assert len(agreement("COCO", spoiled | {"values": {"mccann": stored}}).different) == 1


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # the packages' own
@pytest.mark.parametrize("name", PEERS)
def test_record_gives_what_the_package_prints_now(name):
    version = golden_values.version(PEERS[name])
    if version is None:
        pytest.skip(f"{PEERS[name].package} is not installed")
    assert agreement(name, golden_values.run(PEERS[name], version)).different == []
