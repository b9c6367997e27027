"""The public question how sure a score is, of rows that need not fit into memory."""

from typing import Any, Literal

from .._typing import Label, ScoreFunction
from .._uncertainty._results import ScoreEstimate
from ._asking import Progress, Rows, job_of
from ._memory import MemoryLimit
from ._plans._measured import estimated
from ._plans._plan import scores_of

__all__ = ["estimate_score"]


def estimate_score(
    score_func: str | ScoreFunction,
    data: Any,
    y_true: Any = "label",
    y_score: Any = "score",
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

    data : path, list of paths, DataFrame, Dataset or Dask collection
        Where the rows are, as :func:`average_precision_score` takes them. They are one ranking, and each row
        was drawn by itself.

    y_true : str, default='label'
        Column of the binary labels.

    y_score : str, default='score'
        Column of the scores; the highest is retrieved first.

    method : {'auto', 'influence'}, default='auto'
        Both are influences: a bootstrap would draw all rows again and again.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    filter : pyarrow.compute.Expression, default=None
        Only rows for which it is true count. For files and Datasets.

    memory_limit : int, str or 'auto', default='auto'
        Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
        what is available. The estimate does not depend on it, but the number of scans does.

    progress : bool or callable, default=False
        Whether to write a line to standard error after each part; or a function, which is called with the
        parts that are done and all parts (None if that is not known).

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
    ImportError
        If the engine that the rows need is not installed.
    TypeError
        If `data` is nothing of the above, the score takes no such argument, or an argument goes with weights,
        queries or resamples.
    ValueError
        If there is no positive, for a method that draws rows, and for a score without influences: one with a
        cut, with recall levels or with an order of equal scores. For rows that
        :func:`average_precision_score` refuses.

    See Also
    --------
    sklearn_ap.estimate_score : Of rows in memory; tells more about the estimate, and has other methods.
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
    asked = estimated(score_func, method, score_func_params)
    rows = Rows(
        data,
        y_true,
        y_score,
        pos_label=pos_label,
        filter=filter,
        memory_limit=memory_limit,
        progress=progress,
    )
    scores_of(job_of(rows), [asked.question])
    return asked.result()
