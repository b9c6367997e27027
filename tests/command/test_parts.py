"""Classes, days and queries of an answer: it lists all of them, or the worst of many."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from brief import covering, values_of
from shell import json_of, run, said
from sklearn_ap import average_precision_score, success_at_k_score

RNG = np.random.default_rng(0)


def rows_of_days(n_days, form="%Y-%m-%d", n_rows=24):
    days = pd.date_range("2026-01-20", periods=n_days).strftime(form)
    label = (np.arange(n_days * n_rows) % n_rows < 3).astype(int)
    return pd.DataFrame(
        {
            "label": label,
            "score": RNG.normal(size=label.size) + label,
            "old": RNG.normal(size=label.size) + label,
            "day": np.repeat(days, n_rows),
            "euros": RNG.integers(1, 50, label.size),
        }
    )


def table_of(answer, first):
    [table] = [
        each["table"]
        for each in answer["statements"]
        if each["table"] and each["table"][0][0] == first
    ]
    return table


def sections_of(page):
    # A date is marked, so that it does not break.
    page = re.sub("<.?time>", "", page)
    return re.findall(r"<summary><h2>(.*?)</h2>", page)


@pytest.mark.parametrize(
    ("n_days", "compare"), covering([*product([31, 32], ["", "old"])], values_of)
)
def test_of_more_days_than_a_month_has_the_ten_worst_are_listed(
    n_days, compare, tmp_path
):
    rows = rows_of_days(n_days)
    path, page = tmp_path / "a.csv", tmp_path / "a.html"
    rows.to_csv(path, index=False)
    line = [path, "--per", "day", *["--compare", compare][: 2 * bool(compare)]]
    text = run(*line, "--report", page).words
    answer = json_of(*line)
    quality = {}
    for day, of_day in rows.groupby("day"):
        quality[day] = average_precision_score(of_day.label, of_day.score)
        if compare:
            quality[day] -= average_precision_score(of_day.label, of_day.old)
    listed = sorted(quality)
    if n_days == 32:
        listed = sorted(quality, key=quality.get)[:10]
        by = " by their lead over old" * bool(compare)
        assert f"The 10 worst of 32 days{by} are listed; --format json has" in text
        assert "the other 22, too." in text
    assert [row[0] for row in table_of(answer, "day")[1:]] == listed
    assert [part["name"] for part in answer["classes"]] == sorted(quality)
    assert sections_of(page.read_text()) == listed
    picture = re.findall(r'<li title="(.*?): (.*?)">', page.read_text())
    assert [name for name, _ in picture] == sorted(quality)
    # The value is shown at a hover, and read where the table has ten rows only.
    parts = {part["name"]: part for part in answer["classes"]}
    for name, text in picture:
        share, n_positives = text.split(", ")
        assert float(share) == pytest.approx(parts[name]["score"]["value"], abs=0.006)
        assert int(n_positives.split()[0]) == parts[name]["counts"]["positives"]
    kind = page.read_text().partition('<ul class="dots')[2].partition(">")[0]
    assert ("aria-hidden" in kind) == (n_days == 31)
    assert ("--mean:" in kind) == (n_days == 32)
    assert ("many" in page.read_text().partition('<ul class="dots')[2][:6]) == (
        n_days == 32
    )


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%j"])
def test_days_are_in_the_order_of_time(form, tmp_path):
    rows = rows_of_days(20, form)
    rows.sample(frac=1, random_state=0).to_csv(tmp_path / "a.csv", index=False)
    answer = json_of(tmp_path / "a.csv", "--per", "day")
    assert [part["name"] for part in answer["classes"]] == [*rows.day.unique()]


def test_numbers_are_in_the_order_of_their_values(tmp_path):
    rows = rows_of_days(4)
    rows["day"] = np.repeat(["1e3", "-2.5", "0.25", "30"], 24)
    rows.to_csv(tmp_path / "a.csv", index=False)
    answer = json_of(tmp_path / "a.csv", "--per", "day")
    values = [float(part["name"]) for part in answer["classes"]]
    assert values == [-2.5, 0.25, 30, 1000]


def test_money_has_a_picture_and_a_column_of_each_model(tmp_path):
    rows = rows_of_days(3)
    path, page = tmp_path / "a.csv", tmp_path / "a.html"
    rows.to_csv(path, index=False)
    line = [path, "--per", "day", "--amount", "euros", "-k", 2, "--compare", "old"]
    run(*line, "--report", page)
    assert page.read_text().count('<ul class="dots') == 2
    titles = table_of(json_of(*line), "day")[0]
    assert {"euros found", "old: euros found"} <= {*titles}


def test_a_note_reports_that_days_are_too_many_to_list(tmp_path):
    rows = rows_of_days(1001, n_rows=4)
    rows.to_csv(tmp_path / "a.csv", index=False)
    words = said(tmp_path / "a.csv", "--per", "day")
    assert "None of 1,001 days is listed; --format json with --per has" in words


def test_columns_of_classes_are_named_by_the_first_and_the_last(tmp_path):
    label = np.arange(90) % 3
    rows = pd.DataFrame({f"c{i}": RNG.random(90) + (label == i) for i in range(3)})
    rows.assign(label=label).to_csv(tmp_path / "a.csv", index=False)
    answer = json_of(tmp_path / "a.csv", "--y-score", "c0,c1,c2")
    assert answer["model"] == answer["counts"]["score_column"] == "c0 to c2"


@pytest.mark.parametrize("missing", [0, 1])
def test_numbers_are_next_to_those_that_readers_compare_them_with(missing, tmp_path):
    """The note about days without positives is next to MAP, and AP of all rows next to
    the share of days with a hit.
    """
    rows = rows_of_days(6)
    rows.loc[rows.day == rows.day[0], "label"] *= 1 - missing
    rows.to_csv(tmp_path / "a.csv", index=False)
    line = tmp_path / "a.csv", "--per", "day", "-k", 2
    answer, words = json_of(*line), said(*line)
    kept = rows[rows.groupby("day").label.transform("sum") > 0]
    share = success_at_k_score(kept.label, kept.score, query_id=kept.day, k=2)
    assert answer["cut"]["queries_with_hit"] == pytest.approx(share)
    pooled = average_precision_score(rows.label, rows.score)
    assert answer["pooled"]["value"] == pytest.approx(pooled)
    by_chance = 2 / 24 * kept.label.sum()
    assert answer["cut"]["lift"] == pytest.approx(
        answer["cut"]["positives"] / by_chance
    )
    places = [
        words.find(start)
        for start in (
            "Mean average precision",
            "No positive is in",
            "Share of the days with positives in which at least one is",
            "As one ranking, all rows have AP",
        )
    ]
    assert (places[1] == -1) == (missing == 0)
    found = [place for place in places if place >= 0]
    assert found == sorted(found)
    weighted = json.loads(
        run(*line, "--sample-weight", "euros", "--format", "json").out
    )
    assert weighted["cut"]["lift"] is weighted["cut"]["queries_with_hit"] is None


def test_missed_positives_are_not_units(tmp_path):
    rows = rows_of_days(5).assign(u=np.arange(120))
    rows.to_csv(tmp_path / "a.csv", index=False)
    line = tmp_path / "a.csv", "--unit-id", "u", "--n-positives", 40
    assert "other values of u than these 120." in said(*line)


def test_the_share_of_rows_is_without_weights(tmp_path):
    rows_of_days(5).to_csv(tmp_path / "a.csv", index=False)
    line = tmp_path / "a.csv", "--threshold-at", "threshold=0.5"
    assert "share of these rows retrieved 0." in said(*line)
    words = said(*line, "--sample-weight", "euros")
    assert "share of these rows retrieved, without weights 0." in words
