"""Every area of one ranking on the same axes, to show how the definitions differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from .._areas._area import Path
from .._typing import Estimator, Features, Label, ResponseMethod, Totals
from ._average_precision import AREAS, areas_of, drawn_ranking, label_axes, paths_of
from ._figure import (
    BLUE,
    GREEN,
    SKY,
    VERMILION,
    Display,
    Style,
    add_legend,
    lighter,
    rounded,
)
from ._input import GivenRows, points_of, rows_of_estimator

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


# Where two lines run together, the broken line is drawn above the full one, so that both stay visible.
_STYLES: dict[str, Style] = {
    "step": {"fill": True, "zorder": 1},
    "interpolated": {"color": BLUE, "linestyle": "-", "linewidth": 2.4, "zorder": 2},
    "eleven-point": {"linestyle": "none", "marker": "o", "zorder": 3, "clip_on": False},
    "linear": {"color": VERMILION, "linestyle": (0, (5, 2)), "linewidth": 1.5, "zorder": 2.2},
    "davis-goadrich": {"color": GREEN, "linestyle": (0, (1, 1)), "linewidth": 2.2, "zorder": 2.1},
}
_FEW_BARS = 30  # white lines separate so few bars; they would hide more of them


@dataclass(eq=False, repr=False)
class AveragePrecisionComparisonDisplay(Display):
    """All average precisions of one ranking, each drawn as its own area below the precision-recall curve.

    Steps are bars; interpolation is the envelope over the bars; the eleven points are dots on the envelope;
    the linear and the Davis-Goadrich area join the operating points. Create it by :meth:`from_estimator` or
    :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        Precision and recall at each threshold and at the closing point, as
        :func:`sklearn.metrics.precision_recall_curve` returns them.

    average_precision : dict
        Value of each area for the legend. The keys are the areas of :class:`AveragePrecisionDisplay`; areas
        without a key are not drawn.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis labels.

    detected : ndarray of shape (n_thresholds + 1,), default=None
        Share of all samples at or above each threshold, as for :class:`AveragePrecisionDisplay`.

    Attributes
    ----------
    artists_ : dict
        The matplotlib artist of each area: a StepPatch for ``'step'``, Line2D for the others.

    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curves, and their figure.

    See Also
    --------
    AveragePrecisionDisplay : One of the areas, of one or several models.

    Notes
    -----
    Lines cannot join the operating points to positives that were missed. With `n_positives`, the linear and
    the Davis-Goadrich area are therefore left out.

    The legend shows three decimals, or three significant digits below 0.1, since the areas of one ranking
    are often close.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information Retrieval", section 8.4,
       Cambridge University Press, 2008. :doi:`10.1017/CBO9780511809071`
    .. [2] J. Davis, M. Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006.
       :doi:`10.1145/1143844.1143874`

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionComparisonDisplay
    >>> y_true, y_score = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> display = AveragePrecisionComparisonDisplay.from_predictions(y_true, y_score)
    >>> for artist in display.artists_.values():
    ...     print(artist.get_label())
    step AP = 0.698
    interpolated AP = 0.714
    eleven-point AP = 0.740
    linear PR AUC = 0.660
    Davis-Goadrich PR AUC = 0.664
    """

    precision: ArrayLike
    recall: ArrayLike
    _: KW_ONLY
    average_precision: Mapping[str, float]
    pos_label: Label | None = None
    detected: ArrayLike | None = None

    def plot(self, ax: Axes | None = None, *, despine: bool = False) -> Self:
        """Draw the areas.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones in a new figure.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : AveragePrecisionComparisonDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `average_precision` names an unknown area, or the arrays differ in size.
        """
        values = self.average_precision
        if not isinstance(values, Mapping) or not values or set(values) - set(AREAS):
            raise ValueError(
                f"average_precision must map some of {', '.join(map(repr, AREAS))} to values; got {values!r}."
            )
        (points,) = points_of(
            [self.precision], [self.recall], None if self.detected is None else [self.detected]
        )
        paths = {area: paths_of(area, [points])[0] for area in AREAS if area in values}
        self._draw_on(ax)
        self.artists_: dict[str, Artist] = {area: self._draw(area, path) for area, path in paths.items()}
        label_axes(self.ax_, self._of_class())
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(0, 1.04))
        if despine:
            self._remove_spines()
        add_legend(self.ax_, list(values.values()))
        return self

    def _draw(self, area: str, path: Path) -> Artist:
        style = _STYLES[area]
        label = f"{AREAS[area].legend} = {rounded(self.average_precision[area], 3)}"
        if area == "step":
            # Bars of no width are left out: most thresholds of a rare class gain no recall.
            gains = np.diff(path.recall[::-1]) > 0
            bars = path.precision[-2::-1][gains]
            edges = np.append(0.0, path.recall[-2::-1][gains])
            if bars.size <= _FEW_BARS:
                self.ax_.vlines(edges[1:-1], 0, bars[:-1], color="w", linewidth=1, zorder=1.1)
            return self.ax_.stairs(bars, edges, color=lighter(SKY), label=label, **style)
        # Dots only: the steps of the eleven points lie on those of the interpolated curve.
        drawn = list(path.dots) or slice(None)
        if path.dots:  # dark on light axes, light on dark ones
            style = {**style, "color": self.ax_.spines["left"].get_edgecolor()}
        (line,) = self.ax_.plot(
            path.recall[drawn], path.precision[drawn], drawstyle=path.drawstyle, label=label, **style
        )
        return line

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        pos_label: Label | None = None,
        ax: Axes | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the areas of given scores; with `n_positives`, only the areas whose score accepts it.

        Parameters
        ----------
        y_true, y_score, sample_weight, query_id, n_positives, pos_label : data and options
            As for :meth:`AveragePrecisionDisplay.from_predictions`.

        ax, despine : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : AveragePrecisionComparisonDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If there is no positive; then recall is 1 at all thresholds, as in scikit-learn.

        Raises
        ------
        ValueError
            For the labels, scores and weights that :func:`hit_curve` refuses.

        See Also
        --------
        AveragePrecisionDisplay.from_predictions : One of the areas.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionComparisonDisplay
        >>> display = AveragePrecisionComparisonDisplay.from_predictions([1, 0, 1], [0.9, 0.8, 0.7])
        >>> round(display.average_precision["step"], 3)
        0.833
        """
        rows = GivenRows(y_true, y_score, pos_label, sample_weight, query_id, n_positives).gathered()
        return cls._of_rows(rows).plot(ax, despine=despine)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        ax: Axes | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the areas of a fitted classifier on data.

        Parameters
        ----------
        estimator, X, y, sample_weight, query_id, n_positives, response_method, pos_label : data and options
            As for :meth:`AveragePrecisionDisplay.from_estimator`.

        ax, despine : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : AveragePrecisionComparisonDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator is not a binary classifier, or does not know `pos_label` or a class of `y`.

        See Also
        --------
        AveragePrecisionDisplay.from_estimator : One of the areas.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionComparisonDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = AveragePrecisionComparisonDisplay.from_estimator(model, X[1::2], y[1::2])
        >>> round(display.average_precision["step"], 3)
        0.991
        """
        rows = rows_of_estimator(estimator, X, y, response_method, pos_label)
        rows = rows._replace(sample_weight=sample_weight, query_id=query_id, n_positives=n_positives)
        return cls._of_rows(rows).plot(ax, despine=despine)

    @classmethod
    def _of_rows(cls, rows: GivenRows) -> Self:
        """Return a display of one ranking; `plot` has not been called yet."""
        (precision, recall, detected), values, _ = drawn_ranking(rows, areas_of(rows.n_positives))
        return cls(precision, recall, average_precision=values, pos_label=rows.positive, detected=detected)
