"""Decimals rank by all of their digits, in memory and in parts; fractions are the definition."""

import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracle
from sklearn_ap import average_precision_score, distributed, hit_curve
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._engines._arrow import arrow_columns
from sklearn_ap.distributed._numerals import UNSCALED, decimals_of
from sklearn_ap.distributed._source import Place

D = Decimal
NEAR = [D("0.90000000000000001"), D("0.90000000000000002")]  # neither is a float, and they share one
LABELS = [0, 1, 0, 1, 1, 0, 1, 0, 1, 0]
SCORES = [  # of four files: a whole column has the scale 18, and most have fewer digits
    *(D("0.5"), *NEAR),
    *(D("0.900000000000000011"), D("-0.900000000000000012"), D("-0.900000000000000011")),
    *(D("12345.678"), D("-12.5")),  # at the scale 18, these have more digits than 18, and floats print them
    *(D(7), D(-8)),
]
TYPES = [pa.decimal128(20, 17)] * 3 + [pa.decimal128(38, 18)] * 3 + [pa.decimal128(9, 3)] * 2
TYPES += [pa.decimal256(50, 0)] * 2


def files_of(folder, dtypes=TYPES, scores=SCORES, **others):
    """Write neighbours of a type to files of their own."""
    starts = [row for row, dtype in enumerate(dtypes) if row == 0 or dtype != dtypes[row - 1]]
    for start, stop in zip(starts, [*starts[1:], len(dtypes)], strict=True):
        columns = {"label": LABELS, **others, "score": scores}
        table = {name: pa.array(values[start:stop]) for name, values in columns.items()}
        table["score"] = table["score"].cast(dtypes[start])
        pq.write_table(pa.table(table), folder / f"{start}.parquet")
    return [folder / f"{start}.parquet" for start in starts]


def exact(labels, scores):
    return oracle.step(oracle.ranking(labels, list(map(Fraction, scores))))


@pytest.mark.parametrize("memory_limit", ["auto", 1])
def test_files_of_several_scales_rank_as_fractions(memory_limit, tmp_path):
    """Thresholds are the nearest floats, and those of two decimals that share one stay two points."""
    files = files_of(tmp_path)
    found = distributed.average_precision_score(files, memory_limit=memory_limit)
    assert found == pytest.approx(float(exact(LABELS, SCORES)), rel=1e-15)
    detected, hits, thresholds = distributed.hit_curve(files, memory_limit=memory_limit)
    ranked = sorted(zip(map(Fraction, SCORES), LABELS, strict=True), reverse=True)
    assert thresholds.tolist() == [np.inf, *(float(score) for score, _ in ranked)]
    assert hits.tolist() == [n / 10 for n in np.cumsum([0, *(label for _, label in ranked)])]
    assert detected.tolist() == [n / 10 for n in range(11)]
    assert thresholds.dtype == np.float64
    assert distributed.operating_point(files, recall=0.6, memory_limit=memory_limit).threshold == 0.9


def test_files_of_floats_have_decimals_as_floats(tmp_path):
    types = [pa.float64()] * 5 + [pa.decimal128(20, 17)] * 5
    scores = [0.5, 0.25, 1.5, 0.0, 1.0, *map(D, ("0.75", "0.3", "0.1", "-1", "0.2"))]
    folder = files_of(tmp_path, types, scores)
    assert distributed.average_precision_score(folder) == pytest.approx(
        float(exact(LABELS, scores)), rel=1e-15
    )


def test_weights_are_the_nearest_floats_and_a_column_of_two_roles_is_exact_in_both(tmp_path):
    weights = [D(number + 1) / 7 for number in range(10)]
    weights = [one.quantize(D("1e-18")) for one in weights]
    files = files_of(tmp_path, weight=weights)
    found = distributed.average_precision_score(files, sample_weight="weight")
    ranks = [sorted(SCORES).index(one) for one in SCORES]
    expected = average_precision_score(LABELS, ranks, sample_weight=list(map(float, weights)))
    assert found == pytest.approx(expected, rel=1e-15)
    with pytest.raises(ValueError, match=r"column 'weight', row 1: 0\.142857142857142857 has more digits"):
        distributed.average_precision_score(files, y_score="weight", sample_weight="weight")


def test_what_neither_integers_nor_floats_hold_is_refused_with_its_row(tmp_path):
    scores = [*SCORES[:5], D("5.000000000000000001"), *SCORES[6:]]
    files = files_of(tmp_path, scores=scores)
    line = f"'{files[1]}': column 'score', row 3: 5.000000000000000001 has more digits than float64 holds; "
    for limit in ("auto", 1):
        with pytest.raises(ValueError, match=re.escape(line)):
            distributed.average_precision_score(files, memory_limit=limit)
    assert distributed.average_precision_score(files[:1]) == float(exact(LABELS[:3], SCORES[:3]))


def test_labels_and_ids_are_told_apart_or_refused():
    labels = [D("1.000000000000000001"), D(0), D(1)]
    rows = pa.table({"label": labels, "score": [3, 2, 1], "query": [*NEAR, NEAR[0]]})
    with pytest.raises(ValueError, match=r"column 'label', row 1: 1\.000000000000000001 has more digits"):
        distributed.average_precision_score(rows)
    rows = rows.set_column(0, "label", [[1, 0, 1]])
    with pytest.raises(ValueError, match=r"'query', row 1: 0\.90000000000000001 has .*; write 0\.9, or text"):
        distributed.average_precision_score(rows, query_id="query")


@st.composite
def columns(draw):
    """Decimals of one type, many of them close to the largest integer."""
    scale = draw(st.integers(1, 60))
    near = st.integers(-3, 3).flatmap(lambda one: st.sampled_from([UNSCALED + one, -UNSCALED + one, one]))
    units = draw(st.lists(near | st.integers(-(10**18), 10**18), min_size=1, max_size=8))
    with localcontext(prec=76):
        small = [D(one).scaleb(-scale) for one in units]
        large = draw(st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), max_size=4))
        printed = [D(repr(one)) for one in large]
        return scale, [*small, *(one for one in printed if one == one.quantize(D(1).scaleb(-min(scale, 30))))]


def wide(scale, values):
    return pa.table({"score": pa.array(values, pa.decimal256(76, scale))})


@settings(max_examples=60)
@given(columns())
@example((1, [D(0)]))
def test_integers_have_the_order_of_decimals_and_become_the_nearest_floats(drawn):
    scale, values = drawn
    held = [one for one in values if abs(one.scaleb(scale)) < UNSCALED or D(repr(float(one))) == one]
    for rows in (wide(scale, held), wide(scale, [D(1), *held]).slice(1)):
        numbers = arrow_columns(rows, ["score"], Place("x"), {"score": scale})["score"]
        assert numbers.dtype == np.int64
        for one, number in zip(held, numbers, strict=True):
            assert [number > other for other in numbers] == [one > other for other in held]
            assert [number == other for other in numbers] == [one == other for other in held]
        assert decimals_of(numbers, scale).tolist() == [float(one) for one in held]


CONTAINERS = {
    "list": list,
    "objects": lambda values: np.array(values, dtype=object),
    "Series": pd.Series,
    "Series of Arrow": lambda values: pd.Series(pd.array(values, pd.ArrowDtype(pa.decimal128(20, 18)))),
    "DataFrame": lambda values: pd.DataFrame({"a": values}),
    "Arrow": pa.array,
    "polars": pl.Series,
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_labels_and_scores_in_memory(container):
    """`unknown format is not supported` was what decimals as labels gave."""
    wrap = CONTAINERS[container]
    labels, scores = wrap([D("1.00"), D("0.00"), D("1.00")]), wrap([NEAR[1], NEAR[0], D("0.5")])
    assert average_precision_score(labels, scores) == pytest.approx(5 / 6, rel=1e-15)
    assert hit_curve(labels, scores)[2].tolist() == [np.inf, NEAR[1], NEAR[0], D("0.5")]
    state = RankingState.from_bytes(RankingState().update(labels, [3, 2, 1]).to_bytes())
    assert state.score(average_precision_score) == pytest.approx(5 / 6, rel=1e-15)
    with pytest.raises(ValueError, match="unknown format is not supported"):
        average_precision_score(wrap([D("1.000000000000000001"), D(0), D(1)]), [3, 2, 1])


@pytest.mark.parametrize("frame", [np.array, pd.DataFrame, pl.DataFrame], ids=["array", "pandas", "polars"])
def test_columns_of_decimals_in_memory(frame):
    """pandas rounded scores to floats, which made a tie of the two."""
    columns = {"a": [NEAR[1], NEAR[0], D("0.5")], "b": [D("0.1"), D("0.2"), D("0.3")]}
    scores = frame(columns) if frame is not np.array else np.array(list(columns.values()), dtype=object).T
    labels = frame({"a": [D(1), D(0), D(1)], "b": [D(0), D(1), D(1)]}) if frame is not np.array else [
        [D(1), D(0)], [D(0), D(1)], [D(1), D(1)]
    ]  # fmt: skip
    found = average_precision_score(labels, scores, average=None)
    assert found == pytest.approx([5 / 6, 1.0], rel=1e-15)


@pytest.mark.parametrize("arrow", [True, False], ids=["of Arrow", "objects"])
def test_partitions_of_dask(arrow):
    """Partitions of objects know no scale in common: they are floats that tell their decimals apart."""
    dd = pytest.importorskip("dask.dataframe")
    scores = SCORES if arrow else [D(repr(float(one))) / 8 for one in range(10)]
    rows = pd.DataFrame({"label": [D(f"{one}.00") for one in LABELS], "score": scores}, dtype=object)
    if arrow:
        rows = rows.astype({name: pd.ArrowDtype(pa.decimal128(38, 18)) for name in rows})
    with pytest.importorskip("dask").config.set({"dataframe.convert-string": False}):
        frame = dd.from_pandas(rows, npartitions=3)
        for limit in ("auto", 1):
            found = distributed.average_precision_score(frame, memory_limit=limit)
            pair = distributed.average_precision_score(frame["label"], frame["score"], memory_limit=limit)
            assert found == pair == pytest.approx(float(exact(LABELS, scores)), rel=1e-15)
        thresholds = distributed.hit_curve(frame)[2]
    assert thresholds.tolist() == [np.inf, *sorted(map(float, scores), reverse=True)]
