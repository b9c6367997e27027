"""The scores of several models with their intervals, one below the other, and differences to one of them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._reading._options import is_real
from .._reading._values import gathered, on_host
from .._registry import score_of
from .._rounding import EQUAL
from .._scores._average_precision import average_precision_score
from .._typing import EstimateMethod, Estimator, Features, Label, ResponseMethod, ScoreFunction
from .._uncertainty._chance import chance_level
from .._uncertainty._comparisons import compare_scores
from .._uncertainty._estimates import estimate_score
from .._uncertainty._many import ManyComparisons, compare_many
from .._uncertainty._results import ScoreComparison, ScoreEstimate, read_confidence_level
from ._figure import BLUE, Display, import_pyplot, rounded
from ._input import GivenRows, name_of_score, rows_of_models, within_sentence

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text


_GREY = "0.4"
_LETTERS = 26  # of a line with the name of a model
_INCHES = (1.35, 0.26, 0.17)  # of height: around the rows, between rows, and of each line of a name


class _Row(NamedTuple):
    """One row of a picture."""

    name: str
    value: float | None  # None of the reference, which is not compared with itself
    low: float
    high: float
    text: str


def _draw_rows(
    ax: Axes, rows: list[_Row]
) -> tuple[dict[str, Line2D], dict[str, Line2D | None], dict[str, Text]]:
    """Draw the point, the interval and the text of each row, the first one at the top."""
    points: dict[str, Line2D] = {}
    intervals: dict[str, Line2D | None] = {}
    texts: dict[str, Text] = {}
    for place, row in enumerate(rows):
        if row.value is not None:
            intervals[row.name] = None
            if np.isfinite([row.low, row.high]).all():
                (line,) = ax.plot([row.low, row.high], [place, place], color=BLUE, linestyle="-", linewidth=2)
                intervals[row.name] = line
            (points[row.name],) = ax.plot(
                [row.value], [place], color=BLUE, linestyle="none", marker="o", markersize=7, zorder=3
            )
        # Beside the frame, where it covers no interval.
        texts[row.name] = ax.annotate(
            row.text,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=_GREY if row.value is None else ax.xaxis.label.get_color(),
            annotation_clip=False,
        )
    return points, intervals, texts


def _frame(ax: Axes, rows: list[_Row], line: float | None, *, of_differences: bool, are_named: bool) -> None:
    """Set the limits so that everything shows, and perhaps name the rows beside the axis, without ticks."""
    ends = np.array([line, *(one for row in rows for one in row[1:4])], dtype=np.float64)  # None is NaN
    shown = ends[np.isfinite(ends)]
    low, high = float(shown.min()), float(shown.max())
    margin = 0.07 * (high - low) or 0.05
    limits = low - margin, high + margin
    if not of_differences and low >= 0 and high <= 1:  # no room where no share is
        limits = max(limits[0], -0.02), min(limits[1], 1.02)
    ax.set(xlim=limits, ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), [_in_two_lines(row.name) if are_named else "" for row in rows])
    ax.tick_params(axis="y", length=0)


def _in_two_lines(name: str) -> str:
    """Break a long name into two lines, and shorten what does not fit there."""
    return "\n".join(textwrap.wrap(str(name), _LETTERS, max_lines=2, placeholder="…"))


def _signed(value: float) -> str:
    """Return a difference with as many decimals as its score has, or with two digits if it is tiny."""
    if abs(value) <= EQUAL:
        return "0.000"
    return f"{value:+.3f}" if abs(value) >= 0.0005 else f"{value:+.2g}"


def _row_of_difference(name: str, value: float, low: float, high: float, pvalue: float) -> _Row:
    return _Row(name, value, low, high, f"{_signed(value)}  ({_p_text(pvalue)})")


def _p_text(pvalue: float) -> str:
    if np.isnan(pvalue):
        return "no p-value"
    return "p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}" if pvalue < 0.1 else f"p = {pvalue:.2f}"


# Arguments with which a random ranking has another mean than `chance_level` says.
_CHANGES = ("query_id", "n_positives", "prevalence")


@dataclass(eq=False, repr=False)
class ScoreEstimateDisplay(Display):
    """Scores of several models with their intervals, as a forest picture [1]_: one row per model.

    Each row has a point, an interval, and both as text. A dashed line shows the mean score of a random
    ranking. With a reference, a second picture shows the differences to that model, which are far more
    precise than the scores: the same rows are easy or hard for both models. Create a display by
    :meth:`from_predictions` or :meth:`from_estimator`.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimates : dict of ScoreEstimate
        What :func:`estimate_score` returns, by the name of the model. Names are drawn in this order.

    differences : dict of ScoreComparison or ManyComparisons, default=None
        What :func:`compare_scores` returns for a model and the reference, by the name of the model; or what
        :func:`compare_many` returns.

    reference : str, default=None
        Name of the model that the others are compared with. Needed with `differences`, unless these are of
        all pairs.

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
        The same of the differences; None without them. The reference has only a text. Without a reference,
        they are named by pairs, as in "A - B".

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
    Two intervals that overlap do not say that two models are alike. The differences answer that question,
    since they use that both models saw the same rows. If several models are compared with the reference,
    intervals and p-values of differences hold for all of them at once (:func:`compare_many`): an interval
    that does not cross the line of 0 is a difference that holds.

    An interval that the sample does not tell is left out, and the text says so: of one positive, or of a
    score of exactly 0 or 1.

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
    0.416  (0.220 to 0.643)
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
        """Score each model, and draw the scores with their intervals.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.

        y_score : array-like of shape (n_samples,) or mapping
            Scores; the highest is retrieved first. A mapping holds the scores of one model per name.

        score_func : str or callable, default=average_precision_score
            A score of this package, its name, or any function of labels and scores, as for
            :func:`estimate_score`.

        reference : str, default=None
            Name of a model. A second picture shows the difference of each other model to it, with the
            interval and the p-value of :func:`compare_scores`; of several others, those of
            :func:`compare_many`, which hold together. None draws no differences.

        chance : bool or float, default=None
            Whether to draw the mean score of a random ranking. By default, where :func:`chance_level` knows
            it: for :func:`average_precision_score` of one ranking of equal weights. A float is the level of
            any other score.

        confidence_level : float, default=0.95
            Confidence of the intervals, above 0 and below 1.

        method, unit_id, n_resamples, random_state : optional
            Where the intervals come from, as for :func:`estimate_score`. Differences have no ``'bca'``.
            Intervals that hold together are found by random draws: a `random_state` makes them the same.

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
            model; if `chance` is True for a score whose chance level is not known.

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
        if isinstance(y_score, Mapping) and not y_score:
            raise ValueError(f"y_score must hold the scores of a model; got {y_score!r}.")
        models = y_score if isinstance(y_score, Mapping) else {name or "Scores": y_score}
        return cls._of_rows(
            GivenRows(y_true, models, score_func_params.get("pos_label")),
            score_func=score_func,
            reference=reference,
            chance=chance,
            confidence_level=confidence_level,
            method=method,
            unit_id=unit_id,
            n_resamples=n_resamples,
            random_state=random_state,
            **score_func_params,
        ).plot(ax, despine=despine)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator | Mapping[str, Estimator],
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
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
        """Rank the samples by an estimator or by several, and draw the scores with their intervals.

        Parameters
        ----------
        estimator : estimator or mapping
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. A mapping
            holds one estimator per name. Outlier detectors score inliers high; with ``pos_label=-1`` their
            negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank, which no estimator was fitted on.

        y : array-like of shape (n_samples,)
            Their labels.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        score_func, reference, chance, confidence_level, method, unit_id, n_resamples, random_state : optional
            As for :meth:`from_predictions`.

        name : str, default=None
            Name of a single estimator; by default that of its class.

        ax, despine : optional
            How it is drawn; see :meth:`plot`.

        **score_func_params : optional
            As for :meth:`from_predictions`.

        Returns
        -------
        display : ScoreEstimateDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For what :meth:`from_predictions` refuses; for an estimator of more than two classes, or
            of two without 1 if `pos_label` is missing.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import ScoreEstimateDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = ScoreEstimateDisplay.from_estimator(model, X[1::2], y[1::2])
        >>> display.texts_["GaussianNB"].get_text()
        '0.991  (0.980 to 0.996)'
        """
        return cls._of_rows(
            rows_of_models(estimator, X, y, response_method, pos_label, name=name),
            score_func=score_func,
            reference=reference,
            chance=chance,
            confidence_level=confidence_level,
            method=method,
            unit_id=unit_id,
            n_resamples=n_resamples,
            random_state=random_state,
            **score_func_params,
        ).plot(ax, despine=despine)

    @classmethod
    def _of_rows(
        cls,
        rows: GivenRows,
        *,
        score_func: str | ScoreFunction,
        reference: str | None,
        chance: bool | float | None,
        confidence_level: float,
        **options: Any,
    ) -> Self:
        """Return a display of the scores of models; `plot` has not been called yet."""
        if reference is not None and reference not in rows.y_score:
            raise ValueError(f"reference must be None or one of {list(rows.y_score)}; got {reference!r}.")
        read_confidence_level(confidence_level)
        if rows.pos_label is not None:
            options["pos_label"] = rows.pos_label
        options = gathered(y_true=rows.y_true, y_score=rows.y_score, **options)
        y_true, scores = options.pop("y_true"), options.pop("y_score")
        level = _chance_of(chance, score_func, y_true, options)
        estimates = {name: estimate_score(score_func, y_true, of, **options) for name, of in scores.items()}
        differences = None
        if reference is not None:
            asked = {"score_func": score_func, "y_true": y_true, **options}
            differences = _differences_to(reference, scores, confidence_level, asked)
        return cls(
            estimates,
            differences=differences,
            reference=reference,
            chance=level,
            score_name=name_of_score(score_func, options),
            confidence_level=confidence_level,
            pos_label=rows.positive,
        )

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
            If `estimates` holds no estimate or an estimate of several scores, `differences` are not those of
            the other models to the `reference`, or `ax` is not empty or not as many axes as pictures.
        """
        import_pyplot()
        self._check()
        scores = self._score_rows()
        differences = None if self.differences is None else self._difference_rows(self.differences)
        axes = self._axes(ax, [scores, differences or []])
        self.ax_: Axes = axes[0]
        self.figure_: Figure | SubFigure = axes[0].figure
        self.points_: dict[str, Line2D]
        self.intervals_: dict[str, Line2D | None]
        self.texts_: dict[str, Text]
        self.points_, self.intervals_, self.texts_ = _draw_rows(self.ax_, scores)
        if self.reference is not None:  # hollow, as nothing is claimed of its difference
            self.points_[self.reference].set_markerfacecolor("w")
        chance = self.chance if plot_chance else None
        self.chance_line_: Line2D | None = None if chance is None else self._draw_chance(chance)
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        level = f"{round(100 * self.confidence_level, 6):g} %"
        self.ax_.set_xlabel(f"{self.score_name}{positive}\nwith {level} intervals")
        _frame(self.ax_, scores, chance, of_differences=False, are_named=True)
        self.difference_ax_: Axes | None = None
        self.difference_points_: dict[str, Line2D] | None = None
        self.difference_intervals_: dict[str, Line2D | None] | None = None
        self.difference_texts_: dict[str, Text] | None = None
        if differences is not None:
            self.difference_ax_ = axes[1]
            drawn = _draw_rows(axes[1], differences)
            self.difference_points_, self.difference_intervals_, self.difference_texts_ = drawn
            axes[1].axvline(0, color=_GREY, linewidth=1.0, zorder=1)
            axes[1].set_xlabel(f"Difference in {within_sentence(self.score_name)}\n{self._compared()}")
            _frame(axes[1], differences, 0.0, of_differences=True, are_named=self.reference is None)
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
        if isinstance(self.differences, ManyComparisons):
            pairs = self.differences.pairs
            known = {one for pair in pairs for one in pair} <= set(names) and self.differences.labels is None
            if known and (self.reference is None or set(pairs) == {(one, self.reference) for one in others}):
                return
        elif len(others) < len(names) and set(self.differences) == set(others):
            return
        given = self.differences
        found = given.pairs if isinstance(given, ManyComparisons) else list(given)
        raise ValueError(
            "differences must map the name of each model but the reference to what compare_scores returns, "
            f"or be what compare_many returns for these models, once per pair; got {found} for {names}, "
            f"reference={self.reference!r}."
        )

    def _compared(self) -> str:
        """Return what the differences are to, and whether they hold together."""
        if self.reference is None:
            return "of all pairs, adjusted"
        to = _in_two_lines(str(self.reference)).replace("\n", " ")
        return f"to {to}{', adjusted' if isinstance(self.differences, ManyComparisons) else ''}"

    def _score_rows(self) -> list[_Row]:
        rows = []
        for name, estimate in self.estimates.items():
            low, high = estimate.confidence_interval(self.confidence_level)
            value = float(estimate.score)
            ends = "no interval" if np.isnan(low) else f"{rounded(low, 3)} to {rounded(high, 3)}"
            rows.append(_Row(name, value, low, high, f"{rounded(value, 3)}  ({ends})"))
        return rows

    def _difference_rows(self, differences: Mapping[str, ScoreComparison] | ManyComparisons) -> list[_Row]:
        level, rows = self.confidence_level, {}
        if isinstance(differences, ManyComparisons):
            low, high = differences.confidence_interval(level)
            for i, (first, second) in enumerate(differences.pairs):
                name = f"{first} - {second}" if self.reference is None else first
                row = differences.difference[i], low[i], high[i], differences.pvalue[i]
                rows[name] = _row_of_difference(name, *map(float, row))
        else:
            for name, one in differences.items():
                ends = one.confidence_interval(level)
                rows[name] = _row_of_difference(name, float(one.difference), *ends, one.pvalue)
        if self.reference is None:
            return list(rows.values())
        nothing = _Row(self.reference, None, np.nan, np.nan, "reference")
        return [rows.get(name, nothing) for name in self.estimates]

    def _axes(self, ax: Any, pictures: list[list[_Row]]) -> list[Axes]:
        """Return the axes of each picture."""
        n_pictures = 1 if self.differences is None else 2
        if ax is None:
            around, between, line = _INCHES
            lines = [sum(1 + _in_two_lines(row.name).count("\n") for row in rows) for rows in pictures]
            height = around + max(
                between * len(rows) + line * n for rows, n in zip(pictures, lines, strict=True)
            )
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

    def _draw_chance(self, chance: float) -> Line2D:
        line = self.ax_.axvline(chance, color=_GREY, linestyle=(0, (4, 3)), linewidth=1.0, zorder=1)
        self.ax_.annotate(
            f"chance {rounded(chance, 3)}",
            (chance, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize="small",
            color=_GREY,
        )
        return line


def _differences_to(
    reference: str,
    scores: Mapping[str, ArrayLike],
    confidence_level: float,
    options: dict[str, Any],
) -> Mapping[str, ScoreComparison] | ManyComparisons:
    """Compare each other model with the reference; several of them at once."""
    others = [name for name in scores if name != reference]
    if len(others) < 2 or options["method"] == "bca":  # which is refused there
        to = scores[reference]
        return {name: compare_scores(y_score_a=scores[name], y_score_b=to, **options) for name in others}
    method = "bootstrap" if options["method"] == "percentile" else options["method"]
    n_resamples = max(options["n_resamples"], ceil(20 / (1 - confidence_level)))
    changed = {"method": method, "n_resamples": n_resamples}
    return compare_many(y_score=scores, reference=reference, **options | changed)


def _chance_of(
    chance: bool | float | None,
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    params: Mapping[str, Any],
) -> float | None:
    """Return where the line of a random ranking stands, if there is one."""
    if chance is False:
        return None
    if is_real(chance) and np.isfinite(chance):
        return float(chance)
    if chance is not None and chance is not True:
        raise ValueError(f"chance must be None, True, False or a number; got {chance!r}.")
    if score_of(score_func, params) is not average_precision_score or not _is_one_ranking(y_true, params):
        if chance:
            raise ValueError(
                "chance=True needs average_precision_score of binary labels and equal weights, without "
                "query_id, n_positives and prevalence; pass the chance level of this score as a number, or "
                "chance=False."
            )
        return None
    known = {one: params[one] for one in ("sample_weight", "pos_label") if one in params}
    return float(chance_level(y_true, **known).mean)


def _is_one_ranking(y_true: ArrayLike, params: Mapping[str, Any]) -> bool:
    """Whether `chance_level` knows the mean of random rankings."""
    labels = np.asarray(on_host("y_true", y_true))
    if labels.ndim != 1 or np.unique(labels).size > 2 or any(params.get(one) is not None for one in _CHANGES):
        return False
    weight = params.get("sample_weight")
    return weight is None or np.unique(np.append(0.0, on_host("sample_weight", weight))).size <= 2
