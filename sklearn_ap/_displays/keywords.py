"""Keywords of displays: properties of a line, and those that have another name here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from .._core.advice import CALLED_HERE, advised
from .._core.user_messages import warn_user
from .styles import import_pyplot

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")

# Keywords that no display takes, and what to write in their place: an argument, for
# the methods that have it, or a call.
_BY_ARGUMENT = {
    "plot_band": {"ci": "plot_band=True"},
    "area": {"interpolation": "area"},
    "curve_kwargs": {"colors": "curve_kwargs"},
}
_CALLS = {
    "title": "display.ax_.set_title",
    "log": "display.ax_.set_xscale('log')",
}


def with_advice(method: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """Return the method of a display, with notes on Python's errors about keywords."""
    called_here = CALLED_HERE | _CALLS
    for argument in signature(method).parameters:
        called_here |= _BY_ARGUMENT.get(argument, {})
    return advised(method, called_here)


def takes_line_options(
    method: Callable[_Params, _Result],
) -> Callable[_Params, _Result]:
    """Return a method that also takes properties of a line as keyword arguments, such
    as ``color="red"``, and passes them on as `curve_kwargs`.

    scikit-learn's display takes such arguments until 1.11, and has no `curve_kwargs`
    before 1.9. The error and the warning begin with the words of scikit-learn.
    """
    parameters = signature(method).parameters

    @wraps(method)
    def with_line_options(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        import_pyplot()
        from matplotlib.lines import Line2D

        # Other words stay, so that the method raises its error about unknown arguments.
        style = {
            word: kwargs.pop(word)
            for word in list(kwargs)
            if word not in parameters and hasattr(Line2D, f"set_{word}")
        }
        if style:
            if kwargs.get("curve_kwargs"):
                raise ValueError(
                    "Cannot provide both `curve_kwargs` and `kwargs`: add "
                    f"{style!r} to curve_kwargs; got {kwargs['curve_kwargs']!r}."
                )
            kwargs["curve_kwargs"] = style
            warn_user(
                FutureWarning(
                    "`**kwargs` is deprecated and will be removed, as in scikit-learn "
                    f"1.11: write curve_kwargs={style!r}."
                )
            )
        return method(*args, **kwargs)

    return with_line_options
