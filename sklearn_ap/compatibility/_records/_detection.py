"""Packages of object detection: means over classes, missed objects count, mostly interpolated."""

from functools import partial
from math import nan

import numpy as np

from .._choices import Grid, even_thresholds
from .._convention import recorded

# Not j / 10: some of these products are one bit higher, and recalls miss such a level.
_TENTHS = tuple(j * 0.1 for j in range(11))
_HUNDREDTHS = tuple(np.linspace(0, 1, 101).tolist())
_FLOAT32_HUNDREDTHS = tuple(even_thresholds(101).tolist())
_FORTIETHS = tuple(j / 40 for j in range(1, 41))

# Packages whose classes are our queries.
_detection = partial(recorded, queries="mean", weights="ignored", area="interpolated", total="stated")
_coco = partial(_detection, ties="stable", without_positives=-1.0, left_out=True)
_ultralytics = partial(
    _detection,
    ties="unspecified",
    grid=Grid(
        "101 levels, trapezoids beyond each recall", _HUNDREDTHS, met_by="greater recall", weights="trapezoid"
    ),
    left_out=True,
)
_kitti = partial(
    _detection,
    source="KITTI development kit, as MMDetection3D 1.4.0 has it, kitti_utils/eval.py",
    not_reproduced="Positives with scores of -1e7 or less set no threshold.",
)
DETECTION = (
    _detection(
        "VOC 2007",
        "VOCdevkit, VOCevaldet.m",
        "Octave's 0.3, 0.6 and 0.7 are one bit too high: a recall of 6/10 misses level 0.6.",
        ties="stable",
        grid=Grid("11 levels, 0:0.1:1", _TENTHS),
        versions="VOCdevkit 2007 to 2009",
        not_reproduced="MATLAB was not run, and may round the levels 0:0.1:1 differently.",
        run=False,
    ),
    _detection(
        "VOC 2010",
        "VOCdevkit, VOCap.m",
        "All recalls count, from 2010 on; NaN if a class has no object.",
        ties="stable",
        without_positives=nan,
        versions="VOCdevkit 2010 to 2012",
        run=False,
    ),
    _detection(
        "voc_ap",
        "voc_eval.py of py-faster-rcnn, as YOLOX 0.3.0 has it",
        "numpy's default sort leaves the order of equal scores open, unlike the devkit's.",
        ties="unspecified",
        without_positives=nan,
        versions="py-faster-rcnn and its copies",
    ),
    _detection(
        "voc_ap, use_07_metric",
        "voc_eval.py of py-faster-rcnn, as YOLOX 0.3.0 has it",
        "The levels 0.3, 0.6 and 0.7 are one bit too high: a recall of 6/10 misses its level.",
        ties="unspecified",
        grid=Grid("11 levels, numpy.arange(0, 1.1, 0.1)", _TENTHS),
        versions="py-faster-rcnn and its copies",
    ),
    _detection(
        "podm",
        "object-detection-metrics 0.4, podm/metrics.py, AllPointsInterpolation",
        "The number of VOC 2010, but classes without objects are left out of the mean.",
        ties="stable",
        without_positives=nan,
        left_out=True,
    ),
    _detection(
        "podm 11-point",
        "object-detection-metrics 0.4, podm/metrics.py, ElevenPointsInterpolation",
        "The number of VOC 2007, but classes without objects are left out of the mean.",
        ties="stable",
        grid=Grid("11 levels, numpy.linspace(0, 1, 11)", tuple(np.linspace(0, 1, 11).tolist())),
        left_out=True,
    ),
    _detection(
        "mean-average-precision VOC",
        "mean-average-precision 2024.1.5.0, mean_average_precision_2d.py",
        "Like voc_ap, but in float32, and 0 without objects.",
        ties="unspecified",
    ),
    _detection(
        "mean-average-precision VOC 2007",
        "mean-average-precision 2024.1.5.0, mean_average_precision_2d.py, recall_thresholds",
        "Like voc_ap with use_07_metric, but in float32.",
        ties="unspecified",
        grid=Grid("11 levels, numpy.arange(0, 1.1, 0.1)", _TENTHS),
    ),
    _detection(
        "mapcalc",
        "mapcalc 0.2.2, main.py, calculate_map",
        "Detections are taken in the order of the list: their scores are never read.",
        transform="input order",
        without_positives="error",
        left_out=True,
    ),
    _detection(
        "gluoncv",
        "gluoncv, utils/metrics/voc_detection.py",
        "An ascending sort is reversed, which also reverses the order of equal scores.",
        ties="reversed",
        without_positives=nan,
        left_out=True,
        versions="0.10",
        run=False,
    ),
    _coco(
        "COCO",
        "pycocotools 2.0.11, cocoeval.py, COCOeval.accumulate",
        "Ten of the 101 levels are one bit too high; means leave out classes without objects.",
        grid=Grid("101 levels, numpy.linspace(0, 1, 101)", _HUNDREDTHS),
        versions="pycocotools 2.0.11",
        not_reproduced="Its headline number is the mean over ten thresholds of overlap; at most 100 "
        "detections per image count.",
    ),
    _coco(
        "supervision",
        "supervision 0.31.2, metrics/mean_average_precision.py",
        "COCO's number, from float32 precisions.",
        grid=Grid("101 levels, numpy.linspace(0, 1, 101)", _HUNDREDTHS),
    ),
    _coco(
        "torchmetrics MeanAveragePrecision",
        "torchmetrics 1.9.0, detection/mean_ap.py, map_50",
        "COCO's number at float32 levels; 36 of them lie above their hundredth.",
        grid=Grid("101 levels, torch.linspace(0, 1, 101)", _FLOAT32_HUNDREDTHS),
        not_reproduced="On processors without fused multiply-add, eight levels differ.",
    ),
    _kitti(
        "KITTI R11",
        peculiarity="A perfect ranking of fewer than 41 positives does not score 1.",
        grid=Grid(
            "11 levels j/10, each at the nearest positive",
            tuple(j / 10 for j in range(11)),
            met_by="nearest positives",
        ),
        versions="until 2019",
    ),
    _kitti(
        "KITTI R40",
        peculiarity="A perfect ranking of n <= 40 positives scores (n - 1) / 40.",
        grid=Grid("40 levels j/40, each at the nearest positive", _FORTIETHS, met_by="nearest positives"),
        versions="from 2019 on",
    ),
    _detection(
        "40 levels j/40",
        "A. Simonelli et al., Disentangling Monocular 3D Object Detection, ICCV 2019, section 5",
        "KITTI's R40 on paper: a level needs a recall of at least j/40; recall 0 is left out.",
        grid=Grid("40 levels j/40", _FORTIETHS),
        versions="",
        run=False,
    ),
    _detection(
        "nuScenes",
        "nuscenes-devkit 1.2.0, eval/detection/algo.py, accumulate and calc_ap",
        "A precision of 0.1 or less counts 0, and 1 counts 1; recalls up to 0.1 are left out.",
        ties="reversed",
        area="linear",
        first_point="(0, p1)",
        grid=Grid("90 levels from 0.11 to 1, precisions above 0.1", _HUNDREDTHS[11:], floor=0.1),
        not_reproduced="Its headline number is the mean over four distances.",
    ),
    _detection(
        "cityscapes",
        "cityscapesScripts 2.3.0, evaluation/evalInstanceLevelSemanticLabeling.py, evaluateMatches",
        "The trapezoidal rule of `auc(recall, precision)`, but missed objects count.",
        area="linear",
        without_positives=nan,
        left_out=True,
        not_reproduced="Its headline number is the mean over ten overlaps.",
    ),
    _ultralytics(
        "Ultralytics",
        "ultralytics 8.4.190, utils/metrics.py, compute_ap",
        "The curve falls to 0 at recall 1, so a perfect detector scores 0.995.",
        versions=">= 8.4.37",
    ),
    _ultralytics(
        "Ultralytics, earlier",
        "ultralytics 8.4.36, utils/metrics.py, compute_ap",
        "A straight line joins the last point to (1, 0): finding 3 objects of 10 scores 0.650.",
        last_point="(1, 0)",
        versions="YOLOv5, and ultralytics < 8.4.37",
    ),
    _detection(
        "ignite",
        "pytorch-ignite 0.5.5, MeanAveragePrecision(rec_thresholds=[0, 0.1, ..., 1])",
        "The first precision at each level, not the best beyond it; level 0 has weight 0.",
        area="step",
        grid=Grid(
            "11 float32 levels j/10, weighing their distances",
            tuple((np.arange(11) / 10).astype(np.float32).tolist()),
            weights="differences",
        ),
        total="found",
    ),
    _detection(
        "ignite, all recalls",
        "pytorch-ignite 0.5.5, MeanAveragePrecision()",
        "scikit-learn's number.",
        area="step",
        total="found",
    ),
)
