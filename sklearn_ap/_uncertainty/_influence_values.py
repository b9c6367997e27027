"""What each row does to a score."""

from typing import Any

from numpy.typing import ArrayLike

from .._reading import gathered
from .._typing import FloatArray, ScoreFunction
from ._sampled_score import influence_of_all_rows, read_rows


def influence_values(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, **score_func_params: Any
) -> FloatArray:
    """Return what each row does to a score: its derivative with respect to the weight of the row.

    A row with a large negative value pulls the score down: a negative with a high score, or a positive with a
    low one. The rows with the lowest values are the errors to look at first.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : callable
        A score of this package that adds up whole rankings, such as :func:`average_precision_score`. Scores
        at a cut or at recall levels jump where rows change places, and have no such values.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores; the highest is retrieved first.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as `sample_weight` or `query_id`.

    Returns
    -------
    influence : ndarray of shape (n_samples,)
        Change of the score per weight. The sum over rows, times their weights, is 0; with `n_positives`, it
        is the score times the share of positives that were missed. Rows of weight 0 have the value 0: they
        are dropped before anything is ranked.

    Raises
    ------
    ValueError
        For what `score_func` refuses; if there is no positive; for other callables and scores without these
        values; for ``average=None``.

    See Also
    --------
    estimate_score : Uses the values to say how sure the score is.

    Notes
    -----
    Without a row of weight w and influence D, the score would change by about -w D. With `query_id` and a
    mean over queries, the queries stay as they are: a value says what the row does in its query. Where two
    points of the envelope of :func:`interpolated_average_precision_score` are at the same height, the
    derivative has two sides, and the value is one of them.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation", Journal of the American
       Statistical Association 69, 1974. :doi:`10.1080/01621459.1974.10482962`

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, influence_values
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> influence_values(average_precision_score, y_true, y_score).round(3)
    array([ 0.139, -0.111, -0.028,  0.   ])
    """
    held = gathered(y_true=y_true, y_score=y_score, **score_func_params)
    y_true, y_score = held.pop("y_true"), held.pop("y_score")
    score_func(y_true, y_score, **held)  # so that errors and warnings are those of the score
    rows = read_rows(score_func, y_true, y_score, held)
    if rows is None:
        raise ValueError(f"score_func must be a score of this package; got {score_func!r}.")
    return influence_of_all_rows(rows)
