"""The short way of lone, short rankings comes to the same as the long one, bit by bit."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from test_kernels import WITHOUT_PACKING

from rankings import HARD_SCORES, exact_steps, ranked, steps_of
from samples import covering_product
from sklearn_ap import _entrance, average_precision_score, precision_at_k_score
from sklearn_ap._family import FAMILY
from sklearn_ap._ranking import _rank
from sklearn_ap._ranking._blocks import BLOCK_ROWS
from sklearn_ap._ranking._few import FewKernel
from sklearn_ap._ranking._packed import PackedKernel
from sklearn_ap._ranking._rankings import curve_of

PACKED = [name for name in HARD_SCORES if name not in WITHOUT_PACKING]
SIZES = (1, 2, 3, 60)


def drawn(name, size, share=0.4):
    """Labels and scores; every generator draws anew for a size."""
    rng = np.random.default_rng(size)
    return rng.random(size) < share, HARD_SCORES[name](rng, size)


def sorted_by(kernel, positive, score):
    return ranked(positive, score, None, np.array([0, score.size]), kernel=kernel)


@pytest.mark.parametrize(("name", "share"), list(product(PACKED, (0.4, 0, 1))))
def test_steps_are_those_of_the_definition(name, share):
    for size in SIZES:
        positive, score = drawn(name, size, share)
        few = sorted_by("few", positive, score)
        assert type(few.kernel) is FewKernel
        assert steps_of(few) == exact_steps(positive, score, None, [0, size], None)
        packed = sorted_by("packed", positive, score)
        for kernel, other in zip(curve_of(few).points, curve_of(packed).points, strict=True):
            assert kernel.dtype == other.dtype
            assert kernel.tolist() == other.tolist()
        for depth in (0.0, 1.0, size - 0.5, size + 1.0):
            best = [ranking.weight_of_best(np.array([depth])).tolist() for ranking in (few, packed)]
            assert best[0] == best[1]
        assert few.kernel.n_samples.tolist() == packed.kernel.n_samples.tolist() == [size]


@pytest.mark.parametrize("size", [BLOCK_ROWS - 1, BLOCK_ROWS])
@pytest.mark.parametrize("digits", [1, 3, 17])
def test_the_longest_short_rankings(size, digits):
    rng = np.random.default_rng(size)
    positive, score = rng.random(size) < 0.5, rng.random(size).round(digits)
    assert steps_of(sorted_by("few", positive, score)) == steps_of(sorted_by("packed", positive, score))
    everywhere = np.ones(size, dtype=bool)
    assert steps_of(sorted_by("few", everywhere, score)) == steps_of(sorted_by("packed", everywhere, score))


def test_only_lone_short_rankings_without_weights_or_order_are_few():
    rng, size = np.random.default_rng(0), BLOCK_ROWS + 1
    positive, score, weight = rng.random(size) < 0.5, rng.random(size), rng.random(size)
    lone = np.array([0, BLOCK_ROWS])
    first = positive[:BLOCK_ROWS], score[:BLOCK_ROWS]
    assert type(ranked(*first, None, lone).kernel) is FewKernel
    assert type(ranked(*first, None, np.array([0, 9, BLOCK_ROWS])).kernel) is PackedKernel
    assert type(ranked(*first, None, lone, tie_order="optimistic").kernel) is PackedKernel
    assert type(ranked(positive, score, None, np.array([0, size])).kernel) is PackedKernel
    assert type(ranked(*first, weight[:BLOCK_ROWS], lone).kernel) is not FewKernel
    columns = positive[:10].reshape(5, 2), score[:10].reshape(5, 2)
    assert type(ranked(*columns, None, np.array([0, 10])).kernel) is PackedKernel


def by_both_ways(monkeypatch, function, *arguments, **options):
    """What the short way and the long way answer; the long way has no kernel for few rows."""
    ask = partial(function, *arguments, **options)
    short = ask()
    with monkeypatch.context() as patch:
        patch.setattr(_entrance, "_short_score", lambda *_: None)
        patch.setattr(_rank, "few_counted", lambda *_: None)
        patch.setattr(_rank, "_few", lambda *_: None)
        patch.setattr(_rank, "worth_a_cut", lambda *_: False)  # fewer numbers are added in another order
        return short, ask()


WEIGHTS = {
    "none": lambda rng, size: None,
    "whole": lambda rng, size: rng.integers(1, 9, size).astype(float),
    "uneven": lambda rng, size: rng.lognormal(0, 3, size),
    "of classes": lambda rng, size: np.where(np.arange(size) % 3, 3.0, 0.6),
    "equal": lambda rng, size: np.full(size, 0.1),
}


SAMPLE = covering_product(range(len(FAMILY)), PACKED, WEIGHTS)


@pytest.mark.parametrize("place", range(len(FAMILY)), ids=lambda place: FAMILY[place].name)
def test_every_score_is_the_same_to_the_bit(place, monkeypatch):
    number = FAMILY[place]
    for name, weights, size in [(*case[1:], size) for case in SAMPLE if case[0] == place for size in SIZES]:
        positive, score = drawn(name, size)
        positive[0] = True
        options = {**number.options, "sample_weight": WEIGHTS[weights](np.random.default_rng(1), size)}
        try:
            short, long = by_both_ways(monkeypatch, number.score, positive, score, **options)
        except ValueError as error:  # an order of equal scores has no weights
            assert "equal inside each ranking" in str(error)  # noqa: PT017
            assert weights in ("whole", "uneven", "of classes")
            continue
        assert short == long, (name, weights, size)
        assert type(short) is type(long) is float


BLOCKS = [
    pytest.param(number, size, weights, id=f"{number.name}, {size}, {weights}")
    for number, size, weights in product(FAMILY, (4095, 10_000, BLOCK_ROWS), ("none", "uneven"))
    if weights == "none" or number.definition.ties in ("proportional", "stable")
    if size == 4095 or not number.takes("k")  # longer rankings are cut first
]


@pytest.mark.parametrize(("number", "size", "weights"), BLOCKS)
@pytest.mark.parametrize("digits", [2, 17])
def test_every_score_of_a_block_is_the_same_to_the_bit(number, size, weights, digits, monkeypatch):
    rng = np.random.default_rng(size)
    positive, score = rng.random(size) < 0.4, rng.random(size).round(digits)
    options = {**number.options, "sample_weight": WEIGHTS[weights](rng, size)}
    for k in (1, 100, size // 3) if number.takes("k") else (None,):
        cut = {} if k is None else {"k": k}
        short, long = by_both_ways(monkeypatch, number.score, positive, score, **options | cut)
        assert short == long


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 8, 9, 0.2, 0.5, 1.0])
def test_cuts_beside_and_through_tied_groups(k, monkeypatch):
    score = np.array([0.9, 0.8, 0.8, 0.8, 0.5, 0.5, 0.3, 0.1])
    groups = [[(0,) * (rows - n) + (1,) * n for n in range(rows + 1)] for rows in (1, 3, 2, 1, 1)]
    for labels in (sum(each, ()) for each in product(*groups)):  # positives of each group
        if not any(labels):
            continue
        for number in FAMILY:
            if number.takes("k") and number.definition.tie_order is None:
                options = {**number.options, "k": k}
                short, long = by_both_ways(monkeypatch, number.score, list(labels), score, **options)
                assert short == long


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
@pytest.mark.parametrize(
    "labels", [np.array([0, 1, 1, 0]), np.zeros(4), np.array([[0, 1], [1, 0], [1, 1], [0, 1]])]
)
def test_averages_are_the_same(labels, average, monkeypatch):
    score = np.array([0.1, 0.4, 0.35, 0.4])
    score = score if labels.ndim == 1 else np.stack((score, 1 - score), axis=1)
    short, long = by_both_ways(
        monkeypatch, average_precision_score, labels, score, average=average, zero_division=0.0
    )
    assert np.array_equal(short, long)
    assert type(short) is type(long)


def test_the_short_way_does_not_rank_at_length(monkeypatch):
    monkeypatch.setattr(_entrance, "rankings_in", None)
    score = np.linspace(0, 1, BLOCK_ROWS + 1)
    few, first = score[1:], score[:4095]
    assert average_precision_score(few > 0.5, few) == 1
    assert average_precision_score((few > 0.5).tolist(), few.tolist()) == 1
    assert average_precision_score(few > 0.5, few, sample_weight=few + 1) == 1
    assert precision_at_k_score(first > 0.1, first, k=10) == 1
    for too_much in (
        partial(average_precision_score, score > 0.5, score),
        partial(average_precision_score, few > 0.5, few, query_id=few > 0.7),
        partial(average_precision_score, few > 0.5, few, n_positives=BLOCK_ROWS),
        partial(average_precision_score, few > 0.5, few, sample_weight=few * 2.0**-600 + 2.0**-600),
        partial(average_precision_score, few < 0, few),
        partial(precision_at_k_score, score[:4096] > 0.1, score[:4096], k=10),
    ):
        with pytest.raises(TypeError, match="not callable"):
            too_much()


def test_which_numbers_are_a_sum_over_the_steps_of_few_rows():
    few = sorted_by("few", np.arange(30) % 3 == 0, np.arange(30.0)).kernel
    longer = {number.name for number in FAMILY if _entrance.short_value(number.definition, few) is None}
    orders = {"stable", "optimistic", "pessimistic", "expected"}
    assert longer == {
        *(f"AP@k, {ties} ties" for ties in orders),
        *(
            number.name
            for number in FAMILY
            if not number.definition.area.counts_weight or " 0.8" in number.name
        ),
    }


def test_counts_that_rankings_share_cannot_be_written_to():
    few = sorted_by("few", np.array([True, False]), np.array([0.5, 0.25]))
    for steps in few.blocks():
        with pytest.raises(ValueError, match="read-only"):
            steps.tp[0] = 7
