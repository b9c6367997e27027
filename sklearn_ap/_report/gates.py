"""Verdicts of gates, which make a build fail.

A gate fails if a one-sided test shows that a score is below a value, or lower than
another score by more than a margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import NamedTuple

from .._shown.numbers import count_words, format_pvalue, interval_texts
from .._shown.sources import SourceError
from .._uncertainty.comparisons import risks_of
from .._uncertainty.endpoints import Endpoints
from .._uncertainty.results import ScoreComparison, ScoreEstimate
from .fields import Against, Check, FirstAnswer

_BELOW = "--fail-below"
_IF_LOWER = "--fail-if-lower"


class Gates(NamedTuple):
    """The gates that a caller asks for; no gate by default."""

    # The score must not be below this value.
    below: float | None = None
    # The score must not be lower than the score of another model, or of earlier rows,
    # by more than this margin.
    lower_by: float | None = None
    # A gate fails if its p-value is at most this significance level.
    alpha: float = 0.05
    # Whether each class is checked, in place of the mean over classes.
    of_each: bool = False


def checks_of(answer: FirstAnswer, gates: Gates) -> list[Check]:
    """Return the checks of the score of an answer; if each class is checked, those of
    the classes that do not pass.
    """
    checks = []
    for option, value in ((_BELOW, gates.below), (_IF_LOWER, gates.lower_by)):
        if value is None:
            continue
        if reason := _reason_of_no_test(answer, option):
            why = f"{reason}; combine the rows of several days, or use --per day"
            checks.append(Check(option, value, None, why))
        elif gates.of_each:
            checks += _checks_of_each(answer, option, value, gates.alpha)
        else:
            subject = "the score"
            if answer.comparisons:
                subject = f"{answer.counts.title} of {answer.model}"
            of_option = [
                _tested(claim, gates.alpha, with_interval=True)
                for claim in _claims_of(subject, answer, option, value)
            ]
            if (
                option == _IF_LOWER
                and answer.against
                and len(answer.against.tested) > 1
            ):
                first, own, *others = of_option
                of_option = [_of_both(first, own, answer.against), *others]
            checks += of_option
    return checks


def _of_both(check: Check, own: Check, against: Against) -> Check:
    """Return one check for the differences from earlier rows at their share of
    positives and at the share of each file.

    If only the second check fails, there is no verdict. Either false alarms of the
    model have changed the share of positives, or it has changed by itself.
    """
    if check.failed or not own.failed:
        return check
    why = (
        f"{own.why}, but not at the share of {against.name}: if the share changed by "
        f"itself, write --prevalence {against.earlier_share:.3g}; if a model made the "
        "rows, write --n-positives, which counts the positives that it missed, too"
    )
    return replace(own, failed=None, why=why)


def _reason_of_no_test(answer: FirstAnswer, option: str) -> str:
    """Return the reason why the gate of an option has no test; empty if it has one."""
    counts = answer.counts
    if counts.no_positives or option == _BELOW:
        return counts.no_positives
    if answer.no_difference or answer.comparisons or answer.against:
        return answer.no_difference
    return "all positives were missed"


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """The claim that a number is below a limit. The gate fails if the claim is
    statistically significant.

    The number is a score, or a score minus another score.
    """

    option: str
    value: float
    # The claim in words, such as "the score" and "is below 0.8".
    subject: str
    predicate: str
    number: float
    limit: float
    # Result with the interval of the number; None if the number is exact.
    result: ScoreEstimate | ScoreComparison | None
    # Whether `result` is the other score minus this score. Then `number` is its
    # negative.
    is_of_other: bool = False
    # Name of the model or file of the other score.
    other: str = ""
    # Whether a warning reports too few positives.
    has_few_positives: bool = False

    def endpoints(self, confidence_level: float) -> Endpoints:
        """Return the endpoints of the interval of the number."""
        low, high = self.number, self.number
        if self.result is not None:
            low, high = self.result._interval(confidence_level)
            if self.is_of_other:
                low, high = -high, -low
        return low, high

    @property
    def words(self) -> str:
        """The claim in words."""
        return f"{self.subject} {self.predicate}"

    @cached_property
    def pvalue(self) -> float:
        """One-sided p-value of the hypothesis that the number is at least the limit."""
        # For a limit of 0, the p-value follows from the two-sided test of equal models.
        # For another limit, the p-value is the tail probability of the interval that
        # has the limit as an endpoint.
        if isinstance(self.result, ScoreComparison) and not self.limit:
            half = self.result.pvalue / 2
            return half if self.number < 0 else 1 - half
        _, pvalue = risks_of(
            lambda tail: self.endpoints(1 - 2 * tail), self.number, self.limit
        )
        return pvalue

    def interval_words(self, alpha: float) -> str:
        """Return the interval in words. It excludes the limit if and only if the claim
        is significant at the one-sided significance level `alpha`.
        """
        confidence_level = 1 - 2 * alpha
        is_difference = bool(self.other)
        _, low, high = interval_texts(
            self.number, *self.endpoints(confidence_level), is_difference=is_difference
        )
        of_what = "of the difference " if is_difference else ""
        return f"{100 * confidence_level:.4g} % interval {of_what}{low} to {high}, "


def _tested(claim: _Claim, alpha: float, *, with_interval: bool) -> Check:
    """Return the check of a claim. It fails if the p-value is at most `alpha`, and has
    no verdict if the p-value is NaN, or if it would pass and there are too few
    positives.
    """
    failed = None
    if isnan(claim.pvalue):
        why = (
            f"these rows determine no interval that shows whether {claim.words}; add "
            "positives"
        )
    else:
        failed = claim.pvalue <= alpha
        test = f"one-sided p {format_pvalue(claim.pvalue, alpha)}, level {alpha:.3g}"
        # The interval of a gate that passes shows which losses it cannot see.
        seen = ""
        if with_interval:
            test = claim.interval_words(alpha) + test
            seen = "; a true value anywhere in this interval would pass"
        why = f"no evidence that {claim.words} ({test}){seen}"
        if failed:
            why = f"{claim.words}, statistically significant ({test})"
        elif claim.has_few_positives:
            failed = None
            why = f"too few positives to show whether {claim.words} ({test})"
    return Check(
        claim.option, claim.value, failed, why, claim.pvalue, alpha, claim.other
    )


def _claims_of(
    subject: str, answer: FirstAnswer, option: str, value: float
) -> Iterator[_Claim]:
    """Yield the claims that an option tests. `subject` names the score of the answer."""
    if option == _BELOW:
        estimate = answer.score._estimate if answer.score else None
        yield _Claim(
            option=option,
            value=value,
            subject=subject,
            predicate=f"is below {value:g}",
            number=estimate.score if estimate else nan,
            limit=value,
            result=estimate,
            has_few_positives=answer._has_few_positives,
        )
        return
    against = answer.against.tested if answer.against else []
    for other in (*against, *answer.comparisons):
        test = other._test
        # If the difference and its standard error are 0, both models agree on every
        # unit, so the difference is exact. A p-value that is NaN means that the rows
        # determine no standard error.
        is_zero = other.difference == 0 and not isnan(other.pvalue)
        if is_zero and test and test.standard_error == 0:
            test = None
        # `against` is this score minus the score of earlier rows. A comparison is the
        # score of the other model minus this score.
        is_of_other = not isinstance(other, Against)
        yield _Claim(
            option=option,
            value=value,
            subject=subject,
            predicate=f"is lower than that of {other.name} by more than {value:g}",
            number=-other.difference if is_of_other else other.difference,
            limit=-value,
            result=test,
            is_of_other=is_of_other,
            other=other.name,
            has_few_positives=answer._has_few_positives or other._has_few_positives,
        )


def _checks_of_each(
    answer: FirstAnswer, option: str, value: float, alpha: float
) -> Sequence[Check]:
    """Return the checks of the classes that do not pass. If all classes pass, return
    one check that passes.

    The mean over classes could hide that one class has become worse.
    """
    noun = answer.counts.query_name
    if not answer.score or not answer.score.n_fixed_queries:
        raise SourceError(
            f"--fail-each requires several rows, or units of --unit-id, in each "
            f"{noun}, because the test of a {noun} draws them"
        )
    # A class without a positive row has no score. If its total is above 0, all its
    # positives were missed.
    found = [part for part in answer.classes if part.counts.positives]
    missed = [part.name for part in answer.classes if part.counts.are_all_missed]
    gone = answer.classes_gone
    if option == _BELOW:
        lost = [*dict.fromkeys([*missed, *gone])]
        never_found = []
    else:
        lost = gone
        # A class without a positive in the earlier rows has lost nothing, if none of
        # its positives is found now.
        never_found = [name for name in missed if name not in gone]
    claims = [
        claim
        for part in found
        for claim in _claims_of(f"AP of {noun} {part.name}", part, option, value)
    ]
    not_passing = [
        Check(option, value, True, f"no positive of {noun} {name} was found")
        for name in lost
    ]
    not_passing += _undecided(claims, alpha)
    not_passing += _failing_by_holm(claims, alpha)
    if not_passing:
        return not_passing
    few = [claim.subject for claim in claims if claim.has_few_positives]
    n_classes = count_words(noun, len(found) + len(lost))
    why = f"no {noun} fails {option} {value:g}, by Holm over {n_classes}"
    if never_found:
        listed = ", ".join(never_found)
        why += f"; no positive of {noun} {listed} is found, now or before"
    if few:
        why += f"; too few positives of {', '.join(dict.fromkeys(few))}"
    return [Check(option, value, None if len(few) == len(claims) else False, why)]


def _undecided(claims: Sequence[_Claim], alpha: float) -> Iterator[Check]:
    """Yield a check without a verdict for the classes without a p-value. Claims with
    the same predicate share a check, because they have the same reason.
    """
    by_predicate = dict[str, list[_Claim]]()
    for claim in claims:
        if isnan(claim.pvalue):
            by_predicate.setdefault(claim.predicate, []).append(claim)
    for of_classes in by_predicate.values():
        subject = " or ".join(claim.subject for claim in of_classes)
        together = replace(of_classes[0], subject=subject)
        yield _tested(together, alpha, with_interval=False)


def _failing_by_holm(claims: Sequence[_Claim], risk: float) -> Iterator[Check]:
    """Yield the checks of classes that fail by Holm's method."""
    decided = [claim for claim in claims if not isnan(claim.pvalue)]
    tested = sorted(decided, key=lambda claim: claim.pvalue)
    for n_failed, claim in enumerate(tested):
        # Holm's method divides the risk by the number of claims that have not failed.
        alpha = risk / (len(tested) - n_failed)
        check = _tested(claim, alpha, with_interval=False)
        if not check.failed:
            return
        yield check
