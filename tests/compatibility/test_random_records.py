"""Records of random fields: each is computed as the oracle says, or refused."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import records
from oracles.scores import ranking
from sklearn_ap.compatibility import (
    NoNumberError,
    compare_conventions,
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


@settings(max_examples=1000)
@given(
    rows(),
    st.sampled_from(records.AREAS),
    st.sampled_from([("(0, 1)", "none")] * 3 + [(a, b) for a in FIRST for b in LAST]),
    st.none() | grids(),
)
def test_a_record_of_any_fields_is_the_oracle_or_refused(sample, area, ends, grid):
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


OF_PACKAGES = [name for name in AREAS if name not in records.AREAS]


NO_AREA_OF_PACKAGES = [
    *({"grid": Grid("11 levels", 11)}, {"first_point": "none"}),
    *({"last_point": "(1, 0)"}, {"normalizer": "hits"}),
]
NO_PRECISIONS = [{"normalizer": "k"}, {"normalizer": "min"}]
PRECISIONS_ALONE = [{"ties": "expected"}, {"cut": "k"}]


@pytest.mark.parametrize("area", OF_PACKAGES)
def test_areas_of_packages_have_no_levels_ends_or_normalizers(area):
    record = Convention(name="x", area=area)
    rows = [1, 0, 1], [3, 2, 1]
    assert 0 < score_as(record, *rows) <= 1
    more = NO_PRECISIONS if area == "precisions" else PRECISIONS_ALONE
    for change in NO_AREA_OF_PACKAGES + more:
        with pytest.raises(NoNumberError, match=r"^convention 'x' has no number: "):
            score_as(replace(record, **change), *rows, k=2)


WORDS = {
    field: list(words)
    for fields in read_file()["choices"].values()
    for field, words in fields.items()
    if words
}
VALUES = {"None": None, "True": True, "False": False, "0.5": 0.5}


@st.composite
def any_record(draw):
    """A record of any words, with as many as three that are not scikit-learn's."""
    fields = draw(st.lists(st.sampled_from(sorted(WORDS)), max_size=3, unique=True))
    words = {field: draw(st.sampled_from(WORDS[field])) for field in fields}
    values = {field: VALUES.get(word, word) for field, word in words.items()}
    grid = draw(st.none() | st.none() | grids())
    return Convention(name="drawn", without_positives=0.0, grid=grid, **values)


@pytest.mark.filterwarnings("ignore:No positive class:UserWarning")
@settings(max_examples=500)
@given(rows(), any_record(), st.booleans(), st.booleans())
def test_any_words_have_a_number_or_the_reason_why_not(sample, record, weighted, split):
    labels, scores, total = sample
    options = {"k": 2, "item_id": range(len(labels))}
    if weighted:
        options["sample_weight"] = [1 + place % 2 for place in range(len(labels))]
    else:
        options["n_positives"] = total
    if split:
        options["query_id"] = [0] * len(labels)
        options["n_positives"] = None if weighted else {0: total}
    (row,) = compare_conventions(labels, scores, conventions=record, **options).rows
    assert bool(row.note) == (row.value is None)
    assert row.value is None or -1e-12 <= row.value <= 1 + 1e-12


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"area": "setp"}, "area must be one of .*'setp'; did you mean 'step'"),
        ({"queries": "man"}, "queries must be one of .*'man'; did you mean 'mean'"),
        ({"score_dtype": "float"}, "score_dtype must be one of .*; did you mean 'flo"),
        ({"prevalence": 2}, "prevalence must be None or a share"),
        ({"area": "linear", "cut": "k"}, "area 'linear' has no number with .*cut=2"),
        ({"area": "recall at precision"}, "'recall at precision' has no number with"),
        ({"area": "reciprocal rank", "normalizer": "k"}, "normalizer='k'"),
    ],
)
def test_a_record_without_a_number_says_its_name_and_the_field(fields, text):
    record = Convention(name="mine", **fields)
    said = f"^convention 'mine' has no number: .*{text}"
    with pytest.raises(NoNumberError, match=said):
        score_as(record, [1, 0, 1], [3, 2, 1], k=2)


@pytest.mark.parametrize(
    ("levels", "fields", "text"),
    [
        (1, {}, "recall_levels must be"),
        ((0.5, 1.5), {}, "recall_levels must be"),
        ((0.5,), {"weights": "trapezoid"}, "weights must be"),
        (11, {"met_by": "precision"}, "met_by must be"),
        (11, {"floor": 1.0}, "floor must be"),
    ],
)
def test_a_grid_refuses_what_no_grid_has(levels, fields, text):
    with pytest.raises(ValueError, match=text):
        Grid("x", levels, **fields)


@pytest.mark.parametrize("area", ["linear, fewest retrieved", "precisions"])
def test_areas_that_count_rows_refuse_weights_that_differ(area):
    with pytest.raises(NoNumberError, match="sample_weight must be equal inside"):
        score_as(Convention(name="x", area=area), [1, 0], [2, 1], sample_weight=[1, 2])
