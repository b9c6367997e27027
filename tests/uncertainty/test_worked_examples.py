"""The examples at the heads of modules are what their functions return."""

from ast import literal_eval
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    estimate_score,
    precision_at_k_score,
)
from sklearn_ap._core.areas.hits import HITS
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.evaluate import rankings_in
from sklearn_ap._core.reading import per_ranking
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._uncertainty.intervals import first_rows, recalls
from sklearn_ap._uncertainty.sampling import (
    alike,
    contributions,
    cuts,
    levels,
    pairs,
    sums,
)
from sklearn_ap._uncertainty.sampling.alike import join_groups
from sklearn_ap._uncertainty.sampling.contributions import score_ranking
from sklearn_ap._uncertainty.sampling.one_more import Changes, event_of
from sklearn_ap._uncertainty.sampling.ranking import Ranking
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score_call import read_call
from sklearn_ap._uncertainty.sampling.units import Units, units_of
from tables import cells_below, number

TWELVE = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]


def test_places_of_a_recall():
    found = estimate_score("precision_at_recall@0.5", TWELVE, range(12, 0, -1))._places
    rows = cells_below(recalls, "y h threshold vertex m F q e^2")
    for i, (y, h, threshold, vertex, m, f, p, squared) in enumerate(rows):
        # The first line of a place has the negative in front.
        is_again = i == 3
        place = [each for each in found if each.away == float(y)][is_again]
        assert place.only_high == is_again
        assert place.score == pytest.approx(number(p))
        assert place.standard_error**2 == pytest.approx(number(squared))
        above = sum(TWELVE[: int(vertex)])
        assert int(h) == 2 + int(y)
        assert int(f) == int(vertex) - above
        assert int(m) == max(above - int(h) - (int(y) >= 0), 0)
        assert p == f"{2 + int(m)}/{2 + int(m) + int(f)}"
        where, row = threshold.split(" row ")
        assert where == ("before" if int(y) >= 0 else "after")
        assert sum(TWELVE[: int(row)]) == int(h) + (where == "before")
    assert i == 3


def test_vertices_of_twelve_rows():
    lines = cells_below(recalls, "row A F A / (A + F + 1) vertex")
    precisions = {int(row): number(precision) for row, _, _, precision, _ in lines}
    for row, tp, fp, precision, vertex in lines:
        n = int(row)
        assert (int(tp), int(fp)) == (sum(TWELVE[:n]), n - sum(TWELVE[:n]))
        assert number(precision) == int(tp) / (n + 1)
        assert (
            int(vertex)
            == max((p, each) for each, p in precisions.items() if each >= n)[1]
        )


def test_places_of_the_first_rows():
    found = estimate_score("recall@3", TWELVE, range(12, 0, -1))._places
    for d, y, s, b, t, squared in cells_below(first_rows, "d y S b T e^2"):
        (place,) = (each for each in found if each.away == pytest.approx(number(y)))
        assert number(s) == sum(TWELVE[: int(d)]) / 4
        assert number(t) == pytest.approx(number(s) + number(b) * (3 - int(d)))
        assert place.score == pytest.approx(number(t))
        assert place.standard_error**2 == pytest.approx(number(squared))


def plain_ranking(positive, starts):
    """Return rows of weight 1, which are units."""
    rows = np.arange(positive.size)
    return Ranking(
        positive=positive,
        weight=np.ones(rows.size),
        starts=starts,
        unit_of_row=rows,
        unit_numbers=rows,
    )


@pytest.fixture
def five_rows():
    positive = np.array([1, 0, 1, 0, 1], dtype=bool)
    return plain_ranking(positive, np.array([0, 1, 2, 4]))


def test_five_rows(five_rows):
    part = score_ranking(Definition(STEP), five_rows)
    lines = {name: cells for name, *cells in cells_below(sums, "rows 1 2 3 and 4 5")}
    groups = part.ranking.groups
    for name, found in (
        ("a", groups.positives),
        ("A", groups.tp),
        ("B", groups.retrieved),
        ("p", groups.tp / groups.retrieved),
        ("a p / 3", part.score_sum.gains),
        ("positive", part.score_sum.positive),
        ("negative", part.score_sum.negative),
    ):
        assert found.tolist() == pytest.approx([*map(number, lines[name][:4])])
    p, below, n = (
        [*map(number, lines[name][:4])]
        for name in ("p", "and below, q", "and below, n")
    )
    assert part.score_sum.positive == pytest.approx((np.add(p, below) - 0.7) / 3)
    assert part.score_sum.negative == pytest.approx(np.divide(n, -3))
    head = "row 1 2 3 4 5"
    lines = {name: cells for name, *cells in cells_below(contributions, head)}
    assert part.of_units.tolist() == pytest.approx([*map(number, lines["x"][:5])])
    assert part.score_sum.total == pytest.approx(7 / 10)
    assert np.square(part.of_units).sum() == pytest.approx(0.3755 / 9)
    assert part.of_units[:2].sum() == pytest.approx(0.26 / 3)
    others = [*map(number, lines["of the others"][:3])]
    assert part.bias == pytest.approx(7 / 10 - sum(others) / 3)
    assert sum(others) / 3 == pytest.approx(11 / 18)


def test_levels_of_five_rows(five_rows):
    groups, at = five_rows.groups, np.array([0, 0.5, 1])
    lines = {name: cells for name, *cells in cells_below(levels, "row 1 2 3 and 4 5")}
    numbers = {
        name: [0.0 if cell == "-" else number(cell) for cell in lines[name][:4]]
        for name in (
            "best precision",
            "slope / 3",
            "p",
            "1 / 3B",
            "p / 3B",
            "negative",
            "positive",
        )
    }
    best, vertices = sums.vertices_of(groups)
    slopes = levels._slopes_by_recall(at, groups, best) / 3
    shown = levels._damped_precision(vertices, groups)
    found = levels.mean_at_levels(at, groups)
    assert numbers["best precision"] == pytest.approx(best)
    assert lines["vertex"] == [f"row {[1, 2, 4, 5][i]}" for i in vertices]
    assert [numbers["slope / 3"][i] for i in (0, 2, 3)] == pytest.approx(
        slopes, abs=1e-4
    )
    assert numbers["p"] == pytest.approx(shown * [1, 0, 0, 1], abs=5e-4)
    assert numbers["1 / 3B"] == pytest.approx([1 / 3, 0, 0, 2 / 15], abs=5e-4)
    products = np.multiply(numbers["p"], numbers["1 / 3B"])
    assert numbers["p / 3B"] == pytest.approx(products, abs=5e-4)
    assert numbers["negative"] == pytest.approx(found.negative, abs=5e-4)
    assert numbers["positive"] == pytest.approx(found.positive, abs=5e-4)
    assert found.missed == pytest.approx(-0.022, abs=5e-4)
    assert found.total == pytest.approx((1 + 0.6 + 0.6) / 3)


def test_levels_near_missed_positives(five_rows):
    lines = cells_below(
        levels._slopes_by_recall,
        "level before beyond curve fall slope single: fall slope",
    )
    cells = [[number(cells[i]) for i in (0, 5, 7)] for cells in lines]
    at, slopes, of_single = np.transpose(cells)
    groups = replace(five_rows, n_missed=1.0).groups
    best, _ = sums.vertices_of(groups)
    found = levels._slopes_by_recall(at, groups, best)
    assert found == pytest.approx(slopes, abs=5e-4)
    for i in range(2):
        (found,) = levels._slopes_by_recall(at[i : i + 1], groups, best)
        assert found == pytest.approx(of_single[i], abs=5e-4)


def test_joined_groups():
    head = "first row of each group 1 2 3 5 6 7"
    (_, *has_positive), (_, *kept, _) = cells_below(alike.join_groups, head)
    starts = np.array([0, 1, 2, 4, 5, 6])
    positive = np.array([1, 0, 1, 0, 1, 0, 0], dtype=bool)
    assert np.logical_or.reduceat(positive, starts).tolist() == [
        *map(int, has_positive)
    ]
    joined = join_groups(Definition(STEP), plain_ranking(positive, starts)).starts
    assert joined.tolist() == starts[[*map(bool, map(int, kept))]].tolist()


def test_groups_far_from_a_cut():
    head = "rows 1 to 11 12 to 188 189 to 1000"
    rows = np.arange(1000)
    ranking = plain_ranking(rows % 3 == 0, rows)
    ends = [0, 11, 188, 1000]
    areas = {"AP@100": STEP, "recall@100": HITS}
    for name, *cells in cells_below(alike.join_groups, head):
        starts = []
        for first, end, cell in zip(ends, ends[1:], cells, strict=False):
            starts += [first] if cell == "joined" else range(first, end)
        found = join_groups(Definition(areas[name], cut=100), ranking).starts
        assert found.tolist() == starts


def test_counts_of_five_rows():
    table = cells_below(alike.counted_ranking, "step row 1 rows 3 and 4 row 5")
    lines = {name: cells for name, *cells in table}
    checked = read(PassedRows([1, 0, 1, 0, 1], [5, 4, 3, 3, 1]), caller="")
    rankings, _ = rankings_in(checked, average="micro")
    (steps,) = rankings.kernel.blocks()
    last_above = [*map(int, lines["negatives above the step"])]
    assert steps.above[::-1].tolist() == last_above
    last = [*map(int, lines["positives of the step"])]
    assert steps.retrieved[::-1].tolist() == last
    counts = [int(count) for cell in lines["counts"] for count in cell.split()]
    values = alike.counted_ranking(rankings)
    assert values.copies.tolist() == [count for count in counts if count]
    assert values.positive.tolist() == [i % 3 == 2 for i in np.flatnonzero(counts)]


def test_cut_of_five_rows(five_rows):
    lines = {name: cells for name, *cells in cells_below(cuts, "row 1 2 3 4 5")}
    inside, derivative, ahead, contribution = (
        np.array([*map(number, lines[name])])
        for name in ("inside", "derivative", "ahead", "contribution")
    )
    definition = Definition(HITS, cut=3)
    part = score_ranking(definition, five_rows)
    of_cut, _ = cuts.ahead_of_cut(definition, five_rows)
    assert ahead == pytest.approx(of_cut)
    assert ahead == pytest.approx(inside - 3 / 5)
    assert part.score_sum.total == pytest.approx(1 / 2)
    assert part.score_sum.at_cut == pytest.approx(1 / 5)
    assert contribution == pytest.approx(derivative - ahead / 5)
    assert part.of_units == pytest.approx(contribution)


def test_pairs_of_four_items():
    head = "row a b b a c c a d d d"
    of_rows, of_items = (
        {name: [*map(number, cells)] for name, *cells in cells_below(pairs, line)}
        for line in (head, "item a b c d")
    )
    rows = of_rows["label"], range(5, 0, -1)
    call = read_call(average_precision_score, *rows, {})

    def times_400(units):
        return 400 * sample_of(call, units).contributions.of_units

    def by_item(units):
        return np.bincount(sample_of(call, units).ids, times_400(units))

    assert times_400(Units()) == pytest.approx(of_rows["contributes"])
    pairs_of_rows = np.reshape(head.split()[1:], (5, 2))
    units = units_of(
        read_call(average_precision_score, *rows, {}, unit_id=pairs_of_rows)
    )
    of_columns = of_items["as the first"], of_items["as the second"]
    assert np.array([*map(by_item, units.columns)]) == pytest.approx(
        np.array(of_columns)
    )
    assert times_400(units) == pytest.approx(of_items["times 3/2"])
    assert np.multiply(of_items["pairs"], 3 / 2).tolist() == of_items["times 3/2"]
    summed = np.add(of_items["pairs"], of_items["with itself"])
    assert summed.tolist() == np.add(*of_columns).tolist()
    call = read_call(precision_at_k_score, *rows, {"k": 2})
    sample = sample_of(call, units.with_itself)
    below = pairs.as_if_cut_stayed(sample.contributions, sample.rankings_mean, 2)
    is_with_itself = units.with_itself.ids < 4
    assert below[is_with_itself] == pytest.approx(0)
    assert times_400(units.with_itself)[is_with_itself] == pytest.approx(-20)


@pytest.mark.parametrize(("values", "rows"), [("1100", 2), ("1010", 2 / 3)])
def test_events_of_two_units(values, rows):
    values = np.array([*map(float, values)])
    units = np.array([0, 0, 1, 1])
    assert event_of(values, np.ones(4), units).rows == pytest.approx(rows)
    # A row may stand for several.
    copies = np.array([1, 3, 2, 2])
    of_rows = (each.repeat(copies) for each in (values, np.ones(4), units))
    found = event_of(values, copies, units, copies=copies)
    assert found.rows == pytest.approx(event_of(*of_rows).rows)


@pytest.mark.parametrize(
    "cells",
    cells_below(
        contributions._changes_of_rankings,
        "columns spread n_with_event lost alarm bias",
    ),
)
def test_one_more_event_of_two_columns(cells):
    _, spread, n_with_event, lost, alarm, bias = cells
    column = SimpleNamespace(
        of_units=np.array([0.08, -0.06]),
        ranking=SimpleNamespace(copies_of_units=1.0),
        score_sum=SimpleNamespace(total=0.5),
        changes=Changes(lost=0.06, alarm=0.04, n_events=5.0),
        excess=1.0,
        bias=0.0,
    )
    changes = contributions._changes_of_rankings(
        contributions.RankingMean([column] * 2, np.full(2, 0.5)),
        np.array([number(spread)]),
    )
    expected = [*map(number, (lost, alarm, bias)), 10]
    assert changes == pytest.approx(expected, abs=1e-4)
    assert changes.lost == pytest.approx(int(n_with_event) * 0.03, abs=1e-4)


@pytest.mark.parametrize(
    "cells", cells_below(per_ranking, "passed n_positives names units totals")
)
def test_forms_of_totals(cells):
    passed, numbers, names, units, totals = cells
    params = {"n_positives": literal_eval(passed)}
    if totals != "7":
        params["query_id"] = [*"aabb"]
    rows, unit_id = ([1, 0, 1, 1], range(4)), None if units == "-" else [*"uuvv"]
    call = read_call(average_precision_score, *rows, params, unit_id=unit_id)
    read = call.rows.totals
    assert read.n_positives.ravel().tolist() == [*map(float, numbers.split(", "))]
    shown = [None if cell == "-" else cell.split() for cell in (names, units)]
    assert [read.names, read.units] == shown
    rankings, _ = rankings_in(call.rows, average=call.average)
    assert rankings.n_positives.tolist() == [*map(float, totals.split(", "))]
