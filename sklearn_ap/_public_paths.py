"""The module that public names report as their own."""

from types import FunctionType
from typing import Any


def name_by_package(namespace: dict[str, Any]) -> None:
    """Set `__module__` of the functions and classes in `__all__` to the package that exports them.

    Pickles find a function or a class by its module, so a saved search or record still loads after its class
    has moved to another file. The cost: `inspect.getsource` fails for a class, but not for its methods.
    """
    for name in namespace["__all__"]:
        if isinstance(namespace[name], FunctionType | type):
            namespace[name].__module__ = namespace["__name__"]
