"""One contract: every score of the family, wherever its rows are, is the score of these
rows in memory.
"""

import warnings
from functools import partial
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import dataset, parquet

import sklearn_ap
from distributed_rows import (
    EXCEEDS,
    FITS,
    KINDS,
    LAYOUTS,
    TURNS,
    assert_same,
    expected_of,
    rows_of,
    scores_for,
)
from sizes import ABOVE, low_sizes, sizes
from sklearn_ap import distributed
from sklearn_ap.distributed import _batches, _local, _streams

# --- places in this process -----------------------------------------------------------


def to_csv(rows, folder):
    rows.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def to_zipped_text(rows, folder):
    """Write two files that name no format: the delimiter and the compression are those
    of their content.
    """
    rows.iloc[:100].to_csv(folder / "first", index=False, sep="\t", compression="gzip")
    rows.iloc[100:].to_csv(folder / "last", index=False, sep=";", lineterminator="\r\n")
    return [folder / "first", str(folder / "last")]


def to_parquet(rows, folder):
    rows.to_parquet(folder / "rows.parquet", index=False, row_group_size=70)
    return folder / "rows.parquet"


def to_folder(rows, folder):
    """Write a folder for each query, whose files alternate between formats; one has no
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


def to_dataset(rows, folder):
    parquet.write_table(to_arrow(rows), folder / "rows.parquet", row_group_size=70)
    return dataset.dataset(folder)


PLACES = {
    "CSV": to_csv,
    "zipped text": to_zipped_text,
    "Parquet": to_parquet,
    "folder": to_folder,
    "Arrow": to_arrow,
    "dataset": to_dataset,
    "pandas": lambda rows, _: rows,
    "polars": lambda rows, _: pl.from_pandas(rows),
    "relation": lambda rows, _: duckdb.connect().from_df(rows),  # of another connection
}


SIZES = {at: low for at, low in ABOVE.items() if ".distributed." in at[0]}


@settings(max_examples=15)
@given(
    low=low_sizes(SIZES),
    layout=st.sampled_from(sorted(LAYOUTS)),
    kind=st.sampled_from(["float32", "few scores"]),
    place=st.sampled_from(["pandas", "Arrow"]),
)
def test_low_thresholds_of_sizes_change_no_number(low, layout, kind, place):
    data, options = PLACES[place](rows_of(kind), None), LAYOUTS[layout]
    with sizes(low):
        actual = distributed.score(
            scores_for(layout), data, memory_limit=EXCEEDS, **options
        )
    assert_same(actual, expected_of(kind, layout), options, f"{layout}, {kind}, {low}")


@pytest.mark.parametrize("place", PLACES)
def test_every_score_in_this_process(place, tmp_path_factory):
    """Each layout in memory and beyond it where that is cheap, elsewhere in turn."""
    is_cheap = place == "pandas"
    for turn, (layout, kind) in enumerate(TURNS if is_cheap else TURNS[::2]):
        limits = (FITS, EXCEEDS) if is_cheap else (FITS, EXCEEDS)[turn % 2 :][:1]
        for limit in limits:
            folder = tmp_path_factory.mktemp("rows")
            data, options = PLACES[place](rows_of(kind), folder), LAYOUTS[layout]
            actual = distributed.score(
                scores_for(layout), data, memory_limit=limit, **options
            )
            assert_same(
                actual,
                expected_of(kind, layout),
                options,
                f"{layout}, {kind}, {limit}",
            )


def test_chunks_end_between_queries():
    rng = np.random.default_rng(2)
    for chunk_rows in (1, 7, 30, 99):
        query = np.sort(rng.integers(0, 6, 40))
        rows = _batches.Batch(np.arange(40.0), query > 2, query=query)
        anywhere = np.unique(rng.integers(1, 40, 5))
        between = 1 + np.flatnonzero(np.diff(query))
        for ends in (anywhere, between):
            pairs = pairwise([0, *ends, 40])
            batches = [rows.take(slice(*pair)) for pair in pairs]
            chunks = list(_streams.whole_queries(batches, chunk_rows))
            ids = [set(chunk.query.tolist()) for chunk in chunks]
            assert sum(map(len, ids)) == np.unique(query).size
            assert np.array_equal(_batches.concatenate(chunks).score, rows.score)
            assert (len(chunks) > 1) == (chunk_rows < 40)


CUTS = [
    ("average_precision_at_k", {}),
    ("average_precision_at_k", {"normalizer": "min", "n_positives": 300.5}),
    ("average_precision_at_k", {"normalizer": "k"}),
    ("average_precision_at_k", {"normalizer": "hits"}),
    ("average_precision_at_k", {"ties": "expected"}),
    ("average_precision_at_k", {"ties": "pessimistic"}),
    ("precision_at_k", {}),
    ("recall_at_k", {"n_positives": 300.0}),
    ("reciprocal_rank", {"ties": "optimistic"}),
    ("success_at_k", {"ties": "pessimistic"}),
]


def cut_rows(rng):
    """Few rows, often tied at the cut or all of one class, with weights that often are
    equal.
    """
    n_rows = int(rng.integers(1, 60))
    label = rng.random(n_rows) < rng.choice([0.05, 0.5, 1])
    weight = (
        rng.choice([1, 0.5, 3.3], n_rows)
        if rng.random() < 0.5
        else np.full(n_rows, 0.1)
    )
    score = rng.integers(0, rng.choice([1, 3, 1000]), n_rows) / 4
    return pd.DataFrame({"label": label.astype(int), "score": score, "weight": weight})


def outcome(call, **arguments):
    """Return the number of a call, or the text of its error; rows of one class alone
    are warned of.
    """
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            return pytest.approx(call(**arguments), abs=1e-13)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(("name", "options"), CUTS)
def test_cuts_need_no_sort(monkeypatch, name, options):
    """Batches are looked at one by one, or together; some cuts sort rows with
    weights.
    """
    rng, in_memory = np.random.default_rng(11), getattr(sklearn_ap, f"{name}_score")
    n_sorts, sort = 0, _local.sorted_batches

    def counted(*arguments):
        nonlocal n_sorts
        n_sorts += 1
        return sort(*arguments)

    monkeypatch.setattr(_local, "sorted_batches", counted)
    for turn in range(40):
        monkeypatch.setattr(_batches, "_PENDING_ROWS", turn % 2 * 100)
        rows, arguments = cut_rows(rng), {"k": int(rng.integers(1, 70)), **options}
        columns = rows["label"], rows["score"]
        table = pa.concat_tables([to_arrow(rows)[:7], to_arrow(rows)[7:]])
        weightless = outcome(
            in_memory, y_true=columns[0], y_score=columns[1], **arguments
        )
        beyond = partial(
            distributed.score, in_memory, table, memory_limit=EXCEEDS, **arguments
        )
        assert outcome(beyond) == weightless
        assert n_sorts == 0
        weighted = outcome(
            partial(in_memory, *columns, sample_weight=rows["weight"], **arguments)
        )
        assert outcome(beyond, sample_weight="weight") == weighted
        n_sorts = 0


def test_a_deep_cut_is_sorted(monkeypatch):
    rows = pd.DataFrame({"label": [0] * 50 + [1, 0], "score": np.arange(52.0)[::-1]})
    beyond = partial(distributed.score, data=rows, memory_limit=EXCEEDS)
    monkeypatch.setattr(_streams, "_MAX_BEST_ROWS", 50)
    assert [beyond(f"recall@{k}") for k in (50, 51)] == [0.0, 1.0]


# --- rows and calls -------------------------------------------------------------------


@pytest.mark.parametrize("limit", [FITS, 4000, EXCEEDS])
# an id of each type
@pytest.mark.parametrize("kind", ["float32", "float64", "few scores"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_of_each_query_and_totals_by_query(weighted, kind, limit):
    """A query whose rows weigh 0 keeps its place, and takes no part in means, unless it
    has a total.
    """
    rows, columns = rows_of(kind), {"query_id": "query"}
    if weighted:
        light = rows["query"].isin(rows["query"].unique()[:3])
        rows, columns = (
            rows.assign(weight=np.where(light, 0.0, 1.0)),
            columns | {"sample_weight": "weight"},
        )
    arrays = {name: rows[column].to_numpy() for name, column in columns.items()}
    labels = rows["label"].to_numpy(), rows["score"].to_numpy()
    totals = dict.fromkeys(sorted(set(arrays["query_id"].tolist())), 400.0)
    absent = {
        "integers": 1000,
        "text": "z",
        "dates": pd.Timestamp("2030-01-01").to_datetime64(),
    }[KINDS[kind][2]]
    arguments = {"k": 7, "normalizer": "n_positives", "zero_division": 1.0}
    score = partial(sklearn_ap.average_precision_at_k_score, **arguments)
    for stated in (None, totals, {**totals, absent: 5.0}):
        call = partial(score, n_positives=stated)
        expected = sklearn_ap.score_by_query(call, *labels, **arrays)
        actual = distributed.score_by_query(call, rows, memory_limit=limit, **columns)
        assert list(actual) == list(expected)
        values = list(actual.values())
        assert values == pytest.approx(list(expected.values()), rel=1e-14)
        for average in ("macro", "weighted", None):
            mean = call(*labels, average=average, **arrays)
            options = {"average": average, "memory_limit": limit, **columns}
            value = distributed.score(call, rows, **options)
            assert value == pytest.approx(mean, rel=1e-14)
