"""Names that other packages use for arguments, and what to write in their place. All
public functions share one table.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")

_CURVE = {"curve_kwargs": "write curve_kwargs={{'{}': ...}}"}
_INTERVAL = (
    "the result computes the interval: write .confidence_interval({}) on the result"
)
_WRITE_AT_K = "write average_precision_at_k_score(k=..."
# Names of arguments in other packages, separated by spaces if they have the same
# meaning. The advice on them is a mapping from the name of an argument or a function of
# this package to what to write. A function gets the first advice whose key is its own
# name or one of its arguments.
_WORDS = {
    "groups": {"unit_id": "write unit_id=groups", "query_id": "write query_id=groups"},
    "cluster clusters patient subject subjects units": {"unit_id": "write unit_id={}"},
    "group qid queries query_ids": {"query_id": "write query_id={}"},
    "sample_weights weight weights": {"sample_weight": "write sample_weight={}"},
    "probas_pred scores y_pred y_prob y_proba y_scores": {
        "y_score": "write y_score={}"
    },
    "pos positive_label": {"pos_label": "write pos_label={}"},
    "n_relevant npos num_gt": {"n_positives": "write n_positives={}"},
    "n_boot n_bootstrap n_resamples random_state seed": {
        "unit_id": "intervals and tests draw no samples, so omit it"
    },
    "alpha": {"unit_id": _INTERVAL.format("1 - alpha"), **_CURVE},
    "conf_level confidence_level level": {"unit_id": _INTERVAL},
    "min_recall sensitivity tpr": {"recall": "write recall={}"},
    "min_precision ppv": {"precision": "write precision={}"},
    "tnr": {"specificity": "write specificity={}"},
    "fpr max_fpr": {"specificity": "write specificity=1 - {}"},
    "fdr": {"precision": "write precision=1 - {}"},
    "quantile": {"k": "write k=1 - {}, the share of rows above it"},
    "percentile": {"k": "write k=1 - {} / 100, the share of rows above it"},
    "npv": {
        "specificity": "no condition bounds it: negative_predictive_value of the result "
        "has it for any threshold"
    },
    "youden": {
        "specificity": "no condition maximizes it: pass threshold=t[(tpr - fpr).argmax()] "
        "of fpr, tpr, t = sklearn.metrics.roc_curve(y_true, y_score)"
    },
    "f1": {"beta": "write beta=1"},
    "cost_fn fn_cost": {"miss_cost": "write miss_cost={}, in costs of a false alarm"},
    "at k n top_k topk": {
        "k": "write k={}",
        "average_precision_score": f"{_WRITE_AT_K})",
    },
    "normalizer ties": {"average_precision_score": f"{_WRITE_AT_K}, {{}}=...)"},
    "needs_proba": {"response_method": "write response_method='predict_proba'"},
    "needs_threshold": {
        "response_method": "write response_method=('decision_function', 'predict_proba')"
    },
    "c color label linestyle linewidth ls lw marker zorder": _CURVE,
}
_ADVICE_ON_WORDS = {
    word: advice for words, advice in _WORDS.items() for word in words.split()
}


def error_about_word(
    caller: str, word: str, parameters: Iterable[str], score: str = ""
) -> TypeError:
    """Return the error about an argument that a public function does not take.

    Its text contains what to write: the argument that has this name in another package,
    or one with a similar name, or all arguments. `score` is the function to which
    `caller` passes its arguments.
    """
    parameters = [name for name in parameters if name not in ("self", "cls")]
    # List all advice that fits, the most specific first. Only the first one is shown.
    known = {caller, score, *parameters}
    advice = [
        f"{text.format(word)}."
        for key, text in _ADVICE_ON_WORDS.get(word, {}).items()
        if key in known
    ]
    advice += [f"did you mean {name}?" for name in get_close_matches(word, parameters)]
    advice.append(f"it takes {', '.join(parameters) or 'none'}.")
    return TypeError(f"{caller} takes no argument {word!r}: {advice[0]}")


def with_hints(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """Return the function with other errors: if a call has an argument that the
    function does not take, the error advises what to write.
    """

    @wraps(function)
    def checked(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except TypeError:
            check_words(function, kwargs)
            raise

    return checked


def check_words(function: Callable[..., object], words: Iterable[str]) -> None:
    """Raise the error about the first argument that a public function does not take.

    If it takes all these arguments, its TypeError has another cause, such as an
    argument of a wrong type.
    """
    parameters = signature(function).parameters
    for word in words:
        if word not in parameters:
            caller = function.__name__
            raise error_about_word(caller, word, parameters) from None
