"""What `--format json` prints: every output keeps the documented schema."""

import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from jsonschema import Draft202012Validator

from shell import ROWS, SCHEMA, json_of, said
from sklearn_ap import report
from sklearn_ap._report import fields

OUTPUTS = [
    "--compare old --threshold-at recall=0.8 --threshold-at k=1",
    "--y-true negative --per day",
    "--table",
    "--table --query-id day",
    "--y-true class --y-score owl,dog,cat --compare cat,dog,owl --prevalence 0.1",
]


@pytest.mark.parametrize("options", OUTPUTS)
def test_every_output_keeps_the_schema(path, options):
    Draft202012Validator.check_schema(SCHEMA)
    assert json_of(path, *options.split())["schema"] == fields.SCHEMA_VERSION == 1


def test_one_threshold_has_one_precision(path):
    """At another prevalence, too."""
    found = json_of(path, "--prevalence", "0.01", "-k", "50", "--threshold-at", "k=50")
    assert found["cut"]["threshold"] == found["thresholds"][0]["threshold"]


def test_report_of_a_file(path, tmp_path):
    page = tmp_path / "report.html"
    said(path, "--compare", "old", "-k", "20", "--report", page)
    options = {"compare": {"old": ROWS.old}, "k": 20}
    expected = report(ROWS.label, ROWS.score, **options).html
    data = r'application/json">(.*?)</script>'
    assert re.findall(data, page.read_text()) == re.findall(data, expected) != []


def test_reports_of_several_threads_leave_the_filters_of_warnings():
    """The filters belong to the process, so a thread must not restore those of another
    one.
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


def test_two_models_whose_positives_were_all_missed_have_no_difference():
    page = report([0, 0, 0], [3, 2, 1], compare=[1, 2, 3], n_positives=2)
    assert page.answer["comparisons"] == []


@pytest.mark.parametrize("number", ["0.987654321", "98.7654321"])
def test_a_number_that_nothing_gives_is_a_table_without_rows(path, number):
    """JSON says how a number above 1 was read, and what was not searched."""
    line = path, "--identify", number
    found = json_of(*line)
    assert (found["number"], found["rows"]) == (pytest.approx(0.987654321), [])
    words = f"{number} is read as it stands and, as no convention gives that, as "
    assert found["notes"][0].startswith(words) == (float(number) > 1)
