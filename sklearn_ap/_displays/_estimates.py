"""Scores of several models with their intervals, one per row, and their differences to a reference."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import ceil
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._registry import score_of
from .._rounding import EQUAL
from .._scores._average_precision import average_precision_score
from .._typing import EstimateMethod, Label, ScoreFunction
from .._uncertainty._chance import chance_level
from .._uncertainty._comparisons import compare_scores
from .._uncertainty._estimates import estimate_score
from .._uncertainty._many import ManyComparisons, compare_many
from .._uncertainty._results import ScoreComparison, ScoreEstimate, read_confidence_level
from ._figure import BLUE, Display, Style, import_pyplot, rounded
from ._input import axis_name, within_sentence

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text


_GREY = "0.5"  # visible on light and on dark axes
_MAX_LINE_LETTERS = 26  # of a line with the name of a model
_INCHES = (1.35, 0.26, 0.17)  # of height: around the rows, between rows, and of each line of a name
# Arguments that change the mean of a random ranking; `chance_level` does not take them.
_CHANGE_CHANCE = ("query_id", "n_positives", "prevalence")


class _Row(NamedTuple):
    """One row of a picture; the reference has the value NaN, since it is not compared with itself."""

    name: str
    value: float
    low: float
    high: float
    text: str


class _Picture(NamedTuple):
    """The artists of each row, by its name."""

    points: dict[str, Line2D]
    intervals: dict[str, Line2D | None]
    texts: dict[str, Text]


def _draw_rows(ax: Axes, rows: list[_Row]) -> _Picture:
    """Draw the point, the interval and the text of each row, the first one at the top."""
    picture = _Picture({}, {}, {})
    for y, (name, value, low, high, text) in enumerate(rows):
        if not np.isnan(value):
            interval = ax.plot([low, high], [y, y], color=BLUE, linestyle="-", linewidth=2)
            picture.intervals[name] = None if np.isnan([low, high]).any() else interval[0]
            look: Style = {"color": BLUE, "linestyle": "none", "marker": "o", "markersize": 7, "zorder": 3}
            (picture.points[name],) = ax.plot([value], [y], **look)
        # To the right of the frame, where it covers no interval.
        colour = _GREY if np.isnan(value) else ax.xaxis.label.get_color()
        offset: Style = {"xytext": (8, 0), "textcoords": "offset points", "annotation_clip": False}
        picture.texts[name] = ax.annotate(
            text, (1, y), xycoords=("axes fraction", "data"), va="center", color=colour, **offset
        )
    return picture


def _frame(ax: Axes, rows: list[_Row], level: float | None, *, are_named: bool) -> None:
    """Set the limits so that everything is visible, and write the names of the rows, without ticks."""
    # As a float, None is NaN.
    values = np.array([level, *(value for row in rows for value in row[1:4])], dtype=np.float64)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.07 * (high - low) or 0.05
    limits = low - margin, high + margin
    if low >= 0 and high <= 1:  # shares need no room outside [0, 1]
        limits = max(limits[0], -0.02), min(limits[1], 1.02)
    ax.set(xlim=limits, ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), [_in_two_lines(row.name) if are_named else "" for row in rows])
    ax.tick_params(axis="y", length=0)


def _in_two_lines(name: str) -> str:
    """Break a long name into two lines and shorten the rest."""
    return "\n".join(textwrap.wrap(str(name), _MAX_LINE_LETTERS, max_lines=2, placeholder="…"))


def _difference_text(value: float, pvalue: float) -> str:
    """Return a difference with three decimals, or two digits if it is tiny, and its p-value."""
    digits = f"{value:+.3f}" if abs(value) >= 0.0005 else f"{value:+.2g}"
    p = f"p = {pvalue:.3f}" if pvalue < 0.1 else f"p = {pvalue:.2f}"
    if np.isnan(pvalue) or pvalue < 0.001:
        p = "no p-value" if np.isnan(pvalue) else "p < 0.001"
    return f"{'0.000' if abs(value) <= EQUAL else digits}  ({p})"


@dataclass(eq=False, repr=False)
class ScoreEstimateDisplay(Display):
    """Scores of several models with their intervals, as a forest picture [1]_: one row per model.

    Each row has a point, an interval, and both as text. A dashed line shows the mean score of a random
    ranking. With a reference, a second picture shows the differences to that model, which are far more
    precise than the scores: the same rows are easy or hard for both models. Create a display by
    :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimates : dict of ScoreEstimate
        Results of :func:`estimate_score` by the name of the model. The rows have this order.

    differences : dict of ScoreComparison or ManyComparisons, default=None
        Results of :func:`compare_scores` for a model and the reference, by the name of the model; or the
        result of :func:`compare_many` for the reference.

    reference : str, default=None
        Name of the model that the others are compared with; required with `differences`.

    chance : float, default=None
        Mean score of a random ranking; None draws no line.

    score_name : str, default='Score'
        Name of the score, for the axis labels.

    confidence_level : float, default=0.95
        Confidence of the intervals, above 0 and below 1.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    Attributes
    ----------
    points_, intervals_, texts_ : dict
        The point (a Line2D), the interval (a Line2D, or None if it is NaN) and the text of each model.

    difference_points_, difference_intervals_, difference_texts_ : dict or None
        The same of the differences; None without them. The reference has only a text.

    chance_line_ : matplotlib Line2D or None
        The line of a random ranking.

    ax_, difference_ax_, figure_ : matplotlib Axes, Axes or None, and Figure
        Axes with the scores, axes with the differences, and their figure.

    See Also
    --------
    estimate_score : The scores and their intervals.
    compare_scores : The differences, their intervals and p-values.
    chance_level : The score of a random ranking.

    Notes
    -----
    If several models are compared with the reference, the intervals and p-values of differences are valid for
    all of them at once (:func:`compare_many`): a difference whose interval does not contain 0 is significant.
    An interval that is undefined, such as with one positive, is not drawn, and the text is "no interval".

    References
    ----------
    .. [1] S. Lewis, M. Clarke, "Forest plots: trying to see the wood and the trees", BMJ 322, 2001.
       :doi:`10.1136/bmj.322.7300.1479`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import ScoreEstimateDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [20, 80])
    >>> good, poor = y_true + rng.normal(size=(2, 100)) * [[0.5], [2.0]]
    >>> display = ScoreEstimateDisplay.from_predictions(
    ...     y_true, {"good": good, "poor": poor}, reference="poor"
    ... )
    >>> for text in [*display.texts_.values(), *display.difference_texts_.values()]:
    ...     print(text.get_text())
    0.758  (0.561 to 0.885)
    0.416  (0.217 to 0.643)
    +0.342  (p = 0.010)
    reference
    """

    estimates: Mapping[str, ScoreEstimate]
    _: KW_ONLY
    differences: Mapping[str, ScoreComparison] | ManyComparisons | None = None
    reference: str | None = None
    chance: float | None = None
    score_name: str = "Score"
    confidence_level: float = 0.95
    pos_label: Label | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        score_func: str | ScoreFunction = average_precision_score,
        reference: str | None = None,
        chance: bool | float | None = None,
        confidence_level: float = 0.95,
        method: EstimateMethod = "auto",
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
        name: str | None = None,
        ax: Axes | tuple[Axes, Axes] | None = None,
        despine: bool = False,
        **score_func_params: Any,
    ) -> Self:
        """Score each model and draw the scores with their intervals.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping contains the scores of one model per name.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or any function of labels and scores, as for
            :func:`estimate_score`.

        reference : str, default=None
            Name of a model. A second picture shows the difference of each other model to it, with the
            interval and the p-value of :func:`compare_scores`; with several others, those of
            :func:`compare_many`, which are valid together. None draws no differences.

        chance : bool or float, default=None
            Whether to draw the mean score of a random ranking, where :func:`chance_level` knows it: for
            :func:`average_precision_score` of one ranking of equal weights. A float is the level of any
            other score.

        confidence_level : float, default=0.95
            Confidence of the intervals, above 0 and below 1.

        method, unit_id, n_resamples, random_state : optional
            Options of the intervals, as for :func:`estimate_score`.

        name : str, default=None
            Name of a single model; by default "Scores".

        ax, despine : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : additional arguments
            Other arguments of `score_func`, such as ``k=10`` or `sample_weight`.

        Returns
        -------
        display : ScoreEstimateDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If there are fewer than 10 positives, or an interval is NaN, with the reason.

        Raises
        ------
        ValueError
            For what `score_func` and :func:`estimate_score` refuse; if `reference` is not the name of a
            model.

        Examples
        --------
        >>> from sklearn_ap import ScoreEstimateDisplay, recall_at_k_score
        >>> y_true = [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1] * 3
        >>> display = ScoreEstimateDisplay.from_predictions(
        ...     y_true, range(48, 0, -1), score_func=recall_at_k_score, k=20, random_state=0, name="BM25"
        ... )
        >>> display.texts_["BM25"].get_text()
        '0.433  (0.321 to 0.538)'
        """
        import_pyplot()
        models = y_score if isinstance(y_score, Mapping) else {name or "Scores": y_score}
        if not models:
            raise ValueError(f"y_score must contain the scores of a model; got {y_score!r}.")
        if reference is not None and reference not in models:
            raise ValueError(f"reference must be None or one of {list(models)}; got {reference!r}.")
        read_confidence_level(confidence_level)
        options: Style = {"method": method, "unit_id": unit_id, "n_resamples": n_resamples}
        options = {**options, "random_state": random_state, **score_func_params}
        level = _chance_line(chance, score_func, y_true, options)
        estimates = {
            model: estimate_score(score_func, y_true, scores, **options) for model, scores in models.items()
        }
        differences = None
        if reference is not None:
            options = {"score_func": score_func, "y_true": y_true, **options}
            differences = _differences_to(reference, models, confidence_level, options)
        pos_label = score_func_params.get("pos_label")
        display = cls(
            estimates,
            differences=differences,
            reference=reference,
            chance=level,
            score_name=axis_name(score_func, score_func_params),
            confidence_level=confidence_level,
            pos_label=1 if pos_label is None else pos_label,
        )
        return display.plot(ax, despine=despine)

    def plot(
        self,
        ax: Axes | tuple[Axes, Axes] | None = None,
        *,
        plot_chance: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the scores and, if there are any, the differences.

        Parameters
        ----------
        ax : matplotlib Axes or pair of Axes, default=None
            Empty axes to draw on, two of them with `reference`; by default new ones, in a new figure. Text
            stands to the right of each of the axes: leave room there, or use ``layout="constrained"``.

        plot_chance : bool, default=True
            Whether to draw the line of a random ranking, if its score is known.

        despine : bool, default=False
            Whether to hide all spines but the bottom one.

        Returns
        -------
        display : ScoreEstimateDisplay
            The display itself.

        Warns
        -----
        UserWarning
            If an interval is NaN, with the reason.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `ax` is not empty, or not as many axes as pictures.
        """
        plt = import_pyplot()
        scores = self._score_rows()
        axes = self._axes(plt, ax, scores)
        self.ax_: Axes = axes[0]
        self.figure_: Figure | SubFigure = axes[0].figure
        self.points_: dict[str, Line2D]
        self.intervals_: dict[str, Line2D | None]
        self.texts_: dict[str, Text]
        self.points_, self.intervals_, self.texts_ = _draw_rows(self.ax_, scores)
        if self.reference is not None:  # hollow, since it has no difference
            self.points_[self.reference].set_markerfacecolor(self.ax_.get_facecolor())
        chance = self.chance if plot_chance else None
        self.chance_line_: Line2D | None = None if chance is None else self._draw_chance(chance)
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        level = f"{round(100 * self.confidence_level, 6):g} %"
        self.ax_.set_xlabel(f"{self.score_name}{positive}\nwith {level} intervals")
        _frame(self.ax_, scores, chance, are_named=True)
        self.difference_ax_: Axes | None = None
        self.difference_points_: dict[str, Line2D] | None = None
        self.difference_intervals_: dict[str, Line2D | None] | None = None
        self.difference_texts_: dict[str, Text] | None = None
        if self.differences is not None:
            self.difference_ax_ = axes[1]
            picture = self._draw_differences(axes[1], self.differences)
            self.difference_points_, self.difference_intervals_, self.difference_texts_ = picture
        for panel in axes:
            panel.spines[["top", "right", "left"]].set_visible(not despine)
        return self

    def _score_rows(self) -> list[_Row]:
        rows = []
        for name, estimate in self.estimates.items():
            low, high = estimate.confidence_interval(self.confidence_level)
            value = float(estimate.score)
            ends = "no interval" if np.isnan(low) else f"{rounded(low, 3)} to {rounded(high, 3)}"
            rows.append(_Row(name, value, low, high, f"{rounded(value, 3)}  ({ends})"))
        return rows

    def _difference_rows(self, differences: Mapping[str, ScoreComparison] | ManyComparisons) -> list[_Row]:
        """Return the difference of each model, in the order of the scores."""
        level, rows = self.confidence_level, {}
        if isinstance(differences, ManyComparisons):
            ends = differences.confidence_interval(level)
            numbers = zip(differences.difference, *ends, differences.pvalue, strict=True)
            columns = dict(zip((model for model, _ in differences.pairs), numbers, strict=True))
        else:
            columns = {
                name: (comparison.difference, *comparison.confidence_interval(level), comparison.pvalue)
                for name, comparison in differences.items()
            }
        for name, (value, low, high, pvalue) in columns.items():
            rows[name] = _Row(name, float(value), float(low), float(high), _difference_text(value, pvalue))
        reference = str(self.reference)
        rows[reference] = _Row(reference, np.nan, np.nan, np.nan, "reference")
        return [rows[name] for name in self.estimates]

    def _draw_differences(
        self, ax: Axes, differences: Mapping[str, ScoreComparison] | ManyComparisons
    ) -> _Picture:
        rows = self._difference_rows(differences)
        picture = _draw_rows(ax, rows)
        ax.axvline(0, color=_GREY, linewidth=1.0, zorder=1)
        reference = _in_two_lines(str(self.reference)).replace("\n", " ")
        adjusted = ", adjusted" if isinstance(differences, ManyComparisons) else ""
        ax.set_xlabel(f"Difference in {within_sentence(self.score_name)}\nto {reference}{adjusted}")
        _frame(ax, rows, 0.0, are_named=False)
        return picture

    def _axes(self, plt: ModuleType, ax: Any, rows: list[_Row]) -> list[Axes]:
        """Return the axes of the scores and, if there are any, of the differences."""
        n_pictures = 1 if self.differences is None else 2
        if ax is not None:
            axes = list(np.ravel(np.array(ax, dtype=object)))
            if len(axes) != n_pictures or any(panel.has_data() for panel in axes):
                raise ValueError(f"ax must be None or empty axes, {n_pictures} of them; got {ax!r}.")
            return axes
        around, between, line = _INCHES
        height = sum(between + line * (1 + _in_two_lines(row.name).count("\n")) for row in rows)
        size = (7.0 if n_pictures == 1 else 11.5, around + height)
        figure, axes = plt.subplots(1, n_pictures, squeeze=False, figsize=size, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
        return list(axes[0])

    def _draw_chance(self, chance: float) -> Line2D:
        line = self.ax_.axvline(chance, color=_GREY, linestyle=(0, (4, 3)), linewidth=1.0, zorder=1)
        look: Style = {"ha": "center", "va": "bottom", "fontsize": "small", "color": _GREY}
        at: Style = {"xycoords": ("data", "axes fraction"), "xytext": (0, 3), "textcoords": "offset points"}
        self.ax_.annotate(f"chance {rounded(chance, 3)}", (chance, 1), **look, **at)
        return line


def _differences_to(
    reference: str, scores: Mapping[str, ArrayLike], confidence_level: float, options: dict[str, Any]
) -> Mapping[str, ScoreComparison] | ManyComparisons:
    """Compare each other model with the reference; several of them at once."""
    others = [name for name in scores if name != reference]
    if len(others) < 2:
        options = {**options, "y_score_b": scores[reference]}
        return {name: compare_scores(y_score_a=scores[name], **options) for name in others}
    # `compare_many` has no method 'percentile', and refuses fewer draws.
    method = "bootstrap" if options["method"] == "percentile" else options["method"]
    n_resamples = max(options["n_resamples"], ceil(20 / (1 - confidence_level)))
    options = {**options, "method": method, "n_resamples": n_resamples}
    return compare_many(y_score=scores, reference=reference, **options)


def _chance_line(
    chance: bool | float | None, score_func: str | ScoreFunction, y_true: ArrayLike, params: Mapping[str, Any]
) -> float | None:
    """Return the score of a random ranking, or None if its line is not drawn."""
    if not (chance is None or isinstance(chance, bool)):
        return float(chance)
    is_average_precision = score_of(score_func, params) is average_precision_score
    if (
        chance is False
        or not is_average_precision
        or any(params.get(name) is not None for name in _CHANGE_CHANCE)
    ):
        return None
    options = {name: params[name] for name in ("sample_weight", "pos_label") if name in params}
    try:
        return float(chance_level(y_true, **options).mean)
    except ValueError:  # labels that are not binary, or unequal weights
        return None
