"""Property tests draw the same cases in every run (HYPOTHESIS_PROFILE=explore draws new
ones).
"""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Each of pytest's workers has a core: threads of their linear algebra would wait for
# each other, ten times as long as they work. Set before numpy is loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ["MPLBACKEND"] = "Agg"  # figures need no screen

# One profile: a test states no more than its number of examples, where 30 are not
# right. A clock says how busy a machine is, not whether code is right: no example has a
# deadline, and none is drawn too slowly. Problems (rows, weights, queries, totals) are
# large, and those that the oracle refuses are drawn again. A patch that holds for all
# examples of a test is meant to.
_EVERYWHERE = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
}
settings.register_profile(
    "repeatable", derandomize=True, max_examples=30, **_EVERYWHERE
)
settings.register_profile("explore", **_EVERYWHERE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


ENGINES = ("test_distributed_spark.py",)


def pytest_collection_modifyitems(items):
    """Let engines come first: one worker gets the first eighth of all tests, and starts
    each engine once.
    """
    items.sort(key=lambda item: item.path.name not in ENGINES)


@pytest.fixture(autouse=True)
def _figures_are_closed_and_never_shown(monkeypatch):
    """Where a test file draws, no display shows its figure, and none outlives its
    test.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        monkeypatch.setattr(
            pyplot, "show", lambda *_, **__: pytest.fail("a display called pyplot.show")
        )
    yield
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def without_matplotlib(monkeypatch):
    """As if matplotlib were not installed."""
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture(scope="session")
def data():
    """Two classes of two features that overlap, for displays of estimators."""
    import numpy as np  # noqa: PLC0415  # after the number of threads is set

    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    return rng.normal(size=(200, 2)) + y[:, np.newaxis], y.astype(int)
