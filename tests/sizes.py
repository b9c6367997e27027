"""Sizes from which the package takes another path, and low values of them.

With a low value, ten rows take a path that only long inputs take otherwise. Property
tests draw these values, because all paths must return the same numbers.
"""

import sys
from contextlib import contextmanager
from importlib import import_module

import pytest
from hypothesis import strategies as st

# Modules of the core, their constants, and values with which few rows take each path.
_CORE: dict[str, dict[str, tuple[float, ...]]] = {
    "_core.ranking.runs": {
        "PIECE_ROWS": (1, 2, 5),
        "BLOCK_ROWS": (1, 2, 5),
        "_ENTRIES_PER_VALUE": (0, 1),
    },
    "_core.ranking.keys": {"_PLAIN_ROWS": (0, 3)},
    "_core.ranking.cut": {"_SETS": (1, 2), "_SETS_PER_ROW": (1, 2)},
    "_core.ranking.rank": {"_SHORT_ROWS": (0, 5), "_ROWS_PER_POSITIVE": (0, 3)},
}


CORE = {
    (f"sklearn_ap.{module}", name): values
    for module, constants in _CORE.items()
    for name, values in constants.items()
}
for _module, _name in CORE:
    # A constant that was removed fails here, and not after minutes of drawn examples.
    assert hasattr(import_module(_module), _name), f"{_module} has no {_name}"


@st.composite
def low_sizes(draw, thresholds=CORE):
    """Draw low values of all sizes, of some, or of none."""
    every = sorted(thresholds)
    lowered = draw(st.one_of(st.just(every), st.sets(st.sampled_from(every))))
    return {at: draw(st.sampled_from(thresholds[at])) for at in sorted(lowered)}


@contextmanager
def sizes(values):
    """Set these sizes in every module that imports them."""
    constants = {name: vars(import_module(module))[name] for module, name in values}
    ours = [
        vars(module)
        for place, module in [*sys.modules.items()]
        if place.startswith("sklearn_ap.")
    ]
    with pytest.MonkeyPatch.context() as patch:
        for (_, name), value in values.items():
            for names in ours:
                if names.get(name) is constants[name]:
                    patch.setitem(names, name, value)
        yield
