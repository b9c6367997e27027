"""Rows with missing values: the line in the error that drops them, and their options."""

from functools import partial

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from rows_read import EXCEEDS, FITS, rows_in, score
from sklearn_ap._shown.sources import SourceError


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
@pytest.mark.parametrize("missing", [None, np.nan])
@pytest.mark.parametrize(
    "kind", ["pandas", "polars", "duckdb", "arrow", "a.csv", "a.parquet"]
)
def test_the_line_in_the_error_drops_rows_with_missing_values(
    kind, missing, limit, tmp_path
):
    columns = {"label": [1, 0, 1, None], "my score": [4.0, missing, 2.0, 1.0]}
    table = pa.table(columns)
    frame = table.to_pandas()
    data = {
        "pandas": frame,
        "polars": pl.from_arrow(table),
        "duckdb": duckdb.from_arrow(table),
        "arrow": table,
    }.get(kind, tmp_path / kind)
    if kind == "a.csv":
        frame.to_csv(data, index=False)
    elif kind == "a.parquet":
        frame.to_parquet(data)
    options = {"y_score": "my score", "limit": limit}
    call = partial(score, **options)
    with pytest.raises(SourceError) as caught:
        call(data)
    line = str(caught.value).partition("drop these rows: ")[2]
    names = {"duckdb": duckdb, "frame": data, "data": data}
    assert call(eval(line, names)) == 1.0


def test_rows_without_a_value_in_a_column_of_an_option_are_dropped():
    rows = pa.table({"label": [1, 0], "score": [1.0, 2.0], "unit": ["a", None]})
    dropped = {"drops_missing": True, "options": {"unit": "--unit-id"}}
    assert rows_in(rows, **dropped)["y_score"].tolist() == [1.0]
