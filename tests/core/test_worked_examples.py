"""The tables at the heads of modules are what their functions return."""

from ast import literal_eval

import numpy as np
import pandas as pd
import pytest

from sklearn_ap._core import evaluate
from sklearn_ap._core.evaluate import rankings_in
from sklearn_ap._core.ranking import count_kernels
from sklearn_ap._core.ranking.count_kernels import KeyKernel
from sklearn_ap._core.ranking.rows import Rows
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.typing import PassedRows
from tables import cells_below

LABELS = {
    "column": {"y_true": [1, 0, 1, 1]},
    "queries": {"y_true": [1, 0, 1, 1], "query_id": [*"xxyy"]},
    "columns": {"y_true": pd.DataFrame({"x": [1, 0, 1, 0], "y": [0, 1, 1, 1]})},
}


@pytest.mark.parametrize(
    "cells", cells_below(evaluate, "labels average rankings n_positives totals")
)
def test_rankings_of_each_average(cells):
    labels, averages, n_rankings, n_positives, totals = cells
    passed = LABELS[labels]
    averages = averages.replace("any", "macro, weighted, None, micro, samples")
    for name in averages.split(", "):
        average = None if name == "None" else name
        rows = PassedRows(
            **passed,
            y_score=passed["y_true"],
            average=average,
            n_positives=literal_eval(n_positives),
        )
        rankings, _ = rankings_in(read(rows, caller=""), average=average)
        assert rankings.n_positives.tolist() == [*literal_eval(f"[{totals}]")]
        assert rankings.n_positives.size == int(n_rankings)


def test_steps_of_two_rankings():
    lines = cells_below(count_kernels, "place 0 1 2 3 4 5 6 7")
    numbers = {
        name: [float(cell) for cell in cells if cell.isdigit()]
        for name, *cells in lines
    }
    rows = Rows(
        np.array([1, 1, 0, 0, 1, 1, 1, 0], dtype=bool),
        np.array([-0.25, 0.5, 0.5, 0.75, 1, 0.5, 0.5, 0.75]),
        None,
        np.array([0, 5, 8]),
    )
    (steps,) = KeyKernel(rows, None, (-0.25, 1.0)).blocks()
    # The last positive is tied with the one before it.
    assert steps.tp.tolist() == numbers["tp_from"][:4]
    assert steps.fp.tolist() == numbers["fp_from"][:4]
    assert steps.tp_above.tolist() == numbers["tp_above"]
    assert steps.to_fp_above().tolist() == numbers["fp above"]
    assert (
        numbers["tp_above"]
        == np.subtract([*numbers["tp_from"][:3], numbers["tp_from"][4]], 1).tolist()
    )
    place = [0, 1, 4, 5, 6]
    assert (
        numbers["fp_from"]
        == np.subtract(numbers["end"], np.add(place, numbers["tp_from"])).tolist()
    )
    assert numbers["tp_from"] == np.subtract(numbers["n_through"], range(5)).tolist()
