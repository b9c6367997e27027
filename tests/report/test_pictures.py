"""The pictures of many parts: a scale of days or numbers, with gaps and labels."""

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest

from sklearn_ap._report.fields import Counts, FirstAnswer, ShownScore
from sklearn_ap._report.pictures import pictures_of


def picture_of(names):
    """The picture of classes with these names: places of lines and labels."""
    counts = Counts(rows=40, positives=8, query_name="day", queries=len(names))
    score = ShownScore(0.5, 0.4, 0.6)
    parts = [
        FirstAnswer(name=name, counts=counts, prevalence=None, score=score)
        for name in names
    ]
    whole = FirstAnswer(
        name="x", counts=counts, prevalence=None, score=score, classes=parts
    )
    [(_, html)] = pictures_of(whole)
    lines = re.findall(r'<li title="(.*?): .*?" style="--x:(.*?)">', html)
    ticks = re.findall(r'<li class="tick" style="--x:(.*?)">(.*?)</li>', html)
    assert re.findall("<li>(?:<time>)?(.*?)(?:</time>)?: 0.50, 8 pos", html) == names
    return {name: float(x) for name, x in lines}, {
        label: float(x) for x, label in ticks
    }


def days(*places):
    return [str(date(2026, 1, 1) + timedelta(days=place)) for place in places]


def test_days_have_a_gap_where_some_are_missing_and_labels_at_months():
    names = days(*range(31), *range(31, 59), *range(90, 120))
    lines, labels = picture_of(names)
    for name, x in lines.items():
        passed = date.fromisoformat(name) - date(2026, 1, 1)
        assert x == pytest.approx(passed.days / 120, abs=1e-5)
    # A label is below the middle of its line.
    expected = {"2026-01": 0.5 / 120, "2026-02": 31.5 / 120, "2026-04": 90.5 / 120}
    assert labels == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (list(map(str, range(1, 41))), {"10": 9, "20": 19, "30": 29, "40": 39}),
        (
            [f"{i / 100:.2f}" for i in range(40)],
            {"0": 0, "0.1": 10, "0.2": 20, "0.3": 30},
        ),
        (days(*range(32)), {"2026-01": 0, "2026-02": 31}),
        # The label of a part of a month has no room.
        (days(*range(30, 75)), {"2026-02": 1, "2026-03": 29}),
        ([f"{year}-{n:02}" for year in (2024, 2025, 2026) for n in range(1, 13)], None),
        ([f"shop {i}" for i in range(40)], {}),
        # A scale would mostly consist of gaps.
        ([str(i * i) for i in range(40)], {}),
        # No line is at a round number.
        (
            list(map(str, range(1, 81, 2))),
            {"10": 4.5, "30": 14.5, "50": 24.5, "70": 34.5},
        ),
    ],
    ids=["numbers", "decimals", "days", "parts", "months", "names", "squares", "odd"],
)
def test_lines_follow_one_another(names, expected):
    lines, labels = picture_of(names)
    if expected is None:
        assert 2 <= len(labels) <= 6
        return
    places = [place / len(names) for place in range(len(names))]
    assert list(lines.values()) == pytest.approx(places, abs=1e-5)
    expected = {name: (place + 0.5) / len(names) for name, place in expected.items()}
    assert labels == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("n_lines", [33, 100, 365, 1000])
@pytest.mark.parametrize("first", [0, 7])
def test_labels_are_few_and_even(n_lines, first):
    _, months = picture_of(days(*range(n_lines)))
    _, numbers = picture_of(list(map(str, range(first, first + n_lines))))
    for places in ([*months.values()], [*numbers.values()]):
        assert 1 <= len(places) <= 6
        assert all(a - b > 0.199 for a, b in pairwise(places))
    steps = {int(a) - int(b) for a, b in pairwise(numbers)}
    assert len(steps) <= 1
    assert all(int(label) % 10 == 0 for label in numbers)
