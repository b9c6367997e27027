"""The public class `RankingState`: a ranking that is stored as the distinct scores of
each class, with their counts and weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from threading import Lock
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from .._core.reading.frames import column_names
from .._core.rounding import LARGEST_EXACT
from .._core.typing import AnyArray, Label, PassedRows, ScoreFunction
from ._arguments import resolve_score
from ._entries import (
    EMPTY_ENTRY,
    NO_ENTRIES,
    Entries,
    check_types,
    count_equal_rows,
    label_of_column,
    read_arrays,
    read_label,
    read_rows,
)
from ._groups import score_entries

OneScore = str | ScoreFunction
# `Iterable` would also match a name, so that the overloads of `score` would overlap.
ScoreList = list[Any] | tuple[Any, ...]
# The arrays that `from_arrays` requires, and the others that it knows.
_REQUIRED = {"positive", "y_score", "pos_label"}
_OPTIONAL = {"counts", "sample_weight", "neg_label"}


class _Contents(NamedTuple):
    """The rows of a state. A state replaces its contents and never changes them, so
    that another thread reads parts and a label that belong together.
    """

    # The first part is sorted, and has no equal rows in two entries. The others may not
    # be sorted yet. Each has less than half of the entries of the part before it, so
    # there are few parts, and a row is seldom sorted again.
    parts: tuple[Entries, ...] = ()
    # The label of the negatives. Until an update has contained a negative, it is that
    # of the positives, in the type of the labels, and before the first update, the
    # tuple is empty.
    neg_labels: tuple[Label, ...] = ()
    n_samples: int = 0
    n_positives: int = 0


class RankingState:
    """A ranking whose rows arrive in parts: updated, merged, stored and scored.

    Update the state of a batch, file, day or machine with rows, and add up states in
    any order. A score is then the number that its function returns for all rows at
    once. A state grows with the distinct scores of each class, so rounded scores bound
    its size. Only :meth:`update` changes a state.

    Parameters
    ----------
    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`.

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

    *Memory*: 17 bytes per distinct score and class, and the score itself: 21 bytes if
    scores are float32, and 25 if they are float64. Updates and scores take several
    times as much for a moment, so a state of distinct float64 scores takes about five
    times the memory of its rows in one array, and several times the CPU time. Scores of
    three decimals take nearly nothing.

    *Cuts*: a score is computed from the counts, so a state may stand for any number of
    rows. Reciprocal rank, success, and average precision at a cut with other `ties`
    than 'proportional' have a term per row above the cut, and raise an error above
    2**28 rows.

    *Retries*: rows that are sent twice count twice. If an engine may run a batch or a
    task again, keep a state for each of them, and add these up at the end.

    *Threads*: several threads may update a state. A state per thread, merged at the
    end, is faster.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.distributed import RankingState
    >>> monday = RankingState().update([0, 1, 0], [0.3, 0.8, 0.9])
    >>> tuesday = RankingState().update([1, 1], [0.7, 0.2])
    >>> both = monday + tuesday
    >>> both
    RankingState(n_samples=5, n_positives=3)
    >>> both.score("average_precision")
    0.5888888888888889
    >>> average_precision_score([0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2])
    0.5888888888888889
    """

    def __init__(self, *, pos_label: Label = 1) -> None:
        self._pos_label = read_label("pos_label", pos_label)
        self._contents = _Contents()
        # A thread acquires this lock to replace the contents.
        self._lock = Lock()

    @classmethod
    def _of(cls, pos_label: Label, contents: _Contents) -> RankingState:
        """Return a state with these contents."""
        state = cls(pos_label=pos_label)
        state._contents = contents
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        # Join the parts.
        self._rows()
        return RankingState._of, (self._pos_label, self._contents)

    @property
    def pos_label(self) -> Label:
        """Label of the positives."""
        return self._pos_label

    @property
    def n_samples(self) -> int:
        """Number of rows whose weight is not 0."""
        return self._contents.n_samples

    @property
    def n_positives(self) -> int:
        """Number of positives."""
        return self._contents.n_positives

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
            such as NaN; for labels that differ from those of earlier updates; for
            scores that no type represents together with the earlier ones; and for
            2**53 rows or more in all. An update without rows adds nothing.
        """
        inputs = PassedRows(y_true, y_score, "macro", self._pos_label, sample_weight)
        rows, neg_labels = read_rows(inputs, caller="RankingState.update")
        return self._add((rows,), neg_labels)

    def _add(
        self, added: tuple[Entries, ...], neg_labels_added: tuple[Label, ...]
    ) -> RankingState:
        """Add parts, and return the state. Raise ValueError if the label of negatives
        differs, if no type represents all scores exactly, or if there are too many
        rows.
        """
        with self._lock:
            before = self._contents
            # Labels of negatives come first.
            neg_labels = sorted(
                before.neg_labels + neg_labels_added,
                key=lambda label: label == self._pos_label,
            )
            if len({*neg_labels} - {self._pos_label}) > 1:
                raise ValueError(
                    "y_true must contain the same two labels in all updates; got "
                    f"{neg_labels[1]!r} after {neg_labels[0]!r}, with "
                    f"pos_label={self._pos_label!r}."
                )
            # Errors about types and counts must not come later.
            check_types([*before.parts, *added])
            n_added = sum(int(part.counts.sum()) for part in added)
            n_samples = before.n_samples + n_added
            if n_samples >= LARGEST_EXACT:
                raise ValueError(
                    "counts must have a sum below 2**53 in a state; got "
                    f"n_samples={n_samples} in all."
                )
            n_positives = before.n_positives + sum(
                int(part.counts[part.positive].sum()) for part in added
            )
            parts = reduce(_with_part, added, before.parts)
            self._contents = _Contents(
                parts, (*neg_labels[:1],), n_samples, n_positives
            )
        return self

    def __add__(self, other: RankingState) -> RankingState:
        return self.merge(other)

    # `sum` without a start adds 0 and a state, and raises the error of `merge`.
    __radd__ = __add__

    def merge(self, *others: RankingState | Iterable[RankingState]) -> RankingState:
        """Return the state of the rows of this state and others, as ``+`` does.

        Parameters
        ----------
        *others : RankingState, or iterable of RankingState
            States with the same `pos_label`. A generator is read state by state, so
            that only one of them and the sum are in memory.

        Returns
        -------
        state : RankingState
            A new state. No other one changes, so that a reduction may be run again.

        Raises
        ------
        TypeError
            If one of `others` is neither a state nor an iterable of states.
        ValueError
            If the states have other labels, scores that no type represents exactly, or
            2**53 rows or more in all.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> days = [RankingState().update([0, 1], [0.2, score]) for score in (0.7, 0.1)]
        >>> RankingState().merge(days)
        RankingState(n_samples=4, n_positives=2)
        >>> sum(days, start=RankingState())
        RankingState(n_samples=4, n_positives=2)
        """
        total = RankingState._of(self._pos_label, self._contents)
        for other in others:
            for state in other if isinstance(other, Iterable) else (other,):
                if not isinstance(state, RankingState):
                    raise TypeError(
                        "others must be RankingState, or an iterable of them; got "
                        f"{type(state).__name__}. A sum needs a start: sum(states, "
                        f"start=RankingState(pos_label={self.pos_label!r}))."
                    )
                # 1 and True are equal, but not the same label.
                if repr(state._pos_label) != repr(self._pos_label):
                    raise ValueError(
                        "pos_label must be the same in states that are merged; got "
                        f"{self._pos_label!r} and {state._pos_label!r}."
                    )
                # Read the contents once, since another thread may replace them.
                contents = state._contents
                total._add(contents.parts, contents.neg_labels)
                # Release the state before the generator returns the next one.
                del state, contents
        return total

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
            package, such as :func:`sklearn_ap.average_precision_at_k_score`. The
            parts of the state are joined once for all scores of a list.

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
        return {spec.name: score_entries(rows, spec) for spec in specs}

    def _rows(self) -> Entries:
        """Return all rows, sorted by score, and store them in this order."""
        with self._lock:
            parts = self._contents.parts
            if len(parts) > 1:
                parts = (count_equal_rows(parts),)
                self._contents = self._contents._replace(parts=parts)
            return parts[0] if parts else NO_ENTRIES

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the state as plain arrays, which are columns of a table.

        They can be written by numpy.savez, or to Parquet by pandas, polars and pyarrow,
        or sent to another process. States with the same rows return the same arrays.

        Returns
        -------
        arrays : dict of str to ndarray of shape (n_entries,)
            ``'y_score'``: the distinct scores, sorted. A score of both classes has two
            entries, and one of different weights has an entry per weight.
            ``'positive'``: whether the rows of the entry are positive. ``'counts'``:
            the number of rows. ``'sample_weight'``: the weight of each row.
            ``'pos_label'`` and ``'neg_label'``: the labels, in each entry. Until an
            update has contained a negative, ``'neg_label'`` is the label of positives,
            too, in the type of `y_true`. A state without rows has one entry, with a
            count of 0, and the types of its updates.

            So tables of several states have the same columns, and a table of all their
            entries is the sum of the states.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> arrays = RankingState().update([0, 1, 1], [0.2, 0.7, 0.7]).to_arrays()
        >>> arrays["y_score"], arrays["counts"]
        (array([0.2, 0.7]), array([1, 2]))
        """
        rows = self._rows()
        if not rows.score.size:
            rows = EMPTY_ENTRY._replace(score=np.zeros(1, rows.score.dtype))
        n_entries = rows.score.size
        [neg_label] = self._contents.neg_labels or (self._pos_label,)
        return {
            "positive": rows.positive.copy(),
            "y_score": rows.score.copy(),
            "counts": rows.counts.copy(),
            "sample_weight": rows.weight.copy(),
            "pos_label": np.full(n_entries, self._pos_label),
            "neg_label": np.full(n_entries, neg_label),
        }

    @classmethod
    def from_arrays(cls, arrays: Any) -> RankingState:
        """Return a state with the contents of these arrays.

        If `to_arrays` returned them, scores are the same numbers, to the last bit.

        Parameters
        ----------
        arrays : mapping of str to array-like, or data frame
            The arrays of `to_arrays`, or a data frame with these columns, in any order
            and of several states; or a query of a database with ``count(*) as counts``,
            grouped by label and score, with the label of positives as ``'pos_label'``.
            Without ``'counts'``, each entry is one row. An array of another name, such
            as ``'count'``, is an error.

        Returns
        -------
        state : RankingState
            A new state.

        Raises
        ------
        TypeError
            If `arrays` is neither a mapping nor a data frame.
        ValueError
            If an array is missing or has an unknown name, or has values for which
            :meth:`update` raises a ValueError.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> arrays = {"positive": [True, False], "y_score": [0.7, 0.2]}
        >>> arrays |= {"counts": [1, 3], "pos_label": True}
        >>> RankingState.from_arrays(arrays)
        RankingState(n_samples=4, n_positives=1)
        """
        names = column_names(arrays)
        if names is None and not isinstance(arrays, Mapping):
            raise TypeError(
                "arrays must be a mapping of arrays, or a data frame; got "
                f"{type(arrays).__name__}."
            )
        # A file of numpy reads an array again at each access.
        arrays = {name: arrays[name] for name in names or arrays}
        # Scores would be wrong if an array were ignored, such as counts under the name
        # that Spark gives them.
        if not _REQUIRED <= arrays.keys() <= _REQUIRED | _OPTIONAL:
            raise ValueError(
                f"arrays must have {sorted(_REQUIRED)}, and may have "
                f"{sorted(_OPTIONAL)}, but no other names; got {[*arrays]}."
            )
        state = cls(pos_label=label_of_column("pos_label", arrays["pos_label"]))
        rows = read_arrays(arrays)
        # A state that has seen no negatives stores `pos_label` in place of their label.
        labels = np.ravel(arrays.get("neg_label", ()))
        others = labels[labels != state._pos_label]
        neg_labels = labels[:1].tolist()
        if others.size:
            neg_labels = [label_of_column("neg_label", others)]
        return state._add((rows,), (*neg_labels,))

    def __repr__(self) -> str:
        return (
            f"RankingState(n_samples={self.n_samples}, n_positives={self.n_positives})"
        )


def _with_part(parts: tuple[Entries, ...], added: Entries) -> tuple[Entries, ...]:
    """Return parts with one more, joined to those that are not twice as large."""
    if not parts:
        return (count_equal_rows((added,)),)
    while parts and parts[-1].score.size <= 2 * added.score.size:
        added = count_equal_rows((parts[-1], added))
        parts = parts[:-1]
    return (*parts, added)
