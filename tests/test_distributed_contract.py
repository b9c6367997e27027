"""One contract: every score of the family, wherever its rows are, is the score of these
rows in memory.
"""

import datetime
import warnings
from functools import partial
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
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
    in_memory,
    rows_of,
    scores_for,
)
from sklearn_ap import distributed
from sklearn_ap.distributed import _batches, _local, _scores

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


def to_state(rows, weight):
    """Return the sum of two states, of which one was stored, and one took its rows in
    two updates.
    """
    stored, other = distributed.RankingState(), distributed.RankingState()
    parts = rows[:9], rows[9:10], rows[10:]
    for state, part in zip((stored, other, other), parts, strict=True):
        if len(part) and (weight is None or part[weight].any()):
            sample_weight = None if weight is None else part[weight]
            state.update(part["label"], part["score"], sample_weight=sample_weight)
    return distributed.RankingState.from_bytes(stored.to_bytes()).merge(other)


def scored(place, rows, layout, limit, folder):
    """Return every score of a layout, of rows in a place."""
    options = dict(LAYOUTS[layout])
    if place == "state":
        state = to_state(rows, options.pop("sample_weight", None))
        return state.score(scores_for(layout), **options)
    data = PLACES[place](rows, folder)
    return distributed.score(scores_for(layout), data, memory_limit=limit, **options)


def takes(place, layout):
    """Whether rows in a place have such a layout: a state is one ranking."""
    return place != "state" or "query_id" not in LAYOUTS[layout]


@pytest.mark.parametrize("place", [*PLACES, "state"])
def test_every_score_in_this_process(place, tmp_path_factory):
    """Each layout in memory and beyond it where that is cheap, elsewhere in turn."""
    is_cheap = place in ("pandas", "state")
    for turn, (layout, kind) in enumerate(TURNS if is_cheap else TURNS[::2]):
        if not takes(place, layout):
            continue
        limits = (
            (FITS, EXCEEDS) if place == "pandas" else (FITS, EXCEEDS)[turn % 2 :][:1]
        )
        for limit in limits:
            folder = tmp_path_factory.mktemp("rows")
            assert_same(
                scored(place, rows_of(kind), layout, limit, folder),
                expected_of(kind, layout),
                LAYOUTS[layout],
                f"{layout}, {kind}, {limit}",
            )


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
        best = partial(_batches.best_rows, pending_rows=turn % 2 * 100)
        monkeypatch.setattr(_scores, "best_rows", best)
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


def test_rows_that_are_merged_again_keep_their_weight():
    """A row that stands for others counts as often as they are in the next mean."""
    rng = np.random.default_rng(0)
    batches = [
        _batches.Batch(
            rng.integers(0, 9, 40) / 8, rng.random(40) < 0.3, rng.uniform(1, 9, 40)
        )
        for _ in range(6)
    ]
    [best] = _batches.best_rows(batches, 5, pending_rows=20)
    every = _batches.concatenate(batches)
    assert best.score.size < every.score.size
    cut = np.sort(every.score)[-5]
    for of_class in (True, False):
        for is_above in (every.score > cut, every.score == cut, every.score < cut):
            rows = is_above & (every.positive == of_class)
            kept = best.take(
                (best.positive == of_class)
                & np.isin(np.sign(best.score - cut), np.sign(every.score[rows] - cut))
            )
            assert kept.counts.sum() == rows.sum()
            assert (kept.counts * kept.weight).sum() == pytest.approx(
                every.weight[rows].sum()
            )


def test_a_deep_cut_is_sorted(monkeypatch):
    rows = pd.DataFrame({"label": [0] * 50 + [1, 0], "score": np.arange(52.0)[::-1]})
    beyond = partial(distributed.score, data=rows, memory_limit=EXCEEDS)
    monkeypatch.setattr(_scores, "_MAX_BEST_ROWS", 50)
    assert [beyond(f"recall@{k}") for k in (50, 51)] == [0.0, 1.0]


# --- rows and calls -------------------------------------------------------------------

SCORES = {
    "float32": st.floats(width=32, allow_nan=False, allow_infinity=False).map(
        np.float32
    ),
    "float64": st.floats(allow_nan=False, allow_infinity=False),
    "few": st.sampled_from([-1.0, 0.0, -0.0, 5e-324, 0.5]),
    "int64": st.integers(2**53 - 2, 2**53 + 2) | st.integers(-(2**63), 2**63 - 1),
    "uint64": st.integers(2**64 - 3, 2**64 - 1).map(np.uint64),
}
IDS = {
    "text": st.sampled_from(["01", "1", "-0", "a b", "A B", "é", "None", "nan"]),
    "integers": st.integers(-2, 12),
    # as nanoseconds, in old pandas
    "dates": st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1)),
}


@st.composite
def drawn_rows(draw):
    size = draw(st.integers(1, 30))
    columns = {
        "label": st.sampled_from([0, 1]),
        "score": SCORES[draw(st.sampled_from(sorted(SCORES)))],
        "weight": st.sampled_from([0.0, 1.0, 0.1, 3.7]),
        "query": IDS[draw(st.sampled_from(sorted(IDS)))],
    }
    rows = {
        name: draw(st.lists(cells, min_size=size, max_size=size))
        for name, cells in columns.items()
    }
    if not any(rows["weight"]):
        rows["weight"] = [2.5] * size
    frame = pd.DataFrame(
        {**rows, "score": np.array(rows["score"]), "equal": 0.3, "unused": "x"}
    )
    if isinstance(rows["query"][0], datetime.date):
        frame["query"] = pd.to_datetime(frame["query"])
    return frame


@given(
    rows=drawn_rows(),
    place=st.sampled_from([*sorted(PLACES.keys() - {"folder"}), "state"]),
    layout=st.sampled_from(sorted(LAYOUTS)),
    limit=st.sampled_from([FITS, EXCEEDS, 200]),
)
@settings(max_examples=60)
def test_drawn_rows(tmp_path_factory, rows, place, layout, limit):
    assume(takes(place, layout))
    expected = in_memory(scores_for(layout), rows, LAYOUTS[layout])
    folder = tmp_path_factory.mktemp("drawn")
    assert_same(scored(place, rows, layout, limit, folder), expected, LAYOUTS[layout])


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_a_score_is_asked_for_by_name_function_or_partial(limit):
    rows = rows_of("few scores")
    labels, values = rows["label"].to_numpy(), rows["score"].to_numpy()
    for name in sklearn_ap.get_scorer_names():
        scorer = sklearn_ap.get_scorer(name)
        expected = scorer._score_func(labels, values, **scorer._kwargs)
        assert distributed.score(name, rows, memory_limit=limit) == pytest.approx(
            expected, rel=1e-14
        ), name
    at_10, ap_at_k = (
        partial(sklearn_ap.precision_at_k_score, k=10),
        sklearn_ap.average_precision_at_k_score,
    )
    by_name = distributed.score(["recall@0.3", at_10], rows, memory_limit=limit)
    assert next(iter(by_name)) == "recall@0.3"
    expected = [
        sklearn_ap.recall_at_k_score(labels, values, k=0.3),
        at_10(labels, values),
    ]
    assert [*by_name.values()] == pytest.approx(expected, rel=1e-14)
    options = {"k": 10, "ties": "expected"}
    value = distributed.score(ap_at_k, rows, **options, memory_limit=limit)
    assert value == pytest.approx(ap_at_k(labels, values, **options), rel=1e-14)


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
# an id of each type
@pytest.mark.parametrize("kind", ["float32", "float64", "few scores"])
def test_the_score_of_each_query_and_totals_by_query(kind, limit):
    rows = rows_of(kind)
    columns = {"query_id": rows["query"].to_numpy()}
    arrays = rows["label"].to_numpy(), rows["score"].to_numpy()
    totals = dict.fromkeys(sorted(set(columns["query_id"].tolist())), 400.0)
    absent_ids = {
        "integers": 1000,
        "text": "z",
        "dates": pd.Timestamp("2030-01-01").to_datetime64(),
    }
    absent = absent_ids[KINDS[kind][2]]
    if kind != "few scores":
        totals[absent] = 5.0
    arguments = {"k": 7, "normalizer": "n_positives", "zero_division": 0.0}
    score = partial(sklearn_ap.average_precision_at_k_score, **arguments)
    weights = {name: 1.0 + number % 3 for number, name in enumerate(totals)}
    for stated in (None, totals):
        call = partial(score, n_positives=stated)
        expected = sklearn_ap.score_by_query(call, *arrays, **columns)
        actual = distributed.score_by_query(
            call, rows, query_id="query", memory_limit=limit
        )
        assert list(actual) == list(expected)
        assert list(actual.values()) == pytest.approx(
            list(expected.values()), rel=1e-14
        )
        named = (
            totals
            if stated is not None
            else {name: 1 for name in totals if name is not absent}
        )
        of_queries = {name: weights[name] for name in named}
        for average, query_weight in product(("macro", "weighted"), (None, of_queries)):
            means = partial(call, query_weight=query_weight)
            options = {"average": average, "memory_limit": limit}
            value = distributed.score(means, rows, query_id="query", **options)
            assert value == pytest.approx(
                means(*arrays, average=average, **columns), rel=1e-14
            )


ZEROS = dict.fromkeys(rows_of("float64")["query"], 0.0)


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "requires query_id"),
        ({"query_id": "query", "average": "micro"}, "requires a mean over queries"),
        ({"query_id": "query", "average": None}, "requires a mean over queries"),
        ({"query_id": "query", "query_weight": "weight"}, "must be a mapping"),
        ({"query_id": "query", "query_weight": {}}, "contains no weight for query"),
        ({"query_id": "query", "query_weight": ZEROS}, "must be above 0 .* all of 9"),
    ],
)
def test_refused_weights_of_queries(arguments, text, limit):
    options = {"query_weight": {1: 2.0}, "memory_limit": limit, **arguments}
    with pytest.raises(ValueError, match=f"query_weight {text}"):
        distributed.score("average_precision", rows_of("float64"), **options)


@pytest.mark.parametrize("limit", [FITS, 4000, EXCEEDS])
@pytest.mark.parametrize("kind", ["float32", "few scores"])  # ids are numbers and dates
def test_queries_without_weight_stay_where_each_has_a_value(kind, limit):
    rows = rows_of(kind).assign(weight=1.0)
    ids = sorted(set(rows["query"].to_numpy().tolist()))
    rows.loc[rows["query"].isin(pd.unique(rows["query"])[:3]), "weight"] = 0
    columns = {
        "query_id": rows["query"].to_numpy(),
        "sample_weight": rows["weight"].to_numpy(),
    }
    arrays = rows["label"].to_numpy(), rows["score"].to_numpy()
    names, n_ids = (
        {"query_id": "query", "sample_weight": "weight", "memory_limit": limit},
        len(ids),
    )
    totals = dict.fromkeys(rows["query"].to_numpy()[rows["weight"] > 0].tolist(), 99.0)
    totals = totals if kind == "float32" else None
    call = partial(
        sklearn_ap.average_precision_score, n_positives=totals, zero_division=1.0
    )
    expected = sklearn_ap.score_by_query(call, *arrays, **columns)
    actual = distributed.score_by_query(call, rows, **names)
    assert list(actual) == list(expected)
    assert len(actual) == n_ids
    assert list(actual.values()) == pytest.approx(list(expected.values()), rel=1e-14)
    assert list(actual.values()).count(1.0) >= 3
    values = distributed.score(call, rows, average=None, **names)
    assert values.tolist() == list(actual.values())
    mean = call(*arrays, **columns)
    assert distributed.score(call, rows, **names) == pytest.approx(mean, rel=1e-14)
    assert mean != pytest.approx(values.mean(), rel=1e-3)


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
@pytest.mark.parametrize("kind", ["negatives alone", "float32"])
def test_rankings_without_positives_warn_as_in_memory_or_take_a_value(kind, limit):
    rows = rows_of(kind)  # of "float32", one query has no positive
    for options in ({"query_id": "query"}, {})[: 2 if kind == "negatives alone" else 1]:
        for name in ("average_precision", "recall@9"):
            score = sklearn_ap.get_scorer(name)._score_func
            arguments = sklearn_ap.get_scorer(name)._kwargs
            with pytest.warns(UserWarning, match="positive") as in_memory_warnings:
                (expected,) = in_memory([partial(score, **arguments)], rows, options)
            with pytest.warns(UserWarning, match="positive") as warnings:
                value = distributed.score(name, rows, memory_limit=limit, **options)
            assert [str(one.message) for one in warnings] == [
                str(one.message) for one in in_memory_warnings
            ]
            assert value == pytest.approx(expected, rel=1e-14)
            (expected,) = in_memory(
                [partial(score, **arguments, zero_division=1.0)], rows, options
            )
            value = distributed.score(
                name, rows, zero_division=1.0, memory_limit=limit, **options
            )
            assert value == pytest.approx(expected, rel=1e-14)
