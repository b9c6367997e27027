"""Comparison of `sklearn_ap.compatibility.score_as` with the numbers of packages."""

import numpy as np
import pytest

from scores import used_by
from sklearn_ap.compatibility import score_as

from .inputs import INPUTS

# The names of peers that get float32 scores end in these words.
FLOAT32 = ", float32"


def record_of(name):
    """Return the name of the record of a peer, with or without float32 scores."""
    return name.removesuffix(FLOAT32)


def compared(name, golden):
    """Return "same" for each input whose numbers agree in the precision of the package,
    and otherwise both numbers. It is "open" if the number depends on an order of equal
    scores that the package leaves open.
    """
    verdicts = {}
    for input_name, stored in golden["values"].items():
        arguments = INPUTS[input_name].arguments
        if name.endswith(FLOAT32):
            arguments["y_score"] = np.array(arguments["y_score"]).astype("float32")
        is_error = isinstance(stored, str) and stored != "nan"
        try:
            used = used_by(record_of(name), **arguments)
            ours = score_as(record_of(name), **used)
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
