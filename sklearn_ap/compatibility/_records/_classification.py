"""Packages of classification, in Python and R: one ranking, mostly weights, ties as one threshold."""

from dataclasses import replace
from math import nan
from typing import Any

from ..._family import LEVEL
from .._choices import Grid, Thresholds
from .._convention import Convention


def _one_ranking(name: str, **choices: Any) -> Convention:
    """Record a package that takes one ranking per call."""
    return Convention(name=name, **{"queries": "refused", **choices})


def _torch(name: str, *, peculiarity: str, **choices: Any) -> tuple[Convention, Convention]:
    """Record a metric of tensors twice: for scores in the tensor's own type, and in float32."""
    as_given = _one_ranking(
        name,
        weights="ignored",
        peculiarity=f"{peculiarity} Scores are compared in the tensor's own type.",
        run=True,
        **choices,
    )
    in_float32 = replace(
        as_given,
        name=f"{name}, float32",
        score_dtype="float32",
        peculiarity=f"{peculiarity} Scores are compared in float32, as models return them.",
    )
    return as_given, in_float32


def _keras(name: str, *, area: str) -> Convention:
    """Record a metric of Keras at one level."""
    return _one_ranking(
        f"Keras {name}({LEVEL})",
        score_dtype="float32",
        thresholds=Thresholds(200, "strictly above"),
        area=area,
        grid=_AT_LEVEL,
        versions="3.15.1",
        source=f"Keras 3.15.1, metrics/confusion_metrics.py, {name}({LEVEL})",
        peculiarity="Scores are clipped to [0, 1] and rounded up to 199ths. A score of 0 is never retrieved.",
        not_reproduced="Sums and quotients are float32, and compared with the level in float32.",
        run=True,
    )


_AT_LEVEL = Grid(f"level {LEVEL}", (LEVEL,))
CLASSIFICATION = (
    Convention(
        name="scikit-learn",
        versions=">= 0.19",
        source="scikit-learn 1.9.1, metrics/_ranking.py, average_precision_score",
        peculiarity="The reference that all others are compared with.",
        run=True,
    ),
    _one_ranking(
        "scikit-learn < 0.19",
        area="linear",
        without_positives=nan,
        versions="< 0.19",
        source="scikit-learn 0.18.2, metrics/ranking.py, average_precision_score",
        peculiarity="The trapezoidal rule, from recall 0 and precision 1: far too high for constant scores.",
        not_reproduced="Samples of weight 0 with the highest score made it NaN.",
        run=True,
    ),
    _one_ranking(
        "auc(recall, precision)",
        area="linear",
        without_positives=0.5,
        versions="scikit-learn >= 1.1",
        source="scikit-learn 1.9.1, auc of precision_recall_curve",
        peculiarity="The same trapezoids; without positives recall is set to one, so the area is 0.5.",
        run=True,
    ),
    Convention(
        name="LightGBM average_precision",
        without_positives=1.0,
        versions="4.7.0",
        source="LightGBM 4.7.0, src/metric/binary_metric.hpp, AveragePrecisionMetric",
        peculiarity="A ranking without positives scores 1; groups of rows are ignored.",
        not_reproduced="Weights are float32; samples of weight 0 with the highest score make it NaN.",
        run=True,
    ),
    Convention(
        name="XGBoost aucpr",
        score_dtype="float32",
        queries="mean",
        area="davis-goadrich",
        without_positives=nan,
        without_negatives=nan,
        left_out=True,
        versions="3.2.0",
        source="XGBoost 3.2.0, src/metric/auc.cc, BinaryPRAUC",
        peculiarity="NaN if one class is missing, even for a ranking of positives only.",
        not_reproduced=(
            "Weights are float32. With the objective binary:logistic the metric sees float32 probabilities: "
            "pass those as y_score. With queries, weights are per query."
        ),
        run=True,
    ),
    Convention(
        name="XGBRanker average_precision_score",
        score_dtype="float32",
        queries="mean by rows",
        one_row="perfect",
        weights="ignored",
        versions="3.2.0",
        source="XGBoost 3.2.0, sklearn.py, XGBRanker(eval_metric=average_precision_score)",
        peculiarity="A query counts as often as it has rows, and a query of one row scores 1.",
        not_reproduced="It prints six decimals. Before scikit-learn 1.1 a query without positives was NaN.",
        run=True,
    ),
    Convention(
        name="CatBoost PRAUC",
        transform="near",
        area="linear",
        without_positives="error",
        versions="1.2.10",
        source="CatBoost 1.2.10, libs/metrics/metric.cpp, TPRAUCMetric",
        peculiarity="Scores that differ by less than 1e-8 are tied, and so are chains. Groups are ignored.",
        not_reproduced="Weights are float32; model.eval_metrics leaves them out by default.",
        run=True,
    ),
    _one_ranking(
        "Spark areaUnderPR",
        area="linear",
        first_point="(0, p1)",
        versions=">= 2.3",
        source="Spark 4.3.0, BinaryClassificationEvaluator(metricName='areaUnderPR', numBins=0)",
        peculiarity="The curve starts flat from the highest score, so constant scores give the base rate.",
        not_reproduced="Samples of weight 0 with the highest score let it start at precision 1.",
        run=True,
    ),
    _one_ranking(
        "Spark areaUnderPR, before 2.3",
        area="linear",
        versions="< 2.3",
        source="Spark, BinaryClassificationMetrics.pr; https://github.com/apache/spark/pull/19038",
        peculiarity="The curve started at precision 1.",
    ),
    _one_ranking(
        "Spark areaUnderPR, 1000 bins",
        thresholds=Thresholds(1000, "merged"),
        area="linear",
        first_point="(0, p1)",
        versions="pyspark 4.3.0",
        source="Spark 4.3.0, BinaryClassificationEvaluator(metricName='areaUnderPR'), as by default",
        peculiarity="From 2,000 distinct scores on, neighbours are merged in silence.",
        not_reproduced="Each partition is merged by itself, and scores of weight 0 are merged too.",
        run=True,
    ),
    *_torch(
        "torchmetrics average_precision",
        transform="sigmoid",
        versions="1.9.0",
        source="torchmetrics 1.9.0, functional/classification/average_precision.py, thresholds=None",
        peculiarity="Any score outside [0, 1] sends all through a sigmoid: above 37 they tie (float32: 17).",
        not_reproduced="torch's sigmoid differs in the last bits; the sum is float32.",
    ),
    *_torch(
        "torchmetrics, 100 thresholds",
        transform="sigmoid",
        thresholds=Thresholds(100),
        versions="1.9.0",
        source="torchmetrics 1.9.0, functional/classification/average_precision.py, thresholds=100",
        peculiarity="Each score counts as the threshold below it, so at most 100 distinct scores are left.",
        not_reproduced="torch's sigmoid differs in the last bits; the sum is float32.",
    ),
    *_torch(
        "torcheval binary_auprc",
        versions="0.0.7",
        source="torcheval 0.0.7, metrics/functional/classification/auprc.py",
        peculiarity="scikit-learn's number, from a float32 sum.",
        not_reproduced="Scores beyond the range of a float32 tensor become infinite, and are not tied.",
    ),
    *_torch(
        "torcheval binary_binned_auprc",
        thresholds=Thresholds(100),
        versions="0.0.7",
        source="torcheval 0.0.7, metrics/functional/classification/binned_auprc.py",
        peculiarity="A positive with a score below 0 reaches no threshold, so it is never found.",
    ),
    _one_ranking(
        "H2O pr_auc",
        thresholds=Thresholds(400, "streamed"),
        area="davis-goadrich",
        without_negatives=1.0,
        versions="3.46.0.12",
        source="H2O 3.46.0.12, hex/AUC2.java, through h2o.make_metrics",
        peculiarity="More than 400 distinct scores become 400 bins, which depend on the order of the rows.",
        not_reproduced="Each chunk of a frame is binned by itself. H2O refuses scores outside [0, 1].",
        run=True,
    ),
    _one_ranking(
        "river RollingPRAUC",
        weights="ignored",
        area="linear, interpolated",
        without_negatives=0.0,
        versions="0.26.1",
        source="river 0.26.1, metrics/rolling_pr_auc.py",
        peculiarity="The trapezoidal rule, below the best precision at each threshold or a lower one.",
        not_reproduced="Only the last window_size rows count, 1000 by default: pass only those.",
        run=True,
    ),
    _one_ranking(
        "Keras AUC(curve='PR')",
        score_dtype="float32",
        thresholds=Thresholds(200, "above"),
        area="davis-goadrich",
        versions="3.15.1",
        source="Keras 3.15.1, metrics/confusion_metrics.py, AUC.interpolate_pr_auc",
        peculiarity="Scores are clipped to [0, 1] and rounded up to 199ths.",
        not_reproduced="All sums are float32. summation_method 'minoring' and 'majoring' are other areas.",
        run=True,
    ),
    _one_ranking(
        "Keras AUC(curve='PR'), 50 thresholds",
        score_dtype="float32",
        thresholds=Thresholds(50, "above"),
        area="davis-goadrich",
        versions="3.15.1",
        source="Keras 3.15.1, metrics/confusion_metrics.py, AUC(curve='PR', num_thresholds=50)",
        peculiarity="Scores are rounded up to 49ths; N thresholds are `Thresholds(N, 'above')`.",
        not_reproduced="All sums are float32. summation_method 'minoring' and 'majoring' are other areas.",
        run=True,
    ),
    *_torch(
        f"precision_at_fixed_recall({LEVEL})",
        transform="sigmoid",
        area="interpolated",
        grid=_AT_LEVEL,
        versions="1.9.0",
        source="torchmetrics 1.9.0, functional/classification/precision_fixed_recall.py, thresholds=None",
        peculiarity="Any score outside [0, 1] sends all through a sigmoid: above 37 they tie (float32: 17).",
        not_reproduced="torch's sigmoid differs in the last bits; quotients are float32.",
    ),
    *_torch(
        f"recall_at_fixed_precision({LEVEL})",
        transform="sigmoid",
        area="recall at precision",
        grid=_AT_LEVEL,
        versions="1.9.0",
        source="torchmetrics 1.9.0, functional/classification/recall_fixed_precision.py, thresholds=None",
        peculiarity="Any score outside [0, 1] sends all through a sigmoid: above 37 they tie (float32: 17).",
        not_reproduced=(
            "torch's sigmoid differs in the last bits. Quotients are float32: with float64 scores, a "
            "precision of exactly 7/10 misses the level 0.7."
        ),
    ),
    _keras("PrecisionAtRecall", area="interpolated"),
    _keras("RecallAtPrecision", area="recall at precision"),
)


R = (
    _one_ranking(
        "ROCR aucpr",
        weights="ignored",
        area="linear, fewest retrieved",
        without_positives="error",
        without_negatives="error",
        versions="1.0-11",
        source="ROCR 1.0-11, performance(..., 'aucpr')",
        peculiarity="Among thresholds with equal recall only the highest counts, so lines join the peaks.",
        not_reproduced="After the first tied group of more than two positives, points get wrong places.",
        run=True,
    ),
    _one_ranking(
        "MLmetrics PRAUC",
        weights="ignored",
        area="linear",
        first_point="none",
        without_positives="error",
        without_negatives="error",
        versions="1.1.1",
        source="MLmetrics 1.1.1, PRAUC",
        peculiarity="The first segment is dropped: 3 positives at the top score 0.667, constant scores 0.",
        run=True,
    ),
    Convention(
        name="Metrics apk",
        queries="mean",
        ties="stable",
        weights="ignored",
        total="stated",
        cut="k",
        normalizer="min",
        without_positives=nan,
        versions="0.1.4",
        source="Metrics 0.1.4, apk and mapk",
        peculiarity="NaN without positives, also in the mean over queries.",
        run=True,
    ),
    _one_ranking(
        "PRROC auc.integral",
        area="davis-goadrich",
        without_positives=nan,
        versions="1.3.1",
        source="PRROC, pr.curve(...)$auc.integral; J. Keilwagen et al., PLoS ONE 9(3), 2014",
        peculiarity="The area of Davis and Goadrich, continuous, with weights.",
    ),
    _one_ranking(
        "PRROC auc.davis.goadrich",
        weights="ignored",
        area="davis-goadrich, unit steps",
        without_positives=nan,
        versions="1.3.1",
        source="PRROC, pr.curve(...)$auc.davis.goadrich; J. Davis, M. Goadrich, ICML 2006",
        peculiarity="Davis and Goadrich's points at every positive, joined by straight lines.",
        not_reproduced="It is NA if both classes have exactly the same scores.",
    ),
    _one_ranking(
        "yardstick average_precision",
        without_positives=nan,
        versions="1.3",
        source="yardstick, R/prob-average_precision.R",
        peculiarity="scikit-learn's number, but NaN without positives.",
    ),
    _one_ranking(
        "yardstick pr_auc",
        area="linear",
        without_positives=nan,
        versions="1.3",
        source="yardstick, R/prob-pr_auc.R",
        peculiarity="The trapezoidal rule, from recall 0 and precision 1.",
    ),
    _one_ranking(
        "precrec",
        weights="ignored",
        area="davis-goadrich",
        without_positives="error",
        without_negatives="error",
        versions="0.14",
        source="precrec, evalmod(x_bins = 1000); T. Saito, M. Rehmsmeier, Bioinformatics 33(1), 2017",
        peculiarity="Davis and Goadrich's points at multiples of 1/1000 of recall, joined by straight lines.",
        not_reproduced="The record has the continuous area instead; the two differ by less than 1e-4.",
    ),
)
