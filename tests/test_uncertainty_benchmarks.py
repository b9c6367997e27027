"""The benchmarks of intervals and tests: populations are what they say, and tiny runs of each table."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import expon, norm

import sklearn_ap
from benchmarks import (
    chance,
    comparisons,
    coverage,
    cross_validation,
    drawn_settings,
    many,
    populations,
    sample_sizes,
    tables,
    uncertainty_speed,
)
from benchmarks.populations import Pair, Population, normal

ALL = list(itertools.chain.from_iterable(coverage.SETTINGS.values()))
MANY = 1_000_000
POPULATIONS = {
    "normal": normal(0.1, 1.5),
    "mixed": Population(0.1, ((0.7, norm(2, 1)), (0.3, norm(0, 0.5)))),
    "exponential": Population(0.2, ((1.0, expon(0, 4)),), ((1.0, expon()),)),
    "ties": normal(0.2, 1, edges=(-0.5, 0.5, 1.5)),
    "found": normal(0.1, 1.5, found=0.6),
}


@pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)
def test_average_precision_is_that_of_very_many_rows(population):
    drawn = population.draw(np.random.default_rng(0), MANY)
    assert sklearn_ap.average_precision_score(**drawn) == pytest.approx(
        population.average_precision, abs=3e-3
    )


def test_cuts_and_levels_are_those_of_very_many_rows():
    population = normal(0.1, 1.5, 0.6)
    drawn = population.draw(np.random.default_rng(0), MANY)
    for k in (0.03, 0.2):
        expected = sklearn_ap.average_precision_at_k_score(**drawn, k=k)
        assert population.average_precision_at(k) == pytest.approx(expected, abs=3e-3)
    assert population.eleven_points() == pytest.approx(
        sklearn_ap.eleven_point_average_precision_score(**drawn), abs=5e-3
    )
    assert population.envelope.mean() == pytest.approx(
        sklearn_ap.interpolated_average_precision_score(**drawn), abs=3e-3
    )


def test_shift_gives_the_average_precision_asked_for():
    assert normal(0.05, populations.shift_for(0.4, 0.05, 2.0), 2.0).average_precision == pytest.approx(0.4)


def test_without_a_shift_average_precision_is_the_prevalence():
    assert normal(0.3, 0.0).average_precision == pytest.approx(0.3)


def test_both_models_of_a_pair_are_normal_populations():
    pair = Pair(0.2, (1.5, 1.0), (1.0, 2.0))
    drawn = pair.draw(np.random.default_rng(0), MANY)
    scores = [
        sklearn_ap.average_precision_score(drawn["y_true"], drawn[name])
        for name in ("y_score_a", "y_score_b")
    ]
    assert scores == pytest.approx(pair.average_precisions, abs=3e-3)
    negative = drawn["y_true"] == 0
    assert np.corrcoef(drawn["y_score_a"][negative], drawn["y_score_b"][negative])[0, 1] == pytest.approx(
        pair.correlation, abs=0.01
    )


@pytest.mark.parametrize("setting", ALL, ids=lambda setting: setting.name)
def test_samples_are_about_what_the_setting_says_of_the_population(setting):
    """Means of 15 samples lie near the value of the population; flat curves are known to be biased.

    The mean over many columns keeps the bias of each, while its spread shrinks.
    """
    bound = 3 if setting.name.endswith("labels of 2 %, macro") else 1.3
    how = {"method", "n_resamples"}  # asked of the estimate, not of the score
    options = {name: value for name, value in setting.options.items() if name not in how}
    values = []
    for rng in coverage.generators(setting.name, 15):
        drawn = setting.draw(rng)
        drawn.pop("unit_id", None)
        if "y_score_a" in drawn:
            scores = drawn.pop("y_score_a"), drawn.pop("y_score_b")
            first, second = (setting.score(y_score=one, **drawn, **options) for one in scores)
            values.append(first - second)
        elif drawn["y_true"].any():
            values.append(setting.score(**drawn, **options))
    assert abs(np.mean(values) - setting.target()) < bound * np.std(values)


def test_settings_have_names_of_their_own():
    assert len({setting.name for setting in ALL}) == len(ALL) >= 150
    assert next(iter(coverage.SETTINGS)) == "Where intervals failed"


def test_a_row_of_coverage_says_how_many_samples_warn():
    failing, fresh = (coverage.SETTINGS[name] for name in ("Where intervals failed", "Fresh settings"))
    assert coverage.row_of(failing[2], 3)[3:6:2] == ["100%", ""]
    silent = next(one for one in fresh if one.name == "150 of 300 rows, AP .9")
    row = coverage.row_of(silent, 3)
    assert row[3:6] == ["0%", row[5], row[5]]


@pytest.mark.parametrize(
    ("warned", "covered", "outside"),
    [
        ("0%", ".950", False),
        ("0%", ".930", False),
        ("49%", ".929", True),
        ("50%", ".929", False),
        ("0%", "1.000", True),
    ],
)
def test_settings_outside_the_band_are_listed_unless_half_of_the_samples_warn(warned, covered, outside):
    assert coverage.is_outside(["setting", "20", ".500", warned, covered, covered]) == outside


def test_drawn_settings_depend_on_their_seed_alone():
    names, others = ([one.name for one in drawn_settings.drawn_settings(seed)] for seed in (27, 28))
    assert names == [one.name for one in drawn_settings.SETTINGS["Drawn at random"]]
    assert not set(names) & set(others)


def test_thinned_samples_keep_the_classes_of_their_population():
    setting = next(one for one in coverage.SETTINGS["Fresh settings"] if "exponential" in one.name)
    assert setting.draw(np.random.default_rng(0))["y_score"].min() >= 0


@pytest.mark.parametrize("group", coverage.SETTINGS)
def test_row_of_coverage(group):
    setting = coverage.SETTINGS[group][0]
    row = coverage.row_of(setting, 3)
    assert len(row) == len(coverage.HEADERS)
    assert row[0].startswith(setting.name)
    assert row == coverage.row_of(setting, 3)  # samples depend on the name alone


def test_tally_counts_where_intervals_lie():
    ends = np.array([[[0.1, 0.2]], [[0.3, 0.6]], [[0.7, 0.8]], [[np.nan, np.nan]]])
    tally = coverage.Tally(ends, np.ones(4), np.array([True, False, False, False]))
    assert tally.silent(0.5) == pytest.approx(1 / 2)
    assert tally.silent(0.15) == 0
    assert tally.covered(0.5) == pytest.approx([1 / 3])
    assert tally.missed(0.5) == pytest.approx((1 / 3, 1 / 3))
    assert tally.missed(0.9) == pytest.approx((0, 1))
    assert tally.width == pytest.approx(0.5 / 3)
    assert tally.given.mean() == 0.75


def test_rows_of_comparisons():
    of_rows, of_queries = comparisons.of_rows(), comparisons.of_query_sets()
    row = comparisons.rows(of_rows[:1], comparisons.ROW_TESTS, 3, 2)[0]
    assert [row[0], len(row)] == [of_rows[0].name, 1 + len(comparisons.ROW_TESTS)]
    for one in comparisons.of_margins()[2:4]:  # equivalence, of a model that is worse and of one that is not
        drawn = one.draw(np.random.default_rng(0))
        assert (drawn["alternative"], drawn["margin"]) == ("equivalence", 0.1)
        assert 0 <= comparisons.MARGIN_TESTS["paired t"](drawn, np.random.default_rng(0)) <= 1
    row = comparisons.rows(of_queries[:1], comparisons.QUERY_TESTS, 3, 2)[0]
    assert [row[0], len(row)] == [of_queries[0].name, 1 + len(comparisons.QUERY_TESTS)]


@pytest.mark.parametrize("setting", many.SETTINGS, ids=lambda setting: setting.name)
def test_row_of_many_models(setting):
    drawn = setting.sample(np.random.default_rng(0), 3, better=True)
    scores = [
        sklearn_ap.average_precision_score(drawn["y_true"], one, query_id=drawn.get("query_id"))
        for one in drawn["y_score"].values()
    ]
    assert scores[0] > max(scores[1:])
    row = many.row_of(setting, 3, 2)
    assert row[:3] == [setting.name, "3", "3"]
    assert len(row) == len(many.HEADERS)


def test_large_gains_in_few_queries_make_up_for_the_losses_in_the_others():
    kind = {"won": 0.1, "lift": 4.0, "loss": comparisons.loss_for(0.1, 4.0)}
    difference = comparisons.of_queries(comparisons.draw_two(np.random.default_rng(1), 20_000, **kind))
    assert abs(difference.mean()) < 0.01
    assert np.median(difference) < 0
    assert np.mean(difference < 0) > 1.2 * np.mean(difference > 0)


def test_true_average_precision_of_a_linear_model():
    setting = cross_validation.SETTINGS[0]
    coefficients = np.random.default_rng(0).normal(size=setting.few) + 0.5
    rng, scores, labels = np.random.default_rng(1), [], []
    for _ in range(500):
        features, y = setting.draw(rng)
        scores.append(features[:, : setting.few] @ coefficients)
        labels.append(y)
    expected = sklearn_ap.average_precision_score(np.concatenate(labels), np.concatenate(scores))
    assert setting.true_average_precision(coefficients) == pytest.approx(expected, abs=0.01)


def test_repeated_folds_begin_with_the_folds_that_are_not_repeated():
    row = cross_validation.row_of_repeated(cross_validation.REPEATED[0], 1, repeats=(1, 2))
    assert len(row) == 3
    assert set(row[1:]) <= {".000", "1.000"}
    indices = {"train": [[0], [1], [2]], "test": [[3], [4], [5]]}
    first = cross_validation._first_folds({"test_score": np.arange(3.0), "indices": indices}, 2)
    assert first["test_score"].tolist() == [0, 1]
    assert first["indices"] == {"train": [[0], [1]], "test": [[3], [4]]}


def test_rows_of_cross_validation():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one, two = cross_validation.rows_of(cross_validation.SETTINGS[0], 2)
    assert [len(one), len(two)] == [6, 4]
    assert {len(row) for row in one + two} == {len(cross_validation.HEADERS)}


@pytest.mark.parametrize(
    "settings", [sample_sizes.without_pilot, sample_sizes.with_pilot, sample_sizes.comparisons]
)
def test_rows_of_sample_sizes(settings):
    row = sample_sizes.row_of(replace(settings()[4], n_pilot=3_000), 3)
    assert len(row) == len(sample_sizes.HEADERS)
    assert int(row[1].replace(",", "")) < int(row[2].replace(",", ""))


def test_row_of_pilots():
    row = sample_sizes.of_pilots(20, 0.5, 0.05, 3)
    assert len(row) == len(sample_sizes.PILOT_HEADERS)
    assert float(row[-1]) > 0


@pytest.mark.parametrize("kind", uncertainty_speed.KINDS)
def test_row_of_speed(kind):
    row = uncertainty_speed.interval_row(np.random.default_rng(0), 1_000, 0.1, kind, 0.0)
    assert len(row) == len(uncertainty_speed.INTERVAL)
    assert float(row[-1]) > 0


def test_row_of_resampling():
    row = uncertainty_speed.resampled_row(np.random.default_rng(0), 2_000, 0.1, 400, 0.0)
    assert len(row) == len(uncertainty_speed.RESAMPLED)


@pytest.mark.parametrize(
    ("value", "text"), [(0.95, ".950"), (1.0, "1.000"), (0.0, ".000"), (10.5, "10.500"), (-0.013, "-.013")]
)
def test_share(value, text):
    assert tables.share(value) == text


@pytest.mark.parametrize("sizes", chance.SIZES)
def test_queries_of_chance_differ_in_size_and_have_a_pvalue(sizes):
    given = chance.queries(sizes, 30)
    assert len(set(zip(given.n_positives.tolist(), given.n_samples.tolist(), strict=True))) == 30
    assert ((given.score > 0) & (given.score <= 1)).all()
    each, means = (chance.of_ours(given, 99, in_groups=in_groups) for in_groups in (False, True))
    assert [each.size, means.size] == [30, 3]
    assert each.min() > 0
