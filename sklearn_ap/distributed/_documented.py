"""Docstrings of scores of data: what is said about rows, and the rest of the docstring in memory."""

import re
from collections.abc import Mapping
from inspect import getdoc, signature
from textwrap import indent

from .._typing import ScoreFunction

__all__ = ["documented"]

_OF_ROWS = {
    "data": """\
path, list of paths, DataFrame, Dataset or Dask collection
    Where the rows are: a Parquet, Arrow or CSV file, a glob, a directory (with hive partitions) or a list of
    these; a pyarrow Dataset or Table; a Dask or Spark DataFrame; or anything with ``__arrow_c_stream__``,
    such as frames of polars and pandas and relations of DuckDB. Instead, labels and scores may be two Dask
    collections of equal partitions, as `data` and `y_true`; weights and queries are then collections too.""",
    "y_true": """\
str or list of str, default='label'
    Column of the labels. For multilabel indicators, one column per label.""",
    "y_score": """\
str or list of str, default='score'
    Column of the scores; the highest is retrieved first. For multilabel and multiclass labels, one column per
    label, or per class in sorted order.""",
    "sample_weight": """\
str, default=None
    Column of the sample weights, not negative. Rows of weight 0 are dropped.""",
    "query_id": """\
str, default=None
    Column of the queries. Each query is a ranking of its own; its rows may be in any part.""",
    "filter": """\
pyarrow.compute.Expression, default=None
    Only rows for which it is true count. For files and Datasets.""",
    "memory_limit": """\
int, str or 'auto', default='auto'
    Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of what is
    available. The number does not depend on it, but the number of scans does.""",
    "progress": """\
bool or callable, default=False
    Whether to write a line to standard error after each part; or a function, which is called with the parts
    that are done and all parts (None if that is not known).""",
}
_RAISES = """\
ImportError
    If the engine that the rows need is not installed.
TypeError
    If `data` is nothing of the above, or there is no such argument.
ValueError
    For rows that the score in memory refuses, with the file, the column and the row; for files that are
    missing, damaged or changed between two scans; and for ``ties='stable'``, since rows have no order."""
_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-+\n", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w+) : ", re.MULTILINE)


def documented(score: ScoreFunction, example: str) -> str:
    """Return the docstring of a score of data; `example` are arguments beside the rows."""
    introduction, sections = _sections(getdoc(score) or "")
    summary, name = introduction.split("\n\n", 1)[0], score.__name__
    own = _parameters(sections["Parameters"])
    listed = ["data", *signature(score).parameters, "filter", "memory_limit", "progress"]
    said = {
        "Parameters": "\n\n".join(f"{one} : {_OF_ROWS.get(one) or own[one]}" for one in listed),
        "Returns": sections["Returns"].strip(),
        "Warns": sections.get("Warns", "").strip(),
        "Raises": _RAISES,
        "See Also": f"sklearn_ap.{name} : Of rows in memory; tells more about the number.\n"
        "scores : Several scores by one scan.\n"
        "RankingState : Rows that come batch by batch.",
        "Notes": "The number is that in memory, to 1e-15, whatever the engine, the parts and the limit are.",
        "Examples": _example(name, example),
    }
    text = f"{summary}\n\nThe rows need not fit into memory, and may be on several machines.\n\n"
    text += ".. versionadded:: 0.1\n\n"
    text += "\n\n".join(f"{title}\n{'-' * len(title)}\n{one}" for title, one in said.items() if one)
    return indent(text, "    ").strip() + "\n    "


def _sections(doc: str) -> tuple[str, Mapping[str, str]]:
    introduction, *rest = _SECTION.split(doc)
    return introduction, dict(zip(rest[::2], rest[1::2], strict=True))


def _parameters(section: str) -> dict[str, str]:
    _, *rest = _PARAMETER.split(section)
    return {name: text.strip() for name, text in zip(rest[::2], rest[1::2], strict=True)}


def _example(name: str, arguments: str) -> str:
    more = f", {arguments}" if arguments else ""
    return (
        ">>> import pandas as pd\n"
        f">>> from sklearn_ap import {name}, distributed\n"
        '>>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})\n'
        f">>> of_data = distributed.{name}(rows{more})\n"
        f'>>> of_data == {name}(rows["label"], rows["score"]{more})\n'
        "True"
    )
