"""Records with random fields: each has the number of the oracle, or raises an error."""

from dataclasses import replace
from functools import partial
from itertools import compress
from math import nan
from typing import get_args
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brief import examples
from oracles import records
from oracles.scores import ranking
from scores import used_by
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap.compatibility import (
    NoNumberError,
    _identify,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._package_areas import AREAS, Grid, LevelWeights, MetBy
from sklearn_ap.compatibility._records import Convention, read_file

FIRST, LAST = ("(0, 1)", "(0, p1)", "none"), ("none", "(1, 0)")
LEVELS = [
    2,
    3,
    11,
    (0.5,),
    (0.1, 0.5, 0.7),
    (0.0, 0.25, 0.5, 0.75, 1.0),
    tuple(j / 10 for j in range(11)),
    tuple(j / 40 for j in range(1, 41)),
]


DIFFERENCES = Grid("drawn", (0.1, 0.5, 0.7), weights="differences")


@st.composite
def grids(draw):
    levels = draw(st.sampled_from(LEVELS))
    weights = get_args(LevelWeights)
    if levels == (0.5,):
        weights = "equal", "differences"
    return Grid(
        name="drawn",
        levels=levels,
        met_by=draw(st.sampled_from(get_args(MetBy))),
        weights=draw(st.sampled_from(weights)),
        floor=draw(st.sampled_from([0.0, 0.0, 0.3])),
    )


@st.composite
def rows(draw):
    n = draw(st.integers(1, 9))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(any))
    scores = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    return labels, scores, sum(labels) + draw(st.integers(0, 3))


def test_areas_that_no_score_has_have_an_oracle():
    of_scores = {number.definition.area.name for number in NUMBERS}
    assert AREAS.keys() - of_scores <= {*records.AREAS}


@examples(150, 300)
@given(
    rows(),
    st.sampled_from(records.AREAS),
    st.sampled_from([("(0, 1)", "none")] * 3 + [(a, b) for a in FIRST for b in LAST]),
    st.none() | grids(),
)
# In brief, few examples have missed positives below a descent, or a first level above 0.
@example(([1, 1], [2, 1], 4), "interpolated", ("(0, 1)", "(1, 0)"), None)
@example(([1], [1], 1), "step", ("(0, 1)", "none"), DIFFERENCES)
def test_a_record_of_any_fields_is_the_oracle_or_an_error(sample, area, ends, grid):
    labels, scores, total = sample
    first, last = ends
    record = Convention(
        name="drawn",
        area=area,
        first_point=first,
        last_point=last,
        grid=grid,
        total="stated",
    )
    value = records.area(ranking(labels, scores, total=total), area, ends, grid)
    if value is None:
        with pytest.raises(NoNumberError, match=r"^convention 'drawn' has no number: "):
            score_as(record, labels, scores, n_positives=total)
    else:
        found = score_as(record, labels, scores, n_positives=total)
        assert found == pytest.approx(float(value), abs=1e-12)


WORDS = {
    field: list(words)
    for fields in read_file()["choices"].values()
    for field, words in fields.items()
    if words
}
VALUES = {"None": None, "True": True, "False": False, "0.5": 0.5}


@st.composite
def any_record(draw):
    """Draw a record in which up to four fields differ from scikit-learn's."""
    fields = draw(st.lists(st.sampled_from(sorted(WORDS)), max_size=4, unique=True))
    words = {field: draw(st.sampled_from(WORDS[field])) for field in fields}
    values = {field: VALUES.get(word, word) for field, word in words.items()}
    grid = draw(st.none() | st.none() | grids())
    values["queries"] = draw(st.sampled_from(["mean", "mean", *WORDS["queries"]]))
    without = st.sampled_from([0.0, 1.0, -1.0, nan, "error", None])
    return Convention(
        name="drawn", without_positives=draw(without), grid=grid, **values
    )


DIGITS = st.integers(0, 9)


@st.composite
def calls(draw, scores=DIGITS, weights=(1, 1, 2, 3.5)):
    """Draw rows of queries, some without a positive, with all optional arguments."""
    n = draw(st.integers(1, 12))
    of = partial(st.lists, min_size=n, max_size=n)
    labels, queries = draw(of(st.integers(0, 1))), draw(of(st.sampled_from("abc")))
    weight = draw(st.none() | of(st.sampled_from(weights)).filter(any))
    found = dict.fromkeys(queries, 0.0)
    for query, *row in zip(queries, labels, weight or [1] * n, strict=True):
        found[query] += row[0] * row[1]
    missed = draw(st.none() | st.integers(0, 2))
    totals = missed if missed is None else {q: found[q] + missed for q in found}
    items = draw(st.none() | st.permutations(range(n)))
    rows = {"y_true": labels, "y_score": draw(of(scores)), "sample_weight": weight}
    cut = draw(st.sampled_from([None, 1, 2, 0.5]))
    return rows | {"item_id": items}, queries, totals, cut


def alone(call, query):
    """Return the arguments of a call for one of its queries."""
    rows, queries, totals, cut = call
    is_query = [one == query for one in queries]
    of_query = {
        name: values and list(compress(values, is_query))
        for name, values in rows.items()
    }
    return of_query | {"k": cut, "n_positives": totals and totals[query]}


# These choices depend on the scores of all rows, not of one query.
OF_ALL_ROWS = {"sigmoid", "near", "input order"}


@pytest.mark.filterwarnings(
    "ignore:(No positive class|The number of .* is NaN):UserWarning"
)
@examples(75, 150)
@given(calls(), any_record())
def test_any_record_is_the_mean_of_its_queries_in_every_door(call, record):
    rows, queries, totals, cut = call
    arguments = rows | {"k": cut, "query_id": queries, "n_positives": totals}
    arguments = used_by(record, **arguments)
    value, message = None, ""
    try:
        value = score_as(record, **arguments)
    except NoNumberError as error:
        message = str(error)
        assert "drawn" in message
    (row,) = compare_conventions(conventions=record, **arguments).rows
    assert row.value == (value if value is not None and value >= 0 else None)
    assert not message or row.note == message
    assert bool(row.note) == (row.value is None)
    with patch.object(_identify, "_searched", lambda: [record]):
        search = identify(repr(row.value or 0.0), **arguments).search
    assert search.n_found or row.value is None
    if value is None or record.transform in OF_ALL_ROWS or record.left_out:
        return
    names, weights = sorted({*queries}), None
    if record.queries == "mean by rows":
        weights = [queries.count(query) for query in names]
    if record.queries in ("mean", "mean by rows") and record.without_hits is None:
        one = replace(record, queries="pooled")
        values = [
            score_as(one, **used_by(one, **alone(call, query))) for query in names
        ]
        assert value == pytest.approx(
            np.average(values, weights=weights), nan_ok=True, abs=1e-12
        )
