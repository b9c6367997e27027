"""What a caller asks a state for: a score by its name or its function, and the parameters it may take."""

from collections.abc import Mapping
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, TypedDict

from .._definition import Definition
from .._family import arguments_of, definition_of
from .._reading import read_zero_division
from .._scorers import get_scorer
from .._typing import ScoreFunction, Totals, ZeroDivision

__all__ = ["Question", "question_of"]

_OF_ROWS = ("average", "pos_label", "query_id", "sample_weight")


class Options(TypedDict):
    """Arguments of a score that are no part of its definition."""

    caller: str  # the public function, for its warnings
    n_positives: Totals | None
    zero_division: ZeroDivision


class Question(NamedTuple):
    """A score that is asked for, with its parameters checked."""

    name: str
    definition: Definition
    options: Options


def question_of(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> Question:
    """Read the name of a scorer or a score of this package, and its parameters."""
    function = score_func
    if isinstance(function, str):
        scorer = get_scorer(function)
        function = partial(scorer._score_func, **scorer._kwargs)
    bound = dict(params)
    for name in _OF_ROWS:
        if name in bound:
            raise TypeError(
                f"{name} goes without a state, whose rows are one ranking: pass sample_weight to update, and "
                f"pos_label to RankingState; got {bound[name]!r}."
            )
    try:
        arguments = arguments_of(function, bound) if callable(function) else None
    except TypeError:  # it has no hash
        arguments = None
    if arguments is None:
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    while isinstance(function, partial):
        function = function.func
    name = function.__name__
    _check_names(name, arguments, function)
    definition = definition_of(function, arguments)
    if definition.ties == "stable":
        raise ValueError(
            "ties='stable' goes without a state, which forgets the order of rows; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    asked = score_func if isinstance(score_func, str) else name
    zero_division = read_zero_division(arguments.get("zero_division", 0.0))
    stated = arguments.get("n_positives")
    options = Options(caller=name, n_positives=stated, zero_division=zero_division)
    return Question(asked, definition, options)


def _check_names(name: str, arguments: Mapping[str, Any], function: ScoreFunction) -> None:
    accepted = list(signature(function).parameters)
    for one in arguments:
        if one not in accepted:
            raise TypeError(f"{name} takes no argument {one!r}; it takes {', '.join(accepted[2:])}.")
    missing = [one for one in accepted[2:] if one not in arguments]
    if missing:
        raise TypeError(f"{name} needs {missing[0]}=..., such as {missing[0]}=0.8.")
