"""Packages of retrieval and recommendation: one ranking per query, mostly cut at k, no weights."""

from functools import partial
from math import nan
from typing import Any

from .._choices import Grid
from .._convention import Convention, recorded

_TENTHS = tuple(j / 10 for j in range(11))

_retrieval = partial(recorded, queries="mean", weights="ignored", total="stated")
_lists = partial(_retrieval, ties="stable")  # packages of lists or ranks: the caller orders equal scores
_defined = partial(_lists, cut="k", without_positives=nan, left_out=True)  # users with a positive alone
_recommenders = partial(
    _lists,
    cut="k",
    left_out=True,
    not_reproduced="A user with a stated total but no rows counts 0 here, and is left out there.",
)
_spark = partial(
    _lists,
    versions="pyspark 4.3.0",
    not_reproduced="PySpark fails where no query has a positive, as it cannot infer their type.",
)
# Boosting packages evaluate rankers with the mean over queries, cut at k.
_boosting = partial(
    _retrieval, total="found", cut="k", normalizer="min", not_reproduced="Weights are per query."
)
_torchmetrics = partial(
    _retrieval,
    score_dtype="float32",
    transform="above 0",
    ties="unspecified",
    total="found",
    not_reproduced="The mean is float32.",
)


def _trec_eval(name: str, file: str, peculiarity: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        f"trec_eval 9, {file}, run through pytrec_eval-terrier 0.5.11",
        peculiarity,
        score_dtype="float32",
        ties="item_id",
        versions="9.0",
        not_reproduced=f"{_NO_ROWS} left out there.",
        **choices,
    )


def _ir_measures(name: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        "ir_measures 0.4.3, providers/pytrec_eval_provider.py",
        "trec_eval's number; a judged query that was not run counts 0.",
        score_dtype="float32",
        ties="item_id",
        **choices,
    )


def _ranx(name: str, file: str, **choices: Any) -> Convention:
    return _retrieval(
        name,
        f"ranx 0.3.21, metrics/{file}",
        "With more than 15 documents, numba's quicksort changes the order of equal scores.",
        ties="unspecified",  # quicksort is not stable, so no rule gives the order of equal scores
        not_reproduced=f"{_NO_ROWS} an error there.",
        **choices,
    )


_NO_ROWS = "A query with a stated total but no rows counts 0 here, and is"
RETRIEVAL = (
    _trec_eval(
        "trec_eval map",
        "m_map.c",
        "Equal scores are ordered by descending document id: other ids give another number.",
    ),
    _trec_eval(
        "trec_eval map_cut",
        "m_map_cut.c",
        "Divided by all relevant documents: if more than k are relevant, nothing scores 1.",
        cut="k",
    ),
    _trec_eval(
        "trec_eval 11pt, version 9",
        "m_11pt_avg.c",
        "A level is met by floor(level R + 0.9) relevant documents: 2 of 3 meet level 0.7.",
        area="interpolated",
        grid=Grid("11 levels met by floor(level R + 0.9) documents", _TENTHS, met_by="documents"),
    ),
    _retrieval(
        "trec_eval 11pt, version 10",
        "trec_eval 10, m_11pt_avg.c",
        "A level is met by round(level R) relevant documents, often fewer than its recall needs.",
        ties="item_id",
        area="interpolated",
        grid=Grid("11 levels met by round(level R) documents", _TENTHS, met_by="rounded documents"),
        versions="10.0",
        run=False,
    ),
    _trec_eval(
        "trec_eval Rprec",
        "m_Rprec.c",
        "Equal scores are ordered by descending document id.",
        area="hits",
        cut="n_positives",
    ),
    _trec_eval(
        "trec_eval P",
        "m_P.c",
        "Divided by k, even if fewer documents were retrieved.",
        area="hits",
        cut="k",
        normalizer="k",
    ),
    _trec_eval(
        "trec_eval recall",
        "m_recall.c",
        "Equal scores are ordered by descending document id.",
        area="hits",
        cut="k",
    ),
    _trec_eval(
        "trec_eval recip_rank",
        "m_recip_rank.c",
        "Equal scores are ordered by descending document id; its mean over queries is MRR.",
        area="reciprocal rank",
    ),
    _trec_eval(
        "pytrec_eval map", "m_map.c", "trec_eval 9's number for each query; the caller takes the mean."
    ),
    _ir_measures("ir_measures AP"),
    _ir_measures("ir_measures AP@k", cut="k"),
    _ir_measures("ir_measures RR", area="reciprocal rank"),
    _retrieval(
        "ir_measures RR@k",
        "ir_measures 0.4.3, providers/msmarco_provider.py",
        "MS MARCO's code: equal scores are ordered by ascending document id, unlike in RR.",
        ties="ascending item_id",
        area="reciprocal rank",
        cut="k",
    ),
    _ranx("ranx map", "average_precision.py"),
    _ranx("ranx map@k", "average_precision.py", cut="k"),
    _ranx("ranx precision@k", "precision.py", area="hits", cut="k", normalizer="k"),
    _ranx("ranx recall@k", "recall.py", area="hits", cut="k"),
    _ranx("ranx r-precision", "r_precision.py", area="hits", cut="n_positives"),
    _ranx("ranx mrr", "reciprocal_rank.py", area="reciprocal rank"),
    _ranx("ranx mrr@k", "reciprocal_rank.py", area="reciprocal rank", cut="k"),
    _defined(
        "rectools MAP", "rectools 0.19.0, metrics/ranking.py, MAP", "Users without interactions are left out."
    ),
    _defined(
        "rectools MAP, divide_by_k",
        "rectools 0.19.0, metrics/ranking.py, MAP(divide_by_k=True)",
        "Divided by k even if a user has fewer interactions, so such a user cannot score 1.",
        normalizer="k",
    ),
    _recommenders(
        "recommenders map",
        "recommenders 1.2.1, evaluation/python_evaluation.py, map",
        "Cut at k, 10 by default, although its name has no k; users without positives are left out.",
    ),
    _recommenders(
        "recommenders map_at_k",
        "recommenders 1.2.1, evaluation/python_evaluation.py, map_at_k",
        "Divided by min(k, R), unlike `map` of the same package; users without positives are left out.",
        normalizer="min",
    ),
    _retrieval(
        "RePlay MAP",
        "replay-rec 0.22.0, metrics/map.py and base_metric.py, of pandas data frames",
        "Divided by min(k, R); equal scores are ordered by descending item id.",
        ties="item_id",
        cut="k",
        normalizer="min",
        left_out=True,
        not_reproduced="Ids that are numbers are compared as numbers there, and as text here.",
        run=False,
    ),
    _lists(
        "ml_metrics apk",
        "ml_metrics 0.1.4, average_precision.py, apk and mapk",
        "A ranking without positives scores 1.",
        cut="k",
        normalizer="min",
        without_positives=1.0,
    ),
    _spark(
        "Spark meanAveragePrecision",
        "Spark 4.3.0, mllib/evaluation/RankingMetrics.scala, meanAveragePrecision",
        "A query without positives counts 0.",
    ),
    _spark(
        "Spark meanAveragePrecisionAt",
        "Spark 4.3.0, mllib/evaluation/RankingMetrics.scala, meanAveragePrecisionAt",
        "Divided by min(k, R), while meanAveragePrecision is divided by R.",
        cut="k",
        normalizer="min",
    ),
    _retrieval(
        "sentence-transformers map@k",
        "sentence-transformers 6.2.0, InformationRetrievalEvaluator(map_at_k=[k])",
        "Equal scores are ordered by ascending document id, the reverse of trec_eval's order.",
        ties="ascending item_id",
        cut="k",
        normalizer="min",
        without_positives="error",
        left_out=True,
        versions=">= 6.0",
        not_reproduced="Ids that are integers are compared as numbers there, and as text here.",
    ),
    _defined(
        "Elliot MAP",
        "Elliot, evaluation/metrics/accuracy/map/map.py",
        "The mean of the precisions at 1 to k, hits or not, so the first ranks count most.",
        area="precisions",
        versions="",
        run=False,
    ),
    _torchmetrics(
        "torchmetrics RetrievalMAP < 1.7.4",
        "torchmetrics 1.6.3 and 1.7.3, functional/retrieval/average_precision.py",
        "The mean over queries; in later versions, a score of 0 or less means irrelevant.",
        versions="< 1.7.4",
        transform=None,
        run=False,
    ),
    _torchmetrics(
        "torchmetrics RetrievalMAP",
        "torchmetrics 1.9.0, functional/retrieval/average_precision.py",
        "A relevant document with a score of 0 or less counts as irrelevant.",
        normalizer="hits",
        versions=">= 1.7.4",
    ),
    _torchmetrics(
        "torchmetrics RetrievalMAP, top_k",
        "torchmetrics 1.9.0, functional/retrieval/average_precision.py",
        "Divided by the hits in the cut, so finding fewer can score higher.",
        cut="k",
        normalizer="hits",
        versions=">= 1.7.4",
    ),
    _torchmetrics(
        "torchmetrics RetrievalMRR",
        "torchmetrics 1.9.0, functional/retrieval/reciprocal_rank.py",
        "A score of 0 or less means irrelevant, as in RetrievalMAP.",
        area="reciprocal rank",
    ),
    _torchmetrics(
        "torchmetrics RetrievalMRR, top_k",
        "torchmetrics 1.9.0, functional/retrieval/reciprocal_rank.py",
        "A first relevant document below the cut scores 0.",
        cut="k",
        area="reciprocal rank",
    ),
    _boosting(
        "XGBoost map@k",
        "XGBoost 3.2.0, src/metric/rank_metric.cc, eval_metric='map@k'",
        "A query without positives scores 1 (with 'map@k-' 0); 'map' alone cuts at 32 rows.",
        score_dtype="float32",
        ties="stable",
        without_positives=1.0,
    ),
    _boosting(
        "LightGBM map@k",
        "LightGBM 4.7.0, src/metric/map_metric.hpp, metric='map' and eval_at=[k]",
        "A query without positives scores 1.",
        ties="stable",
        without_positives=1.0,
    ),
    _boosting(
        "CatBoost MAP:top=k",
        "CatBoost 1.2.10, catboost.utils.eval_metric(..., 'MAP:top=k')",
        "Among equal scores, negatives come first.",
        ties="pessimistic",
    ),
    _retrieval(
        "MAP@R",
        "K. Musgrave, S. Belongie, S.-N. Lim, A Metric Learning Reality Check, ECCV 2020, section 3",
        "Only the first R documents count, so it is never above R-precision.",
        ties="unspecified",
        cut="n_positives",
        versions="",
        run=False,
    ),
    _retrieval(
        "cornac MAP",
        "cornac 2.6.0, metrics/ranking.py, MAP",
        "Equal scores are one threshold, as in scikit-learn.",
        total="found",
        without_positives=nan,
        left_out=True,
    ),
    _retrieval(
        "scikit-learn LRAP",
        "scikit-learn 1.9.1, label_ranking_average_precision_score, one sample per query",
        "A sample without positives scores 1.",
        total="found",
        without_positives=1.0,
        versions=">= 0.16",
        not_reproduced="Sample weights are per query.",
    ),
)
