"""Counts of labels and queries, part by part: what the first lines tell of rows beyond memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from ..distributed._source import Part, Place

__all__ = ["Counting", "Counts", "OfLabel", "joined"]

_MOST_LABELS = 6  # as many as an error shows: two are wanted


class OfLabel(NamedTuple):
    """The rows that have a label."""

    n: int
    weight: float
    queries: frozenset[Any]  # of its rows of weight above 0
    place: Place  # of the first of these rows, with its number there
    row: int


Counts = dict[Any, OfLabel]  # by label


@dataclass(frozen=True)
class Counting:
    """What counts the rows of a part; wrong weights and ids are told by the scan that ranks the rows."""

    y_true: str
    sample_weight: str | None
    query_id: str | None

    @property
    def columns(self) -> list[str]:
        """The columns that are read, each once."""
        return list(dict.fromkeys(filter(None, (self.y_true, self.sample_weight, self.query_id))))

    def __call__(self, part: Part) -> Counts:
        """Return the counts of the rows of a part."""
        labels = part.columns[self.y_true]
        weight = None if self.sample_weight is None else _weights(part.columns[self.sample_weight])
        query = None if self.query_id is None else part.columns[self.query_id]
        counts: Counts = {}
        for label in _distinct(labels)[:_MOST_LABELS]:
            rows: BoolArray = np.asarray(labels != labels if label != label else labels == label)
            own = None if weight is None else weight[rows]
            n = int(np.count_nonzero(rows))
            ids: list[Any] = []
            if query is not None:
                ids = _distinct(query[rows if weight is None else rows & (weight > 0)])
            total = float(n if own is None else own.sum())
            counts[label] = OfLabel(n, total, frozenset(ids), part.place, int(rows.argmax()))
        return counts


def _weights(values: AnyArray) -> FloatArray:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return np.ones(values.size)


def _distinct(values: AnyArray) -> list[Any]:
    """Return distinct values as Python's own objects."""
    found: list[Any] = values.tolist() if values.dtype == object else np.unique(values).tolist()
    return list(dict.fromkeys(found))


def joined(parts: Sequence[Counts]) -> Counts:
    """Return the counts of several parts."""
    counts: Counts = {}
    for part in parts:
        for label, one in part.items():
            first = counts.get(label)
            if first is not None:
                queries = first.queries | one.queries
                counts[label] = first._replace(
                    n=first.n + one.n, weight=first.weight + one.weight, queries=queries
                )
            elif len(counts) < _MOST_LABELS:
                counts[label] = one
    return counts
