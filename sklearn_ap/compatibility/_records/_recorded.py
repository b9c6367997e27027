"""What all records of packages share."""

from typing import Any

from .._convention import Convention


def recorded(name: str, source: str, peculiarity: str, **choices: Any) -> Convention:
    """Record a package that was run in the version that its source begins with, if nothing else is said."""
    package = source.split(",", maxsplit=1)[0]
    usual = {"versions": package.split(" ")[-1], "run": True}
    return Convention(name=name, source=source, peculiarity=peculiarity, **{**usual, **choices})
