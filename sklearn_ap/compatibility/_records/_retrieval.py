"""Packages of retrieval and recommendation: one ranking per query, mostly cut at k, no weights."""

from math import nan
from typing import Any

from .._choices import Grid
from .._convention import Convention

_TENTHS = tuple(j / 10 for j in range(11))


def _retrieval(name: str, **choices: Any) -> Convention:
    return Convention(name=name, **{"queries": "mean", "weights": "ignored", "total": "stated", **choices})


def _trec_eval(name: str, *, file: str, peculiarity: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        score_dtype="float32",
        ties="item_id",
        versions="9.0",
        source=f"trec_eval 9, {file}, run through pytrec_eval-terrier 0.5.11",
        peculiarity=peculiarity,
        not_reproduced="A query with a stated total but no rows counts 0 here, and is left out there.",
        run=True,
        **choices,
    )


def _ir_measures(name: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        score_dtype="float32",
        ties="item_id",
        versions="0.4.3",
        source="ir_measures 0.4.3, providers/pytrec_eval_provider.py",
        peculiarity="trec_eval's number; a judged query that was not run counts 0.",
        run=True,
        **choices,
    )


def _ranx(name: str, *, file: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        ties="unspecified",  # quicksort is not stable, so no rule gives the order of equal scores
        versions="0.3.21",
        source=f"ranx 0.3.21, metrics/{file}",
        peculiarity="With more than 15 documents, numba's quicksort changes the order of equal scores.",
        not_reproduced="A query with a stated total but no rows counts 0 here, and is an error there.",
        run=True,
        **choices,
    )


def _lists(name: str, source: str, peculiarity: str, **choices: Any) -> Convention:
    """Record a package that takes lists or ranks: the caller decides the order of equal scores."""
    return _retrieval(name, ties="stable", source=source, peculiarity=peculiarity, **{"run": True, **choices})


def _boosting(name: str, versions: str, source: str, peculiarity: str, **choices: Any) -> Convention:
    """Record the mean over queries, cut at k: boosting packages evaluate rankers with it."""
    return _retrieval(
        name,
        total="found",
        cut="k",
        normalizer="min",
        versions=versions,
        source=source,
        peculiarity=peculiarity,
        not_reproduced="Weights are per query.",
        run=True,
        **choices,
    )


def _torchmetrics_mrr(name: str, peculiarity: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        score_dtype="float32",
        transform="above 0",
        ties="unspecified",
        total="found",
        area="reciprocal rank",
        versions="1.9.0",
        source="torchmetrics 1.9.0, functional/retrieval/reciprocal_rank.py",
        peculiarity=peculiarity,
        not_reproduced="The mean is float32.",
        run=True,
        **choices,
    )


RETRIEVAL = (
    _trec_eval(
        "trec_eval map",
        file="m_map.c",
        peculiarity="Equal scores are ordered by descending document id: other ids give another number.",
    ),
    _trec_eval(
        "trec_eval map_cut",
        file="m_map_cut.c",
        peculiarity="Divided by all relevant documents: if more than k are relevant, nothing scores 1.",
        cut="k",
    ),
    _trec_eval(
        "trec_eval 11pt, version 9",
        file="m_11pt_avg.c",
        peculiarity="A level is met by floor(level R + 0.9) relevant documents: 2 of 3 meet level 0.7.",
        area="interpolated",
        grid=Grid("11 levels met by floor(level R + 0.9) documents", _TENTHS, "documents"),
    ),
    _retrieval(
        "trec_eval 11pt, version 10",
        ties="item_id",
        area="interpolated",
        grid=Grid("11 levels met by round(level R) documents", _TENTHS, "rounded documents"),
        versions="10.0",
        source="trec_eval 10, m_11pt_avg.c",
        peculiarity="A level is met by round(level R) relevant documents, often fewer than its recall needs.",
    ),
    _trec_eval(
        "trec_eval Rprec",
        file="m_Rprec.c",
        peculiarity="Equal scores are ordered by descending document id.",
        area="hits",
        cut="n_positives",
    ),
    _trec_eval(
        "trec_eval P",
        file="m_P.c",
        peculiarity="Divided by k, even if fewer documents were retrieved.",
        area="hits",
        cut="k",
        normalizer="k",
    ),
    _trec_eval(
        "trec_eval recall",
        file="m_recall.c",
        peculiarity="Equal scores are ordered by descending document id.",
        area="hits",
        cut="k",
    ),
    _trec_eval(
        "trec_eval recip_rank",
        file="m_recip_rank.c",
        peculiarity="Equal scores are ordered by descending document id; its mean over queries is MRR.",
        area="reciprocal rank",
    ),
    _trec_eval(
        "pytrec_eval map",
        file="m_map.c",
        peculiarity="trec_eval 9's number for each query; the caller takes the mean.",
    ),
    _ir_measures("ir_measures AP"),
    _ir_measures("ir_measures AP@k", cut="k"),
    _ir_measures("ir_measures RR", area="reciprocal rank"),
    _retrieval(
        "ir_measures RR@k",
        ties="ascending item_id",
        area="reciprocal rank",
        cut="k",
        versions="0.4.3",
        source="ir_measures 0.4.3, providers/msmarco_provider.py",
        peculiarity="MS MARCO's code: equal scores are ordered by ascending document id, unlike in RR.",
        run=True,
    ),
    _ranx("ranx map", file="average_precision.py"),
    _ranx("ranx map@k", file="average_precision.py", cut="k"),
    _ranx("ranx precision@k", file="precision.py", area="hits", cut="k", normalizer="k"),
    _ranx("ranx recall@k", file="recall.py", area="hits", cut="k"),
    _ranx("ranx r-precision", file="r_precision.py", area="hits", cut="n_positives"),
    _ranx("ranx mrr", file="reciprocal_rank.py", area="reciprocal rank"),
    _ranx("ranx mrr@k", file="reciprocal_rank.py", area="reciprocal rank", cut="k"),
    _lists(
        "rectools MAP",
        "rectools 0.19.0, metrics/ranking.py, MAP",
        "Users without interactions are left out.",
        cut="k",
        without_positives=nan,
        left_out=True,
        versions="0.19.0",
    ),
    _lists(
        "rectools MAP, divide_by_k",
        "rectools 0.19.0, metrics/ranking.py, MAP(divide_by_k=True)",
        "Divided by k even if a user has fewer interactions, so such a user cannot score 1.",
        cut="k",
        normalizer="k",
        without_positives=nan,
        left_out=True,
        versions="0.19.0",
    ),
    _lists(
        "recommenders map",
        "recommenders 1.2.1, evaluation/python_evaluation.py, map",
        "Cut at k, 10 by default, although its name has no k; users without positives are left out.",
        not_reproduced="A user with a stated total but no rows counts 0 here, and is left out there.",
        cut="k",
        left_out=True,
        versions="1.2.1",
    ),
    _lists(
        "recommenders map_at_k",
        "recommenders 1.2.1, evaluation/python_evaluation.py, map_at_k",
        "Divided by min(k, R), unlike `map` of the same package; users without positives are left out.",
        not_reproduced="A user with a stated total but no rows counts 0 here, and is left out there.",
        cut="k",
        normalizer="min",
        left_out=True,
        versions="1.2.1",
    ),
    _retrieval(
        "RePlay MAP",
        ties="item_id",
        cut="k",
        normalizer="min",
        left_out=True,
        versions="0.22.0",
        source="replay-rec 0.22.0, metrics/map.py and base_metric.py, of pandas data frames",
        peculiarity="Divided by min(k, R); equal scores are ordered by descending item id.",
        not_reproduced="Ids that are numbers are compared as numbers there, and as text here.",
    ),
    _lists(
        "ml_metrics apk",
        "ml_metrics 0.1.4, average_precision.py, apk and mapk",
        "A ranking without positives scores 1.",
        cut="k",
        normalizer="min",
        without_positives=1.0,
        versions="0.1.4",
    ),
    _lists(
        "Spark meanAveragePrecision",
        "Spark 4.3.0, mllib/evaluation/RankingMetrics.scala, meanAveragePrecision",
        "A query without positives counts 0.",
        versions="pyspark 4.3.0",
        not_reproduced="PySpark fails where no query has a positive, as it cannot infer their type.",
    ),
    _lists(
        "Spark meanAveragePrecisionAt",
        "Spark 4.3.0, mllib/evaluation/RankingMetrics.scala, meanAveragePrecisionAt",
        "Divided by min(k, R), while meanAveragePrecision is divided by R.",
        cut="k",
        normalizer="min",
        versions="pyspark 4.3.0",
        not_reproduced="PySpark fails where no query has a positive, as it cannot infer their type.",
    ),
    _retrieval(
        "sentence-transformers map@k",
        ties="ascending item_id",
        cut="k",
        normalizer="min",
        without_positives="error",
        left_out=True,
        versions=">= 6.0",
        source="sentence-transformers 6.2.0, InformationRetrievalEvaluator(map_at_k=[k])",
        peculiarity="Equal scores are ordered by ascending document id, the reverse of trec_eval's order.",
        not_reproduced="Ids that are integers are compared as numbers there, and as text here.",
        run=True,
    ),
    _lists(
        "Elliot MAP",
        "Elliot, evaluation/metrics/accuracy/map/map.py",
        "The mean of the precisions at 1 to k, hits or not, so the first ranks count most.",
        area="precisions",
        cut="k",
        without_positives=nan,
        left_out=True,
        run=False,
    ),
    _retrieval(
        "torchmetrics RetrievalMAP < 1.7.4",
        score_dtype="float32",
        ties="unspecified",
        total="found",
        versions="< 1.7.4",
        source="torchmetrics 1.6.3 and 1.7.3, functional/retrieval/average_precision.py",
        peculiarity="The mean over queries; in later versions, a score of 0 or less means irrelevant.",
        not_reproduced="The mean is float32.",
    ),
    _retrieval(
        "torchmetrics RetrievalMAP",
        score_dtype="float32",
        transform="above 0",
        ties="unspecified",
        total="found",
        normalizer="hits",
        versions=">= 1.7.4",
        source="torchmetrics 1.9.0, functional/retrieval/average_precision.py",
        peculiarity="A relevant document with a score of 0 or less counts as irrelevant.",
        not_reproduced="The mean is float32.",
        run=True,
    ),
    _retrieval(
        "torchmetrics RetrievalMAP, top_k",
        score_dtype="float32",
        transform="above 0",
        ties="unspecified",
        total="found",
        cut="k",
        normalizer="hits",
        versions=">= 1.7.4",
        source="torchmetrics 1.9.0, functional/retrieval/average_precision.py",
        peculiarity="Divided by the hits in the cut, so finding fewer can score higher.",
        not_reproduced="The mean is float32.",
        run=True,
    ),
    _torchmetrics_mrr(
        "torchmetrics RetrievalMRR", "A score of 0 or less means irrelevant, as in RetrievalMAP."
    ),
    _torchmetrics_mrr(
        "torchmetrics RetrievalMRR, top_k",
        "A first relevant document below the cut scores 0.",
        cut="k",
    ),
    _boosting(
        "XGBoost map@k",
        "3.2.0",
        "XGBoost 3.2.0, src/metric/rank_metric.cc, eval_metric='map@k'",
        "A query without positives scores 1 (with 'map@k-' 0); 'map' alone cuts at 32 rows.",
        score_dtype="float32",
        ties="stable",
        without_positives=1.0,
    ),
    _boosting(
        "LightGBM map@k",
        "4.7.0",
        "LightGBM 4.7.0, src/metric/map_metric.hpp, metric='map' and eval_at=[k]",
        "A query without positives scores 1.",
        ties="stable",
        without_positives=1.0,
    ),
    _boosting(
        "CatBoost MAP:top=k",
        "1.2.10",
        "CatBoost 1.2.10, catboost.utils.eval_metric(..., 'MAP:top=k')",
        "Among equal scores, negatives come first.",
        ties="pessimistic",
    ),
    _retrieval(
        "MAP@R",
        ties="unspecified",
        cut="n_positives",
        versions="",
        source="K. Musgrave, S. Belongie, S.-N. Lim, A Metric Learning Reality Check, ECCV 2020, section 3",
        peculiarity="Only the first R documents count, so it is never above R-precision.",
    ),
    _retrieval(
        "cornac MAP",
        total="found",
        without_positives=nan,
        left_out=True,
        versions="2.6.0",
        source="cornac 2.6.0, metrics/ranking.py, MAP",
        peculiarity="Equal scores are one threshold, as in scikit-learn.",
        run=True,
    ),
    _retrieval(
        "scikit-learn LRAP",
        total="found",
        without_positives=1.0,
        versions=">= 0.16",
        source="scikit-learn 1.9.1, label_ranking_average_precision_score, one sample per query",
        peculiarity="A sample without positives scores 1.",
        not_reproduced="Sample weights are per query.",
        run=True,
    ),
)
