"""Batches of rows: their counts, and the rows that are equal."""

import numpy as np
import pandas as pd
import pytest

from rows_read import FITS
from sizes import sizes
from sklearn_ap._rows.batches import Batch, concatenate
from sklearn_ap._rows.local import open_local
from sklearn_ap._rows.roles import Roles


@pytest.mark.parametrize("batch_rows", [2, 100])
def test_a_reader_counts_rows_without_weight_or_value(batch_rows, tmp_path):
    rows = pd.DataFrame(
        {
            "label": [1, 0, None, 0, 1, 0, 1],
            "score": [1.5, 2.5, None, None, 0.5, 3, 4],
            "weight": [0.0, 1, 1, 1, 2, 0, 0],
        }
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    roles = Roles("label", "score", "weight", drops_missing=True)
    source = open_local(tmp_path / "rows.csv", roles, FITS)
    with sizes({("sklearn_ap._rows.batches", "BATCH_ROWS"): batch_rows}):
        source.gather()
    reader = source.reader
    assert (reader.n_rows, reader.n_weightless, reader.missing.n_rows) == (2, 3, 2)
    assert reader.missing.by_column == {"label": 1, "score": 2}
    assert [*reader.labels.negatives] == [0]


@pytest.mark.parametrize("weight", [None, [1.0, 1.0, 1.0, 2.0, 1.0]])
def test_equal_rows_are_counted(weight):
    """Two batches of counted rows have the counts of all rows."""
    batch = Batch(
        np.array([2.0, 1.0, 2.0, 2.0, 2.0]),
        np.array([True, False, True, True, False]),
        None if weight is None else np.array(weight),
    )
    once, twice = batch.distinct(), concatenate([batch.distinct(), batch]).distinct()
    assert (once.score.tolist(), once.positive.tolist()) == (
        ([1.0, 2.0, 2.0], [False, True, False])
        if weight is None
        else ([1.0, 2.0, 2.0, 2.0], [False, True, True, False])
    )
    counts = [1, 3, 1] if weight is None else [1, 2, 1, 1]
    assert once.counts.tolist() == counts
    assert twice.counts.tolist() == [2 * count for count in counts]
    assert twice.take(slice(1, None)).counts.sum() == 2 * sum(counts[1:])
