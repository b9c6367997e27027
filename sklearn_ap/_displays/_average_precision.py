"""The precision-recall curve, drawn so that the area below it is the average precision in its legend."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._operating_points import OperatingPoint
from .._reading._options import check_option
from .._typing import DrawnArea, Estimator, Features, Label, ResponseMethod, Totals
from ._areas import AREAS, DrawnRanking, check_area, drawn_ranking, paths_of, ranked_folds
from ._bands import GivenBand, Resampling, draw_band, precision_band, read_band
from ._figure import (
    CurveStyles,
    Style,
    add_legend,
    axes_for,
    check_drawn,
    check_point,
    draw_chance_levels,
    draw_iso_f,
    draw_mark,
    draw_path,
    import_pyplot,
    label_axes,
    label_of,
    labels_of,
    listed_curves,
    one_each,
    one_or_all,
    remove_spines,
    rounded,
    styles_of,
)
from ._input import GivenRows, binary_response, points_of, share_each

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D


class AveragePrecisionDisplay:
    """Precision-recall curve, drawn so that the area below it is the average precision in its legend.

    Create it by :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`. It takes the
    arguments of :class:`sklearn.metrics.PrecisionRecallDisplay`, except `drop_intermediate`, with every
    supported scikit-learn. For eleven points, the average precision is the mean height of the dots.

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

    ax_ : matplotlib Axes
        Axes with the curve.

    figure_ : matplotlib Figure
        Figure with the axes.

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
    whole curve with less. It is too narrow where hardly any negative is ranked so high: a band of width 0 at
    precision 1 says that the sample holds no negative there, not that the precision is known. Weights are
    sampling weights, and missed positives are drawn like rows. Where a sample does not reach a recall, its
    precision there is 0. Folds have no band: pool their scores,
    ``cross_val_predict(..., method="predict_proba")[:, 1]``.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006.
       :doi:`10.1145/1143844.1143874`
    .. [2] `scikit-learn issue 25856 <https://github.com/scikit-learn/scikit-learn/issues/25856>`_

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> display = AveragePrecisionDisplay.from_predictions(y_true, y_score, area="eleven-point", name="kNN")
    >>> display.line_.get_label()
    'kNN (eleven-point AP = 0.84)'
    """

    line_: "Line2D | list[Line2D]"
    chance_level_: "Line2D | list[Line2D] | None"
    band_: "PolyCollection | None"
    ax_: "Axes"
    figure_: "Figure | SubFigure"
    marks_: "list[Line2D]"
    iso_f_lines_: "list[Line2D]"

    def __init__(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        *,
        area: DrawnArea = "step",
        average_precision: float | Sequence[float] | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label | None = None,
        prevalence_pos_label: float | Sequence[float] | None = None,
        detected: ArrayLike | None = None,
        band: GivenBand | None = None,
    ) -> None:
        self.precision = precision
        self.recall = recall
        self.area = area
        self.average_precision = average_precision
        self.name = name
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label
        self.detected = detected
        self.band = band

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
        pos_label: Label | None = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        random_state: int | RandomState | Generator | None = None,
        despine: bool = False,
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

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        name : str, default=None
            Name for the legend; by default ``'Classifier'``.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones in a new figure.

        curve_kwargs : dict, default=None
            Arguments of matplotlib's `plot`.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives, the precision of random scores.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the chance level.

        plot_band : bool, default=False
            Whether to draw a band around the curve: the percentiles of bootstrap samples at each recall,
            pointwise.

        band_kwargs : dict, default=None
            Arguments of matplotlib's `fill_between` for the band.

        confidence_level : float, default=0.95
            Confidence of the band, above 0 and below 1.

        n_resamples : int, default=999
            Number of bootstrap samples of the band, at least 20 / (1 - confidence_level).

        random_state : int, RandomState, Generator or None, default=None
            Seed of the bootstrap samples; an int gives the same band in each call.

        despine : bool, default=False
            Whether to hide the top and right spine.

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
        ImportError
            If matplotlib is not installed.
        ValueError
            If `area` is unknown; and for the labels, scores and weights that :func:`hit_curve` refuses.

        See Also
        --------
        AveragePrecisionDisplay.from_estimator : From an estimator and data.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
        >>> display.line_.get_label()
        'Classifier (step AP = 0.83)'
        """
        check_area(area, n_positives)
        rows = GivenRows(y_true, y_score, pos_label, sample_weight, query_id, n_positives).gathered()
        one = drawn_ranking(rows, caller="from_predictions", areas=[area])
        display = cls._from_ranked([one], area, 1 if pos_label is None else pos_label, name or "Classifier")
        if plot_band:
            asked = Resampling(confidence_level, n_resamples, random_state)
            display.band = precision_band(rows, area, asked, caller="from_predictions")
        return display.plot(
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
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        random_state: int | RandomState | Generator | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve of a fitted classifier on data.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. Outlier
            detectors score inliers high; with ``pos_label=-1`` their negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input of the estimator.

        y : array-like of shape (n_samples,)
            Labels.

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

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores. ``'auto'`` is `predict_proba` if it has one, else
            `decision_function`, as in scikit-learn's displays; scorers try them in the other order.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        name : str, default=None
            Name for the legend; by default that of the estimator's class.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones in a new figure.

        curve_kwargs : dict, default=None
            Arguments of matplotlib's `plot`.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives, the precision of random scores.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the chance level.

        plot_band : bool, default=False
            Whether to draw a band around the curve: the percentiles of bootstrap samples at each recall,
            pointwise.

        band_kwargs : dict, default=None
            Arguments of matplotlib's `fill_between` for the band.

        confidence_level : float, default=0.95
            Confidence of the band, above 0 and below 1.

        n_resamples : int, default=999
            Number of bootstrap samples of the band, at least 20 / (1 - confidence_level).

        random_state : int, RandomState, Generator or None, default=None
            Seed of the bootstrap samples; an int gives the same band in each call.

        despine : bool, default=False
            Whether to hide the top and right spine.

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
        ImportError
            If matplotlib is not installed.
        ValueError
            If the estimator is not a binary classifier, or does not know `pos_label` or a class of `y`.

        See Also
        --------
        AveragePrecisionDisplay.from_cv_results : Of all folds of a cross-validation.

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
        import_pyplot()
        check_area(area, n_positives)
        response = binary_response(estimator, X, y, response_method=response_method, pos_label=pos_label)
        rows = response.rows(sample_weight, query_id, n_positives)
        one = drawn_ranking(rows, caller="from_estimator", areas=[area])
        display = cls._from_ranked([one], area, response.positive, name or type(estimator).__name__)
        if plot_band:
            asked = Resampling(confidence_level, n_resamples, random_state)
            display.band = precision_band(rows, area, asked, caller="from_estimator")
        return display.plot(
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
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | Sequence[str] | None = None,
        ax: "Axes | None" = None,
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
            Labels.

        area : {'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'}, default='step'
            Which average precision is shown; see the class.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative; the curve, its value and the chance level count them.

        n_positives : array-like of shape (n_folds,), default=None
            Total number of positives of each fold (with weights, their total weight), found or not. By
            default, the positives in `y`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimators that gives the scores; see :meth:`from_estimator`.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimators know no class 1.

        name : str or list of str, default=None
            Name for the legend; a list needs a list of `curve_kwargs`.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones in a new figure.

        curve_kwargs : dict or list of dict, default=None
            Arguments of matplotlib's `plot`. With a list, one dict per fold, each fold has its own legend
            entry. Otherwise the folds share one, with the mean and the standard deviation.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives of each fold.

        chance_level_kwargs : dict, default=None
            Arguments of matplotlib's `plot` for the chance levels.

        despine : bool, default=False
            Whether to hide the top and right spine.

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
        ImportError
            If matplotlib is not installed.
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
        import_pyplot()
        check_area(area, n_positives)
        folds, positive = ranked_folds(
            cv_results,
            X,
            y,
            area=area,
            sample_weight=sample_weight,
            n_positives=n_positives,
            response_method=response_method,
            pos_label=pos_label,
        )
        return cls._from_ranked(folds, area, positive, name).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def _from_ranked(
        cls,
        several: list[DrawnRanking],
        area: DrawnArea,
        pos_label: Label | None,
        name: str | Sequence[str] | None,
    ) -> Self:
        """Return a display of one or several rankings; `plot` has not been called yet."""
        return cls(
            one_or_all([one.points.precision for one in several]),
            one_or_all([one.points.recall for one in several]),
            detected=one_or_all([one.points.detected for one in several]),
            average_precision=one_or_all([one.values[area] for one in several]),
            prevalence_pos_label=one_or_all([one.prevalence for one in several]),
            area=area,
            name=name,
            pos_label=pos_label,
        )

    def plot(
        self,
        ax: "Axes | None" = None,
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
            Axes to draw on; by default new ones in a new figure. Empty axes get colours and line styles that
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
            Arguments of matplotlib's `fill_between` for the band.

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
        curves = points_of(
            listed_curves(self.precision), listed_curves(self.recall), listed_curves(self.detected)
        )
        prevalences = share_each("prevalence_pos_label", self.prevalence_pos_label, len(curves))
        if plot_chance_level and prevalences is None:
            raise ValueError(
                "prevalence_pos_label must be given to draw the chance level; the methods from_... set it."
            )
        band = read_band(self.band, len(curves)) if plot_band else None
        values = one_each("average_precision", self.average_precision, len(curves))
        shown = self.name if name is None else name
        labels = labels_of(shown, AREAS[self.area].legend, values, curves, curve_kwargs)
        styles = styles_of(curve_kwargs, len(curves))
        paths = paths_of(self.area, curves)
        self.ax_, self.figure_ = axes_for(ax)
        drawn = zip(paths, styles, labels, strict=True)
        lines = [draw_path(self.ax_, path, style, label) for path, style, label in drawn]
        self.line_ = one_or_all(lines)
        self.band_ = None if band is None else draw_band(self.ax_, lines[0], band, band_kwargs)
        # Wider margins for the eleven points: dots at recall 0 and 1 must not be cut at the frame.
        label_axes(self.ax_, self.pos_label, margin=0.02 if self.area == "eleven-point" else 0.01)
        self.chance_level_ = None
        if plot_chance_level and prevalences is not None:
            self.chance_level_ = one_or_all(
                draw_chance_levels(self.ax_, curves, prevalences, chance_level_kw)
            )
        if despine:
            remove_spines(self.ax_)
        self.marks_, self.iso_f_lines_ = [], []
        add_legend(self.ax_, values)
        return self

    def mark(self, point: OperatingPoint, *, name: str | None = None, **kwargs: Any) -> Self:
        """Mark an operating point, with a legend entry.

        Parameters
        ----------
        point : OperatingPoint
            The point, of the same rows as the curve. Points of one display differ in their marker.

        name : str, default=None
            Name for the legend; by default the threshold.

        **kwargs : dict
            Arguments of matplotlib's `plot` for the marker.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If `point` is not an operating point, or the display is not drawn yet.

        See Also
        --------
        plot_iso_f : Show which points have the same F-beta.
        """
        check_drawn(self, "mark")
        point = check_point(point)
        numbers = f"precision {rounded(point.precision)}, recall {rounded(point.recall)}"
        colour = (self.line_[0] if isinstance(self.line_, list) else self.line_).get_color()
        drawn = draw_mark(
            self.ax_,
            point.recall,
            point.precision,
            label=label_of(point, name, numbers),
            colour=colour,
            n_before=len(self.marks_),
            given=kwargs,
        )
        self.marks_.append(drawn)
        add_legend(self.ax_, self._values())
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
        check_drawn(self, "plot_iso_f")
        self.iso_f_lines_ += draw_iso_f(self.ax_, levels, beta)
        return self

    def _values(self) -> Sequence[float] | None:
        """Return the values in the legend, one per curve, or None."""
        return None if self.average_precision is None else np.atleast_1d(self.average_precision).tolist()
