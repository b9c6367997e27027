"""The registry: every public score with its definition, and every number of this
package by its name.

Scorers, records, pages and tests read these tables, so a row in each makes a score
known everywhere. Wherever a function is expected, its name will do:
``'average_precision@100'`` is a score with its cut.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, partial
from inspect import Parameter, signature
from numbers import Real
from typing import Any, NamedTuple

from .definition import Definition
from .reading.options import RANKED_TIES, did_you_mean, read_k, read_level, short_repr
from .scores import at_k, at_level
from .scores import average_precision as ap
from .typing import ScoreFunction
from .words import error_about_word

K = 10  # the cut of functions and scorers if none was given
# The recall or precision of records and names of scorers; functions have no default.
LEVEL = 0.8


class Number(NamedTuple):
    """One number: its name in records, the function that computes it, and its
    definition.
    """

    name: str
    score: ScoreFunction
    # The arguments that make it, where they are not the defaults of the function.
    options: dict[str, object]
    definition: Definition

    @property
    def call(self) -> str:
        """The call as a user writes it."""
        options = {name: repr(value) for name, value in self.options.items()}
        if self.is_cut:
            options["k"] = "k"
        written = [f"{name}={value}" for name, value in options.items()]
        return f"{self.score.__name__}({', '.join(['y_true', 'y_score', *written])})"

    @property
    def is_cut(self) -> bool:
        """Whether it ends at the caller's `k`; a function may also give a number of
        whole rankings.
        """
        return self.takes("k") and self.definition.cut is not None

    def takes(self, parameter: str) -> bool:
        """Whether the function has a parameter of this name."""
        return parameter in _signature_of(self.score).parameters


# `identify` and pages ask again and again, and inspecting a function is slow.
_signature_of = cache(signature)

# Score: the function that turns its arguments, or some of them, into a `Definition`.
DEFINED_BY: dict[ScoreFunction, Callable[..., Definition]] = {
    ap.average_precision_score: ap.average_precision,
    ap.interpolated_average_precision_score: ap.interpolated_average_precision,
    ap.eleven_point_average_precision_score: ap.eleven_point_average_precision,
    ap.pr_auc_score: ap.pr_auc,
    at_k.average_precision_at_k_score: at_k.average_precision_at_k,
    at_k.precision_at_k_score: at_k.precision_at_k,
    at_k.recall_at_k_score: at_k.recall_at_k,
    at_level.r_precision_score: at_level.r_precision,
    at_k.reciprocal_rank_score: at_k.reciprocal_rank,
    at_k.success_at_k_score: at_k.success_at_k,
    at_level.precision_at_recall_score: at_level.precision_at_recall,
    at_level.recall_at_precision_score: at_level.recall_at_precision,
}
SCORES = tuple(DEFINED_BY)


def _number(name: str, score: ScoreFunction, **options: object) -> Number:
    return Number(name, score, options, definition_of(score, options))


def defaults_of(parameters: Mapping[str, Parameter]) -> dict[str, object]:
    """Return the parameters that have defaults."""
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    return {
        name: value for name, value in defaults.items() if value is not Parameter.empty
    }


@cache
def _defaults_of(score: ScoreFunction) -> dict[str, object]:
    return defaults_of(_signature_of(score).parameters)


def definition_of(score: ScoreFunction, arguments: Mapping[str, object]) -> Definition:
    """Return what a score that is listed here computes with these arguments, and its
    defaults.
    """
    defined_by = DEFINED_BY[score]
    arguments = _defaults_of(score) | dict(arguments)
    return defined_by(
        **{name: arguments[name] for name in _signature_of(defined_by).parameters}
    )


def name_of(score_func: ScoreFunction) -> str:
    """Return the name of a function, or of the function inside a partial."""
    function = score_func
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def unbound(
    score: ScoreFunction, params: Mapping[str, Any]
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function inside partials, and all its keyword arguments; those of a
    call replace those of a partial, as Python has it.
    """
    function: Any = score
    arguments = dict(params)
    while isinstance(function, partial) and not function.args:
        function, arguments = function.func, function.keywords | arguments
    return function, arguments


# A row here makes the tests compare the function with its definition on every layout of
# the input.
NUMBERS = (
    _number("average precision", ap.average_precision_score),
    _number("interpolated, all recalls", ap.interpolated_average_precision_score),
    _number(
        "interpolated, 101 levels",
        ap.interpolated_average_precision_score,
        recall_levels=101,
    ),
    _number("eleven-point", ap.eleven_point_average_precision_score),
    _number("PR AUC, linear", ap.pr_auc_score),
    _number("PR AUC, Davis-Goadrich", ap.pr_auc_score, interpolation="davis-goadrich"),
    _number("AP@k over min(k, R)", at_k.average_precision_at_k_score),
    _number("AP@k over R", at_k.average_precision_at_k_score, normalizer="n_positives"),
    _number("AP@k over k", at_k.average_precision_at_k_score, normalizer="k"),
    _number("AP@k over hits", at_k.average_precision_at_k_score, normalizer="hits"),
    *(
        _number(f"AP@k, {ties} ties", at_k.average_precision_at_k_score, ties=ties)
        for ties in RANKED_TIES
    ),
    _number("precision@k", at_k.precision_at_k_score),
    _number("recall@k", at_k.recall_at_k_score),
    _number("recall@k over min(k, R)", at_k.recall_at_k_score, normalizer="min"),
    _number("R-precision", at_level.r_precision_score),
    _number("reciprocal rank", at_k.reciprocal_rank_score),
    _number("reciprocal rank@k", at_k.reciprocal_rank_score, k=K),
    _number("success@k", at_k.success_at_k_score),
    _number(
        f"precision at recall {LEVEL}", at_level.precision_at_recall_score, recall=LEVEL
    ),
    _number(
        f"recall at precision {LEVEL}",
        at_level.recall_at_precision_score,
        precision=LEVEL,
    ),
)


def arguments_of(
    score: ScoreFunction, params: Mapping[str, object]
) -> dict[str, Any] | None:
    """Return the keyword arguments of a score, or of a partial of it; None if the call
    would fail.
    """
    call, params = unbound(score, params)
    if not isinstance(call, Hashable) or call not in DEFINED_BY:
        return None
    arguments = _defaults_of(call) | params
    takes_all = params.keys() <= _signature_of(call).parameters.keys()
    has_all = _signature_of(DEFINED_BY[call]).parameters.keys() <= arguments.keys()
    if takes_all and has_all:
        return arguments
    return None


def takes_any(parameters: Mapping[str, Parameter]) -> bool:
    """Whether a function takes arguments of any name."""
    return any(
        parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def parameters_of(
    score_func: ScoreFunction,
    arguments: Iterable[str] = (),
    of_caller: Iterable[str] = (),
) -> dict[str, Parameter]:
    """Return the parameters of a function after labels and scores; raise TypeError for
    arguments that it does not take. Errors may advise the arguments `of_caller`, too.
    """
    parameters = dict(list(signature(score_func).parameters.items())[2:])
    for argument in () if takes_any(parameters) else arguments:
        if argument not in parameters:
            known = [*parameters, *of_caller]
            raise error_about_word(name_of(score_func), argument, known)
    return parameters


# Name up to the number, such as "precision@": the score, and the argument that the
# number is. A name without a number stands for the score alone.
SCORER_NAMES: dict[str, tuple[ScoreFunction, str | None]] = {
    "average_precision": (ap.average_precision_score, None),
    "average_precision@": (at_k.average_precision_at_k_score, "k"),
    "interpolated_average_precision": (ap.interpolated_average_precision_score, None),
    "eleven_point_average_precision": (ap.eleven_point_average_precision_score, None),
    "pr_auc": (ap.pr_auc_score, None),
    "precision@": (at_k.precision_at_k_score, "k"),
    "recall@": (at_k.recall_at_k_score, "k"),
    "r_precision": (at_level.r_precision_score, None),
    "reciprocal_rank": (at_k.reciprocal_rank_score, None),
    "reciprocal_rank@": (at_k.reciprocal_rank_score, "k"),
    "success@": (at_k.success_at_k_score, "k"),
    "precision_at_recall@": (at_level.precision_at_recall_score, "recall"),
    "recall_at_precision@": (at_level.recall_at_precision_score, "precision"),
}
# int() and float() would also accept 1_0, blanks and the digits of other scripts.
_PARTS = re.compile(r"([^@]*@?)([0-9]+|[0-9]*\.[0-9]+|)")


def read_name(name: object) -> tuple[ScoreFunction, dict[str, float | None]] | None:
    """Return the score that a name stands for, with its cut or level; None if there is
    no such name.
    """
    parts = _PARTS.fullmatch(name) if isinstance(name, str) else None
    start, text = parts.groups() if parts else ("", "")
    score, argument = SCORER_NAMES.get(start, (None, None))
    if score is None or bool(argument) != bool(text):
        return None
    if argument is None:
        return score, {}
    try:
        number = float(text) if "." in text else int(text)
        if argument == "k":
            return score, {argument: read_k(number)}
        return score, {argument: read_level(argument, number)}
    except ValueError:
        return None


def named_score(
    parameter: str, name: object, params: Mapping[str, object]
) -> tuple[ScoreFunction, dict[str, float | None]]:
    """Return the function that a name stands for, with its cut or level, which `params`
    must not repeat.
    """
    named = read_name(name)
    if named is None:
        raise ValueError(
            f"{parameter} must be one of {get_scorer_names()}, where {K} may be any "
            f"number of rows, or a share of them such as 0.05, and {LEVEL} any level "
            f"from 0 to 1; got {name!r}"
            f"{did_you_mean(hints_for(name))}"
        )
    for argument in named[1].keys() & params.keys():
        raise TypeError(
            f"{argument} is already specified by the name {name!r}; got "
            f"{argument}={params[argument]!r} too. Remove {argument}."
        )
    return named


# Name of a score up to its number, with options: what people call it besides its name,
# as `plain_up_to_number` writes it. They are hints and no names, since "mAP" means many
# numbers.
_AT_K = "ap@|map@|mean average precision@"
_AREA = "auprc|aupr|aucpr|auc pr|prauc|area under pr"
_SAID = {
    "average_precision": f"ap|map|mean average precision|sklearn average precision|{_AREA}",
    "pr_auc interpolation=linear": _AREA,
    "pr_auc interpolation=davis-goadrich": _AREA,
    "interpolated_average_precision": "interpolated ap|iap",
    "eleven_point_average_precision": "11 point|11 pt|11 point ap|eleven point",
    "average_precision@ normalizer=min": _AT_K,
    "average_precision@ normalizer=n_positives": f"{_AT_K}|map cut@",
    "average_precision@ normalizer=k": _AT_K,
    "average_precision@ normalizer=hits": _AT_K,
    "precision@": "p@|prec@",
    "recall@": "r@|rec@",
    "recall@ normalizer=min": "capped recall@|recall cap@|r cap@",
    "r_precision": "rprec|r prec",
    "reciprocal_rank": "rr|mrr|mean reciprocal rank|recip rank",
    "reciprocal_rank@": "rr@|mrr@|mean reciprocal rank@",
    "success@": "hit@|hits@|hit rate@",
    "precision_at_recall@": "",
    "recall_at_precision@": "",
}


class Hint(NamedTuple):
    """What a user may mean; it prints as the arguments to write."""

    name: str
    options: Mapping[str, object]

    def __repr__(self) -> str:
        """Return the name and the options."""
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        return ", ".join([repr(self.name), *options])


def numbers_of(hint: Hint) -> tuple[list[str], dict[str, float | None]]:
    """Return the names of the numbers that a hint means, whose cut is any k, and the
    cut or level in its name.
    """
    score, bound = read_name(hint.name) or (None, {})
    if score is None:
        return [], bound
    defaults = _defaults_of(score)
    chosen = {**bound, **hint.options, **dict.fromkeys({"k"} & bound.keys(), K)}
    names = [
        number.name
        for number in NUMBERS
        if number.score is score and defaults | number.options == defaults | chosen
    ]
    return names, bound


def plain_up_to_number(name: str) -> tuple[str, str, str]:
    """Return a name in lower case with single spaces; and if it ends in k or a number,
    the name up to it and the number: "ap@" and "10" of AP@10, ap_at_10 and "AP 10".
    """
    text = re.sub(r"[\s_-]+|(?<=\d)(?=[a-z])", " ", name.casefold()).strip()
    text = text.removesuffix(" score")
    parts = re.fullmatch(r"(.+?)(?: ?@ ?| at | )(k|[\d.]+)", text)
    return (text, f"{parts[1]}@", parts[2]) if parts else (text, text, "")


def hints_for(name: object) -> list[Hint]:
    """Return the scores that people call so, or nearly so."""
    text, start, number = plain_up_to_number(str(name))
    # A share of 1.0 is all rows, and 1 is one row.
    if number != "1.0":
        number = number.replace("k", str(K)).removesuffix(".0")
    calls: dict[str, list[str]] = {}
    for call, said in _SAID.items():
        for words in (call.split()[0].replace("_", " "), *said.split("|")):
            calls.setdefault(words, []).append(call)
    near = [words for words in (text, start) if words in calls]
    near += get_close_matches(start, calls, 1, 0.8)
    hints = []
    for call in calls[near[0]] if near else ():
        start, *options = call.split()
        hint = Hint(
            f"{start}{number * start.endswith('@')}",
            dict(option.split("=") for option in options),
        )
        if read_name(hint.name):
            hints.append(hint)
    return hints


def function_of(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function that a name stands for, or that is inside partials, and all
    its keyword arguments.
    """
    if isinstance(score_func, str):
        score, options = named_score("score_func", score_func, params)
        return score, {**options, **params}
    refuse_no_function(score_func)
    return unbound(score_func, params)


def refuse_no_function(score_func: object) -> None:
    """Refuse what cannot be called."""
    if not callable(score_func):
        raise TypeError(
            f"score_func must be a function or a name; got {short_repr(score_func)}: "
            "pass a score such as average_precision_score, or 'average_precision'."
        )


def get_scorer_names() -> list[str]:
    """Return the names that `get_scorer` accepts, with 10 as a cut and 0.8 as a level.

    .. versionadded:: 0.1

    Returns
    -------
    names : list of str
        In alphabetical order.

    See Also
    --------
    get_scorer

    References
    ----------
    .. [1] `scikit-learn issue 7343
       <https://github.com/scikit-learn/scikit-learn/issues/7343>`_

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:2]
    ['average_precision', 'average_precision@10']
    """
    examples = {None: "", "k": K}
    return sorted(
        f"{start}{examples.get(number, LEVEL)}"
        for start, (_, number) in SCORER_NAMES.items()
    )


def scorer_name(
    score_func: ScoreFunction, params: Mapping[str, object]
) -> tuple[str, str]:
    """Return the name of a scorer with these arguments, and a name for its function
    that shows them too.
    """
    function = name_of(score_func)
    for start, (score, argument) in SCORER_NAMES.items():
        if argument is not None and score.__name__ == function:
            # The signature of a partial has the number it binds as a default.
            defaults = defaults_of(signature(score_func).parameters)
            number = params.get(argument, defaults.get(argument))
            if isinstance(number, Real):  # not the rows of each query
                name, joint = f"{start}{number}", "_at_" if argument == "k" else "_"
                return name, f"{name.replace('@', joint)}_score"
    return function.removesuffix("_score"), function
