"""Every score, on every layout of rankings, equals its definition in exact fractions."""

import math

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import problems
from brief import examples
from oracles.scores import AmbiguousError
from sizes import low_sizes, sizes

NO_POSITIVE = "ignore:(No positive class found|y_true contains no positive):UserWarning"


@pytest.mark.filterwarnings(NO_POSITIVE)
@pytest.mark.parametrize("name", problems.MEASURES)
@examples(20, 50)
@given(data=st.data())
@problems.infinite_scores
def test_score_equals_definition(name, data):
    measure, problem = data.draw(problems.calls(name))
    zero_division = data.draw(st.sampled_from(["warn", 0.0, 1.0, math.nan]))
    with sizes(data.draw(low_sizes())):
        try:
            measure.check(problem, zero_division)
        except AmbiguousError:
            reject()
