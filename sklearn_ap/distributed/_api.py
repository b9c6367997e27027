"""The public functions for rows that an engine holds.

Each function opens its rows and tries to gather all of them. If they fit into memory,
the ordinary function scores them. If not, the same function scores a few weighted rows
that two passes over the data have found.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, get_args

from .._core import by_query
from .._core.reading.ids import check_query_options
from .._core.reading.options import check_option, is_real
from .._core.typing import Average, AveragedBy, Label, ScoreFunction
from ._arguments import resolve_score
from ._batches import Columns
from ._few_rows import few_rows
from ._stream import Stream

if TYPE_CHECKING:
    from ._spark import SparkRows

# Frames, tables, relations, datasets or streams; the docstring of `score` lists them.
Data = Any


def _source_of(data: Data, columns: Columns, memory_limit: float) -> Stream | SparkRows:
    """Return the source of the rows, which reads no row yet. Raise an error if an
    argument is not valid.
    """
    columns.check()
    if not (is_real(memory_limit) and 1 <= memory_limit < 2**63):
        raise ValueError(
            "memory_limit must be a number of bytes, such as 2 * 10**9; got "
            f"{memory_limit!r}."
        )
    limit = int(memory_limit)
    # Recognise a frame of Spark by the name of its class, without importing pyspark.
    if "'pyspark." in str(type(data).__mro__):
        from ._spark import SparkRows  # noqa: PLC0415  # an extra, imported where it is used

        return SparkRows(data, columns, limit)
    return Stream(data, columns, limit)


def score(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    query_id: str | None = None,
    memory_limit: float = 2**30,
    **score_func_params: Any,
) -> float | Any:
    """Score of the rows that an engine holds, which need not fit into memory.

    The score equals that of the same rows in memory, to 1e-14 (with weights that
    differ, to 1e-12), for any engine, partitioning and limit.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score by its name, as in :func:`sklearn_ap.get_scorer`, such as
        ``'average_precision@100'``, or a score of ``sklearn_ap``.

    data : DataFrame, LazyFrame, Table, Dataset, relation or stream
        A data frame of pandas, polars or Spark; a LazyFrame of polars; a relation of
        DuckDB; a Table or Dataset of pyarrow; or anything else with
        ``__arrow_c_stream__``. For files, pass ``duckdb.read_parquet(path)``,
        ``polars.scan_parquet(path)`` or ``spark.read.parquet(path)``. Rows that exceed
        `memory_limit` are read twice.

    y_true : str, default='label'
        Column of the binary labels.

    y_score : str, default='score'
        Column of the scores; the highest is retrieved first. Decimals are scored as the
        nearest float64.

    average : {'macro', 'weighted', 'micro'} or None, default='macro'
        How the scores of queries are averaged, as for scores in memory. With None, one
        value per query is returned, in the order of the sorted ids.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : str, default=None
        Column of the sample weights, not negative. Rows of weight 0 are dropped.

    query_id : str, default=None
        Column of the queries. The rows of a query may be in any place. All rows must
        fit into memory, except those of Spark, which scores each query on an executor.

    memory_limit : int or float, default=2**30
        Bytes that the columns above may take in this process, such as ``2 * 10**9``. If
        they take more, each distinct score of a positive takes 40 bytes. A few scores
        need all rows in memory, and raise an error: :doc:`/rows_beyond_memory` lists
        them.

    **score_func_params : additional arguments
        Arguments of every score, such as ``k=10``, ``n_positives=1200`` or
        ``prevalence=0.01``.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        In [0, 1], higher is better.

    Raises
    ------
    SourceError
        If a column is missing, values are not valid (the message names the column and
        the number of rows), or rows exceed `memory_limit` and the score needs all of
        them.
    ImportError
        If pyarrow, the extra ``arrow``, is not installed.

    See Also
    --------
    score_by_query, RankingState

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.score("average_precision", rows)
    0.5
    """
    spec = resolve_score(score_func, score_func_params)
    if average is not None:
        check_option("average", average, get_args(AveragedBy))
    if query_id is not None:
        check_query_options(several_columns=False, average=average)
    columns = Columns(y_true, y_score, sample_weight, query_id, pos_label)
    with closing(_source_of(data, columns, memory_limit)) as source:
        rows = source.gather()
        if rows is None:
            if query_id is not None and average != "micro":
                return source.score_queries(spec, average)[1]
            few = few_rows(source, spec, weighted=sample_weight is not None)
            return float(spec.function(pos_label=True, **few))
    # The engine has released its rows before the function in memory scores them.
    return spec.function(average=average, pos_label=True, **rows._asdict())


def score_by_query(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    query_id: str,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    memory_limit: float = 2**30,
    **score_func_params: Any,
) -> dict[Any, float]:
    """Return the score of each query by its id; the rows need not fit into memory.

    The values are those of :func:`sklearn_ap.score_by_query`.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A name or a score, as for :func:`score`.

    data, y_true, y_score : source of the rows, and names of columns
        As for :func:`score`.

    query_id : str
        Column of the queries.

    pos_label, sample_weight, memory_limit : optional
        As for :func:`score`.

    **score_func_params : additional arguments
        Arguments of `score_func`, such as ``k=10`` or `n_positives`.

    Returns
    -------
    score_by_query : dict
        ``{query: score}``, with the queries sorted.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`, and if ids cannot be sorted.

    Warns
    -----
    UserWarning
        Once per call, if a query has no positive and ``zero_division='warn'``.

    See Also
    --------
    score

    References
    ----------
    .. [1] Manning, Raghavan, Schuetze, "Introduction to Information Retrieval",
       section 8.4, 2008. :doi:`10.1017/CBO9780511809071`

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> rows["query"] = ["cats", "cats", "dogs", "dogs"]
    >>> distributed.score_by_query("average_precision", rows, query_id="query")
    {'cats': 1.0, 'dogs': 0.5}
    """
    if query_id is None:
        raise ValueError(
            "query_id must be the name of a column, such as 'query'; got None."
        )
    spec = resolve_score(score_func, score_func_params)
    columns = Columns(y_true, y_score, sample_weight, query_id, pos_label)
    with closing(_source_of(data, columns, memory_limit)) as source:
        rows = source.gather()
        if rows is None:
            names, values = source.score_queries(spec, None)
            return dict(zip(names, values.tolist(), strict=True))
    return by_query.score_by_query(spec.function, pos_label=True, **rows._asdict())
