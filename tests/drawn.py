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


def picture_of(axes):
    """Return what can be read on the axes, and the points of the lines."""
    legend = axes.get_legend()
    return {
        "labels": (axes.get_xlabel(), axes.get_ylabel()),
        "limits": (axes.get_xlim(), axes.get_ylim()),
        "aspect": axes.get_aspect(),
        "size": axes.figure.canvas.get_width_height(),
        # Ours wraps long entries.
        "legend": [text.get_text().split() for text in legend.get_texts()]
        if legend
        else [],
        "styles": [(line.get_drawstyle(), line.get_alpha()) for line in axes.lines],
        "spines": [
            (spine.get_visible(), spine.get_bounds()) for spine in axes.spines.values()
        ],
    }, [line.get_xydata() for line in axes.lines]
