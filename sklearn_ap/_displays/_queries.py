"""Scores of each query: of one model, of several models, or the differences of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._points._by_query import score_by_query
from .._reading._options import check_option
from .._rounding import EQUAL
from .._scores._average_precision import average_precision_score
from .._typing import FloatArray, Label, QueryKind, ScoreByQuery, ScoreFunction
from ._figure import BLUE, VERMILION, Display, Style, add_legend, import_pyplot, rounded, whole_ticks
from ._input import axis_name, within_sentence

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


_MAX_NAMED = 20  # the names of more queries would overlap
_MAX_NAME_LETTERS = 24  # of a name below the axis
_RASTERISED = 2_000  # as vectors, more dots make a file that is slow to open
_MARKERS = "s^Dvpo"  # of the second model, the third, and so on


class _Queries(NamedTuple):
    """The queries with a defined score, from left to right, and the numbers in the labels."""

    query_id: list[Any]
    scores: dict[str, FloatArray]  # of each model
    means: dict[str, float]
    n_undefined: int


def _scores_by_model(scores: ScoreByQuery | Mapping[str, ScoreByQuery], name: str) -> dict[str, ScoreByQuery]:
    """Return the scores of each model by query; all models need the same queries."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(f"scores must be a result of score_by_query that is not empty; got {scores!r}.")
    is_nested = isinstance(next(iter(scores.values())), Mapping)
    models: dict[str, Any] = dict(scores) if is_nested else {name: scores}
    first, queries = next(iter(models.items()))
    for model, by_query in models.items():
        if not by_query:
            raise ValueError(
                f"scores must contain at least one query for every model; got {{}} for {model!r}."
            )
        unpaired = list(by_query.keys() ^ queries.keys())
        if unpaired:
            raise ValueError(
                "scores must contain the same queries for every model; got "
                f"{unpaired[0]!r} for only one of {first!r} and {model!r}."
            )
    return models


def _read_kind(kind: QueryKind | None, n_models: int) -> QueryKind:
    """Return the kind of picture for a number of models."""
    if kind is None:
        return "difference" if n_models == 2 else "values"
    check_option("kind", kind, get_args(QueryKind))
    if kind == "difference" and n_models != 2:
        raise ValueError(f"kind='difference' requires two models; got {n_models}. Use kind='values'.")
    return kind


def _sorted_queries(models: Mapping[str, ScoreByQuery], kind: QueryKind) -> _Queries:
    """Drop queries with an undefined score and sort the others for the picture."""
    query_id = list(next(iter(models.values())))
    rows = [[by_query[query] for query in query_id] for by_query in models.values()]
    scores = np.array(rows, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(scores).any(axis=0))
    if np.isinf(scores).any() or not defined.size:
        problem = "an infinite score" if defined.size else "NaN or infinite scores for all of them"
        raise ValueError(f"scores must be finite, or NaN for some of the queries; got {problem}.")
    scores = scores[:, defined]
    # In a stable order, so that queries of equal scores stay in their own order.
    order = np.argsort(scores[0] - scores[-1] if kind == "difference" else -scores[0], kind="stable")
    return _Queries(
        [query_id[index] for index in defined[order].tolist()],
        dict(zip(models, scores[:, order], strict=True)),
        {name: float(values.mean()) for name, values in zip(models, scores, strict=True)},
        len(query_id) - defined.size,
    )


@dataclass(eq=False, repr=False)
class QueryDisplay(Display):
    """Sorted scores of each query with their mean; for two models the differences, with wins and losses.

    The mean over queries hides which queries gain and which lose. For two models, each query is a bar: above
    zero where the second model has the higher score, below zero where the first one has. For one model, or
    with ``kind='values'``, the scores themselves are drawn. Create it by :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    scores : dict
        Result of :func:`score_by_query`: ``{query: score}``, or ``{name: {query: score}}`` for several
        models, which must have the same queries. NaN means that the score of a query is undefined.

    score_name : str, default='Score'
        Name of the score, for the axis label.

    name : str, default=None
        Name of a single model for the legend; by default "Scores".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    Attributes
    ----------
    query_id_ : list
        The queries that are drawn, from left to right.

    artists_ : dict
        The artist of each model by its name: a Line2D of its scores or, for a difference, a PolyCollection
        of the queries where this model has the higher score.

    mean_line_ : matplotlib Line2D or dict of Line2D
        The mean difference; or the mean score of each model by its name.

    ax_, figure_ : matplotlib Axes and Figure
        Axes with the queries, and their figure.

    See Also
    --------
    score_by_query : The numbers that are drawn.

    Notes
    -----
    The first queries in `query_id_` are the largest gains of the second model, and the last ones its largest
    losses. Differences of at most 1e-12 count as equal. Queries with an undefined score (NaN) are dropped
    from the picture and from the means, and the label of the x axis counts them.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance tests for
       information retrieval evaluation", CIKM 2007. :doi:`10.1145/1321440.1321528`

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
        despine: bool = False,
    ) -> Self:
        """Draw the queries.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        name : str, default=None
            Name of a single model for the legend; by default that of the display.

        kind : {'values', 'difference'}, default=None
            Kind of picture; by default ``'difference'`` for two models, else ``'values'``.

            - ``'values'``: the scores, sorted by the first model; a line for that model, dots for others.
            - ``'difference'``: the second model's scores minus the first's, sorted; only for two models.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : QueryDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `scores` has no query with a score, models differ in their queries, a score is not a finite
            number or NaN, or `kind` is unknown or ``'difference'`` without two models.
        """
        models = _scores_by_model(self.scores, name or self.name or "Scores")
        kind = _read_kind(kind, len(models))
        queries = _sorted_queries(models, kind)
        self._draw_on(ax)
        shared = self.ax_.has_data()
        self.query_id_: list[Any] = queries.query_id
        self.artists_: dict[str, Line2D | PolyCollection] = {}
        self.mean_line_: Line2D | dict[str, Line2D]
        if kind == "difference":
            self._draw_difference(queries)
        else:
            self._draw_values(queries)
        self._label_queries(queries, kind)
        if len(queries.query_id) <= _MAX_NAMED and not shared:
            self._name_queries()
        else:
            self._number_queries()
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    def _draw_values(self, queries: _Queries) -> None:
        """Draw the first model as steps and the others as dots, each with its mean."""
        edges = _edges(len(queries.query_id))
        means: dict[str, Line2D] = {}
        for number, (name, scores) in enumerate(queries.scores.items()):
            label = f"{name} (mean = {rounded(queries.means[name], 3)})"
            if number:
                # Colours repeat after six models; the markers move on, so that no pair repeats.
                line = self._draw_dots(scores, label, _MARKERS[(number + number // 6 - 1) % 6])
            else:
                # The last value is drawn up to its right edge.
                steps = np.append(scores, scores[-1])
                (line,) = self.ax_.plot(
                    edges, steps, drawstyle="steps-post", linewidth=1.8, label=label, zorder=2.5
                )
            self.artists_[name] = line
            means[name] = self._draw_mean(edges, queries.means[name], color=line.get_color())
        self.mean_line_ = means
        low, high = self.ax_.dataLim.intervaly  # of all displays on these axes
        ylim = min(low, 0) - 0.02, max(high, 1) + 0.02
        self.ax_.set(ylabel=self.score_name + self._positive_label(), ylim=ylim)
        # The first model falls from left to right.
        add_legend(self.ax_, "upper right" if np.mean(list(queries.means.values())) < 0.4 else "lower left")

    def _draw_dots(self, scores: FloatArray, label: str, marker: str) -> Line2D:
        """Draw one dot per query; many dots are small."""
        n_queries = scores.size
        size = 6 * min(50 / n_queries, 1) ** 0.25
        look: Style = {"linestyle": "none", "markersize": size, "markeredgewidth": 0, "alpha": 0.7}
        look = {**look, "marker": marker, "label": label, "rasterized": n_queries > _RASTERISED}
        return self.ax_.plot(np.arange(1, n_queries + 1), scores, **look)[0]

    def _draw_mean(self, edges: FloatArray, mean: float, **style: Any) -> Line2D:
        style = {"linestyle": (0, (6, 3)), "linewidth": 1.2, "zorder": 2.6, **style}
        return self.ax_.plot(edges[[0, -1]], [mean, mean], **style)[0]

    def _draw_difference(self, queries: _Queries) -> None:
        """Draw the gains and losses of the second model as bars in two colours, with equal scores between."""
        (first, a), (second, b) = queries.scores.items()
        difference, edges = b - a, _edges(a.size)
        ink = self.ax_.spines["left"].get_edgecolor()  # dark on light axes, light on dark ones
        n_gains = int(np.count_nonzero(difference > EQUAL))
        n_losses = int(np.count_nonzero(difference < -EQUAL))
        losses, gains = slice(a.size - n_losses, a.size), slice(0, n_gains)
        for name, colour, part in ((first, BLUE, losses), (second, VERMILION, gains)):
            bars = difference[part]
            label = f"{name} (mean = {rounded(queries.means[name], 3)}) better: {_count_text(bars.size)}"
            ends, heights = edges[part.start : part.stop + 1], np.append(bars, bars[-1:])
            # Not `stairs`, which takes 70 times as long to draw 100,000 bars.
            self.artists_[name] = self.ax_.fill_between(
                ends, heights, step="post", color=colour, linewidth=0, label=label
            )
            self.artists_[name].set_rasterized(a.size > _RASTERISED)
        equal = f"Equal: {_count_text(a.size - n_gains - n_losses)}"
        self.ax_.plot(edges[[0, -1]], [0, 0], color=ink, linestyle="-", linewidth=0.8, label=equal)
        mean = queries.means[second] - queries.means[first]
        sign = "+" if mean > EQUAL else "-" if mean < -EQUAL else ""
        label = f"Mean difference = {sign}{rounded(abs(mean) if sign else 0.0, 3)}"
        self.mean_line_ = self._draw_mean(edges, mean, color=ink, label=label)
        low, high = min(0.0, difference.min()), max(0.0, difference.max())
        margin = 0.05 * (high - low) or 0.05
        ylabel = f"Difference in {within_sentence(self.score_name)}{self._positive_label()}"
        self.ax_.set(ylabel=ylabel, ylim=(low - margin, high + margin))
        add_legend(self.ax_, "upper right")  # sorted bars leave this corner free

    def _label_queries(self, queries: _Queries, kind: QueryKind) -> None:
        n_queries = len(queries.query_id)
        label = "Queries, sorted by difference" if kind == "difference" else "Queries, sorted by score"
        if kind == "values" and len(queries.scores) > 1:
            label += f" of {next(iter(queries.scores))}"
        if queries.n_undefined:
            label += f" ({queries.n_undefined} of {queries.n_undefined + n_queries} undefined, left out)"
        left, right = self.ax_.dataLim.intervalx  # of all displays on these axes
        margin = 0.02 * (right - left)
        self.ax_.set(xlabel=label, xlim=(left - margin, right + margin))

    def _name_queries(self) -> None:
        """Write the names of the queries below the axis, rotated if they are long."""
        names = [
            name if len(name) <= _MAX_NAME_LETTERS else f"{name[: _MAX_NAME_LETTERS - 1]}…"
            for name in map(str, self.query_id_)
        ]
        rotated: Style = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        self.ax_.set_xticks(range(1, len(names) + 1), names, **(rotated if sum(map(len, names)) > 50 else {}))

    def _number_queries(self) -> None:
        """Write numbers below the axis, also where an earlier display has written other names."""
        from matplotlib.ticker import ScalarFormatter  # noqa: PLC0415  # optional

        whole_ticks(self.ax_)
        self.ax_.xaxis.set_major_formatter(ScalarFormatter())

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
        despine: bool = False,
        **score_func_params: Any,
    ) -> Self:
        """Score each query and draw the scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping contains the scores of one model per name.

        query_id : array-like of shape (n_samples,)
            Query of each sample, in any row order.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or a function with the same arguments.

        name, kind, ax, despine : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : additional arguments
            Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `n_positives` or
            `zero_division`. With ``zero_division=np.nan``, queries without positives are dropped.

        Returns
        -------
        display : QueryDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If a query has no positive and ``zero_division='warn'``; then it is drawn at 0.

        Raises
        ------
        TypeError
            If `score_func` does not take `query_id` and `average`.
        ValueError
            For what `score_func` refuses; if `kind` is unknown or ``'difference'`` without two models.

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
        ('BM25 (mean = 0.500)', 'Precision@1 (Positive label: 1)')
        """
        import_pyplot()
        scores = score_by_query(score_func, y_true, y_score, query_id=query_id, **score_func_params)
        pos_label = score_func_params.get("pos_label")
        positive = 1 if pos_label is None else pos_label
        score_name = axis_name(score_func, score_func_params)
        display = cls(scores, score_name=score_name, name=name, pos_label=positive)
        return display.plot(ax, kind=kind, despine=despine)


def _edges(n_queries: int) -> FloatArray:
    """Return the left edges of the bars of the queries 1, 2, ..., and the right edge of the last bar."""
    return np.arange(0.5, n_queries + 1)


def _count_text(n_queries: int) -> str:
    return "1 query" if n_queries == 1 else f"{n_queries} queries"
