"""The table of `tests/sizes.py` contains every size of the core from which another path
is taken.

`test_against_oracle` draws low values of these sizes, so that ten rows take the paths
of long inputs.
"""

from importlib import import_module
from pkgutil import walk_packages

from sizes import CORE

# Numbers of the core that choose no path by a size.
OTHERS = {
    "ROUNDING_PER_ROW",
    "_BELOW_1",
    "LARGEST_EXACT",
    "_LONG_STEPS",
    "_MAX_WEIGHT",
    "_SHORT_HEIGHT",
    "_UNSCALED_BELOW",
}


def numbers_of(module):
    return {
        name
        for name, value in vars(module).items()
        if name.isupper() and type(value) in (int, float)
    }


def test_every_number_of_the_sort_and_of_the_areas_is_known():
    found = set()
    for package in ("ranking", "areas"):
        path = import_module(f"sklearn_ap._core.{package}").__path__
        for module in walk_packages(path, f"sklearn_ap._core.{package}."):
            found |= numbers_of(import_module(module.name))
    known = OTHERS | {name for _, name in CORE}  # others import it
    unknown = found - known
    assert not unknown, "write it into tests/sizes.py with low values, or into OTHERS"
    assert not known - found, "remove it from tests/sizes.py or OTHERS"
