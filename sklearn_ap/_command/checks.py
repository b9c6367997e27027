"""Checks that make a build fail: a score whose interval lies below a value, or that is
lower than another one by more than a margin.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, isnan, nan
from typing import cast

from .._core.reading.options import read_k
from .._core.reading.queries import as_list
from .._core.reading.sources import SourceError, format_value
from .._core.rounding import SIGNIFICANCE_LEVEL, beside, format_pvalue
from .._core.typing import ScoreFunction
from .._decisions.operating_points import threshold_text
from .._report.answer import (
    OF_BOXES,
    Question,
    ScoredRows,
    against_of,
    answer_of,
    cut_in_name,
    differences_from,
    quiet_warnings,
    rows_by_query,
    score_from,
    tests_of,
)
from .._report.fields import (
    AP,
    Check,
    Difference,
    FirstAnswer,
    Score,
    ThresholdForCondition,
    share_of,
)
from .._report.sentences import printable, query_words, short_share
from .options import to_number

# A number and its name, and its differences from others.
Checked = tuple[str, Score | None, Sequence[Difference | None]]
_OF_THRESHOLDS = "precision", "recall", "specificity"
_FEW_DRAWN = 10  # groups, whose mean is little known with fewer
_OF_BUDGETS = {
    "positives-found": "share_of_positives",
    "weight-found": "share_of_weight",
    "amount-found": "share_of_amount",
}


def checks_of(
    name: str,
    score: Score | None,
    others: Iterable[Difference | None],
    risk: float,
    demands: Mapping[str, float],
) -> Iterator[Check]:
    """Yield the checks of a number, by the end of its interval and by the limits of its
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
                f"{option}: there is no other {name} to compare with; --against compares "
                "AP, and with --amount, --compare compares amount-found"
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
    answer: FirstAnswer,
    against: Difference | None,
    rows: ScoredRows,
    options: Namespace,
) -> Iterator[Check]:
    """Yield the checks of the score of an answer, or of another measure."""
    counts = answer.counts
    drawn = answer.score
    few_drawn = ""
    n_drawn = None if drawn is None or drawn.n_fixed_queries else drawn.n_units
    if counts.queries and n_drawn and n_drawn < _FEW_DRAWN:
        groups = query_words(counts.query_name, counts.queries)
        few_drawn = (
            f"; {groups} drawn show little: --per and --fail-each check each one"
        )
    for name, score, others in _numbers_to_check(answer, against, rows, options):
        for check in checks_of(name, score, others, options.fail_p, options.demands):
            yield check if check.failed else replace(check, why=check.why + few_drawn)


def _numbers_to_check(
    answer: FirstAnswer,
    against: Difference | None,
    rows: ScoredRows,
    options: Namespace,
) -> list[Checked]:
    """Return the numbers of the measure of `--fail-on`."""
    measure = options.fail_on or "the score"
    if measure in _OF_THRESHOLDS:
        numbers = [_of_threshold(measure, chosen) for chosen in answer.thresholds]
        if not numbers or "--fail-if-lower" in options.demands:
            first_rows = f"; {measure}@100 is that of the first 100 rows"
            raise SourceError(
                f"--fail-on {measure} requires --threshold-at threshold=0.5, which was fixed "
                f"beforehand, and --fail-below{first_rows * (measure != 'specificity')}"
            )
        return numbers
    for box, score in OF_BOXES.items():
        if measure.replace(" ", "").lower() != box.replace(" ", "").lower():
            continue
        if not answer.of_boxes:
            raise SourceError(
                f"--fail-on {measure} requires --per and --n-positives, the objects of each class"
            )
        return [_of_score(box, score, rows.in_row_order(), options)]
    if at_k := re.fullmatch("(?:P|(precision|recall))@(.+)", measure):
        try:
            cut = cut_in_name(cast("int | float", read_k(to_number(at_k[2]))))
        except ValueError as error:
            raise SourceError(f"--fail-on {measure}: {error}") from None
        return [_of_score(measure, f"{at_k[1] or 'precision'}@{cut}", rows, options)]
    # What budgets find has no scorer, whose name could be passed, too.
    others = dict.fromkeys([*_OF_BUDGETS, "precision@10", *OF_BOXES])
    chosen_measure(options.fail_on, {"AP": AP, "MAP": AP, **others})
    if measure in _OF_BUDGETS:
        return [_of_budget(measure, answer)]
    return [
        (
            measure,
            answer.score,
            [against, *(other.reversed() for other in answer.comparisons)],
        )
    ]


def _of_score(
    name: str, score: str | ScoreFunction, rows: ScoredRows, options: Namespace
) -> Checked:
    """Return a score of these rows, and its differences from other models."""
    if options.prevalence is not None:
        raise SourceError(f"--prevalence is not valid with --fail-on {name}")
    estimate = rows.estimate(score, random_state=0)
    others = list[Difference]()
    if rows.others:
        others = differences_from(rows.others, tests_of(rows, score), options.fail_p)
    return name, score_from(nan, estimate), [other.reversed() for other in others]


def _of_budget(measure: str, answer: FirstAnswer) -> Checked:
    """Return what the budgets of an answer find, as a share of all."""
    field = _OF_BUDGETS[measure]
    share = getattr(answer.cut and answer.cut.totals, field, None)
    if share is None:
        amounts = ", and --amount" * (measure == "amount-found")
        raise SourceError(
            f"--fail-on {measure} requires -k and --per, a budget of each day{amounts}"
        )
    found = [
        replace(other.found.reversed(), name=other.name)
        for other in answer.comparisons
        if other.found and other.found.name == field
    ]
    return measure, share_of(share), found


def _of_threshold(measure: str, chosen: ThresholdForCondition) -> Checked:
    """Return a number of a threshold that was fixed beforehand, and its name."""
    [(condition, level)], point = chosen.condition.items(), chosen.threshold
    if not point:
        raise SourceError(
            f"--fail-on {measure}: no threshold has {condition}={level:g}"
        )
    if condition != "threshold":
        raise SourceError(
            f"--fail-on {measure}: these rows chose the threshold of {condition}={level:g}, so "
            f"{measure} has no interval; write --threshold-at "
            f"threshold={threshold_text(point)}, and check other rows"
        )
    low, high = point.confidence_interval(measure)
    return (
        f"{measure} at threshold={level:g}",
        Score(getattr(point, measure), low, high),
        [],
    )


def chosen_measure(fail_on: str | None, measures: Mapping[str, object]) -> str:
    """Return the heading of a measure, by its heading or the name of a scorer; the first
    by default.
    """
    if fail_on is None:
        return next(iter(measures))
    for heading, name in measures.items():
        if fail_on in (heading, name):
            return heading
    raise SourceError(
        f"--fail-on must be a measure that is printed, such as {', '.join(measures)}; "
        f"got {format_value(fail_on)}"
    )


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
                checks = list(checks_of(title, score, others, risk, demand))
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
