"""Every kernel has the steps of the plain one, to the bit; rows of few distinct scores
are merged for it.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankings import HARD_SCORES, hard_scores, ranked_by, steps_of
from sklearn_ap import average_precision_at_k_score
from sklearn_ap._core.ranking.weighted import PlainWeightedKernel, _bits_of, _hash_of
from tests.core.test_kernels import one_ranking


@settings(max_examples=100)
@given(
    name=st.sampled_from(HARD_SCORES),
    size=st.sampled_from([1, 2, 3, 60, 255, 5000]),
    share=st.sampled_from([0.0, 0.002, 0.4, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_every_kernel_has_the_steps_and_the_bits_of_the_plain_one(
    name, size, share, seed
):
    rng = np.random.default_rng(seed)
    counted = one_ranking(rng.random(size) < share, hard_scores(rng, size)[name])
    # each order of additions has its own sums
    uneven = counted._replace(weight=rng.lognormal(0, 3, size))
    for rows, kernels in (
        (counted, ("packed", "packed rows", "lexsort", None)),
        (uneven, ("packed rows", "lexsort", None)),
    ):
        plain = ranked_by("plain", rows)
        for kernel in kernels:
            other = ranked_by(kernel, rows)
            assert steps_of(other) == steps_of(plain)
            for total in ("found_weight", "total_weight", "n_positives", "n_rows"):
                assert getattr(other, total) == getattr(plain, total)
            for depth in map(np.array, ([1.0], [size / 2], [size], [size + 9.0])):
                assert other.heaviest_positives(depth) == plain.heaviest_positives(
                    depth
                )
                # a tied group gives its share
                assert other.kernel.weight_of_best(depth) == pytest.approx(
                    plain.kernel.weight_of_best(depth), rel=1e-14, abs=0
                )
            for ours, theirs in zip(
                other.kernel.points(), plain.kernel.points(), strict=True
            ):
                assert ours.dtype == theirs.dtype
                assert ours.tolist() == theirs.tolist()


def test_scores_that_the_sample_lacks_are_merged_too():
    rng, scores = np.random.default_rng(6), np.arange(10) / 10
    others = rng.random(100_000)
    number = _hash_of(_bits_of(scores))(_bits_of(others))
    # each has its hash in common with a score other than the first
    alike = others[number > 0][:300]
    assert alike.size > 20
    score = np.append(np.resize(scores, 100_000), alike)
    weight = rng.integers(1, 9, score.size).astype(float)  # whose sums are exact
    rows = one_ranking(rng.random(score.size) < 0.4, score, weight)
    merged = ranked_by(None, rows)
    assert type(merged.kernel) is PlainWeightedKernel
    assert steps_of(merged) == steps_of(ranked_by("lexsort", rows))


def test_merged_sums_keep_their_digits():
    rng = np.random.default_rng(7)
    positive, score = rng.random(400_000) < 0.4, rng.integers(0, 101, 400_000)
    for weight in (rng.random(400_000), rng.lognormal(0, 3, 400_000)):
        merged = ranked_by("merged", one_ranking(positive, score, weight))
        points = merged.kernel.points()
        for threshold, *sums in zip(*(values[::20] for values in points), strict=True):
            at_or_above = score >= threshold
            exact = (
                math.fsum(weight[positive & at_or_above]),
                math.fsum(weight[at_or_above]),
            )
            assert sums == pytest.approx(exact, rel=1e-13, abs=0)


@pytest.mark.parametrize("share", [0.4, 0.01])
@pytest.mark.parametrize("ties", ["proportional", "stable"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_ranking_has_the_value_that_it_has_among_others(weighted, ties, share):
    """In any order, to 1e-15: a rare ranking is sorted by another kernel if it is
    alone.
    """
    rng = np.random.default_rng(5)
    lengths = [100, 1, 5000, 300, 4095, 4096, 40_000, 17, 2, 2049, 9000]
    query = np.repeat(np.arange(len(lengths)), lengths)
    y_true = rng.random(query.size) < share
    weight = rng.lognormal(0, 3, query.size) if weighted else np.ones(query.size)
    options = {"zero_division": 0.0, "k": None, "ties": ties, "average": None}

    def values_of(y_score, rows, query_id=None):
        return average_precision_at_k_score(
            y_true[rows],
            y_score[rows],
            sample_weight=weight[rows],
            query_id=query_id,
            **options,
        )

    order = np.arange(query.size)
    if not weighted and ties == "proportional":
        rng.shuffle(order)
    for y_score in (rng.random(query.size), rng.random(query.size).round(4)):
        alone = [values_of(y_score, query == one) for one in range(len(lengths))]
        together = values_of(y_score, order, query[order])
        assert together == pytest.approx(alone, abs=1e-15, rel=0)
