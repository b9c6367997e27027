"""The types of the scores, which a script writes from their signatures."""

import inspect
import json
import re
import typing
from collections.abc import Callable
from pathlib import Path

import numpy.typing

import sklearn_ap
from sklearn_ap._core import typing as types_of_core
from sklearn_ap._core.registry import SCORES

__all__ = ["STUB", "stub"]

STUB = Path(sklearn_ap.__file__).parent / "_core" / "scores" / "__init__.pyi"
# The types of options, which the scores import from `typing` of the core.
TYPES = {*vars(types_of_core)} - {*vars(typing), *vars(numpy.typing)}
SCORE_NAMES = [score.__name__ for score in SCORES]
_TEXT = '''\
"""The types of the scores: an array with ``average=None``, and otherwise a float.

Written by `python docs/scripts/records.py` from the signatures of the scores.
"""

from typing import overload

from numpy.typing import ArrayLike

from ..typing import {types}

__all__ = [
{names}]

{functions}'''


def stub() -> str:
    """Return the stub file of the scores, in which each has two signatures: for a
    float, which type checkers take for ``**rows``, and for an array, with
    ``average=None``.
    """
    functions = [
        text
        for score in sorted(SCORES, key=lambda score: score.__name__)
        for text in (
            _overload(score, 'average: AveragedBy = "macro"', "float"),
            _overload(score, "average: None", "FloatArray"),
        )
    ]
    words = {*re.findall(r"\w+", "".join(functions))}
    types = _listed([name for name in words if name in TYPES])
    names = "".join(f'    "{name}",\n' for name in sorted(SCORE_NAMES))
    return _TEXT.format(types=types, names=names, functions="".join(functions))


def _overload(score: Callable[..., object], average: str, result: str) -> str:
    """Return the signature of a score with this `average` and this result."""
    first, second, *options = inspect.signature(score).parameters.values()
    written = [_parameter(first), _parameter(second), "*"]
    for option in options:
        written.append(average if option.name == "average" else _parameter(option))
    lines = "".join(f"    {parameter},\n" for parameter in written)
    return f"@overload\ndef {score.__name__}(\n{lines}) -> {result}: ...\n"


def _parameter(parameter: inspect.Parameter) -> str:
    """Return a parameter as a signature has it."""
    text, default = f"{parameter.name}: {parameter.annotation}", parameter.default
    if default is inspect.Parameter.empty:
        return text
    return f"{text} = {json.dumps(default) if isinstance(default, str) else default}"


def _listed(names: list[str]) -> str:
    """Return names as an import has them."""
    in_order = sorted(names, key=str.casefold)
    line = ", ".join(in_order)
    if len(line) < 60:
        return line
    return "(\n" + "".join(f"    {one},\n" for one in in_order) + ")"
