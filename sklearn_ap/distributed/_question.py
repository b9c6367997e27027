"""Turn a score name or function, with its arguments, into a checked `Question`."""

from collections.abc import Mapping
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple, TypedDict

from .._definition import Definition
from .._reading._options import read_zero_division
from .._registry import SCORES, arguments_of, definition_of, score_of
from .._typing import ScoreFunction, Totals, ZeroDivision

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

    def with_options(self, **changed: Any) -> "Question":
        """Return the question with other options."""
        return self._replace(options={**self.options, **changed})  # type: ignore[typeddict-item]  # by name


def question_of(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> Question:
    """Read the name of a scorer or a score of this package, and its parameters."""
    call: Any = score_of(score_func, params)
    bound = dict(params)
    while isinstance(call, partial) and not call.args:
        call, bound = call.func, {**call.keywords, **bound}
    if not any(call is score for score in SCORES):
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    for name in _OF_ROWS:
        if name in bound:
            raise TypeError(
                f"{name} is not supported with a state, whose rows are one ranking; got {bound[name]!r}. "
                f"Remove {name}: pass sample_weight to update, and pos_label to RankingState."
            )
    _check_arguments(call, bound)
    arguments = arguments_of(call, bound)
    assert arguments is not None, call  # the names were checked
    name, definition = call.__name__, definition_of(call, arguments)
    if definition.ties == "stable":
        raise ValueError(
            "ties='stable' needs the order of rows, which is not kept where they come in parts; use "
            "'proportional', 'expected', 'optimistic' or 'pessimistic'."
        )
    asked = score_func if isinstance(score_func, str) else name
    zero_division = read_zero_division(arguments.get("zero_division", 0.0))
    stated = arguments.get("n_positives")
    options = Options(caller=name, n_positives=stated, zero_division=zero_division)
    return Question(asked, definition, options)


def _check_arguments(score: ScoreFunction, given: Mapping[str, Any]) -> None:
    parameters = list(signature(score).parameters.values())[2:]
    accepted, name = [one.name for one in parameters if one.name not in _OF_ROWS], score.__name__
    for one in given:
        if one not in accepted:
            raise TypeError(f"{name} takes no argument {one!r}; it takes {', '.join(accepted)}.")
    missing = [one.name for one in parameters if one.default is Parameter.empty and one.name not in given]
    if missing:
        raise TypeError(f"{name} needs {missing[0]}=..., such as {missing[0]}=0.8.")
