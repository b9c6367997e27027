"""Whether `sklearn_ap.compatibility.score_as` gives the numbers that the packages
printed.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap.compatibility import score_as

from .inputs import INPUTS

FLOAT32 = ", float32"  # at the end of the name of a peer that is handed such scores
# What the records say they do not reproduce: (convention, input).
NOT_REPRODUCED = {
    ("KITTI R11", "large scores"),
    ("KITTI R40", "large scores"),
    ("ROCR aucpr", "100 rows, one decimal"),
}


class Agreement(NamedTuple):
    """How the values of one convention compare, by the names of the inputs."""

    same: list[str]
    left_open: list[
        str
        # equal scores of positives and negatives, in an order that the package leaves
        # open
    ]
    not_reproduced: list[str]
    different: list[str]


def record_of(name: str) -> str:
    """Return the record of a peer, which may have been handed float32 scores."""
    return name.removesuffix(FLOAT32)


def agreement(name: str, golden: dict[str, Any]) -> Agreement:
    """Compare the record of a peer with golden values, at the package's own
    precision.
    """
    found = Agreement([], [], [], [])
    for input_name, stored in golden["values"].items():
        ours = _ours(name, input_name)
        if _same(ours, stored, golden["tolerance"]):
            found.same.append(input_name)
        elif "leaves their order open" in str(ours):
            found.left_open.append(input_name)
        elif (name, input_name) in NOT_REPRODUCED:
            found.not_reproduced.append(input_name)
        else:
            found.different.append(f"{input_name}: {stored} there, {ours} here")
    return found


def _ours(name: str, input_name: str) -> float | ValueError:
    arguments = INPUTS[input_name].arguments
    if name.endswith(FLOAT32):
        arguments["y_score"] = np.array(arguments["y_score"]).astype("float32")
    try:
        return score_as(record_of(name), **arguments)
    except ValueError as error:
        return error


def _same(ours: float | ValueError, stored: float | str, tolerance: float) -> bool:
    """Whether both are the same number, both NaN, or both an error."""
    if isinstance(stored, str) and stored != "nan":
        return isinstance(ours, ValueError) and "is an error" in str(ours)
    if isinstance(ours, ValueError):
        return False
    return (
        math.isnan(ours) if stored == "nan" else abs(ours - float(stored)) <= tolerance
    )
