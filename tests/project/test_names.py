"""Names of conventions: in any case, other names, names of several, near misses; tables
nobody changes.
"""

import pytest

from scores import FAMILY_S, FAMILY_Y
from sklearn_ap.compatibility import CONVENTIONS, compare_conventions, score_as
from sklearn_ap.compatibility._records import find_convention, plain, read_file

ALIASES, NOT_REPRODUCED, SHARED_NAMES = map(
    read_file().get, ("alias", "not_reproduced", "shared_names")
)


@pytest.mark.parametrize(
    "change",
    [str.upper, str.lower, str.title, lambda name: f" {name.replace('_', '-')} "],
)
def test_every_record_is_found_without_regard_to_case(change):
    assert [
        name
        for name, one in CONVENTIONS.items()
        if find_convention(change(name)) is not one
    ] == []


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("pycocotools", "COCO"),
        ("Faster COCO eval", "COCO"),
        ("detectron2 cocoevaluator", "COCO"),
        ("beir", "trec_eval map_cut"),
        ("sklearn", "scikit-learn"),
    ],
)
def test_other_names(name, record):
    assert score_as(name, FAMILY_Y, FAMILY_S, k=3) == score_as(
        record, FAMILY_Y, FAMILY_S, k=3
    )
    (row,) = compare_conventions(FAMILY_Y, FAMILY_S, k=3, conventions=name).rows
    assert row.convention is CONVENTIONS[record]


def refusal(name: object) -> str:
    with pytest.raises(ValueError, match=r"^convention ") as caught:
        find_convention(name)
    return str(caught.value)


@pytest.mark.parametrize("name", SHARED_NAMES)
def test_a_name_of_several_lists_them(name):
    said = refusal(name.upper())
    for one in SHARED_NAMES[name]:
        assert repr(find_convention(one).name) in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "ranx",
            r"did you mean 'ranx map' or 'ranx map@k' or .* or 'ranx hit_rate@k'\?$",
        ),
        (
            "detectron2",
            "did you mean 'Detectron2 COCOEvaluator' or 'Detectron2 PascalVOC",
        ),
        (
            "catboost",
            r"did you mean 'CatBoost PRAUC' or 'CatBoost MAP:top=k'\?$",
        ),
        (
            "xgbost aucpr",
            "must be a name .*; got 'xgbost aucpr'; did you mean 'XGBoost aucpr'",
        ),
        ("pycoctools", "did you mean 'pycocotools'"),
        ("Z\n\x1b[31m", r"got 'Z\\n\\x1b\[31m'\.$"),
        (None, r"got None\.$"),
        (b"COCO", r"got b'COCO'\.$"),
    ],
)
def test_near_misses_are_suggested(name, said):
    with pytest.raises(ValueError, match=said):
        compare_conventions(FAMILY_Y, FAMILY_S, conventions=[name])


@pytest.mark.parametrize("name", NOT_REPRODUCED)
def test_numbers_without_a_record_are_refused_with_the_reason(name):
    reason, name = NOT_REPRODUCED[name]["reason"], name.upper()
    assert refusal(name) == f"convention {name!r} has no record: {reason}"
    assert not any(
        plain(other).startswith(plain(name)) for other in (*CONVENTIONS, *ALIASES)
    )
