"""The numbers of sklearn_ap itself, as records."""

from ..._definition import Definition
from ..._family import FAMILY as NUMBERS
from ..._family import Number
from .._convention import Convention
from .._grid import Grid

__all__ = ["FAMILY"]


def _record_of(number: Number) -> Convention:
    """Return the record of a number: its definition, with the choices that all our functions share."""
    one = number.definition
    return Convention(
        name=number.name,
        source=number.call,
        run=True,
        queries="mean",
        total="stated" if number.takes("n_positives") else "found",
        area=one.area.name,
        grid=_grid_of(one),
        ties=one.ties,
        cut="k" if number.is_cut else one.cut,
        normalizer=one.normalizer,
    )


def _grid_of(one: Definition) -> Grid | None:
    """Return the levels of a definition as records have them."""
    if one.level is not None:
        return Grid(f"level {one.level}", (one.level,))
    return None if one.grid is None else Grid(f"{one.grid} levels j/{one.grid - 1}", one.grid)


FAMILY = tuple(map(_record_of, NUMBERS))
