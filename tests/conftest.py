"""Settings of all tests. Property tests draw the same examples in every run, unless
HYPOTHESIS_PROFILE is `explore`. `brief.py` describes the profiles.
"""

import gc
import os
import sys
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

import warned
from brief import PROFILE

# Without this, pytest shows no values of an assertion that fails in a helper.
pytest.register_assert_rewrite("oracles", "problems", "shell")


def pytest_configure():
    """Name the extra if a library that many tests import is missing."""
    for library in ("matplotlib", "pandas", "polars", "pyarrow"):
        if find_spec(library) is None:
            raise pytest.UsageError(f"Tests import {library}: pip install -e '.[test]'")


# Each worker of pytest uses one core. Several threads of linear algebra per worker
# would take ten times as long, because they wait for each other. numpy reads these
# variables when it is imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ["MPLBACKEND"] = "Agg"  # figures need no screen

# All tests share these settings. A test only sets its numbers of examples, if 20 (in
# brief) and 30 are too many or too few. Times depend on the load of the machine, so no
# example has a deadline. Problems (rows, weights, queries, totals) are large, and some
# are drawn again because a score raises an error for them. Fixtures may apply to all
# examples of a test.
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
for profile, n_examples in {"brief": 20, "repeatable": 30}.items():
    settings.register_profile(
        profile, derandomize=True, max_examples=n_examples, **_EVERYWHERE
    )
settings.register_profile("explore", **_EVERYWHERE)
settings.load_profile(PROFILE)

# Six thousand tests are objects that stay. Without these lines, the garbage collector
# visits all of them again and again, in a quarter of the time of their collection.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


ENGINES = ("test_recipes.py",)


def pytest_collection_modifyitems(items):
    """Run tests of engines first: a single worker gets the first eighth of all tests,
    so each engine starts only once.
    """
    items.sort(key=lambda item: item.path.name not in ENGINES)


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    lines = warned.lines_of(stats.get("failed", []) + stats.get("error", []))
    if lines:
        terminalreporter.section("libraries that began to warn")
        terminalreporter.write_line("\n".join(lines))


@pytest.fixture(autouse=True)
def _figures_are_closed_and_never_shown(monkeypatch):
    """Fail if a display shows its figure, and close all figures after each test."""
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
    """Make the import of matplotlib fail."""
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture(scope="session")
def data():
    """Return two features and labels of overlapping classes."""
    import numpy as np  # noqa: PLC0415  # after the number of threads is set

    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    return rng.normal(size=(200, 2)) + y[:, np.newaxis], y.astype(int)
