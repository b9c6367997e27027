"""Checks that make a build fail: a score that is below a value, or lower than another
one by more than a margin, where a one-sided test says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from math import isnan, nan
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

from .._core.reading.ids import as_list
from .._report.answer import (
    Question,
    ScoredRows,
    against_of,
    answer_of,
    quiet_warnings,
    rows_by_query,
)
from .._report.fields import Against, Check, Counts, Difference, FirstAnswer, Score
from .._report.sentences import against_sentences, query_words, short_share
from .._shown.numbers import beside, format_pvalue
from .._shown.sources import SourceError, printable
from .._uncertainty.comparisons import risks_of
from .._uncertainty.ends import Ends
from .._uncertainty.results import ScoreComparison, ScoreEstimate
from .options import Options
from .output import print_message


class NoAnswerError(SourceError):
    """Rows do not say whether a gate fails."""


# The answer for a class of this name, and the difference from earlier rows.
_ClassAnswer = tuple[str, FirstAnswer, Against | None]


class EarlierRows(NamedTuple):
    """The rows of an earlier file, and its name."""

    name: str
    rows: ScoredRows

    def difference(
        self, rows: ScoredRows, question: Question, options: Options
    ) -> tuple[Against | None, str]:
        """Return the difference of the score, if both have one, and its sentence."""
        demands = options.gates.keys() & {"--fail-if-lower"}
        undefined = refuse_undefined(rows.counts, ()) or refuse_undefined(
            self.rows.counts, demands, f"in {self.name}, "
        )
        if undefined:
            words = f"Against {self.name}: no difference; {undefined}."
            return None, printable(words)
        against = against_of(self.name, rows, self.rows, question)
        return against, against_sentences(against, rows.counts)


def refuse_undefined(counts: Counts, demands: Iterable[str], where: str = "") -> str:
    """Return why there is no score, if there is none; refuse checks of it, which would
    pass or fail by chance.
    """
    if counts.total:
        return ""
    why = where + counts.no_positives
    for option in demands:
        raise NoAnswerError(f"{option}: no score: {why}; join days, or take --per day")
    return why


class _Claim(NamedTuple):
    """That a number lies below a limit, and how sure that is."""

    option: str
    words: str
    numbers: str  # behind it, with a place for the end of the interval
    estimate: float
    limit: float
    ends_at: Callable[[float], Ends]  # of an interval with this risk beyond each

    @property
    def pvalue(self) -> float:
        """The one-sided p-value; without an interval, a check would pass or fail by
        chance.
        """
        _, at_least = risks_of(self.ends_at, self.estimate, self.limit)
        if isnan(at_least):
            raise NoAnswerError(
                f"{self.option}: these rows determine no interval that says whether "
                f"{self.words}"
            )
        return at_least

    def check(self, pvalue: float, level: float) -> Check:
        """Return the check, which fails up to a level."""
        failed = pvalue <= level
        why = f"{'' if failed else 'no evidence that '}{self.words}"
        why += f" (one-sided p {format_pvalue(pvalue, level)}, level {level:.3g})"
        value = abs(self.limit)
        if failed:
            end = abs(self.ends_at(level)[1])
            why += f": {self.numbers.format(beside(end, value, 3))}"
        return Check(self.option, value, failed, why, pvalue, level)


def _claims_of(
    name: str,
    answer: FirstAnswer,
    against: Difference | None,
    option: str,
    value: float,
) -> Iterator[_Claim]:
    """Yield the claims that an option checks: that a score is below the value, or lower
    than each other one by more than it.
    """
    if option == "--fail-below":
        score = answer.score or Score(nan)
        estimate = score._estimate
        ends_at = _ends_of(estimate) if estimate else lambda _: (nan, nan)
        words = f"{name} is below {value:g}"
        numbers = f"{short_share(score.value)}, at most {{}}"
        yield _Claim(option, words, numbers, score.value, value, ends_at)
        return
    # The difference from earlier rows is that of this score; of another model, its own.
    for other, sign in [(against, 1), *((other, -1) for other in answer.comparisons)]:
        if other is None or other._test is None:
            continue
        ends_at = _ends_of(other._test, sign)
        is_equal = other.difference == other._test.standard_error == 0
        if is_equal and not isnan(other.pvalue):
            # Lower by no margin, although no unit says how sure that is.
            ends_at = lambda _: (0.0, 0.0)  # noqa: E731
        difference = sign * other.difference
        own, theirs = map(short_share, (other.score + difference, other.score))
        numbers = (
            f"{own} against {theirs}, lower by {-difference:.3g}, at least by {{}}"
        )
        words = f"{name} is lower than that of {other.name} by more than {value:g}"
        yield _Claim(option, words, numbers, difference, -value, ends_at)


def _ends_of(
    result: ScoreEstimate | ScoreComparison, sign: int = 1
) -> Callable[[float], Ends]:
    """Return the function of the ends of a number, or of its negative, by the risk
    beyond each.
    """

    def ends_at(tail: float) -> Ends:
        low, high = result._interval(1 - 2 * tail)
        return (low, high) if sign > 0 else (-high, -low)

    return ends_at


def checks_of_answer(
    answer: FirstAnswer, against: Difference | None, options: Options
) -> Iterator[Check]:
    """Yield the checks of the score of an answer."""
    name = "the score"
    for option, value in options.gates.items():
        claims = list(_claims_of(name, answer, against, option, value))
        if not claims:
            raise NoAnswerError(
                f"{option}: {name} has no other one of positive rows to compare with"
            )
        for claim in claims:
            yield claim.check(claim.pvalue, options.fail_p)


def sentences_of_checks(checks: list[Check]) -> list[str]:
    """Return a sentence per check."""
    return [
        f"{'Fails' if check.failed else 'Passes'}: {printable(check.why)}."
        for check in checks
    ]


def checks_of_each(
    answer: FirstAnswer,
    rows: ScoredRows,
    earlier: EarlierRows | None,
    question: Question,
    options: Options,
) -> Iterator[Check]:
    """Yield the checks that classes fail, where the mean could hide a fall; or that
    none fails.
    """
    if not answer.score or not answer.score.n_fixed_queries:
        why = f"each {options.unit_id} of --unit-id has one {options.per}"
        if options.unit_id is None:
            why = f"each {options.per} has one row"
        raise SourceError(
            f"--fail-each requires fixed classes: {why}, so these are drawn, and a check "
            "is of their mean"
        )
    classes = _classes_with_positives(rows)
    before = _classes_with_positives(earlier.rows) if earlier else {}
    totals = rows.n_positives if isinstance(rows.n_positives, Mapping) else {}
    # These fail without a test. Rows of a class without positives say nothing, unless
    # their total is known.
    silent = {*map(str, as_list(np.asarray(rows.query_id)))} - {*map(str, totals)}
    expected = [str(name) for name, total in totals.items() if total]
    gone = [
        name
        for name in dict.fromkeys([*expected, *before])
        if name not in {*classes, *silent}
    ]
    never = ", ".join(name for name in gone if name not in before)
    if never and "--fail-below" not in options.gates:
        print_message("note", f"no positive of {never} is found, now or before")
    asked = question._replace(k=None, conditions=())
    answers = list[_ClassAnswer]()
    with quiet_warnings():  # of few positives, which the answers say too
        for name, of_class in classes.items():
            of_earlier = None
            if earlier and name in before:
                of_earlier = against_of(earlier.name, of_class, before[name], asked)
            answers.append((name, answer_of(name, of_class, asked), of_earlier))
    for option, value in options.gates.items():
        # A class that nobody finds is no loss.
        lost = [n for n in gone if option == "--fail-below" or n in before]
        failing = [
            Check(option, value, True, f"no positive of {name} was found")
            for name in lost
        ]
        failing += _failing_by_holm(answers, option, value, options.fail_p)
        n_classes = query_words(answer.counts.query_name, len(classes) + len(lost))
        why = f"no {options.per} fails {option} {value:g}, by Holm over {n_classes}"
        yield from failing or [Check(option, value, False, why)]


def _failing_by_holm(
    answers: list[_ClassAnswer],
    option: str,
    value: float,
    risk: float,
) -> Iterator[Check]:
    """Yield the checks of classes that fail; these leave their risk to others."""
    tested = list[tuple[float, _Claim]]()
    for name, answer, against in answers:
        # A new class has no earlier score to be lower than.
        claims = _claims_of(f"AP of {name}", answer, against, option, value)
        try:
            tested += [(claim.pvalue, claim) for claim in claims]
        except NoAnswerError as error:
            n_found = f"{name} has {answer.counts.positives} positive"
            raise NoAnswerError(f"{error} ({n_found}): leave out its rows") from None
    tested = sorted(tested, key=itemgetter(0))
    checks = [
        claim.check(pvalue, risk / (len(tested) - i))
        for i, (pvalue, claim) in enumerate(tested)
    ]
    yield from takewhile(attrgetter("failed"), checks)


def _classes_with_positives(rows: ScoredRows) -> dict[str, ScoredRows]:
    kinds = rows_by_query(rows)
    return {
        name: of_class for name, of_class in kinds.items() if of_class.counts.positives
    }
