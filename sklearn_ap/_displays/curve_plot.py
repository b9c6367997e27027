"""The drawing of precision-recall curves. The area below the drawn line is the average
precision in its legend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from functools import partial
from inspect import signature
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from .._core.reading.options import check_option, read_flag
from .._core.typing import DrawnArea, Label
from .._core.user_messages import warn_user
from .._shown.numbers import share_text
from .figure import Display
from .keywords import takes_line_options, with_advice
from .paths import DRAWN_AREAS, PATHS, CurvePoints
from .rows import number_per_curve, unwrap_single
from .styles import (
    COLOURS,
    FOLDS_STYLE,
    LINE_STYLES,
    Style,
    chance_style,
    entry,
    resolve_style,
)

# matplotlib is optional, so it is imported for type checkers only.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


# A band as the caller passed it: recall, low, high and the entry of the legend.
AnyBand = tuple[ArrayLike, ArrayLike, ArrayLike, str]
CurveStyles = Style | Sequence[Style] | None
# If there are more classes than this, the lines of some classes would look the same. So
# all look the same, and the legend has one entry for all classes.
_MAX_CLASSES = len(COLOURS) * len(LINE_STYLES)


def warn_of_old_name(text: str) -> None:
    """Warn of the old name of an argument, if scikit-learn has the new names, which is
    so from 1.8 on.
    """
    if "name" in signature(metrics.PrecisionRecallDisplay).parameters:
        warn_user(FutureWarning(text))


@dataclass(eq=False, repr=False)
class CurvePlot(Display):
    """Curves that can be drawn. :class:`PrecisionRecallDisplay` describes and computes
    the fields.
    """

    precision: ArrayLike
    recall: ArrayLike
    _: KW_ONLY
    area: DrawnArea = "step"
    average_precision: float | Sequence[float] | None = None
    name: str | Sequence[str] | None = None
    pos_label: Label | None = None
    prevalence_pos_label: float | Sequence[float] | None = None
    share_retrieved: ArrayLike | None = None
    band: AnyBand | None = None
    classes: Sequence[Label] | None = None
    estimator_name: InitVar[str | None] = "deprecated"

    def __post_init__(self, estimator_name: str | None) -> None:
        """Read the name that scikit-learn's display had before 1.8. It is an attribute,
        too, as there.
        """
        if estimator_name != "deprecated":
            # The texts are those of scikit-learn.
            if self.name:
                raise ValueError(
                    "Cannot provide both `estimator_name` and `name`. Use `name` only; "
                    f"got {estimator_name!r} and {self.name!r}."
                )
            warn_of_old_name(
                "`estimator_name` is deprecated in 1.8 and will be removed in 1.10. "
                "Use `name` instead."
            )
            self.name = estimator_name
        # It is an InitVar.
        self.estimator_name = self.name  # type: ignore[attr-defined]

    @takes_line_options
    @with_advice
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: CurveStyles = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        despine: bool = False,
    ) -> Self:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. By default, new axes are made in a new figure.

        name : str or list of str, default=None
            Name for the legend; a list has a name per curve. By default, the name is
            that of the display. If several curves are not those of classes, a list of
            names requires a list of `curve_kwargs`.

        curve_kwargs : dict or list of dict, default=None
            Arguments of matplotlib's `plot`; a list contains a dict per curve. Without
            a list, curves that are not those of classes look the same, and have one
            entry in the legend.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives, which is the precision of random
            scores.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the chance level.

        plot_band : bool, default=False
            Whether to draw the `band`. The methods ``from_...`` compute a band for
            ``area='step'`` and a single curve.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : PrecisionRecallDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `area` is unknown, if lists have different lengths, if
            `prevalence_pos_label` is missing for the chance level, or if there is no
            band to draw.
        """
        check_option("area", self.area, DRAWN_AREAS)
        curves = self._read_curves(plot_band=plot_band)
        name = name or self.name
        prevalences = number_per_curve(
            "prevalence_pos_label", self.prevalence_pos_label, len(curves)
        )
        # The text is that of scikit-learn's display.
        if read_flag("plot_chance_level", plot_chance_level) and not prevalences:
            raise ValueError(
                "You must provide prevalence_pos_label when constructing the "
                "PrecisionRecallDisplay object in order to plot the chance level "
                "line. Alternatively, you may use "
                "PrecisionRecallDisplay.from_estimator or "
                "PrecisionRecallDisplay.from_predictions to automatically set "
                "prevalence_pos_label; got None."
            )
        styles, legend_title = self._styles(name, curve_kwargs, len(curves))
        paths = [PATHS[self.area](points) for points in curves]
        self._draw_on(ax)
        # The arguments of the caller come last, since they override others.
        lines = [
            self._draw_curve(path.recall, path.precision, {**path.style, **style})
            for path, style in zip(paths, styles, strict=True)
        ]
        self.line_: Line2D | list[Line2D] = unwrap_single(lines)
        self.band_: PolyCollection | None = None
        # `_read_curves` has checked that there is a band, and a single curve.
        if plot_band and self.band:
            self.band_ = self._draw_band(self.band, lines[0])
        self.chance_level_: Line2D | list[Line2D] | None = None
        if plot_chance_level:
            levels = [
                (share, points.recall[0])
                for share, points in zip(prevalences, curves, strict=True)
            ]
            self.chance_level_ = self._draw_chance_levels(levels, chance_level_kw)
        positive = self._positive_label()
        self._label_axes(f"Recall{positive}", f"Precision{positive}")
        self._show_shares()
        # As in scikit-learn, recall and precision have the same scale, and linear axes
        # have these limits, whatever else is drawn on them.
        self.ax_.set_aspect("equal")
        if self.ax_.get_xscale() == "linear":
            self.ax_.set_xlim(-0.01, 1.01)
        if self.ax_.get_yscale() == "linear":
            self.ax_.set_ylim(-0.01, 1.01)
        if read_flag("despine", despine):
            # As in scikit-learn, the other two spines go from 0 to 1.
            self.ax_.spines[["top", "right"]].set_visible(False)
            self.ax_.spines[["bottom", "left"]].set_bounds(0, 1)
        self._add_legend(legend_title)
        self._fit_labels()
        return self

    def _read_curves(self, *, plot_band: bool) -> list[CurvePoints]:
        """Return the operating points of each curve. Raise ValueError if they are not
        sufficient for the area or for the band.
        """
        if self.area == "davis-goadrich" and self.share_retrieved is None:
            raise ValueError(
                "share_retrieved is required for area='davis-goadrich', since "
                "precision and recall do not show the number of samples; got None. "
                "Pass hit_curve(y_true, y_score)[0][::-1] or use from_predictions."
            )
        fields: list[Any] = [self.precision, self.recall]
        if self.share_retrieved is not None:
            fields.append(self.share_retrieved)
        # For several curves, each field has an array per curve. For a single curve, it
        # is an array of numbers.
        fields = [
            [field] if np.ndim(next(iter(field), 0)) == 0 else field for field in fields
        ]
        n_arrays = list(map(len, fields))
        if len(set(n_arrays)) > 1:
            raise ValueError(
                "precision, recall and share_retrieved must have an array per curve; "
                f"got {n_arrays} arrays."
            )
        as_array: Any = partial(np.asarray, dtype=np.float64)
        curves = [
            CurvePoints(*map(as_array, curve)) for curve in zip(*fields, strict=True)
        ]
        plot_band = read_flag("plot_band", plot_band)
        if plot_band and (self.band is None or len(curves) > 1):
            raise ValueError(
                "plot_band=True supports a single curve, whose band from_predictions "
                f"and from_estimator compute; got {len(curves)} curves and "
                f"band={self.band!r}. Draw one class: "
                "from_predictions(np.asarray(y_true) == label, scores_of_label). Pool "
                "the scores of folds by cross_val_predict."
            )
        return curves

    def _styles(
        self, name: str | Sequence[str] | None, curve_kwargs: CurveStyles, n_curves: int
    ) -> tuple[list[Style], str | None]:
        """Return the style of each curve with its entry in the legend, and the title of
        the legend.
        """
        # Without a list, all curves share a style.
        share_style = curve_kwargs is None or isinstance(curve_kwargs, Mapping)
        styles: Any = curve_kwargs
        if share_style:
            styles = [curve_kwargs] * n_curves
        if not isinstance(styles, list | tuple) or len(styles) != n_curves:
            raise ValueError(
                f"`curve_kwargs` must be None, a dictionary or a list of {n_curves} "
                f"dictionaries, one per curve; got {curve_kwargs!r}."
            )
        names = _read_names(name, n_curves)
        if share_style and len(names) > 1 and self.classes is None:
            # The error begins with the words of scikit-learn.
            raise ValueError(
                "To avoid labeling individual curves that have the same appearance, "
                f"pass curve_kwargs as a list of {n_curves} dictionaries, or one name "
                f"for all curves; got name={name!r}."
            )
        # Curves with styles of their own also have entries of their own.
        if not share_style and len(names) == 1:
            names = [*names] * n_curves
        entries, title = self._legend_entries(names, n_curves)
        # As in scikit-learn, the curves of folds look the same; so do many classes.
        look: Style = {}
        if n_curves > 1 and (self.classes is None or len(entries) < n_curves):
            look = FOLDS_STYLE
        # If all curves have one entry, the first curve has it.
        return [
            {"label": label, **resolve_style(style, "curve_kwargs", **look)}
            for label, style in zip_longest(entries, styles)
        ], title

    def _legend_entries(
        self, names: Sequence[str], n_curves: int
    ) -> tuple[list[str | None], str | None]:
        """Return the entries of the legend, and its title. `names` contains a name per
        curve, or one for all of them.

        With a name per curve, each curve has an entry. With one name, folds and many
        classes have one entry, with the mean of their values. A few classes have an
        entry each, and the mean is in the title.
        """
        values = number_per_curve("average_precision", self.average_precision, n_curves)
        if len(names) == n_curves:
            notes = (f"{self._metric} = {share_text(value)}" for value in values)
            return _entries(names, notes), None
        mean = entry(names[0], self._mean_of(values))
        if self.classes is None or n_curves > _MAX_CLASSES:
            return [mean], None
        return _entries(map(str, self.classes), map(share_text, values)), mean

    @property
    def _metric(self) -> str:
        """Name of the values in the legend, such as "AP" or "eleven-point AP"."""
        if self.area == "step":
            return "AP"
        area = DRAWN_AREAS[self.area].area
        return f"{area.title or self.area} {area.noun}"

    def _mean_of(self, values: Sequence[float]) -> str:
        """Return the mean of the values of several curves: of folds, with its standard
        deviation; of classes, the macro average. It is empty without values.
        """
        if not values:
            return ""
        if self.classes is None:
            return f"{self._metric} = {_mean_text(values)}"
        return f"macro {self._metric} = {share_text(float(np.mean(values)))}"

    def _draw_band(self, band: AnyBand, line: Line2D) -> PolyCollection:
        """Draw the band in the colour of the line, and with steps at the same side of
        each recall.
        """
        recall, low, high, label = band
        # Reverse the arrays, so that recall falls from 1 to 0, as it does along the
        # line. Otherwise, "post" would put the steps of the band at the other side.
        return self.ax_.fill_between(
            np.flip(recall),
            np.flip(low),
            np.flip(high),
            step="post",
            label=self._new_entry(label),
            facecolor=line.get_color(),
            alpha=0.2,
            linewidth=0,
            # Draw the band below the curves, whose order is 2, and below the lines of
            # chance levels.
            zorder=1.2,
        )

    def _draw_chance_levels(
        self, levels: Sequence[tuple[float, float]], chance_level_kw: Style | None
    ) -> Line2D | list[Line2D]:
        """Draw the chance level of each curve: a horizontal line at its share of
        positives.

        `levels` contains, for each curve, the share of positives and the recall of all
        rows, at which the line ends. This recall is below 1 if positives were missed.
        The area below the line is the product of the share and the recall, which is the
        AP of random scores.
        """
        faint = {"alpha": 0.3} if len(levels) > 1 else {}
        style = resolve_style(
            chance_level_kw, "chance_level_kw", **chance_style(), **faint
        )
        text = "Chance level"
        areas = [share * recall for share, recall in levels]
        if len(areas) > 1 and self.classes is None:
            text += f" (AP = {_mean_text(areas)})"
        elif len(set(map(share_text, areas))) == 1:
            text += f" (AP = {share_text(areas[0])})"
        label = self._new_entry(style.pop("label", text))
        lines = [
            self.ax_.plot((0, recall), (share, share), **style)[0]
            for share, recall in levels
        ]
        # As in scikit-learn, only the first of these lines is in the legend.
        lines[0].set_label(label)
        return unwrap_single(lines)


def _entries(names: Iterable[str], notes: Iterable[str]) -> list[str | None]:
    """Return the entry of each curve. Without values, there are no notes."""
    return [entry(name, note) for name, note in zip_longest(names, notes)]


def _read_names(name: str | Sequence[str] | None, n_curves: int) -> Sequence[str]:
    """Return the only name, or the name of each curve. Raise ValueError for another
    number of names.
    """
    if name is None or isinstance(name, str):
        return [name or ""]
    if not hasattr(name, "__len__") or len(name) not in (1, n_curves):
        raise ValueError(
            f"name must be a str, or a list of {n_curves} names; got {name!r}."
        )
    return name


def _mean_text(values: Sequence[float]) -> str:
    """Return the mean of the values with their standard deviation."""
    return share_text(float(np.mean(values)), float(np.std(values)))
