"""The score of rows that an engine holds is that of the same rows in memory: one table of
engines, layouts and scores, once in memory and once beyond its limit.
"""

from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import dataset, parquet

from brief import covering, examples
from distributed_rows import (
    CUTS,
    EXCEEDS,
    FITS,
    KINDS,
    LAYOUTS,
    OF_QUERIES,
    OF_ROWS,
    assert_score_by_query,
    assert_scores,
    options_of,
    rows_of,
    scores_for,
)
from sizes import ABOVE, low_sizes, sizes
from sklearn_ap import average_precision_score, distributed


def to_arrow(rows, _=None):
    table = pa.Table.from_pandas(rows, preserve_index=False)
    return pa.concat_tables(
        [table[:0], table[:1], table[1:90], table[90:90], table[90:]]
    )


def to_dataset(rows, folder):
    parquet.write_table(to_arrow(rows), folder / "rows.parquet", row_group_size=70)
    return dataset.dataset(folder)


def to_relation(rows, _):
    # of another connection than the default one
    return duckdb.connect().from_df(rows)


ENGINES = {
    "DuckDB": to_relation,
    "polars": lambda rows, _: pl.from_pandas(rows),
    "LazyFrame": lambda rows, _: pl.from_pandas(rows).lazy(),
    "pandas": lambda rows, _: rows,
    "Arrow": to_arrow,
    "dataset": to_dataset,
}
# Each engine is combined with each layout. Kinds of rows and fifths of the scores
# alternate. The number of kinds has no common divisor with the number of layouts, so
# that all pairs occur. Each engine begins with another fifth for the same reason.
CASES = [
    (engine, layout, [*KINDS][turn % 7], (turn + start) % 5)
    for start, engine in enumerate(ENGINES)
    for turn, layout in enumerate(LAYOUTS, len(LAYOUTS) * start)
]


def choices(case):
    """Return what must occur: each engine and layout, each engine with each kind of
    rows, and each layout with two parts of the scores.
    """
    engine, layout, kind, fifth = case
    return {engine, layout, (engine, kind), (layout, fifth % 2)}


@pytest.mark.parametrize(
    ("engine", "layout", "kind", "fifth"), covering(CASES, choices, is_brief=True)
)
def test_every_score(engine, layout, kind, fifth, tmp_path):
    rows = rows_of(kind)
    options, scores = options_of(layout, kind), scores_for(layout)[fifth::5]
    assert_scores(ENGINES[engine](rows, tmp_path), rows, options, scores)


@pytest.mark.parametrize(
    ("layout", "kind"),
    [(layout, kind) for layout in OF_ROWS for kind in KINDS][::3],
)
def test_every_score_of_a_state(layout, kind):
    rows, weight = rows_of(kind), LAYOUTS[layout].get("sample_weight")
    state = distributed.RankingState()
    for part in (rows[:90], rows[90:]):
        weights = part[weight] if weight else None
        state.update(part["label"], part["score"], sample_weight=weights)
    assert_scores(state, rows, LAYOUTS[layout], scores_for(layout), [FITS])


@pytest.mark.parametrize("layout", OF_QUERIES)
def test_the_score_of_each_query(layout, tmp_path):
    assert_score_by_query(to_dataset(rows_of("float32"), tmp_path), layout, FITS)


# --- drawn tables ---------------------------------------------------------------------


@st.composite
def few_rows(draw):
    """Draw a few rows, which often have equal scores at a cut, one class, weights of 0
    or equal weights, and their positive label.
    """
    size = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(["f4", "f8", "i8", "u8", "i2", "?"]))
    weights = draw(st.sampled_from([[0.1], [0.1, 2.0, 7.3], [0.0, 1.0, 2.0]]))
    label = rng.binomial(1, draw(st.sampled_from([0, 0.1, 0.5, 1])), size)
    score = rng.integers(0, draw(st.sampled_from([1, 6])), size)
    if dtype[1:] == "8" and dtype != "f8":
        score = score + 2**60
    rows = pd.DataFrame(
        {
            "label": label,
            "score": score.astype(dtype),
            "weight": rng.choice(weights, size),
            "equal": np.full(size, 0.1),
            "of negatives": np.where(label, 0.1, rng.choice([0.2, 3.0], size)),
            "query": rng.integers(0, 4, size),
        }
    )
    names = draw(st.sampled_from([(0, 1), (False, True), ("no", "yes")]))
    return rows, names


@pytest.mark.parametrize("cuts", [CUTS[:1], CUTS[1:], (None,)], ids=str)
@examples(10, 40)
@given(low=low_sizes(ABOVE), drawn=few_rows(), data=st.data())
def test_drawn_rows(cuts, low, drawn, data):
    """Low sizes divide few rows into several chunks."""
    rows, names = drawn
    layout = data.draw(st.sampled_from([*OF_ROWS, "pooled queries", "queries"]))
    weight = LAYOUTS[layout].get("sample_weight")
    if weight is not None and not rows[weight].any():
        return
    scores = [one for one in scores_for(layout) if one.keywords.get("k") in cuts]
    scores = scores[data.draw(st.integers(0, 4)) :: 5]
    rows["label"] = np.array(names)[rows["label"]]
    options = LAYOUTS[layout] | {"pos_label": names[1]}
    with sizes(low):
        assert_scores(to_arrow(rows), rows, options, scores)


# --- names, types and readers ---------------------------------------------------------

LIMITS = pytest.mark.parametrize("limit", [FITS, EXCEEDS])
NAMES = ["p", "P", 'a"b', "a b", "a.b`c", "*", "count(*)", "^.*$", "select"]


@LIMITS
@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_is_not_code(engine, limit, tmp_path):
    # DuckDB has no names that differ by case.
    names = [name for name in NAMES if (engine, name) != ("DuckDB", "P")]
    for name in names:
        columns = dict.fromkeys(names, 0.0) | {name: [0.1, 0.2, 0.3]}
        rows = pd.DataFrame({"label": [1, 0, 1], **columns})
        data = ENGINES[engine](rows, tmp_path)
        found = distributed.score(
            "average_precision", data, y_score=name, memory_limit=limit
        )
        assert found == pytest.approx(5 / 6), name


def test_duckdb_selects_no_column_of_another_case():
    """pyarrow has both columns, which DuckDB renames."""
    table = pa.table({"label": [1, 0], "p": [2.0, 1.0], "P": [1.0, 2.0]})
    relation = duckdb.connect().from_arrow(table)
    assert distributed.score("average_precision", relation, y_score="p") == 1.0
    with pytest.raises(distributed.SourceError, match="column 'P' occurs 0 times"):
        distributed.score("average_precision", relation, y_score="P")


SCORES = {
    "float16": pa.array(np.float16([1, 2, 1.5])),
    "float32": pa.array(np.float32([1, 1 + 2**-20, 1 + 2**-21])),
    "int64": pa.array([2**53, 2**53 + 2, 2**53 + 1]),
    "uint64": pa.array([2**63, 2**63 + 2, 2**63 + 1], pa.uint64()),
    "decimal": pa.array([Decimal("0.1"), Decimal("0.3"), Decimal("0.2")]),
    "dictionary": pa.array([0.5, 0.9, 0.7]).dictionary_encode(),
}


@LIMITS
@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_each_type_are_ordered_exactly(kind, limit):
    table = pa.table({"label": [True, True, False], "score": SCORES[kind]})
    found = distributed.score("average_precision", table, memory_limit=limit)
    assert found == pytest.approx((1 + 2 / 3) / 2)


def test_a_decimal_is_the_nearest_float():
    """A cast of Arrow rounds a third of these decimals to another float."""
    numbers = np.arange(1, 99_999, 7)
    decimals = pa.array([Decimal(int(number)).scaleb(-4) for number in numbers])
    # Each positive is tied with a negative.
    label = np.repeat([True, False], numbers.size)
    table = pa.table({"label": label, "score": pa.concat_arrays([decimals] * 2)})
    floats = np.array([float(f"{number}e-4") for number in np.tile(numbers, 2)])
    expected = average_precision_score(label, floats)
    assert distributed.score("average_precision", table) == expected


def reader(table):
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(2))


def test_a_reader_is_read_once():
    table = pa.table({"label": [1, 0, 1], "score": [0.1, 0.2, 0.3]})
    assert distributed.score("average_precision", reader(table)) == pytest.approx(5 / 6)
    # A cut needs one pass.
    beyond = {"memory_limit": EXCEEDS}
    assert distributed.score("precision@2", reader(table), **beyond) == 0.5
    words = "3 rows and 2 positives in a first pass and 0 rows .*RankingState"
    with pytest.raises(distributed.SourceError, match=words):
        distributed.score("average_precision", reader(table), **beyond)


class Changing:
    """Rows of which one has another score in each pass."""

    def __init__(self, *tables):
        self.tables = list(tables)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.tables.pop(0).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("score", ["average_precision", "precision@0.5"])
@pytest.mark.parametrize("column", ["label", "score", "weight"])
def test_rows_that_change_between_two_passes(score, column):
    rows = {"label": [1, 0, 1], "score": [0.1, 0.2, 0.3], "weight": [1.0, 1.0, 1.0]}
    other = rows | {column: [*rows[column][:2], 0]}
    data = Changing(pa.table(rows), pa.table(other))
    options = {"memory_limit": EXCEEDS}
    if column == "weight":
        if score != "average_precision":
            return
        options["sample_weight"] = "weight"
    if column == "score":  # of a positive; the rows and their labels are the same
        distributed.score(score, data, **options)
        return
    with pytest.raises(
        distributed.SourceError, match=r"in a first pass and .* in a second"
    ):
        distributed.score(score, data, **options)


def test_only_the_needed_columns_are_read():
    """pandas cannot convert a column of objects, nor could DuckDB divide by 0."""
    rows = pd.DataFrame({"label": [1, 0], "score": [2.0, 1.0]})
    rows["object"] = [object(), object()]
    rows.index = pd.Index(["a", "b"], name="label")
    assert distributed.score("average_precision", rows) == 1.0
    relation = duckdb.connect().sql(
        "select 1 as label, 2.0::double as score, error('read') as other"
    )
    assert distributed.score("average_precision", relation) == 1.0


def test_a_relation_is_computed_once_in_memory_and_twice_beyond():
    connection, calls = duckdb.connect(), []
    counted = ("counted", lambda x: calls.append(x) or x, ["DOUBLE"], "DOUBLE")
    connection.create_function(*counted, side_effects=True)
    relation = connection.sql(
        "SELECT i % 2 AS label, counted(i) AS score FROM range(9) t(i)"
    )
    for limit, n_calls in ((FITS, 9), (EXCEEDS, 27)):
        assert (
            0 < distributed.score("average_precision", relation, memory_limit=limit) < 1
        )
        assert len(calls) == n_calls


@pytest.mark.parametrize("queries", [["b", "a", "b"], [3, -1, 3], [2.5, 1.0, 2.5]])
def test_ids_of_queries(queries):
    table = pa.table({"label": [1, 1, 0], "score": [1, 2, 3], "query": queries})
    found = distributed.score_by_query("average_precision", table, query_id="query")
    assert found == {queries[1]: 1.0, queries[0]: 0.5}
    assert [*found] == sorted(found)
