"""The page of a report: its numbers are the library's own, and it works alone, for everyone."""

import json
import re
from html import unescape
from importlib.resources import files

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from browser import browser, needs_browser
from command import run
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    influence_values,
    operating_point,
    report,
)
from sklearn_ap._displays._rows import Resampling
from sklearn_ap._points._operating_points import points_of
from sklearn_ap._reading._read import read
from sklearn_ap._report._curve import band_by_influence, drawn_points
from sklearn_ap._typing import Input

SCRIPT = "<script>alert(1)</script>&\"'<!--data-->"
TEXT = r"(?s)<style.*?</style>|<script.*?</script>|<[^>]*>"


def drawn(n_rows, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_rows) < share).astype(int)
    return y_true, rng.normal(size=n_rows) + 1.5 * y_true, rng.normal(size=n_rows) + y_true


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def text_of(page):
    return unescape(re.sub(TEXT, " ", page))


Y, FIRST, SECOND = drawn(3000)
RNG = np.random.default_rng(1)
WEIGHT, QUERY = RNG.integers(0, 4, Y.size) / 2, np.arange(Y.size) % 30
AMOUNT = RNG.integers(0, 50, Y.size) / 4


@pytest.mark.parametrize("rounded", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sample_weight": WEIGHT},
        {"prevalence": 0.01},
        {"n_positives": 500},
        {"n_positives": 500, "prevalence": 0.01},
    ],
    ids=["plain", "weights", "prevalence", "total", "both"],
)
def test_thresholds_have_the_numbers_of_operating_point(params, rounded):
    score = FIRST.round(1) if rounded else FIRST
    data = data_of(report(Y, score, amount=AMOUNT, **params).html)
    columns, totals = data["columns"], data["totals"]
    assert len(columns["rows"]) <= 400
    assert rounded or np.diff([0, *columns["recall"]]).max() < 0.02  # as many at each recall
    assert columns["threshold"] == sorted(columns["threshold"], reverse=True)
    share = totals["rows"]
    for i in range(0, len(columns["rows"]), 7):
        point = operating_point(Y, score, k=columns["rows"][i] / share, **params)
        assert point.threshold == columns["threshold"][i]
        assert point.n_retrieved == columns["rows"][i]
        assert (point.precision, point.recall) == (columns["precision"][i], columns["recall"][i])
        kept = (score >= point.threshold) & (Y == 1) & (params.get("sample_weight", 1) > 0)
        assert columns["positives"][i] == kept.sum()
        assert columns["amount"][i] == AMOUNT[kept].sum()
        if "sample_weight" in params:
            assert columns["weight"][i] == point.weight_found
    assert columns["recall"][-1] * params.get("n_positives", 1) == pytest.approx(
        Y.sum() if "n_positives" in params else 1
    )


@pytest.mark.parametrize(
    "score",
    [
        FIRST,
        FIRST.round(2),
        1 / (1 + np.exp(-20 * FIRST)),
        (1000 * FIRST).astype(int),
        FIRST.astype(np.float32),
    ],
    ids=["distinct", "rounded", "saturated", "integers", "float32"],
)
def test_a_shown_threshold_retrieves_the_rows_that_are_counted(score):
    columns = data_of(report(Y, score).html)["columns"]
    for text, rows, below in zip(columns["short"], columns["rows"], columns["below"], strict=True):
        assert (score >= float(text)).sum() == rows
        assert (below is None) == (rows == Y.size)
        assert below is None or (score > below).sum() == rows


def test_the_page_opens_at_the_rows_of_all_budgets():
    """Not at a share of one query: 100 queries of 30 rows, half of each."""
    data = data_of(report(Y, FIRST, query_id=np.arange(Y.size) % 100, k=0.5).html)
    assert data["columns"]["rows"][data["totals"]["start"]] == 1500


def test_weights_and_missed_positives():
    """Nothing says what missed positives weigh, so there is a score, and neither an interval nor a cost."""
    found = report(Y, FIRST, sample_weight=WEIGHT, n_positives=900)
    expected = average_precision_score(Y, FIRST, sample_weight=WEIGHT, n_positives=900)
    assert found.answer["score"]["value"] == pytest.approx(expected)
    assert found.answer["score"]["low"] is None
    assert "Rows that cost the score most" not in found.html


def test_days_without_positives_may_be_left_out():
    y_true = np.where(QUERY < 5, 0, Y)
    for zero_division in (0.0, 1.0, np.nan):
        found = report(y_true, FIRST, query_id=QUERY, zero_division=zero_division).answer
        expected = average_precision_score(y_true, FIRST, query_id=QUERY, zero_division=zero_division)
        assert found["score"]["value"] == pytest.approx(expected)
        assert found["counts"]["without_positives"]["queries"] == 5


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"compare": np.where(FIRST > 0, np.nan, FIRST)}, ValueError, "compare must contain scores.*NaN"),
        ({"name": 5}, TypeError, "name must be text; got 5"),
        (
            {"amount": np.full(Y.size, 1e308)},
            ValueError,
            "amount must be 3000 numbers >= 0 with a finite sum",
        ),
    ],
)
def test_an_argument_that_is_refused_is_named(params, error, text):
    with pytest.raises(error, match=f"^{text}"):
        report(Y, FIRST, **params)


def test_a_report_replaces_pages_alone(tmp_path):
    found = report(Y, FIRST, name="half a character: \ud83d")
    for name in ("new", "new", "report.html", "report.HTM"):  # a page without an ending is a page
        found.save(tmp_path / name)
        assert "half a character: ?" in (tmp_path / name).read_text()
    (tmp_path / "scores.csv").write_text("label,score\n1,2\n0,1\n")
    with pytest.raises(ValueError, match=r"^path must end in \.html; got .*scores\.csv', a file that is not"):
        found.save(tmp_path / "scores.csv")
    assert "path must end in .html" in run(tmp_path / "scores.csv", "--report", tmp_path / "scores.csv").err
    assert (tmp_path / "scores.csv").read_text().startswith("label")


def test_each_text_of_a_warning_is_given_once():
    query, few = np.arange(30) % 3, slice(30)
    with pytest.warns(UserWarning, match="interval|estimate") as caught:
        report(Y[few], FIRST[few], query_id=query, k=10, sample_weight=1 + np.arange(30) % 2)
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == len(set(texts))


def test_rows_per_query():
    found = report(Y, FIRST, query_id=QUERY, k=5)
    assert found.answer["cut"]["positives"] is None  # a mean of recalls says nothing about all rows
    data = data_of(found.html)
    columns, i = data["columns"], 100
    by_query = np.bincount(QUERY[columns["threshold"][i] <= FIRST])
    assert columns["most"][i] == by_query.max()
    assert data["totals"]["queries"] == by_query.size
    least = average_precision_score(Y, FIRST, query_id=QUERY, average=None).argmin()
    assert f"<tbody><tr><td>{least}<" in found.html.split("What scores least")[1]
    assert columns["rows"][data["totals"]["start"]] <= 5 * by_query.size


def rows_of_curve(y_true, y_score, weight=None):
    return read(Input(y_true, y_score, sample_weight=weight), caller="x", as_curve=True)


def test_drawn_curve_is_near_every_point():
    """No point of the whole curve is further than .002 from the drawn steps."""
    y_true, y_score, _ = drawn(100_000, 0.02)
    points = points_of(rows_of_curve(y_true, y_score), None, None)
    recall, precision = drawn_points(points)
    assert recall.size <= 4 * 600
    assert np.isin(recall + 2 * precision, points.recall + 2 * points.precision).all()
    corners = np.repeat(np.append(0, recall), 2)[:-1], np.repeat(np.append(precision[0], precision), 2)[1:]
    whole = precision_recall_curve(y_true, y_score)
    for r, p in list(zip(whole[1][:-1], whole[0][:-1], strict=True))[::50]:
        near = np.abs(corners[0] - r) <= 0.002
        near = np.flatnonzero(near[:-1] | near[1:])
        ends = np.sort([corners[1][near], corners[1][near + 1]], axis=0)
        assert ((ends[0] - 0.002 <= p) & (p <= ends[1] + 0.002)).any()


@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_page_draws_the_curve_and_its_band_and_has_all_definitions(prevalence):
    page = report(Y, FIRST, prevalence=prevalence, k=50).html
    top = data_of(page)["totals"]["top"]
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', page).groups())
    points = points_of(rows_of_curve(Y, FIRST), prevalence, None)
    recall, precision = drawn_points(points)
    levels, low, high, _ = band_by_influence(points, None, at_prevalence=prevalence is not None)
    assert high[5:].max() < top <= min(1, 2.6 * high[5:].max())
    first, band = (
        np.array(re.findall(r"[\d.-]+", re.search(rf'class="{mark}" d="([^"]+)"', page)[1]), float)
        for mark in ("first", "band")
    )
    rounding = {"atol": 0.051}  # the path has a decimal
    np.testing.assert_allclose(first[3::2], width * recall, **rounding)
    np.testing.assert_allclose(first[2::2], height * (1 - precision / top), **rounding)
    np.testing.assert_allclose(band[::2], width * np.append(levels, levels[::-1]), **rounding)
    np.testing.assert_allclose(band[1::2], height * (1 - np.append(low, high[::-1]) / top), **rounding)
    assert " AP@50 over R " in text_of(page)


@pytest.mark.parametrize("unit", [None, np.arange(3000) // 4], ids=["rows", "units"])
@pytest.mark.parametrize("weight", [None, WEIGHT + 0.5], ids=["equal", "weights"])
def test_band_is_near_that_of_a_bootstrap(unit, weight):
    points = points_of(rows_of_curve(Y, FIRST, weight), None, None)
    levels, least, most, _ = band_by_influence(points, unit, at_prevalence=False)
    rows = rows_of_curve(Y, FIRST, weight)
    resampling = Resampling(True, 0.95, 999, 0, unit, weight)
    recall, low, high, _ = resampling.precision_band(rows, "step")
    np.testing.assert_allclose(levels, recall)
    width = (high - low).mean()
    assert np.abs(least - low).mean() < width / 6
    assert np.abs(most - high).mean() < width / 6


def test_missed_positives_are_rows_below_all_others_in_a_band():
    """False positives grow with the square of the hits, whose slope is the same over any reach."""
    y_true = np.repeat([1, 0], [1000, 5000])
    y_score = -np.append(np.arange(1000.0), np.sqrt(200 * np.arange(5000.0)))
    points = points_of(rows_of_curve(y_true, y_score), None, 4000)
    recall, low, high, _ = band_by_influence(points, None, at_prevalence=False)
    missed = np.append(y_true, np.ones(3000)), np.append(y_score, np.full(3000, -1000.0))
    points = points_of(rows_of_curve(*missed), None, None)
    expected = band_by_influence(points, None, at_prevalence=False)
    places = slice(7, 19)  # further than the reach from both ends of the rows that were found
    np.testing.assert_allclose(recall[::4][places], expected[0][places])
    np.testing.assert_allclose(low[::4][places], expected[1][places], rtol=1e-3)
    np.testing.assert_allclose(high[::4][places], expected[2][places], rtol=1e-3)


def test_answer_and_losses_are_the_numbers_of_the_package():
    found = report(Y, FIRST, compare={"new": SECOND}, k=50, name="old")
    estimate = estimate_score(average_precision_score, Y, FIRST)
    assert found.answer["score"]["value"] == estimate.score
    assert (found.answer["score"]["low"], found.answer["score"]["high"]) == estimate.confidence_interval()
    comparison = compare_scores(average_precision_score, Y, SECOND, FIRST, random_state=0)
    assert found.answer["comparison"]["pvalue"] == comparison.pvalue
    assert str(found).startswith(f"old: 3,000 rows, {Y.sum()} positive")
    assert f'<u style="left:{found.answer["chance"]:.2%}">' in found.html
    assert "again has the same." in str(report(Y, FIRST, compare={"again": FIRST}))
    _, *sentences = str(found).splitlines()
    assert " ".join(sentences) in " ".join(text_of(found.html).split())
    worst = np.argsort(influence_values("average_precision", Y, FIRST))[:10]
    table = found.html.partition("Rows that cost")[2].partition("</table>")[0]
    assert [int(row) for row in re.findall(r"<tr><td>(\d+)", table)] == worst.tolist()


def test_text_of_the_caller_is_never_markup():
    ids = np.array([f"{SCRIPT}{i}" for i in QUERY])
    options = {"compare": {SCRIPT: SECOND}, "item_id": ids, "name": SCRIPT}
    for more in ({"query_id": ids}, {"unit_id": ids}):
        page = report(Y, FIRST, **options, **more).html
        assert page.count("<script") == 2
        assert "alert(1)<" not in page
        assert SCRIPT in text_of(page)


def test_page_is_one_file_without_links():
    page = report(Y, FIRST, compare=SECOND).html
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link[^>]*href=\"(?!data:)|src=", page)
    assert len(page.encode()) < 100_000
    assert len(files("sklearn_ap._report").joinpath("page.html").read_text().splitlines()) <= 250


def test_notebook_shows_the_page(tmp_path):
    found = report(Y, FIRST)
    found.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found.html
    assert unescape(re.search(r'srcdoc="([^"]*)"', found._repr_html_())[1]) == found.html


def labels(values):
    return np.where(values, "yes", "no")


ORDINARY = np.arange(300) % 7 == 0
UNUSUAL = {
    "half precision": lambda y, s: report(y, s.astype(np.float16)),
    "long doubles": lambda y, s: report(y, s.astype(np.longdouble)),
    "large integers": lambda y, s: report(y, [2**60 + int(value * 1e6) for value in s]),
    "predicted labels": lambda y, s: report(y, s > 0),
    "text": lambda y, s: report(labels(y), s, pos_label="yes"),
    "tuples": lambda y, s: report(y, s, query_id=[(i // 30, "a") for i in range(s.size)], compare=-s),
    "constant": lambda y, s: report(y, 0 * s),
    "all positive": lambda y, s: report(y | True, s),
    "perfect": lambda y, s: report(y, y * 9 + s, compare=y * 8 + s),
    "one name": lambda y, s: report(y, s, compare={"scores": -s}),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_rows_have_a_page(kind):
    found = UNUSUAL[kind](ORDINARY, np.random.default_rng(0).normal(size=300) + ORDINARY)
    data = data_of(found.html)
    assert data["columns"]["rows"][-1] == data["totals"]["rows"] == 300
    drawings = found.html.count('<path class="first"'), found.html.count('<path class="second"')
    assert drawings == (2, 2 * bool(found.answer["comparison"]))  # each in the chart and in its key


@pytest.mark.filterwarnings("ignore:no row has the positive label")
def test_report_without_positives():
    found = report(np.zeros(20, int), np.arange(20))
    assert "undefined" in str(found)
    assert "<svg" not in found.html
    assert "no row has" in text_of(found.html).lower()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"amount": -AMOUNT}, "amount must"),
        ({"amount": AMOUNT[:5]}, "amount must"),
        ({"compare": {"a": FIRST, "b": SECOND}}, "compare must"),
        ({"unit_id": QUERY[:5]}, "unit_id"),
        ({"k": 0}, "k must"),
        ({"prevalence": 2}, "prevalence must"),
    ],
)
def test_refusals_name_the_argument(params, message):
    with pytest.raises(ValueError, match=message):
        report(Y, FIRST, **params)


CONTRAST = """(() => {
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const linear = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const parts = [.2126, .7152, .0722];
  const light = ([r, g, b]) => [r, g, b].map(linear).reduce((sum, c, i) => sum + c * parts[i], 0);
  const behind = node => { while (node) { const c = parse(getComputedStyle(node).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; node = node.parentElement; } return [255, 255, 255]; };
  return [...document.querySelectorAll("body *")].filter(node => node.getClientRects().length &&
    [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())).map(node => {
      const pair = [light(parse(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
      return (pair[0] + .05) / (pair[1] + .05); }).reduce((a, b) => Math.min(a, b));
})()"""
TYPED = "at('level').dispatchEvent(new Event('input'))"
WIDE = """[...document.querySelectorAll("body *")].filter(node => !node.closest(".wide table, svg") &&
  node.getBoundingClientRect().right > innerWidth).map(node => node.outerHTML.slice(0, 80))"""


@needs_browser
def test_page_in_a_browser(tmp_path):
    path = tmp_path / "report.html"
    found = report(Y, FIRST, compare={"new": SECOND}, sample_weight=WEIGHT, amount=AMOUNT, k=50)
    found.save(path)
    columns = data_of(found.html)["columns"]
    with browser() as page:
        for width in (390, 1280):
            for scheme in ("light", "dark"):
                page.open(path, width, scheme)
                assert page.run("document.documentElement.scrollWidth") <= width
                assert page.run(WIDE) == []
                assert page.run(CONTRAST) >= 4.5
        start = page.run("at('slider').valueAsNumber")
        page.run("at('slider').focus()")
        for _ in range(3):
            page.press("ArrowRight")
        assert page.run("at('slider').valueAsNumber") == start + 3
        shown = {name: page.run(f"at('{name}').textContent") for name in ("rows", "threshold", "weight")}
        point = operating_point(Y, FIRST, k=int(columns["rows"][start + 3]), sample_weight=WEIGHT)
        assert np.count_nonzero(WEIGHT * (float(shown["threshold"]) <= FIRST)) == point.n_retrieved
        assert shown["rows"] == f"{point.n_retrieved:,} of {np.count_nonzero(WEIGHT):,}"
        assert float(shown["weight"].split()[0].replace(",", "")) == pytest.approx(
            point.weight_found, abs=0.05
        )
        for by, level in (("recall", 0.5), ("precision", 0.7), ("rows", 100), ("score", 1.0)):
            page.run(f"at('by').value = '{by}'; at('level').value = {level}; {TYPED}")
            place = page.run("at('slider').valueAsNumber")
            value = {"score": columns["threshold"], **columns}[by][place]
            assert value <= level if by == "rows" else value >= level
        threshold, below = (columns[name][start] for name in ("threshold", "below"))
        for typed in (threshold, (threshold + below) / 2, below):
            page.run(f"at('by').value = 'score'; at('level').value = {typed}; {TYPED}")
            least, most = np.array(re.findall(r"\d+(?=[ .])", page.run("at('none').textContent")), int)[
                [0, -1]
            ]
            assert least <= np.count_nonzero(WEIGHT * (typed <= FIRST)) <= most
        assert page.requests == [path.as_uri()] * 4
        assert page.messages == []
