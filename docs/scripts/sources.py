"""Paragraphs that docstrings share, and types of the scores, which a script writes into
the sources.

`paragraphs.toml` contains each paragraph once. Docstrings stay in the sources, where
editors and `help` show them.
"""

import ast
import inspect
import json
import re
import tomllib
import typing
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy.typing

import sklearn_ap
from sklearn_ap._core import typing as types_of_core
from sklearn_ap._core.registry import SCORES

__all__ = ["PARAGRAPHS", "filled", "sources"]

PACKAGE = Path(sklearn_ap.__file__).parent
WIDTH = 88
# The types of options, which the scores import from `typing` of the core.
TYPES = {*vars(types_of_core)} - {*vars(typing), *vars(numpy.typing)}
SCORE_NAMES = [score.__name__ for score in SCORES]
STUB = '''\
"""The types of the scores: an array with ``average=None``, and otherwise a float.

Written by `python docs/scripts/records.py` from the signatures of the scores.
"""

from typing import overload

from numpy.typing import ArrayLike

from ..typing import {types}

__all__ = [
{names}]

{functions}'''
PARAGRAPHS = tomllib.loads((Path(__file__).parents[1] / "paragraphs.toml").read_text())


def sources() -> dict[Path, str]:
    """Return {path: text} of every file of the package, with the paragraphs that this
    script writes, and of the types of the scores.
    """
    taken: set[str] = set()  # texts of paragraphs that are used
    files = sorted(PACKAGE.rglob("*.py"))
    made = {path: _with_paragraphs(path, taken) for path in files}
    check_paragraphs_are_used(taken)
    return made | {PACKAGE / "_core" / "scores" / "__init__.pyi": _stub()}


def check_paragraphs_are_used(taken: set[str]) -> None:
    """Raise ValueError if no docstring uses a paragraph, because `of`, `but` or `type`
    is misspelled.
    """
    for parameter, paragraphs in PARAGRAPHS.items():
        for one in paragraphs:
            if one["text"] not in taken:
                about = {key: one[key] for key in one.keys() - {"text"}}
                raise ValueError(
                    f"paragraphs.toml: no docstring takes this paragraph of"
                    f" {parameter}: {about}; write the names of functions in `of`,"
                    f" and the annotation of the parameter in `type`."
                )


# --- types ----------------------------------------------------------------------------


def _stub() -> str:
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
    return STUB.format(types=types, names=names, functions="".join(functions))


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


# --- paragraphs -----------------------------------------------------------------------


def _with_paragraphs(path: Path, taken: set[str]) -> str:
    """Return the text of a file with its shared paragraphs as they should be."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    folder = path.relative_to(PACKAGE).parts[0]
    above = ""
    # Functions of public folders have the name of the folder in `of`.
    if not folder.startswith("_"):
        above = f"{folder}."
    for name, node in reversed(list(_documented(ast.parse(text), above))):
        doc = node.body[0]
        span = slice(doc.lineno - 1, doc.end_lineno)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        types = {
            one.arg: ast.unparse(one.annotation) for one in arguments if one.annotation
        }
        old = "".join(lines[span])
        lines[span] = [_replaced(old, name, types, doc.col_offset, taken)]
    return "".join(lines)


def _documented(tree: ast.AST, above: str) -> Iterator[tuple[str, Any]]:
    """Yield each function and method with a docstring, by its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _documented(node, f"{above}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            yield above + node.name, node


def _replaced(
    doc: str, name: str, types: dict[str, str], margin: int, taken: set[str]
) -> str:
    """Return a docstring as it stands in a file, with the shared paragraphs of its
    parameters, which are added to `taken`.
    """
    start = re.search(r"^ *Parameters\n *-+\n", doc, re.MULTILINE)
    if start is None:
        return doc
    end = re.search(r"^ *Returns\n *-+\n", doc, re.MULTILINE)
    stop = len(doc) if end is None else end.start()
    pattern = rf"^ {{{margin}}}((?:\*\*)?\w+(?:, \w+)*) :(?: |$)"
    before, *parts = re.split(pattern, doc[start.end() : stop], flags=re.MULTILINE)
    for parameter, said in zip(parts[::2], parts[1::2], strict=True):
        text = _shared(parameter, name, types.get(parameter))
        before += f"{' ' * margin}{parameter} : "
        before += said if text is None else f"{filled(text, margin)}\n\n"
        if text is not None:
            taken.add(text)
    return doc[: start.end()] + before + doc[stop:]


def _shared(parameter: str, name: str, kind: str | None = None) -> str | None:
    for one in PARAGRAPHS.get(parameter, ()):
        fits = any(fnmatch(name, pattern) for pattern in one["of"])
        if name in one.get("but", ()):
            continue
        if fits and one.get("type", kind) == kind:
            text: str = one["text"]
            return text
    return None


def filled(text: str, margin: int, width: int = WIDTH) -> str:
    """Return a paragraph with its lines filled: the type, then sentences and the items
    of lists.
    """
    kind, _, said = text.strip().partition("\n")
    blocks: list[str] = []
    for line in said.splitlines():
        item = line.strip()
        if not item or item.startswith("- ") or not blocks or not blocks[-1]:
            blocks.append(item)
        else:
            blocks[-1] += f" {item}"
    left = " " * (margin + 4)
    lines = [
        fill(
            one,
            width,
            initial_indent=left,
            subsequent_indent=left + ("  " if one.startswith("- ") else ""),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for one in blocks
    ]
    return "\n".join([kind, *lines])
