"""Scorers for everything in scikit-learn that takes ``scoring=``.

They derive from the class of scikit-learn's own scorers, so every tool accepts them. They differ in how they
find the positive class, the classes that a fold lacks, and the queries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike, DTypeLike
from sklearn import metrics

from ._estimators import Responses, has_several_classes, labelled, response_of, shared_responses
from ._reading._options import read_flag, short_repr
from ._reading._queries import distinct_queries, id_like, read_ids
from ._registry import (
    AT_K,
    LEVEL,
    LEVEL_ARGUMENTS,
    SCORE,
    SCORERS,
    SCORERS_AT_K,
    SCORERS_TO_RECALL,
    is_known,
    named_score,
    names,
    refuse_no_function,
    score_of,
)
from ._scores._average_precision import average_precision_score
from ._typing import AnyArray, Estimator, Features, Label, ScoreFunction, Targets

_RESPONSES = ("decision_function", "predict_proba")
_OVERLAP = (  # scikit-learn's text; the passed value counts
    "There is an overlap between set kwargs of this scorer instance and passed metadata. Please pass them "
    "either as kwargs to `make_scorer` or metadata, but not both."
)
if TYPE_CHECKING:

    class _Scorer:
        """The part of scikit-learn's class that the package relies on; the class has no types."""

        _score_func: ScoreFunction
        _kwargs: dict[str, Any]
        _response_method: str | tuple[str, ...]
        _sign: int

        def __init__(
            self,
            score_func: ScoreFunction,
            sign: int,
            kwargs: dict[str, Any],
            response_method: str | tuple[str, ...],
        ) -> None: ...

        def __call__(self, estimator: Estimator, X: Features, y_true: Targets, **metadata: Any) -> float: ...

        def set_score_request(self, **requests: bool | str | None) -> object: ...

        def _warn_overlap(self, message: str, kwargs: Mapping[str, object]) -> None: ...

else:
    # scikit-learn recognises scorers by their class, which has no public name.
    _Scorer = type(metrics.make_scorer(average_precision_score))


def make_scorer(
    score_func: str | ScoreFunction,
    *,
    response_method: str | tuple[str, ...] = _RESPONSES,
    greater_is_better: bool = True,
    query_id: str | None = None,
    **score_func_params: object,
) -> RankingScorer:
    """Make a scorer of a ranking score, for ``scoring=`` in scikit-learn.

    Unlike a scorer of :func:`sklearn.metrics.make_scorer`, it takes the positive class from the estimator,
    leaves out classes that a test fold lacks, and scores each query of a fold by itself.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A name as in :func:`get_scorer`, such as ``'average_precision@100'``, or
        ``score_func(y_true, y_score, **score_func_params)``.

    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        Method of the estimator that gives the scores; of several, the first that the estimator has. From
        three classes on, the default asks for `predict_proba` first: decision values compare the classes of a
        row, but need not be comparable between rows. Pass ``'predict'`` for a ranker or a regressor. If the
        method gives one column, it scores the second of two classes.

    greater_is_better : bool, default=True
        False if `score_func` is a loss; then the scorer returns its negated value, as scikit-learn's does.

    query_id : str, default=None
        Where the query of each sample comes from: ``'index'`` is the pandas index of `y`. Any other name is
        that of the metadata with the ids, such as ``'groups'``, which one array feeds to `GroupKFold` and the
        scorer; it needs ``sklearn.set_config(enable_metadata_routing=True)`` when the scorer is used.

    **score_func_params : additional arguments
        Arguments of `score_func`, such as ``k=10`` or ``prevalence=0.01``. `pos_label` is by default 1, which
        the estimator must know; with ``pos_label=-1``, the negated score of outlier detectors ranks the
        outliers. `n_positives` and `query_weight` are mappings by query, of which each fold takes its own
        queries; weights per row come as metadata: ``scorer.set_score_request(query_weight=True)``.

    Returns
    -------
    scorer : RankingScorer
        Callable as ``scorer(estimator, X, y)``.

    Raises
    ------
    TypeError
        If `score_func` is neither a name nor a function, or does not take one of the arguments, or its name
        specifies it already.
    ValueError
        If there is no such score; if `query_id` is not a name, `average` is None or `n_positives` is not a
        mapping. When the scorer is used: if no query ids reach it, the estimator knows two classes and
        neither is 1, and no `pos_label` is given; `y` contains a class that the estimator was not trained on,
        or the estimator gives labels instead of scores, or columns that do not match its classes.
    AttributeError
        When the scorer is used: if the estimator has none of the methods.

    See Also
    --------
    get_scorer : A scorer by its name, such as ``'average_precision@10'``.
    sklearn.metrics.make_scorer : Makes scorers of these functions too, without queries.

    References
    ----------
    .. [1] `scikit-learn issue 12312 <https://github.com/scikit-learn/scikit-learn/issues/12312>`_, on string
       labels
    .. [2] `scikit-learn issue 7343 <https://github.com/scikit-learn/scikit-learn/issues/7343>`_, on at-k
       scorers

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
    if isinstance(score_func, str):
        score_func, options = named_score("score_func", score_func, score_func_params)
        score_func_params = {**options, **score_func_params}
    # Refused now: cross-validation would turn an error of the score into NaN and a warning.
    _check_function(score_func, query_id, score_func_params)
    _check_parameters(score_func, query_id, score_func_params)
    metrics.make_scorer(score_func, response_method=response_method)  # raises scikit-learn's own errors
    of_queries: Any = score_func_params.get("query_weight")
    if hasattr(of_queries, "items"):  # a Series of as many queries as a fold has rows would be read by row
        score_func_params["query_weight"] = dict(of_queries.items())
    sign = 1 if read_flag("greater_is_better", greater_is_better) else -1
    return RankingScorer(score_func, response_method, query_id, score_func_params, sign)


def scorer_of(score_func: str | ScoreFunction, params: Mapping[str, object]) -> RankingScorer:
    """Return a scorer of this package as it is, or one of a score that gets its arguments later."""
    if isinstance(score_func, RankingScorer):
        return score_func
    score_func = score_of(score_func, params)
    _check_function(score_func, None, {})
    if isinstance(score_func, _Scorer):
        raise TypeError(
            f"score_func must be a function, or a scorer of this package; got {score_func!r}: write "
            "get_scorer('average_precision')."
        )
    return RankingScorer(score_func, _RESPONSES, None, {})


class _MissingQueryIds:
    """Placeholder for the query ids: calling the score function before they arrive raises an error.

    `TunedThresholdClassifierCV`, for example, takes the score function and its arguments out of a scorer, and
    would otherwise score all rows as one ranking in silence.
    """

    def __init__(self, query_id: str) -> None:
        self.query_id = query_id

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        raise ValueError(
            "no query ids reached the scorer: call sklearn.set_config(enable_metadata_routing=True) and pass "
            f"them as {self.query_id!r}, for example cross_validate(..., params={{{self.query_id!r}: ids}}) "
            f"or search.fit(X, y, {self.query_id}=ids); or use make_scorer(..., query_id='index') with the "
            "ids as the index of a pandas y. Tools that call the score function directly, such as "
            "TunedThresholdClassifierCV, cannot pass ids."
        )


class RankingScorer(_Scorer):
    """A scorer of a ranking score; made by `make_scorer` and `get_scorer`.

    Its ``__name__`` is the name in `get_scorer`, such as ``'precision@10'``. The name of its score function
    shows the cut too, as in ``'precision_at_10_score'``, for tools that read that name. A scorer pickles as a
    call of `make_scorer`.
    """

    def __init__(
        self,
        score_func: ScoreFunction,
        response_method: str | tuple[str, ...],
        query_id: str | None,
        score_func_params: dict[str, object],
        sign: int = 1,
    ) -> None:
        params = dict(score_func_params)
        if query_id is not None:
            params["query_id"] = _MissingQueryIds(query_id)
        # A scorer of a cut has the cut in its name, since tables of results show nothing else of it.
        named, name = _named(score_func, params)
        self.__name__: str = name
        super().__init__(named, sign, params, response_method)
        self._query_id = query_id
        if self._routed:  # a scorer may be made before routing is switched on
            with sklearn.config_context(enable_metadata_routing=True):
                self.set_score_request()

    @property
    def _routed(self) -> bool:
        return self._query_id not in (None, "index")

    def set_score_request(self, **requests: bool | str | None) -> RankingScorer:
        """Request metadata, as scikit-learn's scorers do; the request for the query ids is kept.

        Parameters
        ----------
        **requests : dict
            ``name=alias`` pairs; each alias is True, False, None or a str.

        Returns
        -------
        scorer : RankingScorer
            The scorer itself.
        """
        # scikit-learn accepts any name here, and fails only when the scorer is used.
        accepted = list(signature(self._score_func).parameters)[2:]
        for name in requests:
            if name not in accepted:
                raise TypeError(
                    f"{_name(self._score_func)} takes no argument {name!r}, so it cannot be requested; it "
                    f"takes {', '.join(accepted)}."
                )
        own_requests: dict[str, bool | str | None] = {}
        if self._routed:  # None: passing weights that were not requested stays an error, as in scikit-learn
            own_requests = {"sample_weight": None} if "sample_weight" in accepted else {}
            own_requests["query_id"] = self._query_id
        super().set_score_request(**{**own_requests, **requests})
        return self

    def _warn_overlap(self, message: str, kwargs: Mapping[str, object]) -> None:
        """Leave the query ids out of scikit-learn's warning: they replace a placeholder, not an argument."""
        super()._warn_overlap(message, {name: kwargs[name] for name in kwargs if name != "query_id"})

    def __repr__(self) -> str:
        # The text is a call that makes the same scorer: `query_id` in `_kwargs` is a placeholder of ours.
        parameters = {name: value for name, value in self._kwargs.items() if name != "query_id"}
        if self._response_method != _RESPONSES:
            parameters["response_method"] = self._response_method
        if self._sign < 0:
            parameters["greater_is_better"] = False
        if self._query_id is not None:
            parameters["query_id"] = self._query_id
        score_func = _without_name(self._score_func)
        function = repr(score_func) if isinstance(score_func, partial) else _name(score_func)
        arguments = [function, *(f"{name}={value!r}" for name, value in parameters.items())]
        return f"make_scorer({', '.join(arguments)})"

    def _score(
        self,
        method_caller: Callable[..., object],
        estimator: Estimator,
        X: Features,
        y_true: Targets,
        **metadata: object,
    ) -> float:
        """Score the estimator's response; called by scikit-learn.

        The scores do not come from `method_caller`: it picks the column of the first scorer's positive class
        for all scorers, and treats two labels of a multilabel problem as two classes. It only shows which
        scorers share a response.
        """
        self._warn_overlap(_OVERLAP, metadata)
        response = self._response(estimator, X, y_true, shared_responses(method_caller))
        labels, scores, arguments = self._score_input(estimator, response, y_true, metadata)
        # A copy, since a score function may change its input, and other scorers read the same response.
        return self._sign * float(self._score_func(labels, np.array(scores), **arguments))

    def _response(
        self, estimator: Estimator, X: Features, y_true: Targets, responses: Responses | None = None
    ) -> ArrayLike:
        """Return the estimator's response; from three classes on, the default is probabilities first.

        The decision values of a multinomial model compare classes, but not rows: a constant that is added to
        a row changes no probability.
        """
        methods = self._response_method
        if methods == _RESPONSES and has_several_classes(estimator, y_true):
            methods = _RESPONSES[::-1]
        return response_of(estimator, X, methods, responses)

    def _score_input(
        self, estimator: Estimator, response: ArrayLike, y_true: Targets, metadata: Mapping[str, object]
    ) -> tuple[ArrayLike, AnyArray, dict[str, Any]]:
        """Return the labels, scores and arguments that the score function takes of a response."""
        arguments: dict[str, Any] = {**self._kwargs, **metadata}
        if self._query_id is not None:
            arguments.update(self._query_arguments(y_true, arguments))
        # Which class is positive depends on the estimator, so it is decided before the score sees labels.
        pos_label = arguments.pop("pos_label", None)
        labels, scores, pos_label = labelled(estimator, response, y_true, pos_label, self._stating)
        if pos_label is not None and np.ndim(labels) == 1 and not _takes(self._score_func, "pos_label"):
            labels = np.asarray(labels) == pos_label
        elif pos_label is not None:
            arguments["pos_label"] = pos_label
        return labels, scores, arguments

    def _stating(self, pos_label: Label) -> str:
        """Return the line that makes this scorer with a positive class."""
        text = repr(self)
        if is_known(self.__name__) and repr(get_scorer(self.__name__)) == text:
            return f"get_scorer({self.__name__!r}, pos_label={pos_label!r})"
        return f"{text[:-1]}, pos_label={pos_label!r})"

    def _query_arguments(self, y_true: Targets, arguments: Mapping[str, Any]) -> dict[str, object]:
        query_id = _index_of(y_true) if self._query_id == "index" else arguments.get("query_id")
        if query_id is None:
            query_id = _MissingQueryIds(str(self._query_id))  # reading it raises the error
        ids = read_ids(query_id, len(y_true))
        # Totals of other queries would count as queries for which nothing was retrieved, and score 0.
        of_fold: dict[str, object] = {"query_id": ids}
        for argument in ("n_positives", "query_weight"):
            by_query = arguments.get(argument)
            if isinstance(by_query, Mapping):
                in_fold = set(distinct_queries(ids)[0])
                named = {name: value for name, value in by_query.items() if id_like(ids, name) in in_fold}
                of_fold[argument] = named
            elif by_query is not None:  # metadata, which has a value per row
                of_fold[argument] = np.asarray(by_query)
        return of_fold


def get_scorer(scoring: str | _Scorer, **scorer_params: Any) -> RankingScorer:
    """Return a new scorer by its name.

    Names that only scikit-learn knows, such as ``'roc_auc'``, give its scorer, and a scorer is returned as it
    is: so this function can replace :func:`sklearn.metrics.get_scorer`.

    .. versionadded:: 0.1

    Parameters
    ----------
    scoring : str or scorer
        One of :func:`get_scorer_names`; or ``'average_precision@K'``, ``'precision@K'``, ``'recall@K'`` or
        ``'reciprocal_rank@K'`` with any cut `K`, a number of rows as in ``'precision@100'`` or a share of the
        rows as in ``'recall@0.05'``; or ``'precision_at_recall@R'`` or ``'recall_at_precision@P'`` with any
        level in [0, 1], as in ``'precision_at_recall@0.9'``; or ``'average_precision@max_recall=R'``.

    **scorer_params : additional arguments
        Arguments of :func:`make_scorer`, such as ``pos_label='fraud'``, ``prevalence=0.01`` or
        ``query_id='groups'``.

    Returns
    -------
    scorer : RankingScorer, or a scorer of scikit-learn
        A new object for each name, since metadata requests change a scorer.

    Raises
    ------
    TypeError
        If the score does not take one of the arguments, or the name specifies it already; if there are
        arguments for a scorer that exists.
    ValueError
        If there is no such scorer, with names that are near; and for what :func:`make_scorer` refuses.

    See Also
    --------
    make_scorer : A scorer of any function.

    References
    ----------
    .. [1] `scikit-learn issue 17168 <https://github.com/scikit-learn/scikit-learn/issues/17168>`_: other
       packages cannot register names for ``scoring='...'``, so pass the scorer

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("recall@0.05")
    make_scorer(recall_at_k_score, k=0.05)
    >>> get_scorer("average_precision", pos_label="fraud")
    make_scorer(average_precision_score, pos_label='fraud')
    >>> get_scorer("roc_auc")
    make_scorer(roc_auc_score, response_method=('decision_function', 'predict_proba'))
    """
    # Names of ours come first: scikit-learn's 'average_precision' takes no queries.
    if isinstance(scoring, str) and not is_known(scoring) and scoring in metrics.get_scorer_names():
        scoring = metrics.get_scorer(scoring)
    if isinstance(scoring, _Scorer):
        if scorer_params:
            raise TypeError(
                f"scorer_params must be empty for a scorer that exists; got {scoring!r} and {scorer_params}. "
                "Write make_scorer(score_func, ...)."
            )
        return scoring  # type: ignore[return-value]  # scikit-learn's scorers have no types
    score_func, options = named_score("scoring", scoring, scorer_params)
    return make_scorer(score_func, **options, **scorer_params)


def get_scorer_names() -> list[str]:
    """Return the names that `get_scorer` accepts, with 10 as an example of a cut and 0.8 of a level.

    .. versionadded:: 0.1

    Returns
    -------
    names : list of str
        In alphabetical order.

    See Also
    --------
    get_scorer : The scorer of a name.

    References
    ----------
    .. [1] `scikit-learn issue 7343 <https://github.com/scikit-learn/scikit-learn/issues/7343>`_

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:2]
    ['average_precision', 'average_precision@10']
    """
    return names()


def _check_function(score_func: ScoreFunction, query_id: str | None, params: Mapping[str, object]) -> None:
    """Refuse what is not a function, and arguments that it does not take."""
    refuse_no_function(score_func)
    for name in [*params, *(["query_id"] if query_id is not None else [])]:
        if name != "pos_label" and not _takes(score_func, name):  # the scorer itself uses `pos_label`
            accepted = ", ".join(_accepted(score_func)) or "none"
            text = f"{_name(score_func)} takes no argument {name!r}; it takes {accepted}."
            at_k = SCORERS_AT_K.get(_name(score_func).removesuffix(SCORE))
            if name == "k" and at_k is not None:
                text += f" {at_k.__name__} takes 'k'."
            raise TypeError(text)


def _accepted(score_func: ScoreFunction) -> dict[str, Parameter]:
    """Return the parameters of a score function after the labels and the scores."""
    return dict(list(signature(score_func).parameters.items())[2:])


def _takes(score_func: ScoreFunction, name: str) -> bool:
    accepted = _accepted(score_func)
    return name in accepted or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in accepted.values())


def _check_parameters(score_func: ScoreFunction, query_id: str | None, params: Mapping[str, object]) -> None:
    accepted = _accepted(score_func)
    level = LEVEL_ARGUMENTS.get(_name(score_func).removesuffix(SCORE))
    if level in accepted and accepted[level].default is Parameter.empty and level not in params:
        raise TypeError(f"{_name(score_func)} requires {level}=..., such as {level}={LEVEL}.")
    if query_id is not None and not (isinstance(query_id, str) and query_id.isidentifier()):
        raise ValueError(
            "query_id must be 'index' or the name of the metadata that contains the query ids, such as "
            f"'groups'; got {short_repr(query_id)}. The ids themselves are passed when the scorer is used."
        )
    if "average" in params and params["average"] is None:
        raise ValueError("average=None gives several values, but a scorer returns one; use 'macro'.")
    for name, value in {"n_positives": "total", "query_weight": "weight"}.items():
        by_query = params.get(name)
        if by_query is not None and (query_id is None or not hasattr(by_query, "items")):
            raise ValueError(
                f"{name} of a scorer requires query_id and must be a mapping {{query: {value}}}, from which "
                f"each fold takes its own queries; got {by_query!r}."
            )


def _name(score_func: ScoreFunction) -> str:
    function = score_func
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _named(score_func: ScoreFunction, params: Mapping[str, object]) -> tuple[ScoreFunction, str]:
    """Return the function under a name that shows its cut or level, if it has one, and its scorer's name.

    skorch, TPOT and skore distinguish scorers by ``_score_func.__name__``. The new name is set on a partial,
    which keeps the signature and pickles without a reference to this file.
    """
    score_func, name = _without_name(score_func), _name(score_func)
    # `average_precision_at_k_score` and `recall_at_k_score` drop two endings, the others one.
    family = name.removesuffix(AT_K).removesuffix(SCORE)
    ends_at_recall = family in SCORERS_TO_RECALL and params.get("max_recall") is not None
    may_be_cut = family in SCORERS and family in SCORERS_AT_K
    is_cut = name.endswith(AT_K)
    parameter = LEVEL_ARGUMENTS.get(family, "k" if is_cut or may_be_cut else "")
    parameter = "max_recall" if ends_at_recall else parameter
    default = getattr(signature(score_func).parameters.get(parameter), "default", Parameter.empty)
    level = params.get(parameter, default)
    if level is Parameter.empty or (may_be_cut and not is_cut and level is None):
        return score_func, name.removesuffix(SCORE)
    scorer_name = f"{family}@{parameter}={level}" if ends_at_recall else f"{family}@{level}"
    if isinstance(score_func, partial) and hasattr(score_func, "__name__"):  # the user named the partial
        return score_func, scorer_name
    named = partial(score_func)
    joint = f"_{parameter}_" if ends_at_recall else "_" if family in LEVEL_ARGUMENTS else "_at_"
    named.__name__ = f"{family}{joint}{level}{SCORE}"  # type: ignore[attr-defined]  # a partial takes any
    return named, scorer_name


def _without_name(score_func: ScoreFunction) -> ScoreFunction:
    """Return the function inside a partial that binds no argument, as `_named` makes it."""
    while isinstance(score_func, partial) and not (score_func.args or score_func.keywords):
        score_func = score_func.func
    return score_func


def _index_of(y_true: Targets) -> AnyArray:
    index = getattr(y_true, "index", None)
    if index is None or callable(index):
        raise ValueError(
            "query_id='index' requires y as a pandas Series whose index contains the query ids; got a "
            f"{type(y_true).__name__}: the index was removed on the way, or never there. Use "
            "query_id='groups' with metadata routing instead."
        )
    if index.nunique() == len(index):  # not `is_unique`, which slices of older pandas inherit
        raise ValueError(
            "query_id='index' requires query ids as the index of y; got a different id in every row, as in a "
            "default index. Write y = pandas.Series(labels, index=query_ids)."
        )
    return np.asarray(index)
