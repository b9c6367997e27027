"""Dask collections, which whatever reads arrays gathers: all of a call's at once, with one warning.

Functions that read their input several times gather it first, so that nothing is computed twice.
"""

import sys
from collections.abc import Mapping
from typing import Any

from .._warning import warn_user


def is_dask(values: object) -> bool:
    """Whether an object is a collection of Dask, which is imported already if there is one."""
    return "dask" in sys.modules and type(values).__module__.startswith("dask.")


def gathered(**given: Any) -> dict[str, Any]:
    """Return the arguments of a call with what Dask collections hold, and warn if there are any.

    An argument may also map names to collections, such as models to their scores.
    """
    if "dask" not in sys.modules:
        return given
    found = {name: values for name, values in given.items() if _holds_dask(values)}
    if not found:
        return given
    *others, last = found
    names = f"{', '.join(others)} and {last}" if others else last
    what = "are Dask collections, which are" if others else "is a Dask collection, which is"
    them = "them" if others else "it"
    warn_user(f"{names} {what} gathered into memory; sklearn_ap.distributed scores {them} part by part.")
    return given | _computed(found)


def _computed(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of collections, computed together, since they may share what they are made of."""
    import dask.base  # noqa: PLC0415  # optional, and imported already

    compute: Any = dask.base.compute
    values = {name: {**one} if isinstance(one, Mapping) else one for name, one in found.items()}
    # Dask warns where frames are computed together with arrays and delayed objects.
    for of_frames in (True, False):
        chosen = [name for name, one in values.items() if _is_frame(one) == of_frames]
        values |= zip(chosen, compute(*(values[name] for name in chosen)), strict=True)
    return values


def _is_frame(values: object) -> bool:
    """Whether a collection of Dask is an expression, as DataFrames and Series are."""
    return any(map(_is_frame, values.values())) if isinstance(values, dict) else hasattr(values, "expr")


def _holds_dask(values: object) -> bool:
    return is_dask(values) or (isinstance(values, Mapping) and any(map(is_dask, values.values())))
