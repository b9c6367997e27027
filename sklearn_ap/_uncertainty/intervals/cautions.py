"""Warnings about samples whose intervals or p-values may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from ..._core.reading.values import read_on_host
from ..._core.user_messages import warn_user
from .. import rules
from ..sampling.by_unit import n_equal, norm_of
from ..sampling.levels import levels_of
from ..sampling.ranking import Ranking
from ..sampling.sample import Sample
from ..sampling.score_call import ScoreCall


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a p-value may be wrong, because of the sample.

    Parameters
    ----------
    message : str, default=''
        The reason, and what to do.

    code : str, default=''
        Kind of the warning, which is also an attribute.

        - ``'few_positives'``: there are too few positives, units that contain a
          positive, rows at recall level 0, or positives whose scores differ between two
          models.
        - ``'few_levels'``: two models with many positives are compared at few recall
          levels, such as eleven, which finds few differences. Or positives were missed,
          and a single recall level moves the score by more than its standard error.
        - ``'missing_negatives'``: a few units contain most negatives. Or two
          independent samples are compared, and all positives of one of them weigh as
          much as a few negatives, such as at a low prevalence. Other negatives with
          high scores may be missing from the sample.
        - ``'dependent_weights'``: negatives with high scores are much heavier than
          others.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_ap import UncertaintyWarning, estimate_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [5, 4, 3, 2, 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     estimate = estimate_score("average_precision", y_true, y_score)
    ...
    >>> [warning.message.code for warning in caught]
    ['few_positives']
    """

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


def warn_uncertain(code: str, text: str) -> None:
    """Warn with an `UncertaintyWarning`, at the line of the user that called this
    package.
    """
    warn_user(UncertaintyWarning(text, code))


def warn_of_few(n_effective: float, noun: str, least: float, advice: str = "") -> None:
    """Warn if the effective number of positives, units or rankings is below `least`;
    `noun` names them in the message.
    """
    if n_effective < least:
        warn_uncertain(
            "few_positives",
            f"The sample has too few {noun} ({n_effective:.3g}) to estimate the "
            f"variation between samples. Add more.{advice}",
        )


def n_effective_distinct(sample: Sample) -> float:
    """Return the effective number of positives that were found, in the ranking that has
    the fewest. Positives of a unit that have equal scores are not distinct, and count
    as one.

    Infinity means that they were not counted, since they would have to be sorted. They
    are counted only if a warning may follow: because they are few, or because they are
    many and the first one reaches a large share of the recall levels.
    """
    # There are at least as many positives as units that contain one.
    has_few = sample.least_n_effective < rules.FEWEST_POSITIVES
    if not has_few and sample.share_at_first < rules.LARGE_SHARE_AT_FIRST:
        return inf
    rankings = [part.ranking for part in sample.rankings_mean.parts]
    found = [
        n_equal(each.weights_of_distinct_positives)
        for each in rankings
        if each.positive.any()
    ]
    return min(found, default=inf)


def warn_of_sample(sample: Sample, n_distinct: float) -> None:
    """Warn if the units of a sample are too few. For the area of a ranking whose units
    are clusters, warn instead if its positives are too few, or if a few clusters
    contain most negatives. `n_distinct` is the number of positives, as
    `n_effective_distinct` returns it.
    """
    definition, parts = sample.call.definition, sample.rankings_mean.parts
    is_area = definition.is_whole and definition.level is None
    # Whether the units of a single ranking are clusters of rows.
    has_clusters = len(parts) == 1 and not parts[0].ranking.by_rows
    has_clusters &= sample.contributions.n_units > 1
    if is_area and has_clusters and sample.n_units_per_row == 1:
        # In simulations, intervals of areas of few units cover as often as they should.
        # So few units are no reason for a warning here, unless their positives are few.
        _warn_of_clusters(parts[0].ranking)
        warn_of_few(n_distinct, "positives", rules.FEWEST_POSITIVES)
        return
    advice = ""
    if sample.contributions.is_read_as_mean and sample.n_units_per_row == 1:
        advice = (
            " If these are all there are, such as two sexes, they are fixed and their "
            "rows are drawn: pass unit_id, such as the number of each row."
        )
    warn_of_few(
        sample.least_n_effective, sample.noun_of_least, rules.FEWEST_POSITIVES, advice
    )


def warn_of_first_level(call: ScoreCall, error: float) -> None:
    """Warn if the score of recall levels is imprecise because of the level 0, where the
    precision is the best one of all thresholds.

    This best precision depends on few rows. Its error is estimated by the larger of two
    numbers: its distance from the precision at the next level, and half of its distance
    from 1, since the precision of the best rows of the population is unknown. `error`
    is the standard error of the score.
    """
    n_levels = call.definition.levels
    # If `levels` is not a number, the score has no levels, or the caller chose them.
    if not isinstance(n_levels, int):
        return
    at_level_0, at_next_level = (
        replace(
            call, definition=replace(call.definition, levels=np.array([level]))
        ).score
        for level in (0, 1 / (n_levels - 1))
    )
    error_at_level_0 = max(at_level_0 - at_next_level, (1 - at_level_0) / 2)
    if error_at_level_0 > n_levels * error > 0:
        warn_uncertain(
            "few_positives",
            "The score depends mostly on recall level 0: the best precision at any "
            f"threshold is {at_level_0:.2g} in this sample. This precision depends on "
            "few rows, and may be very different in the population. Pass more "
            "recall_levels, or recall_levels=None.",
        )


def warn_of_last_level(samples: Sequence[Sample], error: float) -> None:
    """Warn if positives were missed, and a single recall level moves the score, or the
    difference of two samples, by more than its standard error.

    The best precision falls to 0 at the last recall. So other samples reach a level
    more or less, and the score has a jump there, whose error no derivative shows.
    """
    definition = samples[0].call.definition
    levels = levels_of(definition)
    # The interval of a score of one level contains this jump (`recalls`).
    if levels is None or definition.level is not None:
        return
    for sample in samples:
        mean = sample.rankings_mean
        falls = [
            share * part.ranking.groups.last_precision
            for share, part in zip(mean.shares, mean.parts, strict=True)
            if part.ranking.n_missed
        ]
        if norm_of(np.array(falls)) > rules.MOST_PER_LEVEL * levels.size * error:
            warn_uncertain(
                "few_levels",
                "Positives were missed. So other samples may reach one of "
                f"{levels.size} recall levels more, or one less, which moves the score "
                "by more than its standard error. Pass more recall_levels, or "
                "recall_levels=None.",
            )
            return


def _warn_of_clusters(ranking: Ranking) -> None:
    """Warn if there are many units, and a few of them contain most negatives. Negatives
    of a unit have similar scores, so the result depends on few independent scores.
    """
    of_units = ranking.sums_of_units(ranking.weight - ranking.found)
    n_effective, n_units = n_equal(of_units), np.count_nonzero(of_units)
    if (
        n_effective < rules.FEWEST_CLUSTERS
        and n_units >= rules.TIMES_MORE * n_effective
    ):
        warn_uncertain(
            "missing_negatives",
            f"A few units contain most negatives: the effective number of units is "
            f"{n_effective:.2g}, of {n_units:,} units. Intervals may be too narrow. "
            "Add units drawn at random.",
        )


def warn_of_heavy_negatives(samples: Sequence[Sample]) -> None:
    """Warn if all positives of one of two independent samples weigh as much as a few
    negatives. Such a sample is likely to lack negatives that rank high.
    """
    parts = [part for each in samples for part in each.rankings_mean.parts]
    n_as_heavy = min(
        (
            part.ranking.n_positives / part.negative_event.weight
            for part in parts
            if part.excess
        ),
        default=inf,
    )
    if n_as_heavy < rules.FEWEST_AS_HEAVY:
        warn_uncertain(
            "missing_negatives",
            "Negatives are few and heavy: all positives of a sample weigh as much as "
            f"{n_as_heavy:.2g} of them. So equal models may be found to differ. Add "
            "negatives or, with prevalence, pass a higher one.",
        )


def warn_of_rows(samples: Sequence[Sample]) -> None:
    """Warn if weights depend on scores, or if scores are labels. `samples` are those of
    several models on the same rows, or of one model.
    """
    if any(map(_weights_depend_on_scores, samples)):
        warn_uncertain(
            "dependent_weights",
            "sample_weight depends on y_score: negatives with high scores have large "
            "weights, so the score depends mostly on few of them, and its interval may "
            "be too narrow. Draw rows in proportion to their weights, from hundreds of "
            "times as many rows, and omit sample_weight.",
        )
    for sample in samples:
        if _scores_are_labels(sample.call):
            low, high = sample.call.scaled_rows.bounds
            # Predicted labels do not make the interval wrong, so their warning is not
            # an `UncertaintyWarning`.
            warn_user(
                f"Scores are nothing but the labels {low:g} and {high:g}, so the rows "
                "form two groups of equal scores."
            )
            # All models have the same labels.
            return


def _weights_depend_on_scores(sample: Sample) -> bool:
    """Return whether negatives with high scores have much larger weights than other
    negatives, so that the score depends on few rows.
    """
    checked = sample.call.scaled_rows
    positive, score, weight = checked.positive, checked.score, checked.weight
    if weight is None or positive.ndim > 1 or checked.query is not None:
        return False
    is_top = ~positive & (score > np.median(score[positive]))
    if sample.n_distinct(is_top) < rules.FEWEST_AT_TOP:
        return False
    limit = rules.TIMES_HEAVIER * weight[~positive].mean()
    return bool(weight[is_top].mean() > limit)


def _scores_are_labels(call: ScoreCall) -> bool:
    """Return whether scores are labels, as `cross_val_predict` returns them without a
    `method`.
    """
    checked, labels = call.scaled_rows, [*call.scaled_rows.bounds]
    if checked.positive.ndim > 1 or not np.isin(checked.score, labels).all():
        return False
    distinct: list[Any] = np.unique(read_on_host("y_true", call.inputs.y_true)).tolist()
    return distinct == labels
