"""The public question what each query scores, of rows that need not fit into memory."""

from typing import Any

from .._typing import Label, ScoreByQuery, ScoreFunction
from ._asked import call_of, question_of
from ._asking import Progress, Rows, job_of
from ._memory import MemoryLimit
from ._plans._queries import by_query

__all__ = ["score_by_query"]


def score_by_query(
    score_func: str | ScoreFunction,
    data: Any,
    y_true: Any = "label",
    y_score: Any = "score",
    *,
    query_id: Any,
    pos_label: Label = 1,
    sample_weight: Any = None,
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
    **score_func_params: Any,
) -> ScoreByQuery:
    """Return the score of each query, under the id of the query, of rows that need not fit into memory.

    The values are those of :func:`sklearn_ap.score_by_query`. A query is ranked in memory, whatever its size.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A name as in :func:`sklearn_ap.get_scorer`, such as ``'average_precision@100'``, or a score of
        ``sklearn_ap``.

    data : path, list of paths, DataFrame, Dataset or Dask collection
        Where the rows are, as :func:`average_precision_score` takes them.

    y_true : str, default='label'
        Column of the binary labels.

    y_score : str, default='score'
        Column of the scores; the highest is retrieved first.

    query_id : str
        Column of the queries; the rows of a query may be in any part.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : str, default=None
        Column of the sample weights, not negative. Rows of weight 0 are dropped.

    filter : pyarrow.compute.Expression, default=None
        Only rows for which it is true count. For files and Datasets.

    memory_limit : int, str or 'auto', default='auto'
        Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
        what is available.

    progress : bool or callable, default=False
        Whether to write a line to standard error after each part; or a function, which is called with the
        parts that are done and all parts (None if that is not known).

    **score_func_params : additional arguments
        Arguments of `score_func`, such as ``k=10`` or `n_positives`.

    Returns
    -------
    score_by_query : dict
        ``{query: score}``, with the queries sorted.

    Warns
    -----
    UserWarning
        If a query has no positive and ``zero_division='warn'``; once per call.

    Raises
    ------
    ImportError
        If the engine that the rows need is not installed.
    TypeError
        If `data` is nothing of the above, or the score takes no such argument.
    ValueError
        As of :func:`average_precision_score`; if an id is missing, or ids have no order.

    See Also
    --------
    average_precision_score : The mean over queries, if `query_id` is given.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> rows["query"] = ["cats", "cats", "dogs", "dogs"]
    >>> distributed.score_by_query("average_precision", rows, query_id="query")
    {'cats': 1.0, 'dogs': 0.5}
    """
    call = call_of(score_func, score_func_params)
    question_of(*call)  # before the first scan
    if query_id is None:
        raise ValueError("query_id must name the column of the queries; got None.")
    rows = Rows(
        data,
        y_true,
        y_score,
        sample_weight,
        query_id,
        pos_label=pos_label,
        filter=filter,
        memory_limit=memory_limit,
        progress=progress,
    )
    return by_query(job_of(rows), [call])[0]
