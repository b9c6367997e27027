"""The registry: every public score with its definition, and the names of its numbers.

Scorers, conventions, intervals, states, pages and tests read this table, so they all
know a score that has a row in it. Its interval also needs the derivatives of its area.
"""

from collections.abc import Callable, Iterable, KeysView, Mapping
from functools import cache, partial
from inspect import Parameter, signature
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from .advice import unknown_argument
from .definition import Definition
from .reading.options import RANKED_TIES, read_zero_division
from .scores import at_k, at_level
from .scores import average_precision as ap
from .typing import PassedRows, ScoreFunction, ZeroDivision

# The cut and the level of recall or precision in conventions and in the names that
# `get_scorer_names` returns. Functions have no default cut and no default level.
K = 10
LEVEL = 0.8
# Examples of arguments of scores that have no default. The others are levels.
_REQUIRED = {
    "k": "k=10, or k=None for all rows",
    "interpolation": "interpolation='linear' or 'davis-goadrich'",
}


class Number(NamedTuple):
    """A number that has names: that of its convention and, for most, that of a scorer;
    the function that computes it, and its definition.
    """

    # The name of its convention.
    name: str
    # The name of its scorer, with a field for the value of an option; or no name.
    scorer: str
    # The arguments that differ from the defaults of the function.
    options: Mapping[str, object]
    score: ScoreFunction
    definition: Definition

    @property
    def call(self) -> str:
        """The call that computes the number, as a user writes it."""
        options = {name: repr(value) for name, value in self.options.items()}
        if self.is_cut:
            options["k"] = "k"
        written = [f"{name}={value}" for name, value in options.items()]
        return f"{self.score.__name__}({', '.join(['y_true', 'y_score', *written])})"

    @property
    def is_cut(self) -> bool:
        """Whether rankings end at the caller's `k`.

        A function with a parameter `k` may also compute a number of whole rankings.
        """
        return self.takes("k") and self.definition.cut is not None

    def takes(self, parameter: str) -> bool:
        """Whether a call may pass this argument to the score."""
        return parameter in signature(self.score).parameters


def defaults_of(parameters: Mapping[str, Parameter]) -> dict[str, object]:
    """Return the default values of parameters, by name. Parameters without a default
    are omitted.
    """
    return {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.default is not Parameter.empty
    }


def function_name_of(score_func: ScoreFunction) -> str:
    """Return the name of a function, or of the function inside a partial."""
    function = score_func
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def unbound(
    score: ScoreFunction, params: Mapping[str, Any], *, positional: bool = False
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function inside partials, and all its keyword arguments.

    As in Python, an argument of the call (in `params`) replaces an argument of the same
    name in a partial. With `positional`, arguments that a partial has by position are
    unbound and named, too. Otherwise, such a partial is returned.
    """
    function: Any = score
    arguments = dict(params)
    while isinstance(function, partial) and (positional or not function.args):
        names = signature(function.func).parameters
        first = dict(zip(names, function.args, strict=False))
        function, arguments = function.func, first | function.keywords | arguments
    return function, arguments


def parameters_of(
    score_func: ScoreFunction, arguments: Iterable[str], caller: str = ""
) -> dict[str, Parameter]:
    """Return the parameters of a function after labels and scores. Raise the error of
    Python if the function does not take one of the `arguments`. `caller` is the public
    function that was called, if it is not this function.
    """
    every = signature(score_func).parameters
    # The first two parameters are labels and scores, whatever their names are.
    parameters = dict(list(every.items())[2:])
    # A function with `**kwargs` takes arguments of any name.
    if Parameter.VAR_KEYWORD in {parameter.kind for parameter in every.values()}:
        return parameters
    for argument in arguments:
        if argument not in parameters:
            score = function_name_of(score_func)
            raise unknown_argument(caller or score, argument, score, parameters)
    return parameters


def check_required(
    score_func: ScoreFunction,
    accepted: Mapping[str, Parameter],
    arguments: Mapping[str, object],
) -> None:
    """Raise TypeError if the `arguments` lack a parameter that has no default."""
    for name in accepted.keys() - defaults_of(accepted).keys() - arguments.keys():
        example = _REQUIRED.get(name, f"{name}={LEVEL}")
        raise TypeError(
            f"{function_name_of(score_func)} requires {name}=..., such as {example}."
        )


# The first three fields of a `Number`: the names of its convention and of its scorer,
# and its arguments that differ from the defaults.
_Named = tuple[str, str, Mapping[str, object]]
# Each public score, with the function of its options that returns its definition, and
# its numbers that have names. For each of these numbers, the tests compare the function
# with its definition on every layout of the input.
SCORES: dict[ScoreFunction, tuple[Callable[..., Definition], list[_Named]]] = {
    ap.average_precision_score: (
        ap.average_precision,
        [("average precision", "average_precision", {})],
    ),
    ap.interpolated_average_precision_score: (
        ap.interpolated_average_precision,
        [
            ("interpolated, all recalls", "interpolated_average_precision", {}),
            ("interpolated, 101 levels", "", {"recall_levels": 101}),
        ],
    ),
    ap.eleven_point_average_precision_score: (
        ap.eleven_point_average_precision,
        [("eleven-point", "eleven_point_average_precision", {})],
    ),
    ap.pr_auc_score: (
        ap.pr_auc,
        [
            ("PR AUC, linear", "pr_auc_linear", {"interpolation": "linear"}),
            (
                "PR AUC, Davis-Goadrich",
                "pr_auc_davis_goadrich",
                {"interpolation": "davis-goadrich"},
            ),
        ],
    ),
    at_k.average_precision_at_k_score: (
        at_k.average_precision_at_k,
        [
            ("AP@k over min(k, R)", "average_precision@{k}", {"k": K}),
            ("AP@k over R", "", {"normalizer": "n_positives", "k": K}),
            ("AP@k over k", "", {"normalizer": "k", "k": K}),
            ("AP@k over hits", "", {"normalizer": "hits", "k": K}),
            *(
                (f"AP@k, {ties} ties", "", {"ties": ties, "k": K})
                for ties in RANKED_TIES
            ),
        ],
    ),
    at_k.precision_at_k_score: (
        at_k.precision_at_k,
        [("precision@k", "precision@{k}", {"k": K})],
    ),
    at_k.recall_at_k_score: (
        at_k.recall_at_k,
        [
            ("recall@k", "recall@{k}", {"k": K}),
            ("recall@k over min(k, R)", "", {"normalizer": "min", "k": K}),
        ],
    ),
    at_level.r_precision_score: (
        at_level.r_precision,
        [("R-precision", "r_precision", {})],
    ),
    at_k.reciprocal_rank_score: (
        at_k.reciprocal_rank,
        [
            ("reciprocal rank", "reciprocal_rank", {}),
            ("reciprocal rank@k", "reciprocal_rank@{k}", {"k": K}),
        ],
    ),
    at_k.success_at_k_score: (
        at_k.success_at_k,
        [("success@k", "success@{k}", {"k": K})],
    ),
    at_level.precision_at_recall_score: (
        at_level.precision_at_recall,
        [
            (
                f"precision at recall {LEVEL}",
                "precision_at_recall@{recall}",
                {"recall": LEVEL},
            )
        ],
    ),
    at_level.recall_at_precision_score: (
        at_level.recall_at_precision,
        [
            (
                f"recall at precision {LEVEL}",
                "recall_at_precision@{precision}",
                {"precision": LEVEL},
            )
        ],
    ),
}


@cache
def _keywords_of(score: ScoreFunction) -> tuple[KeysView[str], dict[str, Any]]:
    """Return the keywords of a public score, and the defaults of those that have one.
    States read them at each call, which takes long.
    """
    accepted = parameters_of(score, ())
    return accepted.keys(), defaults_of(accepted)


def read_arguments(
    score: ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    params: Mapping[str, Any],
    caller: str = "",
) -> tuple[Definition, PassedRows, ZeroDivision]:
    """Return the definition, the rows and the checked `zero_division` of a call of a
    public score, as its body passes them to `score_rows`.

    Raise the errors of the call about keywords. `caller` is the public function that
    was called, if it is not the score.
    """
    accepted, defaults = _keywords_of(score)
    options = {**defaults, **params}
    if options.keys() != accepted:
        check_required(score, parameters_of(score, params, caller), params)
    zero_division = read_zero_division(options.pop("zero_division"))
    about_rows = {
        name: options.pop(name) for name in PassedRows._fields if name in options
    }
    # All other keywords are options of the definition.
    define, _ = SCORES[score]
    definition = define(**options)
    return definition, PassedRows(y_true, y_score, **about_rows), zero_division


def is_score(function: object) -> bool:
    """Return whether a function is a score of this package. Scores are compared by
    identity, since a callable may have no hash.
    """
    return any(function is score for score in SCORES)


NUMBERS = tuple(
    Number(name, scorer, options, score, read_arguments(score, [], [], options)[0])
    for score, (_, numbers) in SCORES.items()
    for name, scorer, options in numbers
)
