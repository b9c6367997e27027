"""What is drawn of an area: its name, its score, and what can be read off its line."""

import numpy as np

from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    pr_auc_score,
)

NAMES = {
    "step": "step AP",
    "interpolated": "interpolated AP",
    "eleven-point": "eleven-point AP",
    "linear": "linear PR AUC",
    "davis-goadrich": "Davis-Goadrich PR AUC",
}


def value_of(area, *args, **kwargs):
    match area:
        case "step":
            return average_precision_score(*args, **kwargs)
        case "interpolated":
            return interpolated_average_precision_score(*args, **kwargs)
        case "eleven-point":
            return eleven_point_average_precision_score(*args, **kwargs)
        case _:
            return pr_auc_score(*args, interpolation=area, **kwargs)


def area_under(line):
    """The area under a line as it is drawn."""
    recall, precision = line.get_xdata(), line.get_ydata()
    height = precision[:-1] if line.get_drawstyle() == "steps-post" else (precision[:-1] + precision[1:]) / 2
    return -np.sum(np.diff(recall) * height)


def dots_of(line):
    return line.get_xdata()[line.get_markevery()], line.get_ydata()[line.get_markevery()]


def legend_of(display):
    return legend(display.ax_)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]
