"""Any callable as a score: it is called with the rows of every bootstrap sample."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from .._reading._queries import distinct_queries, read_numbered
from .._reading._values import on_host
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreFunction
from ._sample import Sample


class AnyScore:
    """A callable with its arguments, ready to be called with some of the rows."""

    def __init__(
        self, score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, params: Mapping[str, Any]
    ) -> None:
        check_consistent_length(y_true, y_score)
        call: Any = score_func
        while isinstance(call, partial) and not call.args:  # it may bind values of rows
            call, params = call.func, {**call.keywords, **params}
        self._score_func: ScoreFunction = call
        self._params = params
        self._labels, self._scores = _as_rows("y_true", y_true), _as_rows("y_score", y_score)
        self._of_rows = {}
        if params.get("sample_weight") is not None:
            self._of_rows["sample_weight"] = _as_rows("sample_weight", params["sample_weight"])
        query = self.drawn(None)
        if query is not None:
            self._of_rows["query_id"] = query

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self._scores.shape[0])

    def of(self, scores: AnyArray) -> float:
        """Return the score of other scores."""
        return float(self._score_func(self._labels, scores, **self._params))

    def units(self, unit_id: ArrayLike | None) -> IntArray | None:
        """Return the unit number of each row, or None if each row is a unit."""
        if unit_id is None:
            return None
        ids = read_numbered(unit_id, len(self), name="unit_id")
        return np.asarray(distinct_queries(ids)[1], dtype=np.int64)

    def drawn(self, units: IntArray | None) -> IntArray | None:
        """Return the unit of each row: the given units, else the queries, else None for single rows."""
        query_id = self._params.get("query_id")
        if units is not None or query_id is None:
            return units
        return np.asarray(distinct_queries(read_numbered(query_id, len(self)))[1], dtype=np.int64)

    def binary(self) -> AnyArray | None:
        """Return which labels are the larger of two, or None if there are not two."""
        if not isinstance(self._labels, np.ndarray) or self._labels.ndim > 1:
            return None
        kinds = np.unique(self._labels)
        return self._labels == kinds[-1] if kinds.size == 2 else None

    def sample(self, units: IntArray | None, positive: AnyArray | None) -> Sample:
        """Return the sample whose units are drawn again and again; queries are units."""
        if self._params.get("n_positives") is not None:
            raise ValueError(
                f"n_positives must be left out for this score; got {self._params['n_positives']!r}: missed "
                "positives have no rows that could be drawn."
            )
        units = self.drawn(units)
        units = np.arange(len(self)) if units is None else units
        return _AnySample(self._score_of_rows, units, positive)

    def _score_of_rows(self, rows: IntArray, number: IntArray) -> float:
        drawn = {name: values[rows] for name, values in self._of_rows.items()}
        if "query_id" in drawn:  # a query that was drawn twice is two queries
            drawn["query_id"] = number * (self._of_rows["query_id"].max() + 1) + drawn["query_id"]
        return float(self._score_func(self._labels[rows], self._scores[rows], **{**self._params, **drawn}))


def _as_rows(name: str, values: Any) -> Any:
    return values.tocsr() if hasattr(values, "tocsr") else np.asarray(on_host(name, values))


class _AnySample(Sample):
    """A sample of any callable: each call gets the rows of the drawn units, repeated as drawn."""

    def __init__(
        self,
        score: Callable[[IntArray, IntArray], float],
        unit: IntArray,
        positive: BoolArray | None,
    ) -> None:
        self._score, self._positive = score, positive
        self._order = np.argsort(unit, kind="stable")
        self._bounds = np.append(0, np.cumsum(np.bincount(unit)))
        self.n_rows, self.n_units = unit.size, self._bounds.size - 1
        if positive is not None:
            self.n_positives = self.fewest = float(np.count_nonzero(np.bincount(unit[positive])))

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples."""
        return np.array([self._score_of(np.repeat(np.arange(self.n_units), count)) for count in counts])

    def _score_of(self, drawn: IntArray) -> float:
        """Return the score of the rows of these units; each drawn unit gets a new number."""
        length = np.diff(self._bounds)[drawn]
        number = np.repeat(np.arange(drawn.size), length)
        start = np.cumsum(length) - length
        rows = self._order[np.arange(number.size) - np.repeat(start - self._bounds[drawn], length)]
        in_order = np.argsort(rows, kind="stable")  # "stable" ties keep the order of the rows
        rows, number = rows[in_order], number[in_order]
        if self._positive is not None and not self._positive[rows].any():
            return np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said once, of the sample itself
            return float(self._score(rows, number))
