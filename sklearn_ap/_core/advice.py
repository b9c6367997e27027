"""Notes on errors about calls: what a keyword of another package is called here."""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])
_IDS = (
    "query_id (what is ranked together) or unit_id of estimate_score (what was drawn)"
)
_POINTS = (
    "Of the points of precision_recall_curve, AP is -np.sum(np.diff(recall) * "
    "precision[:-1]), and sklearn.metrics.auc(recall, precision) is the linear area, "
    "another number."
)
_RESPONSES = (
    "response_method='predict_proba', or ('decision_function', 'predict_proba'), of "
    "make_scorer"
)
# Keywords that no function here takes, or that another one takes, and what to write.
# Displays have five more, and `budget_totals` one. This list has at most 19 rows.
CALLED_HERE = {
    "groups": _IDS,
    "group": _IDS,
    "k": "average_precision_at_k_score(..., k=...), or another score whose name has "
    "at_k",
    "top_k": "k; of the scores, those whose name has at_k take it, such as "
    "average_precision_at_k_score",
    "interpolation": "pr_auc_score(..., interpolation=...), or "
    "eleven_point_average_precision_score",
    "recall": "precision_at_recall_score(..., recall=...)",
    "confidence_level": "result.confidence_interval(0.9), such as "
    "estimate_score(...).confidence_interval(0.9)",
    "correction": "compare_many, whose intervals and p-values are Bonferroni's",
    "fpr": "specificity, such as specificity=0.95 for fpr=0.05",
    "tpr": "recall",
    "sensitivity": "recall",
    "max_alerts": "k, or false_alarms if only negatives count",
    # An argument of scikit-learn's curve until 1.6.
    "probas_pred": "y_score",
    "lower_is_better": "-y_score",
    "denominator": "normalizer",
    "n_relevant": "n_positives",
    "f1": "beta=1",
    # Arguments of `make_scorer` before scikit-learn 1.6. Newer versions pass them on to
    # the score.
    "needs_proba": _RESPONSES,
    "needs_threshold": _RESPONSES,
}
# Examples of arguments of scores that have no default. The others are levels.
_REQUIRED = {
    "k": "k=10, or k=None for all rows",
    "interpolation": "interpolation='linear' or 'davis-goadrich'",
}


def advice_about(
    unknown: Iterable[str],
    known: Collection[str],
    called_here: Mapping[str, str] = CALLED_HERE,
) -> list[str]:
    """Return sentences about unknown keywords, in the order of the call: what to write
    in place of each keyword of the list and, for the first of all others, the known
    keywords. Precision and recall together have a sentence of their own.
    """
    if {"precision", "recall"} <= {*unknown}:
        return [_POINTS]
    sentences = []
    for keyword in unknown:
        if keyword in called_here:
            sentences.append(f"In place of {keyword}, write {called_here[keyword]}.")
        elif known:
            sentences.append(f"It takes {nearest_first(keyword, known)}.")
            known = ()
    return sentences


def _add_note(error: TypeError, sentences: Iterable[str]) -> None:
    """Add the sentences to the error as one note, unless there are none."""
    note = " ".join(sentences)
    if note:
        error.add_note(note)


def nearest_first(keyword: str, known: Collection[str]) -> str:
    """Return the known keywords as text, those with a similar spelling first."""
    # Of all spellings, that of threshold is the nearest to tnr, its opposite.
    similar = get_close_matches(keyword, known, len(known), 0.5)
    return ", ".join(dict.fromkeys([*similar, *known]))


def unknown_argument(
    caller: str, argument: str, score: str, accepted: Collection[str]
) -> TypeError:
    """Return the error about an argument that a score does not take. `caller` is the
    function that was called, with the arguments of the score or as the score itself.
    """
    text = f"{caller}() got an unexpected keyword argument {argument!r}"
    if caller != score and accepted:
        text += f"; besides its own, it takes those of {score}: "
        text += nearest_first(argument, accepted)
    error = TypeError(text)
    _add_note(error, advice_about([argument], accepted if caller == score else ()))
    return error


def advised(
    function: _Function, called_here: Mapping[str, str] = CALLED_HERE
) -> _Function:
    """Return the function, with a note on Python's errors about its calls."""
    known = [*signature(function).parameters]
    # The error about a keyword of the score, which these functions pass on, has notes.
    passes_on = "score_func_params" in known

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # The error of a score that was called has its own notes.
            if hasattr(error, "__notes__"):
                raise
            unknown = [name for name in kwargs if name not in known]
            own = known[len(args) :]
            advice = advice_about(unknown, () if passes_on else own, called_here)
            if unknown and passes_on:
                advice.append(f"Its own keywords are {', '.join(own[:-1])}.")
            has_score = not args or isinstance(args[0], str) or callable(args[0])
            if "score_func" in known and not has_score:
                advice.append("The score comes first, such as 'average_precision'.")
            has_mapping = any(isinstance(x, Mapping) for x in [*args, *kwargs.values()])
            if function.__name__ == "compare_scores" and has_mapping:
                advice.append(
                    "compare_many takes a dictionary of the scores of models."
                )
            _add_note(error, advice)
            raise

    return cast(_Function, call)


def advised_score(score: _Function) -> _Function:
    """Return the score, with a note on Python's errors about its calls."""
    shown = signature(score)
    known = shown.parameters
    required = required_of(known)

    @wraps(score)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return score(*args, **kwargs)
        except TypeError as error:
            unknown = [name for name in kwargs if name not in known]
            has_rows = len(args) >= 2 or "y_score" in kwargs
            missing = [name for name in required if name not in kwargs]
            # Python's error for a missing argument shows no value of it.
            if has_rows and missing and not unknown:
                text = text_of_required(score.__name__, missing[0])
                raise TypeError(text) from None
            advice = advice_about(unknown, [*known][len(args) :])
            # A tool with scoring=average_precision_score calls the score as a scorer.
            if args and hasattr(args[0], "fit"):
                advice.append(
                    "scoring= takes a scorer: pass get_scorer(...) or make_scorer(...)."
                )
            elif len(args) > 2:
                advice.append("Later arguments need names, such as query_id=...")
            elif not has_rows and not unknown:
                advice.append(
                    "If the labels are in ranked order, pass "
                    "y_score=range(len(y_true), 0, -1)."
                )
            _add_note(error, advice)
            raise

    public: Any = call
    # `score_by_query` reads the signature at each call, and it takes long to find.
    public.__signature__ = shown
    return cast(_Function, public)


def required_of(parameters: Mapping[str, Parameter]) -> list[str]:
    """Return the names of keyword arguments that have no default."""
    return [
        name
        for name, parameter in parameters.items()
        if parameter.kind is Parameter.KEYWORD_ONLY
        and parameter.default is Parameter.empty
    ]


def text_of_required(score: str, argument: str) -> str:
    """Return the text of the error about a call of a score without an argument that has
    no default.
    """
    example = _REQUIRED.get(argument, f"{argument}=0.8")
    return f"{score} requires {argument}=..., such as {example}."
