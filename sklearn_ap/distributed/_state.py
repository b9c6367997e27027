"""The public class: it reads rows, and asks what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, reduce
from threading import Lock
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from .._public import Public
from .._reading._options import read_k
from .._typing import Label, ScoreFunction
from .._uncertainty._results import ScoreEstimate
from ._plans._estimated import estimate_of, estimated
from ._question import question_of
from ._source import MemoryLimit, read_memory_limit
from ._states._best import BestRows
from ._states._binned import BinnedRows
from ._states._bytes import from_bytes, to_bytes
from ._states._columns import Labels, read_part, read_pos_label, repeated
from ._states._rows import AllRows
from ._states._sums import Bins

_AnyRows = AllRows | BestRows | BinnedRows
_UNLIMITED = 2**62  # bytes, for pickles, which are trusted


class _Held(NamedTuple):
    """What a state is at one time. It is replaced as a whole, so that readers need no lock."""

    rows: _AnyRows | None
    labels: Labels

    def joined(self, other: _Held) -> _Held:
        """Return what both hold. Nothing is written to, so an error leaves both as they were."""
        labels, rows = self.labels.joined(other.labels), other.rows
        if self.rows is not None:
            mine: Any = self.rows
            rows = mine if rows is None else mine.joined(rows)  # of the same class, as callers have checked
        return _Held(rows, labels)


class RankingState(metaclass=Public):
    """The rows of a ranking that come in parts, as scores need them: updated, merged, stored and scored.

    The state of one batch, file, day or machine is updated with rows, and states are merged in any order. A
    score is then the number that its function gives for all rows at once. Each row takes 4 bytes if scores
    are float32 and 8 if they are float64, and 8 more if there are weights.

    .. versionadded:: 0.1

    Parameters
    ----------
    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`.

    k : int, default=None
        Keep only what scores up to this cut look at: counts of at most `k` distinct scores, however many rows
        come; with weights, their sums and the weights of the `k` heaviest positives, too. By default, all
        rows are kept.

    bins : tuple of (low, high, n_bins), default=None
        Keep the scores of positives, and count negatives in so many bins between two scores, however many
        come, or add up their weights; the first and the last bin hold all beyond. The score is then known
        between its `bounds`, which are close if there are few ties: 2**20 bins leave 1e-5 and less.

    See Also
    --------
    sklearn_ap.average_precision_score : The score of rows that are all in memory.
    sklearn_ap.get_scorer_names : Names of scores.

    Notes
    -----
    *Exactness*: an exact state needs as many numbers as there are distinct scores, since a later positive may
    fall between any two negatives. The scores of each class are held apart, without labels, and
    sorted when a score is asked for. Updates of different types of numbers are held in the smallest type that
    holds all of them exactly, and refused if there is none. Without weights, scores are the same floats as in
    memory. In rankings of at least 4096 rows, numbers up to a cut may differ in the last bit, and so may sums
    of weights: in memory, they are rounded in the order in which rows came. With `k` or `bins`, weights are
    added up as they come, and what each addition rounds away is kept.

    *Memory*: while a score is computed, the state may take twice its memory, unless positives are rare.

    *Threads*: several threads may update and merge into one state, and no row is lost. A score counts
    the updates that were done when it was asked for.

    *Thresholds*: counts at given thresholds, as torchmetrics keeps them for constant memory [1]_, give other
    numbers, which depend on the thresholds. Bins here give bounds.

    References
    ----------
    .. [1] `torchmetrics issue 625 <https://github.com/Lightning-AI/torchmetrics/issues/625>`_, on memory, and
       `issue 1309 <https://github.com/Lightning-AI/torchmetrics/issues/1309>`_, on exact values
    .. [2] `scikit-learn issue 12312 <https://github.com/scikit-learn/scikit-learn/issues/12312>`_, on labels

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.distributed import RankingState
    >>> monday = RankingState().update([0, 1, 0], [0.3, 0.8, 0.9])
    >>> tuesday = RankingState().update([1, 1], [0.7, 0.2])
    >>> stored = monday.to_bytes()
    >>> both = RankingState.from_bytes(stored) + tuesday
    >>> both
    RankingState(n_samples=5, n_positives=3)
    >>> both.score("average_precision")
    0.5888888888888889
    >>> average_precision_score([0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2])
    0.5888888888888889
    """

    def __init__(
        self, *, pos_label: Label = 1, k: int | None = None, bins: tuple[float, float, int] | None = None
    ) -> None:
        if k is not None and not isinstance(read_k(k), int):
            raise ValueError(f"k must be None or an integer >= 1; got {k!r}.")
        self._k, self._bins = None if k is None else int(k), None if bins is None else Bins.read(bins)
        if k is not None and bins is not None:
            raise ValueError(
                f"k and bins cannot be combined; got k={k!r}, bins={bins!r}. Keep a state for each of them."
            )
        self._held, self._lock = _Held(None, Labels(read_pos_label(pos_label))), Lock()

    @property
    def n_samples(self) -> int:
        """Number of rows; those of weight 0 do not count."""
        rows = self._held.rows
        return 0 if rows is None else sum(rows.counts)

    @property
    def n_positives(self) -> int:
        """Number of positives."""
        rows = self._held.rows
        return 0 if rows is None else rows.counts[0]

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take in memory."""
        rows = self._held.rows
        return 0 if rows is None else rows.nbytes

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
    ) -> RankingState:
        """Add rows. Several threads may do so at a time.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels, the same two in all updates.

        y_score : array-like of shape (n_samples,)
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped. Rows without weights have weight 1.

        counts : array-like of shape (n_samples,), default=None
            How many rows each label and score stands for, as ``count(*)`` of a query tells that groups rows
            by both. The state is the same as if every row came. By default, each is one row.

        Returns
        -------
        state : RankingState
            The state itself. If an error is raised, it stays as it was.

        Raises
        ------
        ValueError
            For what :func:`sklearn_ap.average_precision_score` refuses, such as NaN or no rows; for labels
            that differ from those of earlier updates; for scores that no type holds exactly beside them; and
            for `counts` that are no whole numbers, or stand beside `sample_weight`.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> RankingState().update([0, 1, 1], [0.3, 0.3, 0.8], counts=[1000, 20, 5])
        RankingState(n_samples=1025, n_positives=25)
        """
        if counts is not None and sample_weight is not None:
            raise ValueError("counts and sample_weight cannot be combined. Pass each row with its weight.")
        # Rows are checked and sorted by class outside the lock: threads wait only for the join.
        checked, labels = read_part(y_true, y_score, sample_weight, self._held.labels)
        kind, options = self._kind()
        parts = (checked,) if counts is None else repeated(checked, counts)
        return self._add(
            reduce(_Held.joined, (_Held(kind.of_rows(part, *options), labels) for part in parts))
        )

    def _kind(self) -> tuple[Any, tuple[Any, ...]]:
        """Return the class of the rows, and what it has to know to make some."""
        if self._k is not None:
            return BestRows, (self._k,)
        return (AllRows, ()) if self._bins is None else (BinnedRows, (self._bins,))

    def _add(self, other: _Held) -> RankingState:
        with self._lock:
            self._held = self._held.joined(other)
        return self

    def merge(self, *others: RankingState | Iterable[RankingState]) -> RankingState:
        """Add the rows of other states, which stay as they are.

        Parameters
        ----------
        *others : RankingState, or iterable of RankingState
            States with the same `pos_label`, `k` and `bins`. A generator is read state by state, so that no
            more than one is held beside the sum.

        Returns
        -------
        state : RankingState
            The state itself. If an error is raised, it stays as it was.

        Raises
        ------
        TypeError
            If one of `others` is neither a state nor an iterable of states.
        ValueError
            If the states have other labels, `k` or `bins`, or scores that no type holds exactly.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> days = [RankingState().update([0, 1], [0.2, score]).to_bytes() for score in (0.7, 0.1)]
        >>> RankingState().merge(RankingState.from_bytes(day) for day in days)
        RankingState(n_samples=4, n_positives=2)
        """
        # Added up without the lock: a generator may take its time, and two states may merge each other.
        total = _Held(None, Labels(self._held.labels.pos_label))
        for one in others:
            for state in one if isinstance(one, Iterable) else (one,):
                total = total.joined(self._held_by(state))
                del state  # else it would be held while the next one is made
        return self._add(total)

    def _held_by(self, other: object) -> _Held:
        """Return what another state holds, or raise if it is not of the same kind."""
        if not isinstance(other, RankingState):
            raise TypeError(
                f"others must be RankingState, or an iterable of them; got {type(other).__name__}."
            )
        if (self._k, self._bins) != (other._k, other._bins):
            raise ValueError(
                f"k and bins must be the same in states that are merged; got k={self._k}, "
                f"bins={self._bins} and k={other._k}, bins={other._bins}."
            )
        return other._held

    def __add__(self, other: RankingState) -> RankingState:
        """Return a new state with the rows of both."""
        if not isinstance(other, RankingState):
            return NotImplemented
        return self._like().merge(self, other)

    def _like(self) -> RankingState:
        """Return a state of this kind without rows."""
        return RankingState(pos_label=self._held.labels.pos_label, k=self._k, bins=self._bins)

    def score(self, score_func: str | ScoreFunction = "average_precision", **score_func_params: Any) -> float:
        """Return a score of all rows.

        Parameters
        ----------
        score_func : str or callable, default="average_precision"
            A name as in :func:`sklearn_ap.get_scorer`, such as ``'average_precision@100'`` or
            ``'recall@0.05'``, or a score of this package, such as
            :func:`sklearn_ap.average_precision_at_k_score`.

        **score_func_params : additional arguments
            Arguments of the score, such as ``ties='expected'``, ``prevalence=0.01`` or ``n_positives=1200``.
            `sample_weight` and `pos_label` belong to the rows, and there are no queries.

        Returns
        -------
        score : float
            In [0, 1], higher is better.

        Warns
        -----
        UserWarning
            If there is no positive and ``zero_division='warn'``.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such argument.
        ValueError
            If the state has no rows, there is no such score, an argument has a wrong value, or
            ``ties='stable'``, since the order of rows is not kept.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> state = RankingState().update([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
        >>> state.score("precision@3")
        0.3333333333333333
        """
        return self._scores([score_func], score_func_params)[0]

    def scores(
        self, score_funcs: Iterable[str | ScoreFunction], **score_func_params: Any
    ) -> dict[str, float]:
        """Return several scores of all rows, which are ranked once.

        Parameters
        ----------
        score_funcs : list of str or callable
            Names or scores, as `score` takes them.

        **score_func_params : additional arguments
            Arguments of every score in the list.

        Returns
        -------
        scores : dict of str to float
            By name, in the order of the list. The name of a function is its ``__name__``.

        Raises
        ------
        TypeError
            If `score_funcs` is a single name, or a score takes no such argument.
        ValueError
            As for `score`.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> state = RankingState().update([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
        >>> state.scores(["average_precision", "recall@2"])
        {'average_precision': 0.5, 'recall@2': 0.5}
        """
        if isinstance(score_funcs, str) or not isinstance(score_funcs, Iterable):
            raise TypeError(f"score_funcs must be a list of names or scores; got {score_funcs!r}.")
        asked = list(score_funcs)
        names = [one if isinstance(one, str) else getattr(one, "__name__", repr(one)) for one in asked]
        return dict(zip(names, self._scores(asked, score_func_params), strict=True))

    def _scores(self, asked: list[str | ScoreFunction], params: dict[str, Any]) -> list[float]:
        questions = [question_of(one, params) for one in asked]
        return self._filled().scores(questions)

    def _filled(self) -> _AnyRows:
        rows = self._held.rows
        if rows is None:
            raise ValueError("RankingState is empty: update it with rows, or merge states that have some.")
        return rows

    def bounds(
        self, score_func: str | ScoreFunction = "average_precision", **score_func_params: Any
    ) -> tuple[float, float]:
        """Return two numbers between which a score lies: proven, not estimated.

        With `bins`, they are the scores with the negatives of each bin above its positives, and below them.
        A sum is rounded, so they lie apart by 1e-12 of themselves at least. Without `bins`, both are the
        score.

        Parameters
        ----------
        score_func : str or callable, default="average_precision"
            As for `score`. With `bins`, an area or a number at a level, which has no cut.

        **score_func_params : additional arguments
            As for `score`.

        Returns
        -------
        low, high : float
            The score is not below the first, and not above the second.

        Warns
        -----
        UserWarning
            As for `score`.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such argument.
        ValueError
            As for `score`; with `bins`, for a score with a cut or an order of equal scores.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> state = RankingState(bins=(0, 1, 4)).update([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
        >>> [round(bound, 4) for bound in state.bounds()]
        [0.5, 0.8333]
        """
        rows, question = self._filled(), question_of(score_func, score_func_params)
        if isinstance(rows, BinnedRows):
            return rows.bounds(question)
        value = rows.scores([question])[0]
        return value, value

    def estimate(
        self, score_func: str | ScoreFunction = "average_precision", **score_func_params: Any
    ) -> ScoreEstimate:
        """Return a score of all rows, and how sure it is, by influences.

        Parameters
        ----------
        score_func : str or callable, default="average_precision"
            The area of a whole ranking, such as ``'average_precision'`` or :func:`sklearn_ap.pr_auc_score`.

        **score_func_params : additional arguments
            Arguments of the score, such as ``prevalence=0.01`` or ``n_positives=1200``.

        Returns
        -------
        estimate : ScoreEstimate
            As for :func:`sklearn_ap.estimate_score` with ``method='influence'``.

        Warns
        -----
        UserWarning
            If there are fewer than ten positives.

        Raises
        ------
        TypeError
            If `score_func` is neither a function nor a name, or the score takes no such argument.
        ValueError
            If there is no positive, rows have weights, the state has `k` or `bins`, or the score has no
            influences.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_ap.distributed import RankingState
        >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
        >>> print(RankingState().update(y_true, np.linspace(1, 0, 100)).estimate())
        0.394, 95 % interval 0.2433 to 0.5681 (influence)
        """
        rows = self._filled()
        question = estimated(score_func, "influence", score_func_params)
        if not isinstance(rows, AllRows):
            raise ValueError(f"k and bins must be None in a state that is asked for estimates; got {self!r}.")
        if rows.is_weighted:
            raise ValueError("sample_weight must be None in all updates of a state asked for estimates.")
        rows.scores([question])
        return estimate_of(question)

    def to_bytes(self) -> bytes:
        """Return the state as bytes, compressed: about 1 byte for each of a million float32 scores.

        States with the same rows give the same bytes, in whatever order the rows came, if the same zlib
        compresses them; with weights beside `k` or `bins`, up to the rounding of sums. Any zlib reads the
        bytes of any other.

        Returns
        -------
        data : bytes
            For `from_bytes`. They hold no pickle, and a checksum over all of them.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> data = RankingState().update([0, 1], [0.2, 0.7]).to_bytes()
        >>> RankingState.from_bytes(data)
        RankingState(n_samples=2, n_positives=1)
        """
        rows, labels = self._held
        header: dict[str, Any] = {
            "k": self._k,
            "bins": self._bins,
            "pos_label": labels.pos_label,
            "negative": labels.negative,
        }
        return to_bytes(header, {} if rows is None else rows.arrays())

    @classmethod
    def from_bytes(cls, data: bytes, *, memory_limit: MemoryLimit = "auto") -> RankingState:
        """Return the state that `to_bytes` wrote.

        Parameters
        ----------
        data : bytes
            What `to_bytes` returned, in this version of the format.

        memory_limit : int, str or 'auto', default='auto'
            Bytes that the state may take, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
            what is available. A thousandth of them may be enough to write a state, so this is what keeps
            data from elsewhere small. Reading may take as much again.

        Returns
        -------
        state : RankingState
            A new state.

        Raises
        ------
        TypeError
            If `data` is not bytes.
        ValueError
            If a byte of `data` is missing or differs, if it has another version or holds what no state does,
            such as counts below 0, or if the state takes more memory than it may.

        Examples
        --------
        >>> from sklearn_ap.distributed import RankingState
        >>> RankingState.from_bytes(RankingState().to_bytes())
        RankingState(n_samples=0, n_positives=0)
        """
        header, arrays = from_bytes(data, read_memory_limit(memory_limit))
        state = _of_header(header)
        kind, options = state._kind()
        if arrays:
            state._held = state._held._replace(rows=kind.of_arrays(arrays, *options))
        return state

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by way of `to_bytes`, so that a damaged pickle is refused too."""
        return partial(RankingState.from_bytes, memory_limit=_UNLIMITED), (self.to_bytes(),)

    def __copy__(self) -> RankingState:
        """Return a state that shares the rows, which are never written to."""
        return self._like().merge(self)

    def __repr__(self) -> str:
        held = f"n_samples={self.n_samples}, n_positives={self.n_positives}"
        held += "" if self._k is None else f", k={self._k}"
        return f"RankingState({held}{'' if self._bins is None else f', bins={tuple(self._bins)}'})"


def _of_header(header: dict[str, Any]) -> RankingState:
    """Return a state of the kind and with the labels that bytes name, or raise ValueError."""
    try:
        if header.keys() != {"pos_label", "negative", "k", "bins"}:
            raise ValueError(f"its header is {header!r}")
        state = RankingState(pos_label=header["pos_label"], k=header["k"], bins=header["bins"])
        negative = header["negative"]
        if negative is not None and read_pos_label(negative) == state._held.labels.pos_label:
            raise ValueError(f"both labels are {negative!r}")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"data must hold a state and its labels; got others, {error}") from None
    state._held = _Held(None, Labels(header["pos_label"], negative))
    return state
