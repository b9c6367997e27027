"""A pytest plugin that puts our `average_precision_score` in scikit-learn's place, and
counts who calls it.

It has to be loaded before scikit-learn's test modules are, which import the function by
name.
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
