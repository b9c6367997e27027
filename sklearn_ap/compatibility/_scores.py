"""The caller's scores: read once, and ranked once per order that a record asks for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._api import rankings_in
from .._ranking._rankings import Rankings
from .._reading._options import read_k
from .._reading._queries import (
    PositiveTotals,
    QueryIds,
    distinct_queries,
    named_queries,
    read_ids,
    read_totals,
)
from .._reading._read import Checked, read
from .._typing import Average, BoolArray, FloatArray, Input, IntArray, Label, QueryWeight, TieOrder, Totals
from ._choices import Weights
from ._convention import Convention
from ._transforms import transformed

BY_ITEM = {"item_id": -1, "ascending item_id": 1}  # the sign of ids in an ascending sort


class _RowsByWeight(NamedTuple):
    """The caller's rows, for records that use weights and for those that ignore them."""

    used: Checked  # rows of weight 0 are gone
    ignored: Checked  # without weights
    places: slice | IntArray  # the rows that are left where weights are used


class Scores:
    """The arguments of the caller, in the form that each record needs; records share rankings."""

    def __init__(  # noqa: PLR0917  # the arguments of the public functions, in their order
        self,
        caller: str,
        y_true: ArrayLike,
        y_score: ArrayLike,
        k: int | float | None,
        pos_label: Label,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        item_id: ArrayLike | None = None,
        query_weight: QueryWeight | None = None,
        average: Average = "macro",
    ) -> None:
        self.k = read_k(k)
        inputs = Input(
            y_true, y_score, average, pos_label, sample_weight, query_id, query_weight, n_positives
        )
        self._rows = _read_both(inputs, caller)
        self._items = None
        if item_id is not None:
            items = _read_items(item_id, self._rows.ignored.positive.size)
            self._items = {"used": items[self._rows.places], "ignored": items}
        query = self._rows.ignored.query
        self._totals = read_totals(n_positives, query)
        # A wrong total is refused now, while errors can still show the ids of the caller.
        if self._totals is not None:
            rankings_in(self._rows.used, self._totals, average="macro")
        self.n_queries: int | None = None  # also those that a total names and no row
        if query is not None:
            self._number_queries(query)
        self.answers: dict[tuple[object, ...], float] = {}  # by the choices of conventions
        self._ranked: dict[tuple[object, ...], tuple[Rankings, FloatArray | None]] = {}
        self._tied: dict[tuple[object, ...], bool] = {}

    def _number_queries(self, query: QueryIds) -> None:
        """Replace ids of queries by numbers, which rank faster, and one total by a total per query."""
        names, code = distinct_queries(query)
        if isinstance(self._totals, dict):
            queries, totals = names, self._totals
            names = named_queries(queries, totals)  # also those without rows, all in the order of ids
            # Numbers in the order of ids, so that values per query come in this order too.
            place = {query: number for number, query in enumerate(names)}
            self._totals = {place[query]: totals[query] for query in names}
            code = np.array([place[query] for query in queries])[code]
        used, ignored, places = self._rows
        named = used.query_weight
        if named is not None:
            named = {number: named[query] for number, query in enumerate(names) if query in named}
        weightless = None if used.weightless is None else np.delete(code, places)
        self._rows = _RowsByWeight(
            used._replace(query=code[places], weightless=weightless, query_weight=named),
            ignored._replace(query=code, query_weight=named),
            places,
        )
        self.n_queries = len({*code[places].tolist(), *(self._totals or ())})

    @property
    def has_items(self) -> bool:
        """Whether the items have ids."""
        return self._items is not None

    @property
    def weighted(self) -> bool:
        """Whether sample weights were passed."""
        return self._rows.used.weight is not None

    @property
    def weighs_queries(self) -> bool:
        """Whether weights of queries were passed."""
        return self._rows.used.query_weight is not None

    def counts_missed(self, convention: Convention) -> bool:
        """Whether the record counts stated totals, and the caller stated some."""
        return convention.total == "stated" and self._totals is not None

    def ranked(self, convention: Convention, *, ties: str) -> Rankings:
        """Return the rankings that a record sees, with equal scores in the order named by `ties`."""
        return self.ranked_and_weighed(convention, ties=ties)[0]

    def ranked_and_weighed(self, convention: Convention, *, ties: str) -> tuple[Rankings, FloatArray | None]:
        """Return the same rankings, and the weights that the caller gave them in the mean."""
        counted, by_item = self.counts_missed(convention), ties in BY_ITEM and self.has_items
        rows = self._rows.used if convention.weights == "used" else self._rows.ignored
        changes = [getattr(convention, choice) for choice in ("score_dtype", "transform", "thresholds")]
        is_pooled = convention.queries == "pooled" or self.n_queries is None
        order = ties if by_item or ties == "reversed" else _tie_order_for(ties)
        # Only tied rankings depend on the order: without ties, all orders share the ranking with key None.
        # Records that agree in all of these see the same rankings: sorting them is what takes time.
        key = (None, *changes, rows is self._rows.ignored, is_pooled, counted)
        if order is not None and self._is_tied(key):
            key = (order, *key[1:])
        if key not in self._ranked:
            checked, unretrieved = transformed(rows, convention)
            totals = None if unretrieved is None else _total_weights(checked, unretrieved)
            rankings, averaging = rankings_in(
                self._in_order(checked, convention.weights, ties),
                self._totals if counted else totals,
                average="micro" if convention.queries == "pooled" else "macro",
                tie_order=_tie_order_for(ties),
            )
            self._ranked[key] = rankings, averaging.weights
        return self._ranked[key]

    def _is_tied(self, key: tuple[object, ...]) -> bool:
        """Whether equal scores are known from a ranking that has them in no order, or may be there."""
        if key in self._ranked and key not in self._tied:
            self._tied[key] = any((steps.group_rows > 1).any() for steps in self._ranked[key][0].blocks())
        return self._tied.get(key, True)

    def _in_order(self, checked: Checked, weights: Weights, ties: str) -> Checked:
        """Return the rows in an order that a stable sort by score turns into the record's order."""
        if ties == "reversed":
            return checked.take(slice(None, None, -1))
        if ties not in BY_ITEM or self._items is None:
            return checked
        return checked.take(np.argsort(BY_ITEM[ties] * self._items[weights], kind="stable"))


def _tie_order_for(ties: str) -> TieOrder | None:
    """Return how equal scores are ranked, once the rows are in the order of the record."""
    if ties in ("proportional", "expected"):
        return None
    return "optimistic" if ties == "optimistic" else "pessimistic" if ties == "pessimistic" else "stable"


def _read_both(inputs: Input, caller: str) -> _RowsByWeight:
    """Read twice, because records that ignore weights also keep the rows of weight 0."""
    ignored = read(inputs._replace(sample_weight=None), caller=caller)
    if ignored.positive.ndim != 1:
        raise ValueError(
            f"y_true must be binary; got shape {np.shape(inputs.y_true)}. A convention takes one ranking, or "
            "one per query; pass one column of labels and scores at a time."
        )
    if inputs.sample_weight is None:
        return _RowsByWeight(ignored, ignored, slice(None))
    weight = np.asarray(inputs.sample_weight, dtype=np.float64)
    return _RowsByWeight(read(inputs, caller=caller), ignored, np.flatnonzero(weight.ravel()))


def _read_items(item_id: ArrayLike, n_samples: int) -> IntArray:
    """Return the place of each item among the sorted ids, compared as text, as trec_eval reads them."""
    ids = read_ids(item_id, n_samples, name="item_id")
    if ids.dtype.kind in "OS":  # bytes equal the same id as text
        ids = np.array([item.decode() if isinstance(item, bytes) else str(item) for item in ids])
    return np.asarray(np.unique(ids.astype(str), return_inverse=True)[1])


def _total_weights(checked: Checked, unretrieved: BoolArray) -> PositiveTotals:
    """Return the weight of all positives, found or `unretrieved`: one number, or one per query."""
    weight = (checked.positive | unretrieved) * (1.0 if checked.weight is None else checked.weight)
    if checked.query is None:
        return np.asarray(weight.sum())
    queries, place = distinct_queries(checked.query)
    return dict(zip(queries, np.bincount(place, weight).tolist(), strict=True))
