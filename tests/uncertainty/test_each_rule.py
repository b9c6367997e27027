"""Each rule of intervals and tests has a setting in which they are wrong without it: 95 %
intervals cover less than .90, or a test at .05 rejects equal models in more than .08.

A rule that has no such setting is not needed. The derivatives of a score are no rules,
and other tests compare them with differences of scores.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks.families import tally
from benchmarks.finite import FamilySetting
from sklearn_ap import UncertaintyWarning, compare_samples
from sklearn_ap._uncertainty import rules
from sklearn_ap._uncertainty.intervals import (
    comparisons,
    differences,
    endpoints,
    results,
)
from sklearn_ap._uncertainty.sampling import contributions, one_more, sample

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning"),  # few positives
]
N_SAMPLES = 300


def with_result(module, name, change):
    """Return what is replaced, and a function that changes the result of the old one."""
    function = getattr(module, name)
    return module, name, lambda *given, **more: change(function(*given, **more))


def of_difference(**changed):
    name = "endpoints_of_difference"
    function = getattr(results, name)
    return results, name, lambda *given, **more: function(*given, **more | changed)


def without_limit(mean, spread):
    return CHANGES(mean, spread)._replace(n_events=1e9)


def mean_weight(weight, copies=1.0):  # noqa: ARG001  # of rows that are alike
    return weight.sum() / max(np.count_nonzero(weight), 1)


def without_changes(it):
    return replace(it, changes=one_more.NO_CHANGES)


def of_places_with_both_endpoints(places, *given):
    return ENDPOINTS([place for place in places if not place.only_high], *given)


CHANGES, ENDPOINTS = contributions._changes_of_rankings, results.endpoints_of_places
RULES = {
    # What is replaced, and the setting.
    "a heavy negative is found": (
        with_result(contributions, "changes_of", lambda it: (it[0], 0.0)),
        "average_precision perfect 1000 .25 prevalence=.001",
    ),
    "a score is as precise as its events at most": (
        (contributions, "_changes_of_rankings", without_limit),
        "average_precision lookalikes 400 .4 prevalence=.5",
    ),
    "heavy negatives are near the top": (
        (one_more, "sqrt", lambda _: 1.0),
        "average_precision lookalikes 200 .3 prevalence=.05",
    ),
    "an event has the weight of a row": (
        (one_more, "typical_of", mean_weight),
        "r_precision better 200 .5 sigma=2.5",
    ),
    "few units": (
        (endpoints, "stdtrit", lambda _, probability: ndtri(probability)),
        "average_precision normal 4 .3 sizes=40 spread=.5 noise=.3,1.5",
    ),
    "all queries score 1": (
        with_result(sample, "contributions_of_drawn", without_changes),
        "success_at_k strong 20 .3 sizes=10 spread=.1 k=3",
    ),
    "few queries score high": (
        with_result(sample, "contributions_of_drawn", without_changes),
        "average_precision chance 8 .02 sizes=100 spread=0",
    ),
    "heavy negatives are missing in each ranking": (
        (contributions.ScoredRanking, "excess", 0.0),
        "average_precision normal 2000 .0045 columns=12 average=macro prevalence=.005",
    ),
    "the bias of a mean": (
        (contributions.ScoredRanking, "bias", 0.0),
        "average_precision weak 150 .25 queries=25 spread=.5 sizes=8,12 effect=.3",
    ),
    "places of a recall": (
        (rules, "DISTANCES", np.zeros(1)),
        "precision_at_recall zeros 1000 .1 recall=.72",
    ),
    "first rows as good as they are": (
        (results, "endpoints_of_places", of_places_with_both_endpoints),
        "precision_at_recall early 40 .2 sizes=20 alike=.9 recall=.145",
    ),
    "places of a cut": (
        (rules, "DISTANCES", np.zeros(1)),
        "precision_at_k cliff 300 .1 k=15",
    ),
    "the bias of a difference": (
        of_difference(bias=0.0),
        "average_precision better 900 5 classes=15 average=macro noise=.5,2",
    ),
    "a lost positive of a difference": (
        of_difference(lowering=0.0, raising=0.0),
        "average_precision perfect 100 .1 noise=.3,1.5",
    ),
    "degrees of freedom of a difference": (
        (differences, "df_of", lambda _, copies, most: most),
        "average_precision inverse 300 .1 noise=.3,1.5",
    ),
    "heavy negatives are removed": (
        (differences, "_lightened", lambda part: part.of_units),
        "average_precision normal 400 .3 noise=.5,.5 prevalence=.005",
    ),
    "few heavy negatives decide": (
        with_result(
            comparisons, "sample_to_compare", lambda it: it._replace(few_decide=False)
        ),
        "average_precision better 400 .5 noise=1,1 prevalence=.001",
    ),
    "degrees of freedom of few rows": (
        (differences, "df_of", lambda _, copies, most: most),
        "average_precision better 400 .5 noise=1,1 prevalence=.001",
    ),
    "the difference is added back": (
        (rules, "ADDED_BACK", 0.0),
        "average_precision better 30 .5 noise=1,1 sizes=1,60",
    ),
    "the t test of low scores": (
        (rules, "LOW_SCORE", 0.0),
        "average_precision hidden 40 .02 noise=1,1 sizes=1,60",
    ),
}


# Settings of rules that are gone, since the interval is right without them.
GONE = """
recall_at_k perfect 200 .1 k=40
recall_at_k chance 500 .05 k=25
average_precision hidden 2000 .01
average_precision perfect 20 .5 sizes=2,2,2,60 effect=.9 alike=.5
average_precision tasks 8 .5 sizes=1,1,1,60 effect=.3 alike=.9
""".strip().splitlines()


@pytest.mark.parametrize("text", GONE)
def test_settings_of_rules_that_are_gone(text):
    assert tally(FamilySetting("rule", text), N_SAMPLES).covers >= 0.93


@pytest.mark.parametrize("rule", RULES)
def test_without_a_rule_there_is_a_setting_that_fails(monkeypatch, rule):
    replaced, text = RULES[rule]
    setting = FamilySetting("rule", text)
    with_rule = tally(setting, N_SAMPLES)
    monkeypatch.setattr(*replaced)
    without = tally(setting, N_SAMPLES)
    if abs(setting.value) < 1e-12:  # equal models
        assert with_rule.rejects <= 0.07
        assert without.rejects > 0.08
        return
    assert with_rule.covers >= 0.91
    # A sample without an interval is not covered.
    assert without.covers * without.samples / N_SAMPLES < 0.9


def test_without_a_limit_of_levels_there_is_a_setting_that_fails(monkeypatch):
    """With the limit, the setting has no interval."""
    text = "interpolated_average_precision arcsine 1000 .25 recall_levels=5"
    setting = FamilySetting("rule", text)
    with pytest.raises(ValueError, match=r"the first positive reaches 20\.0%"):
        setting.ask(next(setting.samples(1)))
    monkeypatch.setattr(rules, "MOST_AT_FIRST", 1.0)
    assert tally(setting, N_SAMPLES).covers < 0.9


def share_rejected(shifts, sizes, share, n_samples=150, **options):
    """How often the test rejects the difference of two independent samples."""
    rng, pvalues = np.random.default_rng(0), []
    for _ in range(n_samples):
        samples = (
            {"y_true": label, "y_score": shift * label + rng.normal(size=n)}
            for n, shift in zip(sizes, shifts, strict=True)
            for label in [rng.random(n) < share]
        )
        found = compare_samples("average_precision", *samples, paired=False, **options)
        pvalues.append(found.pvalue)
    return np.mean(np.array(pvalues) <= 0.05)


def test_a_heavy_negative_of_independent_samples_counts_in_part(monkeypatch):
    """If it counts whole, no difference is found, and if not, equal models differ."""

    def rejected(*shifts):
        sizes = 100, 1000
        return share_rejected(shifts, sizes, 0.5, prevalence=0.05)

    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    assert rejected(2.4, 2.4) <= 0.05
    assert rejected(2.4, 1.8) > 0.3
    monkeypatch.setattr(rules, "POWER_OF_HEAVY_ALARM", 0.0)
    assert rejected(2.4, 2.4) > 0.08
    monkeypatch.setattr(rules, "POWER_OF_HEAVY_ALARM", 1.0)
    assert rejected(2.4, 1.8) < 0.05


def test_few_heavy_negatives_of_independent_samples_are_warned_of(monkeypatch):
    """From five negatives on that weigh as much as all positives, there is none."""

    def rejected(*sizes):
        return share_rejected((0.7, 0.7), sizes, 0.5, prevalence=0.05)

    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    with pytest.warns(UncertaintyWarning, match="Negatives are few and heavy"):
        assert rejected(100, 1000) > 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error", UncertaintyWarning)
        assert rejected(300, 3000) <= 0.08


def test_a_lost_positive_of_independent_samples_counts(monkeypatch):
    """A small sample without mistakes does not show how much its score varies."""

    def rejected():
        return share_rejected((5, 5), (400, 4000), 0.1)

    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    assert rejected() <= 0.05
    monkeypatch.setattr(differences, "hypot", lambda lost, alarm: alarm)
    assert rejected() > 0.08


def test_few_positives_have_a_permutation_test(monkeypatch):
    """Of the differences between 6 and 200 positives, Welch's test finds fewer."""
    monkeypatch.setattr(rules, "N_CHOICES", 199)
    monkeypatch.setattr(rules, "RARE", 0.0)
    found = share_rejected((0.5, 2), (60, 2000), 0.1, 60)
    assert share_rejected((1.5, 1.5), (60, 2000), 0.1, 60) <= 0.1
    monkeypatch.setattr(rules, "FEW_TO_PERMUTE", 0)
    assert share_rejected((0.5, 2), (60, 2000), 0.1, 60) < found - 0.2
