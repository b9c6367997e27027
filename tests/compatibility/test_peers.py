"""Records, and their ranges over orders of equal scores, agree with the numbers that
packages printed. These are stored in `tests/peers`, or printed anew with `pytest -m
peers`.
"""

import re

import pytest

from peers import golden_values
from peers.agreement import compared, record_of
from peers.registry import PEERS
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import SKLEARN_AP_CONVENTIONS, find_convention

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

GOLDEN = golden_values.load()
# The record has 200 thresholds; the package was also run with 50.
COUNTED = {"Keras AUC(curve='PR'), thresholds=50"}
# Old versions of packages, and packages that cannot be installed without changes, are
# not run again. The numbers that they printed are stored.
STORED = {
    *("scikit-learn < 0.19", "anomalib AUPR", "anomalib AUPR < 2.7"),
    *("Ultralytics < 8.4.37", "voc_ap", "voc_ap, use_07_metric", "cityscapes"),
    *("KITTI R11", "KITTI R40", "torchreid", "sentence-transformers map@k"),
    "torchmetrics RetrievalMAP < 1.7.4",
}
# The field `not_reproduced` of these records names the difference.
NOT_REPRODUCED = {
    "KITTI R11": ["large scores"],
    "KITTI R40": ["large scores"],
    "ROCR aucpr": ["100 rows, one decimal"],
}


def check(name, golden):
    """Compare a record with the numbers that the package printed."""
    record, verdicts = find_convention(record_of(name)), compared(name, golden)
    different = {
        put: text for put, text in verdicts.items() if text not in ("same", "open")
    }
    message = f"record {record.name!r}, {golden['version']}: {different}"
    assert [*different] == NOT_REPRODUCED.get(name, []), message
    assert bool(record.not_reproduced) >= bool(different)
    assert "open" not in verdicts.values() or record.ties == "unspecified"
    assert [*verdicts.values()].count("same") >= 28


@pytest.mark.parametrize("name", GOLDEN)
def test_record_gives_the_stored_values(name):
    check(name, GOLDEN[name])


def test_every_record_that_says_so_was_run():
    packages = set(CONVENTIONS.values()) - set(SKLEARN_AP_CONVENTIONS)
    assert len({re.split(r"[ ,]", one.source)[0] for one in packages}) > 30
    named = {record.name for record in packages if record.run}
    assert named | COUNTED == set(map(record_of, GOLDEN))
    assert set(GOLDEN) - set(PEERS) == STORED
    assert set(map(record_of, PEERS)) <= set(CONVENTIONS) | COUNTED


@pytest.mark.peers
# The packages issue warnings of their own.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PEERS)
def test_record_gives_what_the_package_prints_now(name):
    printed = golden_values.run(PEERS[name])
    if printed is None:
        pytest.skip(f"{PEERS[name].package} is not installed")
    check(name, printed)
