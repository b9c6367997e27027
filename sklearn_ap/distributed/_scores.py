"""The scores of the package, applied to data in parts: written by `python docs/records.py`.

Each has the parameters of the score in memory, and hands them all on; only the rows come from elsewhere.
"""

from __future__ import annotations

from typing import Any, Unpack, overload

from numpy.typing import ArrayLike

import sklearn_ap

from .._scores._at_k import APAtK, PrecisionAtK, RecallAtK, RPrecision
from .._scores._at_level import AtPrecision, AtRecall
from .._scores._average_precision import Interpolated, PrAuc
from .._scores._reciprocal_rank import ReciprocalRank
from .._typing import (
    AreaOptions,
    Average,
    AveragedBy,
    By,
    FloatArray,
    Interpolation,
    Label,
    Normalizer,
    RankedTies,
    Ties,
    Totals,
    ZeroDivision,
)
from ._open_rows import Column, Columns, Data, DataOptions, Progress, score_of_data
from ._source import MemoryLimit


class _AreaOptions(AreaOptions[Column, By], DataOptions): ...


class _Interpolated(Interpolated[Column, By], DataOptions): ...


class _PrAuc(PrAuc[Column, By], DataOptions): ...


class _APAtK(APAtK[Column, By], DataOptions): ...


class _PrecisionAtK(PrecisionAtK[Column, By], DataOptions): ...


class _RecallAtK(RecallAtK[Column, By], DataOptions): ...


class _RPrecision(RPrecision[Column, By], DataOptions): ...


class _ReciprocalRank(ReciprocalRank[Column, By], DataOptions): ...


class _AtRecall(AtRecall[Column, By], DataOptions): ...


class _AtPrecision(AtPrecision[Column, By], DataOptions): ...


@overload
def average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AreaOptions[AveragedBy]]
) -> float: ...


@overload
def average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AreaOptions[Average]]
) -> float | FloatArray: ...


def average_precision_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Average precision: the mean of the precision over the positives; equal scores are one threshold.

    The rows need not fit into memory, and may be on several machines. The number is that in memory, to 1e-15,
    whatever the engine, the parts and the limit are.

    .. versionadded:: 0.1

    Parameters
    ----------
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

    average, pos_label : as in memory
        See :func:`sklearn_ap.average_precision_score`.

    sample_weight, query_id, n_positives, prevalence, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns. The rows of a query may be in any part.

    filter : pyarrow.compute.Expression, default=None
        Only rows for which it is true count. For files and Datasets.

    memory_limit : int, str or 'auto', default='auto'
        Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
        what is available. The number does not depend on it, but the number of scans does.

    progress : bool or callable, default=False
        Whether to write a line to standard error after each part; or a function, which is called with the
        parts that are done and all parts (None if that is not known).

    Returns
    -------
    average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError
        If the engine that the rows need is not installed.
    TypeError
        If `data` is none of the above.
    ValueError
        For rows that the score in memory refuses, with the file, the column and the row; for files that are
        missing, damaged or changed between two scans; and for ``ties='stable'``, since rows have no order.

    See Also
    --------
    sklearn_ap.average_precision_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.average_precision_score(rows)
    0.5
    """
    return score_of_data(sklearn_ap.average_precision_score, **locals())


@overload
def interpolated_average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_Interpolated[AveragedBy]]
) -> float: ...


@overload
def interpolated_average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_Interpolated[Average]]
) -> float | FloatArray: ...


def interpolated_average_precision_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    recall_levels: int | ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Mean, over recall levels, of the best precision at that recall or beyond.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    recall_levels, average, pos_label : as in memory
        See :func:`sklearn_ap.interpolated_average_precision_score`.

    sample_weight, query_id, n_positives, prevalence, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    interpolated_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.interpolated_average_precision_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.interpolated_average_precision_score(rows)
    0.5
    """
    return score_of_data(sklearn_ap.interpolated_average_precision_score, **locals())


@overload
def eleven_point_average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AreaOptions[AveragedBy]]
) -> float: ...


@overload
def eleven_point_average_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AreaOptions[Average]]
) -> float | FloatArray: ...


def eleven_point_average_precision_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Mean of the interpolated precision at the recall levels 0, 0.1, ..., 1.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    average, pos_label : as in memory
        See :func:`sklearn_ap.eleven_point_average_precision_score`.

    sample_weight, query_id, n_positives, prevalence, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    eleven_point_average_precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.eleven_point_average_precision_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.eleven_point_average_precision_score(rows)
    0.5
    """
    return score_of_data(sklearn_ap.eleven_point_average_precision_score, **locals())


@overload
def pr_auc_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_PrAuc[AveragedBy]]
) -> float: ...


@overload
def pr_auc_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_PrAuc[Average]]
) -> float | FloatArray: ...


def pr_auc_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    interpolation: Interpolation = "linear",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Area under the precision-recall curve, with its operating points joined.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    interpolation, average, pos_label : as in memory
        See :func:`sklearn_ap.pr_auc_score`.

    sample_weight, query_id, prevalence, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    pr_auc : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.pr_auc_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.pr_auc_score(rows)
    0.3333333333333333
    """
    return score_of_data(sklearn_ap.pr_auc_score, **locals())


@overload
def average_precision_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_APAtK[AveragedBy]]
) -> float: ...


@overload
def average_precision_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_APAtK[Average]]
) -> float | FloatArray: ...


def average_precision_at_k_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    k: int | float | None = 10,
    ties: Ties = "proportional",
    normalizer: Normalizer = "min",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Average precision of the first `k` rows: precisions at their positives, over the best possible sum.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    k, ties, normalizer, average, pos_label : as in memory
        See :func:`sklearn_ap.average_precision_at_k_score`.

    sample_weight, query_id, n_positives, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    average_precision_at_k : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.average_precision_at_k_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.average_precision_at_k_score(rows, k=3)
    0.25
    """
    return score_of_data(sklearn_ap.average_precision_at_k_score, **locals())


@overload
def precision_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_PrecisionAtK[AveragedBy]]
) -> float: ...


@overload
def precision_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_PrecisionAtK[Average]]
) -> float | FloatArray: ...


def precision_at_k_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    k: int | float | None = 10,
    ties: Ties = "proportional",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Share of positives among the first `k` rows.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    k, ties, average, pos_label : as in memory
        See :func:`sklearn_ap.precision_at_k_score`.

    sample_weight, query_id : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.precision_at_k_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.precision_at_k_score(rows, k=3)
    0.3333333333333333
    """
    return score_of_data(sklearn_ap.precision_at_k_score, **locals())


@overload
def recall_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_RecallAtK[AveragedBy]]
) -> float: ...


@overload
def recall_at_k_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_RecallAtK[Average]]
) -> float | FloatArray: ...


def recall_at_k_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    k: int | float | None = 10,
    ties: Ties = "proportional",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Share of all positives that are among the first `k` rows.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    k, ties, average, pos_label : as in memory
        See :func:`sklearn_ap.recall_at_k_score`.

    sample_weight, query_id, n_positives, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    recall : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.recall_at_k_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.recall_at_k_score(rows, k=3)
    0.5
    """
    return score_of_data(sklearn_ap.recall_at_k_score, **locals())


@overload
def r_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_RPrecision[AveragedBy]]
) -> float: ...


@overload
def r_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_RPrecision[Average]]
) -> float | FloatArray: ...


def r_precision_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    ties: Ties = "proportional",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Precision among the first R rows, where R is the number of positives and precision equals recall.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    ties, average, pos_label : as in memory
        See :func:`sklearn_ap.r_precision_score`.

    sample_weight, query_id, n_positives, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    r_precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.r_precision_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.r_precision_score(rows)
    0.5
    """
    return score_of_data(sklearn_ap.r_precision_score, **locals())


@overload
def reciprocal_rank_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_ReciprocalRank[AveragedBy]]
) -> float: ...


@overload
def reciprocal_rank_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_ReciprocalRank[Average]]
) -> float | FloatArray: ...


def reciprocal_rank_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    k: int | float | None = None,
    ties: RankedTies = "expected",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """One over the rank of the first positive; over queries, the mean reciprocal rank (MRR).

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    k, ties, average, pos_label : as in memory
        See :func:`sklearn_ap.reciprocal_rank_score`.

    sample_weight, query_id, n_positives, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    reciprocal_rank : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.reciprocal_rank_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.reciprocal_rank_score(rows)
    0.5
    """
    return score_of_data(sklearn_ap.reciprocal_rank_score, **locals())


@overload
def precision_at_recall_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AtRecall[AveragedBy]]
) -> float: ...


@overload
def precision_at_recall_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AtRecall[Average]]
) -> float | FloatArray: ...


def precision_at_recall_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    recall: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Best precision of the thresholds whose recall is at least `recall`.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    recall, average, pos_label : as in memory
        See :func:`sklearn_ap.precision_at_recall_score`.

    sample_weight, query_id, n_positives, prevalence, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    precision : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. 0.0 if no threshold reaches the recall, because too many positives were
        missed. An array if ``average=None`` and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.precision_at_recall_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.precision_at_recall_score(rows, recall=0.5)
    0.5
    """
    return score_of_data(sklearn_ap.precision_at_recall_score, **locals())


@overload
def recall_at_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AtPrecision[AveragedBy]]
) -> float: ...


@overload
def recall_at_precision_score(
    data: Data, y_true: Columns = ..., y_score: Columns = ..., **options: Unpack[_AtPrecision[Average]]
) -> float | FloatArray: ...


def recall_at_precision_score(
    data: Data,
    y_true: Columns = "label",
    y_score: Columns = "score",
    *,
    precision: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = "warn",
    filter: Any = None,
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> float | FloatArray:
    """Best recall of the thresholds whose precision is at least `precision`.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`.

    precision, average, pos_label : as in memory
        See :func:`sklearn_ap.recall_at_precision_score`.

    sample_weight, query_id, n_positives, zero_division : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    recall : float or ndarray of shape (n_rankings,)
        In [0, 1], higher is better. 0.0 if no threshold reaches the precision. An array if ``average=None``
        and there are several rankings.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`.

    See Also
    --------
    sklearn_ap.recall_at_precision_score : The number in memory, with its formula and references.
    scores : Several scores by one scan.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.recall_at_precision_score(rows, precision=0.5)
    1.0
    """
    return score_of_data(sklearn_ap.recall_at_precision_score, **locals())
