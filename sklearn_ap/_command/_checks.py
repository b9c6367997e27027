"""Checks that make a build fail: a score whose interval lies below a value, or that is
lower than another one by more than a margin.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from math import isfinite, isnan
from typing import NamedTuple

from .._answer._fields import (
    AP,
    Check,
    Difference,
    FirstAnswer,
    Score,
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
from .._answer._sentences import SIGNIFICANCE_LEVEL, printable, query_words
from ..distributed._batches import SourceError, format_value

_OF_BUDGETS = {
    "positives-found": "share_of_positives",
    "weight-found": "share_of_weight",
    "amount-found": "share_of_amount",
}


class Gate(NamedTuple):
    """The number that checks are about, and its differences from others."""

    name: str
    score: Score | None
    differences: list[Difference]  # of this number minus another one, at a risk
    risk: float

    def findings(self, option: str, value: float) -> Iterator[tuple[bool, str]]:
        """Yield whether the interval of the number lies below a value; or whether it is
        lower than each other one by more than a margin, by the limit of the risk.
        """
        if self.score is None:
            raise SourceError(
                f"{self.name}: contains no positive rows, so there is no score to check"
            )
        if option == "--fail-below":
            if isnan(self.score.high):
                raise SourceError(
                    "--fail-below requires an interval, and these rows determine none of "
                    f"{self.name}"
                )
            failed = self.score.high < value
            verb = "lies" if failed else "does not lie"
            yield failed, f"the interval of {self.name} {verb} below {value:g}"
            return
        if not self.differences:
            raise SourceError(
                f"--fail-if-lower: {self.name} has no other to compare with"
            )
        for other in self.differences:
            is_equal = other.difference == 0 and not isnan(other.pvalue)
            if not (isfinite(other.at_most) or is_equal):
                raise SourceError(
                    f"--fail-if-lower: the difference to {other.name} has no interval"
                )
            failed = other.at_most < -value
            evidence = "" if failed else "no evidence that "
            yield (
                failed,
                f"{evidence}{self.name} is lower than that of {other.name} by more than "
                f"{value:g} (one-sided p < {self.risk:.3g})",
            )


def gate_of_answer(
    answer: FirstAnswer,
    against: Difference | None,
    fail_on: str | None,
    risk: float,
) -> Gate:
    """Return the score of an answer as a gate, or what its budgets find."""
    # What budgets find has no scorer, whose name could be passed, too.
    measures = {"AP": AP, "MAP": AP, **dict.fromkeys(_OF_BUDGETS)}
    name = chosen_measure(fail_on, measures)
    other = answer.comparison
    if name not in _OF_BUDGETS or answer.score is None:
        differences = [against, other and other.reversed()]
        of_score = [each for each in differences if each is not None]
        label = answer.name if answer.score is None else fail_on or "the score"
        return Gate(label, answer.score, of_score, risk)
    share = getattr(answer.cut and answer.cut.totals, _OF_BUDGETS[name], None)
    if share is None:
        needed = ", and --amount" * (name == "amount-found")
        raise SourceError(
            f"--fail-on {name} requires -k with --per, a budget of each day{needed}"
        )
    gate = Gate(name, share_of(share), [], risk)
    if other is not None and other.found is not None:
        found = replace(other.found.reversed(), name=other.name)
        gate.differences.extend([found] * (other.found.name == _OF_BUDGETS[name]))
    return gate


def chosen_measure(fail_on: str | None, measures: Mapping[str, object]) -> str:
    """Return the heading of a measure, by its heading or the name of a scorer; the first
    by default.
    """
    headings = {
        name: heading for heading, name in measures.items() if isinstance(name, str)
    }
    headings |= dict(zip(measures, measures, strict=True))
    if fail_on is None:
        return next(iter(measures))
    if fail_on in headings:
        return headings[fail_on]
    close = get_close_matches(fail_on, headings, n=3, cutoff=0.3)
    # a scorer's name is accepted, but it is not printed
    near = dict.fromkeys(headings[name] for name in close) or measures
    raise SourceError(
        f"--fail-on must be a measure that is printed, such as {', '.join(near)}; got "
        f"{format_value(fail_on)}"
    )


def checks_of(
    findings: Callable[[str, float], Iterable[tuple[bool, str]]], options: Namespace
) -> list[Check]:
    """Return the checks that the options demand; each says whether it failed, and
    why.
    """
    demands = {
        "--fail-below": options.fail_below,
        "--fail-if-lower": options.fail_if_lower,
    }
    return [
        Check(option=option, value=value, failed=failed, why=why)
        for option, value in demands.items()
        if value is not None
        for failed, why in findings(option, value)
    ]


def sentences_of_checks(checks: list[Check]) -> list[str]:
    """Return a sentence per check."""
    return [
        f"{'Fails' if check.failed else 'Passes'}: {printable(check.why)}."
        for check in checks
    ]


def checks_of_each(
    answer: FirstAnswer,
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
    classes = _classes_with_positives(rows)
    before = {} if earlier is None else _classes_with_positives(earlier)
    # Classes that fail without a test.
    gone = {
        str(name): f"AP of {name} is 0: nothing of it was found"
        for name, total in rows.columns.get("n_positives", {}).items()
        if total
    }
    gone |= {
        name: f"{name} of {options.against} has no positive here" for name in before
    }
    gone = {name: why for name, why in gone.items() if name not in classes}
    n_classes = query_words(options.per, len(classes | gone))

    def gate_of(name: str, n_tested: int) -> Gate:
        asked = question._replace(
            k=None,
            conditions=(),
            risk=options.fail_p / n_tested,
            level=1 - SIGNIFICANCE_LEVEL / n_tested,
        )
        against = None
        with quiet_warnings():  # of few positives, which the answer says too
            of_class = answer_of(name, classes[name], asked)
            if name in before:
                against = against_of(
                    options.against, classes[name], before[name], asked
                )
        gate = gate_of_answer(of_class, against, None, asked.risk)
        return gate._replace(name=f"AP of {name}")

    def findings(option: str, value: float) -> Iterator[tuple[bool, str]]:
        tested = list(classes)
        if before and option == "--fail-if-lower":
            # A new class has nothing to be lower than.
            tested = [name for name in classes if name in before]
        failing = [*gone.values(), *_failing_by_holm(tested, gate_of, option, value)]
        yield from ((True, why) for why in failing)
        if not failing:
            yield (
                False,
                f"no {options.per} fails {option} {value:g}, by Holm over {n_classes}",
            )

    return checks_of(findings, options)


def _classes_with_positives(rows: ScoredRows) -> dict[str, ScoredRows]:
    classes = rows_by_query(rows)
    return {name: each for name, each in classes.items() if each.counts.positives}


def _failing_by_holm(
    names: list[str],
    gate_of: Callable[[str, int], Gate],
    option: str,
    value: float,
) -> list[str]:
    """Return why classes fail a check; those that fail leave their risk to the
    others.
    """
    failing: list[str] = []
    rest = list(names)
    n_tested = 0
    while len(rest) not in (0, n_tested):
        n_tested = len(rest)
        for name in list(rest):
            gate = gate_of(name, n_tested)
            whys = [why for failed, why in gate.findings(option, value) if failed]
            failing += whys
            if whys:
                rest.remove(name)
    return failing
