"""The display of a precision-recall curve, which reads and computes what `curve_plot`
draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import curve_through
from .._core.evaluate import points_in
from .._core.reading.options import check_option, read_flag, short_repr
from .._core.reading.read import CheckedRows
from .._core.typing import (
    ArrayLikeOrMapping,
    DrawnArea,
    Estimator,
    Features,
    Label,
    PassedRows,
    ResponseMethod,
)
from .._uncertainty import band_of_rows, read_confidence_level
from .curve_plot import CurvePlot, CurveStyles, warn_of_old_name
from .keywords import takes_line_options, with_advice
from .paths import DRAWN_AREAS
from .rows import CurveRows, rows_of_estimator, rows_of_folds, unwrap_single
from .styles import Style, name_or

# matplotlib is optional, so it is imported for type checkers only.
if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _read_y_pred(y_score: ArrayLike | None, y_pred: ArrayLike) -> ArrayLike:
    """Return the scores, which scikit-learn's display called `y_pred` before 1.8. The
    texts are those of scikit-learn.
    """
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        if y_score is not None:
            raise ValueError(
                "`y_pred` and `y_score` cannot be both specified. Please use `y_score` "
                "only as `y_pred` was deprecated in 1.8 and will be removed in 1.10."
            )
        warn_of_old_name(
            "y_pred was deprecated in 1.8 and will be removed in 1.10. Please use "
            "`y_score` instead."
        )
        return y_pred
    if y_score is None:
        raise TypeError("from_predictions() requires y_score; got None.")
    return y_score


def _curve_data(
    checked: CheckedRows,
    area: DrawnArea,
    drop_intermediate: bool,
) -> Style:
    """Return the values of one curve by the names of the arguments of
    `PrecisionRecallDisplay`.
    """
    ranking, points = points_in(checked)
    # Between points of equal recall, all paths are vertical. So a point between two
    # others of the same recall may be dropped.
    drops = read_flag("drop_intermediate", drop_intermediate)
    precision, recall, kept = curve_through(points, ranking.n_positives, drops)
    share_retrieved = points.retrieved / ranking.total_weight
    return {
        "precision": precision,
        "recall": recall,
        "share_retrieved": np.append(share_retrieved[kept], 0.0),
        "average_precision": DRAWN_AREAS[area].compute(ranking).item(),
        # All rows are at or above the first threshold, which is the lowest one.
        "prevalence_pos_label": float(points.tp[0] / ranking.total_weight[0]),
    }


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurvePlot):
    """Precision-recall curve whose area is the average precision in its legend.

    Create a display by :meth:`from_estimator` or :meth:`from_predictions`, which take
    the arguments of the newest :class:`sklearn.metrics.PrecisionRecallDisplay`, or by
    :meth:`from_cv_results`, which draws a curve per fold of a cross-validation. As in
    scikit-learn, the constructor does not check its arrays.

    Parameters
    ----------
    precision : ndarray of shape (n_thresholds + 1,) or list of ndarray
        Precision at each threshold and at the closing point, as
        :func:`sklearn.metrics.precision_recall_curve` returns it.

    recall : ndarray of shape (n_thresholds + 1,) or list of ndarray
        Recall at the same points, falling to 0.

    area : str, default='step'
        Area that is drawn. ``'step'`` draws the steps of scikit-learn;
        ``'interpolated'``, the best precision at each recall or beyond;
        ``'eleven-point'``, the same line with dots at the eleven recall levels;
        ``'linear'``, straight lines between the points; and ``'davis-goadrich'``,
        curves along which true and false positives increase in proportion.

    average_precision : float or list of float, default=None
        Average precision for the legend; a list has a value per curve. With None, the
        legend shows no value.

    name : str or list of str, default=None
        Name for the legend; a list has a name per curve, see :meth:`plot`. Unlike
        scikit-learn's display, names are shown as they are: `$` begins no formula.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, which the axis labels show.

    prevalence_pos_label : float or list of float, default=None
        Share of the positive class, which is the height of the chance level.

    share_retrieved : ndarray or list of ndarray, default=None
        Share of all samples at or above each threshold, of shape (n_thresholds + 1,):
        ``hit_curve(y_true, y_score)[0][::-1]``. Only ``'davis-goadrich'`` needs it.

    band : tuple (recall, low, high, label), default=None
        Lower and upper endpoints of precision at increasing recalls, and the text for
        the legend. The methods ``from_...`` compute the band if `plot_band` is True.

    classes : list, default=None
        Class or label of each curve, if there are several. With None, all curves look
        the same, and the legend has one entry for their mean.

    estimator_name : str, default="deprecated"
        Name for the legend, as in scikit-learn before 1.8. From that version on, it
        causes a FutureWarning: write `name`.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of Line2D
        The curve, or the curves.

    chance_level_ : matplotlib Line2D, list of Line2D or None
        The chance level of each curve, if drawn.

    band_ : matplotlib PolyCollection or None
        The band around the curve, if drawn.

    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    See Also
    --------
    HitCurveDisplay : Plot of hits against rows.
    sklearn.metrics.PrecisionRecallDisplay :
        Plot of scikit-learn, which this class can replace.

    Notes
    -----
    scikit-learn's end point (recall 0, precision 1) is drawn for steps, where it adds
    no area, and for straight lines, where it adds some area [1]_. Unlike scikit-learn's
    chance level, the chance level here depends on `sample_weight`.

    The band of ``plot_band=True`` is the confidence interval of the best precision at
    each recall or beyond. It contains the true precision at one recall with this
    confidence, and the whole true curve with a lower confidence. There is no band for
    the curves of the folds of a cross-validation. For one curve of all folds with a
    band, pool the scores by :func:`~sklearn.model_selection.cross_val_predict`.

    As in scikit-learn until 1.11, the methods also take properties of a line, such as
    ``color="red"``, with a FutureWarning. Write ``curve_kwargs={"color": "red"}``.

    The limits of linear axes are those of scikit-learn. For a logarithmic axis, pass
    axes that are logarithmic, or call ``display.ax_.autoscale()`` after
    ``set_xscale("log")``.

    To mark an operating point: ``display.ax_.plot(point.recall, point.precision,
    "o")``, with :func:`operating_point`.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC
       curves", ICML 2006. :doi:`10.1145/1143844.1143874`

    Examples
    --------
    >>> from sklearn_ap import PrecisionRecallDisplay
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     y_true, y_score, area="eleven-point", name="kNN"
    ... )
    >>> display.line_.get_label()
    'kNN (eleven-point AP = 0.84)'
    """

    @classmethod
    @takes_line_options
    @with_advice
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | None = None,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        drop_intermediate: bool = False,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
        y_pred: ArrayLike = "deprecated",
    ) -> Self:
        """Draw the curve of given scores.

        For multiclass labels and multilabel indicators, with one column of scores per
        class or label, one curve per column is drawn [1]_. The title of the legend
        shows the macro average of the values of the curves. `n_positives` then has one
        number per curve. `pos_label` raises an error, and so does `plot_band`, because
        bands would cover each other.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            Binary labels, multilabel indicators or multiclass labels. Labels may be of
            any kind if `pos_label` is passed.

        y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
            Scores. The row with the highest score ranks first.

        area : str, default='step'
            Area that is drawn; see the class.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative, for the curve, its value and the chance level.

        n_positives : float, array-like or mapping, default=None
            Total number of positives, including missed positives, which have no row: a
            number, one per class, or a mapping by class or column.

        drop_intermediate : bool, default=False
            Whether to drop each point that lies between two others of the same recall,
            as scikit-learn does. The line and its value stay the same, but the line has
            fewer points.

        pos_label : int, float, bool or str, default=None
            Label of the positive class. By default, it is 1, if the labels are in {0,
            1} or {-1, 1}.

        name : str, default=None
            Name for the legend; by default ``'Classifier'``.

        ax, curve_kwargs, plot_chance_level, chance_level_kw : optional
            Options of the drawing; see :meth:`plot`.

        plot_band, despine : optional
            Options of the drawing; see :meth:`plot`.

        confidence_level : float, default=0.95
            Confidence level of the band, above 0 and below 1.

        unit_id : array-like of shape (n_samples,), default=None
            Unit of each row, such as the patient of an image. The band assumes that
            units are independent. By default, each row is a unit. With `n_positives`,
            it raises an error.

        y_pred : array-like, default="deprecated"
            `y_score` under the name that it has in scikit-learn before 1.8. From that
            version on, it causes a FutureWarning: write `y_score`.

        Returns
        -------
        display : PrecisionRecallDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `area` is unknown; if labels, scores or weights are not valid, as for
            :func:`hit_curve`; for a band with fewer than two positives, with another
            area than steps, or with missed positives and unequal weights; if the
            columns of scores do not match the classes.

        Warns
        -----
        UserWarning
            If there is no positive; then recall is 1 at all thresholds, as in
            scikit-learn.

        References
        ----------
        .. [1] `scikit-learn issue 28548
           <https://github.com/scikit-learn/scikit-learn/issues/28548>`_

        Examples
        --------
        >>> from sklearn_ap import PrecisionRecallDisplay
        >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
        >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score)
        >>> display.line_.get_label()
        'Classifier (AP = 0.83)'
        """
        rows = CurveRows.read(
            PassedRows(
                y_true,
                _read_y_pred(y_score, y_pred),
                "macro",
                pos_label,
                sample_weight,
                n_positives=n_positives,
                unit_id=unit_id,
            )
        )
        display = cls._from_rows(
            rows,
            area,
            drop_intermediate,
            name_or("Classifier", name),
            plot_band=plot_band,
            confidence_level=confidence_level,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            plot_band=plot_band,
            despine=despine,
        )

    @classmethod
    @takes_line_options
    @with_advice
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        drop_intermediate: bool = False,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
    ) -> Self:
        """Draw the curve of a fitted classifier on data.

        For a classifier of several classes or labels, one curve is drawn per class or
        label that occurs, as by :meth:`from_predictions`.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that
            ends in one. Outlier detectors give high scores to inliers. With
            ``pos_label=-1``, their negated score ranks the outliers first.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Labels of the samples.

        area, sample_weight, n_positives, drop_intermediate : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that returns the scores. ``'auto'`` calls
            `predict_proba`, or `decision_function` if the estimator has no
            `predict_proba`.

        pos_label : int, float, bool or str, default=None
            Label of the positive class. By default, it is the second of the two classes
            of the estimator, as in scikit-learn's displays.

        name : str, default=None
            Name for the legend; by default the name of the estimator's class.

        ax, curve_kwargs, plot_chance_level, chance_level_kw : optional
            As for :meth:`from_predictions`.

        plot_band, despine : optional
            As for :meth:`from_predictions`.

        confidence_level, unit_id : optional
            As for :meth:`from_predictions`.

        Returns
        -------
        display : PrecisionRecallDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator does not know `pos_label` or a class of `y`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import PrecisionRecallDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = PrecisionRecallDisplay.from_estimator(model, X[1::2], y[1::2])
        >>> display.line_.get_label()
        'GaussianNB (AP = 0.99)'
        """
        rows = rows_of_estimator(
            estimator,
            X,
            y,
            response_method,
            pos_label,
            sample_weight=sample_weight,
            n_positives=n_positives,
            unit_id=unit_id,
        )
        display = cls._from_rows(
            rows,
            area,
            drop_intermediate,
            name_or(type(estimator).__name__, name),
            plot_band=plot_band,
            confidence_level=confidence_level,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            plot_band=plot_band,
            despine=despine,
        )

    @classmethod
    @with_advice
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Features,
        y: ArrayLike,
        *,
        area: DrawnArea = "step",
        sample_weight: ArrayLike | None = None,
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
        """Draw the curve of each test fold of a cross-validation.

        The legend shows the mean of the average precisions of the folds, and their
        standard deviation. The standard deviation describes single folds. It is not the
        standard error of the mean: for an interval, pool the scores by
        :func:`~sklearn.model_selection.cross_val_predict`, and call
        :func:`estimate_score`.

        Parameters
        ----------
        cv_results : dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples of the cross-validation.

        y : array-like of shape (n_samples,)
            Labels of the cross-validation, of two classes.

        area, sample_weight : optional
            As for :meth:`from_estimator`.

        drop_intermediate : bool, default=True
            As for :meth:`from_predictions`.

        response_method, pos_label : optional
            As for :meth:`from_estimator`.

        name : str or list of str, default=None
            Name for the legend. A list has a name per fold, and requires a list of
            `curve_kwargs`.

        ax, curve_kwargs, plot_chance_level : optional
            Options of the drawing; see :meth:`plot`.

        chance_level_kwargs : dict, default=None
            `chance_level_kw` of :meth:`plot`, under the name that it has in
            scikit-learn.

        despine : bool, default=False
            Whether to remove the spines at the top and on the right.

        Returns
        -------
        display : PrecisionRecallDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `cv_results` does not contain estimators and indices, if `X` has another
            number of rows than the cross-validation, or if `y` does not have two
            classes.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import PrecisionRecallDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(
        ...     GaussianNB(), X, y, return_estimator=True, return_indices=True
        ... )
        >>> display = PrecisionRecallDisplay.from_cv_results(results, X, y)
        >>> display.line_[0].get_label()
        'AP = 0.99 +/- 0.00'
        """
        rows = rows_of_folds(
            cv_results,
            X,
            y,
            response_method,
            pos_label=pos_label,
            sample_weight=sample_weight,
        )
        return cls._from_rows(rows, area, drop_intermediate, name).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def _from_rows(
        cls,
        rows: CurveRows,
        area: DrawnArea,
        drop_intermediate: bool,
        name: str | Sequence[str] | None,
        *,
        plot_band: bool = False,
        confidence_level: float = 0.95,
    ) -> Self:
        """Return a display of one or several curves, which is not drawn yet."""
        check_option("area", area, DRAWN_AREAS)
        level = read_confidence_level(confidence_level)
        # If there are several curves, either all or none of them have a total.
        checked = rows.curves[0]
        if not plot_band and (level != 0.95 or checked.units):
            argument, value = "confidence_level", short_repr(level)
            if checked.units:
                argument, value = "unit_id", short_repr(checked.units[0].of_rows)
            raise ValueError(f"{argument} requires plot_band=True; got {value}.")
        if checked.totals is not None and not DRAWN_AREAS[area].area.counts_missed:
            raise ValueError(
                "n_positives requires one of the areas 'step', 'interpolated', "
                f"'eleven-point'; got area={area!r}, which would join points to "
                "positives that were missed."
            )
        curves = [_curve_data(curve, area, drop_intermediate) for curve in rows.curves]
        band = None
        # With several curves, there is no band, and `plot` raises an error about this.
        if plot_band and len(rows.curves) == 1:
            if area != "step":
                raise ValueError(
                    f"plot_band=True requires area='step'; got area={area!r}."
                )
            band = band_of_rows(checked, level)
        data: Style = {
            column: unwrap_single([curve[column] for curve in curves])
            for column in curves[0]
        }
        return cls(
            **data,
            area=area,
            name=name,
            pos_label=rows.pos_label,
            band=band,
            classes=rows.classes,
        )
