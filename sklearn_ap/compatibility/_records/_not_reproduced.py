"""Numbers that no record gives, by their names, and why."""

from typing import NamedTuple

__all__ = ["NOT_REPRODUCED", "NotReproduced"]


class NotReproduced(NamedTuple):
    """A number that no record gives."""

    name: str
    versions: str
    reason: str


NOT_REPRODUCED: tuple[NotReproduced, ...] = (
    NotReproduced(
        name="H2O pr_auc, several chunks",
        versions="3.46.0.12",
        reason=(
            "Each chunk of a frame is binned by itself, then the bins are merged. The chunks depend on how "
            "the frame was made, and on the machine. 'H2O pr_auc' is the number of a single chunk, which H2O "
            "makes of a Python list of 100,000 rows."
        ),
    ),
    NotReproduced(
        name="sentence-transformers map@k, before 6.0",
        versions="< 6.0",
        reason=(
            "A heap orders equal scores, and torch.topk fills it in an order that torch does not define. "
            "Without equal scores it is 'sentence-transformers map@k', as 5.7.0 printed."
        ),
    ),
    NotReproduced(
        name="VOC 2007 in MATLAB",
        versions="VOCdevkit 2007 to 2009",
        reason=(
            "MATLAB was not run. It may round the levels 0:0.1:1 differently from GNU Octave, whose levels "
            "'VOC 2007' has."
        ),
    ),
    NotReproduced(
        name="Keras AUC(curve='PR'), minoring",
        versions="3.15.1",
        reason=(
            "Between two neighbouring thresholds, summation_method 'minoring' has the lower of their "
            "precisions, and 'majoring' the higher one: no record has such an area. The default, "
            "'interpolation', is 'Keras AUC(curve='PR')'."
        ),
    ),
    NotReproduced(
        name="COCO AP@[0.50:0.95]",
        versions="pycocotools 2.0.11",
        reason=(
            "It is the mean of 'COCO' over ten overlaps and all classes. The matches differ by overlap and "
            "class, and finding them needs the boxes: score the matches of each overlap and class as 'COCO'."
        ),
    ),
)
