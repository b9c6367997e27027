"""The public class `RankingState`: a ranking that is stored as the distinct scores of
each class, with their counts and weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from .._core.reading.options import short_repr
from .._core.reading.read import read, read_labels, read_weights
from .._core.reading.values import on_host
from .._core.typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
    ScoreFunction,
)
from ._arguments import BoundScore, resolve_score
from ._batches import Rows
from ._few_rows import arguments_above_cut, depth_of

OneScore = str | ScoreFunction
# `Iterable` would also match a name, so that the overloads of `score` would overlap.
ScoreList = list[Any] | tuple[Any, ...]

# float64 represents all whole numbers up to this one.
_MAX_COUNT = 2**53
# A score that cannot be computed from sums may need this many rows in memory.
_MOST_ROWS = 2**28
# The arrays that `from_arrays` requires. `counts`, `neg_label` and `sample_weight` are
# optional.
_ARRAYS = "positive", "y_score", "pos_label"


class _Entries(NamedTuple):
    """Rows of a state. Each entry stands for several equal rows."""

    score: AnyArray
    positive: BoolArray
    # The weight of each row of the entry.
    weight: FloatArray
    # The number of rows of the entry.
    counts: IntArray


_NO_ENTRIES = _Entries(
    np.empty(0), np.empty(0, bool), np.empty(0), np.empty(0, np.int64)
)


class _Contents(NamedTuple):
    """The rows of a state. A state replaces its contents and never changes them, so
    that another thread reads parts and a label that belong together.
    """

    # The first part is sorted, and has no equal rows in two entries. The other parts are
    # joined to it once they have as many entries.
    parts: tuple[_Entries, ...] = (_NO_ENTRIES,)
    # The label of the negatives; empty if no update has contained a negative.
    neg_labels: tuple[Label, ...] = ()


class RankingState:
    """A ranking whose rows arrive in parts: updated, merged, stored and scored.

    Update the state of a batch, file, day or machine with rows, and merge states in any
    order. A score is then the number that its function returns for all rows at once. A
    state grows with the distinct scores of each class, so rounded scores bound its
    size.

    .. versionadded:: 0.1

    Parameters
    ----------
    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`.

    See Also
    --------
    sklearn_ap.average_precision_score, sklearn_ap.get_scorer_names

    Notes
    -----
    *Exactness*: scores equal those in memory to 1e-14 (with weights that differ, to
    1e-12). Scores of several types are stored in their common type
    (:func:`numpy.result_type`), and an update raises an error if this type would round
    one of them.

    *Memory*: 21 bytes per distinct score and class if scores are float32, 25 otherwise.
    To compute a score, a state takes several times as much. A rank, a cut and an order
    of ties need one row per sample, those of a cut without weights only up to the cut.

    *Threads*: several threads may update a state. A state per thread, merged at the end,
    is faster.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.distributed import RankingState
    >>> monday = RankingState().update([0, 1, 0], [0.3, 0.8, 0.9])
    >>> tuesday = RankingState().update([1, 1], [0.7, 0.2])
    >>> stored = monday.to_arrays()
    >>> both = RankingState.from_arrays(stored).merge(tuesday)
    >>> both
    RankingState(n_samples=5, n_positives=3)
    >>> both.score("average_precision")
    0.5888888888888889
    >>> average_precision_score([0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2])
    0.5888888888888889
    """

    def __init__(self, *, pos_label: Label = 1) -> None:
        self._pos_label = _read_label("pos_label", pos_label)
        self._contents = _Contents()
        # A thread acquires this lock to replace the contents.
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return RankingState.from_arrays, (self.to_arrays(),)

    @property
    def pos_label(self) -> Label:
        """Label of the positives."""
        return self._pos_label

    @property
    def n_samples(self) -> int:
        """Number of rows whose weight is not 0."""
        return int(self._rows().counts.sum())

    @property
    def n_positives(self) -> int:
        """Number of positives."""
        rows = self._rows()
        return int(rows.counts[rows.positive].sum())

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> RankingState:
        """Add rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels, the same two in all updates.

        y_score : array-like of shape (n_samples,)
            Scores. The row with the highest score ranks first.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped. Rows without
            weights have weight 1.

        Returns
        -------
        state : RankingState
            The state itself. If an error is raised, it does not change.

        Raises
        ------
        ValueError
            For input for which :func:`sklearn_ap.average_precision_score` raises it,
            such as NaN or no rows; for labels that differ from those of earlier updates;
            and for scores that no type represents together with the earlier ones.
        """
        inputs = PassedRows(y_true, y_score, "macro", self._pos_label, sample_weight)
        return self._add(_read_rows(inputs, caller="RankingState.update"))

    def _add(self, added: _Contents) -> RankingState:
        """Add rows, and return the state. Raise ValueError if the label of negatives
        differs, or if no type represents all scores exactly.
        """
        with self._lock:
            before = self._contents
            neg_labels = before.neg_labels + added.neg_labels
            if len({*neg_labels}) > 1:
                raise ValueError(
                    "y_true must contain the same two labels in all updates; got "
                    f"{neg_labels[1]!r} after {neg_labels[0]!r}, with "
                    f"pos_label={self._pos_label!r}."
                )
            parts = before.parts + added.parts
            # An error about types must not come later.
            _check_types([part.score for part in parts if part.score.size])
            first, *others = (part.score.size for part in parts)
            if sum(others) >= first:
                parts = (_joined(parts),)
            self._contents = _Contents(parts, neg_labels[:1])
        return self

    def merge(self, *others: RankingState | Iterable[RankingState]) -> RankingState:
        """Add the rows of other states, which do not change.

        Parameters
        ----------
        *others : RankingState, or iterable of RankingState
            States with the same `pos_label`. A generator is read state by state, so
            that only one of them and the sum are in memory.

        Returns
        -------
        state : RankingState
            The state itself. If an error is raised, it does not change.

        Raises
        ------
        TypeError
            If one of `others` is neither a state nor an iterable of states.
        ValueError
            If the states have other labels, or scores that no type represents exactly.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> days = [RankingState().update([0, 1], [0.2, score]) for score in (0.7, 0.1)]
        >>> RankingState().merge(days)
        RankingState(n_samples=4, n_positives=2)
        """
        # Add up the other states first, so that this state does not change if one of
        # them raises an error.
        total = RankingState(pos_label=self._pos_label)
        for other in others:
            for state in other if isinstance(other, Iterable) else (other,):
                if not isinstance(state, RankingState):
                    got = type(state).__name__
                    raise TypeError(
                        f"others must be RankingState, or an iterable of them; got {got}."
                    )
                # 1 and True are equal, but not the same label.
                if repr(state._pos_label) != repr(self._pos_label):
                    raise ValueError(
                        f"pos_label must be the same in states that are merged; got {self._pos_label!r} and "
                        f"{state._pos_label!r}."
                    )
                total._add(state._contents)
                # Release the state before the generator returns the next one.
                del state
        return self._add(total._contents)

    @overload
    def score(self, score_func: OneScore = ..., **score_func_params: Any) -> float: ...
    @overload
    def score(
        self, score_func: ScoreList, **score_func_params: Any
    ) -> dict[str, float]: ...
    def score(
        self,
        score_func: OneScore | ScoreList = "average_precision",
        **score_func_params: Any,
    ) -> float | Any:
        """Return a score of all rows, or several scores.

        Parameters
        ----------
        score_func : str or callable, or list of these, default="average_precision"
            A name as in :func:`sklearn_ap.get_scorer`, such as
            ``'average_precision@100'`` or ``'recall@0.05'``, or a score of this
            package, such as :func:`sklearn_ap.average_precision_at_k_score`. Rows are
            ranked once for all scores of a list.

        **score_func_params : additional arguments
            Arguments of every score, such as ``ties='expected'`` or
            ``prevalence=0.01``. `sample_weight` and `pos_label` are properties of the
            rows, and there are no queries.

        Returns
        -------
        score : float, or dict of str to float
            In [0, 1], higher is better. For a list, a dict by name, in its order; the
            name of a function is its ``__name__``.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such
            argument.
        ValueError
            If the state has no rows, there is no such score, an argument has a wrong
            value, or ``ties='stable'``, since the order of rows is not kept.

        Warns
        -----
        UserWarning
            If there is no positive and ``zero_division='warn'``.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> state = RankingState().update([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
        >>> state.score(["average_precision", "recall@2"])
        {'average_precision': 0.5, 'recall@2': 0.5}
        """
        if not isinstance(score_func, list | tuple):
            [value] = self.score([score_func], **score_func_params).values()
            return value
        specs = [resolve_score(score, score_func_params) for score in score_func]
        rows = self._rows()
        if not rows.score.size:
            raise ValueError(
                "RankingState is empty: update it with rows, or merge states with rows."
            )
        return {
            spec.name: float(spec.function(pos_label=True, **_arguments(rows, spec)))
            for spec in specs
        }

    def _rows(self) -> _Entries:
        """Return all rows, sorted by score, and store them in this order."""
        with self._lock:
            parts = self._contents.parts
            if len(parts) > 1:
                parts = (_joined(parts),)
                self._contents = self._contents._replace(parts=parts)
            return parts[0]

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the state as plain arrays.

        They can be written by numpy.savez or to Parquet, or sent to another process.
        States with the same rows return the same arrays.

        Returns
        -------
        arrays : dict of str to ndarray
            ``'y_score'``: the distinct scores, sorted. A score of both classes has two
            entries. ``'positive'``: whether the rows of the entry are positive.
            ``'counts'``: the number of rows. If weights differ from 1,
            ``'sample_weight'``: the weight of each row of the entry; rows of a score with
            different weights have an entry per weight. ``'pos_label'`` and, once an
            update has contained a negative, ``'neg_label'``: the labels, in arrays of
            shape ().

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> arrays = RankingState().update([0, 1, 1], [0.2, 0.7, 0.7]).to_arrays()
        >>> arrays["y_score"], arrays["counts"]
        (array([0.2, 0.7]), array([1, 2]))
        """
        rows = self._rows()
        arrays: dict[str, AnyArray] = {
            "positive": rows.positive.copy(),
            "y_score": rows.score.copy(),
            "counts": rows.counts.copy(),
            "pos_label": np.array(self._pos_label),
        }
        for neg_label in self._contents.neg_labels:
            arrays["neg_label"] = np.array(neg_label)
        if (rows.weight != 1).any():
            arrays["sample_weight"] = rows.weight.copy()
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> RankingState:
        """Return a state with the contents of these arrays.

        If `to_arrays` returned them, scores are the same numbers, to the last bit.

        Parameters
        ----------
        arrays : mapping of str to array-like
            The arrays of `to_arrays`, also as columns of a data frame, in which each row
            contains the labels; or the result of a query of a database with
            ``count(*)``, grouped by label and score. Rows may be in any order, and may
            be those of several states. Without ``'counts'``, each entry is one row.

        Returns
        -------
        state : RankingState
            A new state.

        Raises
        ------
        TypeError
            If `arrays` is not a mapping.
        ValueError
            If an array is missing, or has values for which :meth:`update` raises a
            ValueError.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> RankingState.from_arrays(RankingState().update([0, 1], [0.2, 0.7]).to_arrays())
        RankingState(n_samples=2, n_positives=1)
        """
        if not isinstance(arrays, Mapping):
            raise TypeError(
                f"arrays must be a mapping of arrays; got {type(arrays).__name__}."
            )
        # A file of numpy reads an array again at each access.
        arrays = dict(arrays)
        missing = [name for name in _ARRAYS if name not in arrays]
        if missing:
            raise ValueError(f"arrays must have {missing}; got {[*arrays]}.")
        state = cls(pos_label=arrays["pos_label"])
        neg_labels: tuple[Label, ...] = ()
        if "neg_label" in arrays:
            neg_labels = (_read_label("neg_label", arrays["neg_label"]),)
            if neg_labels[0] == state._pos_label:
                raise ValueError(
                    "neg_label must be a label other than pos_label="
                    f"{state._pos_label!r}; got {neg_labels[0]!r}."
                )
        names = "positive", "y_score", "sample_weight", "counts"
        columns: list[Any] = [arrays.get(name) for name in names]
        sizes = {np.size(column) for column in columns if column is not None}
        rows = _Contents()
        # `read` raises an error for rows of which there are none, but a state may be
        # empty.
        if sizes != {0}:
            positive, y_score, weight, counts = columns
            inputs = PassedRows(positive, y_score, "macro", True, weight)
            rows = _read_rows(inputs, counts, caller="RankingState.from_arrays")
            if {*rows.neg_labels} - {False}:
                raise ValueError(
                    "positive must be True or False for each row, or 1 or 0; got "
                    f"{rows.neg_labels[0]!r}."
                )
        return state._add(rows._replace(neg_labels=neg_labels))

    def __repr__(self) -> str:
        return (
            f"RankingState(n_samples={self.n_samples}, n_positives={self.n_positives})"
        )


def _read_rows(inputs: PassedRows, counts: Any = None, *, caller: str) -> _Contents:
    """Return checked rows with their counts. Rows with weight 0 or count 0 are dropped."""
    weight = None
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight)
        # `read` raises an error if all weights are 0. Here, other updates may have
        # weights above 0. So let `read` check the number of weights only.
        inputs = inputs._replace(sample_weight=np.ones_like(weight))
    positive, score, *_ = read(inputs, caller=caller)
    if positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    if weight is None:
        weight = np.ones(score.size)
    n_rows = np.ones(score.size, dtype=np.int64)
    if counts is not None:
        n_rows = _read_counts(counts, score.size)
    # Adding 0 changes -0.0 to 0.0, so that both are stored as one score.
    score = score + score.dtype.type(0)
    neg_labels = _negative_labels(inputs, positive)
    # Taking rows copies them, since the caller may change its arrays later.
    kept = np.flatnonzero((n_rows > 0) & (weight > 0))
    rows = _Entries(score[kept], positive[kept], weight[kept], n_rows[kept])
    return _Contents((rows,), neg_labels)


def _negative_labels(inputs: PassedRows, positive: BoolArray) -> tuple[Label, ...]:
    """Return the label of the negatives, if there are negatives. Raise ValueError if
    there is a third label, which a score in memory may count as negative, too.
    """
    labels, *_ = read_labels(on_host("y_true", inputs.y_true))
    negatives = labels.ravel()[~positive]
    # `tolist` turns numbers of numpy into those of Python.
    neg_labels: list[Label] = negatives[:1].tolist()
    others = negatives[negatives != negatives[:1]]
    if others.size:
        raise ValueError(
            f"y_true must contain two labels; got {neg_labels[0]!r} and "
            f"{others[0]!r} next to pos_label={inputs.pos_label!r}."
        )
    return tuple(neg_labels)


def _check_types(scores: Sequence[AnyArray]) -> None:
    """Raise ValueError if the common type of scores would round a score."""
    # Of the types of scores, only float64 rounds, and only integers of 64 bits.
    common = np.result_type(bool, *scores)
    for score in scores:
        if common.kind == "f" and score.dtype.kind in "iu":
            largest = max(int(score.min()), int(score.max()), key=abs)
            if abs(largest) > _MAX_COUNT:
                raise ValueError(
                    f"y_score must have a type that represents all scores; {common}, the "
                    f"common type of all updates, would round {largest}."
                )


def _joined(parts: Sequence[_Entries]) -> _Entries:
    """Return each distinct combination of score, label and weight with its number of
    rows, sorted by score.
    """
    # A part without rows may have another type of scores.
    filled = [part for part in parts if part.score.size] or parts[:1]
    score, positive, weight, counts = map(np.concatenate, zip(*filled, strict=True))
    # `lexsort` sorts by its last key first. It is fast for rows that consist of a few
    # sorted parts, such as the rows of merged states.
    order = np.lexsort((weight, ~positive, score))
    columns = [column[order] for column in (score, positive, weight)]
    # Equal rows are neighbours in this order, so a row is new if it differs from the
    # previous one.
    is_new = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    start = np.flatnonzero(np.append(True, is_new)[: order.size])
    score, positive, weight = (column[start] for column in columns)
    return _Entries(score, positive, weight, np.add.reduceat(counts[order], start))


def _arguments(rows: _Entries, spec: BoundScore) -> dict[str, Any]:
    """Return the arguments of the ordinary function with the score of all rows."""
    score, positive, weight, counts = rows
    if spec.takes_sums:
        return {"y_true": positive, "y_score": score, "sample_weight": weight * counts}
    totals = np.bincount(positive, counts, minlength=2)
    depth = depth_of(spec.definition.k, totals)
    is_weighted = (weight != 1).any()
    first = 0
    if not is_weighted:
        # The first row of those tied at the cut.
        at_cut = counts.cumsum().searchsorted(totals.sum() - depth, side="right")
        first = score.searchsorted(score[at_cut])
    n_rows = counts[first:].sum()
    if n_rows > _MOST_ROWS:
        raise ValueError(
            f"{spec.name}: requires {n_rows:,} rows in memory; a state can have at most "
            f"{_MOST_ROWS:,} rows above a cut or tied at it, and in all with weights."
        )
    every_row = np.repeat(np.arange(first, counts.size), counts[first:])
    best = Rows(positive[every_row], score[every_row], weight[every_row])
    if is_weighted:
        return best._asdict()
    return arguments_above_cut(best, depth, totals, spec)


def _read_counts(counts: Any, size: int) -> IntArray:
    """Return the number of rows of each entry."""
    # Some databases return sums of integers as floats.
    n_rows = read_weights("counts", counts)
    if n_rows.size != size or (n_rows % 1).any() or n_rows.sum() > _MAX_COUNT:
        raise ValueError(
            f"counts must be a whole number for each of {size} rows, with a sum up to "
            f"2**53; got {short_repr(counts)}."
        )
    return n_rows.astype(np.int64)


def _read_label(name: str, labels: ArrayLike) -> Label:
    """Return the only label that an array contains. Raise ValueError if it contains
    several labels, none, or a missing value.
    """
    distinct: list[Any] = [*{*np.ravel(labels).tolist()}]
    is_label = [
        isinstance(label, int | float | str) and label == label for label in distinct
    ]
    if is_label != [True]:
        raise ValueError(
            f"{name} must be one int, float, bool or str; got {distinct[:3]}."
        )
    label: Label = distinct[0]
    return label
