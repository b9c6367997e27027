"""Numbers that no record gives, by their names, and why."""

from typing import NamedTuple


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
            "Each chunk of a frame is binned by itself, then their bins are merged; the chunks depend on how "
            "the frame was made, and on the machine. 'H2O pr_auc' is the number of one chunk, which a Python "
            "list of 100,000 rows becomes."
        ),
    ),
    NotReproduced(
        name="sentence-transformers map@k, before 6.0",
        versions="< 6.0",
        reason=(
            "Equal scores stand in the order of a heap, which torch.topk fills in an order that torch leaves "
            "open. Without equal scores it is 'sentence-transformers map@k', as 5.7.0 printed."
        ),
    ),
    NotReproduced(
        name="VOC 2007 in MATLAB",
        versions="VOCdevkit 2007 to 2009",
        reason=(
            "MATLAB was not run, and may round the levels 0:0.1:1 otherwise than GNU Octave, whose levels "
            "'VOC 2007' has."
        ),
    ),
    NotReproduced(
        name="Keras AUC(curve='PR'), minoring",
        versions="3.15.1",
        reason=(
            "summation_method 'minoring' takes the lower precision of two neighbouring thresholds for the "
            "recall between them, and 'majoring' the higher one: no record has such an area. The default, "
            "'interpolation', is 'Keras AUC(curve='PR')'."
        ),
    ),
    NotReproduced(
        name="COCO AP@[0.50:0.95]",
        versions="pycocotools 2.0.11",
        reason=(
            "It is the mean of 'COCO' over ten overlaps and the classes, each with matches of its own, which "
            "only the boxes tell: score the matches of each overlap and class as 'COCO'."
        ),
    ),
)
