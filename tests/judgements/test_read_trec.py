"""Judgements and runs in files and in Python: formats, values and errors."""

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_ap import (
    average_precision_score,
    read_lists,
    read_trec,
    score_by_query,
)
from sklearn_ap._shown.sources import SourceError


def columns_of(rows):
    """The columns of a run, as arguments of a score."""
    names = "y_true", "y_score", "query_id", "n_positives"
    return {name: getattr(rows, name) for name in names}


def test_unjudged_documents_are_dropped_before_the_ranking():
    """A level below 0 is no judgement; q2 counts, though no run document was judged."""
    judged = {"q1": {"d1": True, "d2": np.False_, "d3": -2}, "q2": {"d4": 1}}
    scored = {"q1": {"x": 4, "d3": 3, "d2": 2, "d1": 1}, "q2": {"x": 1}}
    dropped = read_trec(judged, run=scored, judged_only=True)["run"]
    assert dropped == read_trec(judged, run={"q1": {"d2": 2, "d1": 1}})["run"]
    assert dropped.n_positives == {"q1": 1, "q2": 1}


# The same judgements and run in each way that people hold them.
LEVELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d4": 1}}
SCORED = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}


def triples(by_query):
    return [
        (q, d, value) for q, values in by_query.items() for d, value in values.items()
    ]


# Lines of TREC, whose last field may contain spaces; in the second text, all lines do.
RUN_TEXT = (
    "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n"
    "q2 Q0 d3 1 2 a and more words\nq2\tQ0\td4 2 1e0 a\n"
)
TWO_WORDS = RUN_TEXT.replace("and more words", "a").replace(" a\n", " a b\n")
# Each kind of file, of judgements and of a run.
FILES = {
    "plain": ("q1 0 d1 +1\nq1 0 d2 0.0\n\nq2 0 d4 1\n", RUN_TEXT),
    "windows": ("\ufeffq1 0 d1 1\r\nq1 0 d2 -1\r\nq2 0 d4 1\r\n", RUN_TEXT),
    "two words": ("q1 0\td1 1\nq1 0\td2 0\nq2 0 d4 1\n", TWO_WORDS),
}


@pytest.mark.parametrize("opened", [open, gzip.open])
@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_has_the_same_rows(kind, opened, tmp_path):
    paths = tmp_path / "qrels", tmp_path / "run"
    for path, content in zip(paths, FILES[kind], strict=True):
        with opened(path, "wt", encoding="utf-8", newline="") as file:
            file.write(content)
    assert read_trec(*paths) == {str(paths[1]): read_trec(LEVELS, SCORED)["run 1"]}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("run", "q1 d1 1\n", "line 1: must have 6 fields: query, Q0, doc"),
        ("qrels", "query\tdoc\tlevel\n", "line 1: must have 4 fields: query, it"),
        ("qrels", '{"q1": {"d1": 1}}', "line 1: must have 4 fields"),
        (
            "run",
            "q1 Q0 d1 1 2 a\n" * 2,
            "line 2: document 'd1' occurs twice in its query",
        ),
        ("qrels", "q1 0 d1 1\nq1 0 7\n", "line 2: must have 4 fields: query"),
        ("run", "q1 Q0 d1 1 nan a\n", "line 1: score must be a finite number; got"),
        (
            "qrels",
            "q1 0 d1 1\nq1 0 d2 x\n",
            "line 2: relevance must be an integer; got 'x'",
        ),
    ],
)
def test_lines_of_another_layout_are_an_error(name, text, problem, tmp_path):
    for each, content in {"qrels": "q1 0 d1 1\n", "run": RUN_TEXT, name: text}.items():
        (tmp_path / each).write_text(content)
    message = re.escape(repr(str(tmp_path / name)))
    with pytest.raises(SourceError, match=f"^{message}[,:] {re.escape(problem)}"):
        read_trec(tmp_path / "qrels", tmp_path / "run")


def test_a_level_is_the_lowest_of_relevant_documents():
    levels = {"q1": {"d1": 1, "d2": 2, "d3": 3}}
    run_ = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
    found = read_trec(levels, a=run_, level=2.0)["a"]
    assert (found.y_true, found.n_positives) == ([True, True, False], {"q1": 2})


# The scores of the documents d2, d3 and d1 of a run, and the ranking, the worst first.
ORDERS = {
    "descending ids of equal scores": (["1.5", "1.5", "1.5"], "d1 d2 d3"),
    "scores that float32 makes equal": (["1.0", "2", "1.00000001"], "d1 d2 d3"),
    "scores beyond float32": (["-1e39", "1e39", "1e40"], "d2 d1 d3"),
    "integers that float32 makes equal": (
        [str(2**53), str(2**54), str(2**53 + 1)],
        "d1 d2 d3",
    ),
    "signs and exponents": (["+2E-3", "-.5", "-1e-3"], "d3 d1 d2"),
}


@pytest.mark.parametrize("case", ORDERS)
def test_scores_order_documents_as_in_trec_eval_and_ranks_do_not(case, tmp_path):
    scores, expected = ORDERS[case]
    documents = ["d2", "d3", "d1"]
    rows = zip(documents, scores, strict=True)
    file = tmp_path / "run"
    file.write_text("".join(f"q Q0 {d} 1 {score} a\n" for d, score in rows))
    run = {"q": dict(zip(documents, map(float, scores), strict=True))}
    for ranked in read_trec({"q": {"d1": 1}}, file, run).values():
        assert ranked.item_id == expected.split()


def test_ids_beyond_2_53_are_different_documents():
    """Floats round the first id to the second one."""
    first, second = 2**53 + 1, 2**53
    rows = pd.DataFrame(
        {"qid": [first] * 2, "docno": [first, second], "score": [1.0, 2.0]}
    )
    run = read_trec({first: {first: 1, second: 0}}, run=rows)["run"]
    assert (run.item_id, run.y_true) == ([first, second], [True, False])
    assert run.n_positives == {first: 1.0}


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: [(*row, "iteration") for row in rows],
        iter,
        lambda rows: pd.DataFrame(rows).assign(more="x"),
        lambda rows: pl.DataFrame(rows, orient="row"),
    ],
    ids=["tuples", "iterator", "pandas", "polars"],
)
def test_judgements_and_runs_in_python(make):
    qrels, first, second = map(make, map(triples, (LEVELS, SCORED, SCORED)))
    found = read_trec(qrels, first, bm25=second)
    assert list(found) == ["run 1", "bm25"]
    assert found["run 1"] == found["bm25"] == read_trec(LEVELS, SCORED)["run 1"]
    assert average_precision_score(**columns_of(found["bm25"])) == 0.75


FLOATS = pd.DataFrame({"q": ["a", "a"], "d": [7.0, 8.0], "n": [1, 0], "more": 0})


@pytest.mark.parametrize(
    ("qrels", "run", "got"),
    [
        ({1: {"d": 1}}, {"1": {"d": 1.0}}, "query ids .*got 1"),
        ({"q": {"a": 1, "7": 1}}, [("q", 7, 1.0)], "document ids .*got 7"),
        (FLOATS, {"a": {"7": 1.0}}, "document ids .*got 7.0"),
    ],
)
def test_the_error_about_ids_of_two_types_shows_both(qrels, run, got):
    with pytest.raises(SourceError, match=f"^{got} next to '[17]': "):
        read_trec(qrels, run)


def test_ids_of_two_types_whose_texts_differ_are_read():
    found = read_trec({"q": {7: 1, "a": 0}}, {"q": {"b": 2.0, 7: 1.0}})["run 1"]
    assert found.y_true == [True, False]


def test_lists_of_ids():
    found = read_lists([["a", "b", "b"], ["c"], []], [["x", "a", "b"], [], ["c"]])
    assert found.n_positives == {0: 2.0, 1: 1.0, 2: 0.0}
    assert (found.item_id, found.query_id) == (["b", "a", "x", "c"], [0, 0, 0, 2])
    found = read_lists({"q": [1]}, {"q": [2, 1], "unjudged": [1]})
    assert (found.item_id, found.n_unjudged_queries) == ([1, 2], 1)


def apk(actual, predicted, k):
    """AP@k as in ml_metrics, by a loop."""
    score = hits = 0.0
    for place, item in enumerate(predicted[:k]):
        if item in actual and item not in predicted[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(set(actual)), k) if actual else 0.0


@pytest.mark.parametrize("kind", [str, np.int64, float])
def test_repeated_ids_count_at_their_first_place_as_in_mapk(kind):
    rng = np.random.default_rng(0)
    relevant, retrieved = (
        [list(map(kind, rng.integers(0, 9, size))) for size in rng.integers(0, 8, 50)]
        for _ in range(2)
    )
    run = read_lists(relevant, retrieved)
    assert len(run.y_true) == sum(map(len, retrieved))
    for k in (1, 3, 8):
        name = f"average_precision@{k}"
        values = score_by_query(name, **columns_of(run), zero_division=0.0)
        expected = [apk(*pair, k) for pair in zip(relevant, retrieved, strict=True)]
        assert [*values.values()] == pytest.approx(expected, rel=0, abs=1e-12)


SERIES = pd.Series([["b", "x"], ["a", "y"]], index=["r", "q"])
# The average precision of the first query, q, is 1/2, and that of the second 1.
LISTS = {
    "lists": ([["a"], ["b"]], [["y", "a"], ["b"]]),
    "an array": (np.array([["a"], ["b"]]), np.array([["y", "a"], ["b", "x"]])),
    "arrays of integers": ([np.array([1]), [2]], [np.array([7, 1]), [np.int64(2)]]),
    "Series of ids": (
        [pd.Series(["a"]), {"b"}],
        [pd.Series(["y", "a"], [4, 2]), ["b"]],
    ),
    "names": ({"q": ["a"], "r": ["b"]}, {"r": ["b"], "q": ["y", "a"]}),
    "Series of lists in two orders": (
        SERIES.str[:1],
        pd.Series([["y", "a"], ["b"]], index=["q", "r"]),
    ),
    "scores": ([["a"], ["b"]], [{"a": 0.1, "y": 0.9}, {"b": 0.5}]),
    "levels": ([{"a": 2, "y": 0}, {"b": 1}], [["y", "a"], ["b"]]),
}


@pytest.mark.parametrize("kind", LISTS)
def test_order_names_scores_and_levels_of_lists_count(kind):
    relevant, retrieved = LISTS[kind]
    found = columns_of(read_lists(relevant, retrieved))
    assert [*score_by_query(average_precision_score, **found).values()] == [0.5, 1]


@pytest.mark.parametrize(
    ("relevant", "retrieved", "named"),
    [
        ([["a"]], [{"a", "y"}], "retrieved"),
        ([["a"]], [["a"], ["b"]], "relevant and retrieved"),
        ([["a"]], ["a"], "retrieved"),
        ([None], [["a"]], "relevant"),
        ([["a"]], [[("a", 0.5)]], "retrieved"),
        ([["a"]], [[0.5, 0.25]], "retrieved .* got 0.5 in query 0"),
        # The value that is wrong is shown, and not the ids before it.
        (
            {"q": ["a"]},
            {"q": [*"abcdefgh", None]},
            "retrieved .* got None in query 'q'",
        ),
        ([[True, False]], [["a"]], "relevant"),
        ([[*"abcdefgh", float("nan")]], [["a"]], "relevant .* got nan in query 0"),
        ([{"a": 0.5}], [["a"]], "'?relevant"),
        ({1: ["a"], 2: ["b"]}, [["a"], ["b"]], "relevant .* by query id"),
        (SERIES, [["a"], ["b"]], "relevant .* by query id"),
        (SERIES.rename({"r": "q"}), SERIES, "relevant"),
    ],
)
def test_lists_without_an_order_or_without_ids_raise_an_error(
    relevant, retrieved, named
):
    with pytest.raises(ValueError, match=f"^{named}"):
        read_lists(relevant, retrieved)


PLACES = {"qid": 0, "query_id": 0, "query-id": 0, "docno": 1, "doc_id": 1}
PLACES |= {"corpus-id": 1, "label": 2, "relevance": 2, "score": 2}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("of_qrels", "of_run"),
    [
        ("qid docno label iteration", "qid docid docno rank score"),
        ("iteration query_id doc_id relevance", "score query_id doc_id"),
        ("query-id corpus-id score", "corpus-id query-id score"),
    ],
)
def test_frames_are_read_by_the_names_of_their_columns(of_qrels, of_run, library):
    def frame(names, by_query):
        columns = [*zip(*triples(by_query), strict=True)]
        return library({name: columns[PLACES.get(name, 0)] for name in names.split()})

    found = read_trec(frame(of_qrels, LEVELS), frame(of_run, SCORED))
    assert found == read_trec(LEVELS, SCORED)
    with pytest.raises(SourceError, match=r"'rank' is not a score; pass frame\.assign"):
        read_trec(LEVELS, pd.DataFrame({"qid": ["q"], "docno": ["d"], "rank": [1]}))


def test_runs_may_be_a_list_of_paths_or_have_names(tmp_path):
    paths = [str(tmp_path / name) for name in "ab"]
    for path in paths:
        rows = triples(SCORED)
        Path(path).write_text("".join(f"{q} Q0 {d} 1 {s} name\n" for q, d, s in rows))
    expected = read_trec(LEVELS, **dict.fromkeys("ab", SCORED))
    named = dict(zip("ab", paths, strict=True))
    assert read_trec(LEVELS, named) == expected
    assert [*read_trec(LEVELS, paths).items()] == [
        *zip(paths, expected.values(), strict=True)
    ]
    with pytest.raises(SourceError, match=r"no\.run': No such file"):
        read_trec(LEVELS, tmp_path / "no.run")


WRONG = {
    "a name twice": (
        lambda: read_trec(LEVELS, SCORED, **{"run 1": SCORED}),
        "runs must have different names; got 'run 1' twice",
    ),
    "a document twice": (
        lambda: read_trec(LEVELS, [("q1", "d1", 2), ("q1", "d1", 1)]),
        "run 1, query 'q1': document 'd1' occurs twice in its query",
    ),
    "text to read_trec": (
        lambda: read_trec(["ab1", "ab2"], SCORED),
        "qrels: must have rows of query, document and a number; got 'ab1'",
    ),
    "lists to read_trec": (
        lambda: read_trec([["a", "b"]], SCORED),
        "qrels: must have rows of query, document and a number; got ['a', 'b'] (read_lists",
    ),
    "a list of dictionaries": (
        lambda: read_trec([{"query": "q1", "id": "d1", "level": 1}], SCORED),
        "qrels: must have rows of query, document and a number; got {'query': 'q1', 'id': "
        "'d1', 'level': 1} (read_lists",
    ),
    "other queries": (
        lambda: read_trec(LEVELS, bm25={"q9": {"d1": 1}}),
        "'bm25': contains no document of a judged query",
    ),
    "other documents": (
        lambda: read_trec(LEVELS, bm25={"q1": {"d9": 1}}, judged_only=True),
        "'bm25': contains no judged document",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_judgements_and_runs_in_python_raise_an_error(case):
    call, message = WRONG[case]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        call()


ARCHIVE = gzip.compress(b"q1 0 d1 1\n", mtime=0)


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 d\xe9 1\n",
        b"\x1f\x8b of no archive",
        ARCHIVE[:-9],
        ARCHIVE[:10] + b"\xff" + ARCHIVE[11:],
    ],
)
def test_a_file_that_is_no_text(content, tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes(content)
    message = f"^{re.escape(repr(str(path)))}: is not text in UTF-8, plain or gzipped: "
    with pytest.raises(SourceError, match=f"{message}.*pandas.read_parquet"):
        read_trec(path, SCORED)
