"""`identify_function`: the conventions that a function follows, by its numbers on small
rankings.
"""

from __future__ import annotations

import textwrap
import warnings
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import cache, partial
from math import inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.options import read_k, short_repr
from .._core.typing import BoolArray, FloatArray, IntArray, PassedRows, ScoreFunction
from .._shown.tables import SCHEMA_VERSION, ShownAsText, json_value
from ._input import ConventionInput
from ._records import CONVENTIONS, SIGN_OF_ITEM_ORDER, Convention, read_file
from ._score_as import compute_outcome

# The rankings on which functions are called, and what each of them is for.
_RANKINGS = read_file()["ranking"]
_KINDS = np.array([ranking["kind"] for ranking in _RANKINGS])
_HAS_BOTH_CLASSES = _KINDS != "one class"
# At least ten rows, whose scores are distinct and between 0 and 1.
_IS_PLAIN = _KINDS == "plain"
# The least and the greatest number of a convention that may have any number.
_ANY_NUMBER = -inf, inf


class _Correction(NamedTuple):
    """How the arguments and the numbers of a function are corrected."""

    # The step through its two arguments, labels and scores, and the sign of scores.
    step: int = 1
    sign: int = 1
    # The corrected number is `shift + factor * number`.
    shift: int = 0
    factor: float = 1
    # The digits to which its numbers agree with those of conventions.
    digits: int = 9


# What a function may do otherwise than conventions, in words, or nothing.
_CORRECTIONS = {
    "": _Correction(),
    "takes scores first": _Correction(step=-1),
    "ranks low scores first": _Correction(sign=-1),
    "-number": _Correction(factor=-1),
    "1 - number": _Correction(shift=1, factor=-1),
    "100 * number": _Correction(factor=0.01),
    "agrees to 4 digits": _Correction(digits=4),
    "rounded to 3 digits": _Correction(digits=3),
    "rounded to 2 digits": _Correction(digits=2),
}


@dataclass(frozen=True, repr=False, kw_only=True)
class FunctionComparison(ShownAsText):
    """The conventions that a function follows.

    `identify_function` returns this object, which prints as text.

    Parameters
    ----------
    names : tuple of str
        The conventions whose numbers the function returns, as it is, on all rankings
        with both classes, in the order of equal scores that the convention has. If a
        convention leaves this order open, they are its numbers for one of the orders,
        and a line of the text says so. A function with one number on all rankings
        follows none.
    nearest : tuple of str
        If it follows no convention, those with the same number on all rankings of at
        least ten rows whose scores are distinct and between 0 and 1, after the
        `corrections`. They show which number it computes. Of several, at most ten are
        listed, which have the same number on the most other rankings.
    corrections : tuple of str
        What it does otherwise than `nearest` on all rankings: ``"takes scores first"``,
        ``"ranks low scores first"``, ``"-number"``, ``"1 - number"``, ``"100 *
        number"``, ``"agrees to 4 digits"``, ``"rounded to 3 digits"`` or ``"rounded to
        2 digits"``.
    example : dict or None
        The smallest ranking of both classes on which it differs from the first of
        `nearest`, also after the corrections, with what it ``"shows"``, its ``"kind"``,
        ``"y_true"`` and ``"y_score"``, the ``"value"`` of the function, and as
        ``"expected"`` the number of the convention, or its least and greatest one over
        all orders of equal scores. If there is no number, it is NaN. None if it differs
        on none.
    error : str
        The first error that it raised, with its ranking, or that its numbers change
        between calls, so that no convention is named; otherwise empty.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compatibility import identify_function
    >>> "scikit-learn" in identify_function(average_precision_score).names
    True
    """

    names: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    example: dict[str, Any] | None = None
    error: str = ""

    def __str__(self) -> str:
        """Return the conventions and the facts, in lines of at most 79 columns."""
        none = "no convention (without k, those with a cut are not compared)"
        lines = [f"It follows {'; '.join(self.names) or none}."]
        open_orders = ("unspecified", *SIGN_OF_ITEM_ORDER)
        without_order = [
            name for name in self.names if CONVENTIONS[name].ties in open_orders
        ]
        if without_order:
            lines += [
                "For equal scores, it has the number of one of the orders that "
                f"these leave open: {'; '.join(without_order)}."
            ]
        if not self.names + self.nearest:
            lines += [
                "A function of ids, or of recall and precision, needs a function of "
                "labels and scores around it: see 'Ask the code' on the page Which AP."
            ]
        if self.nearest:
            lines += [f"For distinct scores, it computes {'; '.join(self.nearest)}."]
        if self.corrections:
            lines += [f"To be corrected: {'; '.join(self.corrections)}."]
        if self.example:
            text = "For {y_true} and {y_score}, the number is {value}, not {expected}."
            lines += [text.format_map(self.example)]
        if self.error:
            lines += [f"Error: {self.error}."]
        return "\n".join(textwrap.fill(line, 79) for line in lines)

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
        The cut of the conventions to compare, as for :func:`score_as`, but without the
        last of the 40 rows of the longest ranking: below 40, or a share up to 0.98. The
        function does not get it. Conventions with a cut are compared only if it is
        given.

    Returns
    -------
    comparison : FunctionComparison
        The `names` of the conventions that it follows. If it follows none, the nearest
        ones, what to correct, and where they differ.

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
    The function is called about 70 times, or about 130 times if it follows no
    convention as it is.

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
    ...
    >>> found = identify_function(my_ap, k=5)
    >>> "ml_metrics apk" in found.names
    True
    """
    if not callable(function):
        raise TypeError(f"function must be callable; got {short_repr(function)}.")
    k = read_k(k)
    # A cut of all 40 rows of the longest ranking cuts nothing. With a smaller cut, the
    # numbers of each convention vary over the plain rankings, because the last row of
    # one of them is its only positive.
    if k is not None and (k >= 40 or 0.98 < k < 1):
        raise ValueError(
            "k must be below 40, the rows of the longest ranking, or a share up to "
            f"0.98; got {k}. Pass a function with a smaller cut, and its k."
        )
    numbers_of = cache(partial(_numbers, function))
    # The numbers of the function as it is, without a correction.
    own, own_errors = numbers_of(1, 1)
    # Call it a second time on the same rankings: it must return the same numbers. Those
    # of parallel sums of float32 may differ by less than 1e-6.
    if not np.allclose(
        own, _numbers(function, 1, 1)[0], rtol=0, atol=1e-6, equal_nan=True
    ):
        text = "called again with the same rows, it returns other numbers"
        return FunctionComparison(error=text)
    expected = _expected_numbers(k)
    for words, correction in _CORRECTIONS.items():
        returned, errors = numbers_of(correction.step, correction.sign)
        # The sum has no -0.0.
        numbers = correction.shift + correction.factor * returned
        differs = _differs(numbers, correction.digits, expected)
        followed = np.flatnonzero(~differs[:, _HAS_BOTH_CLASSES].any(axis=1))
        places = followed if followed.size else _nearest(differs, expected)
        names = tuple(expected.conventions[place].name for place in places)
        text_of_error = next(iter(errors), "")
        # After a correction, also a convention that is followed is only near.
        if followed.size and not words:
            return FunctionComparison(names=names, error=text_of_error)
        if names:
            return FunctionComparison(
                nearest=names,
                corrections=(words,) if words else (),
                example=_example(numbers, differs, expected, places[0]),
                error=text_of_error,
            )
    if len(own_errors) == own.size:
        raise next(iter(own_errors.values()))
    return FunctionComparison(error=next(iter(own_errors), ""))


class _Expected(NamedTuple):
    """The numbers of conventions: arrays with a row per convention and a column per
    ranking. NaN means that there is no number.
    """

    conventions: list[Convention]
    # The least and the greatest number over all orders of equal scores.
    low: FloatArray
    high: FloatArray


def _differs(numbers: FloatArray, digits: int, expected: _Expected) -> BoolArray:
    """Return whether the number of each convention (row) for each ranking (column)
    differs from that of a function, to this number of digits.
    """
    tolerance = max(0.5001 / 10**digits, 1e-9)
    # Two or three digits must agree because the function rounds its numbers: if it does
    # not, they agree by chance. Four digits may also agree for another reason, such as
    # 1e-6 in a divisor.
    if digits < 4 and (abs(numbers - numbers.round(digits)) > 1e-6).any():
        tolerance = 1e-9
    conventions, low, high = expected
    # With the rounding of each package, a column of one tolerance per convention.
    tolerances = tolerance + np.array([[one.rounding_error] for one in conventions])
    differs: BoolArray = np.isnan(low) != np.isnan(numbers)
    differs |= (numbers < low - tolerances) | (numbers > high + tolerances)
    return differs


def _nearest(differs: BoolArray, expected: _Expected) -> IntArray:
    """Return the places of the conventions with the numbers of a function on all plain
    rankings: at most ten of those with the fewest other numbers on all rankings.
    """
    agrees = ~differs[:, _IS_PLAIN].any(axis=1)
    # Here, a range over orders of equal scores is not the same number.
    is_range = expected.high - expected.low > 1e-9
    n_others = (differs | is_range).sum(axis=1)
    fewest = n_others[agrees].min(initial=len(_RANKINGS))
    return np.flatnonzero(agrees & (n_others == fewest))[:10]


def _example(
    numbers: FloatArray, differs: BoolArray, expected: _Expected, place: int
) -> dict[str, Any] | None:
    """Return the smallest ranking of both classes on which the number of a function
    differs from that of the convention at this place; None if there is no such ranking.
    """
    rankings = np.flatnonzero(differs[place] & _HAS_BOTH_CLASSES)
    if not rankings.size:
        return None
    # The smallest rankings come first.
    first = rankings[0]
    ends = {expected.low[place, first].item(), expected.high[place, first].item()}
    example: dict[str, Any] = deepcopy(_RANKINGS[first])
    return example | {"value": numbers[first].item(), "expected": sorted(ends)}


def _numbers(
    function: ScoreFunction, step: int, sign: int
) -> tuple[FloatArray, dict[str, Exception]]:
    """Return the number of a function on each ranking, and its errors by their texts.
    The number is NaN if there is an error, or no finite number. Scores are first if
    `step` is -1, and multiplied by `sign`.
    """
    values, errors = list[float](), dict[str, Exception]()
    for ranking in _RANKINGS:
        y_true, y_score = ranking["y_true"], ranking["y_score"]
        rows = np.array(y_true), sign * np.array(y_score)
        value = nan
        try:
            with warnings.catch_warnings(action="ignore"):
                value = _as_number(function(*rows[::step]))
        except Exception as exception:
            errors[f"{exception!r} for {y_true} and {y_score}"] = exception
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
def _expected_numbers(k: int | float | None) -> _Expected:
    """Return the numbers of all conventions, without those that need a missing cut, on
    each ranking.
    """
    conventions = [one for one in CONVENTIONS.values() if one.cut != "k" or k]
    ranges = list[FloatArray]()
    for ranking in _RANKINGS:
        rows = PassedRows(ranking["y_true"], ranking["y_score"], "macro")
        arguments = ConventionInput("identify_function", rows, k, None)
        outcomes = [compute_outcome(one, arguments) for one in conventions]
        ends = np.array([one.range_over_orders for one in outcomes])
        if ranking["kind"] != "one class":
            # An outcome without a number or a range then means that precisions are
            # divided by the hits, which depend on the order of equal scores. So the
            # function may return any number.
            has_error = [one.error != "" for one in outcomes]
            ends[has_error & np.isnan(ends[:, 0])] = _ANY_NUMBER
        ranges.append(ends)
    low, high = np.array(ranges).T
    return _Expected(conventions, low, high)
