"""Judgements and runs have the numbers of trec_eval, by its records."""

import numpy as np
import pytest

from sklearn_ap import read_trec, score_by_query
from sklearn_ap.compatibility import score_as


def columns_of(rows):
    """The columns of a run, as arguments of a score."""
    names = "y_true", "y_score", "query_id", "n_positives"
    return {name: getattr(rows, name) for name in names}


def of_trec_eval(record, judged, scored):
    """trec_eval's number, by its record: -c counts a judged query without rows as 0."""
    totals = {query: sum(levels.values()) for query, levels in judged.items()}
    rows = [
        (query, document, score, judged[query].get(document, False))
        for query in scored.keys() & judged
        for document, score in scored[query].items()
    ]
    query, document, score, is_relevant = zip(*rows, strict=True)
    found = {query: totals[query] for query in query}
    options = {"query_id": query, "item_id": document, "n_positives": found}
    mean = score_as(record, is_relevant, score, k=5, **options)
    return mean * len(found) / len(totals)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(
    ("record", "name"),
    [
        ("trec_eval map", "average_precision"),
        ("trec_eval map_cut", "average_precision@5"),
        ("trec_eval P", "precision@5"),
        ("trec_eval Rprec", "r_precision"),
        ("trec_eval recall", "recall@5"),
        ("trec_eval recip_rank", "reciprocal_rank"),
    ],
)
@pytest.mark.filterwarnings("ignore:(y_true contains no|No) positive")
def test_columns_have_the_numbers_of_trec_eval(record, name, level):
    """Of many equal scores, also those that differ as float64 alone; of queries without
    a row, without a relevant document, and without a judgement.
    """
    rng = np.random.default_rng(0)
    judged, scored = {}, {"unjudged": {"d1": 1.0}}
    for query in map(str, range(12)):
        documents = [f"d{i}" for i in rng.permutation(30)]
        judged[query] = {
            document: int(rng.integers(0, 3) * (query != "3"))
            for document in documents[:15]
        }
        if query not in "01":
            scored[query] = {
                document: round(rng.normal()) + rng.integers(0, 2) * 1e-12
                for document in rng.permutation(documents)[:20]
            }
    run = read_trec(judged, run=scored, level=level)["run"]
    options = {"normalizer": "n_positives"} if record == "trec_eval map_cut" else {}
    by_query = score_by_query(name, **columns_of(run), **options)
    is_relevant = {
        query: {document: each >= level for document, each in levels.items()}
        for query, levels in judged.items()
    }
    expected = of_trec_eval(record, is_relevant, scored)
    assert np.mean([*by_query.values()]) == pytest.approx(expected, abs=1e-15)
