"""The permutation test of two independent samples: its definition, its laws, and which
samples have it.
"""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from brief import one_in
from sklearn_ap import compare_samples
from sklearn_ap._core.scorer_names import function_of
from sklearn_ap._uncertainty import rules


def drawn(seed, n, n_positives, shift=1.0, decimals=9):
    """A sample of n rows, whose scores have this number of decimals."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(n) % (n // n_positives) == 0
    score = rng.normal(size=n) + shift * y_true
    return {"y_true": y_true, "y_score": score.round(decimals)}


def places(sample, ranking):
    """The share of the rows of its ranking that is above each row, with half of those
    that tie with it, in the weights of the sample.
    """
    score, n = sample["y_score"], len(sample["y_score"])
    weight = [Fraction(float(w)) for w in sample.get("sample_weight", np.ones(n))]

    def share_above(i):
        own = [j for j in range(n) if ranking[j] == ranking[i]]
        above = sum(weight[j] for j in own if score[j] > score[i])
        tied = sum(weight[j] for j in own if score[j] == score[i])
        return (above + tied / 2) / sum(weight[j] for j in own)

    return [share_above(i) for i in range(n)]


def share_of_choices(score, samples, **options):
    """The share of all choices of the units that differ by at least as much, by the
    public score, among those with a positive on both sides.
    """
    function, params = function_of(score, options)
    rows, units, totals = joined(samples)
    every = sorted({*units} | {(i, unit) for _, i, unit in totals})

    def score_of(chosen):
        kept = np.array([unit in chosen for unit in units])
        own = {name: values[kept] for name, values in rows.items()}
        sums = {}
        for (query, *unit), number in totals.items():
            if tuple(unit) in chosen:
                sums[query] = sums.get(query, 0) + number
        if not (sum(sums.values()) if totals else own["y_true"].any()):
            return np.nan
        if not kept.any():
            return 0.0
        if totals:
            own["n_positives"] = sums if "query_id" in own else sums[0]
        return function(**own, **params, zero_division=0.0)

    first = {unit for unit in every if unit[0] == 0}
    power = max(1 / 3, score_of({*every}))
    distances = {}
    for chosen in map(frozenset, combinations(every, len(first))):
        a, b = score_of(chosen), score_of({*every} - chosen)
        if not np.isnan([a, b]).any():
            distances[chosen] = round(abs(a**power - b**power), 12)
    return np.mean(np.array([*distances.values()]) >= distances[frozenset(first)])


def joined(samples):
    """The rows of two samples with places as scores, the sample and the unit of each
    row, and the totals of each query (or 0), sample and unit.
    """
    rows, units, totals = {}, [], {}
    for i, sample in enumerate(samples):
        own = {"unit_id": np.arange(len(sample["y_true"])), **sample}
        for key, number in own.pop("n_positives", {}).items():
            query, unit = key if isinstance(key, tuple) else (0, key)
            totals[query, i, unit] = number
        query = own.get("query_id", np.zeros(len(own["y_true"])))
        own["y_score"] = places(own, query)
        units += [(i, unit) for unit in own.pop("unit_id")]
        if "sample_weight" in own:
            own["sample_weight"] = own["sample_weight"] / own["sample_weight"].mean()
        for name, values in own.items():
            rows[name] = [*rows.get(name, []), *values]
    order = {share: -i for i, share in enumerate(sorted({*rows["y_score"]}))}
    rows["y_score"] = [order[share] for share in rows["y_score"]]
    return {name: np.array(values) for name, values in rows.items()}, units, totals


FIRST, SECOND = drawn(1, 5, 2, 2), drawn(2, 7, 3, 0)
UNITS = {"unit_id": np.array([0, 0, 1, 2, 2, 2, 3, 3])}
OF_UNITS = drawn(3, 8, 3) | UNITS, drawn(4, 8, 4) | UNITS
IMAGES = np.array([0, 0, 1, 1, 2, 2, 3, 3])
CLASSES = {"unit_id": IMAGES, "query_id": np.array([0, 1, 1, 0, 0, 1, 1, 0])}
# The second query has no rows of the first unit.
OF_SOME = {"unit_id": IMAGES, "query_id": np.array([1, 1, 1, 2, 2, 2, 2, 2])}
MISSED = {0: 2, 1: 1, 2: 2, 3: 2, 4: 1}
TIED = drawn(5, 6, 2, decimals=0), drawn(6, 6, 3, decimals=0)
WEIGHTED = (
    FIRST | {"sample_weight": np.array([1, 2, 3, 1, 1.0])},
    SECOND | {"sample_weight": np.array([30, 10, 10, 20, 10, 10, 40.0])},
)


def with_missed(sample):
    """The sample with a total of each query and unit: every third one missed one more."""
    ids = sample["query_id"].tolist(), sample["unit_id"].tolist()
    pairs = dict.fromkeys(sorted(zip(*ids, strict=True)), 0)
    for *pair, label in zip(*ids, sample["y_true"], strict=True):
        pairs[tuple(pair)] += int(label)
    totals = {pair: n + (i % 3 == 0) for i, (pair, n) in enumerate(pairs.items())}
    return sample | {"n_positives": totals}


# The units 1 and 2 of the first sample, and 2 and 3 of the second one, have no rows.
WITHOUT_ROWS = (
    {
        "y_true": np.array([1, 0]),
        "y_score": np.array([2, 1]),
        "unit_id": np.array([0, 0]),
        "n_positives": {0: 1, 1: 1, 2: 1},
    },
    {
        "y_true": np.array([1, 0, 1, 0]),
        "y_score": np.array([1, 2, 3, 4]),
        "unit_id": np.array([0, 0, 1, 1]),
        "n_positives": {0: 1, 1: 1, 2: 1, 3: 2},
    },
)
# The score, both samples and the options of the score.
DEFINED = {
    "rows": ("average_precision", (FIRST, SECOND), {}),
    "ties": ("average_precision", TIED, {}),
    # All rows of the first one are positive, and half of the second one.
    "positives": ("average_precision", (drawn(1, 3, 3), drawn(2, 8, 4)), {}),
    "weights": ("average_precision", WEIGHTED, {}),
    "a prevalence": ("average_precision", (FIRST, SECOND), {"prevalence": 0.1}),
    "a cut": ("average_precision@2", (FIRST, SECOND), {}),
    "interpolated": ("interpolated_average_precision", TIED, {}),
    "R": ("r_precision", (FIRST, SECOND), {}),
    "units": ("average_precision", OF_UNITS, {}),
    "missed": (
        "average_precision",
        [each | {"n_positives": MISSED} for each in OF_UNITS],
        {},
    ),
    "units without rows": ("average_precision", WITHOUT_ROWS, {}),
    "queries": ("average_precision", [each | CLASSES for each in OF_UNITS], {}),
    "missed of queries": (
        "average_precision",
        [with_missed(each | CLASSES) for each in OF_UNITS],
        {},
    ),
    "queries of some units": (
        "average_precision",
        [each | OF_SOME for each in OF_UNITS],
        {},
    ),
    "missed of queries of some units": (
        "average_precision",
        [with_missed(each | OF_SOME) for each in OF_UNITS],
        {},
    ),
}


@pytest.mark.filterwarnings("ignore::UserWarning")  # few positives
@pytest.mark.parametrize("name", DEFINED)
def test_few_units_have_the_share_of_all_choices(name):
    score, samples, options = DEFINED[name]
    found = compare_samples(score, *samples, paired=False, **options)
    assert found.test == "permutation"
    expected = share_of_choices(score, samples, **options)
    assert found.pvalue == pytest.approx(expected, rel=1e-12)
    assert 0 < found.pvalue <= 1


# --- laws -----------------------------------------------------------------------------

BIG = drawn(9, 60, 20), drawn(10, 90, 30, 1.6)
OF_PATIENTS = [each | {"unit_id": np.arange(len(each["y_true"])) // 4} for each in BIG]
# All rows of a patient have one label, and the shares of positives are .33 and .6.
OF_ONE_LABEL = [
    each | {"y_true": each["unit_id"] % period < n}
    for each, period, n in zip(OF_PATIENTS, (3, 5), (1, 3), strict=True)
]
WITH_WEIGHTS = [
    each | {"sample_weight": 1 + np.arange(len(each["y_true"])) % 3} for each in BIG
]
KINDS = {
    "rows": (BIG, {}),
    "patients": (OF_PATIENTS, {}),
    "patients of one label": (OF_ONE_LABEL, {}),
    "weights": (WITH_WEIGHTS, {}),
    "one size": ((drawn(10, 60, 20), drawn(31, 60, 20, 1.6)), {}),
    "a prevalence": (BIG, {"prevalence": 0.1}),
}


@pytest.fixture
def few_choices(monkeypatch):
    monkeypatch.setattr(rules, "N_CHOICES", 99)
    monkeypatch.setattr(rules, "RARE", 0.0)


CHANGES = {
    "another order of rows": lambda it: {
        name: values[np.random.default_rng(0).permutation(len(values))]
        for name, values in it.items()
    },
    "another scale": lambda it: it | {"y_score": np.exp(it["y_score"] - 100)},
    "another type": lambda it: (
        it | {"y_score": it["y_score"].argsort().argsort().astype("f4")}
    ),
    "other names": lambda it: (
        it | {"unit_id": it.get("unit_id", np.arange(len(it["y_true"]))) * -7}
    ),
    "other weights": lambda it: (
        it | {"sample_weight": 9 * it.get("sample_weight", np.ones(len(it["y_true"])))}
    ),
}


@pytest.mark.usefixtures("few_choices")
@pytest.mark.parametrize(("kind", "change"), one_in(2, product(KINDS, CHANGES)))
def test_what_changes_no_score_changes_no_pvalue(kind, change):
    samples, options = KINDS[kind]
    options = {"paired": False, **options}
    found = compare_samples("average_precision", *samples, **options)
    assert (found.test, found.pvalue < 1) == ("permutation", True)
    first, second = samples
    for pair in (
        (CHANGES[change](first), second),
        (first, CHANGES[change](second)),
        (CHANGES[change](second), CHANGES[change](first)),
    ):
        again = compare_samples("average_precision", *pair, **options)
        assert again.pvalue == found.pvalue


# --- the smallest p-values, and where there is another test ----------------------------


def test_the_least_pvalue_is_that_of_the_number_of_choices():
    good, bad = drawn(1, 100, 50, 4), drawn(2, 100, 50, 0)
    found = compare_samples("average_precision", good, bad, paired=False)
    assert found.pvalue == 1 / 10_000
    assert "p = 0.0001" in str(found)
    numbers = found.to_dict()
    assert (numbers["statistic"], numbers["df"]) == (None, None)
    assert numbers["test"] == "permutation"
    # With 2,050 rows in place of 200, 999 choices are all that are made.
    many = drawn(2, 1950, 975, 0)
    found = compare_samples("average_precision", good, many, paired=False)
    assert found.pvalue == 1 / 1000


def test_a_test_excludes_0_at_its_own_level_and_not_beyond():
    found = compare_samples("average_precision", *BIG, paired=False)
    for factor in (0.999, 1.001):
        low, high = found.confidence_interval(1 - factor * found.pvalue)
        assert (low <= 0 <= high) == (factor < 1)


LARGE = drawn(1, 800, 200), drawn(2, 800, 200, 2)
OTHERS = {
    "200 positives": (LARGE, {}),
    "many rows": ((drawn(1, 15_000, 30), drawn(2, 6_000, 12)), {}),
    "unlike shares": ((drawn(1, 100, 10), drawn(2, 100, 50)), {}),
    "unlike shares at a prevalence": (
        (drawn(1, 100, 10), drawn(2, 100, 50)),
        {"prevalence": 0.2},
    ),
    # A third of the rows of both is positive, and .11 and .33 of the weight.
    "unlike shares of the weight": (
        (BIG[0] | {"sample_weight": 4 - 3 * BIG[0]["y_true"]}, BIG[1]),
        {},
    ),
    "pairs": (
        [
            each | {"unit_id": np.arange(120).reshape(60, 2) % 11}
            for each in (BIG[0],) * 2
        ],
        {},
    ),
    "drawn queries": (
        [each | {"query_id": each["y_true"].cumsum() // 2} for each in BIG],
        {},
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_samples_have_the_test_of_welch(name, monkeypatch):
    monkeypatch.setattr(rules, "RARE", 0.0)
    samples, options = OTHERS[name]
    found = compare_samples("average_precision", *samples, paired=False, **options)
    assert found.test == "t"
    one = [{key: v[:-4] for key, v in each.items()} for each in samples]
    if name == "200 positives":
        found = compare_samples("average_precision", *one, paired=False, **options)
        assert found.test == "permutation"
