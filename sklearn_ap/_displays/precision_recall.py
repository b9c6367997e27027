"""The display of a precision-recall curve. The area below the drawn line is the average
precision in its legend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from functools import partial
from inspect import signature
from itertools import starmap, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from .._core.curves import corners_of
from .._core.definition import Definition
from .._core.evaluate import points_in
from .._core.reading.options import check_option, read_flag, short_repr
from .._core.reading.read import CheckedRows
from .._core.registry import NUMBERS
from .._core.typing import (
    ArrayLikeOrMapping,
    DrawnArea,
    Estimator,
    Features,
    IntArray,
    Label,
    PassedRows,
    ResponseMethod,
)
from .._core.user_messages import NO_POSITIVES, warn_user
from .._uncertainty.bands import band_of_rows
from .figure import (
    BLUE,
    CHANCE_STYLE,
    COLOURS,
    FOLDS_STYLE,
    LINE_STYLES,
    Display,
    Style,
    entry,
    has_default_cycle,
    mean_and_deviation,
    name_or,
    resolve_style,
    rounded,
    takes_line_options,
)
from .paths import PATHS, DrawnPath
from .rows import (
    CurveRows,
    number_per_curve,
    rows_of_estimator,
    rows_of_folds,
    unwrap_single,
)

# matplotlib is optional, so it is imported for type checkers only.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


# A band as the caller passed it: recall, low, high and the entry of the legend.
AnyBand = tuple[ArrayLike, ArrayLike, ArrayLike, str]
CurveStyles = Style | Sequence[Style] | None
# If there are more classes than this, the lines of some classes look the same, so the
# legend has one entry for all classes.
_MAX_CLASSES = len(COLOURS) * len(LINE_STYLES)
# The definitions that can be drawn, by the value of the argument `area`: areas of whole
# rankings over all recalls, and the eleven-point area.
DRAWN_AREAS: dict[str, Definition] = {
    "eleven-point" if definition.grid else definition.area.name: definition
    for definition in (number.definition for number in NUMBERS)
    if definition.area in PATHS and definition.grid in (None, 11)
    if definition.cut is None
}


class _Legend(NamedTuple):
    """The title of a legend and the entry of each curve. A curve whose entry is missing
    or None is not in the legend.
    """

    title: str | None
    entries: list[str | None]
    # Style of the curves, which the caller can override.
    look: Style


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
        theirs = metrics.PrecisionRecallDisplay
        parameters = signature(theirs.from_predictions).parameters
        if "y_score" in parameters:
            warn_user(
                FutureWarning(
                    "y_pred was deprecated in 1.8 and will be removed in 1.10. Please "
                    "use `y_score` instead."
                )
            )
        return y_pred
    if y_score is None:
        raise TypeError("from_predictions() requires y_score; got None.")
    return y_score


def _curve_data(
    checked: CheckedRows,
    n_positives: ArrayLikeOrMapping | None,
    area: DrawnArea,
    drop_intermediate: bool,
) -> Style:
    """Return the values of one curve by the names of the arguments of
    `PrecisionRecallDisplay`.
    """
    ranking, operating_points = points_in(checked, n_positives)
    tp, retrieved = operating_points.tp, operating_points.retrieved
    total = ranking.n_positives.item()
    n_samples = ranking.total_weight.item()
    # As in scikit-learn's curves, recall is 1 without positives, and a closing point
    # (0, 1) is added.
    recall = np.ones(tp.size)
    if total:
        recall = tp / total
    else:
        warn_user(NO_POSITIVES)
    kept: IntArray | slice = slice(None)
    if read_flag("drop_intermediate", drop_intermediate):
        # Between points of equal recall, all paths are vertical. So a point between two
        # others of the same recall may be dropped.
        kept = corners_of(tp)
    return {
        "precision": np.append((tp / retrieved)[kept], 1.0),
        "recall": np.append(recall[kept], 0.0),
        "share_retrieved": np.append((retrieved / n_samples)[kept], 0.0),
        "average_precision": DRAWN_AREAS[area].compute(ranking).item(),
        # All rows are at or above the first threshold, which is the lowest one.
        "prevalence_pos_label": float(tp[0] / n_samples),
    }


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(Display):
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

    area : {'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'}, default='step'
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

    share_retrieved : ndarray of shape (n_thresholds + 1,) or list of ndarray, default=None
        Share of all samples at or above each threshold: ``hit_curve(y_true,
        y_score)[0][::-1]``. Only ``'davis-goadrich'`` needs it.

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
    confidence, and the whole true curve with a lower confidence. There is no band for the curves of the
    folds of a cross-validation. For one curve of all folds with a band, pool the scores
    by :func:`~sklearn.model_selection.cross_val_predict`.

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
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, area="eleven-point", name="kNN")
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
            if "name" in signature(metrics.PrecisionRecallDisplay).parameters:
                warn_user(
                    FutureWarning(
                        "`estimator_name` is deprecated in 1.8 and will be removed in "
                        "1.10. Use `name` instead."
                    )
                )
            self.name = estimator_name
        self.estimator_name = self.name  # type: ignore[attr-defined]  # it is an InitVar

    @classmethod
    @takes_line_options
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

        area : {'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'}, default='step'
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

        ax, curve_kwargs, plot_chance_level, chance_level_kw, plot_band, despine : optional
            Options of the drawing; see :meth:`plot`.

        confidence_level : float, default=0.95
            Confidence level of the band, above 0 and below 1.

        unit_id : array-like of shape (n_samples,), default=None
            Unit of each row, such as the patient of an image. The band assumes that
            units are independent. By default, each row is a unit.

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
            :func:`hit_curve`; for a band with fewer than two positives or with another
            area than steps; if the columns of scores do not match the classes.

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
        >>> display = PrecisionRecallDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
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
            )
        )
        display = cls._from_rows(
            rows,
            area,
            drop_intermediate,
            name_or("Classifier", name),
            plot_band=plot_band,
            confidence_level=confidence_level,
            unit_id=unit_id,
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

        ax, curve_kwargs, plot_chance_level, chance_level_kw, plot_band, despine : optional
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
        )
        display = cls._from_rows(
            rows,
            area,
            drop_intermediate,
            name_or(type(estimator).__name__, name),
            plot_band=plot_band,
            confidence_level=confidence_level,
            unit_id=unit_id,
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
        >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
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
        unit_id: ArrayLike | None = None,
    ) -> Self:
        """Return a display of one or several curves, which is not drawn yet."""
        check_option("area", area, DRAWN_AREAS)
        if not plot_band and (confidence_level != 0.95 or unit_id is not None):
            argument, value = "confidence_level", short_repr(confidence_level)
            if unit_id is not None:
                argument, value = "unit_id", short_repr(unit_id)
            raise ValueError(f"{argument} requires plot_band=True; got {value}.")
        # If there are several curves, either all or none of them have a total.
        checked, n_positives = rows.curves[0]
        if n_positives is not None and not DRAWN_AREAS[area].area.counts_missed:
            raise ValueError(
                "n_positives requires one of the areas 'step', 'interpolated', "
                f"'eleven-point'; got area={area!r}, which would join points to "
                "positives that were missed."
            )
        band = None
        # With several curves, there is no band, and `plot` raises an error about this.
        if plot_band and len(rows.curves) == 1:
            if area != "step":
                raise ValueError(
                    f"plot_band=True requires area='step'; got area={area!r}."
                )
            band = band_of_rows(
                checked,
                n_positives,
                confidence_level=confidence_level,
                unit_id=unit_id,
            )
        curves = [_curve_data(*curve, area, drop_intermediate) for curve in rows.curves]
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

    @takes_line_options
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
        if plot_chance_level and not prevalences:
            raise ValueError(
                "You must provide prevalence_pos_label when constructing the "
                "PrecisionRecallDisplay object in order to plot the chance level "
                "line. Alternatively, you may use "
                "PrecisionRecallDisplay.from_estimator or "
                "PrecisionRecallDisplay.from_predictions to automatically set "
                "prevalence_pos_label; got None."
            )
        styles, legend_title = self._styles(name, curve_kwargs, len(curves))
        definition = DRAWN_AREAS[self.area]
        path_of = PATHS[definition.area]
        paths = [path_of(points, definition.grid) for points in curves]
        self._draw_on(ax)
        lines: list[Line2D] = []
        for path, style in zip(paths, styles, strict=True):
            look: dict[str, Any] = {"drawstyle": path.drawstyle}
            if path.dots:
                look |= {"marker": "o", "markevery": list(path.dots)}
            # The arguments of the caller come last, since they override others.
            line = self._draw_curve(path.recall, path.precision, look | dict(style))
            lines.append(line)
        self.line_: Line2D | list[Line2D] = unwrap_single(lines)
        self.band_: PolyCollection | None = None
        # `_read_curves` has checked that there is a band, and a single curve.
        if plot_band and self.band:
            self.band_ = self._draw_band(self.band, lines[0])
        self.chance_level_: Line2D | list[Line2D] | None = None
        if plot_chance_level:
            levels = [
                (share, float(points.recall[0]))
                for share, points in zip(prevalences, curves, strict=True)
            ]
            self.chance_level_ = self._draw_chance_levels(levels, chance_level_kw)
        # As in scikit-learn, recall and precision have the same scale, and linear axes
        # have these limits, whatever else is drawn on them.
        positive = self._positive_label()
        self._show_shares()
        limits = {
            f"{axis}lim": (-0.01, 1.01)
            for axis in "xy"
            if getattr(self.ax_, f"get_{axis}scale")() == "linear"
        }
        self._label_axes(f"Recall{positive}", f"Precision{positive}")
        self.ax_.set(aspect="equal", **limits)
        if despine:
            # As in scikit-learn, the other two spines go from 0 to 1.
            self.ax_.spines[["top", "right"]].set_visible(False)
            self.ax_.spines[["bottom", "left"]].set_bounds(0, 1)
        self._add_legend(legend_title)
        return self

    def _read_curves(self, *, plot_band: bool) -> list[DrawnPath]:
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
            DrawnPath(*map(as_array, curve)) for curve in zip(*fields, strict=True)
        ]
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
        values = number_per_curve("average_precision", self.average_precision, n_curves)
        has_one_style = curve_kwargs is None or isinstance(curve_kwargs, Mapping)
        styles: Any = [curve_kwargs] * n_curves if has_one_style else curve_kwargs
        if not isinstance(styles, list | tuple) or len(styles) != n_curves:
            raise ValueError(
                f"`curve_kwargs` must be None, a dictionary or a list of {n_curves} "
                f"dictionaries, one per curve; got {curve_kwargs!r}."
            )
        names = _read_names(name, n_curves)
        if has_one_style and len(names) > 1 and self.classes is None:
            # The error begins with the words of scikit-learn.
            raise ValueError(
                "To avoid labeling individual curves that have the same appearance, "
                f"pass curve_kwargs as a list of {n_curves} dictionaries, or one name "
                f"for all curves; got name={name!r}."
            )
        if has_one_style and len(names) < n_curves:
            legend = self._shared_legend(names[0], values, n_curves)
        else:
            # There is one name, or one per curve.
            names = [*names] * (n_curves // len(names))
            notes = [f"{self._metric} = {rounded(value)}" for value in values]
            look = FOLDS_STYLE if n_curves > 1 and self.classes is None else {}
            legend = _Legend(None, [*starmap(entry, zip_longest(names, notes))], look)
        return [
            {"label": label, **resolve_style(style, **legend.look)}
            for label, style in zip_longest(legend.entries, styles)
        ], legend.title

    @property
    def _metric(self) -> str:
        """Name of the values in the legend, such as "AP" or "eleven-point AP"."""
        if self.area == "step":
            return "AP"
        area = DRAWN_AREAS[self.area].area
        return f"{area.title or self.area} {area.noun}"

    def _shared_legend(
        self, name: str | None, values: Sequence[float], n_curves: int
    ) -> _Legend:
        """Return the legend of several curves with the same name and style.

        As in scikit-learn, the curves of folds have one entry: the mean of their values
        and its standard deviation. For classes, the title is the mean, and each class
        has an entry.
        """
        note = None
        if values and self.classes is None:
            note = f"{self._metric} = {mean_and_deviation(values)}"
        elif values:
            note = f"macro {self._metric} = {rounded(np.mean(values))}"
        title = entry(name, note)
        if self.classes is None:
            return _Legend(None, [title], FOLDS_STYLE)
        if n_curves <= _MAX_CLASSES:
            names = list(map(str, self.classes))
            notes = map(rounded, values)
            return _Legend(title, [*starmap(entry, zip_longest(names, notes))], {})
        # More lines cannot be distinguished, so all of them have the same look, and
        # only the first curve has an entry.
        start = f"{name}, " if name else ""
        colour = BLUE if has_default_cycle() else "C0"
        look = {"color": colour, "linestyle": "-", "alpha": 0.5}
        return _Legend(title, [f"{start}{n_curves} curves"], look)

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
            label=label,
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
        style = resolve_style(chance_level_kw, **CHANCE_STYLE, **faint)
        text = "Chance level"
        areas = [share * recall for share, recall in levels]
        if len(areas) > 1 and self.classes is None:
            text += f" (AP = {mean_and_deviation(areas)})"
        elif len(set(map(rounded, areas))) == 1:
            text += f" (AP = {rounded(areas[0])})"
        label = self._new_entry(style.pop("label", text))
        lines = [
            self.ax_.plot((0, recall), (share, share), **style)[0]
            for share, recall in levels
        ]
        # As in scikit-learn, only the first of these lines is in the legend.
        lines[0].set_label(label)
        return unwrap_single(lines)
