"""Checks that make a build fail: a score whose interval lies below a value, or that is
lower than another one by more than a margin.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite, isnan, nan

from .._core.reading.queries import as_list
from .._report.answer import (
    Question,
    ScoredRows,
    against_of,
    answer_of,
    quiet_warnings,
    rows_by_query,
)
from .._report.fields import Check, Difference, FirstAnswer, Score
from .._report.sentences import printable, query_words, short_share
from .._shown.numbers import SIGNIFICANCE_LEVEL, beside, format_pvalue
from .._shown.sources import SourceError

_FEW_DRAWN = 10  # groups, whose mean is little known with fewer


def _checks_of(
    name: str,
    score: Score | None,
    others: Iterable[Difference | None],
    risk: float,
    demands: Mapping[str, float],
) -> Iterator[Check]:
    """Yield the checks of a score, by the end of its interval and by the limits of its
    differences from others at a risk; each says whether it failed, and why.
    """
    limits = {}
    for other in filter(None, others):
        is_equal = other.difference == 0 and not isnan(other.pvalue)
        own, theirs = map(short_share, (other.score + other.difference, other.score))
        numbers = (
            f"{own} against {theirs}, lower by {-other.difference:.3g}, at least by {{}}, "
            f"p {format_pvalue(other.pvalue)}"
        )
        claim = f"{name} is lower than that of {other.name} by more than"
        limits[claim] = 0.0 if is_equal else other.at_most, numbers
    own_limit = nan, ""
    if score:
        own_limit = score.high, f"{short_share(score.value)}, at most {{}}"
    # A claim holds if its upper limit lies below the value of its option, or below the
    # margin.
    for option, value in demands.items():
        is_below = option == "--fail-below"
        claims = {f"{name} is below": own_limit} if is_below else limits
        if not claims:
            raise SourceError(
                f"{option}: {name} has no other one of positive rows to compare with"
            )
        for claim, (limit, numbers) in claims.items():
            why = f"{claim} {value:g}"
            if not isfinite(limit):
                raise SourceError(
                    f"{option}: these rows determine no interval that says whether {why}"
                )
            failed = limit < (value if is_below else -value)
            if is_below:
                verb = "lies" if failed else "does not lie"
                why = f"the interval of {name} {verb} below {value:g}"
            else:
                doubt = "" if failed else "no evidence that "
                why = f"{doubt}{why} (one-sided p <= {risk:.3g})"
            if failed:
                why += f": {numbers.format(beside(abs(limit), value, 3))}"
            yield Check(option, value, failed, why)


def checks_of_answer(
    answer: FirstAnswer, against: Difference | None, options: Namespace
) -> Iterator[Check]:
    """Yield the checks of the score of an answer."""
    counts = answer.counts
    drawn = answer.score
    few_drawn = ""
    n_drawn = None if drawn is None or drawn.n_fixed_queries else drawn.n_units
    if counts.queries and n_drawn and n_drawn < _FEW_DRAWN:
        groups = query_words(counts.query_name, counts.queries)
        few_drawn = (
            f"; {groups} drawn show little: --per and --fail-each check each one"
        )
    others = [against, *(other.reversed() for other in answer.comparisons)]
    checks = _checks_of("the score", drawn, others, options.fail_p, options.demands)
    for check in checks:
        yield check if check.failed else replace(check, why=check.why + few_drawn)


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
) -> Iterator[Check]:
    """Yield the checks that classes fail, where the mean could hide a fall; or that
    none fails.
    """
    if not answer.score or not answer.score.n_fixed_queries:
        raise SourceError(
            f"--fail-each requires fixed classes: each {options.unit_id} of --unit-id "
            f"has one {options.per}, so these are drawn, and a check is of their mean"
        )
    classes = _classes_with_positives(rows)
    before = {} if earlier is None else _classes_with_positives(earlier)
    totals = rows.columns.get("n_positives", {})
    expected = {str(name): total for name, total in totals.items()} | before
    names = {*map(str, as_list(rows.columns["query_id"]))} - {*map(str, totals)}
    # These fail without a test. Rows of a class without positives say nothing, unless
    # their total is known.
    gone = [
        name
        for name, found in expected.items()
        if found and name not in {*classes, *names}
    ]

    def failing_by_holm(names: list[str], demand: Mapping[str, float]) -> list[Check]:
        """Return the checks of classes that fail; these leave their risk to others."""
        failing = list[Check]()
        rest = list[str]()
        for name in names:
            asked = question._replace(
                k=None,
                conditions=(),
                risk=options.fail_p / len(names),
                level=1 - SIGNIFICANCE_LEVEL / len(names),
            )
            against = None
            with quiet_warnings():  # of few positives, which the answer says too
                of_class = answer_of(name, classes[name], asked)
                if name in before:
                    against = against_of(
                        options.against, classes[name], before[name], asked
                    )
            others = [against, *(x.reversed() for x in of_class.comparisons)]
            title = f"AP of {name}"
            score = of_class.score
            risk = asked.risk
            try:
                checks = list(_checks_of(title, score, others, risk, demand))
            except SourceError as error:
                n_found = f"{name} has {of_class.counts.positives} positive"
                raise SourceError(f"{error} ({n_found}): leave out its rows") from None
            failed = [check for check in checks if check.failed]
            failing += failed
            rest += [] if failed else [name]
        return failing + failing_by_holm(rest, demand) if failing else []

    for option, value in options.demands.items():
        # A new class has nothing to be lower than.
        is_paired = before and option == "--fail-if-lower"
        tested = [name for name in classes if name in before or not is_paired]
        failing = [
            Check(option, value, True, f"no positive of {name} was found")
            for name in gone
        ]
        failing += failing_by_holm(tested, {option: value})
        n_classes = query_words(options.per, len(classes) + len(gone))
        why = f"no {options.per} fails {option} {value:g}, by Holm over {n_classes}"
        yield from failing or [Check(option, value, False, why)]


def _classes_with_positives(rows: ScoredRows) -> dict[str, ScoredRows]:
    return {
        name: each
        for name, each in rows_by_query(rows).items()
        if each.counts.positives
    }
