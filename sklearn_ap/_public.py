"""How the package looks from outside: the module of public names, warnings at the user's line, frames."""

from __future__ import annotations

import copyreg
import inspect
import os
import warnings
from abc import ABCMeta
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."  # scikit-learn's

_PACKAGE = str(Path(__file__).parent) + os.sep


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside the package.

    A fixed `stacklevel` would be wrong, since scores, displays and scorers call from different depths.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for a method `to_frame`."""
    try:
        from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)


class Public(ABCMeta):
    """A class whose `__module__` is its file, where `inspect` looks, and which pickles find by its package.

    So a saved search or record still loads after its class has moved to another file. It is abstract so that
    classes of users may derive from abstract classes too.
    """


def by_package(member: type) -> str | tuple[Callable[[str], object], tuple[str]]:
    """Return how pickles find a class."""
    package, name = member.__module__.split("._")[0], member.__qualname__
    root, *names = f"{package}.{name}".split(".")
    if root != __package__ or getattr(import_module(package), name, None) is not member:
        return name  # of a user, in a module of its own
    return import_module(root).__getattr__, (".".join(names),)


copyreg.pickle(Public, by_package)  # type: ignore[arg-type]  # a class is an object too


def publish(*members: object) -> None:
    """Set `__module__` of functions to the package that exports them: what stands above `_`.

    Pickles find a function by its module, and `inspect` its file by its code.
    """
    for member in members:
        if isinstance(member, FunctionType):
            member.__module__ = member.__module__.split("._")[0]
