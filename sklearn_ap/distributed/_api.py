"""The public functions for rows in files, tables and clusters.

Each opens its rows and asks for all of them: if they fit, the ordinary function scores
them in memory. If not, they are read twice, or an engine sorts them, and the same
definitions listen to the sorted stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial, reduce
from typing import Any, get_args, overload

import numpy as np

from .._core.ranking.rankings import OperatingPoints, Rankings
from .._core.reading.options import check_option, read_k, read_prevalence, short_repr
from .._core.reading.queries import PositiveTotals, read_totals, refuse_queries
from .._core.reading.sources import SourceError
from .._core.typing import (
    AnyArray,
    ArrayLikeOrMapping,
    Average,
    AveragedBy,
    Label,
    Preference,
    ScoreByQuery,
    ScoreFunction,
)
from .._decisions import budgets, by_query, operating_points
from .._decisions.budgets import BudgetTotals, Wording, basis_of, read_budget
from .._decisions.cells_of_threshold import ThresholdCounts, counts_at, counts_of_rows
from .._decisions.conditions import CandidatePoints, Condition, read_condition
from .._decisions.operating_points import OperatingPoint
from .._uncertainty import standard_errors
from .._uncertainty.results import UNDEFINED, ScoreEstimate
from .._uncertainty.sample import mean_sample
from ._batches import Batch, MemoryLimit, Roles, Source, read_memory_limit
from ._first_rows import budgets_of, threshold_beyond_memory
from ._groups import groups_of
from ._local import open_local
from ._streams import (
    OneScore,
    ScoreList,
    ScoreSpec,
    SortedStream,
    all_queries,
    by_name,
    resolve_estimate,
    resolve_score,
    resolve_scores,
    sorted_stream,
    stream_of,
)

Data = Any  # paths, tables, data frames, relations, streams: what `score` lists


@contextmanager
def _opened(
    data: Data, roles: Roles, memory_limit: MemoryLimit
) -> Iterator[tuple[Source, dict[str, Any] | None]]:
    """Yield rows somewhere and, if they fit, as arguments of the functions in memory."""
    for role in ("y_true", "y_score", "sample_weight", "query_id", "amount"):
        column = getattr(roles, role)
        kinds = str | None if role in Roles._field_defaults else str
        if not isinstance(column, kinds):
            raise TypeError(
                f"{role} must be the name of a column; got {short_repr(column)}."
            )
    limit = read_memory_limit(memory_limit)
    if "'pyspark." in str(type(data).__mro__):  # so that no library is imported for it
        from ._spark import open_spark  # noqa: PLC0415  # an extra, imported where it is used

        source: Source = open_spark(data, roles, limit)
    else:
        source = open_local(data, roles, limit)
    with closing(source):
        batch = source.gather()
        if batch is None:
            try:
                yield source, None
            except OSError as error:
                problem = f"cannot write temporary files: {error.strerror}"
                raise SourceError(f"{source.name}: {problem}") from None
            return
        rows = {
            "y_true": batch.positive,
            "y_score": batch.score,
            "pos_label": True,
            "sample_weight": batch.weight,
            "query_id": batch.query,
        }
        # Only functions that count amounts take some.
        if batch.amount is not None:
            rows["amount"] = batch.amount
        del batch
    yield source, rows


@overload
def score(
    score_func: OneScore,
    data: Data,
    y_true: str = ...,
    y_score: str = ...,
    *,
    average: Average = ...,
    pos_label: Label = ...,
    sample_weight: str | None = ...,
    query_id: str | None = ...,
    memory_limit: MemoryLimit = ...,
    **score_func_params: Any,
) -> float | Any: ...
@overload
def score(
    score_func: ScoreList,
    data: Data,
    y_true: str = ...,
    y_score: str = ...,
    *,
    average: Average = ...,
    pos_label: Label = ...,
    sample_weight: str | None = ...,
    query_id: str | None = ...,
    memory_limit: MemoryLimit = ...,
    **score_func_params: Any,
) -> dict[str, Any]: ...
def score(
    score_func: OneScore | ScoreList,
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    query_id: str | None = None,
    memory_limit: MemoryLimit = "auto",
    **score_func_params: Any,
) -> float | Any:
    """Score of rows in files, tables or clusters, which need not fit into memory.

    It equals the score of the same rows in memory, to 1e-14 (with weights that differ,
    to 1e-12), for any engine, partitioning and limit.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable, or list of these
        A score by its name, as in :func:`sklearn_ap.get_scorer`, such as
        ``'average_precision@100'``, or a score of ``sklearn_ap``. Rows are read and
        sorted once for all scores of a list.

    data : path, list of paths, DataFrame, Table, Dataset, relation or stream
        A file of CSV or JSON lines (also gzip) or of Parquet, a glob, a folder (also
        with names like ``day=1``) or a list of these; a data frame of pandas, polars or
        Spark; a relation of DuckDB; a Table, Dataset or RecordBatchReader of pyarrow,
        or anything else with ``__arrow_c_stream__``.

    y_true : str, default='label'
        Column of the binary labels.

    y_score : str, default='score'
        Column of the scores; the highest is retrieved first. Decimals are scored as the
        nearest float64; those of more than 15 digits that it would round are refused,
        except by Spark.

    average : {'macro', 'weighted', 'micro'} or None, default='macro'
        How the scores of queries are averaged, as in memory. None returns one value per
        query, in the order of their ids.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    sample_weight : str, default=None
        Column of the sample weights, not negative. Rows of weight 0 are dropped. A mean
        leaves out a query without other rows; ``average=None`` gives it the value of
        `zero_division`.

    query_id : str, default=None
        Column of the queries, whose rows may stand anywhere. Ids in CSV files are
        integers if all of them are spelled as integers print, otherwise text. Where
        rows do not fit into memory, ids of all files or partitions must have one type,
        and the rows of each query must fit.

    memory_limit : int, str or 'auto', default='auto'
        Bytes that the columns above may take in this process, such as ``2_000_000_000``
        or ``'2GB'``; by default, a quarter of what is available. Rows beyond it are
        read twice or, if this is not enough, sorted by DuckDB (on disk) or Spark.

    **score_func_params : additional arguments
        Arguments of every score, such as ``k=10``, ``n_positives=1200`` or
        ``prevalence=0.01``.

    Returns
    -------
    score : float or ndarray of shape (n_queries,), or dict of these
        In [0, 1], higher is better. A list gives a dict by name, in its order; the name
        of a function is its ``__name__``.

    Warns
    -----
    UserWarning
        If there is no positive and ``zero_division='warn'``.

    Raises
    ------
    SourceError
        If rows cannot be read, a column is missing, or a value is refused; in one line
        with the file, the column and the value.
    ImportError
        Without the extra ``files``, in one line with what to install.
    TypeError, ValueError
        If the score takes no such argument, or an argument has a wrong value; for
        ``ties='stable'``, since rows in parts have no order.

    See Also
    --------
    score_by_query : The score of each query.
    estimate_score : The score with its standard error.
    RankingState : Rows that come batch by batch.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.score("average_precision", rows)
    0.5
    >>> distributed.score(["average_precision", "recall@2"], rows)
    {'average_precision': 0.5, 'recall@2': 0.5}
    """
    specs = resolve_scores(score_func, score_func_params)
    if average is not None:
        check_option("average", average, get_args(AveragedBy))
    if query_id is not None:
        refuse_queries(several_columns=False, average=average)
    roles = Roles(y_true, y_score, sample_weight, query_id, pos_label)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is not None:
            values = [spec.function(average=average, **rows) for spec in specs]
            return by_name(score_func, specs, values)
        _refuse_totals_of_queries(specs, average)
        if query_id is None or average == "micro":
            stream = _stream_for(source, specs)
            values = [spec.score(stream) for spec in specs]
        else:
            queries = all_queries(source, specs, keeps_weightless=average is None)
            values = queries.scores(specs, average)
    return by_name(score_func, specs, values)


def _refuse_totals_of_queries(
    specs: Sequence[ScoreSpec], average: AveragedBy | None
) -> None:
    """Refuse totals by query that rows beyond memory cannot be read with."""
    totals = [spec.totals_by_query for spec in specs]
    is_pooled = average == "micro" and totals[0] is not None
    if is_pooled or any(each is not totals[0] for each in totals):
        raise ValueError(
            "n_positives must be a number where rows exceed memory_limit and queries are pooled, such as "
            "the sum of their totals, and one mapping for all scores of a list; got "
            f"{short_repr(totals)}."
        )


def _stream_for(source: Source, specs: Sequence[ScoreSpec]) -> SortedStream:
    """Return the ranking of all rows, or of the best rows with the totals of all if
    scores need no others.
    """
    weighted = source.roles.sample_weight is not None
    # A cut in a tied group of weighted negatives needs that group as a step.
    keeps_negatives = weighted and any(spec.needs_all_groups for spec in specs)
    cuts: list[Any] = [spec.definition.cut for spec in specs]
    n_best = None
    if not weighted and all(isinstance(cut, int) for cut in cuts):
        n_best = max(cuts)
    return stream_of(source, n_best, keeps_negatives=keeps_negatives)


def score_by_query(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    query_id: str,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    memory_limit: MemoryLimit = "auto",
    **score_func_params: Any,
) -> ScoreByQuery:
    """Return the score of each query by its id; the rows need not fit into memory.

    The values are those of :func:`sklearn_ap.score_by_query`.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A name or a score, as for :func:`score`.

    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`score`.

    query_id : str
        Column of the queries.

    pos_label, sample_weight, memory_limit : as for one score
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
        If a query has no positive and ``zero_division='warn'``; once per call.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`; if ids have no order.

    See Also
    --------
    score : The mean over queries, if `query_id` is given.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schuetze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.
       :doi:`10.1017/CBO9780511809071`

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
            queries = all_queries(source, [spec], keeps_weightless=True)
            [values] = queries.scores([spec], None)
            return dict(zip(queries.ids, values.tolist(), strict=True))
    return by_query.score_by_query(spec.function, **rows)


def estimate_score(
    score_func: str | ScoreFunction,
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    pos_label: Label = 1,
    query_id: str | None = None,
    memory_limit: MemoryLimit = "auto",
    **score_func_params: Any,
) -> ScoreEstimate:
    """Score of a sample that need not fit into memory, with its standard error.

    The estimate is that of :func:`sklearn_ap.estimate_score` with
    ``method='influence'``. Beyond memory, one record per distinct score of a positive
    comes to this process. The influences of these scores take 240 bytes of memory per
    score. With `query_id`, the value of each query comes.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        The area of a whole ranking: a name such as ``'average_precision'``, or a score
        of ``sklearn_ap`` such as :func:`sklearn_ap.pr_auc_score`; with `query_id`, any
        score.

    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`score`. The rows are one ranking, and each was drawn by itself;
        with `query_id`, the queries were drawn. A `unit_id` is refused: it requires
        rows in memory.

    pos_label, query_id, memory_limit : as for the score
        As for :func:`score`.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``prevalence=0.01`` or
        ``n_positives=1200``.

    Returns
    -------
    estimate : ScoreEstimate
        With the fields `score`, `standard_error` and others, and the method
        `confidence_interval`.

    Warns
    -----
    UncertaintyWarning
        If the interval may cover too little; its `code` says why.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`; if there is no positive; for arguments that need weights
        or resamples; and, without `query_id`, for a score without influences: one with
        a cut, with recall levels or with an order of ties.

    See Also
    --------
    sklearn_ap.estimate_score : The estimate of rows in memory, also with other methods.
    RankingState.estimate : Of rows that come batch by batch.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation",
       Journal of the American Statistical Association 69, 1974.
       :doi:`10.1080/01621459.1974.10482962`

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> rows = pd.DataFrame({"label": y_true, "score": np.linspace(1, 0, 100)})
    >>> print(distributed.estimate_score("average_precision", rows))
    0.39, 95 % interval 0.24 to 0.58 (influence)
    """
    resolve = resolve_score
    if query_id is None:
        resolve = resolve_estimate
    spec = resolve(score_func, score_func_params)
    roles = Roles(y_true, y_score, query_id=query_id, pos_label=pos_label)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is None and query_id is None:
            return spec.estimate(stream_of(source, None, keeps_negatives=False))
        if rows is None:
            queries = all_queries(source, [spec])
            if not queries.has_found:
                raise ValueError(UNDEFINED)
            [values] = queries.scores([spec], None)
            sample = mean_sample(values[~np.isnan(values)])
            mean = standard_errors.warned_estimate(sample)
            return mean._with_score(spec.function.func, spec.function.keywords)
    # The label is an argument of the rows that were gathered, not an option.
    found = standard_errors.estimate_score(spec.function, method="influence", **rows)
    return found._with_score(spec.function.func, spec.function.keywords)


def budget_totals(
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    k: int | float,
    query_id: str,
    amount: str | None = None,
    sample_weight: str | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    pos_label: Label = 1,
    memory_limit: MemoryLimit = "auto",
) -> BudgetTotals:
    """Totals of what the first rows of each query find, such as 10 reviews per day.

    The totals are those of :func:`sklearn_ap.budget_totals`, of rows that need not fit
    into memory.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`score`.

    k : int or float
        Rows per query; a float is a share of the rows of each query.

    query_id : str
        Column of the queries.

    amount : str, default=None
        Column of what each row is worth: finite, not negative.

    sample_weight : str, default=None
        Column of the sample weights, not negative. Rows of weight 0 are dropped.

    n_positives : mapping, default=None
        Total number of positives of each query, found or missed, ``{query: total}``.
        The amount of those that were missed is unknown.

    pos_label, memory_limit : as for one score
        As for :func:`score`.

    Returns
    -------
    totals : BudgetTotals
        Its shares have intervals, whose units are the queries. A `unit_id` requires
        rows in memory.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`, and as in memory.

    See Also
    --------
    sklearn_ap.budget_totals : The totals of rows in memory, also by `unit_id`.
    sklearn_ap.compare_budgets : The difference between two totals.

    References
    ----------
    .. [1] W. G. Cochran, "Sampling Techniques", 3rd edition, chapter 6, Wiley, 1977.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 1, 1, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> rows["day"], rows["euros"] = ["Mon", "Mon", "Tue", "Tue"], [90, 10, 10, 890]
    >>> totals = distributed.budget_totals(rows, k=1, query_id="day", amount="euros")
    >>> totals.amount_found, totals.amount_of_positives
    (100.0, 1000.0)
    """
    depth: Any = read_budget(read_k(k), query_id)
    roles = Roles(y_true, y_score, sample_weight, query_id, pos_label, amount=amount)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is None:
            weighted = sample_weight is not None
            return budgets_of(source, depth).totals(
                depth, n_positives, weighted=weighted
            )
    return budgets.budget_totals(k=depth, n_positives=n_positives, **rows)


def operating_point(
    data: Data,
    y_true: str = "label",
    y_score: str = "score",
    *,
    recall: float | None = None,
    precision: float | None = None,
    specificity: float | None = None,
    k: int | float | None = None,
    alarms: int | None = None,
    beta: float | None = None,
    miss_cost: float | None = None,
    threshold: float | None = None,
    pos_label: Label = 1,
    amount: str | None = None,
    sample_weight: str | None = None,
    query_id: str | None = None,
    n_positives: ArrayLikeOrMapping | None = None,
    prevalence: float | None = None,
    memory_limit: MemoryLimit = "auto",
    prefer: Preference = "precision",
) -> OperatingPoint:
    """Best threshold at a recall, a precision, a budget, by F-beta or by costs.

    The point is that of :func:`sklearn_ap.operating_point`, of rows that need not fit
    into memory.

    .. versionadded:: 0.1

    Parameters
    ----------
    data, y_true, y_score : where the rows are, and names of columns
        As for :func:`score`.

    recall, precision, specificity, k, alarms, beta, miss_cost, threshold : as in memory
        Exactly one of them is given: see :func:`sklearn_ap.operating_point`.

    pos_label : int, float, bool or str, default=1
        Label of the positive class.

    amount, sample_weight, query_id : str, default=None
        Columns. With `query_id`, `k` is the budget of each query, which the threshold
        exceeds nowhere.

    n_positives, prevalence : as in memory
        The total of positives, found or missed, and the share of positives where the
        threshold will be used.

    memory_limit : int, str or 'auto', default='auto'
        As for :func:`score`.

    prefer : {'precision', 'fewest'}, default='precision'
        Which of the thresholds that reach `recall` is taken, as in memory.

    Returns
    -------
    point : OperatingPoint
        Among equally good thresholds the one with more recall, then the one with fewer
        rows.

    Warns
    -----
    UserWarning
        If there is no positive; then precision and recall are 0.0 at all thresholds.

    Raises
    ------
    ImportError, TypeError, ValueError
        As for :func:`score`; if no threshold meets the condition: the text names the
        best that one does, or the query whose budget each exceeds.

    See Also
    --------
    sklearn_ap.operating_point : The point of rows in memory.
    budget_totals : What the first `k` rows of each query find.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, chapter 7,
       Butterworths, 1979.
    .. [2] `scikit-learn issue 20266
       <https://github.com/scikit-learn/scikit-learn/issues/20266>`_

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [1, 0, 1, 1, 0], "score": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> distributed.operating_point(rows, recall=0.5).threshold
    0.6
    """
    levels: dict[str, Any] = {
        "recall": recall,
        "precision": precision,
        "specificity": specificity,
        "k": k,
        "alarms": alarms,
        "beta": beta,
        "miss_cost": miss_cost,
        "threshold": threshold,
    }
    condition = read_condition(query_id, prefer=prefer, **levels)
    prevalence = read_prevalence(prevalence)
    roles = Roles(y_true, y_score, sample_weight, query_id, pos_label, amount=amount)
    with _opened(data, roles, memory_limit) as (source, rows):
        if rows is None:
            basis = basis_of(sample_weight, n_positives, prevalence)
            return _point_beyond_memory(source, condition, n_positives, basis)
    totals: dict[str, Any] = {"n_positives": n_positives, "prevalence": prevalence}
    return operating_points.operating_point(**rows, **levels, **totals, prefer=prefer)


def _point_beyond_memory(
    source: Source,
    condition: Condition,
    n_positives: ArrayLikeOrMapping | None,
    basis: Wording,
) -> OperatingPoint:
    """Return the point of a condition."""
    is_fixed, total = condition.name == "threshold", None
    threshold, in_all, in_amounts = condition.level, None, None
    if source.roles.query_id is None:
        total = read_totals(n_positives, None)
        if not is_fixed:
            threshold, in_all = _best_beyond_memory(source, condition, total, basis)
    else:
        threshold, total = threshold_beyond_memory(source, condition.level, n_positives)
    # The stream has the numbers of rows, but no squares of weights, and no amounts.
    counts_rows = source.roles.sample_weight is source.roles.amount is None
    if in_all is None or not counts_rows:
        in_all, in_amounts = _counts_at(source, threshold)
    of_rows = counts_of_rows(in_all.rows) if is_fixed else None
    return operating_points.point_at(
        threshold,
        in_all,
        in_amounts,
        total,
        basis,
        of_rows=of_rows,
        condition=condition,
    )


def _counts_at(
    source: Source, threshold: Any
) -> tuple[ThresholdCounts, ThresholdCounts | None]:
    """Return the cells of a threshold in weight, and in amount if rows have some."""
    count = partial(_counts_of_batches, threshold=threshold)
    cells, amounts = zip(*source.map_parts(count, None), strict=True)
    in_amounts = None
    if source.roles.amount is not None:
        in_amounts = reduce(ThresholdCounts.plus, amounts)
    return reduce(ThresholdCounts.plus, cells), in_amounts


def _counts_of_batches(
    batches: Iterable[Batch], threshold: Any
) -> Iterator[tuple[ThresholdCounts, ThresholdCounts | None]]:
    """Yield the cells of each batch in weight and in amount; it runs where the rows
    are.
    """
    for batch in batches:
        count = partial(counts_at, batch.positive, batch.score >= threshold)
        amounts = None
        if batch.amount is not None:
            amounts = count(batch.weighted_amount)
        yield count(batch.weight), amounts


def _in_costs(factor: float, batch: Batch) -> Any:
    """Return rows that weigh what they cost."""
    assert batch.weighted_amount is not None, batch
    rows = batch._replace(amount=None)
    return operating_points.in_costs(rows, batch.weighted_amount, factor)


def _best_beyond_memory(
    source: Source,
    condition: Condition,
    total: PositiveTotals | None,
    basis: Wording,
) -> tuple[Any, ThresholdCounts]:
    """Return the best threshold that a condition allows, and its cells in rows."""
    change: Callable[[Batch], Batch] | None = None
    if condition.name == "alarms" and source.roles.sample_weight is not None:
        change = condition.of_rows
    elif condition.name == "miss_cost" and source.roles.amount is not None:
        cells, amounts = _counts_at(source, -np.inf)
        assert amounts is not None, source
        factor = operating_points.cost_of_alarm(cells, amounts, total, basis.prevalence)
        change = partial(_in_costs, factor)
    # A threshold that only negatives have retrieves more rows than the next positive's,
    # with less precision.
    if change is not None:
        store = partial(groups_of, keeps_negatives=False, change=change)
        return _best_of_stream(condition, sorted_stream(source, store).ranking())
    is_budget, n_best = condition.name == "k", None
    if is_budget and source.roles.sample_weight is None:
        n_best = condition.level if isinstance(condition.level, int) else None
    stream = stream_of(source, n_best, keeps_negatives=is_budget)
    # Neither a prevalence nor missed positives change numbers of negatives.
    if condition.is_of_negatives:
        return _best_of_stream(condition, stream.ranking())
    return _best_of_stream(condition, stream.ranking(total, basis.prevalence))


def _best_of_stream(
    condition: Condition, ranking: Rankings
) -> tuple[Any, ThresholdCounts]:
    """Return the best threshold of the best ones of all blocks of groups, and its cells
    in rows, if rows have no weights.
    """

    def points_of(*columns: AnyArray) -> CandidatePoints:
        *points, rows = columns
        return CandidatePoints(ranking, OperatingPoints(*points), lambda: rows)

    best = []
    for groups, steps in ranking.kernel.tied_groups():  # type: ignore[attr-defined]  # of a stream
        columns = groups.score, steps.tp, steps.retrieved, steps.rows_retrieved
        index = _best_of(condition, points_of(*columns))
        best.append([column[index : index + 1] for column in columns])
    # Worst scores come first, as in the blocks.
    points = points_of(*map(np.concatenate, zip(*best, strict=True)))
    index = _best_of(condition, points)
    if not condition.allowed(points)[index]:
        raise condition.refusal(points)
    found, n_retrieved = points.tp.item(index), points.rows.item(index)
    missed = ranking.found_weight.item() - found
    n_below = ranking.offsets.item(-1) - n_retrieved
    of_cells = [n_below - missed, missed, n_retrieved - found, found]
    return points.threshold[index], counts_of_rows(of_cells)


def _best_of(condition: Condition, points: CandidatePoints) -> int:
    """Return the best point that fits, or the nearest one if none does."""
    allowed = condition.allowed(points)
    if allowed.any():
        return points.best(condition.value(points), allowed)
    return points.best(condition.nearness(points), ~allowed)
