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
    share_of,
)
from .._answer._numbers import (
    Question,
    ScoredRows,
    against_of,
    answer_of,
    quiet_warnings,
    rows_by_query,
)
from .._answer._sentences import SIGNIFICANCE_LEVEL, query_words
from ..distributed._batches import SourceError, format_value
from ._options import option_name

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
        return Gate(name, share_of(share), [])
    return Gate(name, share_of(share), [replace(found.reversed(), name=other.name)])


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
        f"(one-sided p < {risk:.3g})"
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


def checks_of_each(
    answer: FirstAnswer | ClassesAnswer,
    rows: ScoredRows,
    earlier: ScoredRows | None,
    question: Question,
    options: Namespace,
) -> list[Check]:
    """Return the checks that classes fail, where the mean could hide a fall; or that
    none fails.
    """
    if answer.score is None or not answer.score.n_fixed_queries:
        raise SourceError(
            f"--fail-each requires fixed classes: each {options.unit_id} of --unit-id "
            f"has one {options.per}, so these are drawn, and a check is of their mean"
        )
    classes = rows_by_query(rows)
    before = {} if earlier is None else rows_by_query(earlier)
    before = {name: each for name, each in before.items() if each.counts.positives}
    tested = [name for name, each in classes.items() if each.counts.positives]
    gone = [name for name in before if name not in tested]
    totals = rows.params.get("n_positives", {})
    missed = [str(name) for name, total in totals.items() if total]
    missed = [name for name in missed if name not in (*tested, *gone)]
    n_classes = query_words(options.per, len({*tested, *missed, *gone}))
    checks = list[Check]()
    for argument in ("fail_below", "fail_if_lower"):
        value = getattr(options, argument)
        if value is None:
            continue
        check = Check(option=option_name(argument), value=value, failed=True, why="")
        failed = [
            replace(check, why=f"AP of {name} is 0: nothing of it was found")
            for name in missed
        ]
        failed += [
            replace(check, why=f"{name} of {options.against} has no positive here")
            for name in gone
        ]
        checked = {"fail_below": None, "fail_if_lower": None, argument: value}
        only = Namespace(**{**vars(options), **checked})
        rest = tested
        if argument == "fail_if_lower" and earlier is not None:
            rest = [name for name in tested if name in before]  # others are new
        while rest:
            # Holm: classes that fail leave their risk to the others.
            only.fail_p = options.fail_p / len(rest)
            level = 1 - SIGNIFICANCE_LEVEL / len(rest)
            asked = question._replace(
                k=None, conditions=(), risk=only.fail_p, level=level
            )
            passing = list[str]()
            for name in rest:
                with quiet_warnings():  # of few positives, which the answer says too
                    of_class = answer_of(name, classes[name], asked)
                    against = None
                    if name in before:
                        against = against_of(
                            options.against, classes[name], before[name], asked
                        )
                gate = gate_of_answer(of_class, against, None)
                gate = gate._replace(name=f"AP of {name}")
                failing = [each for each in checks_of(gate, only) if each.failed]
                failed += failing
                passing += [name] * (not failing)
            if passing == rest:
                break
            rest = passing
        why = (
            f"no {options.per} fails {check.option} {value:g}, by Holm over {n_classes}"
        )
        checks += failed or [replace(check, failed=False, why=why)]
    return checks
