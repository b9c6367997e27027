"""The names of scorers, such as ``'average_precision@100'``.

Wherever this package expects a function, it also accepts the name of a scorer.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any

from .. import __name__ as package
from .reading.options import did_you_mean, read_k, read_level, short_repr
from .registry import LEVEL, K, defaults_of, name_of, unbound
from .scores import at_k, at_level
from .scores import average_precision as ap
from .typing import ScoreFunction

# Each name of a scorer up to its number, such as "precision@", with the score and the
# argument that the number sets. A name without a number sets no argument.
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
# Names that are this similar differ by a typing error.
SIMILARITY = 0.9
# A name and its number. The pattern is necessary, since `int` and `float` also accept
# 1_0, blanks, and digits of other scripts.
_PARTS = re.compile(r"([^@]*@?)([0-9]+|[0-9]*\.[0-9]+|)")


def read_name(name: object) -> tuple[ScoreFunction, dict[str, float | None]] | None:
    """Return the score with this name, and the cut or the level in the name. Return
    None if there is no such name.
    """
    parts = _PARTS.fullmatch(name) if isinstance(name, str) else None
    start, text = parts.groups() if parts else ("", "")
    score, argument = SCORER_NAMES.get(start, (None, None))
    # A score whose name ends in "@" needs a number, and other names have none.
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
    parameter: str,
    name: object,
    params: Mapping[str, object],
    namers: Iterable[str] = (),
) -> tuple[ScoreFunction, dict[str, float | None]]:
    """Return the score with this name, and the arguments that the name specifies, such
    as the cut or the level.

    `namers` are modules outside of the core that know further names, such as those of
    records. Raise ValueError if there is no such name, and TypeError if `params`
    repeats an argument. `parameter` is the name of the argument, for the message.
    """
    named = read_name(name)
    problems: list[ValueError] = []
    if named is None:
        for module in namers:
            try:
                named = import_module(module, package).score_named(name)
            except ValueError as problem:
                problems.append(problem)
    if named is None:
        similar = _similar_names(name)
        error = ValueError(
            f"{parameter} must be one of {get_scorer_names()}, where {K} may be any "
            f"number of rows, or a share of them such as 0.05, and {LEVEL} any level "
            f"from 0 to 1; got {short_repr(name)}{did_you_mean(similar)}"
        )
        if problems and not similar:
            error.add_note(str(problems[0]))
        raise error
    _, options = named
    for argument in options.keys() & params.keys():
        raise TypeError(
            f"{argument} is already specified by the name {name!r}; got "
            f"{argument}={params[argument]!r} too. Remove {argument}."
        )
    return named


def _similar_names(name: object) -> list[str]:
    """Return the name of a scorer that differs from an unknown name by a typing error.

    Its number must be the number of the unknown name, since people use names such as
    "mAP@0.5" for numbers that have no score here.
    """
    parts = _PARTS.fullmatch(name) if isinstance(name, str) else None
    if parts is None:
        return []
    start, number = parts.groups()
    # No start of ours has a digit: "average_precision_50" has a number without an "@".
    if any(map(str.isdecimal, start)):
        return []
    similar = get_close_matches(start.casefold(), SCORER_NAMES, 1, SIMILARITY)
    return [f"{known}{number}" for known in similar if read_name(f"{known}{number}")]


def function_of(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function that is passed by its name or inside partials, and all its
    keyword arguments.
    """
    if isinstance(score_func, str):
        score, options = named_score("score_func", score_func, params)
        return score, {**options, **params}
    check_function(score_func)
    return unbound(score_func, params)


def check_function(score_func: object) -> None:
    """Raise TypeError if `score_func` cannot be called."""
    if not callable(score_func):
        raise TypeError(
            f"score_func must be a function or a name; got {short_repr(score_func)}: "
            "pass a score such as average_precision_score, or 'average_precision'."
        )


def get_scorer_names() -> list[str]:
    """Return the names of this package's scorers, with the cut 10 and the level 0.8.

    `get_scorer` accepts other cuts and levels in these names, too.

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
    # The number in the name of a scorer, by the argument that the number sets.
    # Arguments other than `k` are levels.
    numbers = {None: "", "k": K}
    return sorted(
        f"{start}{numbers.get(argument, LEVEL)}"
        for start, (_, argument) in SCORER_NAMES.items()
    )


def numbered_name(score_func: ScoreFunction) -> tuple[str, str] | None:
    """Return the name of a scorer up to its number, and the argument that the number
    sets, for a score. Return None if its scorer has no number in the name.
    """
    for start, (score, argument) in SCORER_NAMES.items():
        if argument is not None and score.__name__ == name_of(score_func):
            return start, argument
    return None


def scorer_name(
    score_func: ScoreFunction, params: Mapping[str, object]
) -> tuple[str, str]:
    """Return the name of the scorer with these arguments, and a name for its function
    that also shows the cut or the level.
    """
    function = name_of(score_func)
    numbered = numbered_name(score_func)
    if numbered is not None:
        start, argument = numbered
        # In the signature of a partial, the number that it binds is a default.
        defaults = defaults_of(signature(score_func).parameters)
        number = params.get(argument, defaults.get(argument))
        # `k` may also be an array with a cut per query, which is too long for a name.
        if isinstance(number, Real):
            name = f"{start}{number}"
            in_place_of_at = "_at_" if argument == "k" else "_"
            return name, f"{name.replace('@', in_place_of_at)}_score"
    # A partial has a name only if it was set, such as to the name of a record.
    name = getattr(score_func, "__name__", function)
    if name != function:
        return name, name
    return function.removesuffix("_score"), function
