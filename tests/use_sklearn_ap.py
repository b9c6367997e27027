"""A pytest plugin that replaces the `average_precision_score` of scikit-learn by ours,
and counts the tests that call it.

The test modules of scikit-learn import the function by name, so pytest must load this
plugin before them.
"""

import functools

import pytest
import sklearn.metrics

import sklearn_ap

running: list[str] = []
callers: set[str] = set()


@functools.wraps(sklearn_ap.average_precision_score)
def counted(*args, **kwargs):
    callers.update(running)
    return sklearn_ap.average_precision_score(*args, **kwargs)


sklearn.metrics.average_precision_score = counted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    running[:] = [item.nodeid]
    return (yield)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"tests that called sklearn_ap: {len(callers)}")
