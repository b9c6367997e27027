"""Results print one line each, with the interval if there is one."""

import json

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap

AP = ap.average_precision_score

RNG = np.random.default_rng(3)
Y_TRUE = (RNG.random(100) < 0.3).astype(int)
Y_SCORE = RNG.normal(size=100) + Y_TRUE
ROWS = Y_TRUE, Y_SCORE


def compared():
    second = 0.6 * Y_SCORE + np.random.default_rng(3).random(100)
    return ap.compare_scores(AP, *ROWS, second)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, int),
        ({"query_id": np.arange(100) % 12, "zero_division": 0}, int),
        ({"sample_weight": RNG.integers(1, 9, 100) / 4}, float),
    ],
    ids=["rows", "queries", "weights"],
)
def test_counts_of_positives_print_as_counts(options, kind):
    """They are not printed as 30.0."""
    assert isinstance(ap.estimate_score(AP, *ROWS, **options).n_effective, kind)


MANY = "ap.compare_many(AP, Y_TRUE, {'new': Y_SCORE, '<b>old</b>': -Y_SCORE})"
# A call of each kind of result, which looks up the function by its name.
RESULTS = [
    "ap.estimate_score(AP, *ROWS)",
    "ap.estimate_score(AP, [1] * 20, range(20))",
    "compared()",
    "ap.operating_point(*ROWS, recall=0.5)",
    "ap.operating_point(*ROWS, threshold=0.5)",
    "ap.budget_totals(*ROWS, k=2, query_id=np.arange(100) % 5)",
    MANY,
]
of_each = pytest.mark.parametrize("call", RESULTS)


def result_of(call):
    return eval(call)


@of_each
def test_a_result_shows_its_class_its_score_and_its_text(call):
    found = result_of(call)
    score = found.to_dict().get("score_name")
    of_score = f" of {score}" if score else ""
    end = "\n>" if "\n" in str(found) else ">"
    assert repr(found) == f"<{type(found).__name__}{of_score}: {found}{end}"


# Keys that a result inside of another result does not have.
OWN = "schema", "kind", "confidence_level"
KINDS = {
    "BudgetTotals": "budget_totals",
    "ManyComparisons": "many_comparisons",
    "OperatingPoint": "operating_point",
    "ScoreComparison": "score_comparison",
    "ScoreEstimate": "score_estimate",
}


def in_json(value):
    """Return a value as in JSON, where NaN and infinity are null."""
    if hasattr(value, "to_dict"):
        return {key: each for key, each in value.to_dict().items() if key not in OWN}
    if np.ndim(value):
        return list(map(in_json, value))
    value = getattr(value, "item", lambda: value)()
    if value is None or isinstance(value, str):
        return value
    return value if np.isfinite(value) else None


@of_each
@pytest.mark.filterwarnings("ignore:The confidence interval is NaN")
def test_json_has_the_numbers_of_a_result(call):
    found = result_of(call)
    numbers = found.to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert [numbers.pop(key) for key in OWN] == [1, KINDS[type(found).__name__], 0.95]
    if hasattr(found, "standard_error"):
        ends = [numbers.pop("low"), numbers.pop("high")]
        assert ends == in_json(found.confidence_interval())
        assert numbers.pop("score_name") == "average_precision"
        assert numbers.pop("options") == {}
    if isinstance(found, ap.OperatingPoint):
        shares = {name: [*row.values()] for name, row in numbers.pop("shares").items()}
        assert shares == {
            name: in_json([*row.values()]) for name, row in found._shares().items()
        }
    # As in a frame, in which each pair of models is a row.
    for fields, one in (
        ("pairs", "model"),
        ("scores", "score"),
        ("prevalences", "prevalence"),
    ):
        if hasattr(found, fields):
            pair = [numbers.pop(f"{one}_{side}") for side in "ab"]
            assert in_json(np.transpose(pair)) == in_json(getattr(found, fields))
    wanted = {name: in_json(getattr(found, name)) for name in numbers}
    if "test" in numbers:
        # Where signs were counted, there is no statistic, and no degrees of freedom.
        counts_signs = np.array(found.test) == "signs"
        assert counts_signs.all()
        for name in ("statistic", "df"):
            assert np.ravel(numbers[name]).tolist() == [None] * counts_signs.size
            wanted[name] = numbers[name]
    assert numbers == wanted


def test_a_comparison_says_which_test_it_made():
    query = np.arange(100) % 20
    scores = {"a": Y_SCORE, "b": -Y_SCORE, "same": Y_SCORE}
    many = ap.compare_many(
        AP, Y_TRUE, scores, reference="a", query_id=query, zero_division=0.0
    )
    numbers = many.to_dict()
    assert (many.test, numbers["test"]) == (("t", None), ["t", None])
    assert numbers["df"][0] == many.df[0]
    assert ap.compare_scores(AP, *ROWS, Y_SCORE).test is None


def test_frames_begin_with_the_name_of_the_score():
    estimates = [ap.estimate_score(name, *ROWS) for name in ("recall@5", "precision@5")]
    assert [*estimates[0].to_frame()][:2] == ["score_name", "score"]
    frame = pd.DataFrame([each.to_dict() for each in estimates])
    assert frame["score_name"].tolist() == ["recall@5", "precision@5"]
    assert not frame.columns.str.startswith("_").any()


def test_comparisons_name_their_options():
    options = {"prevalence": 0.25}
    found = ap.compare_scores("pr_auc_linear", *ROWS, -Y_SCORE, **options)
    assert found.to_dict()["options"] == options


def test_frame_of_many_has_a_row_per_pair():
    found = result_of(MANY)
    frame = found.to_frame()
    assert tuple(zip(frame["model_a"], frame["model_b"], strict=True)) == found.pairs
    np.testing.assert_array_equal(frame["difference"], found.difference)
    np.testing.assert_array_equal(
        frame[["low", "high"]].to_numpy().T, found.confidence_interval()
    )
