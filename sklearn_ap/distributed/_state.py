"""The public class `RankingState`: a ranking that is stored as the distinct scores of
each class, with their counts and weights; or as counts and weights at the scores of
positives, and between these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from .._core.reading.options import short_repr
from .._core.typing import AnyArray, Label, PassedRows, ScoreFunction
from ._arguments import arguments_of, resolve_score
from ._entries import (
    Entries,
    check_types,
    joined,
    joined_cells,
    no_entries,
    read_arrays,
    read_label,
    read_positive_scores,
    read_rows,
    with_places,
)

OneScore = str | ScoreFunction
# `Iterable` would also match a name, so that the overloads of `score` would overlap.
ScoreList = list[Any] | tuple[Any, ...]
# The arrays that `from_arrays` requires; and those that it requires of a state that knows
# the scores of positives. Without these scores, the places of two states look alike.
_REQUIRED = {"positive", "y_score", "pos_label"}
_REQUIRED_OF_CELLS = {"positive", "place", "pos_label", "positive_scores"}
_ONLY_OF_CELLS = {"place", "positive_scores", "mean_weight"}
_OPTIONAL = {"counts", "sample_weight", "neg_label"}


class _Contents(NamedTuple):
    """The rows of a state. A state replaces its contents and never changes them, so
    that another thread reads parts and a label that belong together.
    """

    # The first part is sorted, and has no equal rows in two entries. Each other part has
    # less than half of the entries of the part before it, so there are few parts, and a
    # row is seldom sorted again.
    parts: tuple[Entries, ...]
    # The label of the negatives; empty if no update has contained a negative.
    neg_labels: tuple[Label, ...] = ()


class RankingState:
    """A ranking whose rows arrive in parts: updated, merged, stored and scored.

    Update the state of a batch, file, day or machine with rows, and merge states in any
    order. A score is then the number that its function returns for all rows at once. A
    state grows with the distinct scores of each class, so rounded scores bound its
    size.

    Parameters
    ----------
    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`.

    positive_scores : array-like of shape (n_scores,), default=None
        The scores of all positives, also of those in other updates and states, in any
        order. Negatives between two of these scores then take one entry together, so
        that the scores of negatives do not add to the size of the state.

    See Also
    --------
    sklearn_ap.average_precision_score : Step average precision of whole rankings.
    sklearn_ap.get_scorer_names : Names of scores.

    Notes
    -----
    *Exactness*: scores equal those in memory to 1e-14 (with weights that differ, to
    1e-12). Scores of several types are stored in their common type
    (:func:`numpy.result_type`), and an update raises an error if this type would round
    one of them.

    *Memory*: 21 bytes per distinct score and class if scores are float32, 25 otherwise.
    To compute a score, a state takes several times as much. A rank, a cut and an order
    of ties need one row per sample, those of a cut without weights only up to the cut.
    With `positive_scores`, a state takes up to 83 bytes per distinct score of a positive:
    8 for the score, and 25 each for its positives, the negatives tied with it and those
    above it.

    *Positive scores*: no score depends on the order of negatives that no positive
    divides, so all scores are exact. Of weights that differ within a class, only sums
    are kept, so scores with a cut at `k` rows, a rank or an order of ties then raise an
    error.

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

    def __init__(
        self, *, pos_label: Label = 1, positive_scores: ArrayLike | None = None
    ) -> None:
        self._pos_label = read_label("pos_label", pos_label)
        self._positive_scores = None
        parts = (no_entries(),)
        if positive_scores is not None:
            self._positive_scores = read_positive_scores(positive_scores)
            parts = (no_entries(np.int64),)
        self._contents = _Contents(parts)
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
            for scores that no type represents together with the earlier ones; and for
            a positive whose score is not in `positive_scores`.
        """
        inputs = PassedRows(y_true, y_score, "macro", self._pos_label, sample_weight)
        rows, neg_labels = read_rows(inputs, caller="RankingState.update")
        if self._positive_scores is not None:
            rows = with_places(rows, self._positive_scores)
        return self._add(_Contents((rows,), neg_labels))

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
            # An error about types must not come later.
            check_types(before.parts, added.parts)
            parts = before.parts
            for part in added.parts:
                parts = self._with_part(parts, part)
            self._contents = _Contents(parts, neg_labels[:1])
        return self

    def _with_part(
        self, parts: tuple[Entries, ...], added: Entries
    ) -> tuple[Entries, ...]:
        """Return parts with one more, joined to those that are not twice as large."""
        n_kept, size = len(parts), added.score.size
        while n_kept and parts[n_kept - 1].score.size <= 2 * size:
            n_kept -= 1
            size += parts[n_kept].score.size
        # A join of cells takes as long as there are cells.
        if self._positive_scores is not None and size < parts[0].score.size:
            return (*parts, added)
        if n_kept < len(parts):
            added = self._joined((*parts[n_kept:], added))
        return (*parts[:n_kept], added)

    def _joined(self, parts: Sequence[Entries]) -> Entries:
        """Return the entries of all parts, sorted, and equal rows as one entry."""
        if self._positive_scores is None:
            return joined(parts)
        return joined_cells(parts)

    def merge(self, *others: RankingState | Iterable[RankingState]) -> RankingState:
        """Add the rows of other states, which do not change.

        Parameters
        ----------
        *others : RankingState, or iterable of RankingState
            States with the same `pos_label` and `positive_scores`. A generator is read
            state by state, so that only one of them and the sum are in memory.

        Returns
        -------
        state : RankingState
            The state itself. If an error is raised, it does not change.

        Raises
        ------
        TypeError
            If one of `others` is neither a state nor an iterable of states.
        ValueError
            If the states have other labels or other `positive_scores`, or scores that
            no type represents exactly.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> days = [RankingState().update([0, 1], [0.2, score]) for score in (0.7, 0.1)]
        >>> RankingState().merge(days)
        RankingState(n_samples=4, n_positives=2)
        """
        # Add up the other states first, so that this state does not change if one of
        # them raises an error.
        total = RankingState(
            pos_label=self._pos_label, positive_scores=self._positive_scores
        )
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
                ours, theirs = self._positive_scores, state._positive_scores
                if ours is not theirs and (
                    ours is None or theirs is None or not np.array_equal(ours, theirs)
                ):
                    raise ValueError(
                        "positive_scores must be the same in states that are merged; "
                        f"got {short_repr(ours)} and {short_repr(theirs)}."
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
            value, or ``ties='stable'``, since the order of rows is not kept. With
            `positive_scores` and weights that differ within a class, if the score does
            not depend on sums of weights alone.

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
            spec.name: float(spec.function(pos_label=True, **arguments_of(rows, spec)))
            for spec in specs
        }

    def _rows(self) -> Entries:
        """Return all rows, sorted by score, and store them in this order."""
        with self._lock:
            parts = self._contents.parts
            if len(parts) > 1:
                parts = (self._joined(parts),)
                self._contents = self._contents._replace(parts=parts)
            return parts[0]

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the state as plain arrays.

        They can be written by numpy.savez or to Parquet, or sent to another process.
        States with the same rows return the same arrays, except that mean weights may
        differ by rounding.

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

            With `positive_scores`: ``'positive_scores'``, sorted and distinct. In place
            of scores, ``'place'``: 0 below the first of `positive_scores`, 1 at it, 2
            between it and the second one, 3 at the second one, and so on. Rows with the
            same label and place have one entry. If the weights of a class differ,
            ``'mean_weight'`` in place of ``'sample_weight'``: the mean weight of the
            rows.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> arrays = RankingState().update([0, 1, 1], [0.2, 0.7, 0.7]).to_arrays()
        >>> arrays["y_score"], arrays["counts"]
        (array([0.2, 0.7]), array([1, 2]))
        >>> state = RankingState(positive_scores=[0.7])
        >>> arrays = state.update([0, 0, 1], [0.2, 0.3, 0.7]).to_arrays()
        >>> arrays["place"], arrays["counts"]
        (array([0, 1]), array([2, 1]))
        """
        rows = self._rows()
        knows_positives = self._positive_scores is not None
        arrays: dict[str, AnyArray] = {
            "positive": rows.positive.copy(),
            "place" if knows_positives else "y_score": rows.score.copy(),
            "counts": rows.counts.copy(),
            "pos_label": np.array(self._pos_label),
        }
        for neg_label in self._contents.neg_labels:
            arrays["neg_label"] = np.array(neg_label)
        if rows.has_mean_weights:
            arrays["mean_weight"] = rows.weight.copy()
        elif (rows.weight != 1).any():
            arrays["sample_weight"] = rows.weight.copy()
        if self._positive_scores is not None:
            arrays["positive_scores"] = self._positive_scores.copy()
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
            ``count(*)`` as ``'counts'``, grouped by label and score. Rows may be in any
            order, and may be those of several states. Without ``'counts'``, each entry
            is one row. An array of another name, such as ``'count'``, is an error.
            ``'place'`` and ``'mean_weight'`` require the ``'positive_scores'`` of these
            states.

        Returns
        -------
        state : RankingState
            A new state.

        Raises
        ------
        TypeError
            If `arrays` is not a mapping.
        ValueError
            If an array is missing or has an unknown name, or has values for which
            :meth:`update` raises a ValueError.

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
        required = _REQUIRED
        if arrays.keys() & _ONLY_OF_CELLS:
            required = _REQUIRED_OF_CELLS
        missing = sorted(required - arrays.keys())
        if missing:
            raise ValueError(f"arrays must have {missing}; got {[*arrays]}.")
        # Scores would be wrong if an array were ignored, such as counts under the name
        # that Spark gives them.
        known = _REQUIRED | _ONLY_OF_CELLS | _OPTIONAL
        unknown = [name for name in arrays if name not in known]
        if unknown:
            raise ValueError(
                f"arrays must have no names other than {sorted(known)}; got {unknown}."
            )
        state = cls(
            pos_label=arrays["pos_label"],
            positive_scores=arrays.get("positive_scores"),
        )
        neg_labels: tuple[Label, ...] = ()
        if "neg_label" in arrays:
            neg_labels = (read_label("neg_label", arrays["neg_label"]),)
            if neg_labels[0] == state._pos_label:
                raise ValueError(
                    "neg_label must be a label other than pos_label="
                    f"{state._pos_label!r}; got {neg_labels[0]!r}."
                )
        rows = read_arrays(arrays, state._positive_scores)
        return state._add(_Contents((rows,), neg_labels))

    def __repr__(self) -> str:
        return (
            f"RankingState(n_samples={self.n_samples}, n_positives={self.n_positives})"
        )
