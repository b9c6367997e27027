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

from .._core.reading.read import read, read_weights, unboxed
from .._core.reading.values import is_missing, on_host
from .._core.typing import AnyArray, IntArray, Label, PassedRows, ScoreFunction
from .._rows.batches import Batch, concatenate
from .._rows.exact_scores import (
    InexactError,
    cast_exactly,
    concatenate_scores,
    score_types,
)
from .._uncertainty.results import ScoreEstimate
from ._bound_scores import BoundScore, resolve_score
from ._streams import SortedStream
from ._tied_groups import groups_of

OneScore = str | ScoreFunction
# `Iterable` would also match a name, so that the overloads of `score` would overlap.
ScoreList = list[Any] | tuple[Any, ...]

# Rows whose tied groups are formed at once.
_BLOCK = 2**17
# float64 represents all whole numbers up to this one.
_MAX_COUNT = 2**53
# The arrays that `from_arrays` requires. `counts`, `neg_label` and `sample_weight` are
# optional.
_ARRAYS = "positive", "y_score", "pos_label"


class _Contents(NamedTuple):
    """The rows of a state. A state replaces its contents and never changes them, so
    that another thread reads parts and a label that belong together.
    """

    # `_with_part` describes the parts.
    parts: tuple[Batch, ...] = ()
    # The label of the negatives; None if no update has contained a negative.
    neg_label: Label | None = None


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
    1e-12). Scores of different types are stored in the first type that represents all of
    them exactly. If there is no such type, an update raises an error.

    *Memory*: 5 bytes per distinct score and class if scores are float32, 9 otherwise; 8
    more if there are weights, and 8 more once two rows share a score. To compute a
    score, more than 16 MB of sums are written to a temporary file.

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
        is_label = isinstance(pos_label, int | float | str | np.bool_ | np.integer)
        if not is_label or pos_label != pos_label:
            raise ValueError(
                f"pos_label must be an int, a float, a bool or a str; got {pos_label!r}."
            )
        if isinstance(pos_label, np.generic):
            pos_label = pos_label.item()
        self._pos_label: Label = pos_label
        self._contents = _Contents()
        # A thread acquires this lock to replace the contents.
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return RankingState.from_arrays, (self.to_arrays(),)

    @property
    def n_samples(self) -> int:
        """Number of rows whose weight is not 0."""
        return sum(int(part.counts.sum()) for part in self._contents.parts)

    @property
    def n_positives(self) -> int:
        """Number of positives."""
        parts = self._contents.parts
        return sum(int(part.counts[part.positive].sum()) for part in parts)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the rows take."""
        return sum(part.nbytes for part in self._contents.parts)

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
        try:
            rows = _checked_batch(inputs, None, caller="RankingState.update")
        except ValueError as error:
            if np.shape(on_host("y_true", y_true))[:1] == (0,):
                line = "if len(y_true): state.update(y_true, y_score)"
                error.add_note(f"Skip batches without rows: {line}.")
            raise
        neg_label = _negative_label(y_true, self._pos_label)
        return self._add(_Contents((rows,), neg_label))

    def _add(self, added: _Contents) -> RankingState:
        """Add rows, and return the state. Raise ValueError if the label of negatives
        differs, or if no type represents all scores exactly.
        """
        with self._lock:
            before, neg_label = self._contents, added.neg_label
            if neg_label is None:
                neg_label = before.neg_label
            if before.neg_label not in (None, neg_label):
                raise ValueError(
                    "y_true must contain the same two labels in all updates; got "
                    f"{neg_label!r} after {before.neg_label!r}, with "
                    f"pos_label={self._pos_label!r}."
                )
            try:
                with_rows = (part for part in added.parts if part.score.size)
                joined = reduce(_with_part, with_rows, before.parts)
                # Check the types now: the parts are joined later, when an error would
                # come too late.
                if len({rows.score.dtype for rows in joined}) > 1:
                    concatenate_scores([rows.score for rows in joined])
            except InexactError as error:
                raise ValueError(
                    "y_score must have a type that represents the scores of all rows "
                    f"exactly; got {error}."
                ) from None
            self._contents = _Contents(joined, neg_label)
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

        Warns
        -----
        UserWarning
            If there is no positive and ``zero_division='warn'``.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such
            argument.
        ValueError
            If the state has no rows, there is no such score, an argument has a wrong
            value, or ``ties='stable'``, since the order of rows is not kept.

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
        stream = self._stream(specs)
        return {spec.name: spec.score(stream) for spec in specs}

    def estimate(
        self, score_func: OneScore = "average_precision", **score_func_params: Any
    ) -> ScoreEstimate:
        """Return a score of all rows with its standard error.

        Parameters
        ----------
        score_func : str or callable, default="average_precision"
            The area of a whole ranking, such as ``'average_precision'`` or
            :func:`sklearn_ap.pr_auc_score`.

        **score_func_params : additional arguments
            Arguments of the score, such as ``prevalence=0.01`` or ``n_positives=1200``.

        Returns
        -------
        estimate : ScoreEstimate
            As for :func:`sklearn_ap.estimate_score`.

        Warns
        -----
        UncertaintyWarning
            If the interval may cover too little; its `code` names the reason.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such
            argument.
        ValueError
            If there is no positive, if weights differ, or if the score is not an area of
            a whole ranking.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_ap.distributed import RankingState
        >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
        >>> print(RankingState().update(y_true, np.linspace(1, 0, 100)).estimate())
        0.39, 95 % interval 0.22 to 0.57
        """
        spec = resolve_score(score_func, score_func_params)
        return spec.estimate(self._stream([spec]))

    def _rows(self) -> Batch:
        """Return all rows, sorted by score, and store them in this order."""
        with self._lock:
            parts = self._contents.parts
            if not parts:
                return Batch(np.empty(0), np.empty(0, bool))
            if len(parts) > 1:
                parts = (concatenate(parts).distinct(),)
                self._contents = self._contents._replace(parts=parts)
            return parts[0]

    def _stream(self, specs: Iterable[BoundScore]) -> SortedStream:
        """Return the ranking of all rows, with the groups that these scores need."""
        rows = self._rows()
        if not rows.score.size:
            raise ValueError(
                "RankingState is empty: update it with rows, or merge states with rows."
            )
        keeps_negatives = rows.weight is not None and any(
            spec.needs_all_groups for spec in specs
        )
        blocks = (
            rows.take(slice(first, first + _BLOCK))
            for first in range(0, rows.score.size, _BLOCK)
        )
        return SortedStream(groups_of(blocks, keeps_negatives=keeps_negatives))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the state as plain arrays.

        They can be written by numpy.savez or to Parquet, or sent to another process.
        States with the same rows return the same arrays.

        Returns
        -------
        arrays : dict of str to ndarray
            ``'y_score'``: the distinct scores, sorted. A score of both classes has two
            entries. ``'positive'``: whether the rows of the entry are positive.
            ``'counts'``: the number of rows. If rows have weights,
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
        rows, neg_label = self._rows(), self._contents.neg_label
        arrays = {
            "positive": rows.positive.copy(),
            "y_score": rows.score.copy(),
            "counts": rows.counts.copy(),
            "pos_label": np.array(self._pos_label),
        }
        if neg_label is not None:
            arrays["neg_label"] = np.array(neg_label)
        if rows.weight is not None:
            arrays["sample_weight"] = rows.weight.copy()
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> RankingState:
        """Return a state with the contents of these arrays.

        If `to_arrays` returned them, scores and estimates are the same numbers, to the
        last bit.

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
        state = cls(pos_label=_read_label("pos_label", arrays["pos_label"]))
        neg_label = None
        if "neg_label" in arrays:
            neg_label = _read_label("neg_label", arrays["neg_label"])
            if neg_label == state._pos_label:
                raise ValueError(
                    "neg_label must be a label other than pos_label="
                    f"{state._pos_label!r}; got {neg_label!r}."
                )
        return state._add(_Contents(_parts_of_arrays(arrays), neg_label))

    def __repr__(self) -> str:
        return (
            f"RankingState(n_samples={self.n_samples}, n_positives={self.n_positives})"
        )


def _parts_of_arrays(arrays: Mapping[str, Any]) -> tuple[Batch, ...]:
    """Return the rows that arrays of a state contain, as its parts: none without rows."""
    positive, y_score = arrays["positive"], arrays["y_score"]
    columns = ["positive", "y_score", "sample_weight", "counts"]
    shapes = {
        name: np.shape(on_host(name, arrays[name]))
        for name in columns
        if arrays.get(name) is not None
    }
    # `read` raises an error for rows of which there are none, but a state may be empty.
    if {*shapes.values()} == {(0,)}:
        return ()
    # `positive` is boolean, and there is one ranking, of which "macro" is the mean.
    inputs = PassedRows(positive, y_score, "macro", True, arrays.get("sample_weight"))
    caller = "RankingState.from_arrays"
    rows = _checked_batch(inputs, arrays.get("counts"), caller=caller)
    values = np.asarray(on_host("positive", positive))
    wrong = values[(values != 0) & (values != 1)]
    if wrong.size:
        raise ValueError(
            "positive must be True or False for each row, or 1 or 0; got "
            f"{wrong[0].item()!r}."
        )
    return (rows,)


def _checked_batch(inputs: PassedRows, counts: Any, *, caller: str) -> Batch:
    """Return checked rows. Rows with weight 0 or count 0 are dropped."""
    are_weightless = False
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight)
        are_weightless = not weight.any()
        # `read` raises an error if all weights are 0. Here, other updates may have
        # weights above 0. So let `read` check the rows with weights of 1, and drop them
        # below.
        if are_weightless:
            weight = np.ones_like(weight)
        inputs = inputs._replace(sample_weight=weight)
    checked = read(inputs, caller=caller)
    if checked.positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{checked.positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    score = _stored_scores(checked.score)
    n_rows = None
    if counts is not None:
        n_rows = _read_counts(counts, score.size)
    rows = Batch(score, checked.positive, checked.weight, n_rows=n_rows)
    kept = np.flatnonzero(rows.counts)
    if are_weightless:
        kept = kept[:0]
    # `take` returns a copy, since the caller may change its arrays later.
    return rows.take(kept)


def _stored_scores(score: AnyArray) -> AnyArray:
    """Return scores in a type that states store. Raise ValueError if none of at most 64
    bits represents them exactly.
    """
    # The first type for scores of a single type is this type, or a wider one. The cast
    # raises an error if it would round a score of more than 64 bits.
    dtype = score_types([score.dtype])[0]
    try:
        # Adding 0 changes -0.0 to 0.0, so that both are stored as one score.
        return cast_exactly(score, dtype) + dtype.type(0)
    except (InexactError, OverflowError):
        got = f"{score.min()!s} to {score.max()!s}"
        raise ValueError(f"y_score must be exact in 64 bits; got {got}.") from None


def _with_part(parts: tuple[Batch, ...], part: Batch) -> tuple[Batch, ...]:
    """Return the parts of a state together with another part.

    The first part is sorted. The other parts wait until together they have as many rows
    as the first part. Then all parts are sorted and merged into one, so that each row
    is sorted about twice. A waiting part is joined to the part before it if that part
    has less than twice as many rows, so that the number of parts grows only with the
    logarithm of the number of rows.
    """
    if not parts:
        return (part.distinct(),)
    first, *waiting = *parts, part
    while len(waiting) > 1 and waiting[-2].score.size < 2 * waiting[-1].score.size:
        waiting[-2:] = [concatenate(waiting[-2:])]
    if sum(rows.score.size for rows in waiting) < first.score.size:
        return first, *waiting
    return (concatenate([first, *waiting]).distinct(),)


def _read_counts(counts: Any, size: int) -> IntArray:
    """Return the number of rows of each entry."""
    values = np.asarray(on_host("counts", counts))
    is_valid = (
        values.shape == (size,)
        # Some databases return sums of integers as floats.
        and values.dtype.kind in "iuf"
        and (values >= 0).all()
        and values.sum(dtype=np.float64) <= _MAX_COUNT
        and (values % 1 == 0).all()
    )
    if not is_valid:
        raise ValueError(
            f"counts must be a whole number from 0 on for each of {size} rows, with a sum up to 2**53; "
            f"got {counts!r}."
        )
    return values.astype(np.int64)


def _negative_label(y_true: Any, pos_label: Label) -> Label | None:
    """Return the label of the negatives, or None without negatives. Raise ValueError if
    there is a third label, which a score in memory would count as negative, too.
    """
    if hasattr(y_true, "toarray"):
        y_true = y_true.toarray()
    values = np.asarray(on_host("y_true", y_true)).ravel()
    if values.dtype == object:
        values = unboxed(values)
    negatives = values[values != pos_label]
    if not negatives.size:
        return None
    # `tolist` turns numbers of numpy into those of Python.
    negative: Label
    [negative] = negatives[:1].tolist()
    others = negatives[negatives != negative]
    if others.size:
        [third] = others[:1].tolist()
        raise ValueError(
            f"y_true must contain two labels; got {negative!r} and {third!r} next to "
            f"pos_label={pos_label!r}: update a RankingState() with "
            f"np.asarray(y_true) == {pos_label!r}."
        )
    return negative


def _read_label(name: str, labels: ArrayLike) -> Label:
    """Return the only label that an array contains. Raise ValueError if it contains
    several labels, none, or a missing value.
    """
    distinct = [*dict.fromkeys(np.ravel(labels).tolist())]
    if len(distinct) != 1 or is_missing(distinct[0]):
        raise ValueError(f"{name} must be one label; got {distinct[:3]}.")
    label: Label = distinct[0]
    return label
