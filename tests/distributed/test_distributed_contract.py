"""The score of rows in any place is that of the same rows in memory: one table of places,
layouts and scores.
"""

import json
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import dataset, parquet

from brief import covering, every_third, examples
from distributed_rows import (
    CUTS,
    EXCEEDS,
    KINDS,
    LAYOUTS,
    LIMITS,
    OF_QUERIES,
    OF_ROWS,
    assert_score_by_query,
    assert_scores,
    options_of,
    rows_of,
    scores_for,
)
from sizes import ABOVE, low_sizes, sizes
from sklearn_ap import distributed

# --- places in this process -----------------------------------------------------------


def to_csv(rows, folder):
    rows.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def to_zipped_text(rows, folder):
    """Write two files whose names have no format, so that the delimiter and the
    compression must be found in their content.
    """
    rows.iloc[:100].to_csv(folder / "first", index=False, sep="\t", compression="gzip")
    rows.iloc[100:].to_csv(folder / "last", index=False, sep=";", lineterminator="\r\n")
    return [folder / "first", str(folder / "last")]


def to_parquet(rows, folder):
    rows.to_parquet(folder / "rows.parquet", index=False, row_group_size=70)
    return folder / "rows.parquet"


def to_folder(rows, folder):
    """Write a folder for each query. The files alternate between formats, and one has no
    rows.
    """
    (folder / "_temporary").mkdir()
    (folder / "_temporary" / "torn.parquet").write_bytes(b"PAR1")
    for number, (query, part) in enumerate(rows.groupby("query")):
        path = folder / f"query={str(query).replace(' ', '%20').replace(':', '%3A')}"
        path.mkdir()
        columns = part.drop(columns="query")
        columns.iloc[:0].to_parquet(path / "empty.parquet", index=False)
        (to_csv if number % 2 else to_parquet)(columns, path)
    return folder


def to_arrow(rows, _=None):
    table = pa.Table.from_pandas(rows, preserve_index=False)
    return pa.concat_tables(
        [table[:0], table[:1], table[1:90], table[90:90], table[90:]]
    )


def to_json_lines(rows, folder):
    path = folder / "rows.jsonl"
    lines = (json.dumps(row, default=str) for row in rows.to_dict("records"))
    path.write_text("\n".join(lines))
    return path


def to_dataset(rows, folder):
    parquet.write_table(to_arrow(rows), folder / "rows.parquet", row_group_size=70)
    return dataset.dataset(folder)


PLACES = {
    "CSV": to_csv,
    "zipped text": to_zipped_text,
    "JSON lines": to_json_lines,
    "Parquet": to_parquet,
    "folder": to_folder,
    "Arrow": to_arrow,
    "dataset": to_dataset,
    "pandas": lambda rows, _: rows,
    "polars": lambda rows, _: pl.from_pandas(rows),
    "relation": lambda rows, _: duckdb.connect().from_df(rows),  # of another connection
}
# Each place is combined with each layout. Kinds of rows, limits and fifths of the scores
# alternate. The numbers of kinds and limits have no common divisor with the number of
# layouts, so that all pairs occur. Each place begins with another fifth for the same
# reason.
SCORES = [
    (place, layout, [*KINDS][turn % 7], LIMITS[turn % 3], (turn + start) % 5)
    for start, place in enumerate(PLACES)
    for turn, layout in enumerate(LAYOUTS, len(LAYOUTS) * start)
]


def choices(case):
    """Return what must occur in brief: each place and layout with each limit, each place
    with each kind of rows, and each layout with two parts of the scores.
    `tests/rows/test_formats.py` tests that all places contain the same rows.
    """
    place, layout, kind, limit, fifth = case
    return {(layout, limit), (place, limit), (place, kind), (layout, fifth % 2)}


@pytest.mark.parametrize(
    ("place", "layout", "kind", "limit", "fifth"), covering(SCORES, choices)
)
def test_every_score(place, layout, kind, limit, fifth, tmp_path):
    rows = rows_of(kind)
    options, scores = options_of(layout, kind), scores_for(layout)[fifth::5]
    assert_scores(PLACES[place](rows, tmp_path), rows, options, scores, limit)


@pytest.mark.parametrize(("layout", "kind"), every_third(product(OF_ROWS, KINDS)))
def test_every_score_of_a_state(layout, kind):
    rows, weight = rows_of(kind), LAYOUTS[layout].get("sample_weight")
    state = distributed.RankingState()
    for part in (rows[:90], rows[90:]):
        weights = part[weight] if weight else None
        state.update(part["label"], part["score"], sample_weight=weights)
    assert_scores(state, rows, LAYOUTS[layout], scores_for(layout))


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("layout", OF_QUERIES)
def test_the_score_of_each_query(layout, limit, tmp_path):
    data = to_csv(rows_of("float32"), tmp_path)
    assert_score_by_query(data, layout, limit)


@st.composite
def few_rows(draw):
    """Draw a few rows, which often have equal scores at a cut, one class or equal
    weights.
    """
    size = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from("fdlB"))
    weights = draw(st.sampled_from([[0.1], [0.1, 2.0, 7.3]]))
    label = rng.binomial(1, draw(st.sampled_from([0, 0.1, 0.5, 1])), size)
    return pd.DataFrame(
        {
            "label": label,
            "score": rng.integers(-6, draw(st.sampled_from([-5, 6])), size).astype(
                dtype
            ),
            "weight": rng.choice(weights, size),
            "equal": np.full(size, 0.1),
            "of negatives": np.where(label, 0.1, rng.choice([0.2, 3.0], size)),
            "query": rng.integers(0, 4, size),
        }
    )


# The way in which rows are read depends on the score: the best rows, two passes, or a
# sort.
WAYS = {
    "all": ([*OF_ROWS, "queries", "weights of queries"], [*CUTS, None]),
    "cuts": (["plain", "total"], CUTS[:1]),
    "areas": (["weights", "weights at a prevalence", "total of weights"], [None]),
}


@pytest.mark.parametrize("way", WAYS)
@examples(12, 60)
@given(low=low_sizes(ABOVE), rows=few_rows(), data=st.data())
def test_low_thresholds_of_sizes_change_no_number(way, low, rows, data):
    layouts, cuts = WAYS[way]
    layout = data.draw(st.sampled_from(layouts))
    to_place = PLACES[data.draw(st.sampled_from(["pandas", "Arrow"]))]
    scores = [one for one in scores_for(layout) if one.keywords.get("k") in cuts]
    scores = scores[data.draw(st.integers(0, 4)) :: 5]
    limit = data.draw(st.sampled_from([EXCEEDS, 640]))  # of 10 rows of queries at once
    with sizes(low):
        assert_scores(to_place(rows, None), rows, LAYOUTS[layout], scores, limit)
