"""Names of conventions in upper and lower case, aliases, names of packages, similar
names, and tables that callers cannot change.
"""

import numpy as np
import pytest

from scores import FAMILY_S, FAMILY_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._records import find_convention, read_file, single_spaced

ALIASES, NOT_REPRODUCED = map(read_file().get, ("alias", "not_reproduced"))


def test_records_and_aliases_are_found_without_regard_to_case():
    for name, record in CONVENTIONS.items():
        for written in (name.upper(), name.title(), f" {name.replace('_', '-')} "):
            assert find_convention(written) is record
    for alias, row in ALIASES.items():
        changes = CONVENTIONS[row["convention"]].changes
        assert find_convention(alias.upper().replace(" ", "_")).changes == changes


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("Faster COCO eval", "COCO"),
        ("detectron2 cocoevaluator", "COCO"),
        ("average(p@k)", "mean of P@k at every rank"),
        # The default number of thresholds may be part of the name.
        ("keras auc(curve='pr'), thresholds=200", "Keras AUC(curve='PR')"),
        ("Spark areaUnderPR, numbins=1000", "Spark areaUnderPR, numBins=1000"),
    ],
)
def test_other_names(name, record):
    assert find_convention(name).changes == CONVENTIONS[record].changes


def error_of(name: object) -> str:
    with pytest.raises(ValueError, match=r"^convention ") as caught:
        find_convention(name)
    return str(caught.value)


@pytest.mark.parametrize("name", NOT_REPRODUCED)
def test_the_error_about_a_number_without_a_record_has_the_reason(name):
    reason, name = NOT_REPRODUCED[name]["reason"], name.upper()
    assert error_of(name) == f"convention {name!r} is not reproduced: {reason}"
    assert not any(
        single_spaced(other).startswith(single_spaced(name))
        for other in (*CONVENTIONS, *ALIASES)
    )


def test_a_package_stands_for_all_of_its_records():
    names = [
        name
        for name, record in CONVENTIONS.items()
        if record.source.startswith("torchmetrics ")
    ]
    assert "torchmetrics, thresholds=100" in names
    rows, asked = (FAMILY_Y, FAMILY_S), {"conventions": ["TorchMetrics", "COCO"]}
    both = [
        row.convention.name for row in compare_conventions(*rows, k=10, **asked).rows
    ]
    assert both == [*names, "COCO"]
    # Without k, records with a cut are left out.
    whole = [row.name for row in compare_conventions(*rows, **asked).rows]
    assert whole == [name for name in both if CONVENTIONS[name].cut != "k"]
    assert 1 < len(whole) < len(both)


def test_without_k_only_records_without_a_cut_are_compared():
    rows = FAMILY_Y, FAMILY_S
    with pytest.raises(NoNumberError, match="k is required: 'AP@k over R'"):
        compare_conventions(*rows, conventions="AP@k over R")
    for conventions in (None, [], CONVENTIONS):
        table = compare_conventions(*rows, conventions=conventions)
        assert {row.convention.cut for row in table.rows} == {None, "n_positives"}


@pytest.mark.parametrize("base", ["torchmetrics", "Keras AUC(curve='PR')"])
def test_identify_tries_numbers_of_thresholds(base):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 2000), rng.random(2000)
    for count in (20, 50, 500):
        name = f"{base}, thresholds={count}"
        found = identify(score_as(name, labels, scores), labels, scores)
        assert name in [row.name for row in found.rows[: found.search.n_found]]
