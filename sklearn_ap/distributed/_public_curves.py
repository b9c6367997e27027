"""The public curves, and the public search for a threshold, of rows that need not fit into memory."""

from __future__ import annotations

from typing import Any

from .._operating_points import OperatingPoint, read_condition
from .._reading._options import is_real, read_prevalence
from .._typing import AnyArray, FloatArray, Label, Totals
from ._open_rows import Column, Data, Progress, RowOptions, job_of
from ._plans._curves import hits_of, interpolated_of, point_of
from ._source import MemoryLimit


def interpolated_precision_recall_curve(
    data: Data,
    y_true: Column = "label",
    y_score: Column = "score",
    *,
    pos_label: Label | None = None,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    max_points: int = 10_000,
    filter: Any = None,  # as pyarrow calls it
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> tuple[FloatArray, FloatArray, AnyArray]:
    """Precision-recall curve with each precision replaced by the best one at that recall or beyond.

    The rows need not fit into memory, and may be on several machines. If they fit, the arrays are those of
    :func:`sklearn_ap.interpolated_precision_recall_curve`. If not, they hold some of the same points.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`. Labels are binary; any labels if `pos_label` is given.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight, query_id, n_positives : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    max_points : int, default=10_000
        The most thresholds of a curve that does not fit into memory. See Notes.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Best precision of all rows at ``recall[i]`` or beyond, never decreasing. The last element is 1 by
        convention: it belongs to no threshold, and the maximum leaves it out.

    recall : ndarray of shape (n_thresholds + 1,)
        Recall of the scores at or above ``thresholds[i]``, never increasing. The last element is 0. If
        `n_positives` counts missed positives, recall stays below 1.

    thresholds : ndarray of shape (n_thresholds,)
        Scores that occur, increasing: all of them, or at most `max_points`.

    Warns
    -----
    UserWarning
        If there is no positive; then recall is 1 at all thresholds, as in scikit-learn.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`; if `y_true` or `y_score` is not the name of one column,
        `max_points` is not an integer >= 2, there are several queries, or `n_positives` is below the
        positives found.

    See Also
    --------
    sklearn_ap.interpolated_precision_recall_curve : The curve of rows in memory, with its references.
    interpolated_average_precision_score : The area under this curve.
    operating_point : One threshold, exactly, in few scans.

    Notes
    -----
    *Thinning*: the points that are left are exact, with the lowest and the highest threshold among them.
    Between two neighbours, recall and the share of rows retrieved grow by at most ``4 / max_points``, unless
    the rows of a single score make it grow more. Curves of at most `max_points` points stay whole.

    *Weights* that differ are added up in another order than in memory, so the last digits may differ.

    *Scans*: one if the rows fit. If they do not, one or two to count them, and one for each range of scores
    that fits, since the best precision depends on all rows. `query_id` takes one more, to see that there is
    a single query; it is refused if the data can be read only once.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [4, 3, 2, 1]})
    >>> precision, recall, thresholds = distributed.interpolated_precision_recall_curve(rows)
    >>> precision
    array([0.5, 0.5, 0.5, 0.5, 1. ])
    >>> recall
    array([1. , 0.5, 0.5, 0. , 0. ])
    >>> thresholds
    array([1, 2, 3, 4])
    """
    most = _read_max_points(max_points)
    rows = RowOptions(
        data, y_true, y_score, pos_label, filter, memory_limit, progress, sample_weight, query_id
    )
    curve = interpolated_of(job_of(rows, is_curve=True), n_positives, most)
    return curve.precision, curve.recall, curve.threshold


def hit_curve(
    data: Data,
    y_true: Column = "label",
    y_score: Column = "score",
    *,
    pos_label: Label | None = None,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: Totals | None = None,
    max_points: int = 10_000,
    filter: Any = None,  # as pyarrow calls it
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> tuple[FloatArray, FloatArray, AnyArray]:
    """Hit curve: the share of all samples that are hits, against the share of samples that were detected.

    The rows need not fit into memory, and may be on several machines. If they fit, the arrays are those of
    :func:`sklearn_ap.hit_curve`. If not, they hold some of the same points.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`. Labels are binary; any labels if `pos_label` is given.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight, query_id, n_positives : as in memory
        The same, but `sample_weight` and `query_id` name columns.

    max_points : int, default=10_000
        The most thresholds of a curve that does not fit into memory. See Notes.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    detected_fraction : ndarray of shape (n_thresholds + 1,)
        Share of all rows at or above ``thresholds[i]``, increasing from 0. If `n_positives` counts missed
        positives, they are samples that no threshold detects, and the share ends below 1.

    hit_fraction : ndarray of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples, in weight, from 0 to the share of positives
        found.

    thresholds : ndarray of shape (n_thresholds + 1,)
        Infinity, then scores that occur, decreasing: all of them, or at most `max_points`.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`; if `y_true` or `y_score` is not the name of one column,
        `max_points` is not an integer >= 2, there are several queries, `n_positives` is below the positives
        found, or it stands beside weights that differ.

    See Also
    --------
    sklearn_ap.hit_curve : The curve of rows in memory, with its references.
    recall_at_k_score : Recall at one depth.

    Notes
    -----
    *Thinning*, *Weights*, *Scans* of `query_id`: as for :func:`interpolated_precision_recall_curve`.

    *Scans*: one if the rows fit. If they do not, one or two to count them in bins of scores, and mostly one
    to read the bins in which points are.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.7]})
    >>> detected, hits, thresholds = distributed.hit_curve(rows)
    >>> detected
    array([0.  , 0.25, 0.5 , 1.  ])
    >>> hits
    array([0.  , 0.25, 0.25, 0.5 ])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.7])
    """
    most = _read_max_points(max_points)
    rows = RowOptions(
        data, y_true, y_score, pos_label, filter, memory_limit, progress, sample_weight, query_id
    )
    curve = hits_of(job_of(rows, is_curve=True), n_positives, most)
    return curve.detected, curve.hits, curve.threshold


def operating_point(
    data: Data,
    y_true: Column = "label",
    y_score: Column = "score",
    *,
    recall: float | None = None,
    precision: float | None = None,
    k: int | float | None = None,
    beta: float | None = None,
    pos_label: Label | None = None,
    sample_weight: Column | None = None,
    query_id: Column | None = None,
    n_positives: float | None = None,
    prevalence: float | None = None,
    filter: Any = None,  # as pyarrow calls it
    memory_limit: MemoryLimit = "auto",
    progress: Progress = False,
) -> OperatingPoint:
    """Threshold that is best at a recall, at a precision, within a budget of rows, or by F-beta.

    The rows need not fit into memory, and may be on several machines. The point is that of
    :func:`sklearn_ap.operating_point`, whether they fit or not.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`average_precision_score`. Labels are binary; any labels if `pos_label` is given.

    recall, precision, k, beta : as in memory
        As for :func:`sklearn_ap.operating_point`.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight, query_id, n_positives, prevalence : as in memory
        The same, but `sample_weight` and `query_id` name columns. With `query_id`, `k` is the budget of each
        query, which the threshold exceeds in none of them.

    filter, memory_limit, progress : which rows count, and how they are read
        As for :func:`average_precision_score`.

    Returns
    -------
    point : OperatingPoint
        Among equally good thresholds the one with more recall, then the one with fewer rows.

    Warns
    -----
    UserWarning
        If there is no positive; then precision and recall are 0.0 at all thresholds.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`average_precision_score`; if no threshold meets the condition (the text names the best
        that one does), not exactly one condition is given, or a condition is outside its values; if
        `query_id` stands beside another condition than `k`; if `y_true` or `y_score` is not the name of one
        column, or `n_positives` is below the positives found.

    See Also
    --------
    sklearn_ap.operating_point : The point of rows in memory, with its references.
    precision_at_recall_score : The precision alone.
    recall_at_precision_score : The recall alone.

    Notes
    -----
    *Scans*: one if the rows fit. If they do not, one or two to count them in bins of scores, and mostly one
    to read the few bins that can hold the point. With `query_id`, those of a score of queries, and one more
    to add up the rows above the budgets.

    *Weights* that differ are added up in another order than in memory, so the last digits may differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 0, 1, 1, 0], "score": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> distributed.operating_point(rows, recall=0.5).threshold
    0.6
    >>> distributed.operating_point(rows, k=3).n_retrieved
    3
    >>> rows["day"] = ["Mon", "Tue", "Mon", "Tue", "Tue"]
    >>> distributed.operating_point(rows, k=1, query_id="day").threshold
    0.8
    """
    condition = read_condition(query_id, recall=recall, precision=precision, k=k, beta=beta)
    prevalence = read_prevalence(prevalence)
    rows = RowOptions(
        data, y_true, y_score, pos_label, filter, memory_limit, progress, sample_weight, query_id
    )
    return point_of(job_of(rows, is_curve=True), condition, n_positives, prevalence)


def _read_max_points(max_points: object) -> int:
    """Check the most points of a curve."""
    if is_real(max_points) and 2 <= max_points < 2**53 and max_points == int(max_points):
        return int(max_points)
    raise ValueError(f"max_points must be an integer >= 2; got {max_points!r}.")
