"""Bad input of rows elsewhere: from every source, the class and the line are the same but for its name."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from sklearn_ap import distributed

PLACE = re.compile(r"^('[^']*'|the [a-z ]+|partition \d+|Dask DataFrame)(?=: )")


def parquet(rows: pa.Table, folder) -> str:
    pq.write_table(rows, folder / "rows.parquet", row_group_size=3)
    return folder / "rows.parquet"


def csv(rows: pa.Table, folder) -> str:
    pc.write_csv(rows, folder / "rows.csv")
    return folder / "rows.csv"


def ipc(rows: pa.Table, folder) -> str:
    with pa.ipc.new_file(folder / "rows.arrow", rows.schema) as file:
        file.write_table(rows, max_chunksize=3)
    return folder / "rows.arrow"


def polars(rows: pa.Table, _) -> Any:
    return pytest.importorskip("polars").from_arrow(rows)


def lazy(rows: pa.Table, _) -> Any:
    return pytest.importorskip("polars").from_arrow(rows).lazy()


def duckdb(rows: pa.Table, _) -> Any:
    return pytest.importorskip("duckdb").from_arrow(rows)


def dask(rows: pa.Table, _) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(rows.to_pandas(), npartitions=1)


SOURCES: dict[str, Callable[[pa.Table, Any], Any]] = {
    "parquet": parquet,
    "csv": csv,
    "arrow": ipc,
    "table": lambda rows, _: rows,
    "reader": lambda rows, _: rows.to_reader(max_chunksize=3),
    "dataset": lambda rows, _: ds.dataset(rows),
    "pandas": lambda rows, _: rows.to_pandas(),
    "polars": polars,
    "lazy": lazy,
    "duckdb": duckdb,
    "dask": dask,
}
USUAL = {
    "label": [0, 1, 0, 1, 0, 1, 0],
    "score": [0.5, 0.25, 0.75, 0.5, 0.25, 0.125, 1.5],
    "w": [1.5, 2.5, 1.5, 1.5, 1.5, 1.5, 1.5],
    "q": ["a", "a", "b", "b", "b", "a", "a"],
}


def fifth(name: str, value: Any) -> dict[str, list[Any]]:
    """Columns with one wrong value."""
    return {name: [value if row == 4 else one for row, one in enumerate(USUAL[name])]}


WEIGHTED, BY_QUERY = {"sample_weight": "w"}, {"query_id": "q"}
NAME_ONE = "pos_label must name one of two labels"
BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "NaN as a score": (fifth("score", np.nan), {}, "column 'score', row 5: no value"),
    "no score": (fifth("score", None), {}, "column 'score', row 5: no value"),
    "an infinite score": (
        fifth("score", -np.inf),
        {},
        "column 'score', row 5: -inf is not a finite number such as 12, -0.5 or 1e-3",
    ),
    "text as scores": (
        {"score": list("abcdefg")},
        {},
        "column 'score', row 1: 'a' is not a finite number such as 12, -0.5 or 1e-3",
    ),
    "no label": (fifth("label", None), {}, "column 'label', row 5: no value"),
    "a third label": (
        fifth("label", 2),
        {},
        "column 'label', row 5: 2 is a third label, beside pos_label=1 and 0; " + NAME_ONE,
    ),
    "another pos_label": (
        {},
        {"pos_label": 7},
        "column 'label', row 2: 1 is a third label, beside pos_label=7 and 0; " + NAME_ONE,
    ),
    "text without pos_label": (
        {"label": ["no", "yes"] * 3 + ["no"]},
        {},
        "column 'label', row 2: 'yes' is a third label, beside pos_label=1 and 'no'; " + NAME_ONE,
    ),
    "a weight below 0": (
        fifth("w", -2.5),
        WEIGHTED,
        "column 'w', row 5: -2.5 is below 0, but a weight is 0 or more",
    ),
    "no weight": (fifth("w", None), WEIGHTED, "column 'w', row 5: no value"),
    "weights of 0": ({"w": [0.0] * 7}, WEIGHTED, "column 'w': all rows weigh 0"),
    "no query": (fifth("q", None), BY_QUERY, "column 'q', row 5: no value"),
    "no column": (
        {},
        {"y_score": "nope"},
        "column 'nope' is missing; the columns are 'label', 'score', 'w', 'q'",
    ),
    "no rows": ({name: pa.array(one)[:0] for name, one in USUAL.items()}, {}, "holds no rows"),
}


@pytest.fixture
def in_this_process():
    """Let Dask compute here, so that no cluster starts."""
    config = pytest.importorskip("dask").config
    with config.set(scheduler="synchronous"):
        yield


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("problem", BAD)
def test_same_class_and_line_from_every_source(tmp_path, source, problem):
    columns, arguments, message = BAD[problem]
    data = SOURCES[source](pa.table(USUAL | columns), tmp_path)
    with pytest.raises(ValueError, match=PLACE) as caught:
        distributed.average_precision_score(data, **arguments)
    if source == "csv" and problem in ("NaN as a score", "an infinite score"):  # where both are text
        cell = "nan" if problem == "NaN as a score" else "-inf"
        message = f"column 'score', row 5: {cell!r} is not a finite number such as 12, -0.5 or 1e-3"
    assert PLACE.sub("", str(caught.value)) == f": {message}"
    assert type(caught.value).__name__ == "SourceError"
    if source in ("parquet", "csv", "arrow"):
        assert str(caught.value).startswith(f"'{data}'")


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("source", SOURCES)
def test_good_rows_from_every_source(tmp_path, source):
    """The battery refuses what it changes, not what it starts from."""
    for arguments in ({}, WEIGHTED, BY_QUERY):
        data = SOURCES[source](pa.table(USUAL), tmp_path)
        value = distributed.average_precision_score(data, **arguments)
        assert value == distributed.average_precision_score(pa.table(USUAL), **arguments) > 0


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"y_true": None},
            TypeError,
            "y_true must be the name of a column, such as 'label', or a list of names; got None.",
        ),
        (
            {"y_true": None, "y_score": ["a", "b"]},
            TypeError,
            "y_true must be the name of a column, such as 'label', or a list of names; got None.",
        ),
        (
            {"y_score": ["a", 3]},
            TypeError,
            "y_score must be the name of a column, such as 'score', or a list of names; got ['a', 3].",
        ),
        (
            {"sample_weight": np.ones(3)},
            TypeError,
            "sample_weight must be the name of a column, such as 'weight'; got ndarray, whose values belong",
        ),
        (
            {"query_id": ["q"]},
            TypeError,
            "query_id must be the name of a column, such as 'query'; got ['q'].",
        ),
        ({"memory_limit": "lots"}, ValueError, "memory_limit must be 'auto', a number of bytes"),
        ({"progress": "yes"}, ValueError, "progress must be True, False or a function; got 'yes'"),
        ({"average": "mean"}, ValueError, "average must be one of"),
        ({"pos_label": None}, ValueError, "pos_label must be an int, a float, a bool or a str; got None"),
        ({"k": 3}, TypeError, "average_precision_score() got an unexpected keyword argument 'k'"),
        ({"n_positives": 1}, ValueError, "n_positives must not be below the positives"),
    ],
)
def test_bad_arguments(tmp_path, source, arguments, error, message):
    data = SOURCES[source](pa.table(USUAL), tmp_path)
    with pytest.raises(error, match="^" + re.escape(message)) as caught:
        distributed.average_precision_score(data, **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("source", SOURCES)
def test_progress_where_the_number_of_parts_is_not_known(tmp_path, capsys, source):
    distributed.average_precision_score(SOURCES[source](pa.table(USUAL), tmp_path), progress=True)
    assert re.search(r"\r(\[#{20}\] )?1 of (1|\?) parts\n?$", capsys.readouterr().err)


def test_dataset_without_fragments_has_columns():
    with pytest.raises(ValueError, match=r"^the dataset: holds no rows$"):
        distributed.average_precision_score(ds.dataset([], schema=pa.table(USUAL).schema))
    with pytest.raises(ValueError, match=r"column 'nope' is missing; the columns are 'label', 'score'"):
        distributed.average_precision_score(ds.dataset([], schema=pa.table(USUAL).schema), y_true="nope")


@pytest.mark.parametrize("name", ["label", "q"])
def test_empty_cells_of_text_are_no_values(tmp_path, name):
    """An empty label would be the negative one, and an empty id a query."""
    path = tmp_path / "rows.csv"
    path.write_text("label,score,q\n" + "yes,0.5,a\n" * 3 + {"label": ",0.5,a\n", "q": "yes,0.5,\n"}[name])
    with pytest.raises(ValueError, match=rf"rows\.csv': column '{name}', row 4: no value$"):
        distributed.average_precision_score(path, query_id="q", pos_label="yes")
