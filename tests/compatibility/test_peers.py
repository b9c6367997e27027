"""The records, and ranges over open orders, against what packages printed: stored in
`tests/peers`, or live with `pytest -m peers`.
"""

import re

import pytest

from peers import golden_values
from peers.agreement import NOT_REPRODUCED, agreement, record_of
from peers.registry import PEERS
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import SKLEARN_AP_RECORDS, find_convention

GOLDEN = golden_values.load()
COUNTED = {"Keras AUC(curve='PR'), thresholds=50"}  # of a record with 200
# Versions that a package has replaced print nothing new: what they printed is stored.
REPLACED = {"scikit-learn < 0.19", "anomalib AUPR, earlier", "Ultralytics, earlier"}


@pytest.mark.parametrize("name", GOLDEN)
def test_record_gives_the_stored_values(name):
    found, record = agreement(name, GOLDEN[name]), find_convention(record_of(name))
    assert found.different == []
    assert len(found.same) >= 30
    assert not found.left_open or record.ties == "unspecified"
    assert {(name, one) for one in found.not_reproduced} == {
        pair for pair in NOT_REPRODUCED if pair[0] == name
    }
    assert not found.not_reproduced or record.not_reproduced


def test_every_record_that_says_so_was_run():
    packages = set(CONVENTIONS.values()) - set(SKLEARN_AP_RECORDS)
    assert len({re.split(r"[ ,]", one.source)[0] for one in packages}) > 30
    named = {record.name for record in packages if record.run}
    assert named | COUNTED == set(map(record_of, GOLDEN))
    assert set(GOLDEN) - set(PEERS) == REPLACED
    assert set(map(record_of, PEERS)) <= set(CONVENTIONS) | COUNTED


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # the packages' own
@pytest.mark.parametrize("name", PEERS)
def test_record_gives_what_the_package_prints_now(name):
    version = golden_values.version(PEERS[name])
    if version is None:
        pytest.skip(f"{PEERS[name].package} is not installed")
    assert agreement(name, golden_values.run(PEERS[name], version)).different == []
