"""The names of scores: names of scorers, such as ``'average_precision@100'``, and names
that people use elsewhere.

Wherever this package expects a function, it also accepts the name of a scorer.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any, NamedTuple

from .. import __name__ as package
from .reading.options import did_you_mean, read_k, read_level, short_repr
from .registry import (
    LEVEL,
    NUMBERS,
    K,
    defaults_of,
    defaults_of_score,
    name_of,
    unbound,
)
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
    advice = ""
    if named is None:
        for module in namers:
            try:
                named = import_module(module, package).score_named(name)
            except ValueError as error:
                advice = f" {error}"
    if named is None:
        hints = hints_for(name)
        text, *_ = plain_up_to_number(str(name))
        if text.startswith(_AT_FALSE_POSITIVE_RATE):
            hints, advice = [], _RECIPE
        raise ValueError(
            f"{parameter} must be one of {get_scorer_names()}, where {K} may be any "
            f"number of rows, or a share of them such as 0.05, and {LEVEL} any level "
            f"from 0 to 1; got {name!r}{did_you_mean(hints)}{'' if hints else advice}"
        )
    _, options = named
    for argument in options.keys() & params.keys():
        raise TypeError(
            f"{argument} is already specified by the name {name!r}; got "
            f"{argument}={params[argument]!r} too. Remove {argument}."
        )
    return named


# Names that people use elsewhere for a score, separated by `|`, in the spelling of
# `plain_up_to_number`. A key is the name of a scorer up to its number, followed by
# options. Errors suggest the score for such a name. No function accepts it as a name,
# since a name such as "mAP" is used for many numbers.
_NAMES_OF_AT_K = "ap@|map@|mean average precision@"
_NAMES_OF_AREA = "auprc|aupr|aucpr|auc pr|prauc|area under pr"
_SPOKEN_NAMES = {
    "average_precision": f"ap|map|mean average precision|sklearn average precision|{_NAMES_OF_AREA}",
    "average_precision average=weighted": "average precision weighted",
    "average_precision average=micro": "average precision micro",
    "average_precision average=samples": "average precision samples",
    "pr_auc interpolation=linear": _NAMES_OF_AREA,
    "pr_auc interpolation=davis-goadrich": _NAMES_OF_AREA,
    "interpolated_average_precision": "interpolated ap|iap",
    "eleven_point_average_precision": "11 point|11 pt|11 point ap|eleven point",
    "average_precision@ normalizer=min": _NAMES_OF_AT_K,
    "average_precision@ normalizer=n_positives": f"{_NAMES_OF_AT_K}|map cut@",
    "average_precision@ normalizer=k": _NAMES_OF_AT_K,
    "average_precision@ normalizer=hits": _NAMES_OF_AT_K,
    # Lift is precision over the share of positives.
    "precision@": "p@|prec@|lift@",
    "recall@": "r@|rec@",
    "recall@ normalizer=min": "capped recall@|recall cap@|r cap@",
    "r_precision": "rprec|r prec",
    "reciprocal_rank": "rr|mrr|mean reciprocal rank|recip rank",
    "reciprocal_rank@": "rr@|mrr@|mean reciprocal rank@",
    "success@": "hit@|hits@|hit rate@",
    "precision_at_recall@": "",
    "recall_at_precision@": "",
}

# Names that begin in these ways, in the spelling of `plain_up_to_number`, mean recall
# at a false positive rate, which has no score of its own.
_AT_FALSE_POSITIVE_RATE = (
    "tpr at fpr",
    "recall at fpr",
    "recall at specificity",
    "sensitivity at specificity",
)
_RECIPE = (
    " For recall at a false positive rate of 0.01, write a function of y_true and "
    "y_score that returns operating_point(y_true, y_score, specificity=0.99).recall, "
    "and pass it to make_scorer, as on the page 'Tune and compare models'."
)


class Hint(NamedTuple):
    """A score that a user may have meant: the name of its scorer, and options.

    Its `repr` shows the arguments to write.
    """

    name: str
    options: Mapping[str, object]

    def __repr__(self) -> str:
        """Return the name and the options."""
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        return ", ".join([repr(self.name), *options])


def numbers_of(hint: Hint) -> tuple[list[str], dict[str, float | None]]:
    """Return the names in `NUMBERS` that match a hint with any cut, and the cut or the
    level in the name of the hint.
    """
    score, bound = read_name(hint.name) or (None, {})
    if score is None:
        return [], bound
    defaults = defaults_of_score(score)
    chosen = {**bound, **hint.options}
    # `NUMBERS` contains cuts at K only, so compare with K in place of the cut.
    if "k" in bound:
        chosen["k"] = K
    names = [
        number.name
        for number in NUMBERS
        if number.score is score and defaults | number.options == defaults | chosen
    ]
    return names, bound


def plain_up_to_number(name: str) -> tuple[str, str, str]:
    """Return a name in lower case with single spaces, the name up to its number, and
    the number.

    For AP@10, ap_at_10 and "AP 10", the last two are "ap@" and "10"; "k" is read as a
    number, too, and 10% as 0.1. Without a number, they are the name and "".
    """
    name = re.sub(
        r"(?<!\d)(\d{1,2}(?:\.\d+)?) ?%$",
        lambda share: str(Decimal(share[1]) / 100),
        name,
    )
    text = re.sub(r"[\s_-]+|(?<=\d)(?=[a-z])", " ", name.casefold()).strip()
    text = text.removesuffix(" score")
    parts = re.fullmatch(r"(.+?)(?: ?@ ?| at | )(k|[\d.]+)", text)
    if parts is None:
        return text, text, ""
    start, number = parts.groups()
    return text, f"{start}@", number


def hints_for(name: object) -> list[Hint]:
    """Return the scores for which people use this name or a similar one."""
    text, start, number = plain_up_to_number(str(name))
    # A cut such as 10.0 is written as an integer, except 1.0, which means all rows,
    # while 1 means one row.
    if number != "1.0":
        number = number.replace("k", str(K)).removesuffix(".0")
    calls_by_name = _calls_by_spoken_name()
    # The whole name comes first, then the name up to its number, then a similar name.
    matches = [words for words in (text, start) if words in calls_by_name]
    matches += get_close_matches(start, calls_by_name, 1, 0.8)
    if not matches:
        return []
    hints = []
    for call in calls_by_name[matches[0]]:
        scorer, *options = call.split()
        if scorer.endswith("@"):
            scorer += number
        # The number may be missing, or not be valid for this score.
        if read_name(scorer):
            hints.append(Hint(scorer, dict(option.split("=") for option in options)))
    return hints


def _calls_by_spoken_name() -> dict[str, list[str]]:
    """Return the keys of `_SPOKEN_NAMES`, by each name that people use for them and by
    the name of the scorer.
    """
    calls: dict[str, list[str]] = {}
    for call, spoken_names in _SPOKEN_NAMES.items():
        scorer, *_ = call.split()
        for spoken_name in (scorer.replace("_", " "), *spoken_names.split("|")):
            calls.setdefault(spoken_name, []).append(call)
    return calls


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
