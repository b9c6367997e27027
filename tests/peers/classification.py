"""Packages for classification: each knows one ranking and cannot be told of missed
positives.
"""

import atexit
import os
import sys
from functools import cache, partial

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from sklearn_ap._core.registry import LEVEL

from ._peer import Peer


def scikit_learn(case):
    """Call average_precision_score of the installed scikit-learn."""
    return float(
        average_precision_score(
            case.y_true, case.y_score, sample_weight=case.sample_weight
        )
    )


def scikit_learn_trapezoid(case):
    """Take the trapezoids under the curve, as people write it today."""
    precision, recall, _ = precision_recall_curve(
        case.y_true, case.y_score, sample_weight=case.sample_weight
    )
    return float(auc(recall, precision))


def lightgbm_metric(labels, scores, options, **rows):
    """Evaluate a metric of a booster without trees, the scores being its initial
    ones.
    """
    import lightgbm

    quiet = {"verbosity": -1}
    data = lightgbm.Dataset(
        np.zeros((len(labels), 1)),
        label=labels,
        init_score=scores,
        params=quiet,
        **rows,
    )
    booster = lightgbm.Booster({"objective": "none", **options, **quiet}, data)
    return float(booster.eval_train()[0][2])


def lightgbm(case):
    """Evaluate average_precision of LightGBM."""
    options = {"metric": "average_precision"}
    return lightgbm_metric(
        case.y_true, case.y_score, options, weight=case.sample_weight
    )


def xgboost_metric(name, labels, scores, **rows):
    """Evaluate a metric of a booster without trees, the scores being its base
    margins.
    """
    import xgboost

    data = xgboost.DMatrix(
        np.zeros((len(labels), 1)), label=labels, base_margin=scores, **rows
    )
    # The default objective, squared error, hands the margins to the metric as they are.
    booster = xgboost.Booster({"eval_metric": name, "verbosity": 0}, [data])
    return float(booster.eval(data).rpartition(":")[2])


def by_query(case):
    """Labels, scores and query numbers: the rows of a query must stand together."""
    queries = case.query_id or [""] * len(case.y_true)
    number = np.unique(queries, return_inverse=True)[1]
    order = np.argsort(number, kind="stable")
    return np.array(case.y_true)[order], np.array(case.y_score)[order], number[order]


def xgboost(case):
    """Evaluate aucpr of XGBoost."""
    labels, scores, qid = by_query(case)
    qid = qid if case.query_id else None
    return xgboost_metric("aucpr", labels, scores, qid=qid, weight=case.sample_weight)


def xgboost_ranker(case):
    """Evaluate average_precision_score by an XGBRanker whose trees add nothing to the
    base margins.
    """
    import xgboost

    labels, scores, qid = by_query(case)
    rows = np.zeros((labels.size, 1))
    ranker = xgboost.XGBRanker(
        n_estimators=1, learning_rate=0.0, eval_metric=average_precision_score
    )
    ranker.fit(
        rows,
        labels,
        qid=qid,
        eval_set=[(rows, labels)],
        eval_qid=[qid],
        base_margin_eval_set=[scores],
        verbose=False,
    )
    return float(ranker.evals_result()["validation_0"]["average_precision_score"][-1])


def catboost(case):
    """Evaluate PRAUC by catboost.utils.eval_metric."""
    from catboost.utils import eval_metric

    [value] = eval_metric(case.y_true, case.y_score, "PRAUC", weight=case.sample_weight)
    return float(value)


@cache
def spark_session():
    """Start the one Spark session of all cases."""
    from pyspark.sql import SparkSession

    options = {
        "spark.default.parallelism": "1",  # bins are made per partition
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.pyspark.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    atexit.register(session.stop)
    return session


def spark(case, num_bins):
    """Evaluate areaUnderPR by Spark's BinaryClassificationEvaluator."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    weight = case.sample_weight or [1.0] * len(case.y_true)
    rows = zip(case.y_score, map(float, case.y_true), weight, strict=True)
    frame = spark_session().createDataFrame(
        list(rows), ["rawPrediction", "label", "weight"]
    )
    evaluator = BinaryClassificationEvaluator(
        metricName="areaUnderPR", weightCol="weight", numBins=num_bins
    )
    return float(evaluator.evaluate(frame))


def _tensors(case, dtype):
    """Return the scores, in a type of torch, and the labels."""
    import torch

    return torch.tensor(case.y_score, dtype=getattr(torch, dtype)), torch.tensor(
        case.y_true
    )


def torchmetrics(thresholds, dtype, case):
    """Call binary_average_precision of torchmetrics."""
    from torchmetrics.functional.classification import binary_average_precision

    return float(
        binary_average_precision(*_tensors(case, dtype), thresholds=thresholds)
    )


def torchmetrics_at(name, dtype, case):
    """Call binary_precision_at_fixed_recall or binary_recall_at_fixed_precision of
    torchmetrics.
    """
    from torchmetrics.functional import classification

    value, _ = getattr(classification, name)(*_tensors(case, dtype), LEVEL)
    return float(value)


def torcheval(dtype, case):
    """Call the exact binary_auprc of torcheval."""
    from torcheval.metrics.functional import binary_auprc

    return float(binary_auprc(*_tensors(case, dtype)))


def torcheval_binned(dtype, case):
    """Call binary_binned_auprc of torcheval with its 100 default thresholds."""
    from torcheval.metrics.functional import binary_binned_auprc

    value, _ = binary_binned_auprc(*_tensors(case, dtype))
    return float(value)


def river(case):
    """Evaluate RollingPRAUC in a window of all rows."""
    from river.metrics import RollingPRAUC

    metric = RollingPRAUC(window_size=len(case.y_true))
    for label, score in zip(case.y_true, case.y_score, strict=True):
        metric.update(label, score)
    return float(metric.get())


def keras(metric, arguments, case):
    """Evaluate a metric of Keras, in float32."""
    # the default, TensorFlow, is not installed
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras

    metric = getattr(keras.metrics, metric)(**arguments)
    weight = case.sample_weight and np.array(case.sample_weight)
    metric.update_state(
        np.array(case.y_true), np.array(case.y_score), sample_weight=weight
    )
    return float(metric.result())


def _of_tensors(name, run, package):
    """Return a peer for tensors of either type."""
    return {
        name: Peer(partial(run, "float64"), package, 1e-6),
        f"{name}, float32": Peer(partial(run, "float32"), package, 1e-6),
    }


def _of_keras(metric, **arguments):
    """Return a peer of Keras."""
    return Peer(partial(keras, metric, arguments), "keras", 3e-6, weights=True)


PRECISION_AT = partial(torchmetrics_at, "binary_precision_at_fixed_recall")
RECALL_AT = partial(torchmetrics_at, "binary_recall_at_fixed_precision")
_weighted = partial(Peer, weights=True)
PEERS: dict[str, Peer] = {
    "scikit-learn": _weighted(scikit_learn, "scikit-learn"),
    "auc(recall, precision)": _weighted(scikit_learn_trapezoid, "scikit-learn"),
    # the weights of boosters are float32
    "LightGBM average_precision": _weighted(lightgbm, "lightgbm", 1e-7),
    "XGBoost aucpr": _weighted(xgboost, "xgboost", 1e-7, queries=True),
    "XGBRanker average_precision_score": Peer(
        xgboost_ranker, "xgboost", 1e-6, queries=True
    ),
    "CatBoost PRAUC": _weighted(catboost, "catboost", 1e-7),
    "Spark areaUnderPR": _weighted(partial(spark, num_bins=0), "pyspark"),
    "Spark areaUnderPR, numBins=1000": _weighted(
        partial(spark, num_bins=1000), "pyspark"
    ),
    "river RollingPRAUC": Peer(river, "river"),
    "Keras AUC(curve='PR')": _of_keras("AUC", curve="PR"),
    "Keras AUC(curve='PR'), thresholds=50": _of_keras(
        "AUC", curve="PR", num_thresholds=50
    ),
    f"Keras PrecisionAtRecall({LEVEL})": _of_keras("PrecisionAtRecall", recall=LEVEL),
    f"Keras RecallAtPrecision({LEVEL})": _of_keras(
        "RecallAtPrecision", precision=LEVEL
    ),
    **_of_tensors(
        "torchmetrics average_precision", partial(torchmetrics, None), "torchmetrics"
    ),
    **_of_tensors(
        "torchmetrics, thresholds=100", partial(torchmetrics, 100), "torchmetrics"
    ),
    **_of_tensors(f"precision_at_fixed_recall({LEVEL})", PRECISION_AT, "torchmetrics"),
    **_of_tensors(f"recall_at_fixed_precision({LEVEL})", RECALL_AT, "torchmetrics"),
    **_of_tensors("torcheval binary_auprc", torcheval, "torcheval"),
    **_of_tensors("torcheval binary_binned_auprc", torcheval_binned, "torcheval"),
}
