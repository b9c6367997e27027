"""Arrays of other namespaces and devices, under scikit-learn's dispatch: scores,
curves, errors.
"""

import array_api_strict
import numpy as np
import pytest
import sklearn

from metrics import CALLED, CURVES, WEIGHED
from scoring import VERSION
from sklearn_ap import (
    average_precision_score,
    hit_curve,
    precision_recall_curve,
    score_by_query,
)

pytestmark = pytest.mark.skipif(
    VERSION < (1, 9),
    reason="scikit-learn's own average_precision_score takes such arrays from 1.9 on",
)

RNG = np.random.default_rng(11)
LABELS, SCORES = RNG.integers(0, 2, 40), RNG.integers(0, 30, 40) / 32
WEIGHTS, QUERIES = RNG.integers(1, 5, 40) / 4, RNG.integers(0, 3, 40)
DEVICES = ["CPU_DEVICE", "device1", "no_float64"]


@pytest.fixture(autouse=True)
def dispatch(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # which scikit-learn asks for
    with sklearn.config_context(array_api_dispatch=True):
        yield


def strict(values, device="device1"):
    values = np.asarray(values)
    if device == "no_float64" and values.dtype == np.float64:
        values = values.astype(np.float32)  # without loss here
    return array_api_strict.asarray(values, device=array_api_strict.Device(device))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", CALLED, ids=lambda function: function.__name__)
def test_every_score_of_any_device_is_a_float(function, device):
    arguments = {"query_id": QUERIES} | (
        {"sample_weight": WEIGHTS} if function in WEIGHED else {}
    )
    expected = function(LABELS, SCORES, **arguments)
    moved = {name: strict(values, device) for name, values in arguments.items()}
    value = function(strict(LABELS, device), strict(SCORES, device), **moved)
    assert value == expected
    assert isinstance(value, float)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", CURVES, ids=lambda function: function.__name__)
def test_curves_are_on_the_device_of_the_scores(function, device):
    expected = function(LABELS, SCORES, sample_weight=WEIGHTS)
    weight = strict(WEIGHTS, device)
    curve = function(LABELS, strict(SCORES, device), sample_weight=weight)
    for values, host in zip(curve, expected, strict=True):
        assert values.device == array_api_strict.Device(device)
        moved = np.from_dlpack(values, device="cpu")
        np.testing.assert_allclose(
            moved, host, rtol=1e-6 if device == "no_float64" else 0
        )
    for values in function(strict(LABELS, device), SCORES):
        assert type(values) is np.ndarray


def test_thresholds_that_numpy_has_as_objects_are_floats_of_64_bits():
    *_, thresholds = hit_curve([1, 0], strict([2**53 + 2, 0]))
    assert np.from_dlpack(thresholds, device="cpu").tolist() == [np.inf, 2**53 + 2, 0]


@pytest.mark.parametrize("container", [np.asarray, np.ndarray.tolist])
def test_labels_and_weights_may_be_on_another_device(container):
    """The score is that of scikit-learn, which also accepts mixed arrays."""
    labels = container(np.where(LABELS, "yes", "no"))
    arguments = {"pos_label": "yes", "sample_weight": WEIGHTS}
    ours, theirs = (
        score(labels, strict(SCORES), **arguments)
        for score in (average_precision_score, sklearn.metrics.average_precision_score)
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_values_of_queries_are_on_the_device_of_the_scores():
    values = average_precision_score(
        strict(LABELS), SCORES, query_id=strict(QUERIES), average=None
    )
    assert type(values) is np.ndarray
    queries, scores = {"query_id": QUERIES}, strict(SCORES, "no_float64")
    moved = average_precision_score(LABELS, scores, **queries, average=None)
    assert moved.device == scores.device
    # Values on this device have 32 bits.
    by_query = score_by_query(average_precision_score, LABELS, scores, **queries)
    assert [*by_query.values()] == values.tolist()


@pytest.mark.parametrize(
    ("labels", "scores", "text"),
    [([1, 0], [1, np.nan], "NaN"), ([1, 0], [1.0], "numbers"), ([], [], "empty")],
)
def test_errors_are_those_of_host_arrays(labels, scores, text):
    with pytest.raises(ValueError, match=text):
        average_precision_score(strict(labels), strict(scores))


@pytest.mark.parametrize(
    "name", ["y_true", "y_score", "sample_weight", "query_id", "n_positives"]
)
def test_devices_need_dispatch(name):
    arguments = {"y_true": [1, 0], "y_score": [2.0, 1], name: strict([1, 1])}
    text = rf"^{name} is on the device .*device1.*set_config\(array_api_dispatch=True\)"
    with (
        sklearn.config_context(array_api_dispatch=False),
        pytest.raises(ValueError, match=text),
    ):
        average_precision_score(**arguments)


# --- tensors, which the nox session `newest` installs ----------------------------------


@pytest.mark.parametrize("dispatched", [False, True])
@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int64", "bool"]
)
def test_tensors(dtype, dispatched):
    torch = pytest.importorskip("torch")
    scores = torch.tensor(SCORES * 32).to(getattr(torch, dtype))
    expected = average_precision_score(
        LABELS, scores.double().numpy(), query_id=QUERIES, average=None
    )
    with sklearn.config_context(array_api_dispatch=dispatched):
        values = average_precision_score(
            torch.tensor(LABELS), scores, query_id=torch.tensor(QUERIES), average=None
        )
        *_, thresholds = precision_recall_curve(torch.tensor(LABELS), scores)
    assert type(values) is (torch.Tensor if dispatched else np.ndarray)
    assert values.tolist() == expected.tolist()
    if dispatched:
        assert thresholds.dtype == scores.dtype


def test_lazily_negated_tensors():
    torch = pytest.importorskip("torch")
    scores = torch.tensor(SCORES * 1j).conj().imag
    assert average_precision_score(LABELS, scores) == average_precision_score(
        LABELS, -SCORES
    )


@pytest.mark.parametrize("function", CURVES, ids=lambda function: function.__name__)
def test_without_dispatch_results_are_arrays_of_numpy(function):
    with sklearn.config_context(array_api_dispatch=False):
        curve = function(array_api_strict.asarray(LABELS), strict(SCORES, "CPU_DEVICE"))
    assert {type(values) for values in curve} == {np.ndarray}
