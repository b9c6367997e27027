"""docs/detection.md: its functions give what COCOeval prints."""

import doctest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pycocotools", reason="the group more-tests installs it")
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from sklearn_ap import report

PAGE = Path(__file__).parents[2] / "docs" / "detection.md"


@pytest.fixture(scope="module")
def functions() -> dict[str, object]:
    """The functions that the page defines, as it has them."""
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(PAGE.read_text()):
        if example.source.startswith(("import ", "from sklearn_ap", "def ")):
            exec(example.source, names)
    return names


def scene(seed: int) -> tuple[list[dict], list[dict]]:
    """Crowds, overlapping boxes of all sizes, equal scores, and a crowded image with
    over 100 detections.
    """
    draw = np.random.default_rng(seed)
    objects, found = [], []
    for image in range(8):
        for _ in range(draw.integers(0, 7)):
            where = {"image_id": image, "category_id": int(draw.integers(1, 4))}
            corner, extent = draw.integers(0, 120, 2), draw.integers(8, 150, 2)
            box = np.append(corner, extent).astype(float).tolist()
            size = {
                "bbox": box,
                "area": box[2] * box[3],
                "iscrowd": int(draw.random() < 0.2),
            }
            objects.append({**where, **size, "id": len(objects) + 1})
            for _ in range(draw.integers(0, 4)):
                moved = (np.array(box) + draw.normal(0, 6, 4)).clip(1).tolist()
                found.append({**where, "bbox": moved, "score": round(draw.random(), 1)})
    if seed % 3 == 0:
        other = {"image_id": 0, "category_id": 1, "bbox": [0.0, 0.0, 20.0, 20.0]}
        found += [{**other, "score": score} for score in draw.random(130).tolist()]
    # no object
    found.append(
        {"image_id": 7, "category_id": 5, "bbox": [0.0, 0.0, 9.0, 9.0], "score": 0.5}
    )
    return objects, found


def evaluated(objects: list[dict], found: list[dict]) -> COCOeval:
    with redirect_stdout(StringIO()):
        truth = COCO()
        truth.dataset = {
            "images": [{"id": image} for image in range(8)],
            "categories": [{"id": category} for category in range(1, 6)],
            "annotations": objects,
        }
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


@pytest.mark.parametrize("seed", range(12))
def test_functions_of_the_page_give_every_average_precision_of_coco(functions, seed):
    evaluation = evaluated(*scene(seed))
    coco_ap, classes = functions["coco_ap"], evaluation.params.catIds
    for stat, overlaps, area in (
        (0, range(10), 0),
        (1, [0], 0),
        (2, [5], 0),
        *((3 + a, range(10), 1 + a) for a in range(3)),
    ):
        values = [
            coco_ap(evaluation, one, overlap, area)
            for one in classes
            for overlap in overlaps
        ]
        # no object of that size
        mean = -1.0 if np.isnan(values).all() else np.nanmean(values)
        assert mean == pytest.approx(evaluation.stats[stat], abs=1e-12)
    assert functions["coco_map"](evaluation) == pytest.approx(
        evaluation.stats[0], abs=1e-12
    )
    # by overlap, recall, class, area and limit of detections
    precision = evaluation.eval["precision"]
    for place, category in enumerate(classes):
        at_levels = precision[5, :, place, 0, -1]
        expected = np.nan if (at_levels == -1).all() else at_levels.mean()
        assert coco_ap(evaluation, category, 5) == pytest.approx(
            expected, abs=1e-12, nan_ok=True
        )


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(6))
def test_the_mean_of_an_answer_is_that_of_coco(functions, seed):
    """At an overlap: the mean over the classes that have objects."""
    evaluation = evaluated(*scene(seed))
    for overlap in (0, 5):
        columns, totals = [], {}
        for category in range(1, 6):
            *rows, totals[category] = functions["detections"](
                evaluation, category, overlap
            )
            columns += zip(*rows, [category] * len(rows[0]), strict=True)
        matched, score, image, category = map(np.array, zip(*columns, strict=True))
        answer = report(
            matched,
            score,
            query_id=category,
            unit_id=image,
            n_positives=totals,
            zero_division=np.nan,
        ).answer
        # overlap, recall, class, all areas, 100 detections
        precision = evaluation.eval["precision"][overlap, :, :, 0, -1]
        expected = precision[:, precision[0] > -1].mean()
        assert answer["of_boxes"]["COCO"]["scores"] == pytest.approx(
            expected, rel=1e-12
        )
