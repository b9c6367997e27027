"""A score with its uncertainty: standard errors from influences, or from a bootstrap."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._averaging import lone_ranking
from .._reading import check_option, is_real, read_zero_division
from .._typing import FloatArray, ScoreFunction, UncertaintyMethod
from ._asked import asked, read_rows
from ._draws import generator_of
from ._influence import has_slopes, moments_of
from ._results import ScoreEstimate
from ._sample import Sample
from ._spread import degrees_of_freedom, spread_of, warn_of_few

__all__ = ["Progress", "distribution_of", "estimate_score", "read_n_resamples", "watched"]

Progress = bool | Callable[[int, int], object]
_METHODS = ("auto", "influence", "percentile", "bca")
_BAR = 40  # characters


def estimate_score(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: UncertaintyMethod = "auto",
    unit_id: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: int | RandomState | Generator | None = None,
    progress: Progress = False,
    **score_func_params: Any,
) -> ScoreEstimate:
    """DOC"""
    check_option("method", method, _METHODS)
    n_resamples, rng = read_n_resamples(n_resamples), generator_of(random_state)
    if method in ("auto", "influence") and unit_id is None:
        at_once = _at_once(score_func, y_true, y_score, score_func_params)
        if at_once is not None:
            return at_once
    question = asked(score_func, y_true, y_score, unit_id, **score_func_params)
    each = []
    for sample, score in zip(question.samples, np.ravel(question.score).tolist(), strict=True):
        if method == "influence" or (method == "auto" and sample.has_influences):
            each.append(_by_influence(sample, score))
        else:
            chosen = "percentile" if method == "auto" else method
            each.append(
                _by_bootstrap(sample, score, chosen, distribution_of(sample, n_resamples, rng, progress))
            )
    warn_of_few(min(one.n_positives for one in each), question.samples[0].noun)
    return _stacked(each) if question.is_array else each[0]


def _at_once(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, params: Mapping[str, Any]
) -> ScoreEstimate | None:
    """Return the estimate of a single ranking of rows that weigh the same, in one walk over its steps.

    Here the score itself is a part of the walk, so the estimate takes little longer than the score alone.
    None if there are weights, queries, totals or columns, or no slopes.
    """
    rows = read_rows(score_func, y_true, y_score, params)
    if rows is None or not has_slopes(rows.definition) or rows.definition.prevalence is not None:
        return None
    checked, n_positives = rows.checked, rows.arguments.get("n_positives")
    if checked.positive.ndim > 1 or checked.query is not None or checked.weight is not None:
        return None
    if n_positives is not None or not np.count_nonzero(checked.positive):
        return None
    read_zero_division(rows.arguments.get("zero_division", 0.0))
    ranking = lone_ranking(rows.definition, checked)
    moments, found = moments_of(rows.definition, ranking), ranking.n_found.item()
    warn_of_few(found, "positives")
    n_rows = checked.score.size
    df = degrees_of_freedom(moments.second, moments.fourth, n_rows, found)
    return ScoreEstimate(moments.score, moments.second**0.5, df, found, n_rows, "influence", moments.bias)


def _by_influence(sample: Sample, score: float) -> ScoreEstimate:
    if not sample.has_influences:
        raise ValueError(
            "method='influence' needs a score with influence values: the area of a whole ranking, or a mean "
            "over queries or samples; use method='percentile'."
        )
    spread = spread_of(sample.influences(), sample.n_positives)
    n_units = sample.n_units + sample.n_missed
    return ScoreEstimate(score, *spread, sample.n_positives, n_units, "influence", sample.bias())


def _by_bootstrap(sample: Sample, score: float, method: str, drawn: FloatArray) -> ScoreEstimate:
    acceleration = np.nan
    if method == "bca":
        if not sample.has_influences:
            raise ValueError(
                "method='bca' needs a score with influence values, which say how skewed it is: the area of a "
                "whole ranking, or a mean over queries or samples; use method='percentile'."
            )
        influences = sample.influences()
        acceleration = influences.power(3) / (6 * influences.power(2) ** 1.5)
    kept = drawn[~np.isnan(drawn)]
    return ScoreEstimate(
        score,
        float(kept.std(ddof=1)) if kept.size > 1 else np.nan,
        np.nan,
        sample.n_positives,
        sample.n_units + sample.n_missed,
        method,
        float(kept.mean() - score) if kept.size else np.nan,
        drawn.size - kept.size,
        kept,
        acceleration,
    )


def distribution_of(
    sample: Sample, n_resamples: int, rng: Generator, progress: Progress = False
) -> FloatArray:
    """Return the scores of bootstrap samples, NaN where they hold no positive."""
    drawn = list(watched(sample.resampled(n_resamples, rng), n_resamples, progress))
    return np.concatenate(drawn)


def watched(parts: Iterator[FloatArray], total: int, progress: Progress) -> Iterator[FloatArray]:
    """Yield the parts, and say how many of all resamples are done."""
    done = 0
    for part in parts:
        yield part
        done += len(part)
        if callable(progress):
            progress(done, total)
        elif progress:
            bar = "#" * (_BAR * done // total)
            end = "\n" if done == total else ""
            print(f"\r[{bar:<{_BAR}}] {done:,} of {total:,} resamples", end=end, file=sys.stderr, flush=True)


def read_n_resamples(n_resamples: object) -> int:
    """Check the number of bootstrap samples: an integer of at least 1."""
    if is_real(n_resamples) and n_resamples >= 1 and n_resamples == int(n_resamples):
        return int(n_resamples)
    raise ValueError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")


def _stacked(each: list[ScoreEstimate]) -> ScoreEstimate:
    """Return the estimates of several rankings as one, with arrays."""
    drawn = [one.bootstrap_distribution for one in each]
    shortest = min((one.size for one in drawn if one is not None), default=0)
    return ScoreEstimate(
        *(np.array([getattr(one, name) for one in each]) for name in ("score", "standard_error", "df")),
        n_positives=np.array([one.n_positives for one in each]),
        n_units=min(one.n_units for one in each),
        method=each[0].method,
        bias=np.array([one.bias for one in each]),
        n_dropped=max(one.n_dropped for one in each),
        bootstrap_distribution=np.stack([one[:shortest] for one in drawn]) if shortest else None,
        acceleration=each[0].acceleration,
    )
