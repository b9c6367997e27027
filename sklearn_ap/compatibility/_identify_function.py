"""`identify_function`: the conventions that a function follows, by its numbers on small
rankings.
"""

from __future__ import annotations

import textwrap
import warnings
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import product
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from .._core.reading.options import read_k, short_repr
from .._core.typing import BoolArray, FloatArray, PassedRows, ScoreFunction
from .._shown.tables import SCHEMA_VERSION, ShownAsText, json_value
from ._input import ConventionInput
from ._records import BY_ITEM, CONVENTIONS, Convention, read_file
from ._score_as import compute_outcome

# The orders of equal scores that conventions leave open, here without ids.
_OPEN = "unspecified", *BY_ITEM
# The rankings on which functions are called, and what each of them is for.
_RANKINGS = read_file()["ranking"]
_KINDS = np.array([ranking["kind"] for ranking in _RANKINGS])
_HAS_BOTH_CLASSES, _IS_PLAIN = _KINDS != "one class", _KINDS == "plain"
# Two numbers that differ by no more than this, or by the rounding of a record, agree.
_ROUNDING = 1e-9
# A function may round its numbers to so many digits.
_DIGITS = {
    "agrees_to_four_digits": 4,
    "agrees_to_three_digits": 3,
    "agrees_to_two_digits": 2,
}
# Faults by which it takes other arguments.
_FAULTS_OF_ARGUMENTS = {"ranks_low_scores_first", "takes_scores_first"}
# All combinations of at most one fault of each kind, those with the fewest faults
# first. Each fault is a field of a comparison.
_FAULTS = sorted(
    (
        frozenset(filter(None, faults))
        for faults in product(
            ("", *_DIGITS),
            ("", "has_wrong_sign", "is_one_minus_number", "is_percentage"),
            ("", "ranks_low_scores_first"),
            ("", "takes_scores_first"),
        )
    ),
    key=len,
)
# The fields of a comparison, in sentences. Each is printed if its field is not empty.
_SENTENCES = {
    "names": "It follows {}.",
    "names_with_open_order": "In its own order of equal scores, it follows {}: they "
    "leave this order open.",
    "names_after_correction": "It follows no convention. Corrected, it would follow "
    "{}.",
    "nearest": "It follows no convention. For distinct scores between 0 and 1, it "
    "computes {}.",
    "takes": "It follows no convention of labels and scores. By the names of its "
    "parameters, it takes {}.",
    "pass_instead": "Pass `{}`.",
    "closest": "It follows no convention, not even for distinct scores between 0 and "
    "1: the closest convention has its number on {0[agreeing]} of {0[rankings]} "
    "rankings.",
    "lacks_k": "To compare conventions with a cut, too, pass k.",
    "takes_scores_first": "It takes scores before labels.",
    "ranks_low_scores_first": "It ranks low scores first.",
    "has_wrong_sign": "Its numbers have the wrong sign.",
    "is_one_minus_number": "It returns 1 minus the number.",
    "is_percentage": "Its numbers are percentages.",
    "agrees_to_four_digits": "Its numbers agree to four digits, but not to 1e-9: it "
    "may round them.",
    "agrees_to_three_digits": "It rounds the number to three digits.",
    "agrees_to_two_digits": "It rounds the number to two digits.",
    "other_numbers_with": "It has other numbers with {}.",
    "example": "For {0[y_true]} and {0[y_score]}, the number is {0[value]}, and not "
    "{0[expected]}.",
    "changes_between_calls": "Called again with the same rows, it returns other "
    "numbers, so no convention is named.",
    "depends_on_row_order": "The order of rows with equal scores changes its numbers.",
    "ranks_positives_first": "It ranks positives first among equal scores.",
    "differs_on_one_class": "On rankings of one class, it differs from each of these.",
    "error": "It raises {}.",
}


@dataclass(frozen=True, repr=False, kw_only=True)
class FunctionComparison(ShownAsText):
    """The conventions that a function follows, and facts about the function.

    `identify_function` returns this object, which prints as text.

    Parameters
    ----------
    names : tuple of str
        The conventions whose numbers the function returns, as it is, on all rankings
        with both classes, in the order of equal scores that the convention has.
    names_with_open_order : tuple of str
        Conventions that leave the order of equal scores open. On each of these
        rankings, the function returns their number for one of the orders.
    names_after_correction : tuple of str
        The conventions of both kinds that the function would follow if the fewest of
        the next eight faults were corrected. Otherwise, all eight are False.
    takes_scores_first, ranks_low_scores_first : bool
        Whether it takes scores before labels, or ranks low scores first.
    has_wrong_sign, is_one_minus_number, is_percentage : bool
        Whether it returns minus the number, 1 minus the number, or 100 times the
        number.
    agrees_to_four_digits : bool
        Whether its numbers agree to four digits only, as if it rounded them.
    agrees_to_three_digits, agrees_to_two_digits : bool
        Whether it rounds its numbers to so many digits, after another correction.
    depends_on_row_order : bool
        Whether the order of rows with equal scores changes its numbers.
    ranks_positives_first : bool
        Whether it ranks positives first among equal scores.
    differs_on_one_class : bool
        Whether it has the values of none of these conventions on all rankings of one
        class. Copies of one formula return 0, 1 or NaN there, or raise an error.
    nearest : tuple of str
        If it follows no convention, those with the same number on all rankings of at
        least ten rows whose scores are distinct and between 0 and 1, perhaps after the
        correction of these faults. They show which number it computes. Of several, at
        most ten are listed, which have the same number on the most other rankings.
    other_numbers_with : tuple of str
        What the rankings have, in words, on which the first of `nearest` has another
        number.
    example : dict or None
        The smallest of these rankings, with what it ``"shows"``: its ``"y_true"`` and
        ``"y_score"``, the ``"value"`` of the function, and as ``"expected"`` the number
        of the convention, or its least and greatest one over all orders of equal
        scores. If there is no number, it is NaN.
    closest : dict or None
        If there are neither names nor `nearest`, the number of ``"rankings"`` with
        distinct scores between 0 and 1, and on how many of these a convention is
        ``"agreeing"`` at most.
    lacks_k : bool
        Whether conventions with a cut were not compared, if no other was recognised.
    takes, pass_instead : str
        If no convention was recognised, and the names of its first two parameters are
        those of recall and precision, or of relevant and ranked ids: these names, such
        as ``"actual and predicted"``, and the code of a function of labels and scores
        that calls it, to be passed instead.
    changes_between_calls : bool
        Whether it returned other numbers when it was called again with the same rows.
        Then no convention is named.
    error : str
        The first error that it raised, with its ranking; empty if it raised none.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compatibility import identify_function
    >>> "scikit-learn" in identify_function(average_precision_score).names
    True
    """

    names: tuple[str, ...] = ()
    names_with_open_order: tuple[str, ...] = ()
    names_after_correction: tuple[str, ...] = ()
    takes_scores_first: bool = False
    ranks_low_scores_first: bool = False
    has_wrong_sign: bool = False
    is_one_minus_number: bool = False
    is_percentage: bool = False
    agrees_to_four_digits: bool = False
    agrees_to_three_digits: bool = False
    agrees_to_two_digits: bool = False
    depends_on_row_order: bool = False
    ranks_positives_first: bool = False
    differs_on_one_class: bool = False
    nearest: tuple[str, ...] = ()
    other_numbers_with: tuple[str, ...] = ()
    example: dict[str, Any] | None = None
    closest: dict[str, int] | None = None
    lacks_k: bool = False
    takes: str = ""
    pass_instead: str = ""
    changes_between_calls: bool = False
    error: str = ""

    def __str__(self) -> str:
        """Return the conventions and the facts, in lines of at most 79 columns."""
        lines = list[str]()
        for field, sentence in _SENTENCES.items():
            value = getattr(self, field)
            if isinstance(value, tuple):
                value = "; ".join(value)
            if value:
                lines.append(textwrap.fill(sentence.format(value), 79))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that `json.dumps` can write.

        Returns
        -------
        fields : dict
            The version of the keys (``"schema"``), the ``"kind"``, and all fields.
        """
        return {
            "schema": SCHEMA_VERSION,
            "kind": "function_comparison",
            **json_value(asdict(self)),
        }


def identify_function(
    function: ScoreFunction, *, k: int | float | None = None
) -> FunctionComparison:
    """Find the conventions that a function follows.

    The function is called with copies of small rankings on which the numbers of
    conventions differ, such as rankings with equal scores. It follows a convention if
    its numbers agree to 1e-9, or to the rounding that the record of the convention
    states.

    Parameters
    ----------
    function : callable
        A function of two arrays, labels 0 and 1 and their scores, that returns a
        number. For a function with other arguments, pass a function that calls it.

    k : int, float or None, default=None
        The cut of the conventions to compare, as for :func:`score_as`. The function
        does not get it. Conventions with a cut are compared only if it is given.

    Returns
    -------
    comparison : FunctionComparison
        The `names` of the conventions that it follows, and facts about the function. If
        it follows none, the nearest ones, and where they differ.

    Raises
    ------
    TypeError
        If the function is not callable, or does not return a number.
    Exception
        The first error of the function, if it raises one on each ranking.

    See Also
    --------
    identify : Conventions that give a number.
    score_as : The number of one convention.

    Notes
    -----
    Means over queries, weights, missed positives, and rankings of more than 40 rows are
    not compared. While the function runs, no warnings are shown, also of other threads.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap.compatibility import identify_function
    >>> def my_ap(labels, scores):
    ...     ranked = labels[np.argsort(-scores, kind="stable")]
    ...     precision = ranked.cumsum() / np.arange(1, ranked.size + 1)
    ...     return precision[:5] @ ranked[:5] / min(5, ranked.sum())
    >>> found = identify_function(my_ap, k=5)
    >>> "ml_metrics apk" in found.names, found.depends_on_row_order
    (True, True)
    """
    if not callable(function):
        raise TypeError(f"function must be callable; got {short_repr(function)}.")
    k = read_k(k)
    numbers_of = cache(partial(_numbers, function))
    own, own_errors = numbers_of(frozenset())
    again, _ = _numbers(function, frozenset())
    # Parallel sums of float32 may differ by less.
    if not np.allclose(own, again, rtol=0, atol=1e-6, equal_nan=True):
        return FunctionComparison(changes_between_calls=True)
    conventions, low, high = _expected_numbers(k)
    for faults in _FAULTS:
        returned, errors = numbers_of(faults & _FAULTS_OF_ARGUMENTS)
        numbers, rounding = _corrected(returned, faults)
        error = rounding + np.array([[one.error] for one in conventions])
        # NaN means that there is no number.
        differs = np.isnan(low) != np.isnan(numbers)
        differs |= (numbers < low - error) | (numbers > high + error)
        agrees = ~differs[:, _IS_PLAIN].any(axis=1)
        if agrees.any():
            fields = _fields_of_conventions(k, numbers, differs, agrees, faults)
            return FunctionComparison(**fields, **_fields_of_order(numbers, errors))
    if fields := _fields_of_parameters(function, k):
        return FunctionComparison(**fields)
    if len(own_errors) == own.size:
        raise next(iter(own_errors.values()))
    same = np.isclose(low, own, rtol=0, atol=_ROUNDING)[:, _IS_PLAIN]
    closest = {"agreeing": int(same.sum(axis=1).max()), "rankings": same.shape[1]}
    return FunctionComparison(
        closest=closest, lacks_k=k is None, **_fields_of_order(own, own_errors)
    )


def _corrected(numbers: FloatArray, faults: frozenset[str]) -> tuple[FloatArray, float]:
    """Return corrected numbers, and how much they may be rounded."""
    if "has_wrong_sign" in faults:
        numbers = -numbers
    if "is_one_minus_number" in faults:
        numbers = 1 - numbers
    if "is_percentage" in faults:
        numbers = 0.01 * numbers
    rounding = _ROUNDING
    for fault in faults & _DIGITS.keys():
        n_digits = _DIGITS[fault]
        # Four digits may also agree for another reason, such as 1e-6 in a divisor.
        if n_digits == 4 or not (abs(numbers - numbers.round(n_digits)) > 1e-6).any():
            rounding = 0.5001 / 10**n_digits
    # Adding 0.0 turns -0.0 into 0.0.
    return numbers + 0.0, rounding


def _fields_of_order(
    numbers: FloatArray, errors: dict[str, Exception]
) -> dict[str, Any]:
    """Return the fields about the order of equal scores, and the first error."""
    forwards, backwards, first, last = (
        numbers[kind == _KINDS].item()
        for kind in ("forwards", "backwards", "positives first", "positives last")
    )
    return {
        "depends_on_row_order": abs(forwards - backwards) > _ROUNDING,
        "ranks_positives_first": bool(
            np.ptp([forwards, backwards, first]) <= _ROUNDING < abs(first - last)
        ),
        "error": next(iter(errors), ""),
    }


def _fields_of_conventions(
    k: int | float | None,
    numbers: FloatArray,
    differs: BoolArray,
    agrees: BoolArray,
    faults: frozenset[str],
) -> dict[str, Any]:
    """Return the fields about the conventions that a function with these numbers
    follows, as it is or after the correction of faults, or else about the nearest ones.
    """
    conventions, low, high = _expected_numbers(k)
    fields: dict[str, Any] = dict.fromkeys(faults, True)
    field = "names_after_correction" if faults else "names"
    rows = np.flatnonzero(~differs[:, _HAS_BOTH_CLASSES].any(axis=1))
    if not rows.size:
        field = "nearest"
        # Here, a range over orders of equal scores is not the same number.
        others = differs | (high - low > _ROUNDING)
        n_others = np.where(agrees, others.sum(axis=1), inf)
        rows = np.flatnonzero(n_others == n_others.min())[:10]
        row = rows[0]
        fields |= _other_numbers(differs[row], np.c_[numbers, low[row], high[row]])
    names = tuple(conventions[row].name for row in rows)
    if field == "names":
        open_order = tuple(name for name in names if CONVENTIONS[name].ties in _OPEN)
        fields["names_with_open_order"] = open_order
        names = tuple(name for name in names if name not in open_order)
    one_class = differs[rows][:, ~_HAS_BOTH_CLASSES]
    fields["differs_on_one_class"] = bool(one_class.any(axis=1).all())
    return {**fields, field: names}


def _other_numbers(differs: BoolArray, numbers: FloatArray) -> dict[str, Any]:
    """Return the fields about the rankings of both classes on which a function and a
    convention differ. `numbers` has their numbers: of the function, the least and the
    greatest of the convention.
    """
    places = np.flatnonzero(differs & _HAS_BOTH_CLASSES)
    shows = dict.fromkeys(_RANKINGS[place]["shows"] for place in places)
    # The smallest rankings come first.
    value, *ends = numbers[places[0]].tolist()
    example = deepcopy(_RANKINGS[places[0]])
    example |= {"value": value, "expected": sorted({*ends})}
    del example["kind"]
    return {"other_numbers_with": tuple(shows), "example": example}


def _fields_of_parameters(
    function: ScoreFunction, k: int | float | None
) -> dict[str, Any]:
    """Return the fields about a function whose first two parameters are not labels and
    scores, by their names; empty for other functions.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    parameters = code.co_varnames[: code.co_argcount]
    takes = " and ".join(parameters[:2])
    arguments = read_file()["arguments"].get(takes)
    if arguments is None:
        return {}
    has_k = "k" in parameters
    if has_k and k is not None:
        arguments += f", k={k}"
    name = code.co_name.replace("<lambda>", "f")
    return {
        "takes": takes,
        "pass_instead": f"lambda y, s: {name}({arguments})",
        "lacks_k": has_k and k is None,
    }


def _numbers(
    function: ScoreFunction, faults: frozenset[str]
) -> tuple[FloatArray, dict[str, Exception]]:
    """Return the number of a function on each ranking, which it takes with these
    faults, and its errors by their texts. The number is NaN if there is an error, or no
    finite number.
    """
    values, errors = list[float](), dict[str, Exception]()
    for ranking in _RANKINGS:
        rows = ranking["y_true"], ranking["y_score"]
        y_true, y_score = map(np.array, rows)
        if "ranks_low_scores_first" in faults:
            y_score = -y_score
        if "takes_scores_first" in faults:
            y_true, y_score = y_score, y_true
        value = nan
        try:
            with warnings.catch_warnings(action="ignore"):
                value = _as_number(function(y_true, y_score))
        except Exception as error:
            errors["{!r} for {} and {}".format(error, *rows)] = error
        values.append(value if isfinite(value) else nan)
    return np.array(values), errors


def _as_number(value: Any) -> float:
    """Return a number as a float. Raise TypeError if it is an array, for example."""
    # Neither a text nor a tuple has `__float__`.
    if not hasattr(value, "__float__") or np.ndim(value) > 0:
        raise TypeError(
            f"function must return a number; got {short_repr(value)}: pass a function "
            "that calls it and returns one number."
        )
    return float(value)


@cache
def _expected_numbers(
    k: int | float | None,
) -> tuple[list[Convention], FloatArray, FloatArray]:
    """Return the conventions, without those that need a missing cut, and their numbers
    on each ranking: the least and the greatest over all orders of equal scores.
    """
    conventions = [one for one in CONVENTIONS.values() if one.cut != "k" or k]
    ranges = list[FloatArray]()
    for ranking in _RANKINGS:
        rows = PassedRows(ranking["y_true"], ranking["y_score"], "macro")
        scores = ConventionInput("identify_function", rows, k, None)
        outcomes = [compute_outcome(one, scores) for one in conventions]
        ends = np.array([one.range_over_orders for one in outcomes])
        if ranking["kind"] != "one class":
            # The only error without a range is then that the divisor, which is the
            # hits, changes with the order of equal scores.
            is_error = [one.error is not None for one in outcomes]
            ends[is_error & np.isnan(ends[:, 0])] = -inf, inf
        ranges.append(ends)
    low, high = np.array(ranges).T
    return conventions, low, high
