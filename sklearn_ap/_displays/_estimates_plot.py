"""The forest picture of estimates: points, intervals and numbers, one row per model."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from .._reading import is_real
from .._typing import Label
from .._uncertainty._results import ScoreComparison, ScoreEstimate, read_confidence_level
from ._figure import BLUE, import_pyplot, rounded
from ._models import within_sentence

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

__all__ = ["ScoreEstimatePlot"]

_GREY = "0.4"
_LETTERS = 26  # of a line with the name of a model
_INCHES = (1.35, 0.26, 0.17)  # of height: around the rows, between rows, and of each line of a name
_ROUNDING = 1e-12  # what two sums of equal value may differ by


class _Row(NamedTuple):
    """One row of a picture."""

    name: str
    value: float | None  # None of the reference, which is not compared with itself
    low: float
    high: float
    text: str


class _Drawn(NamedTuple):
    """What is drawn of the rows, by their names."""

    points: "dict[str, Line2D]"
    intervals: "dict[str, Line2D | None]"
    texts: "dict[str, Text]"


class ScoreEstimatePlot:
    """The drawing of :class:`ScoreEstimateDisplay`, which tells of the arguments and attributes."""

    points_: "dict[str, Line2D]"
    intervals_: "dict[str, Line2D | None]"
    texts_: "dict[str, Text]"
    difference_points_: "dict[str, Line2D] | None"
    difference_intervals_: "dict[str, Line2D | None] | None"
    difference_texts_: "dict[str, Text] | None"
    chance_line_: "Line2D | None"
    ax_: "Axes"
    difference_ax_: "Axes | None"
    figure_: "Figure | SubFigure"

    def __init__(
        self,
        estimates: Mapping[str, ScoreEstimate],
        *,
        differences: Mapping[str, ScoreComparison] | None = None,
        reference: str | None = None,
        chance: float | None = None,
        score_name: str = "Score",
        confidence_level: float = 0.95,
        pos_label: Label | None = None,
    ) -> None:
        self.estimates = estimates
        self.differences = differences
        self.reference = reference
        self.chance = chance
        self.score_name = score_name
        self.confidence_level = confidence_level
        self.pos_label = pos_label

    def plot(
        self,
        ax: "Axes | tuple[Axes, Axes] | None" = None,
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
            If `estimates` holds no estimate or an estimate of several scores, `differences` are not those of
            the other models to the `reference`, or `ax` is not empty or not as many axes as pictures.

        See Also
        --------
        from_predictions : Compute the scores, and draw them.
        """
        import_pyplot()
        self._check()
        scores, differences = self._score_rows(), self._difference_rows()
        axes = self._axes(ax, scores)
        self.ax_, self.figure_ = axes[0], axes[0].figure
        self.points_, self.intervals_, self.texts_ = _draw_rows(self.ax_, scores)
        if self.reference is not None:  # hollow, as nothing is claimed of its difference
            self.points_[self.reference].set_markerfacecolor("w")
        self.chance_line_ = self._draw_chance(self.ax_) if plot_chance else None
        self._label_scores(scores)
        self.difference_ax_ = self.difference_points_ = None
        self.difference_intervals_ = self.difference_texts_ = None
        if differences is not None:
            self.difference_ax_ = axes[1]
            drawn = _draw_rows(axes[1], differences)
            self.difference_points_, self.difference_intervals_, self.difference_texts_ = drawn
            self._label_differences(axes[1], differences)
        for one in axes:
            one.spines[["top", "right", "left"]].set_visible(not despine)
        return self

    def _check(self) -> None:
        """Refuse what cannot be drawn."""
        estimates, names = self.estimates, list(self.estimates)
        if not names or not all(isinstance(one, ScoreEstimate) for one in estimates.values()):
            raise ValueError(f"estimates must map names to what estimate_score returns; got {estimates!r}.")
        arrays = [name for name in names if np.ndim(estimates[name].score)]
        if arrays:
            raise ValueError(
                f"estimates must have one score per model; {arrays[0]!r} has several, as with average=None."
            )
        read_confidence_level(self.confidence_level)
        if self.chance is not None and not (is_real(self.chance) and np.isfinite(self.chance)):
            raise ValueError(f"chance must be None or a number; got {self.chance!r}.")
        if self.differences is None:
            return
        others = [name for name in names if name != self.reference]
        if len(others) == len(names) or set(self.differences) != set(others):
            raise ValueError(
                "differences must map the name of each model but the reference to what compare_scores "
                f"returns; got {list(self.differences)} for the models {names}, reference={self.reference!r}."
            )

    def _score_rows(self) -> list[_Row]:
        rows = []
        for name, estimate in self.estimates.items():
            low, high = estimate.confidence_interval(self.confidence_level)
            value = float(estimate.score)
            ends = "no interval" if np.isnan(low) else f"{rounded(low, 3)} to {rounded(high, 3)}"
            rows.append(_Row(name, value, low, high, f"{rounded(value, 3)}  ({ends})"))
        return rows

    def _difference_rows(self) -> list[_Row] | None:
        if self.differences is None:
            return None
        rows = []
        for name in self.estimates:
            if name == self.reference:
                rows.append(_Row(name, None, np.nan, np.nan, "reference"))
                continue
            one = self.differences[name]
            low, high = one.confidence_interval(self.confidence_level)
            value = float(one.difference)
            rows.append(_Row(name, value, low, high, f"{_signed(value)}  ({_p_text(one.pvalue)})"))
        return rows

    def _axes(self, ax: Any, rows: list[_Row]) -> "list[Axes]":
        """Return the axes of each picture."""
        n_pictures = 1 if self.differences is None else 2
        if ax is None:
            around, between, line = _INCHES
            lines = sum(1 + _name(row.name).count("\n") for row in rows)
            height = around + between * len(rows) + line * lines
            size = (7.0 if n_pictures == 1 else 11.5, height)
            plt = import_pyplot()
            figure, made = plt.subplots(1, n_pictures, squeeze=False, figsize=size, layout="constrained")
            figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
            return list(made[0])
        axes = list(np.ravel(np.array(ax, dtype=object)))
        if len(axes) != n_pictures or any(one.has_data() for one in axes):
            wanted = "empty axes" if n_pictures == 1 else "a pair of empty axes, for scores and differences"
            raise ValueError(f"ax must be None or {wanted}; got {ax!r}.")
        return axes

    def _draw_chance(self, ax: "Axes") -> "Line2D | None":
        if self.chance is None:
            return None
        line = ax.axvline(self.chance, color=_GREY, linestyle=(0, (4, 3)), linewidth=1.0, zorder=1)
        ax.annotate(
            f"chance {rounded(self.chance, 3)}",
            (self.chance, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize="small",
            color=_GREY,
        )
        return line

    def _label_scores(self, rows: list[_Row]) -> None:
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        level = f"{round(100 * self.confidence_level, 6):g} %"
        self.ax_.set_xlabel(f"{self.score_name}{positive}\nwith {level} intervals")
        places = [] if self.chance_line_ is None or self.chance is None else [self.chance]
        _fit(self.ax_, rows, places)
        _name_rows(self.ax_, rows)

    def _label_differences(self, ax: "Axes", rows: list[_Row]) -> None:
        ax.axvline(0, color=_GREY, linewidth=1.0, zorder=1)
        to = _name(str(self.reference)).replace("\n", " ")
        ax.set_xlabel(f"Difference in {within_sentence(self.score_name)}\nto {to}")
        _fit(ax, rows, [0.0])
        _name_rows(ax, rows, named=False)


def _draw_rows(ax: "Axes", rows: list[_Row]) -> _Drawn:
    """Draw the point, the interval and the text of each row, the first one at the top."""
    drawn = _Drawn({}, {}, {})
    for place, row in enumerate(rows):
        if row.value is not None:
            drawn.intervals[row.name] = None
            if np.isfinite([row.low, row.high]).all():
                (line,) = ax.plot([row.low, row.high], [place, place], color=BLUE, linestyle="-", linewidth=2)
                drawn.intervals[row.name] = line
            (drawn.points[row.name],) = ax.plot(
                [row.value], [place], color=BLUE, linestyle="none", marker="o", markersize=7, zorder=3
            )
        # Beside the frame, where it covers no interval.
        drawn.texts[row.name] = ax.annotate(
            row.text,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=_GREY if row.value is None else ax.xaxis.label.get_color(),
            annotation_clip=False,
        )
    return drawn


def _fit(ax: "Axes", rows: list[_Row], places: list[float]) -> None:
    """Set the limits so that everything shows; an axis of shares has no room beyond 0 and 1."""
    ends = [one for row in rows for one in (row.value, row.low, row.high) if one is not None]
    shown = np.array([*places, *(one for one in ends if np.isfinite(one))])
    low, high = shown.min(), shown.max()
    margin = 0.07 * (high - low) or 0.05
    limits = low - margin, high + margin
    if ax.get_xlabel().startswith("Difference") or low < 0 or high > 1:
        ax.set_xlim(*limits)
    else:
        ax.set_xlim(max(limits[0], -0.02), min(limits[1], 1.02))


def _name_rows(ax: "Axes", rows: list[_Row], *, named: bool = True) -> None:
    """Write the names of the rows beside the axis, without ticks."""
    ax.set_yticks(range(len(rows)), [_name(row.name) for row in rows] if named else [""] * len(rows))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(rows) - 0.4, -0.6)


def _name(name: str) -> str:
    """Break a long name into two lines, and shorten what does not fit there."""
    lines = textwrap.wrap(str(name), _LETTERS, max_lines=2, placeholder="…")
    return "\n".join(lines)


def _signed(value: float) -> str:
    """Return a difference with as many decimals as its score has, or with two digits if it is tiny."""
    if abs(value) <= _ROUNDING:
        return "0.000"
    return f"{value:+.3f}" if abs(value) >= 0.0005 else f"{value:+.2g}"


def _p_text(pvalue: float) -> str:
    if np.isnan(pvalue):
        return "no p-value"
    return "p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}" if pvalue < 0.1 else f"p = {pvalue:.2f}"
