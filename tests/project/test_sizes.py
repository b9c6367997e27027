"""The thresholds of sizes of subpackages above the core; `tests/core/test_sizes.py` has
those of the core.
"""

from importlib import import_module

from sizes import ABOVE
from tests.core.test_sizes import numbers_of


def test_thresholds_of_the_subpackages_exist():
    for module, name in ABOVE:
        assert name in numbers_of(import_module(module)), (module, name)
