"""The public functions for rows in files, tables and clusters.

Each function opens its rows and tries to gather all of them. If they fit into memory,
the ordinary function scores them. If not, they are read twice, or an engine sorts them,
and a `SortedStream` of their tied groups is scored by the same definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, get_args

from .._core import by_query
from .._core.reading.ids import check_query_options
from .._core.reading.options import check_option, is_real, short_repr
from .._core.typing import Average, AveragedBy, Label, ScoreFunction
from .._rows.local import open_local
from .._rows.roles import Roles
from .._shown.sources import SourceError
from ._batches import Source
from ._bound_scores import resolve_score, stream_of
from ._queries import all_queries
from ._sort import SortableSource

# Paths, tables, data frames, relations or streams; the docstring of `score` lists them.
Data = Any


def _source_of(data: Data, roles: Roles, memory_limit: float) -> Source:
    """Return the source of the rows, which reads no row yet. Raise an error if an
    argument is not valid.
    """
    for role in ("y_true", "y_score", "sample_weight", "query_id"):
        column = getattr(roles, role)
        # A role with a default may have no column.
        kinds = str | None if role in Roles._field_defaults else str
        if not isinstance(column, kinds):
            raise TypeError(
                f"{role} must be the name of a column; got {short_repr(column)}."
            )
    if not (is_real(memory_limit) and 1 <= memory_limit < 2**63):
        raise ValueError(
            "memory_limit must be a number of bytes, such as 2 * 10**9; got "
            f"{memory_limit!r}."
        )
    limit = int(memory_limit)
    # Recognise a frame of Spark by the name of its class, without importing pyspark.
    if "'pyspark." in str(type(data).__mro__):
        from ._spark import open_spark  # noqa: PLC0415  # an extra, imported where it is used

        return open_spark(data, roles, limit)
    # `SortableSource` has the fields of the `LocalSource` that `open_local` returns.
    return SortableSource(**vars(open_local(data, roles, limit)))


@contextmanager
def _opened(
    data: Data, roles: Roles, memory_limit: float
) -> Iterator[tuple[Source, dict[str, Any] | None]]:
    """Yield the source of the rows, and all rows as arguments of a function in memory.
    If the rows do not fit into memory, yield None in place of the arguments.
    """
    source = _source_of(data, roles, memory_limit)
    with closing(source):
        batch = source.gather()
        if batch is None:
            try:
                yield source, None
            except OSError as error:
                problem = f"cannot write temporary files: {error.strerror}"
                raise SourceError(f"{source.name}: {problem}") from None
            return
    # The engine has released its rows before the function in memory scores the batch.
    yield (
        source,
        {
            "y_true": batch.positive,
            "y_score": batch.score,
            "pos_label": True,
            "sample_weight": batch.weight,
            "query_id": batch.query,
        },
    )


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
    """Score of rows in files, tables or clusters, which need not fit into memory.

    The score equals that of the same rows in memory, to 1e-14 (with weights that
    differ, to 1e-12), for any engine, partitioning and limit.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score by its name, as in :func:`sklearn_ap.get_scorer`, such as
        ``'average_precision@100'``, or a score of ``sklearn_ap``.

    data : path, list of paths, DataFrame, Table, Dataset, relation or stream
        A file of CSV or JSON lines (also gzip) or of Parquet, a glob, a folder (also
        with names like ``day=1``) or a list of these; a data frame of pandas, polars or
        Spark; a relation of DuckDB; a Table, Dataset or RecordBatchReader of pyarrow,
        or anything else with ``__arrow_c_stream__``.

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
        Column of the queries. The rows of a query may be in any place. If the rows do
        not fit into memory, the rows of each query must fit.

    memory_limit : int or float, default=2**30
        Bytes that the columns above may take in this process, such as ``2 * 10**9``. If
        they take more, rows are read twice or, if that is not sufficient, sorted by
        DuckDB (on disk) or Spark.

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
        If rows cannot be read, a column is missing, or a value is not valid. The message
        is one line with the file, the column and the value.
    ImportError
        If the extra ``files`` is not installed. The message is the command that installs
        it.

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
    roles = Roles(y_true, y_score, sample_weight, query_id, pos_label)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is not None:
            return spec.function(average=average, **rows)
        if query_id is None or average == "micro":
            if average == "micro" and hasattr(spec.n_positives, "items"):
                # Totals by query are matched to the ids of queries, which a pass over
                # pooled rows does not read.
                raise ValueError(
                    "n_positives must be a number where rows exceed memory_limit and "
                    "queries are pooled, such as the sum of their totals; got "
                    f"{short_repr(spec.n_positives)}. Or pass "
                    f"memory_limit={source.n_bytes()}."
                )
            return spec.score(stream_of(source, spec))
        queries = all_queries(source, spec, keeps_weightless=average is None)
        return queries.score(spec, average)


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

    Warns
    -----
    UserWarning
        Once per call, if a query has no positive and ``zero_division='warn'``.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`, and if ids cannot be sorted.

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
    roles = Roles(y_true, y_score, sample_weight, query_id, pos_label)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is None:
            queries = all_queries(source, spec, keeps_weightless=True)
            values = queries.score(spec, None)
            return dict(zip(queries.ids, values.tolist(), strict=True))
    return by_query.score_by_query(spec.function, **rows)
