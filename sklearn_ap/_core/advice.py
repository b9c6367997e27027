"""Notes on errors about calls: what a keyword of another package is called here."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import getfullargspec, signature
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
# Displays have five more, `operating_point` two, and `budget_totals` one. A test limits
# this list to 20 rows, so that it stays short.
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
    "fdr": "precision, such as precision=0.9 for fdr=0.1",
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


def advised(
    function: _Function, called_here: Mapping[str, str] = CALLED_HERE
) -> _Function:
    """Return the function, with a note on Python's errors about its calls."""
    shown = signature(function)
    known = [*shown.parameters]
    # The score reads the keywords that are passed on to it, and lists its own.
    passes_on = "score_func_params" in known
    own = ", ".join(getfullargspec(function).kwonlyargs)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            unknown = [name for name in kwargs if not passes_on and name not in known]
            note = advice_about(unknown, known[len(args) :], called_here)
            note = note or _advice_about_places(known, args)
            _list_own_keywords(error, own)
            if note:
                error.add_note(note)
            raise

    public: Any = call
    # `score_by_query` reads the signature at each call, and it takes long to find.
    public.__signature__ = shown
    return cast(_Function, public)


def _list_own_keywords(error: TypeError, own: str) -> None:
    """Add the keywords of a function that calls a score to those of the score, which
    `unknown_argument` lists: "It takes k." becomes "It takes unit_id, k." A score may
    have the same keyword, such as query_id.
    """
    for i, note in enumerate(getattr(error, "__notes__", [])):
        if own not in note:
            error.__notes__[i] = note.replace("It takes ", f"It takes {own}, ")


def _advice_about_places(known: Sequence[str], args: Sequence[Any]) -> str:
    """Return what to pass if the arguments without names are others than the function
    takes. `known` are the names that it takes.
    """
    first = args[0] if args else ""
    # A tool with scoring=average_precision_score calls the score as a scorer.
    if hasattr(first, "fit"):
        return "scoring= takes a scorer: pass get_scorer(...) or make_scorer(...)."
    if "score_func" in known and not (isinstance(first, str) or callable(first)):
        return "The score comes first, such as 'average_precision'."
    if "y_score_b" in known and any(isinstance(value, Mapping) for value in args):
        return "compare_many takes a dictionary of the scores of models."
    if known[0] == "y_true" and len(args) == 1:
        return (
            "If the labels are in ranked order, pass y_score=range(len(y_true), 0, -1)."
        )
    return ""


def advice_about(
    unknown: Iterable[str],
    known: Collection[str],
    called_here: Mapping[str, str] = CALLED_HERE,
) -> str:
    """Return sentences about unknown keywords, in the order of the call: what to write
    in place of each keyword of the list and, for the first of all others, the known
    keywords. Precision and recall together have a sentence of their own.
    """
    if {"precision", "recall"} <= {*unknown}:
        return _POINTS
    sentences = []
    is_known_listed = False
    for keyword in unknown:
        if keyword in called_here:
            sentences.append(f"In place of {keyword}, write {called_here[keyword]}.")
        elif known and not is_known_listed:
            sentences.append(f"It takes {nearest_first(keyword, known)}.")
            is_known_listed = True
    return " ".join(sentences)


def nearest_first(keyword: str, known: Collection[str]) -> str:
    """Return the known keywords as text, those with a similar spelling first."""
    # Of all spellings, that of threshold is the nearest to tnr, its opposite.
    similar = get_close_matches(keyword, known, len(known), 0.5)
    return ", ".join(dict.fromkeys([*similar, *known]))


def unknown_argument(
    caller: str, argument: str, score: str, accepted: Collection[str]
) -> TypeError:
    """Return the error about an argument that a score does not take, with a note.
    `caller` is the function that was called: the score, or one that calls the score.
    """
    text = f"{caller}() got an unexpected keyword argument {argument!r}"
    if caller != score:
        text += f" for {score}"
    error = TypeError(text)
    note = advice_about([argument], accepted)
    if note:
        error.add_note(note)
    return error
