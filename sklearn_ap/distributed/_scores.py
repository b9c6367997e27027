"""The public functions: every score of the package, of rows that need not fit into memory.

A score is declared once, in memory. Here it gets rows from elsewhere: its own parameters, and what is said
about them, are those of the function in memory.
"""

from collections.abc import Iterable
from inspect import Parameter, Signature, signature
from typing import Any, Protocol

from .._scores import _at_k, _at_level, _average_precision, _average_precision_at_k, _pr_auc, _reciprocal_rank
from .._typing import Average, FloatArray, Label, ScoreFunction
from ._asking import Columns, Progress, Rows, answers_of
from ._documented import documented
from ._memory import MemoryLimit

__all__ = [
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "interpolated_average_precision_score",
    "pr_auc_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "scores",
]


class ScoreOfData(Protocol):
    """A score of rows elsewhere, for type checkers; signatures spell out the score's own parameters."""

    def __call__(
        self,
        data: Any,
        y_true: Any = "label",
        y_score: Columns = "score",
        *,
        sample_weight: Any = None,
        query_id: Any = None,
        average: Average = "macro",
        pos_label: Label = 1,
        filter: Any = None,
        memory_limit: MemoryLimit = "auto",
        progress: Progress = False,
        **score_params: Any,
    ) -> Any:
        """Return the score: a float, or an array if ``average=None`` and there are several rankings."""


def _of_data(score: ScoreFunction, example: str = "") -> ScoreOfData:
    """Return the score of rows elsewhere; `example` are arguments of its example beside the rows."""

    def scored(
        data: Any,
        y_true: Any = "label",
        y_score: Columns = "score",
        *,
        sample_weight: Any = None,
        query_id: Any = None,
        average: Average = "macro",
        pos_label: Label = 1,
        filter: Any = None,
        memory_limit: MemoryLimit = "auto",
        progress: Progress = False,
        **score_params: Any,
    ) -> float | FloatArray:
        rows = Rows(
            data,
            y_true,
            y_score,
            sample_weight,
            query_id,
            average,
            pos_label,
            filter,
            memory_limit,
            progress,
        )
        return answers_of(rows, [score], score_params)[0]

    scored.__name__ = scored.__qualname__ = score.__name__
    scored.__doc__ = documented(score, example)
    scored.__signature__ = _signature_of(score, scored)  # type: ignore[attr-defined]
    return scored


def _signature_of(score: ScoreFunction, scored: ScoreFunction) -> Signature:
    """Return the parameters of rows in place of those in memory, and the score's own ones as they are."""
    ours, own = signature(scored), signature(score)
    of_rows = dict(ours.parameters)
    del of_rows["score_params"]
    of_rows |= {name: one for name, one in own.parameters.items() if name not in of_rows}
    listed = ["data", *own.parameters, "filter", "memory_limit", "progress"]
    assert of_rows.keys() == set(listed), listed
    assert all(of_rows[name].kind is not Parameter.VAR_KEYWORD for name in listed), listed
    return Signature([of_rows[name] for name in listed], return_annotation=own.return_annotation)


average_precision_score = _of_data(_average_precision.average_precision_score)
interpolated_average_precision_score = _of_data(_average_precision.interpolated_average_precision_score)
eleven_point_average_precision_score = _of_data(_average_precision.eleven_point_average_precision_score)
pr_auc_score = _of_data(_pr_auc.pr_auc_score)
average_precision_at_k_score = _of_data(_average_precision_at_k.average_precision_at_k_score, "k=3")
precision_at_k_score = _of_data(_at_k.precision_at_k_score, "k=3")
recall_at_k_score = _of_data(_at_k.recall_at_k_score, "k=3")
r_precision_score = _of_data(_at_k.r_precision_score)
reciprocal_rank_score = _of_data(_reciprocal_rank.reciprocal_rank_score)
precision_at_recall_score = _of_data(_at_level.precision_at_recall_score, "recall=0.5")
recall_at_precision_score = _of_data(_at_level.recall_at_precision_score, "precision=0.5")


def scores(
    data: Any,
    score_funcs: Iterable[str | ScoreFunction],
    y_true: Any = "label",
    y_score: Columns = "score",
    *,
    sample_weight: Any = None,
    query_id: Any = None,
    average: Average = "macro",
    pos_label: Label = 1,
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
    data : path, list of paths, DataFrame, Dataset or Dask DataFrame
        Where the rows are, as :func:`average_precision_score` takes them.

    score_funcs : list of str or callable
        Names as in :func:`sklearn_ap.get_scorer`, such as ``'average_precision@100'`` or ``'recall@0.05'``,
        or scores of ``sklearn_ap``.

    y_true : str or list of str, default='label'
        Column of the labels. For multilabel indicators, one column per label.

    y_score : str or list of str, default='score'
        Column of the scores; the highest is retrieved first. For multilabel and multiclass labels, one column
        per label, or per class in sorted order.

    sample_weight : str, default=None
        Column of the sample weights, not negative. Rows of weight 0 are dropped.

    query_id : str, default=None
        Column of the queries. Each query is a ranking of its own; its rows may be in any part.

    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        As of :func:`sklearn_ap.average_precision_score`.

    pos_label : int, float, bool or str, default=1
        Label of the positive class in binary `y_true`.

    filter : pyarrow.compute.Expression, default=None
        Only rows for which it is true count. For files and Datasets.

    memory_limit : int, str or 'auto', default='auto'
        Bytes that rows may take at once, such as ``2_000_000_000`` or ``'2GB'``; by default, a quarter of
        what is available.

    progress : bool or callable, default=False
        Whether to write a line to standard error after each part; or a function, which is called with the
        parts that are done and all parts (None if that is not known).

    **score_func_params : additional arguments
        Arguments of every score in the list, such as ``n_positives=1200``.

    Returns
    -------
    scores : dict of str to float
        By name, in the order of the list. The name of a function is its ``__name__``.

    Warns
    -----
    UserWarning
        As of each score.

    Raises
    ------
    ImportError
        If the engine that the rows need is not installed.
    TypeError
        If `score_funcs` is a single name, `data` is nothing of the above, or a score takes no such argument.
    ValueError
        As of each score.

    See Also
    --------
    average_precision_score : One score.
    RankingState.scores : Of rows that come batch by batch.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_ap import distributed
    >>> rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    >>> distributed.scores(rows, ["average_precision", "recall@2"])
    {'average_precision': 0.5, 'recall@2': 0.5}
    """
    if isinstance(score_funcs, str) or not isinstance(score_funcs, Iterable):
        raise TypeError(f"score_funcs must be a list of names or scores; got {score_funcs!r}.")
    asked = list(score_funcs)
    names = [one if isinstance(one, str) else getattr(one, "__name__", repr(one)) for one in asked]
    rows = Rows(
        data,
        y_true,
        y_score,
        sample_weight,
        query_id,
        average,
        pos_label,
        filter,
        memory_limit,
        progress,
    )
    return dict(zip(names, answers_of(rows, asked, score_func_params), strict=True))
