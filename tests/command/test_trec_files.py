"""Judgements and runs of TREC in files: trec_eval's numbers, of one run and of two, in
calls of several subpackages; `tests/judgements/test_trec_files.py` has the others.
"""

import csv
import gzip
import io
import json
import re
import sys
from html import unescape
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from shell import json_of, run

from sklearn_ap import compare_by_query, estimate_score, read_trec, score_by_query
from sklearn_ap._core.rounding import format_pvalue
from sklearn_ap._report.sentences import short_share
from sklearn_ap._uncertainty.many import adjusted_by_holm
from sklearn_ap.compatibility import score_as
from tests.judgements.test_trec_files import (
    JUDGED,
    LEVELS,
    N_QUERIES,
    SCORED,
    arguments,
    retrieved,
    triples,
    write,
    write_many,
)

K = 5

RECORDS = {
    "MAP": "trec_eval map",
    "MRR": "trec_eval recip_rank",
    f"P@{K}": "trec_eval P",
    "R-precision": "trec_eval Rprec",
    f"recall@{K}": "trec_eval recall",
    f"AP@{K}": "trec_eval map_cut",
}

RUNS = {
    "a": list(retrieved(range(-1, N_QUERIES), 0.5)),
    "b": list(retrieved(range(2, N_QUERIES), 1.0)),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    levels = [(*ids, level) for ids, level in JUDGED.items()]
    return write(tmp_path_factory.mktemp("trec"), levels, **RUNS)


def map_by_query(qrels, path):
    rows = arguments(read_trec(qrels, path)[str(path)])
    return score_by_query("average_precision", **rows, zero_division=0.0)


def rows_of(*arguments):
    found = json_of("--trec", *arguments, "-k", K)
    rows = {score["score"]: {"": score["score"]} for score in found["scores"]}
    for score in found["scores"]:
        rows[score["score"]][score["run"]] = score["value"]
    for pair in found["differences"]:
        rows[pair["score"]]["p"] = pair["pvalue"]
    return list(rows.values())


def of_trec_eval(name, rows, level=1):
    """trec_eval's number, by its record: -c counts a judged query without rows as 0."""
    judged = {query for query, _ in JUDGED}
    rows = [row for row in rows if row[0] in judged]
    query, document, score = zip(*rows, strict=True)
    y_true = [
        int(JUDGED.get((q, d), 0) >= level)
        for q, d in zip(query, document, strict=True)
    ]
    relevant = {
        q: sum(1 for (of, _), at in JUDGED.items() if of == q and at >= level)
        for q in set(query)
    }
    options = {"k": K, "query_id": query, "item_id": document, "n_positives": relevant}
    return (
        score_as(RECORDS[name], y_true, score, **options)
        * len(set(query))
        / len(judged)
    )


def test_a_run_has_the_numbers_of_trec_eval(files):
    qrels, a, _ = files
    found = {row.pop(""): row for row in rows_of(qrels, a, "--level", 2)}
    expected = {name: of_trec_eval(name, RUNS["a"], 2) for name in RECORDS}
    assert {name: found[name][str(a)] for name in RECORDS} == pytest.approx(
        expected, abs=1e-15
    )


def test_two_runs_are_paired_by_query_over_the_union(files):
    qrels, a, b = files
    text = run("--trec", *files, "-k", K, "--by-query", "--format", "csv").out
    by_query = list(csv.DictReader(text.splitlines()))
    assert len(by_query) == N_QUERIES
    for row in rows_of(*files):
        first, second = (
            [float(line[f"{row['']} {path.name}"]) for line in by_query]
            for path in (a, b)
        )
        changes = [float(line[f"{row['']} difference"]) for line in by_query]
        assert changes == pytest.approx(np.subtract(second, first))
        # 0 where it lacks a query
        assert row[str(b)] == pytest.approx(np.mean(second), abs=1e-15)
        if row[""] in RECORDS:
            assert row[str(a)] == pytest.approx(
                of_trec_eval(row[""], RUNS["a"]), abs=1e-15
            )
            assert row[str(b)] == pytest.approx(
                of_trec_eval(row[""], RUNS["b"]), abs=1e-15
            )
        else:  # success, which has no record
            assert second == [
                float(float(line[f"P@{K} {b.name}"]) > 0) for line in by_query
            ]
        assert row["p"] == pytest.approx(ttest_rel(second, first).pvalue, rel=1e-9)
    heading = run("--trec", qrels, b, a).out
    assert max(map(len, heading.splitlines())) <= 80
    sentences = " ".join(heading.split())
    assert sentences.startswith(
        f"Means over 12 queries of {qrels.name}, all that were judged, as by trec_eval -c; level 1"
    )
    assert (
        " A difference is a later run minus an earlier one; p is of a paired t test over queries. "
        in sentences
    )
    for name, words in (
        (b.name, "200 documents; 2 queries missing, counted as 0."),
        (a.name, "240 documents; 1 query without judgements, left out."),
    ):
        assert f"{name}: {words}\n" in heading


@pytest.mark.parametrize(
    ("place", "name"), [(0, "average_precision"), (4, "recall@10")]
)
def test_each_run_has_its_intervals(files, place, name):
    rows = arguments(read_trec(*files[:2])[str(files[1])])
    estimate = estimate_score(name, **rows, zero_division=0.0)
    expected = pytest.approx(estimate.confidence_interval())
    for runs, at in ((files[:2], place), (files, 2 * place)):
        score = json_of("--trec", *runs)["scores"][at]
        assert (score["low"], score["high"]) == expected
    line = run("--trec", *files[:2], "--format", "csv").out.splitlines()[1 + place]
    assert tuple(map(float, line.split(",")[2:])) == expected


def test_next_names_a_second_run_and_options_that_were_not_given(files):
    qrels, a, b = files
    for runs, options in product([[a], [a, b]], [[], ["-k", 3]]):
        said = run("--trec", qrels, *runs, *options).words.partition("Next: ")[2]
        assert said.startswith("a second run after --trec (another model)") == (
            len(runs) == 1
        )
        assert ("-k 20 (a budget)" in said) == (not options)
        assert "--by-query (each query)" in said


def test_three_runs_have_the_comparisons_of_map(files, tmp_path):
    third = tmp_path / "c"
    third.write_text("".join(files[1].read_text().splitlines(keepends=True)[::2]))
    by_run = {path.name: map_by_query(files[0], path) for path in (*files[1:], third)}
    pairs = ("b", "a"), ("c", "a"), ("c", "b")
    many = adjusted_by_holm(
        {(x, y): compare_by_query(by_run[x], by_run[y]) for x, y in pairs}
    )
    finished = run("--trec", *files, third)
    assert f"\n\nDifferences in MAP, {many}\n\nNext: " in finished.out
    assert "over queries, adjusted for the number of pairs." in finished.words


def test_a_run_is_named_once(files):
    assert (
        "--trec must be judgements and one or more different runs"
        in run("--trec", *files, files[1]).err
    )


def test_unjudged_documents_are_dropped_before_the_ranking(tmp_path):
    qrels, path = write_many(tmp_path)
    lines = [line.split() for line in qrels.read_text().splitlines()]
    judged = {(query, id_) for query, _, id_, level in lines if int(level) >= 0}
    kept = [
        line
        for line in path.read_text().splitlines()
        if tuple(line.split()[:3:2]) in judged
    ]
    (tmp_path / "kept").write_text("\n".join(kept))
    dropped = read_trec(qrels, path, judged_only=True)[str(path)]
    assert dropped == read_trec(qrels, tmp_path / "kept")[str(tmp_path / "kept")]
    # query 0 is counted, though nothing of it was judged
    assert len(dropped.n_positives) == 1 + len(set(dropped.query_id)) == 300
    command = "--trec", qrels, path, "--format", "csv"
    csv_of_kept = run("--trec", qrels, tmp_path / "kept", "--format", "csv").out
    assert run(*command, "--judged-only").out == csv_of_kept.replace("kept", "run")
    assert run(*command).out != csv_of_kept.replace("kept", "run")
    (tmp_path / "unjudged").write_text("q0 Q0 d99 1 0.5 a\n")
    finished = run("--trec", qrels, tmp_path / "unjudged", "--judged-only")
    assert "unjudged': contains no judged document" in finished.err


@pytest.mark.parametrize("n_runs", [1, 2])
def test_a_page_of_runs_has_the_numbers_of_the_command(files, tmp_path, n_runs):
    arguments = "--trec", *files[: 1 + n_runs], "-k", K
    run(*arguments, "--report", tmp_path / "page.html")
    page = unescape((tmp_path / "page.html").read_text())
    printed = json_of(*arguments)
    values: dict[str, list[float]] = {}
    for score in printed["scores"]:
        values.setdefault(score["score"], []).append(score["value"])
    words = {
        score["score"]: "95 % interval {low:.2f} to {high:.2f}".format_map(score)
        for score in printed["scores"]
    } | {
        line["score"]: f"p {format_pvalue(line['pvalue'])}"
        for line in printed["differences"]
    }
    assert [*values][:4] == ["MAP", "MRR", f"P@{K}", "R-precision"]
    for title, of_runs in values.items():
        cells = "".join(f"<td>{value:.4f}</td>" for value in of_runs)
        line = page.partition(f"<td>{title}</td>{cells}")[2].partition("</tr>")[0]
        assert words[title] in line
    # It opens with MAP and its difference, not with what a budget finds.
    assert "rows per query find" not in page
    numbers = re.search('class="big">(.*?)</div>', page)[1]
    assert re.findall(r"0\.\d\d", numbers) == [
        f"{value:.2f}" for value in values["MAP"]
    ]


def test_gains_stand_beside_losses(files, tmp_path):
    run("--trec", *files, "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    printed = run("--trec", *files, "--by-query", "--format", "csv").out.splitlines()
    # sorted by their difference
    for where, line in (("behind", printed[1]), ("ahead", printed[-1])):
        table = page.partition(f"<h2>Queries where b is furthest {where}</h2>")[2]
        query, *values = re.findall("<td>(.*?)<", table.partition("</tr><tr>")[0])
        assert query == line.partition(",")[0]
        assert {len(value.lstrip("-").partition(".")[2]) for value in values} == {3}


def test_the_output_that_retrieval_shows(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text()
    made = (
        page.partition("## The files")[2]
        .partition("```python\n")[2]
        .partition("```")[0]
    )
    code = "".join(line[4:] + "\n" for line in made.splitlines())
    # as a reader does
    exec(code.replace("tempfile.mkdtemp()", repr(str(tmp_path))), {})
    monkeypatch.chdir(tmp_path)
    command, _, out = (
        page.partition("$ sklearn-ap ")[2].partition("```")[0].partition("\n")
    )
    assert run(*command.split()) == (0, out, "")
    finished = run(
        "--trec", "qrels", "pixels", "components", "-k", "5", "--report", "report.html"
    )
    assert (finished.code, finished.err) == (0, "")
    assert (
        "components has MAP 0.58: 5 rows per query find 232 of 4,987 positives."
        in finished.out
    )
    assert (
        "Queries where components is furthest behind" in Path("report.html").read_text()
    )
    lines = Path("components").read_text().splitlines(keepends=True)[::2]
    Path("short").write_text("".join(x for x in lines if x[:3] not in ("q1 ", "q7 ")))
    options = ["-k", "5", "--report", "report.html"]
    for runs in (["pixels", "short"], ["short", "pixels"]):
        finished = run("--trec", "qrels", *runs, *options)
        # budgets of other rows are not paired
        assert (finished.code, finished.err) == (0, "")
        page = Path("report.html").read_text()
        words = "short lacks 2 queries, counted as 0."
        if runs[0] == "short":
            words = "short on qrels: 2,400 rows in 48 of 50 queries, "
        assert words in finished.words
        assert words.partition(": ")[2] in page
    gates = ["--fail-below", "0.1"], ["--fail-if-lower", "0.1"]
    for options in (*gates, ["--table"], ["--identify", "0.5"]):
        refused = run("--trec", "qrels", *["pixels", "components", "other"], *options)
        assert re.search("takes at most (1 run|2 runs); got 3", refused.err)


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
    write(tmp_path, [(q, f"r{d}", 1) for q, d in rows], **runs)
    assert re.search(
        r"^MAP +0.0000 +- +-$", run("--trec", "qrels", "c").out, re.MULTILINE
    )
    table = run("--trec", "qrels", "a", "b", "c").out
    assert re.search(r"^MAP +0.7000 +0.2000 +0.0000$", table, re.MULTILINE)
    assert re.search(r"^c - a: -0.7, p = nan$", table, re.MULTILINE)
    page = run("--trec", "qrels", "c", "a", "--report", "page.html")
    assert (
        "a has MAP 0.70. Its MAP is higher by 0.7; the uncertainty is undefined for these rows."
        in page.words
    )
    assert "<td>MAP</td><td>0.0000</td><td>0.7000</td>" in Path("page.html").read_text()
    found = run("--trec", "qrels", "a", "--level", "2")
    assert (found.code, "'qrels': no document has --level 2 or more" in found.err) == (
        2,
        True,
    )


RUN_TEXT = "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\nq2 Q0 d3 1 2 a and more words\nq2\tQ0\td4 2 1e0 a\n"

TEXTS = {
    "BEIR": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td4\t1\n",
    "three cells": "q1 d1 +1\nq1 d2 0.0\n\nq2 d4 1\n",
    "windows": "\ufeffq1 0 d1 1\r\nq1 0 d2 -1\r\nq2 0 d4 1\r\n",
    "mixed": "q1 0\td1 1\nq1 0\td2 0\nq2 0 d4 1\n",
}

# Each line has the name "a b": seven words.
TWO_WORDS = RUN_TEXT.replace("and more words", "a").replace(" a\n", " a b\n")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("run_text", [RUN_TEXT, TWO_WORDS], ids=["run", "two words"])
def test_files_as_people_have_them(text, run_text, tmp_path):
    opened = gzip.open if run_text == TWO_WORDS else open
    for name, content in (("qrels", TEXTS[text]), ("run", run_text)):
        with opened(tmp_path / name, "wt", encoding="utf-8", newline="") as file:
            file.write(content)
    paths = tmp_path / "qrels", tmp_path / "run"
    assert read_trec(*paths) == {str(paths[1]): read_trec(LEVELS, SCORED)["run 1"]}
    out = run("--trec", *paths).out
    # Headings are names, not paths.
    assert out.startswith("Means over 2 queries of qrels, all that were judged, ")
    assert re.search(r"^MAP +0\.7500", out, re.MULTILINE)


def lines_of_json(by_query, value):
    return "\n".join(
        json.dumps({value: number, "doc_id": d, "text": "a, b", "query_id": q})
        for q, d, number in triples(by_query)
    )


def table(by_query, value, delimiter):
    rows = [("query", "qid", "rank", "docid", value)]
    rows += [("a text", q, 1, d, number) for q, d, number in triples(by_query)]
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if delimiter == "," else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows(rows)
    return text.getvalue()


# The same rows in each way that files have them, with the name of the value.
KINDS = {
    "JSON": lambda by_query, value: json.dumps(by_query, indent=1),
    "JSON lines": lines_of_json,
    "a line of JSON": lambda by_query, value: f"{lines_of_json(by_query, value)}\n\n",
    "a list of JSON": lambda by_query, value: json.dumps(
        [{"q_id": q, "corpus-id": d, value: n} for q, d, n in triples(by_query)]
    ),
    "CSV": lambda by_query, value: table(by_query, value, ","),
    "tabs": lambda by_query, value: table(by_query, value, "\t"),
    "three columns": lambda by_query, value: (
        f"# of a tool\nquery document {value}\n#of a tool\n"
        + "".join(f"{q} {d} {n}\n" for q, d, n in triples(by_query))
    ),
    "three columns without a header": lambda by_query, value: "".join(
        f"{q}\t{d}\t{n}\n" for q, d, n in triples(by_query)
    ),
}


@pytest.mark.parametrize("is_gzipped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_has_the_rows_of_those_of_trec(kind, is_gzipped, tmp_path):
    opened = gzip.open if is_gzipped else open
    for name, by_query, value in (("qrels", LEVELS, "label"), ("run", SCORED, "score")):
        with opened(tmp_path / name, "wt", encoding="utf-8", newline="") as file:
            file.write(KINDS[kind](by_query, value))
    paths = tmp_path / "qrels", tmp_path / "run"
    assert read_trec(*paths) == {str(paths[1]): read_trec(LEVELS, SCORED)["run 1"]}
    out = run("--trec", *paths).out
    assert re.search(r"^MAP +0\.7500", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("run", "q1,d1,1\n", "line 1: must have 6 cells: query, Q0, document, rank"),
        ("run", "qid,pid,rank\nq1,d1,1\n", "line 1: must have 6 cells: query, Q0, doc"),
        ("run", "qid\tpid\trank\nq1\td1\t1\n", "line 1: score must be a finite number"),
        (
            "qrels",
            '{"query": "q1", "docs": ["d1"]}',
            "line 1: must have 4 cells: query",
        ),
        (
            "qrels",
            '{"a": "q1", "b": "d1", "c": 1, "d": 1}',
            "line 1: must have 4 cells",
        ),
        (
            "qrels",
            '{"qid": "q1", "pid": "d1", "rel": 1}\n{"qid": 2}',
            "line 2: must be an object with ['qid', 'pid', 'rel']; got",
        ),
        (
            "qrels",
            '{"qid": "q1", "pid": "d1", "rel": 1}\n{"qid',
            "line 2: is not JSON: Unt",
        ),
        (
            "qrels",
            '[["q1", "d1", 1]]',
            "line 1: must be an object with query_id, doc_id and a number; got",
        ),
        (
            "qrels",
            '{"qid": "q1", "pid": "d1", "rel": null}',
            "line 1: level must be an int",
        ),
        (
            "run",
            "q1 Q0 d1 1 2 a\n" * 2,
            "line 2: document 'd1' occurs twice in its query; of chunks keep the best: "
            "pass frame.groupby([query, document], as_index=False)[score].max()",
        ),
        (
            "qrels",
            "q1 d1\n",
            "line 1: must have 4 cells: query, iteration, document, level, or 3: query, "
            "document, level; got 2 (the judgements are passed before the runs); of other "
            "columns, pass a frame: pandas.read_csv(path)[[query, document, level]]",
        ),
        ("qrels", "q1 d1\n", "line 1: must have 4 cells: query, iteration, document"),
        ("run", "q1 d1 1\n", "line 1: must have 6 cells: query, Q0, document, rank"),
        ("qrels", "q1 0 d1 1\nq1 0 7\n", "line 2: must have 4 cells: query"),
        (
            "qrels",
            "q1 0 d1 1\nq1 0 d2 x\n",
            "line 2: level must be an integer; got 'x'",
        ),
    ],
)
def test_files_that_do_not_say_what_their_cells_are(name, text, problem, tmp_path):
    """Such as those of MS MARCO: a rank is no score."""
    for each, content in {"qrels": "q1 0 d1 1\n", "run": RUN_TEXT, name: text}.items():
        (tmp_path / each).write_text(content)
    finished = run("--trec", tmp_path / "qrels", tmp_path / "run")
    assert f"{str(tmp_path / name)!r}, {problem}" in finished.err


def test_a_run_of_standard_input(files, monkeypatch):
    numbers = run("--trec", *files[:2]).out.partition("MAP")[2]
    with open(files[1]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        finished = run("--trec", files[0], "-")
    assert finished.out.partition("MAP")[2] == numbers != ""
    assert "\n-: 240 documents; " in finished.out
    of_one, of_two = (
        run("--trec", *names, "--by-query").words for names in (files[:2], files)
    )
    assert of_one.startswith("query rows positives found in first 10 MAP ")
    assert of_two.startswith("query positives MAP a MAP b MAP difference q")
    with open(files[0]) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        wrong = run("--trec", files[0], "-")
    assert "standard input, line 1: must have 6 cells: query, Q0" in wrong.err


@pytest.fixture(scope="module")
def gated(tmp_path_factory):
    """Sixty queries, of which the run `new` finds more than the run `old`."""
    rng = np.random.default_rng(0)
    qrels = [
        (f"q{query}", f"d{document}", int(rng.random() < 0.3))
        for query in range(60)
        for document in range(20)
    ]
    runs = {
        name: [(*ids, rng.normal() + gain * level) for *ids, level in qrels]
        for name, gain in (("old", 0.5), ("new", 1.5))
    }
    return write(tmp_path_factory.mktemp("gated"), qrels, **runs)


@pytest.mark.parametrize("measure", [None, "MAP", "average_precision", "P@10", "AP@10"])
def test_the_last_run_must_not_be_lower(gated, measure):
    qrels, old, new = gated
    name = [] if measure is None else ["--fail-on", measure]
    title = {None: "MAP", "average_precision": "MAP"}.get(measure, measure)
    passed = run("--trec", qrels, old, new, "--fail-if-lower", "0.01", *name)
    words = f"{title} is lower than that of old by more than 0.01 (one-sided p <= 0.05)"
    assert passed.code == 0
    assert f"Passes: no evidence that {words}" in passed.words
    failed = run("--trec", qrels, new, old, "--fail-if-lower", "0.01", *name)
    assert failed.code == 3
    values = {
        name: next(
            row["value"]
            for row in json_of("--trec", qrels, new, old)["scores"]
            if row["score"] == title and row["run"].endswith(name)
        )
        for name in ("new", "old")
    }
    shares = " against ".join(short_share(values[name]) for name in ("old", "new"))
    lost = f"lower by {values['new'] - values['old']:.3g}, at least by 0."
    words = words.replace("old", "new")
    assert f"Fails: {words}: {shares}, {lost}" in failed.words


def test_names_of_runs_do_not_control_a_terminal(gated, tmp_path):
    qrels, old, new = gated
    copy = tmp_path / "a\x1bb"
    copy.write_bytes(old.read_bytes())
    finished = run("--trec", qrels, copy, new, "--fail-if-lower", "0.01")
    assert "\x1b" not in finished.out
    assert r" than that of a\x1bb by" in finished.words


@pytest.mark.parametrize("name", ["p", "difference"])
def test_a_run_that_is_called_as_a_column_of_the_table(gated, name, monkeypatch):
    qrels, old, new = gated
    monkeypatch.chdir(qrels.parent)
    Path(name).write_bytes(new.read_bytes())
    plain = run("--trec", qrels, old, new).words
    found = run("--trec", qrels, old, name).words
    Path(name).unlink()
    assert found == plain.replace("new", f"run {name}")


def test_the_check_of_runs_is_the_paired_test(gated):
    qrels, old, new = gated
    found = json_of("--trec", qrels, new, old, "--fail-if-lower", "0")
    test = compare_by_query(map_by_query(qrels, old), map_by_query(qrels, new))
    limit = -test.confidence_interval(0.9)[1]
    for margin, code in ((limit * 0.99, 3), (limit * 1.01, 0)):
        finished = run("--trec", qrels, new, old, "--fail-if-lower", f"{margin:.6f}")
        assert finished.code == code
    assert found["checks"][0]["failed"]


def test_a_single_run_is_checked_by_its_interval(gated):
    qrels, old, _ = gated
    score = json_of("--trec", qrels, old)["scores"][0]
    for least, code in ((score["high"] + 0.001, 3), (score["high"] - 0.001, 0)):
        finished = run("--trec", qrels, old, "--fail-below", least, "--format", "csv")
        assert (finished.code, finished.out.count("\n")) == (code, 8)
        assert ("check: Fails: the interval of MAP lies below " in finished.err) == (
            code == 3
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--fail-on", "ndcg", "--fail-below", "0.1"],
            "--fail-on must be a measure that",
        ),
        (["--fail-on", "P@1", "--fail-below", "0.1"], "such as MAP, MRR, P@10, "),
        (
            ["--by-query", "--fail-below", "0.1"],
            "--fail-below is not valid with --by-query of runs",
        ),
    ],
)
def test_checks_that_are_refused(gated, options, message):
    finished = run("--trec", *gated, *options)
    assert finished.code == 2
    assert message in finished.err
    alone = run("--trec", *gated[:2], "--fail-if-lower", "0.1")
    assert (
        "requires --against or --compare, the score to compare with, or two"
        in alone.err
    )
