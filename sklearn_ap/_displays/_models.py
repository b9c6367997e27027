"""Scores of several models: with their intervals, one per row, or query by query."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._points._by_query import score_by_query
from .._reading._options import check_option
from .._rounding import EQUAL
from .._scores._average_precision import average_precision_score
from .._typing import (
    EstimateMethod,
    FloatArray,
    Label,
    QueryId,
    QueryKind,
    ScoreByQuery,
    ScoreFunction,
)
from .._uncertainty._estimates import estimate_score
from .._uncertainty._many import ManyComparisons, compare_many
from .._uncertainty._results import ScoreEstimate, read_confidence_level
from ._figure import (
    BLUE,
    VERMILION,
    Display,
    Style,
    as_lines,
    axis_name,
    import_pyplot,
    in_sentence,
    rounded,
)

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text


_Numbers = tuple[float, float, float, str]  # value, interval and text of a row
_GREY = "0.5"  # visible on light and on dark axes
_MAX_INCHES = 2.2  # of a line with the name of a model
_MAX_NAMED = 20  # the names of more queries would overlap
_MAX_NAME_LETTERS = 24  # of a name below the axis
_MARKERS = "s^Dvpo"  # of the second model, the third, and so on


class ForestRow(NamedTuple):
    """What is drawn of a model: its point, its interval (None if that is NaN) and both
    as text.
    """

    point: Line2D
    interval: Line2D | None
    text: Text


def _draw_panel(
    ax: Axes, rows: Mapping[str, _Numbers], xlabel: str, level: float | None
) -> dict[str, ForestRow]:
    """Draw each row, the first one at the top."""
    look: Style = {
        "color": BLUE,
        "linestyle": "none",
        "marker": "o",
        "markersize": 7,
        "zorder": 3,
    }
    offset: Style = {
        "xytext": (8, 0),
        "textcoords": "offset points",
        "annotation_clip": False,
    }
    # For a name, and for the text of its interval.
    inches = min(ax.figure.bbox.width / ax.figure.dpi / 3.5, _MAX_INCHES)
    size, colour = "medium" if inches > 1.5 else "small", ax.xaxis.label.get_color()
    panel: dict[str, ForestRow] = {}
    for y, (name, (value, low, high, text)) in enumerate(rows.items()):
        (interval,) = ax.plot(
            [low, high], [y, y], color=BLUE, linestyle="-", linewidth=2
        )
        (point,) = ax.plot([value], [y], **look)
        # To the right of the frame, where it covers no interval.
        place: Style = {
            "xy": (1, y),
            "xycoords": ("axes fraction", "data"),
            "va": "center",
            **offset,
        }
        shown = ax.annotate(
            as_lines(text, 1.4 * inches), color=colour, size=size, **place
        )
        panel[name] = ForestRow(
            point, None if np.isnan([low, high]).any() else interval, shown
        )
    # Everything is visible, the level too; as a float, None is NaN.
    values = np.array(
        [level, *(value for row in rows.values() for value in row[:3])],
        dtype=np.float64,
    )
    left, right = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.07 * (right - left) or 0.05
    limits = left - margin, right + margin
    if left >= 0 and right <= 1:  # shares need no room outside [0, 1]
        limits = max(limits[0], -0.02), min(limits[1], 1.02)
    ax.set(xlim=limits, ylim=(len(rows) - 0.4, -0.6), xlabel=xlabel)
    names = [as_lines(str(name), inches, max_lines=3, placeholder="…") for name in rows]
    ax.set_yticks(range(len(rows)), names, size=size)
    ax.tick_params(axis="y", length=0)
    return panel


def _difference_text(value: float, pvalue: float) -> str:
    """Return a difference with three decimals, or two digits if it is tiny, and its
    p-value.
    """
    digits = f"{value:+.3f}" if abs(value) >= 0.0005 else f"{value:+.2g}"
    p = f"p = {pvalue:.3f}" if pvalue < 0.1 else f"p = {pvalue:.2f}"
    if np.isnan(pvalue) or pvalue < 0.001:
        p = "no p-value" if np.isnan(pvalue) else "p < 0.001"
    return f"{'0.000' if abs(value) <= EQUAL else digits}  ({p})"


@dataclass(eq=False, repr=False)
class ScoreEstimateDisplay(Display):
    """Scores of several models with their intervals, as a forest picture [1]_.

    Each row has a point, an interval, and both as text. With a reference, a second
    picture below shows the differences to that model, which are far more precise than
    the scores: the same rows are easy or hard for both models. Create a display by
    :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimates : dict of ScoreEstimate
        Results of :func:`estimate_score` by the name of the model. The rows have this
        order.

    differences : ManyComparisons, default=None
        Result of :func:`compare_many`, of all pairs or for a reference.

    chance : float, default=None
        Mean score of a random ranking, for a dashed line; None draws none.

    score_name : str, default='Score'
        Name of the score, for the axis labels.

    confidence_level : float, default=0.95
        Confidence of the intervals, above 0 and below 1.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, which the axis label shows unless it is 1.

    Attributes
    ----------
    rows_ : dict
        What is drawn of each model, by its name: a named tuple of the `point` (a
        Line2D), the `interval` (a Line2D, or None if it is NaN) and the `text`.

    difference_rows_ : dict or None
        The same of the difference of each model to the reference; None without them.

    chance_line_ : matplotlib Line2D or None
        The line of a random ranking.

    ax_, difference_ax_, figure_ : matplotlib Axes, Axes or None, and Figure
        Axes with the scores, axes with the differences, and their figure.

    See Also
    --------
    estimate_score : The scores and their intervals.
    compare_many : The differences, their intervals and p-values.
    chance_level : The score of a random ranking.

    Notes
    -----
    If several models are compared with the reference, the intervals and p-values of
    differences are valid for all of them at once (:func:`compare_many`): a difference
    whose interval does not contain 0 is significant. An interval that is undefined,
    such as with one positive, is not drawn, and the text is "no interval".

    References
    ----------
    .. [1] S. Lewis, M. Clarke, "Forest plots: trying to see the wood and the trees",
       BMJ 322, 2001. :doi:`10.1136/bmj.322.7300.1479`

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
    >>> for row in [*display.rows_.values(), *display.difference_rows_.values()]:
    ...     print(row.text.get_text())
    0.758  (0.561 to 0.885)
    0.416  (0.218 to 0.643)
    +0.342  (p = 0.010)
    """

    estimates: Mapping[str, ScoreEstimate]
    _: KW_ONLY
    differences: ManyComparisons | None = None
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
        chance: float | None = None,
        confidence_level: float = 0.95,
        method: EstimateMethod = "auto",
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
        name: str | None = None,
        ax: Axes | tuple[Axes, Axes] | None = None,
        **score_func_params: Any,
    ) -> Self:
        """Score each model and draw the scores with their intervals.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping contains the scores of one
            model per name.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or any function of labels and scores, as
            for :func:`estimate_score`.

        reference : str, default=None
            Name of a model. A second picture shows the difference of each other model
            to it, with the interval and the p-value of :func:`compare_many`. None draws
            no differences.

        chance : float, default=None
            Mean score of a random ranking, for a dashed line, such as
            ``chance_level(y_true).mean``.

        confidence_level : float, default=0.95
            Confidence of the intervals, above 0 and below 1.

        method, unit_id, n_resamples, random_state : optional
            Options of the intervals, as for :func:`estimate_score`.

        name : str, default=None
            Name of a single model; by default "Scores".

        ax : matplotlib Axes or pair of Axes, default=None
            Empty axes to draw on; see :meth:`plot`.

        **score_func_params : additional arguments
            Other arguments of `score_func`, such as ``k=10`` or `sample_weight`.

        Returns
        -------
        display : ScoreEstimateDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If there are fewer than 10 positives, or an interval is NaN, with the
            reason.

        Raises
        ------
        ValueError
            For what `score_func` and :func:`estimate_score` refuse; if `reference` is
            not the name of a model.

        Examples
        --------
        >>> from sklearn_ap import ScoreEstimateDisplay, recall_at_k_score
        >>> y_true = [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1] * 3
        >>> display = ScoreEstimateDisplay.from_predictions(
        ...     y_true, range(48, 0, -1), score_func=recall_at_k_score, k=20, random_state=0, name="BM25"
        ... )
        >>> display.rows_["BM25"].text.get_text()
        '0.433  (0.321 to 0.538)'
        """
        import_pyplot()
        models = (
            y_score if isinstance(y_score, Mapping) else {name or "Scores": y_score}
        )
        if not models:
            raise ValueError(
                f"y_score must contain the scores of a model; got {y_score!r}."
            )
        if reference is not None and reference not in models:
            raise ValueError(
                f"reference must be None or one of {list(models)}; got {reference!r}."
            )
        if isinstance(chance, bool):
            raise ValueError(
                f"chance must be None or a number, as in chance=0.2; got {chance!r}."
            )
        read_confidence_level(confidence_level)
        options: dict[str, Any] = {
            "method": method,
            "unit_id": unit_id,
            "n_resamples": n_resamples,
        }
        options |= {
            "score_func": score_func,
            "y_true": y_true,
            "random_state": random_state,
            **score_func_params,
        }
        estimates = {
            model: estimate_score(y_score=scores, **options)
            for model, scores in models.items()
        }
        differences = None
        if reference is not None:
            # Percentiles refuse fewer draws for each difference.
            least = ceil(20 * (len(models) - 1) / (1 - confidence_level))
            options["n_resamples"] = max(n_resamples, least)
            differences = compare_many(y_score=models, reference=reference, **options)
        texts: dict[str, Any] = {"score_name": axis_name(score_func, score_func_params)}
        texts |= {
            "confidence_level": confidence_level,
            "pos_label": score_func_params.get("pos_label", 1),
        }
        return cls(estimates, differences=differences, chance=chance, **texts).plot(ax)

    def plot(self, ax: Axes | tuple[Axes, Axes] | None = None) -> Self:
        """Draw the scores and, if there are any, the differences.

        Parameters
        ----------
        ax : matplotlib Axes or pair of Axes, default=None
            Empty axes to draw on, two of them with `differences`; by default new ones,
            in a new figure. Text stands to the right of each of the axes: leave room
            there, or use ``layout="constrained"``.

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
        scores = self._score_rows()
        axes = self._axes(ax)
        self.ax_: Axes = axes[0]
        self.figure_: Figure = axes[0].figure.canvas.figure
        ends = f"with {round(100 * self.confidence_level, 6):g} % intervals"
        xlabel = f"{self.score_name}{self._positive_label()}\n{ends}"
        self.rows_: dict[str, ForestRow] = _draw_panel(
            self.ax_, scores, xlabel, self.chance
        )
        self.chance_line_: Line2D | None = (
            None if self.chance is None else self._draw_chance(self.chance)
        )
        self.difference_ax_: Axes | None = None
        self.difference_rows_: dict[str, ForestRow] | None = None
        if self.differences is not None:
            self.difference_ax_ = axes[1]
            self.difference_rows_ = self._draw_differences(axes[1], self.differences)
        return self

    def _score_rows(self) -> dict[str, _Numbers]:
        rows: dict[str, _Numbers] = {}
        for name, estimate in self.estimates.items():
            low, high = estimate.confidence_interval(self.confidence_level)
            value = float(estimate.score)
            ends = (
                "no interval"
                if np.isnan(low)
                else f"{rounded(low, 3)} to {rounded(high, 3)}"
            )
            rows[name] = value, low, high, f"{rounded(value, 3)}  ({ends})"
        return rows

    def _draw_differences(
        self, ax: Axes, differences: ManyComparisons
    ) -> dict[str, ForestRow]:
        """Draw the difference of each model to the reference."""
        ends = differences.confidence_interval(self.confidence_level)
        columns = zip(
            differences.pairs,
            differences.difference,
            *ends,
            differences.pvalue,
            strict=True,
        )
        (_, reference), *others = differences.pairs
        is_shared = all(pair[1] == reference for pair in others)
        rows: dict[str, _Numbers] = {}
        for pair, value, low, high, pvalue in columns:
            name = pair[0] if is_shared else " - ".join(pair)
            rows[name] = (
                float(value),
                float(low),
                float(high),
                _difference_text(value, pvalue),
            )
        to = (
            f"to {textwrap.shorten(str(reference), 50, placeholder='…')}"
            if is_shared
            else "of each pair"
        )
        xlabel = f"Difference in {in_sentence(self.score_name)}\n{to}{', adjusted' * (len(rows) > 1)}"
        ax.axvline(0, color=_GREY, linewidth=1.0, zorder=1)
        return _draw_panel(ax, rows, xlabel, 0.0)

    def _axes(self, ax: Axes | tuple[Axes, Axes] | None) -> list[Axes]:
        """Return the axes of the scores and, if there are any, of the differences."""
        plt, n_panels = import_pyplot(), 1 if self.differences is None else 2
        if ax is not None:
            axes = list(np.ravel(np.array(ax, dtype=object)))
            if len(axes) != n_panels or any(frame.has_data() for frame in axes):
                raise ValueError(
                    f"ax must be None or empty axes, {n_panels} of them; got {ax!r}."
                )
            return axes
        size = (
            7.0,
            n_panels * (1.35 + 0.43 * len(self.estimates)),
        )  # inches; two lines fit
        return list(
            plt.subplots(n_panels, squeeze=False, figsize=size, layout="constrained")[
                1
            ][:, 0]
        )

    def _draw_chance(self, chance: float) -> Line2D:
        line = self.ax_.axvline(
            chance, color=_GREY, linestyle=(0, (4, 3)), linewidth=1.0, zorder=1
        )
        look: Style = {
            "ha": "center",
            "va": "bottom",
            "fontsize": "small",
            "color": _GREY,
        }
        at: Style = {
            "xycoords": ("data", "axes fraction"),
            "xytext": (0, 3),
            "textcoords": "offset points",
        }
        self.ax_.annotate(f"chance {rounded(chance, 3)}", (chance, 1), **look, **at)
        return line


class _Queries(NamedTuple):
    """The queries with a defined score, from left to right, and the numbers in the
    labels.
    """

    query_id: list[QueryId]
    scores: dict[str, FloatArray]  # of each model
    means: dict[str, float]
    n_undefined: int

    @property
    def edges(self) -> FloatArray:
        """Left edges of the bars of the queries 1, 2, ..., and the right edge of the
        last bar.
        """
        return np.arange(0.5, len(self.query_id) + 1)

    def label(self, name: str) -> str:
        """Return the entry of a model in a legend."""
        return f"{name} (mean = {rounded(self.means[name], 3)})"


def _scores_by_model(
    scores: ScoreByQuery | Mapping[str, ScoreByQuery], name: str
) -> dict[str, ScoreByQuery]:
    """Return the scores of each model by query; all models need the same queries."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(
            f"scores must be a result of score_by_query that is not empty; got {scores!r}."
        )
    models: Any = (
        scores if isinstance(next(iter(scores.values())), Mapping) else {name: scores}
    )
    first, queries = next(iter(models.items()))
    for model, by_query in models.items():
        if unpaired := list(by_query.keys() ^ queries.keys()):
            raise ValueError(
                "scores must contain the same queries for every model; got "
                f"{unpaired[0]!r} for only one of {first!r} and {model!r}."
            )
    return dict(models)


def _sorted_queries(models: Mapping[str, ScoreByQuery], kind: QueryKind) -> _Queries:
    """Drop queries with an undefined score and sort the others for the picture."""
    query_id = list(next(iter(models.values())))
    rows = [[by_query[query] for query in query_id] for by_query in models.values()]
    scores = np.array(rows, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(scores).any(axis=0))
    if np.isinf(scores).any() or not defined.size:
        problem = (
            "an infinite score"
            if defined.size
            else "no query for which all models have one"
        )
        raise ValueError(
            f"scores must be finite, or NaN for some of the queries; got {problem}."
        )
    scores = scores[:, defined]
    # In a stable order, so that queries of equal scores stay in their own order.
    order = np.argsort(
        scores[0] - scores[-1] if kind == "difference" else -scores[0], kind="stable"
    )
    return _Queries(
        [query_id[index] for index in defined[order].tolist()],
        dict(zip(models, scores[:, order], strict=True)),
        {
            name: float(values.mean())
            for name, values in zip(models, scores, strict=True)
        },
        len(query_id) - defined.size,
    )


@dataclass(eq=False, repr=False)
class QueryDisplay(Display):
    """Sorted scores of each query with their mean, or differences of two models.

    The mean over queries hides which queries gain and which lose. For two models, each
    query is a bar: above zero where the second model has the higher score, below zero
    where the first one has. For one model, or with ``kind='values'``, the scores
    themselves are drawn. Create it by :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    scores : dict
        Result of :func:`score_by_query`: ``{query: score}``, or ``{name: {query:
        score}}`` for several models, which must have the same queries. NaN means that
        the score of a query is undefined.

    score_name : str, default='Score'
        Name of the score, for the axis label.

    name : str, default=None
        Name of a single model for the legend; by default "Scores".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, which the axis label shows unless it is 1.

    Attributes
    ----------
    query_id_ : list
        The queries that are drawn, from left to right.

    artists_ : dict
        The artist of each model by its name: a Line2D of its scores or, for a
        difference, a PolyCollection of the queries where this model has the higher
        score.

    mean_line_ : matplotlib Line2D or dict of Line2D
        The mean difference; or the mean score of each model by its name.

    ax_, figure_ : matplotlib Axes and Figure
        Axes with the queries, and their figure.

    See Also
    --------
    score_by_query : The numbers that are drawn.

    Notes
    -----
    The first queries in `query_id_` are the largest gains of the second model, and the
    last ones its largest losses. Differences of at most 1e-12 count as equal. Queries
    with an undefined score (NaN) are dropped from the picture and from the means, and
    the label of the x axis counts them.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical
       significance tests for information retrieval evaluation", CIKM 2007.
       :doi:`10.1145/1321440.1321528`

    Examples
    --------
    >>> from sklearn_ap import QueryDisplay
    >>> scores = {"old": {"cats": 1.0, "dogs": 0.5}, "new": {"cats": 1.0, "dogs": 1.0}}
    >>> display = QueryDisplay(scores).plot()
    >>> for artist in [*display.artists_.values(), display.mean_line_]:
    ...     print(artist.get_label())
    old (mean = 0.750) better: 0 queries
    new (mean = 1.000) better: 1 query
    Mean difference = +0.250
    """

    scores: ScoreByQuery | Mapping[str, ScoreByQuery]
    _: KW_ONLY
    score_name: str = "Score"
    name: str | None = None
    pos_label: Label | None = None

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        kind: QueryKind | None = None,
    ) -> Self:
        """Draw the queries.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. A legend that would
            cover something in each corner stands below them; a figure without a layout
            then gets the layout ``'tight'``.

        name : str, default=None
            Name of a single model for the legend; by default that of the display.

        kind : {'values', 'difference'}, default=None
            Kind of picture; by default ``'difference'`` for two models, else
            ``'values'``.

            - ``'values'``: the scores, sorted by the first model; a line for that
              model, dots for others.
            - ``'difference'``: the second model's scores minus the first's, sorted;
              only for two models.

        Returns
        -------
        display : QueryDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `scores` has no query with a score, models differ in their queries, a
            score is not a finite number or NaN, or `kind` is unknown or
            ``'difference'`` without two models.
        """
        models = _scores_by_model(self.scores, name or self.name or "Scores")
        kind = kind or ("difference" if len(models) == 2 else "values")
        check_option("kind", kind, get_args(QueryKind))
        if kind == "difference" and len(models) != 2:
            raise ValueError(
                f"kind='difference' requires two models; got {len(models)}. Use kind='values'."
            )
        queries = _sorted_queries(models, kind)
        self._draw_on(ax)
        is_shared, n_queries = self.ax_.has_data(), len(queries.query_id)
        self.query_id_: list[QueryId] = queries.query_id
        self.artists_: dict[str, Line2D | PolyCollection] = {}
        self.mean_line_: Line2D | dict[str, Line2D]
        xlabel = (
            f"Queries, sorted by {'difference' if kind == 'difference' else 'score'}"
        )
        if kind == "difference":
            ylabel, ylim = self._draw_difference(queries)
        else:
            ylabel, ylim = self._draw_values(queries)
            xlabel += f" of {next(iter(models))}" if len(models) > 1 else ""
        if queries.n_undefined:
            xlabel += f" ({queries.n_undefined} of {queries.n_undefined + n_queries} undefined, left out)"
        self.ax_.margins(x=0.02)
        self.ax_.set(xlabel=xlabel, ylabel=ylabel + self._positive_label(), ylim=ylim)
        if n_queries <= _MAX_NAMED and not is_shared:
            self._name_queries()
        else:
            self._use_whole_ticks()
        self._finish_axes()
        return self

    def _draw_values(self, queries: _Queries) -> tuple[str, tuple[float, float]]:
        """Draw the first model as steps and the others as dots, each with its mean."""
        n_queries = len(queries.query_id)
        means: dict[str, Line2D] = {}
        steps: Style = {"drawstyle": "steps-post", "linewidth": 1.8, "zorder": 2.5}
        dots: Style = {"linestyle": "none", "markeredgewidth": 0, "alpha": 0.7}
        dots = {
            **dots,
            "markersize": 6 * min(50 / n_queries, 1) ** 0.25,
        }  # many dots are small
        for number, (name, scores) in enumerate(queries.scores.items()):
            label = queries.label(name)
            if number:
                # Colours repeat after six models; the markers move on, so that no pair
                # repeats.
                marker = _MARKERS[(number + number // 6 - 1) % 6]
                places = np.arange(1, n_queries + 1)
                (line,) = self.ax_.plot(
                    places, scores, marker=marker, label=label, **dots
                )
            else:
                # The last value is drawn up to its right edge.
                heights = np.append(scores, scores[-1])
                (line,) = self.ax_.plot(queries.edges, heights, label=label, **steps)
            self.artists_[name] = line
            means[name] = self._draw_mean(
                queries, queries.means[name], color=line.get_color()
            )
        self.mean_line_ = means
        low, high = self.ax_.dataLim.intervaly  # of all displays on these axes
        return self.score_name, (min(low, 0) - 0.02, max(high, 1) + 0.02)

    def _draw_mean(self, queries: _Queries, mean: float, **style: Any) -> Line2D:
        style = {"linestyle": (0, (6, 3)), "linewidth": 1.2, "zorder": 2.6, **style}
        return self.ax_.plot(queries.edges[[0, -1]], [mean, mean], **style)[0]

    def _draw_difference(self, queries: _Queries) -> tuple[str, tuple[float, float]]:
        """Draw the gains and losses of the second model as bars in two colours, with
        equal scores between.
        """
        (first, a), (second, b) = queries.scores.items()
        difference, edges = b - a, queries.edges
        ink = self.ax_.spines[
            "left"
        ].get_edgecolor()  # dark on light axes, light on dark ones
        n_gains = int(np.count_nonzero(difference > EQUAL))
        n_losses = int(np.count_nonzero(difference < -EQUAL))
        parts = (
            (first, BLUE, a.size - n_losses, a.size),
            (second, VERMILION, 0, n_gains),
        )
        for name, colour, start, stop in parts:
            bars = difference[start:stop]
            label = f"{queries.label(name)} better: {_count_text(bars.size)}"
            look: Style = {
                "step": "post",
                "color": colour,
                "linewidth": 0,
                "label": label,
            }
            # Not `stairs`, which takes 70 times as long to draw 100,000 bars.
            artist = self.ax_.fill_between(
                edges[start : stop + 1], np.append(bars, bars[-1:]), **look
            )
            self.artists_[name] = artist
        equal = f"Equal: {_count_text(a.size - n_gains - n_losses)}"
        self.ax_.plot(
            edges[[0, -1]], [0, 0], color=ink, linestyle="-", linewidth=0.8, label=equal
        )
        mean = queries.means[second] - queries.means[first]
        text = (
            f"{'+' if mean > 0 else '-'}{rounded(abs(mean), 3)}"
            if abs(mean) > EQUAL
            else rounded(0.0, 3)
        )
        self.mean_line_ = self._draw_mean(
            queries, mean, color=ink, label=f"Mean difference = {text}"
        )
        low, high = min(0.0, difference.min()), max(0.0, difference.max())
        margin = 0.05 * (high - low) or 0.05
        return f"Difference in {in_sentence(self.score_name)}", (
            low - margin,
            high + margin,
        )

    def _name_queries(self) -> None:
        """Write the names of the queries below the axis, rotated if they are long."""
        names = [name[:_MAX_NAME_LETTERS] for name in map(str, self.query_id_)]
        rotated: Style = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        self.ax_.set_xticks(
            range(1, len(names) + 1),
            names,
            **(rotated if sum(map(len, names)) > 50 else {}),
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        query_id: ArrayLike,
        score_func: str | ScoreFunction = average_precision_score,
        name: str | None = None,
        kind: QueryKind | None = None,
        ax: Axes | None = None,
        **score_func_params: Any,
    ) -> Self:
        """Score each query and draw the scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping contains the scores of one
            model per name.

        query_id : array-like of shape (n_samples,)
            Query of each sample, in any row order.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or a function with the same arguments.

        name, kind, ax : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : additional arguments
            Other arguments of `score_func`, such as ``k=10``, `sample_weight`,
            `n_positives` or `zero_division`. With ``zero_division=np.nan``, queries
            without positives are dropped.

        Returns
        -------
        display : QueryDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If a query has no positive and ``zero_division='warn'``; then it is drawn at
            0.

        Raises
        ------
        TypeError
            If `score_func` does not take `query_id` and `average`.
        ValueError
            For what `score_func` refuses; if `kind` is unknown or ``'difference'``
            without two models.

        Examples
        --------
        >>> from sklearn_ap import QueryDisplay, precision_at_k_score
        >>> display = QueryDisplay.from_predictions(
        ...     [1, 0, 0, 1],
        ...     [0.9, 0.8, 0.7, 0.6],
        ...     query_id=["cats", "cats", "dogs", "dogs"],
        ...     score_func=precision_at_k_score,
        ...     k=1,
        ...     name="BM25",
        ... )
        >>> display.artists_["BM25"].get_label(), display.ax_.get_ylabel()
        ('BM25 (mean = 0.500)', 'Precision@1')
        """
        import_pyplot()
        scores = score_by_query(
            score_func, y_true, y_score, query_id=query_id, **score_func_params
        )
        score_name, positive = (
            axis_name(score_func, score_func_params),
            score_func_params.get("pos_label", 1),
        )
        display = cls(scores, score_name=score_name, name=name, pos_label=positive)
        return display.plot(ax, kind=kind)


def _count_text(n_queries: int) -> str:
    return "1 query" if n_queries == 1 else f"{n_queries} queries"
