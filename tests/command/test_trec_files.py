"""Judgements and runs of TREC: the command prints trec_eval's numbers, of one run and of
several; `tests/judgements/test_read_trec.py` has what files may contain.
"""

import io
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from shell import error_of, json_of, run, said, said_where_it_turns
from sklearn_ap import compare_by_query, estimate_score, read_trec, score_by_query
from sklearn_ap._core.rounding import format_pvalue
from sklearn_ap._report.sentences import short_share
from sklearn_ap._uncertainty.many import adjusted_by_holm
from sklearn_ap.compatibility import score_as
from trec_files import columns_of, write_trec

RNG = np.random.default_rng(0)
N_QUERIES = 12
K = 5
RECORDS = {
    "MAP": "trec_eval map",
    "MRR": "trec_eval recip_rank",
    f"P@{K}": "trec_eval P",
    "R-precision": "trec_eval Rprec",
    f"recall@{K}": "trec_eval recall",
    f"AP@{K}": "trec_eval map_cut",
}


def judgements():
    """Some queries have no relevant document, and most documents have no judgement."""
    for query in range(N_QUERIES):
        for document in RNG.choice(30, 15, replace=False):
            yield f"q{query}", f"d{document}", int(RNG.integers(0, 3) * (query != 3))


def retrieved(queries, good):
    """Documents with many equal scores, also those that differ as float64 alone."""
    for query in queries:
        for document in RNG.choice(30, 20, replace=False):
            level = JUDGED.get((f"q{query}", f"d{document}"), 0)
            score = round(RNG.normal() + good * level) + RNG.integers(0, 2) * 1e-12
            yield f"q{query}", f"d{document}", float(score)


JUDGED = {(query, document): level for query, document, level in judgements()}
RUNS = {
    "a": list(retrieved(range(-1, N_QUERIES), 0.5)),
    "b": list(retrieved(range(2, N_QUERIES), 1.0)),
}
RUNS["c"] = RUNS["a"][::2]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    levels = [(*ids, level) for ids, level in JUDGED.items()]
    return write_trec(tmp_path_factory.mktemp("trec"), levels, **RUNS)


def map_by_query(qrels, path):
    rows = columns_of(read_trec(qrels, path)[str(path)])
    return score_by_query("average_precision", **rows, zero_division=0.0)


def of_trec_eval(name, rows, level):
    """trec_eval's number, by its record: -c counts a judged query without rows as 0."""
    is_relevant = pd.Series(JUDGED) >= level
    totals = is_relevant.groupby(level=0).sum()
    rows = [row for row in rows if row[0] in totals]
    query, item, score = zip(*rows, strict=True)
    of_found = totals[list(dict.fromkeys(query))]
    y_true = [is_relevant.get(row[:2], False) for row in rows]
    options = {"query_id": query, "item_id": item, "n_positives": of_found.to_dict()}
    mean = score_as(RECORDS[name], y_true, score, k=K, **options)
    return mean * len(of_found) / len(totals)


@pytest.mark.parametrize("level", [1, 2])
def test_runs_have_the_numbers_of_trec_eval(files, level):
    found = json_of("--trec", *files[:3], "--level", level, "-k", K)["scores"]
    of = {(score["score"], Path(score["run"]).name): score["value"] for score in found}
    for name in RECORDS:
        for run_name in "ab":
            expected = of_trec_eval(name, RUNS[run_name], level)
            assert of[name, run_name] == pytest.approx(expected, abs=1e-15)


def test_two_runs_are_paired_by_query_over_the_union(files):
    line = "--trec", *files[:3], "-k", K
    text = run(*line, "--by-query", "--format", "csv").out
    by_query = pd.read_csv(io.StringIO(text))
    assert len(by_query) == N_QUERIES
    found = json_of(*line)
    values = {(x["score"], Path(x["run"]).name): x["value"] for x in found["scores"]}
    for pair in found["differences"]:
        name = pair["score"]
        a, b, difference = (by_query[f"{name} {x}"] for x in ("a", "b", "difference"))
        np.testing.assert_allclose(difference, b - a, atol=1e-15)
        assert pair["pvalue"] == pytest.approx(ttest_rel(b, a).pvalue, rel=1e-9)
        # 0 where it lacks a query
        assert values[name, "b"] == pytest.approx(b.mean(), abs=1e-15)
        if name not in RECORDS:  # success, which has no record
            assert b.equals((by_query[f"P@{K} b"] > 0).astype(float))


def test_the_heading_says_what_each_run_lacks(files):
    qrels, a, b, _ = files
    heading = run("--trec", qrels, b, a)
    assert max(map(len, heading.out.splitlines())) <= 80
    assert heading.words.startswith(
        "Means over 12 queries of qrels, all that were judged, as by trec_eval -c; "
        "level 1 or more is relevant."
    )
    paired = "A difference is a later run minus an earlier one; p is of a paired t test"
    assert f" {paired} over queries. " in heading.words
    assert "b: 200 documents; 2 queries missing, counted as 0.\n" in heading.out
    assert "a: 240 documents; 1 query without judgements, left out.\n" in heading.out


def test_next_names_a_second_run(files):
    words = "Next: a second run after --trec (another model), -k 20 (a budget), --by"
    assert words in said("--trec", *files[:2])


@pytest.mark.parametrize(
    ("place", "name"), [(0, "average_precision"), (4, "recall@10")]
)
def test_each_run_has_its_intervals(files, place, name):
    rows = columns_of(read_trec(*files[:2])[str(files[1])])
    estimate = estimate_score(name, **rows, zero_division=0.0)
    expected = pytest.approx(estimate.confidence_interval())
    for n_runs in (1, 2):
        score = json_of("--trec", *files[: 1 + n_runs])["scores"][n_runs * place]
        assert (score["low"], score["high"]) == expected
    line = run("--trec", *files[:2], "--format", "csv").out.splitlines()[1 + place]
    assert tuple(map(float, line.split(",")[2:])) == expected


def test_three_runs_have_the_comparisons_of_map(files):
    by_run = {path.name: map_by_query(files[0], path) for path in files[1:]}
    many = adjusted_by_holm(
        {(x, y): compare_by_query(by_run[x], by_run[y]) for x, y in ("ba", "ca", "cb")}
    )
    finished = run("--trec", *files)
    assert f"\n\nDifferences in MAP, {many}\n\nNext: " in finished.out
    assert "over queries, adjusted for the number of pairs." in finished.words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["third", "third"], "must be judgements and one or more different runs"),
        (["third", "--fail-below", "0.1"], "takes at most 2 runs; got 3"),
        (["third", "--fail-if-lower", "0.1"], "takes at most 2 runs; got 3"),
        (["third", "--table"], "takes at most 1 run; got 3"),
        (["third", "--identify", "0.5"], "takes at most 1 run; got 3"),
        (["--level", "2"], "'qrels': no document has --level 2 or more"),
        (["--fail-on", "ndcg", "--fail-below", "0.1"], "must be a measure that"),
        (["--fail-on", "P@1", "--fail-below", "0.1"], "such as MAP, MRR, P@10, "),
        (
            ["--by-query", "--fail-below", "0.1"],
            "--fail-below is not valid with --by-query of runs",
        ),
    ],
)
def test_what_is_refused(runs, monkeypatch, options, message):
    monkeypatch.chdir(runs[0].parent)
    assert message in error_of("--trec", "qrels", "old", "new", *options)
    alone = error_of("--trec", "qrels", "old", "--fail-if-lower", "0.1")
    words = "requires --against or --compare, the score to compare with, or two"
    assert words in alone


def test_unjudged_documents_are_dropped(tmp_path):
    qrels, path = write_trec(
        tmp_path, [("q", "d1", 1)], run=[("q", "d2", 2.0), ("q", "d1", 1.0)]
    )
    for options, value, heading in (([], 0.5, "-c; "), (["--judged-only"], 1, "-c -J")):
        line = "--trec", qrels, path, *options
        assert json_of(*line)["scores"][0]["value"] == value
        assert f"as by trec_eval {heading}" in run(*line).words
    qrels.write_text("q 0 d3 1\n")
    message = error_of("--trec", qrels, path, "--judged-only")
    assert "run': contains no judged document" in message


@pytest.mark.parametrize("n_runs", [1, 2, 3])
def test_a_page_of_runs_has_the_numbers_of_the_command(files, tmp_path, n_runs):
    arguments = "--trec", *files[: 1 + n_runs], "-k", K
    run(*arguments, "--report", tmp_path / "page.html")
    page = unescape((tmp_path / "page.html").read_text())
    printed = json_of(*arguments)
    scores = pd.DataFrame(printed["scores"]).groupby("score", sort=False)["value"]
    values = scores.agg(list).to_dict()
    words = {}
    if n_runs == 1:
        interval = "95 % interval {low:.2f} to {high:.2f}"
        words = {x["score"]: interval.format_map(x) for x in printed["scores"]}
    if n_runs == 2:
        tests = printed["differences"]
        words = {x["score"]: f"p {format_pvalue(x['pvalue'])}" for x in tests}
    assert [*values][:4] == ["MAP", "MRR", f"P@{K}", "R-precision"]
    for title, of_runs in values.items():
        cells = "".join(f"<td>{value:.4f}</td>" for value in of_runs)
        _, found, line = page.partition(f"<td>{title}</td>{cells}")
        assert found
        assert words.get(title, "") in line.partition("</tr>")[0]
    # It opens with MAP and its difference, not with what a budget finds.
    assert "rows per query find" not in page
    numbers = re.search('class="big">(.*?)</div>', page)[1]
    shown = [f"{value:.2f}" for value in values["MAP"][: 1 + (n_runs == 2)]]
    assert re.findall(r"0\.\d\d", numbers) == shown


def test_gains_stand_beside_losses(files, tmp_path):
    line = "--trec", *files[:3]
    run(*line, "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    printed = run(*line, "--by-query", "--format", "csv").out.splitlines()
    # sorted by their difference
    for where, first in (("behind", printed[1]), ("ahead", printed[-1])):
        table = page.partition(f"<h2>Queries where b is furthest {where}</h2>")[2]
        query, *values = re.findall("<td>(.*?)<", table.partition("</tr><tr>")[0])
        assert query == first.partition(",")[0]
        assert {len(value.lstrip("-").partition(".")[2]) for value in values} == {3}


@pytest.mark.parametrize("n_runs", [1, 2, 3])
def test_queries_that_lose_most_by_the_last_run_come_first(runs, n_runs):
    by_run = {str(path): [] for path in runs[1 : 1 + n_runs]}
    for row in json_of("--trec", *runs[: 1 + n_runs], "--by-query")["rows"]:
        if row["score"] == "MAP":
            by_run[row["run"]].append(row["value"])
    first, *others = by_run.values()
    gains = np.subtract(others[-1], first) if others else np.array(first)
    assert gains.tolist() == sorted(gains)


def test_runs_without_a_hit_or_a_difference_between_queries(tmp_path, monkeypatch):
    """A run that finds nothing has the score 0, and equal queries say nothing about
    others.
    """
    monkeypatch.chdir(tmp_path)
    rows = [(f"q{q}", d) for q in range(5) for d in range(10)]
    runs = {
        name: [(q, f"{'r' if d < n_found else 'n'}{d}", 20 - d) for q, d in rows]
        for name, n_found in (("a", 7), ("b", 2), ("c", 0))
    }
    write_trec(tmp_path, [(q, f"r{d}", 1) for q, d in rows], **runs)
    of_one = run("--trec", "qrels", "c").out
    assert re.search(r"^MAP +0.0000 +- +-$", of_one, re.MULTILINE)
    table = run("--trec", "qrels", "a", "b", "c").out
    assert re.search(r"^MAP +0.7000 +0.2000 +0.0000$", table, re.MULTILINE)
    assert re.search(r"^c - a: -0.7, p = nan$", table, re.MULTILINE)
    page = run("--trec", "qrels", "c", "a", "--report", "page.html")
    assert (
        "a has MAP 0.70. Its MAP is higher by 0.7; the uncertainty is undefined for "
        "these rows."
    ) in page.words


def test_a_run_of_standard_input(files, monkeypatch):
    numbers = run("--trec", *files[:2]).out.partition("MAP")[2]
    with open(files[1]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        finished = run("--trec", files[0], "-")
    assert finished.out.partition("MAP")[2] == numbers != ""
    assert "\n-: 240 documents; " in finished.out
    with open(files[0]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        wrong = error_of("--trec", files[0], "-")
    assert "standard input, line 1: must have 6 cells: query, Q0" in wrong


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [None, "MAP", "average_precision", "P@10", "AP@10"])
def test_the_last_run_must_not_be_lower(runs, measure):
    qrels, old, new, _ = runs
    gate = ["--fail-if-lower", "0.01"]
    gate += [] if measure is None else ["--fail-on", measure]
    title = {None: "MAP", "average_precision": "MAP"}.get(measure, measure)
    words = (
        f"{title} is lower than that of {{}} by more than 0.01 (one-sided p <= 0.05)"
    )
    passed = said("--trec", qrels, old, new, *gate)
    assert f"Passes: no evidence that {words.format('old')}" in passed
    failed = run("--trec", qrels, new, old, *gate)
    assert failed.code == 3
    scores = json_of("--trec", qrels, new, old)["scores"]
    of_new, of_old = (x["value"] for x in scores if x["score"] == title)
    shares = f"{short_share(of_old)} against {short_share(of_new)}"
    lost = f"lower by {of_new - of_old:.3g}, at least by 0."
    assert f"Fails: {words.format('new')}: {shares}, {lost}" in failed.words


def test_checks_are_the_paired_test_and_the_interval_of_a_single_run(runs):
    qrels, old, new, _ = runs
    test = compare_by_query(map_by_query(qrels, old), map_by_query(qrels, new))
    limit = -test.confidence_interval(0.9)[1]
    said_where_it_turns(limit, "--trec", qrels, new, old, "--fail-if-lower")
    high = json_of("--trec", qrels, old)["scores"][0]["high"]
    said_where_it_turns(high, "--trec", qrels, old, "--fail-below")
    finished = run("--trec", qrels, old, "--format", "csv", "--fail-below", high + 0.01)
    assert finished.out.count("\n") == 8
    assert "check: Fails: the interval of MAP lies below " in finished.err


def test_a_gate_of_runs_leaves_its_page(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels, old, new, _ = runs
    gate = ["--trec", qrels, new, old, "--fail-if-lower", "0.001", "-k", "3"]
    alone = run(*gate)
    finished = run(*gate, "--report", "page.html")
    before, fails, _ = alone.out.partition("\nFails: MAP is lower")
    assert (finished.code, finished.err) == (3, "")
    assert finished.out.startswith(before + fails)
    page = Path("page.html").read_text()
    assert f"{new} on {qrels}" in page
    assert "old has MAP" in page
    error_of(*gate, "--fail-on", "ndcg", "--report", "other.html")
    assert not Path("other.html").exists()


def test_names_of_runs_do_not_control_a_terminal(runs, tmp_path):
    qrels, old, new, _ = runs
    copy = tmp_path / "a\x1bb"
    copy.write_bytes(old.read_bytes())
    finished = run("--trec", qrels, copy, new, "--fail-if-lower", "0.01")
    assert "\x1b" not in finished.out
    assert r" than that of a\x1bb by" in finished.words


@pytest.mark.parametrize("name", ["p", "difference"])
def test_a_run_that_is_called_as_a_column_of_the_table(runs, name, tmp_path):
    qrels, old, new, _ = runs
    copy = tmp_path / name
    copy.write_bytes(new.read_bytes())
    plain = said("--trec", qrels, old, new)
    assert said("--trec", qrels, old, copy) == plain.replace("new", f"run {name}")
