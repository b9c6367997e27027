"""The steps from scikit-learn's convention to another: their parts add up, and each choice
that differs is changed once.

`test_peers.py` tests whether the numbers are those of the packages.
"""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from brief import examples
from metrics import ALL_SCORES
from scores import TIED_S, TIED_Y, used_by
from sklearn_ap._core.reading.options import RANKED_TIES
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap.compatibility import CONVENTIONS, compare_conventions, score_as
from tests.compatibility.test_random_records import calls

SCORES = [
    (0.0, 0.25, 0.5, 0.75, 1.0),
    (0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-8, 0.5 - 8e-9),
    (-1.0, 0.2, 1.0, 3.0, 40.0),
    # No two pairs of these scores have the same distance.
    (0.1, 0.25, 0.45, 0.7, 1.0),
    # Few rows of a sample have equal scores.
    tuple(row / 99 for row in range(99)),
]
CALLS = st.sampled_from(SCORES).flatmap(
    lambda scores: calls(st.sampled_from(scores), weights=(0.0, 0.5, 1.0, 3.0))
)
# The thresholds are few, so that they change the number of a few rows.
THRESHOLDS = [one for one in CONVENTIONS.values() if one.thresholds]
FEWER = [
    replace(one, thresholds=replace(one.thresholds, count=4)) for one in THRESHOLDS
]


# Areas of scores that are not average precisions: the difference between a share, a rank
# or a point of a curve and an average precision has no meaning.
NO_AVERAGE = {number.definition.area.name for number in NUMBERS} - {
    number.definition.area.name
    for number in NUMBERS
    if re.search("average_precision|auc", number.score.__name__)
}


@pytest.mark.filterwarnings(
    "ignore:(No positive class|The number of .* is NaN):UserWarning"
)
@examples(60, 120)
@given(
    CALLS,
    st.booleans(),
    st.integers(1, 6),
    st.sampled_from([*CONVENTIONS.values(), *FEWER]),
)
def test_the_parts_of_a_difference_add_up(call, by_query, k, convention):
    rows, queries, totals, _ = call
    if not by_query:
        queries, totals = None, totals and sum(totals.values())
    elif totals:
        totals["without rows"] = 2
    rows |= {"k": k, "query_id": queries, "n_positives": totals}
    (row,) = compare_conventions(conventions=[convention], **rows).rows
    if row.value is None:
        assert (row.changes, row.difference) == ((), None)
        assert row.note
        return
    assert row.value == score_as(convention, **used_by(convention, **rows))
    theirs = average_precision_score(
        rows["y_true"], rows["y_score"], sample_weight=rows["sample_weight"]
    )
    assert row.scikit_learn == pytest.approx(theirs, abs=1e-12)
    check_the_parts(row, convention)


def check_the_parts(row, convention):
    """The parts add up to the difference, and each choice that differs is changed
    once.
    """
    is_point = convention.grid is not None and convention.grid.levels == (0.8,)
    if is_point or convention.area in NO_AVERAGE:
        assert (row.difference, row.changes, row.why) == (None, (), "")
        return
    assert sum(change.part for change in row.changes) == pytest.approx(
        row.difference, abs=1e-12
    )
    differing = list(convention.changes)
    assert [
        choice for change in row.changes for choice in change.choice.split(" and ")
    ] == differing
    if len(differing) == 1:
        assert row.changes[0].part == row.difference


# --- reasons, and how a user sees them ------------------------------------------------


def test_the_table_has_every_score_and_one_average_precision_at_k():
    """The others can be named in Python."""
    table = compare_conventions([1, 0], [2, 1], k=1).rows
    sources = {row.convention.source.partition("(")[0] for row in table}
    assert sources == {score.__name__ for score in ALL_SCORES}
    names = {row.convention.name for row in table}
    assert {number.name for number in NUMBERS} - names == {
        *(f"AP@k, {ties} ties" for ties in RANKED_TIES),
        *("AP@k over R", "AP@k over k", "AP@k over hits", "reciprocal rank@k"),
    }


def test_frame():
    names = ["eleven-point", "ml_metrics apk", "ranx map"]
    comparison = compare_conventions(TIED_Y, TIED_S, k=10, conventions=names)
    frame = comparison.to_frame()
    assert (frame.dtypes["value"], frame.dtypes["difference"]) == (float, float)
    assert list(frame.index) == names
    for field, values in frame.astype(object).where(frame.notna(), None).items():
        assert [*values] == [getattr(row, field) for row in comparison.rows]
