"""Dask as a source of parts: values, order and names of partitions, refusals, killed workers."""

import pickle

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from dask_rows import FRAME, N_PARTS, Count, N, broken, collected, silent, stop, total, values, written
from sklearn_ap.distributed import average_precision_score
from sklearn_ap.distributed._engines._dask import _tasks_of, opened, opened_pair
from sklearn_ap.distributed._source import SourceError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

# Dask 2026.8 reads Parquet with arguments that pandas 3.1 warns of. A filter by text, as older pandas have no
# such class of warnings.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    return written(tmp_path_factory.mktemp("parquet"))


@pytest.fixture(params=["memory", "parquet", "arrow"])
def frame(request, parquet):
    if request.param == "memory":
        return dd.from_pandas(FRAME, npartitions=N_PARTS)
    return dd.read_parquet(parquet, filesystem="arrow" if request.param == "arrow" else "fsspec")


@pytest.fixture
def small():
    return dd.from_pandas(FRAME, npartitions=4)


def test_a_column_alone_is_not_rows(small):
    assert opened(small["y"]) is None
    assert opened(small["y"].sum()) is None


def test_every_row_comes_in_order_with_the_name_of_its_partition(frame):
    source = opened(frame)
    assert source.n_rows() == N
    found = collected(source, ["y", "score", "word"])
    assert [name for name, _ in found] == [f"partition {number}" for number in range(N_PARTS)]
    rows = frame.compute()  # with filesystem="arrow", Dask does not sort files by name
    for column in ("y", "score"):
        assert values(found, column).dtype == FRAME[column].dtype == source.columns()[column]
        np.testing.assert_array_equal(values(found, column), rows[column])
    assert values(found, "word").tolist() == rows["word"].tolist()
    assert {type(one) for one in values(found, "word")} == {str}
    assert source.columns()["word"] == np.dtype(object)
    assert source.extremes("score") is None
    assert source.reads_again
    assert len(collected(source, ["score"])) == N_PARTS


def test_partitions_are_those_of_the_caller_where_dask_would_join_them(parquet):
    """Dask reads several files at once where few of their columns are wanted and something follows."""
    frame = dd.read_parquet(parquet).assign(twice=lambda one: one["score"] * 2)
    assert frame[["y", "twice"]].optimize().npartitions < N_PARTS
    found = collected(opened(frame), ["y", "twice"])
    assert [name for name, _ in found] == [f"partition {number}" for number in range(N_PARTS)]
    np.testing.assert_array_equal(values(found, "twice"), FRAME["score"] * 2)
    pair = opened_pair({"y_true": frame["y"], "y_score": frame["twice"]})
    np.testing.assert_array_equal(
        values(collected(pair, ["y_true", "y_score"]), "y_score"), FRAME["score"] * 2
    )


def test_only_wanted_columns_are_read(parquet, tmp_path):
    """A file that cannot give the other columns shows that they are not asked for."""
    for number in range(N_PARTS):
        part = pd.read_parquet(parquet / f"part.{number:02}.parquet")
        columns = ["y", "score"] if number == 7 else part.columns
        part[columns].to_parquet(tmp_path / f"part.{number:02}.parquet", index=False)
    source = opened(dd.read_parquet(tmp_path))
    assert len(collected(source, ["y", "score"])) == N_PARTS
    with pytest.raises(SourceError, match="unused"):
        collected(source, ["y", "unused"])


def test_partitions_without_rows_are_no_parts(small):
    found = collected(opened(small[small["unused"] < 0]), ["y"])
    assert found is None
    some = dd.concat([small[small["unused"] < 0], small])
    assert [name for name, _ in collected(opened(some), ["y"])] == [f"partition {n}" for n in range(4, 8)]
    assert opened(small[small["unused"] < 0.5]).n_rows() is None  # only a scan tells


def test_types_of_pandas_become_types_of_numpy():
    whole = [3, 1, 2, 1]
    frame = pd.DataFrame(
        {
            "Int64": pd.array(whole, dtype="Int64"),
            "UInt8": pd.array(whole, dtype="UInt8"),
            "Float32": pd.array(whole, dtype="Float32"),
            "boolean": pd.array([True, False, True, True], dtype="boolean"),
            "int64[pyarrow]": pd.array(whole, dtype="int64[pyarrow]"),
            "bool[pyarrow]": pd.array([True, False, True, True], dtype="bool[pyarrow]"),
            "string[pyarrow]": pd.array(list("abca"), dtype="string[pyarrow]"),
            "categories": pd.Categorical(list("abca")),
            "numbers": pd.Categorical(whole),
            "days": pd.to_datetime(["2026-01-01"] * 4),
            "zones": pd.to_datetime(["2026-01-01"] * 4, utc=True),
            "nan": [0.5, np.nan, 1.5, 2.5],
        }
    )
    source = opened(dd.from_pandas(frame, npartitions=2))
    found, types = collected(source, list(frame)), source.columns()
    expected = ["i8", "u1", "f4", "?", "i8", "?", "O", "O", "i8", "M8", "M8", "f8"]
    for column, kind in zip(frame, expected, strict=True):
        array = values(found, column)
        assert array.dtype == types[column], column
        assert array.dtype.kind == np.dtype(kind).kind, column
        plain = frame[column].dt.tz_localize(None) if column == "zones" else frame[column]
        assert array.tolist() == plain.to_numpy().astype(array.dtype).tolist() or column == "nan", column
    np.testing.assert_array_equal(values(found, "nan"), frame["nan"])


def test_a_dictionary_of_arrow_is_text(tmp_path):
    FRAME.astype({"word": "category"}).to_parquet(tmp_path / "words.parquet")
    source = opened(dd.read_parquet(tmp_path, dtype_backend="pyarrow"))
    assert values(collected(source, ["word"]), "word").tolist() == FRAME["word"].tolist()
    assert source.columns()["word"] == np.dtype(object)


MISSING = {
    "None": (pd.Series(["a"] * 5 + [None] + ["b"] * 4, dtype=object), "object"),
    "NA": (pd.array([1] * 5 + [pd.NA] + [0] * 4, dtype="Int64"), "Int64"),
    "NaT": (pd.to_datetime(["2026-01-01"] * 5 + [None] + ["2026-01-02"] * 4), "M8"),
    "category": (pd.Categorical(["a"] * 5 + [None] + ["b"] * 4), "category"),
    "arrow": (pd.array([1] * 5 + [None] + [0] * 4, dtype="int64[pyarrow]"), "int64[pyarrow]"),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_value_is_refused_with_its_row(kind):
    frame = dd.from_pandas(pd.DataFrame({"y": MISSING[kind][0]}), npartitions=2)
    with pytest.raises(SourceError) as caught:
        collected(opened(frame), ["y"])
    assert str(caught.value) == "partition 1: column 'y', row 1: no value"
    assert caught.value.__cause__ is None
    pair = opened_pair({"y_true": frame["y"]})
    with pytest.raises(SourceError, match=r"^partition 1: column 'y_true', row 1: no value$"):
        collected(pair, ["y_true"])


def test_the_first_refused_partition_is_named():
    frame = pd.DataFrame({"y": pd.array([1, None] * 30, dtype="Int64")})
    with pytest.raises(SourceError, match=r"^partition 0: column 'y', row 2: no value$"):
        collected(opened(dd.from_pandas(frame, npartitions=20)), ["y"])


def test_a_type_that_no_array_has():
    frame = pd.DataFrame({"y": pd.period_range("2026-01", periods=4, freq="M")})
    source = opened(dd.from_pandas(frame, npartitions=2))
    assert source.columns() == {"y": None}
    with pytest.raises(
        SourceError, match=r"^partition 0: column 'y': type period\[M\] is not accepted; use "
    ):
        collected(source, ["y"])


def test_a_frame_that_lacks_a_column_of_its_meta():
    frame = dd.from_map(lambda n: FRAME[["y"]] if n else FRAME, [0, 1], meta=FRAME, enforce_metadata=False)
    with pytest.raises(SourceError, match=r"it cannot be computed; KeyError: .*score"):
        collected(opened(frame), ["y", "score"])


def test_columns_of_one_name():
    frame = dd.from_pandas(pd.DataFrame(np.eye(4), columns=list("aabc")), npartitions=1)
    with pytest.raises(SourceError, match=r"^Dask DataFrame: column 'a' is there 2 times; "):
        collected(opened(frame), ["a"])


def test_a_partition_that_cannot_be_computed(small):
    source = opened(small.map_partitions(broken, meta=FRAME))
    text = "^Dask DataFrame: it cannot be computed; ZeroDivisionError: division by zero$"
    with pytest.raises(SourceError, match=text) as caught:
        collected(source, ["y"])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_series_of_one_frame_are_computed_once(small, tmp_path):
    def logged(frame):
        with (tmp_path / "log").open("a") as file:
            file.write("once\n")
        return frame.assign(twice=frame["score"] * 2)

    frame = small.map_partitions(logged, meta=FRAME.assign(twice=FRAME["score"]))
    pair = opened_pair({"y_true": frame["y"], "y_score": frame["twice"]})
    assert list(pair.columns()) == ["y_true", "y_score"]
    found = collected(pair, ["y_true", "y_score"])
    np.testing.assert_array_equal(values(found, "y_score"), FRAME["score"] * 2)
    np.testing.assert_array_equal(values(found, "y_true"), FRAME["y"])
    assert (tmp_path / "log").read_text() == "once\n" * 4


def test_a_series_in_two_roles(frame):
    pair = opened_pair({"y_true": frame["y"], "y_score": frame["score"], "sample_weight": frame["score"]})
    assert pair.n_rows() == N
    rows = frame.compute()
    found = collected(pair, ["y_true", "y_score", "sample_weight"])
    np.testing.assert_array_equal(values(found, "y_score"), rows["score"])
    np.testing.assert_array_equal(values(found, "sample_weight"), rows["score"])


def test_series_of_several_frames():
    frame, other = (dd.from_pandas(one, npartitions=N_PARTS) for one in (FRAME, FRAME.copy()))
    pair = opened_pair(
        {"y_true": frame["y"], "y_score": other["score"] * 2, "sample_weight": other["weight"]}
    )
    assert pair.n_rows() == N
    found = collected(pair, ["y_true", "y_score", "sample_weight"])
    np.testing.assert_array_equal(values(found, "y_true"), FRAME["y"])
    np.testing.assert_array_equal(values(found, "y_score"), FRAME["score"] * 2)
    np.testing.assert_array_equal(values(found, "sample_weight"), FRAME["weight"])


def test_arrays_of_any_chunks():
    pair = opened_pair(
        {
            "y_true": da.from_array(FRAME["y"].to_numpy(), chunks=50),
            "y_score": da.from_array(FRAME[["score"]].to_numpy(), chunks=(30, 1)),
            "sample_weight": da.from_array(FRAME["weight"].to_numpy(), chunks=7),
        }
    )
    assert pair.n_rows() == N
    assert {name: kind.name for name, kind in pair.columns().items()} == {
        "y_true": "int64",
        "y_score": "float32",
        "sample_weight": "float64",
    }
    found = collected(pair, ["y_true", "y_score", "sample_weight"])
    assert [len(columns["y_true"]) for _, columns in found] == [50, 50, 50, 50, 30]
    for role, column in {"y_true": "y", "y_score": "score", "sample_weight": "weight"}.items():
        np.testing.assert_array_equal(values(found, role), FRAME[column])


def test_text_of_an_array():
    words = da.from_array(FRAME["word"].to_numpy().astype("U4"), chunks=100)
    pair = opened_pair({"y_true": words})
    found = values(collected(pair, ["y_true"]), "y_true")
    assert found.dtype == pair.columns()["y_true"] == np.dtype(object)
    assert found.tolist() == FRAME["word"].tolist()


def test_a_series_and_an_array(small):
    lengths = tuple(small.map_partitions(len).compute())
    scores = da.from_array(FRAME["score"].to_numpy(), chunks=(lengths,))
    pair = opened_pair({"y_true": small["y"], "y_score": scores})
    found = collected(pair, ["y_true", "y_score"])
    np.testing.assert_array_equal(values(found, "y_true"), FRAME["y"])
    np.testing.assert_array_equal(values(found, "y_score"), FRAME["score"])


def test_lengths_differ_in_a_partition(small):
    fewer = small["score"][small["unused"] < 0.9]
    with pytest.raises(SourceError) as caught:
        collected(opened_pair({"y_true": small["y"], "y_score": fewer}), ["y_true", "y_score"])
    n_rows = len(small.partitions[0]), len(fewer.partitions[0])
    assert str(caught.value) == (
        f"partition 0: y_score has {n_rows[1]} rows, but y_true has {n_rows[0]}; all must have the same rows "
        "in each partition."
    )


REFUSED = {
    "a list": (lambda f: [0] * N, "^y_score must be a Dask Series or Array, since y_true is one; got list. "),
    "partitions": (
        lambda f: f["score"].repartition(npartitions=3),
        "^y_score must have as many partitions as y_true, 4; got 3. Take both",
    ),
    "columns": (
        lambda f: f[["score", "y"]],
        "^y_score must be a Dask Series or a 1-d .*; got a Dask DataFrame",
    ),
    "two dimensions": (
        lambda f: da.ones((N, 2)),
        r"^y_score must be .*; got an Array of shape \(230, 2\)[.]$",
    ),
    "a number": (lambda f: f["score"].sum(), "^y_score must be .*; got a Dask Scalar[.]$"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_pairs_that_are_refused(small, kind):
    make, text = REFUSED[kind]
    with pytest.raises(ValueError, match=text):
        opened_pair({"y_true": small["y"], "y_score": make(small)})


def test_arrays_of_other_lengths():
    given = {"y_true": da.zeros(10, chunks=5), "y_score": da.zeros(9, chunks=5)}
    with pytest.raises(
        ValueError, match=r"^y_score must have as many rows as y_true, 10; got an Array of 9[.]$"
    ):
        opened_pair(given)


def test_progress_and_an_error_of_its_own(small):
    seen = []
    opened(small).scan(["y"], Count(), total, lambda done, of: seen.append((done, of)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]

    with pytest.raises(RuntimeError, match="enough"):
        opened(small).scan(["y"], Count(), total, stop)


def test_local_schedulers(small):
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            assert opened(small).scan(["y"], Count(), total, silent) == N


def test_small_partitions_are_read_together():
    """The scheduler works per task; but what two partitions need stays a task, which runs once."""
    frame = dd.from_map(lambda n: FRAME[n : n + 1], range(200), meta=FRAME)
    graph, keys = dict(frame.__dask_graph__()), [(key,) for key in frame.__dask_keys__()]
    tasks, numbers = _tasks_of(graph, keys, "part", "held", 3)
    assert list(numbers) == list(tasks)
    assert list(numbers)[:2] == ["part-0-2", "part-3-5"]
    assert [number for of in numbers.values() for number in of] == list(range(200))
    assert len(_tasks_of(graph, keys, "part", "held", 1)[1]) == 200
    shuffled = frame.shuffle("word").optimize()
    graph, keys = dict(shuffled.__dask_graph__()), [(key,) for key in shuffled.__dask_keys__()]
    tasks, numbers = _tasks_of(graph, keys, "part", "held", 3)
    assert len(numbers) == 200
    assert set(tasks) == set(graph) | set(numbers)


def test_values_of_partitions_that_are_read_together():
    """Also where some of them have other tasks in common."""
    frame = dd.from_map(lambda n: FRAME[n : n + 1].reset_index(drop=True), range(N), meta=FRAME)
    mixed = dd.concat([frame, frame[["y", "score"]].partitions[:2].shuffle("y"), frame])
    with dask.config.set(scheduler="synchronous"):
        found = collected(opened(mixed), ["y", "score"])
        np.testing.assert_array_equal(values(found, "score"), mixed["score"].compute())
    names = [name for name, _ in found]
    assert names == sorted(names, key=lambda name: int(name.split()[1]))


class Weighed:
    """The rows of Dask, and how many bytes wait at most where results are combined."""

    def __init__(self, frame):
        self.__dict__ |= {"source": opened(frame), "most": 0, "n_scans": 0}
        self.__class__.__module__ = "sklearn_ap.tests"  # as all sources

    def __getattr__(self, name):
        return getattr(self.source, name)

    def scan(self, columns, step, combine, told):
        def weighed(states):
            self.most = max(self.most, sum(len(pickle.dumps(one)) for one in states))
            return combine(states)

        self.n_scans += 1
        return self.source.scan(columns, step, weighed, told)


def test_results_that_wait_fit_into_the_limit():
    """If nobody knows the number of rows, parts do not each hold as many as fit."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"label": rng.random(160_000) < 0.001, "score": rng.random(160_000)})
    frame = dd.from_map(lambda n: rows[n * 2_000 : n * 2_000 + 2_000], range(80), meta=rows)
    exact = sklearn_ap.average_precision_score(rows["label"], rows["score"])
    with dask.config.set(scheduler="synchronous"):
        for limit, n_scans in ((10**7, 1), (130_000, 5)):
            source = Weighed(frame)
            assert average_precision_score(source, memory_limit=limit) == pytest.approx(exact, rel=1e-15)
            assert source.most < 2.2 * limit
            assert source.n_scans <= n_scans
        # One partition has all rows, which is more than its share: a second scan gathers them.
        source = Weighed(dd.concat([dd.from_pandas(rows, npartitions=1), frame[frame["score"] < 0]]))
        assert average_precision_score(source, memory_limit=2 * 10**6) == exact
        assert source.n_scans == 2


def test_an_error_survives_pickle():
    error = pickle.loads(pickle.dumps(SourceError("partition 3: column 'y': no value")))
    assert type(error) is SourceError
    assert str(error) == "partition 3: column 'y': no value"


@pytest.mark.parametrize("data", [dask.delayed([1]), da.ones(3)])
def test_objects_of_dask_that_are_no_rows(data):
    with pytest.raises(TypeError, match=f"^data must be a path, .*; got {type(data).__name__}"):
        average_precision_score(data)
