"""Several scores, the score of each query, and how sure a score is, of rows that need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from .._typing import Average, Label, ScoreByQuery, ScoreFunction
from .._uncertainty._results import ScoreEstimate
from ._open_rows import Column, Columns, Data, Progress, RowOptions, answers_of, job_of
from ._plans._estimated import estimate_of, estimated
from ._plans._plan import scores_of
from ._plans._queries import by_query
from ._question import question_of
from ._source import MemoryLimit


def scores(
    score_funcs: Iterable[str | ScoreFunction],
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
    **score_func_params: Any,
) -> dict[str, Any]:
    """Return several scores of rows that need not fit into memory, by the same scans.

    A scan is what takes time, and rows that are ranked once serve all scores.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_funcs : list of str or callable
        Names as in :func:`sklearn_ap.get_scorer`, such as ``'average_precision@100'`` or ``'recall@0.05'``,
        or scores of ``sklearn_ap``.

    data : path, list of paths, DataFrame, Dataset or Dask DataFrame
        Where the rows are, as for :func:`average_precision_score`.

    y_true, y_score : names of columns
        As for :func:`average_precision_score`.

    average, pos_label, sample_weight, query_id, filter, memory_limit, progress : as for one score
        As for :func:`average_precision_score`.

    **score_func_params : additional arguments
        Arguments of every score in the list, such as ``n_positives=1200``.

    Returns
    -------
    scores : dict of str to float
        By name, in the order of the list. The name of a function is its ``__name__``.

    Warns
    -----
    UserWarning
        As for each score.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for each score; if `score_funcs` is a single name, or a score takes no such argument.

    See Also
    --------
    average_precision_score : One score.
    RankingState.scores : Of rows that come batch by batch.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.scores(["average_precision", "recall@2"], rows)
    {'average_precision': 0.5, 'recall@2': 0.5}
    """
    if isinstance(score_funcs, str) or not isinstance(score_funcs, Iterable):
        raise TypeError(f"score_funcs must be a list of names or scores; got {score_funcs!r}.")
    asked = list(score_funcs)
    names = [one if isinstance(one, str) else getattr(one, "__name__", repr(one)) for one in asked]
    rows = RowOptions(
        data, y_true, y_score, pos_label, filter, memory_limit, progress, sample_weight, query_id, average
    )
    return dict(zip(names, answers_of(rows, asked, score_func_params), strict=True))


def estimate_score(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: Column = "label",
    y_score: Column = "score",
    *,
    method: Literal["auto", "influence"] = "auto",
    pos_label: Label = 1,
    filter: Any = None,  # as pyarrow calls it
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
    **score_func_params: Any,
) -> ScoreEstimate:
    """Score of a sample that need not fit into memory, and how sure it is.

    The estimate is that of :func:`sklearn_ap.estimate_score` by influences. They are added up in the walk
    that computes the score, so the estimate takes the scans of the score.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        The area of a whole ranking: a name such as ``'average_precision'``, or a score of ``sklearn_ap``
        such as :func:`sklearn_ap.pr_auc_score`.

    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`. The rows are one ranking, and each was drawn by itself.

    method : {'auto', 'influence'}, default='auto'
        Both are influences: a bootstrap would draw all rows again and again.

    pos_label, filter, memory_limit, progress : as for the score
        As for :func:`average_precision_score`.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``prevalence=0.01`` or ``n_positives=1200``.

    Returns
    -------
    estimate : ScoreEstimate
        With the fields `score`, `standard_error` and others, and the method `confidence_interval`.

    Warns
    -----
    UserWarning
        If there are fewer than ten positives.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`; if there is no positive; for arguments that the score does not
        take, or that need weights, queries or resamples; for a method that draws rows; and for a score
        without influences: one with a cut, with recall levels or with an order of equal scores.

    See Also
    --------
    sklearn_ap.estimate_score : The estimate of rows in memory, with its references and other methods.
    average_precision_score : The score alone.
    RankingState.estimate : Of rows that come batch by batch.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> rows = pd.DataFrame({"label": y_true, "score": np.linspace(1, 0, 100)})
    >>> print(distributed.estimate_score("average_precision", rows))
    0.394, 95 % interval 0.2433 to 0.5681 (influence)
    """
    question = estimated(score_func, method, score_func_params)
    rows = RowOptions(data, y_true, y_score, pos_label, filter, memory_limit, progress)
    scores_of(job_of(rows), [question])
    return estimate_of(question)


def score_by_query(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: Column = "label",
    y_score: Column = "score",
    *,
    query_id: Column,
    pos_label: Label = 1,
    sample_weight: Column | None = None,
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

    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    query_id : str
        Column of the queries; the rows of a query may be in any part.

    pos_label, sample_weight, filter, memory_limit, progress : as for one score
        As for :func:`average_precision_score`.

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
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`; if the score takes no such argument, an id is missing, or ids
        have no order.

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
    question = question_of(score_func, score_func_params)
    if query_id is None:
        raise ValueError("query_id must name the column of the queries; got None.")
    rows = RowOptions(
        data, y_true, y_score, pos_label, filter, memory_limit, progress, sample_weight, query_id
    )
    return by_query(job_of(rows), [question])[0]
