"""Verdicts of gates, which make a build fail: a score that is below a value, or lower
than another one by more than a margin, where a one-sided test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import NamedTuple

from .._shown.numbers import format_pvalue, interval_texts
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
            checks += [
                _tested(claim, gates.level, with_interval=True) for claim in claims
            ]
    return checks


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """That a score is below a value, or lower than another one by more than a value."""

    option: str
    value: float
    words: str
    # The score, or how far it is above the other one: it is claimed to be below the
    # limit. Without a result, it is exact.
    number: float
    limit: float
    result: ScoreEstimate | ScoreComparison | None
    is_of_other: bool = False  # whether the result is how far the other one is above
    other: str = ""

    def ends(self, level: float) -> Ends:
        """Return the ends of the interval of the number."""
        low, high = self.number, self.number
        if self.result is not None:
            low, high = self.result._interval(level)
            if self.is_of_other:
                low, high = -high, -low
        return low, high

    @cached_property
    def pvalue(self) -> float:
        """The one-sided p-value of a number that is at least the limit. That of a limit
        of 0 is half of that of equal models; others are where the interval ends.
        """
        if isinstance(self.result, ScoreComparison) and not self.limit:
            half = self.result.pvalue / 2
            return half if self.number < 0 else 1 - half
        _, pvalue = risks_of(
            lambda tail: self.ends(1 - 2 * tail), self.number, self.limit
        )
        return pvalue

    def interval_words(self, level: float) -> str:
        """Return the interval that does not contain the limit if and only if the claim
        fails at a level of its p-value.
        """
        level = 1 - 2 * level
        is_difference = bool(self.other)
        _, *ends = interval_texts(
            self.number, *self.ends(level), is_difference=is_difference
        )
        of_what = "of the difference " * is_difference
        return f"{100 * level:.4g} % interval {of_what}{' to '.join(ends)}, "


def _tested(claim: _Claim, level: float, *, with_interval: bool) -> Check:
    """Return the check of a claim, which fails up to a level of its p-value; without an
    interval, it would pass or fail by chance.
    """
    check = Check(
        claim.option, claim.value, None, claim.words, claim.pvalue, level, claim.other
    )
    if isnan(claim.pvalue):
        why = (
            f"these rows determine no interval that says whether {claim.words}; add "
            "positives"
        )
        return replace(check, why=why)
    failed = claim.pvalue <= level
    test = f"one-sided p {format_pvalue(claim.pvalue, level)}, level {level:.3g}"
    why = f"no evidence that {claim.words} ({test})"
    if failed:
        interval = claim.interval_words(level) if with_interval else ""
        why = f"{claim.words}, statistically significant ({interval}{test})"
    return replace(check, failed=failed, why=why)


def _claims_of(
    name: str, answer: FirstAnswer, option: str, value: float
) -> Iterator[_Claim]:
    """Yield the claims that an option checks."""
    if option == _BELOW:
        estimate = answer.score._estimate if answer.score else None
        yield _Claim(
            option=option,
            value=value,
            words=f"{name} is below {value:g}",
            number=estimate.score if estimate else nan,
            limit=value,
            result=estimate,
        )
        return
    for other in filter(None, (answer.against, *answer.comparisons)):
        test = other._test
        if test and other.difference == test.standard_error == 0 <= other.pvalue:
            test = None  # equal, although no unit says how sure that is
        # The difference from earlier rows is that of this score; of another model, its
        # own.
        is_of_other = other is not answer.against
        yield _Claim(
            option=option,
            value=value,
            words=f"{name} is lower than that of {other.name} by more than {value:g}",
            number=-other.difference if is_of_other else other.difference,
            limit=-value,
            result=test,
            is_of_other=is_of_other,
            other=other.name,
        )


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


def _failing_by_holm(claims: Sequence[_Claim], risk: float) -> Iterator[Check]:
    """Yield the checks of classes that fail; these leave their risk to others. First
    are those without an answer.
    """
    tested = sorted(claims, key=lambda claim: (claim.pvalue >= 0, claim.pvalue))
    for n_failed, claim in enumerate(tested):
        level = risk / (len(tested) - n_failed)
        check = _tested(claim, level, with_interval=False)
        if check.failed is False:
            return
        yield check
