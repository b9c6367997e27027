"""Every score, on every layout of rankings, is what its definition says in exact
fractions.
"""

import math

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import problems
from oracles import scores as oracle
from sizes import low_sizes, sizes

NO_POSITIVE = "ignore:(No positive class found|y_true contains no positive):UserWarning"


@pytest.mark.filterwarnings(NO_POSITIVE)
@pytest.mark.parametrize("name", problems.MEASURES)
@settings(max_examples=100)
@given(data=st.data())
def test_score_equals_definition(name, data):
    measure, problem = data.draw(problems.calls(name))
    arguments = {**problem.arguments, **measure.options}
    zero_division = 0.0
    if measure.takes("zero_division"):
        arguments["zero_division"] = data.draw(
            st.sampled_from(["warn", 0.0, 1.0, math.nan])
        )
        zero_division = (
            0.0 if arguments["zero_division"] == "warn" else arguments["zero_division"]
        )
    with sizes(data.draw(low_sizes())):
        if measure.refuses(problem):
            with pytest.raises(ValueError, match="weights"):
                measure.function(problem.y_true, problem.y_score, **arguments)
            return
        value = measure.function(problem.y_true, problem.y_score, **arguments)
    try:
        expected = problem.expected(measure, zero_division)
    except oracle.AmbiguousError:
        reject()
    assert value == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)
    assert isinstance(value, np.ndarray if isinstance(expected, list) else float)
