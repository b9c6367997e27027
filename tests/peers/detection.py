"""Packages for object detection: a row is a detection, labelled 1 where it found an
object of its own.

A detection covers its object exactly; false positives and missed objects lie apart from
everything. None of the packages takes weights, and those that sort equal scores in no
specified order are not run on them. Some packages import much; of those, installed with
`pip install --no-deps`, only the file that computes AP is loaded.
"""

import contextlib
import importlib.metadata
import importlib.util
import io
import os
import pickle
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from ._peer import Peer
from .inputs import Case

# of corners or of corner and size; KITTI counts no box less than 40 high
BOX = [
    0.0,
    0.0,
    50.0,
    50.0,
]
ELEVEN = [level / 10 for level in range(11)]
SINGLE = 1e-6  # of numbers that are computed or given in float32


@cache
def load_file(package: str, file: str) -> ModuleType:
    """Return one file of an installed package, without the package's `__init__` and all
    that it imports.
    """
    package_spec = PathFinder.find_spec(package)
    if package_spec is None or not package_spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    path = Path(package_spec.submodule_search_locations[0], file)
    name = f"{package}.{file.removesuffix('.py').replace('/', '.')}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _n_missed(case: Case) -> int:
    """Return how many objects no detection found."""
    return 0 if case.n_positives is None else case.n_positives - sum(case.y_true)


def _images(case: Case) -> list[tuple[list[float], int]]:
    """Return the scores and the number of objects of images that hold one detection or
    one missed object.
    """
    rows = zip(case.y_score, case.y_true, strict=True)
    return [([score], label) for score, label in rows] + [([], 1)] * _n_missed(case)


def _scene(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the boxes of all detections and of all objects, side by side in one
    image.
    """
    n = len(case.y_true)
    boxes = np.array(BOX) + 100.0 * np.arange(n + _n_missed(case))[:, np.newaxis] * [
        1,
        0,
        1,
        0,
    ]
    return boxes[:n], np.concatenate([boxes[:n][np.array(case.y_true) == 1], boxes[n:]])


def coco_evaluation(
    objects: list[dict[str, Any]], detections: list[dict[str, Any]], n_categories: int
) -> Any:
    """Return pycocotools' evaluation of objects and detections of numbered images."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    images = {one["image_id"] for one in objects + detections}
    truth = COCO()
    truth.dataset = {
        "images": [{"id": image} for image in sorted(images)],
        "categories": [{"id": number} for number in range(1, n_categories + 1)],
        "annotations": [one | {"id": number} for number, one in enumerate(objects, 1)],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(detections), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def _coco(case: Case) -> float:
    """Return pycocotools' AP at IoU 0.5, in many images, since it keeps 100 detections
    of one.
    """
    box = {"category_id": 1, "bbox": BOX, "area": 2500.0, "iscrowd": 0}
    objects, detections = [], []
    for image, (scores, n_objects) in enumerate(_images(case)):
        objects += [box | {"image_id": image}] * n_objects
        detections += [box | {"image_id": image, "score": score} for score in scores]
    return float(coco_evaluation(objects, detections, n_categories=1).stats[1])


def _torchmetrics(case: Case) -> float:
    """Return torchmetrics' `map_50`; the stand-in for torchvision keeps boxes as they
    are, as it would.
    """
    import torch
    from torchmetrics.detection import mean_ap

    def boxes(number: int) -> dict[str, torch.Tensor]:
        return {
            "boxes": torch.tensor([BOX] * number),
            "labels": torch.zeros(number, dtype=torch.int),
        }

    images = _images(case)
    scores = [torch.tensor(scores, dtype=torch.float64) for scores, _ in images]
    ops = SimpleNamespace(box_convert=lambda boxes, **_: boxes)
    torchvision = {"torchvision": SimpleNamespace(ops=ops), "torchvision.ops": ops}
    with (
        mock.patch.object(mean_ap, "_TORCHVISION_AVAILABLE", True),
        mock.patch.dict(sys.modules, torchvision),
    ):
        metric = mean_ap.MeanAveragePrecision(box_format="xywh")
        metric.update(
            [boxes(len(score)) | {"scores": score} for score in scores],
            [boxes(n_objects) for _, n_objects in images],
        )
        return float(metric.compute()["map_50"])


def _supervision(case: Case) -> float:
    """Return supervision's `map50`."""
    import supervision
    from supervision.metrics import MeanAveragePrecision

    def detections(number: int, scores: list[float] | None = None) -> Any:
        if not number:
            return supervision.Detections.empty()
        confidence = None if scores is None else np.array(scores)
        return supervision.Detections(
            np.array([BOX]), confidence=confidence, class_id=np.array([0])
        )

    images = _images(case)
    metric = MeanAveragePrecision()
    metric.update(
        [detections(len(scores), scores) for scores, _ in images],
        [detections(n_objects) for _, n_objects in images],
    )
    return float(metric.compute().map50)


def _nuscenes(case: Case) -> float:
    """Return nuScenes' AP at one distance, of boxes that lie on an object or have none
    in their sample.
    """
    from nuscenes.eval.common.data_classes import EvalBoxes
    from nuscenes.eval.common.utils import center_distance
    from nuscenes.eval.detection import algo
    from nuscenes.eval.detection.data_classes import DetectionBox

    box = partial(
        DetectionBox,
        detection_name="car",
        size=(1.0, 1.0, 1.0),
        rotation=(1.0, 0.0, 0.0, 0.0),
    )
    detections, objects = EvalBoxes(), EvalBoxes()
    for number, (scores, n_objects) in enumerate(_images(case)):
        sample = str(number)
        detections.add_boxes(
            sample, [box(sample, detection_score=score) for score in scores]
        )
        objects.add_boxes(sample, [box(sample)] * n_objects)
    found = algo.accumulate(objects, detections, "car", center_distance, dist_th=2.0)
    return float(algo.calc_ap(found, min_recall=0.1, min_precision=0.1))


def _cityscapes(case: Case) -> float:
    """Return the AP of cityscapesScripts at one overlap, of instances of one pixel."""
    evaluation = load_file(
        "cityscapesscripts", "evaluation/evalInstanceLevelSemanticLabeling.py"
    )
    one = {"pixelCount": 1, "intersection": 1}
    images = {}
    for number, (scores, n_objects) in enumerate(_images(case)):
        found = [one | {"confidence": score, "voidIntersection": 0} for score in scores]
        objects = [one | {"instID": 1000, "medDist": 0.0, "distConf": 1.0}] * n_objects
        images[number] = {
            "prediction": {
                "car": [detection | {"matchedGt": objects} for detection in found]
            },
            "groundTruth": {
                "car": [instance | {"matchedPred": found} for instance in objects]
            },
        }
    options = SimpleNamespace(
        overlaps=[0.5],
        minRegionSizes=[0],
        distanceThs=[np.inf],
        distanceConfs=[0.0],
        distanceAvailable=False,
        instLabels=["car"],
    )
    return float(evaluation.evaluateMatches(images, options)[0, 0, 0])


def _voc_eval(use_07_metric: bool, case: Case) -> float:
    """Return the AP of py-faster-rcnn's `voc_eval`, in YOLOX's copy; a cache of
    annotations spares it XML.
    """
    voc_eval = load_file("yolox", "evaluators/voc_eval.py").voc_eval
    images = {f"image{number}": image for number, image in enumerate(_images(case))}
    one = {"name": "object", "bbox": BOX, "difficult": 0}
    with TemporaryDirectory() as folder:
        lines = [
            f"{name} {score!r} 0 0 50 50"
            for name, (scores, _) in images.items()
            for score in scores
        ]
        Path(folder, "object.txt").write_text("\n".join(lines))
        Path(folder, "images.txt").write_text("\n".join(images))
        annotations = {name: [one] * images[name][1] for name in images}
        Path(folder, "annots.pkl").write_bytes(pickle.dumps(annotations))
        names, detections = str(Path(folder, "images.txt")), str(Path(folder, "{}.txt"))
        return float(
            voc_eval(detections, "", names, "object", folder, 0.5, use_07_metric)[2]
        )


def _podm(method: str, case: Case) -> float:
    """Return the AP of podm, which distributes as object-detection-metrics."""
    from podm import metrics

    box = partial(
        metrics.BoundingBox.of_bbox,
        category="object",
        xtl=0.0,
        ytl=0.0,
        xbr=50.0,
        ybr=50.0,
    )
    objects, found = [], []
    for image, (scores, n_objects) in enumerate(_images(case)):
        objects += [box(image)] * n_objects
        found += [box(image, score=score) for score in scores]
    by_class = metrics.get_pascal_voc_metrics(
        objects, found, 0.5, metrics.MethodAveragePrecision[method]
    )
    return float(by_class["object"].ap)


def _mean_average_precision(levels: np.ndarray | None, case: Case) -> float:
    """Return the mAP of mean-average-precision, matched as VOC does."""
    from mean_average_precision import MetricBuilder

    detections, objects = _scene(case)
    metric = MetricBuilder.build_evaluation_metric(
        "map_2d", async_mode=False, num_classes=1
    )
    metric.add(
        np.column_stack([detections, np.zeros(len(detections)), case.y_score]),
        np.column_stack([objects, np.zeros((len(objects), 3))]),
    )
    return float(
        metric.value(iou_thresholds=0.5, recall_thresholds=levels, mpolicy="greedy")[
            "mAP"
        ]
    )


def _mapcalc(case: Case) -> float:
    """Return the mAP of mapcalc."""
    from mapcalc import calculate_map

    detections, objects = _scene(case)
    found = {
        "boxes": detections.tolist(),
        "labels": [0] * len(detections),
        "scores": case.y_score,
    }
    return float(
        calculate_map(
            {"boxes": objects.tolist(), "labels": [0] * len(objects)}, found, 0.5
        )
    )


@cache
def _ultralytics_metrics() -> ModuleType:
    """Return Ultralytics' metrics; the package asks for torchvision's version, but not
    for torchvision.
    """

    def version(
        name: str, find: Callable[[str], str] = importlib.metadata.version
    ) -> str:
        return "0.28.0" if name == "torchvision" else find(name)

    with (
        TemporaryDirectory() as settings,
        mock.patch.dict(os.environ, YOLO_CONFIG_DIR=settings, YOLO_VERBOSE="False"),
        mock.patch.object(importlib.metadata, "version", version),
    ):
        from ultralytics.utils import metrics
    return metrics


def _ultralytics(case: Case) -> float:
    """Return Ultralytics' `map50`."""
    metrics = _ultralytics_metrics()
    n, n_objects = len(case.y_true), sum(case.y_true) + _n_missed(case)
    found = np.array(case.y_true, dtype=bool)[:, np.newaxis]
    box = metrics.Metric()
    box.update(
        metrics.ap_per_class(
            found, np.array(case.y_score), np.zeros(n), np.zeros(n_objects)
        )[2:]
    )
    return float(box.map50)


def _ignite(levels: list[float] | None, case: Case) -> float:
    """Return ignite's MeanAveragePrecision, a classification metric, of binary
    labels.
    """
    import torch
    from ignite.metrics import MeanAveragePrecision

    metric = MeanAveragePrecision(rec_thresholds=levels)
    metric.update(
        (torch.tensor(case.y_score, dtype=torch.float64), torch.tensor(case.y_true))
    )
    return float(metric.compute())


def _kitti(position: int, case: Case) -> float:
    """Return KITTI's AP of easy cars, one number of MMDetection3D's port of the
    development kit.
    """
    evaluation = load_file("mmdet3d", "evaluation/functional/kitti_utils/eval.py")

    def annotations(
        boxes: np.ndarray, **others: np.ndarray
    ) -> list[dict[str, np.ndarray]]:
        zeros = dict.fromkeys(("alpha", "occluded", "truncated"), np.zeros(len(boxes)))
        return [
            {"name": np.array(["Car"] * len(boxes)), "bbox": boxes, **zeros, **others}
        ]

    detections, objects = _scene(case)
    found = annotations(detections, score=np.array(case.y_score))
    averages = evaluation.do_eval(
        annotations(objects), found, [0], np.full((1, 3, 1), 0.5), ["bbox"]
    )
    return float(averages[position][0, 0, 0]) / 100


_objects = partial(Peer, missed=True)
PEERS: dict[str, Peer] = {
    "COCO": _objects(_coco, "pycocotools"),
    "torchmetrics MeanAveragePrecision": _objects(
        _torchmetrics, "torchmetrics", SINGLE
    ),
    "supervision": _objects(_supervision, "supervision", SINGLE),
    "voc_ap": _objects(partial(_voc_eval, False), "yolox", ties=False),
    "voc_ap, use_07_metric": _objects(partial(_voc_eval, True), "yolox", ties=False),
    "podm": _objects(
        partial(_podm, "AllPointsInterpolation"), "object-detection-metrics"
    ),
    "podm 11-point": _objects(
        partial(_podm, "ElevenPointsInterpolation"), "object-detection-metrics"
    ),
    "mean-average-precision VOC": _objects(
        partial(_mean_average_precision, None),
        "mean-average-precision",
        SINGLE,
        ties=False,
    ),
    "mean-average-precision VOC 2007": _objects(
        partial(_mean_average_precision, np.arange(0, 1.1, 0.1)),
        "mean-average-precision",
        SINGLE,
        ties=False,
    ),
    "mapcalc": _objects(_mapcalc, "mapcalc"),
    "nuScenes": _objects(_nuscenes, "nuscenes-devkit"),
    "cityscapes": _objects(_cityscapes, "cityscapesscripts"),
    "Ultralytics": _objects(_ultralytics, "ultralytics", ties=False),
    "ignite": Peer(partial(_ignite, ELEVEN), "pytorch-ignite"),
    "ignite, all recalls": Peer(partial(_ignite, None), "pytorch-ignite"),
    "KITTI R11": _objects(partial(_kitti, 0), "mmdet3d"),
    "KITTI R40": _objects(partial(_kitti, 4), "mmdet3d"),
}
