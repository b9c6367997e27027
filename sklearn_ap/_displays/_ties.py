"""Average precision at each cut k of one ranking, and how far the order of equal scores can change it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from .._api import curve_in
from .._public import warn_user
from .._ranking._cut import cut_depth
from .._ranking._rankings import Curve
from .._reading._options import NORMALIZERS, check_option, read_k
from .._reading._read import Checked
from .._scores._at_k import average_precision_at_k_score
from .._typing import (
    Estimator,
    Features,
    FloatArray,
    IntArray,
    Label,
    Normalizer,
    ResponseMethod,
    Ties,
    Totals,
)
from ._figure import (
    BLUE,
    VERMILION,
    Display,
    Style,
    import_pyplot,
    style_of,
    whole_ticks,
)
from ._input import GivenRows, rows_of_estimator, shares_of

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D


_MAX_K = 50  # the default
_AXIS_LABEL = "Average precision at k"  # divided by the most positives that k rows could hold
_POLICIES: tuple[Ties, ...] = ("pessimistic", "optimistic", "expected", "proportional")
_WITH_MARKERS = 15  # the markers of more cuts would overlap
_BAND_STYLE: Style = {"facecolor": "0.86", "edgecolor": "0.6", "linewidth": 1.0, "zorder": 1}
_EXPECTED_STYLE: Style = {
    "label": "Expected (mean over orders)",
    "color": BLUE,
    "linestyle": "-",
    "markersize": 5,
}
_PROPORTIONAL_STYLE: Style = {
    "label": "Proportional (one threshold)",
    "color": VERMILION,
    "linestyle": "--",
    "markersize": 5,
}


@dataclass(eq=False, repr=False)
class TieDisplay(Display):
    r"""AP@k against `k`, and how far the order of equal scores can change it.

    The lower edge of the band is the order with the negatives first among equal scores, the upper edge the
    order with the positives first. The line ``'expected'`` is the mean over all orders. The line
    ``'proportional'`` treats equal scores as one threshold, as :func:`average_precision_score` does. The
    vertical axis shows the range of the values, which need not reach 0 or 1. Create a display by
    :meth:`from_estimator` or :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    k : array-like of shape (n_cuts,)
        Numbers of rows at which the ranking is cut, increasing.

    pessimistic, optimistic, expected, proportional : array-like of shape (n_cuts,)
        Average precision at each `k`, one array per order of equal scores.

    normalizer : {'min', 'n_positives', 'k', 'hits'}, default='min'
        The divisor of the sum of precisions, for the axis label.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curves, and their figure.

    band_ : matplotlib PolyCollection
        The band from the pessimistic to the optimistic order.

    expected_line_, proportional_line_ : matplotlib Line2D
        The two lines.

    See Also
    --------
    average_precision_at_k_score : The numbers that are drawn.

    Notes
    -----
    The mean over all orders stays within the band. The proportional value can lie outside: four equal
    positives ranked below two negatives give 2/3 at ``k=6``, but 21/40 in every order. A band without height
    therefore means that the order of equal scores does not matter, not that all conventions agree. With
    ``normalizer='hits'``, other orders can give values outside the band.

    References
    ----------
    .. [1] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures Efficiently in the
       Presence of Tied Scores", ECIR 2008. :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from sklearn_ap import TieDisplay
    >>> display = TieDisplay.from_predictions([0, 0, 1, 1, 1, 1], [3, 2, 1, 1, 1, 1])
    >>> display.expected_line_.get_ydata()[-1].round(3), display.proportional_line_.get_ydata()[-1].round(3)
    (np.float64(0.525), np.float64(0.667))
    """

    k: ArrayLike
    _: KW_ONLY
    pessimistic: ArrayLike
    optimistic: ArrayLike
    expected: ArrayLike
    proportional: ArrayLike
    normalizer: Normalizer = "min"
    pos_label: Label | None = None

    def plot(
        self,
        ax: Axes | None = None,
        *,
        band_kwargs: Style | None = None,
        expected_kwargs: Style | None = None,
        proportional_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the band and the two lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        band_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.fill_between` for the band.

        expected_kwargs, proportional_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the lines.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : TieDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the arrays are empty or differ in size, `k` does not increase, a value is outside [0, 1], or
            `normalizer` is unknown.
        """
        drawn = self._checked()
        low, high = drawn["pessimistic"], drawn["optimistic"]
        # A band without height is invisible, so the legend has to say that it is there.
        agree = np.allclose(low, high, rtol=0)
        label = "Pessimistic and optimistic order agree" if agree else "Pessimistic to optimistic order"
        band = style_of("patch", band_kwargs, **_BAND_STYLE, label=label)
        few = drawn["k"].size <= _WITH_MARKERS
        expected = style_of("line", expected_kwargs, **_EXPECTED_STYLE, marker="o" if few else "")
        proportional = style_of("line", proportional_kwargs, **_PROPORTIONAL_STYLE, marker="s" if few else "")
        self._draw_on(ax)
        self.band_: PolyCollection = self.ax_.fill_between(drawn["k"], low, high, **band)
        self.expected_line_: Line2D
        self.proportional_line_: Line2D
        (self.expected_line_,) = self.ax_.plot(drawn["k"], drawn["expected"], **expected)
        (self.proportional_line_,) = self.ax_.plot(drawn["k"], drawn["proportional"], **proportional)
        self._label_axes(despine)
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        max_k: int | float | None = None,
        normalizer: Normalizer = "min",
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        pos_label: Label | None = None,
        ax: Axes | None = None,
        band_kwargs: Style | None = None,
        expected_kwargs: Style | None = None,
        proportional_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw average precision at every `k` up to `max_k`.

        There is no `sample_weight`: with unequal weights, only the proportional value is defined.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels; any labels if `pos_label` is given.

        y_score : array-like of shape (n_samples,)
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        max_k : int, float or None, default=None
            Largest `k`: an int counts rows, a float in (0, 1] is a share of the rows. By default, the number
            of samples, but at most 50. The running time grows with it.

        normalizer : {'min', 'n_positives', 'k', 'hits'}, default='min'
            What the sum is divided by.

            - ``'min'``: min(k, R), the most positives that `k` rows can hold, so the best ranking scores 1.
            - ``'n_positives'``: all positives R.
            - ``'k'``: the number of rows `k`.
            - ``'hits'``: the positives found in the first `k` rows. This rewards a ranking for finding fewer.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking. `n_positives` may
            be a mapping from this query to its total.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight). Objects that were
            never detected and documents that were never retrieved count too. With `query_id`, a mapping or
            pandas Series may hold the total of the query. By default, the positives among the samples.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        ax, band_kwargs, expected_kwargs, proportional_kwargs, despine : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : TieDisplay
            The display, drawn.

        Warns
        -----
        UserWarning
            If there is no positive; then all values are 0.

        Raises
        ------
        ValueError
            For what :func:`hit_curve` refuses; for `max_k` or `normalizer` outside their values.

        Examples
        --------
        >>> from sklearn_ap import TieDisplay
        >>> display = TieDisplay.from_predictions([1, 0, 0, 1], [0.5, 0.5, 0.5, 0.5], max_k=2)
        >>> display.pessimistic, display.optimistic
        (array([0., 0.]), array([1., 1.]))
        """
        import_pyplot()
        rows = GivenRows(y_true, y_score, pos_label, query_id=query_id, n_positives=n_positives)
        return cls._of_rows(rows, max_k, normalizer).plot(
            ax,
            band_kwargs=band_kwargs,
            expected_kwargs=expected_kwargs,
            proportional_kwargs=proportional_kwargs,
            despine=despine,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        max_k: int | float | None = None,
        normalizer: Normalizer = "min",
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        ax: Axes | None = None,
        band_kwargs: Style | None = None,
        expected_kwargs: Style | None = None,
        proportional_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Rank the samples by an estimator, and draw average precision at every `k` up to `max_k`.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. Outlier
            detectors score inliers high; with ``pos_label=-1`` their negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Their labels.

        max_k, normalizer, query_id, n_positives : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        ax, band_kwargs, expected_kwargs, proportional_kwargs, despine : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : TieDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the estimator is not a binary classifier, or does not know `pos_label` or a class of `y`; for
            `max_k` or `normalizer` outside their values.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn_ap import TieDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = KNeighborsClassifier(3).fit(X[::2], y[::2])
        >>> display = TieDisplay.from_estimator(model, X[1::2], y[1::2], max_k=0.1)
        >>> display.k[-1], display.pessimistic[-1].round(2), display.expected[-1].round(2)
        (np.int64(28), np.float64(0.37), np.float64(0.9))
        """
        check_option("normalizer", normalizer, NORMALIZERS)
        read_k(max_k, "max_k")
        rows = rows_of_estimator(estimator, X, y, response_method, pos_label)
        rows = rows._replace(query_id=query_id, n_positives=n_positives)
        return cls._of_rows(rows, max_k, normalizer).plot(
            ax,
            band_kwargs=band_kwargs,
            expected_kwargs=expected_kwargs,
            proportional_kwargs=proportional_kwargs,
            despine=despine,
        )

    @classmethod
    def _of_rows(cls, rows: GivenRows, max_k: int | float | None, normalizer: Normalizer) -> Self:
        """Return a display of one ranking; `plot` has not been called yet."""
        check_option("normalizer", normalizer, NORMALIZERS)
        depth = read_k(max_k, "max_k")
        checked = rows.read()
        # Read and ranked once here, for the errors, and for the rows that the largest cut needs.
        curve = curve_in(checked, rows.n_positives)
        n_rows = np.array([float(checked.score.size)])
        largest = min(checked.score.size, _MAX_K) if depth is None else int(cut_depth(n_rows, depth)[0])
        k = np.arange(1, largest + 1)
        if not curve.ranking.n_positives.any():
            warn_user("No positive class found in y_true, average precision is set to zero for all k.")
        values = _at_every_k(checked, curve, k, normalizer)
        return cls(k, **values, normalizer=normalizer, pos_label=rows.positive)

    def _checked(self) -> dict[str, FloatArray]:
        """Check the constructor's arrays, and return the cuts and the values at each of them."""
        check_option("normalizer", self.normalizer, NORMALIZERS)
        size = np.size(self.k)
        wanted = f"a 1-D array, not empty, of the size of k, {size}"
        if np.ndim(self.k) != 1 or not size:
            raise ValueError(f"k must be {wanted}; got one of shape {np.shape(self.k)}.")
        k: FloatArray = np.asarray(self.k, dtype=np.float64)
        if not (k[0] >= 1 and (k == np.rint(k)).all() and (np.diff(k) > 0).all()):
            raise ValueError(f"k must hold numbers of rows from 1 on, increasing; got {self.k!r}.")
        return {"k": k} | {name: shares_of(name, getattr(self, name), (size,), wanted) for name in _POLICIES}

    def _label_axes(self, despine: bool) -> None:
        label = _AXIS_LABEL if self.normalizer == "min" else f"AP at k, normalizer {self.normalizer!r}"
        # An earlier display on the same axes may have had another normalizer: one label has to fit both.
        before = self.ax_.get_ylabel()
        if before.startswith((_AXIS_LABEL, "AP at k, ")) and before.split(" (Positive label")[0] != label:
            label = "AP at k, several normalizers"
        left, right = self.ax_.dataLim.intervalx  # of all displays on these axes
        margin = max(0.02 * (right - left), 0.1)  # with a single cut, left and right are the same
        low, high = self.ax_.dataLim.intervaly
        room = max(0.05 * (high - low), 0.01)  # where all values are equal, or differ by rounding alone
        self.ax_.set(
            xlabel="Number of rows, k",
            ylabel=label + self._of_class(),
            xlim=(left - margin, right + margin),
            ylim=(low - room, high + room),
        )
        whole_ticks(self.ax_)
        if despine:
            self._remove_spines((left, right), (low, high))
        self.ax_.legend(fontsize="small")


def _at_every_k(checked: Checked, curve: Curve, k: IntArray, normalizer: Normalizer) -> dict[str, FloatArray]:
    """Return average precision at each `k` for each order of equal scores.

    Each cut ranks the rows again, but only the tied groups that reach into the largest cut: few rows of a
    long ranking. The rows below count only through the number of all positives.
    """
    threshold, _, retrieved = curve.points
    # Thresholds rise, so the last one that retrieves enough rows is the highest of these.
    deep_enough = np.flatnonzero(retrieved >= min(k[-1], checked.score.size))
    rows = checked.score >= threshold[deep_enough[-1]]
    return {
        ties: np.array(
            [
                average_precision_at_k_score(
                    checked.positive[rows],
                    checked.score[rows],
                    k=cut,
                    ties=ties,
                    normalizer=normalizer,
                    n_positives=float(curve.ranking.n_positives[0]),
                    zero_division=0.0,
                )
                for cut in k.tolist()
            ]
        )
        for ties in _POLICIES
    }
