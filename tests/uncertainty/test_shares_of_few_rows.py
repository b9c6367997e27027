"""Intervals of scores at a cut, at a recall and at recall levels."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import beta, norm
from scipy.stats import t as student

from brief import every_third
from oracles.uncertainty import (
    drawn_weights,
    warns_of,
)
from sklearn_ap import (
    average_precision_at_k_score,
    compare_scores,
    eleven_point_average_precision_score,
    estimate_score,
    precision_at_k_score,
    precision_at_recall_score,
    r_precision_score,
    recall_at_k_score,
)
from sklearn_ap._core.reading.options import NORMALIZERS
from sklearn_ap._uncertainty.calls import read_call
from sklearn_ap._uncertainty.endpoints import BinomialProportion
from sklearn_ap._uncertainty.standard_errors import (
    _warn_of_first_level,
)

AP = "average_precision"
# All positives have the best ranks.
FIRST = np.repeat([1, 0], [12, 48])
WEIGHTED = {"sample_weight": drawn_weights(5, 800)}
THREE = np.repeat([1, 0], [3, 57])
MIXED = np.tile([1, 1, 0, 0, 0], 12)


each_share = pytest.mark.parametrize(
    ("score", "y_true", "options", "hits", "divisor", "other"),
    [
        ("precision@3", FIRST, {}, 3, 3, 12),
        # k is a share of the rows.
        ("precision@0.05", MIXED, {}, 2, 3, 24),
        ("recall@40", FIRST, {}, 12, 12, 40),
        ("recall@4", FIRST, {}, 4, 12, 4),
        # All rows above the cut are hits.
        ("recall@6", FIRST, {}, 6, 12, 6),
        ("recall@40", FIRST, {"n_positives": 15}, 12, 15, 40),
        ("recall@59", MIXED, {}, 24, 24, 59),
        ("r_precision", FIRST[::-1], {}, 0, 12, 12),
        (f"{AP}@4", FIRST, {"normalizer": "n_positives"}, 4, 12, 4),
        (f"{AP}@40", FIRST, {"normalizer": "k"}, 12, 40, 12),
        # k is larger than the number of rows.
        (f"{AP}@70", THREE, {"n_positives": 80}, 3, 70, 80),
    ],
)


@each_share
def test_shares_of_few_rows_are_hits_over_a_divisor(
    score, y_true, options, hits, divisor, other
):
    """The number of trials is the smaller limit of the hits."""
    found = estimate_score(score, y_true, -np.arange(60), **options)
    assert found.score == hits / divisor
    n_trials = found._interval_inputs.at_cut.proportion.n
    assert n_trials == pytest.approx(min(divisor, other))


@each_share
def test_endpoints_at_a_cut_are_those_of_one_more_positive(
    score, y_true, options, hits, divisor, other
):
    """Ranked last, it is one more failure, and ranked first, one more hit. If the score
    is 1, a moving cut only lowers it, so half of the variance remains.
    """
    found = estimate_score(score, y_true, -np.arange(60), **options)
    at, n = hits / divisor, min(divisor, other, found.n_positives)
    variance = found.standard_error**2 / (2 if at == 1 else 1)
    most = min(min(divisor, other) / divisor, 1)

    def quantile(mean, moved, df, probability):
        scale = student.ppf(0.975, df) / norm.ppf(0.975)
        if not 0 < mean < 1:
            return mean
        size = mean * (1 - mean) / (scale**2 * variance + moved**2) - 1
        # No beta distribution has so large a variance: the sample says nothing.
        if size <= 0:
            return float(probability > 0.5)
        return beta.ppf(probability, mean * size, (1 - mean) * size)

    loss, gain = at / (n + 1), (min(most, n / divisor) - at) / (n + 1)
    low = quantile(at - loss, loss, found.df, 0.025)
    high = quantile(at + gain, gain, found.n_positives - 1, 0.975)
    interval = found.confidence_interval()
    assert interval == pytest.approx((min(low, at), max(high, at)), rel=1e-9)


@pytest.mark.parametrize("recall", [0.5, 0.1, 0.31])
@pytest.mark.parametrize("weight", [1.0, 4.0])
def test_a_perfect_precision_at_a_recall_has_the_interval_of_its_hits(recall, weight):
    """The lower endpoint is that of Clopper and Pearson. The number of rows is their
    weight over that of a negative, since a row that is not a hit would be a negative.
    """
    y_true = np.repeat([1, 0], [20, 80])
    weights = np.where(y_true, 1.0, weight)
    found = estimate_score(
        f"precision_at_recall@{recall}", y_true, -np.arange(100), sample_weight=weights
    )
    hits = np.ceil(20 * recall)
    assert found.score == 1
    assert found.confidence_interval() == pytest.approx((0.025 ** (weight / hits), 1))


# --- derivatives, units and order -----------------------------------------------------


# The cuts are inside a tied group of 26 rows.
IN_GROUPS = -np.repeat([0, 1, 2, 3], [4, 26, 6, 4])
TWELVE = np.isin(np.arange(40), [0, 1, 3, 8, 11, 12, 20, 27, 28, 31, 35, 39])


def slopes_by_copies(score, weight, n_missed, k=None, **options):
    """Return the influence of each row, and of each missed positive, by definition: the
    slope of the score by its number of copies. Each row has many copies, and `k` is the
    same share of all rows.
    """
    many, step = 100, 20

    def of(copies):
        rows = np.repeat(np.arange(40), copies[:40])
        inputs = {"sample_weight": None if weight is None else weight[rows]}
        if n_missed:
            inputs["n_positives"] = int(copies @ np.append(TWELVE, [1] * n_missed))
        if k is not None:
            # A cut below all rows does not move if there are more missed positives.
            drawn = copies if k < 40 else copies[:40]
            is_share = isinstance(k, float)
            inputs["k"] = k if is_share else k * int(drawn.sum()) // drawn.size
        return score(TWELVE[rows], IN_GROUPS[rows], **inputs, **options)

    more = step * np.eye(40 + n_missed, dtype=int)
    return np.array([of(many + one) - of(many - one) for one in more]) * many / 2 / step


@pytest.mark.parametrize(
    ("asked", "layout"),
    every_third(
        product(
            [
                (precision_at_k_score, {"k": 14}),
                (recall_at_k_score, {"k": 14}),
                (recall_at_k_score, {"k": 0.35}),
                (r_precision_score, {}),
                *(
                    (average_precision_at_k_score, {"k": k, "normalizer": name})
                    for k, name in product((14, 60), NORMALIZERS)
                ),
            ],
            [(False, 0), (True, 0), (False, 16), (False, 240)],
        )
    ),
)
def test_errors_at_a_cut_are_those_of_copies_of_rows(asked, layout):
    """The influence of a unit is the sum over its rows. Missed positives are drawn, too."""
    (score, options), (weighted, n_missed) = asked, layout
    weight = drawn_weights(2, 40) if weighted else None
    slopes = slopes_by_copies(score, weight, n_missed, **options)
    options = options | {"sample_weight": weight}
    if n_missed:
        options["n_positives"] = 12 + n_missed
    for unit in (np.arange(40), np.arange(40) % 10):
        of_units = np.append(np.bincount(unit, slopes[:40]), slopes[40:])
        wanted = np.linalg.norm(of_units)
        found = estimate_score(score, TWELVE, IN_GROUPS, unit_id=unit, **options)
        assert found.standard_error == pytest.approx(wanted, rel=0.03)


NUMBERS = [
    ("precision@20", {}),
    ("recall@0.1", {}),
    ("average_precision@30", {}),
    ("average_precision@30", {"normalizer": "k"}),
    ("average_precision@30", {"normalizer": "hits"}),
    ("r_precision", {}),
    ("precision_at_recall@0.6", {}),
    ("average_precision@200", {"ties": "stable"}),
]


@pytest.mark.parametrize(
    ("score", "options"), [*NUMBERS, ("average_precision@30", {"ties": "optimistic"})]
)
@pytest.mark.parametrize(("undefined", "share"), [(0.0, 2 / 3), (np.nan, 1.0)])
def test_the_mean_of_two_equal_columns_has_the_interval_of_one(
    score, options, undefined, share
):
    """The intervals differ by the bias, which is that of step AP; hits have no bias. A
    third column without positives has the same score in every sample, or is not a part
    of the mean.
    """
    y_true, y_score = rows_with_shift(3, 200, 40)
    low, high = estimate_score(score, y_true, y_score, **options).confidence_interval()
    bias = estimate_score("average_precision", y_true, y_score).bias
    if score in ("precision@20", "recall@0.1", "r_precision"):
        bias = 0.0
    columns = np.stack((y_true, y_true, y_true < 0)).T, np.stack([y_score] * 3).T
    if score == "precision@20":
        share = 2 / 3
    else:
        options = options | {"zero_division": undefined}
    found = estimate_score(score, *columns, **options).confidence_interval()
    assert found == pytest.approx((share * (low - 2 * bias), share * (high - bias)))


@pytest.mark.parametrize(
    ("score", "options"),
    [
        # The scores are low.
        ("average_precision", {}),
        ("precision_at_recall@0.7", {}),
        ("precision@5", WEIGHTED),
        ("average_precision@5", WEIGHTED | {"normalizer": "k"}),
        ("r_precision", {"sample_weight": np.repeat([1.0, 9.0], [40, 760])}),
    ],
)
def test_either_model_may_come_first(score, options):
    """The degrees of freedom are those of the model with fewer rows above its cut."""
    y_true, first = rows_with_shift(5, shift=1.0)
    second = (
        rows_with_shift(6, shift=3.0)[1]
        if "@" in score
        else rows_with_shift(6, shift=0.9)[1]
    )
    found = compare_scores(score, y_true, first, second, **options)
    back = compare_scores(score, y_true, second, first, **options)
    assert (found.pvalue, found.df) == pytest.approx((back.pvalue, back.df))
    low, high = back.confidence_interval()
    assert found.confidence_interval() == pytest.approx((-high, -low))


# --- precision at a recall, and levels ------------------------------------------------


def rows_with_shift(seed, n=800, n_positives=40, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true


class Falling:
    """A curve that falls at recall .5, because half of its 40 positives are scored like
    negatives, and its precision at a recall.
    """

    def __init__(self, recall, n_missed):
        y_true, y_score = rows_with_shift(0, 400, 40)
        y_score[:20] += 4
        self.recall, self.n_missed, self.n_positives = recall, n_missed, 40 + n_missed
        self.positive = y_true[(-y_score).argsort()]
        self.hits = self.positive.cumsum()
        self.estimate = estimate_score(
            precision_at_recall_score,
            y_true,
            y_score,
            recall=recall,
            n_positives=self.n_positives,
        )
        inputs = self.estimate._interval_inputs
        self.n_rows = inputs.at_cut.proportion.divisor
        self.place = self.place_of(recall)

    def place_of(self, recall):
        """Return the first row that reaches a recall, or else the last row."""
        least = recall * self.n_positives - 1e-9
        return min(np.count_nonzero(self.hits < least), 399)

    @property
    def near(self):
        """Number of rows on either side of the recall, and of positives among both."""
        reach = int(np.ceil(2 * np.sqrt(self.place + 1)))
        rows = self.place - reach, min(self.place + reach, 399)
        return reach, np.diff(self.hits[[*rows]]).item()


each_recall = pytest.mark.parametrize(
    ("recall", "n_missed"), [(0.3, 0), (0.3, 10), (0.6, 0), (0.79, 10), (0.95, 0)]
)


@each_recall
def test_positives_near_a_recall_limit_the_degrees_of_freedom(recall, n_missed):
    """Without this rule, intervals of 150 positives at recall .9 covered .885."""
    curve = Falling(recall, n_missed)
    _, n_near = curve.near
    assert curve.estimate.df == pytest.approx(min(curve.n_rows, n_near) - 1)


@pytest.mark.parametrize(("n", "is_lower"), [(16, True), (17, False)])
def test_few_positives_do_not_bound_the_threshold_of_a_recall(n, is_lower):
    """All of 16 positives are above the threshold of a recall of 0.8 with a probability
    of 0.8**16 = 0.028. So the threshold may be below all positives of this sample, where
    further negatives are.
    """
    lows = []
    for n_below in (5, 50):
        y_true = np.array([1, 0] * n + [0] * n_below)
        score = -np.arange(y_true.size)
        found = estimate_score("precision_at_recall@0.8", y_true, score)
        lows.append(found.confidence_interval().low)
    assert (lows[1] < lows[0]) == is_lower


@each_recall
def test_precision_at_a_recall_has_the_error_of_its_influences(recall, n_missed):
    """A positive more requires more hits, and so more rows near the recall."""
    curve = Falling(recall, n_missed)
    reach, n_near = curve.near
    # Rows per positive near the recall, with half a row more of each class.
    rows_per_hit = (2 * reach + 1) / (n_near + 0.5)
    is_above, score = np.arange(400) <= curve.place, curve.estimate.score
    more_rows = (recall - is_above) * curve.positive * rows_per_hit
    of_rows = recall * curve.positive - score * (is_above + more_rows)
    of_missed = np.full(n_missed, -of_rows.sum() / max(n_missed, 1))
    n_above = max(curve.hits[curve.place], recall * curve.n_positives) / score
    error = np.linalg.norm(np.append(of_rows, of_missed)) / n_above
    assert curve.estimate.standard_error == pytest.approx(error, rel=1e-9)


@each_recall
def test_precision_at_a_recall_is_that_of_thresholds_that_may_reach_it(
    recall, n_missed
):
    """The distances of the endpoints by the threshold, and by the rows above it, are
    added in squares.
    """
    curve = Falling(recall, n_missed)
    n, hits, estimate = curve.n_positives, curve.hits, curve.estimate
    # False positives that, with these hits, give the best precision from each row on.
    best = np.maximum.accumulate((hits / np.arange(1, 401))[::-1])[::-1]
    fp = hits * (1 / best - 1)
    # With missed positives, no row reaches a recall of 1.
    if n_missed:
        fp[-1] = np.inf
    least, most = BinomialProportion(n).endpoints(recall, 0.95)
    # The threshold of another sample may be the lowest one.
    if recall**n >= 0.025:
        most = np.inf
    fp_of_others = fp[[curve.place_of(most), curve.place_of(least)]]
    odds = hits[curve.place] / np.maximum(fp_of_others, 1e-300)
    start = logit(min(estimate.score, 1 / (1 + 0.5 / curve.n_rows)))
    by_rows = BinomialProportion(curve.n_rows).endpoints(estimate.score, 0.95)
    endpoints = np.array((np.log(np.maximum(odds, 1e-300)), logit(by_rows)))
    below, above = np.transpose(start - endpoints)
    low = start - np.hypot(*below.clip(0))
    high = start + np.hypot(*above.clip(None, 0))
    assert estimate.confidence_interval() == pytest.approx((expit(low), expit(high)))


# --- the first of eleven levels -------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 8])
def test_level_0_decides_if_its_uncertainty_exceeds_the_standard_error(seed):
    y_true, y_score = rows_with_shift(seed, shift=1.0)
    first, second = (
        precision_at_recall_score(y_true, y_score, recall=level) for level in (0, 0.1)
    )
    share = max(first - second, (1 - first) / 2) / 11
    call = read_call(eleven_point_average_precision_score, y_true, y_score, {})
    with warns_of("few_positives", f"precision at any threshold is {first:.2g} in"):
        _warn_of_first_level(call, share * 0.999)
    _warn_of_first_level(call, share * 1.001)
    y_true, y_score = rows_with_shift(0, 2_000, 60, shift=0.0)
    # A single positive with a high score.
    y_score[0] = 9
    with warns_of("few_positives", "^The score depends mostly on recall level 0"):
        estimate_score("eleven_point_average_precision", y_true, y_score)
