# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
# Of pandas:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
"""A user's file: mypy and pyright accept each line but those marked as errors; nothing
runs it.
"""

import warnings
from functools import partial
from typing import Any, Literal, assert_type

import numpy as np
import numpy.typing as npt
from matplotlib.lines import Line2D

import sklearn_ap
from sklearn_ap import (
    ConfidenceInterval,
    HitCurveDisplay,
    PrecisionRecallDisplay,
    UncertaintyWarning,
    average_precision_at_k_score,
    average_precision_score,
    budget_totals,
    compare_many,
    compatibility,
    distributed,
    estimate_score,
    expected_by_chance,
    get_scorer,
    hit_curve,
    interpolated_average_precision_score,
    make_scorer,
    operating_point,
    precision_at_k_score,
    precision_at_recall_score,
    precision_recall_curve,
    r_precision_score,
    read_lists,
    recall_at_k_score,
    reciprocal_rank_score,
    report,
    score_by_query,
    success_at_k_score,
)

Array = npt.NDArray[np.float64]

# A score is a float, or an array without a mean.
assert_type(
    average_precision_score([0, 1], [0.1, 0.9], average="micro", n_positives=3),
    float,
)
by_class = interpolated_average_precision_score(
    [0, 1], np.array([1, 2]), recall_levels=11, average=None
)
assert_type(by_class, Array)
assert_type(precision_at_recall_score([0, 1], [1, 2], recall=1, average=None), Array)


def mean_or_not(average: Literal["macro"] | None) -> float | Array:
    """Hand a choice on that is only known at run time."""
    return r_precision_score([0, 1], [1, 2], average=average)


def mean_of(y_true: npt.ArrayLike, y_score: npt.ArrayLike, **params: Any) -> float:
    """Hand on keywords that nothing is known of."""
    # `average` may be among them, so checkers take it for `Any`
    value: float = average_precision_score(y_true, y_score, **params)
    return value


average_precision_at_k_score(
    ["a", "b"], (1, 2), k=0.5, pos_label="b", ties="expected", zero_division=np.nan
)
precision, recall, thresholds = precision_recall_curve([0, 1], [1, 2])
precision_recall_curve([0, 1], [1, 2], n_positives=3, interpolated=True)
assert_type((precision, recall, thresholds), tuple[Array, Array, npt.NDArray[Any]])
operating_point([0, 1], [1, 2], k=0.5, n_positives=3)
share_retrieved, hits, _ = hit_curve([0, 1], [1, 2])
# for several classes a list of arrays, which has this type, too
assert_type(hits, Array)

# Uncertainty.
chance = expected_by_chance([0, 1], [1, 2], sample_weight=[2, 2])
assert_type(chance, float | Any)
estimate = estimate_score("recall@0.1", [0, 1], [1, 2])
assert_type(estimate.confidence_interval(0.9), ConfidenceInterval[float])


def width(interval: ConfidenceInterval) -> float:
    """Use an interval of floats, the default."""
    return assert_type(interval.high - interval.low, float)


width(estimate.confidence_interval())
warnings.simplefilter("ignore", UncertaintyWarning)
budget_totals([0, 1], [1, 2], k=1, query_id=[1, 1], amount=[5, 2])
report([0, 1], [1, 2], compare={"old": [2, 1]}, k=1)
# README's lines. `average` may be among the keywords of lists, and pyright takes the
# results for unknown.
lists = read_lists({"q": ["a"]}, {"q": ["b", "a"]})
at_k: float = average_precision_at_k_score(**lists, k=5)
hit_rate: float = success_at_k_score(**lists, k=5)
mean_ap: float = average_precision_score(**lists)
mrr: float = reciprocal_rank_score(**lists)

# Scorers of our scores and of a user's own.
scorer = make_scorer(average_precision_at_k_score, k=20, ties="expected")
assert_type(scorer(object(), [[1], [2]], [0, 1]), float)
by_name = get_scorer("precision@100", pos_label="spam")
# A name may be that of a scorer of scikit-learn, which has no types.
assert_type(by_name(object(), [[1], [2]], [0, 1], sample_weight=[1, 2]), float | Any)
make_scorer(partial(recall_at_k_score, k=0.1), query_id="index")


def lift(y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, k: int = 10) -> np.float64:
    """Score with a function of another package, which returns a number of numpy."""
    return np.float64(
        precision_at_k_score(y_true, y_score, k=k) / np.asarray(y_true).mean()
    )


make_scorer(lift, response_method=("decision_function", "predict"), k=5)

# Displays, by their methods and by hand.
curve = PrecisionRecallDisplay.from_predictions([0, 1], [1, 2], area="eleven-point")
assert_type(curve.plot(despine=True).line_, Line2D | list[Line2D])
budgets = HitCurveDisplay(share_retrieved, hits)
assert_type(budgets.plot(name="Lift").perfect_line_, Line2D | None)

# Scores of queries.
named = score_by_query(average_precision_score, [0, 1], [1, 2], query_id=[1, 1])
assert_type(named, dict[Any, float])
models: dict[str, npt.ArrayLike] = {"old": [1, 2], "new": np.ones(2)}
compare_many("pr_auc_linear", [0, 1], models, prevalence=0.1)


def estimate_of(rows: dict[str, Any], **params: Any) -> ConfidenceInterval[float]:
    """Hand on rows and keywords that nothing is known of."""
    found = estimate_score("average_precision", **rows, **params)
    return found.confidence_interval()


estimate_score("average_precision@10", **lists, normalizer="hits")


# Records, and what was found with them.
compatibility.compare_conventions(
    [0, 1], [1, 2], k=0.05, item_id=["x", "y"], conventions=["COCO"]
)
totals: dict[str, float] = {"a": 2, "b": 1}  # a mapping with keys of one type, too
average_precision_score([1, 1], [1, 2], query_id=["a", "b"], n_positives=totals)

# Rows that arrive in parts.
state = distributed.RankingState(pos_label="spam").update(
    [0, 1], np.ones(2), sample_weight=[1, 2]
)
state.merge(state, [state])
total = sum([state, state], start=distributed.RankingState())
assert_type(total, distributed.RankingState)
assert_type(state.score(["recall@5", average_precision_score]), dict[str, float])
assert_type(state.score(), float)


def draw_folds(results: dict[str, Any]) -> PrecisionRecallDisplay:
    """Draw the folds of a cross-validation, with a style per fold."""
    return PrecisionRecallDisplay.from_cv_results(
        results, [[0], [1]], [0, 1], name=["a", "b"], curve_kwargs=[{}, {"lw": 3}]
    )


def refused(model: object) -> None:
    """Pass words that nothing takes; mypy also reports an ignored error that is
    none.
    """
    precision_at_k_score([0, 1], [1, 2], ties="random")  # type: ignore[call-overload]  # no such order
    recall_at_k_score([0, 1], [1, 2], prevalence=0.1)  # type: ignore[call-overload]  # a cut counts rows
    precision_at_recall_score([0, 1], [1, 2])  # type: ignore[call-overload]  # recall is missing
    average_precision_score([0, 1], [1, 2], k=10, average=None)  # type: ignore[call-overload]  # it has no cut
    draw = PrecisionRecallDisplay.from_estimator
    draw(model, [[1]], [1], response_method="predict")  # type: ignore[arg-type]  # a curve needs scores
    compare_many("recall@5", [0, 1], {"a": [1, 2]}, baseline="a")  # type: ignore[call-arg]  # it is `reference`
    estimate_score("recall@5", [0, 1], [1, 2], groups=[1, 2])  # type: ignore[call-arg]  # it is `unit_id`
    make_scorer(3)  # type: ignore[arg-type]  # neither a name nor a function
    _ = sklearn_ap.average_precision  # type: ignore[attr-defined]  # the name ends in _score
