"""Packages of object detection: means over classes, missed objects count, mostly interpolated."""

from math import nan
from typing import Any

import numpy as np

from .._choices import Grid
from .._convention import Convention

# Not j / 10: some of these products are one bit higher, and recalls miss such a level.
_TENTHS = tuple(j * 0.1 for j in range(11))
_HUNDREDTHS = tuple(np.linspace(0, 1, 101).tolist())
# As torch.linspace does it with fused multiply-add: steps from both ends, each level rounded once.
_FLOAT32_HUNDREDTHS = tuple(
    np.where(
        np.arange(101) < 50,
        np.arange(101) * np.float64(np.float32(0.01)),
        1 - np.arange(101)[::-1] * np.float64(np.float32(0.01)),
    )
    .astype(np.float32)
    .tolist()
)
_FORTIETHS = tuple(j / 40 for j in range(1, 41))


def _detection(name: str, **choices: Any) -> Convention:
    """Record a package whose classes are our queries."""
    usual = {"queries": "mean", "weights": "ignored", "area": "interpolated", "total": "stated"}
    return Convention(name=name, **{**usual, **choices})


DETECTION = (
    _detection(
        "VOC 2007",
        ties="stable",
        grid=Grid("11 levels, 0:0.1:1", _TENTHS),
        versions="VOCdevkit 2007 to 2009",
        source="VOCdevkit, VOCevaldet.m",
        peculiarity="Octave's 0.3, 0.6 and 0.7 are one bit too high: a recall of 6/10 misses level 0.6.",
        not_reproduced="MATLAB was not run, and may round the levels 0:0.1:1 differently.",
    ),
    _detection(
        "VOC 2010",
        ties="stable",
        without_positives=nan,
        versions="VOCdevkit 2010 to 2012",
        source="VOCdevkit, VOCap.m",
        peculiarity="All recalls count, from 2010 on; NaN if a class has no object.",
    ),
    _detection(
        "voc_ap",
        ties="unspecified",
        without_positives=nan,
        versions="py-faster-rcnn and its copies",
        source="voc_eval.py of py-faster-rcnn, as YOLOX 0.3.0 has it",
        peculiarity="numpy's default sort leaves the order of equal scores open, unlike the devkit's.",
        run=True,
    ),
    _detection(
        "voc_ap, use_07_metric",
        ties="unspecified",
        grid=Grid("11 levels, numpy.arange(0, 1.1, 0.1)", _TENTHS),
        versions="py-faster-rcnn and its copies",
        source="voc_eval.py of py-faster-rcnn, as YOLOX 0.3.0 has it",
        peculiarity="The levels 0.3, 0.6 and 0.7 are one bit too high: a recall of 6/10 misses its level.",
        run=True,
    ),
    _detection(
        "podm",
        ties="stable",
        without_positives=nan,
        left_out=True,
        versions="0.4",
        source="object-detection-metrics 0.4, podm/metrics.py, AllPointsInterpolation",
        peculiarity="The number of VOC 2010, but classes without objects are left out of the mean.",
        run=True,
    ),
    _detection(
        "podm 11-point",
        ties="stable",
        grid=Grid("11 levels, numpy.linspace(0, 1, 11)", tuple(np.linspace(0, 1, 11).tolist())),
        left_out=True,
        versions="0.4",
        source="object-detection-metrics 0.4, podm/metrics.py, ElevenPointsInterpolation",
        peculiarity="The number of VOC 2007, but classes without objects are left out of the mean.",
        run=True,
    ),
    _detection(
        "mean-average-precision VOC",
        ties="unspecified",
        versions="2024.1.5.0",
        source="mean-average-precision 2024.1.5.0, mean_average_precision_2d.py",
        peculiarity="Like voc_ap, but in float32, and 0 without objects.",
        run=True,
    ),
    _detection(
        "mean-average-precision VOC 2007",
        ties="unspecified",
        grid=Grid("11 levels, numpy.arange(0, 1.1, 0.1)", _TENTHS),
        versions="2024.1.5.0",
        source="mean-average-precision 2024.1.5.0, mean_average_precision_2d.py, recall_thresholds",
        peculiarity="Like voc_ap with use_07_metric, but in float32.",
        run=True,
    ),
    _detection(
        "mapcalc",
        transform="input order",
        without_positives="error",
        left_out=True,
        versions="0.2.2",
        source="mapcalc 0.2.2, main.py, calculate_map",
        peculiarity="Detections are taken in the order of the list: their scores are never read.",
        run=True,
    ),
    _detection(
        "gluoncv",
        ties="reversed",
        without_positives=nan,
        left_out=True,
        versions="0.10",
        source="gluoncv, utils/metrics/voc_detection.py",
        peculiarity="An ascending sort is reversed, which also reverses the order of equal scores.",
    ),
    _detection(
        "COCO",
        ties="stable",
        grid=Grid("101 levels, numpy.linspace(0, 1, 101)", _HUNDREDTHS),
        without_positives=-1.0,
        left_out=True,
        versions="pycocotools 2.0.11",
        source="pycocotools 2.0.11, cocoeval.py, COCOeval.accumulate",
        peculiarity="Ten of the 101 levels are one bit too high; means leave out classes without objects.",
        not_reproduced=(
            "Its headline number is the mean over ten thresholds of overlap; at most 100 detections per "
            "image count."
        ),
        run=True,
    ),
    _detection(
        "supervision",
        ties="stable",
        grid=Grid("101 levels, numpy.linspace(0, 1, 101)", _HUNDREDTHS),
        without_positives=-1.0,
        left_out=True,
        versions="0.31.2",
        source="supervision 0.31.2, metrics/mean_average_precision.py",
        peculiarity="COCO's number, from float32 precisions.",
        run=True,
    ),
    _detection(
        "torchmetrics MeanAveragePrecision",
        ties="stable",
        grid=Grid("101 levels, torch.linspace(0, 1, 101)", _FLOAT32_HUNDREDTHS),
        without_positives=-1.0,
        left_out=True,
        versions="1.9.0",
        source="torchmetrics 1.9.0, detection/mean_ap.py, map_50",
        peculiarity="COCO's number at float32 levels; 36 of them lie above their hundredth.",
        not_reproduced="On processors without fused multiply-add, eight levels differ.",
        run=True,
    ),
    _detection(
        "KITTI R11",
        grid=Grid(
            "11 levels j/10, each at the nearest positive",
            tuple(j / 10 for j in range(11)),
            "nearest positives",
        ),
        versions="until 2019",
        source="KITTI development kit, as MMDetection3D 1.4.0 has it, kitti_utils/eval.py",
        peculiarity="A perfect ranking of fewer than 41 positives does not score 1.",
        not_reproduced="Positives with scores of -1e7 or less set no threshold.",
        run=True,
    ),
    _detection(
        "KITTI R40",
        grid=Grid(
            "40 levels j/40, each at the nearest positive",
            _FORTIETHS,
            "nearest positives",
        ),
        versions="from 2019 on",
        source="KITTI development kit, as MMDetection3D 1.4.0 has it, kitti_utils/eval.py",
        peculiarity="A perfect ranking of n <= 40 positives scores (n - 1) / 40.",
        not_reproduced="Positives with scores of -1e7 or less set no threshold.",
        run=True,
    ),
    _detection(
        "40 levels j/40",
        grid=Grid("40 levels j/40", _FORTIETHS),
        versions="",
        source="A. Simonelli et al., Disentangling Monocular 3D Object Detection, ICCV 2019, section 5",
        peculiarity="KITTI's R40 on paper: a level needs a recall of at least j/40; recall 0 is left out.",
    ),
    _detection(
        "nuScenes",
        ties="reversed",
        area="linear",
        first_point="(0, p1)",
        grid=Grid("90 levels from 0.11 to 1, precisions above 0.1", _HUNDREDTHS[11:], floor=0.1),
        versions="1.2.0",
        source="nuscenes-devkit 1.2.0, eval/detection/algo.py, accumulate and calc_ap",
        peculiarity="A precision of 0.1 or less counts 0, and 1 counts 1; recalls up to 0.1 are left out.",
        not_reproduced="Its headline number is the mean over four distances.",
        run=True,
    ),
    _detection(
        "cityscapes",
        area="linear",
        without_positives=nan,
        left_out=True,
        versions="2.3.0",
        source="cityscapesScripts 2.3.0, evaluation/evalInstanceLevelSemanticLabeling.py, evaluateMatches",
        peculiarity="The trapezoidal rule of `auc(recall, precision)`, but missed objects count.",
        not_reproduced="Its headline number is the mean over ten overlaps.",
        run=True,
    ),
    _detection(
        "Ultralytics",
        ties="unspecified",
        grid=Grid("101 levels, trapezoids beyond each recall", _HUNDREDTHS, "greater recall", "trapezoid"),
        left_out=True,
        versions=">= 8.4.37",
        source="ultralytics 8.4.190, utils/metrics.py, compute_ap",
        peculiarity="The curve falls to 0 at recall 1, so a perfect detector scores 0.995.",
        run=True,
    ),
    _detection(
        "Ultralytics, earlier",
        ties="unspecified",
        last_point="(1, 0)",
        grid=Grid("101 levels, trapezoids beyond each recall", _HUNDREDTHS, "greater recall", "trapezoid"),
        left_out=True,
        versions="YOLOv5, and ultralytics < 8.4.37",
        source="ultralytics 8.4.36, utils/metrics.py, compute_ap",
        peculiarity="A straight line joins the last point to (1, 0): finding 3 objects of 10 scores 0.650.",
        run=True,
    ),
    _detection(
        "ignite",
        area="step",
        grid=Grid(
            "11 float32 levels j/10, weighing their distances",
            tuple((np.arange(11) / 10).astype(np.float32).tolist()),
            weights="differences",
        ),
        total="found",
        versions="0.5.5",
        source="pytorch-ignite 0.5.5, MeanAveragePrecision(rec_thresholds=[0, 0.1, ..., 1])",
        peculiarity="The first precision at each level, not the best beyond it; level 0 has weight 0.",
        run=True,
    ),
    _detection(
        "ignite, all recalls",
        area="step",
        total="found",
        versions="0.5.5",
        source="pytorch-ignite 0.5.5, MeanAveragePrecision()",
        peculiarity="scikit-learn's number.",
        run=True,
    ),
)
