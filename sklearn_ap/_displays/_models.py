"""Several models side by side: their estimators, what these say, and the name of the score."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from .._scorers import make_scorer
from .._typing import AnyArray, Estimator, Features, Label, ResponseMethod, ScoreFunction
from ._predictions import binary_response

__all__ = ["Responses", "estimators_of", "name_of_score", "responses_of", "within_sentence"]

_NAMES = {"Pr auc": "PR AUC", "R precision": "R-precision", "<lambda>": "Score"}


class Responses(NamedTuple):
    """Labels, the scores of each model, and the positive class that all of them have."""

    labels: ArrayLike
    scores: dict[str, AnyArray]
    positive: Label  # for the axis labels
    pos_label: Label | None  # which of `labels` is positive; None if they are already bools


def estimators_of(estimator: Estimator | Mapping[str, Estimator], name: str | None) -> dict[str, Estimator]:
    """Return one estimator per name; a single one has the name of its class, unless another is given."""
    models = (
        dict(estimator) if isinstance(estimator, Mapping) else {name or type(estimator).__name__: estimator}
    )
    if not models:
        raise ValueError(f"estimator must map names to estimators; got {estimator!r}.")
    return models


def responses_of(
    models: Mapping[str, Estimator],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> Responses:
    """Let each model score the rows; refuse models with different positive classes."""
    responses = {
        one: binary_response(model, X, y, response_method=response_method, pos_label=pos_label)
        for one, model in models.items()
    }
    first = next(iter(responses.values()))
    others = [one.positive for one in responses.values() if one.positive != first.positive]
    if others:
        raise ValueError(
            "estimator must hold models with the same positive class, or pos_label must name it; got the "
            f"positive classes {first.positive} and {others[0]}."
        )
    scores = {one: response.scores for one, response in responses.items()}
    return Responses(first.labels, scores, first.positive, first.pos_label)


def name_of_score(score_func: ScoreFunction, params: Mapping[str, object]) -> str:
    """Return the name of a score for an axis: that of its scorer, as in "Average precision@10"."""
    cut: dict[str, Any] = {"k": params["k"]} if "k" in params else {}
    words = make_scorer(score_func, **cut).__name__.replace("_", " ")
    name = words[:1].upper() + words[1:]
    return _NAMES.get(name, name)


def within_sentence(name: str) -> str:
    """Return a name with a small letter in front, unless it is an acronym or a symbol."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name
