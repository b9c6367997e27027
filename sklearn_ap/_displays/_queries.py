"""Scores query by query: of one model, of two that are compared, or of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._by_query import score_by_query
from .._reading._options import check_option
from .._rounding import EQUAL
from .._scores._average_precision import average_precision_score
from .._typing import (
    Estimator,
    Features,
    FloatArray,
    Label,
    QueryKind,
    ResponseMethod,
    ScoreByQuery,
    ScoreFunction,
)
from ._figure import (
    BLUE,
    MARKERS,
    VERMILION,
    Display,
    add_legend,
    import_pyplot,
    rounded,
    whole_ticks,
)
from ._input import name_of_score, rows_of_models, within_sentence

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


class Queries(NamedTuple):
    """The queries with a value, from left to right, and what the picture says about them."""

    query_id: list[Any]
    values: dict[str, FloatArray]  # of each model
    means: dict[str, float]
    left_out: int


def models_of(scores: ScoreByQuery | Mapping[str, ScoreByQuery], name: str) -> dict[str, dict[Any, float]]:
    """Return the scores of each model by query; all models need the same queries."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(f"scores must be what score_by_query returns, not empty; got {scores!r}.")
    several = [isinstance(one, Mapping) for one in scores.values()]
    if any(several) and not all(several):
        raise ValueError("scores must map queries to numbers, or names to such mappings; got both.")
    models: dict[str, Any] = dict(scores) if several[0] else {name: scores}
    first, queries = next(iter(models.items()))
    if not queries:
        raise ValueError(f"scores must hold a query of {first!r}; got {scores!r}.")
    for other, of_query in models.items():
        unpaired = [
            query for query in {**queries, **of_query} if query not in queries or query not in of_query
        ]
        if unpaired:
            raise ValueError(
                f"scores must hold the same queries for every model; got {unpaired[0]!r} for only one of "
                f"{first!r} and {other!r}."
            )
    return models


def picture_of(kind: QueryKind | None, n_models: int) -> QueryKind:
    """Return what is drawn of so many models."""
    if kind is None:
        return "difference" if n_models == 2 else "values"
    check_option("kind", kind, get_args(QueryKind))
    if kind == "difference" and n_models != 2:
        raise ValueError(f"kind='difference' needs two models; got {n_models}. Use kind='values'.")
    return kind


def queries_of(models: Mapping[str, Mapping[Any, float]], kind: QueryKind) -> Queries:
    """Leave out queries with an undefined score, and sort the others for the picture."""
    query_id = list(next(iter(models.values())))
    given = np.array([[of_query[one] for one in query_id] for of_query in models.values()], dtype=np.float64)
    for name, infinite in zip(models, np.isinf(given), strict=True):
        if infinite.any():
            value = models[name][query_id[int(infinite.argmax())]]
            raise ValueError(f"scores must be finite numbers or NaN; got {value} of {name!r}.")
    defined = np.flatnonzero(~np.isnan(given).any(axis=0))
    if not defined.size:
        raise ValueError("scores must hold a query whose score is defined; all of them are NaN.")
    values = given[:, defined]
    # In a stable order, so that queries of equal scores stay in their own order.
    order = np.argsort(values[0] - values[-1] if kind == "difference" else -values[0], kind="stable")
    return Queries(
        [query_id[place] for place in defined[order].tolist()],
        dict(zip(models, values[:, order], strict=True)),
        {name: float(one.mean()) for name, one in zip(models, values, strict=True)},
        len(query_id) - defined.size,
    )


_NAMED = 20  # the names of more queries would overlap
_LONGEST = 24  # characters of a name below the axis
_RASTERISED = 2_000  # as vectors, more dots make a file that is slow to open
_DOTS = ((50, 6.0, 0.8), (500, 4.0, 0.7), (_RASTERISED, 2.5, 0.6), (20_000, 1.5, 0.3), (np.inf, 1.0, 0.1))


@dataclass(eq=False, repr=False)
class QueryDisplay(Display):
    """Scores query by query: sorted, with their mean; of two models the differences, with wins and losses.

    The mean over queries hides which queries gain and which lose. For two models, each query is a bar: above
    zero where the second model has the higher score, below zero where the first one has. For one model, or
    with ``kind='values'``, the scores themselves are drawn. Create it by :meth:`from_predictions` or
    :meth:`from_estimator`.

    .. versionadded:: 0.1

    Parameters
    ----------
    scores : dict
        What :func:`score_by_query` returns: ``{query: score}``, or ``{name: {query: score}}`` for several
        models, which need the same queries. NaN means that the score of a query is undefined.

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
        What is drawn of each model by its name: a Line2D of its scores or, for a difference, a PolyCollection
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
    The bars of a difference are sorted: the first queries in `query_id_` are the largest gains of the second
    model, and the last ones its largest losses. Differences of at most 1e-12 count as equal, since two sums
    of the same value may be rounded differently. Queries with an undefined score (NaN) are left out of the
    picture and of the means, and the label of the x axis counts them.

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
            Axes to draw on; by default new ones, in a new figure. Empty axes get colours and line styles that
            people with any colour vision can tell apart, also in black and white.

        name : str, default=None
            Name of a single model for the legend; by default that of the display.

        kind : {'values', 'difference'}, default=None
            What is drawn; by default ``'difference'`` for two models, else ``'values'``.

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
        models = models_of(self.scores, name or self.name or "Scores")
        kind = picture_of(kind, len(models))
        drawn = queries_of(models, kind)
        self._draw_on(ax)
        shared = self.ax_.has_data()
        self.query_id_: list[Any] = drawn.query_id
        self.artists_: dict[str, Line2D | PolyCollection] = {}
        self.mean_line_: Line2D | dict[str, Line2D]
        if kind == "difference":
            self._draw_difference(drawn)
        else:
            self._draw_values(drawn)
        self._label_queries(drawn, kind)
        self._name_queries(named=len(drawn.query_id) <= _NAMED and not shared, alone=ax is None)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    def _draw_values(self, drawn: Queries) -> None:
        """Draw the first model as steps and the others as dots, each with its mean."""
        edges = _edges(len(drawn.query_id))
        means: dict[str, Line2D] = {}
        for name, values in drawn.values.items():
            label = f"{name} (mean = {rounded(drawn.means[name], 3)})"
            if not self.artists_:
                # The last value is drawn up to its right edge.
                steps = np.append(values, values[-1])
                (line,) = self.ax_.plot(
                    edges, steps, drawstyle="steps-post", linewidth=1.8, label=label, zorder=2.5
                )
            else:
                line = self._draw_dots(values, label)
            self.artists_[name] = line
            means[name] = self._draw_mean(edges, drawn.means[name], color=line.get_color())
        self.mean_line_ = means
        low, high = self.ax_.dataLim.intervaly  # of all displays on these axes
        self.ax_.set(
            ylabel=self.score_name + self._of_class(),
            ylim=(min(low, 0) - 0.02, max(high, 1) + 0.02),
        )
        add_legend(self.ax_, list(drawn.means.values()))
        _enlarge_dots(self.ax_)

    def _draw_dots(self, values: FloatArray, label: str) -> Line2D:
        """Draw one dot per query: the more there are, the smaller and the more transparent."""
        size, alpha = next(style for limit, *style in _DOTS if values.size <= limit)
        x = np.arange(1, values.size + 1)
        (line,) = self.ax_.plot(x, values, linestyle="none", markersize=size, alpha=alpha, label=label)
        line.set_marker(MARKERS.get(str(line.get_color()), "o"))
        line.set(markeredgewidth=0, rasterized=x.size > _RASTERISED)
        return line

    def _draw_mean(self, edges: FloatArray, mean: float, **style: Any) -> Line2D:
        style = {"linestyle": (0, (6, 3)), "linewidth": 1.2, "zorder": 2.6, **style}
        (line,) = self.ax_.plot(edges[[0, -1]], [mean, mean], **style)
        return line

    def _draw_difference(self, drawn: Queries) -> None:
        """Draw gains and losses of the second model as bars of two colours; equal scores lie between them."""
        (first, a), (second, b) = drawn.values.items()
        difference = b - a
        n_queries = difference.size
        edges = _edges(n_queries)
        gains = int(np.count_nonzero(difference > EQUAL))
        losses = int(np.count_nonzero(difference < -EQUAL))
        worst, best = (
            (first, BLUE, slice(n_queries - losses, n_queries)),
            (second, VERMILION, slice(0, gains)),
        )
        for name, colour, part in (worst, best):
            bars = difference[part]
            label = f"{name} (mean = {rounded(drawn.means[name], 3)}) better: {_n_queries_text(bars.size)}"
            ends = edges[part.start : part.stop + 1]
            # Not `stairs`, which takes 70 times as long to draw 100,000 bars.
            self.artists_[name] = self.ax_.fill_between(
                ends, np.append(bars, bars[-1:]), step="post", color=colour, linewidth=0, label=label
            )
            self.artists_[name].set_rasterized(n_queries > _RASTERISED)
        equal = f"Equal: {_n_queries_text(n_queries - gains - losses)}"
        self.ax_.plot(edges[[0, -1]], [0, 0], color="k", linestyle="-", linewidth=0.8, label=equal)
        mean = drawn.means[second] - drawn.means[first]
        self.mean_line_ = self._draw_mean(
            edges, mean, color="k", label=f"Mean difference = {_with_sign(mean)}"
        )
        low, high = min(0.0, difference.min()), max(0.0, difference.max())
        margin = 0.05 * (high - low) or 0.05
        label = f"Difference in {within_sentence(self.score_name)}"
        self.ax_.set(ylabel=label + self._of_class(), ylim=(low - margin, high + margin))
        self.ax_.legend(loc="upper right", framealpha=0.9)  # sorted bars leave this corner free

    def _label_queries(self, drawn: Queries, kind: QueryKind) -> None:
        n_queries, n_models = len(drawn.query_id), len(drawn.values)
        sorted_by = "difference" if kind == "difference" else "score"
        if kind == "values" and n_models > 1:
            sorted_by += f" of {next(iter(drawn.values))}"
        label = f"Queries, sorted by {sorted_by}"
        if drawn.left_out:
            label += f" ({drawn.left_out} of {drawn.left_out + n_queries} undefined, left out)"
        left, right = self.ax_.dataLim.intervalx  # of all displays on these axes
        margin = 0.02 * (right - left)
        self.ax_.set(xlabel=label, xlim=(left - margin, right + margin))

    def _name_queries(self, *, named: bool, alone: bool) -> None:
        """Write the names of few queries below the axis, and numbers below many."""
        from matplotlib.ticker import ScalarFormatter  # noqa: PLC0415  # optional

        if not named:
            # An earlier display may have named its queries, which need not be those of this one.
            whole_ticks(self.ax_)
            self.ax_.xaxis.set_major_formatter(ScalarFormatter())
            return
        names = [_short_name(str(one)) for one in self.query_id_]
        upright = sum(map(len, names)) <= 50
        turned: dict[str, Any] = {} if upright else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        self.ax_.set_xticks(np.arange(1, len(names) + 1), names, **turned)
        if turned and alone:  # else the frame of the figure would cut the names
            self.ax_.figure.set(layout_engine="constrained")

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
        **score_func_params: object,
    ) -> Self:
        """Score each query, and draw the scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping holds the scores of one model per name.

        query_id : array-like of shape (n_samples,)
            Query of each sample, in any row order.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or a function with the same arguments.

        name, kind, ax, despine : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : additional arguments
            Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `n_positives` or
            `zero_division`. With ``zero_division=np.nan``, queries without positives are left out.

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
        if isinstance(y_score, Mapping):
            picture_of(kind, len(y_score))  # before many queries are scored
        scores = score_by_query(score_func, y_true, y_score, query_id=query_id, **score_func_params)
        positive: Any = score_func_params.get("pos_label", 1)
        display = cls(
            scores, score_name=name_of_score(score_func, score_func_params), name=name, pos_label=positive
        )
        return display.plot(ax, kind=kind, despine=despine)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator | Mapping[str, Estimator],
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        query_id: ArrayLike,
        score_func: str | ScoreFunction = average_precision_score,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        kind: QueryKind | None = None,
        ax: Axes | None = None,
        despine: bool = False,
        **score_func_params: object,
    ) -> Self:
        """Rank the samples by an estimator or by several, score each query, and draw the scores.

        For a ranker, pass what it predicts to :meth:`from_predictions`.

        Parameters
        ----------
        estimator : estimator or mapping
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. A mapping
            holds one estimator per name. Outlier detectors score inliers high; with ``pos_label=-1`` their
            negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Their labels.

        query_id, score_func : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        name : str, default=None
            Name of a single estimator for the legend; by default that of its class.

        kind, ax, despine : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : optional
            As for :meth:`from_predictions`.

        Returns
        -------
        display : QueryDisplay
            The display, drawn.

        Raises
        ------
        TypeError
            If `score_func` does not take `query_id` and `average`.
        ValueError
            For what `score_func` refuses; for an estimator of more than two classes, or of two
            without 1 if `pos_label` is missing; if `kind` is unknown or ``'difference'`` without two models.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import QueryDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> ward = ["north", "south"] * 142
        >>> display = QueryDisplay.from_estimator(model, X[1::2], y[1::2], query_id=ward)
        >>> display.query_id_
        ['south', 'north']
        """
        rows = rows_of_models(estimator, X, y, response_method, pos_label, name=name)
        if rows.pos_label is not None:
            score_func_params["pos_label"] = rows.pos_label
        display = cls(
            score_by_query(score_func, rows.y_true, rows.y_score, query_id=query_id, **score_func_params),
            score_name=name_of_score(score_func, score_func_params),
            pos_label=rows.positive,
        )
        return display.plot(ax, kind=kind, despine=despine)


def _enlarge_dots(ax: Axes) -> None:
    """Show the dots of many queries in the legend like those of few, which can be seen."""
    from matplotlib.lines import Line2D  # noqa: PLC0415  # optional

    legend = ax.get_legend()
    for handle in [] if legend is None else legend.legend_handles:
        if isinstance(handle, Line2D) and handle.get_linestyle() == "None":
            handle.set(markersize=_DOTS[0][1], alpha=1)


def _edges(n_queries: int) -> FloatArray:
    """Return where the bars of the queries 1, 2, ... begin, and where the last one ends."""
    return np.arange(0.5, n_queries + 1)


def _with_sign(mean: float) -> str:
    sign = "+" if mean > EQUAL else "-" if mean < -EQUAL else ""
    return sign + rounded(abs(mean) if sign else 0.0, 3)


def _n_queries_text(n_queries: int) -> str:
    return "1 query" if n_queries == 1 else f"{n_queries} queries"


def _short_name(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
