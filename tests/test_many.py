"""Many comparisons at once: p-values and intervals by definition."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, t

from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_scores,
    influence_values,
)
from sklearn_ap._uncertainty._many import adjusted, drawn_sums, risk_of_each
from uncertainty_oracle import drawn as rows_drawn
from uncertainty_oracle import drawn_weights

ALTERNATIVES = ["two-sided", "less", "greater"]
each_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
EXTREME = {"two-sided": abs, "less": lambda z: -z, "greater": lambda z: z}


def single(found):
    """p-value of each pair alone."""
    tail = {
        "two-sided": lambda z, df: 2 * t.sf(abs(z), df),
        "less": t.cdf,
        "greater": t.sf,
    }
    return tail[found.alternative](found.statistic, found.df)


def family(seed, n_comparisons=5, n_units=60):
    """p-values and joint influences of comparisons that share units, of unequal
    size.
    """
    rng = np.random.default_rng(seed)
    influences = rng.normal(size=(n_units, n_comparisons)) + rng.normal(
        size=(n_units, 1)
    )
    influences *= rng.lognormal(size=n_comparisons)
    return rng.random(n_comparisons) ** 3, influences - influences.mean(axis=0)


def stepped_down(pvalues, drawn, alternative):
    """Westfall and Young (1993), comparison by comparison, and never above Holm."""
    left, found, least = set(range(len(pvalues))), {}, Fraction(0)
    drawn = drawn / np.sqrt((drawn**2).mean(axis=0))
    bounds = {}
    bound = Fraction(0)
    for rank, one in enumerate(sorted(left, key=lambda i: pvalues[i])):
        bound = max(
            bound,
            min(Fraction(float(pvalues[one])) * (len(pvalues) - rank), Fraction(1)),
        )
        bounds[one] = bound
    while left:
        one = min(left, key=lambda i: pvalues[i])
        limit = norm.isf(pvalues[one] / (2 if alternative == "two-sided" else 1))
        far = sum(
            max(EXTREME[alternative](draw[i]) for i in left) >= limit for draw in drawn
        )
        least = max(least, Fraction(int(far) + 1, len(drawn) + 1))
        found[one] = min(max(least, Fraction(float(pvalues[one]))), bounds[one])
        left.remove(one)
    return [float(found[i]) for i in range(len(pvalues))], [
        float(bounds[i]) for i in range(len(pvalues))
    ]


@each_alternative
def test_adjusted_by_definition(alternative):
    for seed in range(5):
        pvalue, influences = family(seed)
        drawn = drawn_sums(influences, 99, np.random.default_rng(seed))
        by_draws, _ = stepped_down(pvalue, drawn, alternative)
        found = adjusted(pvalue, np.ones(5), drawn, alternative)
        assert found.pvalue.tolist() == pytest.approx(by_draws, rel=1e-15)


def test_sums_have_the_covariance_of_the_influences():
    _, influences = family(7, 4)
    influences = 1e-100 * np.column_stack(
        [influences, influences[:, 0] - influences[:, 1], np.zeros(60)]
    )
    drawn = drawn_sums(influences, 40_000, np.random.default_rng(0))
    known = np.corrcoef(influences[:, :4].T)
    np.testing.assert_allclose(
        np.corrcoef(drawn[:, :4].T), known, atol=4 / np.sqrt(40_000)
    )
    np.testing.assert_allclose(
        drawn.std(axis=0), np.sqrt((influences**2).sum(axis=0)), rtol=0.02
    )
    np.testing.assert_allclose(
        drawn[:, 4], drawn[:, 0] - drawn[:, 1], atol=1e-6 * drawn[:, 4].std()
    )
    assert not drawn[:, 5].any()


# --- many models ----------------------------------------------------------------------

AP = average_precision_score
OPTIONS = {
    "rows": {},
    "weights": {"sample_weight": drawn_weights(0, 240)},
    "clusters": {"unit_id": np.arange(240) // 3},
    "queries": {"query_id": np.arange(240) % 12},
    "missed": {"n_positives": 100},
    "prevalence": {"prevalence": 0.1},
}


def many(n_models=4, n=240, seed=0):
    """Labels, and the scores of models that differ a little, up and down."""
    y_true, first = rows_drawn(seed, n)
    rng = np.random.default_rng(seed)
    return y_true, {
        f"m{i}": first + (0, 0.08, -0.04, 0.02)[i] * y_true + 0.3 * rng.random(n)
        for i in range(n_models)
    }


def asked(y_true, models, score=AP, **options):
    return compare_many(score, y_true, models, **({"random_state": 0} | options))


@each_alternative
@pytest.mark.parametrize("kind", OPTIONS)
def test_each_pair_is_compared_as_two_models(alternative, kind):
    y_true, models = many()
    options = OPTIONS[kind] | {"alternative": alternative}
    reference = None if alternative == "two-sided" else "m3"
    found = asked(y_true, models, reference=reference, **options)
    assert found.pairs == tuple(
        pair for pair in combinations(models, 2) if reference is None or "m3" in pair
    )
    for i, (first, second) in enumerate(found.pairs):
        one = compare_scores(
            AP, y_true, models[first], models[second], method="influence", **options
        )
        for name in ("difference", "standard_error", "statistic", "df"):
            assert getattr(found, name)[i] == pytest.approx(
                getattr(one, name), rel=1e-12
            )
        if kind != "prevalence":  # whose intervals make the p-value
            assert single(found)[i] == pytest.approx(one.pvalue, rel=1e-12)
        assert found.pvalue[i] >= one.pvalue
        assert tuple(found.scores[:, i]) == one.scores
        of_pair = {name: models[name] for name in (first, second)}
        pair = asked(y_true, of_pair, reference=second, **options)
        assert pair.pvalue == pytest.approx(one.pvalue, rel=1e-12)
        np.testing.assert_allclose(
            np.ravel(pair.confidence_interval()), one.confidence_interval()
        )
    assert found.n_units == one.n_units


@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_joint_by_multipliers_of_units(clustered):
    """By definition: the influences of each unit times a normal number, for all pairs
    at once.
    """
    y_true, models = many(seed=3)
    unit = np.arange(240) // 3 if clustered else np.arange(240)
    found = asked(y_true, models, unit_id=unit if clustered else None, reference="m1")
    assert found.pairs == (("m0", "m1"), ("m2", "m1"), ("m3", "m1"))
    influences = np.array(
        [
            np.bincount(unit, influence_values(AP, y_true, one))
            for one in models.values()
        ]
    )
    pairs = np.array([influences[i] - influences[1] for i in (0, 2, 3)]).T
    sums = np.random.default_rng(1).normal(size=(9_999, len(pairs))) @ pairs
    known, _ = stepped_down(single(found), sums, "two-sided")
    np.testing.assert_allclose(found.pvalue, known, atol=4 * np.sqrt(0.5 / 9_999))
    largest = np.abs(sums / np.sqrt((pairs**2).sum(axis=0))).max(axis=1)
    for level in (0.9, 0.95):
        tail = norm.sf(np.quantile(largest, level))
        reach = t.isf(tail, found.df) * found.standard_error
        low, high = found.confidence_interval(level)
        np.testing.assert_allclose(
            [found.difference - low, high - found.difference], [reach] * 2, rtol=0.03
        )


def test_bootstrap():
    y_true, models = many()
    found = asked(y_true, models, method="bootstrap", n_resamples=999)
    known = asked(y_true, models)
    np.testing.assert_allclose(found.standard_error, known.standard_error, rtol=0.2)
    assert (found.df == y_true.sum() - 1).all()
    assert (found.method, known.method) == ("bootstrap", "influence")
    one = compare_scores(
        AP,
        y_true,
        models["m0"],
        models["m1"],
        method="percentile",
        n_resamples=999,
        random_state=0,
    )
    assert found.standard_error[0] == pytest.approx(one.standard_error, rel=0.15)


def test_models_that_are_alike():
    """Perfect models with random weights differ by rounding only; one that is worse
    differs.
    """
    rng = np.random.default_rng(0)
    y_true = np.arange(300) < 60
    models = {name: y_true + 0.5 * rng.random(300) for name in "ab"} | {
        "worse": rng.random(300)
    }
    found = asked(y_true, models, sample_weight=rng.random(300) + 0.1)
    assert (found.difference[0], found.standard_error[0], found.pvalue[0]) == (0, 0, 1)
    assert (found.pvalue[1:] < 1e-6).all()
    with pytest.warns(
        UserWarning, match="^The confidence interval of a - b is NaN, .* error is 0"
    ):
        ends = np.array(found.confidence_interval())
    assert np.isnan(ends[:, 0]).all()
    assert (ends[:, 1:] > 0).all()


@pytest.mark.parametrize(
    ("models", "options", "match"),
    [
        (
            [1, 2],
            {},
            r"^y_score must map the names of at least two models to their scores; got list\.",
        ),
        (
            None,
            {"reference": "b"},
            r"^reference must be None or one of \['m0', .*; got 'b'",
        ),
        (
            None,
            {"method": "percentile"},
            "^method must be one of 'auto', 'influence', 'bootstrap'; got 'percentile'",
        ),
        (
            None,
            {"alternative": "equivalence"},
            "^alternative must be one of 'two-sided', 'less', 'greater'; got",
        ),
        (
            None,
            {"alternative": "less"},
            "^alternative='less' requires a reference, .*; got None",
        ),
        (None, {"n_resamples": 0}, "^n_resamples must be an integer >= 1; got 0"),
        (
            None,
            {"average": None, "query_id": np.arange(240) % 4},
            "^average must not be None",
        ),
        (
            None,
            {"method": "bootstrap", "n_resamples": 1},
            "^n_resamples must give at least 2 .* 400 .*; got 1 ",
        ),
        ({"a": np.zeros(900)}, {}, r"^y_score must map .*; got \['a'\]\.$"),
    ],
)
def test_refusals(models, options, match):
    y_true, known = many()
    with pytest.raises(ValueError, match=match):
        asked(y_true, known if models is None else models, **options)


@each_alternative
def test_what_is_not_tested_does_not_count(alternative):
    pvalue, influences = family(1, 6)
    influences[:, 2] = 0  # two models that are alike
    pvalue[[2, 4]] = 1.0, np.nan
    error = np.sqrt((influences**2).sum(axis=0))
    drawn = drawn_sums(influences, 999, np.random.default_rng(0))
    found = adjusted(pvalue, error, drawn, alternative)
    kept = [0, 1, 3, 5]
    alone = adjusted(pvalue[kept], error[kept], drawn[:, kept], alternative)
    np.testing.assert_array_equal(found.pvalue[kept], alone.pvalue)
    np.testing.assert_array_equal(found.pvalue[[2, 4]], [1, np.nan])
    np.testing.assert_array_equal(found.least, alone.least)
    nothing = adjusted(
        pvalue[[2, 4]], np.array([0, 1.0]), drawn[:, [2, 4]], alternative
    )
    np.testing.assert_array_equal(nothing.pvalue, [1, np.nan])


def test_the_risk_of_each_interval_is_a_quantile_of_the_draws():
    """Of 999 draws, the 50th least is the quantile of .05; the least risk is
    Bonferroni's.
    """
    least = np.random.default_rng(0).permutation(np.arange(1, 1000)) / 20_000
    assert risk_of_each(0.05, least, 30) == 50 / 20_000
    assert risk_of_each(0.05, least, 10) == 0.05 / 10
    assert risk_of_each(0.05, least * 1000, 10) == 0.05


def test_models_that_score_the_same_in_all_draws_are_not_tested():
    """The mean of equal values is rounded, and so are 9,999 of them: that is no
    evidence.
    """
    with pytest.warns(UserWarning, match="p-value is NaN"):
        found = compare_many(
            lambda _, values: float(np.mean(values)),
            np.zeros(8),
            {"a": np.ones(8), "b": np.full(8, 1 / 3), "c": np.full(8, 0.7)},
            random_state=0,
        )
    assert np.isnan(found.pvalue).all()
    assert (found.standard_error == 0).all()
