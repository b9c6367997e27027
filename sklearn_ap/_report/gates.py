"""Verdicts of gates, which make a build fail: a score that is below a value, or lower
than another one by more than a margin, where a one-sided test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import NamedTuple

from .._shown.numbers import format_pvalue
from .._shown.sources import SourceError
from .._uncertainty.comparisons import risks_of
from .._uncertainty.ends import Ends
from .._uncertainty.results import ScoreComparison, ScoreEstimate
from .fields import Check, FirstAnswer
from .sentences import query_words

_BELOW = "--fail-below"
_IF_LOWER = "--fail-if-lower"


class Gates(NamedTuple):
    """What a score must not be."""

    below: float | None = None
    lower_by: float | None = None  # than another one, or than earlier rows
    level: float = 0.05  # the p-value up to which each fails
    of_each: bool = False  # class, in place of their mean


def checks_of(answer: FirstAnswer, gates: Gates) -> list[Check]:
    """Return the checks of the score of an answer, or those that its classes fail."""
    checks = []
    for option, value in ((_BELOW, gates.below), (_IF_LOWER, gates.lower_by)):
        if value is None:
            continue
        undefined = answer.counts.no_positives
        if option == _IF_LOWER:
            undefined = undefined or answer.no_difference
            if not answer.comparisons and not answer.against:
                undefined = undefined or "all positives were missed"
        if undefined:
            why = f"{undefined}; join days, or take --per day"
            checks.append(Check(option, value, None, why))
        elif gates.of_each:
            checks += _checks_of_each(answer, option, value, gates.level)
        else:
            claims = _claims_of("the score", answer, option, value)
            checks += [_tested(claim, gates.level) for claim in claims]
    return checks


def _tested(claim: Check, level: float) -> Check:
    """Return the check of a claim, which fails up to a level of its p-value; without an
    interval, it would pass or fail by chance.
    """
    if isnan(claim.pvalue):
        why = (
            f"these rows determine no interval that says whether {claim.why}; add "
            "positives"
        )
        return replace(claim, why=why, level=level)
    failed = claim.pvalue <= level
    why = f"{'' if failed else 'no evidence that '}{claim.why}"
    why += f" (one-sided p {format_pvalue(claim.pvalue, level)}, level {level:.3g})"
    return replace(claim, failed=failed, why=why, level=level)


def _claims_of(
    name: str, answer: FirstAnswer, option: str, value: float
) -> Iterator[Check]:
    """Yield the claims that an option checks, with their one-sided p-values: that a
    score is below the value, or lower than each other one by more than it.
    """
    if option == _BELOW:
        estimate = answer.score._estimate if answer.score else None
        number = estimate.score if estimate else nan
        _, pvalue = _risks(estimate, number, value)
        yield Check(option, value, None, f"{name} is below {value:g}", pvalue)
        return
    # The difference from earlier rows is that of this score; of another model, its own.
    for other in filter(None, (answer.against, *answer.comparisons)):
        test = other._test
        if test and other.difference == test.standard_error == 0 <= other.pvalue:
            test = None  # equal, although no unit says how sure that is
        if other is answer.against:
            _, pvalue = _risks(test, other.difference, -value)
        else:
            pvalue, _ = _risks(test, other.difference, value)
        words = f"{name} is lower than that of {other.name} by more than {value:g}"
        yield Check(option, value, None, words, pvalue)


def _risks(
    result: ScoreEstimate | ScoreComparison | None, number: float, limit: float
) -> tuple[float, float]:
    """Return the p-values of a limit that the number is at most, and at least; a number
    without a result is exact.
    """

    def ends_at(tail: float) -> Ends:
        return result._interval(1 - 2 * tail) if result else (number, number)

    return risks_of(ends_at, number, limit)


def _checks_of_each(
    answer: FirstAnswer, option: str, value: float, level: float
) -> Sequence[Check]:
    """Return the checks that classes fail, where the mean could hide a fall; or that
    none fails.
    """
    noun = answer.counts.query_name
    if not answer.score or not answer.score.n_fixed_queries:
        raise SourceError(
            f"--fail-each requires several rows, or units of --unit-id, in each "
            f"{noun}: these are drawn, and a check is of their mean"
        )
    # Rows of a class without positives say nothing, unless their total is known.
    found = [part for part in answer.classes if part.counts.positives]
    missed = [
        part.name
        for part in answer.classes
        if part.counts.total and not part.counts.positives
    ]
    lost = answer.classes_gone
    never = ""
    if option == _BELOW:
        lost = [*dict.fromkeys([*missed, *lost])]
    elif missed := [name for name in missed if name not in lost]:
        # A class that nobody finds is no loss.
        never = f"; no positive of {', '.join(missed)} is found, now or before"
    failing = [
        Check(option, value, True, f"no positive of {name} was found") for name in lost
    ]
    claims = [
        claim
        for part in found
        for claim in _claims_of(f"AP of {part.name}", part, option, value)
    ]
    failing += _failing_by_holm(claims, level)
    n_classes = query_words(noun, len(found) + len(lost))
    why = f"no {noun} fails {option} {value:g}, by Holm over {n_classes}{never}"
    return failing or [Check(option, value, False, why)]


def _failing_by_holm(claims: Sequence[Check], risk: float) -> Iterator[Check]:
    """Yield the checks of classes that fail; these leave their risk to others. First
    are those without an answer.
    """
    tested = sorted(claims, key=lambda claim: (claim.pvalue >= 0, claim.pvalue))
    for n_failed, claim in enumerate(tested):
        check = _tested(claim, risk / (len(tested) - n_failed))
        if check.failed is False:
            return
        yield check
