"""Sentences and verdicts of answers whose fields are written down here, without rows:
each word and number must follow from a field.
"""

from dataclasses import replace
from math import nan

import pytest

from sklearn_ap._report.fields import (
    Against,
    Comparison,
    Counts,
    FirstAnswer,
    Hits,
    ShownScore,
    Sums,
)
from sklearn_ap._report.gates import Gates, _Claim, _failing_by_holm, checks_of
from sklearn_ap._report.sentences import statements_of

COUNTS = Counts(rows=40, positives=8)
DAYS = replace(COUNTS, queries=5, query_name="day")
CUSTOMERS = replace(DAYS, unit_name="customer", has_units=True)
WEIGHTED = replace(COUNTS, weight=Sums(100.0, 30.0), weight_name="euros")
SCORE = ShownScore(0.5, 0.4, 0.6, n_units=7)
OLD = {"name": "old", "score": 0.4}
ANSWER = FirstAnswer(name="x", counts=COUNTS, prevalence=None, score=SCORE, chance=0.2)
AGAINST = Against(
    **OLD,
    difference=-0.1,
    low=-0.2,
    high=-0.01,
    pvalue=0.03,
    prevalence=nan,
    share=0.2,
    earlier_share=0.3,
)
OTHER = Comparison(
    **OLD, difference=0.1, low=0.01, high=0.2, pvalue=0.03, estimate=SCORE, cut=None
)


class Point:
    """A threshold that retrieves four rows."""

    n_retrieved, threshold, _short = 4, 0.9, "0.9"


def hits(**fields):
    share = ShownScore(0.25, 0.1, 0.5)
    return Hits(
        k=4,
        rows=4,
        share=share,
        positives=2.0,
        amount_found=None,
        totals=None,
        **fields,
    )


def said(place, **fields):
    statements = statements_of(replace(ANSWER, **fields))
    return " ".join(one.text for one in statements if one.place == place)


SENTENCES = [
    ({"counts": DAYS}, "headline", "(7 days drawn); chance is 0.20."),
    ({"counts": CUSTOMERS}, "headline", "(7 customers drawn); chance is 0.20."),
    ({"counts": WEIGHTED}, "headline", "they are 30 % of the euros."),
    ({"counts": WEIGHTED}, "headline", "(AP) weighted by euros is 0.50"),
    ({"comparisons": [OTHER]}, "comparison", "old has AP 0.40, which"),
    (
        {"comparisons": [OTHER]},
        "comparison",
        "is higher by 0.10, 95 % interval 0.01 to 0.20, p = 0.03, statistically",
    ),
    (
        {"comparisons": [replace(OTHER, pvalue=0.06)]},
        "comparison",
        "p = 0.06, not significant",
    ),
    (
        {"against": AGAINST},
        "comparison",
        "at 30 % positive (here 20 % positive). At the share of each file, AP here is lower",
    ),
    (
        {"against": replace(AGAINST, prevalence=0.25)},
        "comparison",
        "at 25 % positive (here 20 % positive). At that share, AP here is lower by 0.10",
    ),
]


@pytest.mark.parametrize(("fields", "place", "words"), SENTENCES)
def test_a_sentence_has_its_fields(fields, place, words):
    assert words in said(place, **fields)


@pytest.mark.parametrize(("is_low", "sign"), [(False, ">="), (True, "<=")])
def test_the_first_rows_lie_on_the_side_that_is_better(is_low, sign, monkeypatch):
    monkeypatch.setattr(
        "sklearn_ap._report.sentences.threshold_text", lambda point: point._short
    )
    counts = replace(COUNTS, lower_is_better=is_low)
    text = said("budget", counts=counts, cut=hits(threshold=Point()))
    assert text.startswith(
        f"2 of 8 positives are in the first 4 rows (score {sign} 0.9)."
    )
    assert text.endswith("Share of the positives: 0.25, 95 % interval 0.10 to 0.50.")


class Normal:
    """A difference with the interval of a normal distribution."""

    def __init__(self, difference, error=0.1):
        self.difference, self.standard_error = difference, error

    def _interval(self, level):
        from scipy.special import ndtri  # noqa: PLC0415

        reach = self.standard_error * ndtri(0.5 + level / 2)
        return self.difference - reach, self.difference + reach


# The score of these rows is lower by 0.3, which is 2 standard errors beyond the margin
# of 0.1.
@pytest.mark.parametrize(
    ("margin", "failed"), [(0.0, True), (0.1, True), (0.25, False), (0.4, False)]
)
def test_a_margin_is_that_of_the_fall(margin, failed):
    against = replace(AGAINST, difference=-0.3, _test=Normal(-0.3))
    earlier = replace(ANSWER, against=against)
    [check] = checks_of(earlier, Gates(lower_by=margin))
    assert check.failed == failed
    # These fields belong to the other model.
    comparison = replace(OTHER, difference=0.3, _test=Normal(0.3))
    compared = replace(ANSWER, comparisons=[comparison])
    [check] = checks_of(compared, Gates(lower_by=margin))
    assert check.failed == failed


class Exact:
    """A score whose one-sided p-value is known."""

    def __init__(self, pvalue):
        self.pvalue = pvalue

    def _interval(self, level):
        return (0.0, 0.4) if self.pvalue <= (1 - level) / 2 else (0.0, 1.0)


@pytest.mark.parametrize(
    ("pvalues", "n_failed"),
    [
        ([0.024, 0.49], 1),
        ([0.026, 0.49], 0),
        ([0.024, 0.049], 2),
        ([0.01, 0.02, 0.2], 2),
    ],
)
def test_classes_fail_by_holm(pvalues, n_failed):
    claims = [
        _Claim(
            option="--fail-below",
            value=0.5,
            words="x",
            number=0.2,
            limit=0.5,
            result=Exact(pvalue),
        )
        for pvalue in pvalues
    ]
    assert [claim.pvalue for claim in claims] == pytest.approx(pvalues, abs=1e-6)
    assert len([*_failing_by_holm(claims, 0.05)]) == n_failed
