"""The hit curves of the folds of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from .._typing import Features, HitsX, HitsY, Label, ResponseMethod
from ._figure import CurveStyles, import_pyplot, one_or_all
from ._hit_curve_plot import HitCurvePlot
from ._hit_data import HitData, hit_data_of_fold
from ._hit_view import check_view
from ._predictions import responses_of_folds

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes

__all__ = ["HitCurvesOfFolds"]


class HitCurvesOfFolds(HitCurvePlot):
    """The part of :class:`HitCurveDisplay` that draws a cross-validation."""

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLike | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | Sequence[str] | None = None,
        x_axis: HitsX = "share",
        y_axis: HitsY = "hits",
        max_k: int | float | None = None,
        k: int | float | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: CurveStyles = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw one hit curve per fold of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            The result of ``cross_validate(..., return_estimator=True, return_indices=True)``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input that was cross-validated.

        y : array-like of shape (n_samples,)
            Their labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

        n_positives : array-like of shape (n_folds,), default=None
            Total number of positives of each fold (with weights, their total weight), found or not. By
            default, the positives in `y`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimators that gives the scores; see :meth:`from_estimator`.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1 if the estimators know that class, else the second of
            their two.

        name : str or list of str, default=None
            Name for the legend; a list needs a list of `curve_kwargs`.

        x_axis : {'share', 'rows'}, default='share'
            What the horizontal axis counts; see the class.

        y_axis : {'hits', 'recall', 'weight', 'lift'}, default='hits'
            What the vertical axis counts; see the class.

        max_k : int, float or None, default=None
            Largest number of rows that is shown: an int counts rows, a float in (0, 1] is a share of the
            rows. None shows all.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curves. With a list, one dict
            per fold, each fold has its own legend entry. Otherwise the folds share one, with the mean and the
            standard deviation of the recall (or the lift) at `k`.

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_random : bool, default=True
            Whether to draw the curve of a random ranking.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

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
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> display = HitCurveDisplay.from_cv_results(results, X, y, pos_label=0, name="GaussianNB", k=0.1)
        >>> len(display.line_), display.line_[0].get_label()
        (5, 'GaussianNB (k = 0.1: recall 0.26 +/- 0.01)')
        """
        import_pyplot()
        check_view(x_axis, y_axis, max_k)
        folds = responses_of_folds(
            cv_results,
            X,
            y,
            sample_weight=sample_weight,
            n_positives=n_positives,
            response_method=response_method,
            pos_label=pos_label,
        )
        curves = [hit_data_of_fold(fold, caller="HitCurveDisplay.from_cv_results") for fold in folds]
        display = cls._from_curves(curves, folds[-1].response.positive, name, (x_axis, y_axis, max_k))
        return display.plot(
            ax,
            k=k,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
            despine=despine,
        )

    @classmethod
    def _from_curves(
        cls,
        curves: list[HitData],
        pos_label: Label,
        name: str | Sequence[str] | None,
        view: tuple[HitsX, HitsY, int | float | None],
    ) -> Self:
        """Return a display of one or several rankings; `plot` has not been called yet."""
        each = HitData(*map(one_or_all, zip(*curves, strict=True)))
        x_axis, y_axis, max_k = view
        return cls(
            **each._asdict(), pos_label=pos_label, name=name, x_axis=x_axis, y_axis=y_axis, max_k=max_k
        )
