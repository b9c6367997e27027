"""Points of a curve, and the path that is drawn through them."""

from typing import NamedTuple

import numpy as np

from .._typing import FloatArray


class CurvePoints(NamedTuple):
    """Operating points of one ranking, as :func:`sklearn.metrics.precision_recall_curve` orders them."""

    precision: FloatArray
    recall: FloatArray
    detected: FloatArray | None = None  # share of all samples, in weight


class Path(NamedTuple):
    """What is drawn; recall decreases along the path."""

    recall: FloatArray
    precision: FloatArray
    dots: tuple[int, ...] = ()  # places of the points that get a dot
    drawstyle: str = "default"  # of matplotlib: straight lines, or steps


def flat_path(points: CurvePoints) -> Path:
    """Return a line at 0: without positives the area is 0, also beside the closing point."""
    return Path(points.recall, np.zeros_like(points.precision))
