"""`compare_conventions`: the reasons for a difference, and how a user sees them."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap import compatibility
from sklearn_ap.compatibility import (
    CONVENTIONS,
    Convention,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._comparison import format_part
from sklearn_ap.compatibility._records import FAMILY, find_convention
from sklearn_ap.compatibility._scores import Scores


def test_family_of_the_ranking_that_shows_all_differences():
    values = {row.name: row.value for row in compare_conventions(FAMILY_Y, FAMILY_S).rows}
    expected = [0.698, 0.714, 0.740, 0.660, 0.664]
    names = [FAMILY[place].name for place in (0, 1, 3, 4, 5)]
    assert [values[name] for name in names] == pytest.approx(expected, abs=5e-4)


def test_reasons_of_a_known_difference():
    (row,) = compare_conventions(MCCANN_Y, MCCANN_S, conventions="VOC 2007").rows
    assert [stop.choice for stop in row.stops] == [
        "queries",
        "ties",
        "weights",
        "area",
        "grid",
        "stated total",
    ]
    (reason,) = row.reasons
    assert (reason.choice, reason.part) == ("grid", pytest.approx(row.difference, abs=1e-12))
    assert row.why == "11 levels, 0:0.1:1 +0.0121"
    assert reason.convention.grid == CONVENTIONS["VOC 2007"].grid
    assert score_as(reason.convention, MCCANN_Y, MCCANN_S) == reason.value


def test_no_number_gets_a_sentence_and_no_parts():
    conventions = ["COCO", "VOC 2010", "CatBoost PRAUC", "XGBoost aucpr"]
    comparison = compare_conventions([0, 0], [2, 1], conventions=conventions)
    for row in comparison.rows:
        assert (row.value, row.difference, row.stops, row.reasons) == (None, None, (), ())
        assert row.why == row.note
        assert row.note.endswith(".")
        assert row.name in row.note
    assert "answers -1, since a ranking holds no positive" in comparison.rows[0].note
    assert "answers nan" in comparison.rows[1].note


def test_a_stop_without_a_number_goes_with_the_next_choice():
    """An order with positives first means nothing while weights are used."""
    one = Convention(name="no weights", ties="optimistic", weights="ignored")
    (row,) = compare_conventions(TIED_Y, TIED_S, sample_weight=[1, 2, 3, 4, 5, 6], conventions=one).rows
    assert [stop.choice for stop in row.stops] == ["ties and weights"]
    assert row.stops[0].words == "positives first among equal scores, sample weights ignored"
    assert row.stops[0].part == pytest.approx(row.difference, abs=1e-15)


def test_table_fits_a_terminal_and_names_the_cut():
    given = {"item_id": list("fedcba"), "n_positives": 9, "query_id": list("aaabbb")}
    for arguments in ({}, given, {"sample_weight": [1, 2, 3, 4, 5, 6]}):
        lines = str(
            compare_conventions(TIED_Y, TIED_S, k=3, conventions=CONVENTIONS, **arguments)
        ).splitlines()
        assert max(map(len, lines)) <= 80
    assert any(line.startswith("AP@3 over R ") for line in lines)
    assert str(compare_conventions(TIED_Y, TIED_S, k=0.5)).count("AP@0.5 over") == 4
    assert "AP@k over R" in str(compare_conventions(TIED_Y, TIED_S, k=None))


def test_frame():
    comparison = compare_conventions(
        FAMILY_Y, FAMILY_S, conventions=["eleven-point", "ml_metrics apk", "COCO"]
    )
    frame = comparison.to_frame()
    assert (frame.dtypes["value"], frame.dtypes["difference"]) == (float, float)
    assert compare_conventions([0, 0], [2, 1], conventions="COCO").to_frame()["value"].isna().all()
    assert list(frame.columns) == ["value", "low", "high", "scikit_learn", "difference", "why"]
    assert list(frame.index) == ["eleven-point", "ml_metrics apk", "COCO"]
    assert frame.loc["COCO", "value"] == score_as("COCO", FAMILY_Y, FAMILY_S)
    assert frame.loc["ml_metrics apk", "why"] == comparison.rows[1].why


def test_small_parts_are_reasons_and_rounding_is_none():
    scores = [0.5 + 1e-9, 0.5, *([0.1] * 2000)]
    labels = [1, 0, *([0, 1] * 1000)]
    (row,) = compare_conventions(labels, scores, conventions=["torcheval binary_auprc, float32"]).rows
    assert [stop.choice for stop in row.reasons] == ["score precision"]
    assert 1e-5 < abs(row.difference) < 1e-3
    rounding = replace(row.stops[0], part=-1e-17)
    assert replace(row, stops=(rounding,)).reasons == ()
    assert "-0.0000" not in str(
        compatibility.ConventionComparison(rows=(replace(row, value=row.scikit_learn - 1e-17),))
    )


def test_results_show_themselves_at_a_prompt():
    comparison, found = compare_conventions(FAMILY_Y, FAMILY_S), identify("0.7", FAMILY_Y, FAMILY_S)
    assert repr(comparison) == str(comparison)
    assert repr(found) == str(found)
    assert repr(found.groups[0]) == str(found.groups[0])
    row = comparison.rows[1]
    assert repr(row) == (
        f"ComparisonRow(name={row.name!r}, value={row.value}, scikit_learn={row.scikit_learn}, note='', "
        "low=None, high=None)"
    )


class Cells(HTMLParser):
    """The texts of a table, cell by cell."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, _):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):  # a table has no other text
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.rows[-1][-1] += data


def test_html_for_notebooks():
    hostile = Convention(name="a<b & <i>c", ties="unspecified")
    comparison = compare_conventions(
        TIED_Y, TIED_S, conventions=["scikit-learn < 0.19", "eleven-point", hostile]
    )
    rows = Cells(comparison._repr_html_()).rows
    assert rows[0] == ["score", "value", "scikit-learn AP", "difference"]
    assert [row[0] for row in rows if len(row) == 4 and not row[0].startswith("\u2003")][1:] == [
        row.name for row in comparison.rows
    ]
    stops = [row for row in rows if row[0].startswith("\u2003") and len(row) == 4]
    told = [(f"\u2003{stop.words}", f"{stop.value:.4f}") for row in comparison.rows for stop in row.reasons]
    assert [tuple(row[:2]) for row in stops] == told
    assert rows[-1] == [f"\u2003{comparison.rows[-1].note}"]


def test_an_open_order_shows_its_range_in_every_form():
    comparison = compare_conventions(TIED_Y, TIED_S, conventions=["voc_ap", "COCO", "trec_eval map"])
    open_row, known, by_item = comparison.rows
    assert 0 < open_row.low < open_row.high <= 1
    assert (open_row.value, known.low, known.high) == (None, None, None)
    words = f"The number is between {open_row.low:.4f} and {open_row.high:.4f}, depending on that order."
    assert open_row.note.endswith(words)
    assert by_item.note.endswith("depending on that order.")
    assert words in " ".join(str(comparison).split())
    assert words in Cells(comparison._repr_html_()).rows[1 + 1][0]
    frame = comparison.to_frame()
    assert tuple(frame.loc["voc_ap", ["low", "high"]]) == (open_row.low, open_row.high)
    assert frame.loc["COCO", ["low", "high"]].isna().all()
    assert (frame.dtypes["low"], frame.dtypes["high"]) == (float, float)


@pytest.mark.parametrize(
    ("part", "text"), [(0.00007, "+0.0001"), (-0.00006, "-0.0001"), (0.00004, "+4e-05"), (0.25, "+0.2500")]
)
def test_a_part_is_never_shown_as_nothing(part, text):
    assert format_part(part) == text


def test_scores_without_ties_are_ranked_once():
    """Each order of equal scores was sorted: the command took 15 sorts for its table."""
    family, orders = find_convention("scikit-learn"), ("optimistic", "pessimistic", "stable", "expected")
    untied = Scores("compare_conventions", TIED_Y, list(range(6)), 10, 1)
    first = untied.ranked(family, ties="proportional")
    assert all(untied.ranked(family, ties=order) is first for order in orders)
    assert (
        untied.ranked(find_convention("average precision"), ties="proportional") is first
    )  # a mean over one
    tied = Scores("compare_conventions", TIED_Y, TIED_S, 10, 1)
    assert len({id(tied.ranked(family, ties=order)) for order in ("proportional", *orders)}) == 4
