"""The areas of records: those of public scores with more grids and ends, and areas of other packages."""

from dataclasses import replace
from functools import partial

from .._areas._area import Area
from .._family import FAMILY
from ._reductions import (
    fewest_retrieved,
    interpolated_at_grid,
    linear_at_grid,
    linear_envelope,
    linear_from,
    mean_precision,
    precisions_within,
    recall_at_grid,
    step_at_grid,
    unit_steps,
    with_descent,
)
from ._words import FirstPoint, LastPoint

__all__ = ["AREAS", "area_of"]

_AT_GRID = {
    "step": step_at_grid,
    "interpolated": interpolated_at_grid,
    "linear": linear_at_grid,
    "recall at precision": recall_at_grid,
}
_OURS = {number.definition.area.name: number.definition.area for number in FAMILY}
_OTHERS = (
    Area(
        name="davis-goadrich, unit steps",
        noun="PR AUC",
        words="Davis-Goadrich points at each positive, joined by straight lines",
        whole=unit_steps,
    ),
    Area(
        name="linear, fewest retrieved",
        noun="PR AUC",
        words="lines between the first thresholds of each recall",
        whole=fewest_retrieved,
    ),
    Area(
        name="linear, interpolated",
        noun="PR AUC",
        words="best precisions at each threshold or below, joined by straight lines",
        whole=linear_envelope,
    ),
    Area(
        name="precisions",
        noun="AP",
        words="mean of the precisions at each row",
        whole=mean_precision,
        within=precisions_within,
    ),
)
# By the names that records use. Grids of records can meet and weigh levels in more ways than public scores,
# so they get other reductions.
AREAS = {
    **{name: replace(area, at_grid=_AT_GRID.get(name, area.at_grid)) for name, area in _OURS.items()},
    **{area.name: area for area in _OTHERS},
}


def area_of(name: str, *, first_point: FirstPoint, last_point: LastPoint) -> Area:
    """Return an area by its name, with the first and the last point of a record's curve."""
    # Records allow another first point for 'linear' alone, and another last point for 'interpolated' alone.
    if first_point != "(0, 1)":
        whole, at_grid = (partial(one, first_point=first_point) for one in (linear_from, linear_at_grid))
        return replace(AREAS[name], whole=whole, at_grid=at_grid)
    if last_point != "none":
        return replace(AREAS[name], whole=with_descent, at_grid=with_descent)
    return AREAS[name]
