"""Names without a record of their own: those whose number another record gives, or none."""

from dataclasses import dataclass
from typing import NamedTuple

from .._choices import Frozen


@dataclass(frozen=True)
class Alias:
    """Another name of a record.

    Attributes
    ----------
    name : str
        A package, or one of its functions and settings.
    convention : str
        The name of the record that it computes.
    version : str
        The version that was run or read.
    note : str
        What the record leaves out, or what to pass.
    run : bool
        Whether the package was run on hundreds of random rankings and compared with the record; otherwise
        its source was read.
    """

    name: str
    convention: str
    version: str
    note: str = ""
    run: bool = True


_MEAN_AP = "COCO's headline number is the mean over ten thresholds of overlap."
_DOCUMENTS = "Equal scores are ordered by descending document id: pass item_id."
_THREE_DECIMALS = "Scores are written with three decimals, and read back: round them first."

_ALIASES = (
    # classification
    Alias("sklearn", "scikit-learn", "scikit-learn 1.9.1"),
    Alias("average_precision_score", "scikit-learn", "scikit-learn 1.9.1"),
    Alias("label_ranking_average_precision_score", "scikit-learn LRAP", "scikit-learn 1.9.1"),
    Alias("LRAP", "scikit-learn LRAP", "scikit-learn 1.9.1"),
    Alias("BinaryAveragePrecision", "torchmetrics average_precision", "torchmetrics 1.9.0"),
    Alias("binary_auprc", "torcheval binary_auprc", "torcheval 0.0.7"),
    # detection
    Alias("pycocotools", "COCO", "pycocotools 2.0.11", _MEAN_AP),
    Alias("COCOeval", "COCO", "pycocotools 2.0.11", _MEAN_AP),
    Alias("faster-coco-eval", "COCO", "faster-coco-eval 1.8.0", _MEAN_AP),
    Alias("globox", "COCO", "globox 2.9.0", f"{_MEAN_AP} It does not know crowds."),
    Alias("Detectron2 COCOEvaluator", "COCO", "detectron2, main branch", _MEAN_AP, run=False),
    Alias("MMDetection CocoMetric", "COCO", "mmdet 3.3.0", _MEAN_AP, run=False),
    Alias("py-faster-rcnn", "voc_ap", "YOLOX 0.3.0, which has a copy"),
    Alias(
        "Detectron2 PascalVOCDetectionEvaluator, 2012",
        "voc_ap",
        "detectron2, main branch",
        _THREE_DECIMALS,
        run=False,
    ),
    Alias(
        "Detectron2 PascalVOCDetectionEvaluator, 2007",
        "voc_ap, use_07_metric",
        "detectron2, main branch",
        _THREE_DECIMALS,
        run=False,
    ),
    Alias("use_07_metric", "voc_ap, use_07_metric", "YOLOX 0.3.0, which has a copy"),
    Alias(
        "MMDetection VOCMetric, area", "mean-average-precision VOC", "mmdet 3.3.0", "In float32.", run=False
    ),
    Alias(
        "MMDetection VOCMetric, 11points",
        "mean-average-precision VOC 2007",
        "mmdet 3.3.0",
        "In float32.",
        run=False,
    ),
    Alias("YOLOv5", "Ultralytics, earlier", "YOLOv5, utils/metrics.py, compute_ap", run=False),
    # retrieval and recommendation
    Alias("BEIR", "trec_eval map_cut", "beir 2.2.0", f"{_DOCUMENTS} Its means are rounded to five decimals."),
    Alias(
        "MTEB",
        "trec_eval map_cut",
        "mteb 2.26.24",
        f"{_DOCUMENTS} Its means are rounded to five decimals.",
        run=False,
    ),
    Alias("pytrec_eval map_cut", "trec_eval map_cut", "pytrec_eval-terrier 0.5.11", _DOCUMENTS),
    Alias(
        "implicit",
        "recommenders map_at_k",
        "implicit 0.7.3, mean_average_precision_at_k",
        "It is an error if no user has a positive.",
    ),
    Alias("RePlay", "RePlay MAP", "replay-rec 0.22.0", "Equal scores are ordered by descending item id."),
    Alias("pytorch-metric-learning", "MAP@R", "pytorch-metric-learning 2.9.0", "AccuracyCalculator."),
    Alias("mapk", "ml_metrics apk", "ml_metrics 0.1.4"),
)
ALIASES: Frozen[str, Alias] = Frozen({alias.name: alias for alias in _ALIASES})

# Names that several records share, and the records that each may mean.
SHARED_NAMES: Frozen[str, tuple[str, ...]] = Frozen(
    {
        "map@k": (
            "recommenders map_at_k",
            "ml_metrics apk",
            "Spark meanAveragePrecisionAt",
            "trec_eval map_cut",
            "ranx map@k",
            "recommenders map",
            "rectools MAP",
            "torchmetrics RetrievalMAP, top_k",
        ),
        "mrr": ("reciprocal rank", "trec_eval recip_rank", "ranx mrr", "torchmetrics RetrievalMRR"),
        "mrr@k": ("reciprocal rank@k", "ir_measures RR@k", "ranx mrr@k", "torchmetrics RetrievalMRR, top_k"),
        "ap@k": ("AP@k over min(k, R)", "AP@k over R", "AP@k over k", "AP@k over hits"),
        "map": (
            "COCO",
            "VOC 2010",
            "trec_eval map",
            "ranx map",
            "Spark meanAveragePrecision",
            "torchmetrics RetrievalMAP",
            "cornac MAP",
        ),
        "ap": ("average precision", "scikit-learn", "COCO", "VOC 2010", "trec_eval map", "ir_measures AP"),
        "auprc": (
            "scikit-learn",
            "auc(recall, precision)",
            "torcheval binary_auprc",
            "XGBoost aucpr",
            "Keras AUC(curve='PR')",
        ),
        "pr auc": ("PR AUC, linear", "PR AUC, Davis-Goadrich", "auc(recall, precision)", "XGBoost aucpr"),
        "11-point": ("eleven-point", "VOC 2007", "trec_eval 11pt, version 9", "trec_eval 11pt, version 10"),
        "101-point": ("COCO", "interpolated, 101 levels"),
        "YOLO": ("Ultralytics", "Ultralytics, earlier"),
        "voc": ("VOC 2007", "VOC 2010", "voc_ap", "voc_ap, use_07_metric"),
    }
)


class NotReproduced(NamedTuple):
    """A number that no record gives."""

    name: str
    versions: str
    reason: str


NOT_REPRODUCED: tuple[NotReproduced, ...] = (
    NotReproduced(
        "H2O pr_auc, several chunks",
        "3.46.0.12",
        "Each chunk of a frame is binned by itself, then the bins are merged. The chunks depend on how "
        "the frame was made, and on the machine. 'H2O pr_auc' is the number of a single chunk, which H2O "
        "makes of a Python list of 100,000 rows.",
    ),
    NotReproduced(
        "sentence-transformers map@k, before 6.0",
        "< 6.0",
        "A heap orders equal scores, and torch.topk fills it in an order that torch does not define. "
        "Without equal scores it is 'sentence-transformers map@k', as 5.7.0 printed.",
    ),
    NotReproduced(
        "VOC 2007 in MATLAB",
        "VOCdevkit 2007 to 2009",
        "MATLAB was not run. It may round the levels 0:0.1:1 differently from GNU Octave, whose levels "
        "'VOC 2007' has.",
    ),
    NotReproduced(
        "Keras AUC(curve='PR'), minoring",
        "3.15.1",
        "Between two neighbouring thresholds, summation_method 'minoring' has the lower of their "
        "precisions, and 'majoring' the higher one: no record has such an area. The default, "
        "'interpolation', is 'Keras AUC(curve='PR')'.",
    ),
    NotReproduced(
        "COCO AP@[0.50:0.95]",
        "pycocotools 2.0.11",
        "It is the mean of 'COCO' over ten overlaps. The matches differ by overlap, and finding them "
        "needs the boxes: score the matches of each overlap as 'COCO', with their classes as query_id.",
    ),
)
