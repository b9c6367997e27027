"""The recipe for files of TREC, on the page *Retrieval*, has the numbers of trec_eval."""

import bz2
import doctest
import gzip
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import read_lists, score_by_query

# One query has no relevant document, as in many judgements.
pytestmark = pytest.mark.filterwarnings("ignore:y_true contains no positives")
PAGE = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")


def recipe():
    """Return the functions of the recipe, as the page defines them."""
    names: dict = {}
    section = PAGE[PAGE.index("### Files of TREC") : PAGE.index("## Which run")]
    for example in doctest.DocTestParser().get_examples(section):
        exec(example.source, names)
    return names["read_qrels"], names["read_run"]


read_qrels, read_run = recipe()
# The names of the measures of ir_measures, by scores and their options.
MEASURES = {
    "AP": ("average_precision", {}),
    "RR": ("reciprocal_rank", {}),
    "P@5": ("precision@5", {}),
    "R@10": ("recall@10", {}),
    "Success@3": ("success@3", {}),
    "Rprec": ("r_precision", {}),
    "AP@10": ("average_precision@10", {"normalizer": "n_positives"}),
}


# The numbers that ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11 prints for `drawn(0)`.
PRINTED = {
    "AP": 0.25895762245853715,
    "RR": 0.36666666666666664,
    "P@5": 0.4,
    "R@10": 0.21454545454545454,
    "Success@3": 0.6,
    "Rprec": 0.2627272727272727,
    "AP@10": 0.1487878787878788,
}


def drawn(seed):
    """Draw judgements, and a run with many equal scores, an unjudged query, and a judged
    query without rows.
    """
    rng = np.random.default_rng(seed)
    documents = [f"d{j}" for j in range(30)]
    qrels = [
        (f"q{query}", document, int(rng.integers(-1, 4)))
        for query in range(5)
        for document in rng.choice(documents, 20, replace=False)
    ]
    run = [
        (f"q{query}", document, float(rng.integers(0, 6)) / 8)
        for query in range(1, 6)
        for document in rng.choice(documents, 24, replace=False)
    ]
    # One judged query has no relevant document.
    return [(q, d, min(level, int(q != "q4"))) for q, d, level in qrels], run


def rows_of(qrels, run):
    return read_lists(by_query(qrels), by_query(run))


def numbers(rows):
    """Return the mean over queries of each score, by the name of the measure."""
    return {
        measure: np.mean([*score_by_query(score, **rows, **options).values()])
        for measure, (score, options) in MEASURES.items()
    }


def lines_of(rows, line):
    return "".join(f"{line.format(*row)}\n" for row in rows)


def by_query(rows):
    """Return rows as the dictionaries of pytrec_eval."""
    numbers: dict = {}
    for query, document, number in rows:
        numbers.setdefault(query, {})[document] = number
    return numbers


@pytest.mark.parametrize("opened", [open, gzip.open, bz2.open])
def test_files_have_the_numbers_of_trec_eval(opened, tmp_path):
    qrels, run = drawn(0)
    ending = {open: ".txt", gzip.open: ".gz", bz2.open: ".bz2"}[opened]
    paths = [tmp_path / f"{name}{ending}" for name in ("qrels", "run")]
    with opened(paths[0], "wt") as file:
        file.write(lines_of(qrels, "{} 0 {}\t{}"))
    with opened(paths[1], "wt") as file:
        file.write(lines_of(run, "{} Q0 {} 1 {} name"))
    rows = read_lists(read_qrels(paths[0]), read_run(paths[1]))
    assert numbers(rows) == pytest.approx(PRINTED, abs=1e-12)


QRELS = {"01": {"nan": 1.0, "7": 0.0, '"a': 2.0}, "é": {"7#b": 1.0}}


@pytest.mark.parametrize(
    "text",
    [
        '01 0 nan 1\n01 0 7 0\n01 0 "a 2\né 0 7#b 1\n',
        '01 0 nan 1\r\n01 0 7 0\r\n01 0 "a 2\r\né 0 7#b 1',
        '01\tnan\t1\n01\t7\t0\n01\t"a\t2\né\t7#b\t1\n',
        '\ufeff01 0 nan 1\n\n01 0 7 0 \n  \n01 0 "a 2.0\né 0 7#b 1e0\n',
        '# a comment of 3\n01 0 nan 1\n#\n01 0 7 0\n01 0 "a 2\né 0 7#b +1\n',
        '01\ta query\tnan\t1\n01\ta query\t7\t0\n01\t3 b\t"a\t2\né\t\t7#b\t1\n',
        'é 0 7#b 1\n01 0 nan 1\n01   0\t7   0\n01 0 "a 2\n',
    ],
    ids=["plain", "CRLF", "three fields", "blanks", "comments", "text", "order"],
)
def test_ids_are_texts_in_files_of_all_kinds(tmp_path, text):
    path = tmp_path / "qrels"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_qrels(path) == QRELS


@pytest.mark.parametrize(
    "text",
    [
        "#7 Q0 a 1 .5 name\n",
        "#7\tQ0\ta\t104\t  .5\tthe name of a run\n",
        "# Q0 a 1 .5 name\n#7 Q0 a 1 .5 the name of a run\n",
        "#7 Q0 a 1\t.5 name\n",
    ],
    ids=["no comment", "tabs", "words", "a tab"],
)
def test_a_tag_is_the_rest_of_its_line(tmp_path, text):
    path = tmp_path / "run"
    path.write_text(text)
    assert read_run(path) == {"#7": {"a": 0.5}}


# A wrong line after a line of a query of its own, so that no document occurs twice.
@pytest.mark.parametrize(
    ("read", "line", "words"),
    [
        (read_qrels, "9 0 7 1", "a document occurs twice"),
        (read_qrels, "query-id corpus-id score", "could not convert .*'score'"),
        (read_qrels, "01 0 7 relevant", "could not convert .*'relevant'"),
        (read_qrels, "01,7,1", "1 fields: pd.read_csv."),
        (read_qrels, "query,doc,relevance", "1 fields: pd.read_csv."),
        # A real file had a number between the document and its relevance.
        (read_qrels, "01 0 d71 3 1", "5 fields"),
        (read_qrels, "01\t0\td71\t3\t1", "5 fields"),
        (read_qrels, "01 Q0 7 1 0.5 name", "6 fields"),
        (read_qrels, "#7", "1 fields: pd.read_csv."),
        (read_run, "01 Q0 7 1 0.5", "5 fields"),
        (read_run, "01 0 7 1", "4 fields"),
        (read_run, "01 Q0 7 1 high name", "could not convert .*'high'"),
    ],
)
def test_an_error_shows_the_file_and_the_line(tmp_path, read, line, words):
    path = tmp_path / "file"
    first = {read_qrels: "9 0 7 1", read_run: "9 Q0 7 1 .5 name"}[read]
    path.write_text(f"# comment\n{first}\n{line}\n")
    with pytest.raises(ValueError, match=f"{words}.* .*file, line 3: {line}"):
        read(path)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ast.Num of ir_measures
@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_ir_measures(seed):
    import ir_measures  # noqa: PLC0415  # of the group peers

    qrels, run = drawn(seed)
    printed = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in MEASURES],
        [ir_measures.Qrel(*row) for row in qrels],
        [ir_measures.ScoredDoc(*row) for row in run],
    )
    expected = {str(name): value for name, value in printed.items()}
    assert numbers(rows_of(qrels, run)) == pytest.approx(expected, abs=1e-12)
