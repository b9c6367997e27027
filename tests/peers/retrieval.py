"""Packages for retrieval and recommendation: without `query_id`, a case is the ranking
of one query.
"""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from ._peer import Peer
from .classification import by_query, lightgbm_metric, spark_session, xgboost_metric


class Query(NamedTuple):
    """The documents retrieved for one query, in input order, and the relevant ones that
    were missed.
    """

    documents: list[str]
    y_true: list[int]
    y_score: list[float]
    missed: list[str]

    @property
    def scores(self):
        """The score of every retrieved document."""
        return dict(zip(self.documents, self.y_score, strict=True))

    @property
    def judgments(self):
        """The relevance of every document, retrieved or missed."""
        return dict(zip(self.documents, self.y_true, strict=True)) | dict.fromkeys(
            self.missed, 1
        )

    @property
    def relevant(self):
        """The relevant documents, retrieved or missed."""
        return [document for document, label in self.judgments.items() if label]

    @property
    def ranked(self):
        """The retrieved documents, best score first; equal scores stay in input
        order.
        """
        return sorted(self.documents, key=self.scores.__getitem__, reverse=True)


Queries = dict[str, Query]
Run = Callable[[Queries, int], float | None]


def _queries(case):
    """Return the queries of a case by their id, in the order of their first rows."""
    query_id = case.query_id or ["query"] * len(case.y_true)
    n_found = sum(case.y_true)
    missed = [
        f"missed{number}" for number in range((case.n_positives or n_found) - n_found)
    ]
    queries: Queries = {}
    for query, document, label, score in zip(
        query_id, case.documents, case.y_true, case.y_score, strict=True
    ):
        documents, y_true, y_score, _ = queries.setdefault(
            query, Query([], [], [], missed)
        )
        documents.append(document)
        y_true.append(label)
        y_score.append(score)
    return queries


def peer_of_queries(run, package, tolerance=1e-12, *, missed=True):
    """Return a peer that knows no weights and takes a case query by query."""

    def run_case(case):
        return run(_queries(case), case.k)

    return Peer(run_case, package, tolerance, queries=True, missed=missed)


def _runs_and_judgments(
    queries,
):
    """Return scores and judgments by query and document, as trec_eval's descendants
    take them.
    """
    runs = {query_id: query.scores for query_id, query in queries.items()}
    return runs, {query_id: query.judgments for query_id, query in queries.items()}


def _trec_eval(measure, queries, k):
    """Return the mean of a measure of trec_eval over the queries that pytrec_eval
    answers.
    """
    import pytrec_eval

    runs, judgments = _runs_and_judgments(queries)
    name = measure.format(k=k)
    by_query = pytrec_eval.RelevanceEvaluator(judgments, {name}).evaluate(runs)
    return float(np.mean([values[name] for values in by_query.values()]))


def _trec_eval_program(measure, queries, _):
    """Return the mean that the program prints, with four decimals, for two files."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("qrels", "run")]
        for path, of_queries, line in zip(
            paths,
            reversed(_runs_and_judgments(queries)),
            ("{} 0 {} {}\n", "{} Q0 {} 0 {!r} name\n"),
            strict=True,
        ):
            rows = (
                line.format(query, document, number)
                for query, numbers in of_queries.items()
                for document, number in numbers.items()
            )
            path.write_text("".join(rows))
        command = ["trec_eval", "-m", measure, *paths]
        return float(subprocess.check_output(command, text=True).split()[-1])


def _version_of_program(name):
    """Return the last word that the program prints about its version."""
    command = [name, "--version"]
    answer = subprocess.check_output(command, text=True, stderr=subprocess.STDOUT)
    return answer.split()[-1]


def _ir_measures(name, queries, k):
    """Return a measure, from whichever provider ir_measures takes by default."""
    import ir_measures

    measure = ir_measures.parse_measure(name.replace("k", str(k)))
    runs, judgments = _runs_and_judgments(queries)
    return float(ir_measures.calc_aggregate([measure], judgments, runs)[measure])


def _ranx(measure, queries, k):
    """Return a measure of ranx."""
    import ranx

    runs, judgments = _runs_and_judgments(queries)
    return float(
        ranx.evaluate(
            ranx.Qrels(judgments), ranx.Run(runs), measure.replace("@k", f"@{k}")
        )
    )


def _relevant(queries):
    """Return each query with each of its relevant documents."""
    return [(name, one) for name, query in queries.items() for one in query.relevant]


def _rectools(queries, k, *, divide_by_k):
    """Return MAP of RecTools; the ranks, which it must be given, are those of a stable
    sort.
    """
    import pandas as pd
    from rectools import Columns, metrics

    ranks = [
        (query_id, document, rank)
        for query_id, query in queries.items()
        for rank, document in enumerate(query.ranked, start=1)
    ]
    recommended = pd.DataFrame(
        ranks, columns=[Columns.User, Columns.Item, Columns.Rank]
    )
    interactions = pd.DataFrame(
        _relevant(queries), columns=[Columns.User, Columns.Item]
    )
    return float(
        metrics.MAP(k=k, divide_by_k=divide_by_k).calc(recommended, interactions)
    )


def _recommenders(measure, queries, k):
    """Return a measure of recommenders at its default relevancy_method, "top_k"."""
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    scores = [
        (query_id, *row)
        for query_id, query in queries.items()
        for row in query.scores.items()
    ]
    rating_pred = pd.DataFrame(scores, columns=["userID", "itemID", "prediction"])
    rating_true = pd.DataFrame(
        _relevant(queries), columns=["userID", "itemID"], dtype=object
    )
    return float(getattr(python_evaluation, measure)(rating_true, rating_pred, k=k))


def _ml_metrics(queries, k):
    """Return mapk of ml_metrics: the mean of its apk."""
    from ml_metrics import mapk

    relevant = [query.relevant for query in queries.values()]
    return float(mapk(relevant, [query.ranked for query in queries.values()], k))


def _spark(queries, k):
    """Return the mean average precision of Spark's RankingMetrics, cut at k unless that
    is None.
    """
    from pyspark.mllib.evaluation import RankingMetrics

    rankings = [(query.ranked, query.relevant) for query in queries.values()]
    if not any(relevant for _, relevant in rankings):
        return None  # PySpark cannot infer the type of labels when there are none
    context = spark_session().sparkContext
    metrics = RankingMetrics(context.parallelize(rankings, 1))
    return float(
        metrics.meanAveragePrecision if k is None else metrics.meanAveragePrecisionAt(k)
    )


def _torchmetrics(name, case, *, cut):
    """Return a metric of torchmetrics.retrieval, cut at k or not."""
    import torch
    from torchmetrics import retrieval

    labels, scores, query = map(torch.tensor, by_query(case))
    metric = getattr(retrieval, name)(top_k=case.k if cut else None)
    return float(metric(scores, labels, indexes=query))


def _xgboost(case):
    """Evaluate map@k of XGBoost."""
    labels, scores, query = by_query(case)
    return xgboost_metric(f"map@{case.k}", labels, scores, qid=query)


def _lightgbm(case):
    """Evaluate map at k of LightGBM."""
    labels, scores, query = by_query(case)
    options = {"metric": "map", "eval_at": [case.k]}
    return lightgbm_metric(labels, scores, options, group=np.bincount(query))


def _catboost(case):
    """Evaluate MAP:top=k by catboost.utils.eval_metric."""
    from catboost.utils import eval_metric

    labels, scores, query = by_query(case)
    [value] = eval_metric(labels, scores, f"MAP:top={case.k}", group_id=query)
    return float(value)


def _replay(queries, k):
    """Return MAP of RePlay, of data frames of pandas."""
    import pandas as pd
    from replay.metrics import MAP

    names = ["query_id", "item_id", "rating"]
    recommended = pd.DataFrame(
        [
            (query_id, *row)
            for query_id, query in queries.items()
            for row in query.scores.items()
        ],
        columns=names,
    )
    relevant = pd.DataFrame(_relevant(queries), columns=names[:2], dtype=object)
    return float(MAP(k)(recommended, relevant)[f"MAP@{k}"])


def _beir(queries, k):
    """Return the capped recall of BEIR."""
    from beir.retrieval.custom_metrics import recall_cap

    runs, judgments = _runs_and_judgments(queries)
    return recall_cap(judgments, runs, [k])[f"R_cap@{k}"]


def _mteb(queries, k):
    """Return the mean of the reciprocal ranks of MTEB."""
    from mteb._evaluators.retrieval_metrics import mrr

    runs, judgments = _runs_and_judgments(queries)
    return float(np.mean(mrr(judgments, runs, [k])[f"MRR@{k}"]))


def _pyg(queries, k):
    """Return LinkPredMAP of PyTorch Geometric, which takes the numbers of the ranked
    documents. A shorter list ends in a number that no document has.
    """
    import torch
    from torch_geometric.metrics import LinkPredMAP

    numbers: dict[str, int] = {}
    ranked = torch.full((len(queries), k), -1)
    edges = []
    for row, query in enumerate(queries.values()):
        for place, document in enumerate(query.ranked[:k]):
            ranked[row, place] = numbers.setdefault(document, len(numbers))
        edges += [
            (row, numbers.setdefault(document, len(numbers)))
            for document in query.relevant
        ]
    ranked[ranked < 0] = len(numbers)
    metric = LinkPredMAP(k=k)
    metric.update(ranked, torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T)
    return float(metric.compute())


def _metric_learning(queries, _):
    """Return MAP@R of pytorch-metric-learning. Its search for neighbors, which is an
    argument, returns the documents of a query from the best score on, and then those of
    other queries.
    """
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    # A relevant document has the number of its query as label, and others have -1.
    labels = [
        number if label else -1
        for number, query in enumerate(queries.values())
        for label in query.y_true
    ]
    rows = {
        document: row
        for row, document in enumerate(
            document for query in queries.values() for document in query.documents
        )
    }

    def neighbors(*_):
        own = [[rows[name] for name in query.ranked] for query in queries.values()]
        orders = [first + sorted({*range(len(rows))} - {*first}) for first in own]
        return torch.zeros(len(orders), len(rows)), torch.tensor(orders)

    name = "mean_average_precision_at_r"
    found = AccuracyCalculator(include=(name,), knn_func=neighbors).get_accuracy(
        torch.zeros(len(queries), 1),
        torch.arange(len(queries)),
        torch.zeros(len(rows), 1),
        torch.tensor(labels),
    )
    return float(found[name])


def _cornac(case):
    """Return MAP of cornac for one user: the mean over users needs a model, and missed
    items are ignored.
    """
    from cornac.metrics import MAP

    items = np.arange(len(case.y_true))
    with np.errstate(invalid="ignore"):
        found = MAP().compute(
            items, np.array(case.y_score), np.flatnonzero(case.y_true)
        )
    return float(found)


def _label_ranking(queries, _):
    """Return scikit-learn's LRAP, one sample per query: all of one size, nothing
    missed.
    """
    from sklearn.metrics import label_ranking_average_precision_score

    if len({len(query.documents) for query in queries.values()}) > 1:
        return None
    labels = [query.y_true for query in queries.values()]
    scores = [query.y_score for query in queries.values()]
    return float(label_ranking_average_precision_score(labels, scores))


TREC = "pytrec_eval-terrier"
TREC_EVAL = {
    "map": "map",
    "map_cut": "map_cut_{k}",
    "11pt < 10": "11pt_avg",
    "Rprec": "Rprec",
    "P": "P_{k}",
    "recall": "recall_{k}",
    "recip_rank": "recip_rank",
    "success": "success_{k}",
}
IR_MEASURES = ("AP", "AP@k", "RR", "RR@k")
RANX = (
    "map",
    "map@k",
    "precision@k",
    "recall@k",
    "r-precision",
    "mrr",
    "mrr@k",
    "hit_rate@k",
)
PEERS: dict[str, Peer] = {
    **{
        f"trec_eval {name}": peer_of_queries(partial(_trec_eval, measure), TREC)
        for name, measure in TREC_EVAL.items()
    },
    "trec_eval 11pt": peer_of_queries(
        partial(_trec_eval_program, "11pt_avg"), "trec_eval", 5.1e-5
    )._replace(find_version=_version_of_program),
    "pytrec_eval map": peer_of_queries(partial(_trec_eval, "map"), TREC),
    **{
        f"ir_measures {name}": peer_of_queries(
            partial(_ir_measures, name), "ir_measures"
        )
        for name in IR_MEASURES
    },
    **{f"ranx {name}": peer_of_queries(partial(_ranx, name), "ranx") for name in RANX},
    "rectools MAP": peer_of_queries(partial(_rectools, divide_by_k=False), "rectools"),
    "rectools MAP, divide_by_k": peer_of_queries(
        partial(_rectools, divide_by_k=True), "rectools"
    ),
    "recommenders map": peer_of_queries(partial(_recommenders, "map"), "recommenders"),
    "recommenders map_at_k": peer_of_queries(
        partial(_recommenders, "map_at_k"), "recommenders"
    ),
    "ml_metrics apk": peer_of_queries(_ml_metrics, "ml_metrics"),
    "Spark meanAveragePrecision": peer_of_queries(
        lambda queries, _: _spark(queries, None), "pyspark"
    ),
    "Spark meanAveragePrecisionAt": peer_of_queries(_spark, "pyspark"),
    **{
        f"torchmetrics {name}{', top_k' * cut}": Peer(
            partial(_torchmetrics, name, cut=cut), "torchmetrics", 1e-6, queries=True
        )
        for name, cut in (
            ("RetrievalMAP", False),
            ("RetrievalMAP", True),
            ("RetrievalMRR", False),
            ("RetrievalMRR", True),
            ("RetrievalHitRate", True),
        )
    },
    "RePlay MAP": peer_of_queries(_replay, "replay-rec"),
    "BEIR capped recall@k": peer_of_queries(_beir, "beir", 5e-6),
    "MTEB MRR@k": peer_of_queries(_mteb, "mteb"),
    "PyTorch Geometric LinkPredMAP": peer_of_queries(_pyg, "torch-geometric", 1e-6),
    "MAP@R": peer_of_queries(
        _metric_learning, "pytorch-metric-learning", 1e-6, missed=False
    ),
    "XGBoost map@k": Peer(_xgboost, "xgboost", queries=True),
    "LightGBM map@k": Peer(_lightgbm, "lightgbm", queries=True),
    "CatBoost MAP:top=k": Peer(_catboost, "catboost", queries=True),
    "cornac MAP": Peer(_cornac, "cornac"),
    "scikit-learn LRAP": peer_of_queries(_label_ranking, "scikit-learn", missed=False),
}
