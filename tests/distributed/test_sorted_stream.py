"""The kernel of a sorted stream, in parts and batches that end anywhere, beside
fractions and memory.
"""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import problems
import sklearn_ap
from distributed_rows import rows_of
from oracles import scores as oracle
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap._uncertainty.influence import has_slopes
from sklearn_ap.distributed import _batches, _groups, _streams

# --- any parts ------------------------------------------------------------------------


def stream_of(rows, cuts, *, of_parts=(), distinct=False, keeps_negatives=True):
    """Return the ranking of rows whose batches end at `cuts`; parts end at others, also
    in a tied group.
    """
    if rows.weight is not None:
        rows = rows.take(np.flatnonzero(rows.weight))
    rows = rows.take(np.argsort(rows.score, kind="stable"))
    size = rows.score.size
    parts = []
    places = [0, *sorted(cut % size for cut in of_parts), size]
    for first, last in pairwise(places):  # some parts have no rows
        ends = sorted(
            {first, *(cut % size for cut in cuts if first < cut % size < last), last}
        )
        batches = [rows.take(slice(*ends)) for ends in pairwise(ends)] + [
            rows.take(slice(0, 0))
        ]
        batches = [batch.distinct() for batch in batches] if distinct else batches
        parts += _groups.groups_of(batches, keeps_negatives=keeps_negatives)
    return _streams.SortedStream(parts)


def batch_of(problem):
    weight = problem.arguments["sample_weight"]
    columns = (
        np.array(problem.y_score, dtype=np.float64) + 0.0,
        np.array(problem.y_true, dtype=bool),
    )
    return _batches.Batch(
        *columns, None if weight is None else np.array(weight, dtype=np.float64)
    )


@pytest.mark.parametrize("name", problems.MEASURES)
@settings(max_examples=30)
@given(data=st.data())
def test_a_score_of_parts_equals_its_definition(name, data):
    measure = data.draw(problems.MEASURES[name])
    problem = data.draw(
        problems.vectors(measure.takes("n_positives") and data.draw(st.booleans()))
    )
    options = {**measure.options, **problem.arguments}
    options.pop("sample_weight")
    options |= {"zero_division": 0.0} if measure.takes("zero_division") else {}
    if options.get("ties") == "stable":
        with pytest.raises(ValueError, match="ties='stable'"):
            _streams.resolve_score(measure.function, options)
        return
    spec = _streams.resolve_score(measure.function, options)
    cuts, of_parts = (
        data.draw(st.lists(st.integers(0, 9), max_size=4)) for _ in range(2)
    )
    keeps_negatives = spec.needs_all_groups or data.draw(st.booleans())
    distinct = data.draw(st.booleans())
    parts = {
        "of_parts": of_parts,
        "distinct": distinct,
        "keeps_negatives": keeps_negatives,
    }
    stream = stream_of(batch_of(problem), cuts, **parts)
    if measure.refuses(problem):
        with pytest.raises(ValueError, match="weights"):
            spec.score(stream)
        return
    try:
        expected = problem.expected(measure, 0.0)
    except oracle.AmbiguousError:
        reject()
    try:
        value = spec.score(stream)
    except ValueError as error:
        if not str(error).startswith("prevalence must"):  # of a factor beyond floats
            raise
        reject()
    assert value == pytest.approx(expected, abs=1e-12, rel=0)


# of the few positives at the top
@pytest.mark.filterwarnings("ignore:A score of:UserWarning")
@pytest.mark.parametrize("n_digits", [9, 1])
def test_an_estimate_of_parts_is_that_of_memory(n_digits):
    rows = rows_of("float32")
    # with an envelope
    rows = rows.assign(score=(rows["score"] + rows["label"] / 4).round(n_digits))
    labels, values = rows["label"].to_numpy(), rows["score"].to_numpy()
    batch = _batches.Batch(values, labels == 1)
    areas = [number for number in NUMBERS if has_slopes(number.definition)]
    assert len(areas) >= 4
    for number in areas:
        for stated in ({}, {"prevalence": 0.3}, {"n_positives": 900}):
            if not all(map(number.takes, stated)):
                continue
            arguments = {**number.options, **stated}
            score = partial(number.score, **arguments)
            expected = sklearn_ap.estimate_score(score, labels, values)
            stream = stream_of(
                batch, (20, 100, 299), of_parts=(60, 61, 200), keeps_negatives=False
            )
            estimate = _streams.resolve_estimate(number.score, arguments).estimate(
                stream
            )
            assert estimate.score == pytest.approx(expected.score, rel=1e-14)
            assert estimate.standard_error == pytest.approx(
                expected.standard_error, rel=1e-11
            )
            intervals = estimate.confidence_interval(), expected.confidence_interval()
            assert intervals[0] == pytest.approx(intervals[1], rel=1e-9)
