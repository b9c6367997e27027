"""Keys are sorted in two ways, and both give the same integers, whatever the keys are."""

import numpy as np
import pytest

from rankings import steps_of
from sklearn_ap._ranking import _sort
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows
from sklearn_ap._ranking._sort import (
    order_by_radix,
    radix_is_faster,
    sort_keys,
    sort_runs,
    sort_scores,
    sorted_keys,
)

SHORT, LONG = _sort._SHORT, _sort._LONG


def bits_of(score):
    """Floats as integers in the same order."""
    bits = score.view(np.int64)
    return np.where(bits < 0, -(2**63) - bits, bits)


# name: (random generator, size) -> keys
KEYS = {
    "uniform": lambda rng, n: bits_of(rng.random(n)),
    "both signs": lambda rng, n: bits_of(rng.normal(size=n)),
    "every integer": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "every small integer": lambda rng, n: rng.integers(-(2**31), 2**31, n).astype(np.int32),
    "few bits": lambda rng, n: rng.integers(0, 2**17, n),
    "crowded beside an outlier": lambda rng, n: np.append(-(2**62), rng.integers(0, 2**20, n - 1)),
    "rarely crowded": lambda rng, n: np.append(
        rng.integers(0, 2**60, n - n // 9), np.arange(n // 9) * 7 % 99
    ),
    "one": lambda rng, n: np.full(n, 7),
    "half alike": lambda rng, n: np.where(rng.random(n) < 0.5, 5, rng.integers(0, 2**60, n)),
    "a hundred": lambda rng, n: rng.integers(0, 100, n) << 50,
    "in order": lambda rng, n: np.arange(n),
    "in reverse": lambda rng, n: -np.arange(n),
    "sawtooth": lambda rng, n: np.arange(n) % 999 << 20,
    "both ends": lambda rng, n: rng.choice([-(2**63), 2**63 - 1], n),
    "both ends of small integers": lambda rng, n: rng.choice([-(2**31), 2**31 - 1], n).astype(np.int32),
    "alike but for the sample": lambda rng, n: np.where(
        np.arange(n) % (n // _sort._SAMPLE), 7, rng.integers(-(2**63), 2**63 - 1, n)
    ),
    "wide but for the sample": lambda rng, n: np.where(
        np.arange(n) % (n // _sort._SAMPLE), rng.integers(-(2**63), 2**63 - 1, n), np.arange(n)
    ),
}


def check(keys):
    expected = np.sort(keys, kind="stable")  # neither of the ways
    extremes = np.array([keys.min(), keys.max()])
    for radix in (True, False):
        in_place = keys.copy()
        sort_keys(in_place, radix=radix)
        assert in_place.tobytes() == expected.tobytes()

        def make(block, out=None):
            return np.positive(keys[block], out=out)

        made = sorted_keys(make, extremes, keys.size, block_rows=9999, radix=radix)
        assert made.tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [SHORT, LONG, LONG + 1])
@pytest.mark.parametrize("name", KEYS)
def test_both_ways_give_the_same_integers(name, size):
    check(KEYS[name](np.random.default_rng(size), size))


SCORES = {
    "both signs": lambda rng: rng.normal(size=LONG + 1) * 10.0 ** rng.integers(-300, 300, LONG + 1),
    "zeros of both signs": lambda rng: rng.choice([0.0, -0.0, 1e-9, -1e-9], SHORT) * rng.random(SHORT),
    "float32": lambda rng: rng.normal(size=SHORT).astype(np.float32),
    "float16": lambda rng: rng.normal(size=SHORT).astype(np.float16),
    "not negative": lambda rng: rng.random(SHORT),
    "integers": lambda rng: rng.integers(-(2**63), 2**63 - 1, SHORT),
    "unsigned integers": lambda rng: rng.integers(0, 2**64 - 1, SHORT, dtype=np.uint64),
}


@pytest.mark.parametrize("radix", [True, False])
@pytest.mark.parametrize("name", SCORES)
def test_scores_are_sorted_as_integers_or_as_they_are(name, radix):
    score = SCORES[name](np.random.default_rng(3))
    expected = np.sort(score, kind="stable")
    sort_scores(score, radix=radix)
    assert score.dtype == expected.dtype
    assert (score == expected).all()


@pytest.mark.parametrize(
    ("score", "is_too_fine"),
    [
        (np.random.default_rng(0).normal(size=SHORT), False),
        (np.random.default_rng(0).normal(size=SHORT).round(2), False),  # with ties, and with -0.0
        (np.random.default_rng(0).random(SHORT, dtype=np.float32), False),
        (np.random.default_rng(0).integers(-9, 9, SHORT), False),
        (2**60 + np.arange(SHORT)[::-1], True),  # a float rounds them
        (1 + np.arange(SHORT)[::-1] * 2.0**-52, True),
        (np.random.default_rng(0).random(SHORT).astype(np.longdouble), True),
        (np.arange(SHORT)[::-1].astype(object), True),
        (np.random.default_rng(0).random(SHORT - 1), True),
    ],
)
def test_rows_are_in_a_stable_order_or_none(score, is_too_fine):
    score.flags.writeable = False
    order = order_by_radix(score, radix=True)
    assert order_by_radix(score, radix=False) is None
    assert (order is None) == is_too_fine
    if order is not None:
        np.testing.assert_array_equal(order, score.argsort(kind="stable"))


def test_more_buckets_than_a_byte_counts():
    size = 257 * _sort._BUCKET
    keys = (
        np.arange(size) * 1_000_003 % size
    )  # a permutation, since the factor is a prime that does not divide
    sort_keys(keys, radix=True)
    assert (keys == np.arange(size)).all()


def test_a_bucket_may_hold_many_keys():
    """One bin may hold a twentieth of all keys, which is more than two blocks."""
    size = 40 * LONG
    keys = np.arange(size) * 1_000_003 % size << 20
    keys[keys < (size << 20) // 20] >>= 20
    expected = np.sort(keys, kind="stable")
    sort_keys(keys, radix=True)
    assert (keys == expected).all()


@pytest.mark.parametrize("radix", [True, False])
@pytest.mark.parametrize(
    "lengths", [[3] * 9, [SHORT] * 5, [0, 1, SHORT, 17, LONG + 1, 2, SHORT - 1], [LONG + 1] * 9]
)
def test_each_run_is_sorted_alone(lengths, radix):
    offsets = np.cumsum([0, *lengths])
    keys = np.random.default_rng(1).integers(-(2**60), 2**60, offsets[-1])
    parts = np.split(keys, offsets[1:-1])
    expected = np.concatenate([np.sort(part) for part in parts])
    sort_runs(keys, offsets, radix=radix)
    assert (keys == expected).all()


@pytest.mark.parametrize("digits", [17, 2])
@pytest.mark.parametrize("with_weights", [False, True])
def test_steps_do_not_depend_on_the_way(with_weights, digits):
    rng = np.random.default_rng(2)
    size = LONG + 99
    weight = rng.random(size) + 0.1 if with_weights else None
    rows = Rows(rng.random(size) < 0.3, rng.normal(size=size).round(digits), weight, np.array([0, size]))
    for ties in (None, "stable", "optimistic"):
        if ties == "optimistic" and with_weights:
            continue
        by_radix, plain = (steps_of(rank(rows, tie_order=ties, radix=radix)) for radix in (True, False))
        assert by_radix == plain


def test_the_way_is_measured_once():
    radix_is_faster.cache_clear()
    found = {radix_is_faster() for _ in range(3)}
    assert len(found) == 1
    assert radix_is_faster.cache_info().misses == 1
