"""Words of other packages for the arguments of public functions, and what to write in
their place: one table for all functions.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")

_CURVE = {"curve_kwargs": "write curve_kwargs={{'{}': ...}}"}
_INTERVAL = "the result has it: write .confidence_interval({})"
_AT_K = "write average_precision_at_k_score(k=..."
# Words, and what to write in their place, by the argument that a function must take for
# that, or by the name of the function. The first that fits is the advice.
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
        "unit_id": "intervals and tests draw no samples, so leave it out"
    },
    "alpha": {"unit_id": _INTERVAL.format("1 - alpha"), **_CURVE},
    "conf_level confidence_level level": {"unit_id": _INTERVAL},
    "min_recall sensitivity tpr": {"recall": "write recall={}"},
    "min_precision ppv": {"precision": "write precision={}"},
    "tnr": {"specificity": "write specificity={}"},
    "fpr max_fpr": {"specificity": "write specificity=1 - {}"},
    "f1": {"beta": "write beta=1"},
    "cost_fn fn_cost": {"miss_cost": "write miss_cost={}, in costs of a false alarm"},
    "at k n top_k topk": {"k": "write k={}", "average_precision_score": f"{_AT_K})"},
    "normalizer ties": {"average_precision_score": f"{_AT_K}, {{}}=...)"},
    "needs_proba": {"response_method": "write response_method='predict_proba'"},
    "needs_threshold": {
        "response_method": "write response_method=('decision_function', 'predict_proba')"
    },
    "c color label linestyle linewidth ls lw marker zorder": _CURVE,
}
_ADVICE = {word: advice for words, advice in _WORDS.items() for word in words.split()}


def error_about_word(
    caller: str, word: str, parameters: Iterable[str], score: str = ""
) -> TypeError:
    """Return the error about an argument that a public function does not take.

    It says what to write: the argument that another package calls so, or one with a
    similar name, or else all arguments. `score` is the function that `caller` passes its
    arguments to.
    """
    parameters = [name for name in parameters if name not in ("self", "cls")]
    known = {caller, score, *parameters}
    advice = [
        f"{text.format(word)}."
        for key, text in _ADVICE.get(word, {}).items()
        if key in known
    ]
    advice += [f"did you mean {name}?" for name in get_close_matches(word, parameters)]
    advice.append(f"it takes {', '.join(parameters) or 'none'}.")
    return TypeError(f"{caller} takes no argument {word!r}: {advice[0]}")


def with_hints(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """Let a function say what to write in place of an argument that it does not take."""

    @wraps(function)
    def checked(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except TypeError:
            parameters = signature(function).parameters
            unknown = [word for word in kwargs if word not in parameters]
            if not unknown:
                raise
            caller = function.__name__
            raise error_about_word(caller, unknown[0], parameters) from None

    return checked
