"""The functions of docs/detection.md compute the numbers of COCOeval."""

import doctest
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from peers.detection import coco_evaluation
from sklearn_ap import compare_samples, estimate_score

pytest.importorskip("pycocotools", reason="the group more-tests installs it")

PAGE = Path(__file__).parents[2] / "docs" / "detection.md"


@pytest.fixture(scope="module")
def functions():
    """Return the functions that the page defines."""
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(PAGE.read_text()):
        if example.source.startswith(("import ", "from ", "def ")):
            exec(example.source, names)
    return names


def scene(seed, n_objects=24):
    """Draw crowds, overlapping boxes of all sizes, and equal scores. For every third
    seed, an image has over 100 detections.
    """
    draw = np.random.default_rng(seed)
    objects, found = [], []
    for number in range(n_objects):
        corner, extent = draw.integers(0, 120, 2), draw.integers(8, 150, 2)
        box = np.append(corner, extent).astype(float)
        where = {
            "image_id": number % (n_objects // 3),
            "category_id": int(draw.integers(1, 4)),
        }
        size = {"bbox": box.tolist(), "area": box[2] * box[3]}
        is_crowd = {"iscrowd": int(draw.random() < 0.2)}
        objects.append({**where, **size, **is_crowd})
        for _ in range(draw.integers(0, 4)):
            moved = (box + draw.normal(0, 6, 4)).clip(1).tolist()
            found.append({**where, "bbox": moved, "score": round(draw.random(), 1)})
    other = {"image_id": 0, "category_id": 1, "bbox": [0.0, 0.0, 20.0, 20.0]}
    if seed % 3 == 0:
        found += [{**other, "score": score} for score in draw.random(130).tolist()]
    found.append({**other, "category_id": 5, "score": 0.5})  # without an object
    return objects, found


def test_an_evaluation_without_matches_is_an_error(functions):
    """faster-coco-eval leaves this dictionary empty."""
    params = SimpleNamespace(catIds=[1], areaRng=[[0, 1e10]])
    empty = SimpleNamespace(evalImgs=defaultdict(list), params=params)
    with pytest.raises(ValueError, match="no matches"):
        functions["rows_of"](empty)


@cache
def evaluated(seed):
    """Return what COCOeval says about a scene: all tests of the scene read it."""
    return coco_evaluation(*scene(seed), n_categories=5)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("stat", "overlaps", "area"),
    [(0, range(10), 0), (1, [0], 0), (2, [5], 0), (3, range(10), 1), (5, range(10), 3)],
)
def test_rows_of_an_evaluation_have_every_average_precision_of_coco(
    functions, seed, stat, overlaps, area
):
    evaluation = evaluated(seed)
    rows, _ = functions["rows_of"](evaluation, overlaps, area)
    # COCOeval reports -1 if there are no objects of this size.
    mean = -1.0
    if any(rows["n_positives"].values()):
        mean = functions["score_as"]("COCO", **rows)
    assert mean == pytest.approx(evaluation.stats[stat], abs=1e-12)


def test_objects_of_an_area_without_boxes_are_missed(functions):
    """The only box is small, and COCOeval reports 0 for large objects."""
    objects, found = scene(0)
    evaluation = coco_evaluation(objects, found[-1:], n_categories=5)
    rows, _ = functions["rows_of"](evaluation, area=3)
    assert functions["score_as"]("COCO", **rows) == evaluation.stats[5] == 0


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_calls_of_the_page_run(functions):
    objects, found = scene(0, 400)
    evaluation, other = (
        coco_evaluation(objects, boxes, n_categories=5) for boxes in (found, found[::2])
    )
    rows, image = functions["rows_of"](evaluation)
    of_other, image_of_other = functions["rows_of"](other)
    names = functions | {"evaluation": evaluation, "rows": rows, "image": image}
    names |= {
        "estimate_score": estimate_score,
        "compare_samples": compare_samples,
        "new": {**rows, "unit_id": image},
        "old": {**of_other, "unit_id": image_of_other},
    }
    calls = re.findall(r"^\| .+ \| `(\w+\(.+\))` \|$", PAGE.read_text(), re.MULTILINE)
    mean, at_50, estimate, gain = (eval(call, names) for call in calls[:4])
    assert [mean, at_50] == pytest.approx(evaluation.stats[:2], abs=1e-12)
    low, high = estimate.confidence_interval()
    assert low < mean < high
    # Only the order of equal scores differs.
    assert estimate.score == pytest.approx(mean, abs=0.02)
    # The other detector found less, on some of the same images.
    assert gain.scores[0] == estimate.score
    assert gain.scores[1] == pytest.approx(other.stats[0], abs=0.02)
    assert gain.confidence_interval().low > 0
    assert gain.n_shared_units <= gain.n_units == estimate.n_units
