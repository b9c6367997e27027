"""Scans that cannot fail half-way: rows that are refused are a result too, and the first one is raised.

An engine may run a function again after a worker was lost, on several parts at a time. So functions raise
nothing, and what they return is combined in the order of the parts: the same rows give the same number and
the same error, wherever they are read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

from .._source import Part, Place, Source, SourceError, Told
from ._part import ColumnRoles, Negative, Roles, read_columns, read_part_of_source, same_labels


class Mergeable(Protocol):
    """What rows become."""

    def joined(self, other: Self) -> Self:
        """Return the state of both."""


class _Found(NamedTuple):
    """The state of some parts; None if all rows weigh 0."""

    state: Mergeable | None
    negative: Negative | None
    place: Place  # of the first part


class _Refused(NamedTuple):
    message: str


def scanned(
    source: Source, roles: Roles | ColumnRoles, into: Callable[[Any], Mergeable | None], told: Told
) -> Mergeable | None:
    """Return the state of all rows, or raise SourceError about the first row that is refused.

    `into` makes the state of a part's `Checked`, or `CheckedColumns`, or None. It can be pickled.
    """
    step: Callable[[Part], _Found | _Refused] = _Step(roles, into)
    found = source.scan(roles.columns, step, _Joined(roles), told)
    if found is None:
        raise SourceError(f"{source.name}: holds no rows")
    if isinstance(found, _Refused):
        raise SourceError(found.message)
    return found.state


@dataclass(frozen=True)
class _Step:
    """The step of a scan: make a state of a part, or its error."""

    roles: Roles | ColumnRoles
    into: Callable[[Any], Mergeable | None]

    def __call__(self, part: Part) -> _Found | _Refused:
        try:
            if isinstance(self.roles, ColumnRoles):
                return _Found(self.into(read_columns(part, self.roles)), None, part.place)
            checked, negative = read_part_of_source(part, self.roles)
            state = None if checked is None else self.into(checked)
        # An engine would retry a raised error on each worker; a result travels once.
        except ValueError as error:
            return _refused(error, self.roles, part.place)
        return _Found(state, negative, part.place)


@dataclass(frozen=True)
class _Joined:
    """How states of parts are combined."""

    roles: Roles | ColumnRoles

    def __call__(self, parts: Sequence[_Found | _Refused]) -> _Found | _Refused:
        first, *others = parts
        for other in others:
            # Parts are in order, so the first refusal is that of the first wrong row, wherever it was read.
            if isinstance(first, _Refused):
                return first
            if isinstance(other, _Refused):
                return other
            try:
                negative = same_labels(first.negative, other.negative, self.roles)
                first = _Found(_state_of_both(first.state, other.state), negative, first.place)
            except ValueError as error:
                return _refused(error, self.roles, other.place)
        return first


def _state_of_both(one: Mergeable | None, other: Mergeable | None) -> Mergeable | None:
    if one is None or other is None:
        return other if one is None else one
    return one.joined(other)


def _refused(error: ValueError, roles: Roles | ColumnRoles, place: Place) -> _Refused:
    """Return the error of a part; add the place of the part if the error names none."""
    if isinstance(error, SourceError):
        return _Refused(str(error))
    text = str(error).split("\n", 1)[0]
    # Errors of states know no columns: their words tell which argument they are about.
    column = roles.sample_weight if "sample_weight" in text and roles.sample_weight else roles.y_score
    return _Refused(str(place.error(column if isinstance(column, str) else column[0], text)))
