"""The tied groups of a ranking by two passes over its rows: they equal those of a sort,
serve if positives have few scores, and raise an error if rows change between the passes.
"""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import dataset

from brief import examples
from rows_read import EXCEEDS
from sklearn_ap import distributed
from sklearn_ap._rows import batches, local, roles
from sklearn_ap.distributed import (
    SourceError,
    _api,
    _bound_scores,
    _positives,
    _sort,
    _streams,
)
from tests.distributed.test_distributed_contract import PLACES, few_rows

N_ROWS = 2000
RNG = np.random.default_rng(6)
ROWS = pd.DataFrame(
    {
        "label": (RNG.random(N_ROWS) < 0.1).astype(np.int8),
        "score": RNG.random(N_ROWS, dtype=np.float32).round(3),
        "weight": RNG.random(N_ROWS) + 0.1,
        "query": np.arange(N_ROWS) % 7,
    }
)


# --- the same groups ------------------------------------------------------------------


class Parts:
    """A source whose rows are in several parts, as on the executors of a cluster."""

    name, limit, is_repeatable = "rows", 1, True

    def __init__(self, rows, ends):
        self.roles = roles.Roles("y", "s", "w")
        self.parts = [rows.take(slice(*pair)) for pair in pairwise(ends)]

    def map_parts(self, function, order):
        assert order is None
        # Some parts have no rows.
        for part in self.parts:
            yield from function(iter([part] if part.score.size else []))


@examples(20, 60)
@given(rows=few_rows(), data=st.data())
def test_parts_have_the_score_of_memory(rows, data):
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=3))
    positive, score, weight = rows["label"] == 1, rows["score"], rows["weight"]
    batch = batches.Batch(score.to_numpy(), positive.to_numpy(), weight.to_numpy())
    source = Parts(batch, [0, *sorted(cuts), len(rows)])
    for name in ("average_precision", "interpolated_average_precision", "pr_auc"):
        spec = _bound_scores.resolve_score(name, {"zero_division": 0.0})
        stream = _streams.SortedStream(_positives.groups_by_positives(source))
        expected = spec.function(positive, score, sample_weight=weight)
        assert spec.score(stream) == pytest.approx(expected, rel=1e-12), name


# --- when they serve ------------------------------------------------------------------


def stream(rows):
    return pa.Table.from_pandas(rows).to_reader()


SCORE = partial(distributed.score, "average_precision")
CALLS = [
    ("Parquet", SCORE, {}, False),
    ("Parquet", SCORE, {"sample_weight": "weight"}, False),
    ("pandas", SCORE, {"query_id": "query", "average": "micro"}, False),
    ("Arrow", SCORE, {}, False),
    ("dataset", SCORE, {}, False),
    ("dataset without files", SCORE, {}, True),
    ("stream", SCORE, {}, True),
    ("stream", partial(distributed.score, "recall@7"), {}, False),
    ("relation", SCORE, {}, True),
    ("Parquet", SCORE, {"query_id": "query", "zero_division": 0.0}, True),
    ("Parquet", partial(distributed.score, "precision@0.5"), {}, False),
    (
        "Parquet",
        partial(distributed.score, "precision@0.5"),
        {"sample_weight": "weight"},
        True,
    ),
]
OTHERS = {
    "stream": lambda rows, _: stream(rows),
    "dataset without files": lambda rows, _: dataset.dataset(stream(rows).read_all()),
}


@pytest.fixture
def sorts(monkeypatch):
    """Return a list to which each sort of rows appends an element."""
    calls = []
    sort = _sort.SortableSource._sorted

    def counted(*args):
        calls.append(args)
        return sort(*args)

    monkeypatch.setattr(_sort.SortableSource, "_sorted", counted)
    return calls


@pytest.mark.parametrize(("name", "call", "options", "is_sorted"), CALLS)
def test_rows_that_can_be_read_twice_are_not_sorted(
    name, call, options, is_sorted, sorts, tmp_path
):
    to_place = {**PLACES, **OTHERS}[name]
    call(to_place(ROWS, tmp_path), memory_limit=EXCEEDS, **options)
    assert bool(sorts) == is_sorted


@pytest.mark.parametrize(("weight", "n_bytes"), [(None, 40), ("weight", 72)])
def test_many_scores_of_positives_are_sorted(weight, n_bytes, sorts, monkeypatch):
    """The choice depends on the number of distinct scores of positives, not of
    positives.
    """
    n_scores = ROWS.loc[ROWS["label"] == 1, "score"].nunique()
    assert n_scores < ROWS["label"].sum()
    expected = SCORE(ROWS, sample_weight=weight)
    for spare, is_sorted in ((1, False), (-1, True)):
        room = (n_scores + spare) * n_bytes
        monkeypatch.setattr(_positives, "_LEAST_BYTES", room)
        sorts.clear()
        value = SCORE(ROWS, sample_weight=weight, memory_limit=EXCEEDS)
        assert value == pytest.approx(expected, rel=1e-12)
        assert bool(sorts) == is_sorted


# --- what changes between the passes --------------------------------------------------


POSITIVE = int(ROWS.index[ROWS["label"] == 1][5])
NEGATIVE = int(ROWS.index[ROWS["label"] == 0][5])
CHANGES = [
    # Each case: the column, the row and the new value of a change, and the score.
    ("score", POSITIVE, 0.12345, "average_precision"),
    ("label", NEGATIVE, 1, "average_precision"),
    ("weight", POSITIVE, 9.0, "average_precision"),
    ("weight", NEGATIVE, 9.0, "average_precision"),
    ("score", NEGATIVE, 2.0, "average_precision"),
    ("score", NEGATIVE, 2.0, "reciprocal_rank"),
]


@pytest.mark.parametrize(("column", "row", "value", "score"), CHANGES)
def test_rows_that_change_between_the_passes_raise_an_error(
    column, row, value, score, monkeypatch
):
    """Changes of files are found by their versions. A dataset and a frame have no
    versions.
    """
    frames = [ROWS, ROWS]

    class Changing(_sort.SortableSource):
        def map_parts(self, function, order):
            assert order is None
            frame = frames.pop()
            table = pa.Table.from_pandas(frame)
            self.read = local._open_arrow(table, self.roles, 1).read
            self._unread = None
            return super().map_parts(function, order)

    monkeypatch.setattr(_api, "SortableSource", Changing)
    weight = "weight" if column == "weight" else None
    call = partial(distributed.score, score, sample_weight=weight)
    assert call(ROWS, memory_limit=EXCEEDS) == pytest.approx(call(ROWS), rel=1e-12)
    changed = ROWS.copy()
    changed.loc[row, column] = value
    frames[:] = changed, ROWS
    with pytest.raises(SourceError, match=r"^data: changed while it was read$"):
        call(ROWS, memory_limit=EXCEEDS)
    assert not frames
