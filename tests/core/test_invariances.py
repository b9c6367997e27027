"""All scores by the properties they have; each exception stands in the table with its
reason.
"""

from dataclasses import dataclass
from inspect import signature
from typing import Any, get_args

import numpy as np
import pytest

import sklearn_ap
from metrics import ALL_SCORES, LEVELS, counts_weight, example_of, options_of
from oracles import scores as oracle
from sklearn_ap._core.reading.options import RANKED_TIES
from sklearn_ap._core.typing import TieOrder

ROWS = 40


@dataclass(frozen=True)
class Score:
    """A public score with options."""

    name: str
    options: dict[str, Any]

    def __call__(self, y_true, y_score, **arguments):
        return getattr(sklearn_ap, self.name)(
            y_true, y_score, **{**self.options, **arguments}
        )


def _at_k(name: str) -> dict[str, Score]:
    options = {
        "": {"k": 7},
        " share": {"k": 0.25},
        **{f" {ties}": {"k": 7, "ties": ties} for ties in RANKED_TIES},
    }
    return {
        name.removesuffix("_score") + variant: Score(name, given)
        for variant, given in options.items()
    }


def _variants(score) -> dict[str, Score]:
    """A score as it is, and at two cuts, with each order of equal scores, with another
    value of each other option, and at a prevalence, if it has these.

    One that requires a level gets it.
    """
    name, parameters = score.__name__, signature(score).parameters
    short = name.removesuffix("_score")
    found = {short: Score(name, LEVELS.get(name, {}))}
    if "k" in parameters:
        found |= {
            f"{short} 7 rows": Score(name, {"k": 7}),
            f"{short} share": Score(name, {"k": 0.05}),
        }
    if "ties" in parameters:
        cut = {"k": 2} if "k" in parameters else {}
        orders = get_args(TieOrder)
        found |= {
            f"{short} {ties}": Score(name, {"ties": ties, **cut}) for ties in orders
        }
    for option in options_of(score):
        if option not in ("k", "ties", *found[short].options):
            value, more = example_of(option)
            found[f"{short} {option}"] = Score(name, {option: value, **more})
    if "prevalence" in parameters:
        found[f"{short} at 0.2"] = Score(
            name, {**found[short].options, "prevalence": 0.2}
        )
    return found


_WITH_OPTIONS: dict[str, Score] = {
    "average_precision": Score("average_precision_score", {}),
    "average_precision to recall": Score(
        "average_precision_score", {"max_recall": 0.4}
    ),
    "interpolated": Score("interpolated_average_precision_score", {}),
    "interpolated 41": Score(
        "interpolated_average_precision_score", {"recall_levels": 41}
    ),
    "interpolated grid": Score(
        "interpolated_average_precision_score", {"recall_levels": [0.0, 0.25, 0.5]}
    ),
    "interpolated to recall": Score(
        "interpolated_average_precision_score", {"max_recall": 0.4}
    ),
    "eleven_point": Score("eleven_point_average_precision_score", {}),
    "linear": Score("pr_auc_score", {}),
    "davis_goadrich": Score("pr_auc_score", {"interpolation": "davis-goadrich"}),
    **_at_k("average_precision_at_k_score"),
    "average_precision_at_k all": Score("average_precision_at_k_score", {"k": None}),
    **{
        f"average_precision_at_k {divisor}": Score(
            "average_precision_at_k_score", {"k": 7, "normalizer": divisor}
        )
        for divisor in ("n_positives", "k", "hits")
    },
    **_at_k("precision_at_k_score"),
    **_at_k("recall_at_k_score"),
    "r_precision": Score("r_precision_score", {}),
    "r_precision stable": Score("r_precision_score", {"ties": "stable"}),
    "r_precision expected": Score("r_precision_score", {"ties": "expected"}),
    "recall_at_precision": Score("recall_at_precision_score", {"precision": 0.375}),
    "recall_at_precision high": Score("recall_at_precision_score", {"precision": 0.8}),
}
_KNOWN = {score.name for score in _WITH_OPTIONS.values()}
_AREAS = (
    "average_precision",
    "interpolated",
    "interpolated 41",
    "eleven_point",
    "linear",
    "davis_goadrich",
)
SCORES = _WITH_OPTIONS | {
    f"{name} at 0.2": Score(
        _WITH_OPTIONS[name].name, {**_WITH_OPTIONS[name].options, "prevalence": 0.2}
    )
    for name in _AREAS
}
for score in ALL_SCORES:
    if score.__name__ not in _KNOWN:
        SCORES |= _variants(score)

ORDERED = [
    name
    for name in SCORES
    if name.split()[-1] in ("expected", "optimistic", "pessimistic")
]
STABLE = [name for name in SCORES if name.endswith("stable")]
OF_RANKS = [
    name
    for name, score in SCORES.items()
    if not counts_weight(getattr(sklearn_ap, score.name))
]
AT_PREVALENCE = [name for name in SCORES if name.endswith("at 0.2")]
CUT = [
    name
    for name in SCORES
    if "_at_k" in name and not name.endswith("all") and name not in OF_RANKS
]

RECALLS = [name for name in CUT if name.startswith("recall")]

_OF_OPTIONS: dict[str, dict[str, str]] = {
    "row order": dict.fromkeys(STABLE, "equal scores count in the order of the rows"),
    "repetition": {
        **dict.fromkeys(
            CUT,
            "a cut counts rows: a repeated row takes two places, a heavy one only one",
        ),
        **dict.fromkeys([*ORDERED, *OF_RANKS], "refuses unequal weights"),
    },
    "unequal weights": {
        **dict.fromkeys(
            ORDERED, "no closed form, or no order that 'positives first' would name"
        ),
        **dict.fromkeys(OF_RANKS, "a rank counts rows, so weights would not change it"),
    },
    "perfect": dict.fromkeys(
        [*RECALLS, "average_precision_at_k n_positives"],
        "7 rows hold at most 7 of 15 positives",
    ),
    "constant": {
        **dict.fromkeys(RECALLS, "k = 7 of 40 rows find that share of the positives"),
        **{
            name: "at k = 7 its normalizer is not the number of positives"
            for name in CUT
            if name.startswith("average_precision_at_k") and name.split()[-1] != "hits"
        },
        "linear": "starts at precision 1, so it is (1 + pi) / 2",
        **dict.fromkeys(OF_RANKS, "of ranks, not of precisions"),
        **dict.fromkeys(
            ("recall_at_precision", "recall_at_precision high"),
            "all positives are found, or none",
        ),
        **dict.fromkeys(AT_PREVALENCE, "the share of positives is the stated one"),
        **{
            name: "an order of equal scores is no constant score"
            for name in (*STABLE, *ORDERED)
            if name != "precision_at_k expected" and name != "r_precision expected"
        },
    },
}


def _broken_by(name: str) -> dict[str, str]:
    """The laws that the definition of a score breaks with any options, and why."""
    return oracle.BREAKS.get(SCORES[name].name.removesuffix("_score"), {})


EXCEPTIONS = {
    law: names
    | {name: _broken_by(name)[law] for name in SCORES if law in _broken_by(name)}
    for law, names in _OF_OPTIONS.items()
}


def having(*kinds: str) -> list[str]:
    """Return all scores without an exception from any of the properties."""
    return [
        score
        for score in SCORES
        if not any(score in EXCEPTIONS[kind] for kind in kinds)
    ]


def data(seed: int = 0, n: int = ROWS):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) < 15).astype(int)
    return labels, rng.integers(0, 9, n) / 8, rng.integers(1, 4, n).astype(float)


def close(value):
    return pytest.approx(value, abs=1e-14, rel=0)


def test_every_score_is_in_the_table():
    assert {score.name for score in SCORES.values()} == {
        function.__name__ for function in ALL_SCORES
    }
    varied = {
        (score.name, option) for score in SCORES.values() for option in score.options
    }
    for function in ALL_SCORES:
        for option in options_of(function):
            assert (function.__name__, option) in varied, "add a row to _WITH_OPTIONS"
    assert {name for names in EXCEPTIONS.values() for name in names} <= set(SCORES)
    assert set(oracle.BREAKS) <= {
        score.name.removesuffix("_score") for score in SCORES.values()
    }


@pytest.mark.parametrize("name", having("row order"))
def test_row_order(name):
    labels, scores, _ = data()
    order = np.random.default_rng(1).permutation(ROWS)
    query = order % 3
    assert SCORES[name](labels[order], scores[order]) == SCORES[name](labels, scores)
    assert SCORES[name](labels[order], scores[order], query_id=query[order]) == SCORES[
        name
    ](labels, scores, query_id=query)


@pytest.mark.parametrize("name", having("repetition"))
def test_repeated_row_is_weight_2(name):
    labels, scores, weights = data()
    times = weights.astype(int)
    repeated = SCORES[name](labels.repeat(times), scores.repeat(times))
    assert SCORES[name](labels, scores, sample_weight=weights) == close(repeated)


@pytest.mark.parametrize("name", SCORES)
def test_weight_0_is_no_row(name):
    labels, scores, weights = data()
    kept = np.arange(ROWS) % 3 > 0
    weights = kept * (1 if name in EXCEPTIONS["unequal weights"] else weights)
    expected = SCORES[name](labels[kept], scores[kept], sample_weight=weights[kept])
    assert SCORES[name](labels, scores, sample_weight=weights) == expected


@pytest.mark.parametrize("name", SCORES)
def test_scale_of_weights(name):
    labels, scores, weights = data()
    if name in EXCEPTIONS["unequal weights"]:
        weights = np.ones(ROWS)
    expected = close(SCORES[name](labels, scores, sample_weight=weights))
    for scale in (2.0**-40, 1e-7, 3.0, 1e140):
        assert (
            SCORES[name](labels, scores, sample_weight=scale * weights) == expected
        ), scale


@pytest.mark.parametrize("name", SCORES)
def test_increasing_map_of_scores(name):
    labels, scores, _ = data()
    expected = SCORES[name](labels, scores)
    for increasing in (np.exp, np.cbrt, lambda s: 3 * s - 100, np.float32):
        assert SCORES[name](labels, increasing(scores)) == expected, increasing


@pytest.mark.parametrize("name", SCORES)
def test_names_of_labels(name):
    labels, scores, _ = data()
    expected = SCORES[name](labels, scores)
    for names in (("no", "yes"), (-1, 1), (False, True), (7, 2), (0.0, 0.5 * 2)):
        assert (
            SCORES[name](np.array(names)[labels], scores, pos_label=names[1])
            == expected
        ), names


@pytest.mark.parametrize("name", SCORES)
def test_a_query_is_that_query_alone(name):
    labels, scores, _ = data()
    query = np.random.default_rng(2).integers(0, 3, ROWS)
    values = SCORES[name](labels, scores, query_id=query, average=None)
    assert values.tolist() == [
        SCORES[name](labels[query == q], scores[query == q]) for q in range(3)
    ]
    assert SCORES[name](labels, scores, query_id=query) == close(values.mean())


@pytest.mark.parametrize("name", having("perfect"))
def test_perfect_ranking_is_1(name):
    """Also where all rows but a few weigh next to nothing."""
    labels, _, _ = data()
    rng = np.random.default_rng(4)
    scores, weights = labels + rng.random(ROWS) / 2, rng.lognormal(0, 5, ROWS)
    assert SCORES[name](labels, scores) == 1.0
    assert SCORES[name](labels, labels) == 1.0
    if name in EXCEPTIONS["unequal weights"]:
        return
    if name == "average_precision_at_k" or name.split()[-1] in ("share", "stable"):
        # The most that k rows could hold is the weight of the heaviest positives: they
        # have to come first.
        scores = labels * weights
    assert SCORES[name](labels, scores, sample_weight=weights) == close(1.0)


@pytest.mark.parametrize("name", having("constant"))
def test_constant_scores_are_the_share_of_positives(name):
    labels, _, _ = data()
    assert SCORES[name](labels, np.zeros(ROWS)) == close(15 / 40)


@pytest.mark.parametrize("name", SCORES)
def test_values_lie_between_0_and_1(name):
    """Also of rankings that are perfect but for equal scores: rounded sums of weights
    lift none above 1.
    """
    for seed in range(30):
        labels, scores, _ = data(seed)
        rng = np.random.default_rng(seed)
        # their sums depend on the order
        weights = rng.choice([0.1, 0.2, 0.3, 0.7], ROWS)
        if name in EXCEPTIONS["unequal weights"]:
            weights = None
        for y_score in (scores, 100 * labels + np.arange(ROWS) // rng.integers(1, 3)):
            for layout in ({}, {"query_id": np.arange(ROWS) % 2}):
                assert (
                    0
                    <= SCORES[name](labels, y_score, sample_weight=weights, **layout)
                    <= 1
                )


@pytest.mark.parametrize("kind", ["repetition", "unequal weights", "row order"])
def test_exceptions_are_exceptions(kind):
    """A table of exceptions that holds one too many would hide a property."""
    for name in EXCEPTIONS[kind]:
        assert not all(_holds(kind, SCORES[name], *data(seed)) for seed in range(5)), (
            name
        )


def _holds(kind: str, score: Score, labels, scores, weights) -> bool:
    if kind == "row order":
        return score(labels[::-1], scores[::-1]) == score(labels, scores)
    times = weights.astype(int)
    counts_rows = not counts_weight(getattr(sklearn_ap, score.name))
    if counts_rows or score.options.get("ties") in (
        "expected",
        "optimistic",
        "pessimistic",
    ):
        with pytest.raises(ValueError, match="must be equal"):
            score(labels, scores, sample_weight=weights)
        return False
    repeated = score(labels.repeat(times), scores.repeat(times))
    return score(labels, scores, sample_weight=weights) == close(repeated)
