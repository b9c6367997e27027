"""Read a score, its arguments and the units that were drawn, once; and warn of what the sample lacks."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._public import warn_user
from .._reading._read import Checked
from .._reading._values import on_host
from .._typing import ScoreFunction
from ._results import SINGULAR
from ._sample import AnySample, MeanSample, RankedSample, Sample, read_call, unit_numbers

# Below these numbers, simulated intervals of influences cover too little, or say nothing.
_FEW = 3  # positives, or units that contain one
_AT_TOP = 0.5  # positives times their score
_HEAVY = 2  # equal negatives that would do as much to the score, where each stands for several
_UNITS = 5  # equal units that would contain all negatives
FEW_DRAWN = 10  # positives or heavy negatives, for percentiles of a bootstrap
_AT_TOP_OF_PAIR = 2  # positives times the lower of two scores, for percentiles
_FEW_FOR_MARGIN = 40  # positives, for a test of one side
_SOME = 10_000  # rows that tell whether weights go with scores: a mean of so many is known to 1 %
_FEWEST_AT_TOP = 5  # of them above the median positive; fewer say little about their mean
_HEAVIER = 3  # where they weigh so much more than others, simulated intervals cover too little


def sampled_score(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, unit_id: ArrayLike | None, **params: Any
) -> Sample:
    """Read the score of a sample, and what was drawn."""
    # First, so that errors and warnings are those of the score.
    score = refuse_several(score_func(y_true, y_score, **params))
    call = read_call(score_func, y_true, y_score, params)
    unit = None
    if unit_id is not None:
        unit = unit_numbers("unit_id", unit_id, len(np.asarray(on_host("y_score", y_score))))
    labels = y_true
    if call is not None:
        warn_of_labels(call.checked, y_true)
        if call.is_mean or call.fits_cells:
            if unit is not None and call.kept is not None:
                unit = np.unique(unit[call.kept], return_inverse=True)[1]
            return (MeanSample.of_call if call.is_mean else RankedSample)(score, call, unit)
        if call.checked.positive.ndim == 2:  # a bootstrap sample may lose a class, but not its column
            labels = call.of_all(call.checked.positive).astype(int)
    return AnySample(score_func, labels, y_score, params, score=score, call=call, unit=unit)


def sampled_scores(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    unit_id: ArrayLike | None,
    **params: Any,
) -> list[Sample]:
    """Read the score of each model on the same rows; an error tells which argument its scores are."""
    samples = []
    for name, y_score in models.items():
        try:
            samples.append(sampled_score(score_func, y_true, y_score, unit_id, **params))
        except ValueError as error:
            error.add_note(f"The scores are those of {name}.")
            raise
    return samples


def refuse_several(score: Any) -> float:
    """Return the number that a score function gave, or refuse several."""
    if np.ndim(score):
        raise ValueError(
            "average must not be None, and the score must be a single number; got an array of shape "
            f"{np.shape(score)}. Pass one class, column or query at a time, such as y_true == label."
        )
    return float(score)


class UncertaintyWarning(UserWarning):
    """An interval or a p-value may be wrong, because the sample contains too little.

    .. versionadded:: 0.1

    Parameters
    ----------
    message : str, default=''
        What the sample lacks, and what to do.

    code : str, default=''
        Kind of the warning, also an attribute.

        - ``'few_positives'``: too few positives, or units that contain one, or too few at the top.
        - ``'missing_negatives'``: few negatives decide the score, by weights, a `prevalence` or `unit_id`,
          and the sample may lack others that score high.
        - ``'dependent_weights'``: heavy negatives have high scores.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_ap import UncertaintyWarning, average_precision_score, estimate_score
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     estimate = estimate_score(average_precision_score, [1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> [warning.message.code for warning in caught]
    ['few_positives']
    """

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


def _warn(code: str, text: str) -> None:
    warn_user(UncertaintyWarning(text, code))


def warn_of_few(n_effective: float, noun: str, least: float = _FEW) -> None:
    """Warn if so few positives say little about others."""
    if n_effective < least:
        number = f"{n_effective:.3g}"
        noun = SINGULAR[noun] if number == "1" else noun
        _warn(
            "few_positives",
            f"The sample has only {number} {noun}, too few to show how much others differ: add more.",
        )


def warn_of_ranking(n_positives: float, score: float, heavy_negatives: float) -> None:
    """Warn of a single ranking, whose rows are the units."""
    warn_of_few(n_positives, "positives")
    _warn_of_late(n_positives, score)
    _warn_of_negatives(heavy_negatives, inf)


def warn_of_samples(samples: Sequence[Sample], *, drawn: bool, margin: float = 0.0) -> None:
    """Warn of the units of one or more models, and of percentiles if their samples are `drawn`."""
    fewest, noun = min(sample.fewest for sample in samples), samples[0].noun
    score = min(sample.score for sample in samples)
    is_area = samples[0].is_single and samples[0].has_influences
    least = FEW_DRAWN if drawn else _FEW
    warn_of_few(fewest, noun, _FEW_FOR_MARGIN if margin and is_area else least)
    heavy = min(sample.heavy_negatives for sample in samples)
    _warn_of_negatives(heavy, samples[0].n_negative_units, FEW_DRAWN if drawn else _HEAVY)
    if not is_area:
        return
    if not drawn or len(samples) == 1:
        _warn_of_late(fewest, score)
    elif fewest >= FEW_DRAWN:
        _warn_of_late(fewest, score, _AT_TOP_OF_PAIR, " or use method='influence', which rejects seldom")


def _warn_of_late(n_positives: float, score: float, least: float = _AT_TOP, instead: str = "") -> None:
    at_top = n_positives * score
    if n_positives >= _FEW and at_top < least:
        _warn(
            "few_positives",
            f"The score {score:.3g} of {n_positives:.4g} positives is that of about {at_top:.2g} at the top, "
            f"and the sample may lack others: add positives{instead}.",
        )


def _warn_of_negatives(heavy_negatives: float, n_units: float, least: float = _HEAVY) -> None:
    text = ""
    if n_units < _UNITS:
        text = f"{n_units:.2g} units of negatives, whose scores are luck: add units."
    elif heavy_negatives < least:
        text = (
            f"{heavy_negatives:.2g} negatives that decide the score, each for many: add some that score high."
        )
    if text:
        _warn("missing_negatives", f"The sample has only {text}")


def _warn_of_weights(checked: Checked) -> None:
    """Warn where weights depend on scores, so that a few heavy negatives at the top decide the score."""
    weight, positive, score = checked.weight, checked.positive, checked.score
    if weight is None or positive.ndim > 1 or checked.query is not None:
        return
    some = slice(None, None, weight.size // _SOME + 1)  # of many rows, so that this takes no time
    negative, weight = ~positive[some], weight[some]
    light = _HEAVIER * weight.dot(negative) / max(np.count_nonzero(negative), 1)
    if np.maximum.reduce(weight) <= light:  # true of most weights, and five times faster than a median
        return
    places = positive.nonzero()[0]
    if not (light and places.size):
        return
    middle = np.median(score[places[:: places.size // _SOME + 1]])
    top = negative & (score[some] > middle)
    if np.count_nonzero(top) >= _FEWEST_AT_TOP and weight[top].mean() > light:
        # The text contains no number, so two models get one warning.
        _warn(
            "dependent_weights",
            "sample_weight depends on y_score, so that few heavy negatives decide the score: add negatives "
            "with high scores and small weights.",
        )


def warn_of_labels(checked: Checked, y_true: ArrayLike) -> None:
    """Warn where scores are the two labels, as `cross_val_predict` returns them without a `method`."""
    _warn_of_weights(checked)
    low, high = checked.bounds
    if checked.positive.ndim > 1 or low == high:
        return
    if checked.score[0] != low and checked.score[0] != high:  # as a rule, and all rows take a while
        return
    if not ((checked.score == low) | (checked.score == high)).all():
        return
    labels = np.unique(np.asarray(on_host("y_true", y_true))).tolist()
    if labels == [low, high]:
        warn_user(
            f"y_score contains nothing but the labels {labels[0]} and {labels[1]}: if a classifier predicted "
            "them, pass its scores instead, such as cross_val_predict(..., method='predict_proba')[:, 1]."
        )
