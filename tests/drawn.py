"""What is drawn of an area: its name, its score, and what can be read off its line."""

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
    """The area under a line as it is drawn; of points that are marked, their mean
    height.
    """
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
