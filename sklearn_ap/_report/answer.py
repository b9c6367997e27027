"""The numbers of an answer: scores with their intervals, the positives that a budget
finds, differences, and the verdicts of gates.

`sentences` writes these numbers as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.options import read_k
from .._core.user_messages import warn_user
from .._decisions.conditions import NoThresholdError
from .._shown.orders import order_of
from .._uncertainty.chance import chance_levels
from .differences import adjusted, comparisons_of, difference_from
from .fields import Counts, FirstAnswer, Hits, ShownScore, ThresholdForCondition
from .gates import Gates, checks_of
from .looks import rows_seen
from .named_warnings import (
    in_words,
    quiet_warnings,
    reports_few,
    warn_of_parts,
    warnings_once,
)
from .scored_rows import ScoredRows

# With more queries than this, no query has an answer of its own by default, because
# computing all answers would take some seconds.
_MAX_PARTS = 1000


class AnswerOptions(NamedTuple):
    """The options of an answer: its budgets, its conditions, its gates, the rows that
    it is compared with, and which queries have an answer of their own.
    """

    budgets: Sequence[int | float] = ()
    prevalence: float | None = None
    # Conditions of thresholds, such as {"recall": 0.8}.
    conditions: Sequence[Mapping[str, float]] = ()
    earlier: ScoredRows | None = None
    # Whether each query, such as a day, gets an answer of its own.
    of_each_query: bool = False
    # With more queries than this number, no query gets an answer of its own.
    max_queries: float = _MAX_PARTS
    gates: Gates = Gates()
    # Translates advice, which is written in the words of Python, for another interface.
    words: Callable[[str], str] = str


def read_budgets(passed: Sequence[object]) -> list[int | float]:
    """Return checked budgets, without those that are None."""
    return [k for each in passed if (k := read_k(each)) is not None]


def answer_of(name: str, rows: ScoredRows, options: AnswerOptions) -> FirstAnswer:
    """Return the complete answer about rows, with the notes of `looks`."""
    answer = _answer_without_notes(name, rows, options)
    return replace(answer, _seen=rows_seen(rows, answer))


def _answer_without_notes(
    name: str, rows: ScoredRows, options: AnswerOptions
) -> FirstAnswer:
    """Return an answer without the notes of `looks`. Its `warnings` contain the text of
    each warning once.
    """
    with warnings_once() as raised:
        answer = _answer_of_whole(name, rows, options)
        answer = _with_difference(answer, rows, options)
        if rows.classes or _lists_queries(answer, rows, options):
            answer = _with_parts(answer, rows, options)
        answer = replace(answer, checks=checks_of(answer, options.gates))
    warnings = [in_words(message, options.words) for message in raised]
    return replace(answer, warnings=warnings, _words=options.words)


def _lists_queries(
    answer: FirstAnswer, rows: ScoredRows, options: AnswerOptions
) -> bool:
    """Return whether the caller asks for an answer about each query, or queries have
    totals, or they are fixed, as classes are.

    `_with_parts` skips these answers if there are too many queries.
    """
    if answer.score is None:
        return False
    is_fixed = bool(answer.score.n_fixed_queries)
    return options.of_each_query or bool(rows.totals) or is_fixed


def _with_parts(
    answer: FirstAnswer, rows: ScoredRows, options: AnswerOptions
) -> FirstAnswer:
    """Return an answer that contains the answer about each class or query. Intervals
    and p-values in these answers are adjusted for the number of their differences.
    """
    n_parts = rows.counts.queries or 0
    if n_parts > options.max_queries and not rows.classes:
        return replace(answer, n_classes_left_out=n_parts)
    # Single classes are compared with their earlier rows only if each class has a check.
    earlier: Mapping[str, ScoredRows] = {}
    if options.earlier and options.gates.of_each:
        earlier = options.earlier.parts
    parts = _adjusted_parts([*_answers_of_parts(rows, options, earlier)])
    # Classes are in the order of their labels already.
    if not rows.classes:
        order = order_of([part.name for part in parts])
        parts = sorted(parts, key=lambda part: order(part.name))
    # The interval of the mean draws days and other queries, so that few positives in
    # one of them say nothing against it.
    if answer.score and answer.score.n_fixed_queries:
        warn_of_parts(rows.counts.query_name, parts)
    gone = _classes_gone(earlier, parts, rows)
    return replace(answer, classes=parts, classes_gone=gone)


def _adjusted_parts(parts: Sequence[FirstAnswer]) -> list[FirstAnswer]:
    """Return the answers of parts with adjusted differences. The differences between
    models in all parts are adjusted together, and so are those from earlier rows.
    """
    # The adjusted differences are in the order of the parts, so each part takes its own
    # from the iterators.
    others = iter(adjusted([other for part in parts for other in part.comparisons]))
    against = iter(adjusted([part.against for part in parts if part.against]))
    return [
        replace(
            part,
            comparisons=[next(others) for _ in part.comparisons],
            against=next(against) if part.against else None,
        )
        for part in parts
    ]


def _classes_gone(
    earlier: Mapping[str, ScoredRows], parts: Sequence[FirstAnswer], rows: ScoredRows
) -> list[str]:
    """Return the classes with positives in the earlier rows that are gone: they have no
    rows now, or all their positives were missed.
    """
    present = {part.name for part in parts if not part.counts.are_all_missed}
    # A class with a total of 0 has no positives to find, so the class is not gone.
    present |= {str(query) for query, total in rows.totals.items() if not total}
    return [
        name
        for name, part in earlier.items()
        if part.counts.positives and name not in present
    ]


def _answers_of_parts(
    rows: ScoredRows, options: AnswerOptions, earlier: Mapping[str, ScoredRows]
) -> Iterator[FirstAnswer]:
    """Yield the answer for each class or query that has rows, and for each query
    without rows whose total is above 0: all its positives were missed.
    """
    for name, part in rows.parts.items():
        of_part = options._replace(earlier=earlier.get(name), gates=Gates())
        with quiet_warnings() as caught:
            answer = _answer_without_notes(name, part, of_part)
        raised: list[Any] = [warning.message for warning in caught]
        yield replace(answer, _raised=raised)
    for query, total in rows.totals.items():
        if total and str(query) not in rows.parts:
            yield FirstAnswer(
                name=str(query),
                model=rows.model,
                counts=Counts(all_positives=total),
                prevalence=options.prevalence,
                score=ShownScore(0.0),
            )


def _answer_of_whole(
    name: str, rows: ScoredRows, options: AnswerOptions
) -> FirstAnswer:
    """Return the answer about all rows: the score, the positives within the budget, the
    thresholds, and the differences between models.
    """
    counts = rows.counts
    prevalence = options.prevalence
    answer = FirstAnswer(
        name=name, model=rows.model, counts=counts, prevalence=prevalence
    )
    # The first sentence gives the reason.
    if counts.no_positives:
        return answer
    if not rows.has_influences:
        warn_user("missed positives have unknown weights, so AP has no interval")
    # Warnings name the model if there are several.
    name_in_warnings = ""
    if len(rows.scores) > 1:
        name_in_warnings = f"{counts.title} of {rows.model}"
    with warnings_once(name_in_warnings) as raised:
        score = rows.score(prevalence=prevalence)
    cuts = [_hits_of(rows, k, prevalence) for k in options.budgets]
    comparisons = []
    # If all positives were missed, all models have the score 0.
    if counts.positives:
        comparisons = comparisons_of(rows, prevalence, cuts, raised)
    return replace(
        answer,
        score=score,
        chance=_chance_of(rows, prevalence),
        pooled=None if rows.classes else _pooled(rows, prevalence),
        cut=cuts[0] if cuts else None,
        cuts=cuts,
        thresholds=[
            _threshold_for(dict(condition), rows, prevalence)
            for condition in options.conditions
        ],
        comparisons=comparisons,
        _has_few_positives=reports_few(raised),
    )


def _hits_of(rows: ScoredRows, k: int | float, prevalence: float | None) -> Hits:
    """Return the positives that a budget finds. With queries, no single threshold
    retrieves the first k rows of each query.
    """
    hits = rows.hits(k)
    if rows.counts.queries:
        return hits
    return replace(hits, threshold=rows.point(prevalence, k=k))


def _threshold_for(
    condition: dict[str, float], rows: ScoredRows, prevalence: float | None
) -> ThresholdForCondition:
    """Return the best threshold for a condition, or the reason why there is none."""
    try:
        point = rows.point(prevalence, **condition)
    except NoThresholdError as error:
        return ThresholdForCondition(condition, None, str(error))
    return ThresholdForCondition(condition, point)


def _pooled(rows: ScoredRows, prevalence: float | None) -> ShownScore | None:
    """Return the score of all rows as one ranking; None unless the mean excludes
    queries without positives, as the mean over days does.

    A user who needs the same threshold on all days needs this score. Its interval draws
    the units, or the queries if there are no units.
    """
    if rows.query_id is None or rows.totals or not isnan(rows.counts.zero_division):
        return None
    with quiet_warnings():
        return rows.as_one_ranking.score(prevalence=prevalence)


def _chance_of(rows: ScoredRows, prevalence: float | None) -> float:
    """Return the mean score of random rankings; NaN without positives, and with a
    prevalence, weights or totals of queries, for which no formula is known.
    """
    counts = rows.counts
    if prevalence is not None or counts.weight or not counts.positives:
        return nan
    if counts.queries and rows.totals:
        return nan
    levels = [level for level in chance_levels(rows.checked) if not isnan(level)]
    if not counts.queries:
        # Missed positives add nothing to AP, which divides by all positives.
        return levels[0] * (counts.positives / counts.total)
    # If `zero_division` is NaN, the score excludes queries without positives, and so
    # does `nanmean`.
    others = np.full(counts.queries_without_positives, counts.zero_division)
    return float(np.nanmean([*levels, *others]))


def _with_difference(
    answer: FirstAnswer, rows: ScoredRows, options: AnswerOptions
) -> FirstAnswer:
    """Return an answer with the difference from earlier rows, or with the reason why
    there is none.
    """
    earlier = options.earlier
    if earlier is None:
        return answer
    for where, counts in (
        ("", rows.counts),
        (f"in {earlier.name}, ", earlier.counts),
    ):
        if not counts.positives:
            why = counts.no_positives or "all positives were missed"
            return replace(answer, no_difference=where + why)
    return replace(answer, against=difference_from(earlier, rows, options.prevalence))
