"""What the displays share: matplotlib, axes and styles, an estimator's response, the curves of the areas."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._average_precision import interpolated, interpolated_at_levels, step
from .._averaging import ranking_of
from .._inputs import check_option
from .._pr_auc import davis_goadrich, linear
from .._ranking import Rankings
from .._scorers import _by_class, _is_multilabel, _positive_class, _response
from .._typing import AnyArray, FloatArray, Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Area = Literal["step", "interpolated", "eleven-point", "linear", "davis-goadrich"]
CurveStyles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

# Okabe and Ito's colours, which people with any colour vision tell apart (https://jfly.uni-koeln.de/color/).
BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE)
# A line style for each colour, so that a print in black and white can be read too.
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
_MARKERS = dict(zip(COLOURS, "os^Dvp", strict=True))
CHANCE_STYLE: dict[str, Any] = {"color": "k", "linestyle": (0, (1, 3)), "linewidth": 1.2}
_METHODS = {
    "auto": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
}


def import_pyplot() -> Any:
    """Return `matplotlib.pyplot`, or tell how to install it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError("sklearn_ap's displays need matplotlib: pip install 'sklearn-ap[plot]'") from error
    return plt


def axes_for(ax: "Axes | None") -> "tuple[Axes, Any]":
    """Return the axes to draw on, new ones for None, and their figure.

    Axes that nothing was drawn on yet get the colours and line styles above as their cycle, so that displays
    drawn on the same axes differ.
    """
    plt = import_pyplot()
    axes = plt.subplots()[1] if ax is None else ax
    if not axes.has_data():
        axes.set_prop_cycle(color=COLOURS, linestyle=LINE_STYLES)
    return axes, axes.figure


def line_style(given: Mapping[str, Any] | None, **defaults: Any) -> dict[str, Any]:
    """Return keyword arguments of `Axes.plot`: the given ones, by any alias, and defaults."""
    import_pyplot()
    from matplotlib import cbook, lines  # noqa: PLC0415  # optional

    return {**defaults, **cbook.normalize_kwargs(dict(given or {}), lines.Line2D)}


def remove_spines(ax: "Axes") -> None:
    """Hide the top and right spine, and let the others run from 0 to 1, as scikit-learn's `despine` does."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_bounds(0, 1)


def binary_response(
    estimator: Any,
    X: Any,  # noqa: N803  # scikit-learn's name
    y: Any,
    *,
    response_method: str,
    pos_label: Label | None,
) -> tuple[AnyArray, AnyArray, Label]:
    """Return labels, scores and positive label, by the rules of this package's scorers.

    The labels are True where the positive class is; those of an estimator without `classes_` are left as they
    are.
    """
    check_option("response_method", response_method, _METHODS)
    classes = getattr(estimator, "classes_", None)
    if _is_multilabel(y) or (classes is not None and len(classes) > 2):
        known = "several columns in y" if classes is None or _is_multilabel(y) else f"the classes {classes}"
        raise ValueError(
            f"estimator must be a binary classifier; got {type(estimator).__name__} and {known}. Draw one "
            "class against the rest by from_predictions(y == label, scores_of_label)."
        )
    response = _response(estimator, X, _METHODS[response_method])
    if classes is None:  # an outlier detector
        return np.asarray(y), np.asarray(response), 1 if pos_label is None else pos_label
    arguments = {} if pos_label is None else {"pos_label": pos_label}
    positive = _positive_class(np.asarray(classes), arguments)
    labels, scores = _by_class(classes, response, y, {"pos_label": positive})
    return labels, scores, positive


def styles_of(curve_kwargs: CurveStyles, n_curves: int) -> list[dict[str, Any]]:
    """Return the style of each curve: several that were given none, or one for all, look alike."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        alike = {"color": BLUE, "linestyle": "-", "linewidth": 1, "alpha": 0.5} if n_curves > 1 else {}
        return [line_style(curve_kwargs, **alike)] * n_curves
    if len(curve_kwargs) != n_curves:
        raise ValueError(
            f"curve_kwargs must be a dict, or a list with one for each of {n_curves} curves; got "
            f"{curve_kwargs!r}."
        )
    return [line_style(one) for one in curve_kwargs]


def draw_chance_levels(
    ax: "Axes", prevalences: Sequence[float], chance_level_kw: Mapping[str, Any] | None
) -> "list[Line2D]":
    """Draw the share of positives of each curve; all of them have one entry in the legend."""
    several = len(prevalences) > 1
    defaults = {**CHANCE_STYLE, "alpha": 0.5} if several else CHANCE_STYLE
    spread = f" +/- {np.std(prevalences):0.2f}" if several else ""
    style = line_style(chance_level_kw, **defaults)
    label = style.pop("label", f"Chance level (AP = {np.mean(prevalences):0.2f}{spread})")
    lines = [ax.plot((0, 1), (share, share), **style)[0] for share in prevalences]
    lines[0].set_label(label)
    return lines


class Points(NamedTuple):
    """Operating points of one ranking, as :func:`sklearn.metrics.precision_recall_curve` orders them."""

    precision: FloatArray
    recall: FloatArray
    detected: FloatArray | None = None  # share of all samples, in weight


class Path(NamedTuple):
    """What is drawn, recall falling, and the places of the points that get a dot."""

    recall: FloatArray
    precision: FloatArray
    dots: list[int]


def _step_path(points: Points) -> Path:
    return Path(points.recall, points.precision, [])


def _interpolated_path(points: Points) -> Path:
    """Return the envelope, without the closing point: it takes no part in the maximum."""
    best = np.maximum.accumulate(points.precision[:-1])
    return Path(points.recall, np.append(best, best[-1]), [])


def _eleven_point_path(points: Points) -> Path:
    """Return the envelope with the points where it is read off, in their places between its own."""
    best, recall = np.maximum.accumulate(points.precision[:-1]), points.recall[:-1]
    levels = np.arange(10, -1, -1) / 10
    # Weights were rounded before they were added up, and a level within that rounding counts as reached.
    place = np.array([np.count_nonzero(recall >= level - 1e-10) for level in levels])
    height = np.append(0.0, best)[place]
    dots = place + np.arange(levels.size)
    return Path(np.insert(recall, place, levels), np.insert(best, place, height), dots.tolist())


def _davis_goadrich_path(points: Points) -> Path:
    """Return a curve along which, between two points, true positives are a fixed share of what is added.

    On it precision is linear in 1 / retrieved: points at equal ratios of that lie close where it bends, and
    all segments together need no more than a few hundred.
    """
    recall, precision = points.recall[-2::-1], points.precision[-2::-1]
    if not precision.any():
        return Path(points.recall, points.precision, [])
    retrieved = np.append(0.0, _retrieved(recall, precision, points.detected))
    tp, a, b = np.append(0.0, recall), retrieved[:-1], retrieved[1:]
    with np.errstate(divide="ignore"):
        growth = np.where(a > 0, np.log(b) - np.log(a), 0.0)
    growth[np.diff(tp) == 0] = 0.0
    n_points = np.maximum(np.ceil(growth / 0.02), 1).astype(np.int64)
    segment = np.repeat(np.arange(n_points.size), n_points)
    last = np.cumsum(n_points)
    left = (last[segment] - 1 - np.arange(segment.size)) / n_points[segment]  # share of the segment, to 0
    between = b[segment] * np.exp(-left * growth[segment])
    share = np.divide(b[segment] - between, (b - a)[segment], out=np.zeros(segment.size), where=left > 0)
    path = tp[1:][segment] - share * np.diff(tp)[segment]
    height = path / between
    # The first segment is level: it has the precision of the first point.
    return Path(np.append(path[::-1], 0.0), np.append(height[::-1], height[0]), [])


def _retrieved(recall: FloatArray, precision: FloatArray, detected: FloatArray | None) -> FloatArray:
    """Return the weight at or above each threshold, highest first, over that of the positives."""
    retrieved = np.divide(recall, precision, out=np.zeros_like(recall), where=precision > 0)
    unknown = precision == 0
    if unknown.any():
        if detected is None:
            raise ValueError(
                "detected must be given for 'davis-goadrich' where the highest scores have no positive: a "
                "precision of 0 does not tell how many samples they have. It is "
                "hit_curve(y_true, y_score)[0][::-1]; or use from_predictions."
            )
        share = detected[-2::-1]
        retrieved[unknown] = share[unknown] * (retrieved[-1] / share[-1])
    return retrieved


class Kind(NamedTuple):
    """One area: what the legend calls it, the sum over steps that it is, and how its curve is drawn."""

    name: str
    value: Callable[[Rankings], FloatArray]
    path: Callable[[Points], Path]
    drawstyle: str


AREAS: dict[str, Kind] = {
    "step": Kind("step AP", step, _step_path, "steps-post"),
    "interpolated": Kind("interpolated AP", interpolated, _interpolated_path, "steps-post"),
    "eleven-point": Kind(
        "eleven-point AP",
        lambda ranking: interpolated_at_levels(ranking, 11),
        _eleven_point_path,
        "steps-post",
    ),
    "linear": Kind("linear PR AUC", linear, _step_path, "default"),
    "davis-goadrich": Kind("Davis-Goadrich PR AUC", davis_goadrich, _davis_goadrich_path, "default"),
}


class Ranked(NamedTuple):
    """What a display needs of one ranking."""

    points: Points
    values: dict[str, float]
    prevalence: float


def ranked(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    areas: Sequence[str],
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
) -> Ranked:
    """Return the operating points and the areas. Call it in the method that the user calls."""
    ranking = ranking_of(y_true, y_score, caller=caller, pos_label=pos_label, sample_weight=sample_weight)
    _, tp, retrieved = ranking.points()
    n_positives, n_samples = ranking.n_positives[0], ranking.n_samples[0]
    if n_positives == 0:
        warnings.warn(
            "No positive class found in y_true, recall is set to one for all thresholds.",
            UserWarning,
            stacklevel=3,
        )
    recall = tp / n_positives if n_positives else np.ones(tp.size)
    return Ranked(
        Points(np.append(tp / retrieved, 1.0), np.append(recall, 0.0), np.append(retrieved / n_samples, 0.0)),
        {area: float(AREAS[area].value(ranking)[0]) for area in areas},
        float(n_positives / n_samples),
    )


def draw_path(ax: "Axes", path: Path, drawstyle: str, given: Mapping[str, Any], label: Any) -> "Line2D":
    """Draw one curve; that of the eleven points is light, with a dot where it is read off."""
    defaults: dict[str, Any] = {"drawstyle": drawstyle, "label": label}
    if path.dots:
        defaults.update(markevery=path.dots)
    (line,) = ax.plot(path.recall, path.precision, **{**defaults, **given})
    if path.dots:
        colour = line.get_color()
        if "marker" not in given:
            line.set_marker(_MARKERS.get(str(colour), "o"))
        if not {"markerfacecolor", "markeredgecolor"} & set(given):
            line.set(markerfacecolor=colour, markeredgecolor=colour)
        line.set_color(lighter(colour))
    return line


def lighter(colour: Any, share: float = 0.55) -> str:
    """Return the colour mixed with white."""
    from matplotlib import colors  # noqa: PLC0415  # optional

    red, green, blue = (1 - (1 - part) * (1 - share) for part in colors.to_rgb(colour))
    return colors.to_hex((red, green, blue))


def label_axes(ax: "Axes", pos_label: Label | None, margin: float = 0.01) -> None:
    """Name the axes and set their limits, as scikit-learn's display does.

    Not their aspect: in a square, half the width of a figure is lost, and legends hide the curves.
    """
    positive = "" if pos_label is None else f" (Positive label: {pos_label})"
    limits = (-margin, 1 + margin)
    ax.set(xlabel=f"Recall{positive}", ylabel=f"Precision{positive}", xlim=limits, ylim=limits)


def folds_of(cv_results: Mapping[str, Any], X: Any, y: Any) -> Iterator[tuple[Any, Any]]:  # noqa: N803
    """Pair the estimator of each fold with its test rows."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results must hold {key!r}: make it by cross_validate(..., return_estimator=True, "
                f"return_indices=True); got the keys {list(cv_results)}."
            )
    needed = 1 + max(int(np.max(rows)) for part in cv_results["indices"].values() for rows in part)
    for name, values in (("X", X), ("y", y)):
        n_rows = values.shape[0] if hasattr(values, "shape") else len(values)
        if n_rows < needed:
            raise ValueError(
                f"{name} must be what cv_results was made with, of at least {needed} rows; got {n_rows}."
            )
    return zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)


def rows_of(values: Any, rows: Any) -> Any:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if issparse(values):
        return values.tocsr()[rows]
    return [values[row] for row in rows] if isinstance(values, list | tuple) else values[rows]


def listed(arrays: Any) -> Any:
    """Return what was given for one or several curves as a list of one or several, None as it is."""
    several = isinstance(arrays, list | tuple) and len(arrays) > 0 and np.ndim(arrays[0]) > 0
    return arrays if several or arrays is None else [arrays]


def points_of(precision: list[Any], recall: list[Any], detected: list[Any] | None) -> list[Points]:
    """Check the operating points of each curve."""
    given = {"precision": precision, "recall": recall, "detected": detected}
    arrays = {
        name: [np.asarray(one, dtype=np.float64) for one in curves]
        for name, curves in given.items()
        if curves is not None
    }
    wanted = [(one.size,) for one in arrays["precision"]]
    for name, curves in arrays.items():
        shapes = [one.shape for one in curves]
        if shapes != wanted or min(wanted) < (2,):
            raise ValueError(
                f"{name} must be a 1-D array, one value a threshold and the closing point, of the size of "
                f"precision; or a list of them for several curves. Got {shapes}; precision has {wanted}."
            )
    return [Points(*one) for one in zip(*arrays.values(), strict=True)]


def one_each(name: str, values: Any, n_curves: int) -> list[float] | None:
    """Return one number a curve, or None."""
    if values is None:
        return None
    numbers = [values] if np.ndim(values) == 0 else list(values)
    if len(numbers) != n_curves:
        raise ValueError(f"{name} must hold a number for each of {n_curves} curves; got {values!r}.")
    return numbers


def one_or_all(values: list[Any]) -> Any:
    """Return what belongs to a single curve itself, as scikit-learn's displays do."""
    return values[0] if len(values) == 1 else values


def labels_of(
    name: str | Sequence[str] | None,
    metric: str,
    values: Sequence[float] | None,
    curves: Sequence[Any],
    curve_kwargs: CurveStyles,
) -> list[str | None]:
    """Return the legend entry of each curve; several that look alike have one between them."""
    n_curves = len(curves)
    names = [name] if name is None or isinstance(name, str) else list(name)
    alike = n_curves > 1 and (curve_kwargs is None or isinstance(curve_kwargs, Mapping))
    if len(names) != 1 and (alike or len(names) != n_curves):
        wanted = (
            "a str, or a list beside a list of curve_kwargs" if alike else f"a str or a list of {n_curves}"
        )
        raise ValueError(f"name must be {wanted}; got {name!r}.")
    if alike:
        spread = None if values is None else f"{np.mean(values):0.2f} +/- {np.std(values):0.2f}"
        return [_label(names[0], metric, spread), *[None] * (n_curves - 1)]
    shown = [None] * n_curves if values is None else [f"{value:0.2f}" for value in values]
    names = names * n_curves if len(names) == 1 else names
    return [_label(one, metric, value) for one, value in zip(names, shown, strict=True)]


def _label(name: str | None, metric: str, value: str | None) -> str | None:
    if value is None:
        return name
    return f"{metric} = {value}" if name is None else f"{name} ({metric} = {value})"


def add_legend(ax: "Axes", values: Sequence[float] | None) -> None:
    """Add a legend, if there are entries, where it hides least: the curves of rare classes run low."""
    if ax.get_legend_handles_labels()[0]:
        low = values is not None and np.mean(values) < 0.4
        ax.legend(loc="upper right" if low else "lower left", framealpha=0.9)
