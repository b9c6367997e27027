"""Names and scores of areas, and the values that a drawn line shows."""

from functools import partial

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

AREAS = ["step", "interpolated", "eleven-point", "linear", "davis-goadrich"]
each_area = pytest.mark.parametrize("area", AREAS)


def value_of(area, *args, **kwargs):
    scores = {
        "step": average_precision_score,
        "interpolated": interpolated_average_precision_score,
        "eleven-point": eleven_point_average_precision_score,
    }
    return scores.get(area, partial(pr_auc_score, interpolation=area))(*args, **kwargs)


def area_under(line):
    """Return the area under a line as drawn, or the mean height of its markers."""
    recall, precision = map(np.asarray, line.get_data())
    if line.get_markevery() is not None:
        return precision[line.get_markevery()].mean()
    height = (
        precision[:-1]
        if line.get_drawstyle() == "steps-post"
        else (precision[:-1] + precision[1:]) / 2
    )
    return -np.sum(np.diff(recall) * height)


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]
