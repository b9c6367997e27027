"""`identify_function`: the conventions that a function follows, by its numbers on small
rankings.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import cache
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
# The rankings of `records.toml` with rows of one class, and the others.
_ONE_CLASS, _BOTH_CLASSES = slice(4), slice(4, None)
# Two numbers that differ by no more than this, or by the rounding of a record, agree.
_ROUNDING, _FOUR_DIGITS = 1e-9, 0.5001e-4
# The fields of a comparison, in sentences. Each is printed if its field is not empty.
_SENTENCES = {
    "names": "It follows {}.",
    "names_with_open_order": "In its own order of equal scores, it follows {}: they "
    "leave this order open.",
    "names_after_correction": "It follows no convention. After a correction, it would "
    "follow {}.",
    "nearest": "It follows no convention. The nearest are {}.",
    "other_numbers_with": "It has other numbers with {}.",
    "example": "For {0[y_true]} and {0[y_score]}, it returns {0[value]}, and not "
    "{0[expected]}.",
    "takes_scores_first": "It takes scores before labels.",
    "ranks_low_scores_first": "It ranks low scores first.",
    "has_wrong_sign": "Its numbers have the wrong sign.",
    "is_percentage": "Its numbers are percentages.",
    "agrees_to_four_digits": "Its numbers agree to four digits, but not to 1e-9: it "
    "may round them.",
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
        The conventions of both kinds that the function would follow after one of the
        next five was corrected. Otherwise, all five are False.
    takes_scores_first, ranks_low_scores_first : bool
        Whether it takes scores before labels, or ranks low scores first.
    has_wrong_sign, is_percentage : bool
        Whether it returns minus the number, or 100 times the number.
    agrees_to_four_digits : bool
        Whether its numbers agree to four digits only, as if it rounded them.
    depends_on_row_order : bool
        Whether the order of rows with equal scores changes its numbers.
    ranks_positives_first : bool
        Whether it ranks positives first among equal scores.
    differs_on_one_class : bool
        Whether it has the values of none of these conventions on all rankings of one
        class. Copies of one formula return 0, 1 or NaN there, or raise an error.
    nearest : tuple of str
        If it follows no convention, also after a correction, those that have the same
        number on the most rankings.
    other_numbers_with : tuple of str
        What the rankings have, in words, on which the first of `nearest` has another
        number.
    example : dict or None
        The smallest of these rankings, with what it ``"shows"``: its ``"y_true"`` and
        ``"y_score"``, the ``"value"`` of the function, and as ``"expected"`` the number
        of the convention, or its least and greatest one over all orders of equal
        scores. If there is no number, it is NaN.
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
    is_percentage: bool = False
    agrees_to_four_digits: bool = False
    depends_on_row_order: bool = False
    ranks_positives_first: bool = False
    differs_on_one_class: bool = False
    nearest: tuple[str, ...] = ()
    other_numbers_with: tuple[str, ...] = ()
    example: dict[str, Any] | None = None
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
    conventions, low, high = _expected_numbers(read_k(k))
    own, errors = _numbers(function)
    for correction, values, rounding in _variants(function, own):
        error = rounding + np.array([[one.error] for one in conventions])
        # NaN means that there is no number.
        differs = np.isnan(low) != np.isnan(values)
        differs |= (values < low - error) | (values > high + error)
        rows = np.flatnonzero(~differs[:, _BOTH_CLASSES].any(axis=1))
        if rows.size:
            followed = [conventions[row] for row in rows]
            fields = _fields_of_names(followed, correction)
            break
    else:
        # If no correction helps, the last values are those of the function itself.
        if len(errors) == own.size:
            raise next(iter(errors.values()))
        # A range over orders of equal scores is not the same number.
        same = ~differs & (high - low <= _ROUNDING)
        n_same = same[:, _BOTH_CLASSES].sum(axis=1)
        rows = np.flatnonzero(n_same == n_same.max())
        row = rows[0]
        fields = _other_numbers(differs[row], np.c_[own, low[row], high[row]])
        fields["nearest"] = tuple(conventions[row].name for row in rows)
    # The last four rankings have the same labels: with equal scores, these in reversed
    # order, and with positives first and last.
    forwards, backwards, first, last = values[-4:]
    return FunctionComparison(
        **fields,
        depends_on_row_order=bool(abs(forwards - backwards) > _ROUNDING),
        ranks_positives_first=bool(
            np.ptp(values[-4:-1]) <= _ROUNDING < abs(first - last)
        ),
        differs_on_one_class=bool(differs[rows, _ONE_CLASS].any(axis=1).all()),
        error=next(iter(errors), ""),
    )


def _fields_of_names(followed: list[Convention], correction: str) -> dict[str, Any]:
    """Return the fields about the conventions that a function follows, as it is or
    after a correction.
    """
    names = tuple(one.name for one in followed)
    if correction:
        return {correction: True, "names_after_correction": names}
    open_order = tuple(one.name for one in followed if one.ties in _OPEN)
    return {
        "names": tuple(name for name in names if name not in open_order),
        "names_with_open_order": open_order,
    }


def _other_numbers(differs: BoolArray, numbers: FloatArray) -> dict[str, Any]:
    """Return the fields about the rankings of both classes on which a function and a
    convention differ. `numbers` has their numbers: of the function, the least and the
    greatest of the convention.
    """
    rankings = read_file()["ranking"]
    places = np.flatnonzero(differs[_BOTH_CLASSES]) + _ONE_CLASS.stop
    shows = dict.fromkeys(rankings[place]["shows"] for place in places)
    # The smallest rankings come first.
    value, *ends = numbers[places[0]].tolist()
    example = deepcopy(rankings[places[0]])
    example |= {"value": value, "expected": sorted({*ends})}
    return {"other_numbers_with": tuple(shows), "example": example}


def _numbers(function: ScoreFunction) -> tuple[FloatArray, dict[str, Exception]]:
    """Return the number of a function on each ranking, and its errors by their texts.
    The number is NaN if there is an error, or no finite number.
    """
    values, errors = list[float](), dict[str, Exception]()
    for ranking in read_file()["ranking"]:
        rows = ranking["y_true"], ranking["y_score"]
        value = nan
        try:
            with warnings.catch_warnings(action="ignore"):
                value = _as_number(function(*map(np.array, rows)))
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


def _variants(
    function: ScoreFunction, own: FloatArray
) -> Iterator[tuple[str, FloatArray, float]]:
    """Yield each fault that a function with these numbers may have, its numbers after a
    correction, and how much they may be rounded. The first fault is none.
    """
    yield "", own, _ROUNDING
    swapped, _ = _numbers(lambda y_true, y_score: function(y_score, y_true))
    yield "takes_scores_first", swapped, _ROUNDING
    negated, _ = _numbers(lambda y_true, y_score: function(y_true, -y_score))
    yield "ranks_low_scores_first", negated, _ROUNDING
    yield "has_wrong_sign", -own, _ROUNDING
    yield "is_percentage", own / 100, _ROUNDING
    yield "agrees_to_four_digits", own, _FOUR_DIGITS


@cache
def _expected_numbers(
    k: int | float | None,
) -> tuple[list[Convention], FloatArray, FloatArray]:
    """Return the conventions, without those that need a missing cut, and their numbers
    on each ranking: the least and the greatest over all orders of equal scores.
    """
    conventions = [one for one in CONVENTIONS.values() if one.cut != "k" or k]
    ranges = list[FloatArray]()
    for ranking in read_file()["ranking"]:
        rows = PassedRows(ranking["y_true"], ranking["y_score"], "macro")
        scores = ConventionInput("identify_function", rows, k, None)
        outcomes = [compute_outcome(one, scores) for one in conventions]
        ends = np.array([one.range_over_orders for one in outcomes])
        if len({*ranking["y_true"]}) == 2:
            # The only error without a range is then that the divisor, which is the
            # hits, changes with the order of equal scores.
            is_error = [one.error is not None for one in outcomes]
            ends[is_error & np.isnan(ends[:, 0])] = -inf, inf
        ranges.append(ends)
    low, high = np.array(ranges).T
    return conventions, low, high
