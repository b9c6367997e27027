"""Reports: what the parts say, and wrong arguments."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from report_rows import ROWS
from sklearn_ap import report

Y, S = ROWS["label"].to_numpy(), ROWS["score"].to_numpy()
OTHERS = {"old": ROWS["old"], "older": ROWS["old"] - ROWS["score"]}


def test_a_name_longer_than_a_line_stays_whole():
    name = "model-" * 20
    assert f"{name}: 300 rows," in " ".join(str(report(Y, S, name=name)).split())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"compare": S}, "compare must map the names of models"),
        ({"compare": {"scores": S}}, "compare .* the model itself; got 'scores'"),
        (
            {"query_id": ROWS["day"], "threshold_at": [("recall", 0.5)]},
            r"threshold_at must be omitted if query_id .*\('recall', 0.5\)",
        ),
        ({"threshold_at": {"recall": 0.5}}, "threshold_at must be a list of pairs"),
        ({"threshold_at": [("recal", 0.5)]}, "threshold_at .*'recall'.*'recal'"),
        ({"sample_weight": [1, 2]}, "inconsistent"),
        ({"compare": {"old": S[:-1]}}, "inconsistent numbers of samples"),
        ({"compare": {"old": {"t": S}}}, "compare must .* got {'t': .* for 'old'"),
        ({"sample_weight": -ROWS["weight"]}, "sample_weight must not be negative"),
        ({"k": 0}, "k must be .* got 0"),
        ({"k": "10"}, "k must be .* got '10'"),
        ({"y_true": 0 * Y, "k": "10"}, "k must be .* got '10'"),
        ({"y_true": 0 * Y, "threshold_at": [("recall", 7)]}, "recall must be .* got 7"),
        ({"compare": ROWS.to_numpy()}, "compare must map .* got ndarray"),
        ({"n_positives": [90, 9]}, r"n_positives must be .* got \[90, 9\]"),
        ({"n_positives": {0: 90}}, r"n_positives must be .* got {0: 90}"),
        (
            {"n_positives": {0: 9}, "unit_id": ROWS["day"]},
            r"a report has no interval with both; got \{0: 9\}\. Omit one of both\.",
        ),
        (
            {"query_id": ROWS["day"], "n_positives": 90},
            "n_positives must be .* without query_id or sample_weight, .* got 90",
        ),
        ({"sample_weight": ROWS["weight"], "n_positives": 90}, "without query_id or"),
        ({"pos_label": 7}, "pos_label=7 is not a valid label"),
        ({"threshold_at": [("recall", 7)]}, "recall must be .* got 7"),
    ],
)
def test_errors_name_the_argument_and_show_the_value(options, text):
    with pytest.raises((ValueError, TypeError), match=text):
        report(**{"y_true": Y, "y_score": S} | options)


class _ReadWhileAThreadWarns:
    """Scores. While a report reads them, another thread warns."""

    def __array__(self, dtype=None, copy=None):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(warnings.warn, "of another thread", stacklevel=1).result()
        return np.array([5.0, 4.0, 3.0, 2.0, 1.0], dtype)


def test_each_thread_has_its_own_warnings():
    """The filters of warnings belong to all threads."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        filters = [*warnings.filters]
        made = report([1, 0, 1, 0, 0], _ReadWhileAThreadWarns(), k=2)
        assert warnings.filters == filters
    [text] = made.warnings
    assert "too few positives (2)" in text
    texts = [str(warning.message) for warning in caught]
    assert {*texts} == {text, "of another thread"}
    assert texts.count(text) == 1


def test_nothing_that_was_passed_is_changed():
    kept = ROWS.copy()
    report(ROWS["label"], ROWS["score"], compare=OTHERS, sample_weight=ROWS["weight"])
    assert kept.equals(ROWS)
