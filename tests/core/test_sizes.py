"""The table of `tests/sizes.py` contains every size of the core from which another path
is taken, and a plain call stays short.

`test_against_oracle` draws low values of these sizes, so that ten rows take the paths
of long inputs.
"""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

import sklearn_ap
from sizes import CORE

# Numbers of the core that choose no path by a size.
OTHERS = {
    "ROUNDING_PER_ROW",
    "_BELOW_1",
    "_LARGEST_EXACT",
    "_LONG_ROWS",
    "_LEAST_SUBNORMAL",
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


# --- the way of one call --------------------------------------------------------------

# The most files, functions and calls of the package in a repeated call of 1,000 rows.
MOST = {"plain": (12, 36, 40), "weights": (14, 57, 66), "queries": (16, 67, 79)}
OURS = str(Path(sklearn_ap.__file__).parent)


def calls_in(call):
    """Return the code of each function of the package that a call calls."""
    codes, previous = [], sys.getprofile()

    def note(frame, event, _):
        # A generator is called once, and resumed afterwards.
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            codes.append(frame.f_code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(previous)
    return codes


@pytest.mark.parametrize("kind", MOST)
def test_a_repeated_call_calls_few_functions(kind):
    rng = np.random.default_rng(0)
    rows, arguments = (rng.random(1000) < 0.5, rng.random(1000)), {}
    if kind != "plain":
        arguments["sample_weight"] = rng.lognormal(size=1000)
    if kind == "queries":
        arguments |= {"query_id": np.repeat(np.arange(50), 20), "zero_division": 0.0}

    def call():
        return sklearn_ap.average_precision_score(*rows, **arguments)

    call()
    codes = calls_in(call)
    found = len({code.co_filename for code in codes}), len({*codes}), len(codes)
    assert max(np.subtract(found, MOST[kind])) <= 0, found
