"""Differences between models on the same rows, and from earlier rows, with intervals
and p-values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import nan
from operator import methodcaller
from typing import Any, TypeVar

from .._decisions.budgets import compare_budgets
from .._shown.sources import SourceError
from .._uncertainty.comparisons import compare_estimates, compared, shares_differ
from .._uncertainty.many import adjusted_together
from .._uncertainty.standard_errors import sampled_scores
from .fields import ROW, Against, Comparison, Difference, Hits
from .named_warnings import quiet_warnings, reports_few, warnings_once
from .scored_rows import ScoredRows

_Difference = TypeVar("_Difference", bound=Difference)


def comparisons_of(
    rows: ScoredRows,
    prevalence: float | None,
    first_cuts: Sequence[Hits],
    known: Sequence[Warning],
) -> list[Comparison]:
    """Return the score of each other model, and its difference from the first model.

    `known` contains the warnings about the first model, which are not repeated.
    """
    first_totals = first_cuts[0].totals if first_cuts else None
    # The test of budgets draws queries, so there is no test if other units are sampled,
    # or if the share includes missed positives. A share of an amount excludes them.
    tests_budgets = rows.unit_id is None and (rows.counts.amount or not rows.totals)
    call = methodcaller("call", prevalence=prevalence)
    comparisons = []
    budgets = []
    for name, other in [*rows.of_models.items()][1:]:
        both = {"y_score_a": other, "y_score_b": rows}
        with warnings_once(f"{rows.counts.title} of {name}", known) as raised:
            test = compared(sampled_scores(both, call, rows.unit_id))
        cuts = [other.hits(first.k) for first in first_cuts]
        totals = cuts[0].totals if cuts else None
        # With several budgets, only the first one is tested.
        if tests_budgets and first_totals and totals:
            whole = rows.counts.whole.words
            with warnings_once(f"Share of the {whole} that {name} finds"):
                found = compare_budgets(totals, first_totals)
            budgets.append(
                Difference(
                    name=f"share_of_{rows.counts.whole.kind}",
                    score=found.scores[0],
                    difference=found.difference,
                    _test=found,
                )
            )
        # `compare_scores` has already raised the warnings about this score.
        with quiet_warnings():
            estimate = other.score(prevalence=prevalence)
        comparisons.append(
            Comparison(
                name=name,
                score=test.scores[0],
                difference=test.difference,
                estimate=estimate,
                cut=cuts[0] if cuts else None,
                cuts=cuts,
                _test=test,
                _has_few_positives=reports_few(raised),
            )
        )
    # Either each comparison has a difference between budgets, or no comparison has one.
    pairs = zip_longest(adjusted(comparisons), adjusted(budgets))
    return [replace(other, found=found) for other, found in pairs]


def adjusted(others: Sequence[_Difference]) -> list[_Difference]:
    """Return differences with intervals and p-values that are adjusted for the number
    of differences.
    """
    if not others:
        return []
    # `adjusted_together` takes tests by pairs of names. Here, the names have no use,
    # but the pairs must differ.
    tests: Any = {(str(i), ""): other._test for i, other in enumerate(others)}
    many = adjusted_together(tests)
    low, high = many._interval(0.95)
    # If these numbers are NaN, the sentence about the difference reports it, and the
    # test has already warned.
    columns = [column.tolist() for column in (low, high, many.pvalue)]
    return [
        replace(other, low=low, high=high, pvalue=pvalue)
        for other, low, high, pvalue in zip(others, *columns, strict=True)
    ]


def difference_from(
    earlier: ScoredRows, rows: ScoredRows, prevalence: float | None
) -> Against:
    """Return the difference between the score and that of earlier rows.

    Both scores are computed at `prevalence` or, if it is None, at the prevalence of the
    earlier rows, because a score depends on the prevalence even if the model ranks
    equally well. If totals were passed, the rows may be the output of a detector, whose
    prevalence depends on the number of false alarms. Then, without `prevalence`, each
    score keeps the prevalence of its own rows.
    """
    shared_prevalence = prevalence
    if prevalence is None and rows.n_positives is None:
        shared_prevalence = earlier.counts.prevalence
        if not 0 < shared_prevalence < 1:
            raise SourceError(
                f"--against: {earlier.name} must contain positives and negatives; its "
                f"share of positives is {shared_prevalence:g}"
            )
    against, differ = _difference_at(shared_prevalence, earlier, rows)
    if prevalence is None and rows.n_positives is None and differ:
        # Nature may have changed the share of positives, or a model that makes the
        # rows, such as a detector, by its false alarms. Only the user knows.
        with quiet_warnings():
            own, _ = _difference_at(None, earlier, rows)
        against = replace(
            against, own=replace(own, name=f"{own.name} at the share of each file")
        )
    return against


def _difference_at(
    prevalence: float | None, earlier: ScoredRows, rows: ScoredRows
) -> tuple[Against, bool]:
    """Return the difference from earlier rows at a prevalence or, if it is None, with
    each score at the prevalence of its own rows; and whether the prevalences of the
    rows differ by more than chance.
    """
    with warnings_once(f"Against {earlier.name}") as raised:
        estimates: Any = [
            sample.estimate(prevalence=prevalence) for sample in (rows, earlier)
        ]
    if None in estimates:
        raise SourceError(
            "--against requires an interval of both files: with --n-positives, "
            "--sample-weight must be the same in all rows, since the weights of missed "
            "positives are unknown"
        )
    if rows.unit_id is not None and rows.counts.unit_name == ROW:
        # The numbers of the rows in one file do not identify rows of another file.
        estimates = [replace(estimate, _units=None) for estimate in estimates]
    # The test may warn of the prevalences, and of how units were matched. The answer
    # shows both.
    with quiet_warnings():
        test = compare_estimates(*estimates)
    _, score_of_earlier = test.scores
    against = Against(
        name=earlier.name,
        score=score_of_earlier,
        difference=test.difference,
        prevalence=nan if prevalence is None else prevalence,
        share=rows.counts.prevalence,
        earlier_share=earlier.counts.prevalence,
        rows_dropped=earlier.counts.rows_dropped,
        missing_values=earlier.counts.missing_values,
        units=None if test._n_in_both is None else test.n_units,
        units_in_both=test._n_in_both,
        _matching=test._matching,
        _test=test,
        _has_few_positives=reports_few(raised),
    )
    [against] = adjusted([against])
    shares = against.share, against.earlier_share
    n_positives = [estimate.n_positives for estimate in estimates]
    return against, max(shares) < 1 and shares_differ(shares, n_positives)
