"""Where public names say that they come from."""

from types import FunctionType
from typing import Any

__all__ = ["name_by_package"]


def name_by_package(namespace: dict[str, Any]) -> None:
    """Let the functions and classes of `__all__` name the package that exports them as their module.

    Pickles find a function or a class by its module, so a saved search or record outlives a move of the file
    that defines it. The price: `inspect.getsource` fails for a class, though not for its methods.
    """
    for name in namespace["__all__"]:
        if isinstance(namespace[name], FunctionType | type):
            namespace[name].__module__ = namespace["__name__"]
