"""Low thresholds of sizes, with which ten rows take the paths of long inputs, change no
number; and every threshold is known.
"""

import warnings
from importlib import import_module
from inspect import signature
from pkgutil import walk_packages

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import calls
from sizes import CORE, low_sizes, sizes

N_ROWS = 10


def layouts(seed):
    """Labels, scores and arguments of one ranking, of columns and of queries; the first
    column or query has one weight per class, and the others mixed weights.
    """
    rng = np.random.default_rng(seed)
    y_true, y_score = rng.random((N_ROWS, 3)) < 0.5, rng.integers(0, 9, (N_ROWS, 3)) / 8
    query = rng.permutation(np.arange(N_ROWS) % 3)
    of_classes, mixed = np.where(y_true[:, 0], 0.3, 0.7), rng.random(N_ROWS)
    for weight in (None, of_classes, mixed):
        yield y_true[:, 0], y_score[:, 0], {"sample_weight": weight}, 9.5
    yield y_true, y_score, {"sample_weight": of_classes, "average": None}, [9.5] * 3
    for weight in (None, np.where(query == 0, of_classes, mixed)):
        arguments = {"sample_weight": weight, "query_id": query, "average": None}
        yield y_true[:, 0], y_score[:, 0], arguments, dict.fromkeys(range(3), 9.5)


def values_of(seed, k, options):
    """Every number in every layout; what is refused, by its error."""
    for y_true, y_score, arguments, total in layouts(seed):
        for score, given_options in calls(k).values():
            accepted = {
                name: total if name == "n_positives" else value
                for name, value in options.items()
                if name in signature(score).parameters
            }
            try:
                yield score(y_true, y_score, **arguments, **accepted | given_options)
            except ValueError as error:
                yield str(error)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    low=low_sizes(),
    k=st.integers(1, 3),
    ties=st.sampled_from(["proportional", "stable"]),
    options=st.sampled_from([{}, {"prevalence": 0.2}, {"n_positives": None}]),
)
def test_low_thresholds_change_no_number(seed, low, k, ties, options):
    options = {"ties": ties, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of rankings without positives
        expected = list(values_of(seed, k, options))
        with sizes(low):
            values = list(values_of(seed, k, options))
    for ours, usual in zip(values, expected, strict=True):
        if isinstance(usual, str):
            assert ours == usual
        else:
            assert ours == pytest.approx(usual, abs=1e-13, rel=0)


# --- the table ------------------------------------------------------------------------

# Numbers of the core that choose no path by a size.
OTHERS = {
    "EQUAL",
    "LAST_KEY",
    "_LEAST_SUBNORMAL",
    "_MAX_WEIGHT",
    "_NEGLIGIBLE",
    "_ROUNDING_PER_ROW",
    "_SHORT_HEIGHT",
    "_ULPS_OF_FACTOR",
    "_ULP_OF_ONE",
    "_UNSCALED_BELOW",
}


def numbers_of(module):
    return {
        name
        for name, value in vars(module).items()
        if name.isupper() and type(value) in (int, float)
    }


def test_every_number_of_the_sort_and_of_the_areas_is_known():
    found = set()
    for package in ("ranking", "areas"):
        path = import_module(f"sklearn_ap._core.{package}").__path__
        for module in walk_packages(path, f"sklearn_ap._core.{package}."):
            names = numbers_of(import_module(module.name)) - OTHERS
            found |= {(module.name, name) for name in names}
    known = {name for _, name in CORE}  # others import it
    unknown = {name for _, name in found} - known
    assert not unknown, "write it into tests/sizes.py with low values, or into OTHERS"
    assert set(CORE) <= found
