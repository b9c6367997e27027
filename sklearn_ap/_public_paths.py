"""Where public names say that they come from."""

from types import FunctionType
from typing import Any


def name_by_package(namespace: dict[str, Any]) -> None:
    """Let the functions and classes of `__all__` name the package that exports them as their module.

    Pickles find a function or a class by its module, so a saved search or record outlives moves of the private
    file that defines it. The price: `inspect.getsource` of a class fails; that of its methods does not.
    """
    for name in namespace["__all__"]:
        if isinstance(namespace[name], FunctionType | type):
            namespace[name].__module__ = namespace["__name__"]
