"""Judgements and runs have the numbers of trec_eval, by its records."""

import numpy as np
import pytest

from sklearn_ap import read_trec, score_by_query
from sklearn_ap.compatibility import score_as


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
    a row, without a relevant document, and without a judgement. As -c has it, a judged
    query without rows counts as 0.
    """
    rng = np.random.default_rng(0)
    judged, scored = {}, {"unjudged": {"d1": 1.0}}
    for query in map(str, range(12)):
        documents = [f"d{i}" for i in rng.permutation(30)]
        levels = rng.integers(0, 3, 15) * (query != "3")
        judged[query] = dict(zip(documents, levels.tolist(), strict=False))
        if query not in "01":
            scores = rng.normal(size=20).round() + rng.integers(0, 2, 20) * 1e-12
            retrieved = rng.permutation(documents)[:20].tolist()
            scored[query] = dict(zip(retrieved, scores.tolist(), strict=True))
    run = read_trec(judged, run=scored, level=level)["run"]
    names = "y_true", "y_score", "query_id", "n_positives"
    options = {"normalizer": "n_positives"} if record == "trec_eval map_cut" else {}
    by_query = score_by_query(name, **{n: getattr(run, n) for n in names}, **options)

    rows = [
        (query, document, score, judged[query].get(document, 0) >= level)
        for query in scored.keys() & judged
        for document, score in scored[query].items()
    ]
    query, document, score, is_relevant = zip(*rows, strict=True)
    totals = {q: sum(one >= level for one in judged[q].values()) for q in query}
    ids = {"query_id": query, "item_id": document, "n_positives": totals}
    mean = score_as(record, is_relevant, score, k=5, **ids)
    assert by_query.keys() == judged.keys()
    assert sum(by_query.values()) == pytest.approx(mean * len(totals), abs=1e-14)
