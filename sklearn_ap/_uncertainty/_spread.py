"""From influences to a standard error, and to the degrees of freedom of its t distribution."""

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple, get_args

import numpy as np
from scipy.special import stdtr

from .._public import warn_user
from .._reading._options import check_option, is_finite, short_repr
from .._rounding import rounding_of_sums
from .._typing import TestedAlternative
from ._influence import NO_CORRECTION, Influences, TopNegativeCorrection
from ._results import FEW, FEW_HITS, ScoreEstimate
from ._sample import Sample

_TINY = float(np.finfo(np.float64).tiny)  # no t distribution has 0 degrees of freedom
# Below or above these numbers, simulated intervals cover less than 93 % where 95 % are asked for.
_LATE = 2  # positives times their score
_OUTWEIGHS = 1.5  # times these, negatives of a typical unit
_SHORT = 20  # rows of a cut ranking, or positives
_BIASED = 0.2  # of a standard error (Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, 10.3)
HEAVY = "negatives that decide the score, each heavier than two positives (add negatives with high scores)"
_ONE = {
    "positives": "positive",
    "units that hold a positive": "unit that holds a positive",
    "rankings to average": "ranking to average",
}


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made of a few of them.
    What is below this says nothing: neither a difference, nor a standard error, nor a distance from 1.
    """
    return 2 * float(rounding_of_sums(n_rows)) * max(map(abs, scores))


def without_rounding(value: float, rounding: float) -> float:
    """Return the value, or 0 if it is at most a rounding error."""
    return 0.0 if abs(value) <= rounding else value


def spread_of(influences: Influences, n_effective: float, rounding: float) -> Spread:
    """Return the standard error of a number with these influences.

    `n_effective` is the number of units that hold a positive or, of a mean, the number of units.
    """
    if influences.of_mean and n_effective <= 1:
        return Spread(np.nan, np.nan)
    powers = influences.power(2), influences.power(4)
    error, df = spread_of_moments(powers, influences.n_units, n_effective, rounding, influences.correction)
    if influences.of_mean:  # as for any mean: the values spread around their own mean
        return Spread(error * sqrt(n_effective / (n_effective - 1)), n_effective - 1)
    return Spread(error, df)


def spread_of_moments(
    powers: tuple[float, float],
    n_units: float,
    n_effective: float,
    rounding: float,
    correction: TopNegativeCorrection = NO_CORRECTION,
) -> Spread:
    """Return the standard error of a number whose influences have these sums of squares and fourth powers."""
    second, fourth = powers
    if second <= rounding**2:
        return Spread(0.0, _degrees_of_freedom(0.0, 0.0, n_units, n_effective))
    df = _degrees_of_freedom(second, fourth, n_units, min(n_effective, correction.df + 1))
    return Spread(sqrt(second + correction.square), df)


def _degrees_of_freedom(second: float, fourth: float, n_units: float, n_effective: float) -> float:
    """Return the smaller of two degrees of freedom.

    Few positives are one reason for an uncertain standard error. A few units that carry most of the variance,
    such as early negatives, are the other one (Satterthwaite 1946).
    """
    excess = fourth - second**2 / n_units
    of_variance = 2 * second**2 / excess if excess > 0 else np.inf
    return max(min(n_effective - 1, of_variance), _TINY) if n_effective > 1 else np.nan


def read_margin(margin: object, alternative: TestedAlternative) -> float:
    """Check which differences are asked about, and the largest one that does not matter."""
    check_option("alternative", alternative, get_args(TestedAlternative))
    if not (is_finite(margin) and margin >= 0):
        raise ValueError(f"margin must be a finite number >= 0, such as 0.02; got {short_repr(margin)}.")
    if margin and alternative == "two-sided":
        raise ValueError(
            "margin needs alternative='greater' (not worse by it; 'less' for losses) or 'equivalence'; got "
            f"margin={margin!r} and alternative='two-sided'."
        )
    if not margin and alternative == "equivalence":
        raise ValueError(
            f"margin must be above 0 for alternative='equivalence'; got {margin!r}. Write the largest "
            "difference that does not matter, such as margin=0.02."
        )
    return float(margin)


def past_margin(difference: float, alternative: TestedAlternative, margin: float) -> float:
    """Return how far a difference is from the end of its hypothesis; for equivalence, from the nearer end."""
    is_upper = alternative == "less" or (alternative == "equivalence" and difference > 0)
    return difference - margin if is_upper else difference + margin


def t_test(
    difference: float, error: float, df: float, alternative: TestedAlternative, margin: float = 0.0
) -> tuple[float, float]:
    """Return the statistic of a difference with this standard error, and its p-value.

    Without any difference, error and margin, the statistic is 0 and the p-value 1, whatever is asked. For
    equivalence, they are those of the one-sided test that rejects less.
    """
    distance = past_margin(difference, alternative, margin)
    if is_unsure(difference, error, margin):
        return float(np.copysign(np.inf, distance)), np.nan
    if not error:
        return 0.0, 1.0
    statistic = distance / error
    tails = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}
    tails["equivalence"] = tails["less" if difference > 0 else "greater"]
    return statistic, float(stdtr(df, tails[alternative])) * (2 if alternative == "two-sided" else 1)


def is_unsure(difference: float, error: float, margin: float = 0.0) -> bool:
    """Whether a difference has the standard error 0, and warn if so.

    Units that all say the same do not tell how much others differ: p = 0 would claim that they do not.
    """
    unsure = error == 0 and (difference != 0 or margin > 0)
    if unsure:
        warn_user(
            f"The p-value is NaN: the scores differ by {difference:.4g}, and the standard error is 0, "
            "because every unit or fold says the same."
        )
    return unsure


def warn_of_few(n_effective: float, what: str) -> None:
    """Warn if so few positives say little about others."""
    if n_effective < FEW:
        number = f"{n_effective:.3g}"
        what = _ONE.get(what, what) if number == "1" else what
        warn_user(f"The sample has only {number} {what}; below {FEW}, intervals and p-values say little.")


def warn_of_ranking(estimate: ScoreEstimate) -> None:
    """Warn of a single ranking, whose rows are the units."""
    n_positives, heavy_negatives = estimate.n_positives, estimate._inputs.heavy_negatives
    warn_of_few(n_positives, "positives")
    warn_of_few(heavy_negatives, HEAVY)
    warn_of_late(n_positives, estimate.score, heavy_negatives)


def warn_of_estimate(sample: Sample, estimate: ScoreEstimate) -> None:
    """Warn of an estimate whose interval is known to cover too little."""
    inputs, n_positives = estimate._inputs, estimate.n_positives
    if sample.is_single and sample.has_influences:
        warn_of_late(n_positives, estimate.score, inputs.heavy_negatives)
    elif sample.has_levels and estimate.method == "percentile":
        _warn_of_bias(n_positives, estimate.bias, estimate.standard_error)
    elif n_positives >= FEW and sample.depth < np.inf:
        _warn_of_short_cut(estimate.score, inputs.share_of[0], min(sample.depth, n_positives))


def warn_of_few_in(samples: list[Sample], scores: Iterable[float]) -> None:
    """Warn of few positives or units, and of few negatives where each of them outweighs two positives."""
    fewest = min(sample.fewest for sample in samples)
    warn_of_few(fewest, samples[0].noun)
    warn_of_few(min(sample.heavy_negatives for sample in samples), HEAVY)
    if fewest >= FEW:
        _warn_of_clusters(samples, scores)


def _warn_of_clusters(samples: list[Sample], scores: Iterable[float]) -> None:
    """Warn if a cluster of negatives outweighs the positives at the top.

    The level of a cluster is one draw. If it happens to be low, no influence tells what others would do.
    """
    for sample, score in zip(samples, scores, strict=True):
        n_positives, negatives = sample.cluster
        at_top = n_positives * score
        if negatives > max(_OUTWEIGHS * at_top, _LATE):
            warn_user(
                f"The score {score:.3g} is that of about {at_top:.2g} positives at the top, but units hold "
                f"about {negatives:.2g} negatives: few units decide the score, and 95 % intervals cover "
                "70 to 93 %. More units help."
            )
            return


def warn_of_late(n_positives: float, score: float, heavy_negatives: float) -> None:
    """Warn if hardly any positive has a good score, unless another warning says that rows are few."""
    if min(n_positives, heavy_negatives) >= FEW and n_positives * score < _LATE:
        warn_user(
            f"The score {score:.3g} of {n_positives:.4g} positives is that of about "
            f"{n_positives * score:.2g} positives at the top; below {_LATE}, 95 % intervals cover about 91 % "
            "and are long. More positives help."
        )


def warn_of_late_pair(sample: Sample, scores: tuple[float, float]) -> None:
    """Warn of percentiles of two models, if the sample may lack positives that one finds far ahead."""
    n_positives = sample.n_positives
    n_late = n_positives * min(scores)
    if sample.is_single and sample.has_influences and n_positives >= FEW and n_late < _LATE:
        warn_user(
            f"The score {min(scores):.3g} of {n_positives:.4g} positives is that of about "
            f"{n_late:.2g} positives at the top; below {_LATE}, percentiles reject up to "
            "20 % of equally good models with scores of other shapes, instead of 5 %. More positives help; "
            "method='influence' rejects too seldom."
        )


def _warn_of_short_cut(share: float, divisor: float, n_counted: float) -> None:
    """Warn if few rows above a cut count, or so few hits that the ends are those of Clopper and Pearson."""
    if np.isnan(divisor) and n_counted < _SHORT:
        warn_user(
            f"Only {n_counted:.4g} rows above the cut, or positives, count in the score; below {_SHORT}, "
            "95 % intervals of percentiles cover 87 to 95 %. More positives and a larger k help."
        )
    if min(share, 1 - share) * divisor < FEW_HITS:
        warn_user(
            f"The score is {share * divisor:.4g} of {divisor:.4g}. Below {FEW_HITS} hits or misses, the ends "
            "are those of Clopper and Pearson where they are wider than percentiles: 95 % intervals mostly "
            "cover over 98 %."
        )


def _warn_of_bias(n_positives: float, bias: float, error: float) -> None:
    """Warn if interpolated precisions, each the best of many, are too high in samples of a flat curve."""
    if n_positives >= FEW and bias > _BIASED * error > 0:
        warn_user(
            f"Bootstrap samples score {bias:.2g} more than the sample on average, over a fifth of the "
            f"standard error {error:.2g}: precision at recall levels is too high on flat curves, and 95 % "
            "intervals cover 80 to 90 %. Use average_precision_score, or more rows."
        )
