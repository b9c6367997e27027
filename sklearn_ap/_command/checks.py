"""Checks that make a build fail: a score that is below a value, or lower than another
one by more than a margin, where a one-sided test says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from math import isnan, nan
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from .._core.reading.ids import as_list
from .._report.answer import (
    Question,
    ScoredRows,
    against_of,
    quiet_warnings,
    rows_by_query,
)
from .._report.fields import Against, Check, Counts, Difference, FirstAnswer
from .._report.sentences import against_sentence, query_words
from .._shown.numbers import format_pvalue
from .._shown.sources import SourceError, printable
from .._uncertainty.comparisons import risks_of
from .._uncertainty.ends import Ends
from .._uncertainty.results import ScoreComparison, ScoreEstimate
from .options import Options
from .output import print_message


class NoAnswerError(SourceError):
    """Rows do not say whether a gate fails."""


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
        return against, against_sentence(against, rows.counts)


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
    """That a number lies below a limit, or above it, and how sure that is."""

    option: str
    words: str
    number: float
    limit: float
    # which has the interval of the number; None if the number is exact
    result: ScoreEstimate | ScoreComparison | None
    is_above: bool = False

    def ends_at(self, tail: float) -> Ends:
        """Return the ends of the interval with this risk beyond each."""
        if self.result is None:
            return self.number, self.number
        return self.result._interval(1 - 2 * tail)

    @property
    def pvalue(self) -> float:
        """The one-sided p-value; without an interval, a check would pass or fail by
        chance.
        """
        at_most, at_least = risks_of(self.ends_at, self.number, self.limit)
        pvalue = at_most if self.is_above else at_least
        if isnan(pvalue):
            raise NoAnswerError(
                f"{self.option}: these rows determine no interval that says whether "
                f"{self.words}; add positives"
            )
        return pvalue

    def check(self, pvalue: float, level: float) -> Check:
        """Return the check, which fails up to a level."""
        failed = pvalue <= level
        why = f"{'' if failed else 'no evidence that '}{self.words}"
        why += f" (one-sided p {format_pvalue(pvalue, level)}, level {level:.3g})"
        return Check(self.option, abs(self.limit), failed, why, pvalue, level)


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
        estimate = answer.score._estimate if answer.score else None
        number = estimate.score if estimate else nan
        words = f"{name} is below {value:g}"
        yield _Claim(option, words, number, value, estimate)
        return
    # The difference from earlier rows is that of this score; of another model, its own.
    others: list[tuple[Difference, float]] = []
    if against is not None:
        others.append((against, -value))
    others += [(other, value) for other in answer.comparisons]
    for other, limit in others:
        test = other._test
        if test and other.difference == test.standard_error == 0 <= other.pvalue:
            test = None  # equal, although no unit says how sure that is
        words = f"{name} is lower than that of {other.name} by more than {value:g}"
        is_above = other is not against
        yield _Claim(option, words, other.difference, limit, test, is_above)


def checks_of_answer(
    answer: FirstAnswer, against: Difference | None, options: Options
) -> Iterator[Check]:
    """Yield the checks of the score of an answer."""
    name = "the score"
    for option, value in options.gates.items():
        claims = [*_claims_of(name, answer, against, option, value)]
        if not claims:
            raise NoAnswerError(
                f"{option}: {name} has no other one of positive rows to compare with"
            )
        for claim in claims:
            yield claim.check(claim.pvalue, options.fail_p)


def checks_of_each(
    of_all: FirstAnswer,
    rows: ScoredRows,
    earlier: EarlierRows | None,
    question: Question,
    options: Options,
) -> Iterator[Check]:
    """Yield the checks that classes fail, where the mean could hide a fall; or that
    none fails.
    """
    if not of_all.score or not of_all.score.n_fixed_queries:
        raise SourceError(
            f"--fail-each requires several rows, or units of --unit-id, in each "
            f"{options.per}: these are drawn, and a check is of their mean"
        )
    found = {
        answer.name: answer for answer in of_all.classes if answer.counts.positives
    }
    before: Mapping[str, ScoredRows] = {}
    against: Mapping[str, Against] = {}
    if earlier:
        before = _classes_with_positives(earlier.rows)
        now = _classes_with_positives(rows)
        with quiet_warnings():  # of few positives, which the answers have
            against = {
                name: against_of(earlier.name, now[name], before[name], question)
                for name in now.keys() & before.keys()
            }
    gone = _classes_that_are_gone(rows, {*found}, [*before])
    never = ", ".join(name for name in gone if name not in before)
    if never and "--fail-below" not in options.gates:
        print_message("note", f"no positive of {never} is found, now or before")
    for option, value in options.gates.items():
        # A class that nobody finds is no loss.
        lost = [n for n in gone if option == "--fail-below" or n in before]
        failing = [
            Check(option, value, True, f"no positive of {name} was found")
            for name in lost
        ]
        claims = [
            claim
            for name, answer in found.items()
            for claim in _claims_of(
                f"AP of {name}", answer, against.get(name), option, value
            )
        ]
        failing += _failing_by_holm(claims, options.fail_p)
        n_classes = query_words(rows.counts.query_name, len(found) + len(lost))
        why = f"no {options.per} fails {option} {value:g}, by Holm over {n_classes}"
        yield from failing or [Check(option, value, False, why)]


def _classes_with_positives(rows: ScoredRows) -> dict[str, ScoredRows]:
    kinds = rows_by_query(rows)
    return {
        name: of_class for name, of_class in kinds.items() if of_class.counts.positives
    }


def _classes_that_are_gone(
    rows: ScoredRows, found: Set[str], before: Sequence[str]
) -> list[str]:
    """Return the classes that fail without a test. Rows of a class without positives
    say nothing, unless their total is known.
    """
    totals = rows.totals
    expected = [str(name) for name, total in totals.items() if total]
    named = {*map(str, [*totals, *as_list(np.asarray(rows.query_id))])}
    gone = [name for name in expected if name not in found]
    return gone + [name for name in before if name not in named]


def _failing_by_holm(claims: Sequence[_Claim], risk: float) -> Iterator[Check]:
    """Yield the checks of classes that fail; these leave their risk to others."""
    tested = sorted(((claim.pvalue, claim) for claim in claims), key=itemgetter(0))
    for n_failed, (pvalue, claim) in enumerate(tested):
        check = claim.check(pvalue, risk / (len(tested) - n_failed))
        if not check.failed:
            return
        yield check
