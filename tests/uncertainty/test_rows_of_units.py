"""A unit is what was drawn, however many rows it is written in: if each row is written
three times, with its units and a third of its weight, all numbers and warnings stay the
same.
"""

import warnings
from ast import literal_eval
from itertools import product

import numpy as np
import pytest

from brief import one_in
from oracles.uncertainty import drawn, drawn_weights
from sklearn_ap import compare_samples, compare_scores, estimate_score
from sklearn_ap._uncertainty import rules

N = 40
ROW = np.arange(N)
Y_TRUE, FIRST = drawn(3, N, 0.4, 1)
SECOND = drawn(4, N, 0.4, 1)[1]
TOP = np.isin(ROW, np.flatnonzero(Y_TRUE == 0)[:3])
# Eight items, some pairs of which are in both orders, and some of an item with itself.
PAIRS = np.c_[ROW % 8, ROW**2 % 7]
OPTIONS = {
    "rows": {},
    "units": {"unit_id": ROW % 7 * (ROW % 3 > 0)},
    "pairs": {"unit_id": PAIRS},
    "directed": {"unit_id": PAIRS + np.array([0, 8])},
    "queried": {"unit_id": PAIRS, "query_id": ROW // 20},
    "drawn": {"unit_id": ROW // 10, "query_id": ROW // 5},
    "weights": {"sample_weight": drawn_weights(3, N)},
    "heavy": {"sample_weight": np.where(Y_TRUE, 1, 1 + 4 * drawn_weights(3, N))},
    "queries": {"query_id": ROW // 20, "unit_id": ROW % 13},
    # Three negatives on top are heavy.
    "top": {"y_score": FIRST + 9 * TOP, "sample_weight": 1 + 99.0 * TOP},
    "two": {"y_true": ROW % 20 < 1},
    # The models differ in three positives.
    "alike": {"y_score_b": np.where(ROW.cumsum() < 99, SECOND, FIRST)},
    # No positive is among the first rows of the second model.
    "last": {"y_score_b": SECOND - 9 * Y_TRUE},
}
EVERY_SCORE = """
average_precision
interpolated_average_precision
pr_auc_linear
r_precision
precision_at_recall@0.5
precision@0.2
recall@0.2
average_precision@0.2
""".strip().splitlines()
EVERY_UNIT = """
rows
units
queries
drawn
queries average=micro
pairs
directed
queried
""".strip().splitlines()
# The score and its options.
LAW = [f"{score} {units}" for score, units in product(EVERY_SCORE, EVERY_UNIT)]
LAW += """
average_precision two
average_precision units alike
average_precision units prevalence=0.05
average_precision weights prevalence=0.05
average_precision heavy units
average_precision heavy queries
average_precision top
interpolated_average_precision heavy units
interpolated_average_precision weights recall_levels=101
pr_auc_linear heavy queries average=weighted
r_precision weights units
precision@0.2 weights pairs
precision_at_recall@0.5 weights units
precision_at_recall@0.1 two
recall@0.25 weights units normalizer=min
average_precision@0.2 weights
average_precision@0.2 heavy units
average_precision@0.2 last normalizer=hits
average_precision@0.3 units normalizer=k
average_precision@0.2 weights queries
""".strip().splitlines()


def read_line(line):
    """Return the score, the rows and the options of a line."""
    score, *words = line.split()
    rows = {"y_true": Y_TRUE, "y_score": FIRST, "y_score_b": SECOND, "unit_id": ROW}
    options = {}
    for word in words:
        name, _, value = word.partition("=")
        if value:
            options[name] = literal_eval(value) if value[:1].isdecimal() else value
        else:
            rows |= OPTIONS[name]
    return score, rows, options


def results_of(score, rows, options):
    """Return the numbers of an estimate, a comparison and two samples, and warnings."""
    second = rows["y_score_b"]
    of_rows = {name: rows[name] for name in rows if name != "y_score_b"}
    pair = {**of_rows, "y_score_a": of_rows["y_score"], "y_score_b": second}
    del pair["y_score"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [
            estimate_score(score, **of_rows, **options),
            compare_scores(score, **pair, **options),
            compare_samples(
                score, of_rows, of_rows | {"y_score": second}, paired=False, **options
            ),
        ]
        numbers = [
            number
            for each in results
            for number in (*each.to_dict().values(), *each.confidence_interval(0.5))
            if isinstance(number, float)
        ]
    return numbers, [getattr(each.message, "code", None) for each in caught]


@pytest.mark.parametrize("line", one_in(3, LAW))
def test_a_row_may_be_written_three_times(line, monkeypatch):
    score, rows, options = read_line(line)
    monkeypatch.setattr(rules, "N_CHOICES", 99)
    monkeypatch.setattr(rules, "RARE", 0.0)
    if "@0." in score:
        # The cut of a choice of units is rounded to a whole row.
        monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    places = np.random.default_rng(0).permutation(np.tile(ROW, 3))
    copies = {name: values[places] for name, values in rows.items()}
    if "sample_weight" in rows:
        copies["sample_weight"] = copies["sample_weight"] / 3
    numbers, codes = results_of(score, rows, options)
    found, found_codes = results_of(score, copies, options)
    assert found == pytest.approx(numbers, rel=1e-9, abs=1e-9, nan_ok=True)
    assert found_codes == codes
