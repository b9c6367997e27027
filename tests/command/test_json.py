"""Each output of `--format json` matches the documented schema."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from jsonschema import Draft202012Validator

from shell import ROWS, SCHEMA, json_of
from sklearn_ap import report


def test_a_table_keeps_the_schema(path):
    Draft202012Validator.check_schema(SCHEMA)
    assert json_of(path, "--table")["rows"]


def test_reports_of_several_threads_leave_the_filters_of_warnings():
    """The filters belong to the process, so a thread must not restore those of another
    thread.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    rows = ROWS.label[:90], ROWS.score[:90]
    with warnings.catch_warnings():
        before = list(warnings.filters)
        with ThreadPoolExecutor(8) as pool:
            pages = set(pool.map(lambda _: report(*rows, k=5).html, range(16)))
        after = list(warnings.filters)
    sys.setswitchinterval(interval)
    assert len(pages) == 1
    assert after == before


def test_a_number_that_nothing_gives_is_a_table_without_rows(path):
    """If no convention gives the number, the notes of the JSON name the nearest one."""
    found = json_of(path, "--identify", "0.987654321")
    assert (found["number"], found["rows"]) == (pytest.approx(0.987654321), [])
    assert found["notes"][0].startswith("The nearest: ")
