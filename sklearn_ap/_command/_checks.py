"""Checks that make a build fail: a score whose interval lies below a value, or that is
lower than another one by more than a margin.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from math import isfinite, isnan
from typing import NamedTuple

from .._answer._fields import (
    AP,
    Check,
    ClassesAnswer,
    Comparison,
    Difference,
    FirstAnswer,
    Score,
    Share,
)
from ..distributed._batches import SourceError, format_value

_OF_BUDGETS = {
    "positives-found": "share_of_positives",
    "weight-found": "share_of_weight",
    "amount-found": "share_of_amount",
}


class Gate(NamedTuple):
    """The number that checks are about, and its differences from others."""

    name: str
    score: Score | Share
    differences: list[Difference]  # of this number minus another one


def gate_of_answer(
    answer: FirstAnswer | ClassesAnswer, against: Difference | None, fail_on: str | None
) -> Gate:
    """Return the score of an answer as a gate, or what its budgets find."""
    if answer.score is None:
        raise SourceError(
            f"{answer.name}: contains no positive rows, so there is no score to check"
        )
    name = chosen_measure(fail_on, {"AP": AP, "MAP": AP, **_OF_BUDGETS})
    other = answer.comparison
    if name not in _OF_BUDGETS:
        label = "the score" if fail_on is None else fail_on
        differences = [against, None if other is None else other.reversed()]
        return Gate(label, answer.score, [each for each in differences if each])
    cut = answer.cut if isinstance(answer, FirstAnswer) else None
    share = getattr(cut and cut.totals, _OF_BUDGETS[name], None)
    if share is None:
        needed = " and --amount" * (name == "amount-found")
        raise SourceError(
            f"--fail-on {name} requires -k with --per, a budget of each day{needed}"
        )
    found = other.found if isinstance(other, Comparison) else None
    if other is None or found is None or found.name != _OF_BUDGETS[name]:
        return Gate(name, share, [])
    return Gate(name, share, [replace(found.reversed(), name=other.name)])


def chosen_measure(fail_on: str | None, measures: Mapping[str, object]) -> str:
    """Return the heading of a measure, by its heading or the name of a scorer; the first
    by default.
    """
    first, *_ = measures
    by_name = {name: title for title, name in measures.items() if isinstance(name, str)}
    if fail_on is None:
        return first
    if fail_on in measures or fail_on in by_name:
        return fail_on if fail_on in measures else by_name[fail_on]
    names = [*measures, *by_name]
    near = get_close_matches(fail_on, names, n=3, cutoff=0.3) or [*measures]
    raise SourceError(
        f"--fail-on must be a measure that is printed, such as {', '.join(near)}; got "
        f"{format_value(fail_on)}"
    )


def checks_of(gate: Gate, options: Namespace) -> list[Check]:
    """Return the checks of a gate; each says whether it failed, and why."""
    checks = list[Check]()
    if options.fail_below is not None:
        checks.append(_check_of_score(gate, options.fail_below))
    if options.fail_if_lower is not None:
        if not gate.differences:
            raise SourceError(
                f"--fail-if-lower: {gate.name} has no other to compare with"
            )
        checks += [
            _check_of_difference(gate.name, difference, options)
            for difference in gate.differences
        ]
    return checks


def sentences_of_checks(checks: list[Check]) -> list[str]:
    """Return a sentence per check."""
    return [
        f"{'Fails' if check.failed else 'Passes'}: {check.why}." for check in checks
    ]


def _check_of_difference(
    name: str, difference: Difference, options: Namespace
) -> Check:
    """Return whether a number is lower than another one by more than a margin, by the
    limit of a risk.
    """
    margin, risk = options.fail_if_lower, options.fail_p
    is_equal = difference.difference == 0 and not isnan(difference.pvalue)
    if not (isfinite(difference.at_most) or is_equal):
        raise SourceError(
            f"--fail-if-lower: the difference to {difference.name} has no interval"
        )
    failed = difference.at_most < -margin
    why = (
        f"{name} is lower than that of {difference.name} by more than {margin:g} "
        f"(one-sided p < {risk:g})"
    )
    why = why if failed else f"no evidence that {why}"
    return Check(option="--fail-if-lower", value=margin, failed=failed, why=why)


def _check_of_score(gate: Gate, least: float) -> Check:
    """Return whether the interval of a number lies below a value."""
    if isnan(gate.score.high):
        raise SourceError(
            f"--fail-below requires an interval, and these rows determine none of {gate.name}"
        )
    is_below = gate.score.high < least
    text = f"the interval of {gate.name} {'lies' if is_below else 'does not lie'} below {least:g}"
    return Check(option="--fail-below", value=least, failed=is_below, why=text)
