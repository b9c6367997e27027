"""Whether `sklearn_ap.compatibility.score_as` gives the numbers that the packages
printed.
"""

from typing import Any

import numpy as np
import pytest

from sklearn_ap.compatibility import score_as

from .inputs import INPUTS

FLOAT32 = ", float32"  # at the end of the name of a peer that is handed such scores


def record_of(name: str) -> str:
    """Return the record of a peer, which may have been handed float32 scores."""
    return name.removesuffix(FLOAT32)


def compared(name: str, golden: dict[str, Any]) -> dict[str, str]:
    """Return for each input "same", at the package's own precision; "open" where the
    order of equal scores, which the package leaves open, decides; or both answers.
    """
    verdicts = {}
    for input_name, stored in golden["values"].items():
        arguments = INPUTS[input_name].arguments
        if name.endswith(FLOAT32):
            arguments["y_score"] = np.array(arguments["y_score"]).astype("float32")
        is_error = isinstance(stored, str) and stored != "nan"
        try:
            ours = score_as(record_of(name), **arguments)
        except ValueError as error:
            ours = str(error)
            is_same = is_error and "is an error" in ours
        else:
            options = {"abs": golden["tolerance"], "rel": 0, "nan_ok": True}
            is_same = not is_error and ours == pytest.approx(float(stored), **options)
        verdict = f"{stored} there, {ours} here"
        if is_same:
            verdict = "same"
        elif "leaves their order open" in verdict:
            verdict = "open"
        verdicts[input_name] = verdict
    return verdicts
