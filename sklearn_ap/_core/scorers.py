"""Scorers for everything in scikit-learn that takes ``scoring=``.

Scorers of this package's scores derive from the class of scikit-learn's own scorers, so
every tool accepts them. They differ from scikit-learn's scorers in three ways: they can
score one of several classes against the rest, they find the queries of a fold, and they
exclude classes that are missing from a fold. Every other function becomes a scorer of
scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import sklearn
from numpy.typing import ArrayLike, DTypeLike
from sklearn import metrics
from sklearn.metrics import get_scorer as get_scikit_learn_scorer
from sklearn.metrics import make_scorer as make_scikit_learn_scorer

from .. import __version__
from .estimators import labelled, response_of, shared_responses
from .reading.frames import warn_of_other_order
from .reading.ids import as_list, names_like, read_ids
from .reading.options import read_flag, short_repr
from .reading.per_ranking import read_totals
from .registry import (
    check_required,
    function_name_of,
    is_score,
    parameters_of,
    unbound,
)
from .scorer_names import find_score, names_of_scorer, read_score_name
from .typing import AnyArray, Estimator, Features, ScoreFunction, Targets
from .user_messages import warn_user

_Scorer = TypeVar("_Scorer", bound=Callable[..., Any] | None)
_RESPONSES = ("decision_function", "predict_proba")
# Arguments with values for the rows of a fold or, as `pos_label`, for its labels.
_ABOUT_ROWS = "sample_weight", "n_positives", "item_id", "pos_label"
# The text of scikit-learn's own warning. The value passed as metadata is used.
_OVERLAP = (
    "There is an overlap between set kwargs of this scorer instance and passed "
    "metadata. Please pass them either as kwargs to `make_scorer` or metadata, but not "
    "both."
)
# The method of scikit-learn's scorers that is overridden here, and the attributes that
# are read.
_NOT_PUBLIC = "_score", "_score_func", "_kwargs", "_response_method", "_sign"
if TYPE_CHECKING:

    class ScikitLearnScorer:
        """The part of scikit-learn's class that the package relies on; the class has no
        types.
        """

        _score_func: ScoreFunction
        _kwargs: dict[str, object]
        _response_method: str | tuple[str, ...]
        _sign: int

        def __init__(self, *arguments: object) -> None: ...

        def __call__(self, *arguments: Any, **params: Any) -> float: ...

        def set_score_request(self, **requests: bool | str | None) -> object: ...

else:
    # scikit-learn recognises scorers by their class, which has no public name.
    _scorer = make_scikit_learn_scorer(metrics.average_precision_score)
    ScikitLearnScorer = type(_scorer)
    # If a method had another name, ours would not be called, and some scorers would
    # return other numbers.
    _missing = [name for name in _NOT_PUBLIC if not hasattr(_scorer, name)]
    if _missing:
        raise ImportError(
            f"sklearn_ap {__version__} knows the scorers of scikit-learn 1.5 to 1.9; "
            f"those of {sklearn.__version__} lack {', '.join(_missing)}. Install a "
            "newer sklearn_ap, or 'scikit-learn>=1.5,<1.10'."
        )


def make_scorer(
    score_func: ScoreFunction,
    *,
    response_method: str | Sequence[str] | None = None,
    greater_is_better: bool = True,
    query_id: str | None = None,
    **score_func_params: object,
) -> RankingScorer:
    """Make a scorer, for ``scoring=`` in scikit-learn.

    The scorer of a score of this package ranks the rows by the estimator's scores. It
    can score one of several classes against the rest, excludes classes that do not
    occur in a test fold, and can score each query of a fold separately. For any other
    function, this is :func:`sklearn.metrics.make_scorer`.

    Parameters
    ----------
    score_func : callable
        A score of this package; or :func:`~sklearn_ap.compatibility.score_as`, whose
        convention is passed by its name, as in ``make_scorer(score_as,
        convention='VOC 2007')``. Any other function ``score_func(y_true, y_pred,
        **score_func_params)`` becomes a scorer of scikit-learn. So does a lambda around
        a score of this package: pass the score itself, with its arguments, or a
        ``functools.partial`` of it. :func:`get_scorer` takes names.

    response_method : str or sequence of str, default=None
        Method of the estimator that returns the scores. Of several methods, the first
        one that the estimator has is called. None means ``("decision_function",
        "predict_proba")`` for scores of this package, and ``"predict"`` for other
        functions, as in scikit-learn. Pass ``'predict'`` for a ranker or a regressor.

    greater_is_better : bool, default=True
        False if `score_func` is a loss. The scorer then returns its negated value, as
        scorers of scikit-learn do.

    query_id : str, default=None
        Source of the query of each sample, for scores of this package. ``'index'`` is
        the pandas index of `y`. Any other name is the name of the metadata with the
        ids, such as ``'groups'``; this requires
        ``sklearn.set_config(enable_metadata_routing=True)``.

    **score_func_params : additional arguments
        Arguments of `score_func`, such as ``k=10`` or ``prevalence=0.01``. For scores
        of this package, `pos_label` scores one class against all others. By default, it
        is 1 for two classes, one of which must then be 1, and for more classes the
        score is the mean over classes. With ``pos_label=-1``, the negated score of
        outlier detectors ranks the outliers. `n_positives` is a mapping by query; each
        fold uses the queries that it contains.

    Returns
    -------
    scorer : RankingScorer, or a scorer of scikit-learn
        Callable as ``scorer(estimator, X, y)``.

    Raises
    ------
    TypeError
        If the score does not take one of the arguments, or if it requires another one,
        such as the `k` of a convention with a cut; or if `query_id` is passed with a
        function that is not a score of this package.
        Also if `score_func` is not a function.
    ValueError
        If there is no convention with this name, or if the score does not take the
        value of an option. When the scorer is used: if no `pos_label` is passed, and
        the estimator has two classes and neither is 1; if no query ids reach the
        scorer; or if `y` contains a class that the estimator was not trained on.

    See Also
    --------
    get_scorer : Scorer by its name.
    sklearn.metrics.make_scorer : Scorer of scikit-learn, for functions of others.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import average_precision_at_k_score, make_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_scorer(average_precision_at_k_score, k=20)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).round(2)
    array([1., 1., 1., 1., 1.])
    """
    if not callable(score_func):
        raise TypeError(
            f"score_func must be a function; got {short_repr(score_func)}. For a name, "
            "write get_scorer(...)."
        )
    function: Any
    function, arguments = unbound(score_func, score_func_params, positional=True)
    # `score_as`, which the core does not import, has the attribute `for_scorer`. This
    # function takes the arguments of the scorer, and returns a score whose convention
    # is bound, and the other arguments. So tools can call the score with labels and
    # scores.
    if hasattr(function, "for_scorer"):
        score, params = function.for_scorer(arguments, query_id)
    elif is_score(function):
        # Keep the name of a partial that has one: the user has set it.
        name = getattr(score_func, "__name__", function.__name__)
        score, params = _named(function, name), arguments
    else:
        options = {"greater_is_better": greater_is_better, **score_func_params}
        if response_method is not None:
            options["response_method"] = response_method
        return _scorer_of_scikit_learn(score_func, query_id, options)
    # Check the arguments now: cross-validation would turn an error of the score into
    # NaN and a warning.
    _check_params(score, query_id, params)
    methods = _read_response_method(response_method)
    sign = 1 if read_flag("greater_is_better", greater_is_better) else -1
    return RankingScorer(score, methods, query_id, params, sign)


def _scorer_of_scikit_learn(
    score_func: ScoreFunction, query_id: object, options: Mapping[str, Any]
) -> RankingScorer:
    """Return scikit-learn's scorer of a function that is not a score of this package.
    The `options` are arguments of its `make_scorer`. Raise TypeError if query ids were
    requested, which only the scorers of this package pass on.
    """
    if query_id is not None:
        raise TypeError(
            "query_id requires a score of this package, such as "
            f"average_precision_score; got query_id={short_repr(query_id)} and "
            f"{function_name_of(score_func)}, whose scorer is scikit-learn's."
        )
    scorer: RankingScorer = make_scikit_learn_scorer(score_func, **options)
    return scorer


def _read_response_method(
    response_method: str | Sequence[str] | None,
) -> str | tuple[str, ...]:
    """Return the method of the estimator, or several methods of which the first one
    that it has is called. Raise scikit-learn's error for anything else.
    """
    if response_method is None:
        return _RESPONSES
    # scikit-learn accepts "score_samples" in a tuple only.
    if isinstance(response_method, str) and response_method == "score_samples":
        return ("score_samples",)
    # This call raises scikit-learn's own errors; its scorer is not used.
    make_scikit_learn_scorer(
        metrics.average_precision_score, response_method=response_method
    )
    if isinstance(response_method, str):
        return response_method
    return tuple(response_method)


def _check_params(
    score_func: ScoreFunction, query_id: str | None, params: dict[str, Any]
) -> None:
    """Raise an error if the score does not take these arguments, if it requires another
    argument, or if a scorer cannot use an argument.
    """
    # The scorer itself uses `pos_label`, so the score need not take it.
    arguments = [name for name in params if name != "pos_label"]
    accepted = parameters_of(score_func, arguments)
    # A cut, a level or a line between points has no default, so pass it here.
    check_required(score_func, accepted, params)
    is_name = isinstance(query_id, str) and query_id.isidentifier()
    if query_id is not None and not is_name:
        raise ValueError(
            "query_id must be 'index' or the name of the metadata that contains the "
            f"query ids, such as 'groups'; got {short_repr(query_id)}. The ids "
            "themselves are passed when the scorer is used."
        )
    if "average" in params and params["average"] is None:
        raise ValueError(
            "average=None gives several values, but a scorer returns one; use 'macro'."
        )
    # Folds contain different queries, so an array of totals could not be matched to the
    # queries of a fold.
    totals = params.get("n_positives")
    if totals is not None and (query_id is None or not hasattr(totals, "items")):
        raise ValueError(
            "n_positives of a scorer requires query_id where the scorer is made, such "
            "as query_id='groups' (a request by set_score_request comes too late), and "
            "must be a mapping {query: total}, from which each fold takes its own "
            f"queries; got query_id={query_id!r} and {short_repr(totals)}."
        )
    # The score reads the values of its options, so let it score two rows.
    options = {name: params[name] for name in params if name not in _ABOUT_ROWS}
    score_func([0, 1], [0, 1], **options)


class _MissingQueryIds:
    """Placeholder for the query ids: reading it raises an error.

    Some tools, such as `TunedThresholdClassifierCV`, call the score function of a
    scorer with its arguments. Without the placeholder, they would score all rows as one
    ranking, without a warning.
    """

    def __init__(self, query_id: str) -> None:
        self.query_id = query_id

    def __repr__(self) -> str:
        """Return the name of the metadata, which the scorer shows as an argument."""
        return repr(self.query_id)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> AnyArray:
        raise ValueError(
            "no query ids reached the scorer: call "
            "sklearn.set_config(enable_metadata_routing=True) and pass them as "
            f"{self.query_id!r}, for example cross_validate(..., "
            f"params={{{self.query_id!r}: ids}}) or search.fit(X, y, "
            f"{self.query_id}=ids); or use make_scorer(..., query_id='index') with the "
            "ids as the index of a pandas y. Tools that call the score function "
            "directly, such as TunedThresholdClassifierCV, cannot pass ids."
        )


class RankingScorer(ScikitLearnScorer):
    """A scorer of a ranking score; made by `make_scorer` and `get_scorer`.

    Its ``__name__`` is the name in `get_scorer`, such as ``'precision@10'``. The name
    of its score function shows the cut too, as in ``'precision_at_10_score'``, for
    tools that show the name of the score function.
    """

    def __init__(
        self,
        score_func: ScoreFunction,
        response_method: str | tuple[str, ...],
        query_id: str | None,
        score_func_params: dict[str, object],
        sign: int,
    ) -> None:
        params = dict(score_func_params)
        if query_id is not None:
            params["query_id"] = _MissingQueryIds(query_id)
        # The name contains the cut, since tables of results show only the name.
        name, function_name = names_of_scorer(score_func, params)
        self._shown_name: str = score_func.__name__
        self.__name__: str = name
        # skorch, TPOT and skore distinguish scorers by the names of their functions.
        function, _ = unbound(score_func, {})
        super().__init__(_named(function, function_name), sign, params, response_method)
        self._query_id = query_id
        # Whether metadata routing brings the ids. Ids of "index" are part of `y`.
        self._routed = query_id not in (None, "index")
        # A scorer may be made before metadata routing is switched on.
        if self._routed:
            with sklearn.config_context(enable_metadata_routing=True):
                self.set_score_request()

    def __call__(
        self,
        estimator: Estimator,
        X: Features,
        y_true: Targets | None = None,
        *sample_weight: ArrayLike | None,
        **params: object,
    ) -> float:
        """Return the score of the estimator on these rows, as scikit-learn does.

        Parameters
        ----------
        estimator : estimator
            Fitted estimator, whose response ranks the rows.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to rank.

        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            Labels of the rows.

        *sample_weight : array-like of shape (n_samples,)
            Sample weights, which scikit-learn before 1.11 also takes by position.

        **params : dict
            `sample_weight`, and other metadata if metadata routing is on.

        Returns
        -------
        score : float
            The score; greater is better.

        Raises
        ------
        TypeError
            If `y_true` is missing, as in a call with labels and scores.
        """
        if y_true is None:
            raise TypeError(
                "a scorer takes a fitted estimator, X and y_true; y_true is missing. "
                "To score labels and scores, call "
                f"{function_name_of(self._score_func)}."
            )
        return super().__call__(estimator, X, y_true, *sample_weight, **params)

    def __repr__(self) -> str:
        """Return scikit-learn's text, with the name of the function that was passed, or
        that of a partial that has a name.
        """
        text = super().__repr__()
        # Before 1.6, scikit-learn shows the name of a partial, and not its text.
        for shown in (repr(self._score_func), self._score_func.__name__):
            text = text.replace(f"({shown}", f"({self._shown_name}", 1)
        return text

    def set_score_request(self, **requests: bool | str | None) -> RankingScorer:
        """Request metadata, as scikit-learn's scorers do; the request for the query ids
        is kept.

        Parameters
        ----------
        **requests : dict
            ``name=alias`` pairs; each alias is True, False, None or a str.

        Returns
        -------
        scorer : RankingScorer
            The scorer itself.
        """
        # Raise an error here for unknown arguments; scikit-learn raises it at the first
        # use only.
        parameters_of(self._score_func, requests)
        if self._routed:
            # The request None makes it an error to pass weights that were not
            # requested, as in scikit-learn.
            own = {"sample_weight": None, "query_id": self._query_id}
            requests = {**own, **requests}
        # scikit-learn warns of requests for arguments that the scorer has. The query
        # ids replace a placeholder, not an argument.
        arguments = self._kwargs
        self._kwargs = {**arguments}
        self._kwargs.pop("query_id", None)
        try:
            super().set_score_request(**requests)
        finally:
            self._kwargs = arguments
        return self

    def _score(
        self,
        method_caller: Callable[..., object],
        estimator: Estimator,
        X: Features,
        y_true: Targets,
        **metadata: object,
    ) -> float:
        """Return the score of the estimator's response; scikit-learn calls this method.

        `method_caller` is not called, since its response is wrong in two cases: it
        picks the column of the first scorer's positive class for all scorers, and
        treats two labels of a multilabel problem as two classes. It is used only to
        find the scorers that share a response.
        """
        overlap = self._kwargs.keys() & metadata.keys() - {"query_id"}
        if overlap:
            warn_user(f"{_OVERLAP} Overlapping parameters are: {overlap}")
        arguments: dict[str, Any] = {**self._kwargs, **metadata}
        # The positive class depends on the estimator, so it is chosen here and not by
        # the score.
        pos_label = arguments.pop("pos_label", None)
        responses = shared_responses(method_caller)
        response = response_of(
            estimator, X, self._response_method, pos_label, responses
        )
        warn_of_other_order({"y": y_true, "response": response, **metadata})
        if self._query_id is not None:
            arguments.update(self._query_arguments(y_true, arguments))
        rows = labelled(estimator, response, y_true, pos_label)
        # Without `positive_class`, the labels still contain several classes or columns,
        # or the estimator has no classes. So the score itself must choose the positive
        # class.
        if pos_label is not None and rows.positive_class is None:
            arguments["pos_label"] = pos_label
        score = self._score_func(rows.labels, rows.scores, **arguments)
        return float(score) * self._sign

    def _query_arguments(
        self, y_true: Targets, arguments: Mapping[str, Any]
    ) -> dict[str, object]:
        """Return the query ids of a fold and the totals of its queries, as arguments of
        the score.
        """
        query_id = arguments["query_id"]
        if self._query_id == "index":
            query_id = _index_of(y_true)
        if query_id is None:
            # `read_ids` reads the placeholder, which raises an error.
            query_id = self._kwargs["query_id"]
        ids = read_ids(query_id, len(y_true))
        totals = read_totals(arguments.get("n_positives"), ids)
        if totals is not None and totals.names is not None:
            # Drop the totals of queries of other folds: a query that has a total but no
            # rows would score 0.
            queries = set(as_list(ids.distinct))
            named = names_like(ids.distinct.dtype, totals.names)
            totals = totals.of_rankings([name in queries for name in as_list(named)])
        return {"query_id": ids.of_rows, "n_positives": totals}


@overload
def get_scorer(scoring: str, **scorer_params: Any) -> RankingScorer | Any: ...


@overload
def get_scorer(scoring: _Scorer) -> _Scorer: ...


def get_scorer(scoring: Any, **scorer_params: Any) -> Any:
    """Return a new scorer by its name.

    For names that only scikit-learn knows, such as ``'roc_auc'``, it returns
    scikit-learn's scorer. None and functions, such as scorers, are returned unchanged.
    So this function can replace :func:`sklearn.metrics.get_scorer`.

    Parameters
    ----------
    scoring : str, callable or None
        A name from one of two lists, which are searched in this order:

        - :func:`get_scorer_names`, with any number in place of 10 and 0.8: a cut, which
          is a number of rows as in ``'precision@100'`` or a share of the rows as in
          ``'recall@0.05'``; or a level in [0, 1] as in ``'precision_at_recall@0.9'``.
          Case, spaces, hyphens, underscores and the ending "score" have no effect, so
          ``'Average Precision'`` and ``'average_precision_score'`` are names, too.
        - :func:`sklearn.metrics.get_scorer_names`, such as ``'roc_auc'``.

        For a convention, write ``make_scorer(score_as, convention='VOC 2007')``, with
        :func:`~sklearn_ap.compatibility.score_as`.

    **scorer_params : additional arguments
        Arguments of :func:`make_scorer`, such as ``pos_label='fraud'``,
        ``prevalence=0.01`` or ``query_id='groups'``.

    Returns
    -------
    scorer : RankingScorer, or a scorer of scikit-learn
        A new object for each name, since metadata requests change a scorer; or
        `scoring` itself, if it is None or a callable.

    Raises
    ------
    TypeError
        If the score does not take one of the arguments, or if the name already
        specifies it; or if arguments are passed together with a scorer.
    ValueError
        If there is no such scorer; the message says where names are listed, and
        suggests similar names. If the name is ``'pr_auc'``, which people use for
        ``'average_precision'`` and for ``'pr_auc_linear'``. Also where
        :func:`make_scorer` raises it.

    See Also
    --------
    make_scorer : Scorer of a function.

    References
    ----------
    .. [1] `scikit-learn issue 17168
       <https://github.com/scikit-learn/scikit-learn/issues/17168>`_: other packages
       cannot register names for ``scoring='...'``, so pass the scorer

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("recall@0.05").__name__
    'recall@0.05'
    >>> get_scorer("roc_auc")
    make_scorer(roc_auc_score, response_method=('decision_function', 'predict_proba'))
    """
    names = metrics.get_scorer_names()
    # The names of this package come first: scikit-learn's 'average_precision' does not
    # take queries.
    if not isinstance(scoring, str) or (scoring in names and not find_score(scoring)):
        if scorer_params:
            raise TypeError(
                "scorer_params must be empty for a scorer that exists; got "
                f"{scoring!r} and {scorer_params}. Write make_scorer(score_func, ...)."
            )
        return get_scikit_learn_scorer(scoring)
    score, params = read_score_name("scoring", scoring, scorer_params, names)
    return make_scorer(score, **params)


def _named(function: ScoreFunction, name: str) -> ScoreFunction:
    """Return the function with this ``__name__``.

    Another name is set on a partial, which keeps the signature, and whose pickle does
    not refer to this file.
    """
    if function.__name__ == name:
        return function
    renamed: Any = partial(function)
    renamed.__name__ = name
    return renamed  # type: ignore[no-any-return]  # typeshed's partial takes no name


def _index_of(y_true: Targets) -> AnyArray:
    """Return the query ids in the index of a pandas Series."""
    index = getattr(y_true, "index", None)
    kind = f"a {type(y_true).__name__}"
    if index is not None and not callable(index):
        # Count the ids: slices of older pandas inherit `is_unique` from the whole
        # index.
        if index.nunique() < len(index):
            return np.asarray(index)
        kind = "a different id in every row, as in a default index"
    raise ValueError(
        "query_id='index' requires y as a pandas Series whose index contains the query "
        f"ids; got {kind}. Write y = pandas.Series(labels, index=query_ids), or use "
        "query_id='groups' with metadata routing where the index is removed on the way."
    )
