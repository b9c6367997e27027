"""The page of a report: its numbers are those of the library, it needs no network, and
everyone can use it.
"""

import base64
import json
import re
from html import unescape
from itertools import product

import numpy as np
import pandas as pd
import pytest

from brief import not_in_brief
from browser import browser, needs_browser
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    chance_level,
    estimate_score,
    operating_point,
    report,
)
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._decisions.conditions import CandidatePoints
from sklearn_ap._report.answer import AnswerOptions, answer_of
from sklearn_ap._report.fields import Counts
from sklearn_ap._report.page import report_of
from sklearn_ap._report.scored_rows import ScoredRows, counted
from sklearn_ap._shown.numbers import part_of, short_share
from sklearn_ap._uncertainty.bands import band_by_influence

SCRIPT = "<script>alert(1)</script>&\"'<!--data-->"
TEXT = r"(?s)<style.*?</style>|<script.*?</script>|<[^>]*>"


def drawn(n_rows, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_rows) < share).astype(int)
    return (
        y_true,
        rng.normal(size=n_rows) + 1.5 * y_true,
        rng.normal(size=n_rows) + y_true,
    )


def data_of(page):
    return json.loads(re.search(r'application/json">(.*?)</script>', page)[1])


def tiles_of(page):
    """The numbers of all thresholds and their note, below the title of their tile."""
    shown = re.findall(
        r"<div><dt>(.*?)<dd><b data-text>.*?</b><small>(.*?)</small>",
        page.replace("\xa0", " "),
    )
    return {
        title: (texts, note)
        for (title, note), texts in zip(shown, data_of(page)["texts"], strict=True)
    }


def text_of(page):
    return " ".join(unescape(re.sub(TEXT, " ", page)).split())


Y, FIRST, SECOND = drawn(3000)
RNG = np.random.default_rng(1)
WEIGHT, QUERY = RNG.integers(0, 4, Y.size) / 2, np.arange(Y.size) % 30
AMOUNT = RNG.integers(0, 50, Y.size) / 4


CLASSES = np.random.default_rng(2).integers(0, 3, Y.size)
MATRIX = np.random.default_rng(3).random((Y.size, 3)) + 0.5 * (
    CLASSES[:, np.newaxis] == np.arange(3)
)


@pytest.mark.parametrize("rounded", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sample_weight": WEIGHT},
        {"n_positives": 500, "prevalence": 0.01},
        {"sample_weight": WEIGHT, "prevalence": 0.01},
    ],
    ids=["plain", "weights", "missed", "weights at a prevalence"],
)
def test_thresholds_have_the_numbers_of_operating_point(params, rounded):
    score = FIRST.round(1) if rounded else FIRST
    page = report(Y, score, amount=AMOUNT, **params).html
    columns, tiles = data_of(page), tiles_of(page)
    weight = params.get("sample_weight", np.ones(Y.size))
    amount = AMOUNT * weight * Y
    n_rows = np.count_nonzero(weight)
    in_all = params.get("n_positives", weight @ Y)
    for i in range(0, len(columns["rows"]), 7):
        point = operating_point(Y, score, k=columns["rows"][i] / n_rows, **params)
        names = "threshold", "rows", "precision", "recall"
        numbers = point.threshold, point.n_retrieved, point.precision, point.recall
        assert tuple(columns[name][i] for name in names) == numbers
        kept = score >= point.threshold
        found = "Weight of positives" if "sample_weight" in params else "Positives"
        expected = {
            "Rows": (point.n_retrieved, n_rows),
            f"{found} found": (point.weight_found, in_all),
            "Amount of positives found": (amount[kept].sum(), amount.sum()),
        }
        for title, (part, whole) in expected.items():
            texts, note = tiles[title]
            assert (texts[i], note) == (part_of(part), f"of {part_of(whole)}")
        for name in ("precision", "recall", "specificity"):
            value = getattr(point, name)
            texts, note = tiles[name.capitalize().replace("_", " ")]
            assert texts[i] == ("-" if np.isnan(value) else short_share(value))
            # At a prevalence, a share of rows of both classes differs from that of
            # these rows.
            is_moved = name == "precision" and "prevalence" in params
            assert ("at a prevalence of 1 %" in note) == is_moved, note
            assert ("with weights" in note) == ("sample_weight" in params)
    last = columns["recall"][-1] * in_all
    assert last == pytest.approx(weight @ Y)


def test_a_page_has_a_threshold_of_each_small_number_of_rows():
    """Larger numbers of rows have thresholds in steps of a constant ratio."""
    data = data_of(report(Y, FIRST, k=1234).html)
    rows = np.array(data["rows"])
    assert max(map(len, data["texts"][0])) < 10
    assert rows.size <= 500
    assert rows[:100].tolist() == list(range(1, 101))
    assert (rows[1:] / rows[:-1])[100:].max() < 1.03
    assert 1234 in rows
    assert rows[-1] == Y.size


@pytest.mark.parametrize("name", ["recall", "precision"])
def test_the_search_has_the_threshold_of_each_percent(name):
    """The search finds the threshold that `operating_point` chooses, with weights, too."""
    n_rows = 20_000
    y_true, score, weight = drawn(n_rows)[0], drawn(n_rows)[1], np.arange(n_rows) % 3
    data = data_of(report(y_true, score, sample_weight=weight).html)
    assert data["isPart"]
    reached, other = (
        np.array(data[each])
        for each in sorted(["recall", "precision"], key=lambda each: each != name)
    )
    for level in np.arange(1, 101) / 100:
        places = np.flatnonzero(reached >= level)
        if places.size:
            best = max(places, key=lambda place: (other[place], data["recall"][place]))
            options = {name: level, "sample_weight": weight}
            point = operating_point(y_true, score, **options)
            assert data["threshold"][best] == point.threshold, level


def test_a_page_of_ten_models_draws_eight_curves_and_reports_it():
    models = {f"model {i}": FIRST + i * SECOND for i in range(1, 10)}
    page = report(Y, FIRST, compare=models, name="first").html
    chart = page.partition('<section class="chart">')[2].partition("</section>")[0]
    drawn_curves = chart.partition("</svg>")[0]
    assert re.findall(r'class="m(\d)"', drawn_curves) == [*map(str, range(7, -1, -1))]
    keys = text_of(chart.partition('<ul class="key quiet">')[2].partition("</ul>")[0])
    assert "model 7 without a curve: model 8, model 9" in keys


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "params",
    [
        {"prevalence": 0.01},
        {"sample_weight": WEIGHT},
        {"n_positives": 500},
        {"unit_id": QUERY},
        {"query_id": QUERY, "zero_division": np.nan, "sample_weight": 1.0 + QUERY},
    ],
    ids=", ".join,
)
def test_scores_of_both_models_are_those_of_the_library(params):
    answer = report(Y, FIRST, compare={"b": SECOND}, **params).answer
    shown = [answer["score"], answer["comparisons"][0]["estimate"]]
    for score, y_score in zip(shown, (FIRST, SECOND), strict=True):
        estimate = estimate_score("average_precision", Y, y_score, **params)
        numbers = [score[name] for name in ("value", "low", "high")]
        assert numbers == [estimate.score, *estimate.confidence_interval()]


def test_counts_and_names_are_those_of_the_arguments():
    y_true, y_score = pd.Series(Y, name="fraud"), pd.Series(FIRST, name="model_b")
    options = {"sample_weight": WEIGHT, "unit_id": QUERY, "pos_label": 0}
    counts = report(y_true, y_score, **options).answer["counts"]
    assert counts["rows_left_out"] == (WEIGHT == 0).sum()
    assert counts["rows"] == (WEIGHT > 0).sum()
    assert (counts["label_column"], counts["score_column"]) == ("fraud", "model_b")
    assert (counts["unit_name"], counts["has_units"]) == ("unit", True)
    assert (counts["pos_label"], counts["other_labels"]) == (0, [])
    options = {"query_id": QUERY, "zero_division": np.nan}
    counts = report(Y, FIRST, **options).answer["counts"]
    assert counts["zero_division"] is None
    assert (counts["unit_name"], counts["has_units"]) == ("row", False)


def test_thresholds_of_low_scores_have_the_sign_of_the_caller():
    """Scores are negated when they are read, if low scores are better."""
    rows = counted(
        ScoredRows(
            counts=Counts(lower_is_better=True), y_true=Y > 0, scores={"low": FIRST}
        )
    )
    conditions = [{"recall": 0.5}, {"threshold": -1.0}]
    answer = answer_of("rows", rows, AnswerOptions([20], conditions=conditions))
    chosen, fixed = (asked.threshold for asked in answer.thresholds)
    expected = operating_point(Y, FIRST, recall=0.5)
    assert chosen.threshold == -expected.threshold
    assert chosen.n_retrieved == expected.n_retrieved
    assert f" rows with scores of {chosen.threshold:.4g}" in str(chosen)
    assert (fixed.threshold, fixed.n_retrieved) == (-1.0, (FIRST >= 1).sum())
    assert " or less have these numbers" in str(fixed)
    page = report_of(rows, answer).html
    lowest = operating_point(Y, FIRST, k=20).threshold
    assert re.search(rf"\(score &lt;=\s-{lowest:.3f}", page)
    assert data_of(page)["sign"] == -1
    texts, _ = tiles_of(page)["Retrieve rows that score at most"]
    assert all(text.startswith("-") for text in texts[:20])


def test_captions_name_weights_and_prevalence():
    weights = {"sample_weight": WEIGHT, "prevalence": 0.01}
    basis = "(with weights, at a prevalence of 1 %)"
    page = text_of(report(Y, FIRST, **weights).html)
    assert f"Precision and recall, and a threshold {basis}" in page
    page = text_of(report(CLASSES, MATRIX, **weights).html)
    assert f"AP per class {basis}, with its 95 % interval" in page
    totals = dict.fromkeys(QUERY.tolist(), 40)
    of_queries = {"query_id": QUERY, "n_positives": totals, "amount": AMOUNT, "k": 5}
    page = text_of(report(Y, FIRST, **of_queries, **weights).html)
    assert "Positives per query, by amount (with weights): in all (lines)" in page


def test_a_chance_level_that_differs_from_the_precision_of_all_rows_has_a_reason():
    page = text_of(report(Y[:300], FIRST[:300]).html)
    level = chance_level(Y[:300], FIRST[:300])
    assert (
        f"precision of all rows, {short_share(Y[:300].mean())}; random orders have "
        f"another mean AP, {short_share(level)}, because" in page
    )


def test_no_line_ends_between_a_number_and_its_sign():
    page = report(Y, FIRST, compare={"b": SECOND}, k=20).html
    article = page.partition("<article>")[2].partition("<script")[0]
    assert "95\xa0% interval" in article
    assert "p\xa0&lt;\xa00.0001" in article
    assert not re.search(r"\d %|\bp (=|&lt;)", article)


@needs_browser
@not_in_brief
def test_a_printed_curve_is_high(tmp_path):
    path = tmp_path / "a.html"
    models = {f"model {i}": FIRST + i * SECOND for i in range(1, 10)}
    report(Y, FIRST, compare=models, name="first", k=20).save(path)
    with browser() as page:
        page.open(path, width=718)
        page.send("Emulation.setEmulatedMedia", media="print")
        assert (
            page.run("document.querySelector('.plot').offsetHeight") >= 80 / 25.4 * 96
        )


@pytest.mark.parametrize(
    "score",
    [
        FIRST.round(2),
        1 / (1 + np.exp(-20 * FIRST)),
        (1000 * FIRST).astype(int),
        FIRST.astype(np.float32),
    ],
    ids=["rounded", "saturated", "integers", "float32"],
)
def test_a_shown_threshold_retrieves_the_rows_that_are_counted(score):
    columns = data_of(report(Y, score).html)
    for text, rows in zip(columns["texts"][0], columns["rows"], strict=True):
        assert (score >= float(text)).sum() == rows


def test_a_report_replaces_only_pages(tmp_path):
    found = report(Y, FIRST, name="half a character: \ud83d")
    path = tmp_path / "a page without an ending"
    path.touch()
    for _ in range(2):
        found.save(path)
        assert r"half a character: \ud83d" in path.read_text()
    scores = tmp_path / "scores.csv"
    scores.write_text("label,score\n1,0.5\n")
    with pytest.raises(ValueError, match="another kind of file"):
        found.save(scores)
    assert scores.read_text() == "label,score\n1,0.5\n"


def test_a_warning_names_its_class():
    with pytest.warns(UserWarning, match="too few") as caught:
        found = report(CLASSES[:8], MATRIX[:8])
    texts = [str(warning.message) for warning in caught]
    assert texts == found.answer["warnings"]
    assert texts[-1].endswith("say little: 1, 2.")


def path_of(page, mark):
    """The numbers of a path of the drawing."""
    path = re.search(rf'class="{mark}" d="([^"]+)"', page)[1]
    return np.array(re.findall(r"[\d.-]+", path), float)


@pytest.mark.parametrize("total", [None, 2 * Y.sum()])
@pytest.mark.parametrize(
    "second",
    [
        1 / (1 + np.exp(-SECOND)),
        300 * SECOND,
        (SECOND * 100).round().astype(int) - 1000,
        SECOND.astype(np.float32) + 50,
    ],
    ids=["probabilities", "a larger range", "whole numbers below 0", "float32"],
)
def test_the_curve_of_a_second_model_is_that_of_its_own_page(second, total):
    """The range of the scores of the first model has no influence."""
    first = 1 / (1 + np.exp(-FIRST))
    both = report(Y, first, compare={"second": second}, n_positives=total)
    alone = report(Y, second, n_positives=total)
    assert path_of(both.html, "m1").tolist() == path_of(alone.html, "m0").tolist()


@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_page_draws_the_curve_and_its_band(prevalence):
    """The curve has the first and the last point of each thousandth of recall."""
    y_true, score, _ = drawn(20_000)
    page = report(y_true, score, prevalence=prevalence).html
    top = float(re.search(r'"--top:(.*?)"', page)[1])
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', page).groups())
    rows = read(PassedRows(y_true, score), caller="x", as_curve=True)
    points = CandidatePoints(rows, prevalence, None)
    recall = points.recall[::-1]
    column = (1000 * recall).astype(int)
    is_end = (np.diff(column, prepend=-1) != 0) | (np.diff(column, append=-1) != 0)
    precision = points.precision[::-1]
    levels, low, high, _ = band_by_influence(rows, points, points.n_positives, None)
    assert high[5:].max() < top <= min(1, 2.6 * high[5:].max())
    first, band = path_of(page, "m0"), path_of(page, "band")
    # The path goes in steps to each recall along the lower end, and back along the
    # upper one.
    there_and_back = np.concatenate([levels, levels[-2::-1], [0]])
    for drawn_at, share in (
        (first[2::2] / width, recall[is_end]),
        (1 - first[1::2] / height, precision[is_end] / top),
        (band[3::2] / width, there_and_back),
        (1 - band[2::2] / height, np.append(low, high[::-1]) / top),
    ):
        # The path has one decimal.
        np.testing.assert_allclose(drawn_at, share, rtol=0, atol=0.051 / height)


def test_text_of_the_caller_is_never_markup():
    ids = np.array([f"{SCRIPT}{i}" for i in QUERY])
    totals = dict.fromkeys(ids.tolist(), 500)
    options = {"compare": {SCRIPT: SECOND}, "name": SCRIPT}
    for more, n_sections in (
        ({"query_id": ids, "n_positives": totals}, 30),
        ({"unit_id": ids}, 1),
    ):
        page = report(Y, FIRST, **options, **more).html
        assert page.count("<script") == n_sections + 1
        assert "alert(1)<" not in page
        assert SCRIPT in text_of(page)


def test_page_is_one_file_without_links():
    found = report(Y, FIRST, compare=SECOND)
    page = found.html
    framed = unescape(re.search(r'srcdoc="([^"]*)"', found._repr_html_())[1])
    assert framed.replace('<base href="about:srcdoc">', "") == page
    assert not re.search(
        r"https?:|//[a-z]|@import|url\(|<link[^>]*href=\"(?!data:)|src=", page
    )
    assert len(page.encode()) < 100_000


ORDINARY = np.arange(300) % 7 == 0
UNUSUAL = {
    "half precision": lambda y, s: report(y, s.astype(np.float16)),
    "tuples": lambda y, s: report(
        y, s, query_id=[(i // 30, "a") for i in range(s.size)], compare=-s
    ),
    "constant": lambda y, s: report(y, 0 * s),
    "all positive": lambda y, s: report(y | True, s),
    "a tiny prevalence": lambda y, s: report(
        y, s, query_id=np.arange(s.size) % 30, prevalence=1e-300
    ),
    "one name": lambda y, s: report(y, s, compare={"scores": -s}),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_rows_have_a_page(kind):
    found = UNUSUAL[kind](
        ORDINARY, np.random.default_rng(0).normal(size=300) + ORDINARY
    )
    data = data_of(found.html)
    assert data["rows"][-1] == 300
    drawn_lines = re.findall(r'class="(m0|m1)" d="M0 [\d.]+H\d+\.\d', found.html)
    assert drawn_lines == ["m1", "m0"][not found.answer["comparisons"] :]
    # The weights of negatives may have squares beyond the range of a float.
    assert "NaN" not in found.html.partition('class="band"')[2].partition(">")[0]
    # There are no negatives, so the specificity is undefined.
    specificity = tiles_of(found.html)["Specificity"][0]
    assert (specificity[0] == "-") == (kind == "all positive")


@pytest.mark.filterwarnings("ignore:no row is positive")
def test_report_without_positives():
    found = report(np.zeros(20, int), np.arange(20))
    assert "undefined" in str(found)
    assert "<svg" not in found.html
    # Nothing is in large digits.
    assert 'class="big"' not in found.html
    assert "no row is positive" in text_of(found.html).lower()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"amount": -AMOUNT}, "amount must not be negative; got -6.25 in row 0"),
        (
            {"compare": np.where(FIRST > 0, np.nan, FIRST)},
            "compare must contain scores.*NaN",
        ),
        ({"compare": {}}, "compare must be scores, or map names to scores; got {}"),
        (
            {"query_id": QUERY, "n_positives": 50},
            "n_positives must be a mapping .*; got 50",
        ),
        ({"y_true": CLASSES, "query_id": QUERY}, "query_id requires binary y_true"),
        ({"y_true": CLASSES, "n_positives": [9] * 3}, "n_positives requires binary"),
        ({"y_true": CLASSES, "compare": FIRST}, "compare must contain scores as"),
        ({"y_true": CLASSES, "pos_label": 1}, "pos_label must be omitted"),
    ],
)
def test_errors_name_the_argument(params, message):
    rows = {"y_true": Y, "y_score": MATRIX if "y_true" in params else FIRST}
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        report(**rows | params)


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
TYPED = "at('select').value = '{}'; at('[type=number]').value = {}; "
TYPED += "at('[type=number]').dispatchEvent(new Event('input'))"
AT = "globalThis.at = name => document.querySelector(name)"
SLIDER = "at('[type=range]').valueAsNumber"
UNFOLD = "for (const x of document.querySelectorAll('.class')) x.open = true"
WIDE = """[...document.querySelectorAll("body *")].filter(node => !node.closest(".wide table, svg") &&
  node.getBoundingClientRect().right > innerWidth).map(node => node.outerHTML.slice(0, 80))"""


@needs_browser
@not_in_brief
def test_page_in_a_browser(tmp_path):
    path, classes = tmp_path / "report.html", tmp_path / "classes.html"
    options = {"sample_weight": WEIGHT, "amount": AMOUNT, "k": 50}
    found = report(Y, FIRST, compare={"new": SECOND}, **options)
    found.save(path)
    columns = data_of(found.html)
    report(CLASSES, MATRIX, k=20, compare={"new": MATRIX[:, ::-1]}).save(classes)
    with browser() as page:
        for file, width, scheme in product(
            (classes, path), (390, 1280), ("light", "dark")
        ):
            page.open(file, width, scheme)
            page.run(UNFOLD)
            assert page.run(WIDE) == []
            assert page.run(CONTRAST) >= 4.5
        page.run(AT)
        start = page.run(SLIDER)
        page.run("at('[type=range]').focus()")
        for _ in range(3):
            page.press_right()
        assert page.run(SLIDER) == start + 3
        values = page.run(
            "[...document.querySelectorAll('[data-text]')].map(node => node.textContent)"
        )
        assert values == [texts[start + 3] for texts in columns["texts"]]
        for by, level, name in (
            ("recall", 0.5, "recall"),
            ("precision", 0.7, "precision"),
            ("score", 1.0, "threshold"),
        ):
            page.run(TYPED.format(by, level))
            assert columns[name][page.run(SLIDER)] >= level
        page.run(TYPED.format("rows", 99))
        assert columns["rows"][page.run(SLIDER)] == 99
        assert page.requests == [classes.as_uri()] * 4 + [path.as_uri()] * 4
        assert page.messages == []


def test_classes_have_a_table_and_a_folded_section_each():
    names, other = np.array(["bird", "cat", "dog"]), MATRIX[:, ::-1]
    shared = {"unit_id": QUERY, "sample_weight": WEIGHT}
    options = {**shared, "k": 20, "name": "animals"}
    found = report(names[CLASSES], MATRIX, compare={"other": other}, **options)
    answer = found.answer
    estimate = estimate_score(average_precision_score, CLASSES, MATRIX, **shared)
    ends = answer["score"]["low"], answer["score"]["high"]
    assert ends == pytest.approx(estimate.confidence_interval(), rel=1e-12)
    assert found.html.count('<details class="class"><summary>') == 3
    assert answer["counts"]["unit_name"] == "unit"
    for i, (name, numbers) in enumerate(zip(names, answer["classes"], strict=True)):
        single = report(
            i == CLASSES,
            MATRIX[:, i],
            compare={"other": other[:, i]},
            title=name,
            **options,
        )
        del single.answer["statements"]
        [other_numbers], [pair] = numbers["comparisons"], single.answer["comparisons"]
        # p of three classes, by Holm
        assert pair["pvalue"] <= other_numbers["pvalue"] <= 3 * pair["pvalue"]
        for key in ("pvalue", "low", "high"):
            pair[key] = other_numbers[key]
        assert numbers == single.answer
        assert re.search("<dl.*?</dl>", single.html)[0] in found.html


def test_a_page_reports_what_the_budgets_of_queries_find():
    params = {"query_id": QUERY, "sample_weight": WEIGHT}
    page = report(Y, FIRST, k=50, **params).html
    totals = budget_totals(Y, FIRST, k=50, **params)
    columns = data_of(page)
    assert columns["rows"][columns["start"]] == totals.n_retrieved
    per_query = tiles_of(page)["Rows per query"][0][100]
    assert per_query == f"{columns['rows'][100] / 30:,.1f}"


def test_the_table_of_classes_shows_the_score_of_each_model():
    names = np.array(["bird", "cat", "dog"])[CLASSES]
    found = report(names, MATRIX, compare={"other": MATRIX[:, ::-1]})
    table = str(found)[str(found).index("\nclass ") + 1 :]
    header, *rows = table.split("\n")[:4]
    start = header.index("other: AP")
    for row, shown in zip(rows, found.answer["classes"], strict=True):
        assert row.startswith(shown["name"])
        text = row[start : start + len("other: AP")].strip()
        assert text == f"{shown['comparisons'][0]['score']:.2f}"
    # The model scores cats in the same way, so two tests were made.
    sentence = "their intervals and p-values allow for 2 tests by Bonferroni"
    assert sentence in " ".join(str(found).split())


def test_a_query_without_rows_has_missed_all_its_positives():
    totals = dict.fromkeys(np.unique(QUERY).tolist(), 50) | {-1: 3}
    found = report(Y, FIRST, query_id=QUERY, n_positives=totals, k=50)
    [missed] = [part for part in found.answer["classes"] if part["name"] == "-1"]
    assert missed["score"]["value"] == 0
    assert missed["counts"]["all_positives"] == 3
    assert re.search(r"^-1 +0 +0 of 3 +0\.00 ", str(found), flags=re.MULTILINE)


def test_the_sentence_about_a_budget_names_the_query():
    found = report(Y, FIRST, query_id=QUERY, k=50)
    assert "50 rows per query find" in " ".join(str(found).split())


@needs_browser
@not_in_brief
def test_a_printed_section_is_one_page_of_paper(tmp_path):
    options = {"compare": {"old": SECOND}, "query_id": QUERY, "k": 5}
    of_queries = report(Y, FIRST, sample_weight=WEIGHT, **options)
    with browser() as page:
        for name, found, n_pages in (
            ("queries", of_queries, 1),
            ("classes", report(CLASSES, MATRIX, k=20), 4),
            ("rows", report(Y, FIRST), 1),
        ):
            path = tmp_path / f"{name}.html"
            found.save(path)
            page.open(path)
            # All sections are printed, and those that were folded stay so on the screen.
            n_open = page.run("document.querySelectorAll('.class[open]').length")
            printed = page.send("Page.printToPDF", preferCSSPageSize=True)["data"]
            pages = re.findall(rb"/Type /Page\b", base64.b64decode(printed))
            assert len(pages) == n_pages, name
            assert (
                page.run("document.querySelectorAll('.class[open]').length") == n_open
            )
            page.send("Emulation.setEmulatedMedia", media="print")
            page.run(AT)
            assert page.run("at('.controls').offsetHeight") == 0
        # The chart takes the room that is left on the page.
        page.resize(703, 1040)
        assert page.run("at('.plot').offsetHeight") > 300


LONG = "predicted_probability_of_fraud_by_a_gradient_boosting_model_v{}_calibrated_isotonic"


def test_long_names_are_shortened_in_tables_of_text_and_given_in_full_below():
    names = [LONG.format(number) for number in range(3)]
    models = {name: SECOND + place for place, name in enumerate(names[1:])}
    found = report(Y, FIRST, compare=models, k=20, name=names[0])
    text = str(found)
    assert max(map(len, text.splitlines())) <= 79
    table = text[text.index("\nmodel ") + 1 :].splitlines()
    short = [line.split()[0] for line in table[1:4]]
    assert len({*short}) == 3
    assert {name[:13] for name in short} == {"predicted_pro"}
    # Each name is explained once, in two lines after an underscore.
    joined = text.replace("_\n", "_").replace("\n", " ")
    for name, of_row in zip(names, short, strict=True):
        assert joined.count(f"{of_row} is {name}.") == 1
    assert [row[0] for row in found.answer["statements"][-1]["table"][1:]] == names


@needs_browser
@not_in_brief
def test_long_names_break_on_a_page(tmp_path):
    names = [LONG.format(1), "x" * 90]
    path = tmp_path / "page.html"
    found = report(Y, FIRST, compare={names[1]: SECOND}, name=names[0], k=20)
    found.save(path)
    assert f'aria-label="Precision at each recall of {", ".join(names)}' in found.html
    with browser() as page:
        page.open(path, 390)
        assert page.run("document.documentElement.scrollWidth") <= 390
        # The numbers of the table of models are in sight.
        assert (
            page.run(
                "Math.max(...[...document.querySelectorAll('td')].map("
                "cell => cell.getBoundingClientRect().right))"
            )
            <= 390
        )
        assert names[0] in page.run("document.querySelector('tbody').innerText")


@needs_browser
@not_in_brief
def test_keys_hide_curves_and_sections_open_at_once(tmp_path):
    path, classes = tmp_path / "models.html", tmp_path / "classes.html"
    report(Y, FIRST, compare={"a": SECOND, "b": -FIRST}, name="new").save(path)
    report(CLASSES, MATRIX).save(classes)
    shown = "[...document.querySelectorAll('.plot [class^=m]')].map(one => one.getBBox().width > 0)"
    with browser() as page:
        page.open(path)
        assert page.run(shown) == [True, True, True]
        page.run("document.querySelector('[data-curve=m1]').click()")
        # The paths are drawn in the opposite order.
        assert page.run(shown) == [True, False, True]
        pressed = "document.querySelector('[data-curve=m1]').ariaPressed"
        assert page.run(pressed) == "false"
        page.run("document.querySelector('[data-curve=m1]').focus()")
        for kind in ("keyDown", "keyUp"):
            page.send("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter")
        assert page.run(shown) == [True, True, True]
        assert page.run(pressed) == "true"
        page.open(classes)
        n_open = "document.querySelectorAll('details[open]').length"
        assert page.run(n_open) == 0
        page.run("document.querySelector('button.all').click()")
        assert page.run(n_open) == 3
        page.run("document.querySelector('button.all').click()")
        assert page.run(n_open) == 0


# The words of some elements that break, dates among them.
BROKEN = r"""[...document.querySelectorAll('.dots span, td, .quiet p')].flatMap(box => {
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), found = [];
  const range = document.createRange();
  while (texts.nextNode())
    for (const word of texts.currentNode.data.matchAll(/\d{4}-\d\d-\d\d|[\p{L}\d.]{4,}-?/gu)) {
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const tops = [...range.getClientRects()].map(part => Math.round(part.top));
      if (new Set(tops).size > 1) found.push(word[0]);
    }
  return found;
})"""


@needs_browser
@not_in_brief
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_names_and_dates_do_not_break_on_a_phone(tmp_path):
    names = ["Baden-Württemberg", "Mecklenburg-Vorpommern", "2026-11-27"]
    path = tmp_path / "page.html"
    report(np.array(names)[CLASSES], MATRIX, k=20).save(path)
    with browser() as page:
        page.open(path, 390)
        assert page.run(BROKEN) == []
        # The list of the values of many queries is folded.
        query = np.arange(Y.size) % 120
        report(Y, FIRST, query_id=query, unit_id=np.arange(Y.size)).save(path)
        page.open(path, 390)
        assert page.run("document.querySelectorAll('.values li').length") > 100
        assert page.run("document.documentElement.scrollWidth") <= 390


TOP = "Number(document.querySelector('.plot').style.getPropertyValue('--top'))"
# The place of the dot in the chart, from the left and from the top, as shares.
SPOT = """(() => {
  const [box, dot] = [".plot svg", ".spot"].map(name => document.querySelector(name).getBoundingClientRect());
  const [x, y] = [(dot.left + dot.right) / 2, (dot.top + dot.bottom) / 2];
  return [(x - box.left) / box.width, (y - box.top) / box.height];
})()"""


@needs_browser
@not_in_brief
def test_a_page_has_numbers_without_a_script_and_its_frame_grows(tmp_path):
    found = report(Y, FIRST, k=50)
    frame = tmp_path / "frame.html"
    folded = report(CLASSES, MATRIX)._repr_html_()
    frame.write_text(f"<!doctype html><meta charset=utf-8>{folded}")
    found.save(tmp_path / "page.html")
    with browser() as page:

        def heights():
            """The heights of the page in the frame, and of the frame, after a while."""
            page.run("new Promise(done => setTimeout(done, 300))")
            return page.run(
                "[frames[0].document.body.offsetHeight, "
                "document.querySelector('iframe').offsetHeight]"
            )

        page.open(frame)
        body, height = heights()
        assert 0 < body == height != 900
        # A link in the frame leads to a section of the page, which opens.
        page.run("frames[0].document.querySelector('td a').click()")
        assert page.run("frames[0].location.href") == "about:srcdoc#part-1"
        assert page.run("frames[0].document.querySelector('details').open")
        grown, height = heights()
        assert grown == height > body
        page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.open(tmp_path / "page.html")
        page.send("Emulation.setScriptExecutionDisabled", value=False)
        shown = page.run("document.body.innerText")
        point = operating_point(Y, FIRST, k=50)
        assert f"Rows\n{point.n_retrieved}\nof {Y.size:,}" in shown
        place = point.recall, 1 - point.precision / page.run(TOP)
        assert page.run(SPOT) == pytest.approx(place, abs=0.002)


def test_the_title_is_not_the_legend():
    found = report(Y, FIRST, name="new", title="October\x1b")
    assert str(found).startswith(r"October\x1b: 3,000 rows")
    assert r"<h1>October\x1b</h1>" in found.html
    assert 'd="M0 5H26"/></svg>new</span></li>' in found.html


def test_a_detector_has_a_section_per_kind():
    kind = np.array(["car", "tram"])[CLASSES % 2]
    totals = {"car": 250, "tram": 130, "bus": 3}
    rows = {"query_id": kind, "n_positives": totals, "zero_division": np.nan}
    page = report(Y, FIRST, **rows, unit_id=QUERY, compare=SECOND).html
    assert "takes all rows as one ranking" not in page
    assert page.count('<details class="class"><summary>') == 2
    # True negatives of a detector have no rows.
    assert "Specificity" not in page
    table = page.partition("<h2>Queries</h2>")[2].partition("</table>")[0]
    assert re.findall("<tr><td>(.*?)</td>", table) == [
        "bus",
        '<a href="#part-1">car</a>',
        '<a href="#part-2">tram</a>',
    ]
    # With 100 kinds, there are neither sections nor a curve of all rows.
    totals |= dict.fromkeys(map(str, range(97)), 1)
    page = report(Y, FIRST, query_id=kind, n_positives=totals).html
    assert "<h2>Queries</h2>" not in page
    assert "<h2>Precision and recall, and a threshold</h2>" not in page


def test_scores_without_an_interval_and_chance():
    """Missed positives have unknown weights, so the score has no interval."""
    given = {"sample_weight": WEIGHT, "n_positives": 900}
    with pytest.warns(UserWarning, match="missed positives have unknown weights"):
        score = report(Y, FIRST, **given).answer["score"]
    assert score["value"] == average_precision_score(Y, FIRST, **given)
    assert score["low"] is None
    totals = {"query_id": QUERY % 2, "n_positives": {0: 0, 1: 3}, "zero_division": 1.0}
    score = report(0 * Y, FIRST, **totals).answer["score"]
    # One query missed all positives, and the other none.
    assert score["value"] == 0.5
    answer = report(Y, FIRST.round()).answer
    assert answer["chance"] == pytest.approx(chance_level(Y, FIRST.round()))
    for options in ({"sample_weight": WEIGHT}, {"prevalence": 0.05}):
        assert report(Y, FIRST, **options).answer["chance"] is None


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_label_against_several_names_others():
    for labels, pos_label, others in (
        ([1, 0, 2, 2], 1, ["0", "2"]),
        ([0, 1, 1, 0], None, []),
    ):
        counts = report(labels, [4, 3, 2, 1], pos_label=1).answer["counts"]
        assert (counts["pos_label"], counts["other_labels"]) == (pos_label, others)
