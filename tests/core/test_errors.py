"""Errors of the core. Our texts begin with the argument and show the value. scikit-learn's
texts are kept, with at most one note, which names the argument and shows the rows or
values.
"""

import re
from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pytest

import sklearn_ap
from metrics import CALLED
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    recall_at_precision_score,
)
from sklearn_ap._core.advice import advised

AP = average_precision_score


def text_of(error):
    """Return the text of an error with its note."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def test_a_keyword_that_the_function_takes_has_no_advice():
    with pytest.raises(TypeError, match="y_true") as caught:
        advised(lambda y_true, *, k: (y_true, k))(k=1)
    assert text_of(caught.value) == str(caught.value)


# --- values that an option does not take ------------------------------------------------

AT_K = [average_precision_at_k_score, precision_at_k_score, recall_at_k_score]
NO_LEVELS = [-0.1, 1.1, np.nan, "0.5", None, True, [0.5]]
NO_SHARES = [0, 1.0, -0.1, 30, np.nan, np.inf, True, "0.1", [0.1], Fraction(1, 10**400)]
NO_CUTS = [0, -1, 1.5, 0.0, 2.0, True, "10", np.nan, [[3]], np.inf, 2**53]
NO_LISTS_OF_LEVELS = [
    *(True, 1, 2**53, 1.5, [], [[0.5]], [0.5, 1.1], [-0.1], [np.nan], "all", [None]),
    *({"a": 1}, [b"0.5"], np.array([0.5 + 1j]), np.array([0], dtype="M8[s]")),
]
OUTSIDE = [
    (
        [interpolated_average_precision_score],
        "recall_levels must be None, an integer from 2 ",
        NO_LISTS_OF_LEVELS,
    ),
    (
        [average_precision_score],
        r"zero_division must be 'warn', 0\.0, 1\.0 or nan",
        ["raise", 0.5, 2, None, [0], "nan", 1 + 0j],
    ),
    (AT_K, "k must be None, an integer >= 1", NO_CUTS),
    (
        [precision_at_recall_score],
        r"recall must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [recall_at_precision_score],
        r"precision must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [score for score in CALLED if "prevalence" in signature(score).parameters],
        "prevalence must be None or a share ",
        NO_SHARES,
    ),
]


@pytest.mark.parametrize(("scores", "text", "values"), OUTSIDE)
def test_values_outside_an_option(scores, text, values):
    for score, value in product(scores, values):
        with pytest.raises(ValueError, match=f"^{text}.*; got "):
            score([1, 0], [2, 1], **{text.split()[0]: value})


@pytest.mark.parametrize("unknown", [None, np.nan, -1])
def test_advice_for_unknown_labels_ranks_the_other_cells_of_each_column(unknown):
    y_true = np.array([[0, 1], [1, unknown], [1, 0]])
    y_score = np.array([[0.3, 0.2], [0.1, 0.9], [0.2, 0.4]])
    with pytest.raises(ValueError, match=r"NaN|format is not supported") as error:
        AP(y_true, y_score)
    note = "".join(error.value.__notes__)
    assert "row 1" in note or unknown == -1
    keep, arguments = re.search(r"keep = (.*), pass (.*) to rank", note).groups()
    keep, y_true = eval(keep), y_true.astype(float)
    value = eval(f"AP({arguments})")
    assert value == (AP([0, 1, 1], y_score[:, 0]) + AP([1, 0], [0.2, 0.4])) / 2


@pytest.mark.parametrize(
    ("y_true", "y_score", "number"),
    [
        # By query 1/2 and 7/12; as ids of documents, nothing is found.
        ([[0, 1], [1, 0, 1]], [[0.5, 0.25], [0.1, 0.3, 0.2]], (1 / 2 + 7 / 12) / 2),
        # One of two, at rank 1 or 2.
        (["a", "b"], ["a", "c"], 1 / 2),
        (["a", "b"], ["c", "a"], 1 / 4),
        (["a"], ["b", "a"], 1 / 2),
        ([7, 5, 2], [9, 2], 1 / 6),
        ([["a", "b"], ["d"]], [["a", "c"], ["d"]], (1 / 2 + 1) / 2),
        ([["a", "b"], ["d", "e"]], [["a", "c"], ["f", "d"]], (1 / 2 + 1 / 4) / 2),
        # Qrels and a run, whose ids are those of queries.
        ({0: {"a": 1, "b": 1}}, {0: {"a": 0.5, "c": 0.4}}, 1 / 2),
        ({2: {"a": 1}}, {2: {"c": 0.5, "a": 0.4}}, 1 / 2),
    ],
)
def test_advice_for_lists_ranks_each_query(y_true, y_score, number):
    with pytest.raises(ValueError, match=r"label|multi|shape|samples|array") as error:
        AP(y_true, y_score)
    of_labels = r"pass (np.concatenate.*) and (query_id.*\)); of lists"
    note = "".join(error.value.__notes__)
    if isinstance(y_true, list) and y_true[0] == [0, 1]:
        call = ", ".join(re.search(of_labels, note).groups())
    else:
        call = re.search(r"\*\*sklearn_ap.read_lists\(.*\)", note)[0]
    names = {"AP": AP, "np": np, "sklearn_ap": sklearn_ap}
    value = eval(f"AP({call})", names, {"y_true": y_true, "y_score": y_score})
    assert value == pytest.approx(number, abs=1e-15)
