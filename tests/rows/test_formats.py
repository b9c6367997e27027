"""Every format gives the same rows: one table of formats, and one table of rows that
need several batches, of which the last one is short.
"""

import gzip
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import dataset, parquet

from brief import each_pair
from rows_read import EXCEEDS, FITS, rows_in
from sizes import sizes

BATCH_ROWS = 7
N_ROWS = 4 * BATCH_ROWS + 2
RNG = np.random.default_rng(5)
POSITIVE = RNG.random(N_ROWS) < 0.5


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def csv_of(rows, **options):
    return rows.to_csv(index=False, **options).encode()


def json_lines_of(rows):
    lines = (json.dumps(row) for row in rows.to_dict("records"))
    return "\n".join(lines).encode()


def to_parquet(rows, folder):
    """Write row groups whose ends are not those of batches."""
    rows.to_parquet(folder / "rows", index=False, row_group_size=12)
    return folder / "rows"


def to_files(rows, folder):
    """Write two files, of which the first one ends inside a batch."""
    rows[:9].to_csv(folder / "1.csv", index=False)
    rows[9:].to_parquet(folder / "2.parquet", index=False)
    return folder


def to_folder_of_a_day(rows, folder):
    (folder / "day=1").mkdir()
    written(folder / "day=1", "rows", csv_of(rows))
    return folder


def to_arrow(rows, _=None):
    return pa.Table.from_pandas(rows, preserve_index=False)


def to_dataset(rows, folder):
    parquet.write_table(to_arrow(rows), folder / "rows.parquet")
    return dataset.dataset(folder)


FORMATS = {
    "CSV": lambda rows, folder: written(folder, "rows", csv_of(rows)),
    "gzipped CSV": lambda rows, folder: written(
        folder, "rows", gzip.compress(csv_of(rows))
    ),
    "semicolons and decimal commas": lambda rows, folder: written(
        folder, "rows", csv_of(rows, sep=";", decimal=",", lineterminator="\r\n")
    ),
    "tabs": lambda rows, folder: written(folder, "rows", csv_of(rows, sep="\t")),
    "JSON lines": lambda rows, folder: written(folder, "rows", json_lines_of(rows)),
    "gzipped JSON lines": lambda rows, folder: written(
        folder, "rows", gzip.compress(json_lines_of(rows))
    ),
    "a list of JSON": lambda rows, folder: written(
        folder, "rows", json.dumps(rows.to_dict("records"), indent=1).encode()
    ),
    "Parquet": to_parquet,
    "two files": to_files,
    "a folder of a day": to_folder_of_a_day,
    "Arrow": to_arrow,
    "a stream of Arrow": lambda rows, _: to_arrow(rows).to_reader(),
    "a dataset": to_dataset,
    "pandas": lambda rows, _: rows,
    "polars": lambda rows, _: pl.from_pandas(rows),
    "a relation": lambda rows, _: duckdb.connect().from_df(rows),
}
# Scores, labels with the positive one, and ids of queries.
ROWS = {
    "floats": (RNG.normal(size=N_ROWS), [0, 1], 1, np.arange(N_ROWS) // 4),
    # Floats round these integers.
    "integers beyond 2**53": (
        2**53 + RNG.permutation(N_ROWS),
        [0, 1],
        1,
        2**53 + np.arange(N_ROWS) // 4,
    ),
    # In text files, the first batches of ids are integers, and the others are not.
    "text": (
        RNG.integers(-9, 9, N_ROWS) / 8,
        ["no", "ja, ü"],
        "ja, ü",
        [str(row) for row in range(N_ROWS - 1)] + ["007"],
    ),
}


@each_pair(name=[*FORMATS], kind=[*ROWS], limit=[FITS, EXCEEDS])
def test_every_format_gives_the_same_rows(name, kind, limit, tmp_path):
    scores, labels, pos_label, ids = ROWS[kind]
    rows = pd.DataFrame(
        {
            "label": np.array(labels, dtype=object)[POSITIVE.astype(int)],
            "score": scores,
            "weight": np.arange(1, N_ROWS + 1) / 4,
            "query": ids,
        }
    ).infer_objects()
    data = FORMATS[name](rows, tmp_path)
    columns = {"sample_weight": "weight", "query_id": "query"}
    with sizes({("sklearn_ap._rows.batches", "BATCH_ROWS"): BATCH_ROWS}):
        found = rows_in(data, limit=limit, pos_label=pos_label, **columns)
    assert {argument: values.tolist() for argument, values in found.items()} == {
        "y_true": POSITIVE.tolist(),
        "y_score": rows["score"].tolist(),
        "sample_weight": rows["weight"].tolist(),
        "query_id": rows["query"].tolist(),
    }
