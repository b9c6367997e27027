"""What the path of an area is drawn from, and what it is."""

from typing import NamedTuple

import numpy as np

from .._typing import FloatArray

__all__ = ["CurvePoints", "Path", "flat_path"]


class CurvePoints(NamedTuple):
    """Operating points of one ranking, as :func:`sklearn.metrics.precision_recall_curve` orders them."""

    precision: FloatArray
    recall: FloatArray
    detected: FloatArray | None = None  # share of all samples, in weight


class Path(NamedTuple):
    """What is drawn: recall falls along it."""

    recall: FloatArray
    precision: FloatArray
    dots: tuple[int, ...] = ()  # places of the points that get a dot
    drawstyle: str = "default"  # of matplotlib: straight lines, or steps


def flat_path(points: CurvePoints) -> Path:
    """Return a line at 0: without positives there is no area, not even one up to the closing point."""
    return Path(points.recall, np.zeros_like(points.precision))
