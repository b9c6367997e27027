"""The precision-recall curve, drawn so that the area below it is the average precision in its legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._api import curve_in
from .._areas._area import CurvePoints, Path
from .._areas._davis_goadrich import DAVIS_GOADRICH
from .._curves import ends_of_recalls
from .._definition import Definition
from .._operating_points import OperatingPoint
from .._public import NO_POSITIVES, warn_user
from .._reading._options import check_option, is_real, read_flag
from .._registry import FAMILY
from .._typing import DrawnArea, Estimator, Features, FloatArray, Label, ResponseMethod, Totals
from ._bands import GivenBand, Resampling, draw_band, precision_band, read_band
from ._figure import (
    CHANCE_STYLE,
    MARKERS,
    CurveDisplay,
    CurveStyles,
    Style,
    add_legend,
    labels_of,
    lighter,
    mean_and_deviation,
    one_or_all,
    rounded,
    style_of,
    styles_of,
)
from ._input import GivenRows, one_each, points_of, rows_of_estimator, rows_of_folds, shares_of

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_N_POINTS = 200  # of a line of equal F-beta, which bends
# What is drawn, by the spelling of the argument `area`: whole rankings, and the eleven points.
AREAS: dict[str, Definition] = {
    number.definition.name: number.definition
    for number in FAMILY
    if number.definition.area.path is not None
    and number.definition.cut is None
    and number.definition.grid in (None, 11)
}


class DrawnRanking(NamedTuple):
    """What a display needs of one ranking."""

    points: CurvePoints
    values: dict[str, float]
    prevalence: float  # share of positives among the ranked rows: the precision of random scores


def areas_of(n_positives: Totals | None) -> list[str]:
    """Return the areas that are defined; with missed positives, an area that joins points is not."""
    return [name for name, one in AREAS.items() if n_positives is None or one.area.counts_missed]


def check_area(area: str, n_positives: Totals | None) -> None:
    """Refuse an unknown area, and `n_positives` with an area whose score does not take it."""
    check_option("area", area, AREAS)
    accepted = areas_of(n_positives)
    if area not in accepted:
        raise ValueError(
            f"n_positives goes with the areas {', '.join(map(repr, accepted))}; got area={area!r}, which "
            "would join points to positives that were missed."
        )


def label_axes(ax: Axes, positive: str, margin: float = 0.01) -> None:
    """Name the axes and set their limits, as scikit-learn's display does.

    Unlike there, the axes need not be square: a square leaves part of the figure empty, and the legend then
    hides the curves.
    """
    limits = (-margin, 1 + margin)
    ax.set(xlabel=f"Recall{positive}", ylabel=f"Precision{positive}", xlim=limits, ylim=limits)


def paths_of(name: str, curves: Sequence[CurvePoints]) -> list[Path]:
    """Return the path of each curve; refuse points that do not determine their path."""
    one = AREAS[name]
    for curve in curves:
        precision = curve.precision[:-1]  # without the closing point
        # Davis-Goadrich needs the number of samples at each point, and a precision of 0 does not give it.
        unknown = precision.any() and not precision.all()
        if one.area is DAVIS_GOADRICH and curve.detected is None and unknown:
            raise ValueError(
                f"detected must be given for {name!r} if the highest scores have no positive: a precision "
                "of 0 does not show how many samples they have. Pass hit_curve(y_true, y_score)[0][::-1], or "
                "use from_predictions."
            )
    return [one.path_of(curve) for curve in curves]


def drawn_ranking(rows: GivenRows, areas: Sequence[str], drop_intermediate: bool = False) -> DrawnRanking:
    """Return the operating points of one ranking, and its areas.

    Points between two others of one recall are on every path, upright between these, and may be dropped.
    """
    ranking, (_, tp, retrieved) = curve_in(rows.read(), rows.n_positives)
    of, n_samples = ranking.n_positives[0], ranking.n_samples[0]
    if of == 0:
        warn_user(NO_POSITIVES)
    # As in scikit-learn's curves, recall is 1 without positives, and a closing point (0, 1) is added.
    recall = tp / of if of else np.ones(tp.size)
    kept = ends_of_recalls(tp) if read_flag("drop_intermediate", drop_intermediate) else slice(None)
    points = (one[kept] for one in (tp / retrieved, recall, retrieved / n_samples))
    return DrawnRanking(
        CurvePoints(*(np.append(one, end) for one, end in zip(points, (1.0, 0.0, 0.0), strict=True))),
        {area: float(AREAS[area].of(ranking)[0]) for area in areas},
        float(tp[0] / n_samples),
    )


@dataclass(eq=False, repr=False)
class AveragePrecisionDisplay(CurveDisplay):
    """Precision-recall curve, drawn so that the area below it is the average precision in its legend.

    Create it by :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`. With every
    supported scikit-learn it takes the arguments of :class:`sklearn.metrics.PrecisionRecallDisplay` of the
    newest one. For eleven points, the average precision is the mean height of the dots.

    .. versionadded:: 0.1

    Parameters
    ----------
    precision : ndarray of shape (n_thresholds + 1,) or list of ndarray
        Precision at each threshold and at the closing point, as
        :func:`sklearn.metrics.precision_recall_curve` returns it; a list for several curves.

    recall : ndarray of shape (n_thresholds + 1,) or list of ndarray
        Recall at the same points, falling to 0.

    area : {'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'}, default='step'
        Which average precision is shown. It decides how the operating points are joined.

        - ``'step'``: steps, as in scikit-learn (:func:`average_precision_score`).
        - ``'interpolated'``: steps of the best precision at each recall or beyond
          (:func:`interpolated_average_precision_score`).
        - ``'eleven-point'``: the same steps in a lighter colour, with dots at the eleven recall levels
          (:func:`eleven_point_average_precision_score`).
        - ``'linear'``: straight lines from recall 0 and precision 1 (:func:`pr_auc_score`).
        - ``'davis-goadrich'``: curves along which true and false positives grow in proportion
          (:func:`pr_auc_score`).

    average_precision : float or list of float, default=None
        Value for the legend, one per curve; None shows no value.

    name : str or list of str, default=None
        Name for the legend; a list needs a list of `curve_kwargs`.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis labels.

    prevalence_pos_label : float or list of float, default=None
        Share of the positive class in the total weight: the height of the chance level.

    detected : ndarray of shape (n_thresholds + 1,) or list of ndarray, default=None
        Share of all samples at or above each threshold: ``hit_curve(y_true, y_score)[0][::-1]``; with
        weights, of their weight. Only ``'davis-goadrich'`` needs it, and only if no positive has the highest
        score.

    band : tuple (recall, low, high, confidence_level), default=None
        Ends of a pointwise band of precision at fixed recall, as `plot_band` of the methods ``from_...``
        computes it; only for one curve.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of Line2D
        The curve, or the curves. With eleven points, the dots are the markers of the line.

    chance_level_ : matplotlib Line2D, list of Line2D or None
        The chance level of each curve; None if it is not drawn.

    band_ : matplotlib PolyCollection or None
        The band around the curve; None if it is not drawn.

    marks_ : list of matplotlib Line2D
        The operating points that :meth:`mark` has drawn.

    iso_f_lines_ : list of matplotlib Line2D
        The lines of equal F-beta that :meth:`plot_iso_f` has drawn.

    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    See Also
    --------
    AveragePrecisionComparisonDisplay : All areas of one ranking.
    HitCurveDisplay : Hits against samples retrieved.
    sklearn.metrics.PrecisionRecallDisplay : The curve of ``area='step'``.

    Notes
    -----
    scikit-learn's end point (recall 0, precision 1) is drawn only for steps, where it adds no area, and for
    straight lines, where it does [1]_. The chance level, unlike scikit-learn's, counts `sample_weight`.

    The band of ``plot_band=True`` holds the percentiles of the precision of bootstrap samples at each of 101
    recalls [2]_. It is pointwise: it holds the true precision at one recall with this confidence, and the
    whole curve with less. A bootstrap draws no rows that the sample lacks, so the ends are at least those of
    Clopper and Pearson [3]_, for the positives and negatives that are retrieved there: without a negative
    among 15 positives, precision may still be 0.78. At both ends of the curve, other samples may have no
    positive. Of P positives, this is so where :math:`(1 - r)^P`, or :math:`r^P`, is above half of the risk:
    at such small recalls r the band ends at 1, and at such large ones at the precision of all rows. With 15
    positives and 95 %, these are recalls below 0.22 and above 0.78, with 1,000 below 0.004 and above 0.996.
    Weights are sampling weights, and missed positives are drawn like rows. Where a sample does not reach a
    recall, its precision there is 0. Folds have no band: pool their scores,
    ``cross_val_predict(..., method="predict_proba")[:, 1]``.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006.
       :doi:`10.1145/1143844.1143874`
    .. [2] `scikit-learn issue 25856 <https://github.com/scikit-learn/scikit-learn/issues/25856>`_
    .. [3] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of
       the binomial", Biometrika 26, 1934. :doi:`10.1093/biomet/26.4.404`

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> display = AveragePrecisionDisplay.from_predictions(y_true, y_score, area="eleven-point", name="kNN")
    >>> display.line_.get_label()
    'kNN (eleven-point AP = 0.84)'
    """

    precision: ArrayLike
    recall: ArrayLike
    _: KW_ONLY
    area: DrawnArea = "step"
    average_precision: float | Sequence[float] | None = None
    name: str | Sequence[str] | None = None
    pos_label: Label | None = None
    prevalence_pos_label: float | Sequence[float] | None = None
    detected: ArrayLike | None = None
    band: GivenBand | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        drop_intermediate: bool = False,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
    ) -> Self:
        """Draw the curve of given scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels; any labels if `pos_label` is given.

        y_score : array-like of shape (n_samples,)
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        area : {'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'}, default='step'
            Which average precision is shown; see the class.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative; the curve, its value and the chance level count them.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking. `n_positives` may
            be a mapping from this query to its total.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight). Objects that were
            never detected and documents that were never retrieved count too. With `query_id`, a mapping or
            pandas Series may hold the total of the query. By default, the positives among the samples.

        drop_intermediate : bool, default=False
            Whether to drop each point that lies between two others of the same recall, as scikit-learn does.
            Neither the line nor its value moves, but the line is shorter to store and to draw.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        name : str, default=None
            Name for the legend; by default ``'Classifier'``.

        ax, curve_kwargs, plot_chance_level, chance_level_kw, plot_band, band_kwargs, despine : optional
            How it is drawn; see :meth:`plot`.

        confidence_level : float, default=0.95
            Confidence of the band, above 0 and below 1.

        unit_id : array-like of shape (n_samples,), default=None
            Unit of each row, such as the patient of an image: the bootstrap draws whole units. By default,
            rows are the units.

        n_resamples : int, default=1999
            Number of bootstrap samples of the band, at least 20 / (1 - confidence_level).

        random_state : int, RandomState, Generator or None, default=None
            Seed of the bootstrap samples; an int gives the same band in each call.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If there is no positive; then recall is 1 at all thresholds, as in scikit-learn.

        Raises
        ------
        ValueError
            If `area` is unknown; and for the labels, scores and weights that :func:`hit_curve` refuses.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
        >>> display.line_.get_label()
        'Classifier (step AP = 0.83)'
        """
        check_area(area, n_positives)
        rows = GivenRows(y_true, y_score, pos_label, sample_weight, query_id, n_positives).gathered()
        band = Resampling(confidence_level, n_resamples, random_state, unit_id) if plot_band else None
        return cls._of_rows([rows], area, drop_intermediate, name or "Classifier", band).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            plot_band=plot_band,
            band_kwargs=band_kwargs,
            despine=despine,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        drop_intermediate: bool = False,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
    ) -> Self:
        """Draw the curve of a fitted classifier on data.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. Outlier
            detectors score inliers high; with ``pos_label=-1`` their negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Their labels.

        area, sample_weight, query_id, n_positives, drop_intermediate : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        name : str, default=None
            Name for the legend; by default that of the estimator's class.

        ax, curve_kwargs, plot_chance_level, chance_level_kw, plot_band, band_kwargs, despine : optional
            As for :meth:`from_predictions`.

        confidence_level, unit_id, n_resamples, random_state : optional
            As for :meth:`from_predictions`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator is not a binary classifier, or does not know `pos_label` or a class of `y`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = AveragePrecisionDisplay.from_estimator(model, X[1::2], y[1::2])
        >>> display.line_.get_label()
        'GaussianNB (step AP = 0.99)'
        """
        check_area(area, n_positives)
        rows = rows_of_estimator(estimator, X, y, response_method, pos_label)
        rows = rows._replace(sample_weight=sample_weight, query_id=query_id, n_positives=n_positives)
        band = Resampling(confidence_level, n_resamples, random_state, unit_id) if plot_band else None
        return cls._of_rows([rows], area, drop_intermediate, name or type(estimator).__name__, band).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            plot_band=plot_band,
            band_kwargs=band_kwargs,
            despine=despine,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLike | None = None,
        drop_intermediate: bool = True,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: CurveStyles = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw one curve per fold of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            The result of ``cross_validate(..., return_estimator=True, return_indices=True)``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input that was cross-validated.

        y : array-like of shape (n_samples,)
            Their labels.

        area, sample_weight : optional
            As for :meth:`from_predictions`.

        n_positives : array-like of shape (n_folds,), default=None
            Total number of positives of each fold (with weights, their total weight), found or not. By
            default, the positives in `y`.

        drop_intermediate : bool, default=True
            As for :meth:`from_predictions`.

        response_method, pos_label : optional
            As for :meth:`from_estimator`.

        name, ax, curve_kwargs, plot_chance_level, chance_level_kwargs, despine : optional
            How the folds are drawn; see :meth:`plot`, where `chance_level_kwargs` is `chance_level_kw`. Both
            names are those of :class:`sklearn.metrics.PrecisionRecallDisplay`, so that it can be replaced.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If a fold has no positive; then its recall is 1 at all thresholds, as in scikit-learn.

        Raises
        ------
        ValueError
            If `cv_results` lacks the estimators or the indices, or was made with other data; and for what
            :meth:`from_estimator` refuses.

        See Also
        --------
        sklearn.model_selection.cross_validate : Returns `cv_results`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> display = AveragePrecisionDisplay.from_cv_results(results, X, y, name="GaussianNB")
        >>> len(display.line_), display.line_[0].get_label()
        (5, 'GaussianNB (step AP = 0.99 +/- 0.00)')
        """
        check_area(area, n_positives)
        folds = rows_of_folds(
            cv_results, X, y, response_method, pos_label, sample_weight=sample_weight, n_positives=n_positives
        )
        return cls._of_rows(folds, area, drop_intermediate, name).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def _of_rows(
        cls,
        several: list[GivenRows],
        area: DrawnArea,
        drop_intermediate: bool,
        name: str | Sequence[str] | None,
        band: Resampling | None = None,
    ) -> Self:
        """Return a display of one or several rankings; `plot` has not been called yet."""
        drawn = [drawn_ranking(rows, [area], drop_intermediate) for rows in several]
        return cls(
            one_or_all([one.points.precision for one in drawn]),
            one_or_all([one.points.recall for one in drawn]),
            detected=one_or_all([one.points.detected for one in drawn]),
            average_precision=one_or_all([one.values[area] for one in drawn]),
            prevalence_pos_label=one_or_all([one.prevalence for one in drawn]),
            area=area,
            name=name,
            pos_label=several[-1].positive,
            band=None if band is None else precision_band(several[0], area, band),
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: CurveStyles = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. Empty axes get colours and line styles that
            people with any colour vision can tell apart, also in black and white.

        name : str or list of str, default=None
            Name for the legend; by default that of the display.

        curve_kwargs : dict or list of dict, default=None
            Arguments of matplotlib's `plot`. With a list, one dict per curve, each curve has its own legend
            entry. Otherwise several curves share one, with the mean and the standard deviation.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives, the precision of random scores.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the chance level.

        plot_band : bool, default=False
            Whether to draw the band, which a display has from `band` or from ``plot_band=True`` in a method
            ``from_...``.

        band_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.fill_between` for the band.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `area` is unknown, the lists differ in length, there are several names but one style,
            `prevalence_pos_label` is missing for the chance level, or there is no band to draw.
        """
        check_option("area", self.area, AREAS)
        curves = points_of(self.precision, self.recall, self.detected)
        prevalences = one_each("prevalence_pos_label", self.prevalence_pos_label, len(curves))
        if prevalences is not None:
            shares_of("prevalence_pos_label", prevalences, (len(curves),), "a number for each curve")
        if plot_chance_level and prevalences is None:
            raise ValueError(
                "prevalence_pos_label must be given to draw the chance level; the methods from_... set it."
            )
        band = read_band(self.band, len(curves)) if plot_band else None
        values = one_each("average_precision", self.average_precision, len(curves))
        shown = self.name if name is None else name
        metric = AREAS[self.area].legend
        notes = [f"{metric} = {rounded(value)}" for value in values or ()]
        together = f"{metric} = {mean_and_deviation(values)}" if values else None
        labels = labels_of(shown, curve_kwargs, len(curves), notes, together)
        styles = styles_of(curve_kwargs, len(curves))
        paths = paths_of(self.area, curves)
        self._draw_on(ax)
        drawn = zip(paths, styles, labels, strict=True)
        lines = [self._draw_path(path, style, label) for path, style, label in drawn]
        self._take(lines, None if band is None else draw_band(self.ax_, lines[0], band, band_kwargs))
        # Wider margins for the eleven points: dots at recall 0 and 1 must not be cut at the frame.
        label_axes(self.ax_, self._of_class(), margin=0.02 if self.area == "eleven-point" else 0.01)
        self.chance_level_: Line2D | list[Line2D] | None = None
        if plot_chance_level and prevalences is not None:
            levels = list(zip(prevalences, (float(curve.recall[0]) for curve in curves), strict=True))
            self.chance_level_ = self._draw_chance_levels(levels, chance_level_kw)
        if despine:
            self._remove_spines()
        self.iso_f_lines_: list[Line2D] = []
        self._add_legend()
        return self

    def plot_iso_f(self, levels: Sequence[float] = (0.2, 0.4, 0.6, 0.8), *, beta: float = 1.0) -> Self:
        r"""Draw lines on which all points have the same F-beta, with the value beside each line.

        .. math::
            F_\beta = \frac{(1 + \beta^2) \, p \, r}{\beta^2 p + r}

        F-beta judges one threshold. The lines show which threshold of a curve is the best by F-beta, and what
        average precision, which judges all thresholds, is made of.

        Parameters
        ----------
        levels : array-like of shape (n_lines,), default=(0.2, 0.4, 0.6, 0.8)
            Values of F-beta, between 0 and 1.

        beta : float, default=1.0
            How many times more recall counts than precision, as in :func:`sklearn.metrics.fbeta_score`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If a level is not between 0 and 1, `beta` is not above 0, or the display is not drawn yet.

        See Also
        --------
        mark : Mark an operating point.
        sklearn.metrics.fbeta_score : F-beta of one threshold.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
        >>> recall, precision = display.plot_iso_f([0.8]).iso_f_lines_[0].get_data()
        >>> (2 * precision * recall / (precision + recall)).round(12)[[0, 100, -1]]
        array([0.8, 0.8, 0.8])
        """
        self._check_drawn("plot_iso_f")
        if not (is_real(beta) and 0 < beta < np.inf):
            raise ValueError(f"beta must be a number above 0; got {beta!r}.")
        asked = list(levels) if isinstance(levels, Iterable) else []
        if not asked or not all(is_real(level) and 0 < level < 1 for level in asked):
            raise ValueError(f"levels must be numbers between 0 and 1; got {levels!r}.")
        for level in asked:
            recall, precision = _iso_f_path(float(level), float(beta))
            self.iso_f_lines_ += self.ax_.plot(
                recall, precision, color="0.6", linestyle="-", linewidth=0.8, zorder=1
            )
            # Beside the frame, where it hides no curve.
            self.ax_.annotate(
                f"F{beta:g} = {rounded(level)}",
                (1.01, precision[-1]),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize="x-small",
                color="0.45",
                annotation_clip=False,
            )
        return self

    def _draw_path(self, path: Path, given: Style, label: str | None) -> Line2D:
        """Draw one curve; the curve of the eleven points is lighter than its dots."""
        defaults: dict[str, Any] = {"drawstyle": path.drawstyle, "label": label}
        if path.dots:
            defaults.update(markevery=list(path.dots))
        (line,) = self.ax_.plot(path.recall, path.precision, **{**defaults, **given})
        if path.dots:
            colour = line.get_color()
            if "marker" not in given:
                line.set_marker(MARKERS.get(str(colour), "o"))
            if not {"markerfacecolor", "markeredgecolor"} & set(given):
                line.set(markerfacecolor=colour, markeredgecolor=colour)
            line.set_color(lighter(colour))
        return line

    def _draw_chance_levels(
        self, levels: list[tuple[float, float]], given: Style | None
    ) -> Line2D | list[Line2D]:
        """Draw the share of positives up to the recall of each curve; all levels share one legend entry.

        If positives were missed, random scores also end at the recall of all rows. Their AP is the area below
        the level, which is then smaller than the share.
        """
        areas = [share * end for share, end in levels]
        defaults = {**CHANCE_STYLE, "alpha": 0.5} if len(levels) > 1 else CHANCE_STYLE
        value = mean_and_deviation(areas) if len(levels) > 1 else rounded(areas[0])
        style = style_of("line", given, **defaults)
        label = style.pop("label", f"Chance level (AP = {value})")
        known = self.ax_.get_legend_handles_labels()[1]  # an earlier display may have drawn the same
        lines = [self.ax_.plot((0, end), (share, share), **style)[0] for share, end in levels]
        if label not in known:
            lines[0].set_label(label)
        drawn: Line2D | list[Line2D] = one_or_all(lines)
        return drawn

    def _place_of(self, point: OperatingPoint) -> tuple[Line2D, float, float, str]:
        line = self.line_[0] if isinstance(self.line_, list) else self.line_
        text = f"precision {rounded(point.precision)}, recall {rounded(point.recall)}"
        return (line, point.recall, point.precision, text)

    def _add_legend(self) -> None:
        add_legend(self.ax_, self.average_precision)


def _iso_f_path(level: float, beta: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision along a line of equal F-beta, from precision 1 to recall 1.

    F = (1 + b^2) p r / (b^2 p + r). With the ratio q = p / r this is r = F (b^2 q + 1) / ((1 + b^2) q).
    Points at equal steps of log q are dense at both ends, where the line bends.
    """
    square = beta**2
    least_recall = square * level / (1 + square - level)
    least_precision = level / (1 + square - square * level)
    ratio = np.geomspace(1 / least_recall, least_precision, _N_POINTS)
    recall = level * (square * ratio + 1) / ((1 + square) * ratio)
    return np.minimum(recall, 1.0), np.minimum(ratio * recall, 1.0)
