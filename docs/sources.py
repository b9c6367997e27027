"""What is written into the sources: names, paragraphs that docstrings share, and the scores of data.

`paragraphs.toml` holds each paragraph once. Docstrings stay in the sources, where editors and `help` show
them.
"""

import ast
import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import sklearn_ap
from sklearn_ap import _typing
from sklearn_ap._registry import SCORES
from sklearn_ap._typing import ScoreFunction

__all__ = ["PARAGRAPHS", "filled", "sources"]

PACKAGE = Path(sklearn_ap.__file__).parent
WIDTH = 110
PARAGRAPHS = tomllib.loads((Path(__file__).parent / "paragraphs.toml").read_text())
_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-+\n", re.MULTILINE)


def sources() -> dict[Path, str]:
    """Return {path: text} of every file of the package, with what this script writes there."""
    of_data = PACKAGE / "distributed" / "_scores.py"
    files = sorted(set(PACKAGE.rglob("*.py")) - {of_data})
    made = {path: _with_paragraphs(path) for path in files} | {of_data: scores_of_data()}
    in_memory: dict[str, list[str]] = {}
    for score in SCORES:
        in_memory.setdefault(f"._scores.{Path(inspect.getfile(score)).stem}", []).append(score.__name__)
    offered = {
        PACKAGE / "__init__.py": in_memory,
        of_data.parent / "__init__.py": {"._scores": [one.__name__ for one in SCORES]},
    }
    return made | {path: _with_names(made[path], imports) for path, imports in offered.items()}


# --- names -----------------------------------------------------------------------------------------------


def _with_names(text: str, scores: dict[str, list[str]]) -> str:
    """Return the text of an `__init__` that imports the scores, and names them in `__all__` and `_FILES`."""
    lines, tree = text.splitlines(keepends=True), ast.parse(text)
    top = [inner for one in tree.body for inner in (one.body if isinstance(one, ast.If) else [one])]
    found = [one for one in top if isinstance(one, ast.ImportFrom) and one.level == 1]
    files = {f".{one.module}": [name.name for name in one.names if not name.asname] for one in found} | scores
    placed = {name: file for file, names in files.items() for name in names}
    tables = {ast.unparse(one.targets[0]): one for one in tree.body if isinstance(one, ast.Assign)}
    in_order = sorted(placed, key=lambda name: (name.islower(), name))
    if "_FILES" in tables:  # below `__all__`, so it moves no line above
        written = [f'    "{name}": "{placed[name]}",\n' for name in in_order]
        lines[_span(tables["_FILES"], tables["_FILES"])] = ["_FILES = {\n", *written, "}\n"]
    written = [f'    "{name}",\n' for name in in_order]
    lines[_span(tables["__all__"], tables["__all__"])] = ["__all__ = [\n", *written, "]\n"]
    of_scores = [one for one in found if _of_scores(one)]
    margin = " " * of_scores[0].col_offset
    imports = [f"from {module} import {_listed(names)}\n" for module, names in sorted(scores.items())]
    lines[_span(of_scores[0], of_scores[-1])] = [indent(one, margin) for one in imports]
    return "".join(lines)


def _of_scores(one: ast.ImportFrom) -> bool:
    return (one.module or "").partition(".")[0] == "_scores"


def _span(first: ast.stmt, last: ast.stmt) -> slice:
    return slice(first.lineno - 1, last.end_lineno)


def _listed(names: list[str]) -> str:
    """Return names as an import has them."""
    in_order = sorted(set(names), key=str.casefold)
    line = ", ".join(in_order)
    return line if len(line) < 60 else "(\n" + "".join(f"    {one},\n" for one in in_order) + ")"


# --- paragraphs ------------------------------------------------------------------------------------------


def _with_paragraphs(path: Path) -> str:
    """Return the text of a file with its shared paragraphs as they should be."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    folder = path.relative_to(PACKAGE).parts[0]
    above = "" if folder.startswith("_") else f"{folder}."  # of names that several folders have
    for name, node in reversed(list(_documented(ast.parse(text), above))):
        doc = node.body[0]
        span = slice(doc.lineno - 1, doc.end_lineno)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        types = {one.arg: ast.unparse(one.annotation) for one in arguments if one.annotation}
        lines[span] = [_replaced("".join(lines[span]), name, types, doc.col_offset)]
    return "".join(lines)


def _documented(tree: ast.AST, above: str) -> Iterator[tuple[str, Any]]:
    """Yield each function and method with a docstring, by its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _documented(node, f"{above}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            yield above + node.name, node


def _replaced(doc: str, name: str, types: dict[str, str], margin: int) -> str:
    """Return a docstring as it stands in a file, with the shared paragraphs of its parameters."""
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
    return doc[: start.end()] + before + doc[stop:]


def _shared(parameter: str, name: str, kind: str | None = None) -> str | None:
    for one in PARAGRAPHS.get(parameter, ()):
        fits = any(fnmatch(name, pattern) for pattern in one["of"]) and name not in one.get("but", ())
        if fits and one.get("type", kind) == kind:
            text: str = one["text"]
            return text
    return None


def filled(text: str, margin: int, width: int = WIDTH) -> str:
    """Return a paragraph with its lines filled: the type, then sentences and the items of lists."""
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


# --- scores of data --------------------------------------------------------------------------------------

OF_DATA = """\
\"\"\"The scores of the package, applied to data in parts: written by `python docs/records.py`.

Each has the parameters of the score in memory, and hands them all on; only the rows come from elsewhere.
\"\"\"

from __future__ import annotations

from typing import Any, Unpack, overload

from numpy.typing import ArrayLike

import sklearn_ap

{options}from .._typing import {types}
from ._open_rows import Column, Columns, Data, DataOptions, Progress, score_of_data
from ._source import MemoryLimit
{classes}{functions}"""
OVERLOADS = """\


@overload
def {name}(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_{options}[AveragedBy]]
) -> float: ...


@overload
def {name}(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_{options}[Average]]
) -> float | FloatArray: ...
"""
OPTIONS_OF_DATA = """\


class _{options}({options}[Column, By], DataOptions): ...
"""
ONE_OF_DATA = """\


def {name}(
    {signature}
) -> float | FloatArray:
    \"\"\"{doc}
    \"\"\"
    return score_of_data(sklearn_ap.{name}, **locals())
"""
OF_ROWS = {  # parameters of rows elsewhere, in place of those of rows in memory
    "data": "data: Data",
    "y_true": 'y_true: Columns = "label"',
    "y_score": 'y_score: Columns = "score"',
    "sample_weight": "sample_weight: Column | None = None",
    "query_id": "query_id: Column | None = None",
    "filter": "filter: Any = None",
    "memory_limit": 'memory_limit: MemoryLimit = "auto"',
    "progress": "progress: Progress = False",
}
# The first score says what its arguments are, and the others refer to it.
FULL = SCORES[0].__name__
INTRODUCTION = """

The rows need not fit into memory, and may be on several machines. The number is that in memory, to 1e-15,
whatever the engine, the parts and the limit are."""
PARAMETERS_IN_FULL = """\
data : path, list of paths, DataFrame, Dataset or Dask collection
    Where the rows are: a Parquet, Arrow or CSV file, a glob, a directory (with hive partitions) or a list
    of these; a pyarrow Dataset or Table; a Dask or Spark DataFrame; or anything with
    ``__arrow_c_stream__``, such as frames of polars and pandas and relations of DuckDB. Instead, labels
    and scores may be two Dask collections of equal partitions, as `data` and `y_true`; weights and
    queries are then collections too.

y_true : str or list of str, default='label'
    Column of the labels. For multilabel indicators, one column per label.

y_score : str or list of str, default='score'
    Column of the scores; the highest is retrieved first. For multilabel and multiclass labels, one column
    per label, or per class in sorted order.

{own} : as in memory
    See :func:`sklearn_ap.{name}`.

{shared} : as in memory
    The same, but `sample_weight` and `query_id` name columns. The rows of a query may be in any part.

filter : pyarrow.compute.Expression, default=None
    Only rows for which it is true count. For files and Datasets.

memory_limit : int, str or 'auto', default='auto'
    Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
    what is available. The number does not depend on it, but the number of scans does.

progress : bool or callable, default=False
    Whether to write a line to standard error after each part; or a function, which is called with the
    parts that are done and all parts (None if that is not known)."""
PARAMETERS = f"""\
data, y_true, y_score : where the rows are, and names of columns
    As for :func:`{FULL}`.

{{own}} : as in memory
    See :func:`sklearn_ap.{{name}}`.

{{shared}} : as in memory
    The same, but `sample_weight` and `query_id` name columns.

filter, memory_limit, progress : which rows count, and how they are read
    As for :func:`{FULL}`."""
RAISES_IN_FULL = """\
ImportError
    If the engine that the rows need is not installed.
TypeError
    If `data` is none of the above.
ValueError
    For rows that the score in memory refuses, with the file, the column and the row; for files that are
    missing, damaged or changed between two scans; and for ``ties='stable'``, since rows have no order."""
RAISES = f"""\
ImportError, TypeError, ValueError
    As for :func:`{FULL}`."""


def scores_of_data() -> str:
    """Return the text of the file with every score of the family, of rows elsewhere."""
    functions = "".join(map(_of_data, SCORES))
    # What annotations of parameters name.
    known = vars(_typing).keys() - {"Any", "ArrayLike"}
    types = {name for name in known if re.search(rf"^    \w+: (?:.*\| )?{name}\b", functions, re.MULTILINE)}
    options = {one: Path(inspect.getfile(score)).stem for score in SCORES if (one := _options_of(score))}
    imports = {
        f".._scores.{file}": [one for one in options if options[one] == file and one not in known]
        for file in options.values()
    }
    return OF_DATA.format(
        options="".join(
            f"from {file} import {_listed(names)}\n" for file, names in sorted(imports.items()) if names
        ),
        types=_listed([*types.union(known & options.keys(), ["AveragedBy", "By", "FloatArray"])]),
        classes="".join(OPTIONS_OF_DATA.format(options=one) for one in options),
        functions=functions,
    )


def _options_of(score: ScoreFunction) -> str | None:
    """Return the keyword arguments that the overloads of a score name, if it has overloads."""
    found = re.search(
        rf"def {score.__name__}\([^()]*Unpack\[(\w+)\[", Path(inspect.getfile(score)).read_text()
    )
    return found and found[1]


def _of_data(score: ScoreFunction) -> str:
    name, parameters = score.__name__, inspect.signature(score).parameters
    listed = ["data", *parameters, "filter", "memory_limit", "progress"]
    node = next(
        one for one in ast.walk(ast.parse(inspect.getsource(score))) if isinstance(one, ast.FunctionDef)
    )
    types = {one.arg: ast.unparse(one.annotation) for one in node.args.kwonlyargs if one.annotation}
    said = [OF_ROWS.get(one) or _parameter(parameters[one], types[one]) for one in listed]
    said.insert(3, "*")
    options = _options_of(score)
    return (OVERLOADS.format(name=name, options=options) if options else "") + ONE_OF_DATA.format(
        name=name,
        signature="\n    ".join(f"{one}," for one in said),
        doc=_doc_of_data(score),
    )


def _parameter(one: inspect.Parameter, kind: str) -> str:
    default = json.dumps(one.default) if isinstance(one.default, str) else repr(one.default)
    return f"{one.name}: {kind}" if one.default is one.empty else f"{one.name}: {kind} = {default}"


def _doc_of_data(score: ScoreFunction) -> str:
    """Describe rows elsewhere once, and the number by a link to the score in memory."""
    name, doc = score.__name__, inspect.getdoc(score) or ""
    introduction, *rest = _SECTION.split(doc)
    text = introduction.partition("\n\n")[0]
    parameters, raises = PARAMETERS, RAISES
    if name == FULL:
        text, parameters, raises = text + INTRODUCTION, PARAMETERS_IN_FULL, RAISES_IN_FULL
    options = list(inspect.signature(score).parameters)[2:]
    place = options.index("sample_weight")
    own, shared = ", ".join(options[:place]), ", ".join(options[place:])
    said = {
        "Parameters": parameters.format(name=name, own=own, shared=shared),
        "Returns": rest[rest.index("Returns") + 1].strip(),
        "Raises": raises,
        "See Also": f"sklearn_ap.{name} : The number in memory, with its formula and references.\n"
        "scores : Several scores by one scan.",
        "Examples": _example(score),
    }
    sections = [f"{title}\n{'-' * len(title)}\n{one}" for title, one in said.items()]
    return indent("\n\n".join([text, ".. versionadded:: 0.1", *sections]), "    ").strip()


def _example(score: ScoreFunction) -> str:
    parameters = inspect.signature(score).parameters
    options: dict[str, Any] = {
        one.name: 0.5 for one in list(parameters.values())[2:] if one.default is one.empty
    }
    if "k" in parameters and parameters["k"].default is not None:
        options["k"] = 3
    rows = {"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]}
    more = "".join(f", {name}={value}" for name, value in options.items())
    return (
        ">>> import pandas as pd\n"
        ">>> from sklearn_ap import distributed\n"
        f">>> rows = pd.DataFrame({json.dumps(rows)})\n"
        f">>> distributed.{score.__name__}(rows{more})\n"
        f"{score(rows['label'], rows['score'], **options)}"
    )
