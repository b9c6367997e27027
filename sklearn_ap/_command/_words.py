"""What the command says: on standard error, how much is done, and in the words of its options."""

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from ..distributed._source import Scans, shown
from ._rows import Role


@contextmanager
def progress(doing: str) -> Iterator[Scans]:
    """Tell how many parts are done, in a line of standard error if it is a terminal, and erase it at last."""
    width = 0

    def tell(scan: str, done: int, total: int | None) -> None:
        of = "" if total is None else f" of {total}"
        write(f"{doing}{scan and f', {scan}'}: {done}{of} parts")

    def write(text: str) -> None:
        nonlocal width
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r{text:<{width}}")
            sys.stderr.flush()
            width = len(text)

    try:
        yield Scans(tell)
    finally:
        if width:  # the line is written over, and then the cursor goes back; also before an error is told
            write("")
            write("")


ROLES: tuple[Role, ...] = get_args(Role)
_LONGEST_LINE = 1000  # characters; errors are cut there


def in_words(message: object, options: argparse.Namespace) -> str:
    """Return a message of the library that names columns and options instead of arguments."""

    def word(argument: re.Match[str]) -> str:
        if argument[1] is None:  # quoted text: the name of a convention, or a value of the file
            return argument[0]
        column = getattr(options, argument[0]) if argument[0] in ROLES else None
        named = isinstance(column, str)  # n_positives may also be a number
        return f"column {shown(column)}" if named else option_of(argument[0])

    # Not replaced: words in quotes, and words in the names of conventions, such as "AP@k over n_positives",
    # which a listing may break before its last word.
    arguments = "|".join((*ROLES, "pos_label"))
    quoted = r"""(?<!\w)(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    return re.sub(rf"{quoted}|(?<!over )(?<!over\n  )\b({arguments})\b", word, str(message))


def option_of(argument: str) -> str:
    """Return the command line option for an argument."""
    options = {"k": "-k", "y_score_b": "--compare"}
    return options.get(argument, f"--{argument.replace('_', '-')}")


def say(kind: str, message: str) -> None:
    """Print one line on standard error, without characters that control a terminal."""
    first, *_ = message.split("\n")
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_LONGEST_LINE]}", file=sys.stderr)


@contextmanager
def warnings_told(name: str, options: argparse.Namespace) -> Iterator[None]:
    """Print each warning of the library once, in the words of options."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(str(one.message) for one in caught):
        say("warning", f"{name}: {in_words(text, options)}")


def warn_of_no_positive(
    options: argparse.Namespace, name: str, n_queries: int, n_with: int, *, weighted: bool
) -> None:
    """Warn on standard error about rankings without a positive: only a convention gives them a score."""
    if not n_with:
        row = "row of weight above 0" if weighted else "row"
        label = shown("1" if options.pos_label is None else options.pos_label)
        problem = f"no {row} has the positive label {label}, so no score says anything about the ranking"
    elif n_with < n_queries and options.n_positives is None:
        empty = options.zero_division or "0"
        counted = "are left out of" if empty == "nan" else f"count as {empty} in"
        problem = f"{n_queries - n_with} of {n_queries} queries have no positive, and {counted} our means"
    else:
        return
    say("warning", f"{name}: column {shown(options.y_true)}: {problem}")
