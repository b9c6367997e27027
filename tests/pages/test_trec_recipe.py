"""The recipe for files of TREC, on the page *Retrieval*, has the numbers of trec_eval."""

import doctest
import gzip
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import score_by_query

# One query has no relevant document, as in many judgements.
pytestmark = pytest.mark.filterwarnings("ignore:y_true contains no positives")
PAGE = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")


def recipe():
    """Return the functions of the recipe, as the page defines them."""
    names: dict = {}
    section = PAGE[PAGE.index("## Files of TREC") :]
    for example in doctest.DocTestParser().get_examples(section):
        if example.source.startswith(("def ", "import ")):
            exec(example.source, names)
    return SimpleNamespace(**names)


PANDAS = recipe()
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


def rows_of(qrels, run, **options):
    columns = ["query", "document"]
    return PANDAS.rows_of(
        pd.DataFrame(qrels, columns=[*columns, "relevance"]),
        pd.DataFrame(run, columns=[*columns, "score"]),
        **options,
    )


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


def test_frames_have_the_numbers_of_trec_eval():
    assert numbers(rows_of(*drawn(0))) == pytest.approx(PRINTED, abs=1e-12)


@pytest.mark.parametrize("opened", [open, gzip.open])
def test_files_have_the_numbers_of_trec_eval(opened, tmp_path):
    qrels, run = drawn(0)
    ending = ".gz" if opened is gzip.open else ".txt"
    paths = [tmp_path / f"{name}{ending}" for name in ("qrels", "run")]
    with opened(paths[0], "wt") as file:
        file.write(lines_of(qrels, "{} 0 {}\t{}"))
    with opened(paths[1], "wt") as file:
        file.write(lines_of(run, "{} Q0 {} 1 {} name"))
    rows = PANDAS.rows_of(
        PANDAS.read_file(paths[0], 3, "relevance"),
        PANDAS.read_file(paths[1], 4, "score"),
    )
    assert numbers(rows) == pytest.approx(PRINTED, abs=1e-12)


def test_ids_in_files_are_texts(tmp_path):
    """pandas would read them as a missing value, a number and a quoted text."""
    path = tmp_path / "qrels"
    path.write_text('01 0 nan 1\n01 0 7 0\n01 0 "a 2\n')
    frame = PANDAS.read_file(path, 3, "relevance")
    assert [*frame["document"]] == ["nan", "7", '"a']
    assert [*frame["query"]] == ["01"] * 3


def test_dictionaries_have_the_numbers_of_trec_eval():
    qrels, run = map(by_query, drawn(0))
    rows = PANDAS.rows_of(
        PANDAS.frame_of(qrels, "relevance"), PANDAS.frame_of(run, "score")
    )
    assert numbers(rows) == pytest.approx(PRINTED, abs=1e-12)


def test_scores_are_compared_in_float32_and_equal_ones_by_descending_id():
    rows = rows_of([("q", "d3", 1)], [("q", "d2", 1.5), ("q", "d3", 1.5 + 1e-9)])
    assert score_by_query("reciprocal_rank", **rows) == {"q": 1.0}
    rows = rows_of([("q", "d2", 1)], [("q", "d2", 1.5 + 1e-9), ("q", "d3", 1.5)])
    assert score_by_query("reciprocal_rank", **rows) == {"q": 0.5}


def test_a_level_is_the_lowest_of_relevant_documents():
    qrels = [("q", "d1", 1), ("q", "d2", 2), ("q", "d3", 3)]
    run = [("q", "d1", 3.0), ("q", "d2", 2.0), ("q", "d3", 1.0)]
    rows = rows_of(qrels, run, level=2)
    assert rows["n_positives"] == {"q": 2}
    assert [*rows["y_true"]] == [False, True, True]


def test_a_document_occurs_once_per_query():
    for qrels, run in ((1, 2), (2, 1)):
        with pytest.raises(pd.errors.MergeError):
            rows_of([("q", "d", 1)] * qrels, [("q", "d", 1.0)] * run)


@pytest.mark.peers
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
