"""Front end of the public functions: open the data, check the columns, read the memory limit."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypedDict, cast, get_args

import numpy as np

from .._reading._options import check_option
from .._reading._queries import refuse_queries
from .._typing import Average, AveragedBy, FloatArray, Label, ScoreFunction
from ._plans._columns import scores_of_columns
from ._plans._job import Job
from ._plans._part import ColumnRoles, Roles
from ._plans._plan import scores_of
from ._plans._queries import scores_of_queries
from ._question import question_of
from ._source import (
    MemoryLimit,
    Scans,
    Source,
    SourceError,
    Told,
    read_memory_limit,
    refuse_unknown_columns,
    shown,
    tell_nobody,
)
from ._states._columns import read_pos_label

_BAR = 20  # characters
_EXAMPLES = {"y_true": "label", "y_score": "score", "sample_weight": "weight", "query_id": "query"}

Progress = bool | Callable[[int, int | None], object]


class _HasColumns(Protocol):
    """A data frame of pandas, polars, Dask or Spark, or a relation of DuckDB."""

    @property
    def columns(self) -> Any: ...


class _HasSchema(Protocol):
    """A Dataset, Table or reader of pyarrow."""

    @property
    def schema(self) -> Any: ...


class _Stream(Protocol):
    """Anything else that exports a stream of Arrow."""

    @property
    def __arrow_c_stream__(self) -> Any: ...


class _Collection(Protocol):
    """A collection of Dask."""

    @property
    def __dask_graph__(self) -> Any: ...


_Path = str | os.PathLike[str]
Data = _Path | Sequence[_Path] | _HasColumns | _HasSchema | _Stream | _Collection
Column = str | _Collection
Columns = Column | Sequence[str]


class DataOptions(TypedDict, total=False):
    """Keyword arguments of every score of data, beside those of the score in memory."""

    filter: Any
    memory_limit: MemoryLimit
    progress: Progress


class RowOptions(NamedTuple):
    """What a caller says about rows, in the words of the public functions."""

    data: Any
    y_true: Any
    y_score: Any
    pos_label: Label | None  # None for curves alone
    filter: Any
    memory_limit: MemoryLimit
    progress: Progress
    sample_weight: Any = None
    query_id: Any = None
    average: Average = "macro"


def answers_of(
    rows: RowOptions, score_funcs: Iterable[str | ScoreFunction], params: Mapping[str, Any]
) -> list[float | FloatArray]:
    """Return the scores of rows somewhere; all arguments are checked before the first scan."""
    questions = [question_of(one, params) for one in score_funcs]
    job = job_of(rows, lists=True)
    if isinstance(job.roles, ColumnRoles):
        return scores_of_columns(job, questions, rows.average)
    if job.roles.query_id is not None:
        return scores_of_queries(job, questions, rows.average)
    return list(scores_of(job, questions))


def score_of_data(score_func: ScoreFunction, **arguments: Any) -> float | FloatArray:
    """Return a score of rows somewhere, from all arguments of the public function."""
    rows = RowOptions(**{name: arguments.pop(name) for name in RowOptions._fields})
    return answers_of(rows, [score_func], arguments)[0]


def job_of(rows: RowOptions, *, lists: bool = False, is_curve: bool = False) -> Job:
    """Find the rows of one column of labels and one of scores or, with `lists`, of several."""
    _check_names(rows, lists=lists)
    columns = _columns_of(rows)
    if rows.average is not None:
        check_option("average", rows.average, get_args(AveragedBy))
    limit = read_memory_limit(rows.memory_limit)
    pos_label = None if is_curve and rows.pos_label is None else read_pos_label(rows.pos_label)
    source, rows = _opened(rows)
    roles = columns or Roles(
        rows.y_true, rows.y_score, rows.sample_weight, rows.query_id, pos_label, is_curve
    )
    refuse_unknown_columns(source.name, list(source.columns()), roles.columns)
    once = Counter(_names_in(rows))  # a column that is asked for twice must be exact as both
    scores = [one for one in roles.scores if once[one] == 1]
    source.read_decimals(scores, rows.sample_weight if once[rows.sample_weight] == 1 else None)
    # What this process can hold may be more than a worker can, or than an engine sends.
    limit = min(limit, source.largest_result() or limit)
    return Job(source, roles, limit, _told(rows.progress))


def _check_names(rows: RowOptions, *, lists: bool) -> None:
    """Refuse what does not name columns, such as the values themselves; Dask checks its collections."""
    if _is_pair(rows):
        return
    given = rows._asdict()
    for name, example in _EXAMPLES.items():
        value, may_be_several = given[name], lists and name in ("y_true", "y_score")
        fits = isinstance(value, str) or (value is None and name in ("sample_weight", "query_id"))
        if may_be_several and isinstance(value, list | tuple):
            fits = all(isinstance(one, str) for one in value)
        if not fits:
            several = ", or a list of names" if may_be_several else ""
            is_short = value is None or isinstance(value, int | float | list | tuple)
            found = shown(value) if is_short else f"{type(value).__name__}, whose values belong into data"
            raise TypeError(
                f"{name} must be the name of a column, such as {example!r}{several}; got {found}."
            )


def _columns_of(rows: RowOptions) -> ColumnRoles | None:
    """Return the columns of several rankings, or None if there is one of scores."""
    several = [one for one in (rows.y_true, rows.y_score) if isinstance(one, list | tuple)]
    if not several:
        return None
    if isinstance(rows.y_score, str):
        raise ValueError(
            f"y_score must be a list of as many columns as y_true, {rows.y_true!r}; got {rows.y_score!r}."
        )
    if rows.query_id is not None:
        refuse_queries(several_columns=True, average=None)
    if rows.pos_label != 1:
        raise ValueError(f"pos_label must be 1 where there are several columns; got {rows.pos_label!r}.")
    y_true = (rows.y_true,) if isinstance(rows.y_true, str) else tuple(rows.y_true)
    return ColumnRoles(y_true, tuple(rows.y_score), rows.sample_weight)


def _opened(rows: RowOptions) -> tuple[Source, RowOptions]:
    """Return the source of the rows, and the names of its columns in place of collections."""
    if not _is_pair(rows):
        return source_of(rows.data, rows.filter, _names_in(rows)), rows
    named = {"y_true": rows.data, "y_score": rows.y_true}
    named |= {"sample_weight": rows.sample_weight, "query_id": rows.query_id}
    given = {name: one for name, one in named.items() if one is not None}
    weight, query = (name if name in given else None for name in ("sample_weight", "query_id"))
    source = _engine("_dask").opened_pair(given)
    return source, rows._replace(y_true="y_true", y_score="y_score", sample_weight=weight, query_id=query)


def source_of(data: Any, filter: Any = None, names: Sequence[str] = ()) -> Source:
    """Return data as a source; `names` are columns of it that will be asked for."""
    libraries = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if "sklearn_ap" in libraries:
        return cast("Source", data)
    # A dataset of pyarrow has fragments, and an object of `dask.delayed` has every attribute.
    if _are_paths(data) or ("dask" not in libraries and hasattr(data, "get_fragments")):
        return cast("Source", _engine("_files").opened(data, filter, names))
    name = "_spark" if "pyspark" in libraries else "_dask" if "dask" in libraries else "_arrow"
    source: Source | None = _engine(name).opened(data)
    if source is None:
        raise TypeError(
            "data must be a path, a glob, a directory, a list of them, a pyarrow Dataset, a Dask or Spark "
            f"DataFrame, or have __arrow_c_stream__, as tables and data frames do; got {type(data).__name__}."
        )
    if filter is not None:
        raise SourceError(
            f"filter must be None for a {type(data).__name__}, whose rows you can filter before; it is for "
            f"files and datasets; got {shown(filter)}"
        )
    return source


def _are_paths(data: object) -> bool:
    if isinstance(data, list | tuple):
        return all(isinstance(one, str | os.PathLike) for one in data)
    return isinstance(data, str | os.PathLike)


def _names_in(rows: RowOptions) -> list[str]:
    """Return all names of columns."""
    given = [rows.y_true, rows.y_score, rows.sample_weight, rows.query_id]
    several = [one if isinstance(one, list | tuple) else [one] for one in given]
    return [name for names in several for name in names if isinstance(name, str)]


def _is_pair(rows: RowOptions) -> bool:
    """Whether labels and scores were passed as Dask collections, in place of data and names of columns."""
    of_labels = hasattr(rows.data, "__dask_graph__") and not hasattr(rows.data, "columns")
    return hasattr(rows.y_true, "__dask_graph__") or (of_labels and not isinstance(rows.y_true, str))


def _engine(name: str) -> Any:
    return import_module(f"._engines.{name}", __package__)


def _told(progress: Progress) -> Told:
    """Return what is told about parts that are done."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool | np.bool_):
        raise ValueError(f"progress must be True, False or a function; got {shown(progress)}.")
    return Scans(_write) if progress else tell_nobody


def _write(scan: str, done: int, total: int | None) -> None:
    """Write one line to standard error, over the line before."""
    bar = "" if not total else f"[{'#' * (_BAR * done // total):<{_BAR}}] "
    end = "\n" if done == total else ""
    of_all = "?" if total is None else f"{total:,}"
    sys.stderr.write(f"\r{bar}{scan and f'{scan}: '}{done:,} of {of_all} parts{end}")
    sys.stderr.flush()
