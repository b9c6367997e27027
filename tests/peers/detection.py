"""Packages for object detection: a row is a detection, labelled 1 where it found an
object of its own.

A detection covers its object exactly; false positives and missed objects lie apart from
everything. None of the packages takes weights, and those that sort equal scores in no
specified order are not run on them.
"""

import contextlib
import io
from functools import partial

import numpy as np

from ._peer import Peer

BOX = [0.0, 0.0, 50.0, 50.0]  # of corners or of corner and size
ELEVEN = [level / 10 for level in range(11)]
SINGLE = 1e-6  # of numbers that are computed or given in float32


def _n_missed(case):
    """Return how many objects no detection found."""
    return 0 if case.n_positives is None else case.n_positives - sum(case.y_true)


def _images(case):
    """Return the scores and the number of objects of images that hold one detection or
    one missed object.
    """
    rows = zip(case.y_score, case.y_true, strict=True)
    return [([score], label) for score, label in rows] + [([], 1)] * _n_missed(case)


def _scene(case):
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


def coco_evaluation(objects, detections, n_categories):
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


def _coco(case):
    """Return pycocotools' AP at IoU 0.5, in many images, since it keeps 100 detections
    of one.
    """
    box = {"category_id": 1, "bbox": BOX, "area": 2500.0, "iscrowd": 0}
    objects, detections = [], []
    for image, (scores, n_objects) in enumerate(_images(case)):
        objects += [box | {"image_id": image}] * n_objects
        detections += [box | {"image_id": image, "score": score} for score in scores]
    return float(coco_evaluation(objects, detections, n_categories=1).stats[1])


def _torchmetrics(case):
    """Return torchmetrics' `map_50`."""
    import torch
    from torchmetrics.detection import MeanAveragePrecision

    def boxes(number):
        return {
            "boxes": torch.tensor([BOX] * number),
            "labels": torch.zeros(number, dtype=torch.int),
        }

    images = _images(case)
    scores = [torch.tensor(scores, dtype=torch.float64) for scores, _ in images]
    metric = MeanAveragePrecision(box_format="xywh")
    metric.update(
        [boxes(len(score)) | {"scores": score} for score in scores],
        [boxes(n_objects) for _, n_objects in images],
    )
    return float(metric.compute()["map_50"])


def _supervision(case):
    """Return supervision's `map50`."""
    import supervision
    from supervision.metrics import MeanAveragePrecision

    def detections(number, scores=None):
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


def _nuscenes(case):
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


def _podm(method, case):
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


def _mean_average_precision(levels, case):
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


def _mapcalc(case):
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


def _ultralytics(case):
    """Return Ultralytics' `map50`."""
    from ultralytics.utils import metrics

    n, n_objects = len(case.y_true), sum(case.y_true) + _n_missed(case)
    found = np.array(case.y_true, dtype=bool)[:, np.newaxis]
    box = metrics.Metric()
    box.update(
        metrics.ap_per_class(
            found, np.array(case.y_score), np.zeros(n), np.zeros(n_objects)
        )[2:]
    )
    return float(box.map50)


def _ignite(levels, case):
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


_objects = partial(Peer, missed=True)
PEERS: dict[str, Peer] = {
    "COCO": _objects(_coco, "pycocotools"),
    "torchmetrics MeanAveragePrecision": _objects(
        _torchmetrics, "torchmetrics", SINGLE
    ),
    "supervision": _objects(_supervision, "supervision", SINGLE),
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
    "Ultralytics": _objects(_ultralytics, "ultralytics", ties=False),
    "ignite": Peer(partial(_ignite, ELEVEN), "pytorch-ignite"),
    "ignite, all recalls": Peer(partial(_ignite, None), "pytorch-ignite"),
}
