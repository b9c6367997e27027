"""The names of scorers, such as ``'average_precision@100'``.

Wherever this package expects a function, it also accepts the name of a scorer.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

from sklearn import metrics

from .. import _NAMED_ELSEWHERE
from .. import __name__ as package
from .reading.options import did_you_mean, read_k, read_level, short_repr
from .registry import (
    LEVEL,
    NUMBERS,
    SCORES,
    K,
    Number,
    function_name_of,
    is_score,
    unbound,
)
from .scores import average_precision_score
from .typing import ScoreFunction


class NamedScore(NamedTuple):
    """The score that a name stands for, and the arguments that the name sets."""

    score: ScoreFunction
    # The argument that the number at the end of the name sets, if there is a number.
    numbered_argument: str = ""
    # Arguments that the name sets without a number.
    options: Mapping[str, Any] = {}


def _set_by_name(number: Number) -> tuple[str, NamedScore]:
    """Return the name of a scorer up to its number, and what the name sets."""
    start, _, end = number.scorer.partition("{")
    numbered_argument = end.removesuffix("}")
    options = {x: number.options[x] for x in number.options if x != numbered_argument}
    return start, NamedScore(number.score, numbered_argument, options)


# Each name of a scorer up to its number, such as "precision@".
SCORER_NAMES = dict(_set_by_name(one) for one in NUMBERS if one.scorer)
# A name and its number. The pattern is necessary, since `int` and `float` also accept
# 1_0, blanks, and digits of other scripts.
_PARTS = re.compile(r"([^@]*@?)([0-9]+|[0-9]*\.[0-9]+|[0-9]+(?:\.[0-9]+)?e-[0-9]+|)")
# Names in other packages, as `plain_name` returns them without a cut, and our names of
# the same scores; none if a name is used for two scores. Most scripts that call a
# number PR AUC compute average precision. Others compute the area below straight lines,
# which is far larger if scores are tied.
_MEANT = {
    "prauc": "",
    "auprc": "",
    "aucpr": "",
    "map": "average_precision",
    "meanaverageprecision": "average_precision",
    "mrr": "reciprocal_rank",
    "meanreciprocalrank": "reciprocal_rank",
    "hitrate": f"success@{K}",
    "hits": f"success@{K}",
}


def plain_name(name: str) -> str:
    """Return a name without the differences between spellings: case, spaces, hyphens,
    underscores, and the ending "score".
    """
    return re.sub(r"[\s_-]", "", name.casefold()).removesuffix("score")


# The scores by the plain names of functions and of scorers, and by other names that are
# accepted. "prauc", the name of `pr_auc_score`, is used for two scores.
_BY_PLAIN_NAME = {
    **{plain_name(score.__name__): NamedScore(score) for score in SCORES},
    **{plain_name(name): named for name, named in SCORER_NAMES.items()},
    "ap": SCORER_NAMES["average_precision"],
    "ap@": SCORER_NAMES["average_precision@"],
    "elevenpoint": SCORER_NAMES["eleven_point_average_precision"],
    "prauc": None,
}


def near_spellings(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names whose spelling is near: a slip of the hand, and not
    another word.
    """
    by_plain_name = {plain_name(each): each for each in sorted(known)}
    matches = get_close_matches(plain_name(name), by_plain_name, cutoff=0.9)
    return [by_plain_name[match] for match in matches]


def find_score(name: str) -> tuple[ScoreFunction, dict[str, Any]] | None:
    """Return the score with this name in any spelling, and the arguments that the name
    sets, such as the cut. Return None if there is no such name. Raise ValueError if the
    number in the name is not valid.
    """
    parts = _PARTS.fullmatch(name)
    if parts is None:
        return None
    start, text = parts.groups()
    named = _BY_PLAIN_NAME.get(plain_name(start))
    # A score whose name ends in "@" needs a number.
    if named is None or (named.numbered_argument and not text):
        return None
    score, argument, options = named
    if not argument:
        return score, {**options}
    number = int(text) if text.isdigit() else float(text)
    if argument == "k":
        return score, {argument: read_k(number)}
    return score, {argument: read_level(argument, number)}


def read_score_name(
    parameter: str,
    name: str,
    params: Mapping[str, Any],
    of_scikit_learn: Iterable[str] = (),
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the score with this name, and all its keyword arguments: those that the
    name sets, and `params`. Raise TypeError if both set an argument, and ValueError if
    there is no such name.

    Errors call the name `parameter`, and list the names `of_scikit_learn` as valid,
    too.
    """
    named = find_score(name)
    if named is None:
        raise _unknown_name(parameter, name, of_scikit_learn)
    score, options = named
    for argument in options.keys() & params.keys():
        raise TypeError(
            f"{argument} is already specified by the name {name!r}; got "
            f"{argument}={params[argument]!r} too. Remove {argument}."
        )
    return score, {**options, **params}


def _unknown_name(
    parameter: str, name: str, of_scikit_learn: Iterable[str]
) -> ValueError:
    """Return the error about a name that no score has, or that people use for two
    scores, with the names that are similar.
    """
    plain = plain_name(name)
    if _MEANT.get(plain) == "":
        return ValueError(
            f"{parameter} must name one score, but {name!r} is used for two: pass "
            "'average_precision', or 'pr_auc_linear' for the area below straight lines "
            "between the points of the curve. XGBoost's aucpr is "
            "'pr_auc_davis_goadrich'."
        )
    ours = get_scorer_names()
    taken = (
        f"one of {ours}, where {K} may be any number of rows, or a share of them such "
        f"as 0.05, and {LEVEL} any level from 0 to 1"
    )
    if of_scikit_learn:
        taken += ", or a name in sklearn.metrics.get_scorer_names()"
    for (module, table), instead in _NAMED_ELSEWHERE.items():
        for known in getattr(import_module(module, package), table):
            if plain_name(known) == plain:
                return ValueError(
                    f"{parameter} must be the name of a score; {name!r} is "
                    f"{instead.format(known)}. The names of scores are {taken}."
                )
    meant = _MEANT.get(plain_name(name.partition("@")[0])) or name
    similar = near_spellings(meant, {*ours, *of_scikit_learn})
    return ValueError(
        f"{parameter} must be {taken}; got {short_repr(name)}{did_you_mean(similar)}"
    )


def function_of(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function that is passed by its name or inside partials, and all its
    keyword arguments.
    """
    if callable(score_func):
        return unbound(score_func, params)
    if not isinstance(score_func, str):
        raise TypeError(
            f"score_func must be a function or a name; got {short_repr(score_func)}: "
            "pass a score such as average_precision_score, or 'average_precision'."
        )
    return read_score_name("score_func", score_func, params)


def package_score(
    score_func: str | ScoreFunction,
    params: Mapping[str, Any],
    advice: str = "For any other function f, scipy.stats.bootstrap((y_true, y_score), "
    "f, paired=True) returns an interval, and scipy.stats.permutation_test a test.",
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return a score of this package and its arguments, from its name or function;
    raise ValueError, which ends with the advice, for other functions.
    """
    function: Any
    function, arguments = function_of(score_func, params)
    # scikit-learn's average precision is that of our function with the same name.
    if function is metrics.average_precision_score:
        function = average_precision_score
    if not is_score(function):
        raise ValueError(
            "score_func must be a score of this package, or its name; got "
            f"{function_name_of(function)}. {advice}"
        )
    return function, arguments


def get_scorer_names() -> list[str]:
    """Return the names of this package's scorers, with the cut 10 and the level 0.8.

    `get_scorer` accepts other cuts and levels in these names, too.

    Returns
    -------
    names : list of str
        In alphabetical order.

    See Also
    --------
    get_scorer : Scorer by its name.

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
    return sorted(one.scorer.format(**one.options) for one in NUMBERS if one.scorer)


def names_of_scorer(
    score_func: ScoreFunction, params: Mapping[str, object]
) -> tuple[str, str]:
    """Return the name of the scorer with these arguments, and a name for its function
    that also shows the cut, the level or the area.
    """
    function, arguments = unbound(score_func, params)
    for start, (score, numbered_argument, options) in SCORER_NAMES.items():
        if score is not function:
            continue
        number = arguments.get(numbered_argument)
        if isinstance(number, Real):
            name = f"{start}{number}"
            in_place_of_at = "_at_" if numbered_argument == "k" else "_"
            return name, f"{name.replace('@', in_place_of_at)}_score"
        if options and options.items() <= arguments.items():
            return start, f"{start}_score"
    # A partial has a name only if it was set, such as to that of a convention.
    function_name = function_name_of(function)
    name = getattr(score_func, "__name__", function_name)
    if name != function_name:
        return name, name
    return name.removesuffix("_score"), name
