"""The caller's scores: read once, and ranked once for each order that a record asks for."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._averaging import rankings_in
from .._ranking import Rankings
from .._reading import Checked, QueryIds, distinct_queries, read, read_ids, read_k, read_totals
from .._typing import BoolArray, FloatArray, IntArray, Label, Totals
from ._convention import Convention
from ._transforms import transformed

__all__ = ["BY_ITEM", "Scores"]

BY_ITEM = {"item_id": -1, "ascending item_id": 1}  # orders of equal scores, by the sign of the ids' places


class Scores:
    """What the caller passed, as every record sees it."""

    def __init__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        caller: str,
        k: int | float | None,
        pos_label: Label,
        sample_weight: ArrayLike | None,
        query_id: ArrayLike | None,
        n_positives: Totals | None,
        item_id: ArrayLike | None,
    ) -> None:
        def checked(weights: ArrayLike | None) -> Checked:
            return read(
                y_true,
                y_score,
                caller=caller,
                average="macro",
                pos_label=pos_label,
                sample_weight=weights,
                query_id=query_id,
            )

        self.k = read_k(k)
        self._ignoring_weights = checked(None)
        if self._ignoring_weights.positive.ndim != 1:
            raise ValueError(
                "y_true must be binary, since a convention takes one ranking, or one per query; pass one "
                f"column of labels and scores at a time; got shape {np.shape(y_true)}."
            )
        self._using_weights = self._ignoring_weights
        kept: Any = slice(None)  # rows of weight 0 are gone where weights are used
        if sample_weight is not None:
            self._using_weights = checked(sample_weight)
            kept = np.flatnonzero(np.asarray(sample_weight, dtype=np.float64).ravel())
        n_samples = self._ignoring_weights.positive.size
        items = None if item_id is None else _read_items(item_id, n_samples)
        self._items = None if items is None else {"used": items[kept], "ignored": items}
        self._stated = read_totals(n_positives, self._ignoring_weights.query)
        if self._stated is not None:  # refused here, by the labels and ids that the caller knows
            rankings_in(self._using_weights, self._stated, average="macro")
        if self._ignoring_weights.query is not None:
            self._number_queries(self._ignoring_weights.query, kept)
        self._ranked: dict[tuple[Any, ...], Rankings] = {}

    def _number_queries(self, query: QueryIds, kept: Any) -> None:
        """Replace the ids of queries by numbers, which are ranked faster, and a total by one per query."""
        queries, code = distinct_queries(query)
        self._ignoring_weights = self._ignoring_weights._replace(query=code)
        self._using_weights = self._using_weights._replace(query=code[kept])
        if isinstance(self._stated, dict):
            without_rows = [query for query in self._stated if query not in set(queries)]
            place = {query: place for place, query in enumerate([*queries, *without_rows])}
            self._stated = {place[query]: total for query, total in self._stated.items()}
        elif self._stated is not None:
            self._stated = dict.fromkeys(range(len(queries)), float(self._stated))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self._ignoring_weights.positive.size

    @property
    def has_items(self) -> bool:
        """Whether the items have ids."""
        return self._items is not None

    @property
    def weighted(self) -> bool:
        """Whether sample weights were passed."""
        return self._using_weights.weight is not None

    def counts_missed(self, convention: Convention) -> bool:
        """Whether the record takes stated totals, and there are some."""
        return convention.total == "stated" and self._stated is not None

    def ranked(self, convention: Convention, *, ties: str) -> Rankings:
        """Return the rankings that a record sees, with equal scores in the order that `ties` names."""
        counted = self.counts_missed(convention)
        seen = ("score_dtype", "transform", "thresholds", "queries", "weights")
        key = (*(getattr(convention, choice) for choice in seen), ties, counted)
        if key not in self._ranked:
            rows = self._using_weights if convention.weights == "used" else self._ignoring_weights
            checked, lost = transformed(rows, convention)
            totals = None if lost is None else _totals(checked, lost)
            self._ranked[key], _ = rankings_in(
                self._in_order(checked, convention.weights, ties),
                self._stated if counted else totals,
                average="micro" if convention.queries == "pooled" else "macro",
                ties="stable" if ties in ("reversed", *BY_ITEM) else ties,
            )
        return self._ranked[key]

    def _in_order(self, checked: Checked, weights: str, ties: str) -> Checked:
        """Return the rows with equal scores in the record's order, where that is not the order given."""
        if ties == "reversed":
            return _reordered(checked, slice(None, None, -1))
        if ties not in BY_ITEM or self._items is None:
            return checked
        return _reordered(checked, np.argsort(BY_ITEM[ties] * self._items[weights], kind="stable"))


def _read_items(item_id: ArrayLike, n_samples: int) -> IntArray:
    """Return the place of each item among the sorted ids, compared as the text they are in files."""
    try:
        ids = read_ids(item_id, n_samples, name="item_id")
    except Exception as error:  # of whatever kind the comparisons of the ids raise
        if str(error).startswith("item_id"):
            raise
        raise ValueError(f"item_id must hold ids that can be compared; {error}") from error
    if ids.dtype.kind in "OS":
        ids = np.array([_text_of(one, row) for row, one in enumerate(ids)])
    return np.asarray(np.unique(ids.astype(str), return_inverse=True)[1])


def _text_of(item: Any, row: int) -> str:
    """Return an id as text: bytes are read as UTF-8, so that they compare with the same id as text."""
    try:
        return item.decode() if isinstance(item, bytes) else str(item)
    except Exception as error:  # the id's own __str__ may raise anything
        raise ValueError(
            f"item_id must hold ids that can be read as text; the one in row {row}, of type "
            f"{type(item).__name__}, cannot: {error}"
        ) from error


def _totals(checked: Checked, lost: BoolArray) -> FloatArray | dict[Any, float]:
    """Return the weight of all positives: one number, or one per query."""
    weight = (checked.positive | lost) * (1.0 if checked.weight is None else checked.weight)
    if checked.query is None:
        return np.asarray(weight.sum())
    queries, place = distinct_queries(checked.query)
    return dict(zip(queries, np.bincount(place, weight).tolist(), strict=True))


def _reordered(checked: Checked, rows: Any) -> Checked:
    return checked._replace(
        positive=checked.positive[rows],
        score=checked.score[rows],
        weight=None if checked.weight is None else checked.weight[rows],
        query=None if checked.query is None else checked.query[rows],
    )
