"""Errors about keywords that a public function does not take, and about arguments that
are missing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from .reading.options import did_you_mean

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")
# Names that are this similar differ by a typing error. Names that are less similar may
# have another meaning: `fp_cost` is not `miss_cost`.
SIMILARITY = 0.9
# Before scikit-learn 1.6, `make_scorer` had two arguments in place of one.
_REPLACED = {
    "needs_proba": " Pass response_method='predict_proba' to make_scorer.",
    "needs_threshold": (
        " Pass response_method=('decision_function', 'predict_proba') to make_scorer."
    ),
}


def error_about_keyword(
    caller: str, keyword: str, parameters: Iterable[str]
) -> TypeError:
    """Return the error about an argument that a public function does not take, with all
    arguments that it takes.
    """
    names = [name for name in parameters if name not in ("self", "cls")]
    similar = get_close_matches(keyword, names, 1, SIMILARITY)
    return TypeError(
        f"{caller} takes no argument {keyword!r}{did_you_mean(similar)} It takes "
        f"{', '.join(names) or 'none'}.{_REPLACED.get(keyword, '')}"
    )


def names_keywords(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """Return the function with errors that list its arguments, if a call does not fit
    its signature.
    """

    @wraps(function)
    def checked(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            explain_call(error, function, args, kwargs)
            raise

    return checked


def explain_call(
    error: TypeError,
    function: Callable[..., object],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> None:
    """Raise the error about the first argument that a public function does not take. If
    an argument is missing, or there are too many, add a note to Python's error.

    If the call fits the signature, its TypeError has another cause.
    """
    shape = signature(function)
    for keyword in kwargs:
        if keyword not in shape.parameters:
            name = function.__name__
            raise error_about_keyword(name, keyword, shape.parameters) from None
    try:
        shape.bind(*args, **kwargs)
    except TypeError:
        names = [name for name in shape.parameters if name not in ("self", "cls")]
        note = f"It takes {', '.join(names)}."
        if "y_score" in names and len(args) < 2 and "y_score" not in kwargs:
            note += (
                " If the labels are in ranked order, pass y_score=range(len(y_true), "
                "0, -1)."
            )
        # scikit-learn calls a function that is passed as `scoring` with an estimator.
        if "y_score" in names and len(args) == 3:
            note += f" For scoring=, pass make_scorer({function.__name__})."
        error.add_note(note)
