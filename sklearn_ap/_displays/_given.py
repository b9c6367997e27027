"""What a display was given: rows to rank, or arrays, which are checked so that no wrong picture is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._areas._path import CurvePoints
from .._reading import Checked, gathered, is_real, read_curve
from .._typing import FloatArray, Label, Totals
from ._figure import one_each

__all__ = ["GivenRows", "Hits", "Perfect", "hits_of_each", "points_of", "share_each", "shares_of"]

_ROUNDING = 1e-9  # what sums of weights may be off by, since users may have computed them otherwise


class GivenRows(NamedTuple):
    """The rows of a lone ranking, as the caller passed them."""

    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label | None
    sample_weight: ArrayLike | None = None
    query_id: ArrayLike | None = None
    n_positives: Totals | None = None

    def gathered(self) -> "GivenRows":
        """Return the rows in memory, for displays that read them more than once."""
        names = ("y_true", "y_score", "sample_weight", "query_id")
        return self._replace(**gathered(**{name: getattr(self, name) for name in names}))

    def read(self, caller: str) -> Checked:
        """Check the rows; `caller` is the public method, for scikit-learn's error texts."""
        return read_curve(
            self.y_true,
            self.y_score,
            caller=caller,
            pos_label=self.pos_label,
            sample_weight=self.sample_weight,
            query_id=self.query_id,
        )


def shares_of(name: str, values: ArrayLike, shape: tuple[int, ...], wanted: str) -> FloatArray:
    """Return numbers in [0, 1] of the wanted shape."""
    if np.shape(values) != shape or len(shape) != 1:
        raise ValueError(f"{name} must be {wanted}; got one of shape {np.shape(values)}.")
    array: FloatArray = np.asarray(values, dtype=np.float64)
    if not ((array >= -_ROUNDING) & (array <= 1 + _ROUNDING)).all():
        raise ValueError(f"{name} must hold shares, from 0 to 1; got {_shown(array)}.")
    return array


def _shown(array: FloatArray) -> str:
    """Return the first and last numbers of an array."""
    return np.array2string(array, threshold=10)


def share_each(name: str, values: ArrayLike | None, n_curves: int) -> list[float] | None:
    """Return one share per curve, or None."""
    shares = one_each(name, values, n_curves)
    if shares is not None:
        shares_of(name, shares, (n_curves,), "a number for each curve")
    return shares


def points_of(
    precision: Sequence[ArrayLike] | None,
    recall: Sequence[ArrayLike] | None,
    detected: Sequence[ArrayLike] | None,
) -> list[CurvePoints]:
    """Check the operating points of each curve."""
    given = {"precision": precision, "recall": recall, "detected": detected}
    for name in ("precision", "recall"):
        if given[name] is None:
            raise ValueError(f"{name} must be given, as precision_recall_curve returns it; got None.")
    several = {name: curves for name, curves in given.items() if curves is not None}
    wanted = [(np.size(one),) for one in several["precision"]]
    for name, curves in several.items():
        shapes = [np.shape(one) for one in curves]
        if shapes != wanted or min(wanted) < (2,):
            raise ValueError(
                f"{name} must be a 1-D array, one value per threshold and one for the closing point, of the "
                f"size of precision; or a list of such arrays. Got {shapes}; precision has {wanted}."
            )
    arrays = {
        name: [shares_of(name, one, np.shape(one), "a 1-D array") for one in curves]
        for name, curves in several.items()
    }
    # Recall and the share detected fall as the threshold rises; precision may go up and down.
    for name in set(arrays) - {"precision"}:
        for one in arrays[name]:
            if one[-1] != 0 or (np.diff(one) > _ROUNDING).any():
                raise ValueError(
                    f"{name} must fall to 0, at the closing point that precision_recall_curve adds; got "
                    f"{_shown(one)}."
                )
    return [CurvePoints(*one) for one in zip(*arrays.values(), strict=True)]


class Hits(NamedTuple):
    """A hit curve over rows."""

    n_rows: FloatArray  # that each threshold detects
    h: FloatArray  # hits as a share of all samples or, with weights, of their weight
    n_samples: float  # rows and missed positives
    prevalence: float
    weighted: bool
    perfect: tuple[FloatArray, FloatArray] | None  # rows and h; None if it is not known
    total_weight: float | None  # of all samples; None if it is not known


Perfect = tuple[ArrayLike, ArrayLike]  # shares of rows, and hits


def hits_of_each(
    detected: ArrayLike | Sequence[ArrayLike],
    hits: ArrayLike | Sequence[ArrayLike],
    *,
    prevalence: float | Sequence[float],
    n_rows: ArrayLike | Sequence[ArrayLike],
    perfect: Perfect | Sequence[Perfect | None] | None,
    total_weight: float | Sequence[float] | None,
) -> list[Hits]:
    """Check one hit curve, or several: then each argument is a list with one entry per curve."""
    given: dict[str, Any] = {
        "detected": detected,
        "hits": hits,
        "prevalence": prevalence,
        "n_rows": n_rows,
        "perfect": perfect,
        "total_weight": total_weight,
    }
    if not (isinstance(detected, list | tuple) and detected and np.ndim(detected[0])):
        return [_hits_of(**given)]
    n_curves = len(detected)
    for name, values in given.items():
        if values is None and name in ("perfect", "total_weight"):
            given[name] = [None] * n_curves
        elif not isinstance(values, Sequence | np.ndarray) or len(values) != n_curves:
            raise ValueError(f"{name} must hold one entry for each of {n_curves} curves; got {values!r}.")
    return [_hits_of(**dict(zip(given, one, strict=True))) for one in zip(*given.values(), strict=True)]


def _hits_of(
    detected: ArrayLike,
    hits: ArrayLike,
    *,
    prevalence: float,
    n_rows: ArrayLike,
    perfect: Perfect | None,
    total_weight: float | None = None,
) -> Hits:
    """Check a hit curve, and return it with the number of rows at each of its points.

    Without weights, the share of rows is the share of samples, and hits are whole numbers. A curve for which
    either is untrue has weights.
    """
    shape = (np.size(detected),)
    samples = _rising("detected", detected, shape)
    h = _rising("hits", hits, shape)
    rows = _rows_at(n_rows, samples)
    missed = 1 - samples[-1]
    if not abs(prevalence - h[-1] - missed) <= _ROUNDING:
        raise ValueError(
            f"prevalence must be the share of positives among all samples, {h[-1] + missed:.6g} by detected "
            f"and hits; got {prevalence!r}."
        )
    t = rows / rows[-1] * samples[-1]
    n_samples = float(_whole_where_near(rows[-1] / samples[-1]))
    if total_weight is not None and not (is_real(total_weight) and 0 < total_weight < np.inf):
        raise ValueError(f"total_weight must be None or a number above 0; got {total_weight!r}.")
    counted = np.abs(samples - t).max() <= _ROUNDING and _are_whole(h / samples[-1] * rows[-1])
    weighted = perfect is not None or not counted
    if not weighted:
        perfect = (0.0, prevalence, 1.0), (0.0, prevalence, prevalence)
        total_weight = n_samples if total_weight is None else total_weight
    best = None if perfect is None else _perfect(perfect, t, h, prevalence)
    best = None if best is None else (_whole_where_near(best[0] * n_samples), best[1])
    weight = None if total_weight is None else float(total_weight)
    return Hits(rows, h, n_samples, prevalence, weighted, best, weight)


def _whole_where_near(counts: ArrayLike) -> FloatArray:
    """Return counts of rows, whole where a product of a share was rounded; totals may be fractions."""
    given: FloatArray = np.asarray(counts, dtype=np.float64)
    whole = np.rint(given)
    near: FloatArray = np.where(np.abs(given - whole) <= _ROUNDING * np.maximum(whole, 1), whole, given)
    return near


def _rising(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return shares that rise from 0."""
    array = shares_of(name, values, shape, f"a 1-D array of the size of detected, {shape[0]}")
    if array.size < 2 or array[0] != 0 or (np.diff(array) < -_ROUNDING).any() or array[-1] > 1 + _ROUNDING:
        raise ValueError(f"{name} must rise from 0, as hit_curve returns it; got {_shown(array)}.")
    return array


def _rows_at(n_rows: ArrayLike, samples: FloatArray) -> FloatArray:
    """Return the number of rows at each threshold; a single number is the total, without weights."""
    is_total = np.ndim(n_rows) == 0
    if not is_total and np.shape(n_rows) != samples.shape:
        raise ValueError(
            f"n_rows must be an integer, or a 1-D array of the size of detected, {samples.size}; got one of "
            f"shape {np.shape(n_rows)}."
        )
    rows: FloatArray = np.asarray(n_rows, dtype=np.float64)
    if is_total:
        # Without weights, `detected` is a share of rows. Zeros are refused below, with the value given.
        known = samples[-1] > 0 and np.isfinite(rows)
        rows = samples / samples[-1] * rows if known else np.zeros(samples.size)
    if not (_are_whole(rows) and rows[0] == 0 and (np.diff(np.rint(rows)) > 0).all()):
        raise ValueError(
            f"n_rows must count the rows of each threshold, rising from 0; got {n_rows!r}"
            + ("; detected gives no whole numbers of rows: with weights, pass an array." if is_total else ".")
        )
    return np.rint(rows)


def _are_whole(counts: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which is not whole
        return bool((np.abs(counts - np.rint(counts)) <= 1e-4).all())


def _perfect(
    perfect: tuple[ArrayLike, ArrayLike], t: FloatArray, h: FloatArray, prevalence: float
) -> tuple[FloatArray, FloatArray]:
    """Check the perfect curve: it has to lie on or above the hit curve."""
    if len(perfect) != 2 or np.shape(perfect[0]) != np.shape(perfect[1]):
        raise ValueError(f"perfect must be two arrays of one size, shares of rows and hits; got {perfect!r}.")
    rows, best = (_rising("perfect", one, (np.size(one),)) for one in perfect)
    if abs(best[-1] - prevalence) > _ROUNDING or (np.interp(t, rows, best) < h - _ROUNDING).any():
        raise ValueError(
            f"perfect must lie on or above the hit curve and end at the prevalence, {prevalence:.6g}; got "
            f"hits {_shown(best)} at the shares {_shown(rows)}."
        )
    return rows, best
