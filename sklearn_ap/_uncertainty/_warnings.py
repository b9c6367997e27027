"""What may be wrong with an interval or a p-value: three kinds of warnings, each with a code."""

from collections.abc import Sequence
from math import inf

from .._public import warn_user
from ._results import SINGULAR, ScoreEstimate
from ._sample import Sample

# Below these numbers, simulated intervals of influences cover too little, or say nothing.
_FEW = 3  # positives, or units that contain one
_AT_TOP = 0.5  # positives times their score
_HEAVY = 2  # equal negatives that would do as much to the score, where each stands for several
_UNITS = 5  # equal units that would contain all negatives
FEW_DRAWN = 10  # positives or heavy negatives, for percentiles of a bootstrap
_AT_TOP_OF_PAIR = 2  # positives times the lower of two scores, for percentiles
_FEW_FOR_MARGIN = 40  # positives, for a test of one side


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


def warn_of_ranking(estimate: ScoreEstimate) -> None:
    """Warn of a single ranking, whose rows are the units."""
    warn_of_few(estimate.n_positives, "positives")
    _warn_of_late(estimate.n_positives, estimate.score)
    _warn_of_negatives(estimate._inputs.heavy_negatives, inf)


def warn_of_samples(
    samples: Sequence[Sample], scores: Sequence[float], *, drawn: bool, margin: float = 0.0
) -> None:
    """Warn of the units of one or more models, and of percentiles if their samples are `drawn`."""
    fewest, noun = min(sample.fewest for sample in samples), samples[0].noun
    is_area = samples[0].is_single and samples[0].has_influences
    least = FEW_DRAWN if drawn else _FEW
    warn_of_few(fewest, noun, _FEW_FOR_MARGIN if margin and is_area else least)
    heavy = min(sample.heavy_negatives for sample in samples)
    _warn_of_negatives(heavy, samples[0].n_negative_units, FEW_DRAWN if drawn else _HEAVY)
    if not is_area:
        return
    if not drawn or len(samples) == 1:
        _warn_of_late(fewest, min(scores))
    elif fewest >= FEW_DRAWN:
        _warn_of_late(
            fewest, min(scores), _AT_TOP_OF_PAIR, " or use method='influence', which rejects seldom"
        )


def warn_of_weights() -> None:
    """Warn of heavy negatives at the top. The text contains no number, so two models get one warning."""
    _warn(
        "dependent_weights",
        "sample_weight depends on y_score, so that few heavy negatives decide the score: add negatives with "
        "high scores and small weights.",
    )


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
